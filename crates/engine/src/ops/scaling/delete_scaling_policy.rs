//! DeleteScalingPolicy.

use dynamometer_types::ApiError;

use super::{LONG_NAME, Named};
use crate::api::scaling::{DeleteScalingPolicyRequest, EmptyResponse};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::scaling::record::no_target;
use crate::validate::members::Findings;

impl Engine {
    /// Deletes a policy and its alarms.
    ///
    /// # Errors
    /// `Validation`; `ObjectNotFound`.
    pub async fn delete_scaling_policy(
        &self,
        context: &Context<'_>,
        request: DeleteScalingPolicyRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        findings.member("policyName", &request.policy_name, LONG_NAME);
        named.check(&mut findings);
        findings.finish()?;
        let (key, ..) = named.key(context)?;
        let name = text(&request.policy_name);
        let changed = self.targets.change(&*self.store, &key, |known, _| {
            let missing = || {
                let mut error = no_target("scaling policy found", &key);
                error.message.push_str(&format!(", policy name: {name}"));
                error
            };
            let mut target = known.ok_or_else(missing)?;
            let at = target.policies.iter().position(|policy| policy.name == name).ok_or_else(missing)?;
            target.policies.remove(at);
            Ok::<_, ApiError>((Some(target), EmptyResponse))
        })?;
        durable(changed).await
    }
}
