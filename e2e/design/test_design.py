"""`dyno design` as a newcomer meets it: what it writes is taken by the tools that it is written for.

CloudFormation by cfn-lint, Terraform by python-hcl2 (and by `terraform fmt` where that is installed), CreateTable by boto3
against the server, key functions by rustc, tsc and mypy, with their own tests; design files by the JSON Schema.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import boto3
import hcl2
import jsonschema
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESIGNS = ROOT / "crates/design"
EVERYTHING = DESIGNS / "tests/generate/everything.yaml"
STARTERS = sorted((DESIGNS / "src/starters").glob("*.yaml"))
SEVERAL = DESIGNS / "tests/designs/several-attributes.yaml"
WHOLE = [ROOT / "examples/orders.yaml", EVERYTHING, *STARTERS, DESIGNS / "tests/designs/two-tables.yaml", SEVERAL]
TABLES = [*WHOLE, DESIGNS / "tests/designs/production.yaml", DESIGNS / "tests/designs/alarm.yaml"]
NODE = pathlib.Path(os.environ["DYNO_E2E_NODE"])


def name(path):
    return path.stem


def run(*command, cwd=None, codes=(0,)):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode in codes, f"{command} ends with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def dyno(*words, codes=(0,)):
    return run(os.environ["DYNO_BIN"], "design", *words, codes=codes)


def generated(design, target, folder):
    dyno("generate", design, "--format", target, "--out", folder)
    return folder


@pytest.fixture
def client():
    made = boto3.client("dynamodb")
    yield made
    made.close()


@pytest.mark.parametrize("design", TABLES, ids=name)
def test_cloudformation_is_valid(design, tmp_path):
    template = generated(design, "cloudformation", tmp_path) / "tables.yaml"
    run(pathlib.Path(sys.executable).with_name("cfn-lint"), "--", template)
    text = template.read_text()
    for wanted in ["  Prefix:", "DeletionPolicy: Retain", "Export:"]:
        assert wanted in text


@pytest.mark.parametrize("design", TABLES, ids=name)
def test_terraform_is_valid(design, tmp_path):
    module = generated(design, "terraform", tmp_path) / "tables.tf"
    with module.open() as file:
        parsed = hcl2.load(file)
    assert parsed["resource"] and parsed["output"] and parsed["variable"]


@pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not installed: its formatter has not looked")
@pytest.mark.parametrize("design", TABLES, ids=name)
def test_terraform_is_formatted(design, tmp_path):
    run("terraform", "fmt", "-check", "-diff", generated(design, "terraform", tmp_path))


def test_the_templates_of_the_two_tables_are_valid(tmp_path):
    template = tmp_path / "tables.yaml"
    template.write_text(run(os.environ["DYNO_BIN"], "planes", "template"))
    run(pathlib.Path(sys.executable).with_name("cfn-lint"), "--", template)
    parsed = hcl2.loads(run(os.environ["DYNO_BIN"], "planes", "template", "--format", "terraform"))
    assert len(parsed["resource"]) == 2 and len(parsed["output"]) == 4


@pytest.mark.parametrize("design", TABLES, ids=name)
def test_the_server_takes_the_requests(design, tmp_path, client):
    folder = generated(design, "create-table", tmp_path)
    requests = sorted(folder.glob("*.create-table.json"))
    assert requests
    for path in requests:
        request = json.loads(path.read_text())
        most = request.get("OnDemandThroughput", {})
        if most.get("MaxReadRequestUnits", 0) > 40_000:
            # What rule O10 says: measured on AWS, and so here.
            with pytest.raises(client.exceptions.LimitExceededException):
                client.create_table(**request)
            continue
        client.create_table(**request)
        table = request["TableName"]
        client.get_waiter("table_exists").wait(TableName=table)
        described = client.describe_table(TableName=table)["Table"]
        assert described["KeySchema"] == request["KeySchema"]
        if request.get("DeletionProtectionEnabled"):
            client.update_table(TableName=table, DeletionProtectionEnabled=False)
        client.delete_table(TableName=table)
        client.get_waiter("table_not_exists").wait(TableName=table)


@pytest.mark.parametrize("design", WHOLE, ids=name)
def test_rust_compiles_without_warnings_and_its_tests_pass(design, tmp_path):
    folder = generated(design, "rust", tmp_path)
    run("rustc", "--edition", "2024", "--test", "keys.rs", "-o", "keys", "-D", "warnings", "-A", "dead_code", cwd=folder)
    assert "test result: ok" in run(folder / "keys")


@pytest.mark.parametrize("design", WHOLE, ids=name)
def test_typescript_passes_strict_checks_and_its_tests(design, tmp_path):
    folder = generated(design, "typescript", NODE / f"generated-{name(design)}")
    options = ["--strict", "--noUnusedLocals", "--target", "es2022", "--module", "nodenext", "--types", "node"]
    run(NODE / "node_modules/.bin/tsc", *options, "--outDir", "out", "keys.ts", "keys.test.ts", cwd=folder)
    run("node", "--test", "out/keys.test.js", cwd=folder)


@pytest.mark.parametrize("design", WHOLE, ids=name)
def test_python_passes_strict_checks_and_its_tests(design, tmp_path):
    folder = generated(design, "python", tmp_path)
    run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", ".", cwd=folder)
    run(sys.executable, "-m", "unittest", "-q", cwd=folder)


@pytest.mark.parametrize("design", TABLES, ids=name)
def test_the_schema_takes_what_the_reader_takes(design):
    schema = json.loads((ROOT / "docs/design-file.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(design.read_text()), schema)


def test_the_schema_refuses_unknown_keys():
    schema = json.loads((ROOT / "docs/design-file.schema.json").read_text())
    design = {"design": 1, "tables": {"App": {"keys": ["PK"], "projecton": "all"}}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(design, schema)


def test_sarif_has_the_form_that_code_hosts_read():
    log = json.loads(dyno("check", ROOT / "examples/orders.yaml", "--format", "sarif", codes=(1,)))
    (analysis,) = log["runs"]
    rules = analysis["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0" and len(rules) > 70
    for result in analysis["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1 and region["startColumn"] >= 1


def test_a_design_is_made_from_live_tables(tmp_path, client):
    client.create_table(
        TableName="Live",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in ("PK", "SK", "GSI1PK")
        ],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "GSI1",
                "KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    for number in range(20):
        user = {"S": f"USER#{number}"}
        client.put_item(TableName="Live", Item={"PK": user, "SK": {"S": "PROFILE"}, "name": {"S": "太郎"}})
        order = {"PK": user, "SK": {"S": f"ORDER#{number:04}"}, "amount": {"N": "42"}}
        if number % 4 == 0:
            order["GSI1PK"] = {"S": f"OPEN#{number}"}
        client.put_item(TableName="Live", Item=order)
    file = tmp_path / "live.yaml"
    dyno("new", file, "--from-endpoint", os.environ["DYNO_ENDPOINT"])
    design = yaml.safe_load(file.read_text())
    assert design["tables"]["Live"]["indexes"]["GSI1"]["projection"] == "keys-only"
    entities = design["entities"]
    assert entities["User Profile"]["keys"] == {"PK": "USER#<userId>", "SK": "PROFILE"}
    assert entities["User Order"]["keys"]["GSI1PK"] == {"value": "OPEN#<openId>", "present": "25%"}
    assert entities["User Order"]["count"] == 20
    # No rates are known, so there is nothing but advice.
    checked = json.loads(dyno("check", file, "--json"))
    assert checked["errors"] == 0 and all(pattern["service"]["served"] for pattern in checked["patterns"])
    client.delete_table(TableName="Live")
