//! DescribeAlarmsForMetric.

use crate::alarms::{Alarm, Source};
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::metric::{MetricId, Unit, read_namespace};
use crate::query::MetricStat;
use crate::statistics::Statistic;
use crate::value::{Answer, Members, Value};

/// The alarms that watch a metric, and nothing but it.
pub(super) fn describe_alarms_for_metric(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let metric = MetricId::read(read_namespace(members)?, members)?;
    let statistic = match members.one_of("Statistic", &Statistic::NAMES)? {
        Some(named) => Some(named),
        None => members.text("ExtendedStatistic")?,
    };
    let period = members.integer("Period", 1, i64::from(i32::MAX))?;
    let unit = Unit::read(members)?;
    let is_asked = |alarm: &&Alarm| match &alarm.watched.source {
        Source::Metric(MetricStat { metric: watched, period_s, stat, unit: of_unit }) => {
            *watched == metric
                && statistic.is_none_or(|asked| asked == stat)
                && period.is_none_or(|asked| asked == *period_s)
                && unit.is_none_or(|asked| Some(asked) == *of_unit)
        }
        Source::Queries(_) => false,
    };
    let alarms = cloudwatch.alarms.all().chain(call.managed).filter(is_asked);
    Ok(Answer::new().with("MetricAlarms", alarms.map(Alarm::to_value).collect::<Vec<_>>()).into())
}
