//! What a fault has to know of a request: which tables it is about, and whether it reads or writes.

use dynamometer_capacity::admission::Dimension;
use dynamometer_types::name::TableReference;
use serde_json::{Map, Value};

/// The tables of a request: one for each action, statement or table of a batch, in their order; empty when the body
/// names none.
pub(super) struct Told {
    pub(super) tables: Vec<String>,
    /// Which of the two throughputs it draws from.
    pub(super) dimension: Dimension,
}

/// The operations that are not the control plane's.
pub(super) const DATA_PLANE: &[&str] = &[
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "DeleteItem",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "TransactGetItems",
    "TransactWriteItems",
    "UpdateItem",
];

/// Whether an operation is cancelled with a reason for each of its actions.
pub(super) fn is_transaction(operation: &str) -> bool {
    matches!(operation, "ExecuteTransaction" | "TransactGetItems" | "TransactWriteItems")
}

impl Told {
    /// Reads the tables of a body. A body that is no request of this operation names none.
    pub(super) fn read(operation: &str, body: &[u8]) -> Told {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let list = |member: &str| body.get(member).and_then(Value::as_array).into_iter().flatten();
        let tables: Vec<String> = match operation {
            "BatchGetItem" | "BatchWriteItem" => {
                let tables = body.get("RequestItems").and_then(Value::as_object);
                tables.into_iter().flat_map(Map::keys).map(|name| bare(name)).collect()
            }
            "TransactGetItems" | "TransactWriteItems" => list("TransactItems").map(table_of_action).collect(),
            "ExecuteTransaction" => list("TransactStatements").map(table_of_element).collect(),
            "BatchExecuteStatement" => list("Statements").map(table_of_element).collect(),
            "ExecuteStatement" => vec![table_of_element(&body)],
            _ => body.get("TableName").and_then(Value::as_str).map(bare).into_iter().collect(),
        };
        let reads = match operation {
            "BatchGetItem" | "GetItem" | "Query" | "Scan" | "TransactGetItems" => true,
            "ExecuteStatement" => is_select(&body),
            "ExecuteTransaction" => list("TransactStatements").all(is_select),
            "BatchExecuteStatement" => list("Statements").all(is_select),
            _ => false,
        };
        Told { tables, dimension: if reads { Dimension::Read } else { Dimension::Write } }
    }
}

fn is_select(element: &Value) -> bool {
    let statement = element.get("Statement").and_then(Value::as_str);
    let word = statement.and_then(|statement| statement.split_whitespace().next());
    word.is_some_and(|word| word.eq_ignore_ascii_case("SELECT"))
}

/// A table's name, from its name or its ARN.
fn bare(name_or_arn: &str) -> String {
    TableReference::read(name_or_arn).name().to_owned()
}

fn table_of_action(action: &Value) -> String {
    let kinds = action.as_object().into_iter().flat_map(Map::values);
    kinds.filter_map(|kind| kind.get("TableName")?.as_str()).map(bare).next().unwrap_or_default()
}

fn table_of_element(element: &Value) -> String {
    element.get("Statement").and_then(Value::as_str).and_then(table_of_statement).unwrap_or_default()
}

/// The table of a PartiQL statement: what follows FROM, INTO or UPDATE.
fn table_of_statement(statement: &str) -> Option<String> {
    let mut words = statement.split_whitespace();
    words.find(|word| ["FROM", "INTO", "UPDATE"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword)))?;
    let path = words.next()?;
    let name = match path.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => path.split(['.', ';']).next()?,
    };
    Some(bare(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_in_every_kind_of_request() {
        #[rustfmt::skip]
        let cases: &[(&str, &str, &[&str])] = &[
            ("GetItem", r#"{"TableName":"Orders","Key":{}}"#, &["Orders"]),
            ("GetItem", r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Orders"}"#, &["Orders"]),
            ("BatchGetItem", r#"{"RequestItems":{"A":{},"B":{}}}"#, &["A", "B"]),
            ("TransactWriteItems", r#"{"TransactItems":[{"Put":{"TableName":"A"}},{"Delete":{"TableName":"B"}},{}]}"#,
                &["A", "B", ""]),
            ("ExecuteTransaction",
                r#"{"TransactStatements":[{"Statement":"insert into \"A.b\" value {}"},{"Statement":"UPDATE B SET c=1"}]}"#,
                &["A.b", "B"]),
            ("ExecuteStatement", r#"{"Statement":"SELECT * FROM \"A\".\"gsi\" WHERE pk='FROM B'"}"#, &["A"]),
            ("ExecuteStatement", r#"{"Statement":"SELECT"}"#, &[""]),
            ("ListTables", "{}", &[]),
            ("GetItem", "no json", &[]),
        ];
        for (operation, body, expected) in cases {
            assert_eq!(Told::read(operation, body.as_bytes()).tables, *expected, "{body}");
        }
    }

    #[test]
    fn statements_read_when_they_select() {
        let dimension = |text| {
            Told::read("ExecuteStatement", format!(r#"{{"Statement":"{text}"}}"#).as_bytes()).dimension
        };
        assert_eq!(dimension("select * from A"), Dimension::Read);
        assert_eq!(dimension("DELETE FROM A WHERE pk = 'SELECT'"), Dimension::Write);
        assert_eq!(Told::read("Query", b"{}").dimension, Dimension::Read);
        assert_eq!(Told::read("PutItem", b"{}").dimension, Dimension::Write);
    }
}
