//! `AWS::DynamoDB::GlobalTable` with one replica: a table, and what scales it.

use serde_json::{Value, json};

use super::field;
use super::shape::Reading;
use super::table::{check, common, find, insights, regional, resource};
use crate::evaluate::Evaluator;
use crate::resource::{Resource, ScalableTarget, Scales, ScalingPolicy, Wanted};
use crate::table::{Encryption, GlobalIndex, Table, Throughput};
use crate::template::Declaration;

pub(super) fn read(
    evaluator: &Evaluator<'_>,
    declaration: &Declaration,
    properties: &Value,
    reading: &mut Reading<'_>,
) -> Vec<Resource> {
    let replicas = properties.get("Replicas").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let [replica] = replicas else {
        find(reading, "Replicas", "a global table of one region can be deployed, and this is not one");
        return Vec::new();
    };
    let region: String = field(replica, "Region");
    if region != evaluator.settings.region {
        let message = format!("the table is for {region}, and this deploys to {}", evaluator.settings.region);
        find(reading, "Replicas/0/Region", &message);
    }
    let mut table = common(evaluator, declaration, properties, reading);
    regional(&mut table, replica);
    table.encryption = encryption(properties, replica);

    let is_on_demand = field::<String>(properties, "BillingMode") == "PAY_PER_REQUEST";
    let resource_id = format!("table/{}", table.name);
    let mut scaled = Vec::new();
    let own = Settings { general: properties, replica: Some(replica), path: "", reads_path: "Replicas/0/" };
    (table.throughput, table.on_demand) =
        own.throughput(is_on_demand, &resource_id, "table", &mut scaled, reading);
    table.global_indexes = field(properties, "GlobalSecondaryIndexes");
    let indexes = properties.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    for (number, (index, general)) in
        table.global_indexes.iter_mut().zip(indexes.into_iter().flatten()).enumerate()
    {
        let (at, of_replica) = replica_index(replica, index);
        let settings = Settings {
            general,
            replica: of_replica,
            path: &format!("GlobalSecondaryIndexes/{number}/"),
            reads_path: &format!("Replicas/0/GlobalSecondaryIndexes/{at}/"),
        };
        let id = format!("{resource_id}/index/{}", index.index_name);
        let (throughput, on_demand) = settings.throughput(is_on_demand, &id, "index", &mut scaled, reading);
        (index.throughput, index.on_demand) = (throughput, on_demand);
        index.insights = of_replica.and_then(insights);
    }
    check(&table, reading);
    check_replica_indexes(&table, replica, reading);
    let mut resources = vec![resource(declaration, reading, Wanted::Table(Box::new(table)))];
    resources.extend(scaled.into_iter().map(|wanted| resource(declaration, reading, wanted)));
    resources
}

fn encryption(properties: &Value, replica: &Value) -> Encryption {
    let is_on = properties.get("SSESpecification").is_some_and(|sse| field(sse, "SSEEnabled"));
    let key = replica.get("SSESpecification").and_then(|sse| field(sse, "KMSMasterKeyId"));
    if is_on { Encryption::Kms(key) } else { Encryption::Default }
}

fn replica_index<'v>(replica: &'v Value, index: &GlobalIndex) -> (usize, Option<&'v Value>) {
    let list = replica.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    let mut list = list.into_iter().flatten().enumerate();
    match list.find(|(_, of_replica)| field::<String>(of_replica, "IndexName") == index.index_name) {
        Some((at, found)) => (at, Some(found)),
        None => (0, None),
    }
}

fn check_replica_indexes(table: &Table, replica: &Value, reading: &mut Reading<'_>) {
    let list = replica.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    for (number, index) in list.into_iter().flatten().enumerate() {
        let name: String = field(index, "IndexName");
        if table.global_index(&name).is_none() {
            let message = format!("the table has no global index {name}");
            find(reading, &format!("Replicas/0/GlobalSecondaryIndexes/{number}"), &message);
        }
    }
}

/// The throughput of a table or an index: writes are set for all regions, reads by region.
struct Settings<'v> {
    general: &'v Value,
    replica: Option<&'v Value>,
    path: &'v str,
    reads_path: &'v str,
}

impl Settings<'_> {
    fn throughput(
        &self,
        is_on_demand: bool,
        resource_id: &str,
        level: &str,
        scaled: &mut Vec<Wanted>,
        reading: &mut Reading<'_>,
    ) -> (Option<Throughput>, crate::table::OnDemand) {
        let of = |name: &str| {
            let regional = self.replica.and_then(|replica| replica.get(name));
            regional.or_else(|| self.general.get(name))
        };
        let mut on_demand = crate::table::OnDemand::default();
        if is_on_demand {
            let most = |settings: Option<&Value>, name: &str| settings.and_then(|value| field(value, name));
            on_demand.max_read_request_units =
                most(of("ReadOnDemandThroughputSettings"), "MaxReadRequestUnits");
            on_demand.max_write_request_units =
                most(of("WriteOnDemandThroughputSettings"), "MaxWriteRequestUnits");
            return (None, on_demand);
        }
        let reads = of("ReadProvisionedThroughputSettings");
        let writes = of("WriteProvisionedThroughputSettings");
        let mut units = |settings: Option<&Value>, kind: &str, path: String| {
            let fixed: Option<i64> = settings.and_then(|value| field(value, &format!("{kind}CapacityUnits")));
            let scaling = settings.and_then(|value| value.get(format!("{kind}CapacityAutoScalingSettings")));
            match (fixed, scaling) {
                (_, Some(scaling)) => {
                    let scales = Scales {
                        resource_id: resource_id.to_owned(),
                        dimension: format!("dynamodb:{level}:{kind}CapacityUnits"),
                    };
                    scaled.extend(auto_scaling(&scales, kind, scaling));
                    let least: i64 = field(scaling, "MinCapacity");
                    Some(field::<Option<i64>>(scaling, "SeedCapacity").unwrap_or(least))
                }
                (Some(units), None) => Some(units),
                (None, None) => {
                    let message =
                        format!("BillingMode is PROVISIONED (the default), so {kind} capacity must be given");
                    find(reading, &path, &message);
                    None
                }
            }
        };
        let reads = units(reads, "Read", format!("{}ReadProvisionedThroughputSettings", self.reads_path));
        let writes = units(writes, "Write", format!("{}WriteProvisionedThroughputSettings", self.path));
        let throughput = reads
            .zip(writes)
            .map(|(reads, writes)| Throughput { read_capacity_units: reads, write_capacity_units: writes });
        (throughput, on_demand)
    }
}

/// The target and the policy that auto scaling settings stand for; the policy is called as AWS's console calls it.
fn auto_scaling(scales: &Scales, kind: &str, settings: &Value) -> [Wanted; 2] {
    let target = ScalableTarget {
        scales: scales.clone(),
        min: field(settings, "MinCapacity"),
        max: field(settings, "MaxCapacity"),
        ..ScalableTarget::default()
    };
    let metric = format!("DynamoDB{kind}CapacityUtilization");
    let mut configuration =
        settings.get("TargetTrackingScalingPolicyConfiguration").cloned().unwrap_or_default();
    configuration["PredefinedMetricSpecification"] = json!({ "PredefinedMetricType": metric });
    let policy = ScalingPolicy {
        name: format!("{metric}:{}", scales.resource_id),
        scales: scales.clone(),
        configuration,
    };
    [Wanted::ScalableTarget(target), Wanted::ScalingPolicy(policy)]
}
