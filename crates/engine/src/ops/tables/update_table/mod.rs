//! UpdateTable.
//!
//! A call changes one thing, with few exceptions ([`together`] lists them). What the request alone shows is checked
//! first; then, on the current version of the table, whether the table can take the change now ([`states`]), and
//! each part against what the table is. A call that is refused changes nothing.

mod billing;
mod global_indexes;
mod on_demand;
mod settings;
mod states;
mod together;
mod warm;

use dynamometer_store::Commit;
use dynamometer_types::{ApiError, Timestamp};

use super::description::{Moment, describe};
use super::settings::check_account_quota;
use super::{durable, lookup, refuse_unsupported, shapes};
use crate::api::{BillingMode, TableDescriptionResponse, UpdateTableRequest};
use crate::catalog::Draft;
use crate::catalog::record::{Change, Lifecycle, OnDemandRecord, TableRecord, WarmRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::validate::members::Findings;

impl Engine {
    /// Changes a table. The answer shows throughput, class and key as they were, and the state of what is changing;
    /// the truth is DescribeTable's.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`, also for an index; `ResourceInUse` while something else is changing;
    /// `LimitExceeded` for too many decreases or online indexes, and beyond the quotas.
    pub async fn update_table(
        &self,
        context: &Context<'_>,
        request: UpdateTableRequest,
    ) -> Result<TableDescriptionResponse, ApiError> {
        let shown = durable(self.change_table(context, &request)?).await?;
        let description = describe(&*self.store, &shown, Moment::Begun(context.now))?;
        Ok(TableDescriptionResponse { table_description: description })
    }

    /// Changes a table; answers it as the call shows it, and the commit to wait for. Auto scaling changes throughput by
    /// this, too.
    ///
    /// # Errors
    /// As [`Engine::update_table`].
    pub(crate) fn change_table(
        &self,
        context: &Context<'_>,
        request: &UpdateTableRequest,
    ) -> Result<(TableRecord, Commit), ApiError> {
        let name = check_members(context, request)?;
        check_unsupported(request)?;
        together::check_something(request)?;
        together::check_exclusive(request)?;
        billing::check_request(request)?;
        global_indexes::check_request(request)?;
        settings::check_request(request)?;
        warm::check_request(request)?;
        on_demand::check_request(request)?;

        let change = |draft: &mut Draft| {
            let table = draft.table(context.namespace, name);
            let record = table.and_then(|table| lookup::settled(table, context));
            let record = record.ok_or_else(|| lookup::table_not_found(name))?;
            states::check(context, &record, request)?;
            let mut update = Update::new(context, record, self.config.table_delay_ms);
            on_demand::apply(&mut update, request)?;
            billing::apply(&mut update, request)?;
            global_indexes::apply(&mut update, request, draft)?;
            settings::apply(&mut update, request, draft.version())?;
            warm::apply(&mut update, request)?;
            check_account_quota(context, draft.version(), Some(&update.old), &update.record)?;
            let (old, new) = (update.old.clone(), update.record.clone());
            let shown = update.finish(draft);
            let closes = self.follow_stream_setting(draft, Some(&old), &new, context.now);
            Ok((shown, closes))
        };
        let changed = self.change_shards(change)?;
        self.follow_table(context.namespace, name, context.now);
        Ok(changed)
    }
}

/// An update in the making.
struct Update<'a> {
    context: &'a Context<'a>,
    /// When what is changed is there.
    until: Timestamp,
    /// The table as it was.
    old: TableRecord,
    /// The table as it becomes.
    record: TableRecord,
    /// The on-demand maximum as the answer echoes it, with -1 for what is removed.
    echoed_on_demand: Option<OnDemandRecord>,
}

impl<'a> Update<'a> {
    fn new(context: &'a Context<'a>, record: TableRecord, delay_ms: i64) -> Update<'a> {
        Update { context, until: context.now + delay_ms, old: record.clone(), record, echoed_on_demand: None }
    }

    /// The billing mode that the table will have.
    fn mode(&self) -> BillingMode {
        self.record.billing.mode
    }

    /// A part that is being changed.
    fn updating(&self, change: Change) -> Lifecycle {
        Lifecycle::Updating { until_ms: self.until.millis(), change }
    }

    /// Puts the table into `UPDATING`.
    fn begin(&mut self, change: Change) {
        self.record.lifecycle = self.updating(change);
    }

    /// Puts the table into the catalog, and answers it as the call shows it.
    fn finish(self, draft: &mut Draft) -> TableRecord {
        let shown = self.shown();
        if let Some(settled) = self.record.settled(self.context.now) {
            draft.put(settled);
        }
        shown
    }

    /// The table with its new states, and with the values that AWS still answers as they were.
    fn shown(&self) -> TableRecord {
        let (old, new) = (&self.old, &self.record);
        let mut shown = new.clone();
        shown.throughput = old.throughput;
        shown.table_class = old.table_class;
        shown.warm = WarmRecord { lifecycle: new.warm.lifecycle, ..old.warm };
        if let (Some(sse), Some(before)) = (&mut shown.sse, &old.sse) {
            sse.key_arn.clone_from(&before.key_arn);
        }
        if let Some(echoed) = self.echoed_on_demand {
            shown.on_demand = echoed;
        }
        for index in &mut shown.global_indexes {
            if let Some(before) = old.global_indexes.iter().find(|before| before.id == index.id) {
                index.throughput = before.throughput;
                index.warm = WarmRecord { lifecycle: index.warm.lifecycle, ..before.warm };
            }
        }
        shown
    }
}

fn check_members<'r>(context: &Context<'_>, request: &'r UpdateTableRequest) -> Result<&'r str, ApiError> {
    let mut findings = Findings::new();
    shapes::attribute_definitions(
        request.attribute_definitions.as_deref().unwrap_or_default(),
        &mut findings,
    );
    let name = lookup::check_name(context, &request.table_name, &mut findings)?;
    findings.one_of("billingMode", &request.billing_mode);
    shapes::provisioned_throughput("provisionedThroughput", &request.provisioned_throughput, &mut findings);
    let updates = request.global_secondary_index_updates.as_deref().unwrap_or_default();
    shapes::global_index_updates(updates, &mut findings);
    shapes::stream(&request.stream_specification, &mut findings);
    shapes::sse(&request.sse_specification, &mut findings);
    findings.finish()?;
    Ok(name)
}

fn check_unsupported(request: &UpdateTableRequest) -> Result<(), ApiError> {
    refuse_unsupported(&[
        ("ReplicaUpdates", request.replica_updates),
        ("MultiRegionConsistency", request.multi_region_consistency),
        ("GlobalTableWitnessUpdates", request.global_table_witness_updates),
        ("GlobalTableSettingsReplicationMode", request.global_table_settings_replication_mode),
        ("DisassociationProtectionEnabled", request.disassociation_protection_enabled),
        ("VectorIndexUpdates", request.vector_index_updates),
    ])
}
