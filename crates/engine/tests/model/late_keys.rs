//! An index that is added after items which it could never have taken.

use dynamometer_types::{AttributeValue, ErrorKind};

use crate::common::agree::check_agreement;
use crate::common::requests::*;
use crate::common::{World, in_memory, n, s};

/// Keys on disk have a longest length, values have not: such items must neither stop the filling of the index nor be
/// stuck in the table.
#[test]
fn an_index_added_later_passes_over_values_that_no_key_can_have() {
    let unfit = [s(""), s("x".repeat(2049)), s("x".repeat(100_000)), n(1), AttributeValue::B(vec![1])];
    let world = World::on(in_memory());
    world.create(create_table("table", (&["pk"], &[]), &["pk S".into()]));
    let key = |at: usize| item([("pk", s(at.to_string()))]);
    for (at, value) in unfit.iter().enumerate() {
        let mut item = key(at);
        item.insert("e", value.clone());
        world.put(put("table", item)).unwrap();
    }
    world.put(put("table", item([("pk", s("fits")), ("e", s("x".repeat(2048)))]))).unwrap();
    world
        .update_table(add_index("table", global_index("late", (&["e"], &[]), "ALL"), &["e S".into()]))
        .unwrap();
    world.run_jobs();

    check_agreement(&world, "table");
    assert_eq!(world.scan_all(&scan("table", Some("late")), None).len(), 1);
    for (at, value) in unfit.iter().enumerate() {
        // What is there may stay while other attributes change; it may not be written anew; and it may go.
        world.update(update("table", key(at), "SET v = :v", values([(":v", n(1))]))).unwrap();
        let mut again = key(at);
        again.insert("e", value.clone());
        assert_eq!(world.put(put("table", again)).unwrap_err().kind, ErrorKind::Validation);
        check_agreement(&world, "table");
        world.delete(delete("table", key(at))).unwrap();
    }
    assert_eq!(check_agreement(&world, "table").len(), 1);
}
