//! The `TableDescription` of every answer.
//!
//! # Source
//! Which member is there when: AWS answers of 2025 and 2026.

use dynamometer_store::{Keyspace, Store, StoreError, decode_pair};
use dynamometer_types::name::table_arn;
use dynamometer_types::{ApiError, Timestamp};

use crate::api::{
    AttributeDefinition, BillingMode, BillingModeSummary, Given, GlobalSecondaryIndexDescription,
    KeySchemaElement, LocalSecondaryIndexDescription, OnDemandThroughput, Projection, ProjectionType,
    ProvisionedThroughputDescription, SseDescription, StreamSpecification, TableClassSummary,
    TableDescription, WarmThroughputDescription,
};
use crate::catalog::record::{
    AttributeDefinitionRecord, IndexRecord, KeySchemaElementRecord, Lifecycle, OnDemandRecord,
    ProjectionRecord, SseRecord, Status, TableRecord, ThroughputRecord, WarmRecord,
};
use crate::context::Context;
use crate::disk::keys::{ObjectId, object_prefix};
use crate::engine::internal_error;

/// From which moment states are seen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    /// At a time: what is over by then is over.
    At(Timestamp),
    /// By the operation that has just begun a change, at a time: it answers the change as under way, even when
    /// changes take no time.
    Begun(Timestamp),
}

impl Moment {
    fn time(self) -> Timestamp {
        match self {
            Moment::At(now) | Moment::Begun(now) => now,
        }
    }

    fn status(self, lifecycle: Lifecycle) -> Status {
        match self {
            Moment::At(now) => lifecycle.status(now),
            Moment::Begun(_) => lifecycle.begun(),
        }
    }
}

/// Describes a settled record.
pub(crate) fn describe(
    store: &dyn Store,
    record: &TableRecord,
    moment: Moment,
) -> Result<TableDescription, ApiError> {
    let [item_count, table_size_bytes] = counters(store, record.id)?;
    Ok(TableDescription {
        attribute_definitions: Some(record.attribute_definitions.iter().map(definition).collect()),
        table_name: record.name.clone(),
        key_schema: Some(key_schema(&record.key_schema)),
        table_status: moment.status(record.lifecycle),
        creation_date_time: Some(Timestamp::from_millis(record.created_ms)),
        provisioned_throughput: throughput(&record.throughput, moment.time()),
        table_size_bytes,
        item_count,
        table_arn: record.arn.clone(),
        table_id: record.table_id.clone(),
        billing_mode_summary: billing_mode_summary(record),
        local_secondary_indexes: some_list(&record.local_indexes, |i| local_index(store, record, i))?,
        global_secondary_indexes: some_list(&record.global_indexes, |i| {
            global_index(store, record, i, moment)
        })?,
        stream_specification: record.stream.as_ref().filter(|stream| stream.enabled).map(|stream| {
            StreamSpecification {
                stream_enabled: Some(true),
                stream_view_type: Some(Given::Known(stream.view_type)),
            }
        }),
        latest_stream_label: record.stream.as_ref().map(|stream| stream.label.clone()),
        latest_stream_arn: record.stream.as_ref().map(|stream| stream.arn(record)),
        sse_description: record.sse.as_ref().map(|sse| sse_description(sse, moment)),
        table_class_summary: record.table_class.map(|class| TableClassSummary {
            table_class: class.class,
            last_update_date_time: class.changed_ms.map(Timestamp::from_millis),
        }),
        deletion_protection_enabled: record.deletion_protection,
        on_demand_throughput: on_demand(&record.on_demand),
        warm_throughput: Some(warm(&record.warm, moment)),
    })
}

/// The ARN of the table of a new record.
pub(crate) fn arn_of(context: &Context<'_>, name: &str) -> String {
    table_arn(context.region, context.account, name)
}

/// The items and bytes of a table or index.
fn counters(store: &dyn Store, id: ObjectId) -> Result<[i64; 2], ApiError> {
    let read = || -> Result<[i64; 2], StoreError> {
        decode_pair(store.get(Keyspace::Counters, &object_prefix(id))?.as_deref())
    };
    read().map_err(internal_error)
}

/// A list member, which is left out when it is empty.
fn some_list<R, D>(
    records: &[R],
    describe: impl FnMut(&R) -> Result<D, ApiError>,
) -> Result<Option<Vec<D>>, ApiError> {
    let described: Vec<D> = records.iter().map(describe).collect::<Result<_, _>>()?;
    Ok((!described.is_empty()).then_some(described))
}

fn local_index(
    store: &dyn Store,
    table: &TableRecord,
    index: &IndexRecord,
) -> Result<LocalSecondaryIndexDescription, ApiError> {
    let [item_count, index_size_bytes] = counters(store, index.id)?;
    Ok(LocalSecondaryIndexDescription {
        index_name: index.name.clone(),
        key_schema: key_schema(&index.key_schema),
        projection: projection(&index.projection),
        index_size_bytes,
        item_count,
        index_arn: format!("{}/index/{}", table.arn, index.name),
    })
}

fn global_index(
    store: &dyn Store,
    table: &TableRecord,
    index: &IndexRecord,
    moment: Moment,
) -> Result<GlobalSecondaryIndexDescription, ApiError> {
    let [item_count, index_size_bytes] = counters(store, index.id)?;
    let (index_status, backfilling) = index_state(index, moment);
    Ok(GlobalSecondaryIndexDescription {
        index_name: index.name.clone(),
        key_schema: key_schema(&index.key_schema),
        projection: projection(&index.projection),
        index_status,
        backfilling,
        provisioned_throughput: throughput(&index.throughput, moment.time()),
        index_size_bytes,
        item_count,
        index_arn: format!("{}/index/{}", table.arn, index.name),
        on_demand_throughput: on_demand(&index.on_demand),
        warm_throughput: Some(warm(&index.warm, moment)),
    })
}

/// `IndexStatus` and `Backfilling`. An index that UpdateTable adds is first allocated (`false`), then filled
/// (`true`); one that came with its table has no such member.
fn index_state(index: &IndexRecord, moment: Moment) -> (Status, Option<bool>) {
    match moment.status(index.lifecycle) {
        Status::Creating if index.backfilling => (Status::Creating, Some(false)),
        Status::Active if index.backfilling => (Status::Creating, Some(true)),
        status => (status, None),
    }
}

fn billing_mode_summary(record: &TableRecord) -> Option<BillingModeSummary> {
    let since = record.billing.pay_per_request_since_ms;
    let ever_on_demand = since.is_some() || record.billing.mode == BillingMode::PayPerRequest;
    ever_on_demand.then(|| BillingModeSummary {
        billing_mode: record.billing.mode,
        last_update_to_pay_per_request_date_time: since.map(Timestamp::from_millis),
    })
}

fn throughput(record: &ThroughputRecord, now: Timestamp) -> ProvisionedThroughputDescription {
    ProvisionedThroughputDescription {
        last_increase_date_time: record.last_increase_ms.map(Timestamp::from_millis),
        last_decrease_date_time: record.last_decrease_ms.map(Timestamp::from_millis),
        number_of_decreases_today: i64::from(record.decreases_today(now)),
        read_capacity_units: record.read,
        write_capacity_units: record.write,
    }
}

fn sse_description(sse: &SseRecord, moment: Moment) -> SseDescription {
    let active = moment.status(sse.lifecycle) == Status::Active;
    SseDescription {
        status: if active { "ENABLED" } else { "UPDATING" },
        sse_type: Some(sse.sse_type),
        kms_master_key_arn: Some(sse.key_arn.clone()),
    }
}

fn warm(record: &WarmRecord, moment: Moment) -> WarmThroughputDescription {
    WarmThroughputDescription {
        read_units_per_second: record.read,
        write_units_per_second: record.write,
        status: moment.status(record.lifecycle),
    }
}

pub(crate) fn on_demand(record: &OnDemandRecord) -> Option<OnDemandThroughput> {
    let shown = OnDemandThroughput {
        max_read_request_units: record.max_read,
        max_write_request_units: record.max_write,
    };
    (shown != OnDemandThroughput::default()).then_some(shown)
}

fn definition(record: &AttributeDefinitionRecord) -> AttributeDefinition {
    AttributeDefinition {
        attribute_name: Some(record.name.clone()),
        attribute_type: Some(Given::Known(record.attribute_type)),
    }
}

pub(crate) fn key_schema(records: &[KeySchemaElementRecord]) -> Vec<KeySchemaElement> {
    let element = |record: &KeySchemaElementRecord| KeySchemaElement {
        attribute_name: Some(record.name.clone()),
        key_type: Some(Given::Known(record.key_type)),
    };
    records.iter().map(element).collect()
}

fn projection(record: &ProjectionRecord) -> Projection {
    let (projection_type, non_key_attributes) = match record {
        ProjectionRecord::All => (ProjectionType::All, None),
        ProjectionRecord::KeysOnly => (ProjectionType::KeysOnly, None),
        ProjectionRecord::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    Projection { projection_type: Some(Given::Known(projection_type)), non_key_attributes }
}
