//! What a fault has to know of a request: which tables it is about, and whether it reads or writes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use dynamometer_capacity::admission::Dimension;
use dynamometer_types::name::TableReference;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// How many actions a transaction has at most; of a request with more, one more is looked at.
pub(super) const MOST_ACTIONS: usize = 100;

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
        let (tables, reads) = match operation {
            "BatchGetItem" | "BatchWriteItem" => {
                let batch: Batch = read(body);
                let tables = batch.request_items.into_keys().map(|name| bare(&name)).collect();
                (tables, operation == "BatchGetItem")
            }
            "TransactGetItems" | "TransactWriteItems" => {
                let transaction: Transaction = read(body);
                let tables = transaction.transact_items.0.into_iter().map(table_of_action).collect();
                (tables, operation == "TransactGetItems")
            }
            "BatchExecuteStatement" | "ExecuteTransaction" => {
                let all: Statements = read(body);
                let statements =
                    if operation == "ExecuteTransaction" { all.transact_statements } else { all.statements };
                let tables = statements.0.iter().map(Statement::table).collect();
                (tables, statements.0.iter().all(Statement::is_select))
            }
            "ExecuteStatement" => {
                let statement: Statement = read(body);
                (vec![statement.table()], statement.is_select())
            }
            _ => {
                let named: Named = read(body);
                let tables = named.table_name.into_iter().map(|name| bare(&name)).collect();
                (tables, matches!(operation, "GetItem" | "Query" | "Scan"))
            }
        };
        Told { tables, dimension: if reads { Dimension::Read } else { Dimension::Write } }
    }
}

fn read<'a, T: Deserialize<'a> + Default>(body: &'a [u8]) -> T {
    serde_json::from_slice(body).unwrap_or_default()
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Named<'a> {
    #[serde(borrow)]
    table_name: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Batch<'a> {
    #[serde(borrow)]
    request_items: BTreeMap<Cow<'a, str>, IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Transaction<'a> {
    #[serde(borrow)]
    transact_items: First<BTreeMap<Cow<'a, str>, Named<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Statements<'a> {
    #[serde(borrow)]
    transact_statements: First<Statement<'a>>,
    #[serde(borrow)]
    statements: First<Statement<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Statement<'a> {
    #[serde(borrow)]
    statement: Option<Cow<'a, str>>,
}

impl Statement<'_> {
    fn table(&self) -> String {
        self.statement.as_deref().and_then(table_of_statement).unwrap_or_default()
    }

    fn is_select(&self) -> bool {
        let word = self.statement.as_deref().and_then(|statement| statement.split_whitespace().next());
        word.is_some_and(|word| word.eq_ignore_ascii_case("SELECT"))
    }
}

/// The first elements of a list, one more than there may be: a body of megabytes can hold millions.
#[derive(Default)]
struct First<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<First<T>, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = First<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<First<T>, A::Error> {
                let mut first = Vec::new();
                while first.len() <= MOST_ACTIONS
                    && let Some(element) = list.next_element()?
                {
                    first.push(element);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
        }
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

/// A table's name, from its name or its ARN.
pub(super) fn bare(name_or_arn: &str) -> String {
    TableReference::read(name_or_arn).name().to_owned()
}

/// The table of an action, such as `{"Put": {"TableName": …}}`.
fn table_of_action(action: BTreeMap<Cow<'_, str>, Named<'_>>) -> String {
    action.into_values().find_map(|kind| kind.table_name).map(|name| bare(&name)).unwrap_or_default()
}

/// The table of a PartiQL statement: what follows FROM, INTO or UPDATE.
pub(super) fn table_of_statement(statement: &str) -> Option<String> {
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
            ("BatchExecuteStatement", r#"{"Statements":[{"Statement":"SELECT * FROM A","Parameters":[{"S":"x"}]}]}"#, &["A"]),
            ("ListTables", "{}", &[]),
            ("GetItem", "no json", &[]),
        ];
        for (operation, body, expected) in cases {
            assert_eq!(Told::read(operation, body.as_bytes()).tables, *expected, "{body}");
        }
    }

    #[test]
    fn no_more_of_a_transaction_is_looked_at_than_it_may_have() {
        let body =
            format!(r#"{{"TransactItems":[{}{{}}]}}"#, r#"{"Put":{"TableName":"A"}},"#.repeat(100_000));
        assert_eq!(Told::read("TransactWriteItems", body.as_bytes()).tables.len(), MOST_ACTIONS + 1);
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
