//! Limits of the service, each where it is documented by AWS (quotas page, 2026) unless marked.

/// Bytes of the largest item, names included.
pub const ITEM_BYTES: u64 = 409_600;
/// Levels of nesting, the top-level attribute being the first.
pub const NESTING_LEVELS: usize = 32;
/// Levels of nesting from which on AWS hands a single-item request to its older validation layer. Measured by others
/// on AWS, 2026.
pub const OLDER_LAYER_LEVELS: usize = 64;
/// Bytes of a partition key value; of all of them together on an index with several.
pub const PARTITION_KEY_BYTES: usize = 2048;
/// Bytes of a sort key value; of all of them together on an index with several.
pub const SORT_KEY_BYTES: usize = 1024;
/// Bytes of an attribute name.
pub const ATTRIBUTE_NAME_BYTES: usize = 65_535;
/// Bytes of evaluated items after which a Query or Scan page ends.
pub const PAGE_BYTES: u64 = 1_048_576;
/// Bytes of an expression, before substitution.
pub const EXPRESSION_BYTES: usize = 4096;
/// Operators and functions in an expression.
pub const EXPRESSION_OPERATORS: usize = 300;
/// Operands in an IN list.
pub const IN_OPERANDS: usize = 100;
/// Keys in a BatchGetItem call.
pub const BATCH_GET_KEYS: usize = 100;
/// Bytes that a BatchGetItem answers.
pub const BATCH_GET_BYTES: u64 = 16 * 1024 * 1024;
/// Requests in a BatchWriteItem call.
pub const BATCH_WRITE_REQUESTS: usize = 25;
/// Actions in a transaction.
pub const TRANSACTION_ACTIONS: usize = 100;
/// Bytes of a transaction's items.
pub const TRANSACTION_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes of a request body.
pub const REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// Global secondary indexes of a table.
pub const GLOBAL_INDEXES: usize = 20;
/// Local secondary indexes of a table.
pub const LOCAL_INDEXES: usize = 5;
/// Tags of a resource.
pub const TAGS: usize = 50;
/// Bytes of an item collection (table and local indexes) of a table with a local secondary index.
pub const ITEM_COLLECTION_BYTES: u64 = 10 * 1024 * 1024 * 1024;
/// Milliseconds for which a transaction's token is remembered.
pub const TOKEN_MILLIS: i64 = 10 * 60 * 1000;
