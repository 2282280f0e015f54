//! UpdateTable: its checks row by row, and what each part of it changes.

use super::*;
use crate::catalog::record::Status;

type Change = fn(&mut UpdateTableRequest);

const ON_DEMAND: Option<Given<BillingMode>> = Some(Given::Known(BillingMode::PayPerRequest));
const PROVISIONED: Option<Given<BillingMode>> = Some(Given::Known(BillingMode::Provisioned));

/// Each row sends one update to a new table, and tells what is answered.
fn check(table: fn() -> CreateTableRequest, rows: &[(&str, Change)]) {
    for (expected, change) in rows {
        let world = World::new();
        world.create(table()).unwrap();
        let before = world.describe("Orders").unwrap();
        let mut request = of_orders();
        change(&mut request);
        let found = outcome(world.update(request));
        assert_outcome(&found, expected);
        if !found.is_empty() {
            assert_eq!(world.describe("Orders").unwrap(), before, "{expected}");
        }
    }
}

fn updates(
    entries: impl IntoIterator<Item = GlobalSecondaryIndexUpdate>,
) -> Option<Vec<GlobalSecondaryIndexUpdate>> {
    Some(entries.into_iter().collect())
}

/// A provisioned `Orders` with the indexes of [`indexed_orders`].
fn provisioned_indexed() -> CreateTableRequest {
    let mut request =
        CreateTableRequest { billing_mode: None, provisioned_throughput: units(5, 5), ..indexed_orders() };
    for index in request.global_secondary_indexes.iter_mut().flatten() {
        index.provisioned_throughput = units(5, 5);
    }
    request
}

#[test]
fn members_and_nothing_to_do() {
    check(
        orders,
        &[
            ("The parameter 'TableName' is required but was not present in the request", |r| {
                r.table_name = None
            }),
            (
                "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must \
                 have length greater than or equal to 3",
                |r| r.table_name = s("ab"),
            ),
            (
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
                 GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, \
                 ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, \
                 WarmThroughput or TableClass is required",
                |r| r.attribute_definitions = definitions("pk:S"),
            ),
            ("…ReplicaUpdates is not supported by this server yet; leave it out", |r| {
                r.replica_updates = Some(Unsupported);
            }),
            ("ResourceNotFoundException: Requested resource not found: Table: Other not found", |r| {
                r.table_name = s("Other");
                r.deletion_protection_enabled = Some(true);
            }),
            (
                "2 validation errors detected: Value 'X' at 'billingMode' failed to satisfy constraint: Member \
                 must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; Value null at \
                 'globalSecondaryIndexUpdates.1.member.delete.indexName' failed to satisfy constraint: Member must \
                 not be null",
                |r| {
                    r.billing_mode = Some(BillingMode::read("X"));
                    r.global_secondary_index_updates = updates([GlobalSecondaryIndexUpdate {
                        delete: Some(DeleteGlobalSecondaryIndexAction::default()),
                        ..Default::default()
                    }]);
                },
            ),
            ("", |r| {
                r.table_name = s("arn:aws:dynamodb:us-east-1:000000000000:table/Orders");
                r.deletion_protection_enabled = Some(true);
            }),
        ],
    );
}

fn ask_sse(r: &mut UpdateTableRequest) {
    r.sse_specification = Some(SseSpecification { enabled: Some(true), ..Default::default() });
}

fn ask_class(r: &mut UpdateTableRequest) {
    r.table_class = Some(TableClass::read("STANDARD_INFREQUENT_ACCESS"));
}

fn ask_stream(r: &mut UpdateTableRequest) {
    r.stream_specification = stream(true, Some("NEW_IMAGE"));
}

fn ask_new_index(r: &mut UpdateTableRequest) {
    r.attribute_definitions = definitions("zone:S");
    r.global_secondary_index_updates = updates([create_index(gsi("byZone", "zone:HASH"))]);
}

#[test]
fn most_things_do_not_go_together() {
    check(
        indexed_orders,
        &[
            ("…Server-Side Encryption modification must be the only operation in the request", |r| {
                ask_sse(r);
                ask_class(r);
                r.deletion_protection_enabled = Some(true);
            }),
            ("…TableClass modification must be the only operation in the request", |r| {
                ask_class(r);
                r.deletion_protection_enabled = Some(true);
                r.warm_throughput = warm(13_000, 5_000);
            }),
            ("…DeletionProtection modification must be the only operation in the request", |r| {
                r.deletion_protection_enabled = Some(true);
                r.billing_mode = ON_DEMAND;
            }),
            ("…WarmThroughput must be the only operation in the request", |r| {
                r.warm_throughput = warm(13_000, 5_000);
                r.billing_mode = ON_DEMAND;
            }),
            ("…Create global secondary index cannot be specified when updating WarmThroughput", |r| {
                r.warm_throughput = warm(13_000, 5_000);
                ask_new_index(r);
            }),
            ("", |r| {
                r.warm_throughput = warm(13_000, 5_000);
                let entry = update_index("byUser", |u| u.warm_throughput = warm(13_000, 5_000));
                r.global_secondary_index_updates = updates([entry]);
            }),
            ("…OnDemandThroughput can only be combined with BillingMode in an UpdateTable request", |r| {
                r.on_demand_throughput = most(1, 1);
                ask_stream(r);
            }),
            ("…OnDemandThroughput can only be combined with BillingMode in an UpdateTable request", |r| {
                r.on_demand_throughput = most(1, 1);
                r.warm_throughput = warm(13_000, 5_000);
            }),
            ("", |r| {
                r.on_demand_throughput = most(1, 1);
                r.billing_mode = ON_DEMAND;
            }),
            ("", |r| {
                ask_stream(r);
                r.billing_mode = ON_DEMAND;
            }),
            ("", |r| {
                ask_new_index(r);
                r.billing_mode = ON_DEMAND;
            }),
            ("…You cannot modify stream status while updating table IOPS", |r| {
                ask_stream(r);
                r.billing_mode = PROVISIONED;
            }),
            ("…You cannot create or delete index while updating table IOPS", |r| {
                r.provisioned_throughput = units(1, 1);
                r.global_secondary_index_updates = updates([delete_index("byUser")]);
            }),
            ("…You cannot create or delete index while changing stream status", |r| {
                ask_stream(r);
                ask_new_index(r);
            }),
        ],
    );
}

#[test]
fn billing_mode_and_throughput() {
    check(
        orders,
        &[
            ("", |r| r.billing_mode = ON_DEMAND),
            ("…ProvisionedThroughput must be specified when BillingMode is PROVISIONED", |r| {
                r.billing_mode = PROVISIONED;
            }),
            (
                "…Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST",
                |r| r.provisioned_throughput = units(1, 1),
            ),
            ("", |r| {
                r.billing_mode = PROVISIONED;
                r.provisioned_throughput = units(1, 1);
            }),
        ],
    );
    check(
        provisioned_orders,
        &[
            (
                "…Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST",
                |r| {
                    r.billing_mode = ON_DEMAND;
                    r.provisioned_throughput = units(1, 1);
                },
            ),
            (
                "The provisioned throughput for the table will not change. The requested value equals the current \
                 value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. \
                 Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to \
                 the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
                |r| {
                    r.billing_mode = PROVISIONED;
                    r.provisioned_throughput = units(5, 5);
                },
            ),
            (
                "LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table maximum for \
                 the account in us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide \
                 for current limits and how to request higher limits.",
                |r| r.provisioned_throughput = units(40_001, 5),
            ),
            ("", |r| r.provisioned_throughput = units(40_000, 5)),
            (
                "…MaxWriteRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is \
                 PROVISIONED",
                |r| {
                    let sent = OnDemandThroughput { max_write_request_units: Some(0), ..Default::default() };
                    r.on_demand_throughput = Some(sent);
                },
            ),
        ],
    );
    check(
        indexed_orders,
        &[
            ("…ProvisionedThroughput must be specified for index: byUser", |r| {
                r.billing_mode = PROVISIONED;
                r.provisioned_throughput = units(1, 1);
            }),
            (
                "…The only Updates for index: byUser when TableThroughputMode is PAY_PER_REQUEST can be to \
                 OnDemandThroughput, WarmThroughput",
                |r| {
                    let entry = update_index("byUser", |u| u.provisioned_throughput = units(1, 1));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
            (
                "…Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: byUser when \
                 BillingMode is PAY_PER_REQUEST",
                |r| {
                    r.billing_mode = ON_DEMAND;
                    let entry = update_index("byUser", |u| u.provisioned_throughput = units(1, 1));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
        ],
    );
    check(
        provisioned_indexed,
        &[
            ("…Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: byUser", |r| {
                r.global_secondary_index_updates = updates([update_index("byUser", |_| {})]);
            }),
            (
                "The provisioned throughput for the index byUser will not change. The requested value equals the \
                 current value. Current ReadCapacityUnits provisioned for the index: 5. Requested \
                 ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the index: 5. Requested \
                 WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits and how to \
                 request higher limits.",
                |r| {
                    let entry = update_index("byUser", |u| u.provisioned_throughput = units(5, 5));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
            (
                "…MaxReadRequestUnits for OnDemandThroughput for index : byUser cannot be specified when the table \
                 BillingMode is PROVISIONED",
                |r| {
                    let entry = update_index("byUser", |u| u.on_demand_throughput = most(1, 1));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
        ],
    );
}

#[test]
fn maxima_and_warm_throughput() {
    check(
        indexed_orders,
        &[
            (
                "…Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
                |r| {
                    r.on_demand_throughput = most(0, 1);
                },
            ),
            (
                "…Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range",
                |r| {
                    r.on_demand_throughput = most(-1, -2);
                },
            ),
            (
                "…Requested MaxReadRequestUnits for OnDemandThroughput for index : byUser is outside of valid range",
                |r| {
                    let entry = update_index("byUser", |u| u.on_demand_throughput = most(0, 1));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
            (
                "LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for \
                 OnDemandThroughput for table exceeds TableMaxReadCapacityUnits of the account in region us-east-1",
                |r| r.on_demand_throughput = most(40_001, 1),
            ),
            (
                "…OnDemandThroughput must have MaxReadRequestUnits or MaxWriteRequestUnits; -1 removes a maximum",
                |r| r.on_demand_throughput = Some(OnDemandThroughput::default()),
            ),
            ("…WarmThroughput must have ReadUnitsPerSecond or WriteUnitsPerSecond", |r| {
                r.warm_throughput = Some(WarmThroughput::default());
            }),
            (
                "…Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, \
                 decreasing WarmThroughput is not supported",
                |r| r.warm_throughput = warm(12_000, 3_999),
            ),
            (
                "…Requested ReadUnitsPerSecond for WarmThroughput for index byUser is lower than current \
                 WarmThroughput, decreasing WarmThroughput is not supported",
                |r| {
                    let entry = update_index("byUser", |u| u.warm_throughput = warm(1, 4_000));
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
            ("", |r| r.warm_throughput = warm(12_000, 4_000)),
        ],
    );
}

#[test]
fn stream_encryption_and_class() {
    check(
        orders,
        &[
            ("…If stream is being enabled then UpdateViewType is required", |r| {
                r.stream_specification = stream(true, None);
            }),
            ("…If stream is being disabled, then UpdateViewType must not be specified", |r| {
                r.stream_specification = stream(false, Some("KEYS_ONLY"));
            }),
            ("Table has no stream to disable: TableName: Orders", |r| {
                r.stream_specification = stream(false, None);
            }),
            ("…Table is already encrypted by default", |r| {
                r.sse_specification = Some(SseSpecification::default());
            }),
            (
                "Invalid table-class parameter provided. Please try again with a valid table-class value: \
                 [STANDARD, STANDARD_INFREQUENT_ACCESS].",
                |r| r.table_class = Some(TableClass::read("X")),
            ),
            ("", |r| r.table_class = Some(TableClass::read("STANDARD"))),
            ("", |r| r.deletion_protection_enabled = Some(false)),
        ],
    );
    let encrypted = || CreateTableRequest {
        sse_specification: Some(SseSpecification { enabled: Some(true), ..Default::default() }),
        stream_specification: stream(true, Some("OLD_IMAGE")),
        ..orders()
    };
    check(
        encrypted,
        &[
            ("Table already has an enabled stream: TableName: Orders", ask_stream),
            (
                "…Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to \
                 change Master Key",
                ask_sse,
            ),
        ],
    );
}

#[test]
fn index_changes() {
    check(
        indexed_orders,
        &[
            ("…List of GlobalSecondaryIndexUpdates is empty", |r| {
                r.global_secondary_index_updates = updates([])
            }),
            (
                "…One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete must not be null",
                |r| r.global_secondary_index_updates = updates([GlobalSecondaryIndexUpdate::default()]),
            ),
            (
                "…Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
                |r| {
                    let entry = GlobalSecondaryIndexUpdate {
                        delete: Some(DeleteGlobalSecondaryIndexAction { index_name: s("byUser") }),
                        ..create_index(gsi("byZone", "zone:HASH"))
                    };
                    r.global_secondary_index_updates = updates([entry]);
                },
            ),
            (
                "…Only one global secondary index update per index is allowed simultaneously. Index: byUser",
                |r| {
                    r.global_secondary_index_updates =
                        updates([delete_index("byUser"), update_index("byUser", |_| {})]);
                },
            ),
            ("…AttributeDefinitions is not specified for index: byZone", |r| {
                ask_new_index(r);
                r.attribute_definitions = None;
            }),
            (
                "…Some index key attributes are not defined in AttributeDefinitions. Keys: [zone], \
                 AttributeDefinitions: [pk]",
                |r| {
                    ask_new_index(r);
                    r.attribute_definitions = definitions("pk:S");
                },
            ),
            ("Attempting to create an index which already exists", |r| {
                r.attribute_definitions = definitions("user:S");
                r.global_secondary_index_updates = updates([create_index(gsi("byUser", "user:HASH"))]);
            }),
            ("Attempting to create an index which already exists", |r| {
                r.attribute_definitions = definitions("user:S");
                r.global_secondary_index_updates = updates([create_index(gsi("byDate", "user:HASH"))]);
            }),
            (
                "…Attributes cannot be redefined. Please check that your attribute has the same type as previously \
                 defined. Existing schema: Schema:[SchemaElement: key{user:S:HASH}] New schema: \
                 Schema:[SchemaElement: key{user:N:HASH}]",
                |r| {
                    r.attribute_definitions = definitions("user:N");
                    r.global_secondary_index_updates = updates([create_index(gsi("more", "user:HASH"))]);
                },
            ),
            (
                "…Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: byZone when \
                 BillingMode is PAY_PER_REQUEST",
                |r| {
                    let index = GlobalSecondaryIndex {
                        provisioned_throughput: units(1, 1),
                        ..gsi("byZone", "zone:HASH")
                    };
                    ask_new_index(r);
                    r.global_secondary_index_updates = updates([create_index(index)]);
                },
            ),
            ("…ProjectionType is ALL, but NonKeyAttributes is specified", |r| {
                let index =
                    GlobalSecondaryIndex { projection: projection("ALL a"), ..gsi("byZone", "zone:HASH") };
                ask_new_index(r);
                r.global_secondary_index_updates = updates([create_index(index)]);
            }),
            ("Cannot delete an index that is not a GlobalSecondaryIndex: byDate", |r| {
                r.global_secondary_index_updates = updates([delete_index("byDate")]);
            }),
            ("Cannot update an index that is not a GlobalSecondaryIndex: byDate", |r| {
                r.global_secondary_index_updates =
                    updates([update_index("byDate", |u| u.warm_throughput = warm(13_000, 4_000))]);
            }),
            ("ResourceNotFoundException: Requested resource not found: Index nope for table Orders", |r| {
                r.global_secondary_index_updates = updates([delete_index("nope")]);
            }),
            (
                "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted \
                 simultaneously per table",
                |r| {
                    ask_new_index(r);
                    let entries = r.global_secondary_index_updates.as_mut().unwrap();
                    entries.push(delete_index("byUser"));
                },
            ),
        ],
    );
    check(
        provisioned_indexed,
        &[("…ProvisionedThroughput must be specified for index: byZone", ask_new_index)],
    );
    let full = || CreateTableRequest {
        global_secondary_indexes: Some((0..20).map(|n| gsi(&format!("gsi{n}"), "user:HASH")).collect()),
        ..indexed_orders()
    };
    check(
        full,
        &[(
            "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds \
             per-table limit of 20",
            ask_new_index,
        )],
    );
}

fn one(change: Change) -> UpdateTableRequest {
    let mut request = of_orders();
    change(&mut request);
    request
}

#[test]
fn the_answer_shows_throughput_as_it_was() {
    let world = World::new();
    world.create(provisioned_indexed()).unwrap();
    let shown = world
        .update(one(|r| {
            r.provisioned_throughput = units(7, 3);
            let entry = update_index("byUser", |u| u.provisioned_throughput = units(9, 9));
            r.global_secondary_index_updates = updates([entry]);
        }))
        .unwrap();
    assert_eq!(shown.table_status, Status::Updating);
    assert_eq!(shown.provisioned_throughput.read_capacity_units, 5);
    let index = &shown.global_secondary_indexes.unwrap()[0];
    assert_eq!((index.index_status, index.provisioned_throughput.read_capacity_units), (Status::Updating, 5));

    let seen = world.describe("Orders").unwrap();
    assert_eq!(seen.table_status, Status::Active);
    assert_eq!(
        seen.provisioned_throughput,
        ProvisionedThroughputDescription {
            last_increase_date_time: Some(world.now()),
            last_decrease_date_time: Some(world.now()),
            number_of_decreases_today: 1,
            read_capacity_units: 7,
            write_capacity_units: 3,
        }
    );
    let warm = seen.warm_throughput.unwrap();
    assert_eq!((warm.read_units_per_second, warm.write_units_per_second), (7, 5));
    let index = &seen.global_secondary_indexes.unwrap()[0];
    assert_eq!((index.index_status, index.provisioned_throughput.read_capacity_units), (Status::Active, 9));
}

#[test]
fn switching_the_billing_mode_there_and_back() {
    let world = World::new();
    world.create(provisioned_indexed()).unwrap();
    world.update(one(|r| r.billing_mode = ON_DEMAND)).unwrap();
    let seen = world.describe("Orders").unwrap();
    assert_eq!(seen.billing_mode_summary.unwrap().billing_mode, BillingMode::PayPerRequest);
    assert_eq!(seen.provisioned_throughput.read_capacity_units, 0);
    assert_eq!(seen.provisioned_throughput.number_of_decreases_today, 0);
    assert_eq!(seen.warm_throughput.unwrap().read_units_per_second, 12_000);

    let echoed = world.update(one(|r| r.on_demand_throughput = most(100, 200))).unwrap();
    assert_eq!((echoed.on_demand_throughput, echoed.table_status), (most(100, 200), Status::Active));
    let echoed = world.update(one(|r| {
        r.on_demand_throughput =
            Some(OnDemandThroughput { max_read_request_units: Some(-1), ..Default::default() });
    }));
    assert_eq!(echoed.unwrap().on_demand_throughput, most(-1, 200));
    let left = OnDemandThroughput { max_write_request_units: Some(200), ..Default::default() };
    assert_eq!(world.describe("Orders").unwrap().on_demand_throughput, Some(left));

    world
        .update(one(|r| {
            r.billing_mode = PROVISIONED;
            r.provisioned_throughput = units(2, 2);
            let entry = update_index("byUser", |u| u.provisioned_throughput = units(3, 3));
            r.global_secondary_index_updates = updates([entry]);
        }))
        .unwrap();
    let seen = world.describe("Orders").unwrap();
    assert_eq!(seen.billing_mode_summary.unwrap().billing_mode, BillingMode::Provisioned);
    assert_eq!(seen.on_demand_throughput, None);
    assert_eq!(seen.provisioned_throughput.read_capacity_units, 2);
    assert_eq!(seen.global_secondary_indexes.unwrap()[0].provisioned_throughput.write_capacity_units, 3);
}

#[test]
fn decreases_are_limited_within_a_utc_day() {
    let world = World::new();
    world
        .create(CreateTableRequest { provisioned_throughput: units(100, 100), ..provisioned_orders() })
        .unwrap();
    let set =
        |read| world.update(UpdateTableRequest { provisioned_throughput: units(read, 100), ..of_orders() });
    for read in [99, 98, 97, 96] {
        set(read).unwrap();
    }
    let refused = "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited \
                   within a given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day \
                   can be performed at most once every 3600 seconds. Number of decreases today: 4. Last decrease at \
                   Monday, June 1, 2026 10:00:00 AM UTC. Next decrease can be made at Monday, June 1, 2026 11:00:00 \
                   AM UTC";
    assert_outcome(&outcome(set(95)), refused);
    set(97).unwrap();
    world.advance(3_600_000);
    set(96).unwrap();
    assert_eq!(world.describe("Orders").unwrap().provisioned_throughput.number_of_decreases_today, 5);
    assert!(set(95).is_err());
    // Midnight.
    world.advance(13 * 3_600_000);
    assert_eq!(world.describe("Orders").unwrap().provisioned_throughput.number_of_decreases_today, 0);
    set(95).unwrap();
}

#[test]
fn a_stream_gets_a_new_label_each_time() {
    let world = World::new();
    world.create(orders()).unwrap();
    let shown = world.update(one(ask_stream)).unwrap();
    assert_eq!(
        (shown.table_status, &shown.stream_specification),
        (Status::Updating, &stream(true, Some("NEW_IMAGE")))
    );
    let first = shown.latest_stream_label.unwrap();
    world.update(one(|r| r.stream_specification = stream(false, None))).unwrap();
    let seen = world.describe("Orders").unwrap();
    assert_eq!((seen.stream_specification, seen.latest_stream_label.as_ref()), (None, Some(&first)));
    world.update(one(ask_stream)).unwrap();
    assert_ne!(world.describe("Orders").unwrap().latest_stream_label, Some(first));
}

#[test]
fn encryption_comes_and_goes() {
    let world = World::with_delay(1000);
    world.create(orders()).unwrap();
    world.advance(1000);
    let shown = world.update(one(ask_sse)).unwrap();
    let sse = shown.sse_description.unwrap();
    assert_eq!((shown.table_status, sse.status), (Status::Active, "UPDATING"));
    let own_key = sse.kms_master_key_arn.unwrap();
    assert!(own_key.starts_with("arn:aws:kms:us-east-1:000000000000:key/"), "{own_key}");
    assert_outcome(
        &outcome(world.update(one(ask_sse))),
        "ResourceInUseException: Attempt to change a resource which is still in use: Server-Side Encryption is still \
         being updated",
    );
    world.advance(1000);
    assert_eq!(world.describe("Orders").unwrap().sse_description.unwrap().status, "ENABLED");

    let key = |id: &str| UpdateTableRequest {
        sse_specification: Some(SseSpecification {
            enabled: Some(true),
            sse_type: Some(SseType::read("KMS")),
            kms_master_key_id: s(id),
        }),
        ..of_orders()
    };
    let shown = world.update(key("alias/mine")).unwrap().sse_description.unwrap();
    assert_eq!(shown.kms_master_key_arn, Some(own_key));
    world.advance(1000);
    let seen = world.describe("Orders").unwrap().sse_description.unwrap();
    assert_eq!(seen.kms_master_key_arn, s("arn:aws:kms:us-east-1:000000000000:alias/mine"));

    let off = || {
        one(|r| r.sse_specification = Some(SseSpecification { enabled: Some(false), ..Default::default() }))
    };
    assert_eq!(world.update(off()).unwrap().sse_description.unwrap().status, "UPDATING");
    world.advance(1000);
    assert_eq!(world.describe("Orders").unwrap().sse_description, None);
}

#[test]
fn the_class_changes_twice_in_thirty_days() {
    let world = World::new();
    world.create(orders()).unwrap();
    let shown = world.update(one(ask_class)).unwrap();
    assert_eq!((shown.table_status, shown.table_class_summary), (Status::Updating, None));
    let seen = world.describe("Orders").unwrap().table_class_summary.unwrap();
    assert_eq!(seen.table_class, TableClass::StandardInfrequentAccess);
    assert_eq!(seen.last_update_date_time, Some(world.now()));

    let set = |class| {
        world.update(UpdateTableRequest { table_class: Some(TableClass::read(class)), ..of_orders() })
    };
    let limit = "LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 \
                 day(s).";
    world.advance(86_400_000);
    set("STANDARD").unwrap();
    assert_outcome(&outcome(set("STANDARD_INFREQUENT_ACCESS")), limit);
    assert_outcome(&outcome(set("STANDARD")), "");
    world.advance(29 * 86_400_000);
    set("STANDARD_INFREQUENT_ACCESS").unwrap();
    assert_outcome(&outcome(set("STANDARD")), limit);
}

#[test]
fn an_index_is_allocated_filled_and_active() {
    let world = World::with_delay(1000);
    world.create(orders()).unwrap();
    world.advance(1000);
    let states = |description: TableDescription| {
        let index = &description.global_secondary_indexes.unwrap()[0];
        (description.table_status, index.index_status, index.backfilling)
    };
    let shown = world.update(one(|r| {
        // What the index does not use is not kept, and a type that is known already stays.
        r.attribute_definitions = definitions("zone:S other:N pk:N");
        r.global_secondary_index_updates = updates([create_index(gsi("byZone", "zone:HASH"))]);
    }));
    assert_eq!(states(shown.unwrap()), (Status::Updating, Status::Creating, Some(false)));
    world.run_jobs();
    assert_eq!(states(world.describe("Orders").unwrap()), (Status::Updating, Status::Creating, Some(false)));
    world.advance(1000);
    assert_eq!(states(world.describe("Orders").unwrap()), (Status::Active, Status::Creating, Some(true)));
    world.run_jobs();
    let seen = world.describe("Orders").unwrap();
    assert_eq!(seen.attribute_definitions, definitions("pk:S zone:S"));
    assert_eq!(states(seen), (Status::Active, Status::Active, None));

    let shown = world.update(one(|r| r.global_secondary_index_updates = updates([delete_index("byZone")])));
    assert_eq!(states(shown.unwrap()), (Status::Updating, Status::Deleting, None));
    world.advance(1000);
    let seen = world.describe("Orders").unwrap();
    assert_eq!((seen.global_secondary_indexes, seen.attribute_definitions), (None, definitions("pk:S")));
    world.run_jobs();
    let kept = world.engine.catalog().table("", "Orders").unwrap();
    assert!(kept.record.global_indexes.is_empty() && kept.record.attribute_definitions.len() == 1);
}
