//! What requests tell of themselves beyond their units.

use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use super::Operation;
use crate::Context;
use crate::catalog::Table;
use crate::engine::Engine;

impl Engine {
    /// Counts a request that ran: how long it took, and how many items its pages answered.
    pub(crate) fn note_success(
        &self,
        context: &Context<'_>,
        table: &Table,
        operation: Operation,
        returned: Option<u64>,
    ) {
        let (elapsed, operation) = ((context.elapsed)(), operation.metric());
        self.live(table, context.now, |state| state.minute.succeed(operation, elapsed, returned));
    }

    /// Counts a request that ran on several tables, once for each.
    pub(crate) fn note_success_of_all<'t>(
        &self,
        context: &Context<'_>,
        tables: impl Iterator<Item = &'t Table>,
        operation: Operation,
    ) {
        for table in distinct(tables) {
            self.note_success(context, table, operation, None);
        }
    }

    /// Counts a request of which every part was throttled, or would have been, once for each of its tables.
    pub(crate) fn note_throttled<'t>(
        &self,
        now: Timestamp,
        tables: impl Iterator<Item = &'t Table>,
        operation: Operation,
    ) {
        for table in distinct(tables) {
            self.live(table, now, |state| state.minute.throttled[operation.metric() as usize] += 1);
        }
    }

    /// Counts a GetRecords call that ran.
    pub(crate) fn note_stream_read(
        &self,
        context: &Context<'_>,
        table: &Table,
        label: &str,
        records: u64,
        bytes: u64,
    ) {
        let elapsed = (context.elapsed)();
        self.live(table, context.now, |state| state.minute.read_stream(label, elapsed, records, bytes));
    }

    /// Counts the failure of a write's condition, if that is what it is.
    pub(crate) fn note_failure(&self, context: &Context<'_>, table_name: &str, error: &ApiError) {
        if error.kind == ErrorKind::ConditionalCheckFailed
            && let Ok(table) = self.table(context, table_name)
        {
            self.live(&table, context.now, |state| state.minute.failed_conditions += 1);
        }
    }
}

fn distinct<'t>(tables: impl Iterator<Item = &'t Table>) -> Vec<&'t Table> {
    let mut distinct: Vec<&Table> = Vec::new();
    for table in tables {
        if !distinct.iter().any(|known| known.id() == table.id()) {
            distinct.push(table);
        }
    }
    distinct
}
