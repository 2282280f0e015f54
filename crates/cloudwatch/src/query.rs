//! Queries of metrics and of expressions over them, as GetMetricData and alarms put them.

use std::collections::BTreeMap;

use dynamometer_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::math::{self, Expression, Line, MOST_POINTS, Outcome, Scope};
use crate::metric::{MetricId, Unit, read_namespace};
use crate::series::MINUTE_MS;
use crate::shelf::Shelf;
use crate::statistics::Statistic;
use crate::value::{Answer, Members, Value};

/// How many queries a request may have.
const QUERIES: usize = 500;
/// How many periods the queries of a request may cover together.
const PERIODS: i64 = MOST_POINTS as i64;

/// A metric, in periods, by a statistic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricStat {
    /// The metric.
    pub metric: MetricId,
    /// In seconds, a multiple of 60.
    pub period_s: i64,
    /// `Sum`, `p99`.
    pub stat: String,
    /// Only data of this unit.
    pub unit: Option<Unit>,
}

/// What a query asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// A metric.
    Metric(MetricStat),
    /// An expression over the other queries.
    Expression(String),
}

/// `MetricDataQuery`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDataQuery {
    /// What expressions call it.
    pub id: String,
    /// What it asks for.
    pub asked: Asked,
    /// What it is called in answers.
    pub label: Option<String>,
    /// Whether its data is wanted, or only used by others.
    pub return_data: bool,
}

impl MetricStat {
    /// Reads `MetricStat`.
    fn read(members: &Members<'_>) -> Result<MetricStat, Fault> {
        let metric = members.structure("Metric")?.ok_or_else(|| members.missing("Metric"))?;
        let stat = members.required_text("Stat", 64)?;
        Ok(MetricStat {
            metric: MetricId::read(read_namespace(&metric)?, &metric)?,
            period_s: read_period(members)?,
            stat: read_statistic(stat).map(|_| stat.to_owned())?,
            unit: Unit::read(members)?,
        })
    }

    /// As answers show it.
    pub fn to_value(&self) -> Value {
        Answer::new()
            .with("Metric", self.metric.to_value())
            .with("Period", self.period_s)
            .with("Stat", self.stat.as_str())
            .with_some("Unit", self.unit.map(Unit::name))
            .into()
    }

    /// Its values from `start_ms` until before `end_ms`, in periods that begin with `start_ms`.
    pub fn line(&self, shelf: &Shelf, (start_ms, end_ms): (i64, i64)) -> Line {
        let period_ms = self.period_s * 1000;
        let statistic = Statistic::read(&self.stat);
        let read = shelf.read(&self.metric, self.unit, (start_ms, end_ms), period_ms);
        let value =
            |(time, datum): (i64, crate::statistics::Datum)| Some((time, datum.statistic(statistic?)?));
        let points = read.into_iter().filter_map(value).collect();
        Line { label: self.metric.name.clone(), period_ms, points }
    }
}

/// Reads a statistic.
///
/// # Errors
/// When it is none, or none that is there.
pub fn read_statistic(text: &str) -> Result<Statistic, Fault> {
    Statistic::read(text).ok_or_else(|| {
        Fault::invalid(format!(
            "The statistic {text} is not available in dyno; there are {} and percentiles from p0 to p100.",
            Statistic::NAMES.join(", ")
        ))
    })
}

/// Reads `Period`, in seconds. AWS also takes 1, 5, 10, 20 and 30 for metrics of high resolution, of which there are
/// none here: they read as a minute.
///
/// # Errors
/// When it is missing or none of these.
pub fn read_period(members: &Members<'_>) -> Result<i64, Fault> {
    let period = members.integer("Period", 1, 86_400 * 366)?.ok_or_else(|| members.missing("Period"))?;
    match period {
        1 | 5 | 10 | 20 | 30 => Ok(60),
        period if period % 60 == 0 => Ok(period),
        _ => Err(Fault::invalid(format!(
            "The parameter {} must be 1, 5, 10, 20, 30 or a multiple of 60.",
            members.path_of("Period")
        ))),
    }
}

impl MetricDataQuery {
    fn read(members: &Members<'_>) -> Result<MetricDataQuery, Fault> {
        members.refuse(&["AccountId"])?;
        let id = members.required_text("Id", 255)?;
        let is_good = |id: &str| {
            id.starts_with(|first: char| first.is_ascii_lowercase())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !is_good(id) {
            return Err(Fault::validation(format!(
                "The value {id} for parameter {} is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.",
                members.path_of("Id")
            )));
        }
        let expression = members.text_of("Expression", 1, 2048)?;
        let asked = match (members.structure("MetricStat")?, expression) {
            (Some(stat), None) => Asked::Metric(MetricStat::read(&stat)?),
            (None, Some(expression)) => {
                read_expression(id, expression)?;
                Asked::Expression(expression.to_owned())
            }
            _ => {
                return Err(Fault::validation(format!(
                    "The query {id} must have either MetricStat or Expression."
                )));
            }
        };
        Ok(MetricDataQuery {
            id: id.to_owned(),
            asked,
            label: members.text("Label")?.map(str::to_owned),
            return_data: members.boolean("ReturnData")?.unwrap_or(true),
        })
    }

    /// As answers show it.
    pub fn to_value(&self) -> Value {
        let answer = Answer::new().with("Id", self.id.as_str());
        let answer = match &self.asked {
            Asked::Metric(stat) => answer.with("MetricStat", stat.to_value()),
            Asked::Expression(text) => answer.with("Expression", text.as_str()),
        };
        let answer = answer.with_some("Label", self.label.as_deref()).with("ReturnData", self.return_data);
        answer.into()
    }
}

fn read_expression(id: &str, text: &str) -> Result<Expression, Fault> {
    math::parse(text).map_err(|problem| in_expression(id, &problem))
}

fn in_expression(id: &str, problem: &str) -> Fault {
    Fault::validation(format!("Error in expression '{id}': {problem}."))
}

/// Reads the queries of a request.
///
/// # Errors
/// When one cannot be read, or two have the same id.
pub fn read_queries(members: &Members<'_>, name: &str) -> Result<Vec<MetricDataQuery>, Fault> {
    let mut queries: Vec<MetricDataQuery> = Vec::new();
    for query in members.structures(name, QUERIES)? {
        let query = MetricDataQuery::read(&query)?;
        if queries.iter().any(|known| known.id == query.id) {
            return Err(Fault::validation(format!("The id {} is given to more than one query.", query.id)));
        }
        queries.push(query);
    }
    Ok(queries)
}

/// The period of the queries' metrics, the longest in seconds; a minute without metrics.
pub fn longest_period_s(queries: &[MetricDataQuery]) -> i64 {
    let periods = queries.iter().filter_map(|query| match &query.asked {
        Asked::Metric(stat) => Some(stat.period_s),
        Asked::Expression(_) => None,
    });
    periods.max().unwrap_or(MINUTE_MS / 1000)
}

/// What one query gives: a line, or several for an expression over several.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// The query's.
    pub id: String,
    /// Its points, oldest first.
    pub line: Line,
}

/// Works out the queries whose data is wanted, from `start_ms` until before `end_ms`.
///
/// # Errors
/// When an expression does not fit together, or they ask for too much.
pub fn run(queries: &[MetricDataQuery], shelf: &Shelf, range: (i64, i64)) -> Result<Vec<QueryResult>, Fault> {
    let periods = |query: &MetricDataQuery| {
        let period_s = match &query.asked {
            Asked::Metric(stat) => stat.period_s,
            Asked::Expression(_) => MINUTE_MS / 1000,
        };
        (range.1 - range.0).max(0) / (period_s * 1000)
    };
    if queries.iter().map(periods).fold(0, i64::saturating_add) > PERIODS {
        return Err(Fault::validation(format!(
            "The queries cover more than {PERIODS} periods together: ask for less time or longer periods."
        )));
    }
    let known = read_known(queries)?;
    let metrics = queries.iter().filter(|query| matches!(query.asked, Asked::Metric(_)));
    let metrics: Vec<String> = metrics.map(|query| query.id.clone()).collect();
    let done = BTreeMap::new();
    let mut desk = Desk { shelf, range, queries: &known, metrics: &metrics, done, weight: 0 };
    let mut results = Vec::new();
    for query in queries.iter().filter(|query| query.return_data) {
        let outcome = desk.outcome(&query.id).map_err(|problem| in_expression(&query.id, &problem))?;
        let lines = match outcome {
            Outcome::Line(line) => vec![line],
            Outcome::Lines(lines) => lines,
            Outcome::Number(_) => {
                let problem = "it gives a number, not a time series; TIME_SERIES() makes one of it";
                return Err(in_expression(&query.id, problem));
            }
        };
        let is_one = lines.len() == 1;
        results.extend(lines.into_iter().map(|mut line| {
            match &query.label {
                Some(label) => line.label.clone_from(label),
                None if is_one && matches!(query.asked, Asked::Expression(_)) => {
                    line.label.clone_from(&query.id)
                }
                None => {}
            }
            QueryResult { id: query.id.clone(), line }
        }));
    }
    Ok(results)
}

/// A query, its expression read.
enum Known<'q> {
    Metric(&'q MetricStat),
    Expression(Expression),
}

/// The queries of a request with what is worked out so far.
struct Desk<'q> {
    shelf: &'q Shelf,
    range: (i64, i64),
    queries: &'q BTreeMap<&'q str, Known<'q>>,
    metrics: &'q [String],
    done: BTreeMap<&'q str, Outcome>,
    /// What is done takes this much.
    weight: usize,
}

fn read_known(queries: &[MetricDataQuery]) -> Result<BTreeMap<&str, Known<'_>>, Fault> {
    let mut all = BTreeMap::new();
    for query in queries {
        let known = match &query.asked {
            Asked::Metric(stat) => Known::Metric(stat),
            Asked::Expression(text) => Known::Expression(read_expression(&query.id, text)?),
        };
        all.insert(query.id.as_str(), known);
    }
    Ok(all)
}

impl<'q> Desk<'q> {
    /// What a query gives. Those that it needs are worked out before it, one after the other: queries can name each
    /// other in a row of any length.
    fn outcome(&mut self, id: &str) -> Result<Outcome, String> {
        let mut under_way = vec![id];
        while let Some(id) = under_way.last().copied() {
            match self.needed_by(id) {
                Some(next) if under_way.contains(&next) => return Err(format!("{next} depends on itself")),
                Some(next) => under_way.push(next),
                None => {
                    self.work_out(id)?;
                    under_way.pop();
                }
            }
        }
        self.done.get(id).cloned().ok_or_else(|| unknown(id))
    }

    /// A query that has to be worked out before this one.
    fn needed_by(&self, id: &str) -> Option<&'q str> {
        let Some(Known::Expression(expression)) = self.queries.get(id) else { return None };
        let is_needed = |id: &&str| self.queries.contains_key(id) && !self.done.contains_key(id);
        expression.ids().into_iter().find(is_needed)
    }

    /// Works out a query; the ones that it names are done.
    fn work_out(&mut self, id: &str) -> Result<(), String> {
        if self.done.contains_key(id) {
            return Ok(());
        }
        let (id, known) = self.queries.get_key_value(id).ok_or_else(|| unknown(id))?;
        let outcome = match known {
            Known::Metric(stat) => Outcome::Line(stat.line(self.shelf, self.range)),
            Known::Expression(expression) => {
                let (metrics, range) = (self.metrics, self.range);
                let mut scope = Scope { resolve: &mut |id| self.outcome(id), metrics, range };
                math::evaluate(expression, &mut scope)?
            }
        };
        self.weight += outcome.weight();
        if self.weight > MOST_POINTS {
            return Err(math::too_much());
        }
        self.done.insert(id, outcome);
        Ok(())
    }
}

fn unknown(id: &str) -> String {
    format!("there is no query with the id {id}")
}

/// From when on and until when a request asks: its start rounded by age.
///
/// # Errors
/// When a time is missing, or the end is not after the start.
pub fn read_range(members: &Members<'_>, now: Timestamp) -> Result<(i64, i64), Fault> {
    let start = members.required_time("StartTime")?;
    let end = members.required_time("EndTime")?;
    if start >= end {
        return Err(Fault::validation(format!(
            "The parameter {} must be greater than {}.",
            members.path_of("EndTime"),
            members.path_of("StartTime")
        )));
    }
    Ok((crate::series::rounded_start(start, now), end.millis()))
}
