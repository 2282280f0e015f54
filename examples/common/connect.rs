//! A DynamoDB client from the environment, for the Rust examples: `AWS_ENDPOINT_URL_DYNAMODB` (a running `dyno`; AWS when it
//! is not set), `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`.
//!
//! An application takes the crate `aws-config` instead: `Client::new(&aws_config::load_from_env().await)` reads all this and
//! profiles, roles and instance metadata too.

use std::env;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

/// A client.
pub fn connect() -> Client {
    let or_local = |name: &str| env::var(name).unwrap_or_else(|_| "local".to_owned());
    let credentials = Credentials::new(
        or_local("AWS_ACCESS_KEY_ID"),
        or_local("AWS_SECRET_ACCESS_KEY"),
        env::var("AWS_SESSION_TOKEN").ok(),
        None,
        "environment",
    );
    let region = env::var("AWS_REGION").unwrap_or_else(|_| "us-east-1".to_owned());
    let https = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let mut config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region))
        .credentials_provider(credentials)
        .http_client(https);
    if let Ok(endpoint) = env::var("AWS_ENDPOINT_URL_DYNAMODB") {
        config = config.endpoint_url(endpoint);
    }
    Client::from_conf(config.build())
}

/// What the tables' names begin with.
pub fn prefix() -> String {
    env::var("PREFIX").unwrap_or_else(|_| "my-app".to_owned())
}
