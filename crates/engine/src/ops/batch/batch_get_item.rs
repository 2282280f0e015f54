//! BatchGetItem.

use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consistency, Consumption, meter_item_read};
use dynamometer_expr::{ExpressionKind, Projection};
use dynamometer_types::fault::Step;
use dynamometer_types::limits::{BATCH_GET_BYTES, BATCH_GET_KEYS};
use dynamometer_types::{ApiError, Item, Layer};

use super::{check_table_names, echo};
use crate::Context;
use crate::api::{BatchGetItemRequest, BatchGetItemResponse, ItemOut, KeysAndAttributes};
use crate::catalog::Table;
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::consumed_capacity;
use crate::ops::items::{parse_projection_members, project_row};
use crate::read_path::Stop;
use crate::throughput::{Charged, Operation};
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{check_key, check_scalar_paths_of};
use crate::validate::members::{Findings, Rule, Seen};
use crate::validate::values::{check_names, check_values};
use crate::validate::wording::BATCH_GET_ITEM;
use crate::validate::{check_attribute_names, check_attributes_to_get, require};

/// What is read of one table.
struct TableRead<'a> {
    /// As the request gave it.
    table_name: &'a str,
    asked: &'a KeysAndAttributes,
    keys: &'a [Item],
    projection: Option<Projection>,
}

impl Engine {
    /// BatchGetItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn batch_get_item(
        &self,
        context: &Context<'_>,
        request: BatchGetItemRequest,
    ) -> Result<BatchGetItemResponse, ApiError> {
        let reads = check(&request)?;
        self.read_until_stable(|| self.batch_get(context, &request, &reads))
    }

    fn batch_get(
        &self,
        context: &Context<'_>,
        request: &BatchGetItemRequest,
        reads: &[TableRead<'_>],
    ) -> Result<BatchGetItemResponse, Stop> {
        let mut plans: Vec<(Arc<Table>, Vec<Bytes>)> = Vec::with_capacity(reads.len());
        for read in reads {
            let table = self.table(context, read.table_name)?;
            plans.push((table, Vec::new()));
        }
        for (read, (table, keys)) in reads.iter().zip(&mut plans) {
            check_scalar_paths_of(table, None, read.projection.as_ref())?;
            *keys = read.keys.iter().map(|key| check_key(table, key)).collect::<Result<_, _>>()?;
        }
        let mut response = BatchGetItemResponse {
            responses: Vec::with_capacity(reads.len()),
            unprocessed_keys: Vec::new(),
            consumed_capacity: None,
        };
        let mut room = BATCH_GET_BYTES;
        let mut consumed = Vec::new();
        let mut refused = Refused::default();
        for (read, (table, keys)) in reads.iter().zip(&plans) {
            let (items, unread, consumption) =
                self.read_keys(context, read, table, keys, &mut room, &mut refused)?;
            if !unread.is_empty() {
                let rest = KeysAndAttributes { keys: Some(unread), ..read.asked.clone() };
                response.unprocessed_keys.push((read.table_name.to_owned(), rest));
            }
            response.responses.push((read.table_name.to_owned(), items));
            let asked = &request.return_consumed_capacity;
            consumed.extend(consumed_capacity(asked, read.table_name, &consumption, None));
        }
        let asked_keys: usize = plans.iter().map(|(_, keys)| keys.len()).sum();
        let tables = || plans.iter().map(|(table, _)| &**table);
        if refused.count + refused.would_be == asked_keys {
            self.note_throttled(context.now, tables(), Operation::BatchGetItem);
        }
        if let Some(error) = refused.first.filter(|_| refused.count == asked_keys) {
            return Err(error.into());
        }
        self.note_success_of_all(context, tables(), Operation::BatchGetItem);
        response.consumed_capacity = (!consumed.is_empty()).then_some(consumed);
        Ok(response)
    }

    /// Reads keys of one table while there is room in the answer and throughput; answers those that were not read.
    fn read_keys(
        &self,
        context: &Context<'_>,
        read: &TableRead<'_>,
        table: &Table,
        keys: &[Bytes],
        room: &mut u64,
        refused: &mut Refused,
    ) -> Result<(Vec<ItemOut>, Vec<Item>, Consumption), Stop> {
        let consistency = if read.asked.consistent_read == Some(true) {
            Consistency::Strong
        } else {
            Consistency::Eventual
        };
        let mut items = Vec::with_capacity(keys.len());
        let mut unread = Vec::new();
        let mut consumption = Consumption::default();
        for (at, key) in keys.iter().enumerate() {
            let row = self.read_item(context.now, table, key, consistency)?;
            let size = row.as_ref().map(Row::item_size).transpose().map_err(internal_error)?;
            if size.unwrap_or(0) > *room {
                unread.extend_from_slice(&read.keys[at..]);
                break;
            }
            let units = meter_item_read(size, consistency);
            match self.charge_read(context.now, table, Operation::BatchGetItem, key, (units, consistency)) {
                Ok(Charged::Admitted) => {}
                Ok(Charged::WouldThrottle) => refused.would_be += 1,
                Err(error) => {
                    refused.count += 1;
                    refused.first.get_or_insert(error);
                    unread.push(read.keys[at].clone());
                    continue;
                }
            }
            *room -= size.unwrap_or(0);
            consumption.table += units;
            if let Some(row) = row {
                items.push(project_row(row, read.projection.as_ref())?);
            }
        }
        Ok((items, unread, consumption))
    }
}

/// Keys that were throttled: how many, and what the first was refused with; and how many only would have been.
#[derive(Default)]
struct Refused {
    count: usize,
    would_be: usize,
    first: Option<ApiError>,
}

fn check(request: &BatchGetItemRequest) -> Result<Vec<TableRead<'_>>, ApiError> {
    let wording = BATCH_GET_ITEM.of_request(&request.faults);
    check_members(request)?;
    let tables = request.request_items.as_deref().unwrap_or_default();
    check_names(&request.faults, &[], wording)?;
    for (_, asked) in tables {
        check_attribute_names(asked.attributes_to_get.iter().flatten(), wording)?;
    }
    check_values(&request.faults, &[], wording)?;
    let any = |given: fn(&KeysAndAttributes) -> bool| tables.iter().any(|(_, asked)| given(asked));
    check_not_mixed(
        &[("AttributesToGet", any(|asked| asked.attributes_to_get.is_some()))],
        &[("ProjectionExpression", any(|asked| asked.projection_expression.is_some()))],
        wording,
    )?;
    let mut reads = Vec::with_capacity(tables.len());
    for (table_name, asked) in tables {
        let path = [Step::Member("RequestItems"), Step::Key(table_name.clone())];
        let parameters = ExpressionParameters {
            wording,
            names: asked.expression_attribute_names.as_ref(),
            values: None,
            faults: &request.faults,
            path: &path,
            expressions: &[(ExpressionKind::Projection, asked.projection_expression.as_deref())],
        };
        let placeholders = parameters.open()?;
        let projection = parse_projection_members(
            asked.projection_expression.as_deref(),
            asked.attributes_to_get.as_deref(),
            &parameters,
            &placeholders,
        )?;
        parameters.close(&placeholders)?;
        let keys = asked.keys.as_deref().unwrap_or_default();
        reads.push(TableRead { table_name, asked, keys, projection });
    }
    for read in &reads {
        if read.keys.iter().enumerate().any(|(at, key)| read.keys[..at].contains(key)) {
            return Err(ApiError::validation("Provided list of item keys contains duplicates"));
        }
    }
    Ok(reads)
}

fn check_members(request: &BatchGetItemRequest) -> Result<(), ApiError> {
    let mut first = Findings::new();
    require(&mut first, "requestItems", &request.request_items);
    first.finish()?;
    let tables = request.request_items.as_deref().unwrap_or_default();
    let no_echo = String::new;
    let length = |path: String, count: usize, rule: Rule| {
        let mut members = Findings::new();
        members.member_of(Layer::Current, path, Seen::Many(count, &no_echo), &[rule]);
        members.finish()
    };
    let keys_of = |asked: &KeysAndAttributes| asked.keys.as_ref().map_or(0, Vec::len);
    length("RequestItems".into(), tables.len(), Rule::MinLength(1))?;
    let mut nulls = Findings::new();
    for (name, asked) in tables {
        require(&mut nulls, &format!("requestItems.{name}.member.keys"), &asked.keys);
    }
    nulls.finish()?;
    for (name, asked) in tables {
        length(format!("RequestItems.{name}.member.Keys"), keys_of(asked), Rule::MinLength(1))?;
    }
    let mut members = Findings::new();
    check_table_names(&mut members, tables, echo::keys_as_json);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    for (_, asked) in tables {
        check_attributes_to_get(&mut members, &asked.attributes_to_get);
    }
    members.finish()?;
    for (name, asked) in tables {
        let most = Rule::MaxLength(BATCH_GET_KEYS as u64);
        length(format!("RequestItems.{name}.member.Keys"), keys_of(asked), most)?;
    }
    if tables.iter().map(|(_, asked)| keys_of(asked)).sum::<usize>() > BATCH_GET_KEYS {
        return Err(ApiError::validation("Too many items requested for the BatchGetItem call"));
    }
    Ok(())
}
