//! The table and both its indexes, read whole, and whether they agree.

use std::collections::BTreeMap;

use dynamometer_harness::Client;
use serde_json::{Map, Value, json};

use super::workload::{BY_OWNER, BY_STATUS, BY_STATUS_ATTRIBUTES, TABLE};
use crate::run::Failure;

type Items = BTreeMap<String, Value>;

/// What a server holds.
pub struct Survey {
    table: Items,
    by_owner: Items,
    by_status: Items,
}

/// Reads everything with Scan, page by page.
///
/// # Errors
/// When a page is refused, or a key comes twice.
pub fn read_all(client: &mut Client) -> Result<Survey, Failure> {
    Ok(Survey {
        table: scan(client, None)?,
        by_owner: scan(client, Some(BY_OWNER))?,
        by_status: scan(client, Some(BY_STATUS))?,
    })
}

fn scan(client: &mut Client, index: Option<&str>) -> Result<Items, Failure> {
    let mut items = Items::new();
    let mut request = json!({ "TableName": TABLE });
    match index {
        Some(index) => request["IndexName"] = json!(index),
        None => request["ConsistentRead"] = json!(true),
    }
    let place = index.unwrap_or("the table");
    loop {
        let mut page = client
            .call("Scan", &request)
            .map_err(|error| Failure::new(format!("Scan of {place} was not answered: {error}")))?;
        for item in page["Items"].as_array_mut().map(std::mem::take).unwrap_or_default() {
            let key = item["pk"]["S"].as_str().unwrap_or_default().to_owned();
            if let Some(twice) = items.insert(key, item) {
                return Err(Failure::new(format!("a Scan of {place} gave one key twice: {}", twice["pk"])));
            }
        }
        match page.get("LastEvaluatedKey") {
            Some(last) => request["ExclusiveStartKey"] = last.clone(),
            None => return Ok(items),
        }
    }
}

impl Survey {
    /// The table's item of this key.
    pub fn item(&self, key: &str) -> Option<&Value> {
        self.table.get(key)
    }

    /// The keys of the table's items.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(String::as_str)
    }

    /// A number of an item that must be there.
    ///
    /// # Errors
    /// When the item or the attribute is not there.
    pub fn number(&self, key: &str, attribute: &str) -> Result<i64, Failure> {
        self.item(key)
            .and_then(|item| item[attribute]["N"].as_str()?.parse().ok())
            .ok_or_else(|| Failure::new(format!("{key} has no number {attribute}: {:?}", self.item(key))))
    }

    /// Checks that each index holds exactly the projection of the items that belong to it.
    ///
    /// # Errors
    /// The first entry that is missing, left over or different.
    pub fn indexes_agree(&self) -> Result<(), Failure> {
        let owned = self.table.values().filter(|item| item.get("owner").is_some()).cloned();
        compare(BY_OWNER, &keyed(owned), &self.by_owner)?;
        let with_status = self.table.values().filter(|item| item.get("status").is_some());
        compare(
            BY_STATUS,
            &keyed(with_status.map(|item| project(item, BY_STATUS_ATTRIBUTES))),
            &self.by_status,
        )
    }

    /// A survey of a table whose indexes agree.
    #[cfg(test)]
    pub fn of_items(items: Vec<Value>) -> Survey {
        let table = keyed(items.into_iter());
        let by_status = table.values().filter(|item| item.get("status").is_some());
        let by_status = keyed(by_status.map(|item| project(item, BY_STATUS_ATTRIBUTES)));
        let by_owner = keyed(table.values().filter(|item| item.get("owner").is_some()).cloned());
        Survey { table, by_owner, by_status }
    }
}

fn keyed(items: impl Iterator<Item = Value>) -> Items {
    items.map(|item| (item["pk"]["S"].as_str().unwrap_or_default().to_owned(), item)).collect()
}

fn project(item: &Value, attributes: &[&str]) -> Value {
    let kept = attributes.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone())));
    Value::Object(kept.collect::<Map<_, _>>())
}

fn compare(index: &str, expected: &Items, found: &Items) -> Result<(), Failure> {
    for (key, item) in expected {
        match found.get(key) {
            Some(entry) if entry == item => {}
            Some(entry) => {
                return Err(Failure::new(format!("{index} holds {entry}, but the table's item is {item}")));
            }
            None => return Err(Failure::new(format!("{index} has no entry for {key}: {item}"))),
        }
    }
    match found.iter().find(|(key, _)| !expected.contains_key(*key)) {
        Some((key, entry)) => Err(Failure::new(format!("{index} has a left-over entry for {key}: {entry}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: &str, status: Option<&str>) -> Value {
        let mut item = json!({ "pk": { "S": key }, "owner": { "S": "o" }, "version": { "N": "1" }, "payload": { "S": "x" } });
        if let Some(status) = status {
            item["status"] = json!({ "S": status });
        }
        item
    }

    #[test]
    fn missing_left_over_and_stale_index_entries_are_found() {
        let healthy = || Survey::of_items(vec![item("a", Some("open")), item("b", None)]);
        assert!(healthy().indexes_agree().is_ok());
        let says = |survey: Survey| survey.indexes_agree().unwrap_err().to_string();

        let mut missing = healthy();
        missing.by_status.clear();
        assert!(says(missing).contains("by_status has no entry for a"));

        let mut left_over = healthy();
        left_over.table.remove("b");
        assert!(says(left_over).contains("by_owner has a left-over entry for b"));

        let mut stale = healthy();
        stale.table.insert("a".to_owned(), item("a", Some("closed")));
        assert!(says(stale).contains("by_owner holds"));
    }
}
