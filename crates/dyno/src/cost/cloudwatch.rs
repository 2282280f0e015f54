//! Consumed units as CloudWatch exports them.
//!
//! * CSV: a column of moments, and columns whose heads name `ConsumedReadCapacityUnits` or `ConsumedWriteCapacityUnits`;
//!   rows before the first moment may hold labels and settings, as the console writes them.
//! * JSON: the answer of `get-metric-data` (`MetricDataResults`) or of `get-metric-statistics` (`Datapoints`).
//!
//! All with the statistic Sum. Several columns, results or files of a kind (a table and its indexes) are added up.

use std::collections::BTreeMap;

use dynamometer_capacity::admission::{Dimension, PerDimension};
use serde::Deserialize;

use crate::quantity;

/// Consumed units by period, of one or several exports.
#[derive(Debug, Default)]
pub struct Series {
    /// Thousandths of a unit by the second in which the period began.
    periods: BTreeMap<i64, PerDimension<u128>>,
    has: PerDimension<bool>,
    /// The length of a period in seconds, where it has not to be worked out from the periods that there are.
    period_seconds: Option<u64>,
}

/// What a series says.
#[derive(Debug)]
pub struct Consumption {
    /// The length of a period in seconds.
    pub period_seconds: u64,
    /// From the beginning of the first period to the end of the last.
    pub span_seconds: u64,
    /// Half units in all, rounded.
    pub halves: PerDimension<u64>,
    /// Half units per second in the highest period, rounded up.
    pub peak_halves: PerDimension<u64>,
}

/// What is wrong: the line, what was expected, what was found.
type Complaint = (usize, String, String);

fn dimension_of(label: &str) -> Option<Dimension> {
    if label.contains("ConsumedReadCapacityUnits") {
        return Some(Dimension::Read);
    }
    label.contains("ConsumedWriteCapacityUnits").then_some(Dimension::Write)
}

const LABELS: &str = "ConsumedReadCapacityUnits or ConsumedWriteCapacityUnits";

impl Series {
    /// Adds what a file holds. Its name stands in errors.
    ///
    /// # Errors
    /// `file:line: expected …, found …`.
    pub fn add_file(&mut self, file: &str, text: &str) -> Result<(), String> {
        let text = text.trim_start_matches('\u{feff}');
        let added = match text.trim_start().starts_with(['{', '[']) {
            true => self.add_json(text),
            false => self.add_csv(text),
        };
        added.map_err(|(line, expected, found)| format!("{file}:{line}: expected {expected}, found {found}"))
    }

    fn add(&mut self, at_seconds: i64, dimension: Dimension, milli_units: u128) {
        self.periods.entry(at_seconds).or_default()[dimension] += milli_units;
        self.has[dimension] = true;
    }

    fn add_csv(&mut self, text: &str) -> Result<(), Complaint> {
        let mut columns: Vec<(usize, Dimension)> = Vec::new();
        let mut rows = 0;
        for (number, line) in text.lines().enumerate() {
            let line_number = number + 1;
            if line.trim().is_empty() {
                continue;
            }
            let fields = fields(line);
            let moment = quantity::moment(&fields[0]);
            let labelled = fields.iter().enumerate().skip(1);
            let labelled: Vec<_> =
                labelled.filter_map(|(column, label)| Some((column, dimension_of(label)?))).collect();
            if !labelled.is_empty() {
                columns = labelled;
                continue;
            }
            let at = match moment {
                Ok(at) => at,
                Err(_) if rows == 0 => continue,
                Err(_) => {
                    let expected = "a moment such as 2026-07-01T10:00:00Z in the first column".to_owned();
                    return Err((line_number, expected, format!("'{}'", fields[0])));
                }
            };
            if columns.is_empty() {
                return Err((
                    line_number,
                    format!("a head with columns named {LABELS} above the first row"),
                    "none".into(),
                ));
            }
            rows += 1;
            for (column, dimension) in &columns {
                let Some(text) = fields.get(*column).map(String::as_str) else {
                    let expected = format!("{} columns", column + 1);
                    return Err((line_number, expected, fields.len().to_string()));
                };
                // A period in which nothing was consumed has no value.
                let milli = if text.is_empty() { Some(0) } else { milli_units(text) };
                let wrong = || (line_number, "a number of consumed units".to_owned(), format!("'{text}'"));
                self.add(at.seconds(), *dimension, milli.ok_or_else(wrong)?);
            }
        }
        match rows {
            0 => Err((1, format!("rows of a moment and {LABELS}"), "none".to_owned())),
            _ => Ok(()),
        }
    }

    fn add_json(&mut self, text: &str) -> Result<(), Complaint> {
        let export: Export = serde_json::from_str(text).map_err(|error| {
            let expected = "the answer of get-metric-data or get-metric-statistics".to_owned();
            let found = error.to_string();
            (error.line(), expected, found.split(" at line ").next().unwrap_or_default().to_owned())
        })?;
        let before = self.periods.len();
        for result in &export.results {
            let Some(dimension) = dimension_of(&result.label).or_else(|| dimension_of(&result.id)) else {
                continue;
            };
            if result.timestamps.len() != result.values.len() {
                let found = format!("{} and {}", result.timestamps.len(), result.values.len());
                return Err((1, format!("as many Timestamps as Values in '{}'", result.label), found));
            }
            for (at, value) in result.timestamps.iter().zip(&result.values) {
                self.add(at.0, dimension, value.0);
            }
        }
        if let Some(dimension) = export.label.as_deref().and_then(dimension_of) {
            for point in &export.datapoints {
                let Some(sum) = &point.sum else {
                    return Err((
                        1,
                        "the statistic Sum in every datapoint".to_owned(),
                        "one without".to_owned(),
                    ));
                };
                self.add(point.timestamp.0, dimension, sum.0);
            }
        }
        match self.periods.len() == before && !(self.has.read || self.has.write) {
            true => Err((1, format!("a metric labelled {LABELS} with values"), "none".to_owned())),
            false => Ok(()),
        }
    }

    /// Adds what a minute consumed. Such series are not mixed with exports.
    pub fn add_minute(&mut self, at_seconds: i64, halves: PerDimension<u64>) {
        self.period_seconds = Some(60);
        for dimension in Dimension::BOTH {
            self.add(at_seconds, dimension, u128::from(halves[dimension]) * 500);
        }
    }

    /// Sums up.
    ///
    /// # Errors
    /// When there is nothing in it; and when an export has one period only, for then its length is not known.
    pub fn consumption(&self) -> Result<Consumption, String> {
        let starts: Vec<i64> = self.periods.keys().copied().collect();
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
            return Err("nothing was consumed, so there is nothing to price".to_owned());
        };
        let nearest = || starts.windows(2).map(|pair| (pair[1] - pair[0]).unsigned_abs()).min();
        let Some(period_seconds) = self.period_seconds.or_else(nearest) else {
            return Err("the export has only one period, so its length is not known".to_owned());
        };
        let span_seconds = (last - first).unsigned_abs() + period_seconds;
        let (mut sum, mut peak) = (PerDimension::<u128>::default(), PerDimension::<u128>::default());
        for units in self.periods.values() {
            for dimension in Dimension::BOTH {
                sum[dimension] += units[dimension];
                peak[dimension] = peak[dimension].max(units[dimension]);
            }
        }
        let whole = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        Ok(Consumption {
            period_seconds,
            span_seconds,
            halves: sum.map(|milli| whole((milli + 250) / 500)),
            peak_halves: peak.map(|milli| whole(milli.div_ceil(500 * u128::from(period_seconds)))),
        })
    }
}

/// A number of units, perhaps with an exponent as JSON writers make it, in thousandths.
fn milli_units(text: &str) -> Option<u128> {
    if let Some(exact) = quantity::decimal(text, 3) {
        return Some(u128::from(exact));
    }
    let value: f64 = text.parse().ok()?;
    (value.is_finite() && (0.0..1e15).contains(&value)).then(|| (value * 1_000.0).round() as u128)
}

/// The fields of a CSV line, quoted or not.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut in_quotes = false;
    for character in line.trim_end_matches('\r').chars() {
        match character {
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => fields.push(String::new()),
            other => {
                if let Some(field) = fields.last_mut() {
                    field.push(other);
                }
            }
        }
    }
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

#[derive(Deserialize)]
struct Export {
    #[serde(rename = "MetricDataResults", default)]
    results: Vec<MetricResult>,
    #[serde(rename = "Label")]
    label: Option<String>,
    #[serde(rename = "Datapoints", default)]
    datapoints: Vec<Datapoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MetricResult {
    #[serde(default)]
    id: String,
    #[serde(default)]
    label: String,
    timestamps: Vec<Moment>,
    values: Vec<Units>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Datapoint {
    timestamp: Moment,
    sum: Option<Units>,
}

/// Seconds since 1970, read from a text or a number.
struct Moment(i64);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => text,
            other => other.as_f64().map(|seconds| format!("{}", seconds as i64)).unwrap_or_default(),
        };
        quantity::moment(&text).map(|at| Self(at.seconds())).map_err(serde::de::Error::custom)
    }
}

/// Thousandths of a unit.
struct Units(u128);

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let units = milli_units(&number.to_string());
        units.map(Self).ok_or_else(|| serde::de::Error::custom(format!("{number} is no number of units")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Consumption, String> {
        let mut series = Series::default();
        series.add_file("x", text)?;
        series.consumption()
    }

    #[test]
    fn exports_are_read() {
        let csv = "Full label,T ConsumedReadCapacityUnits,T ConsumedWriteCapacityUnits\nPeriod,60,60\n\
                   2026/06/01 00:00:00,30000,60\n2026/06/01 00:01:00,,120.5\n";
        let json = r#"{"MetricDataResults": [
            {"Id": "r", "Label": "ConsumedReadCapacityUnits", "Timestamps": ["2026-06-01T00:00:00+00:00"], "Values": [30000.0]},
            {"Id": "w", "Label": "ConsumedWriteCapacityUnits", "Timestamps": ["2026-06-01T00:01:00Z", 1780272000], "Values": [120.5, 60]}
        ], "Messages": []}"#;
        for text in [csv, json] {
            let found = read(text).unwrap();
            assert_eq!((found.period_seconds, found.span_seconds), (60, 120));
            assert_eq!(found.halves, PerDimension::new(60_000, 361));
            assert_eq!(found.peak_halves, PerDimension::new(1_000, 5));
        }
        let statistics = r#"{"Label": "ConsumedWriteCapacityUnits", "Datapoints": [
            {"Timestamp": "2026-06-01T00:05:00Z", "Sum": 5.0, "Unit": "Count"},
            {"Timestamp": "2026-06-01T00:00:00Z", "Sum": 1.0, "Unit": "Count"}]}"#;
        assert_eq!(read(statistics).unwrap().halves.write, 12);
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, expected) in [
            ("", "x:1: expected rows of a moment and Consumed"),
            ("a,b\n2026-06-01T00:00:00Z,5", "x:2: expected a head with columns named"),
            ("t,ConsumedReadCapacityUnits\n2026-06-01,5\nsoon,6", "x:3: expected a moment such as"),
            (
                "t,ConsumedReadCapacityUnits\n2026-06-01,much",
                "x:2: expected a number of consumed units, found 'much'",
            ),
            ("t,x,ConsumedReadCapacityUnits\n2026-06-01,5", "x:2: expected 3 columns, found 2"),
            (
                "{\"MetricDataResults\": [\n{\"Timestamps\": 5}]}",
                "x:2: expected the answer of get-metric-data",
            ),
            ("{}", "x:1: expected a metric labelled"),
            ("t,ConsumedReadCapacityUnits\n2026-06-01,5", "the export has only one period"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_minute_of_a_trace_is_a_minute() {
        let halves = PerDimension::new(120, 240);
        let of = |minutes: &[i64]| {
            let mut series = Series::default();
            minutes.iter().for_each(|minute| series.add_minute(minute * 60, halves));
            series.consumption().map(|found| (found.period_seconds, found.span_seconds, found.peak_halves))
        };
        let peak = PerDimension::new(2, 4);
        assert_eq!(of(&[7]), Ok((60, 60, peak)), "the only one");
        assert_eq!(of(&[7, 127]), Ok((60, 121 * 60, peak)), "two far apart");
        assert!(of(&[]).unwrap_err().contains("nothing"));
    }
}
