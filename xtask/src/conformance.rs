//! Runs a public conformance suite that is already checked out, and counts passes per tier.
//!
//! Tests that fail for a known reason are listed in `xtask/conformance-expected.txt`; any other failure is one of ours.
//!
//! The suite is a Node.js project whose `npx vitest` runs `tests/tierN/…` against the endpoint in
//! `DYNAMODB_ENDPOINT`. Nothing is fetched but the packages of its own lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use dynamometer_harness::Launch;
use serde_json::Value;

use crate::project::Project;
use crate::run::{Failure, Run};

/// The tests that are expected to fail, by their [`mark`]s, under reasons.
const EXPECTED: &str = include_str!("../conformance-expected.txt");

/// Runs the suite in `directory` and prints its counts and the tests that failed.
///
/// # Errors
/// When the folder holds no such suite, or it could not be run; when a test fails that is not expected to, and when one
/// passes that is expected to fail.
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
    // The exit status says only whether all passed; the report says which.
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
    let tiers = count(&results);
    let expected = expected(EXPECTED)?;
    print(&tiers, &expected);
    eprintln!("  the whole report: {}", report.display());
    judge(&tiers, &expected)
}

/// Reads the list of tests that are expected to fail: lines with `=` are reasons, those with `#` are comments.
///
/// # Errors
/// When a test stands before any reason.
fn expected(list: &str) -> Result<BTreeSet<&str>, Failure> {
    let mut has_reason = false;
    let mut tests = BTreeSet::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('=') {
            has_reason = true;
        } else if has_reason {
            tests.insert(line);
        } else {
            return Err(Failure::new(format!(
                "`{line}` is expected to fail without a reason: write one above it"
            )));
        }
    }
    Ok(tests)
}

/// How a test is listed: its file, and the checksum of its title, whose words are not ours to repeat.
fn mark(test: &str) -> String {
    match test.split_once(": ") {
        Some((file, title)) => format!("{file} {:08x}", crc32fast::hash(title.as_bytes())),
        None => test.to_owned(),
    }
}

/// Whether all went as expected.
fn judge(tiers: &BTreeMap<String, Tier>, expected: &BTreeSet<&str>) -> Result<(), Failure> {
    if tiers.values().all(|tier| tier.passed.is_empty() && tier.failed.is_empty()) {
        return Err(Failure::new("the suite ran no test"));
    }
    let is_expected = |test: &str| expected.contains(mark(test).as_str());
    let failed = tiers.values().flat_map(|tier| &tier.failed);
    let failed = failed.filter(|(test, _)| !is_expected(test)).count();
    if failed > 0 {
        return Err(Failure::new(format!("{failed} tests failed that are not expected to")));
    }
    let passed = tiers.values().flat_map(|tier| &tier.passed);
    let passed: Vec<&str> = passed.map(String::as_str).filter(|test| is_expected(test)).collect();
    if passed.is_empty() {
        return Ok(());
    }
    let passed = passed.join("\n  ");
    Err(Failure::new(format!(
        "tests passed that are expected to fail: take them out of xtask/conformance-expected.txt\n  {passed}"
    )))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[derive(Default, Debug, PartialEq, Eq)]
struct Tier {
    passed: Vec<String>,
    /// With the first line of what went wrong.
    failed: Vec<(String, String)>,
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
            tier.failed.push((short.to_owned(), "the file could not be run".to_owned()));
        }
        for test in tests {
            let name = format!("{short}: {}", test["fullName"].as_str().unwrap_or_default());
            match test["status"].as_str() {
                Some("passed") => tier.passed.push(name),
                Some("failed") => tier.failed.push((name, cause(&test))),
                _ => tier.skipped += 1,
            }
        }
    }
    tiers
}

/// The first line of what went wrong.
fn cause(test: &Value) -> String {
    let message = test["failureMessages"][0].as_str();
    message.and_then(|text| text.lines().next()).unwrap_or_default().to_owned()
}

#[allow(clippy::print_stdout, reason = "the counts are this command's output")]
fn print(tiers: &BTreeMap<String, Tier>, expected: &BTreeSet<&str>) {
    let is_expected = |test: &str| expected.contains(mark(test).as_str());
    for (test, why) in tiers.values().flat_map(|tier| &tier.failed) {
        if !is_expected(test) {
            println!("FAILED {test}: {why}\n       {}", mark(test));
        }
    }
    println!("{:<8} {:>7} {:>7} {:>9} {:>7}", "TIER", "PASSED", "FAILED", "EXPECTED", "SKIPPED");
    for (name, tier) in tiers {
        let expected = tier.failed.iter().filter(|(test, _)| is_expected(test)).count();
        let (passed, failed) = (tier.passed.len(), tier.failed.len() - expected);
        println!("{name:<8} {passed:>7} {failed:>7} {expected:>9} {:>7}", tier.skipped);
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
            Tier {
                passed: vec!["tier1/putItem/basic.test.ts: a b".to_owned(); 2],
                failed: vec![("tier1/putItem/basic.test.ts: a b".to_owned(), "no".to_owned())],
                skipped: 1
            }
        );
        let could_not = ("tier3/x.test.ts".to_owned(), "the file could not be run".to_owned());
        assert_eq!(tiers["tier3"].failed, [could_not]);
    }

    #[test]
    fn only_what_goes_as_expected_is_a_pass() {
        let tiers = |passed: &[&str], failed: &[&str]| {
            let failed = failed.iter().map(|test| ((*test).to_owned(), "no".to_owned())).collect();
            let passed = passed.iter().map(|test| (*test).to_owned()).collect();
            BTreeMap::from([("tier1".to_owned(), Tier { passed, failed, skipped: 0 })])
        };
        let list = format!("# a comment\n\n= older words\n{}\nf 00000000\n", mark("f: known"));
        let list = expected(&list).unwrap();
        let why = |tiers: &BTreeMap<String, Tier>| judge(tiers, &list).map_err(|why| why.to_string());
        assert_eq!(why(&tiers(&["f: a"], &["f: known"])), Ok(()));
        let failed = why(&tiers(&["f: a"], &["f: known", "f: new"])).unwrap_err();
        assert_eq!(failed, "1 tests failed that are not expected to");
        let stale = why(&tiers(&["f: a", "f: known"], &[])).unwrap_err();
        assert!(stale.ends_with("conformance-expected.txt\n  f: known"), "{stale}");
        assert_eq!(why(&tiers(&[], &[])).unwrap_err(), "the suite ran no test");
        assert!(expected("f 00000000").is_err());
        assert!(!expected(EXPECTED).unwrap().is_empty());
    }
}
