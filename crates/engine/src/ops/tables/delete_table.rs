//! DeleteTable.

use dynamometer_types::ApiError;

use super::description::{Moment, describe};
use super::{durable, in_use, lookup};
use crate::api::{DeleteTableRequest, TableDescription, TableDescriptionResponse};
use crate::catalog::Draft;
use crate::catalog::jobs::Work;
use crate::catalog::record::{Change, IndexRecord, Lifecycle, Status, TableRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::streams::Closes;

impl Engine {
    /// Deletes a table. It answers `DELETING`, and is gone after the table delay; its rows are deleted by a job.
    ///
    /// # Errors
    /// `ResourceNotFound`; `ResourceInUse` while the table or an index is being changed; `Validation` when the
    /// table is protected.
    pub async fn delete_table(
        &self,
        context: &Context<'_>,
        request: DeleteTableRequest,
    ) -> Result<TableDescriptionResponse, ApiError> {
        let name = lookup::only_name(context, &request.table_name)?;
        let change = |draft: &mut Draft| {
            let table = draft.table(context.namespace, name);
            let record = table.and_then(|table| lookup::settled(table, context));
            let record = record.ok_or_else(|| lookup::table_not_found(name))?;
            check_deletable(context, &record)?;
            let has_stream = record.stream.as_ref().is_some_and(|stream| stream.enabled);
            let closes = if has_stream { Closes::Shards } else { Closes::Nothing };
            Ok((self.delete(draft, context, record), closes))
        };
        let record = durable(self.change_shards(change)?).await?;

        let description = describe(&*self.store, &record, Moment::Begun(context.now))?;
        Ok(TableDescriptionResponse { table_description: what_is_left(description) })
    }

    fn delete(&self, draft: &mut Draft, context: &Context<'_>, mut record: TableRecord) -> TableRecord {
        let until = context.now + self.config.table_delay_ms;
        record.lifecycle = Lifecycle::Deleting { until_ms: until.millis() };
        let objects = record.objects();
        let (namespace, table) = (record.namespace.clone(), record.name.clone());
        if record.lifecycle.status(context.now) == Status::Gone {
            draft.remove(&namespace, &table);
        } else {
            draft.put(record.clone());
        }
        draft.end_stream(&record, context.now, until);
        draft.add_job(until, Work::Purge { namespace, table, objects });
        record
    }
}

fn check_deletable(context: &Context<'_>, record: &TableRecord) -> Result<(), ApiError> {
    let name = &record.name;
    match record.lifecycle {
        Lifecycle::Creating { .. } => return Err(in_use(format!("Table is being created: {name}"))),
        Lifecycle::Deleting { .. } => return Err(in_use(format!("Table is being deleted: {name}"))),
        Lifecycle::Active | Lifecycle::Updating { .. } => {}
    }
    if record.deletion_protection {
        return Err(ApiError::validation(
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
             protection first.",
        ));
    }
    let busy = |index: &IndexRecord| index.backfilling || index.lifecycle != Lifecycle::Active;
    if record.global_indexes.iter().any(busy) {
        return Err(in_use("Cannot delete table while indexes are being created, updated, or deleted."));
    }
    match record.lifecycle {
        Lifecycle::Updating { change: Change::Stream, .. } => {
            Err(in_use("Cannot delete table while stream is being enabled/disabled."))
        }
        Lifecycle::Updating { .. } => {
            Err(in_use(format!("Table: {name} is in the process of being updated.")))
        }
        _ if record.sse.as_ref().is_some_and(|sse| sse.lifecycle.status(context.now) != Status::Active) => {
            Err(in_use("Server-Side Encryption is still being updated"))
        }
        _ if record.warm.lifecycle != Lifecycle::Active => {
            Err(in_use(format!("Table: {name} is in the process of being updated.")))
        }
        _ => Ok(()),
    }
}

/// AWS's answer says no more of keys, indexes and age.
fn what_is_left(description: TableDescription) -> TableDescription {
    TableDescription {
        attribute_definitions: None,
        key_schema: None,
        creation_date_time: None,
        local_secondary_indexes: None,
        global_secondary_indexes: None,
        ..description
    }
}
