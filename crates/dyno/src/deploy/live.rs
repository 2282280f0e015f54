//! What is live: asked from the server, table by table.

use std::collections::{BTreeMap, BTreeSet};

use dynamometer_cloudformation::plan::{LiveTable, LiveTarget};
use dynamometer_cloudformation::{Resource, ScalableTarget, Scales, ScalingPolicy, Wanted};
use serde_json::{Value, json};

use crate::client::{Client, Service};
use crate::problem::Problem;

/// What is live of a stack.
#[derive(Default)]
pub(super) struct Live {
    tables: BTreeMap<String, LiveTable>,
    targets: BTreeMap<Scales, LiveTarget>,
    /// By name and what is scaled.
    policies: BTreeMap<(String, Scales), Value>,
}

impl Live {
    pub(super) async fn read(client: &Client, resources: &[Resource]) -> Result<Live, Problem> {
        let mut live = Live::default();
        for resource in resources {
            match &resource.wanted {
                Wanted::Table(wanted) => {
                    if let Some(table) = whole_table(client, &wanted.name).await? {
                        live.read_targets(client, &table).await?;
                        live.tables.insert(wanted.name.clone(), table);
                    }
                }
                Wanted::ScalableTarget(wanted) => {
                    let ids = vec![wanted.scales.resource_id.clone()];
                    live.describe_targets(client, &ids).await?;
                    live.read_scheduled(client, wanted).await?;
                }
                Wanted::ScalingPolicy(wanted) => {
                    if let Some(found) = policy(client, wanted).await? {
                        let configuration = found["TargetTrackingScalingPolicyConfiguration"].clone();
                        live.policies.insert((wanted.name.clone(), wanted.scales.clone()), configuration);
                    }
                }
            }
        }
        Ok(live)
    }

    pub(super) fn table(&self, name: &str) -> Option<&LiveTable> {
        self.tables.get(name)
    }

    pub(super) fn target(&self, scales: &Scales) -> Option<&LiveTarget> {
        self.targets.get(scales)
    }

    pub(super) fn policy(&self, wanted: &ScalingPolicy) -> Option<&Value> {
        self.policies.get(&(wanted.name.clone(), wanted.scales.clone()))
    }

    /// The throughput that auto scaling looks after, or will.
    pub(super) fn scaled(&self, resources: &[Resource]) -> BTreeSet<Scales> {
        let wanted = resources.iter().filter_map(|resource| match &resource.wanted {
            Wanted::ScalableTarget(target) => Some(target.scales.clone()),
            _ => None,
        });
        wanted.chain(self.targets.keys().cloned()).collect()
    }

    /// The targets of a provisioned table and its indexes: what they scale is not the template's to set.
    async fn read_targets(&mut self, client: &Client, live: &LiveTable) -> Result<(), Problem> {
        if live.table.throughput.is_none() {
            return Ok(());
        }
        let table = format!("table/{}", live.table.name);
        let indexes = live.table.global_indexes.iter();
        let indexes = indexes.map(|index| format!("{table}/index/{}", index.index_name));
        let ids: Vec<String> = std::iter::once(table.clone()).chain(indexes).collect();
        self.describe_targets(client, &ids).await
    }

    async fn describe_targets(&mut self, client: &Client, ids: &[String]) -> Result<(), Problem> {
        let request = json!({ "ServiceNamespace": "dynamodb", "ResourceIds": ids });
        let pages = pages(client, "DescribeScalableTargets", request, "ScalableTargets").await?;
        for target in pages {
            let text = |name: &str| target[name].as_str().unwrap_or_default().to_owned();
            let scales = Scales { resource_id: text("ResourceId"), dimension: text("ScalableDimension") };
            let live = ScalableTarget {
                scales: scales.clone(),
                min: target["MinCapacity"].as_i64().unwrap_or_default(),
                max: target["MaxCapacity"].as_i64().unwrap_or_default(),
                role: target["RoleARN"].as_str().map(str::to_owned),
                suspended: target["SuspendedState"].clone(),
                ..ScalableTarget::default()
            };
            self.targets.entry(scales).or_insert(live);
        }
        Ok(())
    }

    async fn read_scheduled(&mut self, client: &Client, wanted: &ScalableTarget) -> Result<(), Problem> {
        if wanted.scheduled.is_empty() {
            return Ok(());
        }
        let request = json!({
            "ServiceNamespace": "dynamodb",
            "ResourceId": wanted.scales.resource_id,
            "ScalableDimension": wanted.scales.dimension,
        });
        let actions = pages(client, "DescribeScheduledActions", request, "ScheduledActions").await?;
        if let Some(live) = self.targets.get_mut(&wanted.scales) {
            live.scheduled = actions.iter().map(scheduled_action).collect();
        }
        Ok(())
    }
}

/// A scheduled action as a template gives it, with whole seconds.
fn scheduled_action(action: &Value) -> Value {
    let mut kept = json!({});
    for name in ["ScheduledActionName", "Schedule", "Timezone", "ScalableTargetAction"] {
        if !action[name].is_null() {
            kept[name] = action[name].clone();
        }
    }
    for name in ["StartTime", "EndTime"] {
        if let Some(seconds) = action[name].as_f64() {
            kept[name] = json!(seconds as i64);
        }
    }
    kept
}

/// DescribeTable; `None` when there is no such table.
pub(super) async fn describe(client: &Client, name: &str) -> Result<Option<Value>, Problem> {
    match client.call(Service::DynamoDb, "DescribeTable", &json!({ "TableName": name })).await {
        Ok(answer) => Ok(Some(answer["Table"].clone())),
        Err(error) if error.is("ResourceNotFoundException") => Ok(None),
        Err(error) => Err(client.problem("DescribeTable", &error)),
    }
}

/// What DescribeTable alone tells of a table.
pub(super) async fn table(client: &Client, name: &str) -> Result<Option<LiveTable>, Problem> {
    Ok(describe(client, name).await?.map(|answer| LiveTable::describe(&answer)))
}

/// A table with all its settings; one that is being made or changed is waited for.
async fn whole_table(client: &Client, name: &str) -> Result<Option<LiveTable>, Problem> {
    super::carry_out::settle(client, name).await?;
    let Some(mut live) = table(client, name).await? else { return Ok(None) };
    let by_name = json!({ "TableName": name });
    if let Some(answer) = ask(client, "DescribeTimeToLive", &by_name).await? {
        live.time_to_live(&answer);
    }
    if let Some(answer) = ask(client, "DescribeContinuousBackups", &by_name).await? {
        live.continuous_backups(&answer);
    }
    let mut request = json!({ "ResourceArn": live.arn });
    while let Some(answer) = ask(client, "ListTagsOfResource", &request).await? {
        live.tags(&answer);
        match answer.get("NextToken") {
            Some(token) if !token.is_null() => request["NextToken"] = token.clone(),
            _ => break,
        }
    }
    let indexes: Vec<String> =
        live.table.global_indexes.iter().map(|index| index.index_name.clone()).collect();
    for index in std::iter::once(None).chain(indexes.iter().map(Some)) {
        let mut request = by_name.clone();
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
        let Some(answer) = ask(client, "DescribeContributorInsights", &request).await? else { break };
        live.contributor_insights(index.map(String::as_str), &answer);
    }
    Ok(Some(live))
}

/// Asks DynamoDB; `None` when the server does not have the operation, so that what it tells is off.
async fn ask(client: &Client, operation: &str, request: &Value) -> Result<Option<Value>, Problem> {
    match client.call(Service::DynamoDb, operation, request).await {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_lacking() => Ok(None),
        Err(error) => Err(client.problem(operation, &error)),
    }
}

/// The live policy of a name and a dimension.
async fn policy(client: &Client, wanted: &ScalingPolicy) -> Result<Option<Value>, Problem> {
    let request = json!({
        "ServiceNamespace": "dynamodb",
        "PolicyNames": [wanted.name],
        "ResourceId": wanted.scales.resource_id,
        "ScalableDimension": wanted.scales.dimension,
    });
    Ok(pages(client, "DescribeScalingPolicies", request, "ScalingPolicies").await?.into_iter().next())
}

/// The ARN of a policy, where the server has it.
pub(super) async fn policy_arn(client: &Client, wanted: &ScalingPolicy) -> Result<Option<String>, Problem> {
    Ok(policy(client, wanted).await?.and_then(|policy| policy["PolicyARN"].as_str().map(str::to_owned)))
}

/// All elements of a list of Application Auto Scaling's; none when the server does not have the operation.
async fn pages(
    client: &Client,
    operation: &str,
    mut request: Value,
    list: &str,
) -> Result<Vec<Value>, Problem> {
    let mut elements = Vec::new();
    loop {
        let answer = match client.call(Service::AutoScaling, operation, &request).await {
            Ok(answer) => answer,
            Err(error) if error.is_lacking() => return Ok(elements),
            Err(error) => return Err(client.problem(operation, &error)),
        };
        elements.extend(answer[list].as_array().cloned().unwrap_or_default());
        match answer.get("NextToken") {
            Some(token) if !token.is_null() => request["NextToken"] = token.clone(),
            _ => return Ok(elements),
        }
    }
}
