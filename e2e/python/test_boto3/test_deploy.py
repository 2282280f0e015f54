"""`dyno deploy`: what a CloudFormation template asks for is what boto3 reads back, the first time and after a change."""

import json
import os
import pathlib
import subprocess
import uuid

import pytest

TEMPLATES = pathlib.Path(__file__).parent / "templates"
FIRST, LATER = TEMPLATES / "orders.yaml", TEMPLATES / "orders-later.yaml"


def run(*arguments):
    dyno = os.environ.get("DYNO_BIN")
    assert dyno, "DYNO_BIN must name the program; run these tests with `cargo xtask e2e`"
    return subprocess.run([dyno, "deploy", *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def stack(client, endpoint):
    """Deploys a template under a prefix of the test's own, and removes its tables afterwards."""
    prefix = f"e2e-{uuid.uuid4().hex[:12]}"

    def deploy(template, *arguments, code=0):
        common = ["--parameter", f"Prefix={prefix}", "--stack", prefix, "--endpoint", endpoint]
        done = run(template, *common, *arguments)
        assert done.returncode == code, done.stderr
        if code != 0:
            return done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    deploy.orders, deploy.events = f"{prefix}-orders", f"{prefix}-Events"
    yield deploy
    for name in (deploy.orders, deploy.events):
        try:
            client.update_table(TableName=name, DeletionProtectionEnabled=False)
            client.delete_table(TableName=name)
        except client.exceptions.ResourceNotFoundException:
            pass


def actions(answer):
    return {change["resource"]: change["action"] for change in answer["changes"]}


def test_a_template_is_made_and_then_nothing_is_left_to_do(client, stack):
    first = stack(FIRST, "--json")
    assert actions(first) == {"Orders": "create", "Events": "create"}
    table = client.describe_table(TableName=stack.orders)["Table"]
    assert first["outputs"] == {
        "OrdersTable": {"value": stack.orders, "export": f"{stack.orders}-name"},
        "OrdersArn": {"value": table["TableArn"], "export": None},
        "EventsTable": {"value": stack.events, "export": None},
    }
    assert table["TableStatus"] == "ACTIVE" and table["DeletionProtectionEnabled"] is True
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]}
    ttl = client.describe_time_to_live(TableName=stack.orders)["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expiresAt"}
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert len(tags) == 1 and tags[0]["Key"] == "app"
    events = client.describe_table(TableName=stack.events)["Table"]["ProvisionedThroughput"]
    assert (events["ReadCapacityUnits"], events["WriteCapacityUnits"]) == (5, 5)

    again = stack(FIRST, "--json")
    assert actions(again) == {"Orders": "keep", "Events": "keep"}
    assert again["outputs"] == first["outputs"]


def test_a_dry_run_does_nothing(client, stack):
    plan = stack(FIRST, "--dry-run")
    assert f"+ Orders   {stack.orders}" in plan and "nothing was done" in plan
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=stack.orders)


def test_a_changed_template_changes_the_tables_and_keeps_their_items(client, stack):
    stack(FIRST)
    item = {"PK": {"S": "C#1"}, "SK": {"S": "O#1"}, "customer": {"S": "1"}, "city": {"S": "Kobe"}}
    client.put_item(TableName=stack.orders, Item=item)
    client.tag_resource(
        ResourceArn=client.describe_table(TableName=stack.orders)["Table"]["TableArn"],
        Tags=[{"Key": "owner", "Value": "somebody else"}],
    )

    assert actions(stack(LATER, "--json")) == {"Orders": "update", "Events": "update"}
    table = client.describe_table(TableName=stack.orders)["Table"]
    indexes = {index["IndexName"]: index for index in table["GlobalSecondaryIndexes"]}
    assert sorted(indexes) == ["ByCity", "ByCustomer"]
    assert {index["IndexStatus"] for index in indexes.values()} == {"ACTIVE"}
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 100} or (
        table["OnDemandThroughput"] == {"MaxWriteRequestUnits": 100}
    )
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["SSEDescription"]["SSEType"] == "KMS"
    # What the template leaves out is off.
    assert table["DeletionProtectionEnabled"] is False
    ttl = client.describe_time_to_live(TableName=stack.orders)["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "gone"}
    # Tags are not: the one of somebody else stays.
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert sorted(tag["Key"] for tag in tags) == ["app", "owner", "stage"]
    found = client.query(
        TableName=stack.orders,
        IndexName="ByCity",
        KeyConditionExpression="city = :c",
        ExpressionAttributeValues={":c": {"S": "Kobe"}},
    )
    assert found["Count"] == 1
    assert client.get_item(TableName=stack.orders, Key={"PK": item["PK"], "SK": item["SK"]})["Item"] == item
    events = client.describe_table(TableName=stack.events)["Table"]
    assert events["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"

    assert actions(stack(LATER, "--json")) == {"Orders": "keep", "Events": "keep"}


def test_another_key_is_refused_by_its_line_unless_the_table_may_go(client, stack, tmp_path):
    stack(LATER)
    client.put_item(TableName=stack.events, Item={"id": {"N": "1"}})
    other = tmp_path / "other.yaml"
    other.write_text(LATER.read_text().replace("AttributeName: id, AttributeType: N", "AttributeName: id, AttributeType: S"))
    refused = stack(other, code=2)
    line = 1 + next(at for at, text in enumerate(other.read_text().splitlines()) if "KeySchema: [{ AttributeName: id" in text)
    assert f"Events: the table {stack.events} cannot become this in place: its key is id (N)" in refused
    assert f"other.yaml:{line}:" in refused and "--replace Events" in refused
    assert client.scan(TableName=stack.events)["Count"] == 1

    assert actions(stack(other, "--replace", "Events", "--json"))["Events"] == "replace"
    assert client.scan(TableName=stack.events)["Count"] == 0


def test_what_is_wrong_is_told_before_anything_is_done(client, stack, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(FIRST.read_text().replace("BillingMode: PAY_PER_REQUEST", "BilingMode: PAY_PER_REQUEST"))
    refused = stack(wrong, code=2)
    assert "there is no property `BilingMode`" in refused and "did you mean `BillingMode`?" in refused
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=stack.events)
