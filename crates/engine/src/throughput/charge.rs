//! Requests ask the model, and are counted.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{
    Ask, BillingMode, Cause, Dimension, Exact, Place, Refusal, ResourceId,
};
use dynamometer_capacity::meter::{Consistency, Consumption, write_blocks};
use dynamometer_store::{Keyspace, decode_pair};
use dynamometer_types::key::partition_hash;
use dynamometer_types::{ApiError, Timestamp};

use super::live::State;
use super::model::{Admitted, Refused};
use super::refusal::{cancelled, throttled};
use super::spec::spec_of;
use super::{Access, ItemAction, Operation, ThrottleMode};
use crate::Context;
use crate::catalog::{Index, IndexKind, Table};
use crate::disk::keys::{ObjectId, hash_of, object_prefix};
use crate::engine::Engine;
use crate::read_path::{Page, PagePlan};
use crate::write_path::IndexChange;

/// Table number and hash stand before what orders the keys.
const PLACE_BYTES: usize = 12;

/// Where a stored key lies. Keys of one hash are ordered by what follows it: the partition key, which is the same, and
/// the sort key.
pub(super) fn place_of(key: &[u8]) -> Place<'_> {
    Place { hash: hash_of(key).unwrap_or(0), sort_key: key.get(PLACE_BYTES..).unwrap_or_default() }
}

/// What one write costs, and where.
pub(crate) struct WriteCharge<'a> {
    pub(crate) table: &'a Table,
    /// The item's key on disk.
    pub(crate) key: &'a Bytes,
    pub(crate) consumption: &'a Consumption,
    /// By how many bytes the item grows.
    pub(crate) growth_bytes: i64,
    /// What changes in the indexes.
    pub(crate) indexes: &'a [IndexChange],
    pub(crate) action: ItemAction,
}

impl<'a> WriteCharge<'a> {
    /// The write as who looks on is told of it.
    fn access(&self, now: Timestamp, operation: Operation, throttled: bool, ran: bool) -> Access<'a> {
        let access = Access::new(now, operation, &self.table.record.name).of_item(self.key, &self.table.key);
        let access = Access { action: Some(self.action), ..access };
        access.charged(self.consumption.total(), throttled, ran)
    }

    /// The parts on global indexes in order of name: place and units.
    fn index_parts(&self) -> Vec<(&IndexChange, Place<'_>, CapacityUnits)> {
        let mut changes: Vec<&IndexChange> =
            self.indexes.iter().filter(|change| change.kind == IndexKind::Global).collect();
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        let mut parts = Vec::with_capacity(changes.len() + 1);
        for change in changes {
            let part = |entry: &(Bytes, u64)| CapacityUnits::from_whole(write_blocks(entry.1));
            match (&change.old, &change.new) {
                // The entry moves: a delete here and a put there.
                (Some(old), Some(new)) if old.0 != new.0 => {
                    parts.push((change, place_of(&old.0), part(old)));
                    parts.push((change, place_of(&new.0), part(new)));
                }
                (_, Some(entry)) | (Some(entry), None) => {
                    parts.push((change, place_of(&entry.0), change.units))
                }
                (None, None) => {}
            }
        }
        parts
    }
}

/// What became of a read that asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charged {
    /// It was let in.
    Admitted,
    /// It runs, and would have been throttled.
    WouldThrottle,
}

/// What a page was told that is not settled yet; nothing when nobody asked.
pub(crate) struct PageAdmission(Option<Result<Admitted, Refused>>);

impl Engine {
    /// Works on the live state of a table.
    pub(super) fn live<R>(&self, table: &Table, now: Timestamp, work: impl FnOnce(&mut State) -> R) -> R {
        let bytes = |object: ObjectId| self.stored(object).1;
        table.live.with(table, now, &self.config, bytes, work)
    }

    /// Whether the model is asked at all.
    fn asks(&self) -> bool {
        self.config.throttle != ThrottleMode::Off
    }

    /// Items and bytes of a table or index. An unreadable counter counts as nothing here.
    pub(crate) fn stored(&self, object: ObjectId) -> (u64, u64) {
        let row = self.store.get(Keyspace::Counters, &object_prefix(object)).ok().flatten();
        let [items, bytes] = decode_pair(row.as_deref()).unwrap_or_default();
        (u64::try_from(items).unwrap_or(0), u64::try_from(bytes).unwrap_or(0))
    }

    /// Whether what the model refused, or did not, is run.
    fn runs(&self, is_refused: bool) -> bool {
        !is_refused || self.only_reports()
    }

    /// Whether what is refused is run all the same.
    fn only_reports(&self) -> bool {
        self.config.throttle == ThrottleMode::Report
    }

    /// What a refusal does in this mode.
    fn enforced(&self, refusal: &Refusal, table: &Table) -> Result<(), ApiError> {
        match self.config.throttle {
            ThrottleMode::Enforce => Err(throttled(refusal, &table.record.arn)),
            ThrottleMode::Off | ThrottleMode::Report => Ok(()),
        }
    }

    /// Charges the read of one item, whose units and consistency are known.
    ///
    /// # Errors
    /// As AWS throttles, when throttling is enforced.
    pub(crate) fn charge_read(
        &self,
        now: Timestamp,
        table: &Table,
        operation: Operation,
        key: &[u8],
        (units, consistency): (CapacityUnits, Consistency),
    ) -> Result<Charged, ApiError> {
        let place = place_of(key);
        let admit = |state: &mut State| {
            state.touch(now);
            let mut is_soon = false;
            if consistency == Consistency::Eventual
                && let Some(resource) = state.resource(table.id())
            {
                is_soon = resource.note_read(partition_hash(key), now);
            }
            let ask = read_ask(ResourceId::TABLE, place, units);
            let refusal = if self.asks() {
                state.capacity.charge(now, &[ask], self.only_reports()).err()
            } else {
                None
            };
            state.count_read(
                operation,
                table.id(),
                place,
                units,
                refusal.as_ref(),
                self.config.throttle,
                now,
            );
            (refusal, is_soon)
        };
        let (refusal, soon_after_write) = self.live(table, now, admit);
        self.tell(|| {
            let access = Access::new(now, operation, &table.record.name).of_item(key, &table.key);
            Access {
                soon_after_write,
                ..access.charged(units, refusal.is_some(), self.runs(refusal.is_some()))
            }
        });
        match refusal {
            None => Ok(Charged::Admitted),
            Some(refusal) => self.enforced(&refusal, table).map(|()| Charged::WouldThrottle),
        }
    }

    /// Charges the reads of a transaction: all are let in, or none.
    ///
    /// # Errors
    /// `TransactionCanceled` with the reasons, when throttling is enforced.
    pub(crate) fn charge_transaction_reads(
        &self,
        now: Timestamp,
        operation: Operation,
        reads: &[(&Table, &Bytes, CapacityUnits)],
    ) -> Result<(), ApiError> {
        let mut admitted: Vec<(&Table, Admitted)> = Vec::with_capacity(reads.len());
        let mut refused = None;
        for (at, (table, key, units)) in reads.iter().enumerate().filter(|_| self.asks()) {
            let ask = read_ask(ResourceId::TABLE, place_of(key), *units);
            match self.live(table, now, |state| state.capacity.charge(now, &[ask], false)) {
                Ok(admission) => admitted.push((table, admission)),
                Err(refusal) => {
                    refused = Some((at, refusal));
                    break;
                }
            }
        }
        if refused.is_some() {
            self.release_all(now, admitted);
        }
        for (at, (table, key, units)) in reads.iter().enumerate() {
            let refusal =
                refused.as_ref().filter(|(refused_at, _)| *refused_at == at).map(|(_, refusal)| refusal);
            let runs = refused.is_none() || self.config.throttle != ThrottleMode::Enforce;
            self.live(table, now, |state| {
                state.touch(now);
                if runs || refusal.is_some() {
                    let (place, mode) = (place_of(key), self.config.throttle);
                    state.count_read(operation, table.id(), place, *units, refusal, mode, now);
                }
            });
            self.tell(|| {
                let access = Access::new(now, operation, &table.record.name).of_item(key, &table.key);
                access.charged(*units, refusal.is_some(), runs)
            });
        }
        match refused {
            Some((at, refusal)) => {
                let mut reasons = vec![None; reads.len()];
                reasons[at] = self.enforced(&refusal, reads[at].0).err();
                if reasons[at].is_some() { Err(cancelled(reasons)) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }

    /// Gives back what a transaction took before one of its parts was refused.
    fn release_all(&self, now: Timestamp, admitted: Vec<(&Table, Admitted)>) {
        for (table, admission) in admitted {
            self.live(table, now, |state| state.capacity.release(now, admission));
        }
    }

    /// Charges writes before they are queued. Each is let in by itself, or with `together` all or none. Answers for each
    /// write what it is refused with, when throttling is enforced.
    pub(crate) fn charge_writes(
        &self,
        now: Timestamp,
        operation: Operation,
        together: bool,
        writes: &[WriteCharge<'_>],
    ) -> Vec<Option<ApiError>> {
        let mut errors: Vec<Option<ApiError>> = Vec::new();
        let mut admitted: Vec<(&Table, Admitted)> = Vec::new();
        let (mut stopped_at, mut refused) = (None, 0);
        for (at, write) in writes.iter().enumerate() {
            let refusal = self.live(write.table, now, |state| {
                state.touch(now);
                let is_reported = !together && self.only_reports();
                let admission = match self.asks() {
                    true => state.charge_write(now, write, is_reported).map(Some),
                    false => Ok(None),
                };
                match admission {
                    Ok(admission) => {
                        if together {
                            admitted.extend(admission.map(|admission| (write.table, admission)));
                        } else {
                            state.count_write(operation, write, now);
                        }
                        None
                    }
                    Err(refusal) => {
                        state.refuse_write(operation, write, &refusal);
                        if !together && self.only_reports() {
                            state.count_write(operation, write, now);
                        }
                        Some(refusal)
                    }
                }
            });
            if !together {
                let is_refused = refusal.is_some();
                self.tell(|| write.access(now, operation, is_refused, self.runs(is_refused)));
            }
            let Some(refusal) = refusal else { continue };
            refused += 1;
            if let Err(error) = self.enforced(&refusal, write.table) {
                errors.resize(writes.len(), None);
                errors[at] = Some(error);
            }
            if together {
                stopped_at = Some(at);
                break;
            }
        }
        if together {
            if stopped_at.is_some() {
                self.release_all(now, admitted);
            }
            for (at, write) in writes.iter().enumerate() {
                let runs = self.runs(stopped_at.is_some());
                self.tell(|| write.access(now, operation, stopped_at == Some(at), runs));
            }
            if stopped_at.is_none() || self.only_reports() {
                for write in writes {
                    self.live(write.table, now, |state| state.count_write(operation, write, now));
                }
            }
        }
        if operation == Operation::BatchWriteItem && refused == writes.len() {
            self.note_throttled(now, writes.iter().map(|write| write.table), operation);
        }
        errors
    }

    /// Counts an item that time to live deletes: it costs nothing, but its partition shrinks.
    pub(crate) fn count_expired(&self, now: Timestamp, write: &WriteCharge<'_>) {
        write.table.live.free.expired_items.fetch_add(1, Ordering::Relaxed);
        self.live(write.table, now, |state| {
            state.capacity.resize(now, ResourceId::TABLE, place_of(write.key), write.growth_bytes);
            for change in write.indexes {
                let Some((key, _)) = &change.old else { continue };
                let id = state.id_of(change.object);
                state.capacity.resize(now, id, place_of(key), change.growth_bytes);
            }
        });
    }

    /// Counts the items of a request that were refused because a transaction with them was in progress, by their tables.
    pub(crate) fn count_conflicts<'t>(
        &self,
        now: Timestamp,
        operation: Operation,
        tables: impl Iterator<Item = &'t Table>,
    ) {
        let mut refused: Vec<(&Table, u64)> = Vec::new();
        for table in tables {
            match refused.iter_mut().find(|(known, _)| known.id() == table.id()) {
                Some((_, items)) => *items += 1,
                None => refused.push((table, 1)),
            }
        }
        for (table, items) in refused {
            self.live(table, now, |state| {
                state.touch(now);
                state.minute.conflicts.add(items);
                if let Some(resource) = state.resource(table.id()) {
                    resource.operations[operation as usize].conflicts += items;
                }
            });
        }
    }

    /// Asks for a page before it is walked.
    ///
    /// # Errors
    /// As AWS throttles, when throttling is enforced.
    pub(crate) fn admit_page(
        &self,
        now: Timestamp,
        operation: Operation,
        plan: &PagePlan<'_>,
    ) -> Result<PageAdmission, ApiError> {
        let place = place_of(plan.bounds.start_key());
        if !self.asks() {
            return Ok(PageAdmission(None));
        }
        let admit = |state: &mut State| {
            let (object, id) = state.target(plan.table, plan.index);
            let ask = read_ask(id, place, floor_of(plan.consistency));
            let admitted = state.capacity.admit(now, &[ask]);
            if let Err(refused) = &admitted {
                state.refuse(operation, object, place, false, refused.refusal.cause);
            }
            admitted
        };
        let admitted = self.live(plan.table, now, admit);
        if let Err(refused) = &admitted
            && let Err(error) = self.enforced(&refused.refusal, plan.table)
        {
            self.tell(|| plan.access(now, operation).charged(CapacityUnits::ZERO, true, false));
            return Err(error);
        }
        Ok(PageAdmission(Some(admitted)))
    }

    /// Settles a page that was walked, and counts it.
    pub(crate) fn settle_page(
        &self,
        now: Timestamp,
        operation: Operation,
        plan: &PagePlan<'_>,
        admission: PageAdmission,
        page: &Page,
    ) {
        let place = place_of(plan.bounds.start_key());
        let units = page.consumption.total();
        let throttled = matches!(admission.0, Some(Err(_)));
        let soon_after_write = self.live(plan.table, now, |state| {
            state.touch(now);
            let through_hash = match &page.last_key {
                _ if !operation.is_scan() => None,
                Some(key) => hash_of(key),
                None => Some(plan.bounds.end_hash()),
            };
            let exact = [Exact { units, through_hash }];
            match admission.0 {
                Some(Ok(admitted)) => state.capacity.settle(now, admitted, &exact),
                Some(Err(refused)) => state.capacity.note_cost(now, &refused, &exact),
                None => {}
            }
            let mode = state.mode;
            let (object, _) = state.target(plan.table, plan.index);
            if let Some(series) = state.series(object) {
                series.minute.consume(operation, units);
                if operation == Operation::Query {
                    series.contributors.access(Dimension::Read, place.hash, place.sort_key, false, units);
                }
            }
            let Some(resource) = state.resource(object) else { return false };
            resource.count(operation, mode, units);
            resource.operations[operation as usize].filtered_halves += page.filtered.halves();
            if operation.is_query() {
                resource.heat(Dimension::Read, place.hash, place.sort_key, units, now);
                return plan.consistency == Consistency::Eventual && resource.note_read(place.hash, now);
            }
            false
        });
        self.tell(|| Access {
            filtered_units: page.filtered,
            scanned: page.scanned_count,
            returned: page.count,
            soon_after_write,
            ..plan.access(now, operation).charged(units, throttled, true)
        });
    }

    /// What a request to a table is refused with when some budget is exceeded: the one that is usual in the table's
    /// mode, unless a cause is given. `None` when there is no such table.
    pub fn throttling_error(
        &self,
        context: &Context<'_>,
        table: &str,
        dimension: Dimension,
        cause: Option<Cause>,
    ) -> Option<ApiError> {
        let table = self.table(context, table).ok()?;
        let mode = spec_of(&table.record, context.now).mode;
        let usual = match mode {
            BillingMode::Provisioned => Cause::ProvisionedThroughput,
            BillingMode::OnDemand => Cause::KeyRangeThroughput,
        };
        let refusal = Refusal::injected(dimension, cause.unwrap_or(usual), mode);
        Some(throttled(&refusal, &table.record.arn))
    }

    /// Gives back what was asked for a page that could not be read.
    pub(crate) fn release_page(&self, now: Timestamp, plan: &PagePlan<'_>, admission: PageAdmission) {
        if let PageAdmission(Some(Ok(admitted))) = admission {
            self.live(plan.table, now, |state| state.capacity.release(now, admitted));
        }
    }

    /// Tells the live state of a table that its record changed.
    pub(crate) fn follow_table(&self, namespace: &str, name: &str, now: Timestamp) {
        if let Some(table) = self.catalog.table(namespace, name) {
            table.live.peek(&table, now, |_| ());
        }
    }
}

impl<'a> PagePlan<'a> {
    /// The page as who looks on is told of it.
    fn access(&self, now: Timestamp, operation: Operation) -> Access<'a> {
        let access = Access::new(now, operation, &self.table.record.name);
        let key = self.index.map_or(&self.table.key, |index| &index.key);
        let access = match operation.is_query() {
            true => access.of_range(&self.bounds, key, self.index.is_some()),
            false => access,
        };
        Access { index: self.index.map(|index| &*index.name), filter: self.filter, ..access }
    }
}

fn read_ask(resource: ResourceId, place: Place<'_>, floor: CapacityUnits) -> Ask<'_> {
    Ask { resource, dimension: Dimension::Read, place, floor }
}

/// What a page costs at least: one block.
fn floor_of(consistency: Consistency) -> CapacityUnits {
    consistency.units_per_block()
}

impl State {
    /// What a page reads: its number, and whose throughput it draws from.
    fn target(&self, table: &Table, index: Option<&Index>) -> (ObjectId, ResourceId) {
        let object = index.map_or(table.id(), |index| index.id);
        (object, self.id_of(object))
    }

    #[allow(clippy::too_many_arguments)]
    fn count_read(
        &mut self,
        operation: Operation,
        object: ObjectId,
        place: Place<'_>,
        units: CapacityUnits,
        refusal: Option<&Refusal>,
        throttle: ThrottleMode,
        now: Timestamp,
    ) {
        if let Some(refusal) = refusal {
            self.refuse(operation, object, place, true, refusal.cause);
            if throttle == ThrottleMode::Enforce {
                return;
            }
        }
        let mode = self.mode;
        let Some(resource) = self.resource(object) else { return };
        resource.count(operation, mode, units);
        resource.heat(operation.dimension(), place.hash, place.sort_key, units, now);
        resource.minute.consume(operation, units);
        resource.contributors.access(operation.dimension(), place.hash, place.sort_key, true, units);
    }

    /// Counts a refusal at the table or index that refused, and that the request was throttled. Whether a batch was,
    /// only the whole of it tells.
    fn refuse(
        &mut self,
        operation: Operation,
        object: ObjectId,
        place: Place<'_>,
        of_item: bool,
        cause: Cause,
    ) {
        if !operation.is_batch() {
            self.minute.throttled[operation.metric() as usize] += 1;
        }
        if let Some(series) = self.series(object) {
            series.minute.throttle(operation, cause);
            series.contributors.throttle(place.hash, place.sort_key, of_item);
        }
        if let Some(resource) = self.resource(object) {
            resource.refuse(operation, place.hash);
        }
    }

    fn charge_write(
        &mut self,
        now: Timestamp,
        write: &WriteCharge<'_>,
        is_reported: bool,
    ) -> Result<Admitted, Refusal> {
        let place = place_of(write.key);
        let dimension = Dimension::Write;
        let base = Ask {
            resource: ResourceId::TABLE,
            dimension,
            place,
            floor: write.consumption.drawn_from_table(),
        };
        if write.consumption.global_indexes.is_empty() {
            return self.capacity.charge(now, &[base], is_reported);
        }
        let parts = write.index_parts();
        let mut asks = Vec::with_capacity(parts.len() + 1);
        asks.push(base);
        for (change, place, floor) in parts {
            let resource = self.id_of(change.object);
            // An index that the model does not know yet has no limits yet.
            if resource != ResourceId::TABLE {
                asks.push(Ask { resource, dimension, place, floor });
            }
        }
        self.capacity.charge(now, &asks, is_reported)
    }

    /// Counts a write that runs.
    fn count_write(&mut self, operation: Operation, write: &WriteCharge<'_>, now: Timestamp) {
        let (place, mode) = (place_of(write.key), self.mode);
        if write.growth_bytes != 0 {
            self.capacity.resize(now, ResourceId::TABLE, place, write.growth_bytes);
        }
        if let Some(resource) = self.resource(write.table.id()) {
            let units = write.consumption.table + write.consumption.without_arm;
            resource.count(operation, mode, units);
            resource.heat(Dimension::Write, place.hash, place.sort_key, units, now);
            // What local indexes take counts with the table.
            let drawn = write.consumption.drawn_from_table();
            resource.minute.consume(operation, drawn);
            resource.contributors.access(Dimension::Write, place.hash, place.sort_key, true, drawn);
            // For queries of the partition key, and for reads of the item.
            resource.note_write(place.hash, now);
            resource.note_write(partition_hash(write.key), now);
        }
        for change in write.indexes {
            self.count_index_change(operation, change, now);
        }
    }

    fn count_index_change(&mut self, operation: Operation, change: &IndexChange, now: Timestamp) {
        let mode = self.mode;
        let id = self.id_of(change.object);
        let Some(entry) = change.new.as_ref().or(change.old.as_ref()) else { return };
        let place = place_of(&entry.0);
        if change.growth_bytes != 0 {
            self.capacity.resize(now, id, place, change.growth_bytes);
        }
        let Some(resource) = self.resource(change.object) else { return };
        resource.count(operation, mode, change.units);
        resource.heat(Dimension::Write, place.hash, place.sort_key, change.units, now);
        if change.kind == IndexKind::Global {
            resource.minute.consume(operation, change.units);
            resource.contributors.access(Dimension::Write, place.hash, place.sort_key, true, change.units);
        }
        for (key, _) in change.old.iter().chain(&change.new) {
            resource.note_write(place_of(key).hash, now);
        }
    }

    /// Counts a write that the model refused at the table or index that refused it.
    fn refuse_write(&mut self, operation: Operation, write: &WriteCharge<'_>, refusal: &Refusal) {
        let (object, key) = match &refusal.index {
            None => (write.table.id(), write.key),
            Some(name) => {
                let Some(change) = write.indexes.iter().find(|change| change.name == *name) else { return };
                let entry = change.new.as_ref().or(change.old.as_ref());
                (change.object, entry.map_or(write.key, |(key, _)| key))
            }
        };
        self.refuse(operation, object, place_of(key), true, refusal.cause);
    }
}
