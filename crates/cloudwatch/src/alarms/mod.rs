//! Alarms: what they are, when they change their state, and what is remembered of that.

mod alarm;
mod book;
mod evaluate;
mod reason;

pub use alarm::{Alarm, Comparison, Source, State, TREATMENTS, Watched};
pub use book::{AlarmBook, HistoryItem, MOST_ALARMS, MOST_HISTORY};
pub use evaluate::evaluate;
