//! Checks of requested throughput against quotas and what is in force, with the messages of the service.
//!
//! # Source
//! Messages by control-plane probes, us-west-2 and us-east-1, 2026-10.

use super::control::{AccountUse, ControlError};
use super::resource::{on_demand_initial, table_quota};
use super::{BillingMode, Dimension, PerDimension, ResourceSpec};
use crate::Constants;

/// The start of most messages about parameters.
pub(crate) fn invalid(what: String) -> ControlError {
    ControlError::Validation(format!("One or more parameter values were invalid: {what}"))
}

/// `table`, or `index` and its name. The service writes the colon in one family of messages and not in the other.
pub(crate) fn of_target(index: Option<&str>, separator: &str) -> String {
    match index {
        None => "table".to_owned(),
        Some(index) => format!("index{separator}{index}"),
    }
}

/// A change that changes nothing is refused.
pub(crate) fn check_changes(
    index: Option<&str>,
    current: PerDimension<u64>,
    wanted: PerDimension<u64>,
) -> Result<(), ControlError> {
    if current != wanted {
        return Ok(());
    }
    let (which, kind) = match index {
        None => ("table".to_owned(), "table"),
        Some(index) => (format!("index {index}"), "index"),
    };
    Err(ControlError::Validation(format!(
        "The provisioned throughput for the {which} will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for the {kind}: {}. Requested ReadCapacityUnits: {}. Current \
         WriteCapacityUnits provisioned for the {kind}: {}. Requested WriteCapacityUnits: {}. {HOW_TO_RAISE}",
        current.read, wanted.read, current.write, wanted.write,
    )))
}

/// How the quota messages end.
const HOW_TO_RAISE: &str =
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";

/// The quota of one table or index.
pub(crate) fn check_table_quota(
    index: Option<&str>,
    wanted: PerDimension<u64>,
    account: &AccountUse<'_>,
    constants: &Constants,
) -> Result<(), ControlError> {
    for dimension in Dimension::BOTH {
        let (units, quota) = (wanted[dimension], table_quota(constants)[dimension]);
        if units <= quota {
            continue;
        }
        let (of_index, kind) = match index {
            None => (String::new(), "table"),
            Some(index) => (format!(" for index {index}"), "index"),
        };
        return Err(ControlError::LimitExceeded(format!(
            "The requested {}CapacityUnits{of_index}, {units}, is above the per {kind} maximum for the account in {}. \
             Per {kind} maximum: {quota}. {HOW_TO_RAISE}",
            dimension.word(),
            account.region,
        )));
    }
    Ok(())
}

/// The sum of provisioned throughput in the region. `after` is what this table will have where it grows, and zero where
/// it does not; `reserved` and `requested` are for the message.
pub(crate) fn check_account_quota(
    after: PerDimension<u64>,
    reserved: PerDimension<u64>,
    requested: PerDimension<u64>,
    account: &AccountUse<'_>,
    constants: &Constants,
) -> Result<(), ControlError> {
    let quota = PerDimension::new(constants.account_quota_read_units, constants.account_quota_write_units);
    for dimension in Dimension::BOTH {
        if after[dimension] == 0
            || account.provisioned_elsewhere[dimension].saturating_add(after[dimension]) <= quota[dimension]
        {
            continue;
        }
        let word = dimension.word();
        return Err(ControlError::LimitExceeded(format!(
            "This request would have caused the {word}CapacityUnits limit to be exceeded for the account in {}. Current \
             {word}CapacityUnits reserved by the account: {}. Limit: {}. Requested: {}. {HOW_TO_RAISE}",
            account.region, reserved[dimension], quota[dimension], requested[dimension],
        )));
    }
    Ok(())
}

/// A maximum above the quota is refused.
pub(crate) fn check_maximum(
    index: Option<&str>,
    maximum: PerDimension<Option<u64>>,
    account: &AccountUse<'_>,
    constants: &Constants,
) -> Result<(), ControlError> {
    for dimension in Dimension::BOTH {
        if maximum[dimension].is_some_and(|units| units > table_quota(constants)[dimension]) {
            let word = dimension.word();
            return Err(ControlError::LimitExceeded(format!(
                "Subscriber limit exceeded: Requested Max{word}RequestUnits for OnDemandThroughput for {} exceeds \
                 TableMax{word}CapacityUnits of the account in region {}",
                of_target(index, " : "),
                account.region,
            )));
        }
    }
    Ok(())
}

/// Warm throughput above the quota is refused.
pub(crate) fn check_warm_quota(
    index: Option<&str>,
    warm: PerDimension<u64>,
    account: &AccountUse<'_>,
    constants: &Constants,
) -> Result<(), ControlError> {
    for dimension in Dimension::BOTH {
        if warm[dimension] > table_quota(constants)[dimension] {
            let word = dimension.word();
            return Err(ControlError::LimitExceeded(format!(
                "Subscriber limit exceeded: Requested {word}UnitsPerSecond for WarmThroughput for {} exceeds \
                 TableMax{word}CapacityUnits of the account in region {}",
                of_target(index, " "),
                account.region,
            )));
        }
    }
    Ok(())
}

/// A new table's warm throughput must not be below what its mode implies.
pub(crate) fn check_warm_at_creation(
    index: Option<&str>,
    resource: &ResourceSpec,
    mode: BillingMode,
    constants: &Constants,
) -> Result<(), ControlError> {
    for dimension in Dimension::BOTH {
        let (least, what) = match mode {
            BillingMode::OnDemand => {
                (on_demand_initial(constants)[dimension], "initial throughput for OnDemand".to_owned())
            }
            BillingMode::Provisioned => (
                resource.provisioned[dimension],
                format!("{}CapacityUnits of ProvisionedThroughput", dimension.word()),
            ),
        };
        let warm = resource.warm[dimension];
        if warm != 0 && warm < least {
            return Err(invalid(format!(
                "Requested {}UnitsPerSecond for WarmThroughput for {} is lower than {what}",
                dimension.word(),
                of_target(index, " "),
            )));
        }
    }
    Ok(())
}
