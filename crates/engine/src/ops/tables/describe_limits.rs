//! DescribeLimits.

use dynamometer_types::ApiError;

use crate::api::{DescribeLimitsRequest, DescribeLimitsResponse};
use crate::context::Context;
use crate::engine::Engine;

/// The most capacity units that one table may be given, read and write alike (AWS's default, 2026).
pub(crate) const TABLE_MAX_UNITS: i64 = 40_000;
/// The most that all tables of an account may have together.
pub(crate) const ACCOUNT_MAX_UNITS: i64 = 80_000;

impl Engine {
    /// Answers AWS's default quotas.
    ///
    /// # Errors
    /// None.
    pub async fn describe_limits(
        &self,
        _context: &Context<'_>,
        _request: DescribeLimitsRequest,
    ) -> Result<DescribeLimitsResponse, ApiError> {
        Ok(DescribeLimitsResponse {
            account_max_read_capacity_units: ACCOUNT_MAX_UNITS,
            account_max_write_capacity_units: ACCOUNT_MAX_UNITS,
            table_max_read_capacity_units: TABLE_MAX_UNITS,
            table_max_write_capacity_units: TABLE_MAX_UNITS,
        })
    }
}
