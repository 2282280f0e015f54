"""What the command line wrote before a kill is there after the restart."""

import json
import os
import pathlib
import subprocess

AWS = pathlib.Path(os.environ.get("DYNO_E2E_BIN", ""), "aws")
HALF = os.environ.get("DYNO_RESTART")


def aws(*arguments):
    done = subprocess.run([AWS, "dynamodb", *arguments, "--output", "json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None


def test_half():
    assert HALF in ("before", "after"), "DYNO_RESTART says which half this is"
    if HALF == "before":
        aws(
            *("create-table", "--table-name", "Kept", "--billing-mode", "PAY_PER_REQUEST"),
            *("--attribute-definitions", "AttributeName=id,AttributeType=S"),
            *("--key-schema", "AttributeName=id,KeyType=HASH"),
        )
        aws("wait", "table-exists", "--table-name", "Kept")
        for key in ("a", "b"):
            aws("put-item", "--table-name", "Kept", "--item", json.dumps({"id": {"S": key}, "n": {"N": "1.50"}}))
    found = aws("scan", "--table-name", "Kept", "--consistent-read")["Items"]
    assert sorted(item["id"]["S"] for item in found) == ["a", "b"]
    assert all(item["n"] == {"N": "1.5"} for item in found)
