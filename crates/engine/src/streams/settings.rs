//! Streams come and go with the settings of their tables.

use dynamometer_capacity::admission::TableCapacity;
use dynamometer_store::Commit;
use dynamometer_types::Timestamp;

use crate::catalog::Draft;
use crate::catalog::record::{Lifecycle, TableRecord};
use crate::engine::Engine;
use crate::throughput::spec_of;

/// Whether a change of the catalog closes shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    Shards,
    Nothing,
}

impl Engine {
    /// Changes the catalog. If the change closes shards, which it says beside its answer, no writer is between planning
    /// and joining the queue while it takes effect: whoever writes after it has planned on it, so a closed shard takes
    /// no record behind its end.
    ///
    /// # Errors
    /// What `change` answers.
    pub(crate) fn change_shards<T, E>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<(T, Closes), E>,
    ) -> Result<(T, Commit), E> {
        let change = |draft: &mut Draft| {
            let (answer, closes) = change(draft)?;
            // Released when the new version is shown. A writer that holds a latch never waits for a change.
            let all = (closes == Closes::Shards).then(|| self.latches.hold_all());
            Ok((answer, all))
        };
        let ((answer, _all), commit) = self.catalog.change(&*self.store, change)?;
        Ok((answer, commit))
    }

    /// Begins or ends the stream of a table whose setting has changed.
    pub(crate) fn follow_stream_setting(
        &self,
        draft: &mut Draft,
        old: Option<&TableRecord>,
        new: &TableRecord,
        now: Timestamp,
    ) -> Closes {
        let is_enabled = |record: &TableRecord| record.stream.as_ref().is_some_and(|stream| stream.enabled);
        match (old.filter(|old| is_enabled(old)), is_enabled(new)) {
            (Some(old), false) => {
                draft.end_stream(old, now, until(new, now));
                Closes::Shards
            }
            (None, true) => {
                let starts = self.partition_starts(draft, new, now);
                draft.begin_stream(new, &starts, now);
                Closes::Nothing
            }
            _ => Closes::Nothing,
        }
    }

    /// Where the partitions of a table begin: as its live state has them, or as the capacity model makes them of the
    /// record.
    fn partition_starts(&self, draft: &Draft, record: &TableRecord, now: Timestamp) -> Vec<u64> {
        let table = draft.table(&record.namespace, &record.name).filter(|table| table.id() == record.id);
        let live = table.and_then(|table| table.live.partition_starts());
        live.unwrap_or_else(|| {
            let mut spec = spec_of(record, now);
            spec.table.bytes = self.stored(record.id).1;
            TableCapacity::new(&spec, self.config.constants.clone(), now).partition_starts(now)
        })
    }
}

/// When the change of a table is over.
fn until(record: &TableRecord, now: Timestamp) -> Timestamp {
    match record.lifecycle {
        Lifecycle::Updating { until_ms, .. } | Lifecycle::Deleting { until_ms } => {
            Timestamp::from_millis(until_ms)
        }
        Lifecycle::Creating { .. } | Lifecycle::Active => now,
    }
}
