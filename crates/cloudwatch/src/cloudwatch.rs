//! What one database has of CloudWatch.

use dynamometer_types::Timestamp;

use crate::alarms::{Alarm, AlarmBook, HistoryItem, MOST_HISTORY};
use crate::fault::Fault;
use crate::insights::Insights;
use crate::ops::{self, Operation};
use crate::series::MINUTE_MS;
use crate::shelf::{Shelf, Standing};
use crate::value::{Members, Value};

/// Metrics, alarms and insight rules.
#[derive(Clone, Debug, Default)]
pub struct CloudWatch {
    /// The metrics.
    pub shelf: Shelf,
    /// The alarms.
    pub alarms: AlarmBook,
    /// The insight rules.
    pub insights: Insights,
}

/// What an operation may know of its call.
#[derive(Debug)]
pub struct Call<'a> {
    /// The time.
    pub now: Timestamp,
    /// The region in ARNs.
    pub region: &'a str,
    /// The account in ARNs.
    pub account: &'a str,
    /// Alarms that another service keeps, such as those of target tracking: shown, and not to be changed here.
    pub managed: &'a [Alarm],
}

impl Call<'_> {
    /// The ARN of an alarm.
    pub fn alarm_arn(&self, name: &str) -> String {
        format!("arn:aws:cloudwatch:{}:{}:alarm:{name}", self.region, self.account)
    }

    /// Refuses to do something with alarms of which another service keeps one.
    ///
    /// # Errors
    /// `InvalidParameterValue`, which names the alarm.
    pub(crate) fn refuse_managed(&self, names: &[&str], what: &str) -> Result<(), Fault> {
        match self.managed.iter().find(|alarm| names.contains(&alarm.name.as_str())) {
            None => Ok(()),
            Some(alarm) => Err(Fault::invalid(format!(
                "The alarm {} is kept by a scaling policy: {what} that instead.",
                alarm.name
            ))),
        }
    }
}

/// What becomes of a database when minutes pass in which nothing is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// No alarm changes its state any more.
    Still,
    /// Alarms change, in each hour as in the one before: their history then holds so many hours.
    SameEachHour(i64),
    /// What was published before may change alarms: each minute has to be looked at.
    Open,
}

/// What repeats, repeats after at most an hour: metrics that stand have periods that fit in it, and so do the times
/// at which metrics are rolled up.
const CYCLE_MINUTES: u32 = 60;
const CYCLE_MS: i64 = CYCLE_MINUTES as i64 * MINUTE_MS;

impl CloudWatch {
    /// What becomes of it from the minute that begins at `begin_ms` on, if nothing is published but what stands.
    pub fn outlook(&self, standing: &[Standing], begin_ms: i64) -> Outlook {
        let Some(longest_look_ms) = self.alarms.longest_look_ms() else { return Outlook::Still };
        let since_ms = begin_ms - longest_look_ms - CYCLE_MS;
        let (undisturbed, settled) = self.alarms.evaluations();
        if undisturbed < CYCLE_MINUTES || !self.shelf.only_repeats(standing, since_ms, begin_ms) {
            return Outlook::Open;
        }
        if settled >= CYCLE_MINUTES {
            return Outlook::Still;
        }
        let last_hour = |item: &&HistoryItem| item.at.millis() > begin_ms - CYCLE_MS;
        let changes = self.alarms.history().rev().take_while(last_hour).count().max(1);
        Outlook::SameEachHour(MOST_HISTORY.div_ceil(changes) as i64)
    }

    /// Whether nothing is kept, but for rules that tables declare.
    pub fn is_empty(&self) -> bool {
        self.shelf.is_empty() && self.alarms.is_empty() && self.insights.is_empty()
    }

    /// Answers a call of an operation.
    ///
    /// # Errors
    /// As AWS's, or close to them where its words are not known.
    pub fn answer(
        &mut self,
        operation: &Operation,
        call: &Call<'_>,
        request: &Value,
    ) -> Result<Value, Fault> {
        match operation.handler {
            Some(handler) => handler(self, call, &Members::of(request)?),
            None => Err(ops::not_available(operation.name)),
        }
    }

    /// Closes a minute that ends at `end`, after its data was published: alarms look at it.
    pub fn close_minute(&mut self, end: Timestamp) {
        self.alarms.evaluate(&self.shelf, end);
        self.shelf.minute_is_over(end);
    }
}
