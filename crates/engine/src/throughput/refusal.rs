//! A refusal of the capacity model as the service words it.

use dynamometer_capacity::admission::{Refusal, ThrottlingException};
use dynamometer_types::error::{Detail, ThrottlingReason};
use dynamometer_types::{ApiError, CancellationReason, ErrorKind};

/// The error of a refused request: exception, message, and the reason with the ARN of the table or index.
pub(crate) fn throttled(refusal: &Refusal, table_arn: &str) -> ApiError {
    let kind = match refusal.exception() {
        ThrottlingException::ProvisionedThroughputExceededException => {
            ErrorKind::ProvisionedThroughputExceeded
        }
        ThrottlingException::ThrottlingException => ErrorKind::Throttling,
        ThrottlingException::RequestLimitExceeded => ErrorKind::RequestLimitExceeded,
    };
    let reason = ThrottlingReason { reason: refusal.reason(), resource: refusal.resource(table_arn) };
    ApiError::new(kind, refusal.message()).with(Detail::ThrottlingReasons(vec![reason]))
}

/// The code in a transaction's reasons for an error that throttles.
pub(crate) fn cancellation_code(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::ProvisionedThroughputExceeded => Some("ProvisionedThroughputExceeded"),
        ErrorKind::Throttling | ErrorKind::RequestLimitExceeded => Some("ThrottlingError"),
        _ => None,
    }
}

/// The error of a transaction of which some actions were refused.
pub(crate) fn cancelled(refusals: Vec<Option<ApiError>>) -> ApiError {
    let reason = |refusal: Option<ApiError>| match refusal {
        None => CancellationReason::NONE,
        Some(refusal) => {
            let code = cancellation_code(refusal.kind).unwrap_or("ValidationError");
            CancellationReason::new(code, refusal.message)
        }
    };
    ApiError::transaction_canceled(refusals.into_iter().map(reason).collect())
}
