//! Throughput: billing mode, provisioned units, maximum on demand, warm throughput.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::indexes::Indexes;
use super::{LiveTable, Step, Told};
use crate::resource::Scales;
use crate::table::{OnDemand, Table, Throughput, Warm};

/// `5 reads and 5 writes a second`.
pub(super) fn words(units: &Throughput) -> String {
    format!("{} read and {} write units", units.read_capacity_units, units.write_capacity_units)
}

pub(super) fn steps(
    wanted: &Table,
    live: &LiveTable,
    indexes: &Indexes<'_>,
    told: &Told,
    steps: &mut Vec<Step>,
    notes: &mut Vec<String>,
) {
    match (wanted.throughput, live.table.throughput) {
        (Some(units), None) => steps.push(to_provisioned(wanted, units, indexes)),
        (None, Some(_)) => {
            let body = json!({ "TableName": wanted.name, "BillingMode": "PAY_PER_REQUEST" });
            steps.push(Step::on_table(&wanted.name, "bill on demand", "UpdateTable", body));
            maxima(wanted, OnDemand::default(), indexes, steps);
        }
        (None, None) => maxima(wanted, live.table.on_demand, indexes, steps),
        (Some(units), Some(is)) => provisioned(wanted, units, is, indexes, told, steps, notes),
    }
}

fn to_provisioned(wanted: &Table, units: Throughput, indexes: &Indexes<'_>) -> Step {
    let mut body = json!({
        "TableName": wanted.name,
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": units,
    });
    let updates = indexes.kept.iter().map(|(index, _)| update(&index.index_name, index.throughput));
    let updates: Vec<Value> = updates.collect();
    if !updates.is_empty() {
        body["GlobalSecondaryIndexUpdates"] = json!(updates);
    }
    Step::on_table(&wanted.name, format!("bill for {}", words(&units)), "UpdateTable", body)
}

/// Changes of provisioned units, the table's and its indexes', in one call.
fn provisioned(
    wanted: &Table,
    units: Throughput,
    is: Throughput,
    indexes: &Indexes<'_>,
    told: &Told,
    steps: &mut Vec<Step>,
    notes: &mut Vec<String>,
) {
    let table_id = format!("table/{}", wanted.name);
    let mut body = json!({ "TableName": wanted.name });
    let mut says = Vec::new();
    let own = settled_units(units, is, &table_id, "table", told, "the table", notes);
    if own != is {
        body["ProvisionedThroughput"] = json!(own);
        says.push(words(&own));
    }
    let mut updates = Vec::new();
    for (index, other) in &indexes.kept {
        let (Some(units), Some(is)) = (index.throughput, other.throughput) else { continue };
        let name = &index.index_name;
        let id = format!("{table_id}/index/{name}");
        let units = settled_units(units, is, &id, "index", told, &format!("the index {name}"), notes);
        if units != is {
            updates.push(update(name, Some(units)));
            says.push(format!("{} for the index {name}", words(&units)));
        }
    }
    if says.is_empty() {
        return;
    }
    if !updates.is_empty() {
        body["GlobalSecondaryIndexUpdates"] = json!(updates);
    }
    steps.push(Step::on_table(&wanted.name, format!("provision {}", says.join(", ")), "UpdateTable", body));
}

/// What the template asks for, but for what auto scaling has set.
fn settled_units(
    wanted: Throughput,
    is: Throughput,
    resource_id: &str,
    level: &str,
    told: &Told,
    whose: &str,
    notes: &mut Vec<String>,
) -> Throughput {
    let mut choose = |kind: &str, wanted: i64, is: i64| {
        let dimension = format!("dynamodb:{level}:{kind}CapacityUnits");
        let scales = Scales { resource_id: resource_id.to_owned(), dimension };
        if wanted == is || !told.scaled.contains(&scales) {
            return wanted;
        }
        let kind = kind.to_lowercase();
        notes.push(format!("{is} {kind} units of {whose} stay: auto scaling looks after them"));
        is
    };
    Throughput {
        read_capacity_units: choose("Read", wanted.read_capacity_units, is.read_capacity_units),
        write_capacity_units: choose("Write", wanted.write_capacity_units, is.write_capacity_units),
    }
}

fn update(name: &str, units: Option<Throughput>) -> Value {
    json!({ "Update": { "IndexName": name, "ProvisionedThroughput": units } })
}

/// Changes of the maximum on demand: the table's in a call of its own, the indexes' in another.
fn maxima(wanted: &Table, is: OnDemand, indexes: &Indexes<'_>, steps: &mut Vec<Step>) {
    if let Some(change) = maximum(wanted.on_demand, is) {
        let says = format!("maximum on demand: {}", maximum_words(&wanted.on_demand));
        let body = json!({ "TableName": wanted.name, "OnDemandThroughput": change });
        steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
    }
    let mut updates = Vec::new();
    let mut names = Vec::new();
    for (index, other) in &indexes.kept {
        if let Some(change) = maximum(index.on_demand, other.on_demand) {
            let name = &index.index_name;
            updates.push(json!({ "Update": { "IndexName": name, "OnDemandThroughput": change } }));
            names.push(format!("{name} {}", maximum_words(&index.on_demand)));
        }
    }
    if !updates.is_empty() {
        let says = format!("maximum on demand of indexes: {}", names.join(", "));
        let body = json!({ "TableName": wanted.name, "GlobalSecondaryIndexUpdates": updates });
        steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
    }
}

/// The members that change; -1 takes a maximum away.
fn maximum(wanted: OnDemand, is: OnDemand) -> Option<BTreeMap<&'static str, i64>> {
    let members = [
        ("MaxReadRequestUnits", wanted.max_read_request_units, is.max_read_request_units),
        ("MaxWriteRequestUnits", wanted.max_write_request_units, is.max_write_request_units),
    ];
    let changed = members.into_iter().filter(|(_, wanted, is)| wanted != is);
    let changed: BTreeMap<_, _> = changed.map(|(name, wanted, _)| (name, wanted.unwrap_or(-1))).collect();
    (!changed.is_empty()).then_some(changed)
}

fn maximum_words(on_demand: &OnDemand) -> String {
    let word = |units: Option<i64>| units.map_or("any number of".to_owned(), |units| units.to_string());
    let (reads, writes) = (word(on_demand.max_read_request_units), word(on_demand.max_write_request_units));
    format!("{reads} reads, {writes} writes")
}

/// Warm throughput, which only grows, alone in its call.
pub(super) fn warm_steps(wanted: &Table, live: &LiveTable, indexes: &Indexes<'_>, steps: &mut Vec<Step>) {
    if wanted.warm.exceeds(&live.table.warm) {
        let body = json!({ "TableName": wanted.name, "WarmThroughput": wanted.warm });
        let says = format!("warm throughput: {}", warm_words(&wanted.warm));
        steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
    }
    for (index, other) in &indexes.kept {
        if index.warm.exceeds(&other.warm) {
            let name = &index.index_name;
            let update = json!({ "Update": { "IndexName": name, "WarmThroughput": index.warm } });
            let body = json!({ "TableName": wanted.name, "GlobalSecondaryIndexUpdates": [update] });
            let says = format!("warm throughput of the index {name}: {}", warm_words(&index.warm));
            steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
        }
    }
}

fn warm_words(warm: &Warm) -> String {
    let parts = [(warm.read_units_per_second, "reads"), (warm.write_units_per_second, "writes")];
    let parts = parts.into_iter().filter_map(|(units, word)| Some(format!("{} {word}", units?)));
    format!("{} a second", parts.collect::<Vec<_>>().join(", "))
}
