//! Measures the embedded engine. `docs/performance.md` has the numbers; a release build prints new ones:
//!
//! ```sh
//! cargo run --release -p dynamometer-store --example measure -- open
//! cargo run --release -p dynamometer-store --example measure -- write 10 32 64    # seconds, memtable MB, writers
//! cargo run --release -p dynamometer-store --example measure -- read 5
//! ```
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use dynamometer_store::{Batch, Direction, EmbeddedOptions, EmbeddedStore, Keyspace, Store};

const WRITERS: usize = 64;
const ITEMS: u64 = 1_000_000;

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let number = |index: usize, default: u64| numbers.get(index).copied().unwrap_or(default);
    match what.as_str() {
        "open" => measure_open(),
        "write" => measure_write(number(0, 10), number(1, 32), number(2, WRITERS as u64)),
        "fill" => fill(Path::new(&words[1]), number(0, 32)),
        "read" => measure_read(number(0, 5)),
        // A second process of `write`: opens a folder that was killed or closed, and says how long it took.
        other if Path::new(other).is_dir() => measure_reopen(Path::new(other)),
        _ => println!("open | write SECONDS MEMTABLE_MB WRITERS | read SECONDS"),
    }
}

fn options(memtable_mb: u64) -> EmbeddedOptions {
    EmbeddedOptions { memtable_bytes: memtable_mb << 20, ..EmbeddedOptions::default() }
}

/// Making a folder, and opening one with nothing in it.
fn measure_open() {
    let (mut made, mut opened, mut closed) = (vec![], vec![], vec![]);
    for _ in 0..20 {
        let dir = tempfile::tempdir().expect("a folder");
        let start = Instant::now();
        let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
        made.push(start.elapsed());
        let start = Instant::now();
        store.close().expect("a close");
        drop(store);
        closed.push(start.elapsed());
        let start = Instant::now();
        let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
        opened.push(start.elapsed());
        drop(store);
    }
    for (name, times) in [("make", &mut made), ("close and drop", &mut closed), ("open", &mut opened)] {
        times.sort();
        println!("{name}: p50 {:?}, max {:?}", times[times.len() / 2], times[times.len() - 1]);
    }
    println!("resident {} MB", resident_mb());
}

fn value(seed: u64, len: usize) -> Bytes {
    // Bytes that do not compress.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let bytes = std::iter::from_fn(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state as u8)
    });
    bytes.take(len).collect()
}

fn item_key(n: u64) -> Bytes {
    Bytes::from(format!("table/0001/{:016x}/{n:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// What a put with one index, a stream and counters costs: 1.1 KB, 64 B, 1.1 KB, and a counter row.
fn request(n: u64) -> Batch {
    let item = item_key(n % ITEMS);
    let mut batch = Batch::new();
    batch.put(Keyspace::IndexEntries, [b"index/", &item[..]].concat(), value(n, 64));
    batch.put(Keyspace::Streams, format!("stream/{n:016x}"), value(n + 1, 1100));
    batch.put(Keyspace::Items, item, value(n, 1100));
    batch.add(Keyspace::Counters, Bytes::from_static(b"table/0001"), [1, 1100]);
    batch
}

fn measure_write(seconds: u64, memtable_mb: u64, writers: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = EmbeddedStore::open(dir.path(), &options(memtable_mb)).expect("an open");
    let next = AtomicU64::new(0);
    println!("memtables {memtable_mb} MB, {writers} writers");
    let times = run(seconds, writers as usize, || {
        let n = next.fetch_add(1, Ordering::Relaxed);
        let old = store.get(Keyspace::Items, &item_key(n % ITEMS)).expect("a read");
        let mut batch = request(n);
        match old {
            Some(value) => batch.check_holds(Keyspace::Items, item_key(n % ITEMS), value),
            None => &mut batch,
        };
        store.commit(batch).wait().expect("a write");
    });
    report("write", times);
    println!("  resident {} MB, disk {} MB", resident_mb(), store.info().disk_bytes >> 20);
    let start = Instant::now();
    store.close().expect("a close");
    println!("  close {:?}", start.elapsed());
    let start = Instant::now();
    drop(store);
    println!("  drop {:?}", start.elapsed());
    reopen("after a close", dir.path());

    // The same in a process of its own, which is killed.
    let dir = tempfile::tempdir().expect("a folder");
    let mut child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .arg("fill")
        .arg(memtable_mb.to_string())
        .arg(dir.path())
        .spawn()
        .expect("a child");
    std::thread::sleep(Duration::from_secs(seconds));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    reopen("after a kill", dir.path());
}

/// Writes until it is killed.
fn fill(path: &Path, memtable_mb: u64) {
    let store = EmbeddedStore::open(path, &options(memtable_mb)).expect("an open");
    let next = AtomicU64::new(0);
    run(1000, WRITERS, || {
        store.commit(request(next.fetch_add(1, Ordering::Relaxed))).wait().expect("a write");
    });
}

fn reopen(name: &str, path: &Path) {
    let program = std::env::current_exe().expect("this program");
    print!("  {name}: ");
    // Flushed before the child prints.
    std::io::Write::flush(&mut std::io::stdout()).expect("standard output");
    let status = std::process::Command::new(program).arg(path).status().expect("a child");
    assert!(status.success());
}

fn measure_reopen(path: &Path) {
    let log: u64 = std::fs::read_dir(path.join("data/log"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.metadata().ok())
        .map(|metadata| metadata.len())
        .sum();
    let start = Instant::now();
    let store = EmbeddedStore::open(path, &EmbeddedOptions::default()).expect("an open");
    let time = start.elapsed();
    println!("open {time:?} with {} MB of log, resident {} MB", log >> 20, resident_mb());
    drop(store);
}

fn measure_read(seconds: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
    let count = 100_000;
    for first in (0..count).step_by(500) {
        let mut batch = Batch::new();
        for n in first..first + 500 {
            batch.put(Keyspace::Items, item_key(n), value(n, 1100));
        }
        store.commit(batch).wait().expect("a write");
    }
    let next = AtomicU64::new(0);
    let key = || item_key(next.fetch_add(1, Ordering::Relaxed).wrapping_mul(7919) % count);
    for place in ["memtable", "tables"] {
        for threads in [1, 2] {
            let times = run(seconds, threads, || {
                assert!(store.get(Keyspace::Items, &key()).expect("a read").is_some());
            });
            report(&format!("get from {place}, {threads} threads"), times);
            let times = run(seconds, threads, || {
                let snapshot = store.snapshot().expect("a snapshot");
                assert!(snapshot.get(Keyspace::Items, &key()).expect("a read").is_some());
            });
            report(&format!("get by snapshot from {place}, {threads} threads"), times);
            let times = run(seconds, threads, || scan(&store, &key(), 10));
            report(&format!("range of 10 from {place}, {threads} threads"), times);
        }
        store.close().expect("a close");
    }
}

fn scan(store: &EmbeddedStore, start: &[u8], limit: usize) {
    use std::ops::{Bound, ControlFlow};
    let mut left = limit;
    let snapshot = store.snapshot().expect("a snapshot");
    let start = Bound::Included(start);
    snapshot
        .range(Keyspace::Items, start, Bound::Unbounded, Direction::Forward, &mut |_, _| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("a range");
}

struct Times {
    latencies: Vec<Duration>,
    elapsed: Duration,
    cpu: Duration,
}

/// Runs `work` on so many threads for so many seconds.
fn run(seconds: u64, threads: usize, work: impl Fn() + Sync) -> Times {
    let stop = Arc::new(AtomicBool::new(false));
    let (start, cpu) = (Instant::now(), cpu_time());
    let latencies = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut latencies = vec![];
                    while !stop.load(Ordering::Relaxed) {
                        let start = Instant::now();
                        work();
                        latencies.push(start.elapsed());
                    }
                    latencies
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(seconds));
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    Times { latencies, elapsed: start.elapsed(), cpu: cpu_time() - cpu }
}

fn report(name: &str, mut times: Times) {
    times.latencies.sort();
    let count = times.latencies.len();
    let at = |share: f64| times.latencies[((count - 1) as f64 * share) as usize];
    println!(
        "{name}: {:.0}/s, p50 {:?}, p99 {:?}, p99.9 {:?}, max {:?}, CPU {:.1} us each",
        count as f64 / times.elapsed.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        times.cpu.as_secs_f64() * 1e6 / count as f64,
    );
}

/// User and system time of this process, from the kernel's clock ticks of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|word| word.parse().unwrap_or_default())
        .collect();
    Duration::from_millis(10 * (fields.get(11).unwrap_or(&0) + fields.get(12).unwrap_or(&0)))
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().split(' ').next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or_default() >> 10
}
