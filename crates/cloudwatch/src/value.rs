//! Requests and answers as one tree, whatever protocol carries them.
//!
//! CloudWatch speaks three protocols: Smithy RPC v2 with CBOR, JSON 1.0, and Query (forms in, XML out). The server turns
//! each into a [`Value`] and back; operations read members by [`Members`] and never know which it was. What a form
//! sends is text without a type, [`Value::Form`], which reads as whatever type is asked for.

use dynamometer_types::Timestamp;

use crate::fault::Fault;

/// A value of a request or an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`: as if the member were absent.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A double.
    Double(f64),
    /// A string.
    Text(String),
    /// Text of a form, of any type.
    Form(String),
    /// A point in time.
    Time(Timestamp),
    /// A list.
    List(Vec<Value>),
    /// A structure, members in the order in which they are written.
    Structure(Vec<(String, Value)>),
    /// A map, which XML writes otherwise than a structure.
    Map(Vec<(String, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Double(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Value {
        Value::Time(time)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Value {
        Value::List(list.into_iter().map(Into::into).collect())
    }
}

/// An answer in the making: members that are `None` are left out.
#[derive(Clone, Debug, Default)]
pub struct Answer(Vec<(String, Value)>);

impl Answer {
    /// An answer without members.
    pub fn new() -> Answer {
        Answer::default()
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Answer {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a member if there is a value for it.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Answer {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

impl From<Answer> for Value {
    fn from(Answer(members): Answer) -> Value {
        Value::Structure(members)
    }
}

/// The members of a structure in a request, with its path for error texts such as `MetricData.member.1.`.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    path: String,
    members: &'a [(String, Value)],
}

impl<'a> Members<'a> {
    /// Of a whole request.
    ///
    /// # Errors
    /// When it is no structure.
    pub fn of(request: &'a Value) -> Result<Members<'a>, Fault> {
        match request {
            Value::Structure(members) | Value::Map(members) => Ok(Members { path: String::new(), members }),
            Value::Null => Ok(Members { path: String::new(), members: &[] }),
            _ => Err(Fault::invalid("The request must be a structure.")),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        let found = self.members.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        found.filter(|value| **value != Value::Null)
    }

    /// Whether a member is there.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The path of a member in error texts.
    pub fn path_of(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }

    fn wrong(&self, name: &str, expected: &str) -> Fault {
        Fault::invalid(format!("The parameter {} must be {expected}.", self.path_of(name)))
    }

    /// What a missing member answers.
    pub fn missing(&self, name: &str) -> Fault {
        Fault::missing(format!("The parameter {} is required.", self.path_of(name)))
    }

    /// A string.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Fault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Text(text) | Value::Form(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    /// A string of a length, counted in characters.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none, or shorter or longer.
    pub fn text_of(&self, name: &str, least: usize, most: usize) -> Result<Option<&'a str>, Fault> {
        let text = self.text(name)?;
        match text {
            Some(text) if !(least..=most).contains(&text.chars().count()) => {
                Err(self.wrong(name, &format!("{least} to {most} characters long")))
            }
            _ => Ok(text),
        }
    }

    /// A string that must be there.
    ///
    /// # Errors
    /// `MissingParameter`, and those of [`Members::text_of`].
    pub fn required_text(&self, name: &str, most: usize) -> Result<&'a str, Fault> {
        self.text_of(name, 1, most)?.ok_or_else(|| self.missing(name))
    }

    /// One of some words.
    ///
    /// # Errors
    /// `ValidationError` when it is none of them.
    pub fn one_of(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let known = words.iter().find(|word| **word == text).copied();
        known.map(Some).ok_or_else(|| {
            Fault::validation(format!(
                "1 validation error detected: Value '{text}' at '{}' failed to satisfy constraint: Member must \
                 satisfy enum value set: [{}]",
                lower_first(&self.path_of(name)),
                words.join(", ")
            ))
        })
    }

    /// A finite number.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = number_of(value).filter(|number| number.is_finite());
        number.map(Some).ok_or_else(|| self.wrong(name, "a number"))
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none, or outside.
    pub fn integer(&self, name: &str, least: i64, most: i64) -> Result<Option<i64>, Fault> {
        let Some(number) = self.number(name)? else { return Ok(None) };
        if number.fract() != 0.0 || number < least as f64 || number > most as f64 {
            return Err(self.wrong(name, &format!("a whole number from {least} to {most}")));
        }
        Ok(Some(number as i64))
    }

    /// A boolean.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>, Fault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(Value::Form(text)) if text == "true" => Ok(Some(true)),
            Some(Value::Form(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// A point in time: seconds since 1970, or as ISO 8601.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, Fault> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let seconds = |seconds: f64| {
            let millis = (seconds * 1000.0).round();
            (millis.abs() < 2.6e14).then_some(Timestamp::from_millis(millis as i64))
        };
        let time = match value {
            Value::Time(time) => Some(*time),
            Value::Text(text) | Value::Form(text) => {
                parse_iso(text).or_else(|| text.parse().ok().and_then(seconds))
            }
            other => number_of(other).and_then(seconds),
        };
        time.map(Some).ok_or_else(|| self.wrong(name, "a time such as 2026-06-01T00:00:00Z"))
    }

    /// A point in time that must be there.
    ///
    /// # Errors
    /// `MissingParameter`, and those of [`Members::time`].
    pub fn required_time(&self, name: &str) -> Result<Timestamp, Fault> {
        self.time(name)?.ok_or_else(|| self.missing(name))
    }

    /// A structure.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none.
    pub fn structure(&self, name: &str) -> Result<Option<Members<'a>>, Fault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Structure(members) | Value::Map(members)) => {
                Ok(Some(Members { path: format!("{}.", self.path_of(name)), members }))
            }
            Some(_) => Err(self.wrong(name, "a structure")),
        }
    }

    fn list(&self, name: &str, most: usize) -> Result<Option<&'a [Value]>, Fault> {
        match self.get(name) {
            None => Ok(None),
            // An empty list of a form.
            Some(Value::Form(text)) if text.is_empty() => Ok(Some(&[])),
            Some(Value::List(list)) if list.len() <= most => Ok(Some(list)),
            Some(Value::List(_)) => Err(self.wrong(name, &format!("a list of at most {most}"))),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    /// A list of structures; absent is empty.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none, or longer.
    pub fn structures(&self, name: &str, most: usize) -> Result<Vec<Members<'a>>, Fault> {
        let list = self.list(name, most)?.unwrap_or_default();
        let mut structures = Vec::with_capacity(list.len());
        for (at, value) in list.iter().enumerate() {
            let path = format!("{}.member.{}.", self.path_of(name), at + 1);
            match value {
                Value::Structure(members) | Value::Map(members) => structures.push(Members { path, members }),
                _ => return Err(self.wrong(name, "a list of structures")),
            }
        }
        Ok(structures)
    }

    /// A list of strings.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none, or longer.
    pub fn texts(&self, name: &str, most: usize) -> Result<Option<Vec<&'a str>>, Fault> {
        let Some(list) = self.list(name, most)? else { return Ok(None) };
        let text = |value: &'a Value| match value {
            Value::Text(text) | Value::Form(text) => Ok(text.as_str()),
            _ => Err(self.wrong(name, "a list of strings")),
        };
        list.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// A list of finite numbers.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is none, or longer.
    pub fn numbers(&self, name: &str, most: usize) -> Result<Option<Vec<f64>>, Fault> {
        let Some(list) = self.list(name, most)? else { return Ok(None) };
        let number = |value: &Value| {
            number_of(value)
                .filter(|number| number.is_finite())
                .ok_or_else(|| self.wrong(name, "a list of numbers"))
        };
        list.iter().map(number).collect::<Result<_, _>>().map(Some)
    }

    /// Refuses members of features that are not there.
    ///
    /// # Errors
    /// `InvalidParameterValue` with the member's name.
    pub fn refuse(&self, names: &[&str]) -> Result<(), Fault> {
        match names.iter().find(|name| self.has(name)) {
            Some(name) => {
                Err(Fault::invalid(format!("The parameter {} is not available in dyno.", self.path_of(name))))
            }
            None => Ok(()),
        }
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Form(text) => text.parse().ok(),
        _ => None,
    }
}

/// `2026-06-01T00:00:00Z`, also with `+00:00` or without a zone, as SDKs write times into forms.
fn parse_iso(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix("+00:00").or_else(|| text.strip_suffix('Z')).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let millis: i64 = digits.parse().ok()?;
    let time: Timestamp = format!("{whole}Z").parse().ok()?;
    Some(Timestamp::from_millis(time.millis() + millis))
}

/// `AlarmName` as `alarmName`: how constraints name members.
fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_forms_reads_as_any_type() {
        let form = |text: &str| Value::Form(text.to_owned());
        let request = Value::Structure(vec![
            ("Period".into(), form("60")),
            ("StartTime".into(), form("2026-06-01T00:00:00.5Z")),
            ("EndTime".into(), form("2026-06-01T00:00:00+00:00")),
            ("ActionsEnabled".into(), form("false")),
            ("Statistics".into(), Value::List(vec![form("Sum")])),
        ]);
        let members = Members::of(&request).unwrap();
        assert_eq!(members.integer("Period", 1, 100).unwrap(), Some(60));
        assert_eq!(members.required_time("StartTime").unwrap().millis(), 1_780_272_000_500);
        assert_eq!(members.required_time("EndTime").unwrap().millis(), 1_780_272_000_000);
        assert_eq!(members.boolean("ActionsEnabled").unwrap(), Some(false));
        assert_eq!(members.texts("Statistics", 5).unwrap(), Some(vec!["Sum"]));
        assert_eq!(
            members.integer("Period", 1, 59).unwrap_err().message,
            "The parameter Period must be a whole number from 1 to 59."
        );
        assert_eq!(
            members.required_text("AlarmName", 255).unwrap_err().message,
            "The parameter AlarmName is required."
        );
    }
}
