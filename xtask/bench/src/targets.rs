//! The servers that are measured side by side.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dynamometer_harness::{Client, Launch, Reply, Server};

use crate::driver::{self, Load};
use crate::random::{Random, new_seed};
use crate::workload::{self, Loading, Row, Table};
use crate::{BenchError, Options};

/// A running server with all tables loaded.
pub struct Target {
    /// What it is called in the report.
    pub name: String,
    /// The process.
    pub server: Server,
    /// How many items each of its tables holds.
    pub items: u64,
    /// What loading cost, table by table.
    pub loaded: Vec<Loaded>,
}

/// What loading a table cost.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The server.
    pub target: String,
    /// The table.
    pub table: Table,
    /// Items a second.
    pub per_second: f64,
    /// Server CPU microseconds an item.
    pub cpu_us: f64,
}

/// The name of the product's column.
pub const OURS: &str = "dyno";
/// The name of our server's second column in a row of a table that has more to do: the same without that.
pub const OURS_PLAIN: &str = "dyno-plain";
/// The name of the bare server's column.
pub const BARE: &str = "bare";

/// Starts and loads the product and every other server that is asked for or found.
///
/// # Errors
/// When one does not start or refuses its items.
pub fn start_all(options: &Options) -> Result<Vec<Target>, BenchError> {
    let mut targets = vec![load(OURS, start_ours(options)?, options.items)?];
    for (name, launch) in peers(options)? {
        let server = launch.start()?;
        targets.push(load(&name, server, options.items.min(options.peer_items))?);
    }
    Ok(targets)
}

/// Starts the product on an empty folder (or in memory), with the arguments that were given.
///
/// # Errors
/// When it does not start.
pub fn start_ours(options: &Options) -> Result<Server, BenchError> {
    let data = options.folder.join("data");
    let _ = fs::remove_dir_all(&data);
    let data = data.display().to_string();
    let place = if options.in_memory { vec!["--in-memory"] } else { vec!["--data", &data] };
    let launch = Launch::announcing(&options.dyno, options.folder.join("dyno.log"))
        .args(["--port", "0", "--cache-mb", &options.cache_mb.to_string()])
        .args(place)
        .args(options.server_args.iter().map(String::as_str));
    Ok(launch.start()?)
}

/// Other servers: those given with `--peer`, and those found in PATH unless `--no-peers`.
fn peers(options: &Options) -> Result<Vec<(String, Launch)>, BenchError> {
    let mut found = Vec::new();
    for name in ["dynoxide", "dynalite"] {
        let given = options.peers.iter().find(|(peer, _)| peer == name).map(|(_, path)| path.clone());
        let found_in_path = || if options.no_peers { None } else { in_path(name) };
        let Some(program) = given.or_else(found_in_path) else { continue };
        let launch = |label: &str, extra: &[&str]| -> Result<(String, Launch), BenchError> {
            let port = Launch::free_port()?;
            let log = options.folder.join(format!("{label}.log"));
            let launch =
                Launch::on_port(&program, port, log).args(["--port", &port.to_string()]).args(extra.to_vec());
            Ok((label.to_owned(), launch))
        };
        if name == "dynalite" {
            found.push(launch("dynalite", &["--createTableMs", "0"])?);
        } else {
            let file = options.folder.join("dynoxide.db");
            for leftover in ["", "-wal", "-shm"] {
                let _ = fs::remove_file(format!("{}{leftover}", file.display()));
            }
            found.push(launch("dynoxide-mem", &[])?);
            found.push(launch("dynoxide-file", &["--db-path", &file.display().to_string()])?);
        }
    }
    Ok(found)
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn load(name: &str, server: Server, items: u64) -> Result<Target, BenchError> {
    let mut client = Client::connect(server.address())?;
    workload::create_tables(&mut client).map_err(|error| BenchError::wrong(name, &error))?;
    let mut loaded = Vec::new();
    for table in Table::ALL {
        eprintln!("loading {} items of 1 KB into {name}{}", items, table.with());
        let load = Load {
            address: server.address(),
            connections: 8,
            time: Duration::from_secs(600),
            most: items.div_ceil(25),
        };
        let before = server.cpu_us()?;
        let outcome = driver::run(load, 1, &mut Loading::new(table))
            .map_err(|error| BenchError::wrong(name, &error))?;
        if outcome.errors > 0 {
            return Err(BenchError::wrong(name, &format!("loading was refused: {}", outcome.first_error)));
        }
        if outcome.requests() < items.div_ceil(25) {
            return Err(BenchError::wrong(name, &"loading took more than ten minutes: use fewer --items"));
        }
        settle(&[&server])?;
        loaded.push(Loaded {
            target: name.to_owned(),
            table,
            per_second: items as f64 / outcome.took.as_secs_f64(),
            cpu_us: (server.cpu_us()? - before) as f64 / items as f64,
        });
    }
    Ok(Target { name: name.to_owned(), server, items, loaded })
}

/// Sends a row's request once and gives the answer, after checking that it is the right one.
///
/// # Errors
/// When it is not.
pub fn capture(target: &Target, row: Row) -> Result<Reply, BenchError> {
    let mut request = Vec::new();
    row.template().fill_in_order(&mut request, &mut Random::new(new_seed()), 0);
    let reply = Client::connect(target.server.address())?.send(&request)?;
    let answer = serde_json::from_slice(&reply.body).unwrap_or_default();
    if reply.status == 200 && row.is_answered_by(&answer) {
        return Ok(reply);
    }
    let body = String::from_utf8_lossy(&reply.body);
    let shown: String = body.chars().take(300).collect();
    Err(BenchError::wrong(
        &target.name,
        &format!("{} is answered wrongly: {} {shown}", row.name, reply.status),
    ))
}

/// Starts a bare server that gives this answer.
///
/// # Errors
/// When it does not start.
pub fn start_bare(options: &Options, reply: &Reply) -> Result<Server, BenchError> {
    let file = options.folder.join("answer");
    let mut captured = reply.head.clone().into_bytes();
    captured.extend_from_slice(&reply.body);
    fs::write(&file, captured)?;
    let program = std::env::current_exe()?.parent().unwrap_or(Path::new(".")).join("bare-hyper");
    Ok(Launch::announcing(program, options.folder.join("bare.log"))
        .args([file.display().to_string()])
        .start()?)
}

/// Waits until servers have finished what earlier load left behind (compaction, collection of
/// garbage): until each uses less than a tenth of a core for half a second, at most 15 seconds.
///
/// # Errors
/// When a server is gone.
pub fn settle(servers: &[&Server]) -> io::Result<()> {
    const LOOK: Duration = Duration::from_millis(500);
    let cpu = || servers.iter().map(|server| server.cpu_us()).collect::<io::Result<Vec<u64>>>();
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(15) {
        let before = cpu()?;
        std::thread::sleep(LOOK);
        let quiet = LOOK.as_micros() as u64 / 10;
        if before.iter().zip(cpu()?).all(|(before, after)| after - before < quiet) {
            break;
        }
    }
    Ok(())
}
