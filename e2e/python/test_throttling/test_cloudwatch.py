"""CloudWatch and Contributor Insights, as clients meet them on the same port; the clock is moved by the test.

boto3 speaks JSON to CloudWatch. What older SDKs send (forms, answered in XML) and what newer ones send (CBOR) is written
here by botocore's own serializers, and read by its own parsers.
"""

import datetime
import urllib.error
import urllib.parse
import urllib.request

import boto3
import botocore.model
import botocore.parsers
import botocore.serialize
import botocore.session
import pytest
from botocore.config import Config

from helpers import PAIR, own, provisioned

UTC = datetime.timezone.utc


@pytest.fixture(scope="module")
def cloudwatch(endpoint):
    config = Config(retries={"total_max_attempts": 1})
    return boto3.client("cloudwatch", endpoint_url=endpoint, config=config)


@pytest.fixture
def advance(endpoint):
    """Moves the clock to the beginning of a minute, some minutes on; gives the time."""

    def advance(minutes):
        _, answer = own(endpoint, "/_dyno/clock")
        now = datetime.datetime.fromisoformat(answer["now"].replace("Z", "+00:00"))
        now = now.replace(second=0, microsecond=0) + datetime.timedelta(minutes=minutes)
        status, answer = own(endpoint, "/_dyno/clock", {"set": now.strftime("%Y-%m-%dT%H:%M:%SZ")})
        assert status == 200, answer
        return now

    return advance


def dimensions(**named):
    return [{"Name": name, "Value": value} for name, value in named.items()]


def query(id, metric, stat, **named):
    described = {"Namespace": "AWS/DynamoDB", "MetricName": metric, "Dimensions": dimensions(**named)}
    return {"Id": id, "MetricStat": {"Metric": described, "Period": 60, "Stat": stat}}


def values(cloudwatch, end, *queries):
    answer = cloudwatch.get_metric_data(
        MetricDataQueries=list(queries), StartTime=end - datetime.timedelta(minutes=1), EndTime=end
    )
    assert {result["StatusCode"] for result in answer["MetricDataResults"]} == {"Complete"}
    return {result["Id"]: result["Values"] for result in answer["MetricDataResults"]}


def state(cloudwatch, name):
    [alarm] = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
    return alarm["StateValue"]


def test_traffic_becomes_metrics_and_an_alarm_goes_off_and_comes_back(client, cloudwatch, make_table, advance):
    advance(1)
    table = make_table(provisioned(5, 5))
    cloudwatch.put_metric_alarm(
        AlarmName=f"throttles-{table}",
        Namespace="AWS/DynamoDB",
        MetricName="ThrottledRequests",
        Dimensions=dimensions(TableName=table, Operation="PutItem"),
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=0,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
    )
    assert state(cloudwatch, f"throttles-{table}") == "INSUFFICIENT_DATA"
    advance(1)
    assert state(cloudwatch, f"throttles-{table}") == "OK"
    # What is saved up is used up first.
    refusals = 0
    while refusals < 3:
        try:
            client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"B": b"x" * 40_000}})
        except client.exceptions.ProvisionedThroughputExceededException:
            refusals += 1
    client.get_item(TableName=table, Key={"pk": {"S": "a"}}, ConsistentRead=True)
    end = advance(1)
    found = values(
        cloudwatch,
        end,
        query("throttled", "ThrottledRequests", "Sum", TableName=table, Operation="PutItem"),
        query("events", "WriteProvisionedThroughputThrottleEvents", "Sum", TableName=table),
        query("units", "ConsumedReadCapacityUnits", "Sum", TableName=table),
        query("latency", "SuccessfulRequestLatency", "p50", TableName=table, Operation="GetItem"),
        query("nothing", "SystemErrors", "Sum", TableName=table, Operation="GetItem"),
        {"Id": "rate", "Expression": "units / PERIOD(units)"},
        {"Id": "all", "Expression": "SUM([throttled, FILL(nothing, 0)])"},
    )
    assert (found["throttled"], found["events"], found["all"]) == ([3.0], [3.0], [3.0])
    assert (found["units"], found["rate"], found["nothing"]) == ([10.0], [10.0 / 60], [])
    assert 0 < found["latency"][0] < 1000
    assert state(cloudwatch, f"throttles-{table}") == "ALARM"
    advance(3)
    assert state(cloudwatch, f"throttles-{table}") == "OK"
    history = cloudwatch.describe_alarm_history(AlarmName=f"throttles-{table}", HistoryItemType="StateUpdate")
    assert [item["HistorySummary"] for item in history["AlarmHistoryItems"]] == [
        "Alarm updated from ALARM to OK",
        "Alarm updated from OK to ALARM",
        "Alarm updated from INSUFFICIENT_DATA to OK",
    ]
    listed = cloudwatch.list_metrics(Namespace="AWS/DynamoDB", Dimensions=[{"Name": "TableName", "Value": table}])
    assert {"ThrottledRequests", "ConsumedWriteCapacityUnits"} <= {m["MetricName"] for m in listed["Metrics"]}
    cloudwatch.delete_alarms(AlarmNames=[f"throttles-{table}"])
    assert cloudwatch.describe_alarms(AlarmNames=[f"throttles-{table}"])["MetricAlarms"] == []


def test_contributor_insights_names_the_hot_key(client, cloudwatch, make_table, advance):
    advance(1)
    table = make_table(PAIR)
    client.update_contributor_insights(TableName=table, ContributorInsightsAction="ENABLE")
    described = client.describe_contributor_insights(TableName=table)
    assert described["ContributorInsightsStatus"] == "ENABLED"
    rules = {name.split("-")[1]: name for name in described["ContributorInsightsRuleList"]}
    assert sorted(rules) == ["PKC", "PKT", "SKC", "SKT"]
    for at in range(20):
        client.put_item(TableName=table, Item={"pk": {"S": "hot"}, "sk": {"S": str(at % 2)}})
    client.put_item(TableName=table, Item={"pk": {"S": "cold"}, "sk": {"S": "0"}})
    end = advance(1)
    span = {"StartTime": end - datetime.timedelta(minutes=1), "EndTime": end, "Period": 60}
    report = cloudwatch.get_insight_rule_report(RuleName=rules["PKC"], Metrics=["MaxContributorValue"], **span)
    assert report["KeyLabels"] == ["pk"]
    ranked = [(c["Keys"], c["ApproximateAggregateValue"]) for c in report["Contributors"]]
    assert ranked == [(["hot"], 60.0), (["cold"], 3.0)]
    assert report["MetricDatapoints"][0]["MaxContributorValue"] == 60.0
    report = cloudwatch.get_insight_rule_report(RuleName=rules["SKC"], **span)
    assert [c["Keys"] for c in report["Contributors"]][:2] == [["hot", "0"], ["hot", "1"]]
    assert rules["PKC"] in {rule["Name"] for rule in cloudwatch.describe_insight_rules()["InsightRules"]}
    client.update_contributor_insights(TableName=table, ContributorInsightsAction="DISABLE")
    listed = client.list_contributor_insights(TableName=table)
    assert listed["ContributorInsightsSummaries"] == []


def test_errors_are_the_services_own(cloudwatch):
    with pytest.raises(cloudwatch.exceptions.ResourceNotFound):
        cloudwatch.set_alarm_state(AlarmName="nobody", StateValue="OK", StateReason="because")
    with pytest.raises(cloudwatch.exceptions.ClientError) as caught:
        cloudwatch.put_dashboard(DashboardName="d", DashboardBody="{}")
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == ("InvalidAction", "PutDashboard is not available in dyno")


@pytest.mark.parametrize("protocol", ["query", "smithy-rpc-v2-cbor", "json"])
def test_every_protocol_carries_the_same(endpoint, advance, protocol):
    now = advance(1)

    def call(operation, **parameters):
        return spoken(endpoint, protocol, operation, parameters)

    namespace = f"Shop/{protocol}"
    datum = {"MetricName": "orders", "Dimensions": dimensions(shop="ü & <1>"), "Timestamp": now, "Unit": "Count"}
    status, _ = call(
        "PutMetricData", Namespace=namespace, MetricData=[{**datum, "Value": 1.5}, {**datum, "Values": [2.5, 3.5]}]
    )
    assert status == 200
    status, answer = call(
        "GetMetricStatistics",
        Namespace=namespace,
        MetricName="orders",
        Dimensions=dimensions(shop="ü & <1>"),
        StartTime=now - datetime.timedelta(minutes=1),
        EndTime=now + datetime.timedelta(minutes=1),
        Period=60,
        Statistics=["Sum", "SampleCount"],
        ExtendedStatistics=["p100"],
    )
    assert status == 200
    [point] = answer["Datapoints"]
    assert point["Timestamp"].astimezone(UTC) == now
    assert (point["Sum"], point["SampleCount"], point["Unit"]) == (7.5, 3.0, "Count")
    assert abs(point["ExtendedStatistics"]["p100"] - 3.5) <= 3.5 / 64
    _, listed = call("ListMetrics", Namespace=namespace)
    [metric] = listed["Metrics"]
    assert metric["Dimensions"] == dimensions(shop="ü & <1>")
    status, answer = call("DeleteAlarms", AlarmNames=["nobody"])
    assert (status, answer["Error"]["Code"]) == (404, "ResourceNotFound")


def spoken(endpoint, protocol, operation, parameters):
    """Sends a call in a protocol; gives the status and what botocore's parser makes of the answer."""
    loader = botocore.session.get_session().get_component("data_loader")
    description = loader.load_service_model("cloudwatch", "service-2")
    description["metadata"]["protocol"] = protocol
    service = botocore.model.ServiceModel(description, "cloudwatch")
    model = service.operation_model(operation)
    request = botocore.serialize.create_serializer(protocol).serialize_to_request(parameters, model)
    body = request["body"]
    if isinstance(body, dict):
        body = urllib.parse.urlencode(body)
    body = body if isinstance(body, bytes) else body.encode()
    sent = urllib.request.Request(endpoint + request["url_path"], data=body, headers=request["headers"], method="POST")
    try:
        answer = urllib.request.urlopen(sent)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        received = {"status_code": answer.status, "headers": answer.headers, "body": answer.read()}
    parser = botocore.parsers.create_parser(protocol)
    return received["status_code"], parser.parse(received, model.output_shape)
