//! Whether a table can take a change now: what is under way makes others wait.
//!
//! # Source
//! The texts are AWS's (2026). Where AWS's words for a pair are not known, the general text stands.

use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use crate::api::{BillingMode, Given, GlobalSecondaryIndexUpdate, UpdateTableRequest};
use crate::catalog::record::{Change, IndexRecord, Lifecycle, Status, TableRecord};
use crate::context::Context;
use crate::ops::tables::{in_use, limit_exceeded, text};

pub(super) fn check(
    context: &Context<'_>,
    record: &TableRecord,
    request: &UpdateTableRequest,
) -> Result<(), ApiError> {
    check_table(record, request)?;
    check_sse(context.now, record, request)?;
    let entries = request.global_secondary_index_updates.as_deref().unwrap_or_default();
    entries.iter().try_for_each(|entry| check_index(record, entry))?;
    check_online_indexes(record, entries)?;
    check_iops_beside_indexes(record, request)
}

fn changes_iops(record: &TableRecord, request: &UpdateTableRequest) -> bool {
    let mode: Option<BillingMode> = request.billing_mode.as_ref().and_then(Given::known);
    request.provisioned_throughput.is_some() || mode.is_some_and(|mode| mode != record.billing.mode)
}

fn check_table(record: &TableRecord, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let name = &record.name;
    let iops = changes_iops(record, request);
    let stream = request.stream_specification.is_some();
    let class = request.table_class.is_some();
    let entries = request.global_secondary_index_updates.as_deref().unwrap_or_default();
    let indexes = entries.iter().any(|entry| entry.create.is_some() || entry.delete.is_some());
    let change = match record.lifecycle {
        Lifecycle::Creating { .. } => return Err(in_use(format!("Table is being created: {name}"))),
        Lifecycle::Deleting { .. } => return Err(in_use(format!("Table is being deleted: {name}"))),
        Lifecycle::Active => return Ok(()),
        Lifecycle::Updating { change, .. } => change,
    };
    let stream_change = || {
        let (label, enabled) =
            record.stream.as_ref().map_or(("", false), |stream| (stream.label.as_str(), stream.enabled));
        let operation = if enabled { "ENABLE" } else { "DISABLE" };
        format!("Table: {name} Stream: {label} Operation: {operation}")
    };
    let sentence = match change {
        Change::Throughput if iops || indexes => {
            format!("Table IOPS are currently being updated. Table: {name}")
        }
        Change::Throughput if stream => {
            format!("Can't enable or disable stream while table IOPS are being updated. Table: {name}")
        }
        Change::Stream if iops => {
            format!("Can't change table IOPS when stream status is being updated. {}", stream_change())
        }
        Change::Stream if stream || indexes => {
            format!("A stream status change is currently in progress. {}", stream_change())
        }
        Change::TableClass if class => {
            let class = record.table_class.map_or("STANDARD", |class| class.class.name());
            format!(
                "Can't update table class when a table class update is in progress. Table: {name} \
                 TableClassUpdateInProgress: {class}"
            )
        }
        // An index that is being built has texts of its own, further down.
        Change::Indexes if iops || indexes => return Ok(()),
        _ if iops || stream || class || indexes => {
            format!("Table: {name} is in the process of being updated.")
        }
        // Protection, on-demand maximum, warm throughput, encryption and index updates do not wait for the table.
        _ => return Ok(()),
    };
    Err(in_use(sentence))
}

fn check_sse(now: Timestamp, record: &TableRecord, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let busy = record.sse.as_ref().is_some_and(|sse| sse.lifecycle.status(now) != Status::Active);
    if busy && request.sse_specification.is_some() {
        return Err(in_use("Server-Side Encryption is still being updated"));
    }
    Ok(())
}

/// Whether the index named is there, and can be updated or deleted now.
fn check_index(record: &TableRecord, entry: &GlobalSecondaryIndexUpdate) -> Result<(), ApiError> {
    let (verb, name) = match (&entry.update, &entry.delete) {
        (Some(update), _) => ("update", text(&update.index_name)),
        (None, Some(delete)) => ("delete", text(&delete.index_name)),
        (None, None) => return Ok(()),
    };
    let table = &record.name;
    let Some(index) = record.global_indexes.iter().find(|index| index.name == name) else {
        return Err(match record.local_indexes.iter().any(|index| index.name == name) {
            true => ApiError::validation(format!(
                "Cannot {verb} an index that is not a GlobalSecondaryIndex: {name}"
            )),
            false => ApiError::new(
                ErrorKind::ResourceNotFound,
                format!("Requested resource not found: Index {name} for table {table}"),
            ),
        });
    };
    let place = format!("Table: {table} Index: {name}");
    match index.lifecycle {
        Lifecycle::Active => Ok(()),
        Lifecycle::Deleting { .. } => Err(in_use(format!("Index is being deleted. {place}"))),
        // The two spaces are AWS's, here and below.
        Lifecycle::Updating { .. } => Err(in_use(format!("Index is being updated.  {place}"))),
        Lifecycle::Creating { .. } if verb == "update" => {
            Err(in_use(format!("Index is being created but is not backfilling yet.  {place}")))
        }
        Lifecycle::Creating { .. } => Err(in_use(format!(
            "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the \
             index is active. {place}"
        ))),
    }
}

/// One index of a table can be created or deleted at a time. Deleting one that is being filled cancels that.
fn check_online_indexes(
    record: &TableRecord,
    entries: &[GlobalSecondaryIndexUpdate],
) -> Result<(), ApiError> {
    let built: Vec<&str> = entries
        .iter()
        .filter_map(|entry| match (&entry.create, &entry.delete) {
            (Some(create), _) => Some(text(&create.index_name)),
            (None, Some(delete)) => Some(text(&delete.index_name)),
            (None, None) => None,
        })
        .collect();
    let other_under_way = || {
        record.global_indexes.iter().any(|index| is_online(index) && !built.contains(&index.name.as_str()))
    };
    if built.len() > 1 || !built.is_empty() && other_under_way() {
        return Err(limit_exceeded("Only 1 online index can be created or deleted simultaneously per table"));
    }
    Ok(())
}

fn is_online(index: &IndexRecord) -> bool {
    index.backfilling || matches!(index.lifecycle, Lifecycle::Creating { .. } | Lifecycle::Deleting { .. })
}

fn check_iops_beside_indexes(record: &TableRecord, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let created: Vec<&str> = record
        .global_indexes
        .iter()
        .filter(|index| index.backfilling)
        .map(|index| index.name.as_str())
        .collect();
    if !created.is_empty() && changes_iops(record, request) {
        return Err(in_use(format!(
            "Can't change table IOPS when an index is being created. Table: {} Indexes: [{}]",
            record.name,
            created.join(", ")
        )));
    }
    Ok(())
}
