//! DescribeContinuousBackups.

use dynamometer_types::{ApiError, ErrorKind};

use super::lookup;
use crate::api::{
    ContinuousBackupsDescription, ContinuousBackupsResponse, DescribeContinuousBackupsRequest,
    PointInTimeRecoveryDescription,
};
use crate::catalog::record::{Status, TableRecord};
use crate::context::Context;
use crate::engine::Engine;

impl Engine {
    /// Answers the setting of point-in-time recovery. It is no more than a setting: nothing can be restored, so no times
    /// are shown that something could be restored from.
    ///
    /// AWS's `ContinuousBackupsStatus` is not the recovery's switch; it turns `ENABLED` by itself soon after the
    /// table is active, and stays so.
    ///
    /// # Errors
    /// `TableNotFound`, as the whole backup family; `Validation` for what cannot be a table's name.
    pub async fn describe_continuous_backups(
        &self,
        context: &Context<'_>,
        request: DescribeContinuousBackupsRequest,
    ) -> Result<ContinuousBackupsResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let record = lookup::find(&self.catalog, context, name).ok_or_else(|| not_found(name))?;
        Ok(continuous_backups(context, &record))
    }
}

/// What the backup family says of a table that is not there.
pub(super) fn not_found(name: &str) -> ApiError {
    ApiError::new(ErrorKind::TableNotFound, format!("Table not found: {name}"))
}

/// What is shown of a table.
pub(super) fn continuous_backups(context: &Context<'_>, record: &TableRecord) -> ContinuousBackupsResponse {
    let word = |enabled: bool| if enabled { "ENABLED" } else { "DISABLED" };
    ContinuousBackupsResponse {
        continuous_backups_description: ContinuousBackupsDescription {
            continuous_backups_status: word(record.lifecycle.status(context.now) != Status::Creating),
            point_in_time_recovery_description: PointInTimeRecoveryDescription {
                point_in_time_recovery_status: word(record.recovery_period_days.is_some()),
                recovery_period_in_days: record.recovery_period_days,
            },
        },
    }
}
