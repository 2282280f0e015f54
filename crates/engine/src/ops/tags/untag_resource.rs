//! UntagResource.

use dynamometer_types::ApiError;

use super::{arn, check_count, check_key};
use crate::api::UntagResourceRequest;
use crate::catalog::Draft;
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::validate::members::{Findings, Rule, Seen};

impl Engine {
    /// Takes tags off a table; keys that it does not have are passed over.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`; `ResourceInUse` while the table is being deleted.
    pub async fn untag_resource(
        &self,
        context: &Context<'_>,
        request: UntagResourceRequest,
    ) -> Result<(), ApiError> {
        let name = arn::table_name(context, &request.resource_arn)?;
        let mut findings = Findings::new();
        let sent = request.tag_keys.as_ref().map_or(Seen::Null, |_| Seen::Struct);
        findings.member("tagKeys", sent, &[Rule::NotNull]);
        findings.finish()?;
        let keys = request.tag_keys.as_deref().unwrap_or_default();
        if keys.is_empty() {
            return Err(ApiError::validation("Atleast one Tag Key needs to be provided as Input."));
        }
        check_count(keys.len())?;
        keys.iter().try_for_each(|key| check_key(key))?;
        let change = |draft: &mut Draft| {
            let mut record = arn::table_to_tag(draft, context, name, text(&request.resource_arn))?;
            record.tags.retain(|(key, _)| !keys.contains(key));
            draft.put(record);
            Ok::<_, ApiError>(())
        };
        durable(self.catalog.change(&*self.store, change)?).await
    }
}
