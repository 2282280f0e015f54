//! # O13 spikes-faster-than-scaling
//!
//! The peak comes faster than auto scaling follows, and the saved burst does not last.
//!
//! Severity: warning.
//!
//! Why: auto scaling acts after two full minutes and needs a few more. Until then the table has what it had, and 300 seconds of unused
//! throughput.
//!
//! Numbers: peak / average above 2, and how many seconds the burst lasts at the peak; below 300.
//!
//! Fix: on-demand, a scheduled action ahead of the peak, or a higher minimum.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 150 }, auto-scaling: { reads: 5..4000, writes: 5..4000 } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 100/s, peak: x5 }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 150 }, auto-scaling: { reads: 5..4000, writes: 5..4000 } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 100/s, peak: x1.5 }
//! ```
//! Source: AWS, Developer Guide 2026, "Burst and adaptive capacity"; one author's guide.
//!
//! Needs: a design file. Marks: S3.

use dynamometer_capacity::Constants;
use dynamometer_capacity::admission::{BillingMode, Dimension};

use super::{Rule, dimension_word};
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;

pub(super) const RULE: Rule =
    Rule::of_design("O13", "spikes-faster-than-scaling", "S3", include_str!("o13_spikes_faster_than_scaling.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let burst_seconds = Constants::default().burst_ms / 1_000;
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let index = context.design.index(target);
        let (throughput, span) = index.map_or((&table.throughput, table.name.span), |index| (&index.throughput, index.name.span));
        let Some(scaling) = throughput.auto_scaling.as_ref().filter(|_| table.billing == BillingMode::Provisioned) else { continue };
        let load = context.load.drawn_from(context.design, target);
        for dimension in Dimension::BOTH {
            let (average, peak) = (load.average_milli[dimension], load.peak_milli[dimension]);
            let least = scaling.bounds[dimension].map_or(1, |(least, _)| least) * 1_000;
            let scaled = u128::from(average) * u128::from(ALL_PPM) / u128::from(scaling.target_ppm.max(1));
            let provisioned = u64::try_from(scaled).unwrap_or(u64::MAX).max(least);
            if average == 0 || peak <= average.saturating_mul(2) || peak <= provisioned {
                continue;
            }
            let lasts = (provisioned - average).saturating_mul(burst_seconds) / (peak - provisioned);
            if lasts >= burst_seconds {
                continue;
            }
            let word = dimension_word(dimension);
            found
                .add(Severity::Warning, span, format!("a peak of {} {word} units/s empties the burst of {} in {lasts} s, and scaling takes minutes", text::milli(peak), context.name(target)))
                .under(format!("{} on average, {} provisioned at the target", text::milli(average), text::milli(provisioned)))
                .number("peakToAverage", text::milli(peak.saturating_mul(1_000) / average))
                .number("burstSeconds", lasts)
                .fix("on-demand, a scheduled action ahead of the peak, or a higher minimum");
        }
    }
}
