//! A table as a sorted map: what every operation means, said as simply as can be.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use dynamometer_types::{AttributeValue, Item};

use crate::common::agree::IndexShape;
use crate::common::{n, s};

/// A key value that sorts as DynamoDB sorts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorted(pub AttributeValue);

impl Ord for Sorted {
    fn cmp(&self, other: &Sorted) -> Ordering {
        match (&self.0, &other.0) {
            (AttributeValue::S(one), AttributeValue::S(two)) => one.as_bytes().cmp(two.as_bytes()),
            (AttributeValue::N(one), AttributeValue::N(two)) => one.cmp(two),
            (AttributeValue::B(one), AttributeValue::B(two)) => one.cmp(two),
            _ => panic!("keys of different types"),
        }
    }
}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Sorted) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A primary key.
pub type Key = (Sorted, Sorted);

/// The key as an item.
pub fn key_item(key: &Key) -> Item {
    [("pk", key.0.0.clone()), ("sk", key.1.0.clone())].into_iter().collect()
}

/// The key of an item.
pub fn key_of_item(item: &Item) -> Key {
    let value = |name: &str| Sorted(item.get(name).unwrap().clone());
    (value("pk"), value("sk"))
}

/// A condition, with its text.
#[derive(Clone, Debug, Hash)]
pub enum Condition {
    Exists,
    NotExists,
    VersionBelow(i64),
    HasAButNotB(i64),
}

impl Condition {
    pub fn text(&self) -> &'static str {
        match self {
            Condition::Exists => "attribute_exists(pk)",
            Condition::NotExists => "attribute_not_exists(pk)",
            Condition::VersionBelow(_) => "v < :limit",
            Condition::HasAButNotB(_) => "attribute_exists(a) AND NOT b = :b_was",
        }
    }

    pub fn values(&self) -> Vec<(String, AttributeValue)> {
        match self {
            Condition::Exists | Condition::NotExists => vec![],
            Condition::VersionBelow(limit) => vec![(":limit".into(), n(*limit))],
            Condition::HasAButNotB(b) => vec![(":b_was".into(), n(*b))],
        }
    }

    fn holds(&self, item: Option<&Item>) -> bool {
        let get = |name: &str| item.and_then(|item| item.get(name));
        match self {
            Condition::Exists => item.is_some(),
            Condition::NotExists => item.is_none(),
            Condition::VersionBelow(limit) => match get("v") {
                Some(AttributeValue::N(v)) => *v < (*limit).into(),
                _ => false,
            },
            Condition::HasAButNotB(b) => get("a").is_some() && get("b") != Some(&n(*b)),
        }
    }
}

/// An update, with its text.
#[derive(Clone, Debug, Hash)]
pub enum Update {
    Set(Vec<(&'static str, AttributeValue)>),
    Remove(Vec<&'static str>),
    AddNumber(i64),
    AddToSet(&'static str),
}

impl Update {
    pub fn text(&self) -> String {
        match self {
            Update::Set(pairs) => {
                let sets: Vec<String> = pairs.iter().map(|(name, _)| format!("{name} = :{name}")).collect();
                format!("SET {}", sets.join(", "))
            }
            Update::Remove(names) => format!("REMOVE {}", names.join(", ")),
            Update::AddNumber(_) => "ADD n :n".into(),
            Update::AddToSet(_) => "ADD ss :ss".into(),
        }
    }

    pub fn values(&self) -> Vec<(String, AttributeValue)> {
        match self {
            Update::Set(pairs) => {
                pairs.iter().map(|(name, value)| (format!(":{name}"), value.clone())).collect()
            }
            Update::Remove(_) => vec![],
            Update::AddNumber(by) => vec![(":n".into(), n(*by))],
            Update::AddToSet(member) => vec![(":ss".into(), AttributeValue::Ss(vec![(*member).into()]))],
        }
    }

    fn apply(&self, item: &mut Item) {
        match self {
            Update::Set(pairs) => {
                pairs.iter().for_each(|(name, value)| drop(item.insert(*name, value.clone())))
            }
            Update::Remove(names) => names.iter().for_each(|name| drop(item.remove(name))),
            Update::AddNumber(by) => {
                let sum = item.get("n").map_or(0, |_| crate::common::number(item, "n")) + by;
                item.insert("n", n(sum));
            }
            Update::AddToSet(member) => {
                let mut members = match item.get("ss") {
                    Some(AttributeValue::Ss(members)) => members.clone(),
                    _ => vec![],
                };
                members.push((*member).into());
                members.sort();
                members.dedup();
                item.insert("ss", AttributeValue::Ss(members));
            }
        }
    }
}

/// What becomes of an item.
#[derive(Clone, Debug, Hash)]
pub enum Change {
    Put(Item),
    Update(Update),
    Delete,
    Check,
}

/// One write.
#[derive(Clone, Debug)]
pub struct Write {
    pub key: Key,
    pub change: Change,
    pub condition: Option<Condition>,
}

/// Why a write does not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    ConditionFailed,
    Invalid,
}

/// How a transaction ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transacted {
    Done,
    Cancelled(Vec<Option<Refusal>>),
    Mismatch,
}

/// What is known of a token: when it is forgotten, and what it was used for.
type Remembered = (i64, String);

/// What became of each item: before and after each change.
pub type Changes = BTreeMap<Key, Vec<(Option<Item>, Option<Item>)>>;

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Naive {
    pub items: BTreeMap<Key, Item>,
    pub changes: Changes,
    tokens: HashMap<String, Remembered>,
}

impl Naive {
    /// Makes the write, or says why not. Answers the item before and after.
    pub fn write(
        &mut self,
        write: &Write,
        declared: &[IndexShape],
    ) -> Result<(Option<Item>, Option<Item>), Refusal> {
        let after = self.after(write, declared)?;
        let before = self.items.get(&write.key).cloned();
        if !matches!(write.change, Change::Check) {
            match &after {
                Some(item) => drop(self.items.insert(write.key.clone(), item.clone())),
                None => drop(self.items.remove(&write.key)),
            }
            if before != after {
                let change = (before.clone(), after.clone());
                self.changes.entry(write.key.clone()).or_default().push(change);
            }
        }
        Ok((before, after))
    }

    fn after(&self, write: &Write, declared: &[IndexShape]) -> Result<Option<Item>, Refusal> {
        let before = self.items.get(&write.key);
        if let Change::Put(item) = &write.change
            && !is_sound(None, item, declared)
        {
            return Err(Refusal::Invalid);
        }
        if write.condition.as_ref().is_some_and(|condition| !condition.holds(before)) {
            return Err(Refusal::ConditionFailed);
        }
        match &write.change {
            Change::Put(item) => Ok(Some(item.clone())),
            Change::Delete => Ok(None),
            Change::Check => Ok(before.cloned()),
            // There is nothing to take away from.
            Change::Update(Update::Remove(_)) if before.is_none() => Ok(None),
            Change::Update(update) => {
                let mut after = before.cloned().unwrap_or_else(|| key_item(&write.key));
                update.apply(&mut after);
                if is_sound(before, &after, declared) { Ok(Some(after)) } else { Err(Refusal::Invalid) }
            }
        }
    }

    /// Makes all writes or none. A token is good for ten minutes.
    pub fn transact(
        &mut self,
        writes: &[Write],
        token: Option<&str>,
        now_ms: i64,
        declared: &[IndexShape],
    ) -> Transacted {
        // A put that no index takes is told alone, before tokens are looked at.
        let unsound = writes
            .iter()
            .position(|write| matches!(&write.change, Change::Put(item) if !is_sound(None, item, declared)));
        if let Some(at) = unsound {
            let mut reasons = vec![None; writes.len()];
            reasons[at] = Some(Refusal::Invalid);
            return Transacted::Cancelled(reasons);
        }
        let content = format!("{writes:?}");
        if let Some((until, known)) = token.and_then(|token| self.tokens.get(token))
            && *until > now_ms
        {
            return if *known == content { Transacted::Done } else { Transacted::Mismatch };
        }
        let reasons: Vec<_> = writes.iter().map(|write| self.after(write, declared).err()).collect();
        if reasons.iter().any(Option::is_some) {
            return Transacted::Cancelled(reasons);
        }
        for write in writes {
            self.write(write, declared).unwrap();
        }
        if let Some(token) = token {
            self.tokens.insert(token.to_owned(), (now_ms + 600_000, content));
        }
        Transacted::Done
    }

    /// What a Query reads before its filter, in order: `partition` are the values of the partition key, `sort` says of
    /// the sort key values whether they are asked for.
    pub fn query(
        &self,
        index: Option<&IndexShape>,
        partition: &[AttributeValue],
        sort: impl Fn(&[Sorted]) -> bool,
    ) -> Vec<Item> {
        let names: Vec<&str> = match index {
            None => vec!["pk", "sk"],
            Some(index) => index.key.iter().map(|(name, _)| name.as_str()).collect(),
        };
        let mut found = Vec::new();
        for (key, item) in &self.items {
            let held = match index {
                None => Some(item.clone()),
                Some(index) => index.entry(item),
            };
            let Some(held) = held else { continue };
            let values: Vec<Sorted> =
                names.iter().map(|name| Sorted(held.get(name).unwrap().clone())).collect();
            let (of_partition, of_sort) = values.split_at(partition.len());
            if of_partition.iter().map(|value| &value.0).eq(partition) && sort(of_sort) {
                found.push(((of_sort.to_vec(), key.clone()), held));
            }
        }
        found.sort_by(|one, two| one.0.cmp(&two.0));
        found.into_iter().map(|(_, item)| item).collect()
    }
}

/// Whether indexes take an item: their key attributes, where it has them (and where the write changes them), are of
/// the right type, not empty, and not too long.
fn is_sound(before: Option<&Item>, after: &Item, declared: &[IndexShape]) -> bool {
    declared.iter().all(|index| {
        let changed = |name: &str| before.and_then(|before| before.get(name)) != after.get(name);
        // The index as one of an item that has nothing but what changed, and whatever the others need.
        let mut probe = Item::new();
        for (name, kind) in &index.key {
            let filler = match kind.name() {
                "N" => n(0),
                "B" => AttributeValue::B(vec![0]),
                _ => s("-"),
            };
            let value = after.get(name).filter(|_| changed(name)).cloned().unwrap_or(filler);
            probe.insert(name.as_str(), value);
        }
        index.entry(&probe).is_some()
    })
}
