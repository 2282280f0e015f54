//! The outcomes as a table for the terminal, and as JSON.

use dynamometer_capacity::money::Money;
use dynamometer_capacity::simulate::Outcome;
use serde_json::{Value, json};

use crate::quantity::{dollars, percent_text, thousands};

/// The heads of the table.
pub const HEADS: [&str; 5] = ["", "THROTTLED", "WORST MINUTE", "UNITS (M)", "A MONTH"];

/// A setting in words.
pub struct Row {
    /// The setting.
    pub name: String,
    /// The share of requests that were refused.
    pub throttled: String,
    /// When it was worst, and how bad.
    pub worst: String,
    /// Millions of units.
    pub units: String,
    /// Dollars, with what is paid once.
    pub month: String,
}

impl Row {
    /// Words an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let worst = outcome.worst.map_or("-".to_owned(), |worst| {
            let (_, month, day, hour, minute, ..) = worst.at.civil();
            format!("{month:02}-{day:02} {hour:02}:{minute:02}  {:>5}", percent_text(worst.refused_ppm, 0))
        });
        let thousandths = (outcome.units().halves() + 1_000) / 2_000;
        let units = match thousandths {
            0..10_000 => format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000),
            _ => {
                let tenths = (thousandths + 50) / 100;
                format!("{}.{}", thousands(&(tenths / 10).to_string()), tenths % 10)
            }
        };
        let once = match outcome.once {
            Money::ZERO => String::new(),
            amount => format!(" + {} once", dollars(amount)),
        };
        Self {
            name: outcome.setting.to_string(),
            throttled: percent_text(outcome.refused_ppm(), 2),
            worst,
            units,
            month: outcome.month.map_or("no price".to_owned(), |month| format!("{}{once}", dollars(month))),
        }
    }
}

/// The table for a terminal.
pub fn text(outcomes: &[Outcome]) -> String {
    let rows: Vec<Row> = outcomes.iter().map(Row::of).collect();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let [name, throttled, worst, units, month] = HEADS;
    let mut out = format!("{name:width$}  {throttled:>9}   {worst:<19}  {units:>10}   {month:>10}\n");
    for row in &rows {
        let (month, once) = row
            .month
            .split_once(" + ")
            .map_or((row.month.as_str(), String::new()), |(month, once)| (month, format!(" + {once}")));
        let line = format!(
            "{:width$}  {:>9}   {:<19}  {:>10}   {month:>10}{once}",
            row.name, row.throttled, row.worst, row.units
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let mut reasons: Vec<String> = Vec::new();
    for outcome in outcomes {
        if let Some(reason) = outcome.reasons.first() {
            let share = percent_text(share_of(reason.count, outcome), 0);
            reasons.push(format!(
                "{:width$}  {share} of its throttles: {}",
                outcome.setting.to_string(),
                reason.text()
            ));
        }
    }
    if !reasons.is_empty() {
        out.push('\n');
        out.push_str(&reasons.join("\n"));
        out.push('\n');
    }
    if let Some(missing) = outcomes.iter().find_map(|outcome| outcome.bill.as_ref().err()) {
        out.push_str(&format!("no price: {missing}\n"));
    }
    out
}

fn share_of(count: u64, outcome: &Outcome) -> u64 {
    let all: u64 = outcome.reasons.iter().map(|reason| reason.count).sum();
    (u128::from(count) * 1_000_000).checked_div(u128::from(all)).unwrap_or(0) as u64
}

/// All figures but the minutes.
pub fn json(outcome: &Outcome) -> Value {
    let bill = outcome.bill.as_ref().ok().map(|bill| {
        let line = |line: &dynamometer_capacity::money::BillLine| {
            json!({
                "item": line.item.name(),
                "quantity": line.quantity as f64 / line.divisor as f64,
                "usd": line.amount.to_string(),
            })
        };
        bill.lines.iter().map(line).collect::<Vec<_>>()
    });
    let reasons: Vec<Value> = outcome
        .reasons
        .iter()
        .map(|reason| json!({ "reason": reason.text(), "count": reason.count }))
        .collect();
    let mut value = json!({
        "setting": outcome.setting.to_string(),
        "asked": { "read": outcome.asked.read, "write": outcome.asked.write },
        "throttled": { "read": outcome.refused.read, "write": outcome.refused.write },
        "throttledShare": outcome.refused_ppm() as f64 / 1e6,
        "worstMinute": outcome.worst.map(|worst| json!({
            "at": worst.at.to_string(),
            "throttledShare": worst.refused_ppm as f64 / 1e6,
        })),
        "reasons": reasons,
        "units": { "read": outcome.consumed.read.as_f64(), "write": outcome.consumed.write.as_f64() },
        "monthUsd": outcome.month.map(|month| month.to_string()),
        "onceUsd": outcome.once.to_string(),
        "bill": bill,
        "noPrice": outcome.bill.as_ref().err(),
        "scalings": outcome.scalings,
        "scalingsRefused": outcome.scalings_refused,
    });
    if let Some(differing) = outcome.differing {
        value["decisionsThatDiffer"] = json!(differing);
    }
    value
}

/// The minutes as arrays, column by column.
pub fn minutes_json(outcome: &Outcome) -> Value {
    let column = |of: &dyn Fn(&dynamometer_capacity::simulate::MinutePoint) -> u64| -> Vec<u64> {
        outcome.minutes.iter().map(of).collect()
    };
    json!({
        "askedReads": column(&|point| point.asked.read),
        "askedWrites": column(&|point| point.asked.write),
        "throttledReads": column(&|point| point.refused.read),
        "throttledWrites": column(&|point| point.refused.write),
        "consumedReadHalfUnits": column(&|point| point.consumed_halves.read),
        "consumedWriteHalfUnits": column(&|point| point.consumed_halves.write),
        "allowedReadUnitsPerSecond": column(&|point| point.allowed.read),
        "allowedWriteUnitsPerSecond": column(&|point| point.allowed.write),
        "partitions": column(&|point| point.partitions),
    })
}
