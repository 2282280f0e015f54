//! CloudWatch on the wire: three protocols around one tree of values.
//!
//! | protocol | a call | who sends it |
//! | --- | --- | --- |
//! | [`json`] | `X-Amz-Target: GraniteServiceVersion20100801.<Op>` | boto3 and the AWS CLI of 2026 |
//! | [`cbor`] | `POST /service/GraniteServiceVersion20100801/operation/<Op>` | SDKs that generate from Smithy |
//! | [`query`] | a form with `Action=<Op>&Version=2010-08-01`, answered in XML | older SDKs |
//!
//! All answer the same [`Value`]s. Errors carry the older code as well (`x-amzn-query-error`), because that is the
//! one that SDKs show.

mod cbor;
mod json;
mod query;

use dynamometer_cloudwatch::ops::Operation;
use dynamometer_cloudwatch::{Fault, FaultKind, Value};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::http::{JSON_1_0, NO_CONTENT_TYPE, Response};

/// The content type of Smithy RPC v2 with CBOR.
pub const CBOR: &str = "application/cbor";
/// The content type of forms.
pub const FORM: &str = "application/x-www-form-urlencoded";
const XML: &str = "text/xml";

/// The service, in targets and paths.
const SERVICE: &str = "GraniteServiceVersion20100801";
/// The version in forms.
const VERSION: &str = "2010-08-01";
/// The most bytes of a request; AWS's limit for PutMetricData. It also bounds what the tree of a body takes.
pub const BODY_BYTES: usize = 1 << 20;

const SMITHY_PROTOCOL: HeaderName = HeaderName::from_static("smithy-protocol");
const QUERY_ERROR: HeaderName = HeaderName::from_static("x-amzn-query-error");

/// How a call came and is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Json,
    Cbor,
    Query,
}

/// A call of CloudWatch: how it came, and which operation it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    protocol: Protocol,
    operation: String,
}

/// Whether a request is a call of CloudWatch, and which. `body` is what was sent, its encoding undone.
pub fn incoming(path: &str, headers: &HeaderMap, body: &[u8]) -> Option<Incoming> {
    let of = |protocol, operation: &str| Incoming { protocol, operation: operation.to_owned() };
    if let Some(operation) = operation_of_path(path) {
        return Some(of(Protocol::Cbor, operation));
    }
    let target = headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or("");
    if let Some(operation) = target.strip_prefix(SERVICE).and_then(|rest| rest.strip_prefix('.')) {
        return Some(of(Protocol::Json, operation));
    }
    if !target.is_empty() || !is_form(headers) {
        return None;
    }
    let (action, version) = query::action(body);
    (version.as_deref() == Some(VERSION)).then(|| of(Protocol::Query, &action.unwrap_or_default()))
}

fn operation_of_path(path: &str) -> Option<&str> {
    path.strip_prefix("/service/")?.strip_prefix(SERVICE)?.strip_prefix("/operation/")
}

/// Whether the body of a request is a form.
pub fn is_form(headers: &HeaderMap) -> bool {
    is_of_type(headers, FORM)
}

/// Whether the body of a request is CBOR.
pub fn is_cbor(headers: &HeaderMap) -> bool {
    is_of_type(headers, CBOR)
}

fn is_of_type(headers: &HeaderMap, wanted: &str) -> bool {
    let content_type = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| {
        text.split(';').next().is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case(wanted))
    })
}

impl Incoming {
    /// The operation, and the request as a tree.
    ///
    /// # Errors
    /// `UnknownOperationException`, `SerializationException`.
    pub fn read(&self, body: &[u8]) -> Result<(&'static Operation, Value), Fault> {
        let operation = Operation::find(&self.operation).ok_or_else(|| {
            let words = format!("Could not find operation {} for version {VERSION}", self.operation);
            Fault::new(FaultKind::UnknownOperation, words)
        })?;
        let read = match self.protocol {
            _ if body.is_empty() => Ok(Value::Null),
            Protocol::Json => json::read(body),
            Protocol::Cbor => cbor::read(body),
            Protocol::Query => query::read(body),
        };
        let request = read.map_err(|problem| Fault::new(FaultKind::Serialization, problem))?;
        Ok((operation, request))
    }

    /// The answer of an operation. `request_id` is shown where the protocol shows one in the body.
    pub fn answer(&self, operation: &Operation, value: &Value, request_id: &str) -> Response {
        match self.protocol {
            Protocol::Query => {
                let body = query::write_answer(operation.name, operation.has_output, value, request_id);
                Response::new(StatusCode::OK, XML, body)
            }
            Protocol::Cbor if operation.has_output => self.with_body(StatusCode::OK, value),
            Protocol::Cbor => smithy(Response::new(StatusCode::OK, NO_CONTENT_TYPE, Vec::new())),
            Protocol::Json if operation.has_output => self.with_body(StatusCode::OK, value),
            Protocol::Json => Response::new(StatusCode::OK, JSON_1_0, Vec::new()),
        }
    }

    /// An error as a client gets it.
    pub fn fault(&self, fault: &Fault, request_id: &str) -> Response {
        let status = StatusCode::from_u16(fault.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let who = if status.is_server_error() { "Receiver" } else { "Sender" };
        if self.protocol == Protocol::Query {
            return Response::new(status, XML, query::write_fault(fault, who, request_id));
        }
        let shape = format!("com.amazonaws.cloudwatch#{}", fault.kind.shape());
        let message = if fault.kind == FaultKind::InternalService { "Message" } else { "message" };
        let body = Value::Structure(vec![
            ("__type".to_owned(), shape.into()),
            (message.to_owned(), fault.message.as_str().into()),
        ]);
        let mut response = self.with_body(status, &body);
        let code = HeaderValue::from_str(&format!("{};{who}", fault.kind.code()));
        response.headers.extend(code.ok().map(|code| (QUERY_ERROR, code)));
        response
    }

    /// An error that another part words, such as that of a signature.
    pub fn other_fault(&self, code: &str, message: &str, request_id: &str) -> Response {
        if self.protocol == Protocol::Query {
            let body = query::write_error(code, message, "Sender", request_id);
            return Response::new(StatusCode::FORBIDDEN, XML, body);
        }
        let body = Value::Structure(vec![
            ("__type".to_owned(), code.into()),
            ("message".to_owned(), message.into()),
        ]);
        self.with_body(StatusCode::FORBIDDEN, &body)
    }

    fn with_body(&self, status: StatusCode, value: &Value) -> Response {
        match self.protocol {
            Protocol::Cbor => smithy(Response::new(status, CBOR, cbor::write(value))),
            _ => Response::new(status, JSON_1_0, json::write(value)),
        }
    }
}

fn smithy(mut response: Response) -> Response {
    response.headers.push((SMITHY_PROTOCOL, HeaderValue::from_static("rpc-v2-cbor")));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart() {
        let headers = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            headers
        };
        let of = |path: &str, headers: &HeaderMap, body: &str| {
            incoming(path, headers, body.as_bytes()).map(|found| (found.protocol, found.operation))
        };
        let list = |protocol| Some((protocol, "ListMetrics".to_owned()));
        let path = "/service/GraniteServiceVersion20100801/operation/ListMetrics";
        assert_eq!(of(path, &HeaderMap::new(), ""), list(Protocol::Cbor));
        let target = headers("x-amz-target", "GraniteServiceVersion20100801.ListMetrics");
        assert_eq!(of("/", &target, "{}"), list(Protocol::Json));
        let form = headers("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        assert_eq!(of("/", &form, "Action=ListMetrics&Version=2010-08-01"), list(Protocol::Query));
        assert_eq!(of("/", &form, "Action=DescribeStacks&Version=2010-05-15"), None);
        assert_eq!(of("/", &headers("x-amz-target", "DynamoDB_20120810.GetItem"), "{}"), None);
    }
}
