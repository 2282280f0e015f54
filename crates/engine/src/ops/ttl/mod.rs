//! The operations on time to live: which attribute says when an item expires. The deletion is not here.

mod describe_time_to_live;
mod update_time_to_live;
