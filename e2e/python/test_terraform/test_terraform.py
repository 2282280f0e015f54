"""Terraform's AWS provider: what it makes it finds again as it made it, changes it in place, and takes it away.

`DYNO_TERRAFORM_PLUGINS` names a folder with the provider, as `terraform providers mirror` writes it; without it Terraform
fetches the provider from its registry. Where there is no Terraform, or no provider to be had, the tests are skipped.
"""

import json
import os
import pathlib
import shutil
import subprocess

import boto3
import pytest

PLUGINS = os.environ.get("DYNO_TERRAFORM_PLUGINS")
TABLE = "terraform-orders"
RESOURCES = 5

pytestmark = pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not installed")


class Terraform:
    """A working folder."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
        if PLUGINS:
            # A configuration of the person's own would name another place.
            self.env.pop("TF_CLI_CONFIG_FILE", None)

    def run(self, *words, codes=(0,)):
        command = ["terraform", words[0], "-no-color", *words[1:]]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=300
        )
        assert done.returncode in codes, f"{command} ends with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def variables(self, changed):
        return [f"-var=endpoint={os.environ['DYNO_ENDPOINT']}", f"-var=changed={json.dumps(changed)}"]

    def apply(self, changed):
        self.run("apply", "-input=false", "-auto-approve", *self.variables(changed))

    def planned(self, changed):
        """What would be done, by resource; nothing when all is as it should be."""
        options = ["-input=false", "-out=plan", "-detailed-exitcode"]
        if self.run("plan", *options, *self.variables(changed), codes=(0, 2)).returncode == 0:
            return {}
        plan = json.loads(self.run("show", "-json", "plan").stdout)
        return {change["address"]: change["change"]["actions"] for change in plan["resource_changes"]}


@pytest.fixture(scope="module")
def terraform(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terraform")
    shutil.copy(pathlib.Path(__file__).with_name("main.tf"), folder)
    made = Terraform(folder)
    plugins = [f"-plugin-dir={PLUGINS}"] if PLUGINS else []
    init = made.run("init", "-input=false", *plugins, codes=(0, 1))
    if init.returncode != 0:
        assert not PLUGINS, init.stderr
        pytest.skip(f"terraform cannot get its AWS provider: {' '.join(init.stderr.split())[:300]}")
    return made


@pytest.fixture
def service():
    made = []

    def client(name):
        made.append(boto3.client(name, endpoint_url=os.environ["DYNO_ENDPOINT"]))
        return made[-1]

    yield client
    for one in made:
        one.close()


def test_a_table_and_what_belongs_to_it(terraform, service):
    dynamodb, scaling, cloudwatch = (
        service("dynamodb"),
        service("application-autoscaling"),
        service("cloudwatch"),
    )

    def is_as_written(units, index_units, stage, most, target, threshold, limit):
        table = dynamodb.describe_table(TableName=TABLE)["Table"]
        assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == units
        assert table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == index_units
        assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        tags = dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "shop", "stage": stage}
        ttl = dynamodb.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
        assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
        backups = dynamodb.describe_continuous_backups(TableName=TABLE)["ContinuousBackupsDescription"]
        assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
        of_dynamodb = {"ServiceNamespace": "dynamodb"}
        [scalable] = scaling.describe_scalable_targets(**of_dynamodb)["ScalableTargets"]
        assert (scalable["MinCapacity"], scalable["MaxCapacity"]) == (5, most)
        [policy] = scaling.describe_scaling_policies(**of_dynamodb)["ScalingPolicies"]
        assert policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] == target
        [alarm] = cloudwatch.describe_alarms(AlarmNames=["terraform-orders-throttles"])["MetricAlarms"]
        assert alarm["Threshold"] == threshold
        key = {"PK": {"S": "SETTINGS"}, "SK": {"S": "v1"}}
        item = dynamodb.get_item(TableName=TABLE, Key=key, ConsistentRead=True)["Item"]
        assert item == {**key, "limit": {"N": limit}}

    terraform.apply(False)
    is_as_written(5, 3, "trial", 100, 70, 5, "10")
    assert terraform.planned(False) == {}, "what was made is found as it was made"

    changes = terraform.planned(True)
    assert len(changes) == RESOURCES
    assert set(map(tuple, changes.values())) == {("update",)}, "all of it is changed in place"
    terraform.apply(True)
    is_as_written(7, 4, "production", 200, 60, 10, "20")
    assert terraform.planned(True) == {}

    terraform.run("destroy", "-input=false", "-auto-approve", *terraform.variables(True))
    assert TABLE not in dynamodb.list_tables()["TableNames"]
    assert scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"] == []
    assert cloudwatch.describe_alarms(AlarmNames=["terraform-orders-throttles"])["MetricAlarms"] == []
