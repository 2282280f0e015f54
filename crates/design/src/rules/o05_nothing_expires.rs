//! # O05 nothing-expires
//!
//! Sessions, logs, events or tokens are kept for ever.
//!
//! Severity: info.
//!
//! Why: TTL deletes for nothing; keeping costs every month, and more of it each month.
//!
//! Numbers: none; the entity's name says what it is, and it has no `expires-after`.
//!
//! Fix: a TTL attribute, and `expires-after` here.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Login session: { keys: { PK: "SESSION#<id>" } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], ttl: expiresAt } }
//! entities: { Login session: { keys: { PK: "SESSION#<id>" }, expires-after: 30d } }
//! ```
//! Source: AWS, Developer Guide 2026, "Using time to live (TTL) in DynamoDB"; one author's guide.
//!
//! Needs: a design file. Marks: S3.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O05", "nothing-expires", "S3", include_str!("o05_nothing_expires.rs"), check);

const PASSING: &[&str] = &["session", "log", "event", "token", "otp", "cache", "セッション", "ログ", "イベント", "トークン", "キャッシュ"];

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in context.design.entities.iter().filter(|entity| entity.expires_after.is_none()) {
        let name = entity.name.to_lowercase();
        // An English word must end there: a logo is no log.
        let is = |word: &&&str| match word.is_ascii() {
            true => name.split(|c: char| !c.is_alphanumeric()).any(|part| part == **word || part.strip_suffix('s') == Some(**word)) || entity.name.ends_with(&capitalised(word)),
            false => name.contains(**word),
        };
        let Some(word) = PASSING.iter().find(is) else { continue };
        found
            .add(Severity::Info, entity.name.span, format!("{} is kept for ever", *entity.name))
            .under(format!("{word}: usually of interest for a while only"))
            .fix("give the table a ttl, and say expires-after; deleting by TTL is free");
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
