//! The command line and its flags. Every flag of `dyno serve` has an environment variable, `DYNO_…`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use dynamometer_engine::lag::LagRange;
use dynamometer_server::http::parse_origin;
use dynamometer_types::{parse_duration_ms, parse_duration_range_ms};

use crate::client::ClientArgs;
use crate::cost::CostArgs;
use crate::deploy::{DeployArgs, name_and_value};
use crate::design::DesignArgs;
use crate::load::LoadArgs;
use crate::planes::PlanesCommand;
use crate::simulate::SimulateArgs;

/// A terabyte.
const MOST_CACHE_MB: u64 = 1 << 20;

/// DynamoDB that you run yourself.
#[derive(Debug, Parser)]
#[command(name = "dyno", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve DynamoDB (also without any command).
    Serve(Box<ServeArgs>),
    /// Show what the traffic of a running server consumes and costs, and where it would be throttled.
    Report(ReportArgs),
    /// Price a load on demand, provisioned, reserved and in Standard-IA, side by side.
    Cost(Box<CostArgs>),
    /// The two tables of the ControlPlane and DataPlane pattern: make them, or print a template.
    #[command(subcommand)]
    Planes(PlanesCommand),
    /// Play a month of load, made up or recorded, under several settings: throttles, units, dollars, charts.
    Simulate(Box<SimulateArgs>),
    /// Make or change tables as a CloudFormation template asks, on a running server or on AWS.
    Deploy(Box<DeployArgs>),
    /// Drive a design's access patterns, at their rates and with their hot keys, against a running server.
    Load(Box<LoadArgs>),
    /// Check, price and explain a design: tables, entities and access patterns in a file.
    Design(Box<DesignArgs>),
}

/// Flags of `dyno report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub client: ClientArgs,
    /// Print the report as JSON, as `GET /_dyno/report` answers it.
    #[arg(long)]
    pub json: bool,
}

/// Flags of `dyno serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on.
    #[arg(long, env = "DYNO_HOST", default_value = "127.0.0.1")]
    pub host: String,
    /// The port to listen on; 0 picks a free one and prints it.
    #[arg(long, env = "DYNO_PORT", default_value_t = 8000)]
    pub port: u16,
    /// The folder that keeps the data.
    #[arg(long, env = "DYNO_DATA", value_name = "DIR", default_value = "./dyno-data")]
    pub data: PathBuf,
    /// Keep everything in memory and nothing on disk.
    #[arg(long, env = "DYNO_IN_MEMORY", conflicts_with = "data", value_parser = BoolishValueParser::new())]
    pub in_memory: bool,
    /// What an acknowledged write survives: `sync` a power cut, `os` the end of this process only.
    #[arg(long, env = "DYNO_DURABILITY", value_enum, default_value_t = Durability::Sync)]
    pub durability: Durability,
    /// Megabytes of memory for data that was read from disk.
    #[arg(long, env = "DYNO_CACHE_MB", value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(..=MOST_CACHE_MB))]
    pub cache_mb: u64,
    /// The region in ARNs.
    #[arg(long, env = "DYNO_REGION", default_value = "us-east-1", value_parser = region)]
    pub region: String,
    /// A file of prices that correct or add to the built-in ones: lines like those of prices.csv.
    #[arg(long, env = "DYNO_PRICES", value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// The account in ARNs: 12 digits.
    #[arg(long, env = "DYNO_ACCOUNT", default_value = "000000000000", value_parser = account)]
    pub account: String,
    /// How long tables and indexes stay in CREATING, UPDATING and DELETING: 500ms, 2s, 1m.
    #[arg(long, env = "DYNO_TABLE_DELAY", value_name = "DURATION", default_value = "0ms", value_parser = duration)]
    pub table_delay: Duration,
    /// How long after its expiry an item is deleted; on AWS within days.
    #[arg(long, env = "DYNO_TTL_DELAY", value_name = "DURATION", default_value = "0s", value_parser = duration)]
    pub ttl_delay: Duration,
    /// How long time to live cannot be changed again after a change; on AWS about half an hour.
    #[arg(long, env = "DYNO_TTL_COOLDOWN", value_name = "DURATION", default_value = "0s", value_parser = duration)]
    pub ttl_cooldown: Duration,
    /// How late global indexes show a write: 200ms, or any of 50ms..2s.
    #[arg(long, env = "DYNO_INDEX_LAG", value_name = "DURATION", default_value = "0ms", value_parser = lag)]
    pub index_lag: LagRange,
    /// How late eventually consistent reads of tables and local indexes show a write.
    #[arg(long, env = "DYNO_READ_LAG", value_name = "DURATION", default_value = "0ms", value_parser = lag)]
    pub read_lag: LagRange,
    /// What lags and injected faults are drawn from; the same number gives the same ones.
    #[arg(long, env = "DYNO_SEED", value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// What becomes of requests beyond a table's throughput: nothing, counted and shown, or refused as AWS would.
    #[arg(long, env = "DYNO_THROTTLE", value_enum, default_value_t = Throttle::Report)]
    pub throttle: Throttle,
    /// Name each request after an access pattern of this design, for `dyno design coverage` and the report.
    #[arg(long, env = "DYNO_DESIGN", value_name = "FILE")]
    pub design: Option<PathBuf>,
    /// Write what is asked of the capacity model as a trace for `dyno simulate --trace`. The file must not exist.
    #[arg(long, env = "DYNO_RECORD", value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// `wall` is the system's time; a `manual` clock moves only by `POST /_dyno/clock`.
    #[arg(long, env = "DYNO_CLOCK", value_enum, default_value_t = ClockKind::Wall)]
    pub clock: ClockKind,
    /// One database for each access key and region, for parallel tests.
    #[arg(long, env = "DYNO_ISOLATE", value_parser = BoolishValueParser::new())]
    pub isolate: bool,
    /// Tables and items made at start: CreateTable and BatchWriteItem requests, CloudFormation templates, DynamoDB JSON, CSV;
    /// TABLE=FILE says where items go when the file is not named after its table.
    #[arg(long, env = "DYNO_FIXTURES", value_name = "FILE", num_args = 1.., value_delimiter = ',')]
    pub fixtures: Vec<String>,
    /// The value of a parameter of a CloudFormation template among the fixtures.
    #[arg(long = "parameter", env = "DYNO_PARAMETER", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = name_and_value)]
    pub parameters: Vec<(String, String)>,
    /// Deliver streams of tables to functions: files of pipes in the JSON of Lambda's CreateEventSourceMapping.
    #[arg(long, env = "DYNO_PIPE", value_name = "FILE", value_delimiter = ',')]
    pub pipe: Vec<PathBuf>,
    /// Verify signatures with the keys of this file (the format of ~/.aws/credentials).
    #[arg(long, env = "DYNO_AUTH", value_name = "FILE")]
    pub auth: Option<PathBuf>,
    /// Listen beyond loopback without --auth: everybody who reaches the port may do everything.
    #[arg(long, env = "DYNO_ALLOW_ANONYMOUS", value_parser = BoolishValueParser::new())]
    pub allow_anonymous: bool,
    /// A web origin whose pages may call the server, or `*`.
    #[arg(long, env = "DYNO_ALLOW_ORIGIN", value_name = "ORIGIN", value_delimiter = ',', value_parser = parse_origin)]
    pub allow_origin: Vec<String>,
    /// The TLS certificate chain (PEM).
    #[arg(long, env = "DYNO_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The TLS private key (PEM).
    #[arg(long, env = "DYNO_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

/// What becomes of requests that the capacity model refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Throttle {
    /// Nothing is refused, and would-be throttles are not looked for; requests are counted.
    Off,
    /// They are counted as what AWS would refuse, and run.
    Report,
    /// They are refused as AWS would.
    Enforce,
}

/// Where time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClockKind {
    /// The system's time.
    Wall,
    /// Stands still until it is moved.
    Manual,
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// On disk before it is acknowledged.
    Sync,
    /// With the operating system before it is acknowledged: faster, and lost at a power cut.
    Os,
}

impl CommandLine {
    /// What to do; to serve, unless a command is named.
    pub fn command(self) -> Command {
        self.command.unwrap_or_else(|| Command::Serve(Box::new(self.serve)))
    }
}

fn account(text: &str) -> Result<String, String> {
    if text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit()) {
        Ok(text.to_owned())
    } else {
        Err("an account has 12 digits, such as 000000000000".into())
    }
}

fn region(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        Ok(text.to_owned())
    } else {
        Err("a region is a word such as us-east-1".into())
    }
}

fn lag(text: &str) -> Result<LagRange, String> {
    parse_duration_range_ms(text).map(|(from_ms, to_ms)| LagRange { from_ms, to_ms })
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration_ms(text).map(|millis| Duration::from_millis(millis.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<ServeArgs, clap::Error> {
        let args = std::iter::once("dyno").chain(args.iter().copied());
        CommandLine::try_parse_from(args).map(|line| match line.command() {
            Command::Serve(args) => *args,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn serve_is_the_command_without_a_name() {
        assert_eq!(parse(&["--port", "0"]).unwrap().port, parse(&["serve", "--port", "0"]).unwrap().port);
    }

    #[test]
    fn durations_are_read_or_explained() {
        for (text, millis) in
            [("0ms", 0), ("500ms", 500), ("1.5s", 1500), ("9m59s", 599_000), ("25h", 90_000_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "5", "s", "-1s", "1y", "99999999999999999999ms"] {
            assert!(duration(text).unwrap_err().contains("500ms"), "{text}");
        }
    }

    #[test]
    fn lags_are_a_duration_or_a_range() {
        let lags = |text| parse(&["--index-lag", text]).map(|args| args.index_lag);
        assert_eq!(lags("200ms").unwrap(), LagRange { from_ms: 200, to_ms: 200 });
        assert_eq!(lags("50ms..2s").unwrap(), LagRange { from_ms: 50, to_ms: 2_000 });
        assert!(lags("2s..50ms").unwrap_err().to_string().contains("the shorter duration first"));
        assert!(lags("50ms..").unwrap_err().to_string().contains("is no duration"));
    }

    #[test]
    fn bad_flags_are_refused() {
        for args in [
            &["--account", "1"][..],
            &["--tls-cert", "x"],
            &["--in-memory", "--data", "x"],
            &["--prot", "1"],
            &["--region", "eu west"],
            &["--region", ""],
            &["--cache-mb", "99999999999999"],
            &["--allow-origin", "app.example"],
        ] {
            assert!(parse(args).is_err(), "{args:?}");
        }
    }
}
