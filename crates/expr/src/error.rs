//! What is wrong with an expression, and at which stage it is found.

use std::fmt;

use dynamometer_types::{AttributeValue, limits};

/// The kinds of expressions; each prints as the name of its request member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// The condition of a write.
    Condition,
    /// The filter of a Query or Scan.
    Filter,
    /// The attributes to answer.
    Projection,
    /// The changes of an UpdateItem.
    Update,
    /// The keys that a Query reads.
    KeyCondition,
}

impl ExpressionKind {
    /// The request member: `ConditionExpression` and so on.
    pub fn name(self) -> &'static str {
        match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
        }
    }

    /// Refuses an empty text; AWS does so for every expression of a request before it parses the first.
    ///
    /// # Errors
    /// [`Stage::Empty`].
    pub fn check_not_empty(self, text: &str) -> Result<(), ExpressionError> {
        if text.is_empty() {
            return Err(ExpressionError::new(self, Stage::Empty, "The expression can not be empty;"));
        }
        Ok(())
    }

    /// Refuses a text of more than 4096 bytes, counted before substitution.
    ///
    /// # Errors
    /// [`Stage::Size`]. The layer of code that still validates Scan and the transactions adds the size; see
    /// [`ExpressionError::with_size`].
    pub fn check_size(self, text: &str) -> Result<(), ExpressionError> {
        if text.len() > limits::EXPRESSION_BYTES {
            let message = "Expression size has exceeded the maximum allowed size;";
            return Err(ExpressionError::new(self, Stage::Size, message));
        }
        Ok(())
    }
}

impl fmt::Display for ExpressionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When a fault is found. An operation may need to report the faults of one stage of all its expressions before
/// those of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The text is empty.
    Empty,
    /// The text is too long.
    Size,
    /// The text is not of the grammar.
    Syntax,
    /// The text is of the grammar but breaks a rule that needs only the request.
    Meaning,
    /// The expression does not fit the key schema.
    Schema,
}

/// A fault of an expression, worded as AWS words it but without any envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// When it is found.
    pub stage: Stage,
    /// AWS's words, with the prefix `Invalid ConditionExpression: ` where it belongs.
    pub message: String,
}

impl ExpressionError {
    /// A fault with the prefix of its expression.
    pub(crate) fn new(kind: ExpressionKind, stage: Stage, message: impl fmt::Display) -> ExpressionError {
        ExpressionError { stage, message: format!("Invalid {kind}: {message}") }
    }

    /// A fault without a prefix.
    pub(crate) fn bare(stage: Stage, message: impl Into<String>) -> ExpressionError {
        ExpressionError { stage, message: message.into() }
    }

    /// A fault of a request that AWS words `One or more parameter values were invalid: …`.
    pub(crate) fn invalid_parameter(message: impl fmt::Display) -> ExpressionError {
        ExpressionError::bare(Stage::Meaning, format!("One or more parameter values were invalid: {message}"))
    }

    /// The fault as the older layer words it: a size fault names the size of `text`.
    pub fn with_size(mut self, text: &str) -> ExpressionError {
        if self.stage == Stage::Size {
            self.message.push_str(&format!(" expression size: {}", text.len()));
        }
        self
    }
}

impl From<ExpressionError> for String {
    fn from(error: ExpressionError) -> String {
        error.message
    }
}

/// A scalar as AWS prints the bounds of a BETWEEN: `AttributeValue: {N:1}`.
pub(crate) fn bound_text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("AttributeValue: {{S:{text}}}"),
        AttributeValue::N(number) => format!("AttributeValue: {{N:{number}}}"),
        AttributeValue::B(bytes) => {
            let size = bytes.len();
            format!("AttributeValue: {{B:java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]}}")
        }
        other => format!("AttributeValue: {{{}}}", other.value_type().name()),
    }
}
