//! DescribeTimeToLive.

use dynamometer_types::ApiError;

use crate::api::{DescribeTimeToLiveRequest, DescribeTimeToLiveResponse, TimeToLiveDescription};
use crate::catalog::record::Status;
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::lookup;

impl Engine {
    /// Answers whether time to live is on, and on which attribute.
    ///
    /// # Errors
    /// `ResourceNotFound`; `Validation` while the table is being created or deleted.
    pub async fn describe_time_to_live(
        &self,
        context: &Context<'_>,
        request: DescribeTimeToLiveRequest,
    ) -> Result<DescribeTimeToLiveResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let record =
            lookup::find(&self.catalog, context, name).ok_or_else(|| lookup::table_not_found(name))?;
        let status = record.lifecycle.status(context.now);
        if matches!(status, Status::Creating | Status::Deleting) {
            let state = status.name();
            return Err(ApiError::validation(format!(
                "Cannot describe time to live while table is in {state} state: Current table state is {state}"
            )));
        }
        let time_to_live_status = if record.ttl_attribute.is_some() { "ENABLED" } else { "DISABLED" };
        let time_to_live_description =
            TimeToLiveDescription { time_to_live_status, attribute_name: record.ttl_attribute };
        Ok(DescribeTimeToLiveResponse { time_to_live_description })
    }
}
