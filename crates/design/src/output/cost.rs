//! Costs as text and as JSON, of one design or of several beside each other.

use std::fmt::Write as _;

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::money::{Money, TableClass};
use dynamometer_capacity::quantity::{dollars, percent_text, thousands};
use serde_json::{Value, json};

use super::columns;
use super::patterns::heat_words;
use crate::check::Checked;
use crate::cost::{Costs, EntityCost, MonthPoint, PatternCost, PlanCost, TargetCost};
use crate::derive::ALL_PPM;
use crate::load::Heat;
use crate::model::{Design, Entity, Pattern};
use crate::text;

/// The months of the growth table.
const MONTHS_SHOWN: [u32; 4] = [0, 12, 24, 36];

/// Everything about a design's costs, for a terminal.
pub fn cost_text(checked: &Checked<'_>, costs: &Costs, title: &str, region: &str) -> String {
    let tables = &checked.derived.design.tables;
    // The plans are in the class that their names say, all else in the class of each table.
    let own_class = match tables.iter().any(|table| table.class != TableClass::Standard) {
        true => "; plans apart, at the prices of each table's class",
        false => "",
    };
    let mut out = format!("{title}   {region}, list prices, a month of 730 hours{own_class}\n\n");
    let parts = [
        pattern_table(checked, costs),
        entity_table(checked, costs),
        target_table(checked, costs),
        plan_table(costs),
        heat_table(checked),
        growth_table(costs),
    ];
    out.push_str(&parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n"));
    let remarks = remarks(checked, costs);
    if !remarks.is_empty() {
        out.push('\n');
        for remark in remarks {
            let _ = writeln!(out, "{remark}");
        }
    }
    out
}

fn share(part: Money, whole: Money) -> String {
    match ratio(part, whole) {
        Some(ppm) => percent_text(ppm, 0),
        None => "-".into(),
    }
}

fn ratio(part: Money, whole: Money) -> Option<u64> {
    let (part, whole) = (part.picos().unsigned_abs(), whole.picos().unsigned_abs());
    (part.saturating_mul(u128::from(ALL_PPM)) + whole / 2)
        .checked_div(whole)
        .map(|ppm| u64::try_from(ppm).unwrap_or(u64::MAX))
}

/// Lays out rows of owned cells.
fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]], right: &[usize]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cells: Vec<[&str; N]> = rows.iter().map(|row| std::array::from_fn(|at| row[at].as_str())).collect();
    columns(&heads, &cells, right)
}

fn pattern_table(checked: &Checked<'_>, costs: &Costs) -> String {
    let design = checked.derived.design;
    let whole: Money = costs.patterns.iter().map(|cost| cost.month).sum();
    let mut order: Vec<usize> = (0..costs.patterns.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(costs.patterns[*at].month));
    let row = |at: usize| {
        let (pattern, cost) = (&design.patterns[at], &costs.patterns[at]);
        let rate = pattern.rate.as_ref().map_or("not said".into(), |rate| text::rate(rate.average_micro));
        match checked.services[at].served() {
            Some(served) if pattern.rate.is_none() => {
                let units = text::units(served.milli_halves());
                [pattern.name.value.clone(), rate, units, "not known".into(), String::new()]
            }
            Some(served) => [
                pattern.name.value.clone(),
                rate,
                text::units(served.milli_halves()),
                dollars(cost.month),
                share(cost.month, whole),
            ],
            None => [pattern.name.value.clone(), rate, "-".into(), "not servable".into(), String::new()],
        }
    };
    let rows: Vec<_> = order.into_iter().map(row).collect();
    table(["PATTERN", "RATE", "UNITS", "ON DEMAND", "SHARE"], &rows, &[1, 2, 3, 4])
}

fn entity_table(checked: &Checked<'_>, costs: &Costs) -> String {
    let design = checked.derived.design;
    let rows: Vec<_> = design
        .entities
        .iter()
        .zip(&costs.entities)
        .map(|(entity, cost)| {
            let count = checked.derived.count(entity).map_or("not said".into(), text::count);
            [
                entity.name.value.clone(),
                count,
                text::bytes(*entity.size_bytes),
                dollars(cost.reads),
                dollars(cost.writes),
                dollars(cost.storage),
            ]
        })
        .collect();
    table(["ENTITY", "ITEMS", "SIZE", "READS", "WRITES", "STORAGE"], &rows, &[1, 2, 3, 4, 5])
}

fn target_table(checked: &Checked<'_>, costs: &Costs) -> String {
    let row = |cost: &TargetCost| {
        let load = checked.load.targets.get(&cost.target).copied().unwrap_or_default();
        let name = checked.derived.design.target_name(cost.target);
        let indent = if cost.target.index.is_some() { "  " } else { "" };
        [
            format!("{indent}{name}"),
            text::milli(load.average_milli.read),
            text::milli(load.average_milli.write),
            dollars(cost.throughput),
            text::bytes(cost.storage_bytes),
            dollars(cost.storage),
            cost.amplification_ppm.map_or(String::new(), |ppm| percent_text(ppm, 0)),
        ]
    };
    let rows: Vec<_> = costs.targets.iter().map(row).collect();
    let heads = ["TABLE, INDEX", "RRU/s", "WRU/s", "ON DEMAND", "STORED", "STORAGE", "OF THE TABLE'S WRITES"];
    table(heads, &rows, &[1, 2, 3, 4, 5, 6])
}

fn plan_table(costs: &Costs) -> String {
    let first = costs.plans.first().and_then(total);
    let rows: Vec<_> = costs.plans.iter().map(|plan| plan_row(plan, first)).collect();
    table(["PLAN", "THROUGHPUT", "STORAGE", "A MONTH", "VERSUS", ""], &rows, &[1, 2, 3, 4])
}

fn total(plan: &PlanCost) -> Option<Money> {
    plan.month.as_ref().ok().map(|(throughput, storage)| *throughput + *storage)
}

fn plan_row(plan: &PlanCost, on_demand: Option<Money>) -> [String; 6] {
    let Ok((throughput, storage)) = &plan.month else {
        return [plan.name.into(), "no price".into(), "-".into(), "-".into(), "-".into(), String::new()];
    };
    let whole = *throughput + *storage;
    let versus = on_demand.and_then(|first| ratio(whole, first)).map_or("-".into(), |ppm| {
        let hundredths = (ppm + 5_000) / 10_000;
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    });
    let is_reserved = plan.name.starts_with("reserved");
    let remark = match (plan.reserved.read, plan.reserved.write) {
        (0, 0) if is_reserved => "too little for a lot of 100 units".to_owned(),
        (0, 0) => String::new(),
        (read, write) => {
            let [write, read] = [write, read].map(|units| thousands(&units.to_string()));
            format!("{write} WCU and {read} RCU reserved, {} up-front", dollars(plan.upfront))
        }
    };
    [plan.name.into(), dollars(*throughput), dollars(*storage), dollars(whole), versus, remark]
}

/// The hottest keys, the hottest first.
fn hottest<'a>(checked: &'a Checked<'_>) -> Vec<&'a Heat> {
    let mut heat: Vec<&Heat> = checked.load.heat.iter().filter(|heat| !heat.share_unknown).collect();
    heat.sort_by_key(|heat| std::cmp::Reverse(heat.of_limit_ppm(heat.worse())));
    heat.truncate(5);
    heat.retain(|heat| heat.of_limit_ppm(heat.worse()) > 0);
    heat
}

fn heat_table(checked: &Checked<'_>) -> String {
    let row = |heat: &Heat| {
        let dimension = heat.worse();
        let word = if dimension == Dimension::Read { "RRU/s" } else { "WRU/s" };
        let shards = match heat.shards() {
            1 => String::new(),
            shards => format!("{shards} shards would do"),
        };
        [
            checked.derived.design.target_name(heat.target),
            heat.template.to_string(),
            format!("{} {word}", text::milli(heat.hottest_milli[dimension])),
            heat_words(heat, dimension),
            shards,
        ]
    };
    let rows: Vec<_> = hottest(checked).into_iter().map(row).collect();
    table(["HOTTEST KEYS", "", "AT PEAK", "OF A PARTITION'S LIMIT", ""], &rows, &[2])
}

fn growth_table(costs: &Costs) -> String {
    let rows: Vec<_> = MONTHS_SHOWN
        .iter()
        .filter_map(|month| costs.months.iter().find(|point| point.month == *month))
        .map(|point| {
            let name = if point.month == 0 { "now".into() } else { format!("in {} months", point.month) };
            [
                name,
                text::bytes(point.storage_bytes),
                dollars(point.storage),
                dollars(point.on_demand + point.storage),
                dollars(point.provisioned + point.storage),
            ]
        })
        .collect();
    table(["GROWTH", "STORED", "STORAGE", "ON DEMAND", "PROVISIONED, 70 %"], &rows, &[1, 2, 3, 4])
}

fn remarks(checked: &Checked<'_>, costs: &Costs) -> Vec<String> {
    let design = checked.derived.design;
    let mut remarks = Vec::new();
    if costs.recovery > Money::ZERO {
        remarks
            .push(format!("point-in-time recovery: {} a month more, in every plan", dollars(costs.recovery)));
    }
    if !costs.without_count.is_empty() {
        let names: Vec<&str> =
            costs.without_count.iter().map(|at| design.entities[*at].name.as_str()).collect();
        remarks.push(format!("without storage, for nobody says how many there are: {}", names.join(", ")));
    }
    let unsaid: Vec<&str> = design
        .patterns
        .iter()
        .filter(|pattern| pattern.rate.is_none())
        .map(|pattern| pattern.name.as_str())
        .collect();
    if !unsaid.is_empty() {
        remarks.push(format!("not in any sum, for nobody says how often: {}", unsaid.join(", ")));
    }
    let whole: Money = costs.patterns.iter().map(|cost| cost.month).sum();
    if let Some((at, dearest)) = costs.patterns.iter().enumerate().max_by_key(|(_, cost)| cost.month)
        && dearest.month > Money::ZERO
    {
        let name = &design.patterns[at].name;
        let mut sentence = format!(
            "the dearest pattern is {}: {} a month, {} of all",
            **name,
            dollars(dearest.month),
            share(dearest.month, whole)
        );
        match &costs.advice {
            Some(advice) => {
                let word = if advice.halves() { "halves it" } else { "saves most" };
                let _ = write!(sentence, "\n  {word}: {} ({})", advice.change, dollars(advice.then));
            }
            None => sentence.push_str("\n  nothing that is known here makes it cheaper"),
        }
        remarks.push(sentence);
    }
    for plan in &costs.plans {
        if let Err(missing) = &plan.month {
            remarks.push(format!("no price: {missing}"));
            break;
        }
    }
    remarks
}

/// Costs as JSON.
pub fn cost_json(checked: &Checked<'_>, costs: &Costs, file: &str, region: &str) -> Value {
    let design = checked.derived.design;
    let pattern = |(pattern, cost): (&Pattern, &PatternCost)| {
        json!({
            "name": pattern.name.value,
            "readUnits": cost.consumed.read.as_f64(),
            "writeUnits": cost.consumed.write.as_f64(),
            "monthUsd": cost.month.to_string(),
        })
    };
    let entity = |(entity, cost): (&Entity, &EntityCost)| {
        json!({
            "name": entity.name.value,
            "items": checked.derived.count(entity),
            "bytes": *entity.size_bytes,
            "readsUsd": cost.reads.to_string(),
            "writesUsd": cost.writes.to_string(),
            "storageUsd": cost.storage.to_string(),
        })
    };
    json!({
        "file": file,
        "region": region,
        "patterns": design.patterns.iter().zip(&costs.patterns).map(pattern).collect::<Value>(),
        "entities": design.entities.iter().zip(&costs.entities).map(entity).collect::<Value>(),
        "tables": costs.targets.iter().map(|cost| target_json(design, cost)).collect::<Value>(),
        "plans": costs.plans.iter().map(plan_json).collect::<Value>(),
        "recoveryUsd": costs.recovery.to_string(),
        "months": costs.months.iter().map(month_json).collect::<Value>(),
        "hottestKeys": hottest(checked).into_iter().map(|heat| heat_json(design, heat)).collect::<Value>(),
        "advice": costs.advice.as_ref().map(|advice| json!({
            "pattern": design.patterns[advice.pattern].name.value,
            "change": advice.change,
            "nowUsd": advice.now.to_string(),
            "thenUsd": advice.then.to_string(),
        })),
    })
}

fn target_json(design: &Design, cost: &TargetCost) -> Value {
    json!({
        "table": *design.tables[cost.target.table].name,
        "index": design.index(cost.target).map(|index| index.name.value.clone()),
        "readUnits": cost.consumed.read.as_f64(),
        "writeUnits": cost.consumed.write.as_f64(),
        "throughputUsd": cost.throughput.to_string(),
        "storageBytes": cost.storage_bytes,
        "storageUsd": cost.storage.to_string(),
        "writesOfTheTables": cost.amplification_ppm.map(|ppm| ppm as f64 / 1e6),
    })
}

fn plan_json(plan: &PlanCost) -> Value {
    match &plan.month {
        Ok((throughput, storage)) => json!({
            "plan": plan.name,
            "throughputUsd": throughput.to_string(),
            "storageUsd": storage.to_string(),
            "monthUsd": (*throughput + *storage).to_string(),
            "reservedUnits": { "read": plan.reserved.read, "write": plan.reserved.write },
            "upfrontUsd": plan.upfront.to_string(),
        }),
        Err(missing) => json!({ "plan": plan.name, "noPrice": missing }),
    }
}

fn month_json(point: &MonthPoint) -> Value {
    json!({
        "month": point.month,
        "storageBytes": point.storage_bytes,
        "storageUsd": point.storage.to_string(),
        "onDemandUsd": (point.on_demand + point.storage).to_string(),
        "provisionedUsd": (point.provisioned + point.storage).to_string(),
    })
}

fn heat_json(design: &Design, heat: &Heat) -> Value {
    let dimension = heat.worse();
    json!({
        "table": *design.tables[heat.target.table].name,
        "index": design.index(heat.target).map(|index| index.name.value.clone()),
        "key": heat.template.to_string(),
        "kind": if dimension == Dimension::Read { "read" } else { "write" },
        "unitsPerSecond": heat.hottest_milli[dimension] as f64 / 1e3,
        "ofLimit": heat.of_limit_ppm(dimension) as f64 / 1e6,
        "shards": heat.shards(),
    })
}

/// A design beside others: its name, and all that was found out.
pub struct Compared<'a> {
    /// What it is called.
    pub title: String,
    /// How it is served and loaded.
    pub checked: &'a Checked<'a>,
    /// What it costs.
    pub costs: &'a Costs,
}

/// Several designs beside each other.
pub fn compare_text(designs: &[Compared<'_>], region: &str) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut add = |name: &str, cell: &dyn Fn(&Compared<'_>) -> String| {
        rows.push([name.to_owned()].into_iter().chain(designs.iter().map(cell)).collect());
    };
    add("tables, indexes", &|of| {
        let tables = &of.checked.derived.design.tables;
        format!("{}, {}", tables.len(), tables.iter().map(|table| table.indexes.len()).sum::<usize>())
    });
    add("patterns served", &|of| {
        let served = of.checked.services.iter().filter(|service| service.served().is_some()).count();
        format!("{served} of {}", of.checked.services.len())
    });
    add("read units/s", &|of| text::milli(sum_of(of, |load| load.average_milli.read)));
    add("write units/s", &|of| text::milli(sum_of(of, |load| load.average_milli.write)));
    add("index writes of the tables'", &|of| {
        let (own, indexes) = writes(of);
        indexes.saturating_mul(ALL_PPM).checked_div(own).map_or("-".into(), |ppm| percent_text(ppm, 0))
    });
    add("stored", &|of| {
        text::bytes(of.costs.targets.iter().map(|cost| cost.storage_bytes).fold(0, u64::saturating_add))
    });
    add("stored in 36 months", &|of| {
        text::bytes(of.costs.months.last().map_or(0, |point| point.storage_bytes))
    });
    add("hottest key", &|of| {
        hottest(of.checked).first().map_or("-".into(), |heat| heat_words(heat, heat.worse()))
    });
    if let Some(first) = designs.first() {
        for (at, plan) in first.costs.plans.iter().enumerate() {
            add(plan.name, &|of| total(&of.costs.plans[at]).map_or("no price".into(), dollars));
        }
    }
    add("point-in-time recovery", &|of| dollars(of.costs.recovery));
    let heads: Vec<String> =
        [String::new()].into_iter().chain(designs.iter().map(|of| of.title.clone())).collect();
    format!("a month at list prices, {region}\n\n{}", grid(&heads, &rows))
}

fn sum_of(of: &Compared<'_>, part: impl Fn(&crate::load::TargetLoad) -> u64) -> u64 {
    of.checked.load.targets.values().map(part).fold(0, u64::saturating_add)
}

/// Write units of tables, and of indexes.
fn writes(of: &Compared<'_>) -> (u64, u64) {
    of.checked.load.targets.iter().fold((0_u64, 0_u64), |(own, indexes), (target, load)| match target.index {
        None => (own.saturating_add(load.average_milli.write), indexes),
        Some(_) => (own, indexes.saturating_add(load.average_milli.write)),
    })
}

/// Columns whose number is not known beforehand.
fn grid(heads: &[String], rows: &[Vec<String>]) -> String {
    use crate::source::{padded, width};
    let wide = |column: usize| {
        rows.iter().chain([&heads.to_vec()]).map(|row| width(&row[column])).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(wide).collect();
    let mut out = String::new();
    for row in [&heads.to_vec()].into_iter().chain(rows) {
        let mut line = padded(&row[0], widths[0]);
        for (cell, room) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("   {}{cell}", " ".repeat(room - width(cell))));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
