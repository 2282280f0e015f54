"""Streams, as consumers read them."""

import threading

import pytest

from consumer import Consumer, replay, scan
from helpers import SIMPLE, refused, strings, wait_until_active

BOTH = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.fixture
def streamed(client, make_table):
    """A function that makes a table with a stream; gives its name and the stream's ARN."""

    def make(view="NEW_AND_OLD_IMAGES"):
        specification = {"StreamEnabled": True, "StreamViewType": view}
        table = make_table({**SIMPLE, "StreamSpecification": specification})
        return table, client.describe_table(TableName=table)["Table"]["LatestStreamArn"]

    return make


def test_a_consumer_comes_to_the_same_table_while_others_write(client, streams, streamed):
    table, arn = streamed()
    consumer = Consumer(streams, arn)

    def write(worker):
        for number in range(60):
            key = strings(pk=f"{worker}-{number % 9}")
            client.put_item(TableName=table, Item={**key, "n": {"N": str(number)}})
            if number % 4 == 0:
                client.delete_item(TableName=table, Key=key)
            if number % 5 == 0:
                actions = [
                    {"Put": {"TableName": table, "Item": {**strings(pk=f"{worker}-t{at}"), "n": {"N": str(number)}}}}
                    for at in range(3)
                ]
                client.transact_write_items(TransactItems=actions)

    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        consumer.poll(limit=7)
    consumer.drain()
    assert replay(consumer.records) == scan(client, table)
    event_ids = [record["eventID"] for record in consumer.records]
    assert len(set(event_ids)) == len(event_ids)


def test_a_consumer_reads_a_disabled_stream_to_its_end_and_the_next_one(client, streams, streamed):
    table, arn = streamed()
    client.put_item(TableName=table, Item=strings(pk="a"))
    client.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    wait_until_active(client, table)
    client.put_item(TableName=table, Item=strings(pk="nobody hears of it"))
    consumer = Consumer(streams, arn)
    assert [record["dynamodb"]["Keys"] for record in consumer.drain()] == [strings(pk="a")]
    assert consumer.finished == set(consumer.shards())
    client.update_table(TableName=table, StreamSpecification=BOTH)
    described = wait_until_active(client, table)
    assert described["LatestStreamArn"] != arn
    client.put_item(TableName=table, Item=strings(pk="b"))
    second = Consumer(streams, described["LatestStreamArn"])
    assert [record["dynamodb"]["Keys"] for record in second.drain()] == [strings(pk="b")]
    listed = streams.list_streams(TableName=table)["Streams"]
    assert [stream["StreamArn"] for stream in listed] == [arn, described["LatestStreamArn"]]


@pytest.mark.parametrize(
    "view, images",
    [
        ("KEYS_ONLY", set()),
        ("NEW_IMAGE", {"NewImage"}),
        ("OLD_IMAGE", {"OldImage"}),
        ("NEW_AND_OLD_IMAGES", {"NewImage", "OldImage"}),
    ],
)
def test_a_view_shows_its_images(client, streams, streamed, view, images):
    table, arn = streamed(view)
    client.put_item(TableName=table, Item=strings(pk="a", t="one"))
    client.put_item(TableName=table, Item=strings(pk="a", t="two"))
    last = Consumer(streams, arn).drain()[-1]
    assert (last["eventName"], last["eventVersion"], last["eventSource"]) == ("MODIFY", "1.1", "aws:dynamodb")
    change = last["dynamodb"]
    assert set(change) & {"NewImage", "OldImage"} == images
    assert change["Keys"] == strings(pk="a") and change["StreamViewType"] == view
    # The key, and each image with it: pk + a, t + one.
    assert change["SizeBytes"] == 3 + 7 * len(images)
    assert len(change["SequenceNumber"]) >= 21 and "userIdentity" not in last


def test_the_latest_iterator_sees_what_comes_after_it(client, streams, streamed):
    table, arn = streamed()
    client.put_item(TableName=table, Item=strings(pk="before"))
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterators = [
        streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST")[
            "ShardIterator"
        ]
        for shard in shards
    ]
    client.put_item(TableName=table, Item=strings(pk="after"))
    came = [record for it in iterators for record in streams.get_records(ShardIterator=it)["Records"]]
    assert [record["dynamodb"]["Keys"] for record in came] == [strings(pk="after")]


def test_mistakes_are_told(streams, streamed):
    _, arn = streamed()
    nowhere = arn[: arn.rindex("/")] + "/2020-01-01T00:00:00.000"
    # Seen on AWS by others.
    refused(
        "ResourceNotFoundException",
        f"Requested resource not found: Stream: {nowhere} not found",
        streams.describe_stream,
        StreamArn=nowhere,
    )
    with pytest.raises(streams.exceptions.ResourceNotFoundException):
        streams.get_shard_iterator(
            StreamArn=arn, ShardId="shardId-99999999999999999999-ffffffff", ShardIteratorType="LATEST"
        )
    refused("ValidationException", "Invalid ShardIterator", streams.get_records, ShardIterator="nonsense")
