//! Warm throughput of the table and of its global indexes: it only grows, while the table stays active.

use dynamometer_types::ApiError;

use super::Update;
use super::billing::{index_updates, position};
use crate::api::{UpdateTableRequest, WarmThroughput};
use crate::catalog::record::{Change, Lifecycle, WarmRecord};
use crate::ops::tables::settings::warm_members;
use crate::ops::tables::{invalid, text};

/// Refuses an empty structure, for which AWS fails with an internal error.
pub(super) fn check_request(request: &UpdateTableRequest) -> Result<(), ApiError> {
    let of_indexes = index_updates(request).filter_map(|action| action.warm_throughput.as_ref());
    let empty = |sent: &WarmThroughput| *sent == WarmThroughput::default();
    if request.warm_throughput.iter().chain(of_indexes).any(empty) {
        return Err(invalid("WarmThroughput must have ReadUnitsPerSecond or WriteUnitsPerSecond"));
    }
    Ok(())
}

pub(super) fn apply(update: &mut Update<'_>, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let lifecycle = update.updating(Change::Settings);
    if let Some(sent) = &request.warm_throughput {
        update.record.warm = raised(update.record.warm, sent, lifecycle, "table")?;
    }
    for action in index_updates(request) {
        let Some(sent) = &action.warm_throughput else { continue };
        let name = text(&action.index_name);
        let Some(at) = position(&update.record.global_indexes, name) else { continue };
        let index = &mut update.record.global_indexes[at];
        index.warm = raised(index.warm, sent, lifecycle, &format!("index {name}"))?;
    }
    Ok(())
}

fn raised(
    current: WarmRecord,
    sent: &WarmThroughput,
    lifecycle: Lifecycle,
    subject: &str,
) -> Result<WarmRecord, ApiError> {
    if let Some((_, _, kind)) = warm_members(sent, &current).find(|(asked, current, _)| asked < current) {
        return Err(invalid(format!(
            "Requested {kind}UnitsPerSecond for WarmThroughput for {subject} is lower than current WarmThroughput, \
             decreasing WarmThroughput is not supported"
        )));
    }
    let raised = WarmRecord {
        read: sent.read_units_per_second.unwrap_or(current.read),
        write: sent.write_units_per_second.unwrap_or(current.write),
        ..current
    };
    Ok(if raised == current { current } else { WarmRecord { lifecycle, ..raised } })
}
