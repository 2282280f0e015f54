//! The requests and answers of Application Auto Scaling, member by member.

use dynamometer_engine::api::scaling::{
    Alarm, DeleteScalingPolicyRequest, DeleteScheduledActionRequest, DeregisterScalableTargetRequest,
    DescribeScalableTargetsRequest, DescribeScalableTargetsResponse, DescribeScalingActivitiesRequest,
    DescribeScalingActivitiesResponse, DescribeScalingPoliciesRequest, DescribeScalingPoliciesResponse,
    DescribeScheduledActionsRequest, DescribeScheduledActionsResponse, EmptyResponse,
    ListTagsForResourceRequest, ListTagsForResourceResponse, NotScaledReason, PolicyType,
    PredefinedMetricSpecification, PutScalingPolicyRequest, PutScalingPolicyResponse,
    PutScheduledActionRequest, RegisterScalableTargetRequest, RegisterScalableTargetResponse,
    ScalableDimension, ScalableTarget, ScalableTargetAction, ScalingActivity, ScalingPolicy, ScheduledAction,
    ServiceNamespace, SuspendedState, TagResourceRequest, TargetTrackingConfiguration, UntagResourceRequest,
};
use dynamometer_engine::disk::row::CorruptRow;

use super::encode::Encode;
use super::read::Request;
use crate::{encode_enums, encode_struct, wire_struct};

macro_rules! scaling_requests {
    ($($request:ident),+ $(,)?) => {$( impl Request for $request {} )+};
}

scaling_requests! {
    RegisterScalableTargetRequest, DeregisterScalableTargetRequest, DescribeScalableTargetsRequest,
    PutScalingPolicyRequest, DeleteScalingPolicyRequest, DescribeScalingPoliciesRequest,
    DescribeScalingActivitiesRequest, PutScheduledActionRequest, DeleteScheduledActionRequest,
    DescribeScheduledActionsRequest, ListTagsForResourceRequest, TagResourceRequest, UntagResourceRequest,
}

wire_struct! {
    RegisterScalableTargetRequest: "RegisterScalableTargetRequest" {
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "MinCapacity" => min_capacity,
        "MaxCapacity" => max_capacity,
        "RoleARN" => role_arn,
        "SuspendedState" => suspended_state,
        "Tags" => tags,
    }
}
wire_struct! {
    DeregisterScalableTargetRequest: "DeregisterScalableTargetRequest" {
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
    }
}
wire_struct! {
    DescribeScalableTargetsRequest: "DescribeScalableTargetsRequest" {
        "ServiceNamespace" => service_namespace,
        "ResourceIds" => resource_ids,
        "ScalableDimension" => scalable_dimension,
        "MaxResults" => max_results,
        "NextToken" => next_token,
    }
}
wire_struct! {
    PutScalingPolicyRequest: "PutScalingPolicyRequest" {
        "PolicyName" => policy_name,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "PolicyType" => policy_type,
        "StepScalingPolicyConfiguration" => step_scaling_policy_configuration,
        "TargetTrackingScalingPolicyConfiguration" => target_tracking_scaling_policy_configuration,
        "PredictiveScalingPolicyConfiguration" => predictive_scaling_policy_configuration,
    }
}
wire_struct! {
    DeleteScalingPolicyRequest: "DeleteScalingPolicyRequest" {
        "PolicyName" => policy_name,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
    }
}
wire_struct! {
    DescribeScalingPoliciesRequest: "DescribeScalingPoliciesRequest" {
        "PolicyNames" => policy_names,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "MaxResults" => max_results,
        "NextToken" => next_token,
    }
}
wire_struct! {
    DescribeScalingActivitiesRequest: "DescribeScalingActivitiesRequest" {
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "MaxResults" => max_results,
        "NextToken" => next_token,
        "IncludeNotScaledActivities" => include_not_scaled_activities,
    }
}
wire_struct! {
    PutScheduledActionRequest: "PutScheduledActionRequest" {
        "ServiceNamespace" => service_namespace,
        "Schedule" => schedule,
        "Timezone" => timezone,
        "ScheduledActionName" => scheduled_action_name,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "StartTime" => start_time,
        "EndTime" => end_time,
        "ScalableTargetAction" => scalable_target_action,
    }
}
wire_struct! {
    DeleteScheduledActionRequest: "DeleteScheduledActionRequest" {
        "ServiceNamespace" => service_namespace,
        "ScheduledActionName" => scheduled_action_name,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
    }
}
wire_struct! {
    DescribeScheduledActionsRequest: "DescribeScheduledActionsRequest" {
        "ScheduledActionNames" => scheduled_action_names,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "MaxResults" => max_results,
        "NextToken" => next_token,
    }
}
wire_struct! { ListTagsForResourceRequest: "ListTagsForResourceRequest" { "ResourceARN" => resource_arn } }
wire_struct! { TagResourceRequest: "TagResourceRequest" { "ResourceARN" => resource_arn, "Tags" => tags } }
wire_struct! {
    UntagResourceRequest: "UntagResourceRequest" { "ResourceARN" => resource_arn, "TagKeys" => tag_keys }
}

// The structures inside requests; they stand in answers too.

wire_struct! {
    SuspendedState: "SuspendedState" {
        "DynamicScalingInSuspended" => dynamic_scaling_in_suspended,
        "DynamicScalingOutSuspended" => dynamic_scaling_out_suspended,
        "ScheduledScalingSuspended" => scheduled_scaling_suspended,
    }
}
encode_struct! {
    SuspendedState {
        "DynamicScalingInSuspended" => dynamic_scaling_in_suspended,
        "DynamicScalingOutSuspended" => dynamic_scaling_out_suspended,
        "ScheduledScalingSuspended" => scheduled_scaling_suspended,
    }
}
wire_struct! {
    TargetTrackingConfiguration: "TargetTrackingScalingPolicyConfiguration" {
        "TargetValue" => target_value,
        "PredefinedMetricSpecification" => predefined_metric_specification,
        "CustomizedMetricSpecification" => customized_metric_specification,
        "ScaleOutCooldown" => scale_out_cooldown,
        "ScaleInCooldown" => scale_in_cooldown,
        "DisableScaleIn" => disable_scale_in,
    }
}
encode_struct! {
    TargetTrackingConfiguration {
        "TargetValue" => target_value,
        "PredefinedMetricSpecification" => predefined_metric_specification,
        "ScaleOutCooldown" => scale_out_cooldown,
        "ScaleInCooldown" => scale_in_cooldown,
        "DisableScaleIn" => disable_scale_in,
    }
}
wire_struct! {
    PredefinedMetricSpecification: "PredefinedMetricSpecification" {
        "PredefinedMetricType" => predefined_metric_type,
        "ResourceLabel" => resource_label,
    }
}
encode_struct! {
    PredefinedMetricSpecification {
        "PredefinedMetricType" => predefined_metric_type,
        "ResourceLabel" => resource_label,
    }
}
wire_struct! {
    ScalableTargetAction: "ScalableTargetAction" {
        "MinCapacity" => min_capacity,
        "MaxCapacity" => max_capacity,
    }
}
encode_struct! {
    ScalableTargetAction { "MinCapacity" => min_capacity, "MaxCapacity" => max_capacity }
}

// Answers.

impl Encode for EmptyResponse {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        out.extend_from_slice(b"{}");
        Ok(())
    }
}

encode_struct! { RegisterScalableTargetResponse { "ScalableTargetARN" => scalable_target_arn } }
encode_struct! {
    DescribeScalableTargetsResponse { "ScalableTargets" => scalable_targets, "NextToken" => next_token }
}
encode_struct! {
    ScalableTarget {
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "MinCapacity" => min_capacity,
        "MaxCapacity" => max_capacity,
        "RoleARN" => role_arn,
        "CreationTime" => creation_time,
        "SuspendedState" => suspended_state,
        "ScalableTargetARN" => scalable_target_arn,
    }
}
encode_struct! { PutScalingPolicyResponse { "PolicyARN" => policy_arn, "Alarms" => alarms } }
encode_struct! { Alarm { "AlarmName" => alarm_name, "AlarmARN" => alarm_arn } }
encode_struct! {
    DescribeScalingPoliciesResponse { "ScalingPolicies" => scaling_policies, "NextToken" => next_token }
}
encode_struct! {
    ScalingPolicy {
        "PolicyARN" => policy_arn,
        "PolicyName" => policy_name,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "PolicyType" => policy_type,
        "TargetTrackingScalingPolicyConfiguration" => target_tracking_scaling_policy_configuration,
        "Alarms" => alarms,
        "CreationTime" => creation_time,
    }
}
encode_struct! {
    DescribeScalingActivitiesResponse {
        "ScalingActivities" => scaling_activities,
        "NextToken" => next_token,
    }
}
encode_struct! {
    ScalingActivity {
        "ActivityId" => activity_id,
        "ServiceNamespace" => service_namespace,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "Description" => description,
        "Cause" => cause,
        "StartTime" => start_time,
        "EndTime" => end_time,
        "StatusCode" => status_code,
        "StatusMessage" => status_message,
        "NotScaledReasons" => not_scaled_reasons,
    }
}
encode_struct! {
    NotScaledReason {
        "Code" => code,
        "MaxCapacity" => max_capacity,
        "MinCapacity" => min_capacity,
        "CurrentCapacity" => current_capacity,
    }
}
encode_struct! {
    DescribeScheduledActionsResponse {
        "ScheduledActions" => scheduled_actions,
        "NextToken" => next_token,
    }
}
encode_struct! {
    ScheduledAction {
        "ScheduledActionName" => scheduled_action_name,
        "ScheduledActionARN" => scheduled_action_arn,
        "ServiceNamespace" => service_namespace,
        "Schedule" => schedule,
        "Timezone" => timezone,
        "ResourceId" => resource_id,
        "ScalableDimension" => scalable_dimension,
        "StartTime" => start_time,
        "EndTime" => end_time,
        "ScalableTargetAction" => scalable_target_action,
        "CreationTime" => creation_time,
    }
}
encode_struct! { ListTagsForResourceResponse { "Tags" => tags } }

encode_enums! { ServiceNamespace, ScalableDimension, PolicyType }
