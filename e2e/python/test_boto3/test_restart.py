"""Written before a kill, read after the restart: tables, items, indexes, settings."""

import os

from helpers import INDEXED, strings, wait_until_active

TABLE = "restart-boto3"
HALF = os.environ.get("DYNO_RESTART")


def item(number):
    return {
        "pk": f"p{number % 7}",
        "sk": f"{number:04}",
        "g": f"g{number % 5}",
        "l": f"l{number:04}",
        "n": number,
        "tags": {"a", f"t{number}"},
        "deep": {"list": [number, None, True, b"\x00\xff"]},
    }


def test_half(client, resource):
    assert HALF in ("before", "after"), "DYNO_RESTART says which half this is"
    table = resource.Table(TABLE)
    if HALF == "before":
        write(client, table)
    check(client, table)


def write(client, table):
    client.create_table(
        TableName=TABLE, BillingMode="PAY_PER_REQUEST", Tags=[{"Key": "kept", "Value": "yes"}], **INDEXED
    )
    wait_until_active(client, TABLE)
    client.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
    )
    with table.batch_writer() as batch:
        for number in range(300):
            batch.put_item(Item=item(number))
    table.update_item(
        Key={"pk": "p0", "sk": "0000"}, UpdateExpression="ADD n :n", ExpressionAttributeValues={":n": 1000}
    )
    table.delete_item(Key={"pk": "p1", "sk": "0001"})
    client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": TABLE, "Item": strings(pk="t", sk="1", g="transaction")}},
            {"Put": {"TableName": TABLE, "Item": strings(pk="t", sk="2", g="transaction")}},
        ]
    )


def check(client, table):
    described = client.describe_table(TableName=TABLE)["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert client.list_tags_of_resource(ResourceArn=described["TableArn"])["Tags"] == [
        {"Key": "kept", "Value": "yes"}
    ]
    ttl = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    assert ttl["AttributeName"] == "expires"

    expected = {(each["pk"], each["sk"]): each for each in map(item, range(300))}
    expected["p0", "0000"]["n"] = 1000
    del expected["p1", "0001"]
    expected["t", "1"] = {"pk": "t", "sk": "1", "g": "transaction"}
    expected["t", "2"] = {"pk": "t", "sk": "2", "g": "transaction"}
    assert all_of(table) == expected
    assert all_of(table, IndexName="gsi") == expected
    with_l = {key: each for key, each in expected.items() if "l" in each}
    assert all_of(table, IndexName="lsi") == with_l


def all_of(table, **where):
    """Every item by its key, binaries as bytes."""
    items, start = {}, {}
    while True:
        page = table.scan(**where, **start)
        for each in page["Items"]:
            if "deep" in each:
                each["deep"]["list"][3] = bytes(each["deep"]["list"][3])
            items[each["pk"], each["sk"]] = each
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
