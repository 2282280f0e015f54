//! `dyno design new`.

use std::process::ExitCode;

use dynamometer_design::infer::{LiveTable, infer};
use dynamometer_design::starters::Starter;
use serde_json::{Value, json};

use super::{Done, NewArgs};
use crate::client::{self, Client, ClientArgs, Service};
use crate::files::why_not_written;
use crate::problem::Problem;

/// Prints or writes a design to begin with.
pub(super) fn new(args: &NewArgs) -> Done {
    let text = match &args.from_endpoint {
        Some(url) => from_endpoint(url, args.sample)?,
        None if args.two_table => Starter::TwoTable.text().to_owned(),
        None => Starter::SingleTable.text().to_owned(),
    };
    let Some(file) = &args.file else { return Ok((text, ExitCode::SUCCESS)) };
    let shown = file.display();
    if file.exists() {
        let problem = Problem::wrong(format!("{shown} is there already"));
        return Err(problem.hint("name another file, or take that one away"));
    }
    std::fs::write(file, text).map_err(|error| {
        Problem::failed(format!("{shown} cannot be written: {}", why_not_written(&error)))
    })?;
    eprintln!("wrote {shown}");
    eprintln!("next: dyno design check {shown}");
    Ok((String::new(), ExitCode::SUCCESS))
}

/// A design from the tables of a server.
fn from_endpoint(url: &str, sample: usize) -> Result<String, Problem> {
    let client = Client::new(&ClientArgs::of(url))?;
    let tables = client::run(live_tables(&client, sample))?;
    if tables.is_empty() {
        return Err(Problem::failed(format!("there are no tables at {url}"))
            .hint("dyno design new --single-table begins without any"));
    }
    Ok(infer(&tables, url))
}

async fn live_tables(client: &Client, sample: usize) -> Result<Vec<LiveTable>, Problem> {
    let mut tables = Vec::new();
    for name in table_names(client).await? {
        let description = call(client, "DescribeTable", &json!({ "TableName": name })).await?["Table"].take();
        let (items, is_all) = sampled(client, &name, sample).await?;
        tables.push(LiveTable { description, ttl: time_to_live(client, &name).await, items, is_all });
    }
    Ok(tables)
}

async fn call(client: &Client, operation: &str, request: &Value) -> Result<Value, Problem> {
    let answer = client.call(Service::DynamoDb, operation, request).await;
    answer.map_err(|error| client.problem(operation, &error))
}

async fn table_names(client: &Client) -> Result<Vec<String>, Problem> {
    let (mut names, mut start) = (Vec::new(), Value::Null);
    loop {
        let request = match &start {
            Value::Null => json!({}),
            start => json!({ "ExclusiveStartTableName": start }),
        };
        let mut answer = call(client, "ListTables", &request).await?;
        let page = answer["TableNames"].as_array().into_iter().flatten();
        names.extend(page.filter_map(|name| name.as_str().map(str::to_owned)));
        start = answer["LastEvaluatedTableName"].take();
        if start.is_null() {
            return Ok(names);
        }
    }
}

/// The first items of a scan, and whether these are all.
async fn sampled(client: &Client, table: &str, sample: usize) -> Result<(Vec<Value>, bool), Problem> {
    let (mut items, mut start) = (Vec::new(), Value::Null);
    while items.len() < sample {
        let mut request = json!({ "TableName": table, "Limit": sample - items.len() });
        if !start.is_null() {
            request["ExclusiveStartKey"] = start;
        }
        let mut answer = call(client, "Scan", &request).await?;
        items.extend(answer["Items"].as_array().into_iter().flatten().cloned());
        start = answer["LastEvaluatedKey"].take();
        if start.is_null() {
            return Ok((items, true));
        }
    }
    Ok((items, false))
}

/// The attribute of time to live, where the server knows of it.
async fn time_to_live(client: &Client, table: &str) -> Option<String> {
    let answer = call(client, "DescribeTimeToLive", &json!({ "TableName": table })).await.ok()?;
    let description = &answer["TimeToLiveDescription"];
    let is_on = description["TimeToLiveStatus"].as_str().is_some_and(|status| status.starts_with("ENABL"));
    description["AttributeName"].as_str().filter(|_| is_on).map(str::to_owned)
}
