//! How each access pattern is served, and what a call consumes; or why it cannot be served, and what would serve it.
//!
//! Units are expectations: a write that touches an index for every third item only costs a third of an entry there. They
//! are kept in thousandths of half units; what is summed comes from `dynamometer-capacity::meter` alone.

mod reads;
mod writes;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::Dimension;

use crate::derive::Derived;
use crate::model::{Action, Entity, Pattern, Target};

pub use reads::average_bytes;
pub use writes::{Change, change, member_arms};

/// Thousandths of half units in a unit.
pub const MILLI_HALVES: u64 = 2_000;

/// How a pattern is served.
#[derive(Clone, Debug)]
pub enum Service {
    /// It is.
    Served(Served),
    /// It is not.
    NotServable(Lack),
}

impl Service {
    /// What serves it, if something does.
    pub fn served(&self) -> Option<&Served> {
        match self {
            Service::Served(served) => Some(served),
            Service::NotServable(_) => None,
        }
    }
}

/// How a pattern is served.
#[derive(Clone, Debug)]
pub struct Served {
    /// AWS's name of the operation.
    pub operation: &'static str,
    /// The table or index that is asked; the first member's table of a transaction.
    pub target: Target,
    /// The operation with the keys: `Query GSI2 STATUS#<status>`.
    pub words: String,
    /// The entities that are read or written.
    pub entities: Vec<usize>,
    /// The items that a call reads or writes.
    pub items: Items,
    /// The bytes that are evaluated or written.
    pub bytes: u64,
    /// What a call consumes, by table and index.
    pub arms: Vec<Arm>,
    /// How many requests one call of the pattern is: the shards that are gathered.
    pub requests: u64,
}

/// How many items a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// So many: said, or by nature.
    Said(u64),
    /// So many, worked out from counts.
    Derived(u64),
    /// Nobody said, and it does not follow; one is counted.
    Unknown,
}

impl Items {
    /// The number that is counted with.
    pub fn count(self) -> u64 {
        match self {
            Items::Said(count) | Items::Derived(count) => count,
            Items::Unknown => 1,
        }
    }
}

/// What a call consumes of a table or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The table or index.
    pub target: Target,
    /// Reads or writes.
    pub dimension: Dimension,
    /// Thousandths of half units.
    pub milli_halves: u64,
}

/// Why a pattern is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The rule that reports it.
    pub rule: &'static str,
    /// Why.
    pub because: String,
    /// What would serve it.
    pub remedy: String,
    /// What is said under the key that is asked for.
    pub detail: String,
    /// Where the trouble is said.
    pub span: crate::yaml::Span,
}

impl Served {
    /// Thousandths of half units over all arms.
    pub fn milli_halves(&self) -> u64 {
        self.arms.iter().map(|arm| arm.milli_halves).sum()
    }

    /// The units of the table alone, without indexes.
    pub fn table_milli_halves(&self) -> u64 {
        self.arms.iter().filter(|arm| arm.target.index.is_none()).map(|arm| arm.milli_halves).sum()
    }
}

/// Plans every pattern, in the order of the design.
pub fn plan(derived: &Derived<'_>) -> Vec<Service> {
    derived.design.patterns.iter().map(|pattern| plan_pattern(derived, pattern)).collect()
}

fn plan_pattern(derived: &Derived<'_>, pattern: &Pattern) -> Service {
    match &pattern.action {
        Action::Read(read) => match reads::plan_read(derived, pattern, read) {
            Ok(served) => Service::Served(served),
            Err(lack) => Service::NotServable(lack),
        },
        Action::Write(write) => Service::Served(writes::plan_write(derived, write)),
    }
}

fn milli(units: CapacityUnits) -> u64 {
    units.halves().saturating_mul(1_000)
}

/// `USER#<userId> / PROFILE`.
pub fn key_words(derived: &Derived<'_>, entity: &Entity, target: Target) -> String {
    let keys = derived.design.keys(target);
    let values = keys.attributes().filter_map(|attribute| entity.key(&attribute.name));
    values.map(|key| key.template.to_string()).collect::<Vec<_>>().join(" / ")
}

fn add(arms: &mut Vec<Arm>, target: Target, dimension: Dimension, milli_halves: u64) {
    match arms.iter_mut().find(|arm| arm.target == target && arm.dimension == dimension) {
        Some(arm) => arm.milli_halves = arm.milli_halves.saturating_add(milli_halves),
        None => arms.push(Arm { target, dimension, milli_halves }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    /// What is said of a query of an index with the keys `[[t, r], [s, d, i]]`.
    fn said(asked: &str) -> String {
        let file = format!(
            "design: 1\ntables: {{ T: {{ keys: [id], indexes: {{ X: {{ keys: [[t, r], [s, d, i]] }} }} }} }}\n\
             variables: {{ r: {{ distinct: [eu, us] }}, s: {{ distinct: [OPEN, PAID] }}, t: {{ distinct: 10 }} }}\n\
             entities: {{ E: {{ keys: {{ id: <id> }}, attributes: [t, r, s, d], count: 4000 }}, F: {{ keys: {{ id: <id> }}, \
             attributes: [t, r, s, d, i], count: 4000 }} }}\n\
             patterns: {{ p: {{ query: X, {asked} }} }}\n"
        );
        let design = crate::read(&Source::new("test.yaml", file)).unwrap();
        match plan(&Derived::of(&design)).swap_remove(0) {
            Service::Served(served) => {
                format!("{}: {:?} of {:?}", served.words, served.items, served.entities)
            }
            Service::NotServable(lack) => format!("{}: {}", lack.rule, lack.because),
        }
    }

    #[test]
    fn a_key_of_several_attributes_is_asked_for_from_the_left() {
        for (asked, expected) in [
            // 4,000 items over 20 partition keys: those of F, for E has no entry without its `i`.
            ("key: { t: <t>, r: <r> }", "Query X <t>, <r>: Derived(200) of [1]"),
            ("key: { r: eu, t: <t> }", "Query X <t>, eu: Derived(200) of [1]"),
            ("key: { t: <t>, r: <r>, s: OPEN }", "Query X <t>, <r> / OPEN: Derived(100) of [1]"),
            (
                "key: { t: <t>, r: <r>, s: OPEN }, sort: 2026-",
                "Query X <t>, <r> / OPEN, 2026-: Derived(100) of [1]",
            ),
            (
                "key: { t: <t>, r: <r>, d: <d>, s: <s> }, sort: { from: a }",
                "Query X <t>, <r> / <s>, <d>, a..: Derived(100) of [1]",
            ),
            (
                "key: { t: <t>, r: <r>, s: <s>, d: <d>, i: <i> }",
                "Query X <t>, <r> / <s>, <d>, <i>: Derived(1) of [1]",
            ),
            ("key: { t: <t>, r: <r> }, sort: OPEN", "Query X <t>, <r> / OPEN: Derived(100) of [1]"),
            ("key: <t>", "M03: the partition key of X is t, r, and r is not asked for"),
            ("key: { r: <r> }", "M03: the partition key of X is t, r, and t is not asked for"),
            ("key: { t: <t>, r: <r>, d: <d> }", "M03: d is asked for, and s in front of it is not"),
            ("key: { t: <t>, r: <r>, s: <s>, i: <i> }", "M03: i is asked for, and d in front of it is not"),
            ("key: { t: <t>, r: <r>, id: <id> }", "M03: id is not the partition key of X"),
            (
                "key: { t: <t>, r: <r>, s: <s>, d: <d>, i: <i> }, sort: a",
                "M03: `key` names the whole sort key of X, so there is none left for `sort`",
            ),
        ] {
            assert_eq!(said(asked), expected, "{asked}");
        }
    }
}
