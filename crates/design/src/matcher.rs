//! Which access pattern a request is: the design held against what an application really asks.
//!
//! A request is known by its operation, its table or index, its keys and whether it filters. Entities are known by the
//! templates of their keys. The first pattern of the file that fits is the one; a pattern that says more (a sort key, a
//! filter) goes before one that says less.

use std::collections::HashMap;

use crate::model::{Action, Design, MemberKind, ReadKind, Sort, Target, WriteKind};
use crate::template::Template;

/// A request, or one action of a batch or a transaction.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// AWS's name of the operation: `Query`, `PutItem`, `TransactWriteItems`.
    pub operation: &'a str,
    /// Of an action inside of a transaction or a batch, what it does: `Put`, `Update`, `Delete`, `ConditionCheck`.
    pub action: Option<&'a str>,
    /// The table.
    pub table: &'a str,
    /// The index, if one is asked.
    pub index: Option<&'a str>,
    /// The value of the partition key of what is asked, where it is a string.
    pub partition: Option<&'a str>,
    /// The value of the sort key, or what it must begin with.
    pub sort: Option<&'a str>,
    /// Whether there is a filter.
    pub filters: bool,
}

/// Finds patterns. It owns what it needs of the design, so that a server can keep it.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    tables: HashMap<String, Candidates>,
}

/// The patterns of a table, each list in the order in which it is tried.
#[derive(Clone, Debug, Default)]
struct Candidates {
    of_table: Vec<Candidate>,
    of_indexes: HashMap<String, Vec<Candidate>>,
}

#[derive(Clone, Debug)]
struct Candidate {
    pattern: usize,
    operation: &'static str,
    action: Option<&'static str>,
    partition: Option<Template>,
    sort: Option<Template>,
    /// Whether a sort key only has to begin so: of queries.
    begins: bool,
    filters: bool,
}

impl Candidate {
    /// How much it says: more goes first.
    fn says(&self) -> usize {
        usize::from(self.partition.is_some()) + usize::from(self.sort.is_some()) + usize::from(self.filters)
    }

    fn fits(&self, request: &Request<'_>) -> bool {
        let partition = |wanted: &Template| request.partition.is_some_and(|has| wanted.matches(has));
        let sort = |wanted: &Template| {
            request.sort.is_some_and(|has| {
                wanted.matches(has) || self.begins && (wanted.can_begin_with(has) || wanted.begins(has))
            })
        };
        self.operation == request.operation
            && (self.action.is_none() || self.action == request.action)
            && (!self.filters || request.filters)
            && self.partition.as_ref().is_none_or(partition)
            && self.sort.as_ref().is_none_or(sort)
    }
}

impl Matcher {
    /// Makes a matcher of a design.
    pub fn new(design: &Design) -> Matcher {
        let mut matcher = Matcher::default();
        for (pattern, of) in design.patterns.iter().enumerate() {
            match &of.action {
                Action::Read(read) if read.entities.is_empty() => {
                    let sort = match read.sort.as_ref().map(|sort| &sort.value) {
                        Some(Sort::Begins(template)) => Some(template.clone()),
                        Some(Sort::Between(from, to)) => from.clone().or_else(|| to.clone()),
                        None => None,
                    };
                    matcher.add(
                        design,
                        read.target,
                        Candidate {
                            pattern,
                            operation: read.kind.operation(),
                            action: None,
                            partition: read.key.first().map(|key| key.template.value.clone()),
                            sort,
                            begins: read.kind == ReadKind::Query,
                            filters: read.filter.is_some(),
                        },
                    );
                }
                Action::Read(read) => {
                    for entity in &read.entities {
                        matcher.add_entity(design, pattern, read.kind.operation(), None, entity.value);
                    }
                }
                Action::Write(write) => {
                    for member in &write.members {
                        let (operation, action) = match write.kind {
                            WriteKind::Single => (member.kind.operation(), None),
                            WriteKind::Batch(_) => ("BatchWriteItem", Some(action_name(member.kind))),
                            WriteKind::Transaction => ("TransactWriteItems", Some(action_name(member.kind))),
                        };
                        matcher.add_entity(design, pattern, operation, action, member.entity.value);
                    }
                }
            }
        }
        for table in matcher.tables.values_mut() {
            for list in std::iter::once(&mut table.of_table).chain(table.of_indexes.values_mut()) {
                list.sort_by_key(|candidate| (std::cmp::Reverse(candidate.says()), candidate.pattern));
            }
        }
        matcher
    }

    /// A candidate that is known by an entity's own key.
    fn add_entity(
        &mut self,
        design: &Design,
        pattern: usize,
        operation: &'static str,
        action: Option<&'static str>,
        entity: usize,
    ) {
        let entity = &design.entities[entity];
        let target = Target::table(entity.table);
        let keys = design.keys(target);
        let template = |key: Option<&crate::model::KeyValue>| key.map(|key| key.template.value.clone());
        self.add(
            design,
            target,
            Candidate {
                pattern,
                operation,
                action,
                partition: template(entity.partition(keys)),
                sort: template(entity.sort(keys)),
                begins: false,
                filters: false,
            },
        );
    }

    fn add(&mut self, design: &Design, target: Target, candidate: Candidate) {
        let table = design.tables[target.table].name.value.clone();
        let index = design.index(target).map(|index| index.name.value.clone());
        let table = self.tables.entry(table).or_default();
        match index {
            None => table.of_table.push(candidate),
            Some(index) => table.of_indexes.entry(index).or_default().push(candidate),
        }
    }

    /// The pattern that a request is, by its position in the design.
    pub fn find(&self, request: &Request<'_>) -> Option<usize> {
        let table = self.tables.get(request.table)?;
        let candidates = match request.index {
            None => &table.of_table,
            Some(index) => table.of_indexes.get(index)?,
        };
        candidates.iter().find(|candidate| candidate.fits(request)).map(|candidate| candidate.pattern)
    }
}

fn action_name(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Put => "Put",
        MemberKind::Update => "Update",
        MemberKind::Delete => "Delete",
        MemberKind::Check => "ConditionCheck",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn requests_find_their_pattern() {
        let text = include_str!("starters/single-table.yaml");
        let design = crate::read(&Source::new("single-table.yaml", text)).unwrap();
        let matcher = Matcher::new(&design);
        let name =
            |request: &Request<'_>| matcher.find(request).map(|at| design.patterns[at].name.value.as_str());
        let request = Request {
            operation: "GetItem",
            action: None,
            table: "App",
            index: None,
            partition: Some("USER#7"),
            sort: Some("PROFILE"),
            filters: false,
        };
        assert_eq!(name(&request), Some("show a profile"));
        let query = Request { operation: "Query", sort: Some("ORDER#"), ..request };
        assert_eq!(name(&query), Some("orders of a user, newest first"));
        let narrower = Request { sort: Some("ORDER#2026-06"), ..query };
        assert_eq!(name(&narrower), name(&query), "a part of what a pattern reads");
        let of_index = Request {
            operation: "Query",
            index: Some("GSI1"),
            partition: Some("OPEN#7"),
            sort: None,
            ..request
        };
        assert_eq!(name(&of_index), Some("open orders of a user"));
        assert_eq!(name(&Request { operation: "PutItem", ..request }), Some("sign up"));
        for foreign in [
            Request { operation: "Scan", partition: None, sort: None, ..request },
            Request { table: "Other", ..request },
            Request { partition: Some("ORDER#1"), ..request },
        ] {
            assert_eq!(name(&foreign), None, "{foreign:?}");
        }
    }
}
