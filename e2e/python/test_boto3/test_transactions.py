"""TransactWriteItems and TransactGetItems: all or nothing, reasons, idempotency."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from helpers import SIMPLE, refused, strings


@pytest.fixture
def table(client, make_table):
    return make_table(SIMPLE)


def put(table, **item):
    return {"Put": {"TableName": table, "Item": item}}


def read(client, table, key):
    return client.get_item(TableName=table, Key=strings(pk=key), ConsistentRead=True).get("Item")


def test_four_actions_over_two_tables(client, make_table, table):
    other = make_table(SIMPLE)
    for key in ("update", "delete", "check"):
        client.put_item(TableName=table, Item={"pk": {"S": key}, "n": {"N": "1"}})
    client.transact_write_items(
        TransactItems=[
            {
                "Put": {
                    "TableName": other,
                    "Item": strings(pk="put"),
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
            {
                "Update": {
                    "TableName": table,
                    "Key": strings(pk="update"),
                    "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            },
            {"Delete": {"TableName": table, "Key": strings(pk="delete")}},
            {
                "ConditionCheck": {
                    "TableName": table,
                    "Key": strings(pk="check"),
                    "ConditionExpression": "n = :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            },
        ]
    )
    assert read(client, other, "put") == strings(pk="put")
    assert read(client, table, "update")["n"] == {"N": "2"}
    assert read(client, table, "delete") is None


def test_one_failed_condition_cancels_all_and_says_which(client, table):
    client.put_item(TableName=table, Item={"pk": {"S": "taken"}, "n": {"N": "1"}})
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(
            TransactItems=[
                put(table, pk={"S": "fresh"}),
                {
                    "Put": {
                        "TableName": table,
                        "Item": strings(pk="taken"),
                        "ConditionExpression": "attribute_not_exists(pk)",
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
                {
                    "Delete": {
                        "TableName": table,
                        "Key": strings(pk="absent"),
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ]
        )
    response = caught.value.response
    assert response["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, ConditionalCheckFailed]"
    )
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert response["CancellationReasons"] == [
        {"Code": "None"},
        {**failed, "Item": {"pk": {"S": "taken"}, "n": {"N": "1"}}},
        failed,
    ]
    assert read(client, table, "fresh") is None


def test_transact_get_keeps_the_order(client, table):
    for key in ("a", "b"):
        client.put_item(TableName=table, Item=strings(pk=key, v=key, w="w"))

    def get(key, **more):
        return {"Get": {"TableName": table, "Key": strings(pk=key), **more}}

    answer = client.transact_get_items(TransactItems=[get("b"), get("none"), get("a", ProjectionExpression="v")])
    assert answer["Responses"] == [{"Item": strings(pk="b", v="b", w="w")}, {}, {"Item": strings(v="a")}]


def test_the_same_token_writes_once(client, table):
    token = str(uuid.uuid4())
    add = {
        "Update": {
            "TableName": table,
            "Key": strings(pk="counter"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }
    for _ in range(3):
        client.transact_write_items(TransactItems=[add], ClientRequestToken=token)
    assert read(client, table, "counter")["n"] == {"N": "1"}
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=[put(table, pk={"S": "x"})], ClientRequestToken=token)


def test_two_actions_on_one_item(client, table):
    refused(
        "ValidationException",
        "Transaction request cannot include multiple operations on one item",
        client.transact_write_items,
        TransactItems=[put(table, pk={"S": "a"}), put(table, pk={"S": "a"}, v={"S": "v"})],
    )


def test_a_missing_table_cancels_nothing_half(client, table):
    refused(
        "ResourceNotFoundException",
        "Requested resource not found",
        client.transact_write_items,
        TransactItems=[put(table, pk={"S": "a"}), put("e2e-no-such-table", pk={"S": "a"})],
    )
    assert read(client, table, "a") is None


def test_concurrent_transfers_lose_nothing(client, table):
    """Eight threads move amounts between four accounts; conflicts are tried again, the sum stays."""
    accounts = [f"account{number}" for number in range(4)]
    for account in accounts:
        client.put_item(TableName=table, Item={"pk": {"S": account}, "n": {"N": "100"}})

    def move(source, target):
        def add(account, amount):
            return {
                "Update": {
                    "TableName": table,
                    "Key": strings(pk=account),
                    "UpdateExpression": "SET n = n + :amount",
                    "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
                }
            }

        for _ in range(200):
            try:
                return client.transact_write_items(TransactItems=[add(source, -1), add(target, 1)])
            except ClientError as error:
                assert error.response["Error"]["Code"] == "TransactionCanceledException"
                codes = {reason["Code"] for reason in error.response["CancellationReasons"]}
                assert codes <= {"None", "TransactionConflict"}
        raise AssertionError("a transfer met a conflict 200 times")

    moves = [(accounts[number % 4], accounts[(number * 3 + 1) % 4]) for number in range(80)]
    moves = [(source, target) for source, target in moves if source != target]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda pair: move(*pair), moves))
    expected = {account: 100 for account in accounts}
    for source, target in moves:
        expected[source] -= 1
        expected[target] += 1
    assert {account: int(read(client, table, account)["n"]["N"]) for account in accounts} == expected
