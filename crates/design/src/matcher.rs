//! Which access pattern a request is: the design held against what an application really asks.
//!
//! A request is known by its operation, its table or index, its keys and whether it filters. Entities are known by the
//! templates of their keys. The first pattern of the file that fits is the one; a pattern that says more (a sort key, a
//! filter) goes before one that says less. Tables may have a prefix that the design does not say: `my-app-Orders` is `Orders`.

use std::collections::HashMap;

use dynamometer_types::KeyAttribute;

use crate::model::{Action, Design, KeyValue, MemberKind, ReadKind, Sort, Target, WriteKind};
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
    /// The values of the partition key's attributes; none of a scan.
    pub partition: &'a [String],
    /// The values of the sort key's attributes, as far as they are asked for; the last is what its attribute must begin with, or
    /// an end of a range.
    pub sort: &'a [String],
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
    partition: Vec<Template>,
    sort: Vec<Template>,
    /// Whether the last sort key attribute only has to begin so: of queries.
    begins: bool,
    filters: bool,
}

impl Candidate {
    /// How much it says: more goes first.
    fn says(&self) -> usize {
        usize::from(!self.partition.is_empty()) + self.sort.len() + usize::from(self.filters)
    }

    fn fits(&self, request: &Request<'_>) -> bool {
        let last = self.sort.len().saturating_sub(1);
        let is_met = |at: usize, wanted: &Template, has: &str| {
            wanted.matches(has)
                || self.begins && at == last && (wanted.can_begin_with(has) || wanted.begins(has))
        };
        let sort = |(at, wanted): (usize, &Template)| {
            request.sort.get(at).is_some_and(|has| is_met(at, wanted, has))
        };
        let partition = |(at, wanted): (usize, &Template)| {
            request.partition.get(at).is_some_and(|has| wanted.matches(has))
        };
        self.operation == request.operation
            && (self.action.is_none() || self.action == request.action)
            && (!self.filters || request.filters)
            && self.partition.iter().enumerate().all(partition)
            && self.sort.iter().enumerate().all(sort)
    }
}

impl Matcher {
    /// Makes a matcher of a design.
    pub fn new(design: &Design) -> Matcher {
        let mut matcher = Matcher::default();
        for (pattern, of) in design.patterns.iter().enumerate() {
            match &of.action {
                Action::Read(read) if read.entities.is_empty() => {
                    let template = |key: &KeyValue| key.template.value.clone();
                    let last = match read.sort.as_ref().map(|sort| &sort.value) {
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
                            partition: read.key.iter().map(template).collect(),
                            sort: read.sort_equals.iter().map(template).chain(last).collect(),
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
        let templates = |attributes: &[KeyAttribute]| {
            let templates = attributes.iter().filter_map(|attribute| entity.template(&attribute.name));
            templates.map(|template| template.value).collect()
        };
        self.add(
            design,
            target,
            Candidate {
                pattern,
                operation,
                action,
                partition: templates(&keys.partition),
                sort: templates(&keys.sort),
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
        let table = self.tables.get(request.table).or_else(|| self.prefixed(request.table))?;
        let candidates = match request.index {
            None => &table.of_table,
            Some(index) => table.of_indexes.get(index)?,
        };
        candidates.iter().find(|candidate| candidate.fits(request)).map(|candidate| candidate.pattern)
    }

    /// The table whose name stands behind a prefix: `Orders` of `my-app-Orders`, the longest that there is.
    fn prefixed(&self, live: &str) -> Option<&Candidates> {
        live.match_indices('-').find_map(|(at, hyphen)| self.tables.get(&live[at + hyphen.len()..]))
    }
}

/// Whether a live table can be this table of a design: it is called so, or so behind a prefix, as generated templates call it.
pub fn is_called(live: &str, table: &str) -> bool {
    live.strip_suffix(table).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('-'))
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

    /// What the pattern of a request is called.
    fn found(
        file: &str,
        operation: &str,
        (table, index): (&str, Option<&str>),
        partition: &[&str],
        sort: &[&str],
    ) -> Option<String> {
        let design = crate::read(&Source::new("design.yaml", file)).unwrap();
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (partition, sort) = (texts(partition), texts(sort));
        let request = Request {
            operation,
            action: None,
            table,
            index,
            partition: &partition,
            sort: &sort,
            filters: false,
        };
        let pattern = Matcher::new(&design).find(&request)?;
        Some(design.patterns[pattern].name.value.clone())
    }

    #[test]
    fn requests_find_their_pattern() {
        let file = include_str!("starters/single-table.yaml");
        let app = ("App", None);
        for (operation, target, partition, sort, pattern) in [
            ("GetItem", app, "USER#7", "PROFILE", "show a profile"),
            ("Query", app, "USER#7", "ORDER#", "orders of a user, newest first"),
            ("Query", app, "USER#7", "ORDER#2026-06", "orders of a user, newest first"),
            ("PutItem", app, "USER#7", "PROFILE", "sign up"),
            ("PutItem", ("my-app-App", None), "USER#7", "PROFILE", "sign up"),
        ] {
            assert_eq!(found(file, operation, target, &[partition], &[sort]).as_deref(), Some(pattern));
        }
        let of_index = found(file, "Query", ("App", Some("GSI1")), &["OPEN#7"], &[]);
        assert_eq!(of_index.as_deref(), Some("open orders of a user"));
        for (operation, table, partition, sort) in [
            ("Scan", "App", [].as_slice(), [].as_slice()),
            ("GetItem", "Other", &["USER#7"], &["PROFILE"]),
            ("GetItem", "OtherApp", &["USER#7"], &["PROFILE"]),
            ("GetItem", "App", &["ORDER#1"], &["PROFILE"]),
        ] {
            assert_eq!(found(file, operation, (table, None), partition, sort), None, "{operation} {table}");
        }
    }

    #[test]
    fn keys_of_several_attributes_are_held_against_each_of_them() {
        let file = include_str!("../tests/designs/several-attributes.yaml");
        let index = ("Orders", Some("ByTenant"));
        for (partition, sort, pattern) in [
            (["t1", "eu"], vec!["OPEN", "2026-06"], Some("open orders of a tenant since a day")),
            (["t1", "eu"], vec!["PAID"], Some("orders of a tenant in a state")),
            (["t1", "eu"], vec!["PAID", "2026"], Some("orders of a tenant in a state")),
            (["t1", "eu"], vec![], Some("orders of a tenant")),
        ] {
            assert_eq!(found(file, "Query", index, &partition, &sort).as_deref(), pattern, "{sort:?}");
        }
        assert_eq!(found(file, "Query", index, &["t1"], &[]), None);
    }
}
