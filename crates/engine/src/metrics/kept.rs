//! The rows of what is kept of CloudWatch: alarms with their states, and which rules are disabled.
//!
//! ```text
//! cloudwatch \0 alarm \0 namespace \0 name := {"format": 1, "alarm": {…}}
//! cloudwatch \0 disabled-rule \0 namespace \0 name := nothing
//! ```

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use dynamometer_cloudwatch::CloudWatch;
use dynamometer_cloudwatch::alarms::Alarm;
use dynamometer_store::{Batch, Direction, Keyspace, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::disk::keys::after_prefix;

/// What all rows begin with, in the keyspace of the catalog.
pub(crate) const PREFIX: &[u8] = b"cloudwatch\0";
const ALARM: &str = "alarm";
const DISABLED_RULE: &str = "disabled-rule";
/// The format of alarm rows. A newer one is refused.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct AlarmRow {
    format: u32,
    alarm: Alarm,
}

/// Reads all that is kept.
///
/// # Errors
/// When a row cannot be read, or is of a newer format.
pub(super) fn read(store: &dyn Store) -> Result<BTreeMap<String, CloudWatch>, StoreError> {
    let mut databases: BTreeMap<String, CloudWatch> = BTreeMap::new();
    let mut fault = None;
    let end = after_prefix(PREFIX);
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let mut visit = |key: &[u8], value: &bytes::Bytes| match read_row(key, value, &mut databases) {
        Ok(()) => ControlFlow::Continue(()),
        Err(sentence) => {
            fault = Some(sentence);
            ControlFlow::Break(())
        }
    };
    let snapshot = store.snapshot()?;
    snapshot.range(Keyspace::Catalog, Bound::Included(PREFIX), end, Direction::Forward, &mut visit)?;
    fault.map_or(Ok(databases), |sentence| Err(StoreError::Corrupt(sentence.into())))
}

fn read_row(key: &[u8], value: &[u8], databases: &mut BTreeMap<String, CloudWatch>) -> Result<(), String> {
    let named = String::from_utf8_lossy(key).replace('\0', " ");
    let text = std::str::from_utf8(&key[PREFIX.len()..]).map_err(|e| format!("row `{named}`: {e}"))?;
    let mut parts = text.splitn(3, '\0');
    let (Some(kind), Some(namespace), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(format!("row `{named}` has no name"));
    };
    let cloudwatch = databases.entry(namespace.to_owned()).or_default();
    match kind {
        ALARM => {
            let row: AlarmRow = serde_json::from_slice(value).map_err(|e| format!("row `{named}`: {e}"))?;
            if row.format > FORMAT {
                return Err(format!("row `{named}` is of format {}, newer than this build", row.format));
            }
            cloudwatch.alarms.restore(row.alarm);
        }
        DISABLED_RULE => cloudwatch.insights.restore_disabled(name.to_owned()),
        other => return Err(format!("row `{named}`: there is no `{other}` in this build")),
    }
    Ok(())
}

/// Puts what changed since this was last asked into a batch.
pub(super) fn write_changes(cloudwatch: &mut CloudWatch, namespace: &str, batch: &mut Batch) {
    for name in cloudwatch.alarms.take_changed() {
        let key = key(ALARM, namespace, &name);
        match cloudwatch.alarms.get(&name) {
            Some(alarm) => {
                let row = AlarmRow { format: FORMAT, alarm: alarm.clone() };
                let row = serde_json::to_vec(&row).expect("an alarm has only strings for keys");
                batch.put(Keyspace::Catalog, key, row)
            }
            None => batch.delete(Keyspace::Catalog, key),
        };
    }
    for name in cloudwatch.insights.take_changed() {
        let key = key(DISABLED_RULE, namespace, &name);
        if cloudwatch.insights.is_disabled(&name) {
            batch.put(Keyspace::Catalog, key, &b""[..]);
        } else {
            batch.delete(Keyspace::Catalog, key);
        }
    }
}

/// Puts into a batch that all goes which is kept of a database.
pub(super) fn forget(cloudwatch: &CloudWatch, namespace: &str, batch: &mut Batch) {
    for alarm in cloudwatch.alarms.all() {
        batch.delete(Keyspace::Catalog, key(ALARM, namespace, &alarm.name));
    }
    for rule in cloudwatch.insights.disabled() {
        batch.delete(Keyspace::Catalog, key(DISABLED_RULE, namespace, rule));
    }
}

fn key(kind: &str, namespace: &str, name: &str) -> Vec<u8> {
    [PREFIX, kind.as_bytes(), b"\0", namespace.as_bytes(), b"\0", name.as_bytes()].concat()
}
