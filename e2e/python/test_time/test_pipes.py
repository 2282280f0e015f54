"""A table's stream, delivered to a function in Lambda's form: `/_dyno/pipes`, on a server with `--clock manual`."""

import datetime
import http.server
import json
import threading
import time
import uuid

import pytest

from helpers import PAIR, own, strings, wait_until

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


class Function:
    """A server that runs a function as Lambda's invocation URL does, and notes what it was given."""

    def __init__(self, handler):
        self.events, self.paths, self.handler = [], [], handler
        function = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                function.events.append(event)
                function.paths.append(self.path)
                try:
                    status, answer, error = 200, function.handler(event), None
                except Exception as problem:
                    status, answer, error = 200, {"errorMessage": str(problem)}, "Unhandled"
                body = json.dumps(answer).encode()
                self.send_response(status)
                if error:
                    self.send_header("X-Amz-Function-Error", error)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def keys(self):
        """The sort keys of each invocation."""
        return [[record["dynamodb"]["Keys"]["sk"]["S"] for record in event["Records"]] for event in self.events]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def function():
    made = []

    def make(handler=lambda event: None):
        made.append(Function(handler))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def pipe(endpoint):
    names = []

    def pipe(table, function, **members):
        name = f"pipe-{uuid.uuid4().hex[:8]}"
        names.append(name)
        asked = {
            "Name": name,
            "EventSourceArn": table,
            "FunctionName": "processor",
            "Endpoint": function.url,
            "StartingPosition": "TRIM_HORIZON",
            **members,
        }
        status, answer = own(endpoint, "/_dyno/pipes", asked)
        assert status == 200, answer
        return name

    yield pipe
    for name in names:
        assert own(endpoint, "/_dyno/pipes", {"Name": name}, method="DELETE")[0] == 200


@pytest.fixture
def table(make_table):
    return make_table({**PAIR, "StreamSpecification": STREAM})


def settle(endpoint):
    """Lets no time pass, and waits for what is delivered."""
    assert own(endpoint, "/_dyno/clock", {"advance": "0ms"})[0] == 200


def put(client, table, *keys, **members):
    """Puts items of one partition key: their records are in one shard, and so in one order."""
    for key in keys:
        client.put_item(TableName=table, Item=strings(pk="p", sk=key, **members))


def test_a_function_gets_the_events_that_lambda_gives_it(client, endpoint, table, function, pipe):
    processor = function()
    pipe(table, processor)
    put(client, table, "a")
    put(client, table, "a", v="new")
    client.delete_item(TableName=table, Key=strings(pk="p", sk="a"))
    settle(endpoint)
    assert set(processor.paths) == {"/2015-03-31/functions/processor/invocations"}
    records = [record for event in processor.events for record in event["Records"]]
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    modified = records[1]
    assert modified["eventSourceARN"] == arn
    assert (modified["eventSource"], modified["eventVersion"], modified["awsRegion"]) == (
        "aws:dynamodb",
        "1.1",
        arn.split(":")[3],
    )
    assert modified["dynamodb"]["OldImage"] == strings(pk="p", sk="a")
    assert modified["dynamodb"]["NewImage"] == strings(pk="p", sk="a", v="new")
    assert modified["dynamodb"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


def test_filters_let_through_what_matches(client, endpoint, table, function, pipe):
    processor = function()
    pattern = {"eventName": ["INSERT"], "dynamodb": {"Keys": {"sk": {"S": [{"prefix": "ORDER#"}]}}}}
    pipe(table, processor, FilterCriteria={"Filters": [{"Pattern": json.dumps(pattern)}]})
    put(client, table, "ORDER#1", "USER#1", "ORDER#2")
    put(client, table, "ORDER#1", v="new")
    settle(endpoint)
    assert sum(processor.keys(), []) == ["ORDER#1", "ORDER#2"]


def test_a_window_is_of_the_servers_time(client, endpoint, table, function, pipe):
    processor = function()
    pipe(table, processor, BatchSize=3, MaximumBatchingWindowInSeconds=60)
    put(client, table, "a", "b")
    settle(endpoint)
    assert processor.events == []
    put(client, table, "c", "d")
    settle(endpoint)
    assert processor.keys() == [["a", "b", "c"]]
    own(endpoint, "/_dyno/clock", {"advance": "60s"})
    assert processor.keys() == [["a", "b", "c"], ["d"]]


def test_a_poisoned_record_is_found_and_told(client, endpoint, table, function, pipe):
    def handler(event):
        if any(record["dynamodb"]["Keys"]["sk"]["S"] == "poison" for record in event["Records"]):
            raise ValueError("poison")

    processor, dead = function(handler), function()
    pipe(
        table,
        processor,
        BatchSize=4,
        MaximumBatchingWindowInSeconds=60,
        BisectBatchOnFunctionError=True,
        MaximumRetryAttempts=1,
        DestinationConfig={"OnFailure": {"Destination": f"sqs:{dead.url}/000000000000/dead"}},
    )
    put(client, table, "a", "poison", "b", "c")
    wait_until(lambda: processor.keys() and processor.keys()[-1] == ["b", "c"])
    message = json.loads(wait_until(lambda: dead.events)[0]["MessageBody"])
    assert message["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert message["DDBStreamBatchInfo"]["batchSize"] == 1
    assert "payload" not in message, "a queue is told of the records, and does not get them"


def test_reported_failures_are_tried_again_from_the_first(client, endpoint, table, function, pipe):
    tries = []

    def handler(event):
        numbers = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
        tries.append(len(numbers))
        return {"batchItemFailures": [{"itemIdentifier": numbers[2]}] if len(tries) == 1 else []}

    processor = function(handler)
    pipe(
        table,
        processor,
        BatchSize=4,
        MaximumBatchingWindowInSeconds=60,
        FunctionResponseTypes=["ReportBatchItemFailures"],
    )
    put(client, table, "a", "b", "c", "d")
    wait_until(lambda: len(tries) == 2)
    assert processor.keys() == [["a", "b", "c", "d"], ["c", "d"]]


def test_a_target_that_is_away_loses_nothing(client, endpoint, table, function, pipe):
    gone = function()
    gone.close()
    name = pipe(table, gone, MaximumRetryAttempts=0)
    put(client, table, "a", "b")

    def problem():
        shown = [one for one in own(endpoint, "/_dyno/pipes")[1]["Pipes"] if one["Name"] == name][0]
        return shown["LastResult"].startswith("PROBLEM") and shown

    assert wait_until(problem)["GivenUpRecords"] == 0
    # The same pipe with another target goes on where it was.
    back = function()
    asked = {
        "Name": name,
        "EventSourceArn": table,
        "Endpoint": back.url,
        "StartingPosition": "LATEST",
    }
    assert own(endpoint, "/_dyno/pipes", asked)[0] == 200
    wait_until(lambda: sum(back.keys(), []) == ["a", "b"])


def test_a_window_hands_its_state_on(client, endpoint, table, function, pipe):
    """The handler of AWS's guide: counts by item, and does something with the sums when the window is over."""
    sums = []

    def handler(event):
        state = event["state"]
        for record in event["Records"]:
            key = record["dynamodb"]["Keys"]["sk"]["S"]
            state[key] = state.get(key, 0) + 1
        if event["isFinalInvokeForWindow"]:
            sums.append((event["window"]["start"], event["window"]["end"], state))
        return {"state": state}

    # To the beginning of a window, wherever the clock stands.
    now = own(endpoint, "/_dyno/clock")[1]["now"]
    beginning = datetime.datetime.fromisoformat(now).replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
    own(endpoint, "/_dyno/clock", {"set": beginning.strftime("%Y-%m-%dT%H:%M:%SZ")})
    pipe(table, function(handler), TumblingWindowInSeconds=60)
    put(client, table, "a", "b")
    own(endpoint, "/_dyno/clock", {"advance": "59s"})
    put(client, table, "a", v="again")
    settle(endpoint)
    assert sums == []
    own(endpoint, "/_dyno/clock", {"advance": "1s"})
    end = beginning + datetime.timedelta(minutes=1)
    times = [time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in (beginning, end)]
    assert sums == [(*times, {"a": 2, "b": 1})]


def test_batches_go_side_by_side(client, endpoint, table, function, pipe):
    """A slow function is called several times at once, but never for one item."""
    running, most, lock = set(), [0], threading.Lock()

    def handler(event):
        mine = {record["dynamodb"]["Keys"]["sk"]["S"] for record in event["Records"]}
        with lock:
            assert not mine & running, mine & running
            running.update(mine)
            most[0] = max(most[0], len(running))
        time.sleep(0.05)
        with lock:
            running.difference_update(mine)

    processor = function(handler)
    for version in "123":
        put(client, table, *"abcdefgh", v=version)
    name = pipe(table, processor, BatchSize=1, ParallelizationFactor=10)
    settle(endpoint)
    versions = {}
    for event in processor.events:
        for record in event["Records"]:
            image = record["dynamodb"]["NewImage"]
            versions.setdefault(image["sk"]["S"], []).append(image["v"]["S"])
    assert versions == {key: ["1", "2", "3"] for key in "abcdefgh"}
    assert most[0] > 1
    shown = [one for one in own(endpoint, "/_dyno/pipes")[1]["Pipes"] if one["Name"] == name][0]
    assert (shown["Invocations"], shown["FailedInvocations"]) == (24, 0)


def test_wrong_pipes_are_told_what_was_expected(endpoint):
    right = {"EventSourceArn": "Orders", "FunctionName": "f", "Endpoint": "http://x", "StartingPosition": "LATEST"}
    for change, words in [
        ({"BatchSize": 0}, "`BatchSize` is 1 to 10000, not 0"),
        ({"Batchsize": 1}, "unknown field `Batchsize`"),
        ({"StartingPosition": "AT_TIMESTAMP"}, "Unsupported starting position for arn type: Orders"),
        ({"FilterCriteria": {"Filters": [{"Pattern": '{"a":"b"}'}]}}, "`Pattern`: a: expected an object, or a list"),
    ]:
        status, answer = own(endpoint, "/_dyno/pipes", {**right, **change})
        assert status == 400 and words in answer["error"], answer
