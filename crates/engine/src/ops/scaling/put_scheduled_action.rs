//! PutScheduledAction.

use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use super::{LONG_TEXT, Named, SHORT_NAME, check_bounds};
use crate::api::scaling::{EmptyResponse, PutScheduledActionRequest};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::scaling::record::{ScheduledRecord, TargetRecord, no_target};
use crate::scaling::schedule::{Schedule, Zone};
use crate::validate::members::Findings;

/// Scheduled actions of one target (documented).
const ACTIONS: usize = 200;
/// 9999-12-31T23:59:59.999Z.
const LAST_MS: f64 = 253_402_300_799_999.0;

impl Engine {
    /// Makes a scheduled action, or changes the one of this name; what the request leaves out stays as it was, but start
    /// and end, which are then none (documented).
    ///
    /// # Errors
    /// `Validation`; `ObjectNotFound` when the target is not registered; `LimitExceeded`.
    pub async fn put_scheduled_action(
        &self,
        context: &Context<'_>,
        request: PutScheduledActionRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        findings.required_one_of("serviceNamespace", &request.service_namespace);
        findings.member("schedule", &request.schedule, LONG_TEXT);
        findings.member("timezone", &request.timezone, LONG_TEXT);
        check_name(&mut findings, &request.scheduled_action_name);
        findings.member("resourceId", &request.resource_id, super::LONG_NAME);
        findings.required_one_of("scalableDimension", &request.scalable_dimension);
        findings.finish()?;
        let (key, ..) = named.key(context)?;
        let changed = self.targets.change(&*self.store, &key, |known, _| {
            let mut target = known.ok_or_else(|| no_target("scalable target registered", &key))?;
            put(&mut target, &request, context.now)?;
            Ok::<_, ApiError>((Some(target), EmptyResponse))
        })?;
        durable(changed).await
    }
}

/// Names have no control characters, `:`, `/` and `|`, and no space at an end.
fn check_name(findings: &mut Findings, name: &Option<String>) {
    findings.member("scheduledActionName", name, SHORT_NAME);
    let is_bad = |c: char| c.is_control() || matches!(c, ':' | '/' | '|');
    if let Some(name) = name
        && !name.is_empty()
        && (name.chars().any(is_bad) || name.starts_with(' ') || name.ends_with(' '))
    {
        findings.add(format!(
            "Value '{name}' at 'scheduledActionName' failed to satisfy constraint: Member must satisfy regular \
             expression pattern: (?!((^[ ]+.*)|(.*([\\u0000-\\u001f]|[\\u007f-\\u009f]|[:/|])+.*)|(.*[ ]+$))).+"
        ));
    }
}

fn put(
    target: &mut TargetRecord,
    request: &PutScheduledActionRequest,
    now: Timestamp,
) -> Result<(), ApiError> {
    let name = text(&request.scheduled_action_name);
    let at = target.scheduled.iter().position(|action| action.name == name);
    let known = at.map(|at| target.scheduled[at].clone());
    if known.is_none() && target.scheduled.len() >= ACTIONS {
        let text =
            format!("You have reached the limit of {ACTIONS} scheduled actions for the scalable target");
        return Err(ApiError::new(ErrorKind::LimitExceeded, text));
    }
    let action = merged(known, request, now)?;
    match at {
        Some(at) => target.scheduled[at] = action,
        None => {
            target.scheduled.push(action);
            target.scheduled.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    Ok(())
}

/// A time that is sent as seconds, if there is such a time. The words are assumed.
fn moment(member: &str, seconds: Option<f64>) -> Result<Option<Timestamp>, ApiError> {
    let Some(seconds) = seconds else { return Ok(None) };
    let millis = (seconds * 1000.0).round();
    if !(0.0..=LAST_MS).contains(&millis) {
        return Err(ApiError::validation(format!("{member} must be between the years 1970 and 9999")));
    }
    Ok(Some(Timestamp::from_millis(millis as i64)))
}

/// The action as it becomes.
fn merged(
    known: Option<ScheduledRecord>,
    request: &PutScheduledActionRequest,
    now: Timestamp,
) -> Result<ScheduledRecord, ApiError> {
    let invalid = |words: &str| Err(ApiError::validation(words));
    let before = known.as_ref();
    let Some(schedule) = request.schedule.clone().or_else(|| before.map(|action| action.schedule.clone()))
    else {
        return invalid("Schedule must be specified");
    };
    let timezone = request.timezone.clone().or_else(|| before.and_then(|action| action.timezone.clone()));
    let (least, most) = match (&request.scalable_target_action, before) {
        (Some(sent), _) => (sent.min_capacity, sent.max_capacity),
        (None, Some(before)) => (before.least, before.most),
        (None, None) => return invalid("ScalableTargetAction must be specified"),
    };
    if least.is_none() && most.is_none() {
        return invalid("At least one of minimum capacity and maximum capacity should be provided");
    }
    check_bounds(least, most)?;
    let (start, end) = (moment("StartTime", request.start_time)?, moment("EndTime", request.end_time)?);
    if let (Some(start), Some(end)) = (start, end)
        && start >= end
    {
        return invalid("StartTime must be before EndTime");
    }
    if let Some(zone) = &timezone
        && Zone::of_name(zone).is_none()
    {
        return invalid(&format!("Invalid timezone: {zone}"));
    }
    let Some(parsed) = Schedule::parse(&schedule, timezone.as_deref()) else {
        return invalid(&format!("Invalid schedule expression: {schedule}"));
    };
    Ok(ScheduledRecord {
        name: text(&request.scheduled_action_name).to_owned(),
        schedule,
        timezone,
        start_ms: start.map(Timestamp::millis),
        end_ms: end.map(Timestamp::millis),
        least,
        most,
        created_ms: before.map_or(now.millis(), |action| action.created_ms),
        next_ms: parsed.first(now, start, end).map(Timestamp::millis),
    })
}
