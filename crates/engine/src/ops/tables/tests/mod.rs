//! Tests of the operations on tables, over the memory store. A request is written as a change of one that works.

mod create_table;
mod lifecycle;
mod names;
mod random;
mod update_table;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};

use dynamometer_store::MemoryStore;
use dynamometer_types::{ApiError, Timestamp};

use crate::api::*;
use crate::context::Context;
use crate::engine::{Engine, EngineConfig};

/// An engine over a memory store, with a clock that the test moves.
pub(crate) struct World {
    pub(crate) engine: Engine,
    store: Arc<MemoryStore>,
    delay_ms: i64,
    now: AtomicI64,
    entropy: AtomicU64,
}

impl World {
    /// A world in which changes take no time.
    pub(crate) fn new() -> World {
        World::with_delay(0)
    }

    pub(crate) fn with_delay(delay_ms: i64) -> World {
        let store = Arc::new(MemoryStore::new());
        let engine = open(&store, delay_ms);
        // 2026-06-01T10:00:00Z
        let now = AtomicI64::new(1_780_308_000_000);
        World { engine, store, delay_ms, now, entropy: AtomicU64::new(1) }
    }

    /// The same store, read anew.
    pub(crate) fn reopened(&self) -> Engine {
        open(&self.store, self.delay_ms)
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed))
    }

    /// Runs an operation to its end. Over the memory store none ever waits.
    pub(crate) fn run<T>(&self, operation: impl AsyncFnOnce(&Engine, &Context<'_>) -> T) -> T {
        self.run_on(&self.engine, operation)
    }

    pub(crate) fn run_on<T>(
        &self,
        engine: &Engine,
        operation: impl AsyncFnOnce(&Engine, &Context<'_>) -> T,
    ) -> T {
        let entropy = || u128::from(self.entropy.fetch_add(1, Ordering::Relaxed)) << 64;
        let context = Context {
            now: self.now(),
            namespace: "",
            region: "us-east-1",
            account: "000000000000",
            host: Some("localhost:8000"),
            elapsed: &|| std::time::Duration::ZERO,
            entropy: &entropy,
        };
        ready(operation(engine, &context))
    }

    pub(crate) fn create(&self, request: CreateTableRequest) -> Result<TableDescription, ApiError> {
        self.run(async |engine, context| engine.create_table(context, request).await)
            .map(|answer| answer.table_description)
    }

    pub(crate) fn update(&self, request: UpdateTableRequest) -> Result<TableDescription, ApiError> {
        self.run(async |engine, context| engine.update_table(context, request).await)
            .map(|answer| answer.table_description)
    }

    pub(crate) fn delete(&self, name: &str) -> Result<TableDescription, ApiError> {
        let request = DeleteTableRequest { table_name: s(name) };
        self.run(async |engine, context| engine.delete_table(context, request).await)
            .map(|answer| answer.table_description)
    }

    pub(crate) fn describe(&self, name: &str) -> Result<TableDescription, ApiError> {
        self.describe_on(&self.engine, name)
    }

    pub(crate) fn describe_on(&self, engine: &Engine, name: &str) -> Result<TableDescription, ApiError> {
        let request = DescribeTableRequest { table_name: s(name) };
        self.run_on(engine, async |engine, context| engine.describe_table(context, request).await)
            .map(|answer| answer.table)
    }

    /// Lets the jobs that are due run.
    pub(crate) fn run_jobs(&self) {
        self.engine.run_jobs(self.now()).unwrap();
    }
}

fn open(store: &Arc<MemoryStore>, delay_ms: i64) -> Engine {
    let config = EngineConfig { table_delay_ms: delay_ms, ..EngineConfig::default() };
    Engine::open(Arc::clone(store) as _, config).unwrap()
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut TaskContext::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("an operation waits, though the memory store answers at once"),
    }
}

/// What an operation answers, as `code: message`; `""` when it succeeds.
pub(crate) fn outcome<T>(result: Result<T, ApiError>) -> String {
    result.err().map_or_else(String::new, |error| error.to_string())
}

/// Compares an outcome with what is expected: a ValidationException's message may stand alone, and `…` at its
/// beginning stands for AWS's usual words.
pub(crate) fn assert_outcome(found: &str, expected: &str) {
    let kinds = ["ResourceInUse", "ResourceNotFound", "LimitExceeded", "TableNotFound", "AccessDenied"];
    let message = expected.replace('…', "One or more parameter values were invalid: ");
    let expected = match message.is_empty() || kinds.iter().any(|kind| message.starts_with(kind)) {
        true => message,
        false => format!("ValidationException: {message}"),
    };
    assert_eq!(found, expected);
}

pub(crate) fn s(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// `pk:S sk:N`.
pub(crate) fn definitions(text: &str) -> Option<Vec<AttributeDefinition>> {
    let definition = |(name, attribute_type): (&str, &str)| AttributeDefinition {
        attribute_name: s(name),
        attribute_type: Some(ScalarAttributeType::read(attribute_type)),
    };
    Some(text.split_whitespace().filter_map(|pair| pair.split_once(':')).map(definition).collect())
}

/// `pk:HASH sk:RANGE`.
pub(crate) fn key(text: &str) -> Option<Vec<KeySchemaElement>> {
    let element = |(name, key_type): (&str, &str)| KeySchemaElement {
        attribute_name: s(name),
        key_type: Some(KeyType::read(key_type)),
    };
    Some(text.split_whitespace().filter_map(|pair| pair.split_once(':')).map(element).collect())
}

pub(crate) fn units(read: i64, write: i64) -> Option<ProvisionedThroughput> {
    Some(ProvisionedThroughput { read_capacity_units: Some(read), write_capacity_units: Some(write) })
}

pub(crate) fn most(read: i64, write: i64) -> Option<OnDemandThroughput> {
    Some(OnDemandThroughput { max_read_request_units: Some(read), max_write_request_units: Some(write) })
}

pub(crate) fn warm(read: i64, write: i64) -> Option<WarmThroughput> {
    Some(WarmThroughput { read_units_per_second: Some(read), write_units_per_second: Some(write) })
}

/// A projection: `ALL`, `KEYS_ONLY`, `INCLUDE a b`.
pub(crate) fn projection(text: &str) -> Option<Projection> {
    let mut words = text.split_whitespace();
    let projection_type = words.next().map(ProjectionType::read);
    let names: Vec<String> = words.map(str::to_owned).collect();
    Some(Projection { projection_type, non_key_attributes: (!names.is_empty()).then_some(names) })
}

pub(crate) fn lsi(name: &str, schema: &str) -> LocalSecondaryIndex {
    LocalSecondaryIndex { index_name: s(name), key_schema: key(schema), projection: projection("ALL") }
}

pub(crate) fn gsi(name: &str, schema: &str) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: s(name),
        key_schema: key(schema),
        projection: projection("ALL"),
        ..GlobalSecondaryIndex::default()
    }
}

pub(crate) fn stream(enabled: bool, view: Option<&str>) -> Option<StreamSpecification> {
    Some(StreamSpecification {
        stream_enabled: Some(enabled),
        stream_view_type: view.map(StreamViewType::read),
    })
}

pub(crate) fn tag(key: &str, value: &str) -> Tag {
    Tag { key: s(key), value: s(value) }
}

/// An on-demand table `Orders` with the key `pk`.
pub(crate) fn orders() -> CreateTableRequest {
    CreateTableRequest {
        table_name: s("Orders"),
        attribute_definitions: definitions("pk:S"),
        key_schema: key("pk:HASH"),
        billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
        ..CreateTableRequest::default()
    }
}

/// A provisioned table `Orders` with the key `pk` and 5 units of each.
pub(crate) fn provisioned_orders() -> CreateTableRequest {
    CreateTableRequest { billing_mode: None, provisioned_throughput: units(5, 5), ..orders() }
}

/// A table `Orders` with the key `pk`, `sk`, a local index `byDate` and a global index `byUser`.
pub(crate) fn indexed_orders() -> CreateTableRequest {
    CreateTableRequest {
        attribute_definitions: definitions("pk:S sk:S date:N user:S"),
        key_schema: key("pk:HASH sk:RANGE"),
        local_secondary_indexes: Some(vec![lsi("byDate", "pk:HASH date:RANGE")]),
        global_secondary_indexes: Some(vec![gsi("byUser", "user:HASH")]),
        ..orders()
    }
}

pub(crate) fn of_orders() -> UpdateTableRequest {
    UpdateTableRequest { table_name: s("Orders"), ..UpdateTableRequest::default() }
}

pub(crate) fn create_index(index: GlobalSecondaryIndex) -> GlobalSecondaryIndexUpdate {
    GlobalSecondaryIndexUpdate { create: Some(index), ..GlobalSecondaryIndexUpdate::default() }
}

pub(crate) fn delete_index(name: &str) -> GlobalSecondaryIndexUpdate {
    GlobalSecondaryIndexUpdate {
        delete: Some(DeleteGlobalSecondaryIndexAction { index_name: s(name) }),
        ..GlobalSecondaryIndexUpdate::default()
    }
}

pub(crate) fn update_index(
    name: &str,
    change: impl FnOnce(&mut UpdateGlobalSecondaryIndexAction),
) -> GlobalSecondaryIndexUpdate {
    let mut action = UpdateGlobalSecondaryIndexAction {
        index_name: s(name),
        ..UpdateGlobalSecondaryIndexAction::default()
    };
    change(&mut action);
    GlobalSecondaryIndexUpdate { update: Some(action), ..GlobalSecondaryIndexUpdate::default() }
}
