//! The operations, one row each; those that are there have a file of their name.

mod delete_alarms;
mod describe_alarm_history;
mod describe_alarms;
mod describe_alarms_for_metric;
mod describe_insight_rules;
mod get_insight_rule_report;
mod get_metric_data;
mod get_metric_statistics;
mod list_metrics;
mod page;
mod put_metric_alarm;
mod put_metric_data;
mod set_alarm_state;
mod switch;
mod tags;

use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::value::{Answer, Members, Value};

/// An operation of the API.
#[derive(Clone, Copy)]
pub struct Operation {
    /// AWS's name.
    pub name: &'static str,
    /// What answers it; `None` while it is not there.
    pub(crate) handler: Option<Handler>,
    /// Whether AWS's answer has a body; the others answer with nothing.
    pub has_output: bool,
}

pub(crate) type Handler = fn(&mut CloudWatch, &Call<'_>, &Members<'_>) -> Result<Value, Fault>;

impl Operation {
    /// The operation of a name.
    pub fn find(name: &str) -> Option<&'static Operation> {
        OPERATIONS.binary_search_by(|operation| operation.name.cmp(name)).ok().map(|at| &OPERATIONS[at])
    }
}

/// What an operation answers that is not there.
pub fn not_available(name: &str) -> Fault {
    Fault::new(FaultKind::UnknownOperation, format!("{name} is not available in dyno"))
}

/// The answer of an operation that answers nothing.
fn nothing() -> Value {
    Answer::new().into()
}

/// Rows are `Name => handler`, with `()` behind it when the answer has no body, or `Name => none`.
macro_rules! operations {
    ($($name:ident => $($handler:ident)::+ $(($output:tt))?,)+) => {
        /// The operations by name; source: botocore's model of 2026.
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            name: stringify!($name),
            handler: operations!(@handler $($handler)::+),
            has_output: operations!(@output $($output)?),
        },)+];
    };
    (@handler none) => { None };
    (@handler $($handler:ident)::+) => { Some($($handler)::+) };
    (@output) => { true };
    (@output nothing) => { false };
}

operations! {
    AssociateDatasetKmsKey => none,
    CreateResourceMetricsConfiguration => none,
    DeleteAlarmMuteRule => none,
    DeleteAlarms => delete_alarms::delete_alarms (nothing),
    DeleteAnomalyDetector => none,
    DeleteDashboards => none,
    DeleteInsightRules => none,
    DeleteMetricDataQueryDefinition => none,
    DeleteMetricStream => none,
    DeleteResourceMetricsConfiguration => none,
    DescribeAlarmContributors => none,
    DescribeAlarmHistory => describe_alarm_history::describe_alarm_history,
    DescribeAlarms => describe_alarms::describe_alarms,
    DescribeAlarmsForMetric => describe_alarms_for_metric::describe_alarms_for_metric,
    DescribeAnomalyDetectors => none,
    DescribeInsightRules => describe_insight_rules::describe_insight_rules,
    DisableAlarmActions => switch::disable_alarm_actions (nothing),
    DisableInsightRules => switch::disable_insight_rules,
    DisassociateDatasetKmsKey => none,
    EnableAlarmActions => switch::enable_alarm_actions (nothing),
    EnableInsightRules => switch::enable_insight_rules,
    GetAlarmMuteRule => none,
    GetDashboard => none,
    GetDataset => none,
    GetInsightRuleReport => get_insight_rule_report::get_insight_rule_report,
    GetMetricData => get_metric_data::get_metric_data,
    GetMetricDataQueryDefinition => none,
    GetMetricStatistics => get_metric_statistics::get_metric_statistics,
    GetMetricStream => none,
    GetMetricWidgetImage => none,
    GetOTelEnrichment => none,
    GetResourceMetricsConfiguration => none,
    ListAlarmMuteRules => none,
    ListDashboards => none,
    ListManagedInsightRules => none,
    ListMetricDataQueryDefinitions => none,
    ListMetricStreams => none,
    ListMetrics => list_metrics::list_metrics,
    ListTagsForResource => tags::list_tags_for_resource,
    PutAlarmMuteRule => none,
    PutAnomalyDetector => none,
    PutCompositeAlarm => none,
    PutDashboard => none,
    PutInsightRule => none,
    PutLogAlarm => none,
    PutManagedInsightRules => none,
    PutMetricAlarm => put_metric_alarm::put_metric_alarm (nothing),
    PutMetricData => put_metric_data::put_metric_data (nothing),
    PutMetricDataQueryDefinition => none,
    PutMetricStream => none,
    SetAlarmState => set_alarm_state::set_alarm_state (nothing),
    StartMetricStreams => none,
    StartOTelEnrichment => none,
    StopMetricStreams => none,
    StopOTelEnrichment => none,
    TagResource => tags::tag_resource,
    UntagResource => tags::untag_resource,
    UpdateOTelEnrichment => none,
    UpdateResourceMetricsConfiguration => none,
}

#[cfg(test)]
mod tests;
