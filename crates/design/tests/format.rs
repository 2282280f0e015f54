//! The reference and the JSON Schema in `docs/` are what the format says; with `UPDATE_GOLDEN=1` they are written anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that they are about")]

use std::path::{Path, PathBuf};

use dynamometer_design::schema::{json_schema, reference};

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn same_or_updated(path: &Path, expected: &str) {
    let has = std::fs::read_to_string(path).unwrap_or_default();
    if has != expected && std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    assert!(
        has == expected,
        "{} is not what the format says: UPDATE_GOLDEN=1 writes it anew",
        path.display()
    );
}

#[test]
fn the_schema_is_what_the_format_says() {
    same_or_updated(&docs("design-file.schema.json"), &format!("{:#}\n", json_schema()));
}

#[test]
fn the_reference_is_what_the_format_says() {
    let path = docs("design-file.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mark = text.lines().find(|line| line.starts_with("<!-- Written from ")).unwrap();
    let (before, _) = text.split_once(mark).unwrap();
    same_or_updated(&path, &format!("{before}{mark}\n\n{}\n", reference().trim_end()));
}
