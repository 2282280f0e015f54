//! `dyno serve --design FILE`: each live request is named after the access pattern that it is.
//!
//! The engine tells of every request, element of a batch and action of a transaction as it is charged; the design's
//! [`Matcher`] names it. What has a name is counted in atomics of its pattern, so that requests do not wait for each other.
//! What has none is kept by kind, its values [masked](mask), behind a lock that only such requests take.
//!
//! # Which pattern a request is
//! Its own operation is tried first. An element of a batch that no batch pattern covers is what it would be alone; a
//! statement of PartiQL is the operation that reads or writes the same: a SELECT of a partition is a Query or a GetItem,
//! INSERT is a PutItem. A transaction that is answered from its token is not counted again.
//!
//! With `--isolate` all databases are counted together: the design is the application's, whoever tests it.

mod mask;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dynamometer_design::matcher::{Matcher, Request};
use dynamometer_design::model::Design;
use dynamometer_engine::throughput::{Access, AccessObserver, ItemAction, Operation};
use dynamometer_types::Timestamp;

use mask::{literals, masked};

/// How many kinds of requests without a pattern are told apart; more are only counted.
const UNCOVERED_KINDS: usize = 100;

/// Characters of a filter that are shown.
const FILTER_LENGTH: usize = 120;

/// What was seen of a design's patterns.
#[derive(Debug)]
pub struct Coverage {
    design: Design,
    /// What the design is called.
    title: String,
    matcher: Matcher,
    /// Pieces of keys that the design itself spells out.
    literals: HashSet<String>,
    counts: Vec<PatternCounts>,
    uncovered: Mutex<Uncovered>,
    scans: AtomicU64,
    first_ms: AtomicI64,
    last_ms: AtomicI64,
    has_begun: AtomicBool,
}

/// What was counted of a pattern.
#[derive(Debug, Default)]
struct PatternCounts {
    requests: AtomicU64,
    halves: AtomicU64,
    filtered_halves: AtomicU64,
    scanned: AtomicU64,
    returned: AtomicU64,
    throttled: AtomicU64,
    soon: AtomicU64,
}

/// What was counted of a pattern, or of a kind of requests without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that ran; each element of a batch or of a transaction is one.
    pub requests: u64,
    /// Half units that they consumed, of indexes too.
    pub halves: u64,
    /// Half units of those that were paid for items which a filter dropped.
    pub filtered_halves: u64,
    /// Items that queries and scans read.
    pub scanned: u64,
    /// Items that they answered.
    pub returned: u64,
    /// Requests that the capacity model refused.
    pub throttled: u64,
    /// Eventually consistent reads within 100 ms of a write to the same key.
    pub soon: u64,
}

/// A kind of requests that no pattern covers; key values are masked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    /// The operation, as the report names it.
    pub operation: &'static str,
    /// Of an element of a batch or a transaction, what it does to its item.
    pub action: Option<&'static str>,
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
    /// The partition key, each attribute of it, as `USER#…`.
    pub partition: Vec<String>,
    /// The sort key, as far as it is asked for.
    pub sort: Vec<String>,
    /// The filter, as `amount > …`.
    pub filter: Option<String>,
}

#[derive(Debug, Default)]
struct Uncovered {
    kinds: HashMap<Kind, Counts>,
    /// Requests of kinds beyond those that are kept.
    others: u64,
}

/// What was counted since the server began to serve.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// By pattern, in the order of the design.
    pub patterns: Vec<Counts>,
    /// What no pattern covers, the most frequent first.
    pub uncovered: Vec<(Kind, Counts)>,
    /// Requests without a pattern whose kinds are not kept.
    pub others: u64,
    /// Scans that ran, with a pattern or without.
    pub scans: u64,
    /// From the first request to the last, in milliseconds, at least 1,000; 0 when there was none.
    pub span_ms: u64,
}

impl Coverage {
    /// Nothing seen yet of a design. Nothing is counted before [`Coverage::begin`].
    pub fn new(design: Design, title: String) -> Coverage {
        Coverage {
            matcher: Matcher::new(&design),
            literals: literals(&design),
            counts: design.patterns.iter().map(|_| PatternCounts::default()).collect(),
            design,
            title,
            uncovered: Mutex::default(),
            scans: AtomicU64::new(0),
            first_ms: AtomicI64::new(i64::MAX),
            last_ms: AtomicI64::new(i64::MIN),
            has_begun: AtomicBool::new(false),
        }
    }

    /// Counts from here on: what came before, such as fixtures, was not the application's.
    pub fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
    }

    /// Forgets what was counted so far, and counts on: what came before was not the application's either.
    pub fn forget(&self) {
        self.counts.iter().for_each(PatternCounts::clear);
        *self.lock() = Uncovered::default();
        self.scans.store(0, Ordering::Relaxed);
        self.first_ms.store(i64::MAX, Ordering::Relaxed);
        self.last_ms.store(i64::MIN, Ordering::Relaxed);
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// What the design is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What was counted so far.
    pub fn seen(&self) -> Seen {
        let uncovered = self.lock();
        let mut kinds: Vec<(Kind, Counts)> =
            uncovered.kinds.iter().map(|(kind, counts)| (kind.clone(), *counts)).collect();
        kinds.sort_by(|(one, of_one), (other, of_other)| {
            of_other.requests.cmp(&of_one.requests).then_with(|| one.cmp(other))
        });
        let (first, last) = (self.first_ms.load(Ordering::Relaxed), self.last_ms.load(Ordering::Relaxed));
        Seen {
            patterns: self.counts.iter().map(PatternCounts::load).collect(),
            uncovered: kinds,
            others: uncovered.others,
            scans: self.scans.load(Ordering::Relaxed),
            span_ms: if first > last { 0 } else { last.abs_diff(first).max(1_000) },
        }
    }

    /// The pattern that a request is.
    fn name(&self, access: &Access<'_>) -> Option<usize> {
        let action = access.action.map(action_name);
        operations(access).into_iter().flatten().find_map(|operation| {
            self.matcher.find(&Request {
                operation,
                action,
                table: access.table,
                index: access.index,
                partition: &access.partition,
                sort: &access.sort,
                filters: access.filter.is_some(),
            })
        })
    }

    fn keep_uncovered(&self, access: &Access<'_>) {
        let mask = |texts: &[String]| texts.iter().map(|text| masked(text, &self.literals)).collect();
        let kind = Kind {
            operation: access.operation.name(),
            // A request of its own says in its operation what it does.
            action: access.action.filter(|_| own_operation(access.operation).is_none()).map(action_name),
            table: access.table.to_owned(),
            index: access.index.map(str::to_owned),
            partition: mask(&access.partition),
            sort: mask(&access.sort),
            filter: access.filter.map(|filter| shortened(filter.shape())),
        };
        let mut uncovered = self.lock();
        let has_room = uncovered.kinds.len() < UNCOVERED_KINDS;
        if has_room || uncovered.kinds.contains_key(&kind) {
            uncovered.kinds.entry(kind).or_default().add(access);
        } else {
            uncovered.others += u64::from(access.ran);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Uncovered> {
        self.uncovered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self, now: Timestamp) {
        // Most requests are the latest one and not the first: a look is cheaper than a change.
        if now.millis() < self.first_ms.load(Ordering::Relaxed) {
            self.first_ms.fetch_min(now.millis(), Ordering::Relaxed);
        }
        if now.millis() > self.last_ms.load(Ordering::Relaxed) {
            self.last_ms.fetch_max(now.millis(), Ordering::Relaxed);
        }
    }
}

impl AccessObserver for Coverage {
    fn observe(&self, access: &Access<'_>) {
        let is_repeated = access.operation == Operation::TransactWriteItemsReplay;
        if is_repeated || !self.has_begun.load(Ordering::Acquire) {
            return;
        }
        self.touch(access.now);
        if access.operation.is_scan() {
            self.scans.fetch_add(u64::from(access.ran), Ordering::Relaxed);
        }
        match self.name(access) {
            Some(pattern) => self.counts[pattern].add(access),
            None => self.keep_uncovered(access),
        }
    }
}

impl PatternCounts {
    fn add(&self, access: &Access<'_>) {
        for (counter, amount) in [
            (&self.requests, u64::from(access.ran)),
            (&self.halves, access.units.halves()),
            (&self.filtered_halves, access.filtered_units.halves()),
            (&self.scanned, access.scanned),
            (&self.returned, access.returned),
            (&self.throttled, u64::from(access.throttled)),
            (&self.soon, u64::from(access.soon_after_write)),
        ] {
            if amount > 0 {
                counter.fetch_add(amount, Ordering::Relaxed);
            }
        }
    }

    fn clear(&self) {
        for counter in [
            &self.requests,
            &self.halves,
            &self.filtered_halves,
            &self.scanned,
            &self.returned,
            &self.throttled,
            &self.soon,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    fn load(&self) -> Counts {
        Counts {
            requests: self.requests.load(Ordering::Relaxed),
            halves: self.halves.load(Ordering::Relaxed),
            filtered_halves: self.filtered_halves.load(Ordering::Relaxed),
            scanned: self.scanned.load(Ordering::Relaxed),
            returned: self.returned.load(Ordering::Relaxed),
            throttled: self.throttled.load(Ordering::Relaxed),
            soon: self.soon.load(Ordering::Relaxed),
        }
    }
}

impl Counts {
    fn add(&mut self, access: &Access<'_>) {
        self.requests += u64::from(access.ran);
        self.halves += access.units.halves();
        self.filtered_halves += access.filtered_units.halves();
        self.scanned += access.scanned;
        self.returned += access.returned;
        self.throttled += u64::from(access.throttled);
        self.soon += u64::from(access.soon_after_write);
    }
}

/// A filter that is long is told by its beginning.
fn shortened(mut filter: String) -> String {
    if let Some((end, _)) = filter.char_indices().nth(FILTER_LENGTH) {
        filter.truncate(end);
        filter.push('…');
    }
    filter
}

/// The operations of patterns that a request can be, the likeliest first.
fn operations(access: &Access<'_>) -> [Option<&'static str>; 2] {
    let alone = access.action.and_then(|action| match action {
        ItemAction::Put => Some("PutItem"),
        ItemAction::Update => Some("UpdateItem"),
        ItemAction::Delete => Some("DeleteItem"),
        ItemAction::ConditionCheck => None,
    });
    match access.operation {
        Operation::BatchGetItem | Operation::BatchExecuteStatement => [Some("BatchGetItem"), Some("GetItem")],
        Operation::ExecuteStatement => [Some("Query"), Some("GetItem")],
        Operation::ExecuteStatementScan => [Some("Scan"), None],
        Operation::ExecuteTransaction => [Some("TransactGetItems"), None],
        Operation::BatchWriteItem | Operation::BatchExecuteStatementWrite => [Some("BatchWriteItem"), alone],
        Operation::ExecuteTransactionWrite => [Some("TransactWriteItems"), None],
        Operation::ExecuteStatementWrite => [alone, None],
        other => [own_operation(other).or(Some(other.name())), None],
    }
}

/// The name of an operation that says itself what it does to an item.
fn own_operation(operation: Operation) -> Option<&'static str> {
    let says = matches!(operation, Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem);
    says.then(|| operation.name())
}

fn action_name(action: ItemAction) -> &'static str {
    match action {
        ItemAction::Put => "Put",
        ItemAction::Update => "Update",
        ItemAction::Delete => "Delete",
        ItemAction::ConditionCheck => "ConditionCheck",
    }
}

#[cfg(test)]
pub(crate) mod tests;
