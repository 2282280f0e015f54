//! The alarms of a database, and their history.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dynamometer_types::Timestamp;

use super::alarm::{Alarm, State};
use super::evaluate::{Verdict, evaluate, looks_back_ms};
use crate::fault::{Fault, FaultKind};
use crate::shelf::Shelf;

/// How many alarms may be kept; AWS's default quota.
pub const MOST_ALARMS: usize = 5_000;
/// How many events of all alarms are remembered; the oldest go first. AWS remembers 30 days.
pub const MOST_HISTORY: usize = 10_000;

/// Something that happened to an alarm.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryItem {
    /// The alarm.
    pub alarm: String,
    /// When.
    pub at: Timestamp,
    /// `ConfigurationUpdate` or `StateUpdate`.
    pub kind: &'static str,
    /// In a few words.
    pub summary: String,
    /// As JSON.
    pub data: String,
}

/// The alarms.
#[derive(Clone, Debug, Default)]
pub struct AlarmBook {
    alarms: BTreeMap<String, Alarm>,
    history: VecDeque<HistoryItem>,
    /// The names of alarms that are not kept as they are now.
    changed: BTreeSet<String>,
    /// How many evaluations there were since one was last set by somebody.
    undisturbed: u32,
    /// How many in a row left all of them as they were.
    settled: u32,
}

impl AlarmBook {
    /// Takes in an alarm that was kept.
    pub fn restore(&mut self, alarm: Alarm) {
        self.alarms.insert(alarm.name.clone(), alarm);
    }

    /// The alarm of a name.
    pub fn get(&self, name: &str) -> Option<&Alarm> {
        self.alarms.get(name)
    }

    /// The alarms in order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Alarm> {
        self.alarms.values()
    }

    /// Changes an alarm that is there, if it is; its state is not touched by this. Answers whether it is there.
    pub fn change(&mut self, name: &str, change: impl FnOnce(&mut Alarm)) -> bool {
        let Some(alarm) = self.alarms.get_mut(name) else { return false };
        let before = alarm.clone();
        change(alarm);
        if *alarm != before {
            self.changed.insert(name.to_owned());
        }
        true
    }

    /// Makes an alarm, or sets it anew; then it keeps its state and its tags.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many.
    pub fn put(&mut self, mut alarm: Alarm, now: Timestamp) -> Result<(), Fault> {
        let what = match self.alarms.get(&alarm.name) {
            Some(before) => {
                let before = before.clone();
                (alarm.state, alarm.reason, alarm.reason_data) =
                    (before.state, before.reason, before.reason_data);
                (alarm.updated_ms, alarm.transitioned_ms, alarm.tags) =
                    (before.updated_ms, before.transitioned_ms, before.tags);
                "updated"
            }
            None if self.alarms.len() >= MOST_ALARMS => {
                let words = format!("There are {MOST_ALARMS} alarms already: delete some first.");
                return Err(Fault::new(FaultKind::LimitExceeded, words));
            }
            None => "created",
        };
        let name = alarm.name.clone();
        self.alarms.insert(name.clone(), alarm);
        (self.undisturbed, self.settled) = (0, 0);
        self.configured(&name, what, now);
        Ok(())
    }

    /// Takes alarms out; all of them or none.
    ///
    /// # Errors
    /// `ResourceNotFound` when one is not there.
    pub fn delete(&mut self, names: &[&str], now: Timestamp) -> Result<(), Fault> {
        let missing: Vec<&str> =
            names.iter().copied().filter(|name| !self.alarms.contains_key(*name)).collect();
        if !missing.is_empty() {
            let words = format!("No such alarms: {}. Nothing was deleted.", missing.join(", "));
            return Err(Fault::new(FaultKind::ResourceNotFound, words));
        }
        for name in names {
            self.alarms.remove(*name);
            self.configured(name, "deleted", now);
        }
        Ok(())
    }

    fn configured(&mut self, name: &str, what: &str, now: Timestamp) {
        self.changed.insert(name.to_owned());
        let type_ = match what {
            "created" => "Create",
            "deleted" => "Delete",
            _ => "Update",
        };
        self.remember(HistoryItem {
            alarm: name.to_owned(),
            at: now,
            kind: "ConfigurationUpdate",
            summary: format!("Alarm \"{name}\" {what}"),
            data: format!("{{\"version\":\"1.0\",\"type\":\"{type_}\"}}"),
        });
    }

    /// Sets the state of an alarm. Answers whether the alarm is there.
    pub fn set_state(
        &mut self,
        name: &str,
        state: State,
        reason: String,
        reason_data: Option<String>,
        now: Timestamp,
    ) -> bool {
        let Some(alarm) = self.alarms.get_mut(name) else { return false };
        let before = alarm.state;
        if before == state && alarm.reason == reason {
            return true;
        }
        (self.undisturbed, self.settled) = (0, 0);
        alarm.state = state;
        alarm.reason = reason;
        alarm.reason_data = reason_data;
        alarm.updated_ms = now.millis();
        self.changed.insert(name.to_owned());
        if before == state {
            return true;
        }
        alarm.transitioned_ms = now.millis();
        let data = format!(
            "{{\"version\":\"1.0\",\"oldState\":{{\"stateValue\":\"{}\"}},\"newState\":{{\"stateValue\":\"{}\",\
             \"stateReasonData\":{}}}}}",
            before.name(),
            state.name(),
            alarm.reason_data.as_deref().unwrap_or("null"),
        );
        self.remember(HistoryItem {
            alarm: name.to_owned(),
            at: now,
            kind: "StateUpdate",
            summary: format!("Alarm updated from {} to {}", before.name(), state.name()),
            data,
        });
        true
    }

    /// Evaluates all alarms at the end of a minute.
    pub fn evaluate(&mut self, shelf: &Shelf, now: Timestamp) {
        let verdict_of = |alarm: &Alarm| evaluate(&alarm.watched, alarm.state, shelf, now.millis());
        let alarms = self.alarms.values();
        let verdicts: Vec<(String, Verdict)> =
            alarms.filter_map(|alarm| Some((alarm.name.clone(), verdict_of(alarm)?))).collect();
        self.settled = self.settled.saturating_add(1);
        let undisturbed = self.undisturbed.saturating_add(1);
        for (name, verdict) in verdicts {
            self.set_state(&name, verdict.state, verdict.reason, Some(verdict.reason_data), now);
        }
        self.undisturbed = undisturbed;
    }

    /// How many evaluations there were since an alarm was last set by somebody, and how many of the last in a row left
    /// all alarms as they were.
    pub fn evaluations(&self) -> (u32, u32) {
        (self.undisturbed, self.settled)
    }

    /// How far back the alarm looks that looks back the farthest, milliseconds; `None` without alarms.
    pub fn longest_look_ms(&self) -> Option<i64> {
        self.alarms.values().map(|alarm| looks_back_ms(&alarm.watched)).max()
    }

    /// Whether nothing is known of any alarm, now or before.
    pub fn is_empty(&self) -> bool {
        self.alarms.is_empty() && self.history.is_empty() && self.changed.is_empty()
    }

    /// What happened, oldest first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = &HistoryItem> {
        self.history.iter()
    }

    fn remember(&mut self, item: HistoryItem) {
        if self.history.len() == MOST_HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(item);
    }

    /// The names of alarms that changed since this was last asked: made, set, in another state, or deleted.
    pub fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }
}
