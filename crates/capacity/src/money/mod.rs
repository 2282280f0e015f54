//! What it costs: a price table per region, bills, and the comparison of capacity modes.
//!
//! Amounts are whole pico-dollars, so that half a read unit ($0.0000000625) and a year of a large table are both
//! exact and sums do not depend on their order. Prices are data ([`PriceTable::builtin`]) with a date, a source and a
//! mark for each; a file of the same form replaces them ([`PriceTable::parse`]).
//!
//! * [`Usage`] is what a table or an index used in a period, [`bill`] prices it, [`free_tier`] is what is free of it.
//! * [`compare`](compare_per_million) answers the question on-demand or provisioned, and from which utilisation on.

mod amount;
mod bill;
mod compare;
mod item;
mod parse;
mod prices;
mod quote;
mod usage;

pub use amount::{AmountError, Money};
pub use bill::{Bill, BillLine, bill, free_tier};
pub use compare::{
    CompareError, Comparison, MonthlyLoad, Plan, PlanCost, ReservedTerm, break_even_ppm, compare_per_million,
    compare_plans, on_demand_ratio_ppm, reserved_per_unit_hour, reserved_saving_ppm,
};
pub(crate) use compare::{RESERVED_LOT, reserved_unit_hours};
pub use item::{PriceItem, TableClass};
pub use parse::PriceFileError;
pub use prices::{Price, PriceError, PriceTable, RegionPrices};
pub use quote::{Quote, QuoteLoad, QuotePlan, quote};
pub use usage::{
    HOURS_PER_MONTH, HourlyPeak, ITEM_STORAGE_OVERHEAD_BYTES, Integral, REPLICA_ITEM_STORAGE_OVERHEAD_BYTES,
    Usage, billed_storage_bytes,
};
