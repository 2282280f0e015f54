//! The on-demand maximum of the table and of its global indexes.

use dynamometer_types::ApiError;

use super::Update;
use super::billing::{index_updates, position};
use crate::api::{BillingMode, Given, OnDemandThroughput, UpdateTableRequest};
use crate::catalog::record::{Change, OnDemandRecord};
use crate::ops::tables::settings::{self, Subject};
use crate::ops::tables::{invalid, text};

/// What removes a maximum.
const NO_MAXIMUM: i64 = -1;

/// Refuses an empty structure, for which AWS fails with an internal error.
pub(super) fn check_request(request: &UpdateTableRequest) -> Result<(), ApiError> {
    let of_indexes = index_updates(request).filter_map(|action| action.on_demand_throughput.as_ref());
    let empty = |sent: &OnDemandThroughput| *sent == OnDemandThroughput::default();
    if request.on_demand_throughput.iter().chain(of_indexes).any(empty) {
        return Err(invalid(
            "OnDemandThroughput must have MaxReadRequestUnits or MaxWriteRequestUnits; -1 removes a maximum",
        ));
    }
    Ok(())
}

/// Merges the maxima member by member.
pub(super) fn apply(update: &mut Update<'_>, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let asked = request.billing_mode.as_ref().and_then(Given::known);
    let mode = asked.unwrap_or(update.mode());
    if let Some(sent) = &request.on_demand_throughput {
        check(update, sent, mode, Subject::Table)?;
        update.echoed_on_demand = Some(merged(update.record.on_demand, sent));
        update.record.on_demand = without_removed(merged(update.record.on_demand, sent));
    }
    for action in index_updates(request) {
        let Some(sent) = &action.on_demand_throughput else { continue };
        let name = text(&action.index_name);
        check(update, sent, mode, Subject::Index(name))?;
        let lifecycle = update.updating(Change::Settings);
        let Some(at) = position(&update.record.global_indexes, name) else { continue };
        let index = &mut update.record.global_indexes[at];
        index.on_demand = without_removed(merged(index.on_demand, sent));
        index.lifecycle = lifecycle;
    }
    Ok(())
}

/// The billing mode first, then the range, then the quota.
fn check(
    update: &Update<'_>,
    sent: &OnDemandThroughput,
    mode: BillingMode,
    subject: Subject<'_>,
) -> Result<(), ApiError> {
    let first = settings::on_demand_members(sent).find(|(units, _)| units.is_some());
    if let (BillingMode::Provisioned, Some((_, name))) = (mode, first) {
        let of = match subject {
            Subject::Table => String::new(),
            Subject::Index(index) => format!(" for index : {index}"),
        };
        return Err(invalid(format!(
            "{name} for OnDemandThroughput{of} cannot be specified when the table BillingMode is PROVISIONED"
        )));
    }
    settings::check_on_demand_range(sent, NO_MAXIMUM, subject)?;
    let record = merged(OnDemandRecord::default(), sent);
    settings::check_on_demand_quota(update.context, &record, subject)
}

fn merged(record: OnDemandRecord, sent: &OnDemandThroughput) -> OnDemandRecord {
    OnDemandRecord {
        max_read: sent.max_read_request_units.or(record.max_read),
        max_write: sent.max_write_request_units.or(record.max_write),
    }
}

fn without_removed(record: OnDemandRecord) -> OnDemandRecord {
    let keep = |units: Option<i64>| units.filter(|units| *units != NO_MAXIMUM);
    OnDemandRecord { max_read: keep(record.max_read), max_write: keep(record.max_write) }
}
