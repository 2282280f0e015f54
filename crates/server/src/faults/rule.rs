//! One rule: which requests are struck, with what, and how often.

use dynamometer_capacity::admission::Cause;
use dynamometer_types::{name::TableReference, parse_duration_range_ms};
use serde::{Deserialize, Serialize};

use super::request::{DATA_PLANE, Told, is_transaction};
use crate::service::registry::Operation;

/// The longest delay.
const MOST_DELAY_MS: i64 = 60_000;
/// How many operations or tables a rule may name.
const MOST_NAMES: usize = 100;

/// What a rule does to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Another transaction has the item: `TransactionConflictException`, or the reason `TransactionConflict`.
    Conflict,
    /// The token is at work: `TransactionInProgressException`.
    InProgress,
    /// Throughput is exceeded, in the exception and with the reason of the table's mode.
    Throttle,
    /// `InternalServerError`, status 500.
    InternalError,
    /// `ServiceUnavailableException`, status 503.
    Unavailable,
    /// It takes longer.
    Delay,
    /// The connection closes without an answer.
    Drop,
}

/// A rule as it is asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a fault, which is a JSON object")]
pub struct Asked {
    fault: Kind,
    operations: Option<Vec<String>>,
    tables: Option<Vec<String>>,
    share: Option<f64>,
    count: Option<u64>,
    delay: Option<String>,
    #[serde(default)]
    after: bool,
    reason: Option<String>,
    seed: Option<u64>,
}

/// A rule as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Its number.
    pub id: u64,
    /// What it does.
    pub fault: Kind,
    /// The operations that it strikes.
    pub operations: Vec<String>,
    /// The tables; all when absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// How likely it strikes, from 0 to 1.
    pub share: f64,
    /// How often it still strikes; without end when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How long a request waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Whether the request runs before its answer is lost.
    pub after: bool,
    /// The cause of a throttle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Requests that it could have struck; of batches that it throttles, their elements.
    pub seen: u64,
    /// Those of them that it struck.
    pub struck: u64,
}

/// A rule at work.
#[derive(Clone)]
pub(super) struct Rule {
    shown: Shown,
    delay_ms: (i64, i64),
    cause: Option<Cause>,
    /// The state of a SplitMix64.
    drawn: u64,
}

impl Rule {
    pub(super) fn new(id: u64, seed: u64, asked: Asked) -> Result<Rule, String> {
        let operations = match asked.operations {
            None => {
                DATA_PLANE.iter().filter(|name| can_strike(asked.fault, name)).map(|n| (*n).into()).collect()
            }
            Some(names) => check_operations(asked.fault, names)?,
        };
        let is_list = |tables: &Vec<String>| {
            (1..=MOST_NAMES).contains(&tables.len()) && tables.iter().all(|one| !one.is_empty())
        };
        if !asked.tables.as_ref().is_none_or(is_list) {
            return Err(format!(
                "`tables` is a list of 1 to {MOST_NAMES} names of tables, or absent for all"
            ));
        }
        let tables = asked.tables.unwrap_or_default();
        let share = asked.share.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("`share` is a number from 0 to 1, not {share}"));
        }
        if asked.count == Some(0) {
            return Err("`count` is how often the fault strikes, at least 1; leave it out for no end".into());
        }
        let delay_ms = match &asked.delay {
            None if asked.fault == Kind::Delay => {
                return Err("the fault `delay` needs `delay`: a duration or a range, such as 200ms or 50ms..2s".into());
            }
            None => (0, 0),
            Some(text) => parse_duration_range_ms(text)
                .ok()
                .filter(|(_, to)| *to <= MOST_DELAY_MS)
                .ok_or_else(|| format!("`delay` is a duration of at most 60s or a range, such as 200ms or 50ms..2s, not `{text}`"))?,
        };
        if asked.after && !matches!(asked.fault, Kind::InternalError | Kind::Unavailable | Kind::Drop) {
            return Err(
                "`after` is for internal-error, unavailable and drop: AWS runs no request that it refuses"
                    .into(),
            );
        }
        let cause = match &asked.reason {
            None => None,
            Some(_) if asked.fault != Kind::Throttle => {
                return Err("`reason` is for the fault `throttle`".into());
            }
            Some(reason) => {
                Some(Cause::ALL.into_iter().find(|cause| cause.word() == reason).ok_or_else(|| {
                    let words: Vec<&str> = Cause::ALL.into_iter().map(Cause::word).collect();
                    format!("`reason` is one of {}, not `{reason}`", words.join(", "))
                })?)
            }
        };
        Ok(Rule {
            delay_ms,
            cause,
            drawn: asked.seed.unwrap_or(seed ^ id.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            shown: Shown {
                id,
                fault: asked.fault,
                operations,
                tables: tables.iter().map(|name| TableReference::read(name).name().to_owned()).collect(),
                share,
                count: asked.count,
                delay: asked.delay,
                after: asked.after,
                reason: asked.reason,
                seen: 0,
                struck: 0,
            },
        })
    }

    pub(super) fn id(&self) -> u64 {
        self.shown.id
    }

    pub(super) fn kind(&self) -> Kind {
        self.shown.fault
    }

    pub(super) fn is_after(&self) -> bool {
        self.shown.after
    }

    pub(super) fn show(&self) -> Shown {
        self.shown.clone()
    }

    pub(super) fn names_operation(&self, operation: &str) -> bool {
        self.shown.operations.iter().any(|name| name == operation)
    }

    /// Whether a table is among those of the rule.
    pub(super) fn names(&self, table: &str) -> bool {
        self.shown.tables.is_empty() || self.shown.tables.iter().any(|name| name == table)
    }

    /// Whether any table of a request is.
    pub(super) fn names_table(&self, told: &Told) -> bool {
        self.shown.tables.is_empty() || told.tables.iter().any(|table| self.names(table))
    }

    /// Draws whether the rule strikes a request that it could strike, and counts both.
    pub(super) fn draws(&mut self) -> bool {
        self.shown.seen += 1;
        if self.shown.count == Some(0) {
            return false;
        }
        // 53 bits are what a double holds exactly.
        let drawn = (self.draw() >> 11) as f64 / (1u64 << 53) as f64;
        if drawn >= self.shown.share {
            return false;
        }
        self.shown.count = self.shown.count.map(|left| left - 1);
        self.shown.struck += 1;
        true
    }

    pub(super) fn draw_delay_ms(&mut self) -> u64 {
        let (from, to) = self.delay_ms;
        if from == to {
            return from.unsigned_abs();
        }
        from.unsigned_abs() + self.draw() % (to.abs_diff(from) + 1)
    }

    /// What is exceeded; without it what is usual in the table's mode.
    pub(super) fn cause(&self) -> Option<Cause> {
        self.cause
    }

    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.drawn ^ (self.drawn >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Whether AWS answers an operation with this.
fn can_strike(kind: Kind, operation: &str) -> bool {
    match kind {
        Kind::Conflict => {
            is_transaction(operation)
                || matches!(operation, "DeleteItem" | "ExecuteStatement" | "PutItem" | "UpdateItem")
        }
        Kind::InProgress => matches!(operation, "ExecuteTransaction" | "TransactWriteItems"),
        Kind::Throttle => DATA_PLANE.contains(&operation),
        Kind::InternalError | Kind::Unavailable | Kind::Delay | Kind::Drop => true,
    }
}

fn check_operations(kind: Kind, names: Vec<String>) -> Result<Vec<String>, String> {
    if names.is_empty() || names.len() > MOST_NAMES {
        return Err(
            "`operations` is a list of AWS's names, such as [\"PutItem\"], or absent for the data plane"
                .into(),
        );
    }
    for name in &names {
        if !Operation::is_known(name) {
            return Err(format!("`{name}` is no operation: write AWS's names, such as PutItem"));
        }
        if !can_strike(kind, name) {
            let could: Vec<&&str> = DATA_PLANE.iter().filter(|name| can_strike(kind, name)).collect();
            let could: Vec<&str> = could.into_iter().copied().collect();
            return Err(format!("AWS answers no {name} so; this fault is for {}", could.join(", ")));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(json: &str) -> Result<Rule, String> {
        Rule::new(1, 7, serde_json::from_str(json).map_err(|e| e.to_string())?)
    }

    #[test]
    fn wrong_rules_are_told_what_was_expected() {
        #[rustfmt::skip]
        let cases = [
            (r#"{"fault":"throtle"}"#, "expected one of `conflict`, `in-progress`, `throttle`"),
            (r#"{"fault":"drop","shares":1}"#, "unknown field `shares`"),
            (r#"{}"#, "missing field `fault`"),
            (r#"{"fault":"drop","share":1.5}"#, "from 0 to 1, not 1.5"),
            (r#"{"fault":"drop","count":0}"#, "at least 1"),
            (r#"{"fault":"drop","operations":["PutItems"]}"#, "`PutItems` is no operation"),
            (r#"{"fault":"drop","operations":[]}"#, "absent for the data plane"),
            (r#"{"fault":"drop","tables":[""]}"#, "names of tables"),
            (r#"{"fault":"drop","tables":[]}"#, "absent for all"),
            (r#"{"fault":"conflict","operations":["GetItem"]}"#, "this fault is for DeleteItem, ExecuteStatement"),
            (r#"{"fault":"delay"}"#, "needs `delay`"),
            (r#"{"fault":"delay","delay":"61s"}"#, "at most 60s"),
            (r#"{"fault":"delay","delay":"fast"}"#, "not `fast`"),
            (r#"{"fault":"throttle","after":true}"#, "AWS runs no request that it refuses"),
            (r#"{"fault":"drop","reason":"x"}"#, "is for the fault `throttle`"),
            (r#"{"fault":"throttle","reason":"x"}"#, "one of ProvisionedThroughputExceeded, KeyRange"),
        ];
        for (json, expected) in cases {
            let sentence = rule(json).err().unwrap_or_else(|| panic!("{json}"));
            assert!(sentence.contains(expected), "{json}: {sentence}");
        }
    }

    #[test]
    fn the_control_plane_is_struck_only_by_name() {
        let all = rule(r#"{"fault":"internal-error"}"#).unwrap();
        assert!(all.names_operation("PutItem") && !all.names_operation("CreateTable"));
        let named = rule(r#"{"fault":"internal-error","operations":["CreateTable"]}"#).unwrap();
        assert!(!named.names_operation("PutItem") && named.names_operation("CreateTable"));
    }

    #[test]
    fn shares_and_counts_are_kept_and_drawn_from_the_seed() {
        let struck = |json: &str| -> Vec<usize> {
            let mut rule = rule(json).unwrap();
            (0..1_000).filter(|_| rule.draws()).collect()
        };
        let third = struck(r#"{"fault":"drop","share":0.3,"seed":1}"#);
        assert!((250..350).contains(&third.len()), "{}", third.len());
        assert_eq!(third, struck(r#"{"fault":"drop","share":0.3,"seed":1}"#));
        assert_ne!(third, struck(r#"{"fault":"drop","share":0.3,"seed":2}"#));
        assert_eq!(struck(r#"{"fault":"drop","count":3}"#), [0, 1, 2]);
        assert_eq!(struck(r#"{"fault":"drop","share":0.3,"count":3,"seed":1}"#), third[..3]);
        assert_eq!(struck(r#"{"fault":"drop","share":0}"#), [0usize; 0]);
    }

    #[test]
    fn delays_stay_in_their_range() {
        let mut rule = rule(r#"{"fault":"delay","delay":"50ms..60ms"}"#).unwrap();
        let delays: Vec<u64> = (0..200).map(|_| rule.draw_delay_ms()).collect();
        assert!(delays.iter().all(|delay| (50..=60).contains(delay)));
        assert!(delays.contains(&50) && delays.contains(&60));
    }
}
