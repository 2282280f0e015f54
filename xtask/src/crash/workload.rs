//! What the workers do to the table.
//!
//! | share | operation | proves |
//! | --- | --- | --- |
//! | 30 % | PutItem over a key of its own | an acknowledged write is there, whole |
//! | 20 % | UpdateItem of its own key with a condition on the version it last saw | the same, and the index entry moves |
//! | 5 % | the same with a condition that must fail | a refusal is no write |
//! | 5 % | DeleteItem of its own key | a delete stays deleted |
//! | 10 % | UpdateItem raising a counter that all share | no raise is lost or doubled |
//! | 25 % | TransactWriteItems over 1 to 3 shared accounts and a journal item | all or nothing |
//! | 5 % | GetItem of its own key | what was acknowledged is read |

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dynamometer_harness::{CallError, Client};
use serde_json::{Value, json};

use super::model::{Own, Part, State, Transaction};
use super::random::Random;
use crate::run::Failure;

/// The table's name.
pub const TABLE: &str = "crash";
/// The index that holds whole items.
pub const BY_OWNER: &str = "by_owner";
/// The sparse index that holds some attributes.
pub const BY_STATUS: &str = "by_status";
/// What `by_status` projects, keys included.
pub const BY_STATUS_ATTRIBUTES: &[&str] = &["pk", "status", "version", "checksum"];
/// How many accounts the transactions share: few, so that they meet.
pub const ACCOUNTS: u64 = 12;
/// How many counters all workers share.
pub const COUNTERS: u64 = 3;
/// How many keys each worker has to itself.
const OWN_KEYS: u64 = 40;

/// An account's partition key.
pub fn account_key(account: u64) -> String {
    format!("account#{account}")
}

/// A counter's partition key.
pub fn counter_key(counter: u64) -> String {
    format!("counter#{counter}")
}

/// Creates the table and waits until it and both indexes are active.
///
/// # Errors
/// When it cannot be created.
pub fn create_table(client: &mut Client) -> Result<(), Failure> {
    let index = |name: &str, attribute: &str, projection: Value| json!({ "IndexName": name, "KeySchema": [{ "AttributeName": attribute, "KeyType": "HASH" }], "Projection": projection });
    let definition = |name: &str| json!({ "AttributeName": name, "AttributeType": "S" });
    let request = json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [definition("pk"), definition("owner"), definition("status")],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        "GlobalSecondaryIndexes": [
            index(BY_OWNER, "owner", json!({ "ProjectionType": "ALL" })),
            index(BY_STATUS, "status", json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": ["version", "checksum"] })),
        ],
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" },
    });
    client.call("CreateTable", &request).map_err(|error| refused("CreateTable", &error))?;
    for _ in 0..500 {
        let answer = client
            .call("DescribeTable", &json!({ "TableName": TABLE }))
            .map_err(|error| refused("DescribeTable", &error))?;
        if answer["Table"]["TableStatus"] == "ACTIVE" {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(Failure::new("the table was not active after 10 seconds"))
}

/// Writes the shared items.
///
/// # Errors
/// When a write is refused.
pub fn load(client: &mut Client) -> Result<(), Failure> {
    for key in (0..ACCOUNTS).map(account_key).chain((0..COUNTERS).map(counter_key)) {
        let item = json!({ "pk": { "S": key }, "owner": { "S": "shared" }, "balance": number(0), "version": number(0) });
        let request = json!({ "TableName": TABLE, "Item": item });
        client.call("PutItem", &request).map_err(|error| refused("PutItem", &error))?;
    }
    Ok(())
}

/// One connection that writes until the server dies.
pub struct Worker {
    id: u32,
    round: u32,
    client: Client,
    random: Random,
    part: Part,
    operations: u64,
}

/// How an operation ended.
enum Done {
    Answered,
    /// The connection broke: whether the server acted is unknown.
    Broken(CallError),
}

impl Worker {
    /// A worker that knows what it did in earlier rounds.
    pub fn new(id: u32, round: u32, client: Client, random: Random, part: Part) -> Worker {
        Worker { id, round, client, random, part, operations: 0 }
    }

    /// Works until the connection breaks, and gives back what it knows.
    ///
    /// # Errors
    /// When the server answers wrongly, or the connection breaks before `over` was said.
    pub fn run_until_broken(mut self, over: &AtomicBool) -> Result<Part, Failure> {
        loop {
            self.operations += 1;
            if let Done::Broken(error) = self.one_operation()? {
                return if over.load(Ordering::SeqCst) {
                    Ok(self.part)
                } else {
                    Err(Failure::new(format!("a connection broke while the server ran: {error}")))
                };
            }
        }
    }

    fn one_operation(&mut self) -> Result<Done, Failure> {
        match self.random.below(100) {
            0..30 => self.put(),
            30..50 => self.update(true),
            50..55 => self.update(false),
            55..60 => self.delete(),
            60..70 => self.raise_counter(),
            70..95 => self.transact(),
            _ => self.read(),
        }
    }

    fn put(&mut self) -> Result<Done, Failure> {
        let key = self.own_key();
        let item = self.new_item(&key);
        self.write_own(&key, Some(item.clone()), "PutItem", &json!({ "TableName": TABLE, "Item": item }))
    }

    /// An update of every attribute, with a condition on the version that is or is not there.
    fn update(&mut self, fitting: bool) -> Result<Done, Failure> {
        let key = self.own_key();
        let Some(old) = self.own(&key).acknowledged.clone() else { return self.put() };
        let item = self.new_item(&key);
        let mut sets =
            "SET version = :version, payload = :payload, checksum = :checksum, #o = :owner".to_owned();
        let mut values = json!({
            ":version": item["version"], ":payload": item["payload"], ":checksum": item["checksum"],
            ":owner": item["owner"], ":seen": if fitting { old["version"].clone() } else { number(-1) },
        });
        match item.get("status") {
            Some(status) => {
                sets.push_str(", #s = :status");
                values[":status"] = status.clone();
            }
            None => sets.push_str(" REMOVE #s"),
        }
        let request = json!({
            "TableName": TABLE, "Key": { "pk": { "S": key } }, "UpdateExpression": sets,
            "ConditionExpression": "version = :seen",
            "ExpressionAttributeNames": { "#s": "status", "#o": "owner" }, "ExpressionAttributeValues": values,
        });
        if fitting {
            return self.write_own(&key, Some(item), "UpdateItem", &request);
        }
        match self.client.call("UpdateItem", &request) {
            Err(error) if error.is("ConditionalCheckFailedException") => Ok(Done::Answered),
            Err(error @ CallError::Broken(_)) => Ok(Done::Broken(error)),
            Err(error) => Err(refused("UpdateItem", &error)),
            Ok(_) => {
                Err(Failure::new(format!("{key}: an update was accepted although its condition is false")))
            }
        }
    }

    fn delete(&mut self) -> Result<Done, Failure> {
        let key = self.own_key();
        self.write_own(
            &key,
            None,
            "DeleteItem",
            &json!({ "TableName": TABLE, "Key": { "pk": { "S": key } } }),
        )
    }

    fn read(&mut self) -> Result<Done, Failure> {
        let key = self.own_key();
        let request = json!({ "TableName": TABLE, "Key": { "pk": { "S": key } }, "ConsistentRead": true });
        match self.client.call("GetItem", &request) {
            Ok(answer) if answer.get("Item") == self.own(&key).acknowledged.as_ref() => Ok(Done::Answered),
            Ok(answer) => Err(Failure::new(format!(
                "{key}: read {answer}, but {:?} was acknowledged",
                self.own(&key).acknowledged
            ))),
            Err(error @ CallError::Broken(_)) => Ok(Done::Broken(error)),
            Err(error) => Err(refused("GetItem", &error)),
        }
    }

    fn raise_counter(&mut self) -> Result<Done, Failure> {
        let counter = self.random.below(COUNTERS);
        let request = json!({
            "TableName": TABLE, "Key": { "pk": { "S": counter_key(counter) } },
            "UpdateExpression": "ADD version :one", "ConditionExpression": "attribute_exists(pk)",
            "ExpressionAttributeValues": { ":one": number(1) },
        });
        let answer = self.client.call("UpdateItem", &request);
        let raised = self.part.raised.entry(counter).or_default();
        match answer {
            Ok(_) => {
                raised.low += 1;
                raised.high += 1;
                self.part.acknowledged_writes += 1;
                Ok(Done::Answered)
            }
            Err(error @ CallError::Broken(_)) => {
                raised.high += 1;
                self.part.unanswered_writes += 1;
                Ok(Done::Broken(error))
            }
            Err(error) => Err(refused("UpdateItem", &error)),
        }
    }

    /// Moves amounts between accounts, with a journal item that says so: 2 to 4 items in all.
    fn transact(&mut self) -> Result<Done, Failure> {
        let count = 1 + self.random.below(3);
        let first = self.random.below(ACCOUNTS);
        let deltas: Vec<(u64, i64)> =
            (0..count).map(|step| ((first + step) % ACCOUNTS, self.random.below(200) as i64 - 100)).collect();
        let key = format!("journal#{}#{}#{}", self.id, self.round, self.operations);
        let journal = json!({
            "pk": { "S": key }, "owner": { "S": format!("worker#{}", self.id) }, "status": { "S": "journal" },
            "version": number(0), "checksum": { "S": format!("{deltas:?}") },
        });
        let updates = deltas.iter().map(|(account, delta)| {
            json!({ "Update": {
                "TableName": TABLE, "Key": { "pk": { "S": account_key(*account) } },
                "UpdateExpression": "SET balance = balance + :delta, version = version + :one",
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeValues": { ":delta": number(*delta), ":one": number(1) },
            }})
        });
        let put = json!({ "Put": {
            "TableName": TABLE, "Item": journal, "ConditionExpression": "attribute_not_exists(pk)",
        }});
        let request = json!({ "TransactItems": updates.chain([put]).collect::<Vec<_>>() });
        let (committed, done) = match self.client.call("TransactWriteItems", &request) {
            Ok(_) => (Some(true), Done::Answered),
            Err(error) if only_conflicts(&error) => (Some(false), Done::Answered),
            Err(error @ CallError::Broken(_)) => (None, Done::Broken(error)),
            Err(error) => return Err(refused("TransactWriteItems", &error)),
        };
        self.part.acknowledged_writes += u64::from(committed == Some(true));
        self.part.unanswered_writes += u64::from(committed.is_none());
        self.part.transactions.insert(key, Transaction { deltas, committed });
        Ok(done)
    }

    /// Sends a write that gives a key of our own this state, and remembers the answer.
    fn write_own(
        &mut self,
        key: &str,
        state: State,
        operation: &str,
        request: &Value,
    ) -> Result<Done, Failure> {
        let answer = self.client.call(operation, request);
        let own = self.part.own.entry(key.to_owned()).or_default();
        match answer {
            Ok(_) => {
                *own = Own { acknowledged: state, under_way: None };
                self.part.acknowledged_writes += 1;
                Ok(Done::Answered)
            }
            Err(error @ CallError::Broken(_)) => {
                own.under_way = Some(state);
                self.part.unanswered_writes += 1;
                Ok(Done::Broken(error))
            }
            Err(error) => Err(refused(operation, &error)),
        }
    }

    fn own(&mut self, key: &str) -> &mut Own {
        self.part.own.entry(key.to_owned()).or_default()
    }

    fn own_key(&mut self) -> String {
        format!("own#{}#{}", self.id, self.random.below(OWN_KEYS))
    }

    /// A new item whose checksum covers its parts. One in four is in no status (and so not in the
    /// sparse index); one in fifty is large.
    fn new_item(&mut self, key: &str) -> Value {
        let version = i64::from(self.round) * 1_000_000 + self.operations as i64;
        let length = if self.random.below(50) == 0 { 30_000 } else { self.random.below(900) };
        let payload: String = (0..length).map(|_| char::from(b'a' + self.random.below(26) as u8)).collect();
        let checksum = format!("{:016x}", fingerprint(key, version, &payload));
        let mut item = json!({
            "pk": { "S": key }, "owner": { "S": format!("owner#{}", self.random.below(7)) },
            "version": number(version), "payload": { "S": payload }, "checksum": { "S": checksum },
        });
        let status = ["open", "paid", "sent"].get(self.random.below(4) as usize);
        if let Some(status) = status {
            item["status"] = json!({ "S": status });
        }
        item
    }
}

/// True for a cancelled transaction whose only reason is that it met another.
fn only_conflicts(error: &CallError) -> bool {
    let CallError::Refused { body, .. } = error else { return false };
    let reasons = body["CancellationReasons"].as_array().map(Vec::as_slice).unwrap_or_default();
    error.is("TransactionCanceledException")
        && reasons.iter().any(|reason| reason["Code"] == "TransactionConflict")
        && reasons.iter().all(|reason| reason["Code"] == "TransactionConflict" || reason["Code"] == "None")
}

fn number(value: i64) -> Value {
    json!({ "N": value.to_string() })
}

/// FNV-1a over the parts of an item.
fn fingerprint(key: &str, version: i64, payload: &str) -> u64 {
    let bytes = key.bytes().chain(version.to_be_bytes()).chain(payload.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn refused(operation: &str, error: &CallError) -> Failure {
    Failure::new(format!("{operation} went wrong: {error}"))
}
