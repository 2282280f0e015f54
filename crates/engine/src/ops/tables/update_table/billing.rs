//! Billing mode and provisioned throughput, of the table and of its global indexes.

use dynamometer_types::{ApiError, Timestamp};

use super::Update;
use crate::api::{
    BillingMode, Given, ProvisionedThroughput, UpdateGlobalSecondaryIndexAction, UpdateTableRequest,
};
use crate::catalog::record::{Change, IndexRecord, OnDemandRecord, ThroughputRecord, WarmRecord};
use crate::ops::tables::settings::{self, Billing};
use crate::ops::tables::{invalid, limit_exceeded, text};

/// Decreases of one UTC day that need no waiting, and the wait before each further one.
const FREE_DECREASES: u32 = 4;
const DECREASE_WAIT_MS: i64 = 3_600_000;

/// What the request alone shows.
pub(super) fn check_request(request: &UpdateTableRequest) -> Result<(), ApiError> {
    let mode = request.billing_mode.as_ref().and_then(Given::known);
    match (mode, &request.provisioned_throughput) {
        (Some(BillingMode::Provisioned), None) => {
            Err(invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"))
        }
        (Some(BillingMode::PayPerRequest), Some(_)) => Err(settings::no_units_on_demand()),
        (_, Some(throughput)) => settings::provisioned(throughput).map(drop),
        (_, None) => Ok(()),
    }
}

/// Changes the table's billing and throughput, and the throughput of the indexes that the request updates.
pub(super) fn apply(update: &mut Update<'_>, request: &UpdateTableRequest) -> Result<(), ApiError> {
    let asked = request.billing_mode.as_ref().and_then(Given::known);
    let before = update.mode();
    match (before, asked.unwrap_or(before)) {
        (BillingMode::Provisioned, BillingMode::PayPerRequest) => switch_to_on_demand(update),
        (BillingMode::PayPerRequest, BillingMode::Provisioned) => switch_to_provisioned(update, request)?,
        (BillingMode::PayPerRequest, BillingMode::PayPerRequest) => {
            if request.provisioned_throughput.is_some() {
                return Err(settings::no_units_on_demand());
            }
        }
        (BillingMode::Provisioned, BillingMode::Provisioned) => {}
    }
    if let Some(throughput) = &request.provisioned_throughput {
        change_table(update, throughput, before)?;
    }
    for action in index_updates(request) {
        change_index(update, action, asked)?;
    }
    Ok(())
}

fn switch_to_on_demand(update: &mut Update<'_>) {
    let warm = Billing::OnDemand.warm();
    update.record.billing.mode = BillingMode::PayPerRequest;
    update.record.billing.pay_per_request_since_ms = Some(update.context.now.millis());
    update.record.throughput = ThroughputRecord { read: 0, write: 0, ..update.record.throughput };
    raise(&mut update.record.warm, warm);
    for index in &mut update.record.global_indexes {
        index.throughput = ThroughputRecord { read: 0, write: 0, ..index.throughput };
        raise(&mut index.warm, warm);
    }
    update.begin(Change::Throughput);
}

/// Drops the on-demand maxima; each index must bring its throughput along.
fn switch_to_provisioned(update: &mut Update<'_>, request: &UpdateTableRequest) -> Result<(), ApiError> {
    for index in &mut update.record.global_indexes {
        let brings = |action: &UpdateGlobalSecondaryIndexAction| {
            text(&action.index_name) == index.name && action.provisioned_throughput.is_some()
        };
        if !index_updates(request).any(brings) {
            let name = &index.name;
            return Err(invalid(format!("ProvisionedThroughput must be specified for index: {name}")));
        }
        index.on_demand = OnDemandRecord::default();
    }
    update.record.billing.mode = BillingMode::Provisioned;
    update.record.on_demand = OnDemandRecord::default();
    Ok(())
}

fn change_table(
    update: &mut Update<'_>,
    throughput: &ProvisionedThroughput,
    before: BillingMode,
) -> Result<(), ApiError> {
    let billing = settings::provisioned(throughput)?;
    let current = update.record.throughput;
    if before == BillingMode::Provisioned {
        check_differs(&current, billing, "the table", "the table")?;
    }
    update.record.throughput = changed(update, current, billing)?;
    raise(&mut update.record.warm, billing.warm());
    update.begin(Change::Throughput);
    Ok(())
}

fn change_index(
    update: &mut Update<'_>,
    action: &UpdateGlobalSecondaryIndexAction,
    asked: Option<BillingMode>,
) -> Result<(), ApiError> {
    let name = text(&action.index_name);
    let other = action.on_demand_throughput.is_some() || action.warm_throughput.is_some();
    let throughput = match (update.mode(), &action.provisioned_throughput) {
        (BillingMode::Provisioned, Some(throughput)) => throughput,
        (_, None) if other => return Ok(()),
        (BillingMode::Provisioned, None) => {
            return Err(invalid(format!(
                "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
            )));
        }
        (BillingMode::PayPerRequest, Some(_)) if asked.is_some() => {
            return Err(invalid(format!(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} when \
                 BillingMode is PAY_PER_REQUEST"
            )));
        }
        (BillingMode::PayPerRequest, _) => {
            return Err(invalid(format!(
                "The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to \
                 OnDemandThroughput, WarmThroughput"
            )));
        }
    };
    let billing = settings::provisioned(throughput)?;
    let switched = update.old.billing.mode == BillingMode::PayPerRequest;
    let Some(at) = position(&update.record.global_indexes, name) else { return Ok(()) };
    let current = update.record.global_indexes[at].throughput;
    if !switched {
        check_differs(&current, billing, &format!("the index {name}"), "the index")?;
    }
    let changed = changed(update, current, billing)?;
    let lifecycle = update.updating(Change::Throughput);
    let index = &mut update.record.global_indexes[at];
    index.throughput = changed;
    index.lifecycle = lifecycle;
    raise(&mut index.warm, billing.warm());
    Ok(())
}

pub(super) fn position(indexes: &[IndexRecord], name: &str) -> Option<usize> {
    indexes.iter().position(|index| index.name == name)
}

pub(super) fn index_updates(
    request: &UpdateTableRequest,
) -> impl Iterator<Item = &UpdateGlobalSecondaryIndexAction> {
    request.global_secondary_index_updates.iter().flatten().filter_map(|entry| entry.update.as_ref())
}

/// What was warm stays warm.
fn raise(warm: &mut WarmRecord, least: WarmRecord) {
    warm.read = warm.read.max(least.read);
    warm.write = warm.write.max(least.write);
}

/// The throughput after the change, when quota and the day's decreases allow it.
fn changed(
    update: &Update<'_>,
    current: ThroughputRecord,
    billing: Billing,
) -> Result<ThroughputRecord, ApiError> {
    let asked = billing.throughput();
    settings::check_quota(update.context, &asked)?;
    let now = update.context.now;
    if current.is_decrease(asked.read, asked.write) {
        check_decreases(&current, now)?;
    }
    Ok(current.changed(asked.read, asked.write, now))
}

fn check_differs(
    current: &ThroughputRecord,
    asked: Billing,
    subject: &str,
    kind: &str,
) -> Result<(), ApiError> {
    let asked = asked.throughput();
    if (asked.read, asked.write) != (current.read, current.write) {
        return Ok(());
    }
    Err(ApiError::validation(format!(
        "The provisioned throughput for {subject} will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for {kind}: {}. Requested ReadCapacityUnits: {}. Current \
         WriteCapacityUnits provisioned for {kind}: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon \
         DynamoDB Developer Guide for current limits and how to request higher limits.",
        current.read, asked.read, current.write, asked.write
    )))
}

fn check_decreases(current: &ThroughputRecord, now: Timestamp) -> Result<(), ApiError> {
    let today = current.decreases_today(now);
    let last = Timestamp::from_millis(current.last_decrease_ms.unwrap_or_default());
    if today < FREE_DECREASES || now - last >= DECREASE_WAIT_MS {
        return Ok(());
    }
    Err(limit_exceeded(format!(
        "Provisioned throughput decreases are limited within a given UTC day. After the first {FREE_DECREASES} \
         decreases, each subsequent decrease in the same UTC day can be performed at most once every {} seconds. \
         Number of decreases today: {today}. Last decrease at {}. Next decrease can be made at {}",
        DECREASE_WAIT_MS / 1000,
        spoken(last),
        spoken(last + DECREASE_WAIT_MS)
    )))
}

/// `Friday, August 18, 2017 3:17:29 PM UTC`, as AWS prints times in this text.
fn spoken(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let (year, month, day, hour, minute, second, _) = at.civil();
    // The epoch was a Thursday.
    let weekday = DAYS[at.millis().div_euclid(86_400_000).rem_euclid(7) as usize];
    let month = MONTHS[month as usize - 1];
    let (half, clock) = (if hour < 12 { "AM" } else { "PM" }, (hour + 11) % 12 + 1);
    format!("{weekday}, {month} {day}, {year} {clock}:{minute:02}:{second:02} {half} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spoken() {
        let cases = [
            (0, "Thursday, January 1, 1970 12:00:00 AM UTC"),
            (1_503_069_449_000, "Friday, August 18, 2017 3:17:29 PM UTC"),
        ];
        for (millis, text) in cases {
            assert_eq!(spoken(Timestamp::from_millis(millis)), text);
        }
    }
}
