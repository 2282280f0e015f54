//! The one way that pages of items are read: a Query or a Scan of a table or of an index.
//!
//! A page walks the rows of a key range on one snapshot until the range ends, the limit is reached, or the walked
//! items add up to 1 MB. What it walks is what it costs; filter and projection come after. Eventually consistent pages
//! walk the rows as they were, where [lag](crate::lag) is asked for.
//!
//! The rows of a table that was deleted, or replaced, are cleared away soon after. So a read looks, once it has its rows or
//! its snapshot, whether the table that it was planned on is still the current one; if not, it is planned anew
//! ([`Engine::read_until_stable`]).

mod range;

use std::ops::ControlFlow;

use bytes::Bytes;
use dynamometer_capacity::meter::{
    CapacityUnits, Consistency, Consumption, meter_item_read, meter_page_read,
};
use dynamometer_expr::{Condition, Projection};
use dynamometer_store::{Direction, Keyspace, Snapshot};
use dynamometer_types::{ApiError, Item, Timestamp};

use crate::api::ItemOut;
use crate::catalog::{Index, IndexKind, Table};
use crate::disk::keys::item_key;
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::lag::{Lag, Overlay};
use crate::throughput::Operation;
pub(crate) use range::{KeyBounds, scan_bounds, start_key_bytes};

/// What a page reads and what it does with it.
pub(crate) struct PagePlan<'a> {
    pub(crate) table: &'a Table,
    /// The index that is read; the table itself when absent.
    pub(crate) index: Option<&'a Index>,
    pub(crate) bounds: KeyBounds,
    pub(crate) direction: Direction,
    pub(crate) limit: Option<u64>,
    /// How many bytes the page may walk.
    pub(crate) room_bytes: u64,
    pub(crate) consistency: Consistency,
    pub(crate) filter: Option<&'a Condition>,
    pub(crate) output: Output<'a>,
}

/// What of the items goes into the answer.
#[derive(Clone, Copy)]
pub(crate) enum Output<'a> {
    /// Their number alone.
    Count,
    /// All that the table or index holds.
    Everything,
    /// A part of it.
    Part(&'a Projection),
    /// The whole item or a part of it, fetched from the table because the local index does not hold it.
    Fetched(Option<&'a Projection>),
}

/// A page that was read.
pub(crate) struct Page {
    pub(crate) items: Vec<ItemOut>,
    pub(crate) count: u64,
    pub(crate) scanned_count: u64,
    pub(crate) scanned_bytes: u64,
    /// The key to go on from, when the page ended before the range did.
    pub(crate) last_evaluated_key: Option<Item>,
    pub(crate) consumption: Consumption,
    /// What of that was paid for items which the filter dropped.
    pub(crate) filtered: CapacityUnits,
    /// The stored key of the row that the page ended on before the range did.
    pub(crate) last_key: Option<Vec<u8>>,
}

/// Why a read has no rows to show.
pub(crate) enum Stop {
    /// A table is not what the read was planned on: plan anew.
    TableChanged,
    /// It failed.
    Failed(ApiError),
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Stop {
        Stop::Failed(error)
    }
}

impl Engine {
    /// Plans and reads, as often as the tables change in between.
    ///
    /// # Errors
    /// What `read` failed with.
    pub(crate) fn read_until_stable<T>(&self, read: impl Fn() -> Result<T, Stop>) -> Result<T, ApiError> {
        loop {
            match read() {
                Ok(answer) => return Ok(answer),
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::TableChanged) => {}
            }
        }
    }

    /// To be called with what was planned on, when the rows are read or a snapshot holds them.
    ///
    /// # Errors
    /// When the table has changed, so that its rows may be half cleared away.
    pub(crate) fn check_current(&self, table: &Table) -> Result<(), Stop> {
        if self.catalog.is_current(table) { Ok(()) } else { Err(Stop::TableChanged) }
    }

    /// Reads a page, within the throughput of what it reads.
    ///
    /// # Errors
    /// As AWS throttles, when throttling is enforced; `InternalServerError` when the store fails; when the table has
    /// changed since it was planned on.
    pub(crate) fn read_page(
        &self,
        now: Timestamp,
        operation: Operation,
        plan: &PagePlan<'_>,
    ) -> Result<Page, Stop> {
        let admission = self.admit_page(now, operation, plan)?;
        match self.walk_page(now, plan) {
            Ok(page) => {
                self.settle_page(now, operation, plan, admission, &page);
                Ok(page)
            }
            Err(error) => {
                self.release_page(now, plan, admission);
                Err(error)
            }
        }
    }

    /// Reads the row of an item as a read of this consistency sees it.
    ///
    /// # Errors
    /// `InternalServerError` when the store fails; when the table has changed since it was planned on.
    pub(crate) fn read_item(
        &self,
        now: Timestamp,
        table: &Table,
        key: &[u8],
        consistency: Consistency,
    ) -> Result<Option<Row>, Stop> {
        let stored = self.store.get(Keyspace::Items, key).map_err(internal_error)?;
        self.check_current(table)?;
        let seen = match &self.lag {
            Some(lag) if consistency == Consistency::Eventual => lag.see(now, key, stored),
            _ => stored,
        };
        Ok(seen.map(Row::from_stored))
    }

    fn walk_page(&self, now: Timestamp, plan: &PagePlan<'_>) -> Result<Page, Stop> {
        let snapshot = self.store.snapshot().map_err(internal_error)?;
        self.check_current(plan.table)?;
        let keyspace = if plan.index.is_some() { Keyspace::IndexEntries } else { Keyspace::Items };
        let lag = self.lag.as_ref().filter(|_| plan.consistency == Consistency::Eventual);
        let (start, end) = plan.bounds.as_bounds();
        let mut overlay =
            lag.map_or_else(Overlay::none, |lag| lag.overlay(now, (start, end), plan.direction));
        let mut walk = Walk::new(plan, &*snapshot, lag.map(|lag| (lag, now)));
        let mut fault = None;
        let mut visit = |key: &[u8], value: &Bytes| {
            walk.step(key, value).unwrap_or_else(|error| {
                fault = Some(error);
                ControlFlow::Break(())
            })
        };
        let mut is_over = false;
        snapshot
            .range(keyspace, start, end, plan.direction, &mut |key, value| {
                let flow = overlay.pass(key, value, &mut visit);
                is_over = flow.is_break();
                flow
            })
            .map_err(internal_error)?;
        if !is_over {
            overlay.pass_rest(&mut visit);
        }
        match fault {
            Some(error) => Err(error.into()),
            None => Ok(walk.finish()?),
        }
    }
}

/// The walk over the rows of one page.
struct Walk<'a> {
    plan: &'a PagePlan<'a>,
    snapshot: &'a dyn Snapshot,
    /// What lays recent images over rows that are fetched, and the time of the read.
    lag: Option<(&'a Lag, Timestamp)>,
    items: Vec<ItemOut>,
    count: u64,
    scanned_count: u64,
    scanned_bytes: u64,
    /// Bytes of the items that the filter looked at, and of those that it dropped.
    filtered_bytes: u64,
    dropped_bytes: u64,
    last_key: Option<Vec<u8>>,
    fetched: CapacityUnits,
    /// The row that the page ended on before the range did.
    stopped_on: Option<Row>,
}

impl<'a> Walk<'a> {
    fn new(
        plan: &'a PagePlan<'a>,
        snapshot: &'a dyn Snapshot,
        lag: Option<(&'a Lag, Timestamp)>,
    ) -> Walk<'a> {
        Walk {
            plan,
            snapshot,
            lag,
            items: Vec::new(),
            count: 0,
            scanned_count: 0,
            scanned_bytes: 0,
            filtered_bytes: 0,
            dropped_bytes: 0,
            last_key: None,
            fetched: CapacityUnits::ZERO,
            stopped_on: None,
        }
    }

    fn step(&mut self, key: &[u8], value: &Bytes) -> Result<ControlFlow<()>, ApiError> {
        let row = Row::from_stored(value.clone());
        self.scanned_count += 1;
        self.scanned_bytes += row.item_size().map_err(internal_error)?;
        let full = self.plan.limit.is_some_and(|limit| self.scanned_count >= limit)
            || self.scanned_bytes >= self.plan.room_bytes;
        if full {
            self.stopped_on = Some(row.clone());
            self.last_key = Some(key.to_vec());
        }
        self.take(row)?;
        Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Filters the row and puts it into the page.
    fn take(&mut self, row: Row) -> Result<(), ApiError> {
        let (row, decoded) = match self.plan.output {
            Output::Fetched(_) => (self.fetch(row)?, None),
            _ => (row, None::<Item>),
        };
        let decoded = match self.plan.filter {
            Some(filter) => {
                let item = match decoded {
                    Some(item) => item,
                    None => row.decode().map_err(internal_error)?,
                };
                let size = row.item_size().map_err(internal_error)?;
                self.filtered_bytes += size;
                if !filter.matches(&item) {
                    self.dropped_bytes += size;
                    return Ok(());
                }
                Some(item)
            }
            None => decoded,
        };
        self.count += 1;
        match self.plan.output {
            Output::Count => {}
            Output::Everything | Output::Fetched(None) => self.items.push(ItemOut::Row(row)),
            Output::Part(projection) | Output::Fetched(Some(projection)) => {
                let item = match decoded {
                    Some(item) => item,
                    None => row.decode().map_err(internal_error)?,
                };
                self.items.push(ItemOut::Item(projection.project(&item)));
            }
        }
        Ok(())
    }

    /// Reads the item of an index entry from the table: charged for each row.
    fn fetch(&mut self, entry: Row) -> Result<Row, ApiError> {
        let key_holder = entry.decode().map_err(internal_error)?;
        let key = item_key(self.plan.table.id(), &self.plan.table.key, &key_holder)
            .ok_or_else(|| internal_error("an index entry without the table's key"))?;
        let stored = self.snapshot.get(Keyspace::Items, &key).map_err(internal_error)?;
        let row = match self.lag {
            None => Row::from_stored(stored.ok_or_else(|| internal_error("an index entry without an item"))?),
            // The item of an old entry may have been forgotten since the page began.
            Some((lag, now)) => lag.see(now, &key, stored).map_or(entry, Row::from_stored),
        };
        let size = row.item_size().map_err(internal_error)?;
        self.fetched += meter_item_read(Some(size), self.plan.consistency);
        Ok(row)
    }

    fn finish(self) -> Result<Page, ApiError> {
        let units = meter_page_read(self.scanned_bytes, self.plan.consistency);
        let mut consumption = Consumption::of_table(self.fetched);
        match self.plan.index {
            None => consumption.table += units,
            Some(index) => match index.kind {
                IndexKind::Local => consumption.local_indexes.add(&index.name, units),
                IndexKind::Global => consumption.global_indexes.add(&index.name, units),
            },
        }
        let last_evaluated_key = match self.stopped_on {
            Some(row) => Some(key_to_go_on(self.plan, &row.decode().map_err(internal_error)?)),
            None => None,
        };
        Ok(Page {
            items: self.items,
            count: self.count,
            scanned_count: self.scanned_count,
            scanned_bytes: self.scanned_bytes,
            last_evaluated_key,
            filtered: part_of(consumption.total(), self.dropped_bytes, self.filtered_bytes),
            consumption,
            last_key: self.last_key,
        })
    }
}

/// The share `part` of `whole` of some units, rounded down.
fn part_of(units: CapacityUnits, part: u64, whole: u64) -> CapacityUnits {
    let share = u128::from(units.halves()) * u128::from(part);
    let halves = share.checked_div(u128::from(whole)).unwrap_or(0);
    CapacityUnits::from_halves(u64::try_from(halves).unwrap_or(u64::MAX))
}

/// The table's key and, on an index, the index's key of the last item walked.
fn key_to_go_on(plan: &PagePlan<'_>, item: &Item) -> Item {
    let index_key = plan.index.into_iter().flat_map(|index| index.key.attributes());
    plan.table
        .key
        .attributes()
        .chain(index_key)
        .filter_map(|attribute| Some((attribute.name.clone(), item.get(&attribute.name)?.clone())))
        .collect()
}
