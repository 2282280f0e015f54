//! DescribeEndpoints.

use dynamometer_types::ApiError;

use crate::api::{DescribeEndpointsRequest, DescribeEndpointsResponse, Endpoint};
use crate::context::Context;
use crate::engine::Engine;

/// For how long clients may keep the address (as AWS answers).
const CACHE_PERIOD_MINUTES: i64 = 1440;

impl Engine {
    /// Answers the address that the client has used already, so that discovery leads back here and never to AWS.
    ///
    /// # Errors
    /// None.
    pub async fn describe_endpoints(
        &self,
        context: &Context<'_>,
        _request: DescribeEndpointsRequest,
    ) -> Result<DescribeEndpointsResponse, ApiError> {
        let endpoint =
            |host: &str| Endpoint { address: host.to_owned(), cache_period_in_minutes: CACHE_PERIOD_MINUTES };
        Ok(DescribeEndpointsResponse { endpoints: context.host.map(endpoint).into_iter().collect() })
    }
}
