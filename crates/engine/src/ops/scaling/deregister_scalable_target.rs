//! DeregisterScalableTarget.

use dynamometer_types::ApiError;

use super::Named;
use crate::api::scaling::{DeregisterScalableTargetRequest, EmptyResponse};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::durable;
use crate::scaling::record::no_target;
use crate::validate::members::Findings;

impl Engine {
    /// Takes a target out, with its policies, alarms and scheduled actions. Throughput stays as it is.
    ///
    /// # Errors
    /// `Validation`; `ObjectNotFound`.
    pub async fn deregister_scalable_target(
        &self,
        context: &Context<'_>,
        request: DeregisterScalableTargetRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        named.check(&mut findings);
        findings.finish()?;
        let (key, ..) = named.key(context)?;
        let changed = self.targets.change(&*self.store, &key, |known, _| match known {
            Some(_) => Ok((None, EmptyResponse)),
            None => Err(no_target("scalable target found", &key)),
        })?;
        durable(changed).await
    }
}
