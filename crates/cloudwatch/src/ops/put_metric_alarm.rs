//! PutMetricAlarm.

use super::nothing;
use super::tags::read_tags;
use crate::alarms::{Alarm, Comparison, Source, State, TREATMENTS, Watched};
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::metric::{MetricId, Unit, read_namespace};
use crate::query::{MetricStat, longest_period_s, read_period, read_queries, read_statistic, run};
use crate::shelf::Shelf;
use crate::statistics::Statistic;
use crate::value::{Members, Value};

/// What belongs to features that are not there.
const NOT_THERE: [&str; 6] = [
    "ThresholdMetricId",
    "EvaluationWindow",
    "WarmUpConfiguration",
    "EvaluationCriteria",
    "EvaluationInterval",
    "ActionConfiguration",
];
/// The members that say what is watched, when it is one metric.
const OF_ONE_METRIC: [&str; 7] =
    ["MetricName", "Namespace", "Statistic", "ExtendedStatistic", "Dimensions", "Period", "Unit"];
const DAY_S: i64 = 86_400;

/// Makes an alarm, or sets it anew.
pub(super) fn put_metric_alarm(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let name = members.required_text("AlarmName", 255)?;
    members.refuse(&NOT_THERE)?;
    call.refuse_managed(&[name], "change")?;
    let now = call.now.millis();
    let alarm = Alarm {
        name: name.to_owned(),
        arn: call.alarm_arn(name),
        description: members.text_of("AlarmDescription", 0, 1024)?.map(str::to_owned),
        actions_enabled: members.boolean("ActionsEnabled")?.unwrap_or(true),
        actions: [
            read_actions(members, "OKActions")?,
            read_actions(members, "AlarmActions")?,
            read_actions(members, "InsufficientDataActions")?,
        ],
        watched: read_watched(members)?,
        configured_ms: now,
        state: State::InsufficientData,
        reason: "Unchecked: Initial alarm creation".to_owned(),
        reason_data: None,
        updated_ms: now,
        transitioned_ms: now,
        tags: read_tags(members)?,
    };
    cloudwatch.alarms.put(alarm, call.now)?;
    Ok(nothing())
}

fn read_actions(members: &Members<'_>, name: &str) -> Result<Vec<String>, Fault> {
    Ok(members.texts(name, 5)?.unwrap_or_default().into_iter().map(str::to_owned).collect())
}

fn read_watched(members: &Members<'_>) -> Result<Watched, Fault> {
    let most = i64::from(i32::MAX);
    let evaluation_periods =
        members.integer("EvaluationPeriods", 1, most)?.ok_or_else(|| members.missing("EvaluationPeriods"))?;
    let datapoints_to_alarm = members.integer("DatapointsToAlarm", 1, most)?;
    if datapoints_to_alarm.is_some_and(|datapoints| datapoints > evaluation_periods) {
        return Err(Fault::validation("DatapointsToAlarm must be less than or equal to EvaluationPeriods."));
    }
    let comparison = members
        .one_of("ComparisonOperator", &Comparison::NAMES)?
        .and_then(Comparison::read)
        .ok_or_else(|| members.missing("ComparisonOperator"))?;
    let source = read_source(members)?;
    let watched = Watched {
        source,
        evaluation_periods,
        datapoints_to_alarm,
        threshold: members.number("Threshold")?.ok_or_else(|| members.missing("Threshold"))?,
        comparison,
        treat_missing_data: read_treatment(members)?,
        evaluate_low_sample_count_percentile: members
            .one_of("EvaluateLowSampleCountPercentile", &["evaluate", "ignore"])?
            .map(str::to_owned),
    };
    let days = if watched.period_s() < 3_600 { 1 } else { 7 };
    if watched.period_s().saturating_mul(evaluation_periods) > days * DAY_S {
        return Err(Fault::validation(format!(
            "Metrics cannot be checked across more than {} (EvaluationPeriods * Period must be <= {}).",
            if days == 1 { "a day" } else { "a week" },
            days * DAY_S
        )));
    }
    Ok(watched)
}

fn read_treatment(members: &Members<'_>) -> Result<Option<String>, Fault> {
    let Some(text) = members.text_of("TreatMissingData", 1, 255)? else { return Ok(None) };
    if !TREATMENTS.contains(&text) {
        return Err(Fault::validation(format!(
            "The value {text} for parameter TreatMissingData is invalid: it must be breaching, notBreaching, ignore or \
             missing."
        )));
    }
    Ok(Some(text.to_owned()))
}

fn read_source(members: &Members<'_>) -> Result<Source, Fault> {
    let queries = read_queries(members, "Metrics")?;
    if queries.is_empty() {
        return read_metric(members).map(Source::Metric);
    }
    if let Some(name) = OF_ONE_METRIC.into_iter().find(|name| members.has(name)) {
        return Err(Fault::validation(format!("Metrics list cannot be used together with {name}.")));
    }
    if queries.iter().filter(|query| query.return_data).count() != 1 {
        return Err(Fault::validation("Exactly one element of the metrics list should return data."));
    }
    // An expression that does not fit together is told now, not at each evaluation.
    let results = run(&queries, &Shelf::default(), (0, longest_period_s(&queries) * 1000))?;
    if results.len() != 1 {
        return Err(Fault::validation(
            "An alarm looks at one time series, and its expression gives several.",
        ));
    }
    Ok(Source::Queries(queries))
}

fn read_metric(members: &Members<'_>) -> Result<MetricStat, Fault> {
    let metric = MetricId::read(read_namespace(members)?, members)?;
    let named = members.one_of("Statistic", &Statistic::NAMES)?;
    let stat = match (named, members.text("ExtendedStatistic")?) {
        (Some(named), None) => named,
        (None, Some(extended)) => {
            read_statistic(extended)?;
            extended
        }
        (None, None) => return Err(members.missing("Statistic")),
        (Some(_), Some(_)) => {
            return Err(Fault::combination(
                "The parameters Statistic and ExtendedStatistic are mutually exclusive and you have specified both.",
            ));
        }
    };
    let period_s = read_period(members)?;
    Ok(MetricStat { metric, period_s, stat: stat.to_owned(), unit: Unit::read(members)? })
}
