//! What comes with every call: the time, the caller's database, and randomness.

use std::time::Duration;

use dynamometer_types::Timestamp;

/// What an operation may know of the world.
pub struct Context<'a> {
    /// The time of the request, read once.
    pub now: Timestamp,
    /// The database that the caller sees: one for all, or one per access key and region.
    pub namespace: &'a str,
    /// The region in ARNs.
    pub region: &'a str,
    /// The account in ARNs.
    pub account: &'a str,
    /// The host and port that the client addressed, where there is a client.
    pub host: Option<&'a str>,
    /// How long ago the request arrived, by a stopwatch: `now` may be a clock that stands still.
    pub elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// Random bits, new on every call.
    pub entropy: &'a (dyn Fn() -> u128 + Sync),
}
