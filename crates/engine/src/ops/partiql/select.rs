//! A SELECT as the queries or the scan that it stands for.

use dynamometer_capacity::meter::Consumption;
use dynamometer_expr::partiql::{OrderKey, Reads, Select};
use dynamometer_expr::{KeyRange, SortCondition};
use dynamometer_store::Direction;
use dynamometer_types::limits::PAGE_BYTES;
use dynamometer_types::{ApiError, Item, KeySchema};

use super::next_token::{Place, invalid};
use super::refused;
use crate::Context;
use crate::api::ItemOut;
use crate::catalog::{Index, IndexKind, Table};
use crate::engine::{Engine, internal_error};
use crate::ops::pages::{consistency, plan_output, unprojected_filter};
use crate::read_path::{KeyBounds, PagePlan, Stop, scan_bounds};
use crate::throughput::{Operation, cancellation_code};

/// The most queries that are made for one answer.
///
/// # Source
/// The guide says of IN that results come in pages of up to ten items; that these are ten of its values is assumed.
const READS_PER_PAGE: usize = 10;

/// How a SELECT is to be read.
pub(super) struct Asked {
    pub(super) consistent: bool,
    pub(super) limit: Option<u64>,
    pub(super) from: Option<Place>,
}

/// A page of a SELECT.
pub(super) struct Selected {
    pub(super) items: Vec<ItemOut>,
    pub(super) next: Option<Place>,
    pub(super) last_evaluated_key: Option<Item>,
    pub(super) consumption: Consumption,
}

/// One read of a SELECT.
struct Range {
    bounds: KeyBounds,
    filtered: bool,
    /// Whether one item can be in it at most, so that nothing comes behind.
    single: bool,
}

impl Engine {
    /// Reads a page.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub(super) fn select(
        &self,
        context: &Context<'_>,
        select: &Select,
        asked: &Asked,
    ) -> Result<Selected, ApiError> {
        self.read_until_stable(|| self.select_once(context, select, asked))
    }

    fn select_once(&self, context: &Context<'_>, select: &Select, asked: &Asked) -> Result<Selected, Stop> {
        let table = self.table(context, &select.table)?;
        let index = readable_index(&table, select.index.as_deref(), asked.consistent)?;
        let schema = index.map_or(&table.key, |index| &index.key);
        let reads = plan(select, &table, index, schema)?;
        let output = plan_output(&table, index, &None, select.columns.as_ref())?;
        let direction = direction(&select.order, schema);
        let operation =
            if reads.is_some() { Operation::ExecuteStatement } else { Operation::ExecuteStatementScan };
        let ranges = ranges(select, &table, index, reads.as_ref(), direction)?;
        let start = asked.from.clone().unwrap_or(Place { read: 0, after: None });
        let first = usize::from(start.read);
        let mut after = start.after;
        let mut page = Selected {
            items: Vec::new(),
            next: None,
            last_evaluated_key: None,
            consumption: Consumption::default(),
        };
        let (mut room_bytes, mut limit) = (PAGE_BYTES, asked.limit);
        for (at, range) in ranges.iter().enumerate().skip(first) {
            if at - first == READS_PER_PAGE || room_bytes == 0 || limit == Some(0) {
                page.next = Some(place(at, None));
                break;
            }
            let plan = PagePlan {
                table: &table,
                index,
                bounds: bounds_after(&range.bounds, after.take(), direction)?,
                direction,
                limit,
                room_bytes,
                consistency: consistency(asked.consistent),
                filter: select.condition.as_ref().filter(|_| range.filtered),
                output,
            };
            let read = match self.read_page(context.now, operation, &plan) {
                // What was read already is answered, and paid for.
                Err(Stop::Failed(error)) if at > first && cancellation_code(error.kind).is_some() => {
                    page.next = Some(place(at, None));
                    break;
                }
                read => read?,
            };
            room_bytes = room_bytes.saturating_sub(read.scanned_bytes);
            limit = limit.map(|limit| limit.saturating_sub(read.scanned_count));
            page.items.extend(read.items);
            page.consumption.merge(&read.consumption);
            if let Some(last) = read.last_key.filter(|_| !range.single) {
                page.next = Some(place(at, Some(last)));
                page.last_evaluated_key = read.last_evaluated_key;
                break;
            }
        }
        self.note_success(context, &table, operation, Some(page.items.len() as u64));
        Ok(page)
    }
}

fn place(read: usize, after: Option<Vec<u8>>) -> Place {
    // A SELECT stands for fifty reads at most.
    Place { read: read as u16, after }
}

fn bounds_after(
    bounds: &KeyBounds,
    after: Option<Vec<u8>>,
    direction: Direction,
) -> Result<KeyBounds, ApiError> {
    match after {
        None => Ok(bounds.clone()),
        Some(key) if bounds.contains(&key) => Ok(bounds.clone().after(key, direction)),
        // The table was made anew since.
        Some(_) => Err(invalid()),
    }
}

/// The index that is read, when it can be.
fn readable_index<'t>(
    table: &'t Table,
    name: Option<&str>,
    consistent: bool,
) -> Result<Option<&'t Index>, ApiError> {
    let Some(name) = name else { return Ok(None) };
    let Some(index) = table.index(name) else {
        return Err(ApiError::validation("The table does not have the specified index"));
    };
    if index.key.partition.len() > 1 || index.key.sort.len() > 1 {
        return Err(ApiError::validation(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE \
             keys.",
        ));
    }
    if index.kind == IndexKind::Global && consistent {
        return Err(ApiError::validation(
            "Strongly consistent read is not supported on Global Secondary Indexes",
        ));
    }
    if index.backfilling {
        let message = format!("Cannot read from backfilling global secondary index: {name}");
        return Err(ApiError::validation(message));
    }
    Ok(Some(index))
}

/// Checks a SELECT against what it reads, in AWS's order; answers its queries, or nothing for a scan.
fn plan<'s>(
    select: &Select,
    table: &Table,
    index: Option<&Index>,
    schema: &'s KeySchema,
) -> Result<Option<Reads<'s>>, ApiError> {
    OrderKey::check_all(&select.order, select.condition.is_some(), schema).map_err(refused)?;
    let reads = Reads::plan(select.condition.as_ref(), schema).map_err(refused)?;
    reads.check_types().and_then(|()| reads.check_overlap()).map_err(refused)?;
    if let Some(index) = index {
        let missing = reads.unprojected(|name| index.projects(name, &table.key));
        if !missing.is_empty() {
            return Err(unprojected_filter(index, &missing));
        }
    }
    let reads = Some(reads).filter(Reads::are_keyed);
    if !select.order.is_empty() {
        let Some(reads) = &reads else {
            return Err(ApiError::validation(
                "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
            ));
        };
        if reads.has_several_partitions() && partition_order(&select.order, schema).is_none() {
            return Err(ApiError::validation(
                "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
            ));
        }
    }
    Ok(reads)
}

/// The key of ORDER BY that is the partition key.
fn partition_order<'o>(order: &'o [OrderKey], schema: &KeySchema) -> Option<&'o OrderKey> {
    order.iter().find(|key| schema.partition.iter().any(|attribute| key.is(&attribute.name)))
}

/// The direction in which partitions are read. Ordered by the partition key alone, they are read backwards: measured on
/// AWS by others (2026).
fn direction(order: &[OrderKey], schema: &KeySchema) -> Direction {
    let sort = order.iter().find(|key| schema.sort.iter().any(|attribute| key.is(&attribute.name)));
    match sort {
        Some(key) if key.descending => Direction::Reverse,
        Some(_) => Direction::Forward,
        None if order.is_empty() => Direction::Forward,
        None => Direction::Reverse,
    }
}

/// The reads in their order.
fn ranges(
    select: &Select,
    table: &Table,
    index: Option<&Index>,
    reads: Option<&Reads<'_>>,
    direction: Direction,
) -> Result<Vec<Range>, ApiError> {
    let Some(reads) = reads else {
        let bounds = scan_bounds(index.map_or(table.id(), |index| index.id), 0, 1);
        return Ok(vec![Range { bounds, filtered: true, single: false }]);
    };
    let mut list = reads.list().map_err(refused)?;
    let schema = index.map_or(&table.key, |index| &index.key);
    let descending = partition_order(&select.order, schema).is_some_and(|key| key.descending);
    if descending {
        list.reverse();
    }
    if descending != (direction == Direction::Reverse) {
        list.chunk_by_mut(|one, other| one.range.partition == other.range.partition).for_each(<[_]>::reverse);
    }
    list.iter()
        .map(|read| {
            let bounds = KeyBounds::of_query(table, index, &read.range)
                .ok_or_else(|| internal_error("a checked condition selects no keys"))?;
            let single = index.is_none() && is_whole_key(&read.range, schema);
            Ok(Range { bounds, filtered: read.filtered, single })
        })
        .collect()
}

/// Whether a range is that of one key of a table.
fn is_whole_key(range: &KeyRange, schema: &KeySchema) -> bool {
    schema.sort.is_empty() || matches!(range.sort, Some(SortCondition::Eq(_)))
}
