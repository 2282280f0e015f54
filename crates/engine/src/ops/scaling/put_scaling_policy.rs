//! PutScalingPolicy.

use dynamometer_types::ApiError;

use super::{Named, SHORT_NAME};
use crate::api::Given;
use crate::api::scaling::{
    PolicyType, PutScalingPolicyRequest, PutScalingPolicyResponse, TargetTrackingConfiguration,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::ops::uuid;
use crate::scaling::record::{PolicyRecord, TargetRecord, no_target};
use crate::validate::members::{Findings, Rule};

const METRIC: &[Rule] = &[Rule::NotNull];
const LABEL: &[Rule] = &[Rule::MinLength(1), Rule::MaxLength(1023)];

impl Engine {
    /// Makes a target tracking policy, or changes the one of this name; what the request leaves out stays as it was.
    /// For DynamoDB there are no others.
    ///
    /// # Errors
    /// `Validation`; `ObjectNotFound` when the target is not registered.
    pub async fn put_scaling_policy(
        &self,
        context: &Context<'_>,
        request: PutScalingPolicyRequest,
    ) -> Result<PutScalingPolicyResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        check_members(&named, &request)?;
        let (key, ..) = named.key(context)?;
        check_type(&request)?;
        let provisioned =
            self.targets.get(&key).and_then(|target| self.provisioned(&target, context.now)).unwrap_or(0);
        let changed = self.targets.change(&*self.store, &key, |known, _| {
            let mut target = known.ok_or_else(|| no_target("scalable target registered", &key))?;
            let policy = put(context, &mut target, &request, provisioned)?;
            let answer = PutScalingPolicyResponse {
                policy_arn: target.policy_arn(&policy),
                alarms: target.alarms(&policy),
            };
            Ok::<_, ApiError>((Some(target), answer))
        })?;
        durable(changed).await
    }
}

fn check_members(named: &Named<'_>, request: &PutScalingPolicyRequest) -> Result<(), ApiError> {
    let mut findings = Findings::new();
    findings.member("policyName", &request.policy_name, SHORT_NAME);
    named.check(&mut findings);
    findings.one_of("policyType", &request.policy_type);
    let path = "targetTrackingScalingPolicyConfiguration";
    if let Some(sent) = &request.target_tracking_scaling_policy_configuration {
        let target = sent.target_value.map(|target| target as i64);
        findings.member(format_args!("{path}.targetValue"), target, &[Rule::NotNull]);
        if let Some(metric) = &sent.predefined_metric_specification {
            let path = format!("{path}.predefinedMetricSpecification");
            findings.member(
                format_args!("{path}.predefinedMetricType"),
                &metric.predefined_metric_type,
                METRIC,
            );
            findings.member(format_args!("{path}.resourceLabel"), &metric.resource_label, LABEL);
        }
    }
    findings.finish()
}

/// Refuses the types that DynamoDB has not. Without a type the configuration tells it; AWS's default is step scaling.
fn check_type(request: &PutScalingPolicyRequest) -> Result<(), ApiError> {
    let refuse = |kind: &str| {
        Err(ApiError::validation(format!("{kind} is not supported for service namespace dynamodb")))
    };
    let is_tracking = request.target_tracking_scaling_policy_configuration.is_some();
    match request.policy_type.as_ref().and_then(Given::known) {
        Some(PolicyType::TargetTrackingScaling) => Ok(()),
        Some(other) => refuse(other.name()),
        None if is_tracking => Ok(()),
        None => refuse("StepScaling"),
    }
}

/// Puts the policy into the target.
fn put(
    context: &Context<'_>,
    target: &mut TargetRecord,
    request: &PutScalingPolicyRequest,
    provisioned: i64,
) -> Result<PolicyRecord, ApiError> {
    let name = text(&request.policy_name);
    let at = target.policies.iter().position(|policy| policy.name == name);
    let Some(sent) = &request.target_tracking_scaling_policy_configuration else {
        let known = at.map(|at| target.policies[at].clone());
        return known.ok_or_else(|| {
            ApiError::validation(
                "TargetTrackingScalingPolicyConfiguration must be specified for TargetTrackingScaling",
            )
        });
    };
    check_configuration(target, sent, at.is_some())?;
    let target_value = sent.target_value.unwrap_or_default();
    let configured = |policy: PolicyRecord| PolicyRecord {
        target_value,
        scale_out_cooldown: sent.scale_out_cooldown,
        scale_in_cooldown: sent.scale_in_cooldown,
        disable_scale_in: sent.disable_scale_in,
        ..policy
    };
    if let Some(at) = at {
        target.policies[at] = configured(target.policies[at].clone());
        return Ok(target.policies[at].clone());
    }
    // There is one metric for each dimension.
    if !target.policies.is_empty() {
        return Err(ApiError::validation(
            "Only one TargetTrackingScaling policy for a given metric specification is allowed.",
        ));
    }
    let policy = configured(PolicyRecord {
        name: name.to_owned(),
        id: uuid((context.entropy)()),
        created_ms: context.now.millis(),
        target_value,
        scale_out_cooldown: None,
        scale_in_cooldown: None,
        disable_scale_in: None,
        alarms_made: 1,
        alarms_for: provisioned,
        alarms_since_ms: context.now.millis(),
        looked_ms: 0,
    });
    target.policies.push(policy.clone());
    Ok(policy)
}

fn check_configuration(
    target: &TargetRecord,
    sent: &TargetTrackingConfiguration,
    is_known: bool,
) -> Result<(), ApiError> {
    if sent.customized_metric_specification.is_some() {
        return Err(ApiError::validation(
            "CustomizedMetricSpecification is not supported by this server yet; use PredefinedMetricSpecification",
        ));
    }
    let metric = target.utilization_metric();
    match &sent.predefined_metric_specification {
        None if is_known => {}
        None => {
            return Err(ApiError::validation(
                "Either PredefinedMetricSpecification or CustomizedMetricSpecification must be specified",
            ));
        }
        Some(sent) if sent.predefined_metric_type.as_deref() != Some(metric) => {
            return Err(ApiError::validation(format!(
                "Predefined metric type {} is not supported for scalable dimension {}",
                text(&sent.predefined_metric_type),
                target.dimension.name()
            )));
        }
        Some(sent) if sent.resource_label.is_some() => {
            return Err(ApiError::validation(format!(
                "ResourceLabel is not supported for predefined metric type {metric}"
            )));
        }
        Some(_) => {}
    }
    let value = sent.target_value.unwrap_or_default();
    if !(20.0..=90.0).contains(&value) {
        return Err(ApiError::validation(format!(
            "TargetValue must be between 20.0 and 90.0 for predefined metric type {metric}, but was {value:?}"
        )));
    }
    if sent.scale_out_cooldown.into_iter().chain(sent.scale_in_cooldown).any(|seconds| seconds < 0) {
        return Err(ApiError::validation("Cooldown cannot be negative"));
    }
    Ok(())
}
