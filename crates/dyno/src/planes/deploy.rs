//! Makes one of the two tables, or makes sure that it is as it should be.

use std::time::{Duration, Instant};

use dynamometer_planes::schema::{Protection, Table, create_table_request};
use serde_json::{Value, json};

use crate::fetch::{Endpoint, FetchError};
use crate::problem::Problem;

/// How long a new table may take to become active.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A table that is there now.
pub(super) struct Deployed {
    pub(super) name: String,
    pub(super) arn: String,
    pub(super) is_new: bool,
}

/// Makes the table unless it is there, and turns its expiry on.
///
/// # Errors
/// When the server refuses, or a table of the name is another: it is left as it is.
pub(super) fn deploy(
    endpoint: &Endpoint,
    table: &Table,
    prefix: &str,
    protection: Protection,
) -> Result<Deployed, Problem> {
    let name = table.full_name(prefix);
    let wanted = create_table_request(table, prefix, protection);
    let is_new = !is_there(endpoint, &name)?;
    if is_new {
        endpoint.call("CreateTable", &wanted).map_err(|error| refused(&name, error))?;
    }
    let described = when_active(endpoint, &name)?;
    let differences = differences(&wanted, &described);
    if !differences.is_empty() {
        return Err(Problem::failed(format!("{name} is another table: {}", differences.join("; "))).hint(
            "nothing was changed; choose another --prefix, or change the table as the template has it",
        ));
    }
    if let Some(attribute) = table.ttl {
        turn_expiry_on(endpoint, &name, attribute)?;
    }
    let arn = described["TableArn"].as_str().unwrap_or_default().to_owned();
    Ok(Deployed { name, arn, is_new })
}

fn when_active(endpoint: &Endpoint, name: &str) -> Result<Value, Problem> {
    let began = Instant::now();
    loop {
        let answer = endpoint
            .call("DescribeTable", &json!({ "TableName": name }))
            .map_err(|error| refused(name, error))?;
        if answer["Table"]["TableStatus"] == "ACTIVE" {
            return Ok(answer["Table"].clone());
        }
        if began.elapsed() > PATIENCE {
            return Err(Problem::failed(format!("{name} is still {}", answer["Table"]["TableStatus"]))
                .hint("run the same command again later"));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// What keeps a table from being the one that is wanted. Throughput, protection and tags are its owner's.
fn differences(wanted: &Value, found: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    if wanted["KeySchema"] != found["KeySchema"] {
        differences.push("its keys are others".to_owned());
    }
    let indexes = |table: &Value| table["GlobalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
    let found_indexes = indexes(found);
    for index in indexes(wanted) {
        let name = index["IndexName"].as_str().unwrap_or_default();
        match found_indexes.iter().find(|found| found["IndexName"] == index["IndexName"]) {
            None => differences.push(format!("it has no {name}")),
            Some(found) if found["KeySchema"] != index["KeySchema"] => {
                differences.push(format!("the keys of {name} are others"));
            }
            Some(found) if found["Projection"] != index["Projection"] => {
                differences.push(format!("the projection of {name} is another"));
            }
            Some(_) => {}
        }
    }
    differences
}

fn turn_expiry_on(endpoint: &Endpoint, name: &str, attribute: &str) -> Result<(), Problem> {
    let described = endpoint
        .call("DescribeTimeToLive", &json!({ "TableName": name }))
        .map_err(|error| refused(name, error))?;
    if described["TimeToLiveDescription"]["AttributeName"] == attribute {
        return Ok(());
    }
    let request = json!({
        "TableName": name,
        "TimeToLiveSpecification": { "AttributeName": attribute, "Enabled": true },
    });
    endpoint.call("UpdateTimeToLive", &request).map(drop).map_err(|error| refused(name, error))
}

fn is_there(endpoint: &Endpoint, name: &str) -> Result<bool, Problem> {
    let mut request = json!({});
    loop {
        let answer = endpoint.call("ListTables", &request).map_err(|error| refused(name, error))?;
        if answer["TableNames"].as_array().is_some_and(|names| names.iter().any(|listed| listed == name)) {
            return Ok(true);
        }
        match &answer["LastEvaluatedTableName"] {
            Value::Null => return Ok(false),
            last => request = json!({ "ExclusiveStartTableName": last }),
        }
    }
}

fn refused(name: &str, error: FetchError) -> Problem {
    let problem = Problem::failed(format!("{name}: {}", error.sentence));
    match error.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use dynamometer_planes::schema::{CONTROL_PLANE, DATA_PLANE};

    use super::*;

    #[test]
    fn another_table_of_the_name_is_told_from_the_right_one() {
        let wanted = create_table_request(&CONTROL_PLANE, "my-app", Protection::Production);
        assert_eq!(differences(&wanted, &wanted), [""; 0]);
        let other = create_table_request(&DATA_PLANE, "my-app", Protection::Production);
        assert_eq!(differences(&wanted, &other).len(), 4, "its keys and its three indexes");
        let mut narrower = wanted.clone();
        narrower["GlobalSecondaryIndexes"][1]["Projection"] = json!({ "ProjectionType": "KEYS_ONLY" });
        assert_eq!(differences(&wanted, &narrower), ["the projection of index_entity_search is another"]);
    }
}
