//! GetMetricData.

use dynamometer_types::Timestamp;

use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::query::{read_queries, read_range, run};
use crate::value::{Answer, Members, Value};

/// How many points an answer holds at most; AWS's.
const DATAPOINTS: i64 = 100_800;

/// Metrics and expressions over them.
pub(super) fn get_metric_data(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let queries = read_queries(members, "MetricDataQueries")?;
    if queries.is_empty() {
        return Err(members.missing("MetricDataQueries"));
    }
    let ascending = members.one_of("ScanBy", &["TimestampDescending", "TimestampAscending"])?
        == Some("TimestampAscending");
    let most = members.integer("MaxDatapoints", 1, DATAPOINTS)?.unwrap_or(DATAPOINTS) as usize;
    let range = read_range(members, call.now)?;
    let mut skip = match members.text("NextToken")? {
        None => 0,
        Some(token) => token.parse::<usize>().map_err(|_| {
            Fault::new(FaultKind::InvalidNextToken, "The value for parameter NextToken is not valid.")
        })?,
    };
    let begin = skip;
    let mut room = most;
    let mut results = Vec::new();
    let mut is_cut = false;
    for result in run(&queries, &cloudwatch.shelf, range)? {
        let mut points = result.line.points;
        if !ascending {
            points.reverse();
        }
        let skipped = skip.min(points.len());
        skip -= skipped;
        // What came with an earlier page. Without points that is only known of what stands before others that did.
        if skipped == points.len() && (skipped > 0 || skip > 0) {
            continue;
        }
        points.drain(..skipped);
        let is_whole = points.len() <= room;
        is_cut |= !is_whole;
        points.truncate(room);
        room -= points.len();
        let times: Vec<Timestamp> = points.iter().map(|(time, _)| Timestamp::from_millis(*time)).collect();
        let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        results.push(
            Answer::new()
                .with("Id", result.id)
                .with("Label", result.line.label)
                .with("Timestamps", times)
                .with("Values", values)
                .with("StatusCode", if is_whole { "Complete" } else { "PartialData" }),
        );
        if is_cut {
            break;
        }
    }
    let answer = Answer::new().with("MetricDataResults", results).with("Messages", Value::List(Vec::new()));
    Ok(answer.with_some("NextToken", is_cut.then(|| (begin + most).to_string())).into())
}
