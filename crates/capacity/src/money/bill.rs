//! Pricing a usage.

use super::usage::HOURS_PER_MONTH;
use super::{Money, PriceError, PriceItem, RegionPrices, TableClass, Usage};
use crate::admission::BillingMode;

/// One line of a bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillLine {
    /// What is charged.
    pub item: PriceItem,
    /// The table class at whose price.
    pub class: TableClass,
    /// How much: `quantity / divisor` units of the item.
    pub quantity: u128,
    /// What to divide the quantity by.
    pub divisor: u128,
    /// The charge; negative for what the free tier takes off.
    pub amount: Money,
}

/// A bill by item. Items that were not used have no line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// The lines.
    pub lines: Vec<BillLine>,
}

impl Bill {
    /// The sum.
    pub fn total(&self) -> Money {
        self.lines.iter().map(|line| line.amount).sum()
    }

    /// The sum of the lines of an item.
    pub fn of(&self, item: PriceItem) -> Money {
        self.lines.iter().filter(|line| line.item == item).map(|line| line.amount).sum()
    }
}

const SECONDS_PER_HOUR: u128 = 3_600;
const GB: u128 = 1 << 30;
const GB_MONTH_SECONDS: u128 = GB * HOURS_PER_MONTH as u128 * SECONDS_PER_HOUR;

/// The quantities that a usage is charged for: item, quantity, divisor.
fn quantities(usage: &Usage) -> Vec<(PriceItem, u128, u128)> {
    use PriceItem as Item;
    let throughput = match usage.mode {
        BillingMode::OnDemand => [
            (Item::WriteRequestUnit, u128::from(usage.consumed.write.halves()), 2),
            (Item::ReadRequestUnit, u128::from(usage.consumed.read.halves()), 2),
            (Item::ReplicatedWriteRequestUnit, u128::from(usage.replicated_writes.halves()), 2),
        ],
        BillingMode::Provisioned => [
            (Item::WcuHour, usage.provisioned_unit_seconds.write, SECONDS_PER_HOUR),
            (Item::RcuHour, usage.provisioned_unit_seconds.read, SECONDS_PER_HOUR),
            (Item::RwcuHour, usage.replicated_unit_seconds, SECONDS_PER_HOUR),
        ],
    };
    let rest = [
        (Item::StorageGbMonth, usage.storage_byte_seconds, GB_MONTH_SECONDS),
        (Item::PitrGbMonth, usage.pitr_byte_seconds, GB_MONTH_SECONDS),
        (Item::BackupGbMonth, usage.backup_byte_seconds, GB_MONTH_SECONDS),
        (Item::RestoreGb, u128::from(usage.restored_bytes), GB),
        (Item::ExportGb, u128::from(usage.exported_bytes), GB),
        (Item::ImportGb, u128::from(usage.imported_bytes), GB),
        (Item::StreamsReadRequestUnit, u128::from(usage.stream_reads), 1),
        (Item::CdcKinesisUnit, u128::from(usage.cdc_units), 1),
        (Item::WarmThroughputWcu, u128::from(usage.warm_raise.write), 1),
        (Item::WarmThroughputRcu, u128::from(usage.warm_raise.read), 1),
        (Item::TransferOutGb, u128::from(usage.transferred_out_bytes), GB),
    ];
    throughput.into_iter().chain(rest).filter(|(_, quantity, _)| *quantity > 0).collect()
}

/// The bill for a usage at list price, without free tier or reservations.
///
/// # Errors
/// When the region lacks a price for something that was used.
pub fn bill(usage: &Usage, prices: &RegionPrices<'_>) -> Result<Bill, PriceError> {
    let line = |(item, quantity, divisor)| {
        let amount = prices.price(item, usage.class)?.of(quantity, divisor);
        Ok(BillLine { item, class: usage.class, quantity, divisor, amount })
    };
    Ok(Bill { lines: quantities(usage).into_iter().map(line).collect::<Result<_, _>>()? })
}

/// What the free tier takes off the bills of an account in a period of `hours`: lines with negative amounts.
///
/// `usages` are those of all tables and indexes. Free are, for tables of the Standard class, 25 write and 25 read units
/// of provisioned throughput at all hours and 25 GB of storage, and 2.5 million stream reads a month. There is nothing
/// free on demand or in Standard-IA.
///
/// # Errors
/// When the region lacks a price for something of this that was used.
///
/// # Source
/// Documented: AWS pricing page, 2026. That parts of a month get parts of the quantity is assumed.
pub fn free_tier(usages: &[Usage], hours: u64, prices: &RegionPrices<'_>) -> Result<Bill, PriceError> {
    let (hours, month) = (u128::from(hours), u128::from(HOURS_PER_MONTH));
    let free = [
        (PriceItem::WcuHour, PriceItem::FreeWcu, hours, 1),
        (PriceItem::RcuHour, PriceItem::FreeRcu, hours, 1),
        (PriceItem::StorageGbMonth, PriceItem::FreeStorageGb, hours, month),
        (PriceItem::StreamsReadRequestUnit, PriceItem::FreeStreamsReadRequestUnit, hours, month),
    ];
    let mut credit = Bill::default();
    for (item, free_item, share, of) in free {
        let used = usages.iter().filter(|usage| usage.class == TableClass::Standard).flat_map(quantities);
        let (mut quantity, mut divisor) = (0, 1);
        for (_, more, in_parts) in used.filter(|(used, _, _)| *used == item) {
            quantity += more;
            divisor = in_parts;
        }
        let Ok(allowance) = prices.price(free_item, TableClass::Standard) else { continue };
        // The allowance stands in the price table as an amount: 25.00 is 25 units.
        let free_units = allowance.amount.picos().unsigned_abs() / 1_000_000_000_000;
        let covered = quantity.min(free_units * divisor * share / of);
        if covered > 0 {
            let amount = -prices.price(item, TableClass::Standard)?.of(covered, divisor);
            credit.lines.push(BillLine {
                item,
                class: TableClass::Standard,
                quantity: covered,
                divisor,
                amount,
            });
        }
    }
    Ok(credit)
}
