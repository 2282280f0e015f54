//! UpdateContinuousBackups.

use dynamometer_types::{ApiError, ErrorKind};

use super::describe_continuous_backups::{continuous_backups, not_found};
use super::{durable, lookup};
use crate::api::{ContinuousBackupsResponse, UpdateContinuousBackupsRequest};
use crate::catalog::Draft;
use crate::catalog::record::Status;
use crate::context::Context;
use crate::engine::Engine;
use crate::validate::members::{Findings, Rule, Seen};

/// The days that one can go back when a request names none, and the most (documented).
const RECOVERY_DAYS: i32 = 35;

impl Engine {
    /// Stores the setting of point-in-time recovery, so that templates which have it can be deployed. Nothing can be
    /// restored.
    ///
    /// # Errors
    /// `Validation`; `TableNotFound`; `ContinuousBackupsUnavailable` while the table is being created.
    pub async fn update_continuous_backups(
        &self,
        context: &Context<'_>,
        request: UpdateContinuousBackupsRequest,
    ) -> Result<ContinuousBackupsResponse, ApiError> {
        let (name, enabled) = check_members(context, &request)?;
        let asked = request
            .point_in_time_recovery_specification
            .as_ref()
            .and_then(|sent| sent.recovery_period_in_days);
        if asked.is_some() && !enabled {
            return Err(ApiError::validation(
                "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
            ));
        }
        let change = |draft: &mut Draft| {
            let table = draft.table(context.namespace, name);
            let record = table.and_then(|table| lookup::settled(table, context));
            let mut record = record.ok_or_else(|| not_found(name))?;
            if record.lifecycle.status(context.now) == Status::Creating {
                let words = format!("Backups are being enabled for the table: {name}. Please retry later");
                return Err(ApiError::new(ErrorKind::ContinuousBackupsUnavailable, words));
            }
            let days = asked.or(record.recovery_period_days).unwrap_or(RECOVERY_DAYS);
            record.recovery_period_days = enabled.then_some(days);
            let answer = continuous_backups(context, &record);
            draft.put(record);
            Ok(answer)
        };
        durable(self.catalog.change(&*self.store, change)?).await
    }
}

/// Answers the table's name, and whether recovery is to be enabled.
fn check_members<'r>(
    context: &Context<'_>,
    request: &'r UpdateContinuousBackupsRequest,
) -> Result<(&'r str, bool), ApiError> {
    let mut findings = Findings::new();
    let name = lookup::check_name(context, &request.table_name, &mut findings)?;
    let path = "pointInTimeRecoverySpecification";
    let mut enabled = false;
    match &request.point_in_time_recovery_specification {
        None => findings.member(path, Seen::Null, &[Rule::NotNull]),
        Some(sent) => {
            let switch = sent.point_in_time_recovery_enabled;
            findings.member(format!("{path}.pointInTimeRecoveryEnabled"), switch, &[Rule::NotNull]);
            let days = [Rule::MinValue(1), Rule::MaxValue(RECOVERY_DAYS.into())];
            findings.member(format!("{path}.recoveryPeriodInDays"), sent.recovery_period_in_days, &days);
            enabled = switch == Some(true);
        }
    }
    findings.finish()?;
    Ok((name, enabled))
}
