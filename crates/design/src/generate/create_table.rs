//! Requests as JSON, as `aws dynamodb create-table --cli-input-json` and `dyno serve --fixtures` take them.

use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::TableClass;
use dynamometer_types::KeySchema;
use serde_json::{Map, Value, json};

use super::{File, attribute_definitions, capacity, throughput, view_type};
use crate::load::Load;
use crate::model::{Design, Index, Projection, Spanned, Target};

/// A CreateTable request for each table, and what CreateTable cannot say in requests of its own.
pub(super) fn files(design: &Design, load: &Load) -> Vec<File> {
    let mut files = Vec::new();
    for (at, table) in design.tables.iter().enumerate() {
        let name = &table.name;
        let mut add = |operation: &str, request: Value| {
            files.push(File { name: format!("{}.{operation}.json", **name), text: format!("{request:#}\n") });
        };
        add("create-table", create_table(design, load, at));
        if let Some(ttl) = &table.ttl {
            let specification = json!({ "AttributeName": *ttl.attribute, "Enabled": true });
            let request = json!({ "TableName": **name, "TimeToLiveSpecification": specification });
            add("update-time-to-live", request);
        }
        if table.recovery.as_ref().is_some_and(|recovery| recovery.value) {
            let specification = json!({ "PointInTimeRecoveryEnabled": true });
            let request = json!({ "TableName": **name, "PointInTimeRecoverySpecification": specification });
            add("update-continuous-backups", request);
        }
    }
    files
}

fn create_table(design: &Design, load: &Load, at: usize) -> Value {
    let table = &design.tables[at];
    let is_provisioned = table.billing == BillingMode::Provisioned;
    let definitions = attribute_definitions(design, at);
    let definitions: Vec<Value> = definitions
        .iter()
        .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }))
        .collect();
    let mut request = Map::new();
    request.insert("TableName".into(), json!(*table.name));
    request.insert("AttributeDefinitions".into(), Value::from(definitions));
    request.insert("KeySchema".into(), key_schema(&table.keys));
    let mode = if is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" };
    request.insert("BillingMode".into(), json!(mode));
    throughputs(&mut request, design, load, Target::table(at));
    for (local, name) in [(false, "GlobalSecondaryIndexes"), (true, "LocalSecondaryIndexes")] {
        let of_kind = table.indexes.iter().enumerate().filter(|(_, index)| index.local == local);
        let indexes: Vec<Value> = of_kind
            .map(|(index_at, index)| index_value(design, load, Target::index(at, index_at), index))
            .collect();
        if !indexes.is_empty() {
            request.insert(name.into(), Value::from(indexes));
        }
    }
    if let Some(stream) = &table.stream {
        let specification = json!({ "StreamEnabled": true, "StreamViewType": view_type(stream) });
        request.insert("StreamSpecification".into(), specification);
    }
    if table.class == TableClass::StandardInfrequentAccess {
        request.insert("TableClass".into(), json!("STANDARD_INFREQUENT_ACCESS"));
    }
    if let Some(protection) = &table.deletion_protection {
        request.insert("DeletionProtectionEnabled".into(), json!(protection.value));
    }
    Value::from(request)
}

fn key_schema(keys: &KeySchema) -> Value {
    let hash = keys.partition.iter().map(|key| json!({ "AttributeName": key.name, "KeyType": "HASH" }));
    let range = keys.sort.iter().map(|key| json!({ "AttributeName": key.name, "KeyType": "RANGE" }));
    Value::from(hash.chain(range).collect::<Vec<_>>())
}

fn throughputs(request: &mut Map<String, Value>, design: &Design, load: &Load, target: Target) {
    if design.tables[target.table].billing == BillingMode::Provisioned {
        let units = capacity(design, load, target);
        let throughput = json!({ "ReadCapacityUnits": units.read, "WriteCapacityUnits": units.write });
        request.insert("ProvisionedThroughput".into(), throughput);
    }
    let settings = throughput(design, target);
    let mut add = |name: &str, words: [&str; 2], units: &Option<Spanned<PerDimension<Option<u64>>>>| {
        let Some(units) = units else { return };
        let pairs = words.into_iter().zip([units.read, units.write]);
        let said: Map<String, Value> =
            pairs.filter_map(|(word, units)| Some((word.to_owned(), json!(units?)))).collect();
        request.insert(name.into(), Value::from(said));
    };
    add("OnDemandThroughput", ["MaxReadRequestUnits", "MaxWriteRequestUnits"], &settings.most);
    add("WarmThroughput", ["ReadUnitsPerSecond", "WriteUnitsPerSecond"], &settings.warm);
}

fn index_value(design: &Design, load: &Load, target: Target, index: &Index) -> Value {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    };
    let mut value = Map::new();
    value.insert("IndexName".into(), json!(*index.name));
    value.insert("KeySchema".into(), key_schema(&index.keys));
    value.insert("Projection".into(), projection);
    if !index.local {
        throughputs(&mut value, design, load, target);
    }
    Value::from(value)
}
