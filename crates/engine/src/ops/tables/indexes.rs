//! Secondary indexes: the checks that CreateTable and UpdateTable share, and the records they become.

use dynamometer_types::ApiError;

use super::keys::{self, Owner};
use super::settings::{self, Billing, Subject};
use super::{invalid, text};
use crate::api::{
    AttributeDefinition, BillingMode, Given, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex,
    Projection, ProjectionType,
};
use crate::catalog::record::{IndexRecord, Lifecycle, OnDemandRecord, ProjectionRecord, ThroughputRecord};

/// Attributes that the `INCLUDE` projections of all indexes of a table may name together.
const INCLUDED_ATTRIBUTES: usize = 100;

/// Checks a local index and answers its record, still without a number.
pub(crate) fn local_index(
    index: &LocalSecondaryIndex,
    table_key: &[KeySchemaElement],
    definitions: &[AttributeDefinition],
) -> Result<IndexRecord, ApiError> {
    let name = text(&index.index_name);
    let schema = index.key_schema.as_deref().unwrap_or_default();
    keys::check_schema(schema, Owner::Plain, definitions)?;
    if schema.len() != 2 {
        return Err(invalid(format!("Index KeySchema does not have a range key for index: {name}")));
    }
    let partition_key = |schema: &[KeySchemaElement]| {
        schema.first().map(|element| text(&element.attribute_name).to_owned()).unwrap_or_default()
    };
    let (index_key, table_key) = (partition_key(schema), partition_key(table_key));
    if index_key != table_key {
        return Err(invalid(format!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. \
             index hash key: {index_key}, table hash key: {table_key}"
        )));
    }
    let projection = projection(index.projection.as_ref())?;
    Ok(record(name, schema, projection))
}

/// Checks a global index of a table with this billing, and answers its record, still without a number. It is
/// neither being created nor filled: that is the caller's to say.
pub(crate) fn global_index(
    index: &GlobalSecondaryIndex,
    definitions: &[AttributeDefinition],
    mode: BillingMode,
) -> Result<IndexRecord, ApiError> {
    let name = text(&index.index_name);
    let schema = index.key_schema.as_deref().unwrap_or_default();
    keys::check_schema(schema, Owner::Global, definitions)?;
    let projection = projection(index.projection.as_ref())?;
    let subject = Subject::Index(name);
    let billing = match (mode, &index.provisioned_throughput) {
        (BillingMode::PayPerRequest, None) => Billing::OnDemand,
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(invalid(format!(
                "ProvisionedThroughput should not be specified for index: {name} when BillingMode is \
                 PAY_PER_REQUEST"
            )));
        }
        (BillingMode::Provisioned, None) => {
            return Err(invalid(format!("ProvisionedThroughput is not specified for index: {name}")));
        }
        (BillingMode::Provisioned, Some(throughput)) => settings::provisioned(throughput)?,
    };
    Ok(IndexRecord {
        throughput: billing.throughput(),
        on_demand: settings::new_on_demand(&index.on_demand_throughput, billing, subject)?,
        warm: settings::new_warm(&index.warm_throughput, billing, subject)?,
        ..record(name, schema, projection)
    })
}

fn record(name: &str, schema: &[KeySchemaElement], projection: ProjectionRecord) -> IndexRecord {
    IndexRecord {
        name: name.to_owned(),
        id: 0,
        key_schema: keys::schema_records(schema),
        projection,
        lifecycle: Lifecycle::Active,
        backfilling: false,
        throughput: ThroughputRecord::default(),
        on_demand: OnDemandRecord::default(),
        warm: Billing::OnDemand.warm(),
        insights: None,
    }
}

fn projection(projection: Option<&Projection>) -> Result<ProjectionRecord, ApiError> {
    let Some(kind) = projection.and_then(|p| p.projection_type.as_ref()).and_then(Given::known) else {
        return Err(invalid("Unknown ProjectionType: null"));
    };
    let names = projection.and_then(|p| p.non_key_attributes.as_ref());
    match (kind, names) {
        (ProjectionType::All, None) => Ok(ProjectionRecord::All),
        (ProjectionType::KeysOnly, None) => Ok(ProjectionRecord::KeysOnly),
        (ProjectionType::Include, None) => {
            Err(invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"))
        }
        (ProjectionType::Include, Some(names)) => included(names),
        (kind, Some(_)) => {
            let kind = kind.name();
            Err(invalid(format!("ProjectionType is {kind}, but NonKeyAttributes is specified")))
        }
    }
}

/// The attributes of an `INCLUDE` projection, in the order in which they are read back.
fn included(names: &[String]) -> Result<ProjectionRecord, ApiError> {
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(name) = keys::first_repeat(&texts) {
        return Err(invalid(format!("Duplicate element in NonKeyAttributes: {name}")));
    }
    let mut sorted = names.to_vec();
    sorted.sort();
    Ok(ProjectionRecord::Include(sorted))
}

/// Checks what all indexes of a table have in common: each name once, and not too many included attributes.
pub(crate) fn check_together<'r>(indexes: impl Iterator<Item = &'r IndexRecord>) -> Result<(), ApiError> {
    let (mut names, mut included) = (Vec::new(), 0);
    for index in indexes {
        names.push(index.name.as_str());
        included += match &index.projection {
            ProjectionRecord::Include(attributes) => attributes.len(),
            _ => 0,
        };
    }
    if let Some(name) = keys::first_repeat(&names) {
        return Err(invalid(format!("Duplicate index name: {name}")));
    }
    if included > INCLUDED_ATTRIBUTES {
        return Err(invalid(format!(
            "Number of NonKeyAttributes over all indexes exceeds per-table limit of {INCLUDED_ATTRIBUTES}"
        )));
    }
    Ok(())
}
