//! Capacity units: what one operation consumes, on the table and on each index.
//!
//! A read is charged per block of 4,096 bytes and a write per block of 1,024 bytes, both rounded up and at
//! least one. Single items are rounded one by one; a page of a Query or Scan is summed first and rounded once.
//! An eventually consistent read costs half, a transactional read or write costs double. Index entries are
//! charged only when they change, and never doubled. Filters, projections and `Select=COUNT` save nothing,
//! which is why these functions ask for the bytes that were *evaluated*.
//!
//! The functions take item sizes by the item-size rule (names and values, without the 100 bytes that only
//! storage billing adds) and know nothing of items. Every rule carries its source; *measured* means captured
//! from the service by black-box tests of public conformance suites, 2026.

mod consumption;
mod read;
mod units;
mod write;

pub use consumption::{Consumption, IndexUnits};
pub use read::{Consistency, READ_BLOCK_BYTES, meter_item_read, meter_page_read, read_blocks};
pub use units::CapacityUnits;
pub use write::{
    IndexEntrySize, WRITE_BLOCK_BYTES, meter_condition_check, meter_failed_condition, meter_index_write,
    meter_item_write, meter_replayed_transaction, write_blocks,
};

#[cfg(test)]
mod examples;
