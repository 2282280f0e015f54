//! CreateTable.

use dynamometer_types::{ApiError, ErrorKind};

use super::description::{Moment, arn_of, describe};
use super::indexes::{check_together, global_index, local_index};
use super::keys::{self, Owner};
use super::settings::{self, Billing, Encryption, Subject};
use super::{durable, in_use, invalid, lookup, refuse_unsupported, shapes, text};
use crate::api::{
    CreateTableRequest, Given, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex,
    StreamSpecification, StreamViewType, TableDescription, TableDescriptionResponse,
};
use crate::catalog::Draft;
use crate::catalog::record::{
    AttributeDefinitionRecord, BillingRecord, IndexRecord, Lifecycle, RECORD_FORMAT, StreamRecord,
    TableClassRecord, TableRecord,
};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tags;
use crate::validate::members::{Findings, Rule, Seen};

/// Global indexes of one table (AWS's default quota).
pub(crate) const GLOBAL_INDEXES: usize = dynamometer_types::limits::GLOBAL_INDEXES;
const LOCAL_INDEXES: usize = dynamometer_types::limits::LOCAL_INDEXES;

impl Engine {
    /// Creates a table. It answers `CREATING`, and is active after the table delay.
    ///
    /// # Errors
    /// `Validation`; `ResourceInUse` when there is a table of this name; `LimitExceeded` beyond the quotas.
    pub async fn create_table(
        &self,
        context: &Context<'_>,
        request: CreateTableRequest,
    ) -> Result<TableDescriptionResponse, ApiError> {
        let record = self.new_table(context, &request)?;
        let change = |draft: &mut Draft| {
            check_name_is_free(draft, context, &record.name)?;
            check_quotas(context, &record)?;
            settings::check_account_quota(context, draft.version(), None, &record)?;
            let record = insert(draft, context, record);
            self.follow_stream_setting(draft, None, &record, context.now);
            Ok(record)
        };
        let record = durable(self.catalog.change(&*self.store, change)?).await?;

        let mut description = describe(&*self.store, &record, Moment::Begun(context.now))?;
        hide_what_comes_later(&request, &mut description);
        Ok(TableDescriptionResponse { table_description: description })
    }

    /// Everything that AWS checks before it looks whether the name is free, in its order; and the new record, still
    /// without numbers.
    fn new_table(
        &self,
        context: &Context<'_>,
        request: &CreateTableRequest,
    ) -> Result<TableRecord, ApiError> {
        check_members(request)?;
        check_unsupported(request)?;
        let definitions = request.attribute_definitions.as_deref().unwrap_or_default();
        let key = request.key_schema.as_deref().unwrap_or_default();
        check_key_lengths(request, key)?;
        let mode = request.billing_mode.as_ref().and_then(Given::known);
        let billing = settings::new_billing(mode, &request.provisioned_throughput)?;
        keys::check_schema(key, Owner::Plain, definitions)?;
        keys::check_all_used(definitions, key, index_keys(request))?;
        keys::check_defined_once(definitions)?;
        let local_indexes = local_indexes(request, key)?;
        let global_indexes = global_indexes(request, billing)?;
        check_together(local_indexes.iter().chain(&global_indexes))?;
        let on_demand = settings::new_on_demand(&request.on_demand_throughput, billing, Subject::Table)?;
        let warm = settings::new_warm(&request.warm_throughput, billing, Subject::Table)?;
        let stream = stream(&request.stream_specification)?;
        let encryption = request.sse_specification.as_ref().map(settings::encryption).transpose()?;
        let class = settings::table_class(&request.table_class)?;
        let tags = tags::new_tags(request.tags.as_deref().unwrap_or_default())?;

        let name = text(&request.table_name);
        let until_ms = (context.now + self.config.table_delay_ms).millis();
        let lifecycle = Lifecycle::Creating { until_ms };
        let has_indexes = !(local_indexes.is_empty() && global_indexes.is_empty());
        Ok(TableRecord {
            format: RECORD_FORMAT,
            namespace: context.namespace.to_owned(),
            name: name.to_owned(),
            id: 0,
            table_id: settings::uuid((context.entropy)()),
            arn: arn_of(context, name),
            created_ms: context.now.millis(),
            lifecycle,
            attribute_definitions: shown_definitions(request, has_indexes),
            key_schema: keys::schema_records(key),
            local_indexes,
            global_indexes: global_indexes
                .into_iter()
                .map(|index| IndexRecord { lifecycle, ..index })
                .collect(),
            billing: BillingRecord {
                mode: billing.mode(),
                pay_per_request_since_ms: (billing == Billing::OnDemand).then(|| context.now.millis()),
            },
            throughput: billing.throughput(),
            on_demand,
            warm,
            stream,
            sse: match encryption {
                Some(Encryption::Kms(key)) => {
                    Some(settings::sse_record(context, key.as_deref(), Lifecycle::Active))
                }
                _ => None,
            },
            table_class: class.map(|class| TableClassRecord {
                class,
                changed_ms: None,
                changed_before_ms: None,
            }),
            deletion_protection: request.deletion_protection_enabled.unwrap_or(false),
            tags,
            ttl_attribute: None,
            insights: None,
            expiry_id: None,
            ttl_changed_ms: None,
            recovery_period_days: None,
        })
    }
}

fn check_members(request: &CreateTableRequest) -> Result<(), ApiError> {
    if request.table_name.is_none() {
        return Err(lookup::missing_name());
    }
    let definitions = request.attribute_definitions.as_deref();
    let mut findings = Findings::new();
    let defined = definitions.map_or(Seen::Null, |_| Seen::Struct);
    findings.member("attributeDefinitions", defined, &[Rule::NotNull]);
    shapes::attribute_definitions(definitions.unwrap_or_default(), &mut findings);
    findings.plain_table_name("tableName", &request.table_name);
    findings.one_of("billingMode", &request.billing_mode);
    shapes::provisioned_throughput("provisionedThroughput", &request.provisioned_throughput, &mut findings);
    shapes::key_schema("keySchema", &request.key_schema, &mut findings);
    shapes::global_indexes(request.global_secondary_indexes.as_deref().unwrap_or_default(), &mut findings);
    shapes::local_indexes(request.local_secondary_indexes.as_deref().unwrap_or_default(), &mut findings);
    shapes::stream(&request.stream_specification, &mut findings);
    shapes::sse(&request.sse_specification, &mut findings);
    findings.finish()
}

fn check_unsupported(request: &CreateTableRequest) -> Result<(), ApiError> {
    refuse_unsupported(&[
        ("ResourcePolicy", request.resource_policy),
        ("GlobalTableSourceArn", request.global_table_source_arn),
        ("GlobalTableSettingsReplicationMode", request.global_table_settings_replication_mode),
        ("VectorIndexes", request.vector_indexes),
    ])
}

fn check_key_lengths(request: &CreateTableRequest, key: &[KeySchemaElement]) -> Result<(), ApiError> {
    keys::check_length(key, Owner::Plain)?;
    for schema in global_keys(request) {
        keys::check_length(schema, Owner::Global)?;
    }
    local_keys(request).try_for_each(|schema| keys::check_length(schema, Owner::Plain))
}

/// The keys of all indexes; `None` when the request speaks of none.
fn index_keys(request: &CreateTableRequest) -> Option<Vec<&[KeySchemaElement]>> {
    let any = request.local_secondary_indexes.is_some() || request.global_secondary_indexes.is_some();
    any.then(|| local_keys(request).chain(global_keys(request)).collect())
}

fn local_keys(request: &CreateTableRequest) -> impl Iterator<Item = &[KeySchemaElement]> {
    let indexes = request.local_secondary_indexes.iter().flatten();
    indexes.map(|index: &LocalSecondaryIndex| index.key_schema.as_deref().unwrap_or_default())
}

fn global_keys(request: &CreateTableRequest) -> impl Iterator<Item = &[KeySchemaElement]> {
    let indexes = request.global_secondary_indexes.iter().flatten();
    indexes.map(|index: &GlobalSecondaryIndex| index.key_schema.as_deref().unwrap_or_default())
}

fn local_indexes(
    request: &CreateTableRequest,
    key: &[KeySchemaElement],
) -> Result<Vec<IndexRecord>, ApiError> {
    let Some(indexes) = &request.local_secondary_indexes else { return Ok(Vec::new()) };
    if indexes.is_empty() {
        return Err(invalid("List of LocalSecondaryIndexes is empty"));
    }
    if key.len() < 2 {
        return Err(invalid(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        ));
    }
    let definitions = request.attribute_definitions.as_deref().unwrap_or_default();
    let records =
        indexes.iter().map(|index| local_index(index, key, definitions)).collect::<Result<Vec<_>, _>>()?;
    check_together(records.iter())?;
    if records.len() > LOCAL_INDEXES {
        return Err(invalid(format!(
            "Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES}"
        )));
    }
    Ok(records)
}

fn global_indexes(request: &CreateTableRequest, billing: Billing) -> Result<Vec<IndexRecord>, ApiError> {
    let Some(indexes) = &request.global_secondary_indexes else { return Ok(Vec::new()) };
    if indexes.is_empty() {
        return Err(invalid("List of GlobalSecondaryIndexes is empty"));
    }
    let definitions = request.attribute_definitions.as_deref().unwrap_or_default();
    let mode = billing.mode();
    let records =
        indexes.iter().map(|index| global_index(index, definitions, mode)).collect::<Result<Vec<_>, _>>()?;
    check_together(records.iter())?;
    if records.len() > GLOBAL_INDEXES {
        return Err(invalid(format!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES}"
        )));
    }
    Ok(records)
}

/// The stream, still without its label.
fn stream(specification: &Option<StreamSpecification>) -> Result<Option<StreamRecord>, ApiError> {
    let Some(specification) = specification else { return Ok(None) };
    let view_type: Option<StreamViewType> = specification.stream_view_type.as_ref().and_then(Given::known);
    match (specification.stream_enabled.unwrap_or(false), view_type) {
        (true, Some(view_type)) => Ok(Some(StreamRecord { enabled: true, view_type, label: String::new() })),
        (false, None) => Ok(None),
        (true, None) => {
            Err(invalid("Table is being created with a stream enabled, UpdateViewType is required"))
        }
        (false, Some(_)) => Err(invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
        )),
    }
}

/// The definitions in the order in which they are read back: as sent, but by name when there are indexes.
fn shown_definitions(request: &CreateTableRequest, has_indexes: bool) -> Vec<AttributeDefinitionRecord> {
    let mut records = keys::definition_records(request.attribute_definitions.as_deref().unwrap_or_default());
    if has_indexes {
        records.sort_by(|a, b| a.name.cmp(&b.name));
    }
    records
}

fn check_name_is_free(draft: &Draft, context: &Context<'_>, name: &str) -> Result<(), ApiError> {
    let taken = draft.table(context.namespace, name).and_then(|table| lookup::settled(table, context));
    match taken.map(|record| record.lifecycle) {
        None => Ok(()),
        Some(Lifecycle::Creating { .. }) => Err(in_use(format!("Table is being created: {name}"))),
        Some(_) => Err(ApiError::new(ErrorKind::ResourceInUse, format!("Table already exists: {name}"))),
    }
}

fn check_quotas(context: &Context<'_>, record: &TableRecord) -> Result<(), ApiError> {
    settings::check_quota(context, &record.throughput)?;
    settings::check_on_demand_quota(context, &record.on_demand, Subject::Table)?;
    for index in &record.global_indexes {
        settings::check_quota(context, &index.throughput)?;
        settings::check_on_demand_quota(context, &index.on_demand, Subject::Index(&index.name))?;
    }
    Ok(())
}

/// Gives the record its numbers and puts it into the catalog.
fn insert(draft: &mut Draft, context: &Context<'_>, mut record: TableRecord) -> TableRecord {
    record.id = draft.new_id();
    if let Some(stream) = &mut record.stream {
        stream.label = settings::stream_label(draft.version(), context, &record.name);
    }
    for index in record.local_indexes.iter_mut().chain(&mut record.global_indexes) {
        index.id = draft.new_id();
    }
    draft.put(record.clone());
    record
}

/// Takes out of the answer what AWS shows only from the first DescribeTable on.
fn hide_what_comes_later(request: &CreateTableRequest, description: &mut TableDescription) {
    if let Some(summary) = &mut description.billing_mode_summary {
        summary.last_update_to_pay_per_request_date_time = None;
    }
    if request.warm_throughput.is_none() {
        description.warm_throughput = None;
    }
    let sent = request.global_secondary_indexes.iter().flatten();
    for (shown, sent) in description.global_secondary_indexes.iter_mut().flatten().zip(sent) {
        if sent.warm_throughput.is_none() {
            shown.warm_throughput = None;
        }
    }
}
