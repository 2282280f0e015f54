//! Every rule's manual page is its test: the bad example makes it fire, the good one does not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use dynamometer_capacity::money::PriceTable;
use dynamometer_design::rules::{Input, RULES, Rule};
use dynamometer_design::source::Source;
use dynamometer_design::{Severity, check, read};

/// The example behind a heading of a manual page.
fn example(manual: &str, heading: &str) -> Option<String> {
    let (_, behind) = manual.split_once(&format!("\n{heading}\n```yaml\n"))?;
    Some(behind.split_once("```")?.0.to_owned())
}

/// The rules that a design makes fire.
fn fired(name: &str, text: &str) -> Vec<Fired> {
    let source = Source::new(name, text);
    let design = read(&source).unwrap_or_else(|problems| {
        let texts: Vec<String> = problems.iter().map(|problem| problem.text(&source)).collect();
        panic!("{}", texts.join("\n"))
    });
    let prices = PriceTable::builtin();
    let checked = check(&design, &prices.region("us-east-1").unwrap());
    let mut fired: Vec<Fired> =
        checked.findings.iter().map(|finding| Fired(finding.rule.id, finding.severity)).collect();
    fired.dedup();
    fired
}

/// A rule that fired, and how badly.
#[derive(Debug, PartialEq)]
struct Fired(&'static str, Severity);

fn of_designs() -> impl Iterator<Item = &'static &'static Rule> {
    RULES.iter().filter(|rule| rule.input == Input::Design)
}

#[test]
fn a_rule_fires_on_its_bad_example_and_not_on_its_good_one() {
    let mut wrong = Vec::new();
    for rule in of_designs() {
        let manual = rule.manual();
        let bad = example(&manual, "Bad:").unwrap_or_else(|| panic!("{} has no bad example", rule.id));
        let good = example(&manual, "Good:").unwrap_or_else(|| panic!("{} has no good example", rule.id));
        let on_bad = fired(&format!("{} bad", rule.id), &bad);
        if !on_bad.iter().any(|fired| fired.0 == rule.id) {
            wrong.push(format!("{} does not fire on its bad example, but {on_bad:?}", rule.id));
        }
        let on_good = fired(&format!("{} good", rule.id), &good);
        if on_good.iter().any(|fired| fired.0 == rule.id) {
            wrong.push(format!("{} fires on its good example", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A good example that breaks another rule would teach the wrong thing. O19's is about a table that is hot.
#[test]
fn good_examples_break_no_other_rule() {
    let mut wrong = Vec::new();
    for rule in of_designs().filter(|rule| rule.id != "O19") {
        let good = example(&rule.manual(), "Good:").unwrap();
        let mut on_good = fired(rule.id, &good);
        on_good.retain(|fired| fired.1 < Severity::Info);
        if !on_good.is_empty() {
            wrong.push(format!("{}: {on_good:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_projected_attributes_are_too_long_as_those_of_keys_are() {
    for (bytes, is_wrong) in [(255, false), (256, true)] {
        let name = "n".repeat(bytes);
        let text = format!(
            "design: 1\ntables: {{ A: {{ keys: [PK], indexes: {{ I: {{ keys: [G], projection: [{name}] }} }} }} }}\n"
        );
        assert_eq!(fired("K10", &text).iter().any(|fired| fired.0 == "K10"), is_wrong, "{bytes}");
    }
}

#[test]
fn every_manual_page_says_what_why_how_much_and_from_where() {
    let mut seen = std::collections::BTreeSet::new();
    for rule in RULES {
        let manual = rule.manual();
        assert!(manual.starts_with(&format!("# {} {}\n", rule.id, rule.name)), "{}", rule.id);
        for part in ["\nSeverity: ", "\nWhy: ", "\nNumbers: ", "\nFix: ", "\nSource: ", "\nNeeds: "] {
            assert!(manual.contains(part), "{} lacks{part}", rule.id);
        }
        assert!(
            manual.contains(&format!("Needs: {}. Marks: {}.", rule.input.words(), rule.marks)),
            "{}",
            rule.id
        );
        assert_eq!(rule.check.is_some(), rule.input == Input::Design, "{}", rule.id);
        assert!(rule.summary().ends_with('.'), "{}: {}", rule.id, rule.summary());
        assert!(seen.insert(rule.id) && seen.insert(rule.name), "{} twice", rule.id);
    }
}
