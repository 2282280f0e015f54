//! How the tests reach the server, and shapes that several use.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    Projection, ProjectionType, ScalarAttributeType,
};
use aws_smithy_http_client::Builder;

/// An item in DynamoDB's own types.
pub type Item = HashMap<String, AttributeValue>;

/// A client of the server at `DYNO_ENDPOINT`, without retries: an answer that a retry would hide
/// fails its test.
pub fn client() -> Client {
    let endpoint = std::env::var("DYNO_ENDPOINT")
        .expect("DYNO_ENDPOINT must name a running server; run these tests with `cargo xtask e2e`");
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("e2e", "e2e", None, None, "e2e"))
        .endpoint_url(endpoint)
        .retry_config(RetryConfig::disabled())
        .http_client(Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

/// Creates a table with the keys `pk` (S) and `sk` (N) and the index `by_colour`, and waits for it.
pub async fn create_table(client: &Client, name: &str) {
    let definition = |name: &str, kind| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().expect("complete")
    };
    let key = |name: &str, kind| {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("complete")
    };
    let index = GlobalSecondaryIndex::builder()
        .index_name("by_colour")
        .key_schema(key("colour", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .expect("complete");
    client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(definition("pk", ScalarAttributeType::S))
        .attribute_definitions(definition("sk", ScalarAttributeType::N))
        .attribute_definitions(definition("colour", ScalarAttributeType::S))
        .key_schema(key("pk", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .global_secondary_indexes(index)
        .send()
        .await
        .unwrap_or_else(|error| panic!("CreateTable: {}", DisplayErrorContext(error)));
    client
        .wait_until_table_exists()
        .table_name(name)
        .wait(Duration::from_secs(30))
        .await
        .unwrap_or_else(|error| panic!("waiting for {name}: {error}"));
}

/// A string value.
pub fn s(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// A number value.
pub fn n(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// The key of an item.
pub fn key(pk: &str, sk: i64) -> Item {
    HashMap::from([("pk".to_owned(), s(pk)), ("sk".to_owned(), n(sk))])
}

/// An item: its key and more.
pub fn item(pk: &str, sk: i64, more: &[(&str, AttributeValue)]) -> Item {
    let mut item = key(pk, sk);
    item.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    item
}

/// An error's type and message.
pub fn refusal<E, R>(error: &SdkError<E, R>) -> (&str, &str)
where
    E: ProvideErrorMetadata,
{
    (error.code().unwrap_or_default(), error.message().unwrap_or_default())
}
