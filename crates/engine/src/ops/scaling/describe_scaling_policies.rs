//! DescribeScalingPolicies.

use dynamometer_types::{ApiError, Timestamp};

use super::{Named, check_names, page};
use crate::api::scaling::{
    DescribeScalingPoliciesRequest, DescribeScalingPoliciesResponse, PolicyType,
    PredefinedMetricSpecification, ScalingPolicy, ServiceNamespace, TargetTrackingConfiguration,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::scaling::record::{PolicyRecord, TargetRecord};
use crate::validate::members::Findings;

impl Engine {
    /// Lists the policies of the caller's database by target and name, each with its alarms.
    ///
    /// # Errors
    /// `Validation`; `InvalidNextToken`.
    pub async fn describe_scaling_policies(
        &self,
        context: &Context<'_>,
        request: DescribeScalingPoliciesRequest,
    ) -> Result<DescribeScalingPoliciesResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        check_names(&mut findings, "policyNames", &request.policy_names);
        named.check_filter(&mut findings);
        findings.finish()?;
        let (resource_id, dimension) = named.filter()?;
        let limit = page::limit(request.max_results, page::POLICIES_PAGE)?;
        let after = page::place_of(&request.next_token)?;

        let names = request.policy_names.as_deref().unwrap_or_default();
        let by_key = self.targets.lock();
        let found = by_key
            .iter()
            .filter(|(key, target)| {
                key.namespace == context.namespace
                    && resource_id.is_none_or(|id| key.resource_id == id)
                    && dimension.is_none_or(|dimension| target.dimension == dimension)
            })
            .flat_map(|(key, target)| target.policies.iter().map(move |policy| (key, target, policy)))
            .filter(|(_, _, policy)| names.is_empty() || names.contains(&policy.name))
            .map(|(key, target, policy)| {
                let place = format!("{}\0{}\0{}", key.resource_id, key.dimension, policy.name);
                (place, describe(target, policy))
            });
        let (scaling_policies, next_token) = page::page(found, after, limit);
        Ok(DescribeScalingPoliciesResponse { scaling_policies, next_token })
    }
}

fn describe(target: &TargetRecord, policy: &PolicyRecord) -> ScalingPolicy {
    ScalingPolicy {
        policy_arn: target.policy_arn(policy),
        policy_name: policy.name.clone(),
        service_namespace: ServiceNamespace::DynamoDb,
        resource_id: target.resource.id(),
        scalable_dimension: target.dimension,
        policy_type: PolicyType::TargetTrackingScaling,
        target_tracking_scaling_policy_configuration: TargetTrackingConfiguration {
            target_value: Some(policy.target_value),
            predefined_metric_specification: Some(PredefinedMetricSpecification {
                predefined_metric_type: Some(target.utilization_metric().to_owned()),
                resource_label: None,
            }),
            customized_metric_specification: None,
            scale_out_cooldown: policy.scale_out_cooldown,
            scale_in_cooldown: policy.scale_in_cooldown,
            disable_scale_in: policy.disable_scale_in,
        },
        alarms: target.alarms(policy),
        creation_time: Timestamp::from_millis(policy.created_ms),
    }
}
