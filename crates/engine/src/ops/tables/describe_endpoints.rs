//! DescribeEndpoints.

use dynamometer_types::ApiError;

use crate::api::{DescribeEndpointsRequest, DescribeEndpointsResponse, Endpoint};
use crate::context::Context;
use crate::engine::Engine;

/// For how long clients may keep the address (as AWS answers).
const CACHE_PERIOD_MINUTES: i64 = 1440;

impl Engine {
    /// Answers the address that the client has used already, so that discovery leads back here.
    ///
    /// # Errors
    /// None.
    pub async fn describe_endpoints(
        &self,
        context: &Context<'_>,
        request: DescribeEndpointsRequest,
    ) -> Result<DescribeEndpointsResponse, ApiError> {
        let address =
            request.host.unwrap_or_else(|| format!("dynamodb.{}.amazonaws.com", context.region));
        let endpoint = Endpoint { address, cache_period_in_minutes: CACHE_PERIOD_MINUTES };
        Ok(DescribeEndpointsResponse { endpoints: vec![endpoint] })
    }
}
