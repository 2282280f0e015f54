//! Pages that end because they are full, not because of a limit.

use dynamometer_engine::api::*;

use crate::common::requests::*;
use crate::common::{World, in_memory, item_of, n, number, s};

const BYTES: usize = 300_000;

/// A page takes items until 1 MB is walked, the item that reaches it included; what a filter drops counts too.
#[test]
fn a_page_ends_with_the_item_that_fills_a_megabyte() {
    let world = World::on(in_memory());
    world.create(CreateTableRequest {
        local_secondary_indexes: Some(vec![local_index("keys", (&["pk"], &["v"]), "KEYS_ONLY")]),
        global_secondary_indexes: Some(vec![global_index("all", (&["pk"], &["v"]), "ALL")]),
        ..create_table("table", (&["pk"], &["sk"]), &["pk S".into(), "sk N".into(), "v N".into()])
    });
    let items = 9;
    for at in 0..items {
        let big = item([("pk", s("a")), ("sk", n(at)), ("v", n(at)), ("text", s("x".repeat(BYTES)))]);
        world.put(put("table", big)).unwrap();
    }
    // A filter may read what the index holds, and not what it is keyed by.
    let passing = |index: Option<&str>| match index {
        Some("keys") => "attribute_exists(sk)",
        _ => "attribute_not_exists(nothing)",
    };
    let request = |index: Option<&str>, filter: bool, forward: bool| QueryRequest {
        table_name: Some("table".into()),
        index_name: index.map(str::to_owned),
        select: (index == Some("keys")).then_some(Given::Known(Select::AllAttributes)),
        key_condition_expression: Some("pk = :a".into()),
        filter_expression: filter.then(|| passing(index).into()),
        expression_attribute_values: values([(":a", s("a"))]),
        scan_index_forward: Some(forward),
        ..Default::default()
    };
    // An index that holds keys alone is short, whatever is fetched from the table for it.
    for (index, pages) in [(None, vec![4, 4, 1]), (Some("all"), vec![4, 4, 1]), (Some("keys"), vec![9])] {
        for (filter, forward) in [(false, true), (false, false), (true, true)] {
            let mut request = request(index, filter, forward);
            let (mut seen, mut found) = (vec![], vec![]);
            loop {
                let page = world.query(request.clone()).unwrap();
                found.push(page.scanned_count);
                seen.extend(page.items.into_iter().flatten().map(|item| number(&item_of(item), "sk")));
                request.exclusive_start_key = page.last_evaluated_key;
                if request.exclusive_start_key.is_none() {
                    break;
                }
            }
            let mut all: Vec<i64> = (0..items).collect();
            if !forward {
                all.reverse();
            }
            assert_eq!((seen, found), (all, pages.clone()), "{index:?} {filter} {forward}");
        }
    }
    let request = scan("table", None);
    let whole = world.scan_all(&request, None);
    assert_eq!(whole.len(), items as usize);
    assert_eq!(world.scan_all(&request, Some(2)), whole);
}
