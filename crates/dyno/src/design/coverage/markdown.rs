//! Coverage for a pull request.

use std::fmt::Write;

use dynamometer_server::report::CoverageReport;

use super::judge::Finding;
use super::text::{PATTERN_HEADS, UNCOVERED_HEADS, headline, month, pattern_row, uncovered_rows};

pub(super) fn markdown(coverage: &CoverageReport, findings: &[Finding], failures: &[String]) -> String {
    let mut out = format!("**{}**\n\n", escaped(&headline(coverage)));
    table(&mut out, &PATTERN_HEADS, coverage.patterns.iter().map(pattern_row));
    if !coverage.uncovered.is_empty() {
        out.push('\n');
        table(&mut out, &UNCOVERED_HEADS, uncovered_rows(coverage).into_iter());
    }
    out.push('\n');
    for finding in findings {
        let _ = writeln!(out, "- {} → {}", escaped(&finding.sentence), escaped(finding.remedy));
    }
    let _ = writeln!(out, "\n{}", month(coverage));
    if !failures.is_empty() {
        let _ = writeln!(out, "\n**failed: {}**", failures.join(", "));
    }
    out
}

fn table<const N: usize>(out: &mut String, heads: &[&str; N], rows: impl Iterator<Item = [String; N]>) {
    let _ = writeln!(out, "| {} |", heads.map(str::to_lowercase).join(" | "));
    let _ = writeln!(out, "| ---{} |", " | ---:".repeat(N - 1));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.map(|cell| escaped(&cell)).join(" | "));
    }
}

/// Text that Markdown does not take for marks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '|' | '<' | '>' | '*' | '_' | '`' | '\\' | '[' | ']') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
