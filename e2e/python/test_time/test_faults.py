"""Bad days on purpose: `/_dyno/faults`, as an SDK meets them."""

import time

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from helpers import SIMPLE, own, strings


@pytest.fixture
def inject(endpoint):
    def inject(**fault):
        status, answer = own(endpoint, "/_dyno/faults", fault)
        assert status == 200, answer
        return answer

    yield inject
    assert own(endpoint, "/_dyno/faults", method="DELETE")[0] == 200


@pytest.fixture
def table(make_table):
    return make_table(SIMPLE)


def put(client, table, key="a"):
    return client.put_item(TableName=table, Item=strings(pk=key))


def test_an_sdk_that_tries_again_gets_through(endpoint, table, inject):
    retrying = boto3.client("dynamodb", config=Config(retries={"mode": "standard", "total_max_attempts": 4}))
    inject(fault="internal-error", operations=["PutItem"], count=1)
    inject(fault="throttle", operations=["PutItem"], count=1)
    inject(fault="drop", operations=["PutItem"], count=1)
    answer = put(retrying, table)
    assert answer["ResponseMetadata"]["RetryAttempts"] == 3
    struck = [fault["struck"] for fault in own(endpoint, "/_dyno/faults")[1]["faults"]]
    assert struck == [1, 1, 1]
    retrying.close()


def test_errors_are_those_that_botocore_knows(client, table, inject):
    inject(fault="conflict", tables=[table])
    with pytest.raises(client.exceptions.TransactionConflictException):
        put(client, table)
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        put_action = {"Put": {"TableName": table, "Item": strings(pk="a")}}
        client.transact_write_items(TransactItems=[put_action])
    assert caught.value.response["CancellationReasons"][0]["Code"] == "TransactionConflict"


def test_a_throttle_has_its_reason(client, table, inject):
    inject(fault="throttle", operations=["GetItem"])
    with pytest.raises(ClientError) as caught:
        client.get_item(TableName=table, Key=strings(pk="a"))
    response = caught.value.response
    assert response["Error"]["Code"] == "ThrottlingException"
    assert response["throttlingReasons"][0]["reason"] == "TableReadKeyRangeThroughputExceeded"


def test_an_answer_that_is_lost_is_what_tokens_are_for(client, table, inject):
    inject(fault="drop", operations=["TransactWriteItems"], after=True, count=1)
    add = {
        "TableName": table,
        "Key": strings(pk="a"),
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    request = {"TransactItems": [{"Update": add}], "ClientRequestToken": "the-same"}
    with pytest.raises(ConnectionClosedError):
        client.transact_write_items(**request)
    client.transact_write_items(**request)
    item = client.get_item(TableName=table, Key=strings(pk="a"), ConsistentRead=True)["Item"]
    assert item["n"] == {"N": "1"}


def test_delays_and_the_control_plane(client, endpoint, table, inject):
    inject(fault="delay", delay="150ms..200ms")

    def struck():
        return [fault["struck"] for fault in own(endpoint, "/_dyno/faults")[1]["faults"]]

    client.describe_table(TableName=table)
    assert struck() == [0]
    begun = time.monotonic()
    put(client, table)
    assert time.monotonic() - begun >= 0.15
    assert struck() == [1]


def test_wrong_faults_are_told_what_was_expected(endpoint):
    for fault, words in [
        ({"fault": "throtle"}, "expected one of `conflict`"),
        ({"fault": "drop", "share": 2}, "a number from 0 to 1"),
        ({"fault": "drop", "operations": ["Put"]}, "`Put` is no operation"),
    ]:
        status, answer = own(endpoint, "/_dyno/faults", fault)
        assert status == 400 and words in answer["error"], answer
