//! TagResource.

use dynamometer_types::ApiError;

use super::{arn, merged, new_tags};
use crate::api::TagResourceRequest;
use crate::catalog::Draft;
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::validate::members::{Findings, Rule, Seen};

impl Engine {
    /// Adds tags to a table, or changes those that it has; all of them or none.
    ///
    /// # Errors
    /// `Validation`, also beyond 50 tags; `ResourceNotFound`; `ResourceInUse` while the table is being deleted.
    pub async fn tag_resource(
        &self,
        context: &Context<'_>,
        request: TagResourceRequest,
    ) -> Result<(), ApiError> {
        let name = arn::table_name(context, &request.resource_arn)?;
        let mut findings = Findings::new();
        findings.member("tags", request.tags.as_ref().map_or(Seen::Null, |_| Seen::Struct), &[Rule::NotNull]);
        findings.finish()?;
        let tags = request.tags.as_deref().unwrap_or_default();
        if tags.is_empty() {
            return Err(ApiError::validation("Atleast one Tag needs to be provided as Input."));
        }
        let tags = new_tags(tags)?;
        let change = |draft: &mut Draft| {
            let mut record = arn::table_to_tag(draft, context, name, text(&request.resource_arn))?;
            record.tags = merged(record.tags, tags)?;
            draft.put(record);
            Ok::<_, ApiError>(())
        };
        durable(self.catalog.change(&*self.store, change)?).await
    }
}
