//! What names a series: namespace, metric name, dimensions; and its unit.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::value::{Answer, Members, Value};

/// The namespace of DynamoDB's metrics.
pub const DYNAMODB: &str = "AWS/DynamoDB";

/// The most dimensions of a metric.
const DIMENSIONS: usize = 30;

/// A metric. Dimensions are in order of their names, so that two that mean the same are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MetricId {
    /// `AWS/DynamoDB`, or a user's own.
    pub namespace: String,
    /// `ConsumedReadCapacityUnits`.
    pub name: String,
    /// Names and values, sorted.
    pub dimensions: Vec<(String, String)>,
}

impl MetricId {
    /// A metric of DynamoDB.
    pub fn dynamodb(name: &str, dimensions: &[(&str, &str)]) -> MetricId {
        let dimensions = dimensions.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        MetricId::new(DYNAMODB, name, dimensions.collect())
    }

    /// A metric.
    pub fn new(namespace: &str, name: &str, mut dimensions: Vec<(String, String)>) -> MetricId {
        dimensions.sort();
        MetricId { namespace: namespace.to_owned(), name: name.to_owned(), dimensions }
    }

    /// Reads `MetricName` and `Dimensions` of a request's structure.
    ///
    /// # Errors
    /// When a part is missing or too long, or a dimension comes twice.
    pub fn read(namespace: &str, members: &Members<'_>) -> Result<MetricId, Fault> {
        let name = members.required_text("MetricName", 255)?;
        Ok(MetricId::new(namespace, name, read_dimensions(members)?))
    }

    /// As answers show it: `Namespace`, `MetricName`, `Dimensions`.
    pub fn to_value(&self) -> Answer {
        Answer::new()
            .with("Namespace", self.namespace.as_str())
            .with("MetricName", self.name.as_str())
            .with("Dimensions", self.dimensions_value())
    }

    /// The dimensions as answers show them.
    pub fn dimensions_value(&self) -> Value {
        let one = |(name, value): &(String, String)| {
            Answer::new().with("Name", name.as_str()).with("Value", value.as_str())
        };
        Value::from(self.dimensions.iter().map(one).collect::<Vec<_>>())
    }
}

/// Reads `Dimensions`.
///
/// # Errors
/// When one lacks a part or comes twice.
pub fn read_dimensions(members: &Members<'_>) -> Result<Vec<(String, String)>, Fault> {
    let mut dimensions: Vec<(String, String)> = Vec::new();
    for dimension in members.structures("Dimensions", DIMENSIONS)? {
        let name = dimension.required_text("Name", 255)?;
        if dimensions.iter().any(|(known, _)| known == name) {
            return Err(Fault::invalid(format!("The dimension {name} is given more than once.")));
        }
        dimensions.push((name.to_owned(), dimension.required_text("Value", 1024)?.to_owned()));
    }
    Ok(dimensions)
}

/// Reads a namespace, which must be there.
///
/// # Errors
/// When it is missing, too long, or begins with a colon.
pub fn read_namespace<'a>(members: &Members<'a>) -> Result<&'a str, Fault> {
    let namespace = members.required_text("Namespace", 255)?;
    if namespace.starts_with(':') {
        return Err(Fault::invalid("The parameter Namespace must not begin with a colon."));
    }
    Ok(namespace)
}

/// The units, in the model's order.
pub const UNITS: [&str; 27] = [
    "Seconds",
    "Microseconds",
    "Milliseconds",
    "Bytes",
    "Kilobytes",
    "Megabytes",
    "Gigabytes",
    "Terabytes",
    "Bits",
    "Kilobits",
    "Megabits",
    "Gigabits",
    "Terabits",
    "Percent",
    "Count",
    "Bytes/Second",
    "Kilobytes/Second",
    "Megabytes/Second",
    "Gigabytes/Second",
    "Terabytes/Second",
    "Bits/Second",
    "Kilobits/Second",
    "Megabits/Second",
    "Gigabits/Second",
    "Terabits/Second",
    "Count/Second",
    "None",
];

/// A unit: its place in [`UNITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit(u8);

impl Unit {
    /// Numbers of things.
    pub const COUNT: Unit = Unit(14);
    /// Thousandths of a second.
    pub const MILLISECONDS: Unit = Unit(2);
    /// Bytes.
    pub const BYTES: Unit = Unit(3);
    /// Hundredths.
    pub const PERCENT: Unit = Unit(13);
    /// No unit.
    pub const NONE: Unit = Unit(26);

    /// Reads the `Unit` of a request.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(members: &Members<'_>) -> Result<Option<Unit>, Fault> {
        let name = members.one_of("Unit", &UNITS)?;
        Ok(name.and_then(|name| UNITS.iter().position(|unit| *unit == name)).map(|at| Unit(at as u8)))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        UNITS.get(usize::from(self.0)).copied().unwrap_or("None")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_in_use_have_their_names() {
        let names = [Unit::COUNT, Unit::MILLISECONDS, Unit::BYTES, Unit::PERCENT, Unit::NONE].map(Unit::name);
        assert_eq!(names, ["Count", "Milliseconds", "Bytes", "Percent", "None"]);
    }
}
