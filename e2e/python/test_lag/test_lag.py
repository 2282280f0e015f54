"""Reads that lag behind: a server with `--clock manual --index-lag 2s --read-lag 1s`."""

from helpers import INDEXED, own, strings


def advance(endpoint, by):
    assert own(endpoint, "/_dyno/clock", {"advance": by})[0] == 200


def count(client, table, consistent=False, **query):
    request = {"TableName": table, "Select": "COUNT", "ConsistentRead": consistent, **query}
    return client.query(**request)["Count"]


def test_i_wrote_it_and_the_index_does_not_show_it(client, endpoint, make_table):
    table = make_table(INDEXED)
    of_key = {
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}},
    }
    of_index = {
        "IndexName": "gsi",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "x"}},
    }
    client.put_item(TableName=table, Item=strings(pk="a", sk="1", g="x", l="l"))
    assert count(client, table, **of_key) == 0
    assert count(client, table, IndexName="lsi", **of_key) == 0
    assert count(client, table, IndexName="lsi", consistent=True, **of_key) == 1
    assert count(client, table, consistent=True, **of_key) == 1
    assert count(client, table, **of_index) == 0
    key = strings(pk="a", sk="1")
    assert "Item" not in client.get_item(TableName=table, Key=key)
    assert "Item" in client.get_item(TableName=table, Key=key, ConsistentRead=True)

    advance(endpoint, "1s")
    assert count(client, table, **of_key) == 1
    assert count(client, table, **of_index) == 0
    advance(endpoint, "1s")
    assert count(client, table, **of_index) == 1

    # Deletes are late too, and a page costs what it shows.
    client.delete_item(TableName=table, Key=key)
    assert client.get_item(TableName=table, Key=key)["Item"]["g"] == {"S": "x"}
    page = client.query(TableName=table, ReturnConsumedCapacity="TOTAL", **of_index)
    assert (page["Count"], page["ConsumedCapacity"]["CapacityUnits"]) == (1, 0.5)
    advance(endpoint, "2s")
    assert "Item" not in client.get_item(TableName=table, Key=key)
    assert count(client, table, **of_index) == 0


def test_paginators_follow_what_the_read_sees(client, endpoint, make_table):
    table = make_table(INDEXED)
    for at in range(10):
        client.put_item(TableName=table, Item=strings(pk="a", sk=f"{at:02}", g="x"))
    advance(endpoint, "2s")
    for at in range(0, 10, 2):
        client.delete_item(TableName=table, Key=strings(pk="a", sk=f"{at:02}"))

    def scanned(**scan):
        pages = client.get_paginator("scan").paginate(TableName=table, Limit=3, **scan)
        return len([item for page in pages for item in page["Items"]])

    assert (scanned(), scanned(IndexName="gsi"), scanned(ConsistentRead=True)) == (10, 10, 5)
    advance(endpoint, "1s")
    assert (scanned(), scanned(IndexName="gsi")) == (5, 10)
    advance(endpoint, "1s")
    assert scanned(IndexName="gsi") == 5
