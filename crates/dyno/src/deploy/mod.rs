//! `dyno deploy`: tables as a CloudFormation template asks for them, on any endpoint.
//!
//! The template and what is live are the whole state: the first run makes the tables, the next changes them in place, and a
//! run that was interrupted is gone on with by running it again. Nothing is done before everything is known to be possible, as far
//! as that can be known.

mod carry_out;
mod live;
mod print;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use dynamometer_cloudformation::plan::{self, Action, Change, Service as PlanService, Told};
use dynamometer_cloudformation::{Attributes, Finding, Output, Resource, Settings, Template, Wanted};
use serde_json::json;

use crate::client::{self, Client, ClientArgs, Endpoint, Service};
use crate::design;
use crate::files::read_file;
use crate::problem::Problem;
use live::Live;

/// Flags of `dyno deploy`.
#[derive(Clone, Debug, Args)]
pub struct DeployArgs {
    /// The CloudFormation template: YAML or JSON.
    #[arg(required_unless_present = "design")]
    pub template: Option<PathBuf>,
    /// A design file instead: the template that dyno design generate writes of it, if the check finds no error.
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub design: Option<PathBuf>,
    /// Deploy a design even though the check finds errors.
    #[arg(long, conflicts_with = "template")]
    pub despite_errors: bool,
    /// The value of a parameter.
    #[arg(long = "parameter", short = 'p', value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub parameters: Vec<(String, String)>,
    #[command(flatten)]
    pub client: ClientArgs,
    /// The stack's name: AWS::StackName, and the beginning of names that the template does not give; else the file's name.
    #[arg(long, value_name = "NAME")]
    pub stack: Option<String>,
    /// The account: AWS::AccountId. A server of one's own has 000000000000.
    #[arg(long, value_name = "ID")]
    pub account: Option<String>,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Leave out what cannot be deployed, with a word about each, rather than refuse the template.
    #[arg(long)]
    pub skip_unsupported: bool,
    /// Delete and make anew what cannot be changed in place: a table, with its data, or an index, as TABLE.INDEX.
    #[arg(long, value_name = "LOGICAL-ID")]
    pub replace: Vec<String>,
    /// Print changes and outputs as JSON.
    #[arg(long)]
    pub json: bool,
}

/// `NAME=VALUE`.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}

/// A resource and what becomes of it.
struct Planned {
    resource: Resource,
    change: Change,
}

/// Deploys, and gives what is to be printed.
///
/// # Errors
/// A template that is wrong or asks for what cannot be done (exit code 2); a call that failed (1).
pub fn deploy(args: &DeployArgs) -> Result<String, Problem> {
    if let Some(file) = &args.design {
        let text = design::template(file, args.despite_errors)?;
        return deploy_text(&format!("the template of {}", file.display()), &text, args);
    }
    let file = args.template.clone().unwrap_or_default();
    let name = file.display().to_string();
    let text = read_file(&file)?;
    deploy_text(&name, &text, args)
}

/// Deploys the text of a template, under the name that messages give it.
///
/// # Errors
/// As [`deploy`].
pub fn deploy_text(name: &str, text: &str, args: &DeployArgs) -> Result<String, Problem> {
    let client = Client::new(&args.client)?;
    let settings = settings(args, &client);
    let refused = |findings: Vec<Finding>| print::refused(name, &findings);
    let template = Template::read(text).map_err(refused)?;
    let stack = template.stack(&settings).map_err(refused)?;
    check_replace(&args.replace, &stack.resources)?;
    let mut notes: Vec<String> = stack.notes.iter().map(|note| print::note(name, note)).collect();
    client::run(async {
        let live = Live::read(&client, &stack.resources).await?;
        let mut planned = plan_all(&stack.resources, &live, &args.replace).map_err(refused)?;
        let lacking = lacking(&client, &planned).await?;
        leave_out(&mut planned, &lacking, args.skip_unsupported, name, &mut notes)?;
        if args.dry_run {
            return Ok(print::plan(&planned, &notes, &client, args.json));
        }
        carry_out::all(&client, &planned, &notes).await?;
        let attributes = attributes(&client, &stack.resources).await?;
        let outputs = template.outputs(&settings, &attributes).map_err(refused)?;
        Ok(print::done(&planned, &notes, &outputs, &client, args.json))
    })
}

fn settings(args: &DeployArgs, client: &Client) -> Settings {
    let file = args.template.as_ref().or(args.design.as_ref());
    let stem = file.and_then(|file| file.file_stem()).and_then(|stem| stem.to_str()).unwrap_or("dyno");
    let own_account = || (*client.endpoint() != Endpoint::Aws).then(|| "000000000000".to_owned());
    Settings {
        stack: args.stack.clone().unwrap_or_else(|| stack_name(stem)),
        region: client.region().to_owned(),
        account: args.account.clone().or_else(own_account),
        parameters: args.parameters.iter().cloned().collect(),
        skip_unsupported: args.skip_unsupported,
    }
}

/// A file's name as a stack may be called: letters, digits and hyphens.
pub fn stack_name(stem: &str) -> String {
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// What is to be replaced must be in the template.
fn check_replace(names: &[String], resources: &[Resource]) -> Result<(), Problem> {
    let mut known: Vec<String> = Vec::new();
    for resource in resources {
        if let Wanted::Table(table) = &resource.wanted {
            let id = &resource.logical_id;
            known.push(id.clone());
            known.extend(table.global_indexes.iter().map(|index| format!("{id}.{}", index.index_name)));
        }
    }
    match names.iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let problem =
                Problem::wrong(format!("--replace {name}: the template has no such table or index"));
            Err(problem.hint(format!("what can be named: {}", known.join(", "))))
        }
    }
}

fn plan_all(resources: &[Resource], live: &Live, replace: &[String]) -> Result<Vec<Planned>, Vec<Finding>> {
    let told = Told { replace: replace.iter().cloned().collect(), scaled: live.scaled(resources) };
    let mut planned = Vec::new();
    let mut findings = Vec::new();
    for resource in resources {
        let change = match &resource.wanted {
            Wanted::Table(table) => match plan::table(resource, table, live.table(&table.name), &told) {
                Ok(change) => change,
                Err(more) => {
                    findings.extend(more);
                    continue;
                }
            },
            Wanted::ScalableTarget(target) => plan::target(target, live.target(&target.scales)),
            Wanted::ScalingPolicy(policy) => plan::policy(policy, live.policy(policy)),
        };
        planned.push(Planned { resource: resource.clone(), change });
    }
    if findings.is_empty() { Ok(planned) } else { Err(findings) }
}

/// The operations of the plan that the server does not have. AWS has all of them; another server is asked with an empty
/// request, which changes nothing.
async fn lacking(client: &Client, planned: &[Planned]) -> Result<Vec<&'static str>, Problem> {
    let mut asked: BTreeMap<&'static str, bool> = BTreeMap::new();
    if *client.endpoint() == Endpoint::Aws {
        return Ok(Vec::new());
    }
    for step in planned.iter().flat_map(|planned| &planned.change.steps) {
        if asked.contains_key(step.operation) {
            continue;
        }
        let answer = client.call(service(step.service), step.operation, &json!({})).await;
        let is_lacking = answer.is_err_and(|error| error.is_lacking());
        asked.insert(step.operation, is_lacking);
    }
    Ok(asked.into_iter().filter(|(_, is_lacking)| *is_lacking).map(|(operation, _)| operation).collect())
}

/// Takes the steps out that the server cannot take, or refuses the template for them.
fn leave_out(
    planned: &mut [Planned],
    lacking: &[&str],
    skip_unsupported: bool,
    file: &str,
    notes: &mut Vec<String>,
) -> Result<(), Problem> {
    let mut findings = Vec::new();
    for planned in planned {
        let (id, at) = (&planned.resource.logical_id, planned.resource.at);
        planned.change.steps.retain(|step| {
            let is_lacking = lacking.contains(&step.operation);
            if is_lacking {
                let message = format!("{id}: {}: this server has no {}", step.says, step.operation);
                findings.push(Finding::new(at, message));
            }
            !is_lacking
        });
        if planned.change.steps.is_empty() {
            planned.change.action = Action::Keep;
        }
    }
    if skip_unsupported {
        notes.extend(findings.iter().map(|finding| format!("{} (left out)", print::note(file, finding))));
        return Ok(());
    }
    let with_hint = |finding: Finding| finding.hint("--skip-unsupported leaves it out");
    match findings.is_empty() {
        true => Ok(()),
        false => Err(print::refused(file, &findings.into_iter().map(with_hint).collect::<Vec<_>>())),
    }
}

fn service(service: PlanService) -> Service {
    match service {
        PlanService::DynamoDb => Service::DynamoDb,
        PlanService::AutoScaling => Service::AutoScaling,
    }
}

/// What outputs may ask for of the tables that are there now.
async fn attributes(client: &Client, resources: &[Resource]) -> Result<Attributes, Problem> {
    let mut attributes = Attributes::new();
    for resource in resources {
        let id = |attribute: &str| (resource.logical_id.clone(), attribute.to_owned());
        match &resource.wanted {
            Wanted::Table(table) => {
                let Some(live) = live::table(client, &table.name).await? else { continue };
                attributes.insert(id("Arn"), live.arn);
                attributes.insert(id("TableId"), live.table_id);
                attributes.extend(live.stream_arn.map(|arn| (id("StreamArn"), arn)));
            }
            Wanted::ScalableTarget(target) => {
                let scales = &target.scales;
                attributes.insert(id("Id"), format!("{}|{}|dynamodb", scales.resource_id, scales.dimension));
            }
            Wanted::ScalingPolicy(policy) => {
                attributes.extend(live::policy_arn(client, policy).await?.map(|arn| (id("Arn"), arn)));
            }
        }
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_named_after_its_file() {
        for (stem, name) in [("tables", "tables"), ("my app.v2", "my-app-v2"), ("表", "-")] {
            assert_eq!(stack_name(stem), name);
        }
    }

    #[test]
    fn parameters_are_pairs() {
        assert_eq!(name_and_value("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert_eq!(name_and_value("A="), Ok(("A".into(), String::new())));
        assert!(name_and_value("A").is_err() && name_and_value("=b").is_err());
    }
}
