//! Faults of sets: no members, or one twice.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynamometer_types::fault::ValueFault;
use dynamometer_types::number::{Number, Reader};
use dynamometer_types::value::ValueType;

/// A member as sent, without escapes.
pub(super) type SetMember<'a> = Cow<'a, str>;

/// The fault of a set whose members are each well formed.
pub(super) fn judge_set(kind: ValueType, members: Vec<SetMember<'_>>) -> Option<ValueFault> {
    if members.is_empty() {
        return Some(ValueFault::EmptySet(kind));
    }
    match kind {
        ValueType::Ns => repeat(kind, &members, |text| Number::parse(text, Reader::Stored).ok()),
        ValueType::Bs => repeat(kind, &members, |text| STANDARD.decode(text).ok()),
        _ => repeat(kind, &members, |text| Some(text.to_owned())),
    }
}

fn repeat<T: Ord + Hash + Clone>(
    kind: ValueType,
    members: &[SetMember<'_>],
    read: impl Fn(&str) -> Option<T>,
) -> Option<ValueFault> {
    let mut seen = HashSet::new();
    let first = members.iter().position(|member| read(member).is_some_and(|value| !seen.insert(value)))?;
    let text = |member: &SetMember<'_>| member.clone().into_owned();
    // What the current layer prints: the members before the repeat in the order of their bytes, the repeat, and the
    // others as they came.
    let mut reordered = members[..first].to_vec();
    reordered.sort_by_key(|member| read(member));
    reordered.extend_from_slice(&members[first..]);
    Some(ValueFault::Duplicate {
        set: kind,
        sent: members.iter().map(text).collect(),
        reordered: reordered.iter().map(text).collect(),
    })
}
