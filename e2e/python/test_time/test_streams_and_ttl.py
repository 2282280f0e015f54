"""What becomes of streams and expiring items with time: a server with `--clock manual`.

Time moves only by `POST /_dyno/clock`, which answers when all that fell due is done.
"""

import json
import urllib.request
from datetime import datetime

import pytest

from consumer import Consumer, replay, scan
from helpers import SIMPLE, attributes, index, keys, strings

SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.fixture
def clock(endpoint):
    """Moves the clock (`advance="25h"`), or only reads it; gives the seconds since 1970."""

    def clock(**move):
        data = json.dumps(move).encode() if move else None
        request = urllib.request.Request(endpoint + "/_dyno/clock", data=data)
        with urllib.request.urlopen(request) as answer:
            now = json.load(answer)["now"]
        return int(datetime.fromisoformat(now.replace("Z", "+00:00")).timestamp())

    return clock


@pytest.fixture
def streamed(client, make_table):
    table = make_table({**SIMPLE, "StreamSpecification": STREAM})
    return table, client.describe_table(TableName=table)["Table"]["LatestStreamArn"]


def put(client, table, key, **numbers):
    item = {**strings(pk=key), **{name: {"N": str(value)} for name, value in numbers.items()}}
    client.put_item(TableName=table, Item=item)


def test_a_consumer_follows_shards_from_parents_to_children_for_two_days(client, streams, streamed, clock):
    table, arn = streamed
    consumer, items = Consumer(streams, arn), {}
    for hour in range(48):
        for at in range(3):
            put(client, table, f"key-{at}", n=hour)
        clock(advance="1h")
        # An iterator is an hour old each time: expired.
        if hour % 3 == 2:
            items = replay(consumer.drain(), items)
    assert items == scan(client, table)
    shards = consumer.shards()
    assert len(shards) > 4
    assert all(shard["ShardId"] > shard.get("ParentShardId", "") for shard in shards.values())


def test_what_is_a_day_old_is_gone(client, streams, streamed, clock):
    table, arn = streamed
    put(client, table, "old", n=1)
    [record] = Consumer(streams, arn).drain()
    number = record["dynamodb"]["SequenceNumber"]
    [shard] = [
        shard["ShardId"]
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        if streams.get_records(ShardIterator=iterator(streams, arn, shard["ShardId"], "TRIM_HORIZON"))["Records"]
    ]
    clock(advance="23h")
    put(client, table, "new", n=1)
    at = iterator(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
    clock(advance="14m")
    assert len(streams.get_records(ShardIterator=at)["Records"]) == 1
    clock(advance="46m")
    with pytest.raises(streams.exceptions.TrimmedDataAccessException):
        iterator(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
    with pytest.raises(streams.exceptions.ExpiredIteratorException):
        streams.get_records(ShardIterator=at)
    assert [record["dynamodb"]["Keys"] for record in Consumer(streams, arn).drain()] == [strings(pk="new")]


def iterator(streams, arn, shard, kind, **position):
    answer = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **position)
    return answer["ShardIterator"]


def test_items_expire_with_their_index_entries_and_tell_the_stream(client, streams, make_table, clock):
    table = make_table(
        {
            "AttributeDefinitions": attributes(pk="S", owner="S"),
            "KeySchema": keys("pk"),
            "GlobalSecondaryIndexes": [index("by-owner", "owner")],
            "StreamSpecification": STREAM,
        }
    )
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    now = clock()
    # Half of them are there before time to live is enabled.
    for at in range(40):
        item = {**strings(pk=f"session-{at}", owner="o"), "expiresAt": {"N": str(now + 60 * (1 + at % 4))}}
        client.put_item(TableName=table, Item=item)
        if at == 20:
            enabled = {"Enabled": True, "AttributeName": "expiresAt"}
            client.update_time_to_live(TableName=table, TimeToLiveSpecification=enabled)
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expiresAt"}
    consumer = Consumer(streams, arn)
    consumer.drain()
    for minute in range(4):
        clock(advance="60s")
        left = client.scan(TableName=table, Select="COUNT")["Count"]
        entries = client.scan(TableName=table, IndexName="by-owner", Select="COUNT")["Count"]
        assert (left, entries) == (30 - 10 * minute, 30 - 10 * minute)
        removed = consumer.drain()
        assert len(removed) == 10
        for record in removed:
            assert record["eventName"] == "REMOVE" and record["userIdentity"] == SERVICE
            assert int(record["dynamodb"]["ApproximateCreationDateTime"].timestamp()) == now + 60 * (1 + minute)
    assert replay(consumer.records) == {} == scan(client, table)
