//! Text for a terminal: findings as compilers print them, then the table of patterns, then the sum.

use std::fmt::Write as _;

use dynamometer_capacity::money::RegionPrices;

use super::pattern_rows;
use crate::check::{Checked, Finding, Severity};
use crate::read::FileProblem;
use crate::source::{Source, padded, width};
use crate::text::{bytes, plural};

/// What is wrong in a file that cannot be read as a design.
pub fn problems(source: &Source, problems: &[FileProblem], colour: bool) -> String {
    let texts: Vec<String> = problems.iter().map(|problem| paint(&problem.text(source), colour)).collect();
    texts.join("\n")
}

/// Findings, patterns, and how many of each.
pub fn terminal(checked: &Checked<'_>, source: &Source, prices: &RegionPrices<'_>, colour: bool) -> String {
    let mut out = String::new();
    for finding in &checked.findings {
        out.push_str(&paint(&finding_text(finding, source), colour));
        out.push('\n');
    }
    out.push_str(&table(checked, prices));
    if let Some(sizes) = sizes(checked) {
        let _ = writeln!(out, "{sizes}");
    }
    let _ = writeln!(out, "{}", summary(checked));
    out
}

fn finding_text(finding: &Finding, source: &Source) -> String {
    let mut out = format!("{}[{}]: {}\n", finding.severity.word(), finding.rule.id, finding.message);
    out.push_str(&source.excerpt(&finding.labels));
    if !finding.fix.is_empty() {
        let _ = writeln!(out, "   = fix: {}", finding.fix);
    }
    let _ = writeln!(out, "   = dyno design explain {}", finding.rule.id);
    out
}

/// Colours the first word of a message by how bad it is, and the carets.
fn paint(text: &str, colour: bool) -> String {
    if !colour {
        return text.to_owned();
    }
    let code = match text.split([':', '[']).next() {
        Some("error") => "31",
        Some("warning") => "33",
        _ => "36",
    };
    let mut lines = text.split_inclusive('\n');
    let head = lines.next().unwrap_or_default();
    let (word, rest) = head.split_once(": ").unwrap_or((head, ""));
    let mut out = format!("\u{1b}[1;{code}m{word}\u{1b}[0m: \u{1b}[1m{}\u{1b}[0m\n", rest.trim_end());
    for line in lines {
        match line.find('^') {
            Some(at) => {
                let (before, carets) = line.split_at(at);
                let _ = writeln!(out, "{before}\u{1b}[1;{code}m{}\u{1b}[0m", carets.trim_end());
            }
            None => out.push_str(line),
        }
    }
    out
}

fn table(checked: &Checked<'_>, prices: &RegionPrices<'_>) -> String {
    let rows = pattern_rows(checked, prices);
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["PATTERN", "SERVED BY", "UNITS", "RATE", "PEAK", "HOTTEST KEY", "A MONTH"];
    let cells: Vec<[&str; 7]> = rows
        .iter()
        .map(|row| {
            [
                row.name.as_str(),
                row.served_by.as_str(),
                row.units.as_str(),
                row.rate.as_str(),
                row.peak.as_str(),
                row.hottest.as_str(),
                row.month.as_str(),
            ]
        })
        .collect();
    columns(&heads, &cells, &[2, 4, 6])
}

/// Lays cells out in columns as wide as their widest; those named stand to the right.
pub fn columns<const N: usize>(heads: &[&str; N], rows: &[[&str; N]], right: &[usize]) -> String {
    let wide = |column: usize| rows.iter().chain([heads]).map(|row| width(row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(wide).collect();
    let mut out = String::new();
    for row in [heads].into_iter().chain(rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let room = widths[column];
            match right.contains(&column) {
                true => line.push_str(&format!("{}{cell}", " ".repeat(room - width(cell)))),
                false => line.push_str(&padded(cell, room)),
            }
            line.push_str("   ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The sizes that words became: `sizes: User small = 500 B`.
fn sizes(checked: &Checked<'_>) -> Option<String> {
    let of_words = checked.derived.design.entities.iter().filter_map(|entity| {
        let word = entity.size_word.as_ref()?;
        Some(format!("{} {word} = {}", *entity.name, bytes(*entity.size_bytes)))
    });
    let of_words: Vec<String> = of_words.collect();
    (!of_words.is_empty()).then(|| format!("sizes: {}", of_words.join(", ")))
}

/// `6 patterns: 4 served, 1 at risk, 1 not servable   2 errors, 3 warnings`.
pub(super) fn summary(checked: &Checked<'_>) -> String {
    let patterns = checked.services.len();
    let not = checked.services.iter().filter(|service| service.served().is_none()).count();
    let at_risk = (0..patterns).filter(|at| checked.is_at_risk(*at)).count();
    let served = patterns - not - at_risk;
    let mut words = format!("{}: {served} served", plural(patterns, "pattern"));
    if at_risk > 0 {
        let _ = write!(words, ", {at_risk} at risk");
    }
    if not > 0 {
        let _ = write!(words, ", {not} not servable");
    }
    let of = |severity| checked.count(severity);
    let counts = [
        (of(Severity::Error), plural(of(Severity::Error), "error")),
        (of(Severity::Warning), plural(of(Severity::Warning), "warning")),
        (of(Severity::Info), format!("{} info", of(Severity::Info))),
    ];
    let found: Vec<String> =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
    let found = if found.is_empty() { "nothing found".to_owned() } else { found.join(", ") };
    format!("{words}   {found}")
}
