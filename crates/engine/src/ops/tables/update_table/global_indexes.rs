//! Global indexes added and deleted. Their throughput is [`billing`](super::billing)'s.

use std::collections::HashMap;

use dynamometer_types::ApiError;

use super::Update;
use crate::api::{BillingMode, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, UpdateTableRequest};
use crate::catalog::Draft;
use crate::catalog::jobs::Work;
use crate::catalog::record::{
    AttributeDefinitionRecord, Change, IndexRecord, KeySchemaElementRecord, Lifecycle, TableRecord,
};
use crate::ops::tables::create_table::GLOBAL_INDEXES;
use crate::ops::tables::settings::{self, Subject};
use crate::ops::tables::{indexes, invalid, keys, limit_exceeded, text};

/// What the request alone shows.
pub(super) fn check_request(request: &UpdateTableRequest) -> Result<(), ApiError> {
    let Some(entries) = &request.global_secondary_index_updates else { return Ok(()) };
    if entries.is_empty() {
        return Err(invalid("List of GlobalSecondaryIndexUpdates is empty"));
    }
    let mut named = Vec::new();
    for entry in entries {
        let names = action_names(entry);
        match names[..] {
            [] => {
                return Err(invalid(
                    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                     GlobalSecondaryIndexUpdate.Delete must not be null",
                ));
            }
            [name] if named.contains(&name) => {
                return Err(invalid(format!(
                    "Only one global secondary index update per index is allowed simultaneously. Index: {name}"
                )));
            }
            [name] => named.push(name),
            _ => {
                return Err(invalid(
                    "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
                ));
            }
        }
    }
    for create in creates(request) {
        keys::check_length(create.key_schema.as_deref().unwrap_or_default(), keys::Owner::Global)?;
        if request.attribute_definitions.as_ref().is_none_or(Vec::is_empty) {
            let name = text(&create.index_name);
            return Err(invalid(format!("AttributeDefinitions is not specified for index: {name}")));
        }
    }
    Ok(())
}

fn action_names(entry: &GlobalSecondaryIndexUpdate) -> Vec<&str> {
    let update = entry.update.as_ref().map(|action| text(&action.index_name));
    let create = entry.create.as_ref().map(|action| text(&action.index_name));
    let delete = entry.delete.as_ref().map(|action| text(&action.index_name));
    [update, create, delete].into_iter().flatten().collect()
}

fn creates(request: &UpdateTableRequest) -> impl Iterator<Item = &GlobalSecondaryIndex> {
    request.global_secondary_index_updates.iter().flatten().filter_map(|entry| entry.create.as_ref())
}

/// Adds and deletes indexes; [`states`](super::states) has seen to it that it is one of them at most.
pub(super) fn apply(
    update: &mut Update<'_>,
    request: &UpdateTableRequest,
    draft: &mut Draft,
) -> Result<(), ApiError> {
    for create in creates(request) {
        add(update, request, create, draft)?;
    }
    let entries = request.global_secondary_index_updates.iter().flatten();
    for delete in entries.filter_map(|entry| entry.delete.as_ref()) {
        remove(update, text(&delete.index_name), draft);
    }
    Ok(())
}

fn add(
    update: &mut Update<'_>,
    request: &UpdateTableRequest,
    create: &GlobalSecondaryIndex,
    draft: &mut Draft,
) -> Result<(), ApiError> {
    let name = text(&create.index_name);
    let record = &update.record;
    let mut known = record.local_indexes.iter().chain(&record.global_indexes);
    if known.any(|index| index.name == name) {
        return Err(ApiError::validation("Attempting to create an index which already exists"));
    }
    if record.global_indexes.len() >= GLOBAL_INDEXES {
        return Err(limit_exceeded(format!(
            "Number of global secondary indexes exceeds per-table limit of {GLOBAL_INDEXES}"
        )));
    }
    let index = new_index(update, request, create)?;
    define_attributes(update, request, &index)?;
    let id = draft.new_id();
    let index = IndexRecord {
        id,
        lifecycle: Lifecycle::Creating { until_ms: update.until.millis() },
        backfilling: true,
        ..index
    };
    update.record.global_indexes.push(index);
    indexes::check_together(update.record.local_indexes.iter().chain(&update.record.global_indexes))?;
    let work = Work::Backfill {
        namespace: update.record.namespace.clone(),
        table: update.record.name.clone(),
        table_id: update.record.id,
        index_id: id,
    };
    draft.add_job(update.until, work);
    update.begin(Change::Indexes);
    Ok(())
}

fn new_index(
    update: &Update<'_>,
    request: &UpdateTableRequest,
    create: &GlobalSecondaryIndex,
) -> Result<IndexRecord, ApiError> {
    let name = text(&create.index_name);
    match (update.mode(), &create.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(invalid(format!(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} when \
                 BillingMode is PAY_PER_REQUEST"
            )));
        }
        (BillingMode::Provisioned, None) => {
            return Err(invalid(format!("ProvisionedThroughput must be specified for index: {name}")));
        }
        _ => {}
    }
    let definitions = request.attribute_definitions.as_deref().unwrap_or_default();
    let index = indexes::global_index(create, definitions, update.mode())?;
    settings::check_quota(update.context, &index.throughput)?;
    settings::check_on_demand_quota(update.context, &index.on_demand, Subject::Index(name))?;
    Ok(index)
}

/// Adds the definitions of the index's key. An attribute that is defined already keeps its type: when the request
/// gives another one, that is refused for the index's own key, and overlooked for the rest.
fn define_attributes(
    update: &mut Update<'_>,
    request: &UpdateTableRequest,
    index: &IndexRecord,
) -> Result<(), ApiError> {
    let sent = keys::definition_records(request.attribute_definitions.as_deref().unwrap_or_default());
    for element in &index.key_schema {
        let Some(definition) = sent.iter().find(|definition| definition.name == element.name) else {
            continue;
        };
        let known = update.record.attribute_definitions.iter().find(|known| known.name == element.name);
        match known {
            Some(known) if known.attribute_type != definition.attribute_type => {
                return Err(redefined(&update.record, &sent, index, &element.name));
            }
            Some(_) => {}
            None => update.record.attribute_definitions.push(definition.clone()),
        }
    }
    update.record.attribute_definitions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}

fn redefined(
    record: &TableRecord,
    sent: &[AttributeDefinitionRecord],
    index: &IndexRecord,
    attribute: &str,
) -> ApiError {
    let indexes = record.local_indexes.iter().chain(&record.global_indexes);
    let mut schemas = std::iter::once(&record.key_schema).chain(indexes.map(|index| &index.key_schema));
    let existing = schemas.find(|schema| schema.iter().any(|element| element.name == attribute));
    invalid(format!(
        "Attributes cannot be redefined. Please check that your attribute has the same type as previously \
         defined. Existing schema: {} New schema: {}",
        printed_schema(existing.map_or(&[], Vec::as_slice), &record.attribute_definitions),
        printed_schema(&index.key_schema, sent)
    ))
}

fn printed_schema(schema: &[KeySchemaElementRecord], definitions: &[AttributeDefinitionRecord]) -> String {
    let types: HashMap<&str, &str> =
        definitions.iter().map(|known| (known.name.as_str(), known.attribute_type.name())).collect();
    let element = |element: &KeySchemaElementRecord| {
        let attribute_type = types.get(element.name.as_str()).copied().unwrap_or_default();
        format!("SchemaElement: key{{{}:{attribute_type}:{}}}", element.name, element.key_type.name())
    };
    format!("Schema:[{}]", schema.iter().map(element).collect::<Vec<_>>().join(", "))
}

fn remove(update: &mut Update<'_>, name: &str, draft: &mut Draft) {
    let until_ms = update.until.millis();
    let Some(index) = update.record.global_indexes.iter_mut().find(|index| index.name == name) else {
        return;
    };
    index.lifecycle = Lifecycle::Deleting { until_ms };
    let objects = vec![index.id];
    let (namespace, table) = (update.record.namespace.clone(), update.record.name.clone());
    draft.add_job(update.until, Work::Purge { namespace, table, objects });
    update.begin(Change::Indexes);
}
