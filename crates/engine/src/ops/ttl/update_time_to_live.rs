//! UpdateTimeToLive.

use dynamometer_types::{ApiError, Timestamp};

use crate::api::{TimeToLiveSpecification, UpdateTimeToLiveRequest, UpdateTimeToLiveResponse};
use crate::catalog::Draft;
use crate::catalog::jobs::Work;
use crate::catalog::record::{Lifecycle, TableRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, in_use, lookup, text};
use crate::validate::members::{Findings, Rule, Seen};

const ATTRIBUTE_NAME: &[Rule] = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(255)];

impl Engine {
    /// Enables or disables time to live, at once. AWS lets half an hour pass between two changes; we do when asked to.
    ///
    /// # Errors
    /// `Validation`, also when nothing would change; `ResourceNotFound`; `ResourceInUse` while the table is being
    /// created or deleted.
    pub async fn update_time_to_live(
        &self,
        context: &Context<'_>,
        request: UpdateTimeToLiveRequest,
    ) -> Result<UpdateTimeToLiveResponse, ApiError> {
        let name = check_members(context, &request)?;
        let specification = request.time_to_live_specification.clone().unwrap_or_default();
        let change = |draft: &mut Draft| {
            let table = draft.table(context.namespace, name);
            let record = table.and_then(|table| lookup::settled(table, context));
            let mut record = record.ok_or_else(|| lookup::table_not_found(name))?;
            check_state(&record)?;
            record.ttl_attribute = next_attribute(record.ttl_attribute.as_deref(), &specification)?;
            check_cooldown(&record, context.now, self.config.ttl_cooldown_ms)?;
            record.ttl_changed_ms = Some(context.now.millis());
            follow_setting(draft, &mut record, context.now);
            draft.put(record);
            Ok::<_, ApiError>(())
        };
        durable(self.catalog.change(&*self.store, change)?).await?;
        Ok(UpdateTimeToLiveResponse { time_to_live_specification: specification })
    }
}

fn check_members<'r>(
    context: &Context<'_>,
    request: &'r UpdateTimeToLiveRequest,
) -> Result<&'r str, ApiError> {
    let mut findings = Findings::new();
    let name = lookup::check_name(context, &request.table_name, &mut findings)?;
    match &request.time_to_live_specification {
        None => findings.member("timeToLiveSpecification", Seen::Null, &[Rule::NotNull]),
        Some(sent) => {
            findings.member("timeToLiveSpecification.attributeName", &sent.attribute_name, ATTRIBUTE_NAME);
            findings.member("timeToLiveSpecification.enabled", sent.enabled, &[Rule::NotNull]);
        }
    }
    findings.finish()?;
    Ok(name)
}

fn check_state(record: &TableRecord) -> Result<(), ApiError> {
    let name = &record.name;
    match record.lifecycle {
        Lifecycle::Creating { .. } => Err(in_use(format!("Table {name} is being created"))),
        Lifecycle::Deleting { .. } => Err(in_use(format!("Table is being deleted: {name}"))),
        Lifecycle::Active | Lifecycle::Updating { .. } => Ok(()),
    }
}

/// The attribute after the change.
fn next_attribute(
    current: Option<&str>,
    specification: &TimeToLiveSpecification,
) -> Result<Option<String>, ApiError> {
    let asked = text(&specification.attribute_name);
    let enable = specification.enabled == Some(true);
    match current {
        Some(current) if current != asked => Err(ApiError::validation(format!(
            "TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        ))),
        Some(_) if enable => Err(ApiError::validation("TimeToLive is already enabled")),
        None if !enable => Err(ApiError::validation("TimeToLive is already disabled")),
        Some(_) => Ok(None),
        None => Ok(Some(asked.to_owned())),
    }
}

fn check_cooldown(record: &TableRecord, now: Timestamp, cooldown_ms: i64) -> Result<(), ApiError> {
    let is_soon = |changed: i64| now.millis() < changed + cooldown_ms;
    if cooldown_ms > 0 && record.ttl_changed_ms.is_some_and(is_soon) {
        return Err(ApiError::validation(
            "Time to live has been modified multiple times within a fixed interval",
        ));
    }
    Ok(())
}

/// Declares the index of expiry times, with a job that fills it, or drops it, with one that clears its rows away.
fn follow_setting(draft: &mut Draft, record: &mut TableRecord, now: Timestamp) {
    let (namespace, table, table_id) = (record.namespace.clone(), record.name.clone(), record.id);
    if record.ttl_attribute.is_some() {
        let expiry_id = draft.new_id();
        record.expiry_id = Some(expiry_id);
        draft.add_job(now, Work::FillExpiry { namespace, table, table_id, expiry_id });
    } else if let Some(expiry_id) = record.expiry_id.take() {
        draft.add_job(now, Work::Purge { namespace, table, objects: vec![expiry_id] });
    }
}
