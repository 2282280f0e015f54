"""Put, get, update and delete, with conditions and everything they can return."""

import pytest
from boto3.dynamodb.conditions import Attr

from helpers import INDEXED, PAIR, SIMPLE, refused, strings


@pytest.fixture
def table(client, make_table):
    return make_table(SIMPLE)


@pytest.fixture
def items(resource, table):
    """The same table through the resource interface."""
    return resource.Table(table)


def test_put_get_delete(items):
    assert "Item" not in items.get_item(Key={"pk": "a"})
    assert "Attributes" not in items.put_item(Item={"pk": "a", "v": 1}, ReturnValues="ALL_OLD")
    assert items.put_item(Item={"pk": "a", "w": 2}, ReturnValues="ALL_OLD")["Attributes"] == {"pk": "a", "v": 1}
    assert items.get_item(Key={"pk": "a"}, ConsistentRead=True)["Item"] == {"pk": "a", "w": 2}
    assert items.delete_item(Key={"pk": "a"}, ReturnValues="ALL_OLD")["Attributes"] == {"pk": "a", "w": 2}
    assert "Attributes" not in items.delete_item(Key={"pk": "a"}, ReturnValues="ALL_OLD")
    assert "Item" not in items.get_item(Key={"pk": "a"})


def test_projection(items):
    items.put_item(Item={"pk": "a", "name": "n", "l": [10, 20, {"x": 1, "y": 2}], "m": {"k": {"deep": True}}, "z": 0})
    got = items.get_item(
        Key={"pk": "a"},
        ProjectionExpression="#n, l[2].x, l[0], m.k.deep, nowhere",
        ExpressionAttributeNames={"#n": "name"},
    )
    # List elements come back compacted, in ascending order (measured).
    assert got["Item"] == {"name": "n", "l": [10, {"x": 1}], "m": {"k": {"deep": True}}}
    assert items.get_item(Key={"pk": "a"}, ProjectionExpression="nowhere")["Item"] == {}


def test_put_only_if_absent(client, items):
    items.put_item(Item={"pk": "a", "v": 1}, ConditionExpression=Attr("pk").not_exists())
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        items.put_item(
            Item={"pk": "a", "v": 2},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Error"]["Message"] == "The conditional request failed"
    assert caught.value.response["Item"] == {"pk": {"S": "a"}, "v": {"N": "1"}}
    assert items.get_item(Key={"pk": "a"})["Item"]["v"] == 1


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Attr("n").eq(5), True),
        (Attr("n").between(5, 6), True),
        (Attr("n").lt(5), False),
        (Attr("n").is_in([1, 5]), True),
        (Attr("s").begins_with("he"), True),
        (Attr("s").contains("ell"), True),
        (Attr("s").attribute_type("N"), False),
        (Attr("tags").contains("red"), True),
        (Attr("s").size().eq(5), True),
        (Attr("gone").ne(1), True),
        (Attr("gone").eq(1), False),
        (Attr("m.k").exists() & ~Attr("m.x").exists(), True),
        (Attr("n").gt(9) | Attr("l[1]").eq("b"), True),
    ],
    ids=str,
)
def test_conditions(client, items, condition, holds):
    items.put_item(
        Item={"pk": "a", "n": 5, "s": "hello", "tags": {"red", "blue"}, "m": {"k": 1}, "l": ["a", "b"]}
    )
    if holds:
        items.delete_item(Key={"pk": "a"}, ConditionExpression=condition)
        assert "Item" not in items.get_item(Key={"pk": "a"})
    else:
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            items.delete_item(Key={"pk": "a"}, ConditionExpression=condition)
        assert "Item" in items.get_item(Key={"pk": "a"})


def test_update_clauses(items):
    items.put_item(
        Item={"pk": "a", "n": 1, "l": ["x"], "gone": 1, "tags": {"a", "b"}, "m": {"k": 1}, "first": "f", "second": "s"}
    )
    updated = items.update_item(
        Key={"pk": "a"},
        UpdateExpression="SET #n = #n + :two, l = list_append(l, :more), m.k2 = if_not_exists(m.k2, :two), "
        "#f = #s, #s = #f, fresh = if_not_exists(fresh, :two) REMOVE gone ADD hits :two DELETE tags :drop",
        ExpressionAttributeNames={"#n": "n", "#f": "first", "#s": "second"},
        ExpressionAttributeValues={":two": 2, ":more": ["y"], ":drop": {"a"}},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    # Every clause reads the item as it was, so the two names are swapped (measured).
    assert updated == {
        "pk": "a",
        "n": 3,
        "l": ["x", "y"],
        "m": {"k": 1, "k2": 2},
        "first": "s",
        "second": "f",
        "fresh": 2,
        "hits": 2,
        "tags": {"b"},
    }


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("NONE", None),
        ("ALL_OLD", {"pk": "a", "n": 1, "m": {"x": 1, "y": 2}}),
        ("ALL_NEW", {"pk": "a", "n": 2, "m": {"x": 9, "y": 2}}),
        ("UPDATED_OLD", {"n": 1, "m": {"x": 1}}),
        ("UPDATED_NEW", {"n": 2, "m": {"x": 9}}),
    ],
)
def test_what_an_update_returns(items, wanted, expected):
    items.put_item(Item={"pk": "a", "n": 1, "m": {"x": 1, "y": 2}})
    answer = items.update_item(
        Key={"pk": "a"},
        UpdateExpression="SET n = :n, m.x = :x",
        ExpressionAttributeValues={":n": 2, ":x": 9},
        ReturnValues=wanted,
    )
    assert answer.get("Attributes") == expected


def test_update_creates_what_is_not_there(items):
    items.update_item(Key={"pk": "counter"}, UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": 1})
    items.update_item(Key={"pk": "counter"}, UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": 1})
    assert items.get_item(Key={"pk": "counter"})["Item"] == {"pk": "counter", "n": 2}
    items.update_item(Key={"pk": "bare"})
    assert items.get_item(Key={"pk": "bare"})["Item"] == {"pk": "bare"}


def test_optimistic_locking_lets_one_writer_through(client, items):
    items.put_item(Item={"pk": "doc", "version": 7})
    change = {
        "Key": {"pk": "doc"},
        "UpdateExpression": "SET version = :next",
        "ConditionExpression": "version = :seen",
        "ExpressionAttributeValues": {":next": 8, ":seen": 7},
    }
    items.update_item(**change)
    refused("ConditionalCheckFailedException", "The conditional request failed", items.update_item, **change)
    # A condition on an item that is not there is false, and creates none (measured).
    change["Key"] = {"pk": "ghost"}
    refused("ConditionalCheckFailedException", "The conditional request failed", items.update_item, **change)
    assert "Item" not in items.get_item(Key={"pk": "ghost"})


def test_legacy_parameters(client, table):
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "n": {"N": "1"}})
    client.update_item(
        TableName=table,
        Key=strings(pk="a"),
        AttributeUpdates={
            "n": {"Action": "ADD", "Value": {"N": "4"}},
            "s": {"Action": "PUT", "Value": {"S": "x"}},
        },
        Expected={"n": {"ComparisonOperator": "LE", "AttributeValueList": [{"N": "1"}]}},
    )
    got = client.get_item(TableName=table, Key=strings(pk="a"), AttributesToGet=["n", "s"])["Item"]
    assert got == {"n": {"N": "5"}, "s": {"S": "x"}}
    refused(
        "ConditionalCheckFailedException",
        "The conditional request failed",
        client.delete_item,
        TableName=table,
        Key=strings(pk="a"),
        Expected={"s": {"Exists": False}},
    )


def test_item_collection_metrics_only_with_an_lsi(client, make_table):
    with_lsi, without = make_table(INDEXED), make_table(PAIR)
    put = {"Item": strings(pk="a", sk="b"), "ReturnItemCollectionMetrics": "SIZE"}
    assert client.put_item(TableName=with_lsi, **put)["ItemCollectionMetrics"] == {
        "ItemCollectionKey": {"pk": {"S": "a"}},
        "SizeEstimateRangeGB": [0.0, 1.0],
    }
    assert "ItemCollectionMetrics" not in client.put_item(TableName=without, **put)
