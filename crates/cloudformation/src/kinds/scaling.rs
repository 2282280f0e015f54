//! `AWS::ApplicationAutoScaling::ScalableTarget` and `AWS::ApplicationAutoScaling::ScalingPolicy`, of DynamoDB.

use dynamometer_types::Timestamp;
use serde_json::{Value, json};

use super::field;
use super::shape::Reading;
use super::table::{find, resource};
use crate::document::{Content, Node};
use crate::evaluate::Evaluator;
use crate::finding::Finding;
use crate::resource::{Resource, ScalableTarget, Scales, ScalingPolicy, Wanted};
use crate::template::Declaration;

/// The only service whose capacity is scaled here.
const SERVICE: &str = "dynamodb";
const DIMENSIONS: &[&str] = &[
    "dynamodb:table:ReadCapacityUnits",
    "dynamodb:table:WriteCapacityUnits",
    "dynamodb:index:ReadCapacityUnits",
    "dynamodb:index:WriteCapacityUnits",
];

/// `Ref` of a target, in AWS's form: `table/Orders|dynamodb:table:ReadCapacityUnits|dynamodb`.
pub(super) fn target_reference(
    evaluator: &Evaluator<'_>,
    declaration: &Declaration,
) -> Result<Content, Finding> {
    let mut parts = Vec::new();
    for name in ["ResourceId", "ScalableDimension", "ServiceNamespace"] {
        let node = declaration.properties.get(name);
        match node.map(|node| evaluator.evaluate(node)).transpose()?.flatten().map(|node| node.content) {
            Some(Content::Text(text)) => parts.push(text),
            Some(unknown @ Content::Unknown(_)) => return Ok(unknown),
            _ => {
                let at = node.map_or(declaration.at, |node: &Node| node.at);
                return Err(Finding::new(
                    at,
                    format!("{}: the property {name} is missing", declaration.name),
                ));
            }
        }
    }
    Ok(Content::Text(parts.join("|")))
}

pub(super) fn read_target(
    declaration: &Declaration,
    properties: &Value,
    reading: &mut Reading<'_>,
) -> Vec<Resource> {
    let scales = scales(properties, reading);
    let (min, max): (i64, i64) = (field(properties, "MinCapacity"), field(properties, "MaxCapacity"));
    if min > max {
        find(reading, "MinCapacity", &format!("MinCapacity {min} is more than MaxCapacity {max}"));
    }
    let actions: Vec<Value> = field(properties, "ScheduledActions");
    let scheduled = actions.into_iter().enumerate();
    let scheduled = scheduled.map(|(number, action)| scheduled_action(number, action, reading)).collect();
    let target = ScalableTarget {
        scales,
        min,
        max,
        role: field(properties, "RoleARN"),
        suspended: properties.get("SuspendedState").cloned().unwrap_or(Value::Null),
        scheduled,
        tags: field(properties, "Tags"),
    };
    vec![resource(declaration, reading, Wanted::ScalableTarget(target))]
}

/// Times are text in a template and seconds in the API.
fn scheduled_action(number: usize, mut action: Value, reading: &mut Reading<'_>) -> Value {
    for name in ["StartTime", "EndTime"] {
        let Some(text) = action.get(name).and_then(Value::as_str) else { continue };
        match text.parse::<Timestamp>() {
            Ok(time) => action[name] = json!(time.seconds()),
            Err(error) => find(reading, &format!("ScheduledActions/{number}/{name}"), &error.to_string()),
        }
    }
    action
}

pub(super) fn read_policy(
    declaration: &Declaration,
    properties: &Value,
    reading: &mut Reading<'_>,
) -> Vec<Resource> {
    let named: Option<String> = field(properties, "ScalingTargetId");
    let scales = match named.as_deref().map(|id| id.split('|').collect::<Vec<_>>()).as_deref() {
        None => scales(properties, reading),
        Some([resource_id, dimension, SERVICE]) => {
            Scales { resource_id: (*resource_id).to_owned(), dimension: (*dimension).to_owned() }
        }
        Some(_) => {
            find(reading, "ScalingTargetId", "ScalingTargetId is the Ref of a scalable target");
            Scales::default()
        }
    };
    if field::<String>(properties, "PolicyType") != "TargetTrackingScaling" {
        find(reading, "PolicyType", "DynamoDB scales by TargetTrackingScaling only");
    }
    let configuration =
        properties.get("TargetTrackingScalingPolicyConfiguration").cloned().unwrap_or_default();
    if configuration.get("PredefinedMetricSpecification").is_none() {
        let place = "TargetTrackingScalingPolicyConfiguration";
        find(reading, place, "a policy needs a PredefinedMetricSpecification, the metric that it follows");
    }
    let name = field(properties, "PolicyName");
    let policy = ScalingPolicy { name, scales, configuration };
    vec![resource(declaration, reading, Wanted::ScalingPolicy(policy))]
}

fn scales(properties: &Value, reading: &mut Reading<'_>) -> Scales {
    let service: String = field(properties, "ServiceNamespace");
    if service != SERVICE {
        find(
            reading,
            "ServiceNamespace",
            &format!("the capacity of `{service}` is not scaled here, only dynamodb's"),
        );
    }
    let scales = Scales {
        resource_id: field(properties, "ResourceId"),
        dimension: field(properties, "ScalableDimension"),
    };
    if !DIMENSIONS.contains(&scales.dimension.as_str()) {
        let message = format!("`{}` is none of {}", scales.dimension, DIMENSIONS.join(", "));
        find(reading, "ScalableDimension", &message);
    }
    if !scales.resource_id.starts_with("table/") {
        let message = format!("`{}` is no table/NAME or table/NAME/index/NAME", scales.resource_id);
        find(reading, "ResourceId", &message);
    }
    scales
}
