//! A table that is not there yet: CreateTable, and the settings that CreateTable does not take.

use serde_json::{Map, Value, json};

use super::{Step, settings};
use crate::table::{Encryption, Table};

pub(super) fn steps(wanted: &Table) -> Vec<Step> {
    let mut steps =
        vec![Step::on_table(&wanted.name, summary(wanted), "CreateTable", create_request(wanted))];
    let nothing = Table { global_indexes: bare_indexes(wanted), ..Table::default() };
    settings::time_to_live(wanted, &nothing, &mut steps);
    settings::recovery(wanted, &nothing, &mut steps);
    settings::insights(wanted, &nothing, &mut steps);
    steps
}

/// The table's indexes without insights, as they are just after they were made.
fn bare_indexes(wanted: &Table) -> Vec<crate::table::GlobalIndex> {
    let bare =
        |index: &crate::table::GlobalIndex| crate::table::GlobalIndex { insights: None, ..index.clone() };
    wanted.global_indexes.iter().map(bare).collect()
}

/// `create the table: key PK (S), SK (S); 2 global indexes; on demand`.
fn summary(wanted: &Table) -> String {
    let mut parts = vec![format!("create the table: key {}", super::table::keys(wanted, &wanted.keys))];
    for (count, kind) in [(wanted.local_indexes.len(), "local"), (wanted.global_indexes.len(), "global")] {
        match count {
            0 => {}
            1 => parts.push(format!("1 {kind} index")),
            _ => parts.push(format!("{count} {kind} indexes")),
        }
    }
    parts.push(match wanted.throughput {
        None => "on demand".into(),
        Some(units) => super::throughput::words(&units),
    });
    parts.join("; ")
}

/// A CreateTable request for a table with its settings, but for those that CreateTable does not take.
pub fn create_request(wanted: &Table) -> Value {
    let mut request = Map::new();
    let mut put = |name: &str, value: Value| {
        request.insert(name.to_owned(), value);
    };
    put("TableName", json!(wanted.name));
    put("AttributeDefinitions", json!(wanted.attributes));
    put("KeySchema", json!(wanted.keys));
    if !wanted.local_indexes.is_empty() {
        put("LocalSecondaryIndexes", json!(wanted.local_indexes));
    }
    if !wanted.global_indexes.is_empty() {
        put("GlobalSecondaryIndexes", json!(wanted.global_indexes));
    }
    match wanted.throughput {
        None => put("BillingMode", json!("PAY_PER_REQUEST")),
        Some(units) => {
            put("BillingMode", json!("PROVISIONED"));
            put("ProvisionedThroughput", json!(units));
        }
    }
    if !crate::table::is_default(&wanted.on_demand) {
        put("OnDemandThroughput", json!(wanted.on_demand));
    }
    if !wanted.warm.is_none() {
        put("WarmThroughput", json!(wanted.warm));
    }
    if let Some(view) = &wanted.stream {
        put("StreamSpecification", json!({ "StreamEnabled": true, "StreamViewType": view }));
    }
    if wanted.encryption != Encryption::Default {
        put("SSESpecification", settings::sse(&wanted.encryption));
    }
    if wanted.infrequent_access {
        put("TableClass", json!("STANDARD_INFREQUENT_ACCESS"));
    }
    if wanted.deletion_protection {
        put("DeletionProtectionEnabled", json!(true));
    }
    if !wanted.tags.is_empty() {
        put("Tags", json!(wanted.tags));
    }
    Value::Object(request)
}
