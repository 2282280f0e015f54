//! DescribeContinuousBackups.

use dynamometer_types::{ApiError, ErrorKind};

use super::lookup;
use crate::api::{
    ContinuousBackupsDescription, DescribeContinuousBackupsRequest, DescribeContinuousBackupsResponse,
    PointInTimeRecoveryDescription,
};
use crate::catalog::record::Status;
use crate::context::Context;
use crate::engine::Engine;

impl Engine {
    /// Answers that backups can be made and that point-in-time recovery is off: it cannot be turned on yet.
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
    ) -> Result<DescribeContinuousBackupsResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let Some(record) = lookup::find(&self.catalog, context, name) else {
            return Err(ApiError::new(ErrorKind::TableNotFound, format!("Table not found: {name}")));
        };
        let creating = record.lifecycle.status(context.now) == Status::Creating;
        Ok(DescribeContinuousBackupsResponse {
            continuous_backups_description: ContinuousBackupsDescription {
                continuous_backups_status: if creating { "DISABLED" } else { "ENABLED" },
                point_in_time_recovery_description: PointInTimeRecoveryDescription {
                    point_in_time_recovery_status: "DISABLED",
                },
            },
        })
    }
}
