//! The operations on tables. Each operation has its file; what several of them check or show has its own:
//! [`shapes`] the constraints of single members, [`keys`] key schemas, [`indexes`] secondary indexes, [`settings`]
//! throughput, stream, encryption and class, [`description`] the `TableDescription` of all answers.

mod create_table;
mod delete_table;
mod describe_continuous_backups;
mod describe_endpoints;
mod describe_kinesis_streaming_destination;
mod describe_limits;
mod describe_table;
mod description;
mod get_resource_policy;
mod indexes;
mod keys;
mod list_tables;
pub(crate) mod lookup;
mod print;
mod settings;
mod shapes;
#[cfg(test)]
pub(crate) mod tests;
mod update_continuous_backups;
mod update_table;

pub(crate) use description::key_schema;
pub(crate) use print::hash_set;

use dynamometer_store::Commit;
use dynamometer_types::{ApiError, ErrorKind};

use crate::api::Unsupported;
use crate::engine::internal_error;
pub(crate) use settings::uuid;

/// A `ValidationException` in the words that most checks of tables begin with.
pub(crate) fn invalid(sentence: impl AsRef<str>) -> ApiError {
    ApiError::validation(format!("One or more parameter values were invalid: {}", sentence.as_ref()))
}

/// A `ResourceInUseException` for a change that must wait.
pub(crate) fn in_use(sentence: impl AsRef<str>) -> ApiError {
    let message = format!("Attempt to change a resource which is still in use: {}", sentence.as_ref());
    ApiError::new(ErrorKind::ResourceInUse, message)
}

/// A `LimitExceededException`.
pub(crate) fn limit_exceeded(sentence: impl AsRef<str>) -> ApiError {
    ApiError::new(ErrorKind::LimitExceeded, format!("Subscriber limit exceeded: {}", sentence.as_ref()))
}

/// Waits until a change of the catalog is on disk, which must be before it is answered.
pub(crate) async fn durable<T>((answer, commit): (T, Commit)) -> Result<T, ApiError> {
    commit.await.map_err(internal_error)?;
    Ok(answer)
}

/// Refuses the first of these members that was sent: their features are not there yet, and to ignore them would
/// be to pretend.
pub(crate) fn refuse_unsupported(members: &[(&str, Option<Unsupported>)]) -> Result<(), ApiError> {
    match members.iter().find(|(_, sent)| sent.is_some()) {
        None => Ok(()),
        Some((name, _)) => Err(invalid(format!("{name} is not supported by this server yet; leave it out"))),
    }
}

/// The text of a member that the member checks have found to be there.
pub(crate) fn text(member: &Option<String>) -> &str {
    member.as_deref().unwrap_or_default()
}
