//! What the workers know: what must be in the table, what may be, what must not.

use std::collections::BTreeMap;

use serde_json::Value;

use super::survey::Survey;
use super::workload::{ACCOUNTS, COUNTERS, account_key, counter_key};
use crate::run::Failure;

/// An item as DynamoDB's JSON, or its absence.
pub type State = Option<Value>;

/// A key with one writer: its acknowledged state, and the state that a write without an answer
/// would have given it.
#[derive(Debug, Clone, Default)]
pub struct Own {
    pub acknowledged: State,
    pub under_way: Option<State>,
}

/// A transaction, found by its journal item: what it added to which accounts, and its answer.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub deltas: Vec<(u64, i64)>,
    /// Committed, refused, or no answer.
    pub committed: Option<bool>,
}

/// How often a shared counter was raised: at least `low`, at most `high` times.
#[derive(Debug, Clone, Copy, Default)]
pub struct Raised {
    pub low: u64,
    pub high: u64,
}

/// What one worker knows. It is lent to the worker while it writes.
#[derive(Debug, Default)]
pub struct Part {
    pub worker: u32,
    pub own: BTreeMap<String, Own>,
    pub transactions: BTreeMap<String, Transaction>,
    pub raised: BTreeMap<u64, Raised>,
    pub acknowledged_writes: u64,
    pub unanswered_writes: u64,
}

/// What all workers know.
pub struct Model {
    parts: BTreeMap<u32, Part>,
}

impl Model {
    /// Nothing was written yet.
    pub fn new(workers: u32) -> Model {
        Model { parts: (0..workers).map(|worker| (worker, Part { worker, ..Part::default() })).collect() }
    }

    /// Lends a worker what it knows.
    pub fn take_part(&mut self, worker: u32) -> Part {
        self.parts.remove(&worker).unwrap_or(Part { worker, ..Part::default() })
    }

    /// Takes it back.
    pub fn put_back(&mut self, part: Part) {
        self.parts.insert(part.worker, part);
    }

    /// Compares the table with what is known, and takes what it holds as settled.
    ///
    /// # Errors
    /// The first difference.
    pub fn agrees_with(&mut self, survey: &Survey) -> Result<(), Failure> {
        for part in self.parts.values_mut() {
            for (key, own) in &mut part.own {
                check_own(key, own, survey.item(key))?;
            }
            for (key, transaction) in &mut part.transactions {
                check_transaction(key, transaction, survey.item(key).is_some())?;
            }
        }
        self.check_accounts(survey)?;
        self.check_counters(survey)?;
        self.check_nothing_else(survey)
    }

    /// An account's balance and version are the sum and the count of the transactions that are
    /// there: a half transaction shows here.
    fn check_accounts(&self, survey: &Survey) -> Result<(), Failure> {
        let mut expected = vec![(0_i64, 0_i64); ACCOUNTS as usize];
        for transaction in self.parts.values().flat_map(|part| part.transactions.values()) {
            if transaction.committed == Some(true) {
                for &(account, delta) in &transaction.deltas {
                    expected[account as usize].0 += delta;
                    expected[account as usize].1 += 1;
                }
            }
        }
        for (account, expected) in (0..).zip(expected) {
            let key = account_key(account);
            let found = (survey.number(&key, "balance")?, survey.number(&key, "version")?);
            if found != expected {
                return Err(Failure::new(format!(
                    "{key} has balance and version {found:?}, but the transactions that are there make {expected:?}: \
                     a transaction is half there"
                )));
            }
        }
        Ok(())
    }

    fn check_counters(&mut self, survey: &Survey) -> Result<(), Failure> {
        for counter in 0..COUNTERS {
            let key = counter_key(counter);
            let found = survey.number(&key, "version")? as u64;
            let raised = || self.parts.values().filter_map(|part| part.raised.get(&counter));
            let (low, high) = raised().fold((0, 0), |sum, raised| (sum.0 + raised.low, sum.1 + raised.high));
            if !(low..=high).contains(&found) {
                return Err(Failure::new(format!(
                    "{key} is {found}, but {low} raises were acknowledged and {} more were under way",
                    high - low
                )));
            }
            // Which of the unanswered raises happened is unknown, only how many: settle the sum on one worker.
            for part in self.parts.values_mut() {
                part.raised.remove(&counter);
            }
            if let Some(part) = self.parts.values_mut().next() {
                part.raised.insert(counter, Raised { low: found, high: found });
            }
        }
        Ok(())
    }

    /// Every item is one that somebody wrote.
    fn check_nothing_else(&self, survey: &Survey) -> Result<(), Failure> {
        let known = |key: &str| {
            key.starts_with("account#")
                || key.starts_with("counter#")
                || self
                    .parts
                    .values()
                    .any(|part| part.own.contains_key(key) || part.transactions.contains_key(key))
        };
        match survey.keys().find(|key| !known(key)) {
            Some(key) => Err(Failure::new(format!("the item {key} is there, but nobody wrote it"))),
            None => Ok(()),
        }
    }

    /// One line about what was done.
    pub fn summary(&self) -> String {
        let sum = |what: fn(&Part) -> u64| self.parts.values().map(what).sum::<u64>();
        format!(
            "{} writes acknowledged and found, {} without an answer, {} transactions",
            sum(|part| part.acknowledged_writes),
            sum(|part| part.unanswered_writes),
            sum(|part| part.transactions.values().filter(|known| known.committed == Some(true)).count()
                as u64),
        )
    }
}

fn check_own(key: &str, own: &mut Own, found: Option<&Value>) -> Result<(), Failure> {
    let same = |state: &State| state.as_ref() == found;
    if !same(&own.acknowledged) && !own.under_way.as_ref().is_some_and(same) {
        return Err(Failure::new(format!(
            "{key} is not what was acknowledged\n  found        {}\n  acknowledged {}\n  under way    {}",
            show(found),
            show(own.acknowledged.as_ref()),
            own.under_way.as_ref().map_or("nothing".to_owned(), |state| show(state.as_ref())),
        )));
    }
    *own = Own { acknowledged: found.cloned(), under_way: None };
    Ok(())
}

fn check_transaction(key: &str, transaction: &mut Transaction, found: bool) -> Result<(), Failure> {
    match transaction.committed {
        Some(true) if !found => Err(Failure::new(format!("{key}: an acknowledged transaction is gone"))),
        Some(false) if found => Err(Failure::new(format!("{key}: a refused transaction is there"))),
        _ => {
            transaction.committed = Some(found);
            Ok(())
        }
    }
}

/// An item, or its absence, short enough to read.
fn show(item: Option<&Value>) -> String {
    let text = item.map_or("no item".to_owned(), Value::to_string);
    if text.len() <= 400 {
        text
    } else {
        format!("{}… ({} bytes)", text.chars().take(400).collect::<String>(), text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(key: &str, balance: i64, version: i64) -> Value {
        json!({ "pk": { "S": key }, "balance": { "N": balance.to_string() }, "version": { "N": version.to_string() } })
    }

    /// Accounts and counters at zero, with some items replaced or added.
    fn survey(changed: &[Value]) -> Survey {
        let start = (0..ACCOUNTS).map(account_key).chain((0..COUNTERS).map(counter_key));
        Survey::of_items(start.map(|key| item(&key, 0, 0)).chain(changed.iter().cloned()).collect())
    }

    fn model(part: Part) -> Model {
        let mut model = Model::new(1);
        model.put_back(part);
        model
    }

    /// The complaint, empty when there is none.
    fn complaint(part: Part, table: &Survey) -> String {
        model(part).agrees_with(table).err().map(|failure| failure.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_lost_an_invented_and_an_unanswered_write_are_told_apart() {
        let (old, new) = (item("own#1", 1, 1), item("own#1", 2, 2));
        let knows = |acknowledged: State, under_way: Option<State>| Part {
            own: BTreeMap::from([("own#1".to_owned(), Own { acknowledged, under_way })]),
            ..Part::default()
        };
        let table = survey(std::slice::from_ref(&new));
        assert_eq!(complaint(knows(Some(new.clone()), None), &table), "");
        assert_eq!(complaint(knows(Some(old.clone()), Some(Some(new.clone()))), &table), "");
        assert!(complaint(knows(Some(old), None), &table).contains("not what was acknowledged"));
        assert!(complaint(knows(None, None), &table).contains("not what was acknowledged"));
        assert!(complaint(knows(Some(new), None), &survey(&[])).contains("not what was acknowledged"));
        assert!(complaint(Part::default(), &table).contains("nobody wrote it"));
    }

    #[test]
    fn a_half_transaction_shows_in_the_accounts() {
        let knows = |committed| Part {
            transactions: BTreeMap::from([(
                "journal#1".to_owned(),
                Transaction { deltas: vec![(0, 5), (1, -5)], committed },
            )]),
            ..Part::default()
        };
        let journal = item("journal#1", 0, 0);
        let whole = survey(&[journal.clone(), item("account#0", 5, 1), item("account#1", -5, 1)]);
        let half = survey(&[journal.clone(), item("account#0", 5, 1)]);
        let unlogged = survey(&[item("account#0", 5, 1), item("account#1", -5, 1)]);
        assert_eq!(complaint(knows(Some(true)), &whole), "");
        assert_eq!(complaint(knows(None), &whole), "");
        assert_eq!(complaint(knows(None), &survey(&[])), "");
        assert!(complaint(knows(Some(true)), &survey(&[])).contains("is gone"));
        assert!(complaint(knows(Some(false)), &whole).contains("refused transaction is there"));
        assert!(complaint(knows(None), &half).contains("half there"));
        assert!(complaint(knows(None), &unlogged).contains("half there"));
    }

    #[test]
    fn a_counter_lies_between_the_acknowledged_and_the_possible_raises() {
        let knows =
            |low, high| Part { raised: BTreeMap::from([(0, Raised { low, high })]), ..Part::default() };
        let table = survey(&[item("counter#0", 0, 3)]);
        assert_eq!(complaint(knows(3, 3), &table), "");
        assert_eq!(complaint(knows(2, 4), &table), "");
        assert!(complaint(knows(4, 5), &table).contains("counter#0 is 3, but 4 raises"));
        assert!(complaint(knows(1, 2), &table).contains("counter#0 is 3, but 1 raises"));
    }
}
