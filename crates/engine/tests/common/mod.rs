//! What the tests of the whole engine share: a world to run operations in, short ways to write requests, and a seeded
//! source of choices.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod agree;
pub mod meddle;
pub mod requests;
pub mod streams;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::Thread;

use dynamometer_engine::api::*;
use dynamometer_engine::jobs::{TimedJob, timed_jobs};
use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_store::{Durability, EmbeddedOptions, EmbeddedStore, MemoryStore, Store};
use dynamometer_types::{ApiError, AttributeValue, Item, Number, Timestamp};

/// An engine, and the time it is told.
pub struct World {
    pub engine: Arc<Engine>,
    jobs: Vec<Arc<dyn TimedJob>>,
    now_ms: AtomicI64,
    drawn: AtomicU64,
}

impl World {
    /// Opens an engine on a store.
    pub fn on(store: Arc<dyn Store>) -> World {
        World::with(store, EngineConfig::default())
    }

    /// Opens an engine that behaves in some other way.
    pub fn with(store: Arc<dyn Store>, config: EngineConfig) -> World {
        let engine = Arc::new(Engine::open(store, config).unwrap());
        let jobs = timed_jobs(&engine);
        // 2026-06-01T10:00:00Z
        World { engine, jobs, now_ms: AtomicI64::new(1_780_308_000_000), drawn: AtomicU64::new(1) }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms.load(Ordering::Relaxed))
    }

    pub fn advance(&self, millis: i64) {
        self.now_ms.fetch_add(millis, Ordering::Relaxed);
    }

    /// An operation as a future, with the context of this world.
    pub async fn call<T>(&self, operation: impl AsyncFnOnce(&Engine, &Context<'_>) -> T) -> T {
        self.call_in("", operation).await
    }

    /// The same in a database of its own.
    pub async fn call_in<T>(
        &self,
        namespace: &str,
        operation: impl AsyncFnOnce(&Engine, &Context<'_>) -> T,
    ) -> T {
        let entropy = || u128::from(self.drawn.fetch_add(1, Ordering::Relaxed)) << 64;
        let context = Context {
            now: self.now(),
            namespace,
            region: "us-east-1",
            account: "000000000000",
            host: None,
            elapsed: &|| std::time::Duration::ZERO,
            entropy: &entropy,
        };
        operation(&self.engine, &context).await
    }

    /// Runs an operation to its end on this thread.
    pub fn run<T>(&self, operation: impl AsyncFnOnce(&Engine, &Context<'_>) -> T) -> T {
        block_on(self.call(operation))
    }

    pub fn create(&self, request: CreateTableRequest) {
        self.run(async |engine, context| engine.create_table(context, request).await).unwrap();
    }

    pub fn update_table(&self, request: UpdateTableRequest) -> Result<TableDescriptionResponse, ApiError> {
        self.run(async |engine, context| engine.update_table(context, request).await)
    }

    pub fn describe(&self, table: &str) -> TableDescription {
        let request = DescribeTableRequest { table_name: Some(table.into()) };
        self.run(async |engine, context| engine.describe_table(context, request).await).unwrap().table
    }

    pub fn put(&self, request: PutItemRequest) -> Result<WriteItemResponse, ApiError> {
        self.run(async |engine, context| engine.put_item(context, request).await)
    }

    pub fn update(&self, request: UpdateItemRequest) -> Result<WriteItemResponse, ApiError> {
        self.run(async |engine, context| engine.update_item(context, request).await)
    }

    pub fn delete(&self, request: DeleteItemRequest) -> Result<WriteItemResponse, ApiError> {
        self.run(async |engine, context| engine.delete_item(context, request).await)
    }

    pub fn get(&self, table: &str, key: Item) -> Option<Item> {
        let request = GetItemRequest { table_name: Some(table.into()), key: Some(key), ..Default::default() };
        let answer = self.run(async |engine, context| engine.get_item(context, request).await).unwrap();
        answer.item.map(item_of)
    }

    pub fn transact(
        &self,
        request: TransactWriteItemsRequest,
    ) -> Result<TransactWriteItemsResponse, ApiError> {
        self.run(async |engine, context| engine.transact_write_items(context, request).await)
    }

    pub fn query(&self, request: QueryRequest) -> Result<PageResponse, ApiError> {
        self.run(async |engine, context| engine.query(context, request).await)
    }

    pub fn scan(&self, request: ScanRequest) -> Result<PageResponse, ApiError> {
        self.run(async |engine, context| engine.scan(context, request).await)
    }

    /// All items of a Scan, read in pages of `limit`.
    pub fn scan_all(&self, request: &ScanRequest, limit: Option<i32>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut request = ScanRequest { limit, ..request.clone() };
        loop {
            let page = self.scan(request.clone()).unwrap();
            items.extend(page.items.into_iter().flatten().map(item_of));
            request.exclusive_start_key = page.last_evaluated_key;
            if request.exclusive_start_key.is_none() {
                return items;
            }
        }
    }

    /// Lets the jobs that are due run.
    pub fn run_jobs(&self) {
        let is_due = |job: &dyn TimedJob| job.next_due().unwrap().is_some_and(|due| due <= self.now());
        for job in &self.jobs {
            while is_due(&**job) {
                job.run(self.now()).unwrap();
            }
        }
    }

    /// When the job of a name is due next.
    pub fn next_due(&self, name: &str) -> Option<Timestamp> {
        let job = self.jobs.iter().find(|job| job.name() == name).unwrap();
        job.next_due().unwrap()
    }

    /// Lets time pass, with all that falls due meanwhile in its order.
    pub fn pass(&self, millis: i64) {
        let end = self.now() + millis;
        let earliest = || {
            let dues = self.jobs.iter().filter_map(|job| Some((job.next_due().unwrap()?, job)));
            dues.min_by_key(|(due, _)| *due).filter(|(due, _)| *due <= end)
        };
        while let Some((due, job)) = earliest() {
            self.now_ms.fetch_max(due.millis(), Ordering::Relaxed);
            job.run(self.now()).unwrap();
        }
        self.now_ms.store(end.millis(), Ordering::Relaxed);
    }
}

/// A store on disk in a folder that goes with the value.
pub fn on_disk() -> (tempfile::TempDir, Arc<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = open_folder(&folder);
    (folder, store)
}

pub fn open_folder(folder: &tempfile::TempDir) -> Arc<dyn Store> {
    // Nobody cuts the power here, and a sync takes milliseconds.
    let options = EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() };
    Arc::new(EmbeddedStore::open(folder.path(), &options).unwrap())
}

pub fn in_memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// Runs a future to its end on this thread, which sleeps while the future waits.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Looks once whether a future is done.
pub fn poll_once<T>(future: std::pin::Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Option<T> {
    match future.poll(&mut TaskContext::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The item of an answer.
pub fn item_of(out: ItemOut) -> Item {
    match out {
        ItemOut::Row(row) => row.decode().unwrap(),
        ItemOut::Item(item) => item,
    }
}

pub fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::s(text.into())
}

pub fn n(number: impl Into<Number>) -> AttributeValue {
    AttributeValue::N(number.into())
}

/// The number of an attribute.
pub fn number(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(number)) => number.to_string().parse().unwrap(),
        other => panic!("`{name}` is no number: {other:?}"),
    }
}

/// A seeded source of choices (SplitMix64): the same seed makes the same test.
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Choices {
        Choices(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True so often in a hundred times.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Runs a test with so many seeds, or with `DYNO_SEEDS`, or with the one in `DYNO_SEED`; says which seed it was when the
/// test fails.
pub fn with_seeds(seeds: u64, test: impl Fn(u64)) {
    let asked = |name| std::env::var(name).ok().map(|number| number.parse::<u64>().unwrap());
    let all = 0..asked("DYNO_SEEDS").unwrap_or(seeds);
    for seed in asked("DYNO_SEED").map_or(all, |seed| seed..seed + 1) {
        let told = TellOnFailure(format!("seed {seed}: run again with DYNO_SEED={seed}"));
        test(seed);
        told.defuse();
    }
}

/// Says where a test was when it failed.
pub struct TellOnFailure(pub String);

impl TellOnFailure {
    /// The test went well.
    pub fn defuse(mut self) {
        self.0.clear();
    }
}

impl Drop for TellOnFailure {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            eprintln!("failed at {}", self.0);
        }
    }
}
