//! TagResource, UntagResource and ListTagsForResource: the tags of scalable targets.

use dynamometer_types::{ApiError, ErrorKind};

use crate::api::scaling::{
    EmptyResponse, ListTagsForResourceRequest, ListTagsForResourceResponse, TagResourceRequest,
    UntagResourceRequest,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::{durable, text};
use crate::scaling::TargetKey;
use crate::validate::members::{Findings, Rule, Seen};

/// Tags of one target (documented).
const TAGS: usize = 50;

const ARN: &[Rule] = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(1011)];
const KEY: &[Rule] = &[Rule::MinLength(1), Rule::MaxLength(128)];
const VALUE: &[Rule] = &[Rule::MaxLength(256)];

impl Engine {
    /// Adds tags to a scalable target, or changes those that it has; all of them or none.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`; `TooManyTags` beyond 50.
    pub async fn tag_scalable_target(
        &self,
        context: &Context<'_>,
        request: TagResourceRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let mut findings = Findings::new();
        check_arn(&mut findings, &request.resource_arn);
        findings.member("tags", request.tags.as_ref().map_or(Seen::Null, |_| Seen::Struct), &[Rule::NotNull]);
        check_tags(&mut findings, &request.tags);
        findings.finish()?;
        let sent = request.tags.as_deref().unwrap_or_default();
        self.change_tags(context, &request.resource_arn, |tags| added(tags, sent)).await
    }

    /// Takes tags off a scalable target; those that it has not are passed over.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`.
    pub async fn untag_scalable_target(
        &self,
        context: &Context<'_>,
        request: UntagResourceRequest,
    ) -> Result<EmptyResponse, ApiError> {
        let mut findings = Findings::new();
        check_arn(&mut findings, &request.resource_arn);
        let keys = request.tag_keys.as_deref().unwrap_or_default();
        let echo = || format!("[{}]", keys.join(", "));
        let seen = request.tag_keys.as_ref().map_or(Seen::Null, |keys| Seen::Many(keys.len(), &echo));
        findings.member("tagKeys", seen, &[Rule::NotNull, Rule::MaxLength(200)]);
        for (at, key) in (1..).zip(keys) {
            findings.member(format_args!("tagKeys.{at}.member"), Seen::Text(key), KEY);
        }
        findings.finish()?;
        self.change_tags(context, &request.resource_arn, |mut tags| {
            tags.retain(|(key, _)| !keys.contains(key));
            Ok(tags)
        })
        .await
    }

    /// The tags of a scalable target.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`.
    pub async fn list_tags_for_scalable_target(
        &self,
        context: &Context<'_>,
        request: ListTagsForResourceRequest,
    ) -> Result<ListTagsForResourceResponse, ApiError> {
        let mut findings = Findings::new();
        check_arn(&mut findings, &request.resource_arn);
        findings.finish()?;
        let key = self.target_of_arn(context, &request.resource_arn)?;
        let target = self.targets.get(&key).ok_or_else(not_found)?;
        Ok(ListTagsForResourceResponse { tags: target.tags })
    }

    async fn change_tags(
        &self,
        context: &Context<'_>,
        arn: &Option<String>,
        change: impl FnOnce(Vec<(String, String)>) -> Result<Vec<(String, String)>, ApiError>,
    ) -> Result<EmptyResponse, ApiError> {
        let key = self.target_of_arn(context, arn)?;
        let changed = self.targets.change(&*self.store, &key, |known, _| {
            let mut target = known.ok_or_else(not_found)?;
            target.tags = change(std::mem::take(&mut target.tags))?;
            Ok::<_, ApiError>((Some(target), EmptyResponse))
        })?;
        durable(changed).await
    }

    /// The target of an ARN in the caller's database.
    fn target_of_arn(&self, context: &Context<'_>, arn: &Option<String>) -> Result<TargetKey, ApiError> {
        let by_key = self.targets.lock();
        let mut own = by_key.iter().filter(|(key, _)| key.namespace == context.namespace);
        own.find(|(_, target)| target.arn() == text(arn)).map(|(key, _)| key.clone()).ok_or_else(not_found)
    }
}

fn not_found() -> ApiError {
    ApiError::new(ErrorKind::ResourceNotFound, "Scalable Target not found")
}

/// Checks that an ARN could be one of a scalable target.
fn check_arn(findings: &mut Findings, arn: &Option<String>) {
    findings.member("resourceARN", arn, ARN);
    let is_arn = |arn: &str| {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let [scheme, partition, service, region, account, resource] = parts.as_slice() else { return false };
        let id = resource.strip_prefix("scalable-target/").unwrap_or_default();
        *scheme == "arn"
            && !partition.is_empty()
            && *service == "application-autoscaling"
            && !region.is_empty()
            && !account.is_empty()
            && account.bytes().all(|byte| byte.is_ascii_digit())
            && !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if let Some(arn) = arn.as_deref().filter(|arn| !arn.is_empty() && !is_arn(arn)) {
        findings.add(format!(
            "Value '{arn}' at 'resourceARN' failed to satisfy constraint: Member must satisfy regular expression \
             pattern: ^arn:.+:application-autoscaling:.+:[0-9]+:scalable-target\\/[a-zA-Z0-9-]+$"
        ));
    }
}

/// Checks the tags of a request one by one.
pub(super) fn check_tags(findings: &mut Findings, tags: &Option<Vec<(String, String)>>) {
    for (key, value) in tags.iter().flatten() {
        findings.member("tags", Seen::Text(key), KEY);
        findings.member(format_args!("tags.{key}.member"), Seen::Text(value), VALUE);
    }
}

/// The tags with others added, each in place of the one of its key.
pub(super) fn added(
    mut tags: Vec<(String, String)>,
    more: &[(String, String)],
) -> Result<Vec<(String, String)>, ApiError> {
    for (key, value) in more {
        match tags.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => old.clone_from(value),
            None => tags.push((key.clone(), value.clone())),
        }
    }
    if tags.len() > TAGS {
        let text = format!("The number of tags exceeds the limit of {TAGS} tags for a scalable target");
        return Err(ApiError::new(ErrorKind::TooManyTags, text));
    }
    Ok(tags)
}
