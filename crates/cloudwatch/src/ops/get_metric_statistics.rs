//! GetMetricStatistics.

use dynamometer_types::Timestamp;

use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::metric::{MetricId, Unit, read_namespace};
use crate::query::{read_period, read_range, read_statistic};
use crate::statistics::Statistic;
use crate::value::{Answer, Members, Value};

/// How many points an answer holds at most; AWS's.
const DATAPOINTS: i64 = 1_440;

/// One metric by several statistics.
pub(super) fn get_metric_statistics(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let metric = MetricId::read(read_namespace(members)?, members)?;
    let (start_ms, end_ms) = read_range(members, call.now)?;
    let period_ms = read_period(members)? * 1000;
    let unit = Unit::read(members)?;
    let named = members.texts("Statistics", 5)?.unwrap_or_default();
    let extended = members.texts("ExtendedStatistics", 10)?.unwrap_or_default();
    if named.is_empty() && extended.is_empty() {
        return Err(Fault::missing(
            "At least one of the parameters Statistics and ExtendedStatistics must be specified.",
        ));
    }
    let named = read_named(&named)?;
    let extended = extended
        .into_iter()
        .map(|text| Ok((text, read_statistic(text)?)))
        .collect::<Result<Vec<_>, Fault>>()?;
    let asked = (end_ms - start_ms + period_ms - 1) / period_ms;
    if asked > DATAPOINTS {
        return Err(Fault::combination(format!(
            "You have requested up to {asked} datapoints, which exceeds the limit of {DATAPOINTS}. You may reduce the \
             datapoints requested by increasing Period, or decreasing the time range."
        )));
    }
    let unit_shown = unit.or_else(|| cloudwatch.shelf.unit_of(&metric)).unwrap_or(Unit::NONE);
    let mut points = Vec::new();
    for (time, datum) in cloudwatch.shelf.read(&metric, unit, (start_ms, end_ms), period_ms) {
        let mut point = Answer::new().with("Timestamp", Timestamp::from_millis(time));
        for (name, statistic) in &named {
            point = point.with_some(name, datum.statistic(*statistic));
        }
        point = point.with("Unit", unit_shown.name());
        if !extended.is_empty() {
            let value = |(name, statistic): &(&str, Statistic)| {
                Some(((*name).to_owned(), Value::Double(datum.statistic(*statistic)?)))
            };
            point = point.with("ExtendedStatistics", Value::Map(extended.iter().filter_map(value).collect()));
        }
        points.push(point);
    }
    Ok(Answer::new().with("Label", metric.name).with("Datapoints", points).into())
}

fn read_named(names: &[&str]) -> Result<Vec<(&'static str, Statistic)>, Fault> {
    let find = |name: &&str| {
        let known = Statistic::NAMED.into_iter().find(|(known, _)| known == name);
        known.ok_or_else(|| {
            Fault::validation(format!(
                "1 validation error detected: Value '[{}]' at 'statistics' failed to satisfy constraint: Member must \
                 satisfy constraint: [Member must satisfy enum value set: [{}]]",
                names.join(", "),
                Statistic::NAMES.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}
