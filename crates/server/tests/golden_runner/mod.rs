//! Runs the scenario files and tells all differences at once.

mod compare;
pub mod endpoint;
mod function;
mod placeholders;
mod scenario;

use std::fs;
use std::path::{Path, PathBuf};

use compare::{difference, keep, merge, take_any_time};
use endpoint::Endpoint;
use function::Function;
use placeholders::Kept;
use scenario::{Scenario, Step, print_json};
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// Runs every file on an endpoint that `make` makes for it by its number and path; without one the file is left out.
///
/// # Panics
/// When an answer differs, after all files ran.
pub fn run_all(make: impl Fn(usize, &Path) -> Option<Endpoint>) {
    let only = std::env::var("GOLDEN").unwrap_or_default();
    let files = scenario_files();
    let chosen: Vec<&PathBuf> =
        files.iter().filter(|file| file.to_string_lossy().contains(only.as_str())).collect();
    assert!(!chosen.is_empty(), "no scenario matches GOLDEN={only}");
    let mut failures = vec![];
    for (number, file) in chosen.iter().enumerate() {
        if let Some(mut endpoint) = make(number, file) {
            failures.extend(run_file(file, &mut endpoint));
        }
    }
    assert!(
        failures.is_empty(),
        "{} answers differ in {} scenarios:\n\n{}",
        failures.len(),
        chosen.len(),
        failures.join("\n\n")
    );
}

/// The scenario files, without the shared beginnings in `_setup`.
fn scenario_files() -> Vec<PathBuf> {
    let mut files = vec![];
    for folder in sorted_entries(Path::new(FOLDER)) {
        if folder.is_dir() && !folder.ends_with("_setup") {
            files.extend(
                sorted_entries(&folder).into_iter().filter(|f| f.extension().is_some_and(|e| e == "golden")),
            );
        }
    }
    files
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The differences in a file.
fn run_file(file: &Path, endpoint: &mut Endpoint) -> Vec<String> {
    let name = file.strip_prefix(FOLDER).unwrap().display().to_string();
    let text = fs::read_to_string(file).unwrap();
    let mut scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let setup = scenario.uses.iter().flat_map(|part| {
        let text = fs::read_to_string(format!("{FOLDER}/_setup/{part}.golden"))
            .unwrap_or_else(|error| panic!("{name} uses {part}: {error}"));
        Scenario::parse(&text).unwrap_or_else(|error| panic!("{part}: {error}")).steps
    });
    for step in setup.collect::<Vec<_>>() {
        if let Some(failure) = run_step(&step, endpoint, None, &mut Kept::new()).1 {
            return vec![format!("{name}, while setting up: {failure}")];
        }
    }
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let (mut failures, mut kept) = (vec![], Kept::new());
    let function = text.contains("<$function>").then(Function::start);
    if let Some(function) = &function {
        kept.insert("function".into(), function.address().into());
    }
    for at in 0..scenario.steps.len() {
        if let Some(seconds) = scenario.steps[at].advance_seconds {
            if endpoint.advance(seconds) {
                continue;
            }
            eprintln!("{name}: left out from line {}, the clock cannot be moved", scenario.steps[at].line);
            break;
        }
        let (answer, failure) = run_step(&scenario.steps[at], endpoint, function.as_ref(), &mut kept);
        if let Some(failure) = failure {
            if update {
                accept(&mut scenario.steps[at], answer, &kept);
            } else {
                failures.push(format!("{name}, line {}: {failure}", scenario.steps[at].line));
            }
        }
    }
    if update {
        fs::write(file, scenario.print(&text)).unwrap();
    }
    failures
}

type Answered = (u16, Option<Value>);

/// Sends a step as often as it says. Answers the last answer, and what is wrong with the first bad one.
fn run_step(
    step: &Step,
    endpoint: &mut Endpoint,
    function: Option<&Function>,
    kept: &mut Kept,
) -> (Answered, Option<String>) {
    let mut last = (0, None);
    for index in 1..=step.times {
        let body = placeholders::expand(&step.request, index, kept);
        let (status, text) = match (step.operation.strip_prefix("Function "), function) {
            (None, _) => endpoint.send(&step.operation, &body),
            (Some(what), Some(function)) => {
                endpoint.settle();
                let expected = step.expected(index, kept);
                let expected = expected.as_ref().map_or(0, compare::expected_length);
                (200, function.step(what, &body, expected).to_string())
            }
            (Some(_), None) => {
                panic!("line {}: a pipe of this scenario needs the Endpoint <$function>", step.line)
            }
        };
        let answer = match text.as_str() {
            "" => None,
            text => Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("answer {text}: {error}"))),
        };
        last = (status, answer);
        if let Some(failure) = judge(step, index, &last, endpoint.has_scenario_time(), kept) {
            return (last, Some(failure));
        }
        if let (Some(expected), Some(answer)) = (step.expected(index, kept), &last.1) {
            keep(&expected, answer, kept);
        }
    }
    (last, None)
}

fn judge(
    step: &Step,
    index: u32,
    (status, answer): &Answered,
    exact_times: bool,
    kept: &Kept,
) -> Option<String> {
    let mut expected = step.expected(index, kept);
    if !exact_times && let Some(expected) = &mut expected {
        take_any_time(expected);
    }
    let got = answer.as_ref().map(print_json).unwrap_or_default();
    let place = match (status == &step.status, &expected, answer) {
        (false, ..) => Some("the status".to_owned()),
        (true, None, _) => None,
        (true, Some(expected), Some(answer)) => difference(expected, answer),
        (true, Some(expected), None) => Some(expected.to_string()),
    }?;
    let wanted = expected.as_ref().map(print_json).unwrap_or_default();
    let cut = |text: String| text.chars().take(2000).collect::<String>();
    Some(format!(
        "{} differs at {place}\n  sent {}\n  want {} {}\n  got  {status} {}",
        step.operation,
        cut(step.request.clone()),
        step.status,
        cut(wanted),
        cut(got)
    ))
}

/// Takes an answer over into the file; placeholders that held stay.
fn accept(step: &mut Step, (status, answer): Answered, kept: &Kept) {
    let expected = step.expected(1, kept);
    step.changed = true;
    step.status = status;
    step.answer = answer.map(|answer| print_json(&merge(expected.as_ref(), &answer)));
}
