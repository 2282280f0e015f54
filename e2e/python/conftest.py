"""What every test gets: the server's endpoint, clients of it, and tables that vanish afterwards.

The server is started by `cargo xtask e2e`, which also sets credentials, region and the endpoint
in the environment, as a user of `dyno` does. Retries are off: an answer that a retry would hide
fails its test.
"""

import os
import uuid

import boto3
import pytest
from botocore.config import Config

from helpers import wait_until_active


@pytest.fixture(scope="session")
def endpoint():
    url = os.environ.get("DYNO_ENDPOINT")
    assert url, "DYNO_ENDPOINT must name a running server; run these tests with `cargo xtask e2e`"
    return url


@pytest.fixture(scope="session")
def client(endpoint):
    return boto3.client("dynamodb", config=Config(retries={"total_max_attempts": 1}))


@pytest.fixture(scope="session")
def streams(endpoint):
    return boto3.client("dynamodbstreams", config=Config(retries={"total_max_attempts": 1}))


@pytest.fixture(scope="session")
def resource(endpoint):
    return boto3.resource("dynamodb", config=Config(retries={"total_max_attempts": 1}))


@pytest.fixture(scope="session")
def clients(client):
    """Closes what the session opened."""
    yield client
    client.close()


@pytest.fixture
def make_table(client):
    """A function that creates a table, waits for it, and gives its name."""
    yield from _tables(client)


@pytest.fixture(scope="module")
def make_module_table(client):
    """The same for a table that all tests of a file read."""
    yield from _tables(client)


def _tables(client):
    made = []

    def make(definition):
        name = f"e2e-{uuid.uuid4().hex[:12]}"
        client.create_table(**{"TableName": name, "BillingMode": "PAY_PER_REQUEST", **definition})
        made.append(name)
        wait_until_active(client, name)
        return name

    yield make
    for name in made:
        try:
            client.delete_table(TableName=name)
        except client.exceptions.ResourceNotFoundException:
            pass
