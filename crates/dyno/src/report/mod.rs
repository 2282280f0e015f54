//! `dyno report`: the live meter of a running server, as a person reads it.

mod text;

pub(crate) use text::{dollars as money, span};

use std::io::{IsTerminal, Write};

use dynamometer_server::report::Report;

use crate::args::ReportArgs;
use crate::fetch::Endpoint;
use crate::problem::Problem;

/// Asks the server for its report and prints it.
pub fn report(args: &ReportArgs) -> Result<(), Problem> {
    let endpoint = Endpoint::read(&args.endpoint).map_err(Problem::wrong)?;
    let body = endpoint.get("/_dyno/report")?;
    if args.json {
        return print(&body);
    }
    let report: Report = serde_json::from_str(&body).map_err(|error| {
        Problem::failed(format!("{} answers no report that this dyno can read: {error}", args.endpoint))
            .hint("run the same version of dyno on both sides, or dyno report --json")
    })?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    print(&text::text(&report, colour))
}

/// Data goes to stdout; a reader that has gone away is no fault of ours.
fn print(text: &str) -> Result<(), Problem> {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
    Ok(())
}
