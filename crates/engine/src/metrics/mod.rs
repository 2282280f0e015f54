//! CloudWatch of the tables: what requests left in the tables' live states is published minute by minute, alarms look
//! at it, and the operations of CloudWatch answer from it.
//!
//! * [`close`] closes minutes, in order, when the server's runner says that they are over.
//! * [`publish`] turns what was counted into AWS's metrics.
//! * [`errors`] counts what failed.
//! * [`kept`] keeps alarms in the store; metrics are kept in memory only.

mod close;
mod errors;
mod kept;
mod publish;

pub(crate) use kept::PREFIX as KEPT_PREFIX;

use std::collections::BTreeMap;
use std::sync::Arc;

use dynamometer_cloudwatch::alarms::{Alarm, Comparison, Source, State, Watched};
use dynamometer_cloudwatch::insights::RuleDefinition;
use dynamometer_cloudwatch::metric::{DYNAMODB, MetricId};
use dynamometer_cloudwatch::ops::Operation;
use dynamometer_cloudwatch::query::MetricStat;
use dynamometer_cloudwatch::{Call, CloudWatch, Fault, FaultKind, Value};
use dynamometer_store::{Batch, Commit, Store, StoreError};
use parking_lot::Mutex;

use crate::Context;
use crate::catalog::record::InsightsRecord;
use crate::catalog::{Table, Version};
use crate::engine::Engine;
use crate::scaling::alarms::{AlarmState, TrackingAlarm};
use crate::throughput::RuleKind;

/// The metrics, alarms and rules of all databases.
#[derive(Default)]
pub(crate) struct Metrics {
    /// By namespace. Locked before one of the databases, and not while one is worked on.
    databases: Mutex<BTreeMap<String, Arc<Database>>>,
    /// What failed and was not published yet.
    errors: errors::Errors,
    /// Until when minutes are closed, milliseconds; held while some are.
    closed_until: Mutex<Option<i64>>,
    /// Tables that leave the catalog, and may have counted in a minute that is not closed yet.
    departing: Mutex<Vec<Arc<Table>>>,
}

/// What there is of one database; `None` when it was taken out.
type Database = Mutex<Option<CloudWatch>>;

impl Metrics {
    /// Reads what is kept of a store.
    ///
    /// # Errors
    /// When a row cannot be read, or is of a newer format.
    pub(crate) fn open(store: &dyn Store) -> Result<Metrics, StoreError> {
        let kept = kept::read(store)?.into_iter();
        let databases = kept.map(|(namespace, known)| (namespace, Arc::new(Mutex::new(Some(known)))));
        Ok(Metrics { databases: Mutex::new(databases.collect()), ..Metrics::default() })
    }

    /// Works on what there is of a database, which is begun if there is nothing.
    fn with<R>(&self, namespace: &str, work: impl FnOnce(&mut CloudWatch) -> R) -> R {
        loop {
            let begin = || Arc::new(Mutex::new(Some(CloudWatch::default())));
            let database = self.databases.lock().entry(namespace.to_owned()).or_insert_with(begin).clone();
            if let Some(cloudwatch) = &mut *database.lock() {
                return work(cloudwatch);
            }
        }
    }

    /// Works on each database of which there is something, one after the other.
    fn each(&self, mut work: impl FnMut(&str, &mut CloudWatch)) {
        let databases = self.databases.lock().clone();
        for (namespace, database) in &databases {
            if let Some(cloudwatch) = &mut *database.lock() {
                work(namespace, cloudwatch);
            }
        }
    }

    /// Takes out the databases of which there is nothing.
    fn drop_empty(&self) {
        let is_empty = |database: &mut Option<CloudWatch>| {
            database.take_if(|cloudwatch| cloudwatch.is_empty()).is_some()
        };
        // One that is worked on is looked at again later.
        self.databases
            .lock()
            .retain(|_, database| !database.try_lock().is_some_and(|mut one| is_empty(&mut one)));
    }
}

impl Metrics {
    /// Forgets metrics, alarms and rules of a database, together with another change: `change` gets what it has to put
    /// into its batch. What was counted in tables that are gone goes along.
    ///
    /// # Errors
    /// What `change` answers; nothing has changed then.
    pub(crate) fn forget<T, E>(
        &self,
        namespace: &str,
        change: impl FnOnce(&mut dyn FnMut(&mut Batch)) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut databases = self.databases.lock();
        let database = databases.get(namespace).cloned();
        let mut known = database.as_ref().map(|database| database.lock());
        let answer = change(&mut |batch| {
            let cloudwatch = known.as_ref().and_then(|known| known.as_ref());
            cloudwatch.into_iter().for_each(|cloudwatch| kept::forget(cloudwatch, namespace, batch));
        })?;
        known.as_mut().map(|known| known.take());
        databases.remove(namespace);
        self.errors.forget(namespace);
        self.departing.lock().retain(|table| table.record.namespace != namespace);
        Ok(answer)
    }
}

impl Engine {
    /// Answers an operation of CloudWatch.
    ///
    /// # Errors
    /// As the operation's; `InternalService` when an alarm could not be kept.
    pub async fn cloudwatch(
        &self,
        context: &Context<'_>,
        operation: &Operation,
        request: &Value,
    ) -> Result<Value, Fault> {
        let managed = self.managed_alarms(context);
        let call =
            Call { now: context.now, region: context.region, account: context.account, managed: &managed };
        let answered = self.metrics.with(context.namespace, |cloudwatch| {
            cloudwatch.insights.declare(rules(&self.catalog.version(), context.namespace));
            let answer = cloudwatch.answer(operation, &call, request)?;
            Ok((answer, self.keep_changes(cloudwatch, context.namespace)))
        });
        // A question about a database of which there is nothing leaves nothing behind.
        self.metrics.drop_empty();
        let (answer, commit) = answered?;
        if let Some(commit) = commit {
            commit.await.map_err(|error| Fault::new(FaultKind::InternalService, error.to_string()))?;
        }
        Ok(answer)
    }

    /// Begins to keep what changed of a database, while it is being worked on: changes are kept in their order.
    fn keep_changes(&self, cloudwatch: &mut CloudWatch, namespace: &str) -> Option<Commit> {
        let mut batch = Batch::new();
        kept::write_changes(cloudwatch, namespace, &mut batch);
        (!batch.is_empty()).then(|| self.store.commit(batch))
    }

    /// The alarms that scaling policies keep.
    fn managed_alarms(&self, context: &Context<'_>) -> Vec<Alarm> {
        self.tracking_alarms(context.namespace, context.now).into_iter().map(managed_alarm).collect()
    }

    /// Remembers a table that leaves the catalog until its last minute is closed.
    pub(crate) fn departing(&self, table: Arc<Table>) {
        self.metrics.departing.lock().push(table);
    }
}

/// An alarm of target tracking as CloudWatch shows it. Its words are assumed: the policy works the state out itself.
fn managed_alarm(alarm: TrackingAlarm) -> Alarm {
    let mut dimensions = vec![("TableName".to_owned(), alarm.table)];
    dimensions.extend(alarm.index.map(|index| ("GlobalSecondaryIndexName".to_owned(), index)));
    let (state, reason) = match alarm.state {
        AlarmState::InsufficientData => (State::InsufficientData, "Unchecked: Initial alarm creation"),
        AlarmState::Ok => (State::Ok, "Threshold not crossed, as the scaling policy sees it."),
        AlarmState::Alarm => (State::Alarm, "Threshold Crossed, as the scaling policy sees it."),
    };
    let made = alarm.made.millis();
    Alarm {
        name: alarm.name,
        arn: alarm.arn,
        description: Some(format!(
            "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy {}.",
            alarm.policy_arn
        )),
        actions_enabled: true,
        actions: [Vec::new(), vec![alarm.policy_arn], Vec::new()],
        watched: Watched {
            source: Source::Metric(MetricStat {
                metric: MetricId::new(DYNAMODB, alarm.metric, dimensions),
                period_s: alarm.period_seconds.into(),
                stat: alarm.statistic.to_owned(),
                unit: None,
            }),
            evaluation_periods: alarm.evaluation_periods.into(),
            datapoints_to_alarm: None,
            threshold: alarm.threshold,
            comparison: if alarm.is_above {
                Comparison::GreaterThanThreshold
            } else {
                Comparison::LessThanThreshold
            },
            treat_missing_data: None,
            evaluate_low_sample_count_percentile: None,
        },
        configured_ms: made,
        state,
        reason: reason.to_owned(),
        reason_data: None,
        updated_ms: made,
        transitioned_ms: made,
        tags: Vec::new(),
    }
}

/// The rules of Contributor Insights that the tables of a database declare.
fn rules(version: &Version, namespace: &str) -> Vec<RuleDefinition> {
    version.tables(namespace).flat_map(|table| rules_of(table)).collect()
}

fn rules_of(table: &Table) -> Vec<RuleDefinition> {
    let mut definitions = Vec::new();
    let mut add = |setting: &Option<InsightsRecord>, index: Option<&str>| {
        let Some(setting) = setting else { return };
        let key = match index {
            None => &table.key,
            Some(index) => match table.index(index) {
                Some(index) => &index.key,
                None => return,
            },
        };
        for kind in setting.rules(!key.sort.is_empty()) {
            let sort = if kind.is_of_items() { &key.sort[..] } else { &[] };
            definitions.push(RuleDefinition {
                name: setting.rule_name(kind, &table.record.name, index),
                labels: key.partition.iter().chain(sort).map(|attribute| attribute.name.clone()).collect(),
                value_of: value_of(kind),
                table: table.record.name.clone(),
                index: index.map(str::to_owned),
            });
        }
    };
    add(&table.record.insights, None);
    for index in &table.record.global_indexes {
        add(&index.insights, Some(&index.name));
    }
    definitions
}

fn value_of(kind: RuleKind) -> &'static str {
    if kind.is_of_throttles() { "ThrottleCount" } else { "ConsumedThroughputUnits" }
}
