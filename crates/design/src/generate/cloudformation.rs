//! A CloudFormation template: tables that outlive their stack, named by a parameter, their names and ARNs exported.

use std::fmt::Write as _;

use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::TableClass;
use dynamometer_types::KeySchema;

use super::names::{Names, literal, pascal};
use super::{File, Scaling, attribute_definitions, capacity, scalings, throughput, view_type};
use crate::load::Load;
use crate::model::{Design, Index, Projection, Spanned, Table, Target};

/// Lines with their depth.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, depth: usize, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}{}", "  ".repeat(depth), line.as_ref());
    }
}

/// The template.
pub(super) fn files(design: &Design, load: &Load, source: &str) -> Vec<File> {
    let mut lines = Lines::default();
    lines.add(0, format!("# Written by dyno design generate from {source}: change that file instead."));
    lines.add(0, "AWSTemplateFormatVersion: \"2010-09-09\"");
    let name = design.name.as_deref().unwrap_or("DynamoDB tables");
    lines.add(0, format!("Description: {}", literal(&format!("{name}: tables of a design"))));
    lines.add(0, "Parameters:");
    lines.add(1, "Prefix:");
    lines.add(2, "Type: String");
    lines.add(2, "Description: What the names of tables and exports begin with, such as my-app");
    lines.add(2, "AllowedPattern: \"^[a-zA-Z0-9_.-]{1,60}$\"");
    lines.add(0, "Resources:");
    let mut ids = Names::default();
    let logical: Vec<String> = design.tables.iter().map(|table| ids.take(pascal(&table.name))).collect();
    for (at, id) in logical.iter().enumerate() {
        table(&mut lines, design, load, at, id);
        for scaling in scalings(design, at) {
            auto_scaling(&mut lines, design, &scaling, id, &mut ids);
        }
    }
    lines.add(0, "Outputs:");
    for (table, id) in design.tables.iter().zip(&logical) {
        output(&mut lines, &format!("{id}Name"), &format!("!Ref {id}"), &format!("{}-name", *table.name));
        output(
            &mut lines,
            &format!("{id}Arn"),
            &format!("!GetAtt {id}.Arn"),
            &format!("{}-arn", *table.name),
        );
        if table.stream.is_some() {
            let value = format!("!GetAtt {id}.StreamArn");
            output(&mut lines, &format!("{id}StreamArn"), &value, &format!("{}-stream-arn", *table.name));
        }
    }
    vec![File { name: "tables.yaml".into(), text: lines.text }]
}

fn output(lines: &mut Lines, id: &str, value: &str, export: &str) {
    lines.add(1, format!("{id}:"));
    lines.add(2, format!("Value: {value}"));
    lines.add(2, "Export:");
    lines.add(3, format!("Name: !Sub \"${{Prefix}}-{export}\""));
}

fn table(lines: &mut Lines, design: &Design, load: &Load, at: usize, id: &str) {
    let table = &design.tables[at];
    lines.add(1, format!("{id}:"));
    lines.add(2, "Type: AWS::DynamoDB::Table");
    lines.add(2, "DeletionPolicy: Retain");
    lines.add(2, "UpdateReplacePolicy: Retain");
    lines.add(2, "Properties:");
    lines.add(3, format!("TableName: !Sub \"${{Prefix}}-{}\"", *table.name));
    lines.add(3, "AttributeDefinitions:");
    for (name, kind) in attribute_definitions(design, at) {
        lines.add(4, format!("- AttributeName: {}", literal(name)));
        lines.add(5, format!("AttributeType: {kind}"));
    }
    key_schema(lines, 3, &table.keys);
    let is_provisioned = table.billing == BillingMode::Provisioned;
    lines.add(3, format!("BillingMode: {}", if is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" }));
    throughputs(lines, 3, design, load, Target::table(at));
    if table.class == TableClass::StandardInfrequentAccess {
        lines.add(3, "TableClass: STANDARD_INFREQUENT_ACCESS");
    }
    indexes(lines, design, load, at);
    if let Some(ttl) = &table.ttl {
        lines.add(3, "TimeToLiveSpecification:");
        lines.add(4, format!("AttributeName: {}", literal(&ttl.attribute)));
        lines.add(4, "Enabled: true");
    }
    settings(lines, table);
}

fn settings(lines: &mut Lines, table: &Table) {
    if let Some(recovery) = &table.recovery {
        lines.add(3, "PointInTimeRecoverySpecification:");
        lines.add(4, format!("PointInTimeRecoveryEnabled: {}", recovery.value));
    }
    if let Some(protection) = &table.deletion_protection {
        lines.add(3, format!("DeletionProtectionEnabled: {}", protection.value));
    }
    if let Some(stream) = &table.stream {
        lines.add(3, "StreamSpecification:");
        lines.add(4, format!("StreamViewType: {}", view_type(stream)));
    }
    if let Some(insights) = &table.contributor_insights {
        lines.add(3, "ContributorInsightsSpecification:");
        lines.add(4, format!("Enabled: {}", insights.value));
    }
}

fn key_schema(lines: &mut Lines, depth: usize, keys: &KeySchema) {
    lines.add(depth, "KeySchema:");
    let hash = keys.partition.iter().map(|key| (key, "HASH"));
    for (key, kind) in hash.chain(keys.sort.iter().map(|key| (key, "RANGE"))) {
        lines.add(depth + 1, format!("- AttributeName: {}", literal(&key.name)));
        lines.add(depth + 2, format!("KeyType: {kind}"));
    }
}

fn throughputs(lines: &mut Lines, depth: usize, design: &Design, load: &Load, target: Target) {
    let settings = throughput(design, target);
    if design.tables[target.table].billing == BillingMode::Provisioned {
        let units = capacity(design, load, target);
        lines.add(depth, "ProvisionedThroughput:");
        lines.add(depth + 1, format!("ReadCapacityUnits: {}", units.read));
        lines.add(depth + 1, format!("WriteCapacityUnits: {}", units.write));
    }
    pair(lines, depth, "OnDemandThroughput", ["MaxReadRequestUnits", "MaxWriteRequestUnits"], &settings.most);
    pair(lines, depth, "WarmThroughput", ["ReadUnitsPerSecond", "WriteUnitsPerSecond"], &settings.warm);
}

fn pair(
    lines: &mut Lines,
    depth: usize,
    name: &str,
    words: [&str; 2],
    units: &Option<Spanned<PerDimension<Option<u64>>>>,
) {
    let Some(units) = units else { return };
    lines.add(depth, format!("{name}:"));
    for (word, units) in words.into_iter().zip([units.read, units.write]) {
        if let Some(units) = units {
            lines.add(depth + 1, format!("{word}: {units}"));
        }
    }
}

fn indexes(lines: &mut Lines, design: &Design, load: &Load, at: usize) {
    let table = &design.tables[at];
    for (local, name) in [(false, "GlobalSecondaryIndexes"), (true, "LocalSecondaryIndexes")] {
        let of_kind: Vec<(usize, &Index)> =
            table.indexes.iter().enumerate().filter(|(_, index)| index.local == local).collect();
        if !of_kind.is_empty() {
            lines.add(3, format!("{name}:"));
        }
        for (index_at, index) in of_kind {
            lines.add(4, format!("- IndexName: {}", literal(&index.name)));
            key_schema(lines, 5, &index.keys);
            lines.add(5, "Projection:");
            match &index.projection {
                Projection::All => lines.add(6, "ProjectionType: ALL"),
                Projection::KeysOnly => lines.add(6, "ProjectionType: KEYS_ONLY"),
                Projection::Include(names) => {
                    lines.add(6, "ProjectionType: INCLUDE");
                    lines.add(6, "NonKeyAttributes:");
                    for name in names {
                        lines.add(7, format!("- {}", literal(name)));
                    }
                }
            }
            if !local {
                throughputs(lines, 5, design, load, Target::index(at, index_at));
            }
        }
    }
}

fn auto_scaling(lines: &mut Lines, design: &Design, scaling: &Scaling, table: &str, ids: &mut Names) {
    let index = design.index(scaling.target);
    let of = index.map_or(String::new(), |index| pascal(&index.name));
    let id = ids.take(format!("{table}{of}{}Scaling", scaling.word()));
    let resource = match index {
        Some(index) => format!("table/${{{table}}}/index/{}", *index.name),
        None => format!("table/${{{table}}}"),
    };
    lines.add(1, format!("{id}:"));
    lines.add(2, "Type: AWS::ApplicationAutoScaling::ScalableTarget");
    lines.add(2, "Properties:");
    lines.add(3, "ServiceNamespace: dynamodb");
    lines.add(3, format!("ResourceId: !Sub \"{resource}\""));
    lines.add(3, format!("ScalableDimension: {}", scaling.dimension_name()));
    lines.add(3, format!("MinCapacity: {}", scaling.least));
    lines.add(3, format!("MaxCapacity: {}", scaling.most));
    lines.add(1, format!("{id}Policy:"));
    lines.add(2, "Type: AWS::ApplicationAutoScaling::ScalingPolicy");
    lines.add(2, "Properties:");
    lines.add(3, format!("PolicyName: !Sub \"${{Prefix}}-{id}\""));
    lines.add(3, "PolicyType: TargetTrackingScaling");
    lines.add(3, format!("ScalingTargetId: !Ref {id}"));
    lines.add(3, "TargetTrackingScalingPolicyConfiguration:");
    lines.add(4, format!("TargetValue: {}", scaling.percent));
    lines.add(4, "PredefinedMetricSpecification:");
    lines.add(5, format!("PredefinedMetricType: {}", scaling.metric()));
}
