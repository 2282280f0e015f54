//! ListMetrics.

use super::page::page;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::metric::MetricId;
use crate::value::{Answer, Members, Value};

/// How many metrics an answer holds.
const METRICS: usize = 500;
const TWO_WEEKS_MS: i64 = 14 * 24 * 3_600_000;
const THREE_HOURS_MS: i64 = 3 * 3_600_000;

/// The metrics that got data in the last two weeks.
pub(super) fn list_metrics(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    members.refuse(&["OwningAccount"])?;
    let namespace = members.text_of("Namespace", 1, 255)?;
    let name = members.text_of("MetricName", 1, 255)?;
    let mut dimensions: Vec<(&str, Option<&str>)> = Vec::new();
    for dimension in members.structures("Dimensions", 10)? {
        dimensions.push((dimension.required_text("Name", 255)?, dimension.text_of("Value", 1, 1024)?));
    }
    let recent = members.one_of("RecentlyActive", &["PT3H"])?.is_some();
    let oldest = call.now.millis() - if recent { THREE_HOURS_MS } else { TWO_WEEKS_MS };
    let is_asked = |metric: &MetricId| {
        namespace.is_none_or(|asked| asked == metric.namespace)
            && name.is_none_or(|asked| asked == metric.name)
            && dimensions.iter().all(|(asked, value)| {
                metric
                    .dimensions
                    .iter()
                    .any(|(known, is)| known == asked && value.is_none_or(|value| value == is))
            })
    };
    let metrics = cloudwatch.shelf.metrics().filter(|(metric, newest)| *newest >= oldest && is_asked(metric));
    let (metrics, next) = page(members, metrics.map(|(metric, _)| metric).collect(), METRICS)?;
    let metrics: Vec<Answer> = metrics.into_iter().map(MetricId::to_value).collect();
    Ok(Answer::new().with("Metrics", metrics).with_some("NextToken", next).into())
}
