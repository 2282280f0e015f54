//! Many equal requests at one moment, in one step: what makes a simulated month affordable.

use dynamometer_types::Timestamp;

use super::Refusal;
use super::table::{Arm, Ask, TableCapacity};

/// How many of a run of equal requests were served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Requests served.
    pub count: u64,
    /// Why the others were not, if there were others.
    pub refusal: Option<Refusal>,
}

impl TableCapacity {
    /// Serves as many of `count` equal requests as pass at this moment, each with its whole cost in `asks`: the same as
    /// admitting and settling them one by one.
    ///
    /// # Panics
    /// When `asks` is empty.
    pub fn admit_run(&mut self, now: Timestamp, asks: &[Ask<'_>], count: u64) -> Granted {
        assert!(!asks.is_empty(), "a request asks for something");
        let now = self.advance_to(now);
        let mut granted = Granted { count: 0, refusal: None };
        // The second round finds the refusal that ended the first, if one did.
        while granted.count < count {
            let mut arms = Vec::with_capacity(asks.len());
            for ask in asks {
                match self.check(now, ask) {
                    Ok(arm) => arms.push(arm),
                    Err(blocked) => {
                        granted.refusal = Some(self.refuse(ask, blocked, count - granted.count));
                        return granted;
                    }
                }
            }
            let served = self.passing(asks, &arms).min(count - granted.count);
            for (arm, ask) in arms.iter().zip(asks) {
                self.take_floors(now, arm, ask.place, served);
            }
            granted.count += served;
        }
        granted
    }

    /// How many requests of these parts pass.
    fn passing(&self, asks: &[Ask<'_>], arms: &[Arm]) -> u64 {
        let cost_where = |same: &dyn Fn(&Arm) -> bool| -> i64 {
            asks.iter().zip(arms).filter(|(_, arm)| same(arm)).map(|(ask, _)| ask.want().cost).sum()
        };
        let mut fewest = u64::MAX;
        for (ask, arm) in asks.iter().zip(arms) {
            let Some(resource) = &self.resources[arm.slot()] else { continue };
            let is_here = |other: &Arm| other.slot() == arm.slot() && other.dimension == arm.dimension;
            let whole = cost_where(&is_here);
            let partition = cost_where(&|other| is_here(other) && other.partition == arm.partition);
            let want = ask.want();
            fewest = fewest.min(resource.passing(&want, arm.partition, (whole, partition), &self.constants));
            if self.has_shared_quota() {
                let all = cost_where(&|other| other.dimension == arm.dimension);
                let quota = &self.shared_quota[arm.dimension];
                fewest = fewest.min(quota.passing(want.needed(&self.constants), all));
            }
        }
        fewest
    }
}
