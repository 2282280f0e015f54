//! Errors as bodies.

use dynamometer_engine::disk::row::CorruptRow;
use dynamometer_types::error::{CancellationReason, Detail, ThrottlingReason};
use dynamometer_types::{ApiError, ErrorKind};

use super::{Encode, Object};

/// How a service writes its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorForm {
    /// DynamoDB's: a code behind its namespace, and a message that each code spells in its own way.
    Namespaced,
    /// Application Auto Scaling's: the code alone, and `Message`.
    Plain,
}

/// The body of an error: `{"__type":"<namespace>#<code>", …}`. An error without words has no message member.
///
/// # Errors
/// Never: an error holds no stored rows.
pub fn error_body(error: &ApiError, form: ErrorForm) -> Result<Vec<u8>, CorruptRow> {
    let row = error.kind.row();
    let mut out = Vec::with_capacity(96 + error.message.len());
    let mut object = Object::open(&mut out);
    if form == ErrorForm::Plain {
        let is_internal = error.kind == ErrorKind::InternalServerError;
        object.write("__type", &if is_internal { "InternalServiceException" } else { row.code })?;
        object.write("Message", &error.message)?;
        object.close();
        return Ok(out);
    }
    object.write("__type", &format!("{}#{}", row.namespace, row.code))?;
    // AWS puts a transaction's reasons before the message, an item after it.
    if let Some(Detail::CancellationReasons(reasons)) = error.detail.as_deref() {
        object.write("CancellationReasons", reasons)?;
    }
    if !error.message.is_empty() {
        object.write(row.message_member, &error.message)?;
    }
    match error.detail.as_deref() {
        Some(Detail::Item(item)) => object.write("Item", item)?,
        Some(Detail::ThrottlingReasons(reasons)) => {
            object.write(throttling_member(error.kind), reasons)?;
        }
        Some(Detail::CancellationReasons(_)) | None => {}
    }
    object.close();
    Ok(out)
}

/// ThrottlingException alone spells the member small.
fn throttling_member(kind: ErrorKind) -> &'static str {
    if kind == ErrorKind::Throttling { "throttlingReasons" } else { "ThrottlingReasons" }
}

impl Encode for CancellationReason {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("Code", &self.code)?;
        object.write("Message", &self.message)?;
        object.write("Item", &self.item)?;
        object.close();
        Ok(())
    }
}

impl Encode for ThrottlingReason {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("reason", &self.reason)?;
        object.write("resource", &self.resource)?;
        object.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dynamometer_types::{AttributeValue, Item};

    fn item() -> Item {
        Item::from_iter([("pk", AttributeValue::s("a"))])
    }

    #[test]
    fn errors_have_the_members_that_aws_gives_them() {
        let throttled = || {
            Detail::ThrottlingReasons(vec![ThrottlingReason { reason: "R".into(), resource: "arn".into() }])
        };
        let mut failed = CancellationReason::new("ConditionalCheckFailed", "The conditional request failed");
        failed.item = Some(item());
        let cases = [
            (
                ApiError::validation("say \"no\""),
                r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"say \"no\""}"#,
            ),
            (
                ApiError::new(ErrorKind::Serialization, "TRUE_VALUE cannot be converted to String"),
                r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"TRUE_VALUE cannot be converted to String"}"#,
            ),
            (
                ApiError::new(ErrorKind::Serialization, ""),
                r#"{"__type":"com.amazon.coral.service#SerializationException"}"#,
            ),
            (
                ApiError::new(ErrorKind::ConditionalCheckFailed, "The conditional request failed")
                    .with(Detail::Item(item())),
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed","Item":{"pk":{"S":"a"}}}"#,
            ),
            (
                ApiError::transaction_canceled(vec![CancellationReason::NONE, failed]),
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"pk":{"S":"a"}}}],"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"}"#,
            ),
            (
                ApiError::new(ErrorKind::Throttling, "slow").with(throttled()),
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow","throttlingReasons":[{"reason":"R","resource":"arn"}]}"#,
            ),
            (
                ApiError::new(ErrorKind::ProvisionedThroughputExceeded, "slow").with(throttled()),
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow","ThrottlingReasons":[{"reason":"R","resource":"arn"}]}"#,
            ),
        ];
        for (error, body) in cases {
            assert_eq!(String::from_utf8(error_body(&error, ErrorForm::Namespaced).unwrap()).unwrap(), body);
        }
    }

    #[test]
    fn the_plain_form_is_code_and_message() {
        let cases = [
            (ErrorKind::ObjectNotFound, r#"{"__type":"ObjectNotFoundException","Message":"no"}"#),
            (ErrorKind::Validation, r#"{"__type":"ValidationException","Message":"no"}"#),
            (ErrorKind::InternalServerError, r#"{"__type":"InternalServiceException","Message":"no"}"#),
        ];
        for (kind, body) in cases {
            let written = error_body(&ApiError::new(kind, "no"), ErrorForm::Plain).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), body);
        }
    }
}
