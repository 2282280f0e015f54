//! ListTagsForResource, TagResource, UntagResource: of alarms.

use crate::alarms::Alarm;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::value::{Answer, Members, Value};

/// How many tags an alarm may have.
const TAGS: usize = 50;

/// Reads `Tags`.
pub(super) fn read_tags(members: &Members<'_>) -> Result<Vec<(String, String)>, Fault> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for tag in members.structures("Tags", TAGS)? {
        let key = tag.required_text("Key", 128)?;
        let value = tag.text_of("Value", 0, 256)?.ok_or_else(|| tag.missing("Value"))?;
        if key.starts_with("aws:") {
            return Err(Fault::invalid(format!("The tag key {key} must not begin with aws:.")));
        }
        if tags.iter().any(|(known, _)| known == key) {
            return Err(Fault::invalid(format!("The tag key {key} is given more than once.")));
        }
        tags.push((key.to_owned(), value.to_owned()));
    }
    Ok(tags)
}

/// The alarm whose ARN is given.
fn alarm<'a>(cloudwatch: &'a CloudWatch, call: &Call<'_>, members: &Members<'_>) -> Result<&'a Alarm, Fault> {
    let arn = members.required_text("ResourceARN", 1024)?;
    let name = arn.strip_prefix(&call.alarm_arn(""));
    name.and_then(|name| cloudwatch.alarms.get(name)).ok_or_else(|| {
        Fault::new(FaultKind::ResourceNotFoundException, format!("There is no alarm with the ARN {arn}."))
    })
}

pub(super) fn list_tags_for_resource(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let tag = |(key, value): &(String, String)| {
        Answer::new().with("Key", key.as_str()).with("Value", value.as_str())
    };
    let tags: Vec<Answer> = alarm(cloudwatch, call, members)?.tags.iter().map(tag).collect();
    Ok(Answer::new().with("Tags", tags).into())
}

pub(super) fn tag_resource(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let more = read_tags(members)?;
    let alarm = alarm(cloudwatch, call, members)?;
    let (name, mut tags) = (alarm.name.clone(), alarm.tags.clone());
    for (key, value) in more {
        match tags.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => tags.push((key, value)),
        }
    }
    if tags.len() > TAGS {
        return Err(Fault::invalid(format!("An alarm can have {TAGS} tags at most.")));
    }
    cloudwatch.alarms.change(&name, |alarm| alarm.tags = tags);
    Ok(super::nothing())
}

pub(super) fn untag_resource(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let keys = members.texts("TagKeys", TAGS)?.ok_or_else(|| members.missing("TagKeys"))?;
    let name = alarm(cloudwatch, call, members)?.name.clone();
    cloudwatch.alarms.change(&name, |alarm| alarm.tags.retain(|(key, _)| !keys.contains(&key.as_str())));
    Ok(super::nothing())
}
