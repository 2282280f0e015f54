//! DescribeScalingActivities.

use dynamometer_types::ApiError;

use super::{Named, page};
use crate::api::scaling::{DescribeScalingActivitiesRequest, DescribeScalingActivitiesResponse};
use crate::context::Context;
use crate::engine::{Engine, internal_error};
use crate::scaling::activity::{Query, read_page};
use crate::validate::members::Findings;

impl Engine {
    /// Lists what auto scaling did in the caller's database in the last six weeks, newest first.
    ///
    /// # Errors
    /// `Validation`; `InvalidNextToken`.
    pub async fn describe_scaling_activities(
        &self,
        context: &Context<'_>,
        request: DescribeScalingActivitiesRequest,
    ) -> Result<DescribeScalingActivitiesResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        named.check_filter(&mut findings);
        findings.finish()?;
        let (resource_id, dimension) = named.filter()?;
        let query = Query {
            namespace: context.namespace,
            resource_id,
            dimension,
            with_not_scaled: request.include_not_scaled_activities == Some(true),
            after: page::place_of(&request.next_token)?,
            limit: page::limit(request.max_results, page::PAGE)?,
        };
        let view = self.store.snapshot().map_err(internal_error)?;
        let (scaling_activities, next) = read_page(&*view, &query, context.now).map_err(internal_error)?;
        let next_token = next.map(|place| page::token_of(&place));
        Ok(DescribeScalingActivitiesResponse { scaling_activities, next_token })
    }
}
