//! GetResourcePolicy.

use dynamometer_types::{ApiError, ErrorKind};

use super::{lookup, text};
use crate::api::GetResourcePolicyRequest;
use crate::context::Context;
use crate::engine::Engine;
use crate::validate::members::{Findings, Rule};

impl Engine {
    /// Answers that a table or stream has no policy, which is true of all: PutResourcePolicy is not there.
    ///
    /// # Errors
    /// Always one: `PolicyNotFound`, `ResourceNotFound` or `Validation`.
    ///
    /// # Source
    /// The words of `PolicyNotFound` are documented; the order of the checks is assumed.
    pub async fn get_resource_policy(
        &self,
        context: &Context<'_>,
        request: GetResourcePolicyRequest,
    ) -> Result<(), ApiError> {
        let mut findings = Findings::new();
        let rules = [Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(1283)];
        findings.member("resourceArn", &request.resource_arn, &rules);
        findings.finish()?;
        let arn = text(&request.resource_arn);
        let table = arn.split_once("/stream/").map_or(arn, |(table, _)| table);
        let name = lookup::arn_name(context, table)?;
        let record =
            lookup::find(&self.catalog, context, name).ok_or_else(|| lookup::table_not_found(name))?;
        if let Some((_, label)) = arn.split_once("/stream/")
            && self.catalog.version().stream(context.namespace, &record.name, label).is_none()
        {
            let words = format!("Requested resource not found: Stream: {label} not found for Table: {name}");
            return Err(ApiError::new(ErrorKind::ResourceNotFound, words));
        }
        let words = format!("Resource-based policy not found for the provided ResourceArn: {arn}");
        Err(ApiError::new(ErrorKind::PolicyNotFound, words))
    }
}
