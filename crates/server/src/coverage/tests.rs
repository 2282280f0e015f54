//! Which pattern of the starter design a request is.

use std::sync::LazyLock;

use dynamometer_capacity::CapacityUnits;
use dynamometer_design::source::Source;
use dynamometer_expr::{Comparator, Condition, Operand, Path};
use dynamometer_types::AttributeValue;

use super::*;

/// A request: operation and action, table or `table/index`, partition key, sort key, whether it filters.
pub(crate) type Case =
    (Operation, Option<ItemAction>, &'static str, Option<&'static str>, Option<&'static str>, bool);

const DESIGN: &str = r##"
design: 1
tables:
  App: { keys: [PK, SK], indexes: { GSI1: { keys: [GSI1PK, GSI1SK] } } }
entities:
  User: { keys: { PK: "USER#<userId>", SK: PROFILE, GSI1PK: "EMAIL#<email>", GSI1SK: USER }, count: 10 }
  Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<orderId>" }, count: 10 }
patterns:
  profile: { get: User, rate: 1/s }
  orders: { query: App, key: "USER#<userId>", sort: "ORDER#", limit: 5, rate: 1/s }
  big orders: { query: App, key: "USER#<userId>", sort: "ORDER#", filter: amount > :min, limit: 5, rate: 1/s }
  by email: { query: GSI1, key: "EMAIL#<email>", items: 1, rate: 1/s }
  sign up: { put: User, rate: 1/s }
  import: { batch-write: Order, items: 25, rate: 1/h }
  order: { transact-write: [{ put: Order }, { update: User, sets: [name] }], invariant: x, rate: 1/s }
  order together: { transact-get: Order, rate: 1/s }
  export: { scan: App, items: 20, rate: 1/day }
"##;

/// `amount > 100`.
static FILTER: LazyLock<Condition> = LazyLock::new(|| Condition::Compare {
    left: Operand::Path(Path::top_level("amount")),
    comparator: Comparator::Greater,
    right: Operand::Value(AttributeValue::N(100.into())),
});

pub(crate) fn coverage() -> Coverage {
    let design = dynamometer_design::read(&Source::new("app.yaml", DESIGN)).unwrap();
    let coverage = Coverage::new(design, "app.yaml".into());
    coverage.begin();
    coverage
}

pub(crate) fn access(case: &Case) -> Access<'static> {
    let (operation, action, place, partition, sort, filters) = *case;
    let (table, index) = place.split_once('/').map_or((place, None), |(table, index)| (table, Some(index)));
    Access {
        now: Timestamp::from_millis(1_000),
        operation,
        action,
        table,
        index,
        partition: partition.into_iter().map(str::to_owned).collect(),
        sort: sort.into_iter().map(str::to_owned).collect(),
        filter: filters.then_some(&FILTER),
        units: CapacityUnits::from_whole(2),
        filtered_units: CapacityUnits::from_whole(1),
        scanned: 4,
        returned: 2,
        throttled: false,
        ran: true,
        soon_after_write: true,
    }
}

#[test]
fn requests_are_named_after_their_patterns() {
    use ItemAction::{ConditionCheck, Delete, Put, Update};
    use Operation as Op;
    let (user, order) = (Some("USER#1"), Some("ORDER#1"));
    let cases: &[(Case, Option<&str>)] = &[
        ((Op::GetItem, None, "App", user, Some("PROFILE"), false), Some("profile")),
        ((Op::BatchGetItem, None, "App", user, Some("PROFILE"), false), Some("profile")),
        ((Op::ExecuteStatement, None, "App", user, Some("PROFILE"), false), Some("profile")),
        ((Op::BatchExecuteStatement, None, "App", user, Some("PROFILE"), false), Some("profile")),
        ((Op::TransactGetItems, None, "App", user, Some("PROFILE"), false), None),
        ((Op::ExecuteTransaction, None, "App", user, order, false), Some("order together")),
        ((Op::GetItem, None, "App", user, Some("ORDER#1"), false), None),
        ((Op::Query, None, "App", user, Some("ORDER#"), false), Some("orders")),
        ((Op::Query, None, "App", user, Some("ORDER#2026"), false), Some("orders")),
        ((Op::Query, None, "App", user, Some("ORDER#"), true), Some("big orders")),
        ((Op::ExecuteStatement, None, "App", user, Some("ORDER#"), false), Some("orders")),
        ((Op::Query, None, "App", user, None, false), None),
        ((Op::Query, None, "App/GSI1", Some("EMAIL#a"), None, false), Some("by email")),
        ((Op::Query, None, "App/GSI2", Some("EMAIL#a"), None, false), None),
        ((Op::PutItem, Some(Put), "App", user, Some("PROFILE"), false), Some("sign up")),
        ((Op::ExecuteStatementWrite, Some(Put), "App", user, Some("PROFILE"), false), Some("sign up")),
        ((Op::BatchWriteItem, Some(Put), "App", user, Some("PROFILE"), false), Some("sign up")),
        ((Op::BatchWriteItem, Some(Put), "App", user, order, false), Some("import")),
        ((Op::BatchWriteItem, Some(Delete), "App", user, order, false), None),
        ((Op::TransactWriteItems, Some(Put), "App", user, order, false), Some("order")),
        ((Op::ExecuteTransactionWrite, Some(Update), "App", user, Some("PROFILE"), false), Some("order")),
        ((Op::TransactWriteItems, Some(ConditionCheck), "App", user, order, false), None),
        ((Op::DeleteItem, Some(Delete), "App", user, order, false), None),
        ((Op::Scan, None, "App", None, None, false), Some("export")),
        ((Op::ExecuteStatementScan, None, "App", None, None, true), Some("export")),
        ((Op::Scan, None, "Other", None, None, false), None),
    ];
    let coverage = coverage();
    for (case, expected) in cases {
        let named = coverage.name(&access(case)).map(|at| coverage.design.patterns[at].name.value.as_str());
        assert_eq!(named, *expected, "{case:?}");
    }
}

#[test]
fn what_is_seen_is_counted_by_pattern_or_by_kind() {
    let coverage = coverage();
    let query = (Operation::Query, None, "App", Some("USER#1"), Some("ORDER#"), true);
    coverage.observe(&access(&query));
    coverage.observe(&Access { ran: false, throttled: true, units: CapacityUnits::ZERO, ..access(&query) });
    for id in ["7", "8"] {
        let stray = (Operation::GetItem, None, "App", Some("CART#x"), None, false);
        coverage.observe(&Access { sort: vec![format!("ITEM#{id}")], ..access(&stray) });
    }
    coverage.observe(&access(&(Operation::Scan, None, "App", None, None, false)));
    let seen = coverage.seen();
    let counts = seen.patterns[2];
    assert_eq!((counts.requests, counts.halves, counts.throttled), (1, 4, 1));
    assert_eq!((counts.scanned, counts.returned, counts.soon), (8, 4, 2));
    let [(kind, counts)] = &seen.uncovered[..] else { panic!("{:?}", seen.uncovered) };
    assert_eq!(
        (&kind.partition[..], &kind.sort[..]),
        (&["CART#…".to_owned()][..], &["ITEM#…".to_owned()][..])
    );
    assert_eq!((counts.requests, seen.scans, seen.span_ms), (2, 1, 1_000));

    coverage.forget();
    let seen = coverage.seen();
    assert!(seen.patterns.iter().all(|counts| *counts == Counts::default()));
    assert_eq!((seen.uncovered.len(), seen.scans, seen.span_ms), (0, 0, 0));
    coverage.observe(&access(&query));
    assert_eq!(coverage.seen().patterns[2].requests, 1);
}

#[test]
fn kinds_beyond_the_hundredth_are_only_counted() {
    let coverage = coverage();
    let operation = Operation::GetItem;
    let stray = access(&(operation, None, "App", None, None, false));
    let letters = |at: usize| format!("{}{}", (b'A' + at as u8 / 26) as char, (b'A' + at as u8 % 26) as char);
    for at in 0..UNCOVERED_KINDS + 3 {
        coverage.observe(&Access { partition: vec![letters(at)], ..stray.clone() });
    }
    let seen = coverage.seen();
    assert_eq!((seen.uncovered.len(), seen.others), (UNCOVERED_KINDS, 3));
}

#[test]
fn nothing_counts_before_the_beginning_or_twice() {
    let design = dynamometer_design::read(&Source::new("app.yaml", DESIGN)).unwrap();
    let coverage = Coverage::new(design, "app.yaml".into());
    let scan = access(&(Operation::Scan, None, "App", None, None, false));
    coverage.observe(&scan);
    coverage.begin();
    coverage.observe(&Access { operation: Operation::TransactWriteItemsReplay, ..scan });
    let seen = coverage.seen();
    assert_eq!((seen.scans, seen.span_ms, seen.uncovered.len()), (0, 0, 0));
}
