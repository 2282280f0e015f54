//! What the requests of a trace consumed, minute by minute.

use std::collections::BTreeMap;

use super::{Event, EventKind, TraceOutcome};
use crate::admission::{Dimension, PerDimension};

/// A minute in milliseconds.
const MINUTE_MS: i64 = 60_000;

/// Adds up what requests consumed that ran: those that were let in, and those that were refused and ran all the same.
#[derive(Clone, Debug, Default)]
pub struct Consumed {
    /// Half units by the minute since 1970 in which they were asked for.
    minutes: BTreeMap<i64, PerDimension<i128>>,
    /// The requests that may still be settled or released: what was counted for each of their parts.
    open: BTreeMap<(u64, u64), Counted>,
}

/// What was counted for a request.
#[derive(Clone, Debug)]
struct Counted {
    minute: i64,
    parts: Vec<(Dimension, i128)>,
}

impl Consumed {
    /// Takes the next event of the trace.
    pub fn add(&mut self, event: &Event) {
        let table = event.table;
        match &event.kind {
            EventKind::Admit { request, parts, outcome } | EventKind::Extend { request, parts, outcome } => {
                let is_admitted = *outcome == TraceOutcome::Admitted;
                let minute = event.at.millis().div_euclid(MINUTE_MS);
                let fresh = || Counted { minute, parts: Vec::new() };
                let counted = self.open.entry((table, *request)).or_insert_with(fresh);
                for part in parts {
                    let halves = if is_admitted { i128::from(part.floor.halves()) } else { 0 };
                    counted.parts.push((part.dimension, halves));
                    self.minutes.entry(counted.minute).or_default()[part.dimension] += halves;
                }
            }
            EventKind::Settle { request, exact } => {
                let Some(counted) = self.open.remove(&(table, *request)) else { return };
                for ((dimension, halves), exact) in counted.parts.iter().zip(exact) {
                    let more = i128::from(exact.units.halves()) - halves;
                    self.minutes.entry(counted.minute).or_default()[*dimension] += more;
                }
            }
            EventKind::Release { request } => {
                let Some(counted) = self.open.remove(&(table, *request)) else { return };
                for (dimension, halves) in counted.parts {
                    self.minutes.entry(counted.minute).or_default()[dimension] -= halves;
                }
            }
            _ => {}
        }
    }

    /// The half units of each minute in which something was asked, in order: the second in which the minute began, since
    /// 1970, and what it consumed. Minutes between them, of which there may be very many, consumed nothing.
    pub fn minutes(&self) -> impl Iterator<Item = (i64, PerDimension<u64>)> {
        let units = |halves: i128| u64::try_from(halves).unwrap_or(0);
        self.minutes.iter().map(move |(minute, halves)| (minute * 60, halves.map(units)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{HEADER, TraceReader};

    #[test]
    fn what_ran_is_counted_in_the_minute_in_which_it_was_asked_for() {
        let text = [
            HEADER,
            "admit 1 60000 1 ok 0:w:1:-:2",
            "admit 1 60000 2 ok 0:r:1:-:1 1:r:1:-:1",
            "admit 1 60100 3 TableReadProvisionedThroughputExceeded@- 0:r:1:-:1",
            "admit 1 60200 4 TableReadProvisionedThroughputExceeded@- 0:r:1:-:1",
            "admit 1 60300 5 ok 0:w:1:-:9",
            "settle 1 120500 2 7 1",
            "settle 1 120500 4 3",
            "release 1 120500 5",
            "admit 2 240000 1 ok 0:w:1:-:4",
            "admit 2 253402300799999 2 ok 0:w:1:-:1",
        ];
        let mut reader = TraceReader::new("t");
        let mut consumed = Consumed::default();
        for line in text {
            reader.read(line).unwrap().iter().for_each(|event| consumed.add(event));
        }
        let found: Vec<(i64, u64, u64)> =
            consumed.minutes().map(|(second, halves)| (second, halves.read, halves.write)).collect();
        assert_eq!(found, [(60, 11, 2), (240, 0, 4), (253_402_300_740, 0, 1)]);
    }
}
