//! The job: what auto scaling does as time passes.
//!
//! A scheduled action that is due sets its bounds. Bounds that were set are held against the throughput, at once. Once a
//! minute each policy looks at its alarms. Throughput is changed by UpdateTable's own code: while the table is being
//! changed already, the same is tried again a minute later; when there were too many decreases, that is told in an
//! activity, once, and tried again each minute.
//!
//! Assumed: a table on demand, and an index that is not there yet, are left alone until they can be scaled.

use std::convert::Infallible;
use std::sync::atomic::Ordering;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::autoscaling::{Alarm, Alarms, Scaler, Scaling, TargetTracking};
use dynamometer_store::{Batch, StoreError};
use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use super::activity::{self, ActivityRecord, Event};
use super::alarms::AlarmKind;
use super::record::{LastScaling, PolicyRecord, ScheduledRecord, SeenTable, TargetRecord};
use super::schedule::Schedule;
use super::{NEVER_MS, TargetKey};
use crate::admin::is_kept;
use crate::api::{
    BillingMode, GlobalSecondaryIndexUpdate, ProvisionedThroughput, UpdateGlobalSecondaryIndexAction,
    UpdateTableRequest,
};
use crate::catalog::Table;
use crate::catalog::record::{Lifecycle, Status, ThroughputRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::throughput::ThrottleMode;

const MINUTE_MS: i64 = 60_000;

/// What became of a change of throughput.
enum Changed {
    /// It is made, and in force from this time on.
    Yes(Timestamp),
    /// Something else is changing: it has to be tried again.
    Busy,
    /// It was refused, for this reason.
    Refused(String),
    /// There is nothing to change.
    Gone,
}

impl Engine {
    /// When auto scaling has something to do next; a time that is over means at once. Before it was run for the first
    /// time that is the earliest time there is.
    pub(crate) fn scaling_due(&self) -> Option<Timestamp> {
        let Some(known_from) = self.targets.known_from() else {
            return Some(Timestamp::from_millis(NEVER_MS));
        };
        let by_key = self.targets.lock();
        let due = by_key.values().filter(|target| !is_kept(&target.namespace)).flat_map(|target| {
            let awake = Some(target).filter(|target| !target.policies.is_empty() && !self.rests(target));
            let policies = awake.into_iter().flat_map(|target| &target.policies);
            let looks = policies.map(|policy| next_look(policy, known_from));
            let scheduled = target.scheduled.iter().filter_map(|action| action.next_ms);
            scheduled.chain(target.enforce_at_ms).chain(looks)
        });
        due.min().map(Timestamp::from_millis)
    }

    /// Does what auto scaling has due at `now`.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn run_scaling(&self, now: Timestamp) -> Result<(), StoreError> {
        let known_from = self.targets.known_from().unwrap_or(now);
        self.targets.known_from_ms.store(known_from.millis(), Ordering::Release);
        for (key, action) in self.due_actions(now) {
            self.run_action(&key, &action, now)?;
        }
        let is_due = |target: &TargetRecord| target.enforce_at_ms.is_some_and(|at| at <= now.millis());
        for key in self.targets_where(is_due) {
            self.enforce_bounds(&key, now)?;
        }
        let looks = |policy: &PolicyRecord| next_look(policy, known_from) <= now.millis();
        for key in self.targets_where(|target| target.policies.iter().any(looks)) {
            self.look(&key, now)?;
        }
        Ok(())
    }

    /// Whether nothing has happened since the policies of a target came to rest.
    fn rests(&self, target: &TargetRecord) -> bool {
        let Some(seen) = target.rests_at else { return false };
        match self.catalog.table(&target.namespace, &target.resource.table) {
            Some(table) => seen == Some((table.id(), table.version)) && !table.live.has_counted(),
            None => seen.is_none(),
        }
    }

    /// How many times scheduled actions fall due until a time, counted up to `most`.
    pub(crate) fn scheduled_until(&self, until: Timestamp, most: u64) -> u64 {
        let by_key = self.targets.lock();
        let targets = by_key.values().filter(|target| !is_kept(&target.namespace));
        let mut count = 0;
        for action in targets.flat_map(|target| &target.scheduled) {
            let mut next = action.next_ms;
            while let Some(due) = next.filter(|due| *due <= until.millis() && count < most) {
                count += 1;
                let action = ScheduledRecord { next_ms: next, ..action.clone() };
                next = next_occurrence(&action, Timestamp::from_millis(due));
            }
        }
        count
    }

    fn targets_where(&self, is_wanted: impl Fn(&TargetRecord) -> bool) -> Vec<TargetKey> {
        let by_key = self.targets.lock();
        let wanted = by_key.iter().filter(|(key, target)| !is_kept(&key.namespace) && is_wanted(target));
        wanted.map(|(key, _)| key.clone()).collect()
    }

    /// The scheduled actions that are due, in order of time.
    fn due_actions(&self, now: Timestamp) -> Vec<(TargetKey, ScheduledRecord)> {
        let by_key = self.targets.lock();
        let mut due: Vec<(TargetKey, ScheduledRecord)> = by_key
            .iter()
            .filter(|(key, _)| !is_kept(&key.namespace))
            .flat_map(|(key, target)| target.scheduled.iter().map(move |action| (key, action)))
            .filter(|(_, action)| action.next_ms.is_some_and(|next| next <= now.millis()))
            .map(|(key, action)| (key.clone(), action.clone()))
            .collect();
        due.sort_by_key(|(_, action)| action.next_ms);
        due
    }

    /// Sets the bounds that a scheduled action has.
    fn run_action(&self, key: &TargetKey, due: &ScheduledRecord, now: Timestamp) -> Result<(), StoreError> {
        self.change_target(key, now, |target| {
            let action = target.scheduled.iter_mut().find(|action| *action == due)?;
            action.next_ms = next_occurrence(action, now);
            if target.suspended.scheduled {
                return None;
            }
            let least = due.least.unwrap_or(target.least);
            let most = due.most.unwrap_or(target.most);
            let event = if least <= most {
                (target.least, target.most) = (least, most);
                target.enforce_at_ms = Some(now.millis());
                Event::Bounds { least: due.least, most: due.most }
            } else {
                let reason = "Maximum capacity cannot be less than minimum capacity".to_owned();
                Event::BoundsRefused { least: due.least, most: due.most, reason }
            };
            Some((format!("scheduled action name {} was triggered", due.name), event))
        })
    }

    /// Moves the throughput within the bounds that were set.
    fn enforce_bounds(&self, key: &TargetKey, now: Timestamp) -> Result<(), StoreError> {
        let Some(target) = self.targets.get(key) else { return Ok(()) };
        let within = |units: i64| units.clamp(i64::from(target.least), i64::from(target.most));
        let beyond = self.provisioned(&target, now).filter(|units| within(*units) != *units);
        let (wanted, changed) = match beyond {
            None => (0, Changed::Gone),
            Some(units) => (within(units), self.set_throughput(&target, within(units), now)?),
        };
        let bound = if beyond.is_some_and(|units| wanted > units) { "minimum" } else { "maximum" };
        self.change_target(key, now, |known| {
            // Bounds that were set meanwhile are still to be held.
            if (known.least, known.most, known.enforce_at_ms)
                == (target.least, target.most, target.enforce_at_ms)
            {
                let again = matches!(changed, Changed::Busy | Changed::Refused(_));
                known.enforce_at_ms = again.then_some(minute_of(now) + MINUTE_MS);
            }
            let event = settle(known, &changed, wanted, now)?;
            Some((format!("{bound} capacity was set to {wanted}"), event))
        })
    }

    /// Lets the policies of a target look at their alarms.
    fn look(&self, key: &TargetKey, now: Timestamp) -> Result<(), StoreError> {
        let begun = self.targets.lock().get_mut(key).map(|target| {
            target.policies.iter_mut().for_each(|policy| policy.looked_ms = minute_of(now));
            target.rests_at = None;
            target.clone()
        });
        let Some(target) = begun else { return Ok(()) };
        let mut rests_at = self.idle_at(&target, now);
        for policy in &target.policies {
            let Some(provisioned) = self.provisioned(&target, now) else { break };
            let Some((scaler, alarms)) = self.alarms_of(&target, policy, provisioned, now) else { continue };
            let asked = scaler.asks_for(now, provisioned.unsigned_abs(), alarms);
            rests_at =
                rests_at.filter(|_| !self.is_counting() || may_rest(&target, policy, alarms, provisioned));
            match asked.filter(|scaling| !is_suspended(&target, *scaling)) {
                Some(scaling) => self.scale(key, &target, policy, scaling, now)?,
                None => {
                    let bound = bound_reached(&target, policy, alarms, provisioned);
                    self.note_look(key, policy, provisioned, bound, now)?;
                }
            }
        }
        // What was changed meanwhile, by this look too, is to be looked at again.
        if let Some(known) = self.targets.lock().get_mut(key).filter(|known| **known == target) {
            known.rests_at = rests_at;
        }
        Ok(())
    }

    /// A target's table, if nothing was consumed of the target in any minute that an alarm can see, or may see later, and
    /// time alone changes nothing about the table. What is not there is idle.
    fn idle_at(&self, target: &TargetRecord, now: Timestamp) -> Option<SeenTable> {
        let Some(table) = self.catalog.table(&target.namespace, &target.resource.table) else {
            return Some(None);
        };
        let seen = Some((table.id(), table.version));
        let record = &table.record;
        let is_active = |lifecycle: Lifecycle| lifecycle.status(now) == Status::Active;
        let mut is_settled = is_active(record.lifecycle);
        if let Some(name) = &target.resource.index {
            match record.global_indexes.iter().find(|index| index.name == *name) {
                Some(index) => is_settled &= is_active(index.lifecycle),
                None => return is_settled.then_some(seen),
            }
        }
        let constants = &self.config.constants;
        let minutes = 2 + constants.metric_delay_ms.div_ceil(MINUTE_MS.unsigned_abs());
        let minutes = minutes + constants.scale_in_minutes.max(constants.scale_out_minutes);
        let is_unused = |ago: u64| {
            let ago = u32::try_from(ago).unwrap_or(u32::MAX);
            self.consumed(target, &table, now, ago) == Some(CapacityUnits::ZERO)
        };
        let is_unused = || !self.is_counting() || (1..=minutes).all(is_unused);
        let is_idle = is_settled && !table.live.has_counted() && is_unused();
        is_idle.then_some(seen)
    }

    /// Whether the model is asked, which is what keeps the consumption of minutes for policies.
    fn is_counting(&self) -> bool {
        self.config.throttle != ThrottleMode::Off
    }

    /// Makes the change that a policy asks for.
    fn scale(
        &self,
        key: &TargetKey,
        target: &TargetRecord,
        policy: &PolicyRecord,
        scaling: Scaling,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let wanted = i64::try_from(scaling.to()).unwrap_or(i64::MAX);
        let is_out = matches!(scaling, Scaling::Out(_));
        let cause = alarm_cause(target, policy, if is_out { AlarmKind::High } else { AlarmKind::Low });
        let changed = self.set_throughput(target, wanted, now)?;
        self.change_target(key, now, |target| {
            if matches!(changed, Changed::Yes(_)) {
                target.last = Some(LastScaling { at_ms: now.millis(), units: scaling.to(), is_out });
            }
            Some((cause, settle(target, &changed, wanted, now)?))
        })
    }

    /// Notes what a look showed that led to nothing: the throughput was changed by somebody else, which makes the alarms
    /// anew; or an alarm asks for what the bounds do not allow.
    fn note_look(
        &self,
        key: &TargetKey,
        policy: &PolicyRecord,
        provisioned: i64,
        bound: Option<(AlarmKind, Event)>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let is_news =
            |target: &TargetRecord, event: &Event| target.told.as_deref() != event.not_scaled_code();
        let known = self.targets.get(key);
        let bound = bound.filter(|(_, event)| known.as_ref().is_some_and(|target| is_news(target, event)));
        if bound.is_none() && policy.alarms_for == provisioned {
            return Ok(());
        }
        self.change_target(key, now, |target| {
            let told = bound.map(|(kind, event)| (alarm_cause(target, policy, kind), event));
            if let Some((_, event)) = &told {
                target.told = event.not_scaled_code().map(str::to_owned);
            }
            follow(target, provisioned, now);
            told
        })
    }

    /// The policy's state machine, and what its alarms show.
    pub(super) fn alarms_of(
        &self,
        target: &TargetRecord,
        policy: &PolicyRecord,
        provisioned: i64,
        now: Timestamp,
    ) -> Option<(Scaler, Alarms)> {
        let table = self.catalog.table(&target.namespace, &target.resource.table)?;
        let scaler = scaler_of(target, policy)?;
        let minute = |ago: u32| self.consumed(target, &table, now, ago);
        let alarms = scaler.alarms(now, provisioned.unsigned_abs(), minute, &self.config.constants);
        Some((scaler, alarms))
    }

    /// What a target consumed in the minute that began so many whole minutes before the current one. `None` when that
    /// is not known: before this process began to count, or before there was the table, or when nothing is counted.
    fn consumed(
        &self,
        target: &TargetRecord,
        table: &Table,
        now: Timestamp,
        minutes_ago: u32,
    ) -> Option<CapacityUnits> {
        let begins = minute_of(now) - i64::from(minutes_ago) * MINUTE_MS;
        let known_from = self.targets.known_from()?;
        let is_known = begins >= known_from.millis() && begins + MINUTE_MS > table.record.created_ms;
        if !is_known || !self.is_counting() {
            return None;
        }
        let object = match &target.resource.index {
            None => table.id(),
            Some(name) => table.index(name)?.id,
        };
        let counted = table.live.peek(table, now, |state| {
            let resource = state.id_of(object);
            state.capacity.minute(now, resource, target.side(), minutes_ago)
        });
        // Nothing was counted where there is no state yet, and in minutes before the state was made.
        Some(counted.flatten().unwrap_or(CapacityUnits::ZERO))
    }

    /// The throughput of a target now; `None` when there is none that could be scaled.
    pub(crate) fn provisioned(&self, target: &TargetRecord, now: Timestamp) -> Option<i64> {
        let throughput = self.throughput_of(target, now)?;
        Some(match target.side() {
            Dimension::Read => throughput.read,
            Dimension::Write => throughput.write,
        })
    }

    fn throughput_of(&self, target: &TargetRecord, now: Timestamp) -> Option<ThroughputRecord> {
        let table = self.catalog.table(&target.namespace, &target.resource.table)?;
        let record = table.record.clone().settled(now)?;
        let is_usable = |status: Status| matches!(status, Status::Active | Status::Updating);
        if record.billing.mode != BillingMode::Provisioned || !is_usable(record.lifecycle.status(now)) {
            return None;
        }
        let Some(name) = &target.resource.index else { return Some(record.throughput) };
        let index = record.global_indexes.iter().find(|index| index.name == *name)?;
        (!index.backfilling && is_usable(index.lifecycle.status(now))).then_some(index.throughput)
    }

    /// Changes the throughput of a target as a client's UpdateTable would, and waits until that is durable.
    fn set_throughput(
        &self,
        target: &TargetRecord,
        units: i64,
        now: Timestamp,
    ) -> Result<Changed, StoreError> {
        let Some(current) = self.throughput_of(target, now) else { return Ok(Changed::Gone) };
        let (read, write) = match target.side() {
            Dimension::Read => (units, current.write),
            Dimension::Write => (current.read, units),
        };
        let throughput =
            ProvisionedThroughput { read_capacity_units: Some(read), write_capacity_units: Some(write) };
        let context = Context {
            now,
            namespace: &target.namespace,
            region: &target.region,
            account: &target.account,
            host: None,
            // A change of throughput draws nothing.
            elapsed: &|| std::time::Duration::ZERO,
            entropy: &|| 0,
        };
        match self.change_table(&context, &update_request(target, throughput)) {
            Ok((_, commit)) => {
                commit.wait()?;
                Ok(Changed::Yes(now + self.config.table_delay_ms))
            }
            Err(error) => Ok(refused(error)),
        }
    }

    /// Changes a target and notes what happened, when something is to be told. A target that is gone meanwhile stays
    /// so.
    fn change_target(
        &self,
        key: &TargetKey,
        now: Timestamp,
        change: impl FnOnce(&mut TargetRecord) -> Option<(String, Event)>,
    ) -> Result<(), StoreError> {
        let changed = self.targets.change(&*self.store, key, |target, batch| {
            let Some(mut target) = target else { return Ok((None, false)) };
            let told = change(&mut target);
            let is_told = told.is_some();
            if let Some((cause, event)) = told {
                ActivityRecord::new(&mut target, now, cause, event).put(&target, batch);
            }
            Ok::<_, Infallible>((Some(target), is_told))
        });
        let Ok((is_told, commit)) = changed;
        commit.wait()?;
        if is_told {
            let mut old = Batch::new();
            activity::forget(&*self.store.snapshot()?, &key.namespace, Some(now), &mut old)?;
            if !old.writes.is_empty() {
                self.store.commit(old).wait()?;
            }
        }
        Ok(())
    }
}

/// When a policy looks at its alarms next: at each full minute after it was put, and after the job began.
fn next_look(policy: &PolicyRecord, known_from: Timestamp) -> i64 {
    let put = minute_of(Timestamp::from_millis(policy.created_ms));
    policy.looked_ms.max(put).max(minute_of(known_from)) + MINUTE_MS
}

fn minute_of(now: Timestamp) -> i64 {
    now.millis() - now.millis().rem_euclid(MINUTE_MS)
}

fn is_suspended(target: &TargetRecord, scaling: Scaling) -> bool {
    match scaling {
        Scaling::Out(_) => target.suspended.dynamic_out,
        Scaling::In(_) => target.suspended.dynamic_in,
    }
}

/// Whether a policy of an idle target would show the same at every later look: it is not waiting for a cooldown to end,
/// or for a refused change to be let through.
fn may_rest(target: &TargetRecord, policy: &PolicyRecord, alarms: Alarms, provisioned: i64) -> bool {
    let is_low = matches!(alarms.low, Alarm::Breached { .. });
    let never_lowers = policy.disable_scale_in == Some(true) || target.suspended.dynamic_in;
    policy.alarms_for == provisioned && is_low && (never_lowers || provisioned <= i64::from(target.least))
}

/// The alarm that asks for more, or less, than the bounds allow, which is reached already.
fn bound_reached(
    target: &TargetRecord,
    policy: &PolicyRecord,
    alarms: Alarms,
    provisioned: i64,
) -> Option<(AlarmKind, Event)> {
    let (least, most) = (i64::from(target.least), i64::from(target.most));
    match (alarms.high, alarms.low) {
        (Alarm::Breached { .. }, _) if provisioned >= most && !target.suspended.dynamic_out => {
            Some((AlarmKind::High, Event::AtMost(target.most)))
        }
        (_, Alarm::Breached { .. })
            if provisioned <= least
                && !target.suspended.dynamic_in
                && policy.disable_scale_in != Some(true) =>
        {
            Some((AlarmKind::Low, Event::AtLeast(target.least)))
        }
        _ => None,
    }
}

fn alarm_cause(target: &TargetRecord, policy: &PolicyRecord, kind: AlarmKind) -> String {
    let alarm = target.alarm_name(policy, kind);
    format!("monitor alarm {alarm} in state ALARM triggered policy {}", policy.name)
}

/// What is to be told of a change that was tried. The same refusal is told once.
fn settle(target: &mut TargetRecord, changed: &Changed, units: i64, now: Timestamp) -> Option<Event> {
    match changed {
        Changed::Yes(ready) => {
            target.told = None;
            follow(target, units, now);
            Some(Event::Set { units, ready_ms: ready.millis() })
        }
        Changed::Refused(reason) if target.told.as_deref() != Some(reason) => {
            target.told = Some(reason.clone());
            Some(Event::Refused { units, reason: reason.clone() })
        }
        Changed::Refused(_) | Changed::Busy | Changed::Gone => None,
    }
}

/// Makes the alarms anew that are for another throughput.
fn follow(target: &mut TargetRecord, provisioned: i64, now: Timestamp) {
    for policy in &mut target.policies {
        policy.follow(provisioned, now);
    }
}

/// When an action falls due after the occurrence that is being done.
fn next_occurrence(action: &ScheduledRecord, now: Timestamp) -> Option<i64> {
    let schedule = Schedule::parse(&action.schedule, action.timezone.as_deref())?;
    let next = schedule.next(Timestamp::from_millis(action.next_ms?), now)?.millis();
    action.end_ms.is_none_or(|end| next <= end).then_some(next)
}

/// The state machine of a policy. Every policy that was let in makes one.
fn scaler_of(target: &TargetRecord, policy: &PolicyRecord) -> Option<Scaler> {
    let seconds_ms = |seconds: Option<i32>| u64::try_from(seconds.unwrap_or(0)).unwrap_or(0) * 1000;
    let tracking = TargetTracking {
        target_basis_points: (policy.target_value * 100.0).round() as u64,
        least: u64::try_from(target.least).unwrap_or(0),
        most: u64::try_from(target.most).unwrap_or(0),
        disable_scale_in: policy.disable_scale_in.unwrap_or(false),
        scale_out_cooldown_ms: seconds_ms(policy.scale_out_cooldown),
        scale_in_cooldown_ms: seconds_ms(policy.scale_in_cooldown),
    };
    let mut scaler = Scaler::new(tracking).ok()?;
    if let Some(LastScaling { at_ms, units, is_out }) = target.last {
        let scaling = if is_out { Scaling::Out(units) } else { Scaling::In(units) };
        scaler.made(Timestamp::from_millis(at_ms), scaling);
    }
    Some(scaler)
}

fn update_request(target: &TargetRecord, throughput: ProvisionedThroughput) -> UpdateTableRequest {
    let table_name = Some(target.resource.table.clone());
    let Some(index) = &target.resource.index else {
        let provisioned_throughput = Some(throughput);
        return UpdateTableRequest { table_name, provisioned_throughput, ..UpdateTableRequest::default() };
    };
    let update = UpdateGlobalSecondaryIndexAction {
        index_name: Some(index.clone()),
        provisioned_throughput: Some(throughput),
        ..UpdateGlobalSecondaryIndexAction::default()
    };
    let update = GlobalSecondaryIndexUpdate { update: Some(update), ..GlobalSecondaryIndexUpdate::default() };
    UpdateTableRequest {
        table_name,
        global_secondary_index_updates: Some(vec![update]),
        ..UpdateTableRequest::default()
    }
}

fn refused(error: ApiError) -> Changed {
    match error.kind {
        ErrorKind::ResourceInUse => Changed::Busy,
        ErrorKind::ResourceNotFound => Changed::Gone,
        _ => Changed::Refused(error.message),
    }
}
