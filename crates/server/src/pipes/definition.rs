//! What a pipe is asked to do: the words of Lambda's `CreateEventSourceMapping`, so that the same JSON serves both.

use dynamometer_types::name::TableReference;
use http::Uri;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::filter::Pattern;
use super::function::Function;

/// A pipe as it is asked for; see `docs/time.md` for each member.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase", expecting = "a pipe, which is a JSON object")]
pub struct Asked {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    event_source_arn: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_name: Option<String>,
    endpoint: String,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    starting_position: Option<String>,
    #[serde(default = "hundred")]
    batch_size: i64,
    #[serde(default)]
    maximum_batching_window_in_seconds: i64,
    #[serde(default = "without_end")]
    maximum_record_age_in_seconds: i64,
    #[serde(default = "without_end")]
    maximum_retry_attempts: i64,
    #[serde(default)]
    bisect_batch_on_function_error: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    function_response_types: Vec<ResponseType>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object")]
    filter_criteria: Option<FilterCriteria>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object")]
    destination_config: Option<DestinationConfig>,
    #[serde(default = "one")]
    parallelization_factor: i64,
    #[serde(default)]
    tumbling_window_in_seconds: i64,
    #[serde(default = "half_a_minute")]
    timeout_in_seconds: i64,
}

/// Where a pipe begins that was never there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartingPosition {
    /// With the oldest record.
    TrimHorizon,
    /// With what comes from now on.
    Latest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
enum ResponseType {
    ReportBatchItemFailures,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct FilterCriteria {
    #[serde(default)]
    filters: Vec<Filter>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase", expecting = "an object with `Pattern`")]
struct Filter {
    /// JSON as text, as AWS takes it, or as it is.
    pattern: Value,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct DestinationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object")]
    on_failure: Option<OnFailure>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase", expecting = "an object with `Destination`")]
struct OnFailure {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
}

/// Decodes an object or null. By itself the decoder would take a list for the members of an object in their order.
fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = Option::<Map<String, Value>>::deserialize(deserializer)?;
    value.map(|members| T::deserialize(Value::Object(members))).transpose().map_err(D::Error::custom)
}

fn yes() -> bool {
    true
}

fn one() -> i64 {
    1
}

fn hundred() -> i64 {
    100
}

fn without_end() -> i64 {
    -1
}

fn half_a_minute() -> i64 {
    30
}

/// A pipe that can be run.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name: what its position is kept under.
    pub name: String,
    /// Whose stream.
    pub source: Source,
    /// Where invocations are sent.
    pub target: Uri,
    /// The function in what goes to the dead-letter target.
    pub function: Function,
    /// Whether it delivers, or waits to be posted again.
    pub is_enabled: bool,
    /// Where a pipe begins that was never there before.
    pub starting_position: StartingPosition,
    /// The most records of an invocation.
    pub batch_size: usize,
    /// How long records may wait for others.
    pub batching_window_ms: i64,
    /// How many batches of a shard may be on their way at once.
    pub parallel_batches: usize,
    /// How long a tumbling window is, for functions that return a state.
    pub tumbling_window_ms: Option<i64>,
    /// How old records may become; without end when absent.
    pub most_age_ms: Option<i64>,
    /// How often a batch may be tried again; without end when absent.
    pub most_retries: Option<u64>,
    /// Whether a batch that fails is cut in two.
    pub bisects: bool,
    /// Whether an answer may name the records that failed.
    pub reports_failures: bool,
    /// Records that match none of these are left out; all go through when there are none.
    pub filters: Vec<Pattern>,
    /// Where it is told what was given up.
    pub on_failure: Option<Destination>,
    /// How long an invocation may take.
    pub timeout_ms: u64,
}

impl Definition {
    /// Whether anything is sent over https.
    pub fn is_encrypted(&self) -> bool {
        let told = match &self.on_failure {
            Some(Destination::Http(uri) | Destination::Sqs(uri)) => Some(uri),
            Some(Destination::File(_)) | None => None,
        };
        [Some(&self.target), told].into_iter().flatten().any(|uri| uri.scheme_str() == Some("https"))
    }
}

/// A table, whose streams are read one after the other, or one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// All streams of a table.
    Table(String),
    /// The stream of this ARN.
    Stream(String),
}

impl Source {
    /// The name or ARN.
    pub fn text(&self) -> &str {
        match self {
            Source::Table(text) | Source::Stream(text) => text,
        }
    }
}

/// A dead-letter target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file to which a line is appended.
    File(String),
    /// An endpoint to which JSON is posted.
    Http(Uri),
    /// A queue that takes SQS's SendMessage.
    Sqs(Uri),
}

impl Asked {
    /// The pipes of a file: one, or a list of them.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn read_all(text: &str) -> Result<Vec<Asked>, String> {
        let wrong = |error: serde_json::Error| {
            format!("expected a pipe or a list of pipes, such as {EXAMPLE}: {error}")
        };
        let pipes = match serde_json::from_str(text).map_err(wrong)? {
            Value::Array(pipes) => pipes,
            pipe => vec![pipe],
        };
        pipes.into_iter().map(|pipe| serde_json::from_value(pipe).map_err(wrong)).collect()
    }

    /// Whether it has a name of its own, and not just that of its function.
    pub(super) fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Checks a pipe.
    ///
    /// # Errors
    /// A sentence that names the member and says what was expected.
    pub fn check(&self) -> Result<Definition, String> {
        let function = self.function_name.as_deref().map(Function::read).transpose()?;
        let name = self.name.as_ref().or(function.as_ref().map(|function| &function.name));
        let name =
            name.ok_or("`Name` is needed for a pipe without `FunctionName`: its position is kept under it")?;
        if name.is_empty() || name.len() > 140 || !dynamometer_types::name::has_name_characters(name) {
            return Err(format!("`Name` has 1 to 140 of a-z, A-Z, 0-9, `_`, `.` and `-`, not `{name}`"));
        }
        let within = |member: &str, value: i64, range: std::ops::RangeInclusive<i64>| {
            if range.contains(&value) {
                return Ok(value);
            }
            Err(format!("`{member}` is {} to {}, not {value}", range.start(), range.end()))
        };
        let or_without_end = |member: &str, value: i64, range: std::ops::RangeInclusive<i64>| match value {
            -1 => Ok(None),
            value if range.contains(&value) => Ok(Some(value)),
            _ => Err(format!(
                "`{member}` is -1 for no end, or {} to {}, not {value}",
                range.start(),
                range.end()
            )),
        };
        let batching_window =
            within("MaximumBatchingWindowInSeconds", self.maximum_batching_window_in_seconds, 0..=300)?;
        let age =
            or_without_end("MaximumRecordAgeInSeconds", self.maximum_record_age_in_seconds, 60..=604_800)?;
        let retries = or_without_end("MaximumRetryAttempts", self.maximum_retry_attempts, 0..=10_000)?;
        let timeout = within("TimeoutInSeconds", self.timeout_in_seconds, 1..=900)?;
        let parallel = within("ParallelizationFactor", self.parallelization_factor, 1..=10)?;
        let tumbling_window = within("TumblingWindowInSeconds", self.tumbling_window_in_seconds, 0..=900)?;
        if parallel > 1 && tumbling_window > 0 {
            return Err("`TumblingWindowInSeconds` goes with a `ParallelizationFactor` of 1 only: a shard has one state"
                .into());
        }
        Ok(Definition {
            name: name.clone(),
            source: self.source()?,
            target: self.target(function.as_ref())?,
            function: match function {
                Some(function) => function,
                None => Function::read(name)?,
            },
            is_enabled: self.enabled,
            starting_position: self.starting_position()?,
            batch_size: within("BatchSize", self.batch_size, 1..=10_000)? as usize,
            batching_window_ms: batching_window * 1000,
            parallel_batches: parallel as usize,
            tumbling_window_ms: (tumbling_window > 0).then_some(tumbling_window * 1000),
            most_age_ms: age.map(|seconds| seconds * 1000),
            most_retries: retries.map(i64::unsigned_abs),
            bisects: self.bisect_batch_on_function_error,
            reports_failures: !self.function_response_types.is_empty(),
            filters: self.filters()?,
            on_failure: self.on_failure()?,
            timeout_ms: timeout.unsigned_abs() * 1000,
        })
    }

    fn source(&self) -> Result<Source, String> {
        let arn = &self.event_source_arn;
        if arn.contains("/stream/") {
            return Ok(Source::Stream(arn.clone()));
        }
        let table = TableReference::read(arn).name().to_owned();
        if !(3..=255).contains(&table.len()) || !dynamometer_types::name::has_name_characters(&table) {
            return Err(format!("`EventSourceArn` is a table's name or ARN, or a stream's ARN, not `{arn}`"));
        }
        Ok(Source::Table(table))
    }

    /// In the words of CreateEventSourceMapping, for a DynamoDB stream.
    fn starting_position(&self) -> Result<StartingPosition, String> {
        let refuse = |value: &str, constraint: &str| {
            Err(format!(
                "1 validation error detected: Value {value} at 'startingPosition' failed to satisfy constraint: Member \
                 must {constraint}"
            ))
        };
        match self.starting_position.as_deref() {
            Some("TRIM_HORIZON") => Ok(StartingPosition::TrimHorizon),
            Some("LATEST") => Ok(StartingPosition::Latest),
            Some("AT_TIMESTAMP") => {
                Err(format!("Unsupported starting position for arn type: {}", self.event_source_arn))
            }
            Some(other) => {
                refuse(&format!("'{other}'"), "satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]")
            }
            None => refuse("null", "not be null."),
        }
    }

    fn target(&self, function: Option<&Function>) -> Result<Uri, String> {
        let endpoint = http_uri("Endpoint", &self.endpoint)?;
        let Some(function) = function else { return Ok(endpoint) };
        let base = self.endpoint.trim_end_matches('/');
        http_uri("Endpoint", &format!("{base}/{}", function.invocations()))
    }

    fn filters(&self) -> Result<Vec<Pattern>, String> {
        let Some(criteria) = &self.filter_criteria else { return Ok(Vec::new()) };
        if criteria.filters.len() > 10 {
            return Err(format!("`Filters` has at most 10 patterns, not {}", criteria.filters.len()));
        }
        let one = |filter: &Filter| match &filter.pattern {
            Value::String(text) => Pattern::parse(text),
            value => Pattern::parse(&value.to_string()),
        };
        let read = criteria.filters.iter().map(one).collect::<Result<Vec<_>, _>>();
        read.map_err(|error| format!("`Pattern`: {error}"))
    }

    fn on_failure(&self) -> Result<Option<Destination>, String> {
        let config = self.destination_config.as_ref().and_then(|config| config.on_failure.as_ref());
        let Some(text) = config.and_then(|on_failure| on_failure.destination.as_deref()) else {
            return Ok(None);
        };
        let destination = if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            Destination::File(path.to_owned())
        } else if let Some(queue) = text.strip_prefix("sqs:") {
            Destination::Sqs(http_uri("Destination", queue)?)
        } else if text.starts_with("http") {
            Destination::Http(http_uri("Destination", text)?)
        } else {
            return Err(format!(
                "`Destination` is file:PATH, http(s)://… or sqs:http(s)://…/QUEUE, not `{text}`"
            ));
        };
        Ok(Some(destination))
    }
}

/// The shortest pipe.
pub(super) const EXAMPLE: &str = r#"{"EventSourceArn": "Orders", "FunctionName": "processor", "Endpoint": "http://127.0.0.1:9000", "StartingPosition": "TRIM_HORIZON"}"#;

fn http_uri(member: &str, text: &str) -> Result<Uri, String> {
    let uri: Option<Uri> = text.parse().ok();
    // A port that is none, such as 99999, stands in the address and is no part of it; so does a password.
    let is_whole = |uri: &Uri| {
        let host = uri.host().unwrap_or_default();
        let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
        !host.is_empty() && uri.authority().is_some_and(|authority| *authority == *format!("{host}{port}"))
    };
    uri.filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && is_whole(uri))
        .ok_or_else(|| format!("`{member}` makes no http:// or https:// address: `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: &str) -> Result<Definition, String> {
        let mut pipe: Value = serde_json::from_str(EXAMPLE).unwrap();
        let change: Value = serde_json::from_str(change).unwrap();
        pipe.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Asked::read_all(&pipe.to_string())?.remove(0).check()
    }

    #[test]
    fn the_defaults_are_those_of_lambda() {
        let pipe = check("{}").unwrap();
        assert_eq!(pipe.name, "processor");
        assert_eq!(pipe.source, Source::Table("Orders".into()));
        assert_eq!(pipe.target, "http://127.0.0.1:9000/2015-03-31/functions/processor/invocations");
        assert_eq!(
            (pipe.batch_size, pipe.batching_window_ms, pipe.most_age_ms, pipe.most_retries),
            (100, 0, None, None)
        );
        assert_eq!((pipe.parallel_batches, pipe.tumbling_window_ms, pipe.is_enabled), (1, None, true));
        assert!(!pipe.bisects && !pipe.reports_failures && pipe.on_failure.is_none());
        let table =
            check(r#"{"EventSourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Orders"}"#).unwrap();
        assert_eq!(table.source, Source::Table("Orders".into()));
        let pattern = r#"{"FilterCriteria":{"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"}]}}"#;
        assert_eq!(check(pattern).unwrap().filters.len(), 1);
        assert!(check(r#"{"FilterCriteria":{}}"#).unwrap().filters.is_empty());
        for config in ["{}", r#"{"OnFailure":{}}"#, "null"] {
            // GetEventSourceMapping shows a mapping without a destination so.
            assert_eq!(check(&format!(r#"{{"DestinationConfig":{config}}}"#)).unwrap().on_failure, None);
        }
        let by_arn =
            check(r#"{"FunctionName":"arn:aws:lambda:us-east-1:111122223333:function:f:live"}"#).unwrap();
        assert_eq!(by_arn.name, "f");
        assert_eq!(by_arn.target, "http://127.0.0.1:9000/2015-03-31/functions/f/invocations?Qualifier=live");
        for endpoint in ["http://localhost", "http://[::1]:9000", "http://a.b:80/x", "https://a.b"] {
            assert!(check(&format!(r#"{{"Endpoint":"{endpoint}"}}"#)).is_ok(), "{endpoint}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn wrong_pipes_are_told_what_was_expected() {
        let cases = [
            (r#"{"Batchsize":1}"#, "unknown field `Batchsize`"),
            (r#"{"BatchSize":0}"#, "`BatchSize` is 1 to 10000, not 0"),
            (r#"{"StartingPosition":"AT_TIMESTAMP"}"#, "Unsupported starting position for arn type: Orders"),
            (r#"{"StartingPosition":"OLDEST"}"#, "Member must satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]"),
            (r#"{"StartingPosition":null}"#, "Value null at 'startingPosition' failed to satisfy constraint: Member must not be null."),
            (r#"{"ParallelizationFactor":11}"#, "`ParallelizationFactor` is 1 to 10, not 11"),
            (r#"{"TumblingWindowInSeconds":901}"#, "`TumblingWindowInSeconds` is 0 to 900, not 901"),
            (r#"{"TumblingWindowInSeconds":60,"ParallelizationFactor":2}"#, "a shard has one state"),
            (r#"{"MaximumRecordAgeInSeconds":59}"#, "-1 for no end, or 60 to 604800"),
            (r#"{"Endpoint":"127.0.0.1:9000"}"#, "`Endpoint` makes no http:// or https:// address"),
            (r#"{"Endpoint":"ftp://x"}"#, "`Endpoint` makes no http:// or https:// address"),
            (r#"{"Endpoint":"http://127.0.0.1:99999"}"#, "https:// address: `http://127.0.0.1:99999`"),
            (r#"{"Endpoint":"http://user:word@127.0.0.1"}"#, "https:// address"),
            (r#"{"EventSourceArn":"?"}"#, "a table's name or ARN"),
            (r#"{"FunctionName":"a b"}"#, "`FunctionName` is a function's name or ARN"),
            (r#"{"Name":"a b"}"#, "`Name` has 1 to 140"),
            (r#"{"FunctionName":null}"#, "`Name` is needed"),
            (r#"{"DestinationConfig":{"OnFailure":{"Destination":"arn:aws:sqs:x"}}}"#, "file:PATH"),
            (r#"{"FilterCriteria":{"Filters":[{"Pattern":{"eventName":"INSERT"}}]}}"#, "`Pattern`: eventName: expected"),
        ];
        for (change, words) in cases {
            let error = check(change).expect_err(change);
            assert!(error.contains(words), "{change}: {error}");
        }
        for text in ["[1]", "[[]]", "[{}, []]"] {
            let error = Asked::read_all(text).unwrap_err();
            assert!(error.contains("\"StartingPosition\"") && !error.contains("struct"), "{error}");
        }
    }
}
