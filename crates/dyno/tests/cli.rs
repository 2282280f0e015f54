//! What the commands print: exit code, stdout and stderr of each line in `tests/cli/*.snap`.
//!
//! A snapshot begins with `$ dyno …`, in which quotes hold words together and variables may stand before `dyno`, and goes on
//! with what came of it. With
//! `UPDATE_GOLDEN=1` the files are written anew; look at the difference before you keep it. Commands run in `tests/cli/files`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli")
}

/// The words of a line: separated by spaces, but for those between double quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut in_quotes) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => in_quotes = !in_quotes,
            ' ' if !in_quotes => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs a command and puts down what came of it.
fn run(line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.current_dir(folder().join("files")).env_clear();
    let mut words = words(line).into_iter();
    for variable in words.by_ref().take_while(|word| word != "dyno") {
        let (name, value) = variable.split_once('=').unwrap();
        command.env(name, value);
    }
    let output = command.args(words).output().unwrap();
    let mut text = format!("$ {line}\nexit {}\n", output.status.code().unwrap_or(-1));
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if bytes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "--- {name}");
        // Marks at the ends of lines show what would be lost otherwise.
        for line in String::from_utf8_lossy(bytes).lines() {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

#[test]
fn commands_print_what_their_snapshots_show() {
    let mut differences = String::new();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "snap"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let before = std::fs::read_to_string(&file).unwrap();
        let commands: Vec<&str> = before.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
        assert!(!commands.is_empty(), "{} has no command", file.display());
        let after = commands.iter().map(|line| run(line)).collect::<Vec<_>>().join("\n");
        if after == before {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, after).unwrap();
            continue;
        }
        let (line, (old, new)) = before
            .lines()
            .chain([""])
            .zip(after.lines().chain([""]))
            .enumerate()
            .find(|(_, (old, new))| old != new)
            .unwrap_or((0, ("", "")));
        let _ = writeln!(differences, "{}:{}\n  was {old}\n  is  {new}", file.display(), line + 1);
    }
    assert!(differences.is_empty(), "{differences}UPDATE_GOLDEN=1 writes the snapshots anew");
}

/// The page and the drawing load nothing from elsewhere, can be read aloud, and come out the same twice.
#[test]
fn simulate_writes_a_page_that_stands_by_itself() {
    let folders = ["sim-one", "sim-two"].map(|name| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
    let read = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    for folder in &folders {
        let _ = std::fs::remove_dir_all(folder);
        let args = "simulate --days 0.3 --writes 900/s --skew hot:80% --settings on-demand,prov:70 \
                    --spike \"2026-07-01T01:00 x4 20m\" --out";
        let mut args = words(args);
        args.push(folder.display().to_string());
        let output = Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).env_clear().output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "progress is for terminals");
    }
    for name in ["simulation.html", "simulation.svg", "simulation.json"] {
        assert_eq!(read(&folders[0], name), read(&folders[1], name), "{name}");
    }
    for name in ["simulation.html", "simulation.svg"] {
        let text = read(&folders[0], name);
        assert!(!text.replace("http://www.w3.org/2000/svg", "").contains("http"), "{name} loads something");
        for needed in ["role=\"img\"", "<title id=", "<desc id=", "prefers-color-scheme:dark"] {
            assert!(text.contains(needed), "{name} lacks {needed}");
        }
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name} has numbers that are none");
    }
    let figures: serde_json::Value = serde_json::from_str(&read(&folders[0], "simulation.json")).unwrap();
    assert_eq!(figures["settings"][0]["minutes"]["askedWrites"].as_array().unwrap().len(), 432);
}

/// `dyno serve … &` and `dyno deploy …` in two lines that are pasted together: the second does not come too early.
#[test]
fn deploy_waits_a_moment_for_a_server_that_is_being_started() {
    let dyno = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command
            .args(args)
            .env_clear()
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let design = folder().join("../../../design/src/starters/single-table.yaml").display().to_string();
    // A port that is free: nobody listens there when the deployment begins.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let endpoint = format!("http://127.0.0.1:{port}");
    let deploy = dyno(&["deploy", "--design", &design, "-p", "Prefix=dev", "--endpoint", &endpoint]);
    std::thread::sleep(std::time::Duration::from_millis(150));
    let mut server = dyno(&["serve", "--in-memory", "--port", &port]);
    let deployed = deploy.wait_with_output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(deployed.status.success(), "{}", String::from_utf8_lossy(&deployed.stderr));
}
