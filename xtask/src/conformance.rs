//! Runs a public conformance suite that is already checked out, and counts passes per tier.
//!
//! The suite is a Node.js project whose `npx vitest` runs `tests/tierN/…` against the endpoint in
//! `DYNAMODB_ENDPOINT`. Nothing is fetched but the packages of its own lock file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dynamometer_harness::Launch;
use serde_json::Value;

use crate::project::Project;
use crate::run::{Failure, Run};

/// Runs the suite in `directory` and prints its counts and the tests that failed.
///
/// # Errors
/// When the folder holds no such suite, or it could not be run. Failing tests are no error: the
/// counts are the result.
pub fn run(
    project: &Project,
    directory: &Path,
    endpoint: Option<&str>,
    filter: Option<&str>,
) -> Result<(), Failure> {
    if !directory.join("package.json").is_file() || !directory.join("tests/tier1").is_dir() {
        return Err(Failure::new(format!(
            "{} is no conformance suite: it has no package.json with a folder tests/tier1. \
             Check one out and give its folder",
            directory.display()
        )));
    }
    if !directory.join("node_modules").is_dir() {
        Run::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .in_folder(directory)
            .go()?;
    }
    let scratch = project.scratch("conformance")?;
    let report = scratch.join("report.json");
    let _ = std::fs::remove_file(&report);
    let server = match endpoint {
        Some(_) => None,
        None => {
            project.build_release()?;
            let launch = Launch::announcing(project.dyno(), scratch.join("server.log"));
            let started = launch.args(["--port", "0", "--in-memory"]).start();
            Some(started.map_err(|error| Failure::new(error.to_string()))?)
        }
    };
    let endpoint = match (&server, endpoint) {
        (Some(server), _) => server.endpoint(),
        (None, given) => given.unwrap_or_default().to_owned(),
    };
    // The exit status says only whether all passed; the report says how many.
    Run::new("npx")
        .args(["vitest", "run", "--reporter=json"])
        .args([format!("--outputFile={}", absolute(&report).display())])
        .args(filter)
        .in_folder(directory)
        .env("DYNAMODB_ENDPOINT", &endpoint)
        .env("AWS_ACCESS_KEY_ID", "conformance")
        .env("AWS_SECRET_ACCESS_KEY", "conformance")
        .env("AWS_REGION", "us-east-1")
        .minutes(60)
        .status()?;
    let text = std::fs::read_to_string(&report).map_err(|error| {
        Failure::new(format!("the suite left no report at {}: {error}", report.display()))
    })?;
    let results: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("the report is no JSON: {error}")))?;
    print(&count(&results));
    eprintln!("  the whole report: {}", report.display());
    Ok(())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[derive(Default, Debug, PartialEq, Eq)]
struct Tier {
    passed: usize,
    failed: Vec<String>,
    skipped: usize,
}

/// Counts by tier; the tier is in each test file's path.
fn count(results: &Value) -> BTreeMap<String, Tier> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut tiers: BTreeMap<String, Tier> = BTreeMap::new();
    for file in list(&results["testResults"]) {
        let path = file["name"].as_str().unwrap_or_default();
        let short = path.rsplit_once("/tests/").map_or(path, |(_, short)| short);
        let tier = tiers.entry(short.split('/').next().unwrap_or_default().to_owned()).or_default();
        let tests = list(&file["assertionResults"]);
        if tests.is_empty() && file["status"] == "failed" {
            tier.failed.push(format!("{short}: the file could not be run"));
        }
        for test in tests {
            match test["status"].as_str() {
                Some("passed") => tier.passed += 1,
                Some("failed") => tier.failed.push(failure(short, &test)),
                _ => tier.skipped += 1,
            }
        }
    }
    tiers
}

/// A failed test in one line: file, name, and the first line of what went wrong.
fn failure(file: &str, test: &Value) -> String {
    let name = test["fullName"].as_str().unwrap_or_default();
    let why = test["failureMessages"][0].as_str().and_then(|text| text.lines().next()).unwrap_or_default();
    format!("{file}: {name}: {why}")
}

#[allow(clippy::print_stdout, reason = "the counts are this command's output")]
fn print(tiers: &BTreeMap<String, Tier>) {
    for failed in tiers.values().flat_map(|tier| &tier.failed) {
        println!("FAILED {failed}");
    }
    println!("{:<8} {:>7} {:>7} {:>7} {:>8}", "TIER", "PASSED", "FAILED", "SKIPPED", "PASSED");
    for (name, tier) in tiers {
        let all = tier.passed + tier.failed.len() + tier.skipped;
        let percent = 100.0 * tier.passed as f64 / all.max(1) as f64;
        println!("{name:<8} {:>7} {:>7} {:>7} {percent:>7.1}%", tier.passed, tier.failed.len(), tier.skipped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tests_are_counted_by_the_tier_in_their_path() {
        let test =
            |status: &str| json!({ "status": status, "fullName": "a b", "failureMessages": ["no\n at x"] });
        let results = json!({ "testResults": [
            { "name": "/s/tests/tier1/putItem/basic.test.ts", "status": "failed",
              "assertionResults": [test("passed"), test("passed"), test("failed"), test("skipped")] },
            { "name": "/s/tests/tier3/x.test.ts", "status": "failed", "assertionResults": [] },
        ]});
        let tiers = count(&results);
        assert_eq!(
            tiers["tier1"],
            Tier { passed: 2, failed: vec!["tier1/putItem/basic.test.ts: a b: no".to_owned()], skipped: 1 }
        );
        assert_eq!(tiers["tier3"].failed, ["tier3/x.test.ts: the file could not be run"]);
    }
}
