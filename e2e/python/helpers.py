"""Shapes that several tests use."""

import json
import time
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError


def attributes(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def keys(partition, sort=None):
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    if sort:
        schema.append({"AttributeName": sort, "KeyType": "RANGE"})
    return schema


def index(name, partition, sort=None, projection="ALL", include=None):
    described = {"ProjectionType": projection}
    if include:
        described["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": keys(partition, sort), "Projection": described}


# Partition key only; and the table that most tests use: a sort key, a GSI and an LSI.
SIMPLE = {"AttributeDefinitions": attributes(pk="S"), "KeySchema": keys("pk")}
PAIR = {"AttributeDefinitions": attributes(pk="S", sk="S"), "KeySchema": keys("pk", "sk")}
INDEXED = {
    "AttributeDefinitions": attributes(pk="S", sk="S", g="S", l="S"),
    "KeySchema": keys("pk", "sk"),
    "GlobalSecondaryIndexes": [index("gsi", "g", "sk")],
    "LocalSecondaryIndexes": [index("lsi", "pk", "l")],
}


def wait_until_active(client, table, seconds=60):
    """Waits until the table and all its indexes are active."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        described = client.describe_table(TableName=table)["Table"]
        states = [described["TableStatus"]]
        states += [gsi["IndexStatus"] for gsi in described.get("GlobalSecondaryIndexes", [])]
        if set(states) == {"ACTIVE"}:
            return described
        time.sleep(0.05)
    raise AssertionError(f"{table} was not active after {seconds} s: {states}")


def wait_until(what, seconds=60):
    """Waits until a function gives something true, and gives that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = what()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"still not so after {seconds} s: {what}")


def refused(kind, message, call, *args, **kwargs):
    """Checks that a call is refused with exactly this error type and message; gives the response."""
    with pytest.raises(ClientError) as caught:
        call(*args, **kwargs)
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == (kind, message)
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    return caught.value.response


def strings(**values):
    """An item of strings in DynamoDB's own JSON."""
    return {name: {"S": value} for name, value in values.items()}


def throughput(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def provisioned(read, write, **more):
    return {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput(read, write), **SIMPLE, **more}


def own(endpoint, path, body=None, method=None):
    """An own endpoint's answer: status and JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(endpoint + path, data=data, method=method or ("POST" if data else "GET"))
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
