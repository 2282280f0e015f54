//! What is counted for each table or index and operation.

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::Dimension;

macro_rules! operations {
    ($($name:ident $dimension:ident,)+) => {
        /// The operations that consume throughput.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Operation { $($name,)+ }

        impl Operation {
            /// All of them, reads first.
            pub const ALL: &[Operation] = &[$(Operation::$name,)+];

            /// AWS's name; `TransactWriteItemsReplay` is a TransactWriteItems that is answered from its token, which reads.
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$name => stringify!($name),)+ }
            }

            /// Whether it reads or writes.
            pub const fn dimension(self) -> Dimension {
                match self { $(Operation::$name => Dimension::$dimension,)+ }
            }
        }
    };
}

operations! {
    GetItem Read,
    BatchGetItem Read,
    TransactGetItems Read,
    TransactWriteItemsReplay Read,
    Query Read,
    Scan Read,
    PutItem Write,
    UpdateItem Write,
    DeleteItem Write,
    BatchWriteItem Write,
    TransactWriteItems Write,
}

/// How many operations there are.
pub(crate) const OPERATIONS: usize = Operation::ALL.len();

/// What one operation did on one table or index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationUse {
    /// Requests that ran; each element of a batch or of a transaction is one, and on an index each write that changed
    /// its entries.
    pub requests: u64,
    /// Half units that they consumed.
    pub halves: u64,
    /// Half units of those that were paid for items which a filter dropped.
    pub filtered_halves: u64,
    /// Requests that the capacity model refused here; in report mode they ran, and are among `requests` too.
    pub throttled: u64,
    /// Items that were refused because a transaction with them was in progress.
    pub conflicts: u64,
}

impl OperationUse {
    /// Units consumed.
    pub fn units(&self) -> CapacityUnits {
        CapacityUnits::from_halves(self.halves)
    }

    /// Units paid for items that a filter dropped.
    pub fn filtered_units(&self) -> CapacityUnits {
        CapacityUnits::from_halves(self.filtered_halves)
    }

    pub(crate) fn count(&mut self, halves: u64) {
        self.requests += 1;
        self.halves += halves;
    }
}
