"""The AWS command line, as a person types it."""

import json
import os
import pathlib
import subprocess

import pytest

AWS = pathlib.Path(os.environ.get("DYNO_E2E_BIN", ""), "aws")


def aws(*arguments, fails=False):
    """Runs `aws dynamodb …` and gives its parsed output, or its complaint when it should fail."""
    done = subprocess.run([AWS, "dynamodb", *arguments, "--output", "json"], capture_output=True, text=True, timeout=60)
    if fails:
        assert done.returncode != 0, done.stdout
        return done.stderr.strip()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None


@pytest.fixture(scope="module")
def table():
    created = aws(
        *("create-table", "--table-name", "Music", "--billing-mode", "PAY_PER_REQUEST"),
        *("--attribute-definitions", "AttributeName=Artist,AttributeType=S", "AttributeName=SongTitle,AttributeType=S"),
        *("AttributeName=Year,AttributeType=N",),
        *("--key-schema", "AttributeName=Artist,KeyType=HASH", "AttributeName=SongTitle,KeyType=RANGE"),
        *(
            "--global-secondary-indexes",
            "IndexName=ByYear,KeySchema=[{AttributeName=Year,KeyType=HASH}],Projection={ProjectionType=ALL}",
        ),
    )
    assert created["TableDescription"]["TableStatus"] == "CREATING"
    aws("wait", "table-exists", "--table-name", "Music")
    yield "Music"
    aws("delete-table", "--table-name", "Music")
    aws("wait", "table-not-exists", "--table-name", "Music")
    assert "Music" not in aws("list-tables")["TableNames"]


def test_describe_and_list(table):
    assert aws("describe-table", "--table-name", table)["Table"]["TableStatus"] == "ACTIVE"
    assert table in aws("list-tables")["TableNames"]


def test_put_get_update_delete(table):
    item = {"Artist": {"S": "No One"}, "SongTitle": {"S": "Call"}, "Year": {"N": "1999"}, "Plays": {"N": "1"}}
    key = json.dumps({"Artist": item["Artist"], "SongTitle": item["SongTitle"]})
    put = aws(
        *("put-item", "--table-name", table, "--item", json.dumps(item)),
        *("--return-consumed-capacity", "INDEXES"),
    )
    assert put["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 2.0,
        "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"ByYear": {"CapacityUnits": 1.0}},
    }
    got = aws("get-item", "--table-name", table, "--key", key, "--consistent-read")
    assert got["Item"] == item
    updated = aws(
        *("update-item", "--table-name", table, "--key", key, "--return-values", "UPDATED_NEW"),
        *("--update-expression", "SET Plays = Plays + :one", "--condition-expression", "attribute_exists(Artist)"),
        *("--expression-attribute-values", '{":one": {"N": "1"}}'),
    )
    assert updated["Attributes"] == {"Plays": {"N": "2"}}
    deleted = aws("delete-item", "--table-name", table, "--key", key, "--return-values", "ALL_OLD")
    assert deleted["Attributes"]["Plays"] == {"N": "2"}
    assert aws("get-item", "--table-name", table, "--key", key) is None


def test_batch_query_and_scan(table, tmp_path):
    requests = [
        {
            "PutRequest": {
                "Item": {
                    "Artist": {"S": f"Artist {number % 2}"},
                    "SongTitle": {"S": f"Song {number:02}"},
                    "Year": {"N": str(2000 + number % 3)},
                }
            }
        }
        for number in range(12)
    ]
    file = tmp_path / "songs.json"
    file.write_text(json.dumps({table: requests}))
    assert aws("batch-write-item", "--request-items", f"file://{file}")["UnprocessedItems"] == {}

    values = '{":a": {"S": "Artist 1"}, ":s": {"S": "Song 05"}}'
    found = aws(
        *("query", "--table-name", table, "--no-scan-index-forward", "--projection-expression", "SongTitle"),
        *("--key-condition-expression", "Artist = :a AND SongTitle <= :s", "--expression-attribute-values", values),
    )
    assert [song["SongTitle"]["S"] for song in found["Items"]] == ["Song 05", "Song 03", "Song 01"]
    by_year = aws(
        *("query", "--table-name", table, "--index-name", "ByYear", "--select", "COUNT"),
        *("--key-condition-expression", "#y = :y", "--expression-attribute-names", '{"#y": "Year"}'),
        *("--expression-attribute-values", '{":y": {"N": "2001"}}'),
    )
    assert by_year["Count"] == 4
    # The command line follows LastEvaluatedKey by itself.
    scanned = aws("scan", "--table-name", table, "--page-size", "5", "--query", "Items[].SongTitle.S")
    assert sorted(scanned) == [f"Song {number:02}" for number in range(12)]
    part = aws("scan", "--table-name", table, "--max-items", "5")
    assert len(part["Items"]) == 5 and part["NextToken"]


def test_transactions(table):
    def put(artist):
        return {
            "Put": {
                "TableName": table,
                "Item": {"Artist": {"S": artist}, "SongTitle": {"S": "t"}},
                "ConditionExpression": "attribute_not_exists(Artist)",
            }
        }

    aws("transact-write-items", "--transact-items", json.dumps([put("T1"), put("T2")]))
    complaint = aws("transact-write-items", "--transact-items", json.dumps([put("T3"), put("T1")]), fails=True)
    assert complaint.endswith(
        "An error occurred (TransactionCanceledException) when calling the TransactWriteItems operation: Transaction "
        "cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
    )
    get = [{"Get": {"TableName": table, "Key": {"Artist": {"S": name}, "SongTitle": {"S": "t"}}}} for name in ("T2", "T3")]
    answers = aws("transact-get-items", "--transact-items", json.dumps(get))["Responses"]
    assert answers == [{"Item": {"Artist": {"S": "T2"}, "SongTitle": {"S": "t"}}}, {}]


def test_settings(table):
    arn = aws("describe-table", "--table-name", table, "--query", "Table.TableArn")
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=genre,Value=all")
    assert aws("list-tags-of-resource", "--resource-arn", arn)["Tags"] == [{"Key": "genre", "Value": "all"}]
    aws(
        *("update-time-to-live", "--table-name", table),
        *("--time-to-live-specification", "Enabled=true,AttributeName=expires"),
    )
    described = aws("describe-time-to-live", "--table-name", table)
    assert described["TimeToLiveDescription"]["AttributeName"] == "expires"


def test_mistakes_are_explained(table):
    complaint = aws("get-item", "--table-name", "Nothing", "--key", '{"a": {"S": "b"}}', fails=True)
    assert complaint.endswith(
        "An error occurred (ResourceNotFoundException) when calling the GetItem operation: Requested resource not found"
    )
    complaint = aws("get-item", "--table-name", table, "--key", '{"Artist": {"S": "x"}}', fails=True)
    assert complaint.endswith(
        "An error occurred (ValidationException) when calling the GetItem operation: "
        "The provided key element does not match the schema"
    )
