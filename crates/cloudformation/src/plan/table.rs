//! A table's change: what must be replaced, and then every setting in an order that DynamoDB takes.

use serde_json::json;

use super::{Action, Change, LiveTable, Step, Told, Wait, create, indexes, settings, throughput};
use crate::finding::Finding;
use crate::resource::Resource;
use crate::table::{KeyElement, Table};

/// Plans a table. `live` is `None` when there is no table of its name.
///
/// # Errors
/// What would be replaced without having been allowed, and what may not be replaced.
pub fn table(
    resource: &Resource,
    wanted: &Table,
    live: Option<&LiveTable>,
    told: &Told,
) -> Result<Change, Vec<Finding>> {
    let Some(live) = live else {
        return Ok(Change::new(Action::Create, create::steps(wanted)));
    };
    if let Some((path, why)) = replacement(wanted, &live.table) {
        return replace(resource, wanted, live, told, path, why).map_err(|finding| vec![finding]);
    }
    let indexes = indexes::compare(resource, wanted, live, told)?;
    let mut change = Change::new(Action::Update, Vec::new());
    let steps = &mut change.steps;
    settings::tags(wanted, live, steps);
    indexes.delete_steps(wanted, steps);
    throughput::steps(wanted, live, &indexes, told, steps, &mut change.notes);
    indexes.create_steps(wanted, steps);
    settings::stream(wanted, live, steps);
    settings::encryption(wanted, live, steps);
    settings::class(wanted, live, steps);
    throughput::warm_steps(wanted, live, &indexes, steps);
    settings::time_to_live(wanted, &live.table, steps);
    settings::recovery(wanted, &live.table, steps);
    settings::insights(wanted, &live.table, steps);
    settings::deletion_protection(wanted, live, steps);
    if !change.steps.is_empty() {
        change.action = Action::Update;
    }
    Ok(change)
}

/// What cannot be changed in place: the property, and how the two differ.
fn replacement(wanted: &Table, live: &Table) -> Option<(&'static str, String)> {
    if keys(wanted, &wanted.keys) != keys(live, &live.keys) {
        let (is, wants) = (keys(live, &live.keys), keys(wanted, &wanted.keys));
        return Some(("KeySchema", format!("its key is {is}, and the template has {wants}")));
    }
    let is_same = wanted.local_indexes.len() == live.local_indexes.len()
        && wanted.local_indexes.iter().all(|index| {
            live.local_indexes.iter().any(|other| {
                index.is_like(other) && keys(wanted, &index.key_schema) == keys(live, &other.key_schema)
            })
        });
    (!is_same).then(|| ("LocalSecondaryIndexes", "its local secondary indexes are others".into()))
}

/// `PK (S), SK (S)`.
pub(super) fn keys(table: &Table, schema: &[KeyElement]) -> String {
    let key = |key: &KeyElement| {
        let kind = table.type_of(&key.attribute_name).unwrap_or("?");
        format!("{} ({kind})", key.attribute_name)
    };
    schema.iter().map(key).collect::<Vec<_>>().join(", ")
}

fn replace(
    resource: &Resource,
    wanted: &Table,
    live: &LiveTable,
    told: &Told,
    path: &str,
    why: String,
) -> Result<Change, Finding> {
    let (id, name) = (&resource.logical_id, &wanted.name);
    let at = resource.places.at(path);
    let message = format!("{id}: the table {name} cannot become this in place: {why}");
    if resource.retain_replaced {
        return Err(
            Finding::new(at, message).hint("UpdateReplacePolicy is Retain: give the new table another name")
        );
    }
    if !told.replace.contains(id) {
        let hint = format!("--replace {id} deletes the table with its data and makes it anew");
        return Err(Finding::new(at, message).hint(hint));
    }
    if live.table.deletion_protection {
        return Err(Finding::new(at, format!("{message}, and it is protected against deletion"))
            .hint("turn its deletion protection off first"));
    }
    let gone = Step {
        wait: Wait::Gone(name.clone()),
        ..Step::on_table(name, "delete the table and its data", "DeleteTable", json!({ "TableName": name }))
    };
    let mut steps = vec![gone];
    steps.extend(create::steps(wanted));
    Ok(Change { action: Action::Replace, steps, notes: vec![why] })
}
