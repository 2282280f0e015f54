//! An alarm, as it is kept.

use dynamometer_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::query::{MetricDataQuery, MetricStat, longest_period_s};
use crate::statistics::Statistic;
use crate::value::{Answer, Value};

/// The state of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Within the threshold.
    Ok,
    /// Outside.
    Alarm,
    /// Nothing is known.
    InsufficientData,
}

impl State {
    /// The states' names.
    pub const NAMES: [&'static str; 3] = ["OK", "ALARM", "INSUFFICIENT_DATA"];

    /// The name.
    pub fn name(self) -> &'static str {
        State::NAMES[self as usize]
    }

    /// The state of a name.
    pub fn read(name: &str) -> Option<State> {
        [State::Ok, State::Alarm, State::InsufficientData].into_iter().find(|state| state.name() == name)
    }
}

/// How a value and the threshold are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Comparison {
    GreaterThanOrEqualToThreshold,
    GreaterThanThreshold,
    LessThanThreshold,
    LessThanOrEqualToThreshold,
}

impl Comparison {
    /// All, with the words of state reasons.
    const ALL: [(Comparison, &'static str, &'static str); 4] = [
        (
            Comparison::GreaterThanOrEqualToThreshold,
            "GreaterThanOrEqualToThreshold",
            "greater than or equal to",
        ),
        (Comparison::GreaterThanThreshold, "GreaterThanThreshold", "greater than"),
        (Comparison::LessThanThreshold, "LessThanThreshold", "less than"),
        (Comparison::LessThanOrEqualToThreshold, "LessThanOrEqualToThreshold", "less than or equal to"),
    ];
    /// Their names.
    pub const NAMES: [&'static str; 4] = [Self::ALL[0].1, Self::ALL[1].1, Self::ALL[2].1, Self::ALL[3].1];

    /// The comparison of a name.
    pub fn read(name: &str) -> Option<Comparison> {
        Comparison::ALL.iter().find(|(_, known, _)| *known == name).map(|(comparison, ..)| *comparison)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Comparison::ALL[self as usize].1
    }

    /// As state reasons say it.
    pub fn words(self) -> &'static str {
        Comparison::ALL[self as usize].2
    }

    /// Whether a value is outside.
    pub fn is_breaching(self, value: f64, threshold: f64) -> bool {
        match self {
            Comparison::GreaterThanOrEqualToThreshold => value >= threshold,
            Comparison::GreaterThanThreshold => value > threshold,
            Comparison::LessThanThreshold => value < threshold,
            Comparison::LessThanOrEqualToThreshold => value <= threshold,
        }
    }
}

/// What `TreatMissingData` may say; the first when it is absent.
pub const TREATMENTS: [&str; 4] = ["missing", "notBreaching", "breaching", "ignore"];

/// What an alarm looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// One metric.
    Metric(MetricStat),
    /// Queries, of which one is looked at.
    Queries(Vec<MetricDataQuery>),
}

/// What is set of an alarm and how it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether its actions would be taken. None is: there is nobody to take them.
    pub actions_enabled: bool,
    /// For OK, ALARM and INSUFFICIENT_DATA.
    pub actions: [Vec<String>; 3],
    /// What it is set to watch.
    #[serde(flatten)]
    pub watched: Watched,
    /// Milliseconds since 1970.
    pub configured_ms: i64,
    /// How it stands.
    pub state: State,
    /// Why.
    pub reason: String,
    /// Why, as JSON.
    pub reason_data: Option<String>,
    /// When state or reason last changed.
    pub updated_ms: i64,
    /// When the state last changed.
    pub transitioned_ms: i64,
    /// Tags.
    pub tags: Vec<(String, String)>,
}

/// What an alarm watches and when it goes off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// What it looks at.
    pub source: Source,
    /// N: how many periods.
    pub evaluation_periods: i64,
    /// M: how many of them must be outside; N when absent.
    pub datapoints_to_alarm: Option<i64>,
    /// What values are compared with.
    pub threshold: f64,
    /// How.
    pub comparison: Comparison,
    /// One of [`TREATMENTS`].
    pub treat_missing_data: Option<String>,
    /// `evaluate` or `ignore`; shown, and of no effect.
    pub evaluate_low_sample_count_percentile: Option<String>,
}

impl Watched {
    /// The period in seconds.
    pub fn period_s(&self) -> i64 {
        match &self.source {
            Source::Metric(stat) => stat.period_s,
            Source::Queries(queries) => longest_period_s(queries),
        }
    }

    /// M.
    pub fn datapoints_to_alarm(&self) -> usize {
        self.datapoints_to_alarm.unwrap_or(self.evaluation_periods).max(1) as usize
    }
}

impl Alarm {
    /// As `MetricAlarm` in answers.
    pub fn to_value(&self) -> Value {
        let time = Timestamp::from_millis;
        let [ok, alarm, insufficient] = self.actions.clone();
        let watched = &self.watched;
        let answer = Answer::new()
            .with("AlarmName", self.name.as_str())
            .with("AlarmArn", self.arn.as_str())
            .with_some("AlarmDescription", self.description.as_deref())
            .with("AlarmConfigurationUpdatedTimestamp", time(self.configured_ms))
            .with("ActionsEnabled", self.actions_enabled)
            .with("OKActions", ok)
            .with("AlarmActions", alarm)
            .with("InsufficientDataActions", insufficient)
            .with("StateValue", self.state.name())
            .with("StateReason", self.reason.as_str())
            .with_some("StateReasonData", self.reason_data.as_deref())
            .with("StateUpdatedTimestamp", time(self.updated_ms));
        let answer = match &watched.source {
            Source::Metric(stat) => {
                let named = Statistic::NAMES.contains(&stat.stat.as_str());
                answer
                    .with("MetricName", stat.metric.name.as_str())
                    .with("Namespace", stat.metric.namespace.as_str())
                    .with(if named { "Statistic" } else { "ExtendedStatistic" }, stat.stat.as_str())
                    .with("Dimensions", stat.metric.dimensions_value())
                    .with("Period", stat.period_s)
                    .with_some("Unit", stat.unit.map(|unit| unit.name()))
            }
            Source::Queries(queries) => answer
                .with("Dimensions", Value::List(Vec::new()))
                .with("Metrics", queries.iter().map(MetricDataQuery::to_value).collect::<Vec<_>>()),
        };
        answer
            .with("EvaluationPeriods", watched.evaluation_periods)
            .with_some("DatapointsToAlarm", watched.datapoints_to_alarm)
            .with("Threshold", watched.threshold)
            .with("ComparisonOperator", watched.comparison.name())
            .with_some("TreatMissingData", watched.treat_missing_data.as_deref())
            .with_some(
                "EvaluateLowSampleCountPercentile",
                watched.evaluate_low_sample_count_percentile.as_deref(),
            )
            .with("StateTransitionedTimestamp", time(self.transitioned_ms))
            .into()
    }
}
