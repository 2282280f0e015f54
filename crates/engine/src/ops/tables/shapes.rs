//! The constraints of single members: what the structures of several requests share. Each function names its members
//! in the order in which AWS reports them.

use std::fmt::Display;

use super::print;
use crate::api::{
    AttributeDefinition, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, KeySchemaElement,
    LocalSecondaryIndex, Projection, ProvisionedThroughput, SseSpecification, StreamSpecification,
};
use crate::validate::members::{Findings, INDEX_NAME, Rule, Seen};

const ATTRIBUTE_NAME: &[Rule] = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(255)];
const UNITS: &[Rule] = &[Rule::NotNull, Rule::MinValue(1)];
const NOT_EMPTY: &[Rule] = &[Rule::NotNull, Rule::MinLength(1)];
const NON_KEY_ATTRIBUTES: &[Rule] = &[Rule::MinLength(1), Rule::MaxLength(20)];

pub(crate) fn attribute_definitions(definitions: &[AttributeDefinition], findings: &mut Findings) {
    for (at, definition) in (1..).zip(definitions) {
        let path = format!("attributeDefinitions.{at}.member");
        findings.member(format_args!("{path}.attributeName"), &definition.attribute_name, ATTRIBUTE_NAME);
        findings.required_one_of(format_args!("{path}.attributeType"), &definition.attribute_type);
    }
}

/// A key schema that must be there. How long it may be depends on whose it is, and is checked later.
pub(crate) fn key_schema(
    path: impl Display,
    schema: &Option<Vec<KeySchemaElement>>,
    findings: &mut Findings,
) {
    let elements = schema.as_deref().unwrap_or_default();
    let echo = || print::key_schema(elements);
    let seen = schema.as_ref().map_or(Seen::Null, |_| Seen::Many(elements.len(), &echo));
    findings.member(&path, seen, NOT_EMPTY);
    for (at, element) in (1..).zip(elements) {
        findings.member(
            format_args!("{path}.{at}.member.attributeName"),
            &element.attribute_name,
            ATTRIBUTE_NAME,
        );
        findings.required_one_of(format_args!("{path}.{at}.member.keyType"), &element.key_type);
    }
}

pub(crate) fn provisioned_throughput(
    path: impl Display,
    throughput: &Option<ProvisionedThroughput>,
    findings: &mut Findings,
) {
    if let Some(throughput) = throughput {
        findings.member(format_args!("{path}.writeCapacityUnits"), throughput.write_capacity_units, UNITS);
        findings.member(format_args!("{path}.readCapacityUnits"), throughput.read_capacity_units, UNITS);
    }
}

pub(crate) fn local_indexes(indexes: &[LocalSecondaryIndex], findings: &mut Findings) {
    for (at, index) in (1..).zip(indexes) {
        let path = format!("localSecondaryIndexes.{at}.member");
        findings.member(format_args!("{path}.indexName"), &index.index_name, INDEX_NAME);
        key_schema(format_args!("{path}.keySchema"), &index.key_schema, findings);
        projection(&path, &index.projection, findings);
    }
}

pub(crate) fn global_indexes(indexes: &[GlobalSecondaryIndex], findings: &mut Findings) {
    for (at, index) in (1..).zip(indexes) {
        let path = format!("globalSecondaryIndexes.{at}.member");
        findings.member(format_args!("{path}.indexName"), &index.index_name, INDEX_NAME);
        key_schema(format_args!("{path}.keySchema"), &index.key_schema, findings);
        projection(&path, &index.projection, findings);
        provisioned_throughput(
            format!("{path}.provisionedThroughput"),
            &index.provisioned_throughput,
            findings,
        );
    }
}

pub(crate) fn global_index_updates(updates: &[GlobalSecondaryIndexUpdate], findings: &mut Findings) {
    for (at, entry) in (1..).zip(updates) {
        let path = format!("globalSecondaryIndexUpdates.{at}.member");
        if let Some(update) = &entry.update {
            findings.member(format_args!("{path}.update.indexName"), &update.index_name, INDEX_NAME);
            let throughput = format!("{path}.update.provisionedThroughput");
            provisioned_throughput(throughput, &update.provisioned_throughput, findings);
        }
        if let Some(create) = &entry.create {
            let path = format!("{path}.create");
            projection(&path, &create.projection, findings);
            findings.member(format_args!("{path}.indexName"), &create.index_name, INDEX_NAME);
            let throughput = format!("{path}.provisionedThroughput");
            provisioned_throughput(throughput, &create.provisioned_throughput, findings);
            key_schema(format_args!("{path}.keySchema"), &create.key_schema, findings);
        }
        if let Some(delete) = &entry.delete {
            findings.member(format_args!("{path}.delete.indexName"), &delete.index_name, INDEX_NAME);
        }
    }
}

fn projection(path: &str, projection: &Option<Projection>, findings: &mut Findings) {
    let path = format!("{path}.projection");
    let Some(projection) = projection else {
        return findings.member(path, Seen::Null, &[Rule::NotNull]);
    };
    findings.one_of(format_args!("{path}.projectionType"), &projection.projection_type);
    let Some(names) = &projection.non_key_attributes else { return };
    let echo = || format!("[{}]", names.join(", "));
    findings.member(
        format_args!("{path}.nonKeyAttributes"),
        Seen::Many(names.len(), &echo),
        NON_KEY_ATTRIBUTES,
    );
    for (at, name) in (1..).zip(names) {
        let path = format_args!("{path}.nonKeyAttributes.{at}.member");
        findings.member(path, Seen::Text(name), ATTRIBUTE_NAME);
    }
}

pub(crate) fn stream(specification: &Option<StreamSpecification>, findings: &mut Findings) {
    if let Some(stream) = specification {
        findings.member("streamSpecification.streamEnabled", stream.stream_enabled, &[Rule::NotNull]);
        findings.one_of("streamSpecification.streamViewType", &stream.stream_view_type);
    }
}

pub(crate) fn sse(specification: &Option<SseSpecification>, findings: &mut Findings) {
    if let Some(sse) = specification {
        findings.one_of("sSESpecification.sSEType", &sse.sse_type);
    }
}
