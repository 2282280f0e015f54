//! # R01 scan-on-a-hot-path
//!
//! A pattern scans, and is asked for often.
//!
//! Severity: error from 20 a second on (the word `high`), warning from one a minute on.
//!
//! Why: a scan reads and pays for everything, whatever it answers, and its price grows with the table.
//!
//! Numbers: the pattern's rate, and the units of one call.
//!
//! Fix: a query on a key or an index that has what is asked for; an export to S3 for analytics.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Users: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" }, count: 10k } }
//! patterns:
//!   all active users: { scan: Users, filter: "active = :yes", rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Users: { keys: [PK], indexes: { active: { keys: [activeTeam] } } } }
//! variables: { team: { distinct: 500 } }
//! entities: { User: { keys: { PK: "USER#<userId>", activeTeam: "ACTIVE#<team>" }, count: 10k } }
//! patterns:
//!   active users of a team: { query: active, key: "ACTIVE#<team>", rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Best practices for querying and scanning data".
//!
//! Needs: a design file. Marks: S3, D.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::ReadKind;

pub(super) const RULE: Rule =
    Rule::of_design("R01", "scan-on-a-hot-path", "S3, D", include_str!("r01_scan_on_a_hot_path.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, read) in context.reads().filter(|(.., read)| read.kind == ReadKind::Scan) {
        let severity = match pattern.average_micro() {
            20_000_000.. => Severity::Error,
            16_667.. => Severity::Warning,
            _ => continue,
        };
        let units = context.served(at).map_or(0, |served| served.milli_halves());
        let rate = text::rate(pattern.average_micro());
        found
            .add(severity, pattern.action_span, format!("a scan of {} {rate}: {} units each time", context.name(read.target), text::units(units)))
            .under("reads and pays for everything")
            .number("rate", rate)
            .number("unitsPerCall", text::units(units))
            .fix("query a key or an index that has what is asked for; export to S3 for analytics")
            .pattern(at);
    }
}
