//! PutMetricData.

use dynamometer_types::Timestamp;

use super::nothing;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::metric::{MetricId, Unit, read_namespace};
use crate::shelf::MOST_SERIES;
use crate::statistics::{Datum, Histogram, StatisticSet};
use crate::value::{Members, Value};

/// AWS's limits.
const DATA: usize = 1_000;
const VALUES: usize = 150;
/// 2 to the power of 360.
const LARGEST: f64 = 2.348_542_582_773_833_4e108;
const TWO_WEEKS_MS: i64 = 14 * 24 * 3_600_000;
const TWO_HOURS_MS: i64 = 2 * 3_600_000;

/// Publishes data of a user's own metrics; all of it or none. A minute is the finest that is kept.
pub(super) fn put_metric_data(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    members.refuse(&["EntityMetricData"])?;
    let namespace = read_namespace(members)?;
    if namespace.starts_with("AWS/") {
        return Err(Fault::invalid("The value AWS/ for parameter Namespace is invalid."));
    }
    let mut data = Vec::new();
    for datum in members.structures("MetricData", DATA)? {
        let metric = MetricId::read(namespace, &datum)?;
        let unit = Unit::read(&datum)?.unwrap_or(Unit::NONE);
        datum.integer("StorageResolution", 1, i64::from(i32::MAX))?;
        data.push((metric, unit, read_time(&datum, call.now)?, read_datum(&datum)?));
    }
    if data.is_empty() {
        return Err(members.missing("MetricData"));
    }
    let full = || Fault::new(FaultKind::LimitExceeded, format!("There are {MOST_SERIES} metrics already."));
    if !cloudwatch.shelf.has_room(data.iter().map(|(metric, unit, ..)| (metric, *unit))) {
        return Err(full());
    }
    for (metric, unit, at, datum) in data {
        cloudwatch.shelf.publish(metric, unit, at, &datum).map_err(|_| full())?;
    }
    cloudwatch.shelf.client_published(call.now);
    Ok(nothing())
}

fn read_time(members: &Members<'_>, now: Timestamp) -> Result<Timestamp, Fault> {
    let Some(time) = members.time("Timestamp")? else { return Ok(now) };
    let age = now.millis() - time.millis();
    let must = |bound: &str| {
        let name = members.path_of("Timestamp");
        Err(Fault::invalid(format!("The parameter {name} must specify a time no more than {bound}.")))
    };
    if age > TWO_WEEKS_MS {
        return must("two weeks in the past");
    }
    if age < -TWO_HOURS_MS {
        return must("two hours in the future");
    }
    Ok(time)
}

fn read_datum(members: &Members<'_>) -> Result<Datum, Fault> {
    const NAMES: [&str; 3] = ["Value", "StatisticValues", "Values"];
    let mut given = NAMES.into_iter().filter(|name| members.has(name));
    let Some(kind) = given.next() else {
        return Err(Fault::missing(format!(
            "At least one of the parameters {} must be specified.",
            NAMES.map(|name| members.path_of(name)).join(", ")
        )));
    };
    if let Some(other) = given.next() {
        return Err(Fault::combination(format!(
            "The parameters {} and {} are mutually exclusive and you have specified both.",
            members.path_of(kind),
            members.path_of(other)
        )));
    }
    if let Some(set) = members.structure("StatisticValues")? {
        return read_set(&set).map(Datum::from);
    }
    match members.number("Value")? {
        Some(value) => datum_of(members, &[value], None),
        None => {
            let values = members.numbers("Values", VALUES)?.unwrap_or_default();
            datum_of(members, &values, members.numbers("Counts", VALUES)?.as_deref())
        }
    }
}

fn read_set(members: &Members<'_>) -> Result<StatisticSet, Fault> {
    let part = |name: &str| members.number(name)?.ok_or_else(|| members.missing(name));
    let set = StatisticSet {
        samples: part("SampleCount")?.max(0.0),
        sum: part("Sum")?,
        minimum: part("Minimum")?,
        maximum: part("Maximum")?,
    };
    if set.minimum > set.maximum {
        return Err(Fault::invalid(format!(
            "The parameter {} must be less than or equal to {}.",
            members.path_of("Minimum"),
            members.path_of("Maximum")
        )));
    }
    Ok(set)
}

fn datum_of(members: &Members<'_>, values: &[f64], counts: Option<&[f64]>) -> Result<Datum, Fault> {
    let wrong = |name: &str, must: &str| {
        Err(Fault::invalid(format!("The parameter {} must {must}.", members.path_of(name))))
    };
    if values.is_empty() {
        return wrong("Values", "have at least one value");
    }
    if counts.is_some_and(|counts| counts.len() != values.len()) {
        return wrong("Counts", "have as many elements as Values");
    }
    if counts.is_some_and(|counts| counts.iter().any(|count| *count <= 0.0)) {
        return wrong("Counts", "be greater than 0");
    }
    if values.iter().any(|value| value.abs() > LARGEST) {
        return wrong("Value", "be between -2^360 and 2^360");
    }
    let mut set = StatisticSet::of(0.0, 0.0);
    let mut histogram = Histogram::default();
    for (at, value) in values.iter().enumerate() {
        let samples = counts.and_then(|counts| counts.get(at)).copied().unwrap_or(1.0);
        set.merge(&StatisticSet::of(*value, samples));
        histogram.add(*value, samples);
    }
    Ok(Datum { set, histogram: Some(Box::new(histogram)) })
}
