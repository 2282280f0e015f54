//! Batches: 25 writes or 100 reads to a request, and again what DynamoDB leaves undone.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::{KeysAndAttributes, PutRequest, WriteRequest};

use super::data::event_item_key;
use super::error::{Error, is_throttling};
use super::keys::EventKey;
use super::planes::Inner;
use super::row::{Row, SdkItem, item_to_sdk, names};
use super::write::{Write, incomplete};
use crate::schema::DATA_PLANE;

/// The most writes of a BatchWriteItem.
const MOST_WRITES: usize = 25;
/// The most reads of a BatchGetItem.
const MOST_READS: usize = 100;
/// The most bytes of a BatchWriteItem, less what JSON adds to strings with many escapes.
const MOST_BYTES: u64 = 8 << 20;

/// Two writes of one item are refused by DynamoDB, without saying which.
///
/// # Errors
/// [`Error::AlreadyExists`], naming the second.
pub(crate) fn refuse_repeats(keys: &[EventKey]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match keys.iter().find(|key| !seen.insert(*key)) {
        Some(twice) => Err(Error::AlreadyExists { key: twice.to_string() }),
        None => Ok(()),
    }
}

impl Inner {
    /// Makes the puts of the data plane, without their conditions. Answers the keys of those that were left unprocessed when
    /// patience ran out, and of those that came after them.
    ///
    /// # Errors
    /// What DynamoDB or the blob store says.
    pub(crate) async fn write_batch(&self, writes: Vec<Write>) -> Result<Vec<String>, Error> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        let mut rest = writes.into_iter().peekable();
        while let Some(mut write) = rest.next() {
            self.move_large_value(&mut write).await?;
            bytes += write.item_bytes();
            chunk.push(put_request(write)?);
            let is_full = match rest.peek() {
                Some(next) => chunk.len() == MOST_WRITES || bytes + next.item_bytes() > MOST_BYTES,
                None => true,
            };
            if is_full {
                let mut left = self.write_chunk(std::mem::take(&mut chunk)).await?;
                if !left.is_empty() {
                    left.extend(rest.map(|write| write.named()));
                    return Ok(left);
                }
                bytes = 0;
            }
        }
        Ok(Vec::new())
    }

    /// One request's worth. Answers the keys of what was left unprocessed when patience ran out.
    async fn write_chunk(&self, mut requests: Vec<WriteRequest>) -> Result<Vec<String>, Error> {
        let table = self.table_name(&DATA_PLANE);
        let mut tried = 0;
        while !requests.is_empty() {
            if tried > 0 {
                match self.retry.wait(tried, self.runtime.random()) {
                    Some(wait) => self.runtime.sleep(wait).await,
                    None => return Ok(keys_of(&requests)),
                }
            }
            let request = self.client.batch_write_item().request_items(&table, requests.clone());
            match request.send().await {
                Ok(answer) => {
                    let left = answer.unprocessed_items.and_then(|mut tables| tables.remove(&table));
                    requests = left.unwrap_or_default();
                }
                // Not one of them was written.
                Err(error) if is_throttling(&error) => {}
                Err(error) => return Err(Error::aws("BatchWriteItem", error)),
            }
            tried += 1;
        }
        Ok(Vec::new())
    }

    /// Reads events; those that are there, in the order of the keys.
    ///
    /// # Errors
    /// What DynamoDB says; keys that it left unprocessed until patience ran out are an error too.
    pub(crate) async fn read_batch(&self, keys: &[EventKey], consistent: bool) -> Result<Vec<Row>, Error> {
        let mut found: HashMap<String, Row> = HashMap::new();
        let distinct: HashSet<&EventKey> = keys.iter().collect();
        let distinct: Vec<SdkItem> =
            distinct.into_iter().map(|key| item_to_sdk(event_item_key(key))).collect();
        for chunk in distinct.chunks(MOST_READS) {
            for row in self.read_chunk(chunk.to_vec(), consistent).await? {
                found.insert(row.need(names::EVENT_KEY_SHARDED)?.to_owned(), row);
            }
        }
        Ok(keys.iter().filter_map(|key| found.get(key.as_str()).cloned()).collect())
    }

    async fn read_chunk(&self, mut keys: Vec<SdkItem>, consistent: bool) -> Result<Vec<Row>, Error> {
        let table = self.table_name(&DATA_PLANE);
        let (mut rows, mut tried) = (Vec::new(), 0);
        while !keys.is_empty() {
            if tried > 0 {
                match self.retry.wait(tried, self.runtime.random()) {
                    Some(wait) => self.runtime.sleep(wait).await,
                    None => return Err(unread(keys.len())),
                }
            }
            let wanted = KeysAndAttributes::builder()
                .set_keys(Some(keys.clone()))
                .set_consistent_read(consistent.then_some(true))
                .build()
                .map_err(|error| incomplete("BatchGetItem", error))?;
            match self.client.batch_get_item().request_items(&table, wanted).send().await {
                Ok(answer) => {
                    let items = answer.responses.and_then(|mut tables| tables.remove(&table));
                    for item in items.unwrap_or_default() {
                        rows.push(Row::read(item)?);
                    }
                    let left = answer.unprocessed_keys.and_then(|mut tables| tables.remove(&table));
                    keys = left.map(|left| left.keys).unwrap_or_default();
                }
                // Not one of them was read.
                Err(error) if is_throttling(&error) => {}
                Err(error) => return Err(Error::aws("BatchGetItem", error)),
            }
            tried += 1;
        }
        Ok(rows)
    }
}

fn put_request(mut write: Write) -> Result<WriteRequest, Error> {
    let item = write.body().map(std::mem::take).unwrap_or_default();
    let put = PutRequest::builder().set_item(Some(item_to_sdk(item))).build();
    let put = put.map_err(|error| incomplete("BatchWriteItem", error))?;
    Ok(WriteRequest::builder().put_request(put).build())
}

fn keys_of(requests: &[WriteRequest]) -> Vec<String> {
    let key = |request: &WriteRequest| {
        request.put_request()?.item().get(names::EVENT_KEY_SHARDED)?.as_s().ok().cloned()
    };
    requests.iter().filter_map(key).collect()
}

fn unread(count: usize) -> Error {
    let message = format!("{count} keys were left unprocessed until patience ran out");
    Error::Aws { operation: "BatchGetItem", code: None, source: message.clone().into(), message }
}
