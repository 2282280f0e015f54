//! Whole designs: what the check finds in them, and nothing else; what it prints; what is written from them.
//!
//! `tests/designs/*.yaml` and `examples/*.yaml` each have a `.check` and a `.cost` beside them in `tests/golden/`, and what is
//! generated in folders there. With `UPDATE_GOLDEN=1` they are written anew; look at the difference before you keep it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that they are about")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dynamometer_capacity::money::PriceTable;
use dynamometer_design::generate::{Output, generate};
use dynamometer_design::output::{cost_text, json, markdown, problems, sarif, terminal};
use dynamometer_design::source::Source;
use dynamometer_design::{check, cost, read};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Every whole design, by name.
fn designs() -> Vec<(String, Source)> {
    let mut files = Vec::new();
    for of in ["tests/designs", "../../examples", "src/starters"] {
        files.extend(std::fs::read_dir(folder(of)).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let named = files.into_iter().map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let source = Source::new(format!("{name}.yaml"), std::fs::read_to_string(&file).unwrap());
        (name, source)
    });
    named.collect()
}

/// What differs from the golden files; they are written anew when asked for.
#[derive(Default)]
struct Golden {
    differences: String,
}

impl Golden {
    fn hold(&mut self, name: &str, text: &str) {
        let path = folder("tests/golden").join(name);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        if before == text {
            return;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            return;
        }
        let lines = before.lines().chain([""]).zip(text.lines().chain([""]));
        let (line, (old, new)) =
            lines.enumerate().find(|(_, (old, new))| old != new).unwrap_or((0, ("", "")));
        let _ = writeln!(self.differences, "{}:{}\n  was {old}\n  is  {new}", path.display(), line + 1);
    }

    fn finish(self) {
        assert!(self.differences.is_empty(), "{}UPDATE_GOLDEN=1 writes the files anew", self.differences);
    }
}

/// The authors' own designs: what is to be found in them, and nothing else.
#[test]
fn the_check_finds_what_is_wrong_in_the_authors_designs_and_claims_nothing_else() {
    let expected: [(&str, &[&str]); 12] = [
        // No entity writes PRODUCT# and ADDRESS#; the status key and the copy are left stale.
        ("orders", &["M05", "M05", "W06", "W06", "K04", "K08", "K05"]),
        ("filter", &["R02"]),
        // Before sharding, one key takes 4,000 writes a second; with ten shards each takes 400.
        ("dates", &["K01", "K03", "O19"]),
        ("shards", &[]),
        // 50,000 is above the quota; recovery, protection and a maximum are there.
        ("production", &["O10"]),
        ("alarm", &["O18"]),
        // The shard of the two-table pattern is where no heat is; each event is written twice and more.
        ("two-tables", &["W02", "K08", "K11"]),
        ("single-table", &[]),
        ("two-table", &["W02"]),
        // A state in the index's key is written twice when it changes.
        ("several-attributes", &["W02", "W05", "W15"]),
        // 300 write units on average with the index's, 750 at peak: 428 are provisioned.
        ("local-index", &["O13", "O17"]),
        // Three settings are three keys, whatever else is made of an <id>; an event that is put has a key of its own.
        ("few-items", &["K01", "K01", "O19", "O05", "M08"]),
    ];
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let designs = designs();
    assert_eq!(designs.len(), expected.len(), "a design has no expectation here");
    for (name, rules) in expected {
        let (_, source) = designs.iter().find(|(known, _)| known == name).unwrap();
        let design = read(source).unwrap();
        let checked = check(&design, &prices);
        let found: Vec<&str> = checked.findings.iter().map(|finding| finding.rule.id).collect();
        assert_eq!(found, rules, "{name}");
    }
}

#[test]
fn checks_and_costs_print_what_their_golden_files_show() {
    let prices = PriceTable::builtin();
    let mut golden = Golden::default();
    for (name, source) in designs() {
        let design = read(&source).unwrap();
        let region = design.region.as_ref().map_or("us-east-1", |region| region.value.as_str());
        let prices = prices.region(region).unwrap();
        let checked = check(&design, &prices);
        golden.hold(&format!("{name}.check"), &terminal(&checked, &source, &prices, false));
        let costs = cost::cost(&checked.derived, &checked.services, &checked.load, &prices).unwrap();
        golden.hold(&format!("{name}.cost"), &cost_text(&checked, &costs, &name, region));
        if name == "orders" {
            golden.hold("orders.check.md", &markdown(&checked, &source, &prices));
            golden.hold("orders.check.json", &format!("{:#}\n", json(&checked, &source, &prices)));
            let mut log = sarif(&checked, &source, "0");
            // The manual pages are in there whole.
            log["runs"][0]["tool"]["driver"]["rules"].take();
            golden.hold("orders.check.sarif", &format!("{log:#}\n"));
        }
    }
    golden.finish();
}

#[test]
fn what_is_generated_is_what_its_golden_files_show() {
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let outputs = [
        Output::CloudFormation,
        Output::Terraform,
        Output::CreateTable,
        Output::Rust,
        Output::TypeScript,
        Output::Python,
    ];
    let mut golden = Golden::default();
    for name in ["orders", "production", "everything"] {
        let text = match name {
            "everything" => std::fs::read_to_string(folder("tests/generate/everything.yaml")).unwrap(),
            _ => designs().into_iter().find(|(known, _)| known == name).unwrap().1.text,
        };
        let source = Source::new(format!("{name}.yaml"), text);
        let design = read(&source).unwrap_or_else(|found| panic!("{}", problems(&source, &found, false)));
        let checked = check(&design, &prices);
        for output in outputs {
            let Ok(files) = generate(&design, &checked.load, &source.name, output) else {
                assert_eq!(name, "production", "it alone has no entities");
                continue;
            };
            for file in files {
                golden.hold(&format!("{name}/{}", file.name), &file.text);
            }
        }
    }
    golden.finish();
}

/// The largest numbers that a file can hold are checked and priced like others: no sum or product overflows.
#[test]
fn the_largest_numbers_overflow_nothing() {
    let source =
        Source::new("extremes.yaml", std::fs::read_to_string(folder("tests/extremes.yaml")).unwrap());
    let design = read(&source).unwrap_or_else(|found| panic!("{}", problems(&source, &found, false)));
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let checked = check(&design, &prices);
    assert!(terminal(&checked, &source, &prices, true).contains("K01"));
    let costs = cost::cost(&checked.derived, &checked.services, &checked.load, &prices).unwrap();
    assert!(!cost_text(&checked, &costs, "extremes", "us-east-1").is_empty());
}

/// Files that cannot be read: all that is wrong is told, with line, column, and what would be right.
#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place() {
    let mut golden = Golden::default();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder("tests/problems")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let source = Source::new(format!("{name}.yaml"), std::fs::read_to_string(&file).unwrap());
        let found = read(&source).expect_err(&name);
        golden.hold(&format!("problems/{name}.txt"), &problems(&source, &found, false));
    }
    golden.finish();
}
