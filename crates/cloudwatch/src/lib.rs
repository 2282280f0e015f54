//! CloudWatch, as far as whoever watches DynamoDB needs it.
//!
//! Pure: time comes with each call, nothing is stored or sent. The engine publishes what it counted minute by minute
//! into a [`CloudWatch`], keeps alarms that changed, and hands requests to [`CloudWatch::answer`]; the server turns the
//! three protocols into [`Value`] and back.
//!
//! * [`series`], [`shelf`]: what was published, coarser the older it is, in bounded memory.
//! * [`statistics`]: exact statistic sets, and percentiles within 1.6 %.
//! * [`math`], [`query`]: metrics and expressions over them.
//! * [`alarms`]: definitions, evaluation, history.
//! * [`insights`]: the rules behind Contributor Insights.
//! * [`ops`]: the operations, one file each.

pub mod alarms;
mod cloudwatch;
pub mod fault;
pub mod insights;
pub mod math;
pub mod metric;
pub mod ops;
pub mod query;
mod runs;
pub mod series;
pub mod shelf;
pub mod statistics;
pub mod value;

pub use cloudwatch::{Call, CloudWatch, Outlook};
pub use fault::{Fault, FaultKind};
pub use value::{Answer, Members, Value};
