use dynamometer_types::Timestamp;

use super::*;
use crate::metric::{MetricId, Unit};
use crate::statistics::StatisticSet;

/// 2026-06-01T00:00:00Z.
const START: i64 = 1_780_272_000_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(START + minute * 60_000)
}

fn call(minute: i64) -> Call<'static> {
    Call { now: at(minute), region: "us-east-1", account: "000000000000", managed: &[] }
}

fn answer(
    cloudwatch: &mut CloudWatch,
    minute: i64,
    operation: &str,
    request: Answer,
) -> Result<Value, Fault> {
    let operation = Operation::find(operation).unwrap();
    cloudwatch.answer(operation, &call(minute), &request.into())
}

fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    let Value::Structure(members) = value else { panic!("{value:?} is no structure") };
    &members.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name} in {value:?}")).1
}

fn first<'a>(value: &'a Value, name: &str) -> &'a Value {
    let Value::List(list) = member(value, name) else { panic!("{name} is no list") };
    &list[0]
}

fn publish(cloudwatch: &mut CloudWatch, minute: i64, value: f64) {
    let metric = MetricId::dynamodb("ThrottledRequests", &[("TableName", "T"), ("Operation", "PutItem")]);
    cloudwatch.shelf.publish(metric, Unit::COUNT, at(minute), &StatisticSet::of(value, 1.0).into()).unwrap();
}

fn throttle_alarm() -> Answer {
    let dimension = |name: &str, value: &str| Answer::new().with("Name", name).with("Value", value);
    Answer::new()
        .with("AlarmName", "throttles")
        .with("Namespace", "AWS/DynamoDB")
        .with("MetricName", "ThrottledRequests")
        .with("Dimensions", vec![dimension("TableName", "T"), dimension("Operation", "PutItem")])
        .with("Statistic", "Sum")
        .with("Period", 60)
        .with("EvaluationPeriods", 1)
        .with("Threshold", 0.0)
        .with("ComparisonOperator", "GreaterThanThreshold")
        .with("TreatMissingData", "notBreaching")
}

impl From<i32> for Value {
    fn from(number: i32) -> Value {
        Value::Integer(number.into())
    }
}

#[test]
fn operations_are_listed_in_order_and_found() {
    assert_eq!(OPERATIONS.len(), 59);
    assert!(OPERATIONS.is_sorted_by(|a, b| a.name < b.name));
    assert!(Operation::find("GetMetricData").is_some_and(|operation| operation.handler.is_some()));
    let fault = answer(&mut CloudWatch::default(), 0, "PutDashboard", Answer::new()).unwrap_err();
    assert_eq!(fault.message, "PutDashboard is not available in dyno");
}

#[test]
fn an_alarm_goes_off_and_comes_back() {
    let mut cloudwatch = CloudWatch::default();
    answer(&mut cloudwatch, 0, "PutMetricAlarm", throttle_alarm()).unwrap();
    let state = |cloudwatch: &mut CloudWatch, minute: i64| {
        let described = answer(cloudwatch, minute, "DescribeAlarms", Answer::new()).unwrap();
        let Value::Text(state) = member(first(&described, "MetricAlarms"), "StateValue").clone() else {
            panic!()
        };
        state
    };
    assert_eq!(state(&mut cloudwatch, 0), "INSUFFICIENT_DATA");
    cloudwatch.close_minute(at(1));
    assert_eq!(state(&mut cloudwatch, 1), "OK");
    publish(&mut cloudwatch, 1, 3.0);
    let mut states = Vec::new();
    for minute in 2..7 {
        cloudwatch.close_minute(at(minute));
        states.push(state(&mut cloudwatch, minute));
    }
    // A point decides for as long as it is among those that are looked at: three minutes for one period.
    assert_eq!(states, ["ALARM", "ALARM", "ALARM", "OK", "OK"]);
    let history = answer(&mut cloudwatch, 7, "DescribeAlarmHistory", Answer::new()).unwrap();
    let Value::List(items) = member(&history, "AlarmHistoryItems") else { panic!() };
    assert_eq!(items.len(), 4, "made, OK, ALARM, OK");
}

#[test]
fn the_reason_tells_the_datapoints() {
    let mut cloudwatch = CloudWatch::default();
    answer(&mut cloudwatch, 0, "PutMetricAlarm", throttle_alarm()).unwrap();
    publish(&mut cloudwatch, 0, 3.0);
    cloudwatch.close_minute(at(1));
    let described = answer(&mut cloudwatch, 1, "DescribeAlarms", Answer::new()).unwrap();
    let alarm = first(&described, "MetricAlarms");
    assert_eq!(
        *member(alarm, "StateReason"),
        Value::from(
            "Threshold Crossed: 1 out of the last 1 datapoint [3.0 (01/06/26 00:00:00)] was greater than the threshold \
             (0.0) (minimum 1 datapoint for OK -> ALARM transition)."
        )
    );
}

#[test]
fn an_alarm_watches_an_expression() {
    let mut cloudwatch = CloudWatch::default();
    let stat = Answer::new()
        .with(
            "Metric",
            Answer::new().with("Namespace", "AWS/DynamoDB").with("MetricName", "ThrottledRequests").with(
                "Dimensions",
                Value::from(vec![
                    Answer::new().with("Name", "Operation").with("Value", "PutItem"),
                    Answer::new().with("Name", "TableName").with("Value", "T"),
                ]),
            ),
        )
        .with("Period", 60)
        .with("Stat", "Sum");
    let queries = |expression: &str| {
        vec![
            Answer::new().with("Id", "m1").with("MetricStat", stat.clone()).with("ReturnData", false),
            Answer::new().with("Id", "e1").with("Expression", expression),
        ]
    };
    let alarm = |expression: &str| {
        Answer::new()
            .with("AlarmName", "all")
            .with("Metrics", queries(expression))
            .with("EvaluationPeriods", 1)
            .with("Threshold", 2.0)
            .with("ComparisonOperator", "GreaterThanThreshold")
    };
    let fault = answer(&mut cloudwatch, 0, "PutMetricAlarm", alarm("SUM(m1)")).unwrap_err();
    assert!(fault.message.contains("it gives a number, not a time series"), "{}", fault.message);
    let fault = answer(&mut cloudwatch, 0, "PutMetricAlarm", alarm("m2 + 1")).unwrap_err();
    assert_eq!(fault.message, "Error in expression 'e1': there is no query with the id m2.");
    answer(&mut cloudwatch, 0, "PutMetricAlarm", alarm("FILL(m1, 0) * 2")).unwrap();
    cloudwatch.close_minute(at(1));
    assert_eq!(cloudwatch.alarms.get("all").unwrap().state, crate::alarms::State::Ok);
    publish(&mut cloudwatch, 1, 3.0);
    cloudwatch.close_minute(at(2));
    assert_eq!(cloudwatch.alarms.get("all").unwrap().state, crate::alarms::State::Alarm);
}

#[test]
fn data_of_ones_own_is_read_back() {
    let mut cloudwatch = CloudWatch::default();
    let datum =
        |value: f64| Answer::new().with("MetricName", "orders").with("Value", value).with("Unit", "Count");
    let put = Answer::new().with("Namespace", "Shop").with("MetricData", vec![datum(2.0), datum(4.0)]);
    answer(&mut cloudwatch, 5, "PutMetricData", put).unwrap();
    let ask = Answer::new()
        .with("Namespace", "Shop")
        .with("MetricName", "orders")
        .with("StartTime", at(0))
        .with("EndTime", at(10))
        .with("Period", 300)
        .with("Statistics", vec!["Average", "SampleCount"])
        .with("ExtendedStatistics", vec!["p100"]);
    let got = answer(&mut cloudwatch, 10, "GetMetricStatistics", ask).unwrap();
    let point = first(&got, "Datapoints");
    assert_eq!(*member(point, "Timestamp"), Value::Time(at(5)));
    assert_eq!(*member(point, "Average"), Value::Double(3.0));
    assert_eq!(*member(point, "SampleCount"), Value::Double(2.0));
    assert_eq!(*member(point, "Unit"), Value::from("Count"));
    let Value::Map(extended) = member(point, "ExtendedStatistics") else { panic!() };
    assert!(matches!(extended[0].1, Value::Double(value) if (value - 4.0).abs() <= 4.0 / 64.0));
}

#[test]
fn what_cannot_be_published_is_refused() {
    let datum = || Answer::new().with("MetricName", "orders");
    let put = |namespace: &str, datum: Answer| {
        Answer::new().with("Namespace", namespace).with("MetricData", vec![datum])
    };
    let cases = [
        (
            put("AWS/DynamoDB", datum().with("Value", 1.0)),
            "The value AWS/ for parameter Namespace is invalid.",
        ),
        (
            put("N", datum()),
            "At least one of the parameters MetricData.member.1.Value, MetricData.member.1.StatisticValues, \
             MetricData.member.1.Values must be specified.",
        ),
        (
            put("N", datum().with("Value", 1.0).with("Values", vec![1.0])),
            "The parameters MetricData.member.1.Value and MetricData.member.1.Values are mutually exclusive and you have \
             specified both.",
        ),
        (
            put("N", datum().with("Value", 1.0).with("Timestamp", at(-30 * 24 * 60))),
            "The parameter MetricData.member.1.Timestamp must specify a time no more than two weeks in the past.",
        ),
        (
            put("N", Answer::new().with("Value", 1.0)),
            "The parameter MetricData.member.1.MetricName is required.",
        ),
        (
            put("N", datum().with("Values", vec![1.0, 2.0]).with("Counts", vec![1.0])),
            "The parameter MetricData.member.1.Counts must have as many elements as Values.",
        ),
        (
            put("N", {
                let set = Answer::new().with("SampleCount", 2.0).with("Sum", 3.0);
                datum().with("StatisticValues", set.with("Minimum", 2.0).with("Maximum", 1.0))
            }),
            "The parameter MetricData.member.1.StatisticValues.Minimum must be less than or equal to \
             MetricData.member.1.StatisticValues.Maximum.",
        ),
    ];
    for (request, words) in cases {
        let fault = answer(&mut CloudWatch::default(), 0, "PutMetricData", request).unwrap_err();
        assert_eq!(fault.message, words);
    }
}

#[test]
fn data_comes_in_pages_newest_first() {
    let mut cloudwatch = CloudWatch::default();
    for minute in 0..5 {
        publish(&mut cloudwatch, minute, minute as f64);
    }
    let stat = Answer::new()
        .with(
            "Metric",
            Answer::new().with("Namespace", "AWS/DynamoDB").with("MetricName", "ThrottledRequests").with(
                "Dimensions",
                vec![
                    Answer::new().with("Name", "TableName").with("Value", "T"),
                    Answer::new().with("Name", "Operation").with("Value", "PutItem"),
                ],
            ),
        )
        .with("Period", 60)
        .with("Stat", "Sum");
    let query = |id: &str| Answer::new().with("Id", id);
    let queries =
        vec![query("m").with("MetricStat", stat), query("none").with("Expression", "FILL(m, LINEAR) / 0")];
    let mut token = None;
    let mut values = Vec::new();
    let got = loop {
        let ask = Answer::new()
            .with("MetricDataQueries", queries.clone())
            .with("StartTime", at(0))
            .with("EndTime", at(5))
            .with("MaxDatapoints", 2)
            .with_some("NextToken", token.take());
        let got = answer(&mut cloudwatch, 5, "GetMetricData", ask).unwrap();
        let Value::List(page) = member(first(&got, "MetricDataResults"), "Values").clone() else { panic!() };
        values.extend(page);
        let Value::Structure(members) = &got else { panic!() };
        match members.iter().find(|(name, _)| name == "NextToken") {
            Some((_, Value::Text(next))) => token = Some(next.clone()),
            _ => break got,
        }
    };
    assert_eq!(values, [4.0, 3.0, 2.0, 1.0, 0.0].map(Value::Double));
    let Value::List(last) = member(&got, "MetricDataResults") else { panic!() };
    let ids: Vec<&Value> = last.iter().map(|result| member(result, "Id")).collect();
    assert_eq!(ids, [&Value::from("m"), &Value::from("none")], "what has no points is told of too");
}

/// Asks for expressions over some minutes, the last of which is answered.
fn ask_expressions(expressions: &[String], minutes: i64) -> Result<Value, Fault> {
    let last = expressions.len() - 1;
    let query = |(number, text): (usize, &String)| {
        let id = format!("e{number}");
        Answer::new().with("Id", id).with("Expression", text.as_str()).with("ReturnData", number == last)
    };
    let ask = Answer::new()
        .with("MetricDataQueries", expressions.iter().enumerate().map(query).collect::<Vec<_>>())
        .with("StartTime", at(0))
        .with("EndTime", at(minutes));
    answer(&mut CloudWatch::default(), minutes, "GetMetricData", ask)
}

#[test]
fn expressions_can_be_long_and_name_each_other_in_a_long_row() {
    let ones = "+1".repeat(1_000);
    let mut expressions = vec!["TIME_SERIES(1)".to_owned()];
    expressions.extend((0..300).map(|number| format!("e{number}{ones}")));
    let got = ask_expressions(&expressions, 3).unwrap();
    let Value::List(values) = member(first(&got, "MetricDataResults"), "Values") else { panic!() };
    assert_eq!((values.len(), &values[0]), (3, &Value::Double(300_001.0)));
}

#[test]
fn expressions_that_would_fill_the_memory_or_go_in_a_circle_are_told() {
    let list = |what: &str| format!("[{}]", vec![what; 2_000 / (what.len() + 1)].join(","));
    let many = [list("0"), list("e0"), list("e1")];
    let empty = [list("METRICS()"), list("FILL([], 0)")];
    assert_eq!(ask_expressions(&empty, 24 * 60).map(drop), Ok(()));
    let words = "it gives more than 2000000 points; ask for less time or longer periods.";
    let fault = ask_expressions(&many, 24 * 60).unwrap_err();
    assert_eq!(fault.message, format!("Error in expression 'e2': {words}"));
    let circle = ["e1 + 1".to_owned(), "e2".to_owned(), "e0".to_owned()];
    assert_eq!(
        ask_expressions(&circle, 24 * 60).unwrap_err().message,
        "Error in expression 'e2': e2 depends on itself."
    );
}

#[test]
fn data_is_published_all_or_none() {
    let mut cloudwatch = CloudWatch::default();
    for number in 1..crate::shelf::MOST_SERIES {
        let metric = MetricId::dynamodb(&format!("m{number}"), &[]);
        cloudwatch.shelf.publish(metric, Unit::COUNT, at(0), &StatisticSet::of(1.0, 1.0).into()).unwrap();
    }
    let mut put = |names: &[&str]| {
        let datum = |name: &&str| Answer::new().with("MetricName", *name).with("Value", 1.0);
        let data: Vec<Answer> = names.iter().map(datum).collect();
        answer(
            &mut cloudwatch,
            0,
            "PutMetricData",
            Answer::new().with("Namespace", "N").with("MetricData", data),
        )
    };
    assert_eq!(put(&["a", "b"]).unwrap_err().message, "There are 10000 metrics already.");
    assert_eq!(put(&["b", "b"]).map(drop), Ok(()), "nothing of the first came in, and there is room for one");
    assert!(put(&["a"]).is_err());
}

#[test]
fn a_reason_is_kept_also_when_the_state_stays() {
    let mut cloudwatch = CloudWatch::default();
    answer(&mut cloudwatch, 0, "PutMetricAlarm", throttle_alarm()).unwrap();
    let mut set = |state: &str, reason: &str| {
        cloudwatch.alarms.take_changed();
        let name = Answer::new().with("AlarmName", "throttles");
        let ask = name.with("StateValue", state).with("StateReason", reason);
        answer(&mut cloudwatch, 0, "SetAlarmState", ask).unwrap();
        cloudwatch.alarms.take_changed().len()
    };
    assert_eq!([set("ALARM", "one"), set("ALARM", "two"), set("ALARM", "two")], [1, 1, 0]);
}

#[test]
fn alarms_of_scaling_policies_are_not_changed_here() {
    let mut cloudwatch = CloudWatch::default();
    answer(&mut cloudwatch, 0, "PutMetricAlarm", throttle_alarm()).unwrap();
    let managed: Vec<_> = cloudwatch.alarms.all().cloned().collect();
    let call = Call { managed: &managed, ..call(0) };
    let (name, names) =
        (Answer::new().with("AlarmName", "throttles"), Answer::new().with("AlarmNames", vec!["throttles"]));
    for (operation, request, what) in [
        ("PutMetricAlarm", throttle_alarm(), "change"),
        ("SetAlarmState", name.with("StateValue", "OK").with("StateReason", "r"), "change"),
        ("DisableAlarmActions", names.clone(), "change"),
        ("EnableAlarmActions", names.clone(), "change"),
        ("DeleteAlarms", names, "delete"),
    ] {
        let operation = Operation::find(operation).unwrap();
        let fault = CloudWatch::default().answer(operation, &call, &request.into()).unwrap_err();
        let words = format!("The alarm throttles is kept by a scaling policy: {what} that instead.");
        assert_eq!(fault.message, words, "{}", operation.name);
    }
}
