//! Finding tables by name and ARN, listing them, their tags, time to live and backups.

use super::*;
use crate::catalog::record::Status;

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders";

fn named(name: Option<&str>) -> Option<String> {
    name.map(str::to_owned)
}

/// Every operation that takes a `TableName`, by its name.
fn by_name(world: &World, name: Option<&str>) -> Vec<(&'static str, String)> {
    let specification = TimeToLiveSpecification { enabled: Some(true), attribute_name: s("ttl") };
    let table_name = || named(name);
    vec![
        (
            "DescribeTable",
            outcome(world.run(async |engine, context| {
                engine.describe_table(context, DescribeTableRequest { table_name: table_name() }).await
            })),
        ),
        (
            "UpdateTimeToLive",
            outcome(world.run(async |engine, context| {
                let request = UpdateTimeToLiveRequest {
                    table_name: table_name(),
                    time_to_live_specification: Some(specification),
                };
                engine.update_time_to_live(context, request).await
            })),
        ),
        (
            "DescribeTimeToLive",
            outcome(world.run(async |engine, context| {
                engine
                    .describe_time_to_live(context, DescribeTimeToLiveRequest { table_name: table_name() })
                    .await
            })),
        ),
        (
            "DescribeContinuousBackups",
            outcome(world.run(async |engine, context| {
                let request = DescribeContinuousBackupsRequest { table_name: table_name() };
                engine.describe_continuous_backups(context, request).await
            })),
        ),
        (
            "UpdateTable",
            outcome(world.update(UpdateTableRequest {
                table_name: table_name(),
                deletion_protection_enabled: Some(false),
                ..of_orders()
            })),
        ),
        (
            "DeleteTable",
            outcome(world.run(async |engine, context| {
                engine.delete_table(context, DeleteTableRequest { table_name: table_name() }).await
            })),
        ),
    ]
}

#[test]
fn a_table_is_named_or_pointed_at() {
    let wrong = |what: &str, arn: &str| format!("1 validation error detected: Invalid {what} in '{arn}'");
    let constraint = |name: &str, constraint: &str| {
        format!(
            "1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: Member must \
             {constraint}"
        )
    };
    let elsewhere = "arn:aws:dynamodb:eu-west-1:000000000000:table/Orders";
    let other_partition = "arn:aws-cn:dynamodb:us-east-1:000000000000:table/Orders";
    let index = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders/index/byUser";
    let short = "arn:aws:dynamodb:us-east-1:000000000000:table/ab";
    let rows = [
        (None, "The parameter 'TableName' is required but was not present in the request".into()),
        (Some(""), constraint("", "have length greater than or equal to 1")),
        (Some("ab"), constraint("ab", "have length greater than or equal to 3")),
        (Some("a b c"), constraint("a b c", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+")),
        (Some(elsewhere), wrong("AWS region", elsewhere)),
        (Some(other_partition), wrong("AWS partition", other_partition)),
        (Some(index), wrong("resource type", index)),
        (Some(short), constraint(short, "have length greater than or equal to 3")),
        (Some(ARN), String::new()),
        (Some("Orders"), String::new()),
    ];
    for (name, expected) in rows {
        let world = World::new();
        world.create(orders()).unwrap();
        for (operation, found) in by_name(&world, name) {
            let expected = if expected.is_empty() {
                expected.clone()
            } else {
                format!("ValidationException: {expected}")
            };
            assert_eq!(found, expected, "{operation} of {name:?}");
        }
    }
}

#[test]
fn a_table_that_is_not_there() {
    for name in ["Nothing", "arn:aws:dynamodb:us-east-1:999999999999:table/Nothing"] {
        for (operation, found) in by_name(&World::new(), Some(name)) {
            let expected = match operation {
                "DescribeContinuousBackups" if name == "Nothing" => {
                    "TableNotFoundException: Table not found: Nothing"
                }
                _ => "ResourceNotFoundException: Requested resource not found: Table: Nothing not found",
            };
            assert_eq!(found, expected, "{operation}");
        }
    }
}

fn list(world: &World, start: Option<&str>, limit: Option<i32>) -> Result<ListTablesResponse, ApiError> {
    let request = ListTablesRequest { exclusive_start_table_name: named(start), limit };
    world.run(async |engine, context| engine.list_tables(context, request).await)
}

#[test]
fn tables_are_listed_by_name_and_page() {
    let world = World::with_delay(1000);
    for name in ["abc", "Zoo", "zoo", "a-c"] {
        world.create(CreateTableRequest { table_name: s(name), ..orders() }).unwrap();
    }
    let page = |start, limit| {
        let page = list(&world, start, limit).unwrap();
        (page.table_names.join(" "), page.last_evaluated_table_name.unwrap_or_default())
    };
    let text = |names: &str, last: &str| (names.to_owned(), last.to_owned());
    assert_eq!(page(None, None), text("Zoo a-c abc zoo", ""));
    assert_eq!(page(None, Some(2)), text("Zoo a-c", "a-c"));
    assert_eq!(page(Some("a-c"), Some(2)), text("abc zoo", ""));
    assert_eq!(page(Some("aaaaa"), None), text("abc zoo", ""));
    assert_eq!(page(Some("zoo"), None), text("", ""));
    world.advance(1000);
    world.delete("abc").unwrap();
    assert_eq!(page(None, None), text("Zoo a-c abc zoo", ""));
    world.advance(1000);
    assert_eq!(page(None, None), text("Zoo a-c zoo", ""));
    assert_outcome(
        &outcome(list(&world, Some("a!"), Some(101))),
        "3 validation errors detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value \
         less than or equal to 100; Value 'a!' at 'exclusiveStartTableName' failed to satisfy constraint: Member must \
         satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a!' at 'exclusiveStartTableName' failed to \
         satisfy constraint: Member must have length greater than or equal to 3",
    );
}

fn tag_resource(world: &World, arn: Option<&str>, tags: Option<Vec<Tag>>) -> String {
    let request = TagResourceRequest { resource_arn: named(arn), tags };
    outcome(world.run(async |engine, context| engine.tag_resource(context, request).await))
}

fn untag_resource(world: &World, arn: &str, keys: Option<Vec<String>>) -> String {
    let request = UntagResourceRequest { resource_arn: s(arn), tag_keys: keys };
    outcome(world.run(async |engine, context| engine.untag_resource(context, request).await))
}

fn list_tags(
    world: &World,
    arn: &str,
    next_token: Option<String>,
) -> Result<ListTagsOfResourceResponse, ApiError> {
    let request = ListTagsOfResourceRequest { resource_arn: s(arn), next_token };
    world.run(async |engine, context| engine.list_tags_of_resource(context, request).await)
}

/// `a=1 b=2`.
fn tags(world: &World) -> String {
    let (mut shown, mut token) = (Vec::new(), None);
    loop {
        let page = list_tags(world, ARN, token).unwrap();
        shown.extend(page.tags.iter().map(|tag| format!("{}={}", text_of(&tag.key), text_of(&tag.value))));
        token = page.next_token;
        if token.is_none() {
            return shown.join(" ");
        }
    }
}

fn text_of(text: &Option<String>) -> &str {
    text.as_deref().unwrap()
}

#[test]
fn tags_are_added_changed_and_taken_off() {
    let world = World::new();
    world.create(CreateTableRequest { tags: Some(vec![tag("a", "1"), tag("b", "2")]), ..orders() }).unwrap();
    assert_eq!(tags(&world), "a=1 b=2");
    assert_eq!(tag_resource(&world, Some(ARN), Some(vec![tag("c", "3"), tag("a", "")])), "");
    assert_eq!(tags(&world), "a= b=2 c=3");
    assert_eq!(untag_resource(&world, ARN, Some(vec!["b".into(), "nothing".into()])), "");
    assert_eq!(tags(&world), "a= c=3");

    let many =
        |range: std::ops::Range<usize>| range.map(|n| tag(&format!("t{n:02}"), "")).collect::<Vec<_>>();
    assert_eq!(tag_resource(&world, Some(ARN), Some(many(0..48))), "");
    assert_eq!(tags(&world).split(' ').count(), 50);
    assert_eq!(list_tags(&world, ARN, None).unwrap().tags.len(), 10);
    let limit = "Number of Tags exceed the current limit for the provided ResourceArn";
    assert_outcome(&tag_resource(&world, Some(ARN), Some(many(47..49))), limit);
    assert_eq!(tags(&world).split(' ').count(), 50);
    assert_outcome(
        &outcome(list_tags(&world, ARN, s("x"))),
        "Invalid NextToken: it names no tag of this resource; list from the start",
    );
    let keys = (0..51).map(|n| format!("k{n}")).collect();
    assert_outcome(&untag_resource(&world, ARN, Some(keys)), limit);
}

#[test]
fn tag_requests_that_are_refused() {
    let world = World::new();
    world.create(orders()).unwrap();
    let one = || Some(vec![tag("a", "1")]);
    let elsewhere = "arn:aws:dynamodb:eu-west-1:000000000000:table/Orders";
    let index = format!("{ARN}/index/byUser");
    let stream = format!("{ARN}/stream/2026-06-01T10:00:00.000");
    let missing = "arn:aws:dynamodb:us-east-1:000000000000:table/Nothing";
    let rows: [(String, &str); 10] = [
        (tag_resource(&world, None, one()), "Invalid TableArn"),
        (tag_resource(&world, Some("Orders"), one()), "…ARNs must start with 'arn:': Orders"),
        (
            tag_resource(&world, Some("arn:aws:s3:::b"), one()),
            "…Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::b",
        ),
        (
            tag_resource(&world, Some(&index), one()),
            "…Invalid resource arn provided, only table or stream is accepted. Provided resource arn: \
             arn:aws:dynamodb:us-east-1:000000000000:table/Orders/index/byUser",
        ),
        (
            tag_resource(&world, Some(elsewhere), one()),
            "Invalid TableArn: Invalid ResourceArn provided as input \
             arn:aws:dynamodb:eu-west-1:000000000000:table/Orders",
        ),
        (
            tag_resource(&world, Some(&stream), one()),
            "Invalid TableArn: Invalid ResourceArn provided as input \
             arn:aws:dynamodb:us-east-1:000000000000:table/Orders/stream/2026-06-01T10:00:00.000",
        ),
        (
            tag_resource(&world, Some(ARN), None),
            "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null",
        ),
        (tag_resource(&world, Some(ARN), Some(vec![])), "Atleast one Tag needs to be provided as Input."),
        (untag_resource(&world, ARN, Some(vec![])), "Atleast one Tag Key needs to be provided as Input."),
        (
            tag_resource(&world, Some(missing), one()),
            "ResourceNotFoundException: Requested resource not found: ResourceArn: \
             arn:aws:dynamodb:us-east-1:000000000000:table/Nothing not found",
        ),
    ];
    for (found, expected) in rows {
        assert_outcome(&found, expected);
    }
    let unknown = outcome(list_tags(&world, missing, None));
    assert!(unknown.starts_with("AccessDeniedException: ") && unknown.ends_with(missing), "{unknown}");
}

fn set_ttl(world: &World, enabled: Option<bool>, attribute: Option<&str>) -> String {
    let request = UpdateTimeToLiveRequest {
        table_name: s("Orders"),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled,
            attribute_name: named(attribute),
        }),
    };
    outcome(world.run(async |engine, context| engine.update_time_to_live(context, request).await))
}

fn ttl(world: &World) -> String {
    let request = DescribeTimeToLiveRequest { table_name: s("Orders") };
    match world.run(async |engine, context| engine.describe_time_to_live(context, request).await) {
        Ok(answer) => {
            let description = answer.time_to_live_description;
            let attribute = description.attribute_name.unwrap_or_default();
            format!("{} {attribute}", description.time_to_live_status).trim_end().to_owned()
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn time_to_live_is_enabled_and_disabled() {
    let world = World::with_delay(1000);
    world.create(orders()).unwrap();
    assert_outcome(
        &ttl(&world),
        "Cannot describe time to live while table is in CREATING state: Current table state is CREATING",
    );
    assert_outcome(
        &set_ttl(&world, Some(true), Some("ttl")),
        "ResourceInUseException: Attempt to change a resource which is still in use: Table Orders is being created",
    );
    world.advance(1000);
    assert_eq!(ttl(&world), "DISABLED");
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is ttl";
    let rows = [
        (Some(false), Some("ttl"), "TimeToLive is already disabled", "DISABLED"),
        (Some(true), Some("ttl"), "", "ENABLED ttl"),
        (Some(true), Some("ttl"), "TimeToLive is already enabled", "ENABLED ttl"),
        (Some(true), Some("more"), other, "ENABLED ttl"),
        (Some(false), Some("more"), other, "ENABLED ttl"),
        (Some(false), Some("ttl"), "", "DISABLED"),
        (Some(true), Some("pk"), "", "ENABLED pk"),
        (
            None,
            Some(""),
            "2 validation errors detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy \
             constraint: Member must have length greater than or equal to 1; Value null at \
             'timeToLiveSpecification.enabled' failed to satisfy constraint: Member must not be null",
            "ENABLED pk",
        ),
    ];
    for (enabled, attribute, expected, state) in rows {
        assert_outcome(&set_ttl(&world, enabled, attribute), expected);
        assert_eq!(ttl(&world), state);
    }
}

#[test]
fn backups_limits_and_endpoints() {
    let world = World::with_delay(1000);
    world.create(orders()).unwrap();
    let backups = || {
        let request = DescribeContinuousBackupsRequest { table_name: s("Orders") };
        let answer =
            world.run(async |engine, context| engine.describe_continuous_backups(context, request).await);
        answer.unwrap().continuous_backups_description
    };
    assert_eq!(backups().continuous_backups_status, "DISABLED");
    world.advance(1000);
    assert_eq!(backups().continuous_backups_status, "ENABLED");
    assert_eq!(backups().point_in_time_recovery_description.point_in_time_recovery_status, "DISABLED");

    let limits = world
        .run(async |engine, context| engine.describe_limits(context, DescribeLimitsRequest {}).await)
        .unwrap();
    assert_eq!(
        (limits.account_max_read_capacity_units, limits.table_max_write_capacity_units),
        (80_000, 40_000)
    );
    let endpoints = world
        .run(async |engine, context| engine.describe_endpoints(context, DescribeEndpointsRequest {}).await)
        .unwrap();
    assert_eq!(
        endpoints.endpoints,
        [Endpoint { address: "localhost:8000".into(), cache_period_in_minutes: 1440 }]
    );
}

#[test]
fn databases_do_not_see_each_other() {
    let world = World::new();
    world.create(orders()).unwrap();
    let entropy = || 7;
    let context = Context {
        now: world.now(),
        namespace: "other",
        region: "us-east-1",
        account: "000000000000",
        host: None,
        elapsed: &|| std::time::Duration::ZERO,
        entropy: &entropy,
    };
    let seen = ready(world.engine.list_tables(&context, ListTablesRequest::default())).unwrap();
    assert!(seen.table_names.is_empty());
    assert_outcome(&outcome(ready(world.engine.create_table(&context, orders()))), "");
    assert_eq!(world.describe("Orders").unwrap().table_status, Status::Active);
}
