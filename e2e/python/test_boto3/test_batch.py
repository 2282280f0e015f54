"""BatchWriteItem, the batch_writer, BatchGetItem."""

import pytest

from helpers import PAIR, SIMPLE, refused, strings


def test_the_batch_writer_writes_more_than_one_batch(client, resource, make_table):
    table = resource.Table(make_table(PAIR))
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for number in range(130):
            batch.put_item(Item={"pk": f"p{number % 4}", "sk": f"{number:03}", "n": number})
        batch.put_item(Item={"pk": "p0", "sk": "000", "n": "again"})
        batch.delete_item(Key={"pk": "p1", "sk": "001"})
    assert table.scan(Select="COUNT")["Count"] == 129
    assert table.get_item(Key={"pk": "p0", "sk": "000"})["Item"]["n"] == "again"


def test_one_batch_over_two_tables(client, make_table):
    left, right = make_table(SIMPLE), make_table(SIMPLE)
    answer = client.batch_write_item(
        RequestItems={
            left: [{"PutRequest": {"Item": strings(pk=str(number))}} for number in range(20)],
            right: [{"PutRequest": {"Item": strings(pk=str(number))}} for number in range(5)],
        }
    )
    assert answer["UnprocessedItems"] == {}
    assert client.scan(TableName=left)["Count"] == 20
    assert client.scan(TableName=right)["Count"] == 5

    got = client.batch_get_item(
        RequestItems={
            left: {"Keys": [strings(pk="3"), strings(pk="no"), strings(pk="7")], "ConsistentRead": True},
            right: {"Keys": [strings(pk="4")], "ProjectionExpression": "pk"},
        }
    )
    assert sorted(item["pk"]["S"] for item in got["Responses"][left]) == ["3", "7"]
    assert got["Responses"][right] == [strings(pk="4")]
    assert got["UnprocessedKeys"] == {}


def test_one_hundred_keys_at_once(resource, make_table):
    table = resource.Table(make_table(SIMPLE))
    with table.batch_writer() as batch:
        for number in range(100):
            batch.put_item(Item={"pk": str(number), "n": number})
    answer = resource.batch_get_item(RequestItems={table.name: {"Keys": [{"pk": str(n)} for n in range(100)]}})
    assert sorted(item["n"] for item in answer["Responses"][table.name]) == list(range(100))


def test_a_bad_member_writes_nothing(client, make_table):
    name = make_table(SIMPLE)
    good = {"PutRequest": {"Item": strings(pk="good")}}
    refused(
        "ValidationException",
        "Provided list of item keys contains duplicates",
        client.batch_write_item,
        RequestItems={name: [good, {"DeleteRequest": {"Key": strings(pk="good")}}]},
    )
    refused(
        "ValidationException",
        "The provided key element does not match the schema",
        client.batch_write_item,
        RequestItems={name: [good, {"PutRequest": {"Item": strings(other="x")}}]},
    )
    refused(
        "ResourceNotFoundException",
        "Requested resource not found",
        client.batch_write_item,
        RequestItems={name: [good], "e2e-no-such-table": [good]},
    )
    assert client.scan(TableName=name)["Count"] == 0


@pytest.mark.parametrize("duplicate", [True, False])
def test_duplicate_keys_in_a_batch_get(client, make_table, duplicate):
    name = make_table(SIMPLE)
    keys = [strings(pk="a"), strings(pk="a" if duplicate else "b")]
    if duplicate:
        refused(
            "ValidationException",
            "Provided list of item keys contains duplicates",
            client.batch_get_item,
            RequestItems={name: {"Keys": keys}},
        )
    else:
        assert client.batch_get_item(RequestItems={name: {"Keys": keys}})["Responses"] == {name: []}
