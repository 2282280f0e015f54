//! UpdateContributorInsights.

use dynamometer_types::{ApiError, Timestamp};

use super::{check_index_name, setting, status};
use crate::api::{
    ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus, Given,
    UpdateContributorInsightsRequest, UpdateContributorInsightsResponse, known_or,
};
use crate::catalog::Draft;
use crate::catalog::record::{InsightsRecord, Status, TableRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, lookup};
use crate::validate::members::Findings;

impl Engine {
    /// Switches Contributor Insights of a table or global index on or off, or changes its mode. It is on its way for as
    /// long as tables take to be created, and counts from the beginning. A request that changes nothing is answered too.
    ///
    /// # Errors
    /// `Validation`, also while the table or index is not ACTIVE; `ResourceNotFound`.
    pub async fn update_contributor_insights(
        &self,
        context: &Context<'_>,
        request: UpdateContributorInsightsRequest,
    ) -> Result<UpdateContributorInsightsResponse, ApiError> {
        let name = check_members(context, &request)?;
        let index = request.index_name.as_deref();
        let enable = known_or(&request.contributor_insights_action, ContributorInsightsAction::Enable)
            == ContributorInsightsAction::Enable;
        let mode = request.contributor_insights_mode.as_ref().and_then(Given::known);
        let change = |draft: &mut Draft| {
            let table = draft.table(context.namespace, name);
            let record = table.and_then(|table| lookup::settled(table, context));
            let mut record = record.ok_or_else(|| lookup::table_not_found(name))?;
            check_state(&mut record, index, context.now)?;
            let setting = setting(&mut record, index)?;
            let before = *setting;
            *setting = Some(changed(before, enable, mode, context.now, self.config.table_delay_ms));
            let after = *setting;
            // A setting that stays as it is makes no new version of the table.
            if after != before {
                draft.put(record);
            }
            Ok::<_, ApiError>((before, after))
        };
        let (before, after) = durable(self.catalog.change(&*self.store, change)?).await?;
        self.follow_table(context.namespace, name, context.now);
        let is_change = before.is_none_or(|before| before.enabled != enable);
        Ok(UpdateContributorInsightsResponse {
            table_name: name.to_owned(),
            index_name: request.index_name.clone(),
            contributor_insights_status: match (is_change, enable) {
                (true, true) => ContributorInsightsStatus::Enabling,
                (true, false) if before.is_some() => ContributorInsightsStatus::Disabling,
                _ => status(after.as_ref(), context.now),
            },
            contributor_insights_mode: after.filter(|setting| setting.enabled).map(|setting| setting.mode),
        })
    }
}

/// The setting after a request.
fn changed(
    before: Option<InsightsRecord>,
    enable: bool,
    mode: Option<ContributorInsightsMode>,
    now: Timestamp,
    delay_ms: i64,
) -> InsightsRecord {
    let mode = mode
        .or(before.filter(|before| before.enabled).map(|before| before.mode))
        .unwrap_or(ContributorInsightsMode::AccessedAndThrottledKeys);
    match before {
        Some(before) if before.enabled == enable && (!enable || before.mode == mode) => before,
        // Of another mode there are other rules, from now on.
        before => InsightsRecord {
            enabled: enable,
            mode,
            // What was never on has nothing to be switched off.
            until_ms: if enable || before.is_some() { now.millis() + delay_ms } else { now.millis() },
            enabled_ms: if enable { now.millis() } else { before.map_or(now.millis(), |b| b.enabled_ms) },
            updated_ms: now.millis(),
        },
    }
}

fn check_members<'r>(
    context: &Context<'_>,
    request: &'r UpdateContributorInsightsRequest,
) -> Result<&'r str, ApiError> {
    let mut findings = Findings::new();
    let name = lookup::check_name(context, &request.table_name, &mut findings)?;
    check_index_name(&request.index_name, &mut findings);
    findings.required_one_of("contributorInsightsAction", &request.contributor_insights_action);
    findings.one_of("contributorInsightsMode", &request.contributor_insights_mode);
    findings.finish()?;
    Ok(name)
}

/// A table or index that comes or goes has no insights yet or any more.
fn check_state(record: &mut TableRecord, index: Option<&str>, now: Timestamp) -> Result<(), ApiError> {
    // The index must be there before its state matters.
    setting(record, index)?;
    let not_active = |what: &str| {
        Err(ApiError::validation(format!(
            "Table or Index is not in a valid state to update Key Access Insights: {what} must be ACTIVE to enable \
             ContributorInsights."
        )))
    };
    let is_usable = |status: Status| matches!(status, Status::Active | Status::Updating);
    match record.lifecycle.status(now) {
        Status::Creating => return Err(lookup::table_not_found(&record.name)),
        status if !is_usable(status) => return not_active("TableStatus"),
        _ => {}
    }
    let known = index.and_then(|index| record.global_indexes.iter().find(|known| known.name == index));
    match known {
        Some(known) if !is_usable(known.lifecycle.status(now)) || known.backfilling => {
            not_active("IndexStatus")
        }
        _ => Ok(()),
    }
}
