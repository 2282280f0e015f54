//! GetInsightRuleReport.

use dynamometer_types::Timestamp;

use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::insights::{Contributor, Period};
use crate::query::{read_period, read_range};
use crate::value::{Answer, Members, Value};

/// What the datapoints of a period may show.
const METRICS: [&str; 7] =
    ["UniqueContributors", "MaxContributorValue", "SampleCount", "Average", "Sum", "Minimum", "Maximum"];

/// The keys with the most, and how they came by it over time.
pub(super) fn get_insight_rule_report(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let name = members.required_text("RuleName", 128)?;
    let (start_ms, end_ms) = read_range(members, call.now)?;
    let period_ms = read_period(members)? * 1000;
    let most = members.integer("MaxContributorCount", 1, 100)?.unwrap_or(10) as usize;
    let by_most = members.one_of("OrderBy", &["Sum", "Maximum"])? == Some("Maximum");
    let metrics = members.texts("Metrics", METRICS.len())?.unwrap_or_default();
    if let Some(unknown) = metrics.iter().find(|metric| !METRICS.contains(metric)) {
        return Err(Fault::invalid(format!(
            "The metric {unknown} in Metrics is none of {}.",
            METRICS.join(", ")
        )));
    }
    let rule = cloudwatch.insights.get(name).ok_or_else(|| {
        Fault::new(FaultKind::ResourceNotFoundException, format!("There is no insight rule {name}."))
    })?;
    let report = rule.report(start_ms, end_ms, period_ms, by_most);
    let aggregate: f64 = report.periods.iter().map(|period| period.set.sum).sum();
    let unique = report.periods.iter().map(|period| period.unique).fold(0.0, f64::max);
    let unique = (unique as i64).max(report.contributors.len() as i64);
    let contributors: Vec<Answer> = report.contributors.iter().take(most).map(contributor).collect();
    let answer = Answer::new()
        .with("KeyLabels", rule.definition.labels.clone())
        .with("AggregationStatistic", "SUM")
        .with("AggregateValue", aggregate)
        .with("ApproximateUniqueCount", unique)
        .with("Contributors", contributors);
    if metrics.is_empty() {
        return Ok(answer.into());
    }
    let datapoints: Vec<Answer> = report.periods.iter().map(|period| datapoint(period, &metrics)).collect();
    Ok(answer.with("MetricDatapoints", datapoints).into())
}

fn contributor(contributor: &Contributor) -> Answer {
    let point = |(begin, value): &(i64, f64)| {
        Answer::new().with("Timestamp", Timestamp::from_millis(*begin)).with("ApproximateValue", *value)
    };
    Answer::new()
        .with("Keys", contributor.keys.clone())
        .with("ApproximateAggregateValue", contributor.total)
        .with("Datapoints", contributor.points.iter().map(point).collect::<Vec<_>>())
}

fn datapoint(period: &Period, metrics: &[&str]) -> Answer {
    let set = &period.set;
    let values = [
        period.unique,
        period.largest,
        set.samples,
        if set.samples == 0.0 { 0.0 } else { set.sum / set.samples },
        set.sum,
        set.minimum,
        // The guide tells this one to be the most that one key had, not one event.
        period.largest,
    ];
    let shown = METRICS.iter().zip(values).filter(|(name, _)| metrics.contains(name));
    let time = Answer::new().with("Timestamp", Timestamp::from_millis(period.begin_ms));
    shown.fold(time, |answer, (name, value)| answer.with(name, value))
}
