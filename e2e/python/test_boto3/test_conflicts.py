"""Transactions that meet on one item: each runs whole or is told of the conflict, and nothing is lost."""

import threading

from botocore.exceptions import ClientError

from helpers import SIMPLE, strings

THREADS, ROUNDS = 6, 15


def test_transactions_on_one_item_run_or_conflict(client, make_table):
    table = make_table(SIMPLE)
    ran, refused = [], []

    def add(key):
        return {
            "Update": {
                "TableName": table,
                "Key": strings(pk=key),
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
        }

    def work(number):
        for _ in range(ROUNDS):
            try:
                client.transact_write_items(TransactItems=[add("shared"), add(f"own-{number}")])
                ran.append(number)
            except ClientError as error:
                refused.append(error.response)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran and len(ran) + len(refused) == THREADS * ROUNDS
    for response in refused:
        assert response["Error"]["Code"] == "TransactionCanceledException"
        reasons = response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == ["TransactionConflict", "None"]
        assert reasons[0]["Message"] == "Transaction is ongoing for the item"

    def number(key):
        item = client.get_item(TableName=table, Key=strings(pk=key), ConsistentRead=True).get("Item", {})
        return int(item.get("n", {"N": "0"})["N"])

    assert number("shared") == len(ran)
    assert [number(f"own-{at}") for at in range(THREADS)] == [ran.count(at) for at in range(THREADS)]
