//! The report as text: what it costs first, then where it hurts, then what to do.

use std::fmt::Write;

use dynamometer_server::report::{Advice, KeyReport, MoneyReport, Report, ResourceReport, TableReport};

use crate::design::coverage::pattern_table;

/// How many of the hottest keys are shown.
const SHOWN_KEYS: usize = 8;
/// How wide a line of advice may be before it goes on below.
const WIDTH: usize = 116;

/// The report as lines for a terminal, with bold headings when `colour` is set.
pub(super) fn text(report: &Report, colour: bool) -> String {
    let paint = Paint(colour);
    if report.from.is_none() {
        return "no traffic yet: send some requests, then ask again\n".into();
    }
    let mut out = headline(report);
    out.push('\n');
    units(report, paint, &mut out);
    keys(report, paint, &mut out);
    if let Some(coverage) = &report.coverage {
        let table = pattern_table(coverage);
        let (head, rows) = table.split_once('\n').unwrap_or((&table, ""));
        let uncovered: u64 = coverage.uncovered.iter().map(|kind| kind.requests).sum();
        let requests = uncovered + coverage.uncovered_requests_not_listed;
        let _ = write!(out, "\n{}\n{rows}", paint.bold(head));
        let _ =
            writeln!(out, "requests that no pattern covers: {}   dyno design coverage", grouped(requests));
    }
    for (at, advice) in report.advice.iter().enumerate() {
        if at == 0 {
            out.push('\n');
        }
        advise(at + 1, advice, paint, &mut out);
    }
    out
}

#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn bold(self, text: &str) -> String {
        if self.0 { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// `6 min of traffic, 14:02 to 14:08 UTC   us-east-1, on-demand   throttling: reported, not enforced`
fn headline(report: &Report) -> String {
    let (from, to) = (report.from.as_deref().unwrap_or_default(), report.to.as_deref().unwrap_or_default());
    let clock = |moment: &str| moment.get(11..19).unwrap_or(moment).to_owned();
    let day = |moment: &str| moment.get(..10).unwrap_or(moment).to_owned();
    let to = if day(from) == day(to) { clock(to) } else { format!("{} {}", day(to), clock(to)) };
    let mut modes: Vec<&str> = report.tables.iter().map(|table| mode(&table.billing_mode)).collect();
    modes.sort_unstable();
    modes.dedup();
    let throttling = match report.throttle.as_str() {
        "enforce" => "enforced",
        "off" => "off",
        _ => "reported, not enforced",
    };
    format!(
        "{} of traffic, {} {} to {to} UTC   {}, {}   throttling: {throttling}\n",
        span(report.seconds),
        day(from),
        clock(from),
        report.region,
        modes.join(" and "),
    )
}

fn mode(billing_mode: &str) -> &'static str {
    if billing_mode == "PROVISIONED" { "provisioned" } else { "on-demand" }
}

pub(crate) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// The table of tables and indexes, and what it sums up to.
fn units(report: &Report, paint: Paint, out: &mut String) {
    let throttled = if report.throttle == "enforce" { "THROTTLED" } else { "WOULD THROTTLE" };
    let head = ["", "READS/s", "RRU/s", "WRITES/s", "WRU/s", "A MONTH AT THIS RATE", throttled];
    let mut rows: Vec<[String; 7]> = vec![head.map(str::to_owned)];
    for table in &report.tables {
        rows.extend(table.resources.iter().map(|resource| row(table, resource)));
    }
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row[1..].iter().zip(&widths[1..]) {
            let _ = write!(line, "   {cell:>width$}");
        }
        let line = line.trim_end();
        let _ = writeln!(out, "{}", if at == 0 { paint.bold(line) } else { line.to_owned() });
    }
    match (&report.money, &report.money_missing) {
        (Some(money), _) => totals(money, widths, out),
        (None, Some(missing)) => {
            let _ = writeln!(out, "no money: {missing}");
        }
        (None, None) => {}
    }
}

fn row(table: &TableReport, resource: &ResourceReport) -> [String; 7] {
    let name = match &resource.index {
        None => table.table.clone(),
        Some(index) => format!("  {index}"),
    };
    let refused: u64 = resource.throttles.iter().map(|throttles| throttles.events).sum();
    [
        name,
        rate(resource.reads_per_second),
        rate(resource.read_units_per_second),
        rate(resource.writes_per_second),
        rate(resource.write_units_per_second),
        resource.dollars_a_month.map_or_else(|| "-".into(), dollars),
        if refused == 0 { "-".into() } else { grouped(refused) },
    ]
}

fn totals(money: &MoneyReport, widths: [usize; 7], out: &mut String) {
    let column = widths[..6].iter().sum::<usize>() + 3 * 5;
    let line = |label: &str, amount: &str, remark: &str, out: &mut String| {
        let width = column.saturating_sub(label.chars().count());
        let line = format!("{label}{amount:>width$}   {remark}");
        let _ = writeln!(out, "{}", line.trim_end());
    };
    if money.storage_dollars_a_month >= 0.005 {
        line("storage, in the above", &dollars(money.storage_dollars_a_month), "", out);
    }
    if money.free_tier_dollars_a_month >= 0.005 {
        line("free tier", &format!("-{}", dollars(money.free_tier_dollars_a_month)), "", out);
    }
    let others: Vec<String> = money
        .plans
        .iter()
        .filter(|plan| matches!(plan.plan.as_str(), "on-demand" | "provisioned at 70 %"))
        .map(|plan| format!("{} {}", plan.plan, dollars(plan.dollars_a_month)))
        .collect();
    let sum = money.dollars_a_month - money.free_tier_dollars_a_month;
    line("in all", &dollars(sum.max(0.0)), &others.join(", "), out);
    line("so far", &exact_dollars(money.dollars_so_far), "", out);
}

fn keys(report: &Report, paint: Paint, out: &mut String) {
    let mut hottest: Vec<(String, &KeyReport, &str)> = Vec::new();
    for table in &report.tables {
        for resource in &table.resources {
            let place = match &resource.index {
                None => table.table.clone(),
                Some(index) => format!("{}/{index}", table.table),
            };
            hottest.extend(resource.hottest_read_keys.iter().map(|key| (place.clone(), key, "RRU")));
            hottest.extend(resource.hottest_write_keys.iter().map(|key| (place.clone(), key, "WRU")));
        }
    }
    let share = |key: &KeyReport| key.busiest_second_share_of_partition_percent;
    hottest.sort_by(|(_, one, _), (_, other, _)| share(other).total_cmp(&share(one)));
    hottest.truncate(SHOWN_KEYS);
    if hottest.is_empty() {
        return;
    }
    let names: Vec<String> =
        hottest.iter().map(|(place, key, _)| format!("{place}  {}", printable(&key.key))).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("HOTTEST KEYS".len());
    let head = format!("{:<width$}   {:>16}   OF A PARTITION'S LIMIT", "HOTTEST KEYS", "BUSIEST SECOND");
    let _ = writeln!(out, "\n{}", paint.bold(&head));
    for ((_, key, unit), name) in hottest.iter().zip(names) {
        let busiest = format!("{} {unit}", rate(key.busiest_second_units));
        let limit = if *unit == "RRU" { "3,000" } else { "1,000" };
        let pad = width - name.chars().count();
        let _ = writeln!(out, "{name}{:pad$}   {busiest:>16}   {:.1} % of {limit}", "", share(key));
    }
}

/// A key without what would upset a terminal.
fn printable(key: &str) -> String {
    key.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

fn advise(number: usize, advice: &Advice, paint: Paint, out: &mut String) {
    let mut lines = wrapped(&printable(&advice.sentence));
    if let Some(first) = lines.first_mut() {
        *first = paint.bold(first);
    }
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { number.to_string() } else { String::new() };
        let _ = writeln!(out, "{label:<3}{line}");
    }
    for (at, line) in wrapped(&printable(&advice.remedy)).iter().enumerate() {
        let _ = writeln!(out, "   {} {line}", if at == 0 { "→" } else { " " });
    }
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `41.0`, `1,204`: one decimal below a thousand.
fn rate(value: f64) -> String {
    if value >= 1_000.0 { grouped(value.round() as u64) } else { format!("{value:.1}") }
}

pub(crate) fn dollars(value: f64) -> String {
    let cents = (value.abs() * 100.0).round() as u64;
    format!("${}.{:02}", grouped(cents / 100), cents % 100)
}

/// Small sums to six decimals.
fn exact_dollars(value: f64) -> String {
    if value >= 1.0 { dollars(value) } else { format!("${value:.6}") }
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_grouped() {
        assert_eq!([rate(0.04), rate(41.0), rate(999.94), rate(1_204.4)], ["0.0", "41.0", "999.9", "1,204"]);
        assert_eq!(
            [dollars(0.004), dollars(125.484), dollars(1_234_567.891)],
            ["$0.00", "$125.48", "$1,234,567.89"]
        );
        assert_eq!(
            [span(90.0), span(360.0), span(9_000.0), span(200_000.0)],
            ["90 s", "6 min", "2.5 h", "2.3 days"]
        );
    }

    #[test]
    fn a_server_without_traffic_says_so() {
        let report: Report = serde_json::from_str(
            r#"{"throttle":"report","region":"us-east-1","seconds":0.0,"tables":[],"advice":[]}"#,
        )
        .unwrap();
        assert!(text(&report, false).starts_with("no traffic yet"));
    }
}
