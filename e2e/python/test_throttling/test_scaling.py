"""Application Auto Scaling with an unmodified client, on the server with `--clock manual --throttle enforce`.

A client of it is what boto3 makes when it is told the endpoint; the figures are those of the guides: two minutes above the
target raise throughput, fifteen well below it lower it.
"""

import datetime
import urllib.error
import urllib.request

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from helpers import own, provisioned, refused, strings, wait_until

ROLE = (
    "arn:aws:iam::000000000000:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/"
    "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
)


@pytest.fixture(scope="module")
def scaling(endpoint):
    config = Config(retries={"total_max_attempts": 1})
    client = boto3.client("application-autoscaling", endpoint_url=endpoint, config=config)
    yield client
    client.close()


def target(table, kind="Write", index=None):
    resource = f"table/{table}" + (f"/index/{index}" if index else "")
    return {
        "ServiceNamespace": "dynamodb",
        "ResourceId": resource,
        "ScalableDimension": f"dynamodb:{'index' if index else 'table'}:{kind}CapacityUnits",
    }


def tracking(kind="Write", value=70.0, **more):
    return {
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": value,
            "PredefinedMetricSpecification": {"PredefinedMetricType": f"DynamoDB{kind}CapacityUtilization"},
            **more,
        },
    }


def units(client, table):
    throughput = client.describe_table(TableName=table)["Table"]["ProvisionedThroughput"]
    return throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]


def activities(scaling, table, **more):
    found = scaling.describe_scaling_activities(
        ServiceNamespace="dynamodb", ResourceId=f"table/{table}", **more
    )["ScalingActivities"]
    return [(a["Description"], a["StatusCode"]) for a in found]


def whole_minute(endpoint, advance):
    """Moves the clock to the next whole minute."""
    _, answer = own(endpoint, "/_dyno/clock")
    now = datetime.datetime.fromisoformat(answer["now"].replace("Z", "+00:00"))
    into = now.second * 1000 + now.microsecond // 1000
    advance(f"{60_000 - into}ms")


def test_a_load_scales_a_table_out_and_its_end_scales_it_in(client, scaling, endpoint, make_table, advance):
    table = make_table(provisioned(5, 5))
    scaling.register_scalable_target(**target(table), MinCapacity=5, MaxCapacity=100)
    policy = scaling.put_scaling_policy(PolicyName="writes", **target(table), **tracking())
    kinds = [alarm["AlarmName"].removeprefix(f"TargetTracking-table/{table}-") for alarm in policy["Alarms"]]
    assert [kind.split("-")[0] for kind in kinds] == [
        "AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh", "ProvisionedCapacityLow",
    ]
    # Five minutes of rest save up 1,500 units for the burst.
    whole_minute(endpoint, advance)
    advance("5m")
    for _ in range(2):
        for at in range(360):
            client.put_item(TableName=table, Item=strings(pk=str(at)))
        advance("1m")
    # Both minutes are over; the second is seen a minute later.
    assert units(client, table) == (5, 5)
    advance("1m")
    # 6 units a second are 70 % of 9.
    assert units(client, table) == (5, 9)
    assert activities(scaling, table) == [("Setting write capacity units to 9.", "Successful")]
    advance("14m")
    assert units(client, table) == (5, 9)
    advance("1m")
    assert units(client, table) == (5, 5)
    newest = scaling.describe_scaling_activities(ServiceNamespace="dynamodb", MaxResults=1)["ScalingActivities"][0]
    assert newest["Cause"].startswith(f"monitor alarm TargetTracking-table/{table}-AlarmLow-")
    assert newest["Cause"].endswith(" in state ALARM triggered policy writes")
    assert newest["StatusMessage"] == (
        "Successfully set write capacity units to 5. Change successfully fulfilled by dynamodb."
    )


def test_a_scheduled_action_moves_bounds_and_throughput(client, scaling, endpoint, make_table, advance):
    table = make_table(provisioned(5, 5))
    scaling.register_scalable_target(**target(table, "Read"), MinCapacity=1, MaxCapacity=10)
    _, answer = own(endpoint, "/_dyno/clock")
    start = datetime.datetime.fromisoformat(answer["now"].replace("Z", "+00:00")) + datetime.timedelta(hours=1)
    scaling.put_scheduled_action(
        **target(table, "Read"),
        ScheduledActionName="opening",
        Schedule="cron(0 9 * * ? *)",
        Timezone="Europe/Berlin",
        StartTime=start,
        ScalableTargetAction={"MinCapacity": 40, "MaxCapacity": 60},
    )
    advance("59m")
    assert units(client, table)[0] == 5
    advance("1m")
    assert units(client, table)[0] == 40
    assert activities(scaling, table) == [
        ("Setting read capacity units to 40.", "Successful"),
        ("Setting min capacity to 40 and max capacity to 60", "Successful"),
    ]
    [described] = scaling.describe_scheduled_actions(ServiceNamespace="dynamodb", ResourceId=f"table/{table}")[
        "ScheduledActions"
    ]
    assert described["StartTime"] == start.replace(microsecond=start.microsecond // 1000 * 1000)
    assert described["ScheduledActionARN"].endswith(f":resource/dynamodb/table/{table}:scheduledActionName/opening")
    scaling.delete_scheduled_action(**target(table, "Read"), ScheduledActionName="opening")


def test_terraform_reads_back_what_it_made(client, scaling, make_table):
    """The calls of aws_appautoscaling_target and _policy: create, read, read tags, plan again, destroy."""
    table = make_table(provisioned(5, 5))
    names = target(table, "Read")
    arn = scaling.register_scalable_target(**names, MinCapacity=2, MaxCapacity=20, Tags={"team": "a"})[
        "ScalableTargetARN"
    ]
    [read] = scaling.describe_scalable_targets(
        ServiceNamespace="dynamodb", ResourceIds=[names["ResourceId"]], ScalableDimension=names["ScalableDimension"]
    )["ScalableTargets"]
    assert read.pop("CreationTime").tzinfo is not None
    assert read == {
        **names,
        "MinCapacity": 2,
        "MaxCapacity": 20,
        "RoleARN": ROLE,
        "ScalableTargetARN": arn,
        "SuspendedState": {
            "DynamicScalingInSuspended": False,
            "DynamicScalingOutSuspended": False,
            "ScheduledScalingSuspended": False,
        },
    }
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"team": "a"}
    scaling.tag_resource(ResourceARN=arn, Tags={"team": "b", "more": "c"})
    scaling.untag_resource(ResourceARN=arn, TagKeys=["more", "none"])
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"team": "b"}

    made = scaling.put_scaling_policy(PolicyName="reads", **names, **tracking("Read", 66.5, ScaleInCooldown=60))
    [policy] = scaling.describe_scaling_policies(PolicyNames=["reads"], **names)["ScalingPolicies"]
    assert (policy["PolicyARN"], policy["Alarms"]) == (made["PolicyARN"], made["Alarms"])
    assert policy["TargetTrackingScalingPolicyConfiguration"] == {
        "TargetValue": 66.5,
        "PredefinedMetricSpecification": {"PredefinedMetricType": "DynamoDBReadCapacityUtilization"},
        "ScaleInCooldown": 60,
    }
    # Applied once more, nothing changes.
    again = scaling.put_scaling_policy(PolicyName="reads", **names, **tracking("Read", 66.5, ScaleInCooldown=60))
    assert again["PolicyARN"] == made["PolicyARN"] and again["Alarms"] == made["Alarms"]
    pages = scaling.get_paginator("describe_scaling_policies").paginate(ServiceNamespace="dynamodb")
    assert "reads" in [policy["PolicyName"] for page in pages for policy in page["ScalingPolicies"]]

    scaling.delete_scaling_policy(PolicyName="reads", **names)
    scaling.deregister_scalable_target(**names)
    missing = (
        f"No scalable target found for service namespace: dynamodb, resource ID: table/{table}, "
        "scalable dimension: dynamodb:table:ReadCapacityUnits"
    )
    refused("ObjectNotFoundException", missing, scaling.deregister_scalable_target, **names)


def test_bounds_move_throughput_at_once(client, scaling, make_table):
    table = make_table(provisioned(5, 5))
    scaling.register_scalable_target(**target(table), MinCapacity=8, MaxCapacity=20)
    wait_until(lambda: units(client, table) == (5, 8))
    missing = "DynamoDB table does not exist: table/no-such-table"
    refused(
        "ValidationException", missing, scaling.register_scalable_target,
        **target("no-such-table"), MinCapacity=1, MaxCapacity=2,
    )


def test_each_service_takes_its_own_json(endpoint):
    def status(target, version):
        headers = {"Content-Type": f"application/x-amz-json-{version}", "X-Amz-Target": target}
        request = urllib.request.Request(endpoint, data=b'{"ServiceNamespace":"dynamodb"}', headers=headers)
        signed = AWSRequest("POST", endpoint, headers=headers, data=request.data)
        SigV4Auth(Credentials("e2e", "e2e"), "dynamodb", "us-east-1").add_auth(signed)
        for name, value in signed.headers.items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers["Content-Type"]
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"]

    scaling = "AnyScaleFrontendService.DescribeScalableTargets"
    assert status(scaling, "1.1") == (200, "application/x-amz-json-1.1")
    assert status("DynamoDB_20120810.ListTables", "1.0") == (200, "application/x-amz-json-1.0")
    # Measured: DynamoDB has no such page.
    assert status("DynamoDB_20120810.ListTables", "1.1")[0] == 404
