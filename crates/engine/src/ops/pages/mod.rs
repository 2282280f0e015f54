//! Query and Scan, and what they share.

mod query;
mod scan;
mod select;

pub(crate) use select::{plan_output, unprojected_filter};

use dynamometer_capacity::meter::Consistency;
use dynamometer_types::{ApiError, Item, KeyAttribute};

use crate::api::{ConditionalOperator, Given, PageResponse, ReturnConsumedCapacity, Select, known_or};
use crate::catalog::{Index, IndexKind, Table};
use crate::ops::answer::consumed_capacity;
use crate::read_path::Page;

/// The index that a request names, when it can be read.
fn readable_index<'a>(
    table: &'a Table,
    index_name: Option<&str>,
    consistent_read: bool,
) -> Result<Option<&'a Index>, ApiError> {
    let Some(name) = index_name else { return Ok(None) };
    let Some(index) = table.index(name) else {
        return Err(ApiError::validation(format!("The table does not have the specified index: {name}")));
    };
    if index.kind == IndexKind::Global && consistent_read {
        return Err(ApiError::validation("Consistent reads are not supported on global secondary indexes"));
    }
    if index.backfilling {
        let message = format!("Cannot read from backfilling global secondary index: {name}");
        return Err(ApiError::validation(message));
    }
    Ok(Some(index))
}

/// Whether a start key has exactly the table's and the index's key attributes, each of its type.
fn is_start_key_shape(table: &Table, index: Option<&Index>, key: &Item) -> bool {
    let mut attributes: Vec<&KeyAttribute> = table.key.attributes().collect();
    let index_key = index.into_iter().flat_map(|index| index.key.attributes());
    attributes.extend(index_key.filter(|attribute| !table.key.contains(&attribute.name)));
    key.len() == attributes.len()
        && attributes.iter().all(|a| key.get(&a.name).is_some_and(|value| a.scalar_type.admits(value)))
}

/// How legacy conditions are joined.
fn legacy_operator(
    operator: &Option<Given<ConditionalOperator>>,
) -> dynamometer_expr::legacy::ConditionalOperator {
    use dynamometer_expr::legacy::ConditionalOperator as Legacy;
    match known_or(operator, ConditionalOperator::And) {
        ConditionalOperator::And => Legacy::And,
        ConditionalOperator::Or => Legacy::Or,
    }
}

pub(crate) fn consistency(consistent_read: bool) -> Consistency {
    if consistent_read { Consistency::Strong } else { Consistency::Eventual }
}

/// The answer that a page makes.
fn page_response(
    page: Page,
    table_name: &str,
    select: &Option<Given<Select>>,
    return_consumed_capacity: &Option<Given<ReturnConsumedCapacity>>,
) -> PageResponse {
    let counted = select.as_ref().and_then(Given::known) == Some(Select::Count);
    PageResponse {
        items: (!counted).then_some(page.items),
        count: page.count,
        scanned_count: page.scanned_count,
        last_evaluated_key: page.last_evaluated_key,
        consumed_capacity: consumed_capacity(return_consumed_capacity, table_name, &page.consumption, None),
    }
}
