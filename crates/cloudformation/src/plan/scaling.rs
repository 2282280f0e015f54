//! Application Auto Scaling: calls that make or overwrite, so a change is the call again.

use serde_json::{Map, Value, json};

use super::{Action, Change, LivePolicy, LiveTarget, Service, Step, Wait};
use crate::resource::{ScalableTarget, Scales, ScalingPolicy};

/// Plans a scalable target and its scheduled actions.
pub fn target(wanted: &ScalableTarget, live: Option<&LiveTarget>) -> Change {
    let action = if live.is_some() { Action::Update } else { Action::Create };
    let mut steps = Vec::new();
    let is_same = live.is_some_and(|live| {
        (live.min, live.max) == (wanted.min, wanted.max)
            // A role that is not given is AWS's own, and shown all the same.
            && (wanted.role.is_none() || wanted.role == live.role)
            && suspended(&wanted.suspended) == suspended(&live.suspended)
    });
    if !is_same {
        let mut body = ids(&wanted.scales);
        body.insert("MinCapacity".into(), json!(wanted.min));
        body.insert("MaxCapacity".into(), json!(wanted.max));
        if let Some(role) = &wanted.role {
            body.insert("RoleARN".into(), json!(role));
        }
        if !wanted.suspended.is_null() || live.is_some_and(|live| suspended(&live.suspended) != [false; 3]) {
            body.insert("SuspendedState".into(), suspended_state(suspended(&wanted.suspended)));
        }
        if live.is_none() && !wanted.tags.is_empty() {
            let tags: Map<String, Value> =
                wanted.tags.iter().map(|tag| (tag.key.clone(), json!(tag.value))).collect();
            body.insert("Tags".into(), Value::Object(tags));
        }
        let says = format!("scale {} from {} to {}", what(&wanted.scales), wanted.min, wanted.max);
        steps.push(step(says, "RegisterScalableTarget", body));
    }
    for wanted_action in &wanted.scheduled {
        let is_there = live.is_some_and(|live| live.scheduled.contains(wanted_action));
        if !is_there {
            let mut body = ids(&wanted.scales);
            body.extend(wanted_action.as_object().cloned().unwrap_or_default());
            let name = wanted_action["ScheduledActionName"].as_str().unwrap_or_default();
            steps.push(step(format!("schedule {name}"), "PutScheduledAction", body));
        }
    }
    Change::new(action, steps)
}

/// Plans a scaling policy. `live` is the configuration of the policy of that name.
pub fn policy(wanted: &ScalingPolicy, live: Option<&LivePolicy>) -> Change {
    let action = if live.is_some() { Action::Update } else { Action::Create };
    if live.is_some_and(|live| plain(live) == plain(&wanted.configuration)) {
        return Change::new(Action::Keep, Vec::new());
    }
    let mut body = ids(&wanted.scales);
    body.insert("PolicyName".into(), json!(wanted.name));
    body.insert("PolicyType".into(), json!("TargetTrackingScaling"));
    body.insert("TargetTrackingScalingPolicyConfiguration".into(), wanted.configuration.clone());
    let target = wanted.configuration["TargetValue"].as_f64().unwrap_or_default();
    let says = format!("keep {} used to {target} %", what(&wanted.scales));
    Change::new(action, vec![step(says, "PutScalingPolicy", body)])
}

fn step(says: String, operation: &'static str, body: Map<String, Value>) -> Step {
    Step { says, service: Service::AutoScaling, operation, body: Value::Object(body), wait: Wait::Nothing }
}

fn ids(scales: &Scales) -> Map<String, Value> {
    let ids = json!({
        "ServiceNamespace": "dynamodb",
        "ResourceId": scales.resource_id,
        "ScalableDimension": scales.dimension,
    });
    ids.as_object().cloned().unwrap_or_default()
}

/// `the reads of table/Orders`.
fn what(scales: &Scales) -> String {
    let kind = if scales.dimension.ends_with("ReadCapacityUnits") { "reads" } else { "writes" };
    format!("the {kind} of {}", scales.resource_id)
}

const SUSPENDED: [&str; 3] =
    ["DynamicScalingInSuspended", "DynamicScalingOutSuspended", "ScheduledScalingSuspended"];

fn suspended(state: &Value) -> [bool; 3] {
    SUSPENDED.map(|name| state[name] == true)
}

fn suspended_state(state: [bool; 3]) -> Value {
    Value::Object(SUSPENDED.into_iter().zip(state).map(|(name, is)| (name.to_owned(), json!(is))).collect())
}

/// Without what says nothing, and with numbers of one kind: `70` and `70.0` are the same target.
fn plain(configuration: &Value) -> Value {
    let mut plain = Map::new();
    for (name, value) in configuration.as_object().into_iter().flatten() {
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Number(number) => {
                plain.insert(name.clone(), json!(number.as_f64()));
            }
            other => {
                plain.insert(name.clone(), other.clone());
            }
        }
    }
    Value::Object(plain)
}
