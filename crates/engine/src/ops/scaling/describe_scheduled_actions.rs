//! DescribeScheduledActions.

use dynamometer_types::{ApiError, Timestamp};

use super::{Named, check_names, page};
use crate::api::scaling::{
    DescribeScheduledActionsRequest, DescribeScheduledActionsResponse, ScalableTargetAction, ScheduledAction,
    ServiceNamespace,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::scaling::record::{ScheduledRecord, TargetRecord};
use crate::validate::members::Findings;

impl Engine {
    /// Lists the scheduled actions of the caller's database by target and name; those that are over stay.
    ///
    /// # Errors
    /// `Validation`; `InvalidNextToken`.
    pub async fn describe_scheduled_actions(
        &self,
        context: &Context<'_>,
        request: DescribeScheduledActionsRequest,
    ) -> Result<DescribeScheduledActionsResponse, ApiError> {
        let named = Named {
            namespace: &request.service_namespace,
            resource_id: &request.resource_id,
            dimension: &request.scalable_dimension,
        };
        let mut findings = Findings::new();
        check_names(&mut findings, "scheduledActionNames", &request.scheduled_action_names);
        named.check_filter(&mut findings);
        findings.finish()?;
        let (resource_id, dimension) = named.filter()?;
        let limit = page::limit(request.max_results, page::PAGE)?;
        let after = page::place_of(&request.next_token)?;

        let names = request.scheduled_action_names.as_deref().unwrap_or_default();
        let by_key = self.targets.lock();
        let found = by_key
            .iter()
            .filter(|(key, target)| {
                key.namespace == context.namespace
                    && resource_id.is_none_or(|id| key.resource_id == id)
                    && dimension.is_none_or(|dimension| target.dimension == dimension)
            })
            .flat_map(|(key, target)| target.scheduled.iter().map(move |action| (key, target, action)))
            .filter(|(_, _, action)| names.is_empty() || names.contains(&action.name))
            .map(|(key, target, action)| {
                let place = format!("{}\0{}\0{}", key.resource_id, key.dimension, action.name);
                (place, describe(target, action))
            });
        let (scheduled_actions, next_token) = page::page(found, after, limit);
        Ok(DescribeScheduledActionsResponse { scheduled_actions, next_token })
    }
}

fn describe(target: &TargetRecord, action: &ScheduledRecord) -> ScheduledAction {
    ScheduledAction {
        scheduled_action_name: action.name.clone(),
        scheduled_action_arn: target.scheduled_arn(action),
        service_namespace: ServiceNamespace::DynamoDb,
        schedule: action.schedule.clone(),
        timezone: action.timezone.clone(),
        resource_id: target.resource.id(),
        scalable_dimension: target.dimension,
        start_time: action.start_ms.map(Timestamp::from_millis),
        end_time: action.end_ms.map(Timestamp::from_millis),
        scalable_target_action: ScalableTargetAction {
            min_capacity: action.least,
            max_capacity: action.most,
        },
        creation_time: Timestamp::from_millis(action.created_ms),
    }
}
