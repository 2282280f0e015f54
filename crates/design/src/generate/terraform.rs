//! A Terraform module: tables, their auto scaling, and outputs.

use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::TableClass;

use super::hcl::{Block, text};
use super::names::{Names, snake};
use super::{File, Scaling, attribute_definitions, capacity, scalings, throughput, view_type};
use crate::load::Load;
use crate::model::{Design, Index, Projection, Spanned, Target};

/// The module.
pub(super) fn files(design: &Design, load: &Load, source: &str) -> Vec<File> {
    let mut blocks = Vec::new();
    if design.tables.iter().flat_map(|table| &table.indexes).any(has_several) {
        blocks.push(required_provider());
    }
    blocks.push(prefix());
    let mut names = Names::default();
    let labels: Vec<String> = design.tables.iter().map(|table| names.take(snake(&table.name))).collect();
    for (at, label) in labels.iter().enumerate() {
        blocks.push(table(design, load, at, label));
        for scaling in scalings(design, at) {
            blocks.extend(auto_scaling(design, &scaling, label));
        }
    }
    for (table, label) in design.tables.iter().zip(&labels) {
        blocks.push(output(&format!("{label}_name"), &format!("aws_dynamodb_table.{label}.name")));
        blocks.push(output(&format!("{label}_arn"), &format!("aws_dynamodb_table.{label}.arn")));
        if table.stream.is_some() {
            let value = format!("aws_dynamodb_table.{label}.stream_arn");
            blocks.push(output(&format!("{label}_stream_arn"), &value));
        }
    }
    let head = format!("# Written by dyno design generate from {source}: change that file instead.\n");
    let printed: Vec<String> = blocks.iter().map(Block::print).collect();
    vec![File { name: "tables.tf".into(), text: format!("{head}\n{}", printed.join("\n")) }]
}

/// The first version of the provider that knows `key_schema`.
///
/// # Source
/// The changelog of `hashicorp/terraform-provider-aws`, 6.29.0.
fn required_provider() -> Block {
    let mut providers = Block::new("required_providers", &[]);
    providers.set("aws", "{ source = \"hashicorp/aws\", version = \">= 6.29.0\" }");
    let mut block = Block::new("terraform", &[]);
    block.block(providers);
    block
}

/// Whether a key of the index has several attributes.
fn has_several(index: &Index) -> bool {
    index.keys.partition.len() > 1 || index.keys.sort.len() > 1
}

fn prefix() -> Block {
    let mut block = Block::new("variable", &["prefix"]);
    block
        .set("type", "string")
        .set("description", text("What the names of tables begin with, such as my-app"));
    block
}

fn output(name: &str, value: &str) -> Block {
    let mut block = Block::new("output", &[name]);
    block.set("value", value);
    block
}

fn table(design: &Design, load: &Load, at: usize, label: &str) -> Block {
    let table = &design.tables[at];
    let is_provisioned = table.billing == BillingMode::Provisioned;
    let mut block = Block::new("resource", &["aws_dynamodb_table", label]);
    block.set("name", format!("\"${{var.prefix}}-{}\"", *table.name));
    block.set("billing_mode", text(if is_provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" }));
    block.set("hash_key", text(&table.keys.partition[0].name));
    if let Some(sort) = table.keys.sort.first() {
        block.set("range_key", text(&sort.name));
    }
    if is_provisioned {
        let units = capacity(design, load, Target::table(at));
        block.set("read_capacity", units.read.to_string()).set("write_capacity", units.write.to_string());
    }
    if table.class == TableClass::StandardInfrequentAccess {
        block.set("table_class", text("STANDARD_INFREQUENT_ACCESS"));
    }
    if let Some(stream) = &table.stream {
        block.set("stream_enabled", "true").set("stream_view_type", text(&view_type(stream)));
    }
    if let Some(protection) = &table.deletion_protection {
        block.set("deletion_protection_enabled", protection.value.to_string());
    }
    for (name, kind) in attribute_definitions(design, at) {
        let mut attribute = Block::new("attribute", &[]);
        attribute.set("name", text(name)).set("type", text(kind));
        block.block(attribute);
    }
    for index in 0..table.indexes.len() {
        block.block(index_block(design, load, Target::index(at, index)));
    }
    units_blocks(&mut block, design, Target::table(at));
    if let Some(ttl) = &table.ttl {
        let mut ttl_block = Block::new("ttl", &[]);
        ttl_block.set("attribute_name", text(&ttl.attribute)).set("enabled", "true");
        block.block(ttl_block);
    }
    if let Some(recovery) = &table.recovery {
        let mut recovery_block = Block::new("point_in_time_recovery", &[]);
        recovery_block.set("enabled", recovery.value.to_string());
        block.block(recovery_block);
    }
    if !scalings(design, at).is_empty() {
        // What auto scaling changes is not drift.
        let mut lifecycle = Block::new("lifecycle", &[]);
        lifecycle.set("ignore_changes", "[read_capacity, write_capacity, global_secondary_index]");
        block.block(lifecycle);
    }
    block
}

fn index_block(design: &Design, load: &Load, target: Target) -> Block {
    let table = &design.tables[target.table];
    let index = &table.indexes[target.index.unwrap_or(0)];
    let kind = if index.local { "local_secondary_index" } else { "global_secondary_index" };
    let mut block = Block::new(kind, &[]);
    block.set("name", text(&index.name));
    if !has_several(index) {
        if !index.local {
            block.set("hash_key", text(&index.keys.partition[0].name));
        }
        if let Some(sort) = index.keys.sort.first() {
            block.set("range_key", text(&sort.name));
        }
    }
    match &index.projection {
        Projection::All => block.set("projection_type", text("ALL")),
        Projection::KeysOnly => block.set("projection_type", text("KEYS_ONLY")),
        Projection::Include(names) => {
            let names: Vec<String> = names.iter().map(|name| text(name)).collect();
            block.set("projection_type", text("INCLUDE"));
            block.set("non_key_attributes", format!("[{}]", names.join(", ")))
        }
    };
    if !index.local && table.billing == BillingMode::Provisioned {
        let units = capacity(design, load, target);
        block.set("read_capacity", units.read.to_string()).set("write_capacity", units.write.to_string());
    }
    if has_several(index) {
        let hash = index.keys.partition.iter().map(|key| (key, "HASH"));
        for (key, kind) in hash.chain(index.keys.sort.iter().map(|key| (key, "RANGE"))) {
            let mut element = Block::new("key_schema", &[]);
            element.set("attribute_name", text(&key.name)).set("key_type", text(kind));
            block.block(element);
        }
    }
    if !index.local {
        units_blocks(&mut block, design, target);
    }
    block
}

fn units_blocks(block: &mut Block, design: &Design, target: Target) {
    let settings = throughput(design, target);
    let mut add = |name: &str, words: [&str; 2], units: &Option<Spanned<PerDimension<Option<u64>>>>| {
        let Some(units) = units else { return };
        let mut inner = Block::new(name, &[]);
        for (word, units) in words.into_iter().zip([units.read, units.write]) {
            if let Some(units) = units {
                inner.set(word, units.to_string());
            }
        }
        block.block(inner);
    };
    add("on_demand_throughput", ["max_read_request_units", "max_write_request_units"], &settings.most);
    add("warm_throughput", ["read_units_per_second", "write_units_per_second"], &settings.warm);
}

fn auto_scaling(design: &Design, scaling: &Scaling, table: &str) -> [Block; 2] {
    let index = design.index(scaling.target);
    let of = index.map_or(String::new(), |index| format!("_{}", snake(&index.name)));
    let label = format!("{table}{of}_{}", scaling.word().to_lowercase());
    let resource = match index {
        Some(index) => format!("\"table/${{aws_dynamodb_table.{table}.name}}/index/{}\"", *index.name),
        None => format!("\"table/${{aws_dynamodb_table.{table}.name}}\""),
    };
    let mut target = Block::new("resource", &["aws_appautoscaling_target", &label]);
    target
        .set("service_namespace", text("dynamodb"))
        .set("resource_id", resource)
        .set("scalable_dimension", text(&scaling.dimension_name()))
        .set("min_capacity", scaling.least.to_string())
        .set("max_capacity", scaling.most.to_string());
    let mut metric = Block::new("predefined_metric_specification", &[]);
    metric.set("predefined_metric_type", text(&scaling.metric()));
    let mut tracking = Block::new("target_tracking_scaling_policy_configuration", &[]);
    tracking.set("target_value", scaling.percent.to_string()).block(metric);
    let mut policy = Block::new("resource", &["aws_appautoscaling_policy", &label]);
    let of_target = |name: &str| format!("aws_appautoscaling_target.{label}.{name}");
    policy
        .set("name", format!("\"${{var.prefix}}-{}\"", label.replace('_', "-")))
        .set("policy_type", text("TargetTrackingScaling"))
        .set("service_namespace", of_target("service_namespace"))
        .set("resource_id", of_target("resource_id"))
        .set("scalable_dimension", of_target("scalable_dimension"))
        .block(tracking);
    [target, policy]
}
