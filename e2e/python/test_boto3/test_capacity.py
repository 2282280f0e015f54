"""Consumed capacity, to half a unit.

The figures are AWS's: each case says whether it is documented or was measured. Units are counted
on item sizes in bytes of names and values, writes by 1 KB, reads by 4 KB.
"""

import uuid

import pytest

from helpers import INDEXED, SIMPLE, attributes, index, keys, strings

KEYS_ONLY = {
    "AttributeDefinitions": attributes(pk="S", g="S"),
    "KeySchema": keys("pk"),
    "GlobalSecondaryIndexes": [index("gsi", "g", projection="KEYS_ONLY")],
}
MISSING = {"pk": {"S": "missing"}}


def sized(size, pk="k", **more):
    """An item of exactly so many bytes: `pk` and its value, `more`, and a filler `f`."""
    item = {"pk": {"S": pk}, **more}
    used = sum(len(name) + len(value["S"]) for name, value in item.items())
    return {**item, "f": {"S": "x" * (size - used - 1)}}


def arms(consumed):
    """Total, table, and each index's units."""
    parts = {"total": consumed["CapacityUnits"], "table": consumed["Table"]["CapacityUnits"]}
    for family in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for name, arm in consumed.get(family, {}).items():
            parts[name] = arm["CapacityUnits"]
    return parts


def units(call, **request):
    """Calls with INDEXES and gives the arms of a single-table answer."""
    consumed = call(ReturnConsumedCapacity="INDEXES", **request)["ConsumedCapacity"]
    if isinstance(consumed, list):
        (consumed,) = consumed
    return arms(consumed)


def only_table(amount):
    return {"total": amount, "table": amount}


@pytest.fixture(scope="module")
def simple(make_module_table):
    return make_module_table(SIMPLE)


@pytest.fixture
def indexed(make_table):
    return make_table(INDEXED)


@pytest.mark.parametrize(("size", "expected"), [(23, 1), (1024, 1), (1025, 2), (409_600, 400)])
def test_a_new_item(client, simple, size, expected):
    """Documented: one write unit for each started KB."""
    item = sized(size, pk=uuid.uuid4().hex if size > 100 else f"w{size}")
    assert units(client.put_item, TableName=simple, Item=item) == only_table(expected)


def test_the_larger_image_counts(client, simple):
    """Documented: a smaller item over a 3.5 KB one costs 4; the delete costs the old image."""
    client.put_item(TableName=simple, Item=sized(3584, pk="over"))
    assert units(client.put_item, TableName=simple, Item=sized(512, pk="over")) == only_table(4)
    client.put_item(TableName=simple, Item=sized(2560, pk="over"))
    assert units(client.delete_item, TableName=simple, Key=strings(pk="over")) == only_table(3)
    assert units(client.delete_item, TableName=simple, Key=strings(pk="over")) == only_table(1)


def test_an_update_costs_the_whole_item(client, simple):
    """Documented: one attribute of a 10 KB item costs 10."""
    client.put_item(TableName=simple, Item=sized(10_240, pk="up", n={"S": "1"}))
    update = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"S": "2"}}}
    assert units(client.update_item, TableName=simple, Key=strings(pk="up"), **update) == only_table(10)


@pytest.mark.parametrize(
    ("size", "strong", "eventual"), [(23, 1, 0.5), (4096, 1, 0.5), (4097, 2, 1), (20_480, 5, 2.5), (409_600, 100, 50)]
)
def test_get_item(client, simple, size, strong, eventual):
    """Documented: one read unit for each started 4 KB, half of it when eventually consistent."""
    client.put_item(TableName=simple, Item=sized(size, pk="r"))
    get = {"TableName": simple, "Key": strings(pk="r"), "ProjectionExpression": "pk"}
    assert units(client.get_item, ConsistentRead=True, **get) == only_table(strong)
    assert units(client.get_item, **get) == only_table(eventual)


def test_get_of_nothing(client, simple):
    """Documented."""
    assert units(client.get_item, TableName=simple, Key=MISSING) == only_table(0.5)
    assert units(client.get_item, TableName=simple, Key=MISSING, ConsistentRead=True) == only_table(1)


def test_batch_get_rounds_each_item(client, make_table):
    """Documented: 1.5 KB and 6.5 KB are 3 units; measured: a missing key costs as an item."""
    name = make_table(SIMPLE)
    client.put_item(TableName=name, Item=sized(1536, pk="a"))
    client.put_item(TableName=name, Item=sized(6656, pk="b"))
    both = [strings(pk="a"), strings(pk="b")]
    for consistent, expected in ((True, 3), (False, 1.5)):
        request = {"RequestItems": {name: {"Keys": both, "ConsistentRead": consistent}}}
        assert units(client.batch_get_item, **request) == only_table(expected)
    missing = [strings(pk=f"m{number}") for number in range(10)]
    assert units(client.batch_get_item, RequestItems={name: {"Keys": missing}}) == only_table(5)


def test_batch_write_sums_its_items(client, make_table):
    """Documented: 500 B and 3.5 KB are 5 units."""
    name = make_table(SIMPLE)
    puts = [{"PutRequest": {"Item": sized(500, pk="a")}}, {"PutRequest": {"Item": sized(3584, pk="b")}}]
    assert units(client.batch_write_item, RequestItems={name: puts}) == only_table(5)


def test_query_and_scan_round_once_a_page(client, make_table):
    """Documented: 40.8 KB evaluated are 11 units, whatever the filter leaves."""
    name = make_table({"AttributeDefinitions": attributes(pk="S", sk="S"), "KeySchema": keys("pk", "sk")})
    for number in range(12):
        client.put_item(TableName=name, Item=sized(3480, sk={"S": f"{number:02}"}))
    query = {
        "TableName": name,
        "KeyConditionExpression": "pk = :k",
        "FilterExpression": "attribute_exists(absent)",
        "ExpressionAttributeValues": {":k": {"S": "k"}},
    }
    assert units(client.query, ConsistentRead=True, **query) == only_table(11)
    assert units(client.query, **query) == only_table(5.5)
    assert units(client.scan, TableName=name, ConsistentRead=True, Select="COUNT") == only_table(11)
    nothing = {**query, "ExpressionAttributeValues": {":k": {"S": "none"}}}
    assert units(client.query, **nothing) == only_table(0.5)


def test_an_index_read_is_charged_to_the_index(client, make_table):
    """Documented: 8 entries of 2,000 bytes are 16,000 bytes, 2 units; measured: the table's arm is there, with 0."""
    name = make_table(
        {
            "AttributeDefinitions": attributes(pk="S", g="S"),
            "KeySchema": keys("pk"),
            "GlobalSecondaryIndexes": [index("gsi", "g")],
        }
    )
    for number in range(8):
        client.put_item(TableName=name, Item=sized(2000, pk=f"{number}", g={"S": "g"}))
    query = {
        "TableName": name,
        "IndexName": "gsi",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "g"}},
    }
    assert units(client.query, **query) == {"total": 2, "table": 0, "gsi": 2}


def test_an_lsi_that_fetches_pays_for_each_item(client, make_table):
    """Documented: entries of 200 bytes and four items of 300 bytes are 1 + 4 units, or half."""
    name = make_table(
        {
            "AttributeDefinitions": attributes(pk="S", sk="S", l="S"),
            "KeySchema": keys("pk", "sk"),
            "LocalSecondaryIndexes": [index("lsi", "pk", "l", projection="KEYS_ONLY")],
        }
    )
    for number in range(4):
        client.put_item(TableName=name, Item=sized(300, sk={"S": f"{number}"}, l={"S": f"{number}".rjust(190, "l")}))
    query = {
        "TableName": name,
        "IndexName": "lsi",
        "KeyConditionExpression": "pk = :k",
        "ExpressionAttributeValues": {":k": {"S": "k"}},
        "Select": "ALL_ATTRIBUTES",
    }
    assert units(client.query, ConsistentRead=True, **query) == {"total": 5, "table": 4, "lsi": 1}
    assert units(client.query, **query) == {"total": 2.5, "table": 2, "lsi": 0.5}


def test_writes_pay_for_the_indexes_that_they_touch(client, indexed):
    """Measured."""
    item = {**strings(pk="k", sk="s", g="g1", l="l1"), "n": {"S": "1"}}
    assert units(client.put_item, TableName=indexed, Item=item) == {"total": 3, "table": 1, "gsi": 1, "lsi": 1}
    assert units(client.put_item, TableName=indexed, Item=item) == only_table(1), "an identical item"
    moved = units(
        client.update_item,
        TableName=indexed,
        Key=strings(pk="k", sk="s"),
        UpdateExpression="SET g = :g",
        ExpressionAttributeValues={":g": {"S": "g2"}},
    )
    assert moved == {"total": 4, "table": 1, "gsi": 2, "lsi": 1}
    removed = units(
        client.update_item, TableName=indexed, Key=strings(pk="k", sk="s"), UpdateExpression="REMOVE g"
    )
    assert removed == {"total": 3, "table": 1, "gsi": 1, "lsi": 1}
    sparse = units(client.put_item, TableName=indexed, Item=strings(pk="k", sk="none"))
    assert sparse == only_table(1)


def test_what_is_not_projected_costs_the_index_nothing(client, make_table):
    """Documented."""
    name = make_table(KEYS_ONLY)
    client.put_item(TableName=name, Item=strings(pk="k", g="g", v="1"))
    change = {"UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"S": "2"}}}
    assert units(client.update_item, TableName=name, Key=strings(pk="k"), **change) == only_table(1)


def test_an_index_key_that_moves_pays_twice(client, make_table):
    """Measured: entries of 1,517 bytes on both sides are 4 units, in a transaction too (where the table's double)."""
    name = make_table(
        {
            "AttributeDefinitions": attributes(pk="S", g="S"),
            "KeySchema": keys("pk"),
            "GlobalSecondaryIndexes": [index("gsi", "g")],
        }
    )
    client.put_item(TableName=name, Item=sized(1517, g={"S": "a"}))

    def move(to):
        return {
            "TableName": name,
            "Key": strings(pk="k"),
            "UpdateExpression": "SET g = :g",
            "ExpressionAttributeValues": {":g": {"S": to}},
        }

    assert units(client.update_item, **move("b")) == {"total": 6, "table": 2, "gsi": 4}
    assert units(client.transact_write_items, TransactItems=[{"Update": move("c")}]) == {
        "total": 8,
        "table": 4,
        "gsi": 4,
    }


def test_transactions_double_the_table(client, make_table):
    """Documented: three puts of 500 bytes are 6 units. Measured: the rest."""
    name = make_table(SIMPLE)
    puts = [{"Put": {"TableName": name, "Item": sized(500, pk=f"{number}")}} for number in range(3)]
    assert units(client.transact_write_items, TransactItems=puts) == only_table(6)

    client.put_item(TableName=name, Item=sized(3023, pk="checked"))

    def check(key, condition):
        return {"ConditionCheck": {"TableName": name, "Key": strings(pk=key), "ConditionExpression": condition}}

    assert units(client.transact_write_items, TransactItems=[check("checked", "attribute_exists(pk)")]) == only_table(6)
    assert units(client.transact_write_items, TransactItems=[check("no", "attribute_not_exists(pk)")]) == only_table(2)

    def get(key):
        return {"Get": {"TableName": name, "Key": strings(pk=key)}}

    answer = client.transact_get_items(TransactItems=[get("0"), get("no")], ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": name, "CapacityUnits": 4, "ReadCapacityUnits": 4}]
    answer = client.transact_write_items(TransactItems=puts, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == [
        {
            "TableName": name,
            "CapacityUnits": 6,
            "WriteCapacityUnits": 6,
            "Table": {"CapacityUnits": 6, "WriteCapacityUnits": 6},
        }
    ]


def test_a_replayed_token_is_reported_as_reads(client, make_table):
    """Measured: a put that shrinks a 9 KB item costs 18 write units, and its replay 6 read units."""
    name, token = make_table(SIMPLE), str(uuid.uuid4())
    client.put_item(TableName=name, Item=sized(9000))
    request = {
        "TransactItems": [{"Put": {"TableName": name, "Item": sized(50)}}],
        "ClientRequestToken": token,
        "ReturnConsumedCapacity": "TOTAL",
    }
    (first,) = client.transact_write_items(**request)["ConsumedCapacity"]
    assert (first["CapacityUnits"], first["WriteCapacityUnits"]) == (18, 18)
    (again,) = client.transact_write_items(**request)["ConsumedCapacity"]
    assert (again["CapacityUnits"], again["ReadCapacityUnits"]) == (6, 6)
    assert "WriteCapacityUnits" not in again


def test_total_names_no_arms(client, simple):
    """Documented; measured that single operations carry no ReadCapacityUnits or WriteCapacityUnits."""
    answer = client.get_item(TableName=simple, Key=MISSING, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": simple, "CapacityUnits": 0.5}
    assert "ConsumedCapacity" not in client.get_item(TableName=simple, Key=MISSING)
    assert "ConsumedCapacity" not in client.get_item(TableName=simple, Key=MISSING, ReturnConsumedCapacity="NONE")
