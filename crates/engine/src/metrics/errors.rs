//! What failed: UserErrors of the account, SystemErrors of a table's operation.

use std::collections::BTreeMap;

use dynamometer_cloudwatch::series::{MINUTE_MS, begin_of};
use dynamometer_types::error::Detail;
use dynamometer_types::{ApiError, ErrorKind, Timestamp};
use parking_lot::Mutex;

use crate::Context;
use crate::engine::Engine;
use crate::throughput::cancellation_code;

/// What is counted: with a table and an operation it is the server's fault, without it is the caller's.
pub(super) type Failing = Option<(String, String)>;

/// The failures of minutes that are not closed, by namespace, minute and kind. Only requests that fail come by here.
#[derive(Default)]
pub(super) struct Errors(Mutex<BTreeMap<(i64, String, Failing), u64>>);

/// How many counters there may be: a client that makes up names must not fill the memory.
const MOST: usize = 10_000;

impl Errors {
    fn count(&self, now: Timestamp, namespace: &str, failing: Failing) {
        let mut counters = self.0.lock();
        let key = (begin_of(now.millis(), MINUTE_MS), namespace.to_owned(), failing);
        if counters.len() < MOST || counters.contains_key(&key) {
            *counters.entry(key).or_default() += 1;
        }
    }

    /// Forgets what was counted in a database.
    pub(super) fn forget(&self, namespace: &str) {
        self.0.lock().retain(|(_, of, _), _| of != namespace);
    }

    /// Whether something was counted in minutes that begin before a time.
    pub(super) fn has_before(&self, end_ms: i64) -> bool {
        self.0.lock().first_key_value().is_some_and(|((begin, ..), _)| *begin < end_ms)
    }

    /// Takes what was counted in minutes that begin before a time: where they begin, the namespace, what, how often.
    pub(super) fn take_before(&self, end_ms: i64) -> Vec<(i64, String, Failing, u64)> {
        let mut counters = self.0.lock();
        let later = counters.split_off(&(end_ms, String::new(), None));
        let taken = std::mem::replace(&mut *counters, later);
        taken
            .into_iter()
            .map(|((begin, namespace, failing), count)| (begin, namespace, failing, count))
            .collect()
    }
}

impl Engine {
    /// Counts a request that failed. `table` is the table that it names, needed when the failure is the server's.
    pub fn note_error(&self, context: &Context<'_>, operation: &str, table: Option<&str>, error: &ApiError) {
        if error.kind == ErrorKind::InternalServerError {
            if let Some(table) = table {
                let failing = Some((table.to_owned(), operation.to_owned()));
                self.metrics.errors.count(context.now, context.namespace, failing);
            }
        } else if is_users(error) {
            self.metrics.errors.count(context.now, context.namespace, None);
        }
    }
}

/// Whether an error counts as the user's: all but throttles, failed conditions and conflicts.
fn is_users(error: &ApiError) -> bool {
    if error.kind == ErrorKind::ConditionalCheckFailed || cancellation_code(error.kind).is_some() {
        return false;
    }
    let Some(Detail::CancellationReasons(reasons)) = error.detail.as_deref() else { return true };
    reasons.iter().any(|reason| reason.code == "ValidationError")
}
