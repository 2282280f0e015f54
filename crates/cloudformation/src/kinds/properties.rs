//! The properties of the resources that are deployed here.
//!
//! # Source
//! AWS's CloudFormation resource schemas of `AWS::DynamoDB::Table`, `AWS::DynamoDB::GlobalTable`,
//! `AWS::ApplicationAutoScaling::ScalableTarget` and `AWS::ApplicationAutoScaling::ScalingPolicy`, November 2026.

use super::shape::Is::{self, List, Map, Number, OneOf, Text, Truth, Whole};
use super::shape::{Property, optional, refused, required};

const POLICY: &str = "resource policies are not deployed";
const KINESIS: &str = "streaming to Kinesis is not deployed";
const VECTORS: &str = "vector indexes are not deployed";

const ATTRIBUTE_DEFINITION: &[Property] =
    &[required("AttributeName", Text), required("AttributeType", OneOf(&["S", "N", "B"]))];
const KEY_ELEMENT: &[Property] =
    &[required("AttributeName", Text), required("KeyType", OneOf(&["HASH", "RANGE"]))];
const PROJECTION: &[Property] = &[
    optional("ProjectionType", OneOf(&["ALL", "KEYS_ONLY", "INCLUDE"])),
    optional("NonKeyAttributes", List(&Text)),
];
const THROUGHPUT: &[Property] =
    &[required("ReadCapacityUnits", Whole(0)), required("WriteCapacityUnits", Whole(0))];
const ON_DEMAND: &[Property] =
    &[optional("MaxReadRequestUnits", Whole(1)), optional("MaxWriteRequestUnits", Whole(1))];
const WARM: &[Property] =
    &[optional("ReadUnitsPerSecond", Whole(1)), optional("WriteUnitsPerSecond", Whole(1))];
const INSIGHTS: &[Property] = &[
    required("Enabled", Truth),
    optional("Mode", OneOf(&["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"])),
];
const TAG: &[Property] = &[required("Key", Text), required("Value", Text)];
const RECOVERY: &[Property] =
    &[optional("PointInTimeRecoveryEnabled", Truth), optional("RecoveryPeriodInDays", Whole(1))];
const TIME_TO_LIVE: &[Property] = &[required("Enabled", Truth), optional("AttributeName", Text)];
const VIEW: Is = OneOf(&["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]);
const BILLING: Is = OneOf(&["PAY_PER_REQUEST", "PROVISIONED"]);
const CLASS: Is = OneOf(&["STANDARD", "STANDARD_INFREQUENT_ACCESS"]);
const LOCAL_INDEX: &[Property] = &[
    required("IndexName", Text),
    required("KeySchema", List(&Map(KEY_ELEMENT))),
    required("Projection", Map(PROJECTION)),
];

/// `AWS::DynamoDB::Table`.
pub(super) const TABLE: &[Property] = &[
    optional("TableName", Text),
    required("AttributeDefinitions", List(&Map(ATTRIBUTE_DEFINITION))),
    required("KeySchema", List(&Map(KEY_ELEMENT))),
    optional("BillingMode", BILLING),
    optional("ProvisionedThroughput", Map(THROUGHPUT)),
    optional("OnDemandThroughput", Map(ON_DEMAND)),
    optional("WarmThroughput", Map(WARM)),
    optional("LocalSecondaryIndexes", List(&Map(LOCAL_INDEX))),
    optional(
        "GlobalSecondaryIndexes",
        List(&Map(&[
            required("IndexName", Text),
            required("KeySchema", List(&Map(KEY_ELEMENT))),
            required("Projection", Map(PROJECTION)),
            optional("ProvisionedThroughput", Map(THROUGHPUT)),
            optional("OnDemandThroughput", Map(ON_DEMAND)),
            optional("WarmThroughput", Map(WARM)),
            optional("ContributorInsightsSpecification", Map(INSIGHTS)),
        ])),
    ),
    optional(
        "StreamSpecification",
        Map(&[
            required("StreamViewType", VIEW),
            refused("ResourcePolicy", POLICY),
            refused("Tags", "tags of streams are not deployed"),
        ]),
    ),
    optional(
        "SSESpecification",
        Map(&[
            required("SSEEnabled", Truth),
            optional("SSEType", OneOf(&["KMS"])),
            optional("KMSMasterKeyId", Text),
        ]),
    ),
    optional("TableClass", CLASS),
    optional("DeletionProtectionEnabled", Truth),
    optional("TimeToLiveSpecification", Map(TIME_TO_LIVE)),
    optional("PointInTimeRecoverySpecification", Map(RECOVERY)),
    optional("ContributorInsightsSpecification", Map(INSIGHTS)),
    optional("Tags", List(&Map(TAG))),
    refused("ImportSourceSpecification", "imports from S3 are not deployed"),
    refused("KinesisStreamSpecification", KINESIS),
    refused("ResourcePolicy", POLICY),
    refused("VectorIndexes", VECTORS),
];

const SCALING: &[Property] = &[
    required("MinCapacity", Whole(1)),
    required("MaxCapacity", Whole(1)),
    optional("SeedCapacity", Whole(1)),
    required(
        "TargetTrackingScalingPolicyConfiguration",
        Map(&[
            required("TargetValue", Number),
            optional("DisableScaleIn", Truth),
            optional("ScaleInCooldown", Whole(0)),
            optional("ScaleOutCooldown", Whole(0)),
        ]),
    ),
];
const GLOBAL_WRITES: &[Property] = &[optional("WriteCapacityAutoScalingSettings", Map(SCALING))];
const GLOBAL_READS: &[Property] = &[optional("ReadCapacityUnits", Whole(1))];
const REPLICA_READS: &[Property] =
    &[optional("ReadCapacityUnits", Whole(1)), optional("ReadCapacityAutoScalingSettings", Map(SCALING))];
const MAX_READS: &[Property] = &[optional("MaxReadRequestUnits", Whole(1))];
const MAX_WRITES: &[Property] = &[optional("MaxWriteRequestUnits", Whole(1))];

/// `AWS::DynamoDB::GlobalTable`.
pub(super) const GLOBAL_TABLE: &[Property] = &[
    optional("TableName", Text),
    required("AttributeDefinitions", List(&Map(ATTRIBUTE_DEFINITION))),
    required("KeySchema", List(&Map(KEY_ELEMENT))),
    optional("BillingMode", BILLING),
    optional("WriteProvisionedThroughputSettings", Map(GLOBAL_WRITES)),
    optional("ReadProvisionedThroughputSettings", Map(GLOBAL_READS)),
    optional("WriteOnDemandThroughputSettings", Map(MAX_WRITES)),
    optional("ReadOnDemandThroughputSettings", Map(MAX_READS)),
    optional("WarmThroughput", Map(WARM)),
    optional("LocalSecondaryIndexes", List(&Map(LOCAL_INDEX))),
    optional(
        "GlobalSecondaryIndexes",
        List(&Map(&[
            required("IndexName", Text),
            required("KeySchema", List(&Map(KEY_ELEMENT))),
            required("Projection", Map(PROJECTION)),
            optional("WriteProvisionedThroughputSettings", Map(GLOBAL_WRITES)),
            optional("ReadProvisionedThroughputSettings", Map(GLOBAL_READS)),
            optional("WriteOnDemandThroughputSettings", Map(MAX_WRITES)),
            optional("ReadOnDemandThroughputSettings", Map(MAX_READS)),
            optional("WarmThroughput", Map(WARM)),
        ])),
    ),
    optional("StreamSpecification", Map(&[required("StreamViewType", VIEW)])),
    optional("SSESpecification", Map(&[required("SSEEnabled", Truth), optional("SSEType", OneOf(&["KMS"]))])),
    optional("TimeToLiveSpecification", Map(TIME_TO_LIVE)),
    required(
        "Replicas",
        List(&Map(&[
            required("Region", Text),
            optional("ReadProvisionedThroughputSettings", Map(REPLICA_READS)),
            optional("ReadOnDemandThroughputSettings", Map(MAX_READS)),
            optional(
                "GlobalSecondaryIndexes",
                List(&Map(&[
                    required("IndexName", Text),
                    optional("ReadProvisionedThroughputSettings", Map(REPLICA_READS)),
                    optional("ReadOnDemandThroughputSettings", Map(MAX_READS)),
                    optional("ContributorInsightsSpecification", Map(INSIGHTS)),
                ])),
            ),
            optional("SSESpecification", Map(&[required("KMSMasterKeyId", Text)])),
            optional("TableClass", CLASS),
            optional("DeletionProtectionEnabled", Truth),
            optional("PointInTimeRecoverySpecification", Map(RECOVERY)),
            optional("ContributorInsightsSpecification", Map(INSIGHTS)),
            optional("Tags", List(&Map(TAG))),
            refused("KinesisStreamSpecification", KINESIS),
            refused("ResourcePolicy", POLICY),
            refused("ReplicaStreamSpecification", POLICY),
            refused("DisassociationProtectionEnabled", "a table in one region has nothing to leave"),
            refused("GlobalTableSettingsReplicationMode", "a table in one region replicates nothing"),
        ])),
    ),
    refused("MultiRegionConsistency", "a table in one region has none"),
    refused("GlobalTableWitnesses", "a table in one region has none"),
    refused("GlobalTableSourceArn", "replicas of other accounts' tables are not deployed"),
    refused("VectorIndexes", VECTORS),
];

/// `AWS::ApplicationAutoScaling::ScalableTarget`.
pub(super) const SCALABLE_TARGET: &[Property] = &[
    required("ServiceNamespace", Text),
    required("ResourceId", Text),
    required("ScalableDimension", Text),
    required("MinCapacity", Whole(0)),
    required("MaxCapacity", Whole(0)),
    optional("RoleARN", Text),
    optional(
        "ScheduledActions",
        List(&Map(&[
            required("ScheduledActionName", Text),
            required("Schedule", Text),
            optional("Timezone", Text),
            optional("StartTime", Text),
            optional("EndTime", Text),
            optional(
                "ScalableTargetAction",
                Map(&[optional("MinCapacity", Whole(0)), optional("MaxCapacity", Whole(0))]),
            ),
        ])),
    ),
    optional(
        "SuspendedState",
        Map(&[
            optional("DynamicScalingInSuspended", Truth),
            optional("DynamicScalingOutSuspended", Truth),
            optional("ScheduledScalingSuspended", Truth),
        ]),
    ),
    optional("Tags", List(&Map(TAG))),
];

/// `AWS::ApplicationAutoScaling::ScalingPolicy`.
pub(super) const SCALING_POLICY: &[Property] = &[
    required("PolicyName", Text),
    required("PolicyType", OneOf(&["TargetTrackingScaling", "StepScaling", "PredictiveScaling"])),
    optional("ScalingTargetId", Text),
    optional("ServiceNamespace", Text),
    optional("ResourceId", Text),
    optional("ScalableDimension", Text),
    optional(
        "TargetTrackingScalingPolicyConfiguration",
        Map(&[
            required("TargetValue", Number),
            optional(
                "PredefinedMetricSpecification",
                Map(&[
                    required(
                        "PredefinedMetricType",
                        OneOf(&["DynamoDBReadCapacityUtilization", "DynamoDBWriteCapacityUtilization"]),
                    ),
                    optional("ResourceLabel", Text),
                ]),
            ),
            optional("DisableScaleIn", Truth),
            optional("ScaleInCooldown", Whole(0)),
            optional("ScaleOutCooldown", Whole(0)),
            refused(
                "CustomizedMetricSpecification",
                "policies that follow metrics of one's own are not deployed",
            ),
        ]),
    ),
    refused("StepScalingPolicyConfiguration", "DynamoDB scales by target tracking only"),
    refused("PredictiveScalingPolicyConfiguration", "DynamoDB scales by target tracking only"),
];
