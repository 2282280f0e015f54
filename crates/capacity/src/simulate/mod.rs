//! A month in seconds: a load, made up or recorded, played through the capacity model under several settings at once.
//!
//! * A [`Load`] is made up: rates by hour and weekday, spikes, skewed keys, sizes. [`simulate`] plays it.
//! * A trace was recorded by a server. [`replay_under`] plays it under other settings than it was recorded with.
//!
//! Time is virtual, chance comes from a seed, and all arithmetic is of integers: the same input gives the same output,
//! byte by byte.
//!
//! # What is assumed
//!
//! * Requests of a second come at its beginning; buckets hold a second, so averages are right and the first second of a
//!   burst is served somewhat better than if they came evenly.
//! * Arrivals are as of independent clients (Poisson). A refused request is not tried again: an SDK would try, and add load.
//! * Sizes are independent of keys. What is stored does not grow.
//! * Keys fall on partitions by a hash of our own; AWS's is not known.
//! * Shards: a key that takes half of a partition or more at its peak is divided into so many keys. Reads
//!   know the shard of their item, but for those that want all of a key ([`Stream::gather_ppm`]): they ask every shard, each
//!   for its part of the page.
//! * Only partitions that come within 85 percent of their limit, chance included, are played on their own; the others
//!   cannot refuse.

mod keys;
mod load;
mod managed;
mod outcome;
mod plan;
mod random;
mod setting;
mod synthetic;
mod traced;

pub use load::{
    IndexLoad, KeySpace, Load, LoadError, MOST_KEYS, MOST_MINUTES, Schedule, Size, Skew, Spike, Stream,
};
pub use outcome::{MinutePoint, Outcome, Reason, WorstMinute};
pub use setting::{Setting, SettingError, Throughput};
pub use synthetic::simulate;
pub use traced::{ReplayUnderError, first_request, replay_under, trace_start};
