//! ListTagsOfResource.

use dynamometer_types::ApiError;

use super::arn;
use crate::api::{ListTagsOfResourceRequest, ListTagsOfResourceResponse, Tag};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::text;

/// Tags on a page (assumed: AWS does not document it).
const PAGE: usize = 10;

impl Engine {
    /// Lists the tags of a table, ten at a time. `NextToken` is the key of the last tag shown.
    ///
    /// # Errors
    /// `Validation`, also for a token that no page has given; `AccessDenied` when there is no such table, as AWS.
    pub async fn list_tags_of_resource(
        &self,
        context: &Context<'_>,
        request: ListTagsOfResourceRequest,
    ) -> Result<ListTagsOfResourceResponse, ApiError> {
        let name = arn::table_name(context, &request.resource_arn)?;
        let record = arn::table_to_list(&self.catalog, context, name, text(&request.resource_arn))?;
        let start = match &request.next_token {
            None => 0,
            Some(token) => match record.tags.iter().position(|(key, _)| key == token) {
                Some(at) => at + 1,
                None => {
                    let message = "Invalid NextToken: it names no tag of this resource; list from the start";
                    return Err(ApiError::validation(message));
                }
            },
        };
        let page = record.tags.iter().skip(start).take(PAGE);
        let tag =
            |(key, value): &(String, String)| Tag { key: Some(key.clone()), value: Some(value.clone()) };
        let tags: Vec<Tag> = page.map(tag).collect();
        let more = start + tags.len() < record.tags.len();
        let next_token = tags.last().filter(|_| more).and_then(|tag| tag.key.clone());
        Ok(ListTagsOfResourceResponse { tags, next_token })
    }
}
