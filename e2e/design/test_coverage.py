"""`dyno serve --design` and `dyno design coverage`: the order application's patterns, exercised with boto3."""

import json
import pathlib
import threading
import urllib.request

import boto3
import pytest

from program import dyno, refused, serve

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESIGN = ROOT / "examples/orders.yaml"
TABLE = "MyAppTable"


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory):
    """The table, and an item that is there when the server begins to serve."""
    folder = tmp_path_factory.mktemp("fixtures")
    dyno("design", "generate", DESIGN, "--format", "create-table", "--out", folder)
    item = {"PK": {"S": "CONFIG#1"}, "SK": {"S": "CONFIG"}}
    items = folder / "items.json"
    items.write_text(json.dumps({"RequestItems": {TABLE: [{"PutRequest": {"Item": item}}]}}))
    return [folder / f"{TABLE}.create-table.json", items]


@pytest.fixture(scope="module")
def endpoint(fixtures):
    """A server of its own: the design is a flag of its start. Its clock stands still, so that it is known what came soon."""
    files = ",".join(map(str, fixtures))
    with serve("--clock", "manual", "--design", DESIGN, "--fixtures", files) as address:
        yield address


@pytest.fixture(scope="module")
def table(endpoint):
    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local", "region_name": "us-east-1"}
    return boto3.resource("dynamodb", endpoint_url=endpoint, **keys).Table(TABLE)


def advance(endpoint, span):
    body = json.dumps({"advance": span}).encode()
    with urllib.request.urlopen(endpoint + "/_dyno/clock", data=body) as answer:
        assert answer.status == 200


def coverage(endpoint, *words, code=0):
    return json.loads(dyno("design", "coverage", DESIGN, "--endpoint", endpoint, "--json", *words, code=code))


def query(table, index=None, **wanted):
    names = {f"#{at}": name for at, name in enumerate(wanted)}
    values = {f":{at}": value for at, value in enumerate(wanted.values())}
    tests = [f"#{at} = :{at}" if at == 0 else f"begins_with(#{at}, :{at})" for at in range(len(wanted))]
    request = {"IndexName": index} if index else {}
    return table.query(
        KeyConditionExpression=" AND ".join(tests),
        ExpressionAttributeNames=names,
        ExpressionAttributeValues=values,
        **request,
    )["Items"]


def write(table):
    for user in ["1", "2", "3"]:
        keys = {"PK": f"USER#{user}", "SK": "PROFILE", "GSI1PK": f"EMAIL#{user}@example.com", "GSI1SK": f"USER#{user}"}
        table.put_item(Item=keys, ConditionExpression="attribute_not_exists(PK)")
    order = {"PK": "ORDER#7", "SK": "DETAIL", "GSI2PK": "STATUS#PENDING", "GSI2SK": "2026-06-01"}
    of_user = {"PK": "USER#1", "SK": "ORDER#2026-06-01", "orderId": "7"}
    put = {"TableName": TABLE, "ConditionExpression": "attribute_not_exists(PK)"}
    table.meta.client.transact_write_items(
        TransactItems=[{"Put": {**put, "Item": order}}, {"Put": {"TableName": TABLE, "Item": of_user}}]
    )


def read(table):
    """The six of the example, and one by PartiQL."""
    for _ in range(4):
        assert table.get_item(Key={"PK": "USER#1", "SK": "PROFILE"})["Item"]
    assert len(query(table, PK="USER#1", SK="ORDER#")) == 1
    assert table.get_item(Key={"PK": "ORDER#7", "SK": "DETAIL"})["Item"]
    assert query(table, "GSI1", GSI1PK="PRODUCT#1") == []
    assert len(query(table, "GSI2", GSI2PK="STATUS#PENDING")) == 1
    assert query(table, "GSI3", GSI3PK="ADDRESS#1") == []
    statement = f'SELECT * FROM "{TABLE}" WHERE PK = ? AND SK = ?'
    table.meta.client.execute_statement(Statement=statement, Parameters=["USER#2", "PROFILE"])


def test_traffic_is_held_against_the_design(table, endpoint):
    write(table)
    read(table)
    advance(endpoint, "1s")
    # No pattern asks for a user by email.
    assert len(query(table, "GSI1", GSI1PK="EMAIL#1@example.com")) == 1

    found = coverage(endpoint)["coverage"]
    requests = {pattern["pattern"]: pattern["requests"] for pattern in found["patterns"]}
    assert requests == {
        "ユーザー情報取得": 5,
        "ユーザーの注文一覧": 1,
        "注文詳細取得": 1,
        "商品別注文一覧": 1,
        "ステータス別注文取得": 1,
        "配送先住所の注文": 1,
        "ユーザー作成": 3,
        "注文作成": 2,
        "配送完了": 0,
    }
    by_name = {pattern["pattern"]: pattern for pattern in found["patterns"]}
    # An eventually consistent read of at most 4 KB, and a write of at most 1 KB with one index entry: documented.
    assert by_name["ユーザー情報取得"]["units_per_call"] == by_name["ユーザー情報取得"]["declared_units_per_call"] == 0.5
    assert by_name["ユーザー作成"]["units_per_call"] == 2.0
    # One call: two transactional writes at two units, and an index entry at one.
    assert (by_name["注文作成"]["calls"], by_name["注文作成"]["units_per_call"]) == (1.0, 5.0)
    # The reads came right after the writes, this one of a global index.
    assert by_name["ステータス別注文取得"]["reads_within_100_ms_of_a_write"] == 1
    [uncovered] = found["uncovered"]
    assert uncovered["example"] == f'Query {TABLE}/GSI1 "EMAIL#…"'
    assert uncovered["requests"] == 1
    assert "example.com" not in dyno("design", "coverage", "--endpoint", endpoint)


def test_exit_codes_follow_what_fails(table, endpoint, tmp_path):
    coverage(endpoint, "--fail-on", "scan,filter-waste=50%,unit-drift=10%")
    failed = coverage(endpoint, "--fail-on", "uncovered,unexercised", "--budget", "1USD/month", code=1)["failed"]
    assert [words.split(" ")[0] for words in failed] == ["uncovered", "unexercised", "budget"]
    table.scan(FilterExpression="orderId = :id", ExpressionAttributeValues={":id": "7"})
    failed = coverage(endpoint, "--fail-on", "scan,filter-waste=50%", code=1)["failed"]
    assert failed == ["scan (1)", "filter-waste=50% (1)"]
    markdown = dyno("design", "coverage", "--endpoint", endpoint, "--format", "markdown")
    assert f"Scan {TABLE} filter orderId = …" in markdown
    for wrong in [["--fail-on", "everything"], ["--budget", "100"], [ROOT / "crates/design/src/starters/two-table.yaml"]]:
        refused("design", "coverage", "--endpoint", endpoint, *wrong, code=2)


def test_the_report_has_a_line_for_each_pattern(endpoint):
    report = dyno("report", "--endpoint", endpoint)
    assert "ユーザー情報取得" in report and "no pattern covers" in report


def test_a_wrong_design_is_shown_with_its_place_and_nothing_starts(tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(DESIGN.read_text().replace("sparse", "").replace("rate: 高 }", "rat: 高 }", 1))
    said = refused("serve", "--in-memory", "--port", "0", "--design", wrong, code=2)
    assert f"{wrong}:" in said and "`rate`" in said


def test_requests_at_once_are_all_counted(table, endpoint):
    def count():
        patterns = coverage(endpoint)["coverage"]["patterns"]
        return next(pattern["requests"] for pattern in patterns if pattern["pattern"] == "注文詳細取得")

    def ask():
        client = boto3.session.Session().client(
            "dynamodb",
            endpoint_url=endpoint,
            aws_access_key_id="local",
            aws_secret_access_key="local",
            region_name="us-east-1",
        )
        for _ in range(25):
            client.get_item(TableName=TABLE, Key={"PK": {"S": "ORDER#7"}, "SK": {"S": "DETAIL"}})

    before = count()
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count() == before + 100
