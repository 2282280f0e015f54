"""The documented outcomes of throttling, as an SDK meets them: a server with `--clock manual --throttle enforce`.

Time moves only by `POST /_dyno/clock`, so what is served in a second is exact and takes no second. Rates are those of
the guides, with larger items and fewer requests of the same cost.
"""

import json
import os
import subprocess
import urllib.request

import pytest
from botocore.exceptions import ClientError

from helpers import SIMPLE, attributes, index, keys, own, provisioned, throughput

ACCOUNT = "000000000000"
PROVISIONED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning "
    "level with the UpdateTable API."
)


@pytest.fixture
def served(client, advance):
    """Sends requests evenly over each of some seconds; gives how many were served in each, and the last refusal."""

    def served(seconds, rate, call):
        counts, refusal = [], None
        for second in range(seconds):
            count = 0
            for at in range(rate):
                try:
                    call(second * rate + at)
                    count += 1
                except ClientError as error:
                    refusal = error.response
                advance(f"{(at + 1) * 1000 // rate - at * 1000 // rate}ms")
            counts.append(count)
        return counts, refusal

    return served


def arn(table):
    return f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{table}"


def test_a1_a_hot_item_is_read_at_3000_units_a_second(client, make_table, served):
    table = make_table(SIMPLE)
    # 400 KB less the names: 100 units, so 30 reads a second.
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"B": b"x" * (399 * 1024)}})

    def get(_):
        client.get_item(TableName=table, Key={"pk": {"S": "a"}}, ConsistentRead=True, ProjectionExpression="pk")

    counts, refusal = served(5, 80, get)
    assert counts[2:] == [30, 30, 30], counts
    assert refusal["Error"]["Code"] == "ThrottlingException"
    assert "hot key" in refusal["Error"]["Message"]
    assert refusal["throttlingReasons"] == [
        {"reason": "TableReadKeyRangeThroughputExceeded", "resource": arn(table)}
    ]


def test_a3_a_hot_key_is_written_at_1000_units_a_second(client, make_table, served):
    table = make_table(SIMPLE)

    def put(_):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"B": b"x" * (20 * 1024 - 16)}})

    counts, refusal = served(4, 120, put)
    assert counts[2:] == [50, 50], counts
    assert refusal["throttlingReasons"][0]["reason"] == "TableWriteKeyRangeThroughputExceeded"


def test_a7_five_minutes_of_unused_throughput_are_kept(client, make_table, served, advance):
    table = make_table(provisioned(100, 10000))
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"B": b"x" * (399 * 1024)}})
    advance("10m")

    def get(_):
        client.get_item(TableName=table, Key={"pk": {"S": "a"}}, ConsistentRead=True, ProjectionExpression="pk")

    # 200 units a second: 30,000 were saved, so all is served for 300 seconds, then 100 units a second.
    counts, refusal = served(310, 2, get)
    assert set(counts[:300]) == {2}
    assert sum(counts[302:]) in (7, 8, 9), counts[300:]
    assert refusal["Error"] == {"Code": "ProvisionedThroughputExceededException", "Message": PROVISIONED}
    assert refusal["ThrottlingReasons"] == [
        {"reason": "TableReadProvisionedThroughputExceeded", "resource": arn(table)}
    ]


def test_a15_an_index_that_is_too_small_limits_its_table(client, make_table, served):
    small = {**index("by-g", "g", projection="KEYS_ONLY"), "ProvisionedThroughput": throughput(10, 10)}
    table = make_table(
        provisioned(
            10,
            100,
            AttributeDefinitions=attributes(pk="S", g="S"),
            KeySchema=keys("pk"),
            GlobalSecondaryIndexes=[small],
        )
    )

    def put(number):
        client.put_item(TableName=table, Item={"pk": {"S": f"p{number}"}, "g": {"S": f"g{number}"}})

    counts, refusal = served(5, 50, put)
    assert counts[2:] == [10, 10, 10], counts
    assert refusal["Error"]["Code"] == "ProvisionedThroughputExceededException"
    assert refusal["ThrottlingReasons"] == [
        {"reason": "IndexWriteProvisionedThroughputExceeded", "resource": f"{arn(table)}/index/by-g"}
    ]


def test_a33_the_account_has_80000_units(client, make_table):
    make_table(provisioned(40000, 1))
    make_table(provisioned(39000, 1))
    with pytest.raises(ClientError) as caught:
        make_table(provisioned(2000, 1))
    error = caught.value.response["Error"]
    assert error["Code"] == "LimitExceededException"
    assert error["Message"].startswith(
        "This request would have caused the ReadCapacityUnits limit to be exceeded for the account in us-east-1."
    )


def test_batches_come_back_unprocessed_and_transactions_are_cancelled(client, make_table):
    table = make_table(provisioned(1, 1))
    puts = [{"PutRequest": {"Item": {"pk": {"S": key}}}} for key in "abc"]
    answer = client.batch_write_item(RequestItems={table: puts})
    assert answer["UnprocessedItems"] == {table: puts[1:]}
    with pytest.raises(ClientError) as caught:
        client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": {"pk": {"S": "d"}}}}])
    assert caught.value.response["CancellationReasons"] == [
        {"Code": "ProvisionedThroughputExceeded", "Message": PROVISIONED}
    ]


def test_the_clock_answers_and_does_not_run_backwards(endpoint, advance):
    before = own(endpoint, "/_dyno/clock")[1]["now"]
    advance("1d")
    after = own(endpoint, "/_dyno/clock")[1]["now"]
    assert before < after
    status, answer = own(endpoint, "/_dyno/clock", {"set": before})
    assert status == 409 and "does not run backwards" in answer["error"]
    status, answer = own(endpoint, "/_dyno/clock", {"advance": "soon"})
    assert status == 400 and "write numbers with ms, s, m, h, d or w" in answer["error"]
    assert own(endpoint, "/_dyno/clock", {"set": after})[1] == {"now": after}


def test_the_report_tells_of_the_hot_key(client, endpoint, make_table, served):
    table = make_table(SIMPLE)

    def put(_):
        client.put_item(TableName=table, Item={"pk": {"S": "hot"}, "v": {"B": b"x" * (100 * 1024 - 16)}})

    served(3, 20, put)
    _, report = own(endpoint, "/_dyno/report")
    mine = next(entry for entry in report["tables"] if entry["table"] == table)["resources"][0]
    hottest = mine["hottest_write_keys"][0]
    assert hottest["key"] == "hot" and hottest["share_of_units_percent"] == 100.0
    assert hottest["throttled_requests"] > 0
    assert mine["throttles"] == [
        {"reason": "TableWriteKeyRangeThroughputExceeded", "events": hottest["throttled_requests"]}
    ]
    assert mine["dollars_a_month"] > 0
    advice = [line for line in report["advice"] if line["table"] == table]
    assert advice[0]["kind"] == "throttles" and "spread hot over several partition keys" in advice[0]["remedy"]

    shown = subprocess.run([os.environ["DYNO_BIN"], "report"], capture_output=True, text=True, check=True).stdout
    assert "HOTTEST KEYS" in shown and table in shown and "A MONTH AT THIS RATE" in shown
    as_json = subprocess.run([os.environ["DYNO_BIN"], "report", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(as_json.stdout)["throttle"] == "enforce"
    nobody = [os.environ["DYNO_BIN"], "report", "--endpoint", "http://127.0.0.1:1"]
    failed = subprocess.run(nobody, capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and "hint:" in failed.stderr and failed.stdout == ""


def test_metrics_are_prometheus_text(client, endpoint, make_table):
    table = make_table(SIMPLE)
    client.put_item(TableName=table, Item={"pk": {"S": "a"}})
    with urllib.request.urlopen(endpoint + "/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.read().decode().splitlines()
    assert f'dyno_consumed_capacity_units_total{{table="{table}",index="",operation="PutItem"}} 1.0' in lines
    assert f'dyno_requests_total{{table="{table}",index="",operation="PutItem"}} 1' in lines
