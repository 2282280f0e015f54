//! CreateTable: its checks row by row, and what it makes.

use super::*;
use crate::catalog::record::Status;

type Change = fn(&mut CreateTableRequest);

/// Each row changes a request that works, and tells what is answered then.
fn check(base: fn() -> CreateTableRequest, rows: &[(&str, Change)]) {
    for (expected, change) in rows {
        let mut request = base();
        change(&mut request);
        assert_outcome(&outcome(World::new().create(request)), expected);
    }
}

#[test]
fn member_constraints_come_first_and_together() {
    check(
        orders,
        &[
            ("", |_| {}),
            ("The parameter 'TableName' is required but was not present in the request", |r| {
                r.table_name = None;
                r.billing_mode = Some(BillingMode::read("X"));
            }),
            (
                "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must \
                 have length greater than or equal to 3",
                |r| r.table_name = s("ab"),
            ),
            (
                "1 validation error detected: Value 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders' at \
                 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: \
                 [a-zA-Z0-9_.-]+",
                |r| r.table_name = s("arn:aws:dynamodb:us-east-1:000000000000:table/Orders"),
            ),
            (
                "1 validation error detected: Value 'INVALID' at 'attributeDefinitions.1.member.attributeType' \
                 failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
                |r| r.attribute_definitions = definitions("pk:INVALID"),
            ),
            (
                "2 validation errors detected: Value 'X' at 'billingMode' failed to satisfy constraint: Member \
                 must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; Value 'Y' at \
                 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: \
                 [HASH, RANGE]",
                |r| {
                    r.billing_mode = Some(BillingMode::read("X"));
                    r.key_schema = key("pk:Y");
                },
            ),
            (
                "1 validation error detected: Value '[]' at 'keySchema' failed to satisfy constraint: Member must \
                 have length greater than or equal to 1",
                |r| r.key_schema = key(""),
            ),
            (
                "2 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy constraint: \
                 Member must not be null; Value null at 'keySchema' failed to satisfy constraint: Member must not \
                 be null",
                |r| {
                    r.attribute_definitions = None;
                    r.key_schema = None;
                },
            ),
            (
                "2 validation errors detected: Value '0' at 'provisionedThroughput.writeCapacityUnits' failed to \
                 satisfy constraint: Member must have value greater than or equal to 1; Value null at \
                 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must not be null",
                |r| {
                    r.provisioned_throughput =
                        Some(ProvisionedThroughput { write_capacity_units: Some(0), ..Default::default() });
                },
            ),
            (
                "2 validation errors detected: Value 'X' at 'globalSecondaryIndexes.1.member.projection.\
                 projectionType' failed to satisfy constraint: Member must satisfy enum value set: [ALL, INCLUDE, \
                 KEYS_ONLY]; Value 'bb!' at 'localSecondaryIndexes.1.member.indexName' failed to satisfy \
                 constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
                |r| {
                    r.local_secondary_indexes = Some(vec![lsi("bb!", "pk:HASH date:RANGE")]);
                    let index = GlobalSecondaryIndex { projection: projection("X"), ..gsi("abc", "pk:HASH") };
                    r.global_secondary_indexes = Some(vec![index]);
                },
            ),
            (
                "1 validation error detected: Value null at 'streamSpecification.streamEnabled' failed to satisfy \
                 constraint: Member must not be null",
                |r| r.stream_specification = Some(StreamSpecification::default()),
            ),
            ("…VectorIndexes is not supported by this server yet; leave it out", |r| {
                r.vector_indexes = Some(Unsupported)
            }),
        ],
    );
}

#[test]
fn throughput_and_billing_mode() {
    check(
        provisioned_orders,
        &[
            ("", |_| {}),
            ("", |r| r.billing_mode = Some(Given::Known(BillingMode::Provisioned))),
            (
                "…Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST",
                |r| r.billing_mode = Some(Given::Known(BillingMode::PayPerRequest)),
            ),
            (
                "…ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
                |r| r.provisioned_throughput = None,
            ),
            ("Given value 1000000000001 for ReadCapacityUnits is out of bounds", |r| {
                r.provisioned_throughput = units(1_000_000_000_001, 1);
            }),
            (
                "LimitExceededException: The requested WriteCapacityUnits, 40001, is above the per table maximum for \
                 the account in us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide \
                 for current limits and how to request higher limits.",
                |r| r.provisioned_throughput = units(40_000, 40_001),
            ),
            (
                "…MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is \
                 PROVISIONED.",
                |r| r.on_demand_throughput = most(0, 0),
            ),
            ("", |r| r.on_demand_throughput = Some(OnDemandThroughput::default())),
            (
                "…Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of \
                 ProvisionedThroughput",
                |r| r.warm_throughput = warm(5, 4),
            ),
        ],
    );
    check(
        orders,
        &[
            (
                "…Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
                |r| {
                    r.on_demand_throughput = most(-1, 5);
                },
            ),
            (
                "LimitExceededException: Subscriber limit exceeded: Requested MaxWriteRequestUnits for \
                 OnDemandThroughput for table exceeds TableMaxWriteCapacityUnits of the account in region us-east-1",
                |r| r.on_demand_throughput = most(5, 40_001),
            ),
            (
                "…Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for \
                 OnDemand",
                |r| r.warm_throughput = warm(11_999, 4_000),
            ),
            ("", |r| r.warm_throughput = warm(12_000, 4_000)),
        ],
    );
}

#[test]
fn keys_and_their_definitions() {
    check(
        orders,
        &[
            (
                "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), \
                 KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=ex, \
                 keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length less than or \
                 equal to 2",
                |r| r.key_schema = key("pk:HASH sk:RANGE ex:RANGE"),
            ),
            ("Invalid KeySchema: Some index key attribute have no definition", |r| {
                r.key_schema = key("pk:HASH pk:RANGE");
            }),
            (
                "…Some index key attributes are not defined in AttributeDefinitions. Keys: [sk, pk], \
                 AttributeDefinitions: [other, pk]",
                |r| {
                    r.attribute_definitions = definitions("pk:S other:S");
                    r.key_schema = key("pk:HASH sk:RANGE");
                },
            ),
            ("Both the Hash Key and the Range Key element in the KeySchema have the same name", |r| {
                r.attribute_definitions = definitions("pk:S sk:S");
                r.key_schema = key("pk:HASH pk:RANGE");
            }),
            ("Invalid KeySchema: The first KeySchemaElement is not a HASH key type", |r| {
                r.key_schema = key("pk:RANGE");
            }),
            ("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type", |r| {
                r.attribute_definitions = definitions("pk:S sk:S");
                r.key_schema = key("pk:HASH sk:HASH");
            }),
            (
                "…Number of attributes in KeySchema does not exactly match number of attributes defined in \
                 AttributeDefinitions",
                |r| r.attribute_definitions = definitions("pk:S sk:S"),
            ),
        ],
    );
    check(
        indexed_orders,
        &[
            ("", |_| {}),
            (
                "…Some AttributeDefinitions are not used. AttributeDefinitions: [date, more, sk, pk, user], keys \
                 used: [date, sk, pk, user]",
                |r| r.attribute_definitions = definitions("pk:S sk:S date:N user:S more:S"),
            ),
            ("Attribute Name is duplicated: pk", |r| {
                r.attribute_definitions = definitions("pk:S sk:S date:N user:S pk:N");
            }),
        ],
    );
}

fn local(r: &mut CreateTableRequest) -> &mut Vec<LocalSecondaryIndex> {
    r.local_secondary_indexes.as_mut().unwrap()
}

fn global(r: &mut CreateTableRequest) -> &mut Vec<GlobalSecondaryIndex> {
    r.global_secondary_indexes.as_mut().unwrap()
}

#[test]
fn local_indexes() {
    check(
        indexed_orders,
        &[
            (
                "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), \
                 KeySchemaElement(attributeName=date, keyType=RANGE), KeySchemaElement(attributeName=sk, \
                 keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length less than or \
                 equal to 2",
                |r| local(r)[0].key_schema = key("pk:HASH date:RANGE sk:RANGE"),
            ),
            ("…List of LocalSecondaryIndexes is empty", |r| {
                local(r).clear();
                r.attribute_definitions = definitions("pk:S sk:S user:S");
            }),
            (
                "…Table KeySchema does not have a range key, which is required when specifying a \
                 LocalSecondaryIndex",
                |r| {
                    r.key_schema = key("pk:HASH");
                    r.attribute_definitions = definitions("pk:S date:N user:S");
                },
            ),
            (
                "…Some index key attributes are not defined in AttributeDefinitions. Keys: [zone, pk], \
                 AttributeDefinitions: [sk, pk, user]",
                |r| {
                    local(r)[0].key_schema = key("pk:HASH zone:RANGE");
                    r.attribute_definitions = definitions("pk:S sk:S user:S");
                },
            ),
            ("…Index KeySchema does not have a range key for index: byDate", |r| {
                local(r)[0].key_schema = key("pk:HASH");
                r.attribute_definitions = definitions("pk:S sk:S user:S");
            }),
            (
                "…Index KeySchema does not have the same leading hash key as table KeySchema for index: byDate. \
                 index hash key: user, table hash key: pk",
                |r| local(r)[0].key_schema = key("user:HASH date:RANGE"),
            ),
            ("…Unknown ProjectionType: null", |r| local(r)[0].projection = projection("")),
            ("…ProjectionType is ALL, but NonKeyAttributes is specified", |r| {
                local(r)[0].projection = projection("ALL a");
            }),
            ("…ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified", |r| {
                local(r)[0].projection = projection("KEYS_ONLY a");
            }),
            ("…ProjectionType is INCLUDE, but NonKeyAttributes is not specified", |r| {
                local(r)[0].projection = projection("INCLUDE");
            }),
            ("…Duplicate element in NonKeyAttributes: a", |r| {
                local(r)[0].projection = projection("INCLUDE a b a");
            }),
            ("…Duplicate index name: byDate", |r| {
                let copy = local(r)[0].clone();
                local(r).push(copy);
            }),
            ("…Number of LocalSecondaryIndexes exceeds per-table limit of 5", |r| {
                *local(r) = (0..6).map(|n| lsi(&format!("lsi{n}"), "pk:HASH date:RANGE")).collect();
            }),
        ],
    );
}

#[test]
fn global_indexes() {
    check(
        indexed_orders,
        &[
            ("…List of GlobalSecondaryIndexes is empty", |r| {
                global(r).clear();
                r.attribute_definitions = definitions("pk:S sk:S date:N");
            }),
            (
                "…ProvisionedThroughput should not be specified for index: byUser when BillingMode is \
                 PAY_PER_REQUEST",
                |r| global(r)[0].provisioned_throughput = units(1, 1),
            ),
            ("…ProvisionedThroughput is not specified for index: byUser", |r| {
                r.billing_mode = None;
                r.provisioned_throughput = units(1, 1);
            }),
            ("…Duplicate index name: byDate", |r| global(r)[0].index_name = s("byDate")),
            ("…GlobalSecondaryIndex count exceeds the per-table limit of 20", |r| {
                *global(r) = (0..21).map(|n| gsi(&format!("gsi{n}"), "user:HASH")).collect();
            }),
            ("", |r| *global(r) = (0..20).map(|n| gsi(&format!("gsi{n}"), "user:HASH")).collect()),
            ("…All HASH key attributes must precede RANGE key attributes in the KeySchema", |r| {
                global(r)[0].key_schema = key("user:HASH date:RANGE sk:HASH");
            }),
            ("", |r| global(r)[0].key_schema = key("user:HASH sk:HASH date:RANGE pk:RANGE")),
            ("The KeySchema contains multiple key attributes with the same name", |r| {
                global(r)[0].key_schema = key("user:HASH date:RANGE date:RANGE");
            }),
            ("The KeySchema contains multiple key attributes with the same name", |r| {
                global(r)[0].key_schema = key("user:HASH user:RANGE");
            }),
            ("…The KeySchema exceeds the maximum allowed number of RANGE key attributes", |r| {
                global(r)[0].key_schema = key("user:HASH a:RANGE b:RANGE c:RANGE d:RANGE e:RANGE");
                r.attribute_definitions = definitions("pk:S sk:S date:N user:S a:S b:S c:S d:S e:S");
            }),
            ("…Number of NonKeyAttributes over all indexes exceeds per-table limit of 100", |r| {
                let names: Vec<String> = (0..20).map(|n| format!("a{n}")).collect();
                let include = format!("INCLUDE {}", names.join(" "));
                let index = |n: usize| GlobalSecondaryIndex {
                    projection: projection(&include),
                    ..gsi(&format!("gsi{n}"), "user:HASH")
                };
                *global(r) = (0..6).map(index).collect();
            }),
            (
                "…MaxReadRequestUnits for OnDemandThroughput for index : byUser cannot be specified when table \
                 BillingMode is PROVISIONED.",
                |r| {
                    r.billing_mode = None;
                    r.provisioned_throughput = units(1, 1);
                    global(r)[0].provisioned_throughput = units(1, 1);
                    global(r)[0].on_demand_throughput = most(1, 1);
                },
            ),
            (
                "…Requested ReadUnitsPerSecond for WarmThroughput for index byUser is lower than initial \
                 throughput for OnDemand",
                |r| global(r)[0].warm_throughput = warm(1, 1),
            ),
        ],
    );
}

fn sse(enabled: Option<bool>, kind: Option<&str>, key: Option<&str>) -> Option<SseSpecification> {
    Some(SseSpecification {
        enabled,
        sse_type: kind.map(SseType::read),
        kms_master_key_id: key.map(str::to_owned),
    })
}

#[test]
fn stream_encryption_class_and_tags() {
    check(
        orders,
        &[
            ("…Table is being created with a stream enabled, UpdateViewType is required", |r| {
                r.stream_specification = stream(true, None);
            }),
            (
                "…Table is being created with a stream disabled, UpdateViewType should not be specified",
                |r| {
                    r.stream_specification = stream(false, Some("KEYS_ONLY"));
                },
            ),
            ("", |r| r.stream_specification = stream(false, None)),
            ("…SSEType can not be specified if Enabled is false", |r| {
                r.sse_specification = sse(Some(false), Some("KMS"), None);
            }),
            ("…KMSMasterKeyId can not be specified if Enabled is false", |r| {
                r.sse_specification = sse(Some(false), None, Some("k"));
            }),
            ("…SSEType KMS is required if KMSMasterKeyId is specified", |r| {
                r.sse_specification = sse(Some(true), None, Some("k"));
            }),
            ("…SSEType AES256 is not supported", |r| {
                r.sse_specification = sse(None, Some("AES256"), None);
            }),
            ("", |r| r.sse_specification = sse(None, None, None)),
            (
                "Invalid table-class parameter provided. Please try again with a valid table-class value: \
                 [STANDARD, STANDARD_INFREQUENT_ACCESS].",
                |r| r.table_class = Some(TableClass::read("COLD")),
            ),
            ("", |r| r.tags = Some(vec![])),
            ("The Tag Key provided is invalid, Key: ", |r| r.tags = Some(vec![tag("", "x")])),
            ("The Tag Key provided is invalid, Key: a!", |r| r.tags = Some(vec![tag("a!", "x")])),
            ("The Tag Value provided is invalid, Value: null", |r| {
                r.tags = Some(vec![Tag { key: s("a"), value: None }]);
            }),
            ("Tag Key cannot be prefixed with aws:, Key: aws:x", |r| r.tags = Some(vec![tag("aws:x", "x")])),
            ("Duplicate Tag Keys provided as input: Duplicate Tag Key found a", |r| {
                r.tags = Some(vec![tag("a", "x"), tag("a", "y")]);
            }),
            ("Number of Tags exceed the current limit for the provided ResourceArn", |r| {
                r.tags = Some((0..51).map(|n| tag(&format!("t{n}"), "")).collect());
            }),
            ("", |r| r.tags = Some(vec![tag("Größe + - = . _ : / @", "")])),
        ],
    );
}

#[test]
fn a_name_is_taken_until_its_table_is_gone() {
    let world = World::with_delay(1000);
    world.create(orders()).unwrap();
    let being_created = "ResourceInUseException: Attempt to change a resource which is still in use: Table is being \
                         created: Orders";
    assert_outcome(&outcome(world.create(orders())), being_created);
    // A request that is wrong in itself is told so first.
    let wrong = CreateTableRequest { key_schema: key("pk:RANGE"), ..orders() };
    assert_outcome(
        &outcome(world.create(wrong)),
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    );
    world.advance(1000);
    let exists = "ResourceInUseException: Table already exists: Orders";
    assert_outcome(&outcome(world.create(orders())), exists);
    world.delete("Orders").unwrap();
    assert_outcome(&outcome(world.create(orders())), exists);
    world.advance(1000);
    assert_outcome(&outcome(world.create(orders())), "");
}

#[test]
fn the_answer_is_a_table_being_created() {
    let world = World::new();
    let mut request = indexed_orders();
    global(&mut request)[0].projection = projection("INCLUDE z a");
    request.stream_specification = stream(true, Some("NEW_IMAGE"));
    request.sse_specification = sse(Some(true), Some("KMS"), Some("arn:aws:kms:us-east-1:1:key/k"));
    request.table_class = Some(TableClass::read("STANDARD_INFREQUENT_ACCESS"));
    request.on_demand_throughput = most(10, 20);
    request.tags = Some(vec![tag("a", "b")]);
    let created = world.create(request).unwrap();
    assert_eq!(created.table_status, Status::Creating);
    assert_eq!(created.provisioned_throughput, ProvisionedThroughputDescription::default());
    let summary = created.billing_mode_summary.unwrap();
    assert_eq!(summary.billing_mode, BillingMode::PayPerRequest);
    assert_eq!(summary.last_update_to_pay_per_request_date_time, None);
    assert_eq!(created.warm_throughput, None);
    assert_eq!(created.table_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/Orders");
    assert_eq!(created.table_id, "00000000-0000-4001-8000-000000000000");
    assert_eq!(created.creation_date_time, Some(world.now()));
    let index = &created.global_secondary_indexes.as_ref().unwrap()[0];
    assert_eq!((index.index_status, index.backfilling), (Status::Creating, None));
    assert_eq!(index.index_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/Orders/index/byUser");

    let seen = world.describe("Orders").unwrap();
    assert_eq!(seen.table_status, Status::Active);
    assert_eq!(seen.attribute_definitions, definitions("date:N pk:S sk:S user:S"));
    assert_eq!(seen.key_schema, key("pk:HASH sk:RANGE"));
    let index = &seen.global_secondary_indexes.as_ref().unwrap()[0];
    assert_eq!((index.index_status, index.backfilling), (Status::Active, None));
    assert_eq!(index.projection.non_key_attributes, Some(vec!["a".to_owned(), "z".to_owned()]));
    assert_eq!(index.warm_throughput.unwrap().read_units_per_second, 12_000);
    assert_eq!(seen.local_secondary_indexes.as_ref().unwrap()[0].index_name, "byDate");
    assert_eq!(
        seen.billing_mode_summary.unwrap().last_update_to_pay_per_request_date_time,
        Some(world.now())
    );
    assert_eq!(seen.stream_specification, stream(true, Some("NEW_IMAGE")));
    assert_eq!(seen.latest_stream_label, s("2026-06-01T10:00:00.000"));
    assert_eq!(
        seen.latest_stream_arn,
        s("arn:aws:dynamodb:us-east-1:000000000000:table/Orders/stream/2026-06-01T10:00:00.000")
    );
    let encrypted = seen.sse_description.unwrap();
    assert_eq!((encrypted.status, encrypted.sse_type), ("ENABLED", Some(SseType::Kms)));
    assert_eq!(encrypted.kms_master_key_arn, s("arn:aws:kms:us-east-1:1:key/k"));
    let class = seen.table_class_summary.unwrap();
    assert_eq!(
        (class.table_class, class.last_update_date_time),
        (TableClass::StandardInfrequentAccess, None)
    );
    assert_eq!(seen.on_demand_throughput, most(10, 20));
    assert_eq!(seen.warm_throughput.unwrap().status, Status::Active);
    assert!(!seen.deletion_protection_enabled);
}
