//! Reads.

use super::CapacityUnits;

/// One read unit covers this many bytes.
///
/// # Source
/// Documented: DynamoDB Developer Guide 2026, "Read and write operations".
pub const READ_BLOCK_BYTES: u64 = 4_096;

/// How up to date a read must be, which is also what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// Half a unit per block: the default of every read.
    Eventual,
    /// One unit per block: `ConsistentRead=true`.
    Strong,
    /// Two units per block: TransactGetItems, or ExecuteTransaction of selects.
    Transactional,
}

impl Consistency {
    /// What one block of 4,096 bytes costs.
    pub const fn units_per_block(self) -> CapacityUnits {
        match self {
            Self::Eventual => CapacityUnits::HALF,
            Self::Strong => CapacityUnits::ONE,
            Self::Transactional => CapacityUnits::from_whole(2),
        }
    }

    const fn charge(self, blocks: u64) -> CapacityUnits {
        CapacityUnits::from_halves(blocks.saturating_mul(self.units_per_block().halves()))
    }
}

/// The blocks that a read of `bytes` touches: rounded up to 4,096 bytes, at least one.
pub const fn read_blocks(bytes: u64) -> u64 {
    if bytes <= READ_BLOCK_BYTES { 1 } else { bytes.div_ceil(READ_BLOCK_BYTES) }
}

/// The charge for one item read by its key: GetItem, one key of BatchGetItem, one Get of TransactGetItems, one
/// row fetched from the base table because an LSI does not project what was asked for.
///
/// `item_size_bytes` is `None` when there is no such item, which costs one block. A projection saves nothing.
/// A batch is the sum of its keys: each is rounded by itself.
///
/// # Source
/// Documented: Developer Guide 2026, "Read and write operations"; absent keys in batches and transactions, and
/// the LSI fetch per row, measured 2026.
pub const fn meter_item_read(item_size_bytes: Option<u64>, consistency: Consistency) -> CapacityUnits {
    match item_size_bytes {
        Some(bytes) => consistency.charge(read_blocks(bytes)),
        None => consistency.charge(1),
    }
}

/// The charge for one page of a Query or Scan, of a table or of an index.
///
/// `evaluated_bytes` is the sum of the sizes of all items (or index entries) that the page walked, before the
/// filter and before the projection; it is rounded once. A page that found nothing costs one block.
///
/// # Source
/// Documented: Developer Guide 2026, "Read and write operations"; the empty page measured 2026. The guide also
/// speaks of a charge for partitions searched in vain, without a figure: none is made here.
pub const fn meter_page_read(evaluated_bytes: u64, consistency: Consistency) -> CapacityUnits {
    consistency.charge(read_blocks(evaluated_bytes))
}
