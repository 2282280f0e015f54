//! Faults on purpose: what AWS answers on a bad day, so that code that tries again can be tried out.
//!
//! A [`Rule`] says which requests it strikes, with what, and how often. Rules are set by `POST /_dyno/faults` and belong to
//! the database of whoever sets them. A request passes them in their order: delays add up, and the first rule that
//! strikes with an answer ends it. Requests of the data plane are struck unless a rule names operations; the control
//! plane never unless it is named. While there is no rule, a request pays one look at a number.
//!
//! What is drawn is drawn from the seed of the server or of the rule, in the order in which requests arrive.

mod batch;
mod request;
mod rule;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dynamometer_engine::{Context, Engine};
use dynamometer_types::{ApiError, CancellationReason, ErrorKind};
use serde_json::Value;

use batch::{Batch, Part};
use request::{MOST_ACTIONS, Told};
use rule::Rule;
pub use rule::{Asked, Kind, Shown};

/// How many rules there may be.
const MOST_RULES: usize = 100;

/// The rules of a server.
pub struct Faults {
    seed: u64,
    /// How many rules there are.
    count: AtomicUsize,
    rules: Mutex<Rules>,
}

#[derive(Default)]
struct Rules {
    /// Each with the database whose requests it strikes.
    rules: Vec<(String, Rule)>,
    made: u64,
}

/// What befalls a request.
pub(crate) struct Strike {
    /// How long it waits first, in milliseconds of real time.
    pub(crate) delay_ms: u64,
    pub(crate) ending: Option<Ending>,
}

/// How a request ends other than it would.
pub(crate) struct Ending {
    pub(crate) blow: Blow,
    /// Whether it runs all the same, and only its answer is lost.
    pub(crate) after: bool,
}

/// What the client gets instead of an answer.
pub(crate) enum Blow {
    Error(ApiError),
    /// A part of a batch is not done.
    Part(Part),
    /// Nothing: the connection closes.
    HangUp,
}

impl Faults {
    /// No rules; those that come draw from a seed.
    pub fn new(seed: u64) -> Faults {
        Faults { seed, count: AtomicUsize::new(0), rules: Mutex::default() }
    }

    /// Adds a rule to a database. Answers it as it stands.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn add(&self, namespace: &str, asked: Asked) -> Result<Shown, String> {
        let mut rules = self.lock();
        if rules.rules.len() >= MOST_RULES {
            return Err(format!("there are {MOST_RULES} faults already: DELETE /_dyno/faults first"));
        }
        let rule = Rule::new(rules.made + 1, self.seed, asked)?;
        rules.made += 1;
        let shown = rule.show();
        rules.rules.push((namespace.to_owned(), rule));
        self.count.store(rules.rules.len(), Ordering::Release);
        Ok(shown)
    }

    /// The rules of a database.
    pub fn list(&self, namespace: &str) -> Vec<Shown> {
        let rules = self.lock();
        rules.rules.iter().filter(|(of, _)| of == namespace).map(|(_, rule)| rule.show()).collect()
    }

    /// Takes the rules of a database out, all or the one of a number. Answers how many there were.
    pub fn remove(&self, namespace: &str, id: Option<u64>) -> usize {
        let mut rules = self.lock();
        let before = rules.rules.len();
        rules.rules.retain(|(of, rule)| of != namespace || id.is_some_and(|id| rule.id() != id));
        self.count.store(rules.rules.len(), Ordering::Release);
        before - rules.rules.len()
    }

    /// Whether there is no rule.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// What befalls a request of a known operation; `None` when nothing does.
    pub(crate) fn strike(
        &self,
        engine: &Engine,
        context: &Context<'_>,
        operation: &str,
        body: &[u8],
    ) -> Option<Strike> {
        let mine = |of: &String, rule: &Rule| of == context.namespace && rule.names_operation(operation);
        let (mut is_meant, mut may_be_throttled) = (false, false);
        for (_, rule) in self.lock().rules.iter().filter(|(of, rule)| mine(of, rule)) {
            is_meant = true;
            may_be_throttled |= rule.kind() == Kind::Throttle;
        }
        if !is_meant {
            return None;
        }
        // Outside of the lock, which all requests take while there are rules.
        let told = Told::read(operation, body);
        let mut batch = may_be_throttled.then(|| Batch::read(operation, body)).flatten();
        let mut strike = Strike { delay_ms: 0, ending: None };
        let mut blow: Option<(Kind, Rule)> = None;
        for (_, rule) in self.lock().rules.iter_mut().filter(|(of, rule)| mine(of, rule)) {
            let is_idle = blow.is_some() && rule.kind() != Kind::Delay;
            if is_idle || !rule.names_table(&told) {
                continue;
            }
            let strikes = match (&mut batch, rule.kind()) {
                (Some(batch), Kind::Throttle) => batch.draw(rule),
                // It will fail by itself.
                (None, Kind::Throttle) if batch::is_batch(operation) => false,
                _ => rule.draws(),
            };
            if !strikes {
                continue;
            }
            strike.delay_ms = strike.delay_ms.saturating_add(rule.draw_delay_ms());
            if rule.kind() != Kind::Delay {
                blow = Some((rule.kind(), rule.clone()));
            }
        }
        if let Some((kind, rule)) = blow {
            let at = told.tables.iter().position(|table| rule.names(table)).unwrap_or(0);
            let error_of =
                |table: &str| engine.throttling_error(context, table, told.dimension, rule.cause());
            let blow = match batch {
                Some(batch) if kind == Kind::Throttle => batch.blow(error_of),
                _ => blow_of(kind, operation, &told, at, error_of),
            };
            strike.ending = blow.map(|blow| Ending { blow, after: rule.is_after() });
        }
        (strike.delay_ms > 0 || strike.ending.is_some()).then_some(strike)
    }

    fn lock(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer of a fault, in AWS's words; `None` when the request will fail by itself, as its table is not there or it has
/// too many actions.
fn blow_of(
    kind: Kind,
    operation: &str,
    told: &Told,
    at: usize,
    throttled: impl Fn(&str) -> Option<ApiError>,
) -> Option<Blow> {
    let error = match kind {
        Kind::Delay => return None,
        Kind::Drop => return Some(Blow::HangUp),
        Kind::InternalError => ApiError::new(ErrorKind::InternalServerError, "Internal server error"),
        Kind::Unavailable => ApiError::new(
            ErrorKind::ServiceUnavailable,
            "Service is temporarily unavailable. Please try again later.",
        ),
        Kind::InProgress => ApiError::new(
            ErrorKind::TransactionInProgress,
            "Transaction from previous request is still in progress",
        ),
        Kind::Conflict => {
            ApiError::new(ErrorKind::TransactionConflict, "Transaction is ongoing for the item")
        }
        Kind::Throttle => throttled(told.tables.get(at)?)?,
    };
    let code = match (kind, error.kind) {
        (Kind::Conflict, _) => "TransactionConflict",
        (_, ErrorKind::ProvisionedThroughputExceeded) => "ProvisionedThroughputExceeded",
        (Kind::Throttle, _) => "ThrottlingError",
        _ => return Some(Blow::Error(error)),
    };
    if !request::is_transaction(operation) {
        return Some(Blow::Error(error));
    }
    if told.tables.len() > MOST_ACTIONS {
        return None;
    }
    // A transaction tells which of its actions it was.
    let mut reasons = vec![CancellationReason::NONE; told.tables.len().max(at + 1)];
    reasons[at] = CancellationReason::new(code, error.message);
    Some(Blow::Error(ApiError::transaction_canceled(reasons)))
}

/// The body of `GET /_dyno/faults`.
pub(crate) fn list_body(rules: &[Shown]) -> Value {
    serde_json::json!({ "faults": rules })
}
