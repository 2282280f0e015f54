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

            /// AWS's name, and behind it what tells apart what AWS does not: `TransactWriteItemsReplay` is a
            /// TransactWriteItems that is answered from its token, which reads; `ExecuteStatementScan` is a SELECT without a
            /// partition key; `…Write` are the statements of PartiQL that write.
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
    ExecuteStatement Read,
    ExecuteStatementScan Read,
    BatchExecuteStatement Read,
    ExecuteTransaction Read,
    PutItem Write,
    UpdateItem Write,
    DeleteItem Write,
    BatchWriteItem Write,
    TransactWriteItems Write,
    ExecuteStatementWrite Write,
    BatchExecuteStatementWrite Write,
    ExecuteTransactionWrite Write,
}

impl Operation {
    /// Whether it walks a whole table or index.
    pub const fn is_scan(self) -> bool {
        matches!(self, Operation::Scan | Operation::ExecuteStatementScan)
    }

    /// Whether it reads a range of one partition.
    pub const fn is_query(self) -> bool {
        matches!(self, Operation::Query | Operation::ExecuteStatement)
    }
}

impl Operation {
    /// The operation that AWS's metrics count it as: the `Operation` dimension.
    pub(crate) const fn metric(self) -> Operation {
        match self {
            Operation::TransactWriteItemsReplay => Operation::TransactWriteItems,
            Operation::ExecuteStatementScan | Operation::ExecuteStatementWrite => Operation::ExecuteStatement,
            Operation::BatchExecuteStatementWrite => Operation::BatchExecuteStatement,
            Operation::ExecuteTransactionWrite => Operation::ExecuteTransaction,
            other => other,
        }
    }

    /// Whether each of its elements is throttled by itself.
    pub(crate) const fn is_batch(self) -> bool {
        use Operation::{BatchExecuteStatement, BatchExecuteStatementWrite, BatchGetItem, BatchWriteItem};
        matches!(self, BatchGetItem | BatchWriteItem | BatchExecuteStatement | BatchExecuteStatementWrite)
    }
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
