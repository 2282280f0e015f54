//! Closing minutes.
//!
//! Minutes are closed one after the other, also when many are over at once because the clock was moved: what was
//! counted is published, then alarms look at it, as of the minute's end. AWS publishes up to two minutes later; here
//! a minute is there when it is over.

use std::sync::Arc;

use dynamometer_cloudwatch::series::{MINUTE_MS, begin_of};
use dynamometer_store::{Batch, StoreError};
use dynamometer_types::Timestamp;

use super::{kept, publish, rules};
use crate::api::BillingMode;
use crate::catalog::Table;
use crate::engine::Engine;

impl Engine {
    /// When minutes are to be closed next.
    pub(crate) fn minutes_due(&self) -> Timestamp {
        let until = *self.metrics.closed_until.lock();
        Timestamp::from_millis(until.map_or(i64::MIN, |until| until + MINUTE_MS))
    }

    /// Closes all minutes that are over at `now`. The first call only says from when on.
    ///
    /// # Errors
    /// When the store could not keep what became of an alarm.
    pub fn close_minutes(&self, now: Timestamp) -> Result<(), StoreError> {
        let last = begin_of(now.millis(), MINUTE_MS);
        let mut closed_until = self.metrics.closed_until.lock();
        let mut begin = *closed_until.get_or_insert(last);
        while begin < last {
            self.close_minute(begin)?;
            begin += MINUTE_MS;
            *closed_until = Some(begin);
        }
        Ok(())
    }

    fn close_minute(&self, begin_ms: i64) -> Result<(), StoreError> {
        let end = Timestamp::from_millis(begin_ms + MINUTE_MS);
        let version = self.catalog.version();
        let departing = std::mem::take(&mut *self.metrics.departing.lock());
        let tables: Vec<&Arc<Table>> = version.all_tables().chain(&departing).collect();
        let mut databases = self.metrics.databases.lock();
        let mut batch = Batch::new();
        for table in &tables {
            let expired = table.live.take_expired();
            if expired > 0 {
                let cloudwatch = databases.entry(table.record.namespace.clone()).or_default();
                publish::expired(cloudwatch, table, begin_ms, expired);
            }
            let minutes = table.live.take_minutes(end);
            if !minutes.is_empty() {
                let cloudwatch = databases.entry(table.record.namespace.clone()).or_default();
                cloudwatch.insights.declare(rules(&version, &table.record.namespace));
                for minute in minutes {
                    publish::minute(cloudwatch, table, &minute);
                }
            }
        }
        for scaled in self.targets.tracked() {
            let table = version.table(&scaled.namespace, &scaled.table);
            let provisioned = |t: &&Arc<Table>| t.record.billing.mode == BillingMode::Provisioned;
            if table.filter(provisioned).is_some() {
                let cloudwatch = databases.entry(scaled.namespace.clone()).or_default();
                publish::idle(cloudwatch, &scaled, begin_ms);
            }
        }
        for (at, namespace, failing, count) in self.metrics.errors.take_before(end.millis()) {
            publish::failures(databases.entry(namespace).or_default(), at, failing.as_ref(), count);
        }
        if end.millis() % publish::SETTINGS_MS == 0 {
            for namespace in version.namespaces().filter(|namespace| !namespace.starts_with('#')) {
                let tables = version.tables(namespace);
                let cloudwatch = databases.entry(namespace.to_owned()).or_default();
                publish::settings(cloudwatch, tables, end, &self.config.constants);
            }
        }
        for (namespace, cloudwatch) in databases.iter_mut() {
            cloudwatch.close_minute(end);
            kept::write_changes(cloudwatch, namespace, &mut batch);
        }
        let commit = (!batch.is_empty()).then(|| self.store.commit(batch));
        drop(databases);
        commit.map_or(Ok(()), |commit| commit.wait().map(drop))
    }
}
