//! The layer check: which crate may use which.
//!
//! A crate uses only crates below it, and from `engine` down (`store` excepted) nothing can reach
//! a clock, a socket, a file or a random source. This file holds both lists and compares them with
//! `cargo metadata`; the `clippy.toml` of each pure crate forbids the same doors in `std`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::Project;
use crate::run::Failure;

/// Each crate and the crates of ours that it may use. A new edge needs a page in `docs/decisions/`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("dynamometer-types", &[]),
    ("dynamometer-expr", &["dynamometer-types"]),
    ("dynamometer-capacity", &["dynamometer-types"]),
    ("dynamometer-cloudwatch", &["dynamometer-types"]),
    ("dynamometer-design", &["dynamometer-types", "dynamometer-expr", "dynamometer-capacity"]),
    ("dynamometer-cloudformation", &["dynamometer-types"]),
    ("dynamometer-store", &[]),
    (
        "dynamometer-engine",
        &[
            "dynamometer-types",
            "dynamometer-expr",
            "dynamometer-capacity",
            "dynamometer-cloudwatch",
            "dynamometer-store",
        ],
    ),
    // The harness in tests alone.
    (
        "dynamometer-server",
        &[
            "dynamometer-types",
            "dynamometer-expr",
            "dynamometer-capacity",
            "dynamometer-cloudwatch",
            "dynamometer-store",
            "dynamometer-design",
            "dynamometer-engine",
            "dynamometer-harness",
        ],
    ),
    // The harness in tests alone.
    ("dynamometer-planes", &["dynamometer-types", "dynamometer-harness"]),
    // The harness in tests alone.
    (
        "dyno",
        &[
            "dynamometer-types",
            "dynamometer-expr",
            "dynamometer-capacity",
            "dynamometer-store",
            "dynamometer-design",
            "dynamometer-cloudformation",
            "dynamometer-engine",
            "dynamometer-server",
            "dynamometer-planes",
            "dynamometer-harness",
        ],
    ),
    ("dynamometer-harness", &[]),
    ("dynamometer-bench", &["dynamometer-harness"]),
    ("dynamometer-e2e", &[]),
    ("xtask", &["dynamometer-harness"]),
];

/// Crates that compute and nothing else.
const PURE: &[&str] = &[
    "dynamometer-types",
    "dynamometer-expr",
    "dynamometer-capacity",
    "dynamometer-cloudwatch",
    "dynamometer-design",
    "dynamometer-cloudformation",
    "dynamometer-engine",
];

/// Crates of others that open a door that a pure crate must not have, and what to do instead.
const DOORS: &[(&str, &str)] = &[
    ("tokio", "runtimes belong to the server"),
    ("hyper", "sockets belong to the server"),
    ("mio", "sockets belong to the server"),
    ("socket2", "sockets belong to the server"),
    ("reqwest", "sockets belong to the server"),
    ("rustls", "sockets belong to the server"),
    ("rand", "entropy is passed in as an argument"),
    ("getrandom", "entropy is passed in as an argument"),
    ("fastrand", "entropy is passed in as an argument"),
    ("uuid", "identifiers are made from entropy that is passed in"),
    ("chrono", "`now` is passed in as an argument"),
    ("time", "`now` is passed in as an argument"),
    ("jiff", "`now` is passed in as an argument"),
    ("tempfile", "files belong to the store"),
    ("lsm-tree", "storage engines belong to the store"),
];

/// Crates of others with a single home.
const HOMES: &[(&str, &[&str])] = &[
    ("lsm-tree", &["dynamometer-store"]),
    // The command line has a client: `dyno::client`.
    ("hyper", &["dynamometer-server", "dyno", "dynamometer-bench"]),
    // The wire's JSON is the server's; the engine's catalog rows are JSON on disk; a plan's calls carry it as values; the reason of
    // an alarm's state has to be JSON.
    (
        "serde_json",
        &[
            "dynamometer-engine",
            "dynamometer-server",
            "dynamometer-cloudwatch",
            "dynamometer-design",
            "dynamometer-cloudformation",
            "dynamometer-planes",
            "dyno",
            "dynamometer-harness",
            "dynamometer-bench",
            "xtask",
        ],
    ),
];

/// Checks the project's own crate graph.
///
/// # Errors
/// A sentence for each edge that is not allowed.
pub fn check(project: &Project) -> Result<(), Failure> {
    let graph = graph(&project.metadata);
    let complaints = complaints(&graph);
    if complaints.is_empty() {
        eprintln!("  {} crates, every edge allowed", graph.len());
        return Ok(());
    }
    Err(Failure::new(format!("the crate graph breaks the layers:\n  {}", complaints.join("\n  "))))
}

/// A dependency, as far as the layers care.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edge {
    to: String,
    /// Only in tests.
    dev: bool,
}

type Graph = BTreeMap<String, Vec<Edge>>;

fn graph(metadata: &Value) -> Graph {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
            let edges = dependencies
                .iter()
                .map(|edge| Edge { to: text(&edge["name"]), dev: edge["kind"] == "dev" })
                .collect();
            (text(&package["name"]), edges)
        })
        .collect()
}

fn complaints(graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for (from, edges) in graph {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == from) else {
            found.push(format!("{from} is not listed in xtask/src/layers.rs: say there what it may use"));
            continue;
        };
        for edge in edges {
            found.extend(complain(graph, from, allowed, edge));
        }
    }
    found
}

fn complain(graph: &Graph, from: &str, allowed: &[&str], edge: &Edge) -> Option<String> {
    let to = edge.to.as_str();
    if graph.contains_key(to) {
        return (!allowed.contains(&to))
            .then(|| format!("{from} must not use {to}: a crate uses only the crates below it"));
    }
    if edge.dev {
        return None;
    }
    if let (true, Some((_, instead))) = (PURE.contains(&from), DOORS.iter().find(|(door, _)| *door == to)) {
        return Some(format!("{from} must not use {to}: {instead}"));
    }
    let (_, homes) = HOMES.iter().find(|(name, _)| *name == to)?;
    (!homes.contains(&from)).then(|| format!("{from} must not use {to}: its home is {}", homes.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Complaints about a graph given as `(crate, [dependencies], [test dependencies])`.
    fn complaints_about(crates: &[(&str, &[&str], &[&str])]) -> Vec<String> {
        let packages: Vec<Value> = crates
            .iter()
            .map(|(name, uses, dev)| {
                let normal = uses.iter().map(|to| json!({ "name": to, "kind": null }));
                let dev = dev.iter().map(|to| json!({ "name": to, "kind": "dev" }));
                json!({ "name": name, "dependencies": normal.chain(dev).collect::<Vec<_>>() })
            })
            .collect();
        complaints(&graph(&json!({ "packages": packages })))
    }

    #[test]
    fn a_crate_uses_only_the_crates_below_it() {
        let types = ("dynamometer-types", &[] as &[&str], &[] as &[&str]);
        assert_eq!(complaints_about(&[types, ("dynamometer-expr", &["dynamometer-types"], &[])]), [""; 0]);
        let upwards = complaints_about(&[
            ("dynamometer-types", &["dynamometer-expr"], &[]),
            ("dynamometer-expr", &[], &[]),
        ]);
        assert_eq!(
            upwards,
            ["dynamometer-types must not use dynamometer-expr: a crate uses only the crates below it"]
        );
        let in_tests = complaints_about(&[types, ("dynamometer-store", &[], &["dynamometer-types"])]);
        assert_eq!(
            in_tests.len(),
            1,
            "test dependencies on our own crates obey the layers too: {in_tests:?}"
        );
    }

    #[test]
    fn a_pure_crate_has_no_door_to_the_outside() {
        let found = complaints_about(&[("dynamometer-capacity", &["rand", "thiserror"], &["tempfile"])]);
        assert_eq!(found, ["dynamometer-capacity must not use rand: entropy is passed in as an argument"]);
    }

    #[test]
    fn some_crates_of_others_have_one_home() {
        let found = complaints_about(&[("dynamometer-store", &["lsm-tree", "serde_json"], &[])]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("dynamometer-store must not use serde_json"), "{found:?}");
    }

    #[test]
    fn an_unlisted_crate_is_a_complaint() {
        assert_eq!(complaints_about(&[("dynamometer-extra", &[], &[])]).len(), 1);
    }
}
