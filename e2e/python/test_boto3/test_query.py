"""Query: the table, a GSI and an LSI; conditions, filters, order, pages, Select."""

import pytest
from boto3.dynamodb.conditions import Attr, Key

from helpers import attributes, index, keys

TABLE = {
    "AttributeDefinitions": attributes(pk="S", sk="S", status="S", total="N"),
    "KeySchema": keys("pk", "sk"),
    "GlobalSecondaryIndexes": [index("by-status", "status", "total", projection="INCLUDE", include=["customer"])],
    "LocalSecondaryIndexes": [index("by-total", "pk", "total", projection="KEYS_ONLY")],
}


@pytest.fixture(scope="module")
def orders(resource, make_module_table):
    """Two customers with ten orders each; every third order has no status."""
    table = resource.Table(make_module_table(TABLE))
    with table.batch_writer() as batch:
        for customer in ("ann", "bob"):
            for number in range(10):
                item = {"pk": customer, "sk": f"order#{number:02}", "total": number * 10, "customer": customer}
                item["parts"] = [{"sku": f"s{number}", "count": number}]
                if number % 3:
                    item["status"] = "open" if number % 2 else "paid"
                batch.put_item(Item=item)
            batch.put_item(Item={"pk": customer, "sk": "profile", "customer": customer})
    return table


def sort_keys(answer):
    return [item["sk"] for item in answer["Items"]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Key("sk").eq("order#03"), ["order#03"]),
        (Key("sk").lt("order#02"), ["order#00", "order#01"]),
        (Key("sk").lte("order#01"), ["order#00", "order#01"]),
        (Key("sk").gt("order#08"), ["order#09", "profile"]),
        (Key("sk").gte("order#09"), ["order#09", "profile"]),
        (Key("sk").between("order#03", "order#05"), ["order#03", "order#04", "order#05"]),
        (Key("sk").begins_with("prof"), ["profile"]),
        (Key("sk").begins_with("Prof"), []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_sort_key_conditions(orders, condition, expected):
    answer = orders.query(KeyConditionExpression=Key("pk").eq("ann") & condition)
    assert sort_keys(answer) == expected
    assert (answer["Count"], answer["ScannedCount"]) == (len(expected), len(expected))
    assert "LastEvaluatedKey" not in answer


def test_newest_first_with_a_limit(orders):
    answer = orders.query(
        KeyConditionExpression=Key("pk").eq("ann") & Key("sk").begins_with("order#"), ScanIndexForward=False, Limit=3
    )
    assert sort_keys(answer) == ["order#09", "order#08", "order#07"]
    assert answer["LastEvaluatedKey"] == {"pk": "ann", "sk": "order#07"}
    more = orders.query(
        KeyConditionExpression=Key("pk").eq("ann") & Key("sk").begins_with("order#"),
        ScanIndexForward=False,
        Limit=2,
        ExclusiveStartKey=answer["LastEvaluatedKey"],
    )
    assert sort_keys(more) == ["order#06", "order#05"]


def test_a_filter_drops_after_the_limit_counted(orders):
    answer = orders.query(
        KeyConditionExpression=Key("pk").eq("ann"), FilterExpression=Attr("total").gte(30), Limit=5
    )
    assert sort_keys(answer) == ["order#03", "order#04"]
    assert (answer["Count"], answer["ScannedCount"]) == (2, 5)
    assert answer["LastEvaluatedKey"] == {"pk": "ann", "sk": "order#04"}


def test_filters_on_nested_paths_and_sizes(orders):
    answer = orders.query(
        KeyConditionExpression=Key("pk").eq("bob"),
        FilterExpression="parts[0].#c > :n and attribute_type(#l, :list) and size(parts) = :one",
        ExpressionAttributeNames={"#c": "count", "#l": "parts"},
        ExpressionAttributeValues={":n": 7, ":list": "L", ":one": 1},
        ProjectionExpression="sk, parts[0].sku",
    )
    assert answer["Items"] == [
        {"sk": "order#08", "parts": [{"sku": "s8"}]},
        {"sk": "order#09", "parts": [{"sku": "s9"}]},
    ]


def test_the_sparse_gsi(orders):
    answer = orders.query(IndexName="by-status", KeyConditionExpression=Key("status").eq("paid"))
    assert answer["Count"] == 6
    totals = [item["total"] for item in answer["Items"]]
    assert totals == sorted(totals) == [20, 20, 40, 40, 80, 80]
    # INCLUDE: the table's and the index's keys and what was named, nothing else.
    assert {name for item in answer["Items"] for name in item} == {"pk", "sk", "status", "total", "customer"}
    narrow = orders.query(
        IndexName="by-status", KeyConditionExpression=Key("status").eq("paid") & Key("total").between(30, 80)
    )
    assert [item["total"] for item in narrow["Items"]] == [40, 40, 80, 80]


def test_gsi_pages_carry_all_keys(orders):
    first = orders.query(IndexName="by-status", KeyConditionExpression=Key("status").eq("open"), Limit=1)
    assert set(first["LastEvaluatedKey"]) == {"pk", "sk", "status", "total"}
    seen, start = first["Items"], first["LastEvaluatedKey"]
    while start:
        page = orders.query(
            IndexName="by-status", KeyConditionExpression=Key("status").eq("open"), Limit=1, ExclusiveStartKey=start
        )
        seen += page["Items"]
        start = page.get("LastEvaluatedKey")
    assert sorted((item["total"], item["pk"]) for item in seen) == [
        (10, "ann"),
        (10, "bob"),
        (50, "ann"),
        (50, "bob"),
        (70, "ann"),
        (70, "bob"),
    ]


def test_the_lsi_fetches_what_it_does_not_hold(orders):
    keys_only = orders.query(
        IndexName="by-total", KeyConditionExpression=Key("pk").eq("ann") & Key("total").gte(80), ConsistentRead=True
    )
    assert keys_only["Items"] == [
        {"pk": "ann", "sk": "order#08", "total": 80},
        {"pk": "ann", "sk": "order#09", "total": 90},
    ]
    whole = orders.query(
        IndexName="by-total",
        KeyConditionExpression=Key("pk").eq("ann") & Key("total").gte(90),
        Select="ALL_ATTRIBUTES",
    )
    assert whole["Items"][0]["parts"] == [{"sku": "s9", "count": 9}]


def test_count_only(orders):
    answer = orders.query(
        KeyConditionExpression=Key("pk").eq("ann"), FilterExpression=Attr("status").exists(), Select="COUNT"
    )
    assert (answer["Count"], answer["ScannedCount"]) == (6, 11)
    assert "Items" not in answer


def test_the_paginator_stops_after_a_page_of_one_megabyte(client, resource, make_table):
    name = make_table({"AttributeDefinitions": attributes(pk="S", sk="S"), "KeySchema": keys("pk", "sk")})
    with resource.Table(name).batch_writer() as batch:
        for number in range(30):
            batch.put_item(Item={"pk": "a", "sk": f"{number:02}", "filler": "x" * 100_000})
    pages = list(
        client.get_paginator("query").paginate(
            TableName=name, KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}}
        )
    )
    # Each item is 100,013 bytes: the eleventh is the first to pass 1,048,576 and is still in the page (measured).
    assert [page["Count"] for page in pages] == [11, 11, 8]
    assert [item["sk"]["S"] for page in pages for item in page["Items"]] == [f"{number:02}" for number in range(30)]


def test_binary_and_number_sort_keys_order_by_value(client, make_table):
    numbers = make_table({"AttributeDefinitions": attributes(pk="S", sk="N"), "KeySchema": keys("pk", "sk")})
    ordered = ["-1000", "-2.5", "-2", "-0.1", "0", "0.00001", "1", "2", "10", "123456789012345678901234567890"]
    for number in reversed(ordered):
        client.put_item(TableName=numbers, Item={"pk": {"S": "a"}, "sk": {"N": number}})
    answer = client.query(
        TableName=numbers, KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}}
    )
    assert [item["sk"]["N"] for item in answer["Items"]] == ordered

    binaries = make_table({"AttributeDefinitions": attributes(pk="S", sk="B"), "KeySchema": keys("pk", "sk")})
    ordered = [b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\x7f", b"\x80", b"\xff"]
    for binary in reversed(ordered):
        client.put_item(TableName=binaries, Item={"pk": {"S": "a"}, "sk": {"B": binary}})
    answer = client.query(
        TableName=binaries, KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}}
    )
    assert [item["sk"]["B"] for item in answer["Items"]] == ordered


def test_legacy_key_conditions_and_filter(client, orders):
    answer = client.query(
        TableName=orders.name,
        KeyConditions={
            "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "ann"}]},
            "sk": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "order#"}]},
        },
        QueryFilter={"total": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "60"}]}},
        AttributesToGet=["sk"],
    )
    assert [item["sk"]["S"] for item in answer["Items"]] == ["order#07", "order#08", "order#09"]
    assert answer["ScannedCount"] == 10
