//! BatchWriteItem.
//!
//! The elements are independent for AWS; here those that are not throttled join the store's queue as one batch, which
//! is one sync and keeps more than AWS promises: all of them are there, or none.

use dynamometer_capacity::meter::Consumption;
use dynamometer_types::fault::Step;
use dynamometer_types::limits::BATCH_WRITE_REQUESTS;
use dynamometer_types::{ApiError, Item, ValueFault};

use super::{check_table_names, echo};
use crate::Context;
use crate::api::{BatchWriteItemRequest, BatchWriteItemResponse, WriteRequest};
use crate::catalog::Table;
use crate::engine::Engine;
use crate::ops::answer::{collection_metrics, consumed_capacity};
use crate::ops::items::{DeleteOperation, OnFailure, PutOperation, check_item_size};
use crate::throughput::Operation;
use crate::validate::keys::{
    KEY_MISMATCH, check_index_keys, check_item_has_key, check_key, check_key_values, stored_key,
};
use crate::validate::members::Findings;
use crate::validate::require;
use crate::validate::values::{check_names, check_values};
use crate::validate::wording::BATCH_WRITE_ITEM;
use crate::write_path::{PlannedWrite, WriteOperation, Written};

/// One element of the batch.
enum Element<'a> {
    Put(PutOperation<'a>),
    Delete(DeleteOperation<'a>),
}

impl<'a> Element<'a> {
    fn operation(&self) -> &dyn WriteOperation {
        match self {
            Element::Put(put) => put,
            Element::Delete(delete) => delete,
        }
    }

    fn key_holder(&self) -> &'a Item {
        match self {
            Element::Put(put) => put.item,
            Element::Delete(delete) => delete.key,
        }
    }

    fn plan<'p>(&'p self, table: &std::sync::Arc<Table>) -> Result<PlannedWrite<'p>, ApiError> {
        let key = match self {
            Element::Put(put) => {
                check_item_has_key(table, put.item).map_err(|_| ApiError::validation(KEY_MISMATCH))?;
                check_index_keys(table, put.item)?;
                check_key_values(&table.key, put.item)?;
                stored_key(table, put.item)?
            }
            Element::Delete(delete) => check_key(table, delete.key)?,
        };
        Ok(PlannedWrite {
            table: table.clone(),
            key,
            key_holder: self.key_holder(),
            operation: self.operation(),
        })
    }
}

impl Engine {
    /// BatchWriteItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn batch_write_item(
        &self,
        context: &Context<'_>,
        request: BatchWriteItemRequest,
    ) -> Result<BatchWriteItemResponse, ApiError> {
        let tables = check(&request)?;
        let plan = || {
            let mut plans = Vec::new();
            for (name, elements) in &tables {
                let table = self.table(context, name)?;
                for element in elements {
                    plans.push(element.plan(&table)?);
                }
            }
            if has_duplicates(&plans) {
                return Err(ApiError::validation("Provided list of item keys contains duplicates"));
            }
            Ok(plans)
        };
        let (plans, written, throttled) = self.write_all(context, plan).await?;
        let written_to = plans.iter().map(|plan| &*plan.table);
        self.note_success_of_all(context, written_to, Operation::BatchWriteItem);
        Ok(respond(&request, &tables, &plans, written, &throttled))
    }
}

/// Whether two writes are of one item.
pub(crate) fn has_duplicates(plans: &[PlannedWrite<'_>]) -> bool {
    let mut keys: Vec<&[u8]> = plans.iter().map(|plan| &plan.key[..]).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

fn respond(
    request: &BatchWriteItemRequest,
    tables: &[(&str, Vec<Element<'_>>)],
    plans: &[PlannedWrite<'_>],
    written: Vec<Written<'_>>,
    throttled: &[Option<ApiError>],
) -> BatchWriteItemResponse {
    // What was written, at the places of the plans; nothing where one was throttled.
    let mut written = written.into_iter();
    let is_throttled = |at: usize| throttled.get(at).is_some_and(Option::is_some);
    let mut done = plans
        .iter()
        .enumerate()
        .map(|(at, plan)| (plan, if is_throttled(at) { None } else { written.next() }));
    let mut unprocessed_items = Vec::new();
    let mut consumed = Vec::new();
    let mut collections = Vec::new();
    let asked_items = request.request_items.as_deref().unwrap_or_default();
    for ((name, elements), (_, requests)) in tables.iter().zip(asked_items) {
        let mut consumption = Consumption::default();
        let mut metrics = Vec::new();
        let mut unprocessed = Vec::new();
        for (at, (plan, written)) in done.by_ref().take(elements.len()).enumerate() {
            let Some(written) = written else {
                unprocessed.extend(requests.get(at).cloned());
                continue;
            };
            consumption.merge(&written.consumption);
            let asked = &request.return_item_collection_metrics;
            metrics.extend(collection_metrics(
                asked,
                &plan.table.key,
                plan.key_holder,
                written.collection_bytes,
            ));
        }
        consumed.extend(consumed_capacity(&request.return_consumed_capacity, name, &consumption, None));
        if !metrics.is_empty() {
            collections.push((name.to_string(), metrics));
        }
        if !unprocessed.is_empty() {
            unprocessed_items.push((name.to_string(), unprocessed));
        }
    }
    BatchWriteItemResponse {
        unprocessed_items,
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
    }
}

fn check(request: &BatchWriteItemRequest) -> Result<Vec<(&str, Vec<Element<'_>>)>, ApiError> {
    check_members(request)?;
    let tables = request.request_items.as_deref().unwrap_or_default();
    check_names(&request.faults, &[], BATCH_WRITE_ITEM)?;
    let mut checked = Vec::with_capacity(tables.len());
    for (name, requests) in tables {
        let mut elements = Vec::with_capacity(requests.len());
        for (at, request_element) in requests.iter().enumerate() {
            let path = [Step::Member("RequestItems"), Step::Key(name.clone()), Step::Index(at)];
            check_values(&request.faults, &path, BATCH_WRITE_ITEM)?;
            elements.push(element(request_element)?);
        }
        checked.push((name.as_str(), elements));
    }
    Ok(checked)
}

fn element(request: &WriteRequest) -> Result<Element<'_>, ApiError> {
    match (&request.put_request, &request.delete_request) {
        (Some(Some(item)), None) => {
            check_item_size(item)?;
            Ok(Element::Put(PutOperation {
                item,
                condition: None,
                on_failure: OnFailure::Nothing,
                transactional: false,
            }))
        }
        (None, Some(Some(key))) => Ok(Element::Delete(DeleteOperation {
            key,
            condition: None,
            on_failure: OnFailure::Nothing,
            transactional: false,
        })),
        // These words, for neither and for both, are AWS's.
        _ => Err(ApiError::validation(ValueFault::SeveralTypes.message(BATCH_WRITE_ITEM.layer))),
    }
}

fn check_members(request: &BatchWriteItemRequest) -> Result<(), ApiError> {
    let mut first = Findings::new();
    require(&mut first, "requestItems", &request.request_items);
    first.finish()?;
    let tables = request.request_items.as_deref().unwrap_or_default();
    if tables.is_empty() {
        return Err(ApiError::validation("The requestItems parameter is required for BatchWriteItem"));
    }
    let mut members = Findings::new();
    if tables.iter().any(|(_, requests)| requests.is_empty() || requests.len() > BATCH_WRITE_REQUESTS) {
        members.add(format!(
            "Value '{}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member \
             must have length less than or equal to 25, Member must have length greater than or equal to 1]",
            echo::writes_as_java(tables)
        ));
    }
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    members.one_of("returnItemCollectionMetrics", &request.return_item_collection_metrics);
    for (name, requests) in tables {
        for (at, element) in requests.iter().enumerate() {
            let path = format!("requestItems.{name}.member.{}.member", at + 1);
            if let Some(None) = element.put_request {
                require(&mut members, &format!("{path}.putRequest.item"), &None::<()>);
            }
            if let Some(None) = element.delete_request {
                require(&mut members, &format!("{path}.deleteRequest.key"), &None::<()>);
            }
        }
    }
    members.finish()?;
    let mut names = Findings::new();
    check_table_names(&mut names, tables, echo::writes_as_java);
    names.finish()?;
    if tables.iter().map(|(_, requests)| requests.len()).sum::<usize>() > BATCH_WRITE_REQUESTS {
        return Err(ApiError::validation("Too many items requested for the BatchWriteItem call"));
    }
    Ok(())
}
