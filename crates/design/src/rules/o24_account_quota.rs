//! # O24 account-quota
//!
//! The provisioned throughput of all tables comes near to the account's quota.
//!
//! Severity: warning.
//!
//! Why: an account has 80,000 read and 80,000 write units in a region for all provisioned tables and indexes. Auto scaling stops there.
//!
//! Numbers: the sum of `capacity` over tables and indexes, above 80 %.
//!
//! Fix: raise the quota ahead of time.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   A: { keys: [PK], billing: provisioned, capacity: { reads: 35000, writes: 100 }, auto-scaling: { reads: 100..40000, writes: 5..100 } }
//!   B: { keys: [PK], billing: provisioned, capacity: { reads: 35000, writes: 100 }, auto-scaling: { reads: 100..40000, writes: 5..100 } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   A: { keys: [PK], billing: provisioned, capacity: { reads: 5000, writes: 100 }, auto-scaling: { reads: 100..40000, writes: 5..100 } }
//! ```
//! Source: AWS, Developer Guide 2026, "Service, account, and table quotas".
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::{Constants, quantity};
use dynamometer_capacity::admission::{BillingMode, Dimension, PerDimension};

use super::{Rule, dimension_word};
use crate::check::{Context, Findings, Severity};
use crate::yaml::Span;

pub(super) const RULE: Rule =
    Rule::of_design("O24", "account-quota", "D", include_str!("o24_account_quota.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let constants = Constants::default();
    let mut sums = PerDimension::new(0_u64, 0_u64);
    let mut largest: Option<(u64, Span)> = None;
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let throughput = context.design.index(target).map_or(&table.throughput, |index| &index.throughput);
        let Some(capacity) = throughput.capacity.as_ref().filter(|_| table.billing == BillingMode::Provisioned) else { continue };
        for dimension in Dimension::BOTH {
            let units = capacity[dimension].unwrap_or(0);
            sums[dimension] += units;
            if largest.is_none_or(|(most, _)| units > most) {
                largest = Some((units, capacity.span));
            }
        }
    }
    let Some((_, span)) = largest else { return };
    for (dimension, quota) in [(Dimension::Read, constants.account_quota_read_units), (Dimension::Write, constants.account_quota_write_units)] {
        if sums[dimension] * 10 <= quota * 8 {
            continue;
        }
        let [sum, quota] = [sums[dimension], quota].map(|units| quantity::thousands(&units.to_string()));
        found
            .add(Severity::Warning, span, format!("{sum} {} units are provisioned in all, and the account has {quota}", dimension_word(dimension)))
            .under("the largest part")
            .number("provisioned", &sum)
            .number("quota", &quota)
            .fix("raise the quota ahead of time");
    }
}
