//! DescribeTable.

use dynamometer_types::ApiError;

use super::description::{Moment, describe};
use super::lookup;
use crate::api::{DescribeTableRequest, DescribeTableResponse};
use crate::context::Context;
use crate::engine::Engine;

impl Engine {
    /// Describes a table in any state, from the answer of CreateTable on.
    ///
    /// # Errors
    /// `ResourceNotFound`; `Validation` for what cannot be a table's name.
    pub async fn describe_table(
        &self,
        context: &Context<'_>,
        request: DescribeTableRequest,
    ) -> Result<DescribeTableResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let record =
            lookup::find(&self.catalog, context, name).ok_or_else(|| lookup::table_not_found(name))?;
        let table = describe(&*self.store, &record, Moment::At(context.now))?;
        Ok(DescribeTableResponse { table })
    }
}
