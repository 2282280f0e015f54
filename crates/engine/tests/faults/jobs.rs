//! Jobs that cannot be done.

use std::ops::{Bound, ControlFlow};

use dynamometer_engine::api::DeleteTableRequest;
use dynamometer_store::{Batch, Direction, Keyspace};

use crate::common::agree::check_nothing_is_left_over;
use crate::common::requests::*;
use crate::common::{World, in_memory, n, s};

/// A table with a damaged row cannot be filled into an index. That must not keep the rows of deleted tables on the disk.
#[test]
fn a_job_that_fails_holds_up_no_other() {
    let world = World::on(in_memory());
    for table in ["damaged", "deleted"] {
        world.create(create_table(table, (&["id"], &[]), &["id S".into()]));
        world.put(put(table, item([("id", s("a")), ("n", n(1))]))).unwrap();
    }
    let index = global_index("late", (&["n"], &[]), "ALL");
    world.update_table(add_index("damaged", index, &["n N".into()])).unwrap();
    let delete = DeleteTableRequest { table_name: Some("deleted".into()) };
    world.run(async |engine, context| engine.delete_table(context, delete).await).unwrap();

    let store = world.engine.store();
    let (mut first, start, end) = (None, Bound::Unbounded, Bound::Unbounded);
    let mut visit = |key: &[u8], _: &bytes::Bytes| {
        first = Some(key.to_vec());
        ControlFlow::Break(())
    };
    // The older of the two tables comes first.
    store.snapshot().unwrap().range(Keyspace::Items, start, end, Direction::Forward, &mut visit).unwrap();
    let mut damage = Batch::new();
    damage.put(Keyspace::Items, first.unwrap(), "no row");
    store.commit(damage).wait().unwrap();

    assert!(world.engine.run_jobs(world.now()).is_err());
    check_nothing_is_left_over(&world);
    assert!(world.engine.run_jobs(world.now()).is_err(), "the job is tried again");
}
