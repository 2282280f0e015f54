//! CreateTable requests.

use serde_json::{Value, json};

use super::{Index, Projection, Protection, Table};

/// The body of a CreateTable request for one of the tables. Expiry and point-in-time recovery are not part of it: DynamoDB
/// takes them by requests of their own.
pub fn create_table_request(table: &Table, prefix: &str, protection: Protection) -> Value {
    json!({
        "TableName": table.full_name(prefix),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attribute_definitions(&table.key_attributes()),
        "KeySchema": key_schema(table.partition_key, table.sort_key),
        "GlobalSecondaryIndexes": table.indexes.iter().map(index_request).collect::<Vec<_>>(),
        "DeletionProtectionEnabled": protection == Protection::Production,
    })
}

/// An index as CreateTable and UpdateTable take it.
pub fn index_request(index: &Index) -> Value {
    json!({
        "IndexName": index.name,
        "KeySchema": key_schema(index.partition_key, index.sort_key),
        "Projection": projection(&index.projection),
    })
}

/// The definitions of key attributes, which are strings all.
pub fn attribute_definitions(names: &[&str]) -> Value {
    names.iter().map(|name| json!({ "AttributeName": name, "AttributeType": "S" })).collect()
}

fn key_schema(partition_key: &str, sort_key: &str) -> Value {
    json!([
        { "AttributeName": partition_key, "KeyType": "HASH" },
        { "AttributeName": sort_key, "KeyType": "RANGE" },
    ])
}

fn projection(projection: &Projection) -> Value {
    match projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    }
}
