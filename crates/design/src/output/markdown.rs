//! Markdown for a pull request: the sum, the table of patterns, and each finding with its fix.

use std::fmt::Write as _;

use dynamometer_capacity::money::RegionPrices;

use super::pattern_rows;
use super::terminal::summary;
use crate::check::Checked;
use crate::source::Source;

/// The check as Markdown.
pub fn markdown(checked: &Checked<'_>, source: &Source, prices: &RegionPrices<'_>) -> String {
    let title = checked.derived.design.name.as_deref().unwrap_or(&source.name);
    let mut out = format!("### {}\n\n{}\n", escaped(title), summary(checked));
    if !checked.services.is_empty() {
        out.push_str("\n| pattern | served by | units | rate | peak | hottest key | a month | |\n");
        out.push_str("| --- | --- | ---: | --- | ---: | --- | ---: | --- |\n");
    }
    for row in pattern_rows(checked, prices) {
        let cells = [&row.name, &row.served_by, &row.units, &row.rate, &row.peak, &row.hottest, &row.month];
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(out, "| {} | {} |", cells.join(" | "), row.rules.join(" "));
    }
    for finding in &checked.findings {
        let start = finding.labels[0].span.start;
        let _ = write!(
            out,
            "\n- **{} {}** {} (`{}:{}`)",
            finding.severity.word(),
            finding.rule.id,
            escaped(&finding.message),
            source.name,
            start.line
        );
        let under = &finding.labels[0].text;
        if !under.is_empty() {
            let _ = write!(out, "  \n  {}", escaped(under));
        }
        if !finding.fix.is_empty() {
            let _ = write!(out, "  \n  fix: {}", escaped(&finding.fix));
        }
    }
    if !checked.findings.is_empty() {
        out.push('\n');
    }
    out
}

/// A text in which Markdown sees nothing: `<userId>` would be a tag, and a bar the end of a cell.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
    }
    out
}
