//! Query and Scan: every way to cut an answer into pages gives the same items, and those that the model gives.

use dynamometer_engine::api::*;
use dynamometer_types::{AttributeValue, Item};

use crate::common::agree::{IndexShape, index_shapes};
use crate::common::requests::scan;
use crate::common::{item_of, n, s};
use crate::drive::{Drive, TABLE};
use crate::naive::Sorted;
use crate::statements::compare_select;

/// One of the comparisons of a sort key, with its text.
enum Test {
    Any,
    Eq(Sorted),
    Lt(Sorted),
    Le(Sorted),
    Gt(Sorted),
    Ge(Sorted),
    Between(Sorted, Sorted),
    BeginsWith(Sorted),
}

impl Test {
    fn draw(drive: &mut Drive, values: &[AttributeValue]) -> Test {
        let (one, two) =
            (Sorted(drive.choices.pick(values).clone()), Sorted(drive.choices.pick(values).clone()));
        let has_beginnings = !matches!(one.0, AttributeValue::N(_));
        match drive.choices.below(9) {
            0 => Test::Eq(one),
            1 => Test::Lt(one),
            2 => Test::Le(one),
            3 => Test::Gt(one),
            4 => Test::Ge(one),
            5 => Test::Between(one.clone().min(two.clone()), one.max(two)),
            6 if has_beginnings => Test::BeginsWith(one),
            _ => Test::Any,
        }
    }

    fn holds(&self, value: &Sorted) -> bool {
        match self {
            Test::Any => true,
            Test::Eq(one) => value == one,
            Test::Lt(one) => value < one,
            Test::Le(one) => value <= one,
            Test::Gt(one) => value > one,
            Test::Ge(one) => value >= one,
            Test::Between(low, high) => low <= value && value <= high,
            Test::BeginsWith(one) => match (&one.0, &value.0) {
                (AttributeValue::S(one), AttributeValue::S(value)) => value.starts_with(one.as_str()),
                (AttributeValue::B(one), AttributeValue::B(value)) => value.starts_with(one),
                _ => false,
            },
        }
    }

    /// The clause, with its values; nothing for any value.
    fn clause(&self, name: &str, values: &mut Vec<(String, AttributeValue)>) -> Option<String> {
        let (text, one, two) = match self {
            Test::Any => return None,
            Test::Eq(one) => (format!("{name} = :one"), one, None),
            Test::Lt(one) => (format!("{name} < :one"), one, None),
            Test::Le(one) => (format!("{name} <= :one"), one, None),
            Test::Gt(one) => (format!("{name} > :one"), one, None),
            Test::Ge(one) => (format!("{name} >= :one"), one, None),
            Test::Between(low, high) => (format!("{name} BETWEEN :one AND :two"), low, Some(high)),
            Test::BeginsWith(one) => (format!("begins_with({name}, :one)"), one, None),
        };
        values.push((":one".into(), one.0.clone()));
        values.extend(two.map(|two| (":two".into(), two.0.clone())));
        Some(text)
    }
}

/// Sends one Query in several cuts, and compares with the model.
pub fn compare_query(drive: &mut Drive) {
    let indexes = index_shapes(&drive.world.describe(TABLE));
    let at = drive.choices.below(indexes.len() + 1);
    let index = indexes.get(at);
    let (partition, sort): (Vec<&str>, Vec<&str>) = match index.map(|index| index.name.as_str()) {
        None => (vec!["pk"], vec!["sk"]),
        Some("by-l") => (vec!["pk"], vec!["l"]),
        Some("by-a") => (vec!["a"], vec!["b"]),
        Some("by-abc") => (vec!["a", "c"], vec!["b", "d"]),
        Some(_) => (vec!["e"], vec!["l"]),
    };
    let partition_values: Vec<AttributeValue> = partition.iter().map(|name| key_value(drive, name)).collect();
    // The sort key attributes before the last test are asked for by equality.
    let equal: Vec<Sorted> = match sort.len() {
        2 if drive.choices.percent(60) => vec![Sorted(key_value(drive, sort[0]))],
        _ => vec![],
    };
    let tested = sort[equal.len()];
    let candidates: Vec<AttributeValue> = (0..3).map(|_| key_value(drive, tested)).collect();
    let test = Test::draw(drive, &candidates);

    let mut values: Vec<(String, AttributeValue)> = vec![];
    let mut clauses: Vec<String> = vec![];
    let equals =
        partition.iter().zip(&partition_values).chain(sort.iter().zip(equal.iter().map(|value| &value.0)));
    for (name, value) in equals {
        clauses.push(format!("{name} = :{name}"));
        values.push((format!(":{name}"), value.clone()));
    }
    clauses.extend(test.clause(tested, &mut values));
    let least = drive.choices.percent(30).then(|| drive.choices.below(50) as i64);
    values.extend(least.map(|least| (":least".into(), n(least))));
    let request = QueryRequest {
        table_name: Some(TABLE.into()),
        index_name: index.map(|index| index.name.clone()),
        key_condition_expression: Some(clauses.join(" AND ")),
        filter_expression: least.map(|_| "v >= :least".into()),
        expression_attribute_values: Some(values),
        ..Default::default()
    };
    let forward = drive.model.query(index, &partition_values, |values| {
        equal.iter().eq(&values[..equal.len()]) && test.holds(&values[equal.len()])
    });
    let backward: Vec<Item> = forward.iter().rev().cloned().collect();
    for (scan_forward, walked) in [(true, forward), (false, backward)] {
        for limit in [None, Some(1 + drive.choices.below(4) as i32)] {
            let request = QueryRequest { scan_index_forward: Some(scan_forward), limit, ..request.clone() };
            if least.is_some() && index.is_some_and(|index| !index.holds("v")) {
                let refused = drive.world.query(request.clone()).unwrap_err();
                assert!(refused.message.ends_with("one or more filter attributes: [v]"), "{request:?}");
            } else {
                let found = query_all(drive, request.clone(), walked.len());
                assert_eq!(found, filtered(&walked, least), "{request:?}");
            }
            compare_select(drive, &request, index, &sort);
        }
    }
}

/// Reads a Query page by page.
fn query_all(drive: &Drive, mut request: QueryRequest, walked: usize) -> Vec<Item> {
    let (mut items, mut scanned) = (vec![], 0);
    loop {
        let page = drive.world.query(request.clone()).unwrap();
        let page_items: Vec<Item> = page.items.into_iter().flatten().map(item_of).collect();
        assert_eq!(page.count, page_items.len() as u64);
        assert!(request.limit.is_none_or(|limit| page.scanned_count <= limit as u64));
        items.extend(page_items);
        scanned += page.scanned_count;
        request.exclusive_start_key = page.last_evaluated_key;
        if request.exclusive_start_key.is_none() {
            assert_eq!(scanned, walked as u64, "{request:?}");
            return items;
        }
    }
}

fn filtered(items: &[Item], least: Option<i64>) -> Vec<Item> {
    let passes = |item: &&Item| match (least, item.get("v")) {
        (None, _) => true,
        (Some(least), Some(AttributeValue::N(v))) => *v >= least.into(),
        (Some(_), _) => false,
    };
    items.iter().filter(passes).cloned().collect()
}

/// A value that a key attribute may have.
fn key_value(drive: &mut Drive, name: &str) -> AttributeValue {
    loop {
        let value = match name {
            "pk" => drive.any_pk(),
            "sk" => drive.key().1.0,
            "e" => s(*drive.choices.pick(&["m", "n"])),
            name => drive.value(name),
        };
        match (name, &value) {
            ("a" | "d", AttributeValue::S(text)) if !text.is_empty() => return value,
            ("b" | "c" | "l", AttributeValue::N(_)) | ("pk" | "sk" | "e", _) => return value,
            _ => {}
        }
    }
}

/// Scans the table or an index whole, in segments and in pages, and compares with the model.
pub fn compare_scan(drive: &mut Drive) {
    let indexes = index_shapes(&drive.world.describe(TABLE));
    let at = drive.choices.below(indexes.len() + 1);
    let index: Option<&IndexShape> = indexes.get(at);
    let request = scan(TABLE, index.map(|index| index.name.as_str()));
    let whole = drive.world.scan_all(&request, None);
    let held = |item: &Item| index.map_or(Some(item.clone()), |index| index.entry(item));
    let mut expected: Vec<String> =
        drive.model.items.values().filter_map(held).map(|item| format!("{item:?}")).collect();
    let mut found: Vec<String> = whole.iter().map(|item| format!("{item:?}")).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "{request:?}");
    let limit = 1 + drive.choices.below(5) as i32;
    assert_eq!(drive.world.scan_all(&request, Some(limit)), whole, "limit {limit}: {request:?}");
    let total_segments = *drive.choices.pick(&[1, 2, 3, 7, 40]);
    let limit = drive.choices.percent(50).then_some(limit);
    let segments = (0..total_segments).flat_map(|segment| {
        let of_segment =
            ScanRequest { segment: Some(segment), total_segments: Some(total_segments), ..request.clone() };
        drive.world.scan_all(&of_segment, limit)
    });
    // Segments are slices of the order of the whole: so each item is in exactly one.
    assert_eq!(segments.collect::<Vec<_>>(), whole, "{total_segments} segments: {request:?}");
}
