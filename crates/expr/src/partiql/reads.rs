//! The queries that a SELECT stands for.
//!
//! A condition of which every alternative pins the partition key is answered by queries, one for each alternative;
//! any other by a scan. Alternatives come from OR and from IN, and only as far as they hold conditions on the key:
//! an OR between other attributes is part of a filter.
//!
//! # Source
//! All rules here were measured on AWS by others (2026), the limit of fifty among them.

use dynamometer_types::size::value_size;
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, limits};

use super::branch::{Branch, overlap};
use super::error::StatementError;
use super::keys::check_key_value;
use crate::condition::{Comparator, Condition, Operand};
use crate::key_condition::{KeyClause, KeyCondition, KeyTest};
use crate::key_range::KeyRange;
use crate::path::Path;

/// The most queries that one SELECT may stand for.
const MOST_READS: usize = 50;

/// One query.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The keys.
    pub range: KeyRange,
    /// Whether the whole condition has to be asked of what the keys lead to.
    pub filtered: bool,
}

/// The alternatives of a condition, and the queries that they ask for when each pins the partition key.
#[derive(Clone, Debug)]
pub struct Reads<'s> {
    partition: &'s KeyAttribute,
    sort: Option<&'s KeyAttribute>,
    schema: &'s KeySchema,
    /// As they are written.
    written: Vec<Branch>,
    /// One for each value of the partition key, in the order of their keys; none for a scan.
    branches: Vec<Branch>,
}

impl<'s> Reads<'s> {
    /// Takes a condition apart for a key of one partition key attribute and at most one sort key attribute.
    ///
    /// # Errors
    /// When there are more than fifty alternatives.
    pub fn plan(condition: Option<&Condition>, schema: &'s KeySchema) -> Result<Reads<'s>, StatementError> {
        let mut reads = Reads {
            partition: &schema.partition[0],
            sort: schema.sort.first(),
            schema,
            written: Vec::new(),
            branches: Vec::new(),
        };
        let Some(condition) = condition else { return Ok(reads) };
        match reads.branches_of(condition) {
            Ok(written) => reads.written = written,
            Err(error) if reads.pins(condition) => return Err(error),
            // A scan may have as many as it wants.
            Err(_) => return Ok(reads),
        }
        if reads.written.iter().all(|branch| branch.partition.len() == 1) {
            reads.branches = reads.written.iter().flat_map(Branch::by_partition).collect();
            check_count(reads.branches.len())?;
            reads
                .branches
                .sort_by(|one, other| one.partition_order(other).then_with(|| one.start_order(other)));
        }
        Ok(reads)
    }

    /// Whether there are queries, rather than a scan.
    pub fn are_keyed(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Whether every alternative pins the partition key.
    fn pins(&self, condition: &Condition) -> bool {
        match condition {
            Condition::And(all) => all.iter().any(|one| self.pins(one)),
            Condition::Or(any) => !any.is_empty() && any.iter().all(|one| self.pins(one)),
            _ => matches!(self.tests(condition), Some((attribute, _)) if attribute == self.partition),
        }
    }

    /// The key attribute that a condition is about, and what it may be: one of these.
    fn tests(&self, condition: &Condition) -> Option<(&'s KeyAttribute, Vec<KeyTest>)> {
        let attribute_of = |path: &Path| {
            let named = |attribute: &&KeyAttribute| !path.is_nested() && attribute.name == path.name();
            std::iter::once(self.partition).chain(self.sort).find(named)
        };
        let (attribute, tests) = match condition {
            Condition::Compare { left: Operand::Path(path), comparator, right: Operand::Value(value) } => {
                (attribute_of(path)?, vec![KeyTest::Compare(*comparator, value.clone())])
            }
            Condition::Compare { left: Operand::Value(value), comparator, right: Operand::Path(path) } => {
                (attribute_of(path)?, vec![KeyTest::Compare(comparator.mirrored(), value.clone())])
            }
            Condition::Between {
                operand: Operand::Path(path),
                low: Operand::Value(low),
                high: Operand::Value(high),
            } => (attribute_of(path)?, vec![KeyTest::Between(low.clone(), high.clone())]),
            Condition::BeginsWith(Operand::Path(path), Operand::Value(start)) => {
                (attribute_of(path)?, vec![KeyTest::BeginsWith(start.clone())])
            }
            Condition::In { operand: Operand::Path(path), list } => {
                let equal = |operand: &Operand| match operand {
                    Operand::Value(value) => Some(KeyTest::Compare(Comparator::Equal, value.clone())),
                    _ => None,
                };
                (attribute_of(path)?, list.iter().map(equal).collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        };
        let is_equality = |test: &KeyTest| matches!(test, KeyTest::Compare(Comparator::Equal, _));
        let is_negation = |test: &KeyTest| matches!(test, KeyTest::Compare(Comparator::NotEqual, _));
        let fits = match attribute == self.partition {
            true => tests.iter().all(is_equality),
            false => !tests.iter().any(is_negation),
        };
        (fits && !tests.is_empty()).then_some((attribute, tests))
    }

    /// Whether a condition holds one on the key, outside of negations.
    fn has_tests(&self, condition: &Condition) -> bool {
        match condition {
            Condition::And(list) | Condition::Or(list) => list.iter().any(|one| self.has_tests(one)),
            _ => self.tests(condition).is_some(),
        }
    }

    /// The alternatives of a condition.
    fn branches_of(&self, condition: &Condition) -> Result<Vec<Branch>, StatementError> {
        let branches = match condition {
            Condition::And(all) => {
                let mut product = vec![Branch::default()];
                for one in all {
                    let alternatives = self.branches_of(one)?;
                    check_count(product.len() * alternatives.len())?;
                    product = product
                        .iter()
                        .flat_map(|left| alternatives.iter().map(|right| left.and(right)))
                        .collect();
                }
                product
            }
            Condition::Or(any) if self.has_tests(condition) => {
                let mut sum = Vec::new();
                for one in any {
                    sum.extend(self.branches_of(one)?);
                    check_count(sum.len())?;
                }
                sum
            }
            _ => match self.tests(condition) {
                Some((attribute, tests)) if attribute == self.partition => {
                    let values = tests.iter().flat_map(KeyTest::values).cloned().collect();
                    vec![Branch { partition: vec![values], ..Branch::default() }]
                }
                Some((_, tests)) => {
                    tests.into_iter().map(|test| Branch { sort: vec![test], ..Branch::default() }).collect()
                }
                None => vec![self.filter(condition)],
            },
        };
        check_count(branches.len())?;
        Ok(branches)
    }

    fn filter(&self, condition: &Condition) -> Branch {
        let others: Vec<String> = condition.paths().into_iter().map(|path| path.name().to_owned()).collect();
        let is_negation = matches!(
            condition,
            Condition::Not(_) | Condition::Compare { comparator: Comparator::NotEqual, .. }
        );
        let negated = is_negation && self.sort.is_some_and(|sort| others.contains(&sort.name));
        Branch { others, filtered: true, negated, ..Branch::default() }
    }

    /// Checks that the values are of the types that the key has: alternative by alternative as they are written, up to one
    /// that does not want the partition key, or that wants a part of the key twice. Also of a scan.
    ///
    /// # Errors
    /// AWS's words for the first that is not.
    pub fn check_types(&self) -> Result<(), StatementError> {
        let is_plain = |branch: &&Branch| branch.partition.len() == 1 && branch.sort.len() < 2;
        for branch in self.written.iter().take_while(is_plain) {
            check_key_value(self.partition, branch.partition.iter().flatten())?;
            if let Some(sort) = self.sort {
                check_key_value(sort, branch.sort.iter().flat_map(KeyTest::values))?;
            }
        }
        Ok(())
    }

    /// Refuses alternatives that share a key.
    ///
    /// # Errors
    /// AWS's words.
    pub fn check_overlap(&self) -> Result<(), StatementError> {
        for (at, one) in self.branches.iter().enumerate() {
            let same_partition =
                self.branches[at + 1..].iter().take_while(|other| one.partition == other.partition);
            for other in same_partition {
                if let (Some(one), Some(other)) = (one.span(), other.span())
                    && overlap(&one, &other)
                {
                    return Err(StatementError::new(
                        "Overlapping conditions with range keys are not supported in where clause",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether the alternatives are of more than one partition.
    pub fn has_several_partitions(&self) -> bool {
        self.branches.windows(2).any(|pair| pair[0].partition != pair[1].partition)
    }

    /// The attributes outside a projection that keep an index from being read: those of the last alternative, when
    /// no alternative does without such attributes.
    pub fn unprojected(&self, is_projected: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut last = Vec::new();
        for branch in &self.branches {
            last = branch.others.iter().map(String::as_str).filter(|name| !is_projected(name)).collect();
            if last.is_empty() {
                break;
            }
        }
        last
    }

    /// The key of the only item that the condition can mean, when it asks for nothing else.
    pub fn only_item(&self) -> Option<Item> {
        let [branch] = self.branches.as_slice() else { return None };
        if branch.filtered {
            return None;
        }
        let mut key = Item::from_iter([(self.partition.name.as_str(), branch.pinned()?.clone())]);
        match (self.sort, branch.sort.as_slice()) {
            (None, []) => Some(key),
            (Some(sort), [KeyTest::Compare(Comparator::Equal, value)]) => {
                key.insert(sort.name.as_str(), value.clone());
                Some(key)
            }
            _ => None,
        }
    }

    /// The queries, in the order of their keys.
    ///
    /// # Errors
    /// What Query answers to a value that is empty or too long; of several partitions, those that are too long to be
    /// there are left out, and any that is of another type.
    pub fn list(&self) -> Result<Vec<Read>, StatementError> {
        let several = self.has_several_partitions();
        let mut reads = Vec::with_capacity(self.branches.len());
        for group in self.branches.chunk_by(|one, other| one.partition == other.partition) {
            let apart = group.len() == 1 || group.iter().all(|branch| branch.span().is_some());
            for branch in if apart { group } else { &group[..1] } {
                // Alternatives that may share keys are answered by one query of the whole partition.
                let sort = if apart { branch.sort.iter().find(|test| self.fits(test)) } else { None };
                let pinned = branch.pinned().filter(|value| self.partition.scalar_type.admits(value));
                let is_too_long = is_too_long(pinned.into_iter(), limits::PARTITION_KEY_BYTES)
                    || is_too_long(sort.iter().flat_map(|test| test.values()), limits::SORT_KEY_BYTES);
                if pinned.is_none() || several && is_too_long {
                    continue;
                }
                let is_whole = branch.sort.len() == usize::from(sort.is_some());
                reads.push(Read {
                    range: self.range(branch, sort)?,
                    filtered: !apart || branch.filtered || !is_whole,
                });
            }
        }
        Ok(reads)
    }

    /// Whether a condition on the sort key is about values that it can have. The types of those in a condition that is not
    /// plain are not checked; nothing has such a key.
    fn fits(&self, test: &KeyTest) -> bool {
        self.sort.is_some_and(|sort| test.values().all(|value| sort.scalar_type.admits(value)))
    }

    fn range(&self, branch: &Branch, sort: Option<&KeyTest>) -> Result<KeyRange, StatementError> {
        let clause = |attribute: &KeyAttribute, test| KeyClause { attribute: attribute.name.clone(), test };
        let pinned = branch
            .pinned()
            .map(|value| clause(self.partition, KeyTest::Compare(Comparator::Equal, value.clone())));
        let sorted = self.sort.zip(sort).map(|(attribute, test)| clause(attribute, test.clone()));
        let condition = KeyCondition::new(pinned.into_iter().chain(sorted).collect());
        condition.bind(self.schema).map_err(|error| StatementError::new(error.message))
    }
}

fn check_count(count: usize) -> Result<(), StatementError> {
    if count > MOST_READS {
        return Err(StatementError::new("Too many decomposed read operations for a given query."));
    }
    Ok(())
}

fn is_too_long<'v>(values: impl Iterator<Item = &'v AttributeValue>, most: usize) -> bool {
    values.map(value_size).any(|size| size > most as u64)
}
