//! `--fixtures`: tables and items that are there when the server starts.
//!
//! A file holds JSON: one request or a list of them. An object with `KeySchema` is a CreateTable request, one with
//! `RequestItems` (or with table names that hold lists of `PutRequest`, as `aws dynamodb batch-write-item` takes them)
//! is a BatchWriteItem request. A table that is there already stays as it is, so that a durable server can be started
//! again with the same fixtures.

use std::path::{Path, PathBuf};

use dynamometer_server::service::Api;

use crate::problem::Problem;

/// Loads the files in their order.
pub async fn load(api: &Api, files: &[PathBuf]) -> Result<(), Problem> {
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| problem(file, e))?;
        let content: serde_json::Value = serde_json::from_str(&text).map_err(|e| problem(file, e))?;
        let requests = match content {
            serde_json::Value::Array(requests) => requests,
            one => vec![one],
        };
        for (at, request) in requests.iter().enumerate() {
            load_one(api, request).await.map_err(|e| problem(file, format!("request {}: {e}", at + 1)))?;
        }
    }
    Ok(())
}

async fn load_one(api: &Api, request: &serde_json::Value) -> Result<(), String> {
    let Some(members) = request.as_object() else {
        return Err("expected an object: a CreateTable or a BatchWriteItem request".into());
    };
    if members.contains_key("KeySchema") {
        return match api.answer_local("CreateTable", request.to_string()).await {
            Err(error) if error.contains("ResourceInUseException") => Ok(()),
            answer => answer.map(drop),
        };
    }
    let items = members.get("RequestItems").unwrap_or(request);
    let Some(tables) = items.as_object().filter(|tables| tables.values().all(serde_json::Value::is_array))
    else {
        return Err(
            "expected `KeySchema` (a CreateTable request) or `RequestItems` (a BatchWriteItem request)"
                .into(),
        );
    };
    for (table, writes) in tables {
        for writes in writes.as_array().into_iter().flat_map(|writes| writes.chunks(25)) {
            let batch = serde_json::json!({ "RequestItems": { table: writes } });
            api.answer_local("BatchWriteItem", batch.to_string()).await?;
        }
    }
    Ok(())
}

fn problem(file: &Path, what: impl std::fmt::Display) -> Problem {
    Problem::wrong(format!("{}: {what}", file.display()))
}
