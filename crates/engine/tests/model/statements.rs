//! PartiQL: a SELECT answers what the Query answers that it stands for, and the other statements do what the model's writes
//! do.

use dynamometer_engine::api::*;
use dynamometer_types::{AttributeValue, ErrorKind, Item};

use crate::common::agree::IndexShape;
use crate::common::item_of;
use crate::drive::{Drive, TABLE};
use crate::naive::{Change, Refusal, Update, Write};

/// A text with `?` for its placeholders, and their values in that order.
fn with_parameters(text: &str, values: &[(String, AttributeValue)]) -> (String, Vec<AttributeValue>) {
    let (mut out, mut parameters) = (String::new(), vec![]);
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        out.push_str(&rest[..at]);
        let name_end = rest[at + 1..].find(|next: char| !next.is_ascii_alphanumeric() && next != '_');
        let end = name_end.map_or(rest.len(), |length| at + 1 + length);
        let value = values.iter().find(|(name, _)| *name == rest[at..end]);
        parameters.push(value.unwrap_or_else(|| panic!("{text} has no {}", &rest[at..end])).1.clone());
        out.push('?');
        rest = &rest[end..];
    }
    out.push_str(rest);
    (out, parameters)
}

fn run(
    drive: &Drive,
    request: ExecuteStatementRequest,
) -> Result<ExecuteStatementResponse, dynamometer_types::ApiError> {
    drive.world.run(async |engine, context| engine.execute_statement(context, request).await)
}

/// Sends a Query as a SELECT, page by page, and compares pages and costs.
pub fn compare_select(drive: &Drive, query: &QueryRequest, index: Option<&IndexShape>, sort: &[&str]) {
    let [sort] = sort else { return };
    let conditions = [query.key_condition_expression.as_deref(), query.filter_expression.as_deref()];
    let conditions: Vec<&str> = conditions.into_iter().flatten().collect();
    let source = index.map_or(String::new(), |index| format!(".\"{}\"", index.name));
    let direction = if query.scan_index_forward == Some(false) { "DESC" } else { "ASC" };
    let text = format!(
        "SELECT * FROM \"{TABLE}\"{source} WHERE {} ORDER BY {sort} {direction}",
        conditions.join(" AND ")
    );
    let values = query.expression_attribute_values.clone().unwrap_or_default();
    let (statement, parameters) = with_parameters(&text, &values);
    let total = Some(Given::Known(ReturnConsumedCapacity::Indexes));
    let mut select = ExecuteStatementRequest {
        statement: Some(statement.clone()),
        parameters: (!parameters.is_empty()).then_some(parameters),
        limit: query.limit,
        return_consumed_capacity: total.clone(),
        ..Default::default()
    };
    let mut query = QueryRequest { return_consumed_capacity: total, ..query.clone() };
    loop {
        let page = match run(drive, select.clone()) {
            Ok(page) => page,
            Err(error) => {
                assert_eq!(drive.world.query(query).unwrap_err().message, error.message, "{statement}");
                return;
            }
        };
        let expected = drive.world.query(query.clone()).unwrap();
        let items = |items: Vec<ItemOut>| items.into_iter().map(item_of).collect::<Vec<Item>>();
        assert_eq!(items(page.items), items(expected.items.unwrap()), "{statement}");
        assert_eq!(page.consumed_capacity, expected.consumed_capacity, "{statement}");
        // That a whole key leads to one item at most is known to a SELECT, so that it does not go on behind it.
        if page.next_token.is_none() {
            let whole_key = index.is_none() && statement.contains(&format!("{sort} = ?"));
            assert!(whole_key || expected.last_evaluated_key.is_none(), "{statement}");
            return;
        }
        assert_eq!(page.last_evaluated_key, expected.last_evaluated_key, "{statement}");
        select.next_token = page.next_token;
        query.exclusive_start_key = expected.last_evaluated_key;
    }
}

/// Makes a write as a statement, and compares with the model.
pub fn compare_write(drive: &mut Drive, write: Write) {
    let write = Write { condition: None, ..write };
    let is_there = drive.model.items.contains_key(&write.key);
    let name_key = "pk = ? AND sk = ?";
    let key = [write.key.0.0.clone(), write.key.1.0.clone()];
    let (statement, parameters, refused) = match &write.change {
        Change::Put(item) => {
            let names: Vec<String> = item.names().map(|name| format!("'{name}': ?")).collect();
            let text = format!("INSERT INTO \"{TABLE}\" VALUE {{{}}}", names.join(", "));
            (text, item.values().cloned().collect(), is_there.then_some(ErrorKind::DuplicateItem))
        }
        Change::Update(update) => {
            let text: String = match update {
                Update::Set(pairs) => {
                    pairs.iter().map(|(name, _)| format!("SET {name} = :{name} ")).collect()
                }
                Update::Remove(names) => names.iter().map(|name| format!("REMOVE {name} ")).collect(),
                Update::AddNumber(_) => "SET n = if_not_exists(n, :zero) + :n ".into(),
                Update::AddToSet(_) => "SET ss = set_add(ss, :ss) ".into(),
            };
            let zero = (":zero".to_owned(), AttributeValue::N(0.into()));
            let values = [update.values(), vec![zero]].concat();
            let (text, mut parameters) = with_parameters(&text, &values);
            parameters.extend(key);
            let text = format!("UPDATE \"{TABLE}\" {text} WHERE {name_key} RETURNING ALL NEW *");
            (text, parameters, (!is_there).then_some(ErrorKind::StatementConditionFailed))
        }
        Change::Delete | Change::Check => {
            let text = format!("DELETE FROM \"{TABLE}\" WHERE {name_key} RETURNING ALL OLD *");
            (text, key.to_vec(), None)
        }
    };
    let write = match write.change {
        Change::Check => Write { change: Change::Delete, ..write },
        _ => write,
    };
    let request = ExecuteStatementRequest {
        statement: Some(statement.clone()),
        parameters: Some(parameters),
        ..Default::default()
    };
    let answer = run(drive, request);
    let declared = drive.declared();
    if let Some(kind) = refused {
        // Index keys that do not fit are told before the item is looked at.
        let is_invalid = matches!(drive.model.clone().write(&write, &declared), Err(Refusal::Invalid));
        let error = answer.unwrap_err();
        let may_be = error.kind == kind || is_invalid && error.kind == ErrorKind::Validation;
        assert!(may_be, "{statement}: {error:?}");
        return;
    }
    match (answer, drive.model.write(&write, &declared)) {
        (Ok(answer), Ok((old, new))) => {
            let told: Vec<Item> = answer.items.into_iter().map(item_of).collect();
            let expected = match write.change {
                Change::Put(_) => None,
                Change::Update(_) => new,
                Change::Delete | Change::Check => old,
            };
            assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "{statement}");
        }
        (Err(error), Err(Refusal::Invalid)) => {
            assert_eq!(error.kind, ErrorKind::Validation, "{statement}: {error:?}");
        }
        (answer, told) => panic!("{statement}: {answer:?}, but the model says {told:?}"),
    }
}
