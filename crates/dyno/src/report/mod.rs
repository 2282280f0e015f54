//! `dyno report`: the live meter of a running server, as a person reads it.

mod text;

pub(crate) use text::{dollars as money, span};

use std::io::IsTerminal;

use dynamometer_server::report::Report;

use crate::args::ReportArgs;
use crate::client::{self, CallError, Client};
use crate::files::system_words;
use crate::problem::Problem;

/// Asks the server for its report, and gives what is to be printed.
///
/// # Errors
/// No server, another server, or one that wants a better key.
pub fn report(args: &ReportArgs) -> Result<String, Problem> {
    let client = Client::new(&args.client)?;
    let body = fetch(&client)?;
    if args.json {
        return Ok(body);
    }
    let report = parse(&client, &body)?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Ok(text::text(&report, colour))
}

/// The report of a server, as it answers it.
///
/// # Errors
/// No server, another server, or one that wants a better key.
pub(crate) fn fetch(client: &Client) -> Result<String, Problem> {
    let asked = client::run(async { Ok(client.get("/_dyno/report").await) })?;
    asked.map_err(|error| problem(client, &error))
}

/// Reads what [`fetch`] answers.
///
/// # Errors
/// When it is another version's.
pub(crate) fn parse(client: &Client, body: &str) -> Result<Report, Problem> {
    serde_json::from_str(body).map_err(|error| {
        Problem::failed(format!("{} answers no report that this dyno can read: {error}", client.endpoint()))
            .hint("run the same version of dyno on both sides, or dyno report --json")
    })
}

fn problem(client: &Client, error: &CallError) -> Problem {
    match error {
        CallError::Silent { error, .. } => {
            Problem::failed(format!("no server answers at {}: {}", client.endpoint(), system_words(error)))
                .hint("start one with dyno, or name another with --endpoint http://host:port")
        }
        CallError::Refused { status, .. } => {
            let problem = Problem::failed(format!("{}: {error}", client.endpoint()));
            match status {
                400 | 403 => problem.hint("the server verifies signatures: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a --profile"),
                404 => problem.hint("that is another server, or an older dyno"),
                _ => problem,
            }
        }
    }
}
