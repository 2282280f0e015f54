//! Templates and what comes of them: each file of `tests/templates` beside its `.snap`.
//!
//! A template that is wrong gives its findings; one that is right gives the calls that make everything anew, and its
//! outputs. `x.after.yaml` is held against the tables of `x.yaml`, as if those were live. A first line
//! `# parameters: A=b C=d; skip; replace: Orders` sets the rest. `UPDATE_GOLDEN=1` writes the snapshots anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use dynamometer_cloudformation::plan::{self, Change, LiveTable, Told};
use dynamometer_cloudformation::{Attributes, Finding, Resource, Settings, Stack, Template, Wanted};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates")
}

/// The settings of a template's first line, and what may be replaced.
fn settings(text: &str) -> (Settings, BTreeSet<String>) {
    let mut settings = Settings {
        stack: "stack".into(),
        region: "us-east-1".into(),
        account: Some("123456789012".into()),
        ..Settings::default()
    };
    let mut replace = BTreeSet::new();
    let first = text.lines().next().unwrap_or_default();
    for part in first.strip_prefix("# ").unwrap_or_default().split("; ") {
        match part.split_once(": ") {
            Some(("parameters", pairs)) => {
                let pairs = pairs.split(' ').map(|pair| pair.split_once('=').unwrap());
                settings.parameters = pairs.map(|(name, value)| (name.into(), value.into())).collect();
            }
            Some(("replace", names)) => replace = names.split(' ').map(str::to_owned).collect(),
            Some(("stack", name)) => settings.stack = name.into(),
            _ if part == "skip" => settings.skip_unsupported = true,
            _ if part == "no account" => settings.account = None,
            _ => {}
        }
    }
    (settings, replace)
}

fn stack(text: &str) -> Result<(Template, Stack), Vec<Finding>> {
    let template = Template::read(text)?;
    let stack = template.stack(&settings(text).0)?;
    Ok((template, stack))
}

fn print_findings(out: &mut String, word: &str, findings: &[Finding]) {
    for finding in findings {
        let _ = writeln!(out, "{word} {finding}");
        if let Some(hint) = &finding.hint {
            let _ = writeln!(out, "  hint: {hint}");
        }
    }
}

fn print_change(out: &mut String, resource: &Resource, change: &Change) {
    let name = resource.physical_name();
    let _ = writeln!(out, "{} {} ({name})", change.action.word(), resource.logical_id);
    for step in &change.steps {
        let _ = writeln!(out, "  {}\n    {} {}", step.says, step.operation, step.body);
    }
    for note in &change.notes {
        let _ = writeln!(out, "  note: {note}");
    }
}

/// The change of a resource, `before` being live.
fn plan(resource: &Resource, before: &[Resource], told: &Told) -> Result<Change, Vec<Finding>> {
    let old = before
        .iter()
        .find(|old| old.physical_name() == resource.physical_name() && old.logical_id == resource.logical_id);
    match (&resource.wanted, old.map(|old| &old.wanted)) {
        (Wanted::Table(table), old) => {
            let live = match old {
                Some(Wanted::Table(old)) => Some(LiveTable {
                    table: (**old).clone(),
                    arn: format!("arn:aws:dynamodb:us-east-1:123456789012:table/{}", old.name),
                    ..LiveTable::default()
                }),
                _ => None,
            };
            plan::table(resource, table, live.as_ref(), told)
        }
        (Wanted::ScalableTarget(target), Some(Wanted::ScalableTarget(old))) => {
            Ok(plan::target(target, Some(old)))
        }
        (Wanted::ScalingPolicy(policy), Some(Wanted::ScalingPolicy(old))) => {
            Ok(plan::policy(policy, Some(&old.configuration)))
        }
        (Wanted::ScalableTarget(target), _) => Ok(plan::target(target, None)),
        (Wanted::ScalingPolicy(policy), _) => Ok(plan::policy(policy, None)),
    }
}

/// What comes of a template.
fn outcome(text: &str, before: Option<&str>) -> String {
    let mut out = String::new();
    let (template, wanted) = match stack(text) {
        Ok(read) => read,
        Err(findings) => {
            print_findings(&mut out, "error", &findings);
            return out;
        }
    };
    print_findings(&mut out, "note", &wanted.notes);
    let before = before.map(|text| stack(text).unwrap().1.resources).unwrap_or_default();
    let (settings, replace) = settings(text);
    let scaled = wanted.resources.iter().filter_map(|resource| match &resource.wanted {
        Wanted::ScalableTarget(target) => Some(target.scales.clone()),
        _ => None,
    });
    let told = Told { replace, scaled: scaled.collect() };
    for resource in &wanted.resources {
        match plan(resource, &before, &told) {
            Ok(change) => print_change(&mut out, resource, &change),
            Err(findings) => print_findings(&mut out, "error", &findings),
        }
    }
    let mut attributes = Attributes::new();
    for resource in &wanted.resources {
        if matches!(resource.wanted, Wanted::Table(_)) {
            let arn = format!("arn:aws:dynamodb:us-east-1:123456789012:table/{}", resource.physical_name());
            attributes.insert((resource.logical_id.clone(), "Arn".into()), arn);
        }
    }
    for output in template.outputs(&settings, &attributes).unwrap() {
        let value = output.value.unwrap_or_else(|why| format!("? {why}"));
        let export = output.export.map_or(String::new(), |name| format!("   exported as {name}"));
        let _ = writeln!(out, "output {} = {value}{export}", output.name);
    }
    out
}

#[test]
fn templates_become_what_their_snapshots_show() {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "json"));
    files.sort();
    assert!(files.len() > 10);
    let mut differences = String::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let before = name.strip_suffix(".after").map(|before| folder().join(format!("{before}.yaml")));
        let before = before.map(|path| std::fs::read_to_string(path).unwrap());
        let is = outcome(&std::fs::read_to_string(&file).unwrap(), before.as_deref());
        let snapshot = folder().join(format!("{name}.snap"));
        let was = std::fs::read_to_string(&snapshot).unwrap_or_default();
        if is == was {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&snapshot, is).unwrap();
        } else {
            let _ = writeln!(differences, "{}\n--- was\n{was}--- is\n{is}", snapshot.display());
        }
    }
    assert!(differences.is_empty(), "{differences}UPDATE_GOLDEN=1 writes the snapshots anew");
}

/// References that lead from one thing to the next are told before they use up the stack, the memory or the day.
#[test]
fn references_that_lead_on_and_on_are_told() {
    let conditions = |count: usize| {
        let links = (0..count).map(|at| format!("  C{at}: !Not [!Condition C{}]\n", at + 1));
        let links: String = links.collect();
        format!("Conditions:\n{links}  C{count}: !Equals [a, b]\nResources: {{}}\n")
    };
    let names = |count: usize, name: &str, last: &str| {
        let table = |at: usize, name: &str| {
            format!(
                "  T{at}:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: {name}\n{}{}{}",
                "      BillingMode: PAY_PER_REQUEST\n",
                "      KeySchema: [{ AttributeName: a, KeyType: HASH }]\n",
                "      AttributeDefinitions: [{ AttributeName: a, AttributeType: S }]\n",
            )
        };
        let links = (0..count).map(|at| table(at, &name.replace("NEXT", &format!("T{}", at + 1))));
        format!("Resources:\n{}{}", links.collect::<String>(), table(count, last))
    };
    let doubled = "!Sub '${NEXT}${NEXT}'";
    for (text, expected) in [
        (conditions(20), None),
        (conditions(2_000), Some("over more than 100 others")),
        (names(20, "!Ref NEXT", "abc"), None),
        (names(500, "!Ref NEXT", "abc"), Some("over more than 100 others")),
        (names(40, doubled, "abc"), Some("is too long")),
        (names(40, doubled, "''"), Some("is no table name")),
    ] {
        let found = stack(&text).err().map(|findings| findings[0].to_string());
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }
}

/// Whatever a template is cut to, reading it ends in findings or a stack.
#[test]
fn a_template_that_is_cut_off_is_no_disaster() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension == "snap") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // A prime step meets every kind of place sooner or later, and all places would take long.
        for (at, _) in text.char_indices().step_by(13) {
            let _ = stack(&text[..at]);
        }
    }
}
