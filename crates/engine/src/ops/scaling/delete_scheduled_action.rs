//! DeleteScheduledAction.

use dynamometer_types::ApiError;

use super::{LONG_NAME, Named};
use crate::api::scaling::{DeleteScheduledActionRequest, EmptyResponse};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::scaling::record::no_target;
use crate::validate::members::Findings;

impl Engine {
    /// Deletes a scheduled action. The bounds that it set stay.
    ///
    /// # Errors
    /// `Validation`; `ObjectNotFound`.
    pub async fn delete_scheduled_action(
        &self,
        context: &Context<'_>,
        request: DeleteScheduledActionRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        findings.member("scheduledActionName", &request.scheduled_action_name, LONG_NAME);
        named.check(&mut findings);
        findings.finish()?;
        let (key, ..) = named.key(context)?;
        let name = text(&request.scheduled_action_name);
        let changed = self.targets.change(&*self.store, &key, |known, _| {
            let missing = || {
                let mut error = no_target("scheduled action found", &key);
                error.message.push_str(&format!(", scheduled action name: {name}"));
                error
            };
            let mut target = known.ok_or_else(missing)?;
            let at = target.scheduled.iter().position(|action| action.name == name).ok_or_else(missing)?;
            target.scheduled.remove(at);
            Ok::<_, ApiError>((Some(target), EmptyResponse))
        })?;
        durable(changed).await
    }
}
