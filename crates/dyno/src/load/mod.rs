//! `dyno load`: a design's access patterns, sent to any endpoint at their rates and with their hot keys.

mod items;
mod latencies;
mod print;
mod random;
mod requests;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use dynamometer_design::derive::Derived;
use dynamometer_design::model::{Design, Pattern};
use dynamometer_design::plan::{self, Service as Planned};
use dynamometer_types::nearest::nearest;
use dynamometer_types::parse_duration_ms;
use serde_json::{Value, json};

use crate::client::{self, Client, ClientArgs, Endpoint, Service};
use crate::design::read_design;
use crate::problem::Problem;
use items::{Items, Which};
use random::Random;
use requests::Maker;
use run::{Outcome, Stream, is_throttle};

/// Flags of `dyno load`.
#[derive(Clone, Debug, Args)]
pub struct LoadArgs {
    /// The design whose patterns are called.
    #[arg(long, value_name = "FILE")]
    pub design: PathBuf,
    #[command(flatten)]
    pub client: ClientArgs,
    /// What the names of the tables begin with before a hyphen, as in templates that dyno design generate writes.
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,
    /// How long.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub duration: Duration,
    /// How many times the declared rates.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    pub scale: f64,
    /// The declared peaks rather than the averages.
    #[arg(long)]
    pub peak: bool,
    /// Only these patterns.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub patterns: Vec<String>,
    /// Write the items that reads are to find first.
    #[arg(long)]
    pub fill: bool,
    /// How many items the largest entity has; counts and numbers of values are scaled down with it.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub items: u64,
    /// How many calls may be under way at once.
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..100_000))]
    pub concurrency: u32,
    /// What the made-up load follows from: the same seed makes the same calls.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Made-up items may be written to an endpoint that is not on this machine.
    #[arg(long)]
    pub yes: bool,
    /// Print the outcome as JSON.
    #[arg(long)]
    pub json: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    match parse_duration_ms(text)? {
        millis if millis > 0 => Ok(Duration::from_millis(millis.unsigned_abs())),
        _ => Err("a load takes some time: 30s, 5m".into()),
    }
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "write a number above 0, such as 0.5 or 10".into())
}

/// The most calls a second of a pattern, in millionths: they are timed in nanoseconds, and no machine sends more.
const MOST_RATE_MICRO: f64 = 1e12;

/// A pattern that is called.
struct Called {
    at: usize,
    rate_micro: u64,
}

/// Drives the load; answers what to print, and exit code 1 when calls failed for another reason than throttling.
///
/// # Errors
/// A design that is wrong, tables that are not there, an endpoint that may not be written to.
pub fn load(args: &LoadArgs) -> Result<(String, ExitCode), Problem> {
    let design = read_design(&args.design)?;
    let derived = Derived::of(&design);
    let services = plan::plan(&derived);
    let mut notes = Vec::new();
    let called = called(args, &design, &services, &mut notes)?;
    let client = Arc::new(Client::new(&args.client)?);
    if !client.endpoint().is_loopback() && !args.yes {
        let sentence =
            format!("{} is not on this machine, and dyno load writes made-up items", client.endpoint());
        return Err(Problem::wrong(sentence).hint("--yes says that this is meant"));
    }
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs() as i64);
    let items = Items::new(&derived, args.prefix.as_deref(), args.items, now_s);
    let outcomes = client::run(async {
        check_tables(&client, &items).await?;
        if args.fill {
            fill(&client, &items).await?;
            if *client.endpoint() != Endpoint::Aws {
                // A server that holds traffic against a design forgets what was only written to be found. Others have no such path.
                let _ = client.delete("/_dyno/coverage").await;
            }
        }
        let stream = |called: &Called| {
            let pattern = &design.patterns[called.at];
            let served = services[called.at].served()?;
            let random = Random::new(args.seed, called.at as u64);
            Some(Stream { maker: Maker::new(&items, pattern, served, random), rate_micro: called.rate_micro })
        };
        let streams = called.iter().filter_map(stream).collect();
        Ok(run::run(client.clone(), streams, args.duration, args.concurrency as usize).await)
    })?;
    let rows: Vec<(&Pattern, u64, Outcome)> = called
        .iter()
        .zip(outcomes)
        .map(|(called, outcome)| (&design.patterns[called.at], called.rate_micro, outcome))
        .collect();
    let has_failed = rows.iter().any(|(_, _, outcome)| !outcome.errors.is_empty());
    let text = print::outcome(args, &client, rows, &notes);
    Ok((text, if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }))
}

/// The patterns to call, with their rates; what is left out is noted.
fn called(
    args: &LoadArgs,
    design: &Design,
    services: &[Planned],
    notes: &mut Vec<String>,
) -> Result<Vec<Called>, Problem> {
    for name in &args.patterns {
        if design.pattern(name).is_none() {
            let known = design.patterns.iter().map(|pattern| pattern.name.as_str());
            let problem = Problem::wrong(format!("the design has no pattern `{name}`"));
            return Err(match nearest(name, known) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem,
            });
        }
    }
    let is_wanted =
        |pattern: &Pattern| args.patterns.is_empty() || args.patterns.contains(&pattern.name.value);
    let mut called = Vec::new();
    for (at, pattern) in design.patterns.iter().enumerate().filter(|(_, pattern)| is_wanted(pattern)) {
        let rate = if args.peak { pattern.peak_micro() } else { pattern.average_micro() };
        let scaled = (rate as f64 * args.scale).round();
        if scaled > MOST_RATE_MICRO {
            let name = &pattern.name.value;
            return Err(Problem::wrong(format!(
                "{name}: {:e} calls a second are more than can be sent",
                scaled / 1e6
            ))
            .hint("a smaller --scale: a pattern is called up to a million times a second"));
        }
        let rate_micro = scaled as u64;
        match &services[at] {
            Planned::NotServable(lack) => {
                notes.push(format!("{}: not servable: {}", pattern.name.value, lack.because));
            }
            Planned::Served(_) if rate_micro == 0 => {
                notes.push(format!("{}: has no rate", pattern.name.value));
            }
            Planned::Served(_) => called.push(Called { at, rate_micro }),
        }
    }
    if called.is_empty() {
        let problem = Problem::wrong("there is no pattern to call");
        return Err(problem.hint(notes.join("; ")));
    }
    Ok(called)
}

async fn check_tables(client: &Client, items: &Items<'_>) -> Result<(), Problem> {
    for name in items.table_names() {
        let body = json!({ "TableName": name });
        match client.call(Service::DynamoDb, "DescribeTable", &body).await {
            Ok(_) => {}
            Err(error) if error.is("ResourceNotFoundException") => {
                return Err(Problem::failed(format!("there is no table {name} at {}", client.endpoint()))
                    .hint("dyno design generate and dyno deploy make the tables of a design; --prefix says what their names begin with"));
            }
            Err(error) => return Err(client.problem("DescribeTable", &error)),
        }
    }
    Ok(())
}

/// Writes the items of every entity that reads are to find, 25 at a time; what is throttled is sent again.
async fn fill(client: &Client, items: &Items<'_>) -> Result<(), Problem> {
    for entity in &items.derived.design.entities {
        let table = items.table_name(entity.table);
        let population = items.population(entity);
        for first in (0..population).step_by(25) {
            let numbers = first..(first + 25).min(population);
            let mut seen = Vec::new();
            let mut puts = Vec::new();
            for number in numbers {
                let which = Which::number(number);
                let key = items.key(entity, &which);
                // Several numbers can be the same item, which a batch takes once.
                if !seen.contains(&key) {
                    puts.push(json!({ "PutRequest": { "Item": items.item(entity, &which) } }));
                    seen.push(key);
                }
            }
            write(client, json!({ table: puts })).await?;
        }
    }
    Ok(())
}

async fn write(client: &Client, mut left: Value) -> Result<(), Problem> {
    loop {
        let body = json!({ "RequestItems": left });
        match client.call(Service::DynamoDb, "BatchWriteItem", &body).await {
            Ok(mut answer) => {
                left = answer["UnprocessedItems"].take();
                if left.as_object().is_none_or(|left| left.is_empty()) {
                    return Ok(());
                }
            }
            // None of it was taken.
            Err(error) if is_throttle(&error) => {}
            Err(error) => return Err(client.problem("BatchWriteItem", &error)),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
