//! What DynamoDB data is: values, numbers, items, keys, sizes, names, errors and time.
//!
//! Everything here is pure: no clock, no input or output, no JSON. The other crates share these types, so a
//! rule about a value (how a number prints, how large an item is, how a key sorts) is written once, here.

pub mod error;
pub mod fault;
pub mod hash;
pub mod item;
pub mod key;
pub mod limits;
pub mod name;
pub mod nearest;
pub mod number;
pub mod schema;
pub mod size;
pub mod time;
pub mod value;

pub use error::{ApiError, CancellationReason, ErrorKind};
pub use fault::{Layer, ValueFault};
pub use item::Item;
pub use number::Number;
pub use schema::{KeyAttribute, KeySchema, ScalarType};
pub use time::{Timestamp, parse_duration_ms, parse_duration_range_ms};
pub use value::AttributeValue;
