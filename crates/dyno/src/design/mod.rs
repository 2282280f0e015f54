//! `dyno design`: the access-pattern file on the command line.

mod check;
mod cost;
pub(crate) mod coverage;
mod explain;
mod generate;
mod new;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use dynamometer_design::model::Design;
use dynamometer_design::source::Source;
use dynamometer_design::{output, read};

use crate::client::ClientArgs;
use crate::cost::PriceArgs;
use crate::files::read_file;
use crate::problem::Problem;

pub(crate) use cost::price;
pub(crate) use generate::template;

/// Flags of `dyno design`.
#[derive(Clone, Debug, Args)]
pub struct DesignArgs {
    #[command(subcommand)]
    command: Command,
}

/// What to do with a design.
#[derive(Clone, Debug, Subcommand)]
enum Command {
    /// Show how each access pattern is served, and what is wrong or will hurt.
    Check(CheckArgs),
    /// Begin a design: a commented starter, or one made from tables that exist.
    New(NewArgs),
    /// Print a rule's manual page: what it finds, why, the numbers, the fix; without a rule, all of them.
    Explain(ExplainArgs),
    /// Price a design by pattern, entity, table and index, in every plan, and as it grows; or several side by side.
    Cost(CostArgs),
    /// Hold the traffic of a server that was started with --design against it: what no pattern covers, units, waste.
    Coverage(CoverageArgs),
    /// Write templates that make the tables, or functions that build the keys.
    Generate(GenerateArgs),
}

/// Flags of `dyno design check`.
#[derive(Clone, Debug, Args)]
pub(super) struct CheckArgs {
    /// The design files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// From which severity on the check fails (exit code 1).
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    #[command(flatten)]
    prices: PriceArgs,
}

/// Flags of `dyno design new`.
#[derive(Clone, Debug, Args)]
pub(super) struct NewArgs {
    /// The file to write; it must not exist. Without it the design is printed.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Begin with one table for several kinds of items (also without any flag).
    #[arg(long, conflicts_with_all = ["two_table", "from_endpoint"])]
    single_table: bool,
    /// Begin with a table for what is configured and one for what happens.
    #[arg(long, conflicts_with = "from_endpoint")]
    two_table: bool,
    /// Begin with the tables of a running server: kinds of items are guessed from a sample, and marked so.
    #[arg(long, value_name = "URL")]
    from_endpoint: Option<String>,
    /// How many items of each table to look at.
    #[arg(long, value_name = "COUNT", default_value_t = 500, requires = "from_endpoint")]
    sample: usize,
}

/// Flags of `dyno design generate`.
#[derive(Clone, Debug, Args)]
pub(super) struct GenerateArgs {
    /// The design file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    format: Target,
    /// The folder to write to; without it a single file is printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What to write from a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// A CloudFormation template with a Prefix parameter, outputs and exports.
    Cloudformation,
    /// A Terraform module.
    Terraform,
    /// Requests as JSON: CreateTable, time to live, backups.
    CreateTable,
    /// Functions that build each key, in Rust, with tests.
    Rust,
    /// Functions that build each key, in TypeScript, with tests.
    Typescript,
    /// Functions that build each key, in Python, with tests.
    Python,
}

/// Flags of `dyno design explain`.
#[derive(Clone, Debug, Args)]
pub(super) struct ExplainArgs {
    /// The rule, such as K04 or hot-key.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

/// Flags of `dyno design cost`.
#[derive(Clone, Debug, Args)]
pub(super) struct CostArgs {
    /// The design file; with several of them, a table of all.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    prices: PriceArgs,
}

/// Flags of `dyno design coverage`.
#[derive(Clone, Debug, Args)]
pub(super) struct CoverageArgs {
    /// The design file, to be sure that the server serves this one.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    client: ClientArgs,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text)]
    format: CoverageFormat,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// What makes the command fail (exit code 1): uncovered, unexercised, scan, filter-waste=50%, unit-drift=10%.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = coverage::fail_on)]
    fail_on: Vec<coverage::FailOn>,
    /// The most that a month may cost at the declared rates with the units that were measured, as 100USD/month.
    #[arg(long, value_name = "MONEY", value_parser = coverage::budget)]
    budget: Option<coverage::Budget>,
}

/// How to print a coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
    /// For a terminal.
    Text,
    /// All of it as JSON.
    Json,
    /// For a pull request.
    Markdown,
}

/// How to print a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal, as compilers do.
    Text,
    /// All of it as JSON.
    Json,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
    /// For a pull request.
    Markdown,
}

/// From which severity on a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A call will fail, or data will be wrong.
    Error,
    /// It will throttle, lag or overspend.
    Warning,
    /// Advice.
    Info,
    /// Never.
    Never,
}

/// What to print, and the exit code.
type Done = Result<(String, ExitCode), Problem>;

/// Runs `dyno design`; answers what to print and the exit code.
pub fn design(args: &DesignArgs) -> Done {
    match &args.command {
        Command::New(args) => new::new(args),
        Command::Generate(args) => generate::generate(args),
        Command::Check(args) => check::check(args),
        Command::Explain(args) => explain::explain(args),
        Command::Cost(args) => {
            cost::price(&args.files, &args.prices, args.json).map(|text| (text, ExitCode::SUCCESS))
        }
        Command::Coverage(args) => coverage::coverage(args),
    }
}

/// A file and the design that it holds.
pub(crate) struct Loaded {
    source: Source,
    pub(crate) design: Design,
}

impl Loaded {
    /// What the design is called: its name, or its file.
    pub(crate) fn title(&self) -> String {
        self.design.name.clone().unwrap_or_else(|| self.source.name.clone())
    }
}

/// Reads a design file. What is wrong in it is shown with its lines.
pub(crate) fn load(file: &Path) -> Result<Loaded, Problem> {
    let source = Source::new(file.display().to_string(), read_file(file)?);
    match read(&source) {
        Ok(design) => Ok(Loaded { source, design }),
        Err(problems) => {
            let text = output::problems(&source, &problems, use_colour(&std::io::stderr()));
            // The first word, `error: `, is printed for every problem of the command line.
            let text = text.strip_prefix("error: ").map_or(text.clone(), str::to_owned);
            Err(Problem::wrong(text.trim_end()).hint("docs/design-file.md says what a design file holds"))
        }
    }
}

/// The design that a file holds.
///
/// # Errors
/// What is wrong in it, with its lines.
pub(crate) fn read_design(file: &Path) -> Result<Design, Problem> {
    load(file).map(|loaded| loaded.design)
}

/// Whether a stream is a terminal that shows colours.
fn use_colour(stream: &impl std::io::IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
