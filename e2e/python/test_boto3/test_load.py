"""`dyno load`: a design's patterns at their rates, with items that reads find, and nothing that was not made up."""

import json
import os
import pathlib
import subprocess
import uuid

import pytest

DESIGN = pathlib.Path(__file__).parent / "templates" / "design.yaml"


def dyno(*arguments):
    program = os.environ.get("DYNO_BIN")
    assert program, "DYNO_BIN must name the program; run these tests with `cargo xtask e2e`"
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def prefix(client, endpoint, tmp_path):
    """The tables of the design, made from the template that the design generates."""
    name = f"e2e-{uuid.uuid4().hex[:8]}"
    template = dyno("design", "generate", "--format", "cloudformation", DESIGN)
    assert template.returncode == 0, template.stderr
    file = tmp_path / "tables.yaml"
    file.write_text(template.stdout)
    made = dyno("deploy", file, "-p", f"Prefix={name}", "--endpoint", endpoint)
    assert made.returncode == 0, made.stderr
    yield name
    client.update_table(TableName=f"{name}-Orders", DeletionProtectionEnabled=False)
    client.delete_table(TableName=f"{name}-Orders")


def load(endpoint, prefix, *arguments):
    common = ("load", "--design", DESIGN, "--endpoint", endpoint, "--prefix", prefix, "--json")
    done = dyno(*common, *arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return {row["pattern"]: row for row in json.loads(done.stdout)["patterns"]}


def test_every_pattern_is_called_at_its_rate_and_none_fails(client, endpoint, prefix):
    rows = load(endpoint, prefix, "--fill", "--items", "200", "--duration", "3s", "--scale", "2")
    assert set(rows) == {
        "get customer", "customer's orders", "orders by day", "several customers", "orders over all shards",
        "place order", "ship order", "forget order", "import orders", "everything",
    }  # fmt: skip
    for name, row in rows.items():
        assert row["errors"] == {} and row["throttled"] == 0, name
        assert row["done"] == row["asked"] > 0, name
        assert row["units"] > 0, name
        # About 3 s at 20 a second: the seed says when each call is due, whatever the machine is busy with.
        assert 20 <= row["asked"] <= 110, name
    # GetItem of an item that is there, up to 4 KB, eventually consistent.
    assert rows["get customer"]["units"] == rows["get customer"]["done"] * 0.5


def test_reads_find_what_was_filled_in(client, endpoint, prefix):
    load(endpoint, prefix, "--fill", "--items", "200", "--duration", "200ms", "--patterns", "get customer")
    items = client.scan(TableName=f"{prefix}-Orders")["Items"]
    customers = [item for item in items if item["SK"]["S"] == "PROFILE"]
    # 2 customers to 10 orders, scaled down with them.
    assert len(customers) == 40 and len(items) == 240
    one = customers[0]["PK"]
    found = client.query(
        TableName=f"{prefix}-Orders",
        KeyConditionExpression="PK = :p AND begins_with(SK, :s)",
        ExpressionAttributeValues={":p": one, ":s": {"S": "ORDER#"}},
    )
    assert found["Count"] == 5


def test_the_same_seed_makes_the_same_load(endpoint, prefix):
    once, twice = (
        {name: row["asked"] for name, row in load(endpoint, prefix, "--duration", "500ms", "--seed", "7").items()}
        for _ in range(2)
    )
    assert once == twice
