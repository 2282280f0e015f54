//! The operations on time to live: which attribute says when an item expires. What follows from it is in [`crate::ttl`].

mod describe_time_to_live;
mod update_time_to_live;
