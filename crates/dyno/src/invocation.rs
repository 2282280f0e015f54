//! How the process was called: the flags of DynamoDB Local turned into ours, and which environment variables count.

use std::ffi::{OsStr, OsString};

use clap::builder::Resettable;
use clap::{Arg, ArgAction, CommandFactory, Error, FromArgMatches};

use crate::args::CommandLine;

/// Flags of which only one can be given, so that the one on the command line takes the other out of the environment.
const RIVALS: [(&str, &str); 2] = [("in_memory", "--data"), ("data", "--in-memory")];

/// Reads the arguments, the name of the program before them, and the variables `DYNO_…`.
///
/// Flags go before variables. A variable that is set to nothing is not set, as compose files and scripts write
/// `DYNO_AUTH=${AUTH:-}`, and neither is a switch that is set to `false`.
///
/// # Errors
/// What clap says of them; help and version too.
pub fn read(args: impl Iterator<Item = OsString>) -> Result<CommandLine, Error> {
    let args = understand_local_flags(args);
    let is_serve =
        args.get(1).is_none_or(|first| first == "serve" || first.to_string_lossy().starts_with('-'));
    let heed = |arg: Arg| if is_serve && counts(&arg, &args) { arg } else { arg.env(Resettable::Reset) };
    let command = <CommandLine as CommandFactory>::command()
        .mut_args(heed)
        .mut_subcommand("serve", |serve| serve.mut_args(heed));
    CommandLine::from_arg_matches(&command.try_get_matches_from(&args)?)
}

/// Whether the environment has a say about a flag. A variable that is not set does, for the help.
fn counts(arg: &Arg, args: &[OsString]) -> bool {
    let Some(value) = arg.get_env().and_then(std::env::var_os) else { return true };
    let is_off = || {
        let off = ["0", "n", "no", "f", "false", "off"];
        off.iter().any(|off| value.eq_ignore_ascii_case(off))
    };
    let has_rival = || {
        let rivals = RIVALS.iter().filter(|(id, _)| arg.get_id() == id);
        rivals.into_iter().any(|(_, rival)| args.iter().any(|given| is_flag(given, rival)))
    };
    !(value.is_empty() || matches!(arg.get_action(), ArgAction::SetTrue) && is_off() || has_rival())
}

/// Whether an argument is a flag, with its value or before it.
fn is_flag(given: &OsStr, flag: &str) -> bool {
    given.to_string_lossy().strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Turns the flags of DynamoDB Local (`-port 8000 -inMemory -sharedDb -dbPath DIR`) into ours, so that scripts and
/// compose files written for it keep working, those that pass Java's too (`-jar DynamoDBLocal.jar -inMemory`).
/// `-sharedDb` is the default here; without it DynamoDB Local keeps one database for each access key and region, which
/// is `--isolate`.
fn understand_local_flags(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut given = args.peekable();
    let mut out: Vec<OsString> = given.next().into_iter().collect();
    while let Some(arg) = given.next() {
        let ours = match arg.to_str().unwrap_or_default() {
            "-port" => "--port",
            "-inMemory" => "--in-memory",
            "-dbPath" => "--data",
            "-help" => "--help",
            "-version" => "--version",
            "-cors" => {
                // Its value may be left out, and holds domains as well as origins.
                let value = given.next_if(|next| !next.to_string_lossy().starts_with('-'));
                let allowed = value.map_or_else(|| "*".into(), |value| origins(&value.to_string_lossy()));
                out.extend(["--allow-origin".into(), allowed.into()]);
                continue;
            }
            // DynamoDB Local's delays of its states, as its documentation gives them.
            "-delayTransientStatuses" => {
                out.extend(["--table-delay".into(), "1s".into()]);
                continue;
            }
            "-jar" => {
                given.next_if(|next| next.to_string_lossy().ends_with(".jar"));
                continue;
            }
            // What these ask for is so anyway.
            "-sharedDb" | "-disableTelemetry" | "-optimizeDbBeforeStartup" => continue,
            // Java's: the library path, the size of its heap.
            java if java.starts_with("-D") || java.starts_with("-Xm") => continue,
            _ => {
                out.push(arg);
                continue;
            }
        };
        out.push(ours.into());
    }
    out
}

/// What `-cors` allows, as `--allow-origin` takes it: a domain stands for its pages of both schemes.
fn origins(list: &str) -> String {
    let origins = list.split(',').map(str::trim).map(|one| match one {
        "*" => one.to_owned(),
        one if one.contains("://") => one.to_owned(),
        domain => format!("http://{domain},https://{domain}"),
    });
    origins.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> String {
        let args = std::iter::once("dyno").chain(line.split_whitespace()).map(OsString::from);
        let args: Vec<String> =
            understand_local_flags(args).iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        args[1..].join(" ")
    }

    #[test]
    fn dynamodb_locals_flags_become_ours() {
        for (local, ours) in [
            ("-port 8123 -sharedDb -dbPath /data", "--port 8123 --data /data"),
            ("-inMemory -disableTelemetry", "--in-memory"),
            ("-jar DynamoDBLocal.jar -sharedDb -dbPath ./data", "--data ./data"),
            (
                "-Djava.library.path=./DynamoDBLocal_lib -Xmx512m -jar DynamoDBLocal.jar -inMemory",
                "--in-memory",
            ),
            ("-cors -inMemory", "--allow-origin * --in-memory"),
            ("-cors *", "--allow-origin *"),
            (
                "-cors a.example,http://b.example:3000",
                "--allow-origin http://a.example,https://a.example,http://b.example:3000",
            ),
            ("-delayTransientStatuses", "--table-delay 1s"),
            ("-help", "--help"),
            ("-version", "--version"),
            ("serve --port 1", "serve --port 1"),
        ] {
            assert_eq!(translated(local), ours, "{local}");
        }
    }

    #[test]
    fn a_flag_is_known_with_its_value_and_without() {
        for (given, is) in [("--data", true), ("--data=x", true), ("--database", false), ("data", false)] {
            assert_eq!(is_flag(OsStr::new(given), "--data"), is, "{given}");
        }
    }
}
