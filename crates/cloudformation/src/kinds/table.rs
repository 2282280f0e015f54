//! `AWS::DynamoDB::Table`.

use serde_json::Value;

use super::field;
use super::shape::Reading;
use crate::document::Content;
use crate::evaluate::Evaluator;
use crate::finding::Finding;
use crate::resource::{Resource, Wanted};
use crate::table::{Encryption, GlobalIndex, InsightsMode, Table, Throughput};
use crate::template::Declaration;

/// The days that point-in-time recovery reaches back when nothing is said. Source: DynamoDB's API.
pub(crate) const RECOVERY_DAYS: i64 = 35;

/// The name of a table: the one that it is given, or one made of the stack's and its own.
pub(super) fn name(evaluator: &Evaluator<'_>, declaration: &Declaration) -> Result<Content, Finding> {
    let given = declaration.properties.get("TableName");
    let given = given.map(|node| evaluator.evaluate(node)).transpose()?.flatten();
    Ok(match given {
        Some(node) => node.content,
        None => Content::Text(format!("{}-{}", evaluator.settings.stack, declaration.name)),
    })
}

pub(super) fn read(
    evaluator: &Evaluator<'_>,
    declaration: &Declaration,
    properties: &Value,
    reading: &mut Reading<'_>,
) -> Vec<Resource> {
    let mut table = common(evaluator, declaration, properties, reading);
    table.global_indexes = field::<Vec<GlobalIndex>>(properties, "GlobalSecondaryIndexes");
    let indexes = properties.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    for (index, read) in table.global_indexes.iter_mut().zip(indexes.into_iter().flatten()) {
        index.insights = insights(read);
        index.throughput = given_throughput(read);
    }
    table.throughput = given_throughput(properties);
    table.on_demand = field(properties, "OnDemandThroughput");
    if let Some(encryption) = properties.get("SSESpecification") {
        let key: Option<String> = field(encryption, "KMSMasterKeyId");
        let is_on: bool = field(encryption, "SSEEnabled");
        if key.is_some() && !is_on {
            find(reading, "SSESpecification/KMSMasterKeyId", "there is a key, and SSEEnabled is false");
        }
        table.encryption = if is_on { Encryption::Kms(key) } else { Encryption::Default };
    }
    regional(&mut table, properties);
    check_billing(properties, &mut table, reading);
    check(&table, reading);
    vec![resource(declaration, reading, Wanted::Table(Box::new(table)))]
}

/// What a table of one region and a global one say in the same words.
pub(super) fn common(
    evaluator: &Evaluator<'_>,
    declaration: &Declaration,
    properties: &Value,
    reading: &mut Reading<'_>,
) -> Table {
    let name = match name(evaluator, declaration) {
        Ok(Content::Text(name)) => name,
        _ => field(properties, "TableName"),
    };
    if !dynamometer_types::name::is_name(&name) {
        let message = format!("`{name}` is no table name: 3 to 255 letters, digits, `_`, `-` and `.`");
        find(reading, "TableName", &message);
    }
    let mut table = Table {
        name,
        attributes: field(properties, "AttributeDefinitions"),
        keys: field(properties, "KeySchema"),
        local_indexes: field(properties, "LocalSecondaryIndexes"),
        warm: field(properties, "WarmThroughput"),
        ..Table::default()
    };
    if let Some(stream) = properties.get("StreamSpecification") {
        table.stream = field(stream, "StreamViewType");
    }
    if let Some(time_to_live) = properties.get("TimeToLiveSpecification")
        && field::<bool>(time_to_live, "Enabled")
    {
        table.time_to_live = field(time_to_live, "AttributeName");
        if table.time_to_live.is_none() {
            find(reading, "TimeToLiveSpecification", "AttributeName is missing");
        }
    }
    table
}

/// What a table of one region says of itself, and a global one of each region.
pub(super) fn regional(table: &mut Table, properties: &Value) {
    table.infrequent_access = field::<String>(properties, "TableClass") == "STANDARD_INFREQUENT_ACCESS";
    table.deletion_protection = field(properties, "DeletionProtectionEnabled");
    table.tags = field(properties, "Tags");
    table.insights = insights(properties);
    if let Some(recovery) = properties.get("PointInTimeRecoverySpecification")
        && field::<bool>(recovery, "PointInTimeRecoveryEnabled")
    {
        let days: Option<i64> = field(recovery, "RecoveryPeriodInDays");
        table.recovery_days = Some(days.unwrap_or(RECOVERY_DAYS));
    }
}

pub(super) fn insights(properties: &Value) -> Option<InsightsMode> {
    let insights = properties.get("ContributorInsightsSpecification")?;
    field::<bool>(insights, "Enabled").then(|| field(insights, "Mode"))
}

/// Zeros mean the same as nothing: templates carry them for tables on demand.
fn given_throughput(properties: &Value) -> Option<Throughput> {
    let throughput: Option<Throughput> = field(properties, "ProvisionedThroughput");
    throughput.filter(|throughput| *throughput != Throughput::default())
}

/// Throughput and billing mode must say the same.
fn check_billing(properties: &Value, table: &mut Table, reading: &mut Reading<'_>) {
    // CloudFormation's own default, however old.
    let is_provisioned = field::<String>(properties, "BillingMode") != "PAY_PER_REQUEST";
    let parts = std::iter::once((String::new(), table.throughput, table.on_demand));
    let indexes = table.global_indexes.iter().enumerate().map(|(number, index)| {
        (format!("GlobalSecondaryIndexes/{number}/"), index.throughput, index.on_demand)
    });
    for (path, throughput, on_demand) in parts.chain(indexes) {
        let place = |name: &str| format!("{path}{name}");
        match throughput {
            None if is_provisioned => find(
                reading,
                &place("ProvisionedThroughput"),
                "BillingMode is PROVISIONED (the default), so ProvisionedThroughput must be given",
            ),
            Some(_) if !is_provisioned => find(
                reading,
                &place("ProvisionedThroughput"),
                "BillingMode is PAY_PER_REQUEST, so there is no ProvisionedThroughput",
            ),
            _ => {}
        }
        if is_provisioned && on_demand != Default::default() {
            find(
                reading,
                &place("OnDemandThroughput"),
                "BillingMode is PROVISIONED (the default), so there is no OnDemandThroughput",
            );
        }
    }
}

/// What would be refused halfway otherwise.
pub(super) fn check(table: &Table, reading: &mut Reading<'_>) {
    let locals = table.local_indexes.iter().map(|index| (&index.index_name, &index.key_schema));
    let globals = table.global_indexes.iter().map(|index| (&index.index_name, &index.key_schema));
    let mut used: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let paths = (0..table.local_indexes.len()).map(|at| format!("LocalSecondaryIndexes/{at}"));
    let paths = paths.chain((0..table.global_indexes.len()).map(|at| format!("GlobalSecondaryIndexes/{at}")));
    let mut keys = vec![("KeySchema".to_owned(), &table.keys)];
    for ((name, schema), path) in locals.chain(globals).zip(paths) {
        if names.contains(&name.as_str()) {
            find(reading, &format!("{path}/IndexName"), &format!("there are two indexes {name}"));
        }
        names.push(name);
        keys.push((format!("{path}/KeySchema"), schema));
    }
    for (path, schema) in keys {
        for (number, key) in schema.iter().enumerate() {
            used.push(&key.attribute_name);
            if table.type_of(&key.attribute_name).is_none() {
                let message =
                    format!("the key attribute {} has no type in AttributeDefinitions", key.attribute_name);
                find(reading, &format!("{path}/{number}"), &message);
            }
        }
    }
    for (number, definition) in table.attributes.iter().enumerate() {
        if !used.contains(&definition.attribute_name.as_str()) {
            let message = format!(
                "the attribute {} is no key of the table or an index, so it has no place in AttributeDefinitions",
                definition.attribute_name
            );
            find(reading, &format!("AttributeDefinitions/{number}"), &message);
        }
    }
}

pub(super) fn find(reading: &mut Reading<'_>, path: &str, message: &str) {
    let message = format!("{}: {message}", reading.owner);
    reading.findings.push(Finding::new(reading.places.at(path), message));
}

pub(super) fn resource(declaration: &Declaration, reading: &Reading<'_>, wanted: Wanted) -> Resource {
    Resource {
        logical_id: declaration.name.clone(),
        kind: declaration.kind.clone(),
        at: declaration.at,
        places: reading.places.clone(),
        retain_replaced: declaration.retain_replaced,
        wanted,
    }
}
