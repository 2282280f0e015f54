"""PartiQL: statements one by one, in batches and in transactions, and NextToken."""

import uuid

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError

from helpers import INDEXED, PAIR, refused

to_wire = TypeSerializer().serialize
from_wire = TypeDeserializer().deserialize


def run(client, statement, *parameters, **more):
    if parameters:
        more["Parameters"] = [to_wire(value) for value in parameters]
    answer = client.execute_statement(Statement=statement, **more)
    return [{name: from_wire(value) for name, value in item.items()} for item in answer["Items"]]


@pytest.fixture
def table(make_table):
    return make_table(PAIR)


def test_an_item_through_its_life(client, table):
    song = {
        "pk": "Acme Band",
        "sk": "PartiQL Rocks",
        "Awards": [],
        "Genre": {"main": "folk"},
        "Tags": {"a", "b"},
    }
    assert (
        run(
            client,
            f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?, 'Awards': ?, 'Genre': ?, 'Tags': ?}}",
            *song.values(),
        )
        == []
    )
    key = "WHERE pk = ? AND sk = ?"
    names = (song["pk"], song["sk"])
    assert run(client, f'SELECT * FROM "{table}" {key}', *names) == [song]
    assert run(client, f'SELECT Genre.main, Awards FROM "{table}" {key}', *names) == [
        {"main": "folk", "Awards": []}
    ]
    changed = run(
        client,
        f"UPDATE \"{table}\" SET Awards = list_append(Awards, [2020, 2018]) SET Tags = set_delete(Tags, <<'a'>>) "
        f"REMOVE Genre.main {key} RETURNING MODIFIED NEW *",
        *names,
    )
    assert changed == [{"Awards": [2020, 2018], "Tags": {"b"}}]
    assert run(client, f'DELETE FROM "{table}" {key} RETURNING ALL OLD *', *names) == [
        {**song, "Awards": [2020, 2018], "Genre": {}, "Tags": {"b"}}
    ]
    assert run(client, f'SELECT * FROM "{table}" {key}', *names) == []


def test_errors_have_their_classes(client, table):
    run(client, f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': '1', 'n': 1}}")
    with pytest.raises(client.exceptions.DuplicateItemException):
        run(client, f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': '1'}}")
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        run(
            client,
            f"UPDATE \"{table}\" SET n = 2 WHERE pk = 'a' AND sk = '1' AND n = 7",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert failed.value.response["Item"]["n"] == {"N": "1"}
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        run(client, "SELECT * FROM \"no-such-table\" WHERE pk = 'a'")
    malformed = "Statement wasn't well formed, can't be processed: Unexpected term"
    refused("ValidationException", malformed, run, client, f'SELECT * FROM "{table}" WHERE')


def pages(client, statement, **more):
    """What NextToken leads through: `execute_statement` has no paginator in boto3, so users write this loop."""
    while True:
        answer = client.execute_statement(Statement=statement, **more)
        yield [(item["pk"]["S"], item["sk"]["S"]) for item in answer["Items"]]
        if "NextToken" not in answer:
            return
        more["NextToken"] = answer["NextToken"]


def test_next_token_goes_on_where_a_page_ended(client, table):
    for pk in "abc":
        for sk in range(7):
            run(
                client,
                f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?, 'n': ?}}",
                pk,
                str(sk),
                sk,
            )
    statement = (
        f"SELECT * FROM \"{table}\" WHERE pk IN ['a', 'c'] AND n <> 3 ORDER BY pk DESC, sk ASC"
    )
    whole = [key for page in pages(client, statement) for key in page]
    assert whole == [(pk, str(sk)) for pk in "ca" for sk in range(7) if sk != 3]
    for limit in (1, 2, 3, 5, 100):
        cut = list(pages(client, statement, Limit=limit))
        assert [key for page in cut for key in page] == whole
        assert all(len(page) <= limit for page in cut)
    scan = f'SELECT * FROM "{table}"'
    whole = [key for page in pages(client, scan) for key in page]
    assert len(set(whole)) == 21
    assert [key for page in pages(client, scan, Limit=4) for key in page] == whole
    token = client.execute_statement(Statement=statement, Limit=1)["NextToken"]
    refused(
        "ValidationException",
        "NextToken does not match request",
        client.execute_statement,
        Statement=scan,
        NextToken=token,
    )


def test_a_statement_reads_an_index(client, make_table):
    table = make_table(INDEXED)
    for sk, g in (("1", "x"), ("2", "y"), ("3", "x")):
        run(
            client,
            f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?, 'g': ?, 'l': ?}}",
            "p",
            sk,
            g,
            g + sk,
        )
    assert [
        item["sk"]
        for item in run(client, f'SELECT sk FROM "{table}"."gsi" WHERE g = \'x\' ORDER BY sk DESC')
    ] == ["3", "1"]
    answer = client.execute_statement(
        Statement=f"SELECT sk FROM \"{table}\".\"lsi\" WHERE pk = 'p' AND l >= 'x3'",
        ConsistentRead=True,
        ReturnConsumedCapacity="INDEXES",
    )
    assert [item["sk"]["S"] for item in answer["Items"]] == ["3", "2"]
    assert answer["ConsumedCapacity"]["LocalSecondaryIndexes"] == {"lsi": {"CapacityUnits": 1.0}}


def test_a_batch_has_an_answer_for_each_statement(client, table):
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?}}"
    batch = [{"Statement": insert, "Parameters": [{"S": "b"}, {"S": str(at)}]} for at in range(24)]
    answer = client.batch_execute_statement(
        Statements=[*batch, {"Statement": "SLECT"}], ReturnConsumedCapacity="TOTAL"
    )
    assert [response.get("TableName") for response in answer["Responses"]] == [table] * 24 + [None]
    assert answer["Responses"][24]["Error"]["Code"] == "ValidationError"
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 24.0}]
    again = client.batch_execute_statement(Statements=batch[:2])
    assert [response["Error"]["Code"] for response in again["Responses"]] == ["DuplicateItem"] * 2
    select = f'SELECT sk FROM "{table}" WHERE pk = ? AND sk = ?'
    reads = [{"Statement": select, "Parameters": [{"S": "b"}, {"S": sk}]} for sk in ("3", "none")]
    answer = client.batch_execute_statement(Statements=reads)
    assert [response.get("Item") for response in answer["Responses"]] == [{"sk": {"S": "3"}}, None]


def test_a_transaction_is_all_or_nothing_and_runs_once(client, table):
    run(client, f"INSERT INTO \"{table}\" VALUE {{'pk': 'account', 'sk': '1', 'balance': 100}}")
    transfer = [
        {
            "Statement": f"EXISTS(SELECT * FROM \"{table}\" WHERE pk = 'account' AND sk = '2' AND closed IS MISSING)"
        },
        {
            "Statement": f"UPDATE \"{table}\" SET balance = balance - 10 WHERE pk = 'account' AND sk = '1'"
        },
        {"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': 'entry', 'sk': '1'}}"},
    ]
    token = str(uuid.uuid4())
    for _ in range(2):
        assert (
            client.execute_transaction(TransactStatements=transfer, ClientRequestToken=token)[
                "Responses"
            ]
            == []
        )
    reads = [
        {"Statement": f"SELECT * FROM \"{table}\" WHERE pk = '{pk}' AND sk = '1'"}
        for pk in ("account", "entry")
    ]
    answer = client.execute_transaction(TransactStatements=reads, ReturnConsumedCapacity="TOTAL")
    assert answer["Responses"][0]["Item"]["balance"] == {"N": "90"}
    assert answer["ConsumedCapacity"][0]["ReadCapacityUnits"] == 4.0
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.execute_transaction(TransactStatements=transfer)
    codes = [reason["Code"] for reason in cancelled.value.response["CancellationReasons"]]
    assert codes == ["None", "None", "DuplicateItem"]
    with pytest.raises(ClientError) as mismatch:
        client.execute_transaction(TransactStatements=transfer[1:], ClientRequestToken=token)
    assert mismatch.value.response["Error"]["Code"] == "IdempotentParameterMismatchException"
