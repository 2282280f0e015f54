//! A consumer of the table's stream, as a program that outlives the server's crashes: it remembers how far it has read
//! each shard, goes on from there, and makes the changes that it reads one after the other on an empty table. Each must
//! fit what it meets, and in the end its table must be the server's.

use std::collections::{BTreeMap, BTreeSet};

use dynamometer_harness::Client;
use serde_json::{Value, json};

use super::survey::Survey;
use super::workload::TABLE;
use crate::run::Failure;

/// What has been read.
#[derive(Default)]
pub struct Consumer {
    stream_arn: String,
    /// The last sequence number of each shard that was begun.
    read: BTreeMap<String, String>,
    items: BTreeMap<String, Value>,
    /// The sequence numbers of all records.
    records: BTreeSet<String>,
}

impl Consumer {
    /// A consumer of the table's stream that has read nothing.
    ///
    /// # Errors
    /// When the table has no stream.
    pub fn of_table(client: &mut Client) -> Result<Consumer, Failure> {
        let answer = client.call("DescribeTable", &json!({ "TableName": TABLE })).map_err(refused)?;
        let stream_arn = text(&answer["Table"]["LatestStreamArn"], "the table's stream")?.to_owned();
        Ok(Consumer { stream_arn, ..Consumer::default() })
    }

    /// Reads all that has come since.
    ///
    /// # Errors
    /// When a call is refused, and for the first record that does not fit.
    pub fn catch_up(&mut self, client: &mut Client) -> Result<(), Failure> {
        for shard in self.shards(client)? {
            self.read_shard(client, &shard)?;
        }
        Ok(())
    }

    /// The sequence numbers of the records that were read.
    pub fn records(&self) -> &BTreeSet<String> {
        &self.records
    }

    /// How many shards were read.
    pub fn begun_shards(&self) -> usize {
        self.read.len()
    }

    /// Compares the table that the changes make with the one that the server has.
    ///
    /// # Errors
    /// The first difference.
    pub fn agrees_with(&self, survey: &Survey) -> Result<(), Failure> {
        for (key, item) in &self.items {
            if survey.item(key) != Some(item) {
                let found = survey.item(key);
                return Err(Failure::new(format!("the stream makes {key} {item}, the table has {found:?}")));
            }
        }
        match survey.keys().find(|key| !self.items.contains_key(*key)) {
            Some(key) => Err(Failure::new(format!("the table has {key}, of which the stream knows nothing"))),
            None => Ok(()),
        }
    }

    /// The ids of the shards: parents come before their children.
    fn shards(&self, client: &mut Client) -> Result<Vec<String>, Failure> {
        let mut shards = Vec::new();
        let mut request = json!({ "StreamArn": self.stream_arn });
        loop {
            let answer = client.call_streams("DescribeStream", &request).map_err(refused)?;
            let page = &answer["StreamDescription"];
            for shard in page["Shards"].as_array().into_iter().flatten() {
                let parent = shard["ParentShardId"].as_str();
                if let Some(late) = parent.filter(|parent| shards.iter().all(|known| known != parent)) {
                    return Err(Failure::new(format!("the parent {late} is not listed before its child")));
                }
                shards.push(text(&shard["ShardId"], "a shard's id")?.to_owned());
            }
            match page["LastEvaluatedShardId"].as_str() {
                Some(last) => request["ExclusiveStartShardId"] = json!(last),
                None => return Ok(shards),
            }
        }
    }

    fn read_shard(&mut self, client: &mut Client, shard: &str) -> Result<(), Failure> {
        let mut request =
            json!({ "StreamArn": self.stream_arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON" });
        if let Some(last) = self.read.get(shard) {
            request["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
            request["SequenceNumber"] = json!(last);
        }
        let answer = client.call_streams("GetShardIterator", &request).map_err(refused)?;
        let mut iterator = Some(text(&answer["ShardIterator"], "an iterator")?.to_owned());
        while let Some(next) = iterator {
            let page =
                client.call_streams("GetRecords", &json!({ "ShardIterator": next })).map_err(refused)?;
            let records = page["Records"].as_array().map(Vec::as_slice).unwrap_or_default();
            for record in records {
                self.apply(shard, record)?;
            }
            iterator = page["NextShardIterator"].as_str().filter(|_| !records.is_empty()).map(str::to_owned);
        }
        Ok(())
    }

    /// Makes the change of a record.
    fn apply(&mut self, shard: &str, record: &Value) -> Result<(), Failure> {
        let change = &record["dynamodb"];
        let number = text(&change["SequenceNumber"], "a sequence number")?;
        if let Some(last) = self.read.insert(shard.to_owned(), number.to_owned())
            && last.as_str() >= number
        {
            return Err(Failure::new(format!("{shard}: {number} comes after {last}")));
        }
        self.records.insert(number.to_owned());
        let key = text(&change["Keys"]["pk"]["S"], "a record's key")?;
        if self.items.get(key) != change.get("OldImage") {
            let known = self.items.get(key);
            return Err(Failure::new(format!(
                "the record {record} meets {known:?}: one before it is missing"
            )));
        }
        match change.get("NewImage") {
            Some(item) => self.items.insert(key.to_owned(), item.clone()),
            None => self.items.remove(key),
        };
        Ok(())
    }
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str, Failure> {
    value.as_str().ok_or_else(|| Failure::new(format!("{what} is missing")))
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("reading the stream went wrong: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: &str, old: Option<i64>, new: Option<i64>) -> Value {
        let image = |n: i64| json!({ "pk": { "S": "a" }, "n": { "N": n.to_string() } });
        let mut change = json!({ "SequenceNumber": number, "Keys": { "pk": { "S": "a" } } });
        if let Some(old) = old {
            change["OldImage"] = image(old);
        }
        if let Some(new) = new {
            change["NewImage"] = image(new);
        }
        json!({ "dynamodb": change })
    }

    #[test]
    fn missing_repeated_and_late_records_are_found() {
        let after = |records: &[Value]| -> Result<Consumer, Failure> {
            let mut consumer = Consumer::default();
            records.iter().try_for_each(|record| consumer.apply("shard", record))?;
            Ok(consumer)
        };
        let (one, two, three) =
            (record("1", None, Some(1)), record("2", Some(1), Some(2)), record("3", Some(2), None));
        let whole = after(&[one.clone(), two.clone(), three.clone()]).unwrap();
        assert!(whole.agrees_with(&Survey::of_items(vec![])).is_ok());
        let says = |records: &[Value]| after(records).map(|_| ()).unwrap_err().to_string();
        assert!(says(&[one.clone(), three]).contains("one before it is missing"));
        assert!(says(&[one.clone(), one.clone()]).contains("comes after"));
        let short = after(&[one]).unwrap();
        assert!(short.agrees_with(&Survey::of_items(vec![])).is_err());
    }
}
