//! Member constraints: what AWS checks of single members before it looks at a request as a whole.
//!
//! A constraint is data ([`Rule`]), a member with its rules is one call of [`Findings::member`], and the findings of
//! a request are collected into one message, of which AWS prints at most ten:
//!
//! ```text
//! 2 validation errors detected: Value 'ab' at 'tableName' failed to satisfy constraint: …; Value null at 'key' …
//! ```
//!
//! AWS's two layers word a finding differently ([`Layer`]): the older one echoes the value and spells the member
//! as in Java (`'limit'`), the current one echoes nothing and spells it as on the wire (`'Limit'`). Paths are given
//! in the spelling of the layer. Nothing is allocated for a member that keeps its rules.

use std::fmt::Display;

use dynamometer_types::name::{TableReference, has_name_characters};
use dynamometer_types::{ApiError, Layer};

use crate::api::{ApiEnum, Given};

/// The most findings that one message tells.
const MAX_FINDINGS: usize = 10;

/// The pattern of table and index names, as AWS prints it.
const NAME_PATTERN: &str = "[a-zA-Z0-9_.-]+";

/// A constraint of one member. All but [`Rule::NotNull`] hold only for members that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// It must be there.
    NotNull,
    /// Only characters that names may have.
    NamePattern,
    /// Shortest length: characters of a text, elements of a list or map.
    MinLength(u64),
    /// Greatest length.
    MaxLength(u64),
    /// Smallest number.
    MinValue(i64),
    /// Greatest number.
    MaxValue(i64),
}

/// The rules of an index name, in the older layer's order.
pub(crate) const INDEX_NAME: &[Rule] =
    &[Rule::NotNull, Rule::NamePattern, Rule::MinLength(3), Rule::MaxLength(255)];

/// A member's value as the checks see it.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'v> {
    /// Not there.
    Null,
    /// A text.
    Text(&'v str),
    /// A whole number.
    Number(i64),
    /// A list or map: how long it is, and how the older layer echoes it.
    Many(usize, &'v dyn Fn() -> String),
    /// A structure: there, and of no interest.
    Struct,
}

impl<'v> From<&'v Option<String>> for Seen<'v> {
    fn from(value: &'v Option<String>) -> Seen<'v> {
        value.as_deref().map_or(Seen::Null, Seen::Text)
    }
}

impl From<Option<i64>> for Seen<'_> {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Seen::Null, Seen::Number)
    }
}

impl From<Option<i32>> for Seen<'_> {
    fn from(value: Option<i32>) -> Self {
        Seen::from(value.map(i64::from))
    }
}

impl From<Option<bool>> for Seen<'_> {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Seen::Null, |_| Seen::Struct)
    }
}

/// What the member checks of one request found, in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<String>,
}

impl Findings {
    pub(crate) fn new() -> Findings {
        Findings::default()
    }

    /// Checks a member of the older layer against its rules; each rule that it breaks is a finding.
    pub(crate) fn member<'v>(&mut self, path: impl Display, value: impl Into<Seen<'v>>, rules: &[Rule]) {
        self.member_of(Layer::Older, path, value, rules);
    }

    /// Checks a member of either layer.
    pub(crate) fn member_of<'v>(
        &mut self,
        layer: Layer,
        path: impl Display,
        value: impl Into<Seen<'v>>,
        rules: &[Rule],
    ) {
        let value = value.into();
        for rule in rules.iter().filter(|rule| !rule.is_kept_by(value)) {
            self.add_at(layer, &path, value, rule.text());
        }
    }

    /// Checks that an enum member, when it is there, is one of its set.
    pub(crate) fn one_of<T: ApiEnum>(&mut self, path: impl Display, value: &Option<Given<T>>) {
        if let Some(Given::Unknown(text)) = value {
            let constraint = format!("Member must satisfy enum value set: {}", T::printed_set());
            self.add_at(Layer::Older, path, Seen::Text(text), constraint);
        }
    }

    /// Checks that an enum member is there, and one of its set.
    pub(crate) fn required_one_of<T: ApiEnum>(&mut self, path: impl Display, value: &Option<Given<T>>) {
        match value {
            None => self.member(path, Seen::Null, &[Rule::NotNull]),
            Some(_) => self.one_of(path, value),
        }
    }

    /// Checks a table name that may be an ARN: one finding at most, the length before the characters.
    ///
    /// The empty name is told by its shorter bound, as older operations do; those of the current layer refuse it
    /// before anything else by [`refuse_empty_table_name`].
    pub(crate) fn table_name(&mut self, path: impl Display, name: &Option<String>) {
        let Some(text) = name.as_deref() else {
            return self.member(path, Seen::Null, &[Rule::NotNull]);
        };
        self.name(path, text, TableReference::read(text).name());
    }

    /// Checks a table name that may be an ARN as UpdateItem does: characters and length are findings of their own.
    pub(crate) fn table_name_in_full(&mut self, path: impl Display, name: &Option<String>) {
        let Some(text) = name.as_deref() else {
            return self.member(path, Seen::Null, &[Rule::NotNull]);
        };
        let name = TableReference::read(text).name();
        let rules = [Rule::NamePattern, Rule::MinLength(3), Rule::MaxLength(255)];
        for broken in rules.iter().filter(|rule| !rule.is_kept_by(Seen::Text(name))) {
            self.add_at(Layer::Older, &path, Seen::Text(text), broken.text());
        }
    }

    /// Checks a table name that may not be an ARN, which is CreateTable's.
    pub(crate) fn plain_table_name(&mut self, path: impl Display, name: &Option<String>) {
        match name.as_deref() {
            None => self.member(path, Seen::Null, &[Rule::NotNull]),
            Some(text) => self.name(path, text, text),
        }
    }

    fn name(&mut self, path: impl Display, echo: &str, name: &str) {
        let rules = [Rule::MinLength(1), Rule::MinLength(3), Rule::MaxLength(255), Rule::NamePattern];
        if let Some(broken) = rules.iter().find(|rule| !rule.is_kept_by(Seen::Text(name))) {
            self.add_at(Layer::Older, path, Seen::Text(echo), broken.text());
        }
    }

    /// Adds a finding in words of its own.
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.found.push(finding.into());
    }

    /// The findings as the answer, when there are any.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        match self.found.len() {
            0 => Ok(()),
            count => {
                let shown = &self.found[..count.min(MAX_FINDINGS)];
                let errors = if shown.len() == 1 { "error" } else { "errors" };
                let text = format!("{} validation {errors} detected: {}", shown.len(), shown.join("; "));
                Err(ApiError::validation(text))
            }
        }
    }

    fn add_at(&mut self, layer: Layer, path: impl Display, value: Seen<'_>, constraint: String) {
        let value = match (layer, value) {
            (Layer::Current, _) => "Value".to_string(),
            (_, Seen::Null) => "Value null".to_string(),
            (_, Seen::Text(text)) => format!("Value '{text}'"),
            (_, Seen::Number(number)) => format!("Value '{number}'"),
            (_, Seen::Many(_, echo)) => format!("Value '{}'", echo()),
            (_, Seen::Struct) => "Value".to_string(),
        };
        self.add(format!("{value} at '{path}' failed to satisfy constraint: {constraint}"));
    }
}

impl Rule {
    fn is_kept_by(self, value: Seen<'_>) -> bool {
        match (self, value) {
            (Rule::NotNull, value) => !matches!(value, Seen::Null),
            (Rule::NamePattern, Seen::Text(text)) => !text.is_empty() && has_name_characters(text),
            (Rule::MinLength(least), Seen::Text(text)) => length(text) >= least,
            (Rule::MaxLength(most), Seen::Text(text)) => length(text) <= most,
            (Rule::MinLength(least), Seen::Many(count, _)) => count as u64 >= least,
            (Rule::MaxLength(most), Seen::Many(count, _)) => count as u64 <= most,
            (Rule::MinValue(least), Seen::Number(number)) => number >= least,
            (Rule::MaxValue(most), Seen::Number(number)) => number <= most,
            _ => true,
        }
    }

    fn text(self) -> String {
        match self {
            Rule::NotNull => "Member must not be null".into(),
            Rule::NamePattern => format!("Member must satisfy regular expression pattern: {NAME_PATTERN}"),
            Rule::MinLength(least) => format!("Member must have length greater than or equal to {least}"),
            Rule::MaxLength(most) => format!("Member must have length less than or equal to {most}"),
            Rule::MinValue(least) => format!("Member must have value greater than or equal to {least}"),
            Rule::MaxValue(most) => format!("Member must have value less than or equal to {most}"),
        }
    }
}

/// Lengths of texts are counted in UTF-16 units, as Java does.
fn length(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.encode_utf16().count() as u64 }
}

/// Refuses an empty table name alone and before all else, as operations of the current layer do.
pub(crate) fn refuse_empty_table_name(name: &Option<String>) -> Result<(), ApiError> {
    let mut findings = Findings::new();
    findings.member_of(Layer::Current, "TableName", name, &[Rule::MinLength(1)]);
    findings.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{BillingMode, KeyType};

    fn text(check: impl FnOnce(&mut Findings)) -> String {
        let mut findings = Findings::new();
        check(&mut findings);
        findings.finish().err().map_or_else(String::new, |error| error.message)
    }

    fn named(name: &str) -> Option<String> {
        Some(name.into())
    }

    #[test]
    fn findings_are_worded_as_aws_words_them() {
        let long = "a".repeat(256);
        let echo = || "[]".to_string();
        let cases = [
            (text(|f| f.table_name("tableName", &named("abc"))), "".to_string()),
            (text(|f| f.table_name("tableName", &named("arn:aws:dynamodb:r:1:table/abc"))), "".into()),
            (
                text(|f| f.table_name("tableName", &None)),
                "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must \
                 not be null"
                    .into(),
            ),
            (
                text(|f| f.table_name("tableName", &named("a!"))),
                "1 validation error detected: Value 'a!' at 'tableName' failed to satisfy constraint: Member must \
                 have length greater than or equal to 3"
                    .into(),
            ),
            (
                text(|f| f.table_name("tableName", &named(""))),
                "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must \
                 have length greater than or equal to 1"
                    .into(),
            ),
            (
                text(|f| f.table_name("tableName", &named("a b c"))),
                "1 validation error detected: Value 'a b c' at 'tableName' failed to satisfy constraint: Member \
                 must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
                    .into(),
            ),
            (
                text(|f| f.table_name("tableName", &named(&long))),
                format!(
                    "1 validation error detected: Value '{long}' at 'tableName' failed to satisfy constraint: \
                     Member must have length less than or equal to 255"
                ),
            ),
            (
                text(|f| {
                    f.member("limit", Some(0i32), &[Rule::MinValue(1), Rule::MaxValue(100)]);
                    f.member("keySchema", Seen::Many(0, &echo), &[Rule::MinLength(1)]);
                }),
                "2 validation errors detected: Value '0' at 'limit' failed to satisfy constraint: Member must have \
                 value greater than or equal to 1; Value '[]' at 'keySchema' failed to satisfy constraint: Member \
                 must have length greater than or equal to 1"
                    .into(),
            ),
            (
                text(|f| f.member_of(Layer::Current, "Limit", Some(0i32), &[Rule::MinValue(1)])),
                "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have \
                 value greater than or equal to 1"
                    .into(),
            ),
            (
                text(|f| {
                    f.one_of("billingMode", &Some(BillingMode::read("X")));
                    f.required_one_of::<KeyType>("keySchema.1.member.keyType", &None);
                    f.one_of("billingMode", &Some(BillingMode::read("PROVISIONED")));
                }),
                "2 validation errors detected: Value 'X' at 'billingMode' failed to satisfy constraint: Member \
                 must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; Value null at \
                 'keySchema.1.member.keyType' failed to satisfy constraint: Member must not be null"
                    .into(),
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_index_name_tells_its_characters_and_its_length() {
        assert_eq!(
            text(|f| f.member("indexName", &named("a;"), INDEX_NAME)),
            "2 validation errors detected: Value 'a;' at 'indexName' failed to satisfy constraint: Member must \
             satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'indexName' failed to satisfy \
             constraint: Member must have length greater than or equal to 3"
        );
    }

    #[test]
    fn the_empty_name_is_refused_alone_by_the_current_layer() {
        assert!(refuse_empty_table_name(&None).is_ok() && refuse_empty_table_name(&named("a")).is_ok());
        assert_eq!(
            refuse_empty_table_name(&named("")).unwrap_err().message,
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have \
             length greater than or equal to 1"
        );
    }

    #[test]
    fn ten_findings_are_told_at_most() {
        let told = text(|f| (0..12).for_each(|_| f.add("x")));
        assert_eq!(told, format!("10 validation errors detected: {}", ["x"; 10].join("; ")));
    }
}
