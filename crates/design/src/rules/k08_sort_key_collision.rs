//! # K08 sort-key-collision
//!
//! Two writes of the same moment have the same key, and the second replaces the first without a word.
//!
//! Severity: warning.
//!
//! Why: a put of a key that exists replaces the item. Clocks count milliseconds, and two requests share one sooner than one thinks.
//!
//! Numbers: none; the sort key tells nothing but moments, and a put has no condition that refuses an existing item.
//!
//! Fix: append an id (`ORDER#<timestamp>#<orderId>`, or a ULID), or condition the put on `attribute_not_exists`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<timestamp>" } } }
//! patterns:
//!   place: { put: Order, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<timestamp>#<orderId>" } } }
//! patterns:
//!   place: { put: Order, rate: 5/s }
//! ```
//! Source: our reasoning from two authors' tables (`ORDER#<timestamp>`, `version#<ISO time>`).
//!
//! Needs: a design file. Marks: I.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::{Member, MemberKind, Target, VariableType};

pub(super) const RULE: Rule =
    Rule::of_design("K08", "sort-key-collision", "I", include_str!("k08_sort_key_collision.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, entity) in context.design.entities.iter().enumerate() {
        let Some(sort) = entity.sort(context.design.keys(Target::table(entity.table))) else { continue };
        let is_moment = |name: &str| {
            let said = context.design.variable(name).and_then(|variable| variable.same_moment);
            context.derived.kind(name) == VariableType::Timestamp && said != Some(false)
        };
        if sort.is_constant() || !sort.variables().all(is_moment) {
            continue;
        }
        let refuses = |member: &Member| {
            member.condition.as_ref().is_some_and(|condition| condition.contains("attribute_not_exists"))
        };
        let bare: Vec<usize> = context
            .writes_of(at)
            .into_iter()
            .filter(|(.., member)| member.kind == MemberKind::Put && !refuses(member))
            .map(|(pattern, ..)| pattern)
            .collect();
        if bare.is_empty() {
            continue;
        }
        found
            .add(Severity::Warning, sort.span, format!("two {} items of one moment have one key, and the second replaces the first", *entity.name))
            .under("nothing but the time tells them apart")
            .fix("append an id or use a ULID, or put with attribute_not_exists")
            .patterns(&bare);
    }
}
