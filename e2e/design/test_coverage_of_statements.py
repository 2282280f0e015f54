"""Requests of an index with keys of several attributes, and statements of PartiQL, are named after their patterns."""

import json

import boto3
import pytest

from program import dyno, serve

DESIGN = """
design: 1
name: tenants
tables:
  Orders:
    keys: [PK, SK]
    indexes:
      ByTenant: { keys: [[tenantId, region], [status, createdAt]] }
entities:
  Order:
    keys: { PK: "ORDER#<orderId>", SK: DETAIL }
    attributes: { tenantId: S, region: S, status: S, createdAt: S, amount: N }
    count: 1000
  Line: { keys: { PK: "ORDER#<orderId>", SK: "LINE#<line>" }, count: 5000 }
patterns:
  an order: { get: Order, rate: 1/s }
  orders by id: { batch-get: Order, items: 2, rate: 1/s }
  an order and a line: { transact-get: [Order, Line], rate: 1/s }
  lines: { query: Orders, key: "ORDER#<orderId>", sort: "LINE#", items: 5, rate: 1/s }
  large lines:
    { query: Orders, key: "ORDER#<orderId>", sort: "LINE#", filter: amount > 9, items: 5, rate: 1/s }
  of a tenant: { query: ByTenant, key: { tenantId: <t>, region: <r> }, items: 5, rate: 1/s }
  in a state: { query: ByTenant, key: { tenantId: <t>, region: <r>, status: <s> }, items: 5, rate: 1/s }
  open since:
    query: ByTenant
    key: { tenantId: <t>, region: <r>, status: OPEN }
    sort: { from: "2026-" }
    items: 5
    rate: 1/s
  add a line: { put: Line, rate: 1/s }
  pay: { update: Order, sets: [status], rate: 1/s }
  drop a line: { delete: Line, rate: 1/s }
  order: { transact-write: [{ put: Order }, { put: Line }], invariant: x, rate: 1/s }
"""


@pytest.fixture
def endpoint(tmp_path):
    design = tmp_path / "tenants.yaml"
    design.write_text(DESIGN)
    dyno("design", "generate", design, "--format", "create-table", "--out", tmp_path)
    fixtures = tmp_path / "Orders.create-table.json"
    with serve("--design", design, "--fixtures", fixtures) as address:
        yield address


@pytest.fixture
def client(endpoint):
    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local", "region_name": "us-east-1"}
    made = boto3.client("dynamodb", endpoint_url=endpoint, **keys)
    yield made
    made.close()


@pytest.fixture
def named(endpoint):
    """The patterns that were asked for since the last look, with how often, and what has none."""
    seen = {}

    def look():
        coverage = json.loads(dyno("design", "coverage", "--endpoint", endpoint, "--json"))["coverage"]
        counts = {pattern["pattern"]: pattern["requests"] for pattern in coverage["patterns"]}
        counts |= {kind["example"]: kind["requests"] for kind in coverage["uncovered"]}
        new = {name: count - seen.get(name, 0) for name, count in counts.items() if count > seen.get(name, 0)}
        seen.update(counts)
        return new

    return look


def s(text):
    return {"S": text}


ORDER = "{'PK': 'ORDER#1', 'SK': 'DETAIL', 'tenantId': 't1', 'region': 'eu', 'status': 'OPEN', 'createdAt': '2026-06-01'}"
KEY = "PK = 'ORDER#1' AND SK = "


def line(number):
    return f"{{'PK': 'ORDER#1', 'SK': 'LINE#{number}', 'amount': 10}}"


def statement(text):
    return {"Statement": text}


def test_statements_are_named_after_the_pattern_that_asks_the_same(client, named):
    run = client.execute_statement
    transaction, batch = client.execute_transaction, client.batch_execute_statement
    insert = 'INSERT INTO "Orders" VALUE '
    select = 'SELECT * FROM "Orders" WHERE '

    transaction(TransactStatements=[statement(insert + ORDER), statement(insert + line(1))])
    assert named() == {"order": 2}
    run(Statement=insert + line(2))
    assert named() == {"add a line": 1}
    batch(Statements=[statement(insert + line(3)), statement(insert + line(4))])
    assert named() == {"add a line": 2}
    run(Statement=f"UPDATE \"Orders\" SET status = 'PAID' WHERE {KEY}'DETAIL'")
    assert named() == {"pay": 1}
    run(Statement=f"DELETE FROM \"Orders\" WHERE {KEY}'LINE#4'")
    assert named() == {"drop a line": 1}

    assert len(run(Statement=f"{select}{KEY}'DETAIL'")["Items"]) == 1
    assert named() == {"an order": 1}
    run(Statement=select + "PK = ? AND begins_with(SK, ?)", Parameters=[s("ORDER#1"), s("LINE#")])
    assert named() == {"lines": 1}
    run(Statement=select + "PK = 'ORDER#1' AND begins_with(SK, 'LINE#') AND amount > 100")
    assert named() == {"large lines": 1}
    batch(Statements=[statement(f"{select}{KEY}'DETAIL'"), statement(select + "PK = 'ORDER#2' AND SK = 'DETAIL'")])
    assert named() == {"orders by id": 2}
    transaction(TransactStatements=[statement(f"{select}{KEY}'DETAIL'"), statement(f"{select}{KEY}'LINE#1'")])
    assert named() == {"an order and a line": 2}

    run(Statement=select + "status = 'PAID' AND contains(note, 'secret')")
    assert named() == {"ExecuteStatementScan Orders filter status = … AND contains(note, …)": 1}


def test_queries_of_several_attributes_are_named_by_all_of_them(client, named):
    order = {"PK": "ORDER#1", "SK": "DETAIL", "tenantId": "t1", "region": "eu", "status": "OPEN", "createdAt": "2026-06-01"}
    client.put_item(TableName="Orders", Item={name: s(text) for name, text in order.items()})
    named()

    def query(condition, **values):
        found = client.query(
            TableName="Orders",
            IndexName="ByTenant",
            KeyConditionExpression=condition,
            ExpressionAttributeNames={"#r": "region", **({"#s": "status"} if "#s" in condition else {})},
            ExpressionAttributeValues={f":{name}": s(text) for name, text in values.items()},
        )
        return found["Count"], named()

    tenant = {"t": "t1", "r": "eu"}
    partition = "tenantId = :t AND #r = :r"
    assert query(partition, **tenant) == (1, {"of a tenant": 1})
    assert query(partition + " AND #s = :s", s="PAID", **tenant) == (0, {"in a state": 1})
    since = partition + " AND #s = :s AND createdAt >= :c"
    assert query(since, s="OPEN", c="2026-05-01", **tenant) == (1, {"open since": 1})
    # It reads a part of what all of a state reads.
    assert query(since, s="PAID", c="2026-05-01", **tenant) == (0, {"in a state": 1})
