//! The tables, the items and the requests of the benchmark.
//!
//! Items are 1,024 bytes in nine attributes, ten to a partition key. The filler differs in every
//! item and does not compress, so that caches and disks see what they would see in earnest.

use dynamometer_harness::{CallError, Client};
use serde_json::{Value, json};

use crate::driver::Source;
use crate::random::{Random, new_seed};
use crate::template::{Keys, Template};

const INDEX: &str = "by_group";

/// A table of the benchmark. All hold the same items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Without an index.
    Plain,
    /// With one GSI that projects everything.
    Indexed,
    /// With a stream of both images.
    Streamed,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 3] = [Table::Plain, Table::Indexed, Table::Streamed];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Table::Plain => "bench-plain",
            Table::Indexed => "bench-gsi",
            Table::Streamed => "bench-stream",
        }
    }

    /// What it has that the plain one has not, as a report says it.
    pub fn with(self) -> &'static str {
        match self {
            Table::Plain => "",
            Table::Indexed => ", with a GSI",
            Table::Streamed => ", with a stream",
        }
    }
}

/// One kind of request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// What it is called in the report and in `--only`.
    pub name: &'static str,
    /// The operation.
    pub operation: Operation,
    /// Where.
    pub table: Table,
    /// The most server CPU that it may use, as a multiple of the bare server's for the same bytes.
    pub bar: Option<f64>,
}

/// An operation as the benchmark uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Get,
    Put,
    Update,
    Query,
    Scan,
    BatchWrite,
    TransactWrite,
}

/// All rows, reads first, so that they are measured before writes leave work behind.
pub const ROWS: [Row; 13] = {
    use Operation::{BatchWrite, Get, Put, Query, Scan, TransactWrite, Update};
    use Table::{Indexed, Plain, Streamed};
    const fn row(name: &'static str, operation: Operation, table: Table, bar: Option<f64>) -> Row {
        Row { name, operation, table, bar }
    }
    [
        row("get", Get, Plain, Some(2.5)),
        row("query-10", Query, Plain, Some(8.0)),
        row("query-10-gsi", Query, Indexed, Some(8.0)),
        row("scan-page", Scan, Plain, None),
        row("put", Put, Plain, Some(6.0)),
        row("put-gsi", Put, Indexed, Some(9.0)),
        row("put-stream", Put, Streamed, None),
        row("update-if", Update, Plain, Some(9.0)),
        row("update-if-gsi", Update, Indexed, Some(9.0)),
        row("batch-25", BatchWrite, Plain, Some(60.0)),
        row("batch-25-gsi", BatchWrite, Indexed, None),
        row("transact-4", TransactWrite, Plain, None),
        row("transact-4-gsi", TransactWrite, Indexed, None),
    ]
};

impl Row {
    /// The same on the table that has nothing beside it.
    pub fn on_plain_table(self) -> Row {
        Row { table: Table::Plain, ..self }
    }

    /// True for the operations on one item.
    pub fn is_single_item(self) -> bool {
        matches!(self.operation, Operation::Get | Operation::Put | Operation::Update)
    }

    /// True when it changes items.
    pub fn writes(self) -> bool {
        !matches!(self.operation, Operation::Get | Operation::Query | Operation::Scan)
    }

    /// The request to fill in.
    pub fn template(self) -> Template {
        let table = self.table.name();
        let (name, body) = match self.operation {
            Operation::Get => ("GetItem", json!({ "TableName": table, "Key": key(0) })),
            Operation::Put => ("PutItem", json!({ "TableName": table, "Item": item(0) })),
            Operation::Update => ("UpdateItem", update(table, 0)),
            Operation::Query => ("Query", query(table, self.table == Table::Indexed)),
            Operation::Scan => ("Scan", json!({ "TableName": table, "ExclusiveStartKey": key(0) })),
            Operation::BatchWrite => ("BatchWriteItem", batch(table)),
            Operation::TransactWrite => ("TransactWriteItems", transaction(table)),
        };
        Template::new(name, &body.to_string())
    }

    /// Checks an answer to this row's request: benchmarks of wrong answers are worth nothing.
    pub fn is_answered_by(self, answer: &Value) -> bool {
        match self.operation {
            Operation::Get => answer["Item"].as_object().is_some_and(|item| item.len() == 9),
            Operation::Query => {
                answer["Count"] == 10 && answer["Items"].as_array().is_some_and(|all| all.len() == 10)
            }
            Operation::Scan => answer["Count"].as_u64().is_some_and(|count| count >= 100),
            Operation::BatchWrite => answer["UnprocessedItems"] == json!({}),
            Operation::Put | Operation::Update | Operation::TransactWrite => answer.is_object(),
        }
    }
}

fn key(index: usize) -> Value {
    json!({ "pk": { "S": format!("user#<p{index}>") }, "sk": { "S": format!("item#<s{index}>") } })
}

fn item(index: usize) -> Value {
    json!({
        "pk": { "S": format!("user#<p{index}>") },
        "sk": { "S": format!("item#<s{index}>") },
        "gpk": { "S": format!("group#<p{index}>") },
        "name": { "S": "name <fresh>" },
        "email": { "S": "<fresh>@example.com" },
        "total": { "N": "1<fresh>" },
        "active": { "BOOL": true },
        "created": { "N": "1719273600" },
        "payload": { "S": "<noise898>" },
    })
}

fn update(table: &str, index: usize) -> Value {
    json!({
        "TableName": table,
        "Key": key(index),
        "UpdateExpression": "SET #t = #t + :one, email = :e",
        "ConditionExpression": "attribute_exists(pk) AND active = :yes",
        "ExpressionAttributeNames": { "#t": "total" },
        "ExpressionAttributeValues": {
            ":one": { "N": "1" }, ":e": { "S": "<fresh>@example.com" }, ":yes": { "BOOL": true },
        },
    })
}

fn query(table: &str, indexed: bool) -> Value {
    if indexed {
        json!({
            "TableName": table, "IndexName": INDEX, "KeyConditionExpression": "gpk = :g",
            "ExpressionAttributeValues": { ":g": { "S": "group#<p0>" } },
        })
    } else {
        json!({
            "TableName": table, "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": { ":p": { "S": "user#<p0>" } },
        })
    }
}

fn batch(table: &str) -> Value {
    let puts: Vec<Value> = (0..25).map(|index| json!({ "PutRequest": { "Item": item(index) } })).collect();
    json!({ "RequestItems": { table: puts } })
}

/// Two puts, an update with a condition and a condition check, with a token as every SDK sends.
fn transaction(table: &str) -> Value {
    let put = |index| json!({ "Put": { "TableName": table, "Item": item(index) } });
    let check = json!({ "ConditionCheck": {
        "TableName": table, "Key": key(3), "ConditionExpression": "attribute_exists(pk)",
    }});
    json!({
        "ClientRequestToken": "<fresh>-<fresh>-bench",
        "TransactItems": [put(0), put(1), { "Update": update(table, 2) }, check],
    })
}

/// Creates the tables.
///
/// # Errors
/// When a server refuses.
pub fn create_tables(client: &mut Client) -> Result<(), CallError> {
    for table in Table::ALL {
        let schema = |hash: &str, range: Option<&str>| {
            let mut keys = vec![json!({ "AttributeName": hash, "KeyType": "HASH" })];
            keys.extend(range.map(|range| json!({ "AttributeName": range, "KeyType": "RANGE" })));
            keys
        };
        let mut names = vec!["pk", "sk"];
        let mut request = json!({
            "TableName": table.name(), "BillingMode": "PAY_PER_REQUEST", "KeySchema": schema("pk", Some("sk")),
        });
        if table == Table::Streamed {
            request["StreamSpecification"] =
                json!({ "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" });
        }
        if table == Table::Indexed {
            names.push("gpk");
            request["GlobalSecondaryIndexes"] = json!([{
                "IndexName": INDEX, "KeySchema": schema("gpk", None), "Projection": { "ProjectionType": "ALL" },
            }]);
        }
        let definitions: Vec<Value> =
            names.iter().map(|name| json!({ "AttributeName": name, "AttributeType": "S" })).collect();
        request["AttributeDefinitions"] = json!(definitions);
        client.call("CreateTable", &request)?;
        while client.call("DescribeTable", &json!({ "TableName": table.name() }))?["Table"]["TableStatus"]
            != "ACTIVE"
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    Ok(())
}

/// Writes every item of a table once, in batches of 25.
pub struct Loading {
    template: Template,
    random: Random,
    next: u64,
}

impl Loading {
    /// The loading of a table.
    pub fn new(table: Table) -> Loading {
        let row = Row { name: "load", operation: Operation::BatchWrite, table, bar: None };
        Loading { template: row.template(), random: Random::new(1), next: 0 }
    }
}

impl Source for Loading {
    fn next(&mut self, _connection: usize, out: &mut Vec<u8>) -> usize {
        self.template.fill_in_order(out, &mut self.random, self.next);
        self.next += 25;
        0
    }
}

/// One row's requests, with random keys.
pub struct Requests {
    template: Template,
    random: Random,
    items: u64,
    /// Set when each connection must keep to keys of its own.
    connections: Option<u64>,
}

impl Requests {
    /// Requests of this row. Transactions keep to keys of their own connection, because two that
    /// meet would cancel each other, as they should.
    pub fn new(row: Row, items: u64, connections: usize) -> Requests {
        let apart = row.operation == Operation::TransactWrite;
        Requests {
            template: row.template(),
            random: Random::new(new_seed()),
            items,
            connections: apart.then_some(connections as u64),
        }
    }
}

impl Source for Requests {
    fn next(&mut self, connection: usize, out: &mut Vec<u8>) -> usize {
        let own = self.connections.map(|connections| (connection as u64, connections));
        self.template.fill(out, &mut self.random, Keys { items: self.items, own });
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of a filled item by DynamoDB's rules, for the types that the items use.
    fn size(item: &Value) -> usize {
        let value = |value: &Value| match value.as_object().and_then(|typed| typed.iter().next()) {
            Some((kind, value)) if kind == "S" => value.as_str().map_or(0, str::len),
            Some((kind, value)) if kind == "N" => {
                let digits = value.as_str().unwrap_or_default();
                let trimmed = digits.trim_end_matches('0');
                let pairs = digits.len().div_ceil(2) - (digits.len() - trimmed.len()) / 2;
                1 + pairs
            }
            _ => 1,
        };
        item.as_object().unwrap().iter().map(|(name, typed)| name.len() + value(typed)).sum()
    }

    #[test]
    fn items_are_one_kilobyte_in_nine_attributes() {
        let row = Row { name: "x", operation: Operation::Put, table: Table::Plain, bar: None };
        let mut out = Vec::new();
        row.template().fill_in_order(&mut out, &mut Random::new(3), 77_777);
        let text = String::from_utf8(out).unwrap();
        let request: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
        let item = &request["Item"];
        assert_eq!(item.as_object().unwrap().len(), 9);
        assert_eq!(item["pk"]["S"], "user#00007777");
        assert_eq!(item["sk"]["S"], "item#00000007");
        assert!((1020..=1024).contains(&size(item)), "{}", size(item));
    }
}
