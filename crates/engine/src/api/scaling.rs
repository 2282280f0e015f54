//! Application Auto Scaling: the shapes of its API (2016-02-06).
//!
//! They have a module of their own because some names are DynamoDB's too.

use dynamometer_types::Timestamp;

use super::Unsupported;
use super::enums::{ApiEnum, Given, api_enums};

api_enums! {
    /// Whose resources are scaled; the order of the set is that of the service model.
    ServiceNamespace {
        Ecs = "ecs", ElasticMapReduce = "elasticmapreduce", Ec2 = "ec2", AppStream = "appstream",
        DynamoDb = "dynamodb", Rds = "rds", SageMaker = "sagemaker", CustomResource = "custom-resource",
        Comprehend = "comprehend", Lambda = "lambda", Cassandra = "cassandra", Kafka = "kafka",
        ElastiCache = "elasticache", Neptune = "neptune", WorkSpaces = "workspaces",
    }
    /// What is scaled.
    ScalableDimension {
        EcsServiceDesiredCount = "ecs:service:DesiredCount",
        Ec2SpotFleetTargetCapacity = "ec2:spot-fleet-request:TargetCapacity",
        EmrInstanceCount = "elasticmapreduce:instancegroup:InstanceCount",
        AppStreamDesiredCapacity = "appstream:fleet:DesiredCapacity",
        TableRead = "dynamodb:table:ReadCapacityUnits",
        TableWrite = "dynamodb:table:WriteCapacityUnits",
        IndexRead = "dynamodb:index:ReadCapacityUnits",
        IndexWrite = "dynamodb:index:WriteCapacityUnits",
        RdsReadReplicaCount = "rds:cluster:ReadReplicaCount",
        SageMakerDesiredInstanceCount = "sagemaker:variant:DesiredInstanceCount",
        CustomResource = "custom-resource:ResourceType:Property",
        ComprehendClassifier = "comprehend:document-classifier-endpoint:DesiredInferenceUnits",
        ComprehendRecognizer = "comprehend:entity-recognizer-endpoint:DesiredInferenceUnits",
        LambdaProvisionedConcurrency = "lambda:function:ProvisionedConcurrency",
        CassandraRead = "cassandra:table:ReadCapacityUnits",
        CassandraWrite = "cassandra:table:WriteCapacityUnits",
        KafkaVolumeSize = "kafka:broker-storage:VolumeSize",
        ElastiCacheNodes = "elasticache:cache-cluster:Nodes",
        ElastiCacheNodeGroups = "elasticache:replication-group:NodeGroups",
        ElastiCacheReplicas = "elasticache:replication-group:Replicas",
        NeptuneReadReplicaCount = "neptune:cluster:ReadReplicaCount",
        SageMakerDesiredConcurrency = "sagemaker:variant:DesiredProvisionedConcurrency",
        SageMakerDesiredCopyCount = "sagemaker:inference-component:DesiredCopyCount",
        WorkSpacesDesiredUserSessions = "workspaces:workspacespool:DesiredUserSessions",
    }
    /// The kinds of scaling policies.
    PolicyType {
        StepScaling = "StepScaling", TargetTrackingScaling = "TargetTrackingScaling",
        PredictiveScaling = "PredictiveScaling",
    }
}

/// `SuspendedState`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SuspendedState {
    pub dynamic_scaling_in_suspended: Option<bool>,
    pub dynamic_scaling_out_suspended: Option<bool>,
    pub scheduled_scaling_suspended: Option<bool>,
}

/// `TargetTrackingScalingPolicyConfiguration`; cooldowns in seconds, the target in percent.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct TargetTrackingConfiguration {
    pub target_value: Option<f64>,
    pub predefined_metric_specification: Option<PredefinedMetricSpecification>,
    pub customized_metric_specification: Option<Unsupported>,
    pub scale_out_cooldown: Option<i32>,
    pub scale_in_cooldown: Option<i32>,
    pub disable_scale_in: Option<bool>,
}

/// `PredefinedMetricSpecification`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct PredefinedMetricSpecification {
    pub predefined_metric_type: Option<String>,
    pub resource_label: Option<String>,
}

/// `ScalableTargetAction`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ScalableTargetAction {
    pub min_capacity: Option<i32>,
    pub max_capacity: Option<i32>,
}

/// RegisterScalableTarget.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct RegisterScalableTargetRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub min_capacity: Option<i32>,
    pub max_capacity: Option<i32>,
    pub role_arn: Option<String>,
    pub suspended_state: Option<SuspendedState>,
    pub tags: Option<Vec<(String, String)>>,
}

/// What RegisterScalableTarget answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RegisterScalableTargetResponse {
    pub scalable_target_arn: String,
}

/// DeregisterScalableTarget.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DeregisterScalableTargetRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
}

/// The answer of operations that answer nothing: an object without members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyResponse;

/// DescribeScalableTargets.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalableTargetsRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_ids: Option<Vec<String>>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub max_results: Option<i32>,
    pub next_token: Option<String>,
}

/// What DescribeScalableTargets answers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalableTargetsResponse {
    pub scalable_targets: Vec<ScalableTarget>,
    pub next_token: Option<String>,
}

/// `ScalableTarget`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ScalableTarget {
    pub service_namespace: ServiceNamespace,
    pub resource_id: String,
    pub scalable_dimension: ScalableDimension,
    pub min_capacity: i32,
    pub max_capacity: i32,
    pub role_arn: String,
    pub creation_time: Timestamp,
    pub suspended_state: SuspendedState,
    pub scalable_target_arn: String,
}

/// PutScalingPolicy.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct PutScalingPolicyRequest {
    pub policy_name: Option<String>,
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub policy_type: Option<Given<PolicyType>>,
    pub step_scaling_policy_configuration: Option<Unsupported>,
    pub target_tracking_scaling_policy_configuration: Option<TargetTrackingConfiguration>,
    pub predictive_scaling_policy_configuration: Option<Unsupported>,
}

/// What PutScalingPolicy answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct PutScalingPolicyResponse {
    pub policy_arn: String,
    pub alarms: Vec<Alarm>,
}

/// `Alarm`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Alarm {
    pub alarm_name: String,
    pub alarm_arn: String,
}

/// DeleteScalingPolicy.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DeleteScalingPolicyRequest {
    pub policy_name: Option<String>,
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
}

/// DescribeScalingPolicies.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalingPoliciesRequest {
    pub policy_names: Option<Vec<String>>,
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub max_results: Option<i32>,
    pub next_token: Option<String>,
}

/// What DescribeScalingPolicies answers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalingPoliciesResponse {
    pub scaling_policies: Vec<ScalingPolicy>,
    pub next_token: Option<String>,
}

/// `ScalingPolicy`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ScalingPolicy {
    pub policy_arn: String,
    pub policy_name: String,
    pub service_namespace: ServiceNamespace,
    pub resource_id: String,
    pub scalable_dimension: ScalableDimension,
    pub policy_type: PolicyType,
    pub target_tracking_scaling_policy_configuration: TargetTrackingConfiguration,
    pub alarms: Vec<Alarm>,
    pub creation_time: Timestamp,
}

/// DescribeScalingActivities.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalingActivitiesRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub max_results: Option<i32>,
    pub next_token: Option<String>,
    pub include_not_scaled_activities: Option<bool>,
}

/// What DescribeScalingActivities answers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScalingActivitiesResponse {
    pub scaling_activities: Vec<ScalingActivity>,
    pub next_token: Option<String>,
}

/// `ScalingActivity`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ScalingActivity {
    pub activity_id: String,
    pub service_namespace: ServiceNamespace,
    pub resource_id: String,
    pub scalable_dimension: ScalableDimension,
    pub description: String,
    pub cause: String,
    pub start_time: Timestamp,
    pub end_time: Option<Timestamp>,
    pub status_code: &'static str,
    pub status_message: Option<String>,
    pub not_scaled_reasons: Option<Vec<NotScaledReason>>,
}

/// `NotScaledReason`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct NotScaledReason {
    pub code: &'static str,
    pub max_capacity: Option<i32>,
    pub min_capacity: Option<i32>,
    pub current_capacity: Option<i32>,
}

/// PutScheduledAction; times in seconds since 1970.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct PutScheduledActionRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub schedule: Option<String>,
    pub timezone: Option<String>,
    pub scheduled_action_name: Option<String>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub start_time: Option<f64>,
    pub end_time: Option<f64>,
    pub scalable_target_action: Option<ScalableTargetAction>,
}

/// DeleteScheduledAction.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DeleteScheduledActionRequest {
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub scheduled_action_name: Option<String>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
}

/// DescribeScheduledActions.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScheduledActionsRequest {
    pub scheduled_action_names: Option<Vec<String>>,
    pub service_namespace: Option<Given<ServiceNamespace>>,
    pub resource_id: Option<String>,
    pub scalable_dimension: Option<Given<ScalableDimension>>,
    pub max_results: Option<i32>,
    pub next_token: Option<String>,
}

/// What DescribeScheduledActions answers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeScheduledActionsResponse {
    pub scheduled_actions: Vec<ScheduledAction>,
    pub next_token: Option<String>,
}

/// `ScheduledAction`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ScheduledAction {
    pub scheduled_action_name: String,
    pub scheduled_action_arn: String,
    pub service_namespace: ServiceNamespace,
    pub schedule: String,
    pub timezone: Option<String>,
    pub resource_id: String,
    pub scalable_dimension: ScalableDimension,
    pub start_time: Option<Timestamp>,
    pub end_time: Option<Timestamp>,
    pub scalable_target_action: ScalableTargetAction,
    pub creation_time: Timestamp,
}

/// ListTagsForResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTagsForResourceRequest {
    pub resource_arn: Option<String>,
}

/// What ListTagsForResource answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTagsForResourceResponse {
    pub tags: Vec<(String, String)>,
}

/// TagResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TagResourceRequest {
    pub resource_arn: Option<String>,
    pub tags: Option<Vec<(String, String)>>,
}

/// UntagResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UntagResourceRequest {
    pub resource_arn: Option<String>,
    pub tag_keys: Option<Vec<String>>,
}
