//! `dyno cost`: what a load costs a month in every plan, side by side.

mod cloudwatch;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dynamometer_capacity::admission::{Dimension, PerDimension};
use dynamometer_capacity::meter::{meter_item_read, meter_item_write, write_blocks};
use dynamometer_capacity::money::{
    Money, PriceTable, Quote, QuoteLoad, QuotePlan, RegionPrices, ReservedTerm, TableClass, quote,
};
use dynamometer_capacity::trace::Consumed;
use dynamometer_capacity::{CapacityUnits, Consistency};
use dynamometer_design::model::Design;
use dynamometer_types::limits::ITEM_BYTES;
use serde_json::{Value, json};

use self::cloudwatch::{Consumption, Series};
use crate::design;
use crate::files::read_file;
use crate::problem::Problem;
use crate::quantity::{self, dollars, percent_text};
use crate::trace_file::read_trace;

const MONTH_SECONDS: u64 = 730 * 3_600;
/// Whose prices hold when nobody names a region.
const DEFAULT_REGION: &str = "us-east-1";

/// What a design says itself, or is priced by in its own way.
const NOT_WITH_DESIGN: [&str; 11] = [
    "writes",
    "reads",
    "item",
    "consistency",
    "indexes",
    "index_item",
    "storage",
    "cloudwatch",
    "trace",
    "target",
    "free_tier",
];

/// Flags of `dyno cost`.
#[derive(Clone, Debug, Args)]
pub struct CostArgs {
    /// How often items are written: 200/s, 12000/min, 3M/day.
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    writes: Option<u64>,
    /// How often items are read.
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    reads: Option<u64>,
    /// The size of an item: 1.5KB.
    #[arg(long, value_name = "SIZE", default_value = "1KB", value_parser = item_size)]
    item: u64,
    /// How consistent reads are.
    #[arg(long, value_enum, default_value_t = ReadConsistency::Eventual)]
    consistency: ReadConsistency,
    /// Index entries that a write changes on average: 2, or 0.6 when indexes are sparse.
    #[arg(long, value_name = "COUNT", default_value = "0", value_parser = entries)]
    indexes: u64,
    /// The size of an index entry, if not that of the item.
    #[arg(long, value_name = "SIZE", value_parser = item_size)]
    index_item: Option<u64>,
    /// What is stored, with 100 bytes more for each item and index entry: 30GB.
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = quantity::size)]
    storage: u64,
    /// Exports of consumed units from CloudWatch, CSV or JSON, instead of rates.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["writes", "reads", "indexes"])]
    cloudwatch: Vec<PathBuf>,
    /// A trace of `dyno serve --record`, instead of rates.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["writes", "reads", "indexes", "cloudwatch"])]
    trace: Option<PathBuf>,
    /// Design files, instead of rates: what `dyno design cost` prints.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = NOT_WITH_DESIGN)]
    design: Vec<PathBuf>,
    /// The share to which provisioned throughput is used.
    #[arg(long, value_name = "PERCENT", default_value = "70%", value_parser = target)]
    target: u64,
    /// Take off what is free each month: 25 provisioned read and write units and 25 GB.
    #[arg(long)]
    free_tier: bool,
    #[command(flatten)]
    prices: PriceArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Flags that choose prices.
#[derive(Clone, Debug, Default, Args)]
pub struct PriceArgs {
    /// The region whose prices to use; without it the one that a design names, or us-east-1.
    #[arg(long, env = "DYNO_REGION")]
    region: Option<String>,
    /// Prices that correct or add to the built-in ones: CSV in the same form.
    #[arg(long, env = "DYNO_PRICES", value_name = "FILE")]
    prices: Option<PathBuf>,
}

/// How consistent reads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReadConsistency {
    /// Half a unit for each 4 KB.
    Eventual,
    /// A unit.
    Strong,
    /// Two units.
    Transactional,
}

impl From<ReadConsistency> for Consistency {
    fn from(consistency: ReadConsistency) -> Self {
        match consistency {
            ReadConsistency::Eventual => Self::Eventual,
            ReadConsistency::Strong => Self::Strong,
            ReadConsistency::Transactional => Self::Transactional,
        }
    }
}

fn entries(text: &str) -> Result<u64, String> {
    quantity::decimal(text, 3).filter(|milli| *milli <= 20_000).ok_or_else(|| {
        format!("`{text}` is no count of index entries: write a number from 0 to 20, such as 2 or 0.6")
    })
}

fn item_size(text: &str) -> Result<u64, String> {
    match quantity::size(text)? {
        bytes if bytes > ITEM_BYTES => Err(format!("`{text}` is too much: an item has at most 400 KB")),
        bytes => Ok(bytes),
    }
}

fn target(text: &str) -> Result<u64, String> {
    let with_sign = if text.trim().ends_with('%') { text.to_owned() } else { format!("{text}%") };
    quantity::percent(&with_sign).ok().filter(|ppm| *ppm > 0).ok_or_else(|| {
        format!("`{text}` is no utilization: write a percentage above 0 and up to 100, such as 70")
    })
}

impl PriceArgs {
    /// The price table, with the file's prices laid over it.
    pub fn table(&self) -> Result<PriceTable, Problem> {
        let mut table = PriceTable::builtin();
        if let Some(file) = &self.prices {
            let text = read_file(file)?;
            let own = PriceTable::parse(&file.display().to_string(), &text).map_err(Problem::wrong)?;
            table.overlay(own);
        }
        Ok(table)
    }

    /// The region that was named, or us-east-1.
    pub fn region(&self) -> &str {
        self.region.as_deref().unwrap_or(DEFAULT_REGION)
    }

    /// The region that was named, or the design's, or us-east-1.
    pub fn region_of<'r>(&'r self, design: &'r Design) -> &'r str {
        let own = design.region.as_ref().map(|region| region.value.as_str());
        self.region.as_deref().or(own).unwrap_or(DEFAULT_REGION)
    }
}

/// A load, and the words for it.
struct Load {
    quote: QuoteLoad,
    /// Half units per second, in thousandths.
    milli_halves: PerDimension<u64>,
    words: String,
    /// From an export: how the mean compares with the peak.
    observed: Option<Consumption>,
}

/// Runs `dyno cost`; answers what to print.
pub fn cost(args: &CostArgs) -> Result<String, Problem> {
    if !args.design.is_empty() {
        return design::price(&args.design, &args.prices, args.json);
    }
    let table = args.prices.table()?;
    let prices = table.region(args.prices.region()).map_err(Problem::wrong)?;
    let load = match (&args.trace, &args.cloudwatch[..]) {
        (Some(file), _) => load_of_series(args, &series_of_trace(file)?)?,
        (None, []) => load_of_flags(args)?,
        (None, files) => load_of_series(args, &series_of_exports(files)?)?,
    };
    let rows = rows(args, &prices, &load)?;
    Ok(match args.json {
        true => as_json(args, &load, &rows),
        false => as_text(args, &load, &rows),
    })
}

fn load_of_flags(args: &CostArgs) -> Result<Load, Problem> {
    let (reads, writes) = (args.reads.unwrap_or(0), args.writes.unwrap_or(0));
    if reads == 0 && writes == 0 && args.storage == 0 {
        return Err(Problem::wrong("there is nothing to price").hint(
            "dyno cost --writes 200/s --reads 900/s --item 1.5KB, or --design FILE, or --cloudwatch FILE for consumed units that were exported, or --trace FILE",
        ));
    }
    let read = meter_item_read(Some(args.item), args.consistency.into()).halves();
    let write = meter_item_write(None, Some(args.item), false).halves();
    let entry = write_blocks(args.index_item.unwrap_or(args.item)) * 2;
    let milli_halves = PerDimension::new(
        reads.saturating_mul(read),
        writes.saturating_mul(write)
            + (u128::from(writes) * u128::from(entry) * u128::from(args.indexes) / 1_000) as u64,
    );
    let month = |milli: u64| {
        CapacityUnits::from_halves((u128::from(milli) * u128::from(MONTH_SECONDS) / 1_000) as u64)
    };
    let words = format!(
        "{} WRU/s and {} RRU/s: items of {} bytes, {} reads{}",
        units_text(milli_halves.write),
        units_text(milli_halves.read),
        quantity::thousands(&args.item.to_string()),
        match args.consistency {
            ReadConsistency::Eventual => "eventually consistent",
            ReadConsistency::Strong => "strongly consistent",
            ReadConsistency::Transactional => "transactional",
        },
        match args.indexes {
            0 => String::new(),
            milli => format!(", {} index entries a write", milli_text(milli)),
        },
    );
    let consumed = milli_halves.map(month);
    let quote =
        QuoteLoad { consumed, peak_halves: None, storage_bytes: args.storage, free_tier: args.free_tier };
    Ok(Load { quote, milli_halves, words, observed: None })
}

fn series_of_exports(files: &[PathBuf]) -> Result<Series, Problem> {
    let mut series = Series::default();
    for file in files {
        series.add_file(&file.display().to_string(), &read_file(file)?).map_err(Problem::wrong)?;
    }
    Ok(series)
}

fn series_of_trace(file: &Path) -> Result<Series, Problem> {
    let mut consumed = Consumed::default();
    read_trace(file, |event, _| consumed.add(&event))?;
    let mut series = Series::default();
    consumed.minutes().for_each(|(second, halves)| series.add_minute(second, halves));
    if consumed.minutes().next().is_none() {
        return Err(Problem::wrong(format!("{}: the trace has no request in it", file.display())));
    }
    Ok(series)
}

fn load_of_series(args: &CostArgs, series: &Series) -> Result<Load, Problem> {
    let observed = series.consumption().map_err(Problem::wrong)?;
    let scale = |halves: u64, to: u64| {
        (u128::from(halves) * u128::from(to) / u128::from(observed.span_seconds)) as u64
    };
    let consumed = observed.halves.map(|halves| CapacityUnits::from_halves(scale(halves, MONTH_SECONDS)));
    let milli_halves = observed.halves.map(|halves| scale(halves, 1_000));
    let words = format!(
        "{} WRU/s and {} RRU/s on average over {} h of {} s periods, peak {} and {}",
        units_text(milli_halves.write),
        units_text(milli_halves.read),
        milli_text(observed.span_seconds * 10 / 36),
        observed.period_seconds,
        units_text(observed.peak_halves.write * 1_000),
        units_text(observed.peak_halves.read * 1_000),
    );
    let quote = QuoteLoad {
        consumed,
        peak_halves: Some(observed.peak_halves),
        storage_bytes: args.storage,
        free_tier: args.free_tier,
    };
    Ok(Load { quote, milli_halves, words, observed: Some(observed) })
}

/// Thousandths of half units per second as units with up to two decimals.
fn units_text(milli_halves: u64) -> String {
    milli_text(milli_halves / 2)
}

/// Thousandths with up to two decimals.
fn milli_text(milli: u64) -> String {
    let hundredths = (milli + 5) / 10;
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) =
        text.split_once('.').map_or((text, String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    format!("{}{rest}", quantity::thousands(whole))
}

/// A line of the table: how it is called, the quote, a remark. A quote that the region has no price for is a sentence.
struct Row {
    name: String,
    quote: Result<Quote, String>,
    remark: String,
}

fn rows(args: &CostArgs, prices: &RegionPrices<'_>, load: &Load) -> Result<Vec<Row>, Problem> {
    let target = percent_text(args.target, 0);
    let mut plans = vec![
        ("on-demand".to_owned(), QuotePlan::OnDemand(TableClass::Standard), ""),
        (
            "provisioned, 100 %".to_owned(),
            QuotePlan::Provisioned(TableClass::Standard, 1_000_000),
            "not reachable: no room for bursts",
        ),
        (format!("provisioned, {target}"), QuotePlan::Provisioned(TableClass::Standard, args.target), "T"),
    ];
    if load.observed.is_some() {
        plans.push((
            "provisioned, its peak".to_owned(),
            QuotePlan::AtPeak,
            "always enough for the highest period",
        ));
    }
    let reserved = |term| QuotePlan::Reserved(term, args.target);
    let ia = TableClass::StandardInfrequentAccess;
    plans.extend([
        (format!("reserved 1 y, {target}"), reserved(ReservedTerm::OneYear), "R"),
        (format!("reserved 3 y, {target}"), reserved(ReservedTerm::ThreeYears), "R"),
        ("Standard-IA, on-demand".to_owned(), QuotePlan::OnDemand(ia), ""),
        (format!("Standard-IA, {target}"), QuotePlan::Provisioned(ia, args.target), "T"),
    ]);
    let mut rows = Vec::new();
    for (name, plan, remark) in plans {
        let found = quote(prices, &load.quote, plan).map_err(|missing| missing.to_string());
        let remark = match (remark, &found) {
            ("T", _) => format!("target tracking at {target}"),
            ("R", Ok(quote)) => reserved_text(quote),
            ("R", Err(_)) => String::new(),
            (other, _) => other.to_owned(),
        };
        rows.push(Row { name, quote: found, remark });
    }
    if rows.iter().all(|row| row.quote.is_err())
        && let Some(missing) = rows.first().and_then(|row| row.quote.as_ref().err())
    {
        return Err(Problem::wrong(missing).hint("dyno cost --prices FILE"));
    }
    Ok(rows)
}

fn reserved_text(quote: &Quote) -> String {
    match (quote.reserved.write, quote.reserved.read) {
        (0, 0) => "too little for a lot of 100 units".to_owned(),
        (write, read) => {
            let [write, read] = [write, read].map(|units| quantity::thousands(&units.to_string()));
            format!("{write} WCU and {read} RCU reserved, {} up-front", dollars(quote.upfront))
        }
    }
}

fn ratio(part: Money, whole: Money) -> Option<u64> {
    let (part, whole) = (part.picos().unsigned_abs(), whole.picos().unsigned_abs());
    (part * 1_000_000 + whole / 2).checked_div(whole).map(|ppm| u64::try_from(ppm).unwrap_or(u64::MAX))
}

/// The quotes on demand and provisioned at 100 %.
fn both(rows: &[Row]) -> Option<(&Quote, &Quote)> {
    let find = |plan: QuotePlan| {
        rows.iter().filter_map(|row| row.quote.as_ref().ok()).find(|quote| quote.plan == plan)
    };
    Some((
        find(QuotePlan::OnDemand(TableClass::Standard))?,
        find(QuotePlan::Provisioned(TableClass::Standard, 1_000_000))?,
    ))
}

/// From which utilization on provisioned throughput is cheaper, in parts per million.
fn break_even(rows: &[Row]) -> Option<u64> {
    let (on_demand, provisioned) = both(rows)?;
    ratio(provisioned.throughput, on_demand.throughput).filter(|ppm| *ppm > 0)
}

fn as_text(args: &CostArgs, load: &Load, rows: &[Row]) -> String {
    let mut out = format!("{}, {}\n", load.words, args.prices.region());
    // The first plan is on demand; where that has no price, nothing is compared with it.
    let on_demand = rows.first().and_then(|row| row.quote.as_ref().ok()).map(Quote::total);
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    out.push_str(&format!("{:width$}   {:>12}    VERSUS\n", "", "A MONTH"));
    for row in rows {
        let (amount, versus) = match &row.quote {
            Ok(quote) => {
                let versus = on_demand.and_then(|whole| ratio(quote.total(), whole));
                let versus = versus.map_or("-".to_owned(), |ppm| {
                    let hundredths = (ppm + 5_000) / 10_000;
                    format!("{}.{:02}", hundredths / 100, hundredths % 100)
                });
                (dollars(quote.total()), versus)
            }
            Err(_) => ("no price".to_owned(), "-".to_owned()),
        };
        let line = format!("{:width$}   {amount:>12}    {versus:>6}   {}", row.name, row.remark);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(sentence) = verdict(load, rows) {
        out.push_str(&sentence);
        out.push('\n');
    }
    if !args.free_tier {
        out.push_str("list prices: --free-tier takes off what is free each month\n");
    }
    if let Some(missing) = rows.iter().find_map(|row| row.quote.as_ref().err()) {
        out.push_str(&format!(
            "no price: {missing}\n  --prices FILE takes one; docs/cost-and-simulate.md shows its form\n"
        ));
    }
    out
}

/// Where provisioned begins to be cheaper, and on which side this load is.
fn verdict(load: &Load, rows: &[Row]) -> Option<String> {
    let break_even = break_even(rows)?;
    let share = percent_text(break_even, 0);
    let start = format!("break-even: provisioned is cheaper above {share} sustained use");
    let Some(observed) = &load.observed else {
        return Some(format!("{start}; this load must keep {share} of its own peak."));
    };
    let kept = |dimension: Dimension| -> Option<u64> {
        let peak = u128::from(observed.peak_halves[dimension]) * u128::from(observed.span_seconds);
        (u128::from(observed.halves[dimension]) * 1_000_000).checked_div(peak).map(|ppm| ppm as u64)
    };
    let of = |dimension: Dimension, word: &str| {
        kept(dimension).map(|ppm| format!("{} of their peak in {word}", percent_text(ppm, 0)))
    };
    let kept: Vec<String> =
        [of(Dimension::Write, "writes"), of(Dimension::Read, "reads")].into_iter().flatten().collect();
    let at_peak =
        rows.iter().filter_map(|row| row.quote.as_ref().ok()).find(|quote| quote.plan == QuotePlan::AtPeak);
    let (on_demand, _) = both(rows)?;
    let side = match at_peak.is_some_and(|quote| quote.throughput < on_demand.throughput) {
        true => "so even throughput fixed at the peak is cheaper than on-demand",
        false => "so throughput fixed at the peak is dearer than on-demand",
    };
    Some(format!("{start}; these units keep {}, {side}.", kept.join(" and ")))
}

fn as_json(args: &CostArgs, load: &Load, rows: &[Row]) -> String {
    let plans: Vec<Value> = rows
        .iter()
        .map(|row| match &row.quote {
            Ok(quote) => json!({
                "plan": row.name,
                "monthUsd": quote.total().to_string(),
                "throughputUsd": quote.throughput.to_string(),
                "storageUsd": quote.storage.to_string(),
                "reservedUnits": { "read": quote.reserved.read, "write": quote.reserved.write },
                "upfrontUsd": quote.upfront.to_string(),
                "remark": row.remark,
            }),
            Err(missing) => json!({ "plan": row.name, "noPrice": missing }),
        })
        .collect();
    let units = |halves: u64| halves as f64 / 2.0;
    let per_second = |milli_halves: u64| milli_halves as f64 / 2_000.0;
    let value = json!({
        "region": args.prices.region(),
        "unitsPerSecond": { "read": per_second(load.milli_halves.read), "write": per_second(load.milli_halves.write) },
        "unitsPerMonth": {
            "read": units(load.quote.consumed.read.halves()),
            "write": units(load.quote.consumed.write.halves()),
        },
        "storageBytes": args.storage,
        "targetUtilization": args.target as f64 / 1e6,
        "freeTier": args.free_tier,
        "breakEvenUtilization": break_even(rows).map(|ppm| ppm as f64 / 1e6),
        "plans": plans,
    });
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}
