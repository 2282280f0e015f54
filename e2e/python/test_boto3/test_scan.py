"""Scan: paginator, filter, parallel segments, an index; and its stable order."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from boto3.dynamodb.conditions import Attr

from helpers import attributes, index, keys

COUNT = 200


@pytest.fixture(scope="module")
def table(resource, make_module_table):
    """200 items over 50 partitions; one in five is flagged, which puts it into the index."""
    definition = {
        "AttributeDefinitions": attributes(pk="S", sk="N", flag="S"),
        "KeySchema": keys("pk", "sk"),
        "GlobalSecondaryIndexes": [index("flagged", "flag", projection="KEYS_ONLY")],
    }
    table = resource.Table(make_module_table(definition))
    with table.batch_writer() as batch:
        for number in range(COUNT):
            item = {"pk": f"p{number % 50}", "sk": number, "n": number}
            if number % 5 == 0:
                item["flag"] = "yes"
            batch.put_item(Item=item)
    return table


def test_the_paginator_gives_every_item_once(client, table):
    pages = client.get_paginator("scan").paginate(TableName=table.name, PaginationConfig={"PageSize": 17})
    seen = [int(item["n"]["N"]) for page in pages for item in page["Items"]]
    assert sorted(seen) == list(range(COUNT))


def test_items_of_one_partition_come_together_and_sorted(table):
    items = table.scan()["Items"]
    partitions = [item["pk"] for item in items]
    runs = [name for position, name in enumerate(partitions) if position == 0 or partitions[position - 1] != name]
    assert len(runs) == len(set(partitions)) == 50
    for name in set(partitions):
        within = [item["sk"] for item in items if item["pk"] == name]
        assert within == sorted(within)
    assert items == table.scan()["Items"], "the order of a Scan is stable"


@pytest.mark.parametrize("segments", [1, 2, 7, 64])
def test_parallel_segments_split_the_table(client, table, segments):
    def scan(segment):
        pages = client.get_paginator("scan").paginate(
            TableName=table.name, Segment=segment, TotalSegments=segments, PaginationConfig={"PageSize": 10}
        )
        return [(item["pk"]["S"], int(item["n"]["N"])) for page in pages for item in page["Items"]]

    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(scan, range(segments)))
    assert sorted(n for part in parts for _, n in part) == list(range(COUNT))
    homes = {}
    for segment, part in enumerate(parts):
        for partition, _ in part:
            assert homes.setdefault(partition, segment) == segment, "a partition is in one segment"


def test_filter_counts_what_it_evaluated(table):
    answer = table.scan(FilterExpression=Attr("n").between(10, 19) & Attr("flag").not_exists())
    assert (answer["Count"], answer["ScannedCount"]) == (8, COUNT)
    assert sorted(item["n"] for item in answer["Items"]) == [11, 12, 13, 14, 16, 17, 18, 19]


def test_scan_of_a_sparse_index(table):
    answer = table.scan(IndexName="flagged")
    assert answer["Count"] == COUNT / 5
    assert all(set(item) == {"pk", "sk", "flag"} for item in answer["Items"])


def test_count_and_projection(table):
    answer = table.scan(Select="COUNT")
    assert answer["Count"] == COUNT
    assert "Items" not in answer
    projected = table.scan(ProjectionExpression="n", Limit=3)["Items"]
    assert all(set(item) == {"n"} for item in projected)


def test_legacy_filter(client, table):
    answer = client.scan(
        TableName=table.name,
        ScanFilter={
            "n": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "7"}]},
            "flag": {"ComparisonOperator": "NOT_NULL"},
        },
        ConditionalOperator="OR",
    )
    assert answer["Count"] == 7 + 40 - 2
