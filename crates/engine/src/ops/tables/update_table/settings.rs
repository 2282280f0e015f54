//! Stream, encryption, table class and deletion protection.

use dynamometer_types::{ApiError, Timestamp};

use super::Update;
use crate::api::{Given, StreamSpecification, StreamViewType, TableClass, UpdateTableRequest};
use crate::catalog::Version;
use crate::catalog::record::{Change, Lifecycle, SseRecord, StreamRecord, TableClassRecord};
use crate::ops::tables::settings::{self, Encryption};
use crate::ops::tables::{invalid, limit_exceeded};

/// In which AWS allows two changes of the class.
const CLASS_WINDOW_MS: i64 = 30 * 86_400_000;

/// What the request alone shows.
pub(super) fn check_request(request: &UpdateTableRequest) -> Result<(), ApiError> {
    if let Some(stream) = &request.stream_specification {
        match (stream.stream_enabled, &stream.stream_view_type) {
            (Some(true), None) => {
                return Err(invalid("If stream is being enabled then UpdateViewType is required"));
            }
            (Some(false), Some(_)) => {
                return Err(invalid(
                    "If stream is being disabled, then UpdateViewType must not be specified",
                ));
            }
            _ => {}
        }
    }
    request.sse_specification.as_ref().map(settings::encryption).transpose()?;
    settings::table_class(&request.table_class)?;
    Ok(())
}

pub(super) fn apply(
    update: &mut Update<'_>,
    request: &UpdateTableRequest,
    version: &Version,
) -> Result<(), ApiError> {
    if let Some(stream) = &request.stream_specification {
        change_stream(update, stream, version)?;
    }
    if let Some(sse) = &request.sse_specification {
        change_encryption(update, settings::encryption(sse)?)?;
    }
    if let Some(class) = settings::table_class(&request.table_class)? {
        change_class(update, class)?;
    }
    if let Some(protected) = request.deletion_protection_enabled {
        update.record.deletion_protection = protected;
    }
    Ok(())
}

fn change_stream(
    update: &mut Update<'_>,
    specification: &StreamSpecification,
    version: &Version,
) -> Result<(), ApiError> {
    let name = &update.record.name;
    let view_type: Option<StreamViewType> = specification.stream_view_type.as_ref().and_then(Given::known);
    let enabled = update.record.stream.as_ref().is_some_and(|stream| stream.enabled);
    match (enabled, view_type) {
        (true, Some(_)) => {
            return Err(ApiError::validation(format!(
                "Table already has an enabled stream: TableName: {name}"
            )));
        }
        (false, None) => {
            return Err(ApiError::validation(format!("Table has no stream to disable: TableName: {name}")));
        }
        (false, Some(view_type)) => {
            let label = settings::stream_label(version, update.context, name);
            update.record.stream = Some(StreamRecord { enabled: true, view_type, label });
        }
        (true, None) => {
            if let Some(stream) = &mut update.record.stream {
                stream.enabled = false;
            }
        }
    }
    update.begin(Change::Stream);
    Ok(())
}

/// The table stays active; `SSEDescription` has a state of its own.
fn change_encryption(update: &mut Update<'_>, encryption: Encryption) -> Result<(), ApiError> {
    let lifecycle = update.updating(Change::Settings);
    let current = update.record.sse.take();
    update.record.sse = Some(match (encryption, current) {
        (Encryption::Default, None) => return Err(invalid("Table is already encrypted by default")),
        (Encryption::Default, Some(current)) => {
            SseRecord { lifecycle: Lifecycle::Deleting { until_ms: update.until.millis() }, ..current }
        }
        (Encryption::Kms(key), current) => {
            let next = settings::sse_record(update.context, key.as_deref(), lifecycle);
            if current.is_some_and(|current| key.is_none() || current.key_arn == next.key_arn) {
                return Err(invalid(
                    "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you \
                     want to change Master Key",
                ));
            }
            next
        }
    });
    Ok(())
}

/// The class that a table has already changes nothing.
fn change_class(update: &mut Update<'_>, class: TableClass) -> Result<(), ApiError> {
    let current = update.record.table_class;
    if current.map_or(TableClass::Standard, |record| record.class) == class {
        return Ok(());
    }
    let now = update.context.now;
    let recent = |millis: i64| now - Timestamp::from_millis(millis) < CLASS_WINDOW_MS;
    if current.and_then(|record| record.changed_before_ms).is_some_and(recent) {
        return Err(limit_exceeded("Updates to TableClass are limited to 2 times in 30 day(s)."));
    }
    update.record.table_class = Some(TableClassRecord {
        class,
        changed_ms: Some(now.millis()),
        changed_before_ms: current.and_then(|record| record.changed_ms),
    });
    update.begin(Change::TableClass);
    Ok(())
}
