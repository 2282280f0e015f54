//! Global secondary indexes: which stay, which go, which come. DynamoDB makes or deletes one at a time.

use serde_json::json;

use super::table::keys;
use super::{LiveTable, Step, Told};
use crate::finding::Finding;
use crate::resource::Resource;
use crate::table::{GlobalIndex, Table};

/// The indexes of a table, compared.
pub(super) struct Indexes<'t> {
    /// In the template and live, and alike: what is wanted, and what is.
    pub(super) kept: Vec<(&'t GlobalIndex, &'t GlobalIndex)>,
    deleted: Vec<&'t str>,
    created: Vec<&'t GlobalIndex>,
}

pub(super) fn compare<'t>(
    resource: &Resource,
    wanted: &'t Table,
    live: &'t LiveTable,
    told: &Told,
) -> Result<Indexes<'t>, Vec<Finding>> {
    let mut findings = Vec::new();
    let mut indexes = Indexes { kept: Vec::new(), deleted: Vec::new(), created: Vec::new() };
    for index in &live.table.global_indexes {
        if wanted.global_index(&index.index_name).is_none() {
            indexes.deleted.push(&index.index_name);
        }
    }
    for (number, index) in wanted.global_indexes.iter().enumerate() {
        let Some(other) = live.table.global_index(&index.index_name) else {
            indexes.created.push(index);
            continue;
        };
        let (is, wants) = (keys(&live.table, &other.key_schema), keys(wanted, &index.key_schema));
        if is == wants && index.projection.is_like(&other.projection) {
            indexes.kept.push((index, other));
            continue;
        }
        let name = format!("{}.{}", resource.logical_id, index.index_name);
        if told.replace.contains(&name) {
            indexes.deleted.push(&index.index_name);
            indexes.created.push(index);
            continue;
        }
        let why = if is == wants {
            "its projection is another".to_owned()
        } else {
            format!("its key is {is}, and the template has {wants}")
        };
        let (id, index_name) = (&resource.logical_id, &index.index_name);
        let message = format!("{id}: the index {index_name} cannot become this in place: {why}");
        let at = resource.places.at(&format!("GlobalSecondaryIndexes/{number}"));
        findings.push(
            Finding::new(at, message)
                .hint(format!("--replace {name} deletes and makes it anew; or give it another name")),
        );
    }
    if findings.is_empty() { Ok(indexes) } else { Err(findings) }
}

impl Indexes<'_> {
    pub(super) fn delete_steps(&self, wanted: &Table, steps: &mut Vec<Step>) {
        for name in &self.deleted {
            let body = json!({
                "TableName": wanted.name,
                "GlobalSecondaryIndexUpdates": [{ "Delete": { "IndexName": name } }],
            });
            steps.push(Step::on_table(&wanted.name, format!("delete the index {name}"), "UpdateTable", body));
        }
    }

    pub(super) fn create_steps(&self, wanted: &Table, steps: &mut Vec<Step>) {
        for index in &self.created {
            // The index may use attributes that are there already; those that it does not use are no harm.
            let body = json!({
                "TableName": wanted.name,
                "AttributeDefinitions": wanted.attributes,
                "GlobalSecondaryIndexUpdates": [{ "Create": index }],
            });
            let says =
                format!("make the index {}: key {}", index.index_name, keys(wanted, &index.key_schema));
            steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
        }
    }
}
