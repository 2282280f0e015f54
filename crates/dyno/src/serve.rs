//! `dyno serve`: opens the data, takes the port, says where it is, and serves until it is told to stop.

use std::collections::HashSet;
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dynamometer_capacity::Constants;
use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::lag::LagConfig;
use dynamometer_engine::throughput::{AccessObserver, ThrottleMode};
use dynamometer_engine::{Engine, EngineConfig};
use dynamometer_server::auth::{Auth, Credentials, Scope};
use dynamometer_server::clock::Clock;
use dynamometer_server::coverage::Coverage;
use dynamometer_server::faults::Faults;
use dynamometer_server::http::{HttpConfig, TlsConfig, bind, serve as serve_http};
use dynamometer_server::pipes::{Asked as AskedPipe, Pipes};
use dynamometer_server::runner::{Jobs, Runner};
use dynamometer_server::service::{Api, ApiConfig};
use dynamometer_store::{EmbeddedOptions, EmbeddedStore, MemoryStore, Store, StoreError};

use crate::args::{ClockKind, Durability, ServeArgs, Throttle};
use crate::client::ca_bundle;
use crate::design;
use crate::files::read_file;
use crate::fixtures::Fixtures;
use crate::greeting::greeting;
use crate::open_files::OpenFiles;
use crate::problem::Problem;
use crate::record::Recorder;

/// Serves until SIGTERM or Ctrl-C.
pub fn serve(args: ServeArgs) -> Result<(), Problem> {
    check_exposure(&args)?;
    check_fixtures(&args)?;
    let files = OpenFiles::claim();
    let http = http_config(&args, files)?;
    let asked_pipes = read_pipes(&args.pipe)?;
    let prices = Arc::new(read_prices(args.prices.as_deref())?);
    let coverage = args.design.as_deref().map(read_design).transpose()?;
    // The port first: a second server must not touch the data of the first.
    let listeners = bind(&args.host, args.port).map_err(|e| Problem::failed(&e).hint(e.hint()))?;
    let port =
        listeners.first().and_then(|l| l.local_addr().ok()).map_or(args.port, |address| address.port());
    let recorder = start_recording(&args)?;
    let store = open_store(&args, files)?;
    let config = EngineConfig {
        trace: recorder.as_ref().map(Recorder::sink),
        observer: coverage.clone().map(|coverage| coverage as Arc<dyn AccessObserver>),
        lag: LagConfig { index: args.index_lag, read: args.read_lag, seed: args.seed },
        table_delay_ms: args.table_delay.as_millis() as i64,
        ttl_delay_ms: args.ttl_delay.as_millis() as i64,
        ttl_cooldown_ms: args.ttl_cooldown.as_millis() as i64,
        throttle: match args.throttle {
            Throttle::Off => ThrottleMode::Off,
            Throttle::Report => ThrottleMode::Report,
            Throttle::Enforce => ThrottleMode::Enforce,
        },
        ..EngineConfig::default()
    };
    let engine = Arc::new(Engine::open(store.clone(), config.clone()).map_err(|e| unusable(&args.data, &e))?);
    let clock = Arc::new(match args.clock {
        ClockKind::Wall => Clock::Wall,
        ClockKind::Manual => manual_clock(&engine)?,
    });
    let pipes = Arc::new(Pipes::new(engine.clone(), clock.clone()).trusting(ca_bundle()));
    let jobs = Arc::new(Jobs::new(&engine, clock));
    let runner = Runner::start(jobs.clone(), log).map_err(Problem::failed)?;
    let api_config = ApiConfig {
        region: args.region.clone(),
        account: args.account.clone(),
        isolate: args.isolate,
        jobs: jobs.clone(),
        faults: Arc::new(Faults::new(args.seed)),
        pipes: pipes.clone(),
        prices,
        coverage: coverage.clone(),
        seed: random(),
        log: Arc::new(log),
    };
    let api = Arc::new(Api::new(engine.clone(), api_config.clone()));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Problem::failed)?;
    let loaded = runtime.block_on(fixtures(&args, &config).load(&api, &api_config));
    // Outside of the runtime: to start a pipe is to write that it has begun.
    let begun = loaded.and_then(|()| start_pipes(&pipes, asked_pipes));
    let served = begun.and_then(|()| {
        // What the fixtures wrote is not the application's traffic.
        coverage.iter().for_each(|coverage| coverage.begin());
        greet(&args, port);
        let serving = serve_http(listeners, Arc::new(http), api, stop_signal());
        runtime.block_on(serving).map_err(Problem::failed)
    });
    pipes.stop();
    runner.stop(&jobs, &engine);
    if let Some(recorder) = recorder {
        recorder.finish();
    }
    let closed = store.close().map_err(Problem::failed);
    // The store is durable and closed. Dropping it would wait for a merge of tables that the next start can do.
    std::mem::forget(store);
    served.and(closed)
}

/// The design that requests are held against. What is wrong in it is shown with its lines.
fn read_design(file: &Path) -> Result<Arc<Coverage>, Problem> {
    let loaded = design::load(file)?;
    let title = loaded.title();
    Ok(Arc::new(Coverage::new(loaded.design, title)))
}

fn start_recording(args: &ServeArgs) -> Result<Option<Recorder>, Problem> {
    let Some(file) = &args.record else { return Ok(None) };
    if args.throttle == Throttle::Off {
        return Err(Problem::wrong("--record needs the capacity model, which --throttle off leaves out")
            .hint("--throttle report"));
    }
    Recorder::start(file, &Constants::default(), log).map(Some)
}

fn fixtures<'a>(args: &'a ServeArgs, engine: &'a EngineConfig) -> Fixtures<'a> {
    Fixtures {
        files: &args.fixtures,
        parameters: &args.parameters,
        region: &args.region,
        account: &args.account,
        engine,
        has_wall_clock: args.clock == ClockKind::Wall,
        log,
    }
}

/// Beyond loopback only with signatures, or when somebody says that it is meant.
fn check_exposure(args: &ServeArgs) -> Result<(), Problem> {
    let loopback = args.host == "localhost"
        || args.host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if loopback || args.auth.is_some() || args.allow_anonymous {
        return Ok(());
    }
    let sentence =
        format!("--host {} would let everybody who reaches this machine read and write all data", args.host);
    Err(Problem::wrong(sentence)
        .hint("--auth FILE to verify signatures, or --allow-anonymous if that is meant"))
}

/// Fixtures are made once, at the start, when nobody knows yet which databases there will be.
fn check_fixtures(args: &ServeArgs) -> Result<(), Problem> {
    if args.fixtures.is_empty() || !args.isolate {
        return Ok(());
    }
    let sentence =
        "--fixtures fill one database, and with --isolate each access key and region has one of its own";
    Err(Problem::wrong(sentence).hint("leave one of them out, or make the tables with the key of each test"))
}

fn http_config(args: &ServeArgs, files: OpenFiles) -> Result<HttpConfig, Problem> {
    let mut config = HttpConfig::new(&args.region);
    if let Some(file) = &args.auth {
        config.auth = Auth::with_credentials(&args.region, read_credentials(file)?, Scope::default());
    }
    if let (Some(cert), Some(key)) = (&args.tls_cert, &args.tls_key) {
        config.tls = Some(TlsConfig::from_pem_files(cert, key).map_err(Problem::wrong)?);
    }
    config.limits.connections = files.connections;
    config.allow_origins = args.allow_origin.clone();
    config.request_id_seed = random();
    config.log = Arc::new(log);
    Ok(config)
}

/// The clock that tests move. Says so when it is not what the system's time leads one to expect.
fn manual_clock(engine: &Engine) -> Result<Clock, Problem> {
    let moved_to = engine.kept_time().map_err(Problem::failed)?;
    let clock = Clock::manual(moved_to);
    let now = clock.now();
    if moved_to == Some(now) {
        log(&format!("the clock goes on at {now}, where it was moved to in this data folder"));
    }
    Ok(clock)
}

/// The pipes of some files.
fn read_pipes(files: &[PathBuf]) -> Result<Vec<AskedPipe>, Problem> {
    let (mut pipes, mut names) = (Vec::new(), HashSet::new());
    for file in files {
        let wrong = |what: &dyn std::fmt::Display| Problem::wrong(format!("{}: {what}", file.display()));
        let text = read_file(file)?;
        for asked in AskedPipe::read_all(&text).map_err(|error| wrong(&error))? {
            let name = asked.check().map_err(|error| wrong(&error))?.name;
            if let Some(name) = names.replace(name) {
                return Err(wrong(&format_args!("two pipes are called `{name}`"))
                    .hint("give each a `Name` of its own"));
            }
            pipes.push(asked);
        }
    }
    Ok(pipes)
}

fn start_pipes(pipes: &Pipes, asked: Vec<AskedPipe>) -> Result<(), Problem> {
    asked.into_iter().try_for_each(|asked| pipes.start("", asked).map(drop).map_err(Problem::failed))?;
    // Those of files have the say over those of the same names that were posted.
    pipes.resume(log);
    Ok(())
}

/// The built-in prices, with those of a file laid over them.
fn read_prices(file: Option<&Path>) -> Result<PriceTable, Problem> {
    let mut prices = PriceTable::builtin();
    if let Some(file) = file {
        let name = file.display().to_string();
        let text = read_file(file)?;
        prices.overlay(PriceTable::parse(&name, &text).map_err(Problem::wrong)?);
    }
    Ok(prices)
}

fn read_credentials(file: &Path) -> Result<Credentials, Problem> {
    Credentials::read(file).map_err(Problem::wrong)
}

fn open_store(args: &ServeArgs, files: OpenFiles) -> Result<Arc<dyn Store>, Problem> {
    if args.in_memory {
        return Ok(Arc::new(MemoryStore::new()));
    }
    let options = EmbeddedOptions {
        cache_bytes: args.cache_mb << 20,
        durability: match args.durability {
            Durability::Sync => dynamometer_store::Durability::Sync,
            Durability::Os => dynamometer_store::Durability::Os,
        },
        open_tables: files.tables,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(&args.data, &options).map_err(|e| unusable(&args.data, &e))?;
    Ok(Arc::new(store))
}

/// A folder that cannot be served.
fn unusable(folder: &Path, error: &StoreError) -> Problem {
    let problem = Problem::failed(error);
    match error {
        StoreError::Corrupt(_) => {
            problem.hint(format!("restore {} from a copy, or dyno --data OTHER-FOLDER", folder.display()))
        }
        StoreError::Full(_) => problem.hint(format!("make room on the disk of {}", folder.display())),
        _ => problem.hint("dyno --data OTHER-FOLDER"),
    }
}

/// Says where the server is.
fn greet(args: &ServeArgs, port: u16) {
    let mut out = std::io::stdout();
    // Nobody may be reading; the server serves all the same.
    let _ = out.write_all(greeting(args, port).as_bytes());
    let _ = out.flush();
}

fn log(line: &str) {
    eprintln!("dyno: {line}");
}

fn random() -> u128 {
    let mut bytes = [0; 16];
    // Without a random source identifiers are still unique within the process.
    let _ = getrandom::fill(&mut bytes);
    u128::from_ne_bytes(bytes)
}

/// Done when the process is asked to stop.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            let _ = tokio::signal::ctrl_c().await;
            return;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
