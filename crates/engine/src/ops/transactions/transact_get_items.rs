//! TransactGetItems.

use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consistency, Consumption, meter_item_read};
use dynamometer_expr::{ExpressionKind, Projection};
use dynamometer_store::Keyspace;
use dynamometer_types::fault::Step;
use dynamometer_types::{ApiError, CancellationReason, Item};

use super::SAME_ITEM;
use super::actions::check_list_length;
use crate::Context;
use crate::api::{CapacityKind, ItemOut, TransactGet, TransactGetItemsRequest, TransactGetItemsResponse};
use crate::catalog::Table;
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::consumed_capacity;
use crate::ops::items::{parse_projection_members, project_row};
use crate::throughput::Operation;
use crate::validate::expressions::ExpressionParameters;
use crate::validate::keys::{check_key, check_scalar_paths_of};
use crate::validate::members::Findings;
use crate::validate::values::{check_names, check_values};
use crate::validate::wording::TRANSACT_GET_ITEMS;
use crate::validate::{require, required};

/// One read that passed the checks that need the request only.
struct Read<'a> {
    table_name: &'a str,
    key: &'a Item,
    projection: Option<Projection>,
}

impl Engine {
    /// TransactGetItems: all items as of one moment.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn transact_get_items(
        &self,
        context: &Context<'_>,
        request: TransactGetItemsRequest,
    ) -> Result<TransactGetItemsResponse, ApiError> {
        let reads = check(&request)?;
        let (tables, keys, snapshot) = self.read_until_stable(|| {
            let tables = reads
                .iter()
                .map(|read| self.table(context, read.table_name))
                .collect::<Result<Vec<Arc<Table>>, _>>()?;
            let keys = stored_keys(&reads, &tables)?;
            let asked: Vec<(&Table, &Bytes)> = tables.iter().map(|table| &**table).zip(&keys).collect();
            let snapshot = self.transaction_snapshot(context.now, Operation::TransactGetItems, &asked)?;
            Ok((tables, keys, snapshot))
        })?;
        let mut rows = Vec::with_capacity(reads.len());
        let mut charges = Vec::with_capacity(reads.len());
        for (table, key) in tables.iter().zip(&keys) {
            let row = snapshot.get(Keyspace::Items, key).map_err(internal_error)?.map(Row::from_stored);
            let size = row.as_ref().map(Row::item_size).transpose().map_err(internal_error)?;
            charges.push((&**table, key, meter_item_read(size, Consistency::Transactional)));
            rows.push(row);
        }
        self.charge_transaction_reads(context.now, Operation::TransactGetItems, &charges)?;
        let mut responses = Vec::with_capacity(reads.len());
        let mut consumptions: Vec<(&str, Consumption)> = Vec::new();
        for ((read, row), (_, _, units)) in reads.iter().zip(rows).zip(&charges) {
            let units = Consumption::of_table(*units);
            match consumptions.iter_mut().find(|(name, _)| *name == read.table_name) {
                Some((_, consumption)) => consumption.merge(&units),
                None => consumptions.push((read.table_name, units)),
            }
            let item = row.map(|row| project_row(row, read.projection.as_ref())).transpose()?;
            // A projection that finds nothing leaves the item out.
            responses.push(item.filter(|item| !matches!(item, ItemOut::Item(item) if item.is_empty())));
        }
        self.note_success_of_all(context, tables.iter().map(|table| &**table), Operation::TransactGetItems);
        let consumed: Vec<_> = consumptions
            .iter()
            .filter_map(|(table, consumption)| {
                let kind = Some(CapacityKind::Read);
                consumed_capacity(&request.return_consumed_capacity, table, consumption, kind)
            })
            .collect();
        let consumed_capacity = (!consumed.is_empty()).then_some(consumed);
        Ok(TransactGetItemsResponse { responses, consumed_capacity })
    }
}

/// The keys on disk. A key that is not its table's cancels the transaction.
fn stored_keys(reads: &[Read<'_>], tables: &[Arc<Table>]) -> Result<Vec<Bytes>, ApiError> {
    let check = |read: &Read<'_>, table: &Table| {
        check_scalar_paths_of(table, None, read.projection.as_ref())?;
        check_key(table, read.key)
    };
    let keys: Vec<Result<Bytes, ApiError>> =
        reads.iter().zip(tables).map(|(read, table)| check(read, table)).collect();
    let mut good: Vec<&Bytes> = keys.iter().flatten().collect();
    good.sort_unstable();
    if good.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ApiError::validation(SAME_ITEM));
    }
    if let Some(at) = keys.iter().position(Result::is_err) {
        let mut reasons = vec![CancellationReason::NONE; keys.len()];
        if let Err(fault) = &keys[at] {
            reasons[at] = CancellationReason::new("ValidationError", fault.message.clone());
        }
        return Err(ApiError::transaction_canceled(reasons));
    }
    Ok(keys.into_iter().flatten().collect())
}

fn check(request: &TransactGetItemsRequest) -> Result<Vec<Read<'_>>, ApiError> {
    let items = request.transact_items.as_deref().unwrap_or_default();
    check_list_length(request.transact_items.as_ref().map(Vec::len))?;
    let mut members = Findings::new();
    for (at, item) in items.iter().enumerate() {
        require(&mut members, &format!("transactItems.{}.member.get", at + 1), &item.get);
    }
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    members.finish()?;
    let gets: Vec<&TransactGet> = items.iter().filter_map(|item| item.get.as_ref()).collect();
    let mut names = Findings::new();
    for (at, get) in gets.iter().enumerate() {
        let path = format!("transactItems.{}.member.get", at + 1);
        names.table_name(format!("{path}.tableName"), &get.table_name);
        require(&mut names, &format!("{path}.key"), &get.key);
    }
    names.finish()?;
    check_names(&request.faults, &[], TRANSACT_GET_ITEMS)?;
    check_values(&request.faults, &[], TRANSACT_GET_ITEMS)?;
    gets.into_iter().enumerate().map(|(at, get)| check_get(at, get, request)).collect()
}

fn check_get<'a>(
    at: usize,
    get: &'a TransactGet,
    request: &TransactGetItemsRequest,
) -> Result<Read<'a>, ApiError> {
    let path = [Step::Member("TransactItems"), Step::Index(at), Step::Member("Get")];
    let parameters = ExpressionParameters {
        wording: TRANSACT_GET_ITEMS,
        names: get.expression_attribute_names.as_ref(),
        values: None,
        faults: &request.faults,
        path: &path,
        expressions: &[(ExpressionKind::Projection, get.projection_expression.as_deref())],
    };
    let placeholders = parameters.open()?;
    let projection =
        parse_projection_members(get.projection_expression.as_deref(), None, &parameters, &placeholders)?;
    parameters.close(&placeholders)?;
    Ok(Read { table_name: required(&get.table_name)?, key: required(&get.key)?, projection })
}
