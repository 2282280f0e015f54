//! `dyno planes`: the two tables of the ControlPlane and DataPlane pattern, as templates and as live tables.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use dynamometer_planes::schema::{self, Protection};

use crate::client::ClientArgs;
use crate::deploy::{self, DeployArgs};
use crate::problem::Problem;

/// What to do with the two tables.
#[derive(Clone, Debug, Subcommand)]
pub enum PlanesCommand {
    /// Make `<prefix>-ControlPlaneTable` and `<prefix>-DataPlaneTable`, or bring them up to date, on a running server or on AWS.
    Deploy(PlanesDeployArgs),
    /// Print a template that makes them.
    Template {
        /// For which tool.
        #[arg(long, value_enum, default_value_t = Format::Cloudformation)]
        format: Format,
    },
}

/// Flags of `dyno planes deploy`.
#[derive(Clone, Debug, Args)]
pub struct PlanesDeployArgs {
    /// What the tables' names begin with: one prefix for each environment.
    #[arg(long, value_parser = prefix)]
    prefix: String,
    #[command(flatten)]
    client: ClientArgs,
    /// Without deletion protection and point-in-time recovery: for tables that a test throws away.
    #[arg(long)]
    disposable: bool,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print changes and outputs as JSON.
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
///
/// # Errors
/// As `dyno deploy` of the template.
pub fn planes(command: PlanesCommand) -> Result<String, Problem> {
    match command {
        PlanesCommand::Template { format: Format::Cloudformation } => {
            Ok(schema::cloudformation(Protection::Production))
        }
        PlanesCommand::Template { format: Format::Terraform } => Ok(schema::terraform()),
        PlanesCommand::Deploy(args) => deploy_both(args),
    }
}

/// Deploys the CloudFormation template. What a server of one's own lacks, such as point-in-time recovery, is left out with a word
/// about it.
fn deploy_both(args: PlanesDeployArgs) -> Result<String, Problem> {
    let protection = if args.disposable { Protection::Disposable } else { Protection::Production };
    let name = "planes.yaml";
    let args = DeployArgs {
        template: Some(PathBuf::from(name)),
        design: None,
        despite_errors: false,
        parameters: vec![("Prefix".to_owned(), args.prefix)],
        client: args.client,
        stack: None,
        account: None,
        dry_run: args.dry_run,
        skip_unsupported: true,
        replace: Vec::new(),
        json: args.json,
    };
    deploy::deploy_text(name, &schema::cloudformation(protection), &args)
}
