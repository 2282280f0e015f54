//! Short ways to write requests.

use dynamometer_engine::api::*;
use dynamometer_types::{AttributeValue, Item};

/// An item from its attributes.
pub fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.into_iter().collect()
}

/// `:name` placeholders with their values.
pub fn values<const N: usize>(values: [(&str, AttributeValue); N]) -> Option<Values> {
    Some(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn key_schema(partition: &[&str], sort: &[&str]) -> Option<Vec<KeySchemaElement>> {
    let element = |name: &&str, role: KeyType| KeySchemaElement {
        attribute_name: Some(name.to_string()),
        key_type: Some(Given::Known(role)),
    };
    let partition = partition.iter().map(|name| element(name, KeyType::Hash));
    Some(partition.chain(sort.iter().map(|name| element(name, KeyType::Range))).collect())
}

/// Definitions such as `"pk S"`.
pub fn definitions(definitions: &[String]) -> Option<Vec<AttributeDefinition>> {
    let one = |definition: &String| {
        let (name, kind) = definition.split_once(' ').unwrap();
        AttributeDefinition {
            attribute_name: Some(name.to_owned()),
            attribute_type: Some(ScalarAttributeType::read(kind)),
        }
    };
    Some(definitions.iter().map(one).collect())
}

/// An on-demand table without indexes.
pub fn create_table(name: &str, key: (&[&str], &[&str]), defined: &[String]) -> CreateTableRequest {
    CreateTableRequest {
        table_name: Some(name.to_owned()),
        key_schema: key_schema(key.0, key.1),
        attribute_definitions: definitions(defined),
        billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
        ..Default::default()
    }
}

/// `ALL`, `KEYS_ONLY`, or the attributes of `INCLUDE`.
pub fn projection(text: &str) -> Option<Projection> {
    let (kind, names) = match text {
        "ALL" => (ProjectionType::All, None),
        "KEYS_ONLY" => (ProjectionType::KeysOnly, None),
        names => (ProjectionType::Include, Some(names.split(' ').map(str::to_owned).collect())),
    };
    Some(Projection { projection_type: Some(Given::Known(kind)), non_key_attributes: names })
}

pub fn global_index(name: &str, key: (&[&str], &[&str]), projected: &str) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: Some(name.to_owned()),
        key_schema: key_schema(key.0, key.1),
        projection: projection(projected),
        ..Default::default()
    }
}

pub fn local_index(name: &str, key: (&[&str], &[&str]), projected: &str) -> LocalSecondaryIndex {
    LocalSecondaryIndex {
        index_name: Some(name.to_owned()),
        key_schema: key_schema(key.0, key.1),
        projection: projection(projected),
    }
}

/// UpdateTable that adds an index.
pub fn add_index(table: &str, index: GlobalSecondaryIndex, defined: &[String]) -> UpdateTableRequest {
    UpdateTableRequest {
        table_name: Some(table.to_owned()),
        attribute_definitions: definitions(defined),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            create: Some(index),
            ..Default::default()
        }]),
        ..Default::default()
    }
}

/// UpdateTable that removes an index.
pub fn remove_index(table: &str, index: &str) -> UpdateTableRequest {
    let delete = DeleteGlobalSecondaryIndexAction { index_name: Some(index.to_owned()) };
    UpdateTableRequest {
        table_name: Some(table.to_owned()),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            delete: Some(delete),
            ..Default::default()
        }]),
        ..Default::default()
    }
}

pub fn put(table: &str, item: Item) -> PutItemRequest {
    PutItemRequest { table_name: Some(table.to_owned()), item: Some(item), ..Default::default() }
}

pub fn put_if(table: &str, item: Item, condition: &str, values: Option<Values>) -> PutItemRequest {
    PutItemRequest {
        condition_expression: Some(condition.to_owned()),
        expression_attribute_values: values,
        ..put(table, item)
    }
}

pub fn update(table: &str, key: Item, expression: &str, values: Option<Values>) -> UpdateItemRequest {
    UpdateItemRequest {
        table_name: Some(table.to_owned()),
        key: Some(key),
        update_expression: Some(expression.to_owned()),
        expression_attribute_values: values,
        ..Default::default()
    }
}

pub fn delete(table: &str, key: Item) -> DeleteItemRequest {
    DeleteItemRequest { table_name: Some(table.to_owned()), key: Some(key), ..Default::default() }
}

/// The actions of transactions, each as an element of the list.
pub mod action {
    use super::*;

    pub fn put(table: &str, item: Item) -> TransactWriteItem {
        let action =
            TransactAction { table_name: Some(table.to_owned()), item: Some(item), ..Default::default() };
        TransactWriteItem { put: Some(action), ..Default::default() }
    }

    pub fn update(
        table: &str,
        key: Item,
        expression: &str,
        condition: Option<&str>,
        values: Option<Values>,
    ) -> TransactWriteItem {
        let action = TransactAction {
            table_name: Some(table.to_owned()),
            key: Some(key),
            update_expression: Some(expression.to_owned()),
            condition_expression: condition.map(str::to_owned),
            expression_attribute_values: values,
            ..Default::default()
        };
        TransactWriteItem { update: Some(action), ..Default::default() }
    }
}

pub fn transaction(actions: Vec<TransactWriteItem>, token: Option<&str>) -> TransactWriteItemsRequest {
    TransactWriteItemsRequest {
        transact_items: Some(actions),
        client_request_token: token.map(str::to_owned),
        ..Default::default()
    }
}

pub fn transact_get(table: &str, keys: impl IntoIterator<Item = Item>) -> TransactGetItemsRequest {
    let get = |key: Item| TransactGetItem {
        get: Some(TransactGet { key: Some(key), table_name: Some(table.to_owned()), ..Default::default() }),
    };
    TransactGetItemsRequest {
        transact_items: Some(keys.into_iter().map(get).collect()),
        ..Default::default()
    }
}

pub fn scan(table: &str, index: Option<&str>) -> ScanRequest {
    ScanRequest {
        table_name: Some(table.to_owned()),
        index_name: index.map(str::to_owned),
        ..Default::default()
    }
}
