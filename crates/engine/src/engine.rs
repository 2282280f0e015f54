//! The engine: a store, the catalog over it, and the latches of its writers.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dynamometer_capacity::Constants;
use dynamometer_store::{Store, StoreError};
use dynamometer_types::name::TableReference;
use dynamometer_types::{ApiError, ErrorKind};
use parking_lot::Mutex;

use crate::Context;
use crate::admin::Copies;
use crate::catalog::record::Status;
use crate::catalog::{Catalog, Table};
use crate::lag::{Lag, LagConfig};
use crate::metrics::Metrics;
use crate::scaling::Targets;
use crate::streams::Dues;
use crate::throughput::{AccessObserver, ThrottleMode, TraceSink};
use crate::ttl::Oldest;
use crate::write_path::latch::Latches;

/// How an engine behaves.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// What becomes of requests beyond a table's throughput.
    pub throttle: ThrottleMode,
    /// What the capacity model believes in.
    pub constants: Arc<Constants>,
    /// Where what is asked of the model is recorded; nowhere when absent.
    pub trace: Option<Arc<dyn TraceSink>>,
    /// Who is told of what requests read and write; nobody when absent.
    pub observer: Option<Arc<dyn AccessObserver>>,
    /// How late reads may be.
    pub lag: LagConfig,
    /// How long tables and indexes stay in CREATING, UPDATING and DELETING, in milliseconds.
    pub table_delay_ms: i64,
    /// How long after its expiry an item is deleted, in milliseconds.
    pub ttl_delay_ms: i64,
    /// How long time to live cannot be changed after a change, in milliseconds; 0 for not at all. AWS has about half an
    /// hour.
    pub ttl_cooldown_ms: i64,
}

/// Everything that answers operations.
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) config: EngineConfig,
    pub(crate) latches: Latches,
    /// What late reads still see; absent when none is late.
    pub(crate) lag: Option<Lag>,
    pub(crate) copies: Copies,
    pub(crate) metrics: Metrics,
    /// What auto scaling has to look after.
    pub(crate) targets: Targets,
    /// When the streams are to be looked at again.
    pub(crate) dues: Dues,
    /// From where the indexes of expiry times are to be looked at.
    pub(crate) oldest: Oldest,
    jobs_stopped: AtomicBool,
    /// Held while jobs run: each is run by one thread at a time.
    pub(crate) running_jobs: Mutex<()>,
}

impl Engine {
    /// An engine on a store.
    ///
    /// # Errors
    /// When the catalog in the store cannot be read.
    pub fn open(store: Arc<dyn Store>, config: EngineConfig) -> Result<Engine, StoreError> {
        let catalog = Catalog::open(&*store)?;
        let metrics = Metrics::open(&*store)?;
        let targets = Targets::open(&*store)?;
        Ok(Engine {
            store,
            catalog,
            latches: Latches::new(),
            lag: Lag::new(config.lag),
            config,
            copies: Copies::default(),
            metrics,
            targets,
            dues: Dues::default(),
            oldest: Oldest::default(),
            jobs_stopped: AtomicBool::new(false),
            running_jobs: Mutex::new(()),
        })
    }

    /// The table that a request names, when it can be used.
    pub(crate) fn table(&self, context: &Context<'_>, name_or_arn: &str) -> Result<Arc<Table>, ApiError> {
        let reference = TableReference::read(name_or_arn);
        if let TableReference::Arn { region, account, .. } = reference
            && (region != context.region || account != context.account)
        {
            return Err(ApiError::table_not_found());
        }
        let table = self.catalog.table(context.namespace, reference.name());
        table
            .filter(|table| {
                matches!(table.record.lifecycle.status(context.now), Status::Active | Status::Updating)
            })
            .ok_or_else(ApiError::table_not_found)
    }

    /// Runs an operation, and holds its answer back until the tables that it can have seen are durable: what a client was
    /// told of a table is not undone by a crash.
    ///
    /// # Errors
    /// Those of the operation; `InternalServerError` when a change that it can have seen could not be kept.
    pub async fn durably<T>(
        &self,
        operation: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let lost = self.catalog.lost_changes();
        let answer = operation.await;
        if answer.as_ref().is_err_and(|error| error.kind == ErrorKind::InternalServerError) {
            return answer;
        }
        match self.catalog.settled_since(&*self.store, lost).await {
            Ok(true) => answer,
            Ok(false) => Err(internal_error("a change of the tables could not be kept")),
            Err(error) => Err(internal_error(error)),
        }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Makes jobs stop at the next batch; they go on when the store is opened again.
    pub fn stop_jobs(&self) {
        self.jobs_stopped.store(true, Ordering::Release);
    }

    /// Whether jobs were told to stop.
    pub fn jobs_are_stopped(&self) -> bool {
        self.jobs_stopped.load(Ordering::Acquire)
    }

    /// The tables.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
}

/// A fault of the server: its words are for the log, which the server writes; the client gets an incident number.
pub(crate) fn internal_error(cause: impl Display) -> ApiError {
    ApiError::new(ErrorKind::InternalServerError, cause.to_string())
}
