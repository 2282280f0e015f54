"""What people get wrong every day, and the words that AWS answers with.

All texts were measured on AWS; they are those of the request-validation layer that most regions
run. Writes wrap errors about expressions and values in `1 validation error detected: `, reads do not.
"""

import pytest

from helpers import INDEXED, refused, strings

ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
KEY = strings(pk="a", sk="b")


@pytest.fixture(scope="module")
def table(client, make_module_table):
    name = make_module_table(INDEXED)
    client.put_item(TableName=name, Item={**KEY, "n": {"N": "1"}, "s": {"S": "x"}})
    return name


MISTAKES = {
    "a key attribute is missing": (
        "put_item",
        {"Item": strings(pk="a")},
        INVALID + "Missing the key sk in the item",
    ),
    "a key has the wrong type": (
        "put_item",
        {"Item": {"pk": {"N": "1"}, "sk": {"S": "b"}}},
        INVALID + "Type mismatch for key pk expected: S actual: N",
    ),
    "a key is empty": (
        "put_item",
        {"Item": strings(pk="", sk="b")},
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
    ),
    "an index key has the wrong type": (
        "put_item",
        {"Item": {**KEY, "g": {"N": "1"}}},
        INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: gsi",
    ),
    "an index key is empty": (
        "put_item",
        {"Item": {**KEY, "g": {"S": ""}}},
        NOT_VALID
        + "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
        "cannot contain an empty string value. IndexName: gsi, IndexKey: g",
    ),
    "an item is too large": (
        "put_item",
        {"Item": {**KEY, "big": {"S": "x" * 409_600}}},
        "Item size has exceeded the maximum allowed size",
    ),
    "half a key is given": (
        "get_item",
        {"Key": strings(pk="a")},
        "The provided key element does not match the schema",
    ),
    "too much of a key is given": (
        "delete_item",
        {"Key": strings(pk="a", sk="b", x="c")},
        "The provided key element does not match the schema",
    ),
    "a reserved word in an update": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET status = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}},
        ENVELOPE + "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    "a reserved word in a projection": (
        "get_item",
        {"Key": KEY, "ProjectionExpression": "name"},
        "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name",
    ),
    "a value is not defined": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "n = :n", "ExpressionAttributeValues": {":m": {"N": "1"}}},
        ENVELOPE
        + "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
        "attribute value: :n",
    ),
    "a value is not used": (
        "update_item",
        {
            "Key": KEY,
            "UpdateExpression": "SET n = :n",
            "ExpressionAttributeValues": {":n": {"N": "1"}, ":spare": {"N": "1"}},
        },
        ENVELOPE + "Value provided in ExpressionAttributeValues unused in expressions: keys: {:spare}",
    ),
    "a name is not used": (
        "query",
        {
            "KeyConditionExpression": "pk = :a",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
            "ExpressionAttributeNames": {"#x": "x"},
        },
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
    ),
    "values without an expression": (
        "put_item",
        {"Item": KEY, "ExpressionAttributeValues": {":n": {"N": "1"}}},
        ENVELOPE + "ExpressionAttributeValues can only be specified when using expressions",
    ),
    "a syntax error": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET n == :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        ENVELOPE + 'Invalid UpdateExpression: Syntax error; token: "=", near: "== :n"',
    ),
    "an empty expression": (
        "put_item",
        {"Item": KEY, "ConditionExpression": ""},
        ENVELOPE + "Invalid ConditionExpression: The expression can not be empty;",
    ),
    "the key is updated": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET pk = :p", "ExpressionAttributeValues": {":p": {"S": "z"}}},
        INVALID + "Cannot update attribute pk. This attribute is part of the key",
    ),
    "a path through what is not there": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET m.k = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        "The document path provided in the update expression is invalid for update",
    ),
    "adding to what is not there": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET gone = gone + :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        "The provided expression refers to an attribute that does not exist in the item",
    ),
    "adding a number to a string": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET s = s + :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        "An operand in the update expression has an incorrect data type",
    ),
    "two clauses on one path": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET n = :n REMOVE n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        ENVELOPE
        + "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these "
        "paths; path one: [n], path two: [n]",
    ),
    "old and new parameters together": (
        "put_item",
        {
            "Item": KEY,
            "ConditionExpression": "attribute_exists(pk)",
            "Expected": {"n": {"Exists": False}},
        },
        ENVELOPE
        + "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
    ),
    "a query without the partition key": (
        "query",
        {"KeyConditionExpression": "sk = :b", "ExpressionAttributeValues": {":b": {"S": "b"}}},
        "Query condition missed key schema element: pk",
    ),
    "a range on the partition key": (
        "query",
        {"KeyConditionExpression": "pk > :a", "ExpressionAttributeValues": {":a": {"S": "a"}}},
        "Query key condition not supported",
    ),
    "a query without a condition": (
        "query",
        {},
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    ),
    "a filter on a key": (
        "query",
        {
            "KeyConditionExpression": "pk = :a",
            "FilterExpression": "sk = :a",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
        },
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
    ),
    "an index that is not there": (
        "query",
        {
            "IndexName": "nope",
            "KeyConditionExpression": "pk = :a",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
        },
        "The table does not have the specified index: nope",
    ),
    "a consistent read of a GSI": (
        "scan",
        {"IndexName": "gsi", "ConsistentRead": True},
        "Consistent reads are not supported on global secondary indexes",
    ),
    "a start key of another shape": (
        "query",
        {
            "KeyConditionExpression": "pk = :a",
            "ExpressionAttributeValues": {":a": {"S": "a"}},
            "ExclusiveStartKey": strings(pk="a"),
        },
        "The provided starting key is invalid",
    ),
    "a segment without its total": (
        "scan",
        {"Segment": 0},
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    ),
    "an unsupported ReturnValues": (
        "put_item",
        {"Item": KEY, "ReturnValues": "ALL_NEW"},
        ENVELOPE + "ReturnValues can only be ALL_OLD or NONE",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(client, table, mistake):
    operation, request, message = MISTAKES[mistake]
    refused("ValidationException", message, getattr(client, operation), TableName=table, **request)


@pytest.mark.parametrize(
    ("operation", "request_members"),
    [
        ("put_item", {"Item": KEY}),
        ("get_item", {"Key": KEY}),
        ("update_item", {"Key": KEY}),
        ("delete_item", {"Key": KEY}),
        ("query", {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}),
        ("scan", {}),
    ],
)
def test_a_table_that_is_not_there(client, operation, request_members):
    refused(
        "ResourceNotFoundException",
        "Requested resource not found",
        getattr(client, operation),
        TableName="e2e-no-such-table",
        **request_members,
    )


def test_errors_are_caught_by_type(client):
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.delete_table(TableName="e2e-no-such-table")
    try:
        client.get_item(TableName="e2e-no-such-table", Key=KEY)
    except client.exceptions.ResourceNotFoundException as error:
        metadata = error.response["ResponseMetadata"]
        assert len(metadata["RequestId"]) == 52
        assert metadata["HTTPHeaders"]["x-amz-crc32"].isdigit()
