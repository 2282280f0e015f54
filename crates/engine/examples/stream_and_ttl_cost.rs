//! What a stream costs writers, and what the deletion of expired items costs readers.
//!
//! ```sh
//! cargo run --release -p dynamometer-engine --example stream_and_ttl_cost -- stream 8 64      # rounds, writers
//! cargo run --release -p dynamometer-engine --example stream_and_ttl_cost -- ttl 1000000 8    # items, readers
//! ```
//!
//! `stream`: writers put items of 1 KB into two tables on disk, one second each in turn, of which one has a stream of both
//! images; prints writes a second and the ratio. `ttl`: readers read items of a table on disk, first alone, then while
//! another table's items expire, all of them at once; prints the percentiles of both.

// An example may look at the clock and print; the library does neither.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use dynamometer_engine::api::*;
use dynamometer_engine::jobs::timed_jobs;
use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_store::{EmbeddedOptions, EmbeddedStore, Store};
use dynamometer_types::{AttributeValue, Item, Timestamp};

const NOW_MS: i64 = 1_780_272_000_000;
/// Keys that are written or read over and over.
const KEYS: u64 = 20_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    match args.first().map(String::as_str) {
        Some("stream") => measure_stream(number(1).unwrap_or(8), number(2).unwrap_or(64)),
        Some("ttl") => measure_ttl(number(1).unwrap_or(1_000_000), number(2).unwrap_or(8)),
        _ => println!("stream ROUNDS WRITERS | ttl ITEMS READERS"),
    }
}

fn on_disk() -> (tempfile::TempDir, Arc<Engine>) {
    let folder = tempfile::tempdir_in(".").unwrap();
    let store: Arc<dyn Store> =
        Arc::new(EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap());
    (folder, Arc::new(Engine::open(store, EngineConfig::default()).unwrap()))
}

fn measure_stream(rounds: u64, writers: u64) {
    let (_folder, engine) = on_disk();
    let tables = [("plain", None), ("streamed", Some(StreamViewType::NewAndOldImages))];
    for (name, view) in tables {
        create(&engine, name, view);
    }
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for (at, (name, _)) in tables.iter().enumerate() {
            let rate = write_for_a_second(&engine, name, writers, round);
            // The first round warms up.
            if round > 0 {
                rates[at].push(rate);
            }
        }
    }
    for rates in &mut rates {
        rates.sort_unstable();
    }
    let [plain, streamed] = rates.map(|rates| rates[rates.len() / 2]);
    println!("{plain} writes/s without, {streamed} with a stream: {} %", streamed * 100 / plain);
}

fn write_for_a_second(engine: &Engine, table: &str, writers: u64, round: u64) -> u64 {
    let (written, over) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for writer in 0..writers {
            let (written, over) = (&written, &over);
            scope.spawn(move || {
                let mut number = writer * 7_919 + round;
                while !over.load(Ordering::Relaxed) {
                    number += 1;
                    let mut item = key(number % KEYS);
                    item.insert("n", AttributeValue::N((number as i64).into()));
                    item.insert("payload", AttributeValue::s("x".repeat(1000)));
                    put(engine, table, item);
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        thread::sleep(Duration::from_secs(1));
        over.store(true, Ordering::Relaxed);
    });
    written.into_inner()
}

fn measure_ttl(items: u64, readers: u64) {
    let (_folder, engine) = on_disk();
    create(&engine, "read", None);
    create(&engine, "sessions", None);
    let specification =
        TimeToLiveSpecification { enabled: Some(true), attribute_name: Some("expires".into()) };
    let request = UpdateTimeToLiveRequest {
        table_name: Some("sessions".into()),
        time_to_live_specification: Some(specification),
    };
    block_on(engine.update_time_to_live(&context(), request)).unwrap();
    fill(&engine, "read", KEYS, None);
    fill(&engine, "sessions", items, Some(NOW_MS / 1000));
    let jobs = timed_jobs(&engine);
    let sweep = jobs.iter().find(|job| job.name() == "deletion of expired items").unwrap();

    let idle = latencies(&engine, readers, || thread::sleep(Duration::from_secs(5)));
    let begun = Instant::now();
    let swept = latencies(&engine, readers, || {
        sweep.run(Timestamp::from_millis(NOW_MS + 1000)).unwrap();
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!("{items} items expired in {seconds:.1} s");
    for (name, latencies) in [("idle", idle), ("while items expire", swept)] {
        let at = |share: f64| latencies[(latencies.len() as f64 * share) as usize].as_micros();
        let (reads, median, p99, p999) = (latencies.len(), at(0.5), at(0.99), at(0.999));
        println!("{name}: {reads} reads, median {median} us, p99 {p99} us, p99.9 {p999} us");
    }
}

/// How long reads took while something was done, shortest first. Each reader reads a thousand times a second.
fn latencies(engine: &Engine, readers: u64, work: impl FnOnce()) -> Vec<Duration> {
    let over = AtomicBool::new(false);
    let mut all = thread::scope(|scope| {
        let running: Vec<_> = (0..readers)
            .map(|reader| {
                let over = &over;
                scope.spawn(move || {
                    let (mut took, mut number) = (Vec::new(), reader);
                    while !over.load(Ordering::Relaxed) {
                        number = (number + 7_919) % KEYS;
                        let request = GetItemRequest {
                            table_name: Some("read".into()),
                            key: Some(key(number)),
                            ..GetItemRequest::default()
                        };
                        let begun = Instant::now();
                        block_on(engine.get_item(&context(), request)).unwrap();
                        took.push(begun.elapsed());
                        thread::sleep(Duration::from_millis(1));
                    }
                    took
                })
            })
            .collect();
        work();
        over.store(true, Ordering::Relaxed);
        running.into_iter().flat_map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
    });
    all.sort_unstable();
    all
}

fn fill(engine: &Engine, table: &str, items: u64, expires: Option<i64>) {
    for from in (0..items).step_by(25) {
        let write = |number: u64| {
            let mut item = key(number);
            item.insert("payload", AttributeValue::s("x".repeat(200)));
            if let Some(second) = expires {
                item.insert("expires", AttributeValue::N(second.into()));
            }
            WriteRequest { put_request: Some(Some(item)), ..WriteRequest::default() }
        };
        let writes = (from..items.min(from + 25)).map(write).collect();
        let request = BatchWriteItemRequest {
            request_items: Some(vec![(table.into(), writes)]),
            ..BatchWriteItemRequest::default()
        };
        block_on(engine.batch_write_item(&context(), request)).unwrap();
    }
}

fn key(number: u64) -> Item {
    [("pk", AttributeValue::s(format!("SESSION#{number}")))].into_iter().collect()
}

fn put(engine: &Engine, table: &str, item: Item) {
    let request =
        PutItemRequest { table_name: Some(table.into()), item: Some(item), ..PutItemRequest::default() };
    block_on(engine.put_item(&context(), request)).unwrap();
}

fn create(engine: &Engine, name: &str, view: Option<StreamViewType>) {
    let request = CreateTableRequest {
        table_name: Some(name.into()),
        billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("pk".into()),
            attribute_type: Some(Given::Known(ScalarAttributeType::S)),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("pk".into()),
            key_type: Some(Given::Known(KeyType::Hash)),
        }]),
        stream_specification: view.map(|view| StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Given::Known(view)),
        }),
        ..CreateTableRequest::default()
    };
    block_on(engine.create_table(&context(), request)).unwrap();
}

fn context() -> Context<'static> {
    Context {
        now: Timestamp::from_millis(NOW_MS),
        namespace: "",
        region: "us-east-1",
        account: "000000000000",
        host: None,
        elapsed: &|| std::time::Duration::ZERO,
        entropy: &|| 7,
    }
}

/// Runs a future to its end on this thread, which sleeps while the future waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
