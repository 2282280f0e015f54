//! What a server says when it is ready: where it is, and the lines to paste.

use std::fmt::Write;

use crate::args::{Durability, ServeArgs, Throttle};

/// The greeting of a server that listens on `port`.
pub fn greeting(args: &ServeArgs, port: u16) -> String {
    let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
    let address = |host: &str| match host.trim_matches(['[', ']']) {
        ip if ip.contains(':') => format!("{scheme}://[{ip}]:{port}"),
        name => format!("{scheme}://{name}:{port}"),
    };
    let data = if args.in_memory { "in memory".into() } else { format!("data {}", args.data.display()) };
    let durability = match args.durability {
        Durability::Os if !args.in_memory => "   acknowledged before it is on disk (--durability os)",
        _ => "",
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "dyno {version}   DynamoDB on {}   {data}{durability}", address(&args.host));
    let url = address(reachable(&args.host));
    let _ =
        writeln!(text, "  export AWS_ENDPOINT_URL_DYNAMODB={url} AWS_ENDPOINT_URL_DYNAMODB_STREAMS={url}");
    // boto3 and the first AWS CLI know AWS_DEFAULT_REGION only, the other SDKs AWS_REGION.
    let region = format!("AWS_REGION={0} AWS_DEFAULT_REGION={0}", args.region);
    let _ = match &args.auth {
        None => writeln!(text, "  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local {region}"),
        Some(file) => writeln!(text, "  export {region}   # with a key of {} (--auth)", file.display()),
    };
    if args.throttle != Throttle::Off {
        let _ = writeln!(text, "  live report: dyno report");
    }
    if let Some(file) = &args.design {
        let _ = writeln!(text, "  held against {}: dyno design coverage", file.display());
    }
    text
}

/// Where a client of this machine reaches a server that listens on `host`: all addresses are none to connect to.
fn reachable(host: &str) -> &str {
    match host.trim_matches(['[', ']']) {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Command, CommandLine};
    use clap::Parser;

    fn greeting_of(line: &str) -> String {
        let line = CommandLine::parse_from(line.split(' '));
        let Command::Serve(args) = line.command() else { panic!("another command") };
        greeting(&args, 8000)
    }

    #[test]
    fn the_lines_to_paste_work() {
        for (line, expected) in [
            ("dyno", "export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 "),
            ("dyno", "export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1 "),
            ("dyno --host ::1", "export AWS_ENDPOINT_URL_DYNAMODB=http://[::1]:8000 "),
            ("dyno --host 0.0.0.0", "DynamoDB on http://0.0.0.0:8000 "),
            ("dyno --host 0.0.0.0", "export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 "),
            ("dyno --host [::]", "export AWS_ENDPOINT_URL_DYNAMODB=http://[::1]:8000 "),
            ("dyno --tls-cert c --tls-key k", "export AWS_ENDPOINT_URL_DYNAMODB=https://127.0.0.1:8000 "),
            (
                "dyno --auth keys --region eu-west-1",
                "export AWS_REGION=eu-west-1 AWS_DEFAULT_REGION=eu-west-1   # with a key of keys (--auth)\n",
            ),
        ] {
            let text = greeting_of(line);
            assert!(text.contains(expected), "{line}: {text}");
        }
        assert!(!greeting_of("dyno --auth keys").contains("=local"), "a key that would be refused");
    }
}
