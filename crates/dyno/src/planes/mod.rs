//! `dyno planes`: the two tables of the ControlPlane and DataPlane pattern, as templates and as live tables.

mod deploy;

use std::fmt::Write;

use clap::{Args, Subcommand, ValueEnum};
use dynamometer_planes::schema::{self, Protection};

use crate::fetch::Endpoint;
use crate::problem::Problem;

/// What to do with the two tables.
#[derive(Clone, Debug, Subcommand)]
pub enum PlanesCommand {
    /// Make the tables `<prefix>-ControlPlaneTable` and `<prefix>-DataPlaneTable`, unless they are there.
    Deploy(DeployArgs),
    /// Print a template that makes them.
    Template {
        /// For which tool.
        #[arg(long, value_enum, default_value_t = Format::Cloudformation)]
        format: Format,
    },
}

/// Flags of `dyno planes deploy`.
#[derive(Clone, Debug, Args)]
pub struct DeployArgs {
    /// What the tables' names begin with: one prefix for each environment.
    #[arg(long, value_parser = prefix)]
    prefix: String,
    /// Where the server is.
    #[arg(
        long,
        env = "AWS_ENDPOINT_URL_DYNAMODB",
        value_name = "URL",
        default_value = "http://127.0.0.1:8000"
    )]
    endpoint: String,
    /// Without deletion protection: for tables that a test throws away.
    #[arg(long)]
    disposable: bool,
    /// Print the tables' names and ARNs as JSON.
    #[arg(long)]
    json: bool,
}

/// A tool that makes tables from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// AWS CloudFormation, YAML.
    Cloudformation,
    /// Terraform, HCL.
    Terraform,
}

fn prefix(text: &str) -> Result<String, String> {
    schema::check_prefix(text).map(|()| text.to_owned())
}

/// Does it; answers what to print.
pub fn planes(command: &PlanesCommand) -> Result<String, Problem> {
    match command {
        PlanesCommand::Template { format: Format::Cloudformation } => Ok(schema::cloudformation()),
        PlanesCommand::Template { format: Format::Terraform } => Ok(schema::terraform()),
        PlanesCommand::Deploy(args) => deploy_both(args),
    }
}

fn deploy_both(args: &DeployArgs) -> Result<String, Problem> {
    let endpoint = Endpoint::read(&args.endpoint).map_err(Problem::wrong)?;
    let protection = if args.disposable { Protection::Disposable } else { Protection::Production };
    let mut deployed = Vec::new();
    for table in schema::TABLES {
        deployed.push(deploy::deploy(&endpoint, table, &args.prefix, protection)?);
    }
    if args.json {
        let tables: Vec<serde_json::Value> = deployed
            .iter()
            .map(|table| serde_json::json!({ "name": table.name, "arn": table.arn, "created": table.is_new }))
            .collect();
        return Ok(format!("{:#}\n", serde_json::json!({ "tables": tables })));
    }
    let mut text = String::new();
    for table in &deployed {
        let what = if table.is_new { "created" } else { "there  " };
        let _ = writeln!(text, "{what}  {}  {}", table.name, table.arn);
    }
    Ok(text)
}
