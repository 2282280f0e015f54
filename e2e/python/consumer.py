"""A consumer of a stream, in the pattern of the DynamoDB Streams Kinesis Adapter.

It lists the shards page by page, reads a shard only when its parent is finished, reads several at a time in turn, keeps a
checkpoint for each (the last sequence number), and takes a new iterator there when one has expired.
"""


class Consumer:
    def __init__(self, streams, arn):
        self.streams = streams
        self.arn = arn
        self.checkpoints = {}  # shard id -> last sequence number, or None when nothing was read of it
        self.finished = set()
        self.iterators = {}
        self.records = []

    def shards(self):
        """All shards, by id."""
        listed, start = {}, {}
        while True:
            page = self.streams.describe_stream(StreamArn=self.arn, Limit=2, **start)["StreamDescription"]
            listed.update({shard["ShardId"]: shard for shard in page["Shards"]})
            if "LastEvaluatedShardId" not in page:
                return listed
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def poll(self, limit=1000):
        """Reads one page of each shard that may be read; gives how many records came."""
        came = 0
        shards = self.shards()
        for shard_id in sorted(shards):
            parent = shards[shard_id].get("ParentShardId")
            parent_is_read = parent is None or parent not in shards or parent in self.finished
            if shard_id in self.finished or not parent_is_read:
                continue
            came += self._read(shard_id, limit)
        return came

    def drain(self, limit=1000):
        """Reads until nothing more comes and no shard becomes readable; gives the new records."""
        before = len(self.records)
        while True:
            finished = len(self.finished)
            if self.poll(limit) == 0 and len(self.finished) == finished:
                return self.records[before:]

    def _read(self, shard_id, limit):
        if shard_id not in self.iterators:
            self.iterators[shard_id] = self._iterator(shard_id)
        try:
            page = self.streams.get_records(ShardIterator=self.iterators[shard_id], Limit=limit)
        except self.streams.exceptions.ExpiredIteratorException:
            del self.iterators[shard_id]
            return self._read(shard_id, limit)
        self.records += page["Records"]
        for record in page["Records"]:
            self.checkpoints[shard_id] = record["dynamodb"]["SequenceNumber"]
        if page.get("NextShardIterator") is None:
            self.finished.add(shard_id)
        self.iterators[shard_id] = page.get("NextShardIterator")
        return len(page["Records"])

    def _iterator(self, shard_id):
        position = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard_id in self.checkpoints:
            last = self.checkpoints[shard_id]
            position = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        answer = self.streams.get_shard_iterator(StreamArn=self.arn, ShardId=shard_id, **position)
        return answer["ShardIterator"]


def replay(records, items=None):
    """Makes the changes of records one after the other; each must fit what it meets."""
    items = {} if items is None else items
    for record in records:
        change = record["dynamodb"]
        key = repr(sorted(change["Keys"].items()))
        old, new = change.get("OldImage"), change.get("NewImage")
        event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
        assert record["eventName"] == event
        assert items.get(key) == old, f"{record} meets {items.get(key)}"
        if new is None:
            del items[key]
        else:
            items[key] = new
    return items


def scan(client, table):
    """All items, as `replay` keeps them."""
    schema = client.describe_table(TableName=table)["Table"]["KeySchema"]
    names = [element["AttributeName"] for element in schema]
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return {
        repr(sorted((name, item[name]) for name in names)): item for page in pages for item in page["Items"]
    }
