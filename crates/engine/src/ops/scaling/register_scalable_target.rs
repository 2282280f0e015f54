//! RegisterScalableTarget.

use dynamometer_types::{ApiError, ErrorKind};

use super::{LONG_TEXT, Named, check_bounds, tags};
use crate::api::scaling::{
    RegisterScalableTargetRequest, RegisterScalableTargetResponse, ScalableDimension, SuspendedState,
};
use crate::catalog::record::Status;
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::durable;
use crate::ops::uuid;
use crate::scaling::ByKey;
use crate::scaling::record::{ResourceRecord, SuspendedRecord, TARGET_FORMAT, TargetRecord};
use crate::validate::members::Findings;

/// Targets of DynamoDB in one account and region (documented; can be raised on AWS).
const TARGETS: usize = 5_000;

impl Engine {
    /// Makes reads or writes of a table or index scalable between bounds, or changes how they are. Throughput beyond the
    /// bounds is moved within them at once. Which role is given makes no difference: AWS shows its own.
    ///
    /// # Errors
    /// `Validation`, also when there is no such table or index; `LimitExceeded`.
    pub async fn register_scalable_target(
        &self,
        context: &Context<'_>,
        request: RegisterScalableTargetRequest,
    ) -> Result<RegisterScalableTargetResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        named.check(&mut findings);
        findings.member("roleARN", &request.role_arn, LONG_TEXT);
        tags::check_tags(&mut findings, &request.tags);
        findings.finish()?;
        let (key, resource, dimension) = named.key(context)?;
        self.check_resource(context, &resource)?;
        let has_room = |targets: &ByKey| {
            let known = targets.keys().filter(|known| known.namespace == key.namespace).count();
            if known < TARGETS || targets.contains_key(&key) {
                return Ok(());
            }
            let text = format!("You have reached the limit of {TARGETS} scalable targets for dynamodb");
            Err(ApiError::new(ErrorKind::LimitExceeded, text))
        };
        let changed = self.targets.change_among(&*self.store, &key, has_room, |known, _| {
            let target = match known {
                Some(known) => changed(context, known, &request)?,
                None => created(context, resource, dimension, &request)?,
            };
            let scalable_target_arn = target.arn();
            Ok::<_, ApiError>((Some(target), RegisterScalableTargetResponse { scalable_target_arn }))
        })?;
        durable(changed).await
    }

    /// Refuses a table or index that is not there.
    fn check_resource(&self, context: &Context<'_>, resource: &ResourceRecord) -> Result<(), ApiError> {
        let table = self.catalog.table(context.namespace, &resource.table);
        let record = table.and_then(|table| table.record.clone().settled(context.now));
        let is_there = |record: &crate::catalog::record::TableRecord| {
            let status = record.lifecycle.status(context.now);
            let has = |name: &String| record.global_indexes.iter().any(|index| index.name == *name);
            !matches!(status, Status::Deleting | Status::Gone) && resource.index.as_ref().is_none_or(has)
        };
        if record.as_ref().is_some_and(is_there) {
            return Ok(());
        }
        let kind = if resource.index.is_some() { "index" } else { "table" };
        Err(ApiError::validation(format!("DynamoDB {kind} does not exist: {}", resource.id())))
    }
}

fn created(
    context: &Context<'_>,
    resource: ResourceRecord,
    dimension: ScalableDimension,
    request: &RegisterScalableTargetRequest,
) -> Result<TargetRecord, ApiError> {
    let required = |bound: Option<i32>, name: &str| {
        bound.ok_or_else(|| ApiError::validation(format!("{name} capacity must be specified")))
    };
    let least = required(request.min_capacity, "Minimum")?;
    let most = required(request.max_capacity, "Maximum")?;
    check_bounds(Some(least), Some(most))?;
    Ok(TargetRecord {
        format: TARGET_FORMAT,
        namespace: context.namespace.to_owned(),
        region: context.region.to_owned(),
        account: context.account.to_owned(),
        id: uuid((context.entropy)()),
        resource,
        dimension,
        least,
        most,
        suspended: merged(SuspendedRecord::default(), request.suspended_state),
        created_ms: context.now.millis(),
        tags: tags::added(Vec::new(), request.tags.as_deref().unwrap_or_default())?,
        policies: Vec::new(),
        scheduled: Vec::new(),
        enforce_at_ms: Some(context.now.millis()),
        last: None,
        told: None,
        activities: 0,
        rests_at: None,
    })
}

/// What a request leaves out stays as it was.
fn changed(
    context: &Context<'_>,
    mut target: TargetRecord,
    request: &RegisterScalableTargetRequest,
) -> Result<TargetRecord, ApiError> {
    if request.tags.is_some() {
        return Err(ApiError::validation(
            "The scalable target that you tried to tag already exists. To update tags on an existing scalable target, \
             use the TagResource API.",
        ));
    }
    target.least = request.min_capacity.unwrap_or(target.least);
    target.most = request.max_capacity.unwrap_or(target.most);
    check_bounds(Some(target.least), Some(target.most))?;
    target.suspended = merged(target.suspended, request.suspended_state);
    target.enforce_at_ms = Some(context.now.millis());
    Ok(target)
}

fn merged(before: SuspendedRecord, sent: Option<SuspendedState>) -> SuspendedRecord {
    let sent = sent.unwrap_or_default();
    SuspendedRecord {
        dynamic_in: sent.dynamic_scaling_in_suspended.unwrap_or(before.dynamic_in),
        dynamic_out: sent.dynamic_scaling_out_suspended.unwrap_or(before.dynamic_out),
        scheduled: sent.scheduled_scaling_suspended.unwrap_or(before.scheduled),
    }
}
