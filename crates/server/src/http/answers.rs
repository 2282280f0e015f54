//! Answers that need no service, and the form of every error.

use super::message::{JSON_1_0, NO_CONTENT_TYPE, Response};
use crate::auth::AuthError;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

/// AWS's page for what is no API call at all; 29 bytes, CRC-32 3552371480.
const NOT_AN_OPERATION: &[u8] = b"<UnknownOperationException/>\n";

const CORAL_SERVICE: &str = "com.amazon.coral.service#";
const CORAL_VALIDATE: &str = "com.amazon.coral.validate#";
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810#";

/// `{"__type":"<type>","<member>":"<message>"}`, the body of every AWS JSON error. `member` is `message` or `Message`,
/// by type.
pub fn error_body(error_type: &str, member: &str, message: &str) -> Bytes {
    let mut body = Vec::with_capacity(32 + error_type.len() + message.len());
    body.extend_from_slice(b"{\"__type\":");
    push_json_string(&mut body, error_type);
    body.push(b',');
    push_json_string(&mut body, member);
    body.push(b':');
    push_json_string(&mut body, message);
    body.push(b'}');
    body.into()
}

fn push_json_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}

fn error(
    status: StatusCode,
    content_type: &'static str,
    (namespace, name): (&str, &str),
    member: &str,
    message: &str,
) -> Response {
    Response::new(status, content_type, error_body(&[namespace, name].concat(), member, message))
}

/// `GET /`, asked by container health checks and by hand.
pub(super) fn healthy(region: &str) -> Response {
    Response::new(StatusCode::OK, NO_CONTENT_TYPE, format!("healthy: dynamodb.{region}.amazonaws.com "))
}

/// A method or a content type that no API call has.
pub(crate) fn not_an_operation() -> Response {
    Response::new(StatusCode::NOT_FOUND, NO_CONTENT_TYPE, NOT_AN_OPERATION)
}

/// A body over the limit, sent or decoded.
pub(crate) fn too_large() -> Response {
    Response::new(StatusCode::PAYLOAD_TOO_LARGE, NO_CONTENT_TYPE, Bytes::new())
}

/// Headers or a request line over the limit. The text is our choice.
pub(super) fn head_too_large(part: &str, limit_bytes: usize) -> Response {
    let message = format!("The {part} of the request must be at most {limit_bytes} bytes long");
    error(StatusCode::BAD_REQUEST, JSON_1_0, (CORAL_VALIDATE, "ValidationException"), "message", &message)
}

/// A signature that does not hold.
pub(super) fn not_authenticated(problem: &AuthError, content_type: &'static str) -> Response {
    let kind = (CORAL_SERVICE, problem.kind);
    error(StatusCode::BAD_REQUEST, content_type, kind, "message", &problem.message)
}

/// An own path without credentials: a browser then asks for the key id and the secret.
pub(super) fn asks_for_credentials() -> Response {
    let message = "Sign the request, or send the access key id and its secret with HTTP Basic authentication";
    let kind = (CORAL_SERVICE, "MissingAuthenticationTokenException");
    let mut response = error(StatusCode::UNAUTHORIZED, "application/json", kind, "message", message);
    let challenge = HeaderValue::from_static("Basic realm=\"dyno: access key id and secret\"");
    response.headers.push((header::WWW_AUTHENTICATE, challenge));
    response
}

/// A browser where it must not be. The message says what to do.
pub(super) fn browser_refused(message: &str) -> Response {
    error(
        StatusCode::FORBIDDEN,
        "application/json",
        (CORAL_SERVICE, "AccessDeniedException"),
        "Message",
        message,
    )
}

/// A `Content-Encoding` that is not undone here. The text is our choice.
pub(super) fn unknown_encoding(encoding: &str, content_type: &'static str) -> Response {
    let message = format!("Content-Encoding '{encoding}' is not supported: send gzip, deflate or identity");
    let kind = (CORAL_SERVICE, "SerializationException");
    error(StatusCode::BAD_REQUEST, content_type, kind, "Message", &message)
}

/// What AWS answers to a broken compressed body, and we to a panic.
pub(super) fn internal_error(content_type: &'static str) -> Response {
    let message = "The request processing has failed because of an unknown error, exception or failure.";
    let kind = (DYNAMODB, "InternalServerError");
    error(StatusCode::INTERNAL_SERVER_ERROR, content_type, kind, "message", message)
}

/// The budget for bodies stayed used up. SDKs try again.
pub(super) fn busy(content_type: &'static str) -> Response {
    unavailable(content_type, "Too many bytes of request bodies are in flight. Try again.")
}

/// Too many answers wait for clients that do not read them. SDKs try again.
pub(super) fn crowded(content_type: &'static str) -> Response {
    unavailable(content_type, "Too many bytes of answers wait to be read by their clients. Try again.")
}

fn unavailable(content_type: &'static str, message: &str) -> Response {
    let kind = (CORAL_SERVICE, "ServiceUnavailableException");
    error(StatusCode::SERVICE_UNAVAILABLE, content_type, kind, "message", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_checksum_that_aws_sends() {
        assert_eq!(crc32fast::hash(NOT_AN_OPERATION), 3_552_371_480);
        assert_eq!(NOT_AN_OPERATION.len(), 29);
    }

    #[test]
    fn error_texts_are_escaped() {
        let body = error_body("a#B", "message", "say \"no\"\n");
        assert_eq!(body, r#"{"__type":"a#B","message":"say \"no\"\n"}"#);
    }
}
