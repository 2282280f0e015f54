//! DescribeKinesisStreamingDestination.

use dynamometer_types::ApiError;

use super::lookup;
use crate::api::{DescribeKinesisStreamingDestinationRequest, DescribeKinesisStreamingDestinationResponse};
use crate::context::Context;
use crate::engine::Engine;

impl Engine {
    /// Answers that a table has no destinations: none can be enabled.
    ///
    /// # Errors
    /// `ResourceNotFound`; `Validation` for what cannot be a table's name.
    pub async fn describe_kinesis_streaming_destination(
        &self,
        context: &Context<'_>,
        request: DescribeKinesisStreamingDestinationRequest,
    ) -> Result<DescribeKinesisStreamingDestinationResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let record =
            lookup::find(&self.catalog, context, name).ok_or_else(|| lookup::table_not_found(name))?;
        Ok(DescribeKinesisStreamingDestinationResponse {
            table_name: record.name,
            kinesis_data_stream_destinations: Vec::new(),
        })
    }
}
