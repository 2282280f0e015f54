"""Creating, describing, changing, listing and deleting tables."""

import re
import uuid

import pytest

from helpers import INDEXED, SIMPLE, attributes, index, keys, refused, strings, wait_until, wait_until_active


def test_create_and_describe_with_indexes(client):
    name = f"e2e-{uuid.uuid4().hex[:12]}"
    created = client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **INDEXED)["TableDescription"]
    assert created["TableStatus"] == "CREATING"
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})

    table = wait_until_active(client, name)
    assert table["TableName"] == name
    assert table["KeySchema"] == keys("pk", "sk")
    assert sorted(table["AttributeDefinitions"], key=lambda each: each["AttributeName"]) == attributes(
        g="S", l="S", pk="S", sk="S"
    )
    assert re.fullmatch(rf"arn:aws:dynamodb:us-east-1:\d{{12}}:table/{name}", table["TableArn"])
    assert str(uuid.UUID(table["TableId"])) == table["TableId"]
    assert table["TableId"] == created["TableId"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    assert table["DeletionProtectionEnabled"] is False
    assert (table["ItemCount"], table["TableSizeBytes"]) == (0, 0)

    (gsi,) = table["GlobalSecondaryIndexes"]
    assert (gsi["IndexName"], gsi["IndexStatus"]) == ("gsi", "ACTIVE")
    assert gsi["KeySchema"] == keys("g", "sk")
    assert gsi["Projection"] == {"ProjectionType": "ALL"}
    assert gsi["IndexArn"] == f"{table['TableArn']}/index/gsi"
    assert "Backfilling" not in gsi
    (lsi,) = table["LocalSecondaryIndexes"]
    assert (lsi["IndexName"], lsi["KeySchema"]) == ("lsi", keys("pk", "l"))
    assert "IndexStatus" not in lsi

    gone = client.delete_table(TableName=name)["TableDescription"]
    assert gone["TableStatus"] == "DELETING"
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    refused(
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {name} not found",
        client.describe_table,
        TableName=name,
    )


def test_create_twice(client, make_table):
    name = make_table(SIMPLE)
    refused(
        "ResourceInUseException",
        f"Table already exists: {name}",
        client.create_table,
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        **SIMPLE,
    )


def test_a_table_made_again_is_empty_and_has_another_id(client, make_table):
    name = make_table(SIMPLE)
    first = client.describe_table(TableName=name)["Table"]["TableId"]
    client.put_item(TableName=name, Item=strings(pk="a"))
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **SIMPLE)
    assert wait_until_active(client, name)["TableId"] != first
    assert client.scan(TableName=name)["Count"] == 0


def test_list_tables_pages_in_order(client, make_table):
    mine = {make_table(SIMPLE) for _ in range(4)}
    pages = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2})
    names = []
    for page in pages:
        assert len(page["TableNames"]) <= 2
        names += page["TableNames"]
    assert names == sorted(names)
    assert mine <= set(names)


def test_provisioned_throughput_is_kept_and_changed(client, make_table):
    name = make_table(
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, **SIMPLE}
    )
    table = client.describe_table(TableName=name)["Table"]
    assert "BillingModeSummary" not in table
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 6
    client.update_table(TableName=name, ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 6})
    changed = wait_until_active(client, name)["ProvisionedThroughput"]
    assert (changed["ReadCapacityUnits"], changed["WriteCapacityUnits"]) == (7, 6)
    assert "LastIncreaseDateTime" in changed
    client.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    switched = wait_until_active(client, name)
    assert switched["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert switched["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_an_index_is_added_with_what_is_there_and_removed(client, make_table):
    name = make_table(SIMPLE)
    for number in range(30):
        item = strings(pk=f"p{number:02}")
        if number % 3 == 0:
            item["colour"] = {"S": "red" if number % 2 else "blue"}
        client.put_item(TableName=name, Item=item)
    client.update_table(
        TableName=name,
        AttributeDefinitions=attributes(colour="S"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-colour", "colour", projection="KEYS_ONLY")}],
    )
    described = wait_until_active(client, name)
    assert [gsi["IndexName"] for gsi in described["GlobalSecondaryIndexes"]] == ["by-colour"]

    def red():
        found = client.query(
            TableName=name,
            IndexName="by-colour",
            KeyConditionExpression="colour = :c",
            ExpressionAttributeValues={":c": {"S": "red"}},
        )["Items"]
        return sorted(item["pk"]["S"] for item in found)

    assert red() == ["p03", "p09", "p15", "p21", "p27"]
    client.put_item(TableName=name, Item=strings(pk="new", colour="red"))
    assert "new" in red()

    client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-colour"}}])
    left = wait_until(
        lambda: (table := client.describe_table(TableName=name)["Table"]).get("GlobalSecondaryIndexes", []) == []
        and table
    )
    assert "GlobalSecondaryIndexes" not in left
    # Deleting an index prunes the definitions that only it needed (measured).
    assert left["AttributeDefinitions"] == attributes(pk="S")
    refused(
        "ValidationException",
        "The table does not have the specified index: by-colour",
        client.query,
        TableName=name,
        IndexName="by-colour",
        KeyConditionExpression="colour = :c",
        ExpressionAttributeValues={":c": {"S": "red"}},
    )


def test_deletion_protection(client, make_table):
    name = make_table({"DeletionProtectionEnabled": True, **SIMPLE})
    refused(
        "ValidationException",
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
        client.delete_table,
        TableName=name,
    )
    client.update_table(TableName=name, DeletionProtectionEnabled=False)
    assert client.describe_table(TableName=name)["Table"]["DeletionProtectionEnabled"] is False
    client.delete_table(TableName=name)


def test_settings_are_stored_and_shown(client, make_table):
    name = make_table(
        {
            "TableClass": "STANDARD_INFREQUENT_ACCESS",
            "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
            "SSESpecification": {"Enabled": True, "SSEType": "KMS"},
            **SIMPLE,
        }
    )
    table = client.describe_table(TableName=name)["Table"]
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    assert table["SSEDescription"]["Status"] == "ENABLED"
    assert table["SSEDescription"]["SSEType"] == "KMS"
    # An on-demand table starts warm at 12,000 reads and 4,000 writes a second (documented).
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12000
    assert table["WarmThroughput"]["WriteUnitsPerSecond"] == 4000


def test_tags(client, make_table):
    name = make_table({"Tags": [{"Key": "team", "Value": "orders"}], **SIMPLE})
    arn = client.describe_table(TableName=name)["Table"]["TableArn"]
    assert client.list_tags_of_resource(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "orders"}]
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "sales"}, {"Key": "stage", "Value": ""}])
    tags = client.list_tags_of_resource(ResourceArn=arn)["Tags"]
    assert sorted((tag["Key"], tag["Value"]) for tag in tags) == [("stage", ""), ("team", "sales")]
    client.untag_resource(ResourceArn=arn, TagKeys=["team", "never"])
    assert client.list_tags_of_resource(ResourceArn=arn)["Tags"] == [{"Key": "stage", "Value": ""}]


def test_time_to_live(client, make_table):
    name = make_table(SIMPLE)
    assert client.describe_time_to_live(TableName=name)["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    wanted = {"Enabled": True, "AttributeName": "expires"}
    echoed = client.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted)
    assert echoed["TimeToLiveSpecification"] == wanted
    described = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"
    assert described["TimeToLiveStatus"] in ("ENABLING", "ENABLED")


def test_limits_and_endpoints(client):
    limits = client.describe_limits()
    limits.pop("ResponseMetadata")
    assert limits == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }
    (found,) = client.describe_endpoints()["Endpoints"]
    assert found["CachePeriodInMinutes"] == 1440


def test_continuous_backups_are_described(client, make_table):
    name = make_table(SIMPLE)
    described = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert described["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (
            {"AttributeDefinitions": attributes(pk="S", extra="S"), "KeySchema": keys("pk")},
            "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match "
            "number of attributes defined in AttributeDefinitions",
        ),
        (
            {
                "AttributeDefinitions": attributes(pk="S", l="S"),
                "KeySchema": keys("pk"),
                "LocalSecondaryIndexes": [index("lsi", "pk", "l")],
            },
            "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required "
            "when specifying a LocalSecondaryIndex",
        ),
        (
            {
                "AttributeDefinitions": attributes(pk="S", g="S"),
                "KeySchema": keys("pk"),
                "GlobalSecondaryIndexes": [index("twice", "g"), index("twice", "g")],
            },
            "One or more parameter values were invalid: Duplicate index name: twice",
        ),
        (
            {
                "AttributeDefinitions": attributes(pk="S", g="S"),
                "KeySchema": keys("pk"),
                "GlobalSecondaryIndexes": [index("gsi", "g", projection="INCLUDE")],
            },
            "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not "
            "specified",
        ),
    ],
    ids=["unused definition", "LSI without sort key", "duplicate index", "INCLUDE of nothing"],
)
def test_a_bad_definition_makes_no_table(client, definition, message):
    name = f"e2e-{uuid.uuid4().hex[:12]}"
    refused(
        "ValidationException", message, client.create_table, TableName=name, BillingMode="PAY_PER_REQUEST", **definition
    )
    refused(
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {name} not found",
        client.describe_table,
        TableName=name,
    )
