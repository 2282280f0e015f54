"""First steps with the two tables: Python and boto3.

    dyno &
    dyno planes deploy --prefix my-app
    python examples/first-steps/example.py

The same on AWS: deploy the template of `dyno planes template`, and leave AWS_ENDPOINT_URL_DYNAMODB unset.
"""

import os
import secrets
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

PREFIX = os.environ.get("PREFIX", "my-app")
USER = "user01"

dynamodb = boto3.resource("dynamodb")
control = dynamodb.Table(f"{PREFIX}-ControlPlaneTable")
data = dynamodb.Table(f"{PREFIX}-DataPlaneTable")


def iso(at: datetime) -> str:
    """The one form of time in the tables: UTC, milliseconds, Z. Of one width, so that it sorts as it should."""
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shard_of(text: str, count: int) -> int:
    """The shard of an id, the same in every language: h = h * 31 + c over UTF-16 units, in 32 bits."""
    h = 0
    units = text.encode("utf-16-le")
    for low, high in zip(units[::2], units[1::2]):
        h = (h * 31 + low + 256 * high) & 0xFFFFFFFF
    return h % count


# --- ControlPlane -----------------------------------------------------------------------------------------------------


def put_latest(resource_key: str, value: dict, revision: int | None = None) -> int:
    """Overwrites the latest version, and counts. With a revision, only if nobody else has written since it was read."""
    condition = {} if revision is None else {"ConditionExpression": Attr("revision").eq(revision)}
    answer = control.update_item(
        Key={"resource_key": resource_key, "event_key": "config#latest"},
        UpdateExpression="SET #value = :value, timeline = :now ADD revision :one",
        ExpressionAttributeNames={"#value": "value"},
        ExpressionAttributeValues={":value": value, ":now": iso(datetime.now(timezone.utc)), ":one": 1},
        ReturnValues="UPDATED_NEW",
        **condition,
    )
    return int(answer["Attributes"]["revision"])


def put_version(resource_key: str, at: datetime, value: dict) -> None:
    """Keeps a version. The condition is what makes it never overwrite another of the same millisecond."""
    control.put_item(
        Item={
            "resource_key": resource_key,
            "event_key": f"version#{iso(at)}",
            "timeline": iso(at),
            "value": value,
        },
        ConditionExpression=Attr("resource_key").not_exists(),
    )


def latest(resource_key: str) -> dict | None:
    key = {"resource_key": resource_key, "event_key": "config#latest"}
    return control.get_item(Key=key, ConsistentRead=True).get("Item")


def history(resource_key: str, limit: int = 20) -> list[dict]:
    """The kept versions, newest first."""
    return control.query(
        KeyConditionExpression=Key("resource_key").eq(resource_key) & Key("event_key").begins_with("version#"),
        ScanIndexForward=False,
        Limit=limit,
    )["Items"]


# --- DataPlane --------------------------------------------------------------------------------------------------------


def record_observation(user: str, value: dict, keep: timedelta) -> str:
    now = datetime.now(timezone.utc)
    obs_id = f"obs_{now:%Y%m%d}_{secrets.token_hex(8)}"
    shard = shard_of(obs_id, 1)  # one shard at first; raise the count when it gets hot
    key = f"observation${shard}#{obs_id}"
    data.put_item(
        Item={
            "event_key_sharded": key,
            "data_type_indexed": "value$0",
            "publisher_resource_key": f"observations#{user}",
            "timeline": iso(now),
            "timeline_bucket": f"all${shard}",
            "ttl": int((now + keep).timestamp()) + 1,
            "value": value,
        },
        ConditionExpression=Attr("event_key_sharded").not_exists(),
    )
    return key


def observations(user: str, limit: int = 50) -> list[dict]:
    """A user's observations, newest first. DynamoDB deletes what has expired some time later, so it is left out here; and a
    filter works after the limit, so pages are read until there are enough."""
    request = {
        "IndexName": "index_publisher_resource_key",
        "KeyConditionExpression": Key("publisher_resource_key").eq(f"observations#{user}"),
        "FilterExpression": Attr("ttl").not_exists() | Attr("ttl").gt(int(datetime.now().timestamp())),
        "ScanIndexForward": False,
        "Limit": limit,
    }
    items: list[dict] = []
    while True:
        page = data.query(**request)
        items += page["Items"]
        if len(items) >= limit or "LastEvaluatedKey" not in page:
            return items[:limit]
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def main() -> None:
    profile = f"profile#{USER}"
    now = datetime.now(timezone.utc)
    revision = put_latest(profile, {"text": "個人投資家", "updatedAt": iso(now)})
    put_version(profile, now, {"text": "初版", "savedAt": iso(now)})
    try:
        put_version(profile, now, {"text": "would be lost", "savedAt": iso(now)})
        raise SystemExit("a version was overwritten")
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ConditionalCheckFailedException", error

    put_latest(profile, {"text": "長期投資家", "updatedAt": iso(now)}, revision)
    try:
        put_latest(profile, {"text": "stale", "updatedAt": iso(now)}, revision)
        raise SystemExit("an update was lost")
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ConditionalCheckFailedException", error

    item = latest(profile)
    assert item and item["value"]["text"] == "長期投資家", item
    assert history(profile)[0]["value"]["text"] == "初版"
    print(f"latest   {item['value']['text']}, revision {item['revision']}")

    observation = {"key": "USDJPY", "value": Decimal("149.3"), "category": "forex", "source": "Python"}
    key = record_observation(USER, observation, keep=timedelta(days=30))
    found = observations(USER)
    assert found[0]["event_key_sharded"] == key and found[0]["value"]["value"] == Decimal("149.3"), found[0]
    for item in found:
        value = item["value"]
        print(f"observed {value['key']} {value['value']}, written by {value['source']}")


if __name__ == "__main__":
    main()
