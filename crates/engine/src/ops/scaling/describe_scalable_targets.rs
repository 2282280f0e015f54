//! DescribeScalableTargets.

use dynamometer_types::{ApiError, Timestamp};

use super::{Named, check_names, page, resource};
use crate::api::Given;
use crate::api::scaling::{
    DescribeScalableTargetsRequest, DescribeScalableTargetsResponse, ScalableTarget, ServiceNamespace,
    SuspendedState,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::scaling::record::TargetRecord;
use crate::validate::members::Findings;

impl Engine {
    /// Lists the targets of the caller's database by name.
    ///
    /// # Errors
    /// `Validation`; `InvalidNextToken`.
    pub async fn describe_scalable_targets(
        &self,
        context: &Context<'_>,
        request: DescribeScalableTargetsRequest,
    ) -> Result<DescribeScalableTargetsResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &None,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        named.check_filter(&mut findings);
        check_names(&mut findings, "resourceIds", &request.resource_ids);
        findings.finish()?;
        let ids = request.resource_ids.as_deref().unwrap_or_default();
        let dimension = request.scalable_dimension.as_ref().and_then(Given::known);
        if ids.is_empty() {
            named.filter()?;
        }
        for id in ids {
            resource(&request.service_namespace, id, dimension)?;
        }
        let limit = page::limit(request.max_results, page::PAGE)?;
        let after = page::place_of(&request.next_token)?;

        let by_key = self.targets.lock();
        let found = by_key
            .iter()
            .filter(|(key, _)| key.namespace == context.namespace)
            .filter(|(key, target)| {
                (ids.is_empty() || ids.contains(&key.resource_id))
                    && dimension.is_none_or(|dimension| target.dimension == dimension)
            })
            .map(|(key, target)| (format!("{}\0{}", key.resource_id, key.dimension), describe(target)));
        let (scalable_targets, next_token) = page::page(found, after, limit);
        Ok(DescribeScalableTargetsResponse { scalable_targets, next_token })
    }
}

fn describe(target: &TargetRecord) -> ScalableTarget {
    ScalableTarget {
        service_namespace: ServiceNamespace::DynamoDb,
        resource_id: target.resource.id(),
        scalable_dimension: target.dimension,
        min_capacity: target.least,
        max_capacity: target.most,
        role_arn: target.role_arn(),
        creation_time: Timestamp::from_millis(target.created_ms),
        suspended_state: SuspendedState {
            dynamic_scaling_in_suspended: Some(target.suspended.dynamic_in),
            dynamic_scaling_out_suspended: Some(target.suspended.dynamic_out),
            scheduled_scaling_suspended: Some(target.suspended.scheduled),
        },
        scalable_target_arn: target.arn(),
    }
}
