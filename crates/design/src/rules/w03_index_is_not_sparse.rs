//! # W03 index-is-not-sparse
//!
//! An index holds nearly all items, and its patterns look for a few.
//!
//! Severity: warning.
//!
//! Why: every item pays for its entry, in writes and in storage, also those that nobody looks for.
//!
//! Numbers: the key is present in more than 80 % of the items, and the patterns ask for less than 20 % of them.
//!
//! Fix: set the key only on items that are looked for, and REMOVE it when they are done.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { byState: { keys: [GSI1PK] } } } }
//! variables: { region: { distinct: 200 } }
//! entities: { Order: { keys: { PK: "<orderId>", GSI1PK: "REGION#<region>" } } }
//! patterns:
//!   place: { put: Order, rate: 10/s }
//!   open orders: { query: byState, key: "REGION#<region>", items: 500, filter: "open = :yes", returns: 15%, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { open: { keys: [GSI1PK] } } } }
//! variables: { region: { distinct: 200 } }
//! entities: { Order: { keys: { PK: "<orderId>", GSI1PK: { value: "OPEN#<region>", present: 15% } } } }
//! patterns:
//!   place: { put: Order, rate: 10/s }
//!   open orders: { query: open, key: "OPEN#<region>", items: 75, rate: 1/s }
//! ```
//! Source: one author's sparse indexes; the thresholds are ours.
//!
//! Needs: a design file. Marks: S2.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::Read;

pub(super) const RULE: Rule =
    Rule::of_design("W03", "index-is-not-sparse", "S2", include_str!("w03_index_is_not_sparse.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let Some(index) = context.design.index(target) else { continue };
        let entities = context.design.entities_of(target.table).filter(|(_, entity)| entity.present_ppm(&index.keys) > 0);
        let present = entities.map(|(_, entity)| entity.present_ppm(&index.keys)).min().unwrap_or(0);
        let reads: Vec<_> = context.reads().filter(|(.., read)| read.target == target).collect();
        let needed: u64 = reads.iter().map(|(.., read)| needed_ppm(context, read)).sum();
        if present <= 800_000 || reads.is_empty() || needed >= 200_000 {
            continue;
        }
        found
            .add(Severity::Warning, index.name.span, format!("{} of the items are in {}, and {} are looked for", percent_text(present, 0), *index.name, percent_text(needed, 0)))
            .under("every item pays for its entry")
            .number("present", percent_text(present, 0))
            .number("needed", percent_text(needed, 0))
            .fix("set the key only on what is looked for, and REMOVE it when it is done")
            .patterns(&reads.iter().map(|(at, ..)| *at).collect::<Vec<_>>());
    }
}

/// The share of an index's entries that a read can ever be interested in.
fn needed_ppm(context: &Context<'_>, read: &Read) -> u64 {
    let returns = read.returns_ppm.as_ref().map_or(ALL_PPM, |share| share.value);
    let keys = context.design.keys(read.target);
    let asked = read.partition().filter(|asked| asked.is_constant());
    let own = context.design.entities_of(read.target.table).find_map(|(_, entity)| entity.partition(keys));
    // A read that asks for one value only is interested in the entries of that one.
    let of_key = asked.zip(own).and_then(|(_, own)| context.derived.distinct_keys(&own));
    returns / of_key.unwrap_or(1).max(1)
}
