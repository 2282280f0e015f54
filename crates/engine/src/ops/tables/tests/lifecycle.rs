//! Tables whose changes take time: who waits for whom, and what is left behind for the jobs.

use dynamometer_store::Store;

use super::*;
use crate::catalog::jobs::{Work, pending_jobs};
use crate::catalog::record::Status;

const DELAY_MS: i64 = 1000;

/// A world in which changes take a second, with an `Orders` that is active.
fn world_with(table: CreateTableRequest) -> World {
    let world = World::with_delay(DELAY_MS);
    world.create(table).unwrap();
    world.advance(DELAY_MS);
    world
}

fn update(change: impl FnOnce(&mut UpdateTableRequest)) -> UpdateTableRequest {
    let mut request = of_orders();
    change(&mut request);
    request
}

fn throughput() -> UpdateTableRequest {
    update(|r| r.provisioned_throughput = units(6, 6))
}

fn more_throughput() -> UpdateTableRequest {
    update(|r| r.provisioned_throughput = units(7, 7))
}

fn enable_stream() -> UpdateTableRequest {
    update(|r| r.stream_specification = stream(true, Some("KEYS_ONLY")))
}

fn rare_class() -> UpdateTableRequest {
    update(|r| r.table_class = Some(TableClass::read("STANDARD_INFREQUENT_ACCESS")))
}

fn new_index() -> UpdateTableRequest {
    let index = GlobalSecondaryIndex { provisioned_throughput: units(1, 1), ..gsi("byZone", "zone:HASH") };
    update(|r| {
        r.attribute_definitions = definitions("zone:S");
        r.global_secondary_index_updates = Some(vec![create_index(index)]);
    })
}

fn index_throughput() -> UpdateTableRequest {
    update(|r| {
        let entry = update_index("byZone", |u| u.provisioned_throughput = units(2, 2));
        r.global_secondary_index_updates = Some(vec![entry]);
    })
}

fn no_index() -> UpdateTableRequest {
    update(|r| r.global_secondary_index_updates = Some(vec![delete_index("byZone")]))
}

fn protection() -> UpdateTableRequest {
    update(|r| r.deletion_protection_enabled = Some(false))
}

#[test]
fn a_change_under_way_makes_others_wait() {
    let stream_change = "Stream: 2026-06-01T10:00:01.000 Operation: ENABLE";
    type Request = fn() -> UpdateTableRequest;
    let rows: [(Request, Request, String); 15] = [
        (throughput, more_throughput, "Table IOPS are currently being updated. Table: Orders".into()),
        (throughput, new_index, "Table IOPS are currently being updated. Table: Orders".into()),
        (
            throughput,
            enable_stream,
            "Can't enable or disable stream while table IOPS are being updated. Table: Orders".into(),
        ),
        (throughput, protection, String::new()),
        (
            enable_stream,
            throughput,
            format!("Can't change table IOPS when stream status is being updated. Table: Orders {stream_change}"),
        ),
        (
            enable_stream,
            enable_stream,
            format!("A stream status change is currently in progress. Table: Orders {stream_change}"),
        ),
        (
            rare_class,
            rare_class,
            "Can't update table class when a table class update is in progress. Table: Orders \
             TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS"
                .into(),
        ),
        (rare_class, protection, String::new()),
        (rare_class, throughput, "Table: Orders is in the process of being updated.".into()),
        (
            new_index,
            throughput,
            "Can't change table IOPS when an index is being created. Table: Orders Indexes: [byZone]".into(),
        ),
        (
            new_index,
            no_index,
            "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the \
             index is active. Table: Orders Index: byZone"
                .into(),
        ),
        (
            new_index,
            index_throughput,
            "Index is being created but is not backfilling yet.  Table: Orders Index: byZone".into(),
        ),
        (new_index, enable_stream, "Table: Orders is in the process of being updated.".into()),
        (new_index, protection, String::new()),
        (protection, throughput, String::new()),
    ];
    for (first, second, expected) in rows {
        let world = world_with(provisioned_orders());
        world.update(first()).unwrap();
        let expected = match expected.is_empty() {
            true => expected,
            false => format!(
                "ResourceInUseException: Attempt to change a resource which is still in use: {expected}"
            ),
        };
        assert_outcome(&outcome(world.update(second())), &expected);
    }
}

#[test]
fn one_index_at_a_time() {
    let world = world_with(provisioned_orders());
    world.update(new_index()).unwrap();
    let other = || {
        let index = GlobalSecondaryIndex { provisioned_throughput: units(1, 1), ..gsi("more", "zone:HASH") };
        update(|r| {
            r.attribute_definitions = definitions("zone:S");
            r.global_secondary_index_updates = Some(vec![create_index(index)]);
        })
    };
    let one_only = "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted \
                    simultaneously per table";
    assert_outcome(&outcome(world.update(other())), one_only);
    world.advance(DELAY_MS);
    // It is being filled: its deletion cancels that.
    assert_outcome(&outcome(world.update(other())), one_only);
    world.update(no_index()).unwrap();
    let deleted = "ResourceInUseException: Attempt to change a resource which is still in use: Index is being \
                   deleted. Table: Orders Index: byZone";
    assert_outcome(&outcome(world.update(no_index())), deleted);
    assert_outcome(&outcome(world.update(index_throughput())), deleted);
    assert_outcome(&outcome(world.update(other())), one_only);
    world.advance(DELAY_MS);
    world.update(other()).unwrap();
    world.advance(DELAY_MS);
    world.run_jobs();
    let indexes = world.describe("Orders").unwrap().global_secondary_indexes.unwrap();
    assert_eq!((indexes.len(), indexes[0].index_name.as_str()), (1, "more"));
    assert_eq!(indexes[0].index_status, Status::Active);
}

#[test]
fn an_index_that_is_updated_makes_its_next_update_wait() {
    let world = world_with(provisioned_orders());
    world.update(new_index()).unwrap();
    world.advance(DELAY_MS);
    world.run_jobs();
    let shown = world.update(index_throughput()).unwrap();
    assert_eq!(shown.table_status, Status::Active);
    assert_outcome(
        &outcome(world.update(no_index())),
        "ResourceInUseException: Attempt to change a resource which is still in use: Index is being updated.  Table: \
         Orders Index: byZone",
    );
    world.advance(DELAY_MS);
    world.update(no_index()).unwrap();
}

#[test]
fn a_table_is_deleted_only_when_it_rests() {
    let in_use = |sentence: &str| {
        format!("ResourceInUseException: Attempt to change a resource which is still in use: {sentence}")
    };
    let indexes = "Cannot delete table while indexes are being created, updated, or deleted.";
    type Request = fn() -> UpdateTableRequest;
    let rows: [(Request, &str); 4] = [
        (throughput, "Table: Orders is in the process of being updated."),
        (enable_stream, "Cannot delete table while stream is being enabled/disabled."),
        (new_index, indexes),
        (
            || {
                update(|r| {
                    r.sse_specification = Some(SseSpecification { enabled: Some(true), ..Default::default() })
                })
            },
            "Server-Side Encryption is still being updated",
        ),
    ];
    for (change, sentence) in rows {
        let world = world_with(provisioned_orders());
        world.update(change()).unwrap();
        assert_outcome(&outcome(world.delete("Orders")), &in_use(sentence));
        world.advance(DELAY_MS);
        world.run_jobs();
        world.delete("Orders").unwrap();
    }

    let world = World::with_delay(DELAY_MS);
    world.create(orders()).unwrap();
    assert_outcome(&outcome(world.delete("Orders")), &in_use("Table is being created: Orders"));
    world.advance(DELAY_MS);
    world.update(update(|r| r.deletion_protection_enabled = Some(true))).unwrap();
    assert_outcome(
        &outcome(world.delete("Orders")),
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
    );
    world.update(update(|r| r.deletion_protection_enabled = Some(false))).unwrap();
    world.delete("Orders").unwrap();
    assert_outcome(&outcome(world.delete("Orders")), &in_use("Table is being deleted: Orders"));
    assert_outcome(&outcome(world.update(throughput())), &in_use("Table is being deleted: Orders"));
    assert_eq!(world.describe("Orders").unwrap().table_status, Status::Deleting);
    world.advance(DELAY_MS);
    let gone = "ResourceNotFoundException: Requested resource not found: Table: Orders not found";
    assert_outcome(&outcome(world.describe("Orders")), gone);
    assert_outcome(&outcome(world.delete("Orders")), gone);
}

#[test]
fn a_deleted_table_says_little_and_leaves_its_rows_to_a_job() {
    for delay_ms in [0, DELAY_MS] {
        let world = World::with_delay(delay_ms);
        world.create(indexed_orders()).unwrap();
        world.advance(delay_ms);
        let deleted = world.delete("Orders").unwrap();
        assert_eq!(deleted.table_status, Status::Deleting);
        assert_eq!((deleted.key_schema, deleted.attribute_definitions), (None, None));
        assert_eq!((deleted.creation_date_time, deleted.global_secondary_indexes), (None, None));
        assert_eq!(deleted.local_secondary_indexes, None);

        let jobs = pending_jobs(&*world.store).unwrap();
        let objects = |work: &Work| match work {
            Work::Purge { objects, .. } => objects.len(),
            _ => 0,
        };
        assert_eq!((jobs.len(), objects(&jobs[0].work)), (1, 3));
        assert!(jobs[0].is_due(world.now()) == (delay_ms == 0));
        world.advance(delay_ms);
        world.run_jobs();
        assert_eq!(pending_jobs(&*world.store).unwrap(), []);
        assert!(world.engine.catalog().table("", "Orders").is_none());
        assert!(world.reopened().catalog().table("", "Orders").is_none());
        // Nothing is left but the next free number.
        let left = world.store.info().disk_bytes;
        assert!(left < 32, "{left} bytes are left");
    }
}
