//! One request to an operation.

use dynamometer_engine::{Context, Engine};
use dynamometer_types::{ApiError, ErrorKind};
use serde::Deserialize;

use super::registry::Operation;
use crate::wire::ErrorForm;
use crate::wire::encode::error_body;

/// What goes back.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// JSON, or nothing for the operations that answer nothing.
    pub body: Vec<u8>,
    /// What went wrong inside, for the log; the client gets an incident number instead.
    pub incident: Option<String>,
    /// Whether the connection closes instead.
    pub hang_up: bool,
}

impl Answer {
    /// An error as AWS answers it before the service is known.
    pub fn error(error: &ApiError) -> Answer {
        Answer::error_as(ErrorForm::Namespaced, error)
    }

    /// The body of a request that went well.
    pub(super) fn ok(body: Vec<u8>) -> Answer {
        Answer { status: 200, body, incident: None, hang_up: false }
    }

    /// No answer: the connection closes.
    pub(super) fn none() -> Answer {
        Answer { status: 500, body: Vec::new(), incident: None, hang_up: true }
    }

    /// An error as a service answers it.
    fn error_as(form: ErrorForm, error: &ApiError) -> Answer {
        let body = error_body(error, form).expect("an error holds no stored rows");
        Answer { status: error.kind.row().status, body, incident: None, hang_up: false }
    }

    /// What a fault of the server answers. Its cause is not for clients: they get `number` to name it by.
    fn internal(form: ErrorForm, cause: String, number: u64) -> Answer {
        let words =
            format!("Internal server error. The server's log has the cause under incident {number:016x}.");
        let incident = Some(format!("incident {number:016x}: {cause}"));
        Answer { incident, ..Answer::error_as(form, &ApiError::new(ErrorKind::InternalServerError, words)) }
    }
}

/// Answers a request: `target` is its `X-Amz-Target`, `body` its decoded body.
pub async fn dispatch(engine: &Engine, context: &Context<'_>, target: &str, body: &[u8]) -> Answer {
    let operation = match find(target) {
        Ok(operation) => operation,
        Err(error) => return Answer::error(&error),
    };
    let Some(handler) = operation.handler else {
        let words = format!("{} is not available in dyno yet", operation.name);
        return Answer::error_as(operation.errors, &ApiError::new(ErrorKind::UnknownOperation, words));
    };
    let answered = engine.durably(handler(engine, context, body)).await;
    if let Err(error) = &answered
        && operation.errors == ErrorForm::Namespaced
    {
        engine.note_error(context, operation.name, table_name(error, body).as_deref(), error);
    }
    match answered {
        Ok(body) => Answer::ok(body),
        Err(error) if error.kind == ErrorKind::InternalServerError => {
            Answer::internal(operation.errors, error.message, (context.entropy)() as u64)
        }
        Err(error) => Answer::error_as(operation.errors, &error),
    }
}

/// The table that a request names which failed for a fault of the server; of other failures nobody wants to know.
fn table_name(error: &ApiError, body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "TableName")]
        table_name: String,
    }
    let is_wanted = error.kind == ErrorKind::InternalServerError;
    is_wanted.then(|| serde_json::from_slice::<Named>(body).ok()).flatten().map(|named| named.table_name)
}

/// The operation of a target.
///
/// # Errors
/// UnknownOperationException, without words as AWS answers it.
pub(super) fn find(target: &str) -> Result<&'static Operation, ApiError> {
    Operation::of_target(target).ok_or_else(|| ApiError::new(ErrorKind::UnknownOperation, ""))
}
