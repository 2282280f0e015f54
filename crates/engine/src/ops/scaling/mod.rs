//! The operations of Application Auto Scaling, on tables and global indexes. Each has its file; here is what several of
//! them check. What auto scaling then does as time passes is in [`crate::scaling`].
//!
//! # Source
//! Members, lengths and quotas: the service model and user guide of 2026. Texts: issue reports and probes where known;
//! where not, our words in AWS's manner (`docs/compatibility.md`).

mod delete_scaling_policy;
mod delete_scheduled_action;
mod deregister_scalable_target;
mod describe_scalable_targets;
mod describe_scaling_activities;
mod describe_scaling_policies;
mod describe_scheduled_actions;
mod page;
mod put_scaling_policy;
mod put_scheduled_action;
mod register_scalable_target;
mod tags;

use dynamometer_types::ApiError;

use crate::api::Given;
use crate::api::scaling::{ScalableDimension, ServiceNamespace};
use crate::context::Context;
use crate::ops::tables::text;
use crate::scaling::TargetKey;
use crate::scaling::record::ResourceRecord;
use crate::validate::members::{Findings, Rule, Seen};

const LONG_TEXT: &[Rule] = &[Rule::MinLength(1), Rule::MaxLength(1600)];
const LONG_NAME: &[Rule] = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(1600)];
const SHORT_NAME: &[Rule] = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(256)];

/// The members that name a target, as sent.
struct Named<'r> {
    namespace: &'r Option<Given<ServiceNamespace>>,
    resource_id: &'r Option<String>,
    dimension: &'r Option<Given<ScalableDimension>>,
}

impl Named<'_> {
    /// Checks the members, all of which must be there.
    fn check(&self, findings: &mut Findings) {
        findings.required_one_of("serviceNamespace", self.namespace);
        findings.member("resourceId", self.resource_id, LONG_NAME);
        findings.required_one_of("scalableDimension", self.dimension);
    }

    /// Checks the members of a listing, which may leave out all but the namespace.
    fn check_filter(&self, findings: &mut Findings) {
        findings.required_one_of("serviceNamespace", self.namespace);
        findings.member("resourceId", self.resource_id, LONG_TEXT);
        findings.one_of("scalableDimension", self.dimension);
    }

    /// The target that the checked members name.
    fn key(&self, context: &Context<'_>) -> Result<(TargetKey, ResourceRecord, ScalableDimension), ApiError> {
        let dimension = self.dimension.as_ref().and_then(Given::known).ok_or_else(unsupported)?;
        let resource = resource(self.namespace, text(self.resource_id), Some(dimension))?;
        Ok((TargetKey::new(context.namespace, &resource.id(), dimension), resource, dimension))
    }

    /// The filter that the checked members of a listing are.
    ///
    /// # Errors
    /// `Validation` for what is not DynamoDB's, and for a dimension without a resource.
    fn filter(&self) -> Result<(Option<&str>, Option<ScalableDimension>), ApiError> {
        let dimension = self.dimension.as_ref().and_then(Given::known);
        match self.resource_id.as_deref() {
            None if dimension.is_some() => {
                Err(ApiError::validation("ResourceId must be specified when ScalableDimension is specified"))
            }
            None => check_namespace(self.namespace).map(|()| (None, None)),
            Some(id) => resource(self.namespace, id, dimension).map(|_| (Some(id), dimension)),
        }
    }
}

/// The table or index, when namespace, name and dimension go together.
fn resource(
    namespace: &Option<Given<ServiceNamespace>>,
    resource_id: &str,
    dimension: Option<ScalableDimension>,
) -> Result<ResourceRecord, ApiError> {
    check_namespace(namespace)?;
    let resource = ResourceRecord::parse(resource_id).ok_or_else(unsupported)?;
    let fits = match dimension {
        None => true,
        Some(ScalableDimension::TableRead | ScalableDimension::TableWrite) => resource.index.is_none(),
        Some(ScalableDimension::IndexRead | ScalableDimension::IndexWrite) => resource.index.is_some(),
        Some(_) => false,
    };
    if fits { Ok(resource) } else { Err(unsupported()) }
}

/// There are no resources here but DynamoDB's.
fn check_namespace(namespace: &Option<Given<ServiceNamespace>>) -> Result<(), ApiError> {
    let known = namespace.as_ref().and_then(Given::known);
    if known == Some(ServiceNamespace::DynamoDb) { Ok(()) } else { Err(unsupported()) }
}

fn unsupported() -> ApiError {
    ApiError::validation("Unsupported service namespace, resource type or scalable dimension")
}

/// Checks a list of names that a listing is limited to.
fn check_names(findings: &mut Findings, path: &str, names: &Option<Vec<String>>) {
    let Some(names) = names else { return };
    let echo = || format!("[{}]", names.join(", "));
    findings.member(path, Seen::Many(names.len(), &echo), &[Rule::MaxLength(50)]);
    for (at, name) in (1..).zip(names) {
        findings.member(format_args!("{path}.{at}.member"), Seen::Text(name), LONG_TEXT);
    }
}

/// Checks a pair of bounds that will be in force.
fn check_bounds(least: Option<i32>, most: Option<i32>) -> Result<(), ApiError> {
    if least.into_iter().chain(most).any(|bound| bound < 1) {
        return Err(ApiError::validation("Minimum and maximum capacity must be at least 1"));
    }
    match (least, most) {
        (Some(least), Some(most)) if least > most => {
            Err(ApiError::validation("Maximum capacity cannot be less than minimum capacity"))
        }
        _ => Ok(()),
    }
}
