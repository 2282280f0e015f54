//! # O10 maximum-above-quota
//!
//! A maximum or a warm throughput is above the quota, and the call that sets it is refused.
//!
//! Severity: error.
//!
//! Why: an account begins with 40,000 read and 40,000 write units for a table and each index. Above it CreateTable and UpdateTable
//! answer LimitExceededException.
//!
//! Numbers: what is asked for, beside 40,000.
//!
//! Fix: 40,000 or less, or raise the quota first.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], max-throughput: { reads: 50000, writes: 20000 } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], max-throughput: { reads: 40000, writes: 20000 } } }
//! ```
//! Source: measured on the service in 2026; AWS, Developer Guide 2026, "Service, account, and table quotas".
//!
//! Needs: a design file. Marks: M.

use dynamometer_capacity::{Constants, quantity};

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O10", "maximum-above-quota", "M", include_str!("o10_maximum_above_quota.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let constants = Constants::default();
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let throughput = context.design.index(target).map_or(&table.throughput, |index| &index.throughput);
        let settings = [("max-throughput", &throughput.most), ("warm-throughput", &throughput.warm), ("capacity", &throughput.capacity)];
        for (name, units) in settings {
            let Some(units) = units else { continue };
            let asked = [("reads", units.read, constants.table_quota_read_units), ("writes", units.write, constants.table_quota_write_units)];
            for (word, asked, quota) in asked {
                let Some(asked) = asked.filter(|asked| *asked > quota) else { continue };
                let numbers = [asked, quota].map(|number| quantity::thousands(&number.to_string()));
                found
                    .add(Severity::Error, units.span, format!("{name} of {} asks for {} {word}, and the quota is {}", context.name(target), numbers[0], numbers[1]))
                    .under("refused with LimitExceededException")
                    .number("asked", asked)
                    .number("quota", quota)
                    .fix(format!("{word}: {quota}, or raise the quota first"));
            }
        }
    }
}
