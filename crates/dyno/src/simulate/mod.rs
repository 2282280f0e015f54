//! `dyno simulate`: a month of load under several settings, in seconds.

mod chart;
mod load_file;
mod page;
mod table;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dynamometer_capacity::Constants;
use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::money::RegionPrices;
use dynamometer_capacity::simulate::{
    IndexLoad, KeySpace, Load, Outcome, ReplayUnderError, Schedule, Setting, Size, Skew, Spike, Stream,
    first_request, replay_under, simulate as play, trace_start,
};
use dynamometer_types::Timestamp;
use serde_json::json;

use crate::cost::{PriceArgs, ReadConsistency};
use crate::files::{read_file, why_not_written};
use crate::problem::Problem;
use crate::quantity;
use crate::trace_file::read_trace;

/// Flags of `dyno simulate`.
#[derive(Clone, Debug, Args)]
pub struct SimulateArgs {
    /// How often items are written, on average: 200/s, 12000/min, 3M/day.
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    writes: Option<u64>,
    /// How often items are read, on average.
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    reads: Option<u64>,
    /// The size of an item, or several with their shares: "300B 70%, 4KB 30%".
    #[arg(long, value_name = "SIZES", default_value = "1KB", value_parser = item_sizes)]
    item: Sizes,
    /// How consistent reads are.
    #[arg(long, value_enum, default_value_t = ReadConsistency::Eventual)]
    consistency: ReadConsistency,
    /// How many partition keys there are.
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    keys: u64,
    /// How requests are spread over them: uniform, zipf, zipf:1.2, hot:30%, time:1d.
    #[arg(long, value_name = "SKEW", default_value = "zipf", value_parser = load_file::skew)]
    skew: Skew,
    /// Items of each partition key that are asked for evenly.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    items_per_key: u64,
    /// The share of reads that want all items of a partition key.
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = quantity::percent)]
    gather: u64,
    /// Global secondary indexes, each with an entry of the item's largest size for every item, on evenly used keys.
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=20))]
    indexes: u64,
    /// How busy the hours are: flat, day or office.
    #[arg(long, value_name = "PROFILE", default_value = "day", value_parser = load_file::profile)]
    profile: Schedule,
    /// What is stored.
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = quantity::size)]
    storage: u64,
    /// How many days, such as 30 or 0.25.
    #[arg(long = "days", value_name = "DAYS", default_value = "30", value_parser = quantity::days)]
    minutes: u64,
    /// When it begins, in UTC; unless given the day of the first spike, or 2026-06-01, a Monday.
    #[arg(long, value_name = "MOMENT", value_parser = quantity::moment)]
    start: Option<Timestamp>,
    /// More for a while: "2026-07-01T10:00 x12 20m". May stand several times.
    #[arg(long, value_name = "SPIKE", value_parser = spike)]
    spike: Vec<Spike>,
    /// Where chance begins: the same number gives the same result.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A load file instead of these flags.
    #[arg(long, value_name = "FILE", conflicts_with_all = LOAD_FLAGS)]
    load: Option<PathBuf>,
    /// A recorded trace instead of a load that is made up.
    #[arg(long, value_name = "FILE", conflicts_with_all = LOAD_FLAGS, conflicts_with = "load")]
    trace: Option<PathBuf>,
    /// What to compare, separated by commas: on-demand, warm, prov:70, fixed:450/400, reserved:1y, shards:10, and joined by +.
    /// Unless given: on-demand,warm,prov:70,shards:10, and for traces recorded,on-demand,prov:70.
    #[arg(long, value_name = "SETTINGS", value_parser = settings)]
    settings: Option<Settings>,
    #[command(flatten)]
    prices: PriceArgs,
    /// Where to write simulation.html, simulation.svg and simulation.json.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const LOAD_FLAGS: [&str; 15] = [
    "writes",
    "reads",
    "item",
    "consistency",
    "keys",
    "skew",
    "items_per_key",
    "gather",
    "indexes",
    "profile",
    "storage",
    "minutes",
    "start",
    "spike",
    "seed",
];

type Sizes = Arc<[(u64, u32)]>;
type Settings = Arc<[Setting]>;

fn item_sizes(text: &str) -> Result<Sizes, String> {
    quantity::sizes(text).map(Arc::from)
}

fn settings(text: &str) -> Result<Settings, String> {
    Setting::parse_list(text).map(Arc::from).map_err(|error| error.to_string())
}

/// A moment, a multiple and a span.
fn spike(text: &str) -> Result<Spike, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [at, times, span] = words[..] else {
        return Err(format!(
            "`{text}` is no spike: write a moment, a multiple and a span, such as \"2026-07-01T10:00 x12 20m\""
        ));
    };
    Ok(Spike {
        at: quantity::moment(at)?,
        times_milli: quantity::times(times)?,
        seconds: quantity::span(span)?,
    })
}

/// What was played, in a line, and how it came out.
struct Simulation {
    heading: String,
    start: Timestamp,
    outcomes: Vec<Outcome>,
    assumptions: Vec<String>,
}

/// Runs `dyno simulate`; answers what to print.
pub fn simulate(args: &SimulateArgs) -> Result<String, Problem> {
    let table = args.prices.table()?;
    let prices = table.region(args.prices.region()).map_err(Problem::wrong)?;
    let simulation = match &args.trace {
        Some(file) => replay(args, file, &prices)?,
        None => synthetic(args, &prices)?,
    };
    let mut out = match args.json {
        true => pretty(&as_json(args, &simulation, false)),
        false => format!("{}\n{}", simulation.heading, table::text(&simulation.outcomes)),
    };
    match &args.out {
        Some(folder) => {
            let written = write_files(args, folder, &simulation)?;
            if !args.json {
                out.push_str(&format!("wrote {written}\n"));
            }
        }
        None if !args.json => out.push_str("charts and minutes: --out DIR\n"),
        None => {}
    }
    Ok(out)
}

fn synthetic(args: &SimulateArgs, prices: &RegionPrices<'_>) -> Result<Simulation, Problem> {
    let load = match &args.load {
        Some(file) => {
            load_file::read(&file.display().to_string(), &read_file(file)?).map_err(Problem::wrong)?
        }
        None => load_of_flags(args)?,
    };
    let settings = settings_of(args, "on-demand,warm,prov:70,shards:10")?;
    let mut progress = Progress::new(load.minutes);
    let outcomes =
        play(&load, &settings, prices, &Arc::new(Constants::default()), |minute| progress.show(minute))
            .map_err(|error| match load.streams.is_empty() {
                true => Problem::wrong(error).hint("dyno simulate --writes 200/s --reads 900/s --item 1.5KB"),
                false => Problem::wrong(error),
            })?;
    progress.clear();
    let each: Vec<String> = load.streams.iter().map(|stream| stream_text(stream, &load)).collect();
    let begins = match load.start.millis().rem_euclid(86_400_000) {
        0 => quantity::minute_text(load.start)[..10].to_owned(),
        _ => quantity::minute_text(load.start),
    };
    let (length, each) = (length_text(load.minutes), each.join(", "));
    let heading = format!("{length} from {begins}: {each}; seed {}, {}", load.seed, prices.region());
    Ok(Simulation { heading, start: load.start, outcomes, assumptions: assumptions(true) })
}

/// `30 days`, or hours and minutes where it is less than whole days.
fn length_text(minutes: u64) -> String {
    match (minutes / 1_440, minutes % 1_440) {
        (1, 0) => "1 day".to_owned(),
        (days, 0) => format!("{days} days"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

/// How long a trace is: a month is what it cost, stretched.
fn span_text(millis: u64) -> String {
    match millis {
        0..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        60_000..7_200_000 => format!("{} min", millis / 60_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}

fn stream_text(stream: &Stream, load: &Load) -> String {
    let milli = stream.milli_per_second;
    let rate = match milli % 1_000 {
        0 => quantity::thousands(&(milli / 1_000).to_string()),
        rest => format!("{}.{rest:03}", milli / 1_000),
    };
    let keys = &load.key_spaces[stream.keys];
    let skew = match keys.skew {
        Skew::Uniform => "evenly used".to_owned(),
        Skew::Zipf(hundredths) => format!("Zipf {}.{:02}", hundredths / 100, hundredths % 100),
        Skew::Hot(ppm) => format!("{} on one", quantity::percent_text(ppm, 0)),
        Skew::Time(minutes) => format!("the newest of each {minutes} min"),
    };
    let count = match keys.count {
        1 => "1 key".to_owned(),
        count => format!("{} keys", quantity::thousands(&count.to_string())),
    };
    format!("{} {rate}/s on {count} ({skew})", stream.name)
}

fn settings_of(args: &SimulateArgs, usual: &str) -> Result<Settings, Problem> {
    match &args.settings {
        Some(settings) => Ok(settings.clone()),
        None => settings(usual).map_err(Problem::failed),
    }
}

fn load_of_flags(args: &SimulateArgs) -> Result<Load, Problem> {
    let stream = |name: &str, dimension, rate: Option<u64>| Stream {
        name: name.to_owned(),
        dimension,
        milli_per_second: rate.unwrap_or(0),
        sizes: args.item.iter().map(|(bytes, weight)| Size { bytes: *bytes, weight: *weight }).collect(),
        consistency: match dimension {
            Dimension::Read => args.consistency.into(),
            Dimension::Write => dynamometer_capacity::Consistency::Eventual,
        },
        keys: 0,
        index: None,
        gather_ppm: args.gather,
        schedule: args.profile,
    };
    let entry_bytes = args.item.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0);
    let space = |name: &str, skew| KeySpace {
        name: name.to_owned(),
        count: args.keys,
        items_per_key: args.items_per_key,
        skew,
    };
    let index = |number: u64| IndexLoad {
        name: format!("GSI{number}").as_str().into(),
        keys: 1,
        entry_bytes,
        write_share_ppm: 1_000_000,
    };
    let streams =
        [stream("writes", Dimension::Write, args.writes), stream("reads", Dimension::Read, args.reads)];
    Ok(Load {
        start: args.start.unwrap_or_else(|| load_file::start_of(&args.spike)),
        minutes: args.minutes,
        key_spaces: vec![space("keys", args.skew), space("index keys", Skew::Uniform)],
        indexes: (1..=args.indexes).map(index).collect(),
        streams: streams.into_iter().filter(|stream| stream.milli_per_second > 0).collect(),
        spikes: args.spike.clone(),
        storage_bytes: args.storage,
        seed: args.seed,
    })
}

fn replay(args: &SimulateArgs, file: &Path, prices: &RegionPrices<'_>) -> Result<Simulation, Problem> {
    let settings = settings_of(args, "recorded,on-demand,prov:70")?;
    let name = file.display().to_string();
    let (mut events, mut lines) = (Vec::new(), Vec::new());
    read_trace(file, |event, line| {
        events.push(event);
        lines.push(line);
    })?;
    let outcomes = replay_under(&events, &settings, prices).map_err(|error| match error {
        ReplayUnderError::Event { position, error } => {
            Problem::wrong(format!("{name}:{}: {error}", lines[position]))
        }
        other => Problem::wrong(format!("{name}: {other}")),
    })?;
    let start = trace_start(&events).unwrap_or_default();
    let first = first_request(&events).unwrap_or(start);
    let last = events.last().map_or(first, |event| event.at);
    let requests = outcomes.first().map_or(0, |outcome| outcome.asked.read + outcome.asked.write);
    let heading = format!(
        "{name}: {} requests in {} from {}, {}",
        quantity::thousands(&requests.to_string()),
        span_text((last - first).unsigned_abs()),
        quantity::minute_text(start),
        prices.region(),
    );
    Ok(Simulation { heading, start, outcomes, assumptions: assumptions(false) })
}

/// What a reader of the figures has to know.
fn assumptions(made_up: bool) -> Vec<String> {
    let mut sentences = vec![
        "A throttled request is not tried again; an SDK would try, which adds load.".to_owned(),
        "A month has 730 hours. List prices; what is free each month is not taken off.".to_owned(),
        "Which keys share a partition differs from AWS, whose hash is not known.".to_owned(),
    ];
    if made_up {
        sentences
            .push("Arrivals are random, as of independent clients. Stored data does not grow.".to_owned());
        sentences.push(
            "Shards divide the keys that take half of a partition or more at the peak. Reads know their shard, but for those \
             that want all of a key (--gather)."
                .to_owned(),
        );
        sentences
            .push("Provisioned tables begin on target for the first minute, without saved burst.".to_owned());
    }
    sentences.push("All numbers of the model, with their sources, stand in docs/capacity.md.".to_owned());
    sentences
}

fn as_json(args: &SimulateArgs, simulation: &Simulation, with_minutes: bool) -> serde_json::Value {
    let settings: Vec<_> = simulation
        .outcomes
        .iter()
        .map(|outcome| {
            let mut value = table::json(outcome);
            if with_minutes {
                value["minutes"] = table::minutes_json(outcome);
            }
            value
        })
        .collect();
    json!({
        "load": simulation.heading,
        "region": args.prices.region(),
        "start": simulation.start.to_string(),
        "assumptions": simulation.assumptions,
        "settings": settings,
    })
}

fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Writes the page, the drawing and the figures; answers their names.
fn write_files(args: &SimulateArgs, folder: &Path, simulation: &Simulation) -> Result<String, Problem> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| {
            Problem::failed(format!("{path} cannot be written: {}", why_not_written(&error)))
                .hint("--out names a folder that this user may write to")
        }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let Simulation { heading, start, outcomes, assumptions } = simulation;
    let whole = page::windows(outcomes, *start);
    let drawing = whole.first().map(|window| chart::standalone(&chart::svg(outcomes, *start, window, "c")));
    let json = serde_json::to_string(&as_json(args, simulation, true)).unwrap_or_default() + "\n";
    let files = [
        ("simulation.html", page::html(outcomes, *start, heading, assumptions)),
        ("simulation.svg", drawing.unwrap_or_default()),
        ("simulation.json", json),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(failed(&path))?;
        written.push(path.display().to_string());
    }
    Ok(written.join(", "))
}

/// How far it is, on a terminal only.
struct Progress {
    minutes: u64,
    shown: u64,
    is_terminal: bool,
}

impl Progress {
    fn new(minutes: u64) -> Self {
        Self { minutes, shown: 0, is_terminal: std::io::stderr().is_terminal() }
    }

    fn show(&mut self, minute: u64) {
        let percent = minute * 100 / self.minutes.max(1);
        if self.is_terminal && percent > self.shown {
            self.shown = percent;
            let _ = write!(std::io::stderr(), "\rsimulating {percent:>3} %");
        }
    }

    fn clear(&self) {
        if self.is_terminal {
            let _ = write!(std::io::stderr(), "\r{:18}\r", "");
        }
    }
}
