//! Closing minutes.
//!
//! Minutes are closed one after the other, also when many are over at once because the clock was moved: what was
//! counted is published, then alarms look at it, as of the minute's end. AWS publishes up to two minutes later; here
//! a minute is there when it is over.
//!
//! Minutes in which nothing was counted and no alarm can change are passed at once, however many they are ([`Leap`]):
//! what stands is published for all of them.

use std::collections::BTreeMap;

use dynamometer_cloudwatch::series::{MINUTE_MS, begin_of};
use dynamometer_cloudwatch::shelf::Standing;
use dynamometer_cloudwatch::{CloudWatch, Outlook};
use dynamometer_store::StoreError;
use dynamometer_types::Timestamp;

use super::{publish, rules};
use crate::api::BillingMode;
use crate::catalog::{Table, Version};
use crate::engine::Engine;

const HOUR_MS: i64 = 60 * MINUTE_MS;
/// How often it is looked whether minutes can be passed at once.
const LOOK_EVERY_MS: i64 = 15 * MINUTE_MS;

/// What stands, by database.
type Stands = BTreeMap<String, Vec<Standing>>;

/// Minutes that are passed at once.
struct Leap {
    stands: Stands,
    end_ms: i64,
}

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
        let first = begin;
        while begin < last {
            self.close_minute(begin)?;
            begin += MINUTE_MS;
            *closed_until = Some(begin);
            let looks = begin == first + MINUTE_MS || begin % LOOK_EVERY_MS == 0;
            if looks && let Some(leap) = self.leap(begin, last) {
                self.pass(begin, &leap);
                begin = leap.end_ms;
                *closed_until = Some(begin);
            }
        }
        Ok(())
    }

    /// How far minutes can be passed at once from one that begins at `begin_ms` on, if they can be.
    fn leap(&self, begin_ms: i64, last_ms: i64) -> Option<Leap> {
        let last = Timestamp::from_millis(last_ms);
        let version = self.catalog.version();
        let is_quiet = self.metrics.departing.lock().is_empty()
            && !self.metrics.errors.has_before(last_ms)
            && version.all_tables().all(|table| !table.live.has_counted_before(last));
        if begin_ms >= last_ms || !is_quiet {
            return None;
        }
        // What tables become by time alone, they become for good.
        let stands = self.stands(&version, Timestamp::from_millis(begin_ms));
        if stands != self.stands(&version, last) {
            return None;
        }
        let mut outlook = Outlook::Still;
        self.metrics.each(|namespace, cloudwatch| {
            let standing = stands.get(namespace).map_or(&[][..], Vec::as_slice);
            outlook = outlook.max(cloudwatch.outlook(standing, begin_ms));
        });
        let end_ms = match outlook {
            Outlook::Still => last_ms,
            Outlook::SameEachHour(of_history) => {
                // So much is passed minute by minute, for the history.
                let hours = (last_ms - begin_ms) / HOUR_MS - of_history;
                begin_ms + hours.max(0) * HOUR_MS
            }
            Outlook::Open => begin_ms,
        };
        (end_ms > begin_ms).then_some(Leap { stands, end_ms })
    }

    /// Passes minutes at once.
    fn pass(&self, begin_ms: i64, leap: &Leap) {
        // So that there is each of them.
        leap.stands.keys().for_each(|namespace| self.metrics.with(namespace, |_| ()));
        self.metrics.each(|namespace, cloudwatch| {
            let standing = leap.stands.get(namespace).map_or(&[][..], Vec::as_slice);
            cloudwatch.shelf.pass(standing, begin_ms, leap.end_ms);
        });
        self.metrics.drop_empty();
    }

    /// What stands at a time.
    fn stands(&self, version: &Version, at: Timestamp) -> Stands {
        let mut stands = self.idle(version);
        for (namespace, settings) in self.settings(version, at) {
            stands.entry(namespace).or_default().extend(settings);
        }
        stands
    }

    /// That tables which scaling looks after are idle, as long as they are.
    fn idle(&self, version: &Version) -> Stands {
        let mut idle = Stands::new();
        for scaled in self.targets.tracked() {
            let table = version.table(&scaled.namespace, &scaled.table);
            if table.is_some_and(|table| table.record.billing.mode == BillingMode::Provisioned) {
                let standing = publish::idle(&scaled);
                idle.entry(scaled.namespace).or_default().push(standing);
            }
        }
        idle
    }

    /// What is set in each database.
    fn settings(&self, version: &Version, at: Timestamp) -> Stands {
        let namespaces = version.namespaces().filter(|namespace| !namespace.starts_with('#'));
        let settings = namespaces.map(|namespace| {
            let settings = publish::settings(version.tables(namespace), at, &self.config.constants);
            (namespace.to_owned(), settings)
        });
        settings.filter(|(_, settings)| !settings.is_empty()).collect()
    }

    fn close_minute(&self, begin_ms: i64) -> Result<(), StoreError> {
        let end = Timestamp::from_millis(begin_ms + MINUTE_MS);
        let version = self.catalog.version();
        let departing = std::mem::take(&mut *self.metrics.departing.lock());
        for table in version.all_tables().chain(&departing) {
            self.publish_table(&version, table, begin_ms);
        }
        for (at, namespace, failing, count) in self.metrics.errors.take_before(end.millis()) {
            let publish = |to: &mut CloudWatch| publish::failures(to, at, failing.as_ref(), count);
            self.metrics.with(&namespace, publish);
        }
        let is_time = end.millis() % publish::SETTINGS_MS == 0;
        let stands = if is_time { self.stands(&version, end) } else { self.idle(&version) };
        for (namespace, stands) in &stands {
            self.metrics.with(namespace, |cloudwatch| {
                stands.iter().for_each(|one| publish::standing(cloudwatch, one, end.millis()));
            });
        }
        let mut commits = Vec::new();
        self.metrics.each(|namespace, cloudwatch| {
            cloudwatch.close_minute(end);
            commits.extend(self.keep_changes(cloudwatch, namespace));
        });
        self.metrics.drop_empty();
        commits.into_iter().try_for_each(|commit| commit.wait().map(drop))
    }

    /// Publishes what a table counted until a minute is over.
    fn publish_table(&self, version: &Version, table: &Table, begin_ms: i64) {
        let namespace = table.record.namespace.as_str();
        let expired = table.live.take_expired();
        if expired > 0 {
            self.metrics.with(namespace, |cloudwatch| publish::expired(cloudwatch, table, begin_ms, expired));
        }
        let minutes = table.live.take_minutes(Timestamp::from_millis(begin_ms + MINUTE_MS));
        if !minutes.is_empty() {
            self.metrics.with(namespace, |cloudwatch| {
                cloudwatch.insights.declare(rules(version, namespace));
                minutes.iter().for_each(|minute| publish::minute(cloudwatch, table, minute));
            });
        }
    }
}
