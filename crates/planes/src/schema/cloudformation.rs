//! The CloudFormation template.

use std::fmt::{self, Write};

use super::{Index, LONGEST_PREFIX, Projection, Protection, TABLES, Table};

/// The template of both tables, with the parameter `Prefix` and with each table's name and ARN as an exported output.
/// Protected tables outlive their stack (`DeletionPolicy: Retain`).
pub fn cloudformation(protection: Protection) -> String {
    let mut out = String::new();
    write_template(&mut out, protection).expect("a string takes all that is written to it");
    out
}

fn write_template(out: &mut String, protection: Protection) -> fmt::Result {
    writeln!(out, "AWSTemplateFormatVersion: \"2010-09-09\"")?;
    writeln!(out, "Description: Two tables for everything, ControlPlane and DataPlane")?;
    writeln!(out, "\nParameters:\n  Prefix:\n    Type: String")?;
    writeln!(
        out,
        "    Description: What the names of the tables begin with, one prefix for each environment"
    )?;
    writeln!(out, "    AllowedPattern: \"[a-zA-Z0-9-]+\"\n    MaxLength: {LONGEST_PREFIX}")?;
    writeln!(out, "\nResources:")?;
    for (position, table) in TABLES.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        write_table(out, table, protection)?;
    }
    writeln!(out, "\nOutputs:")?;
    for table in TABLES {
        write_output(out, table, "Name", "!Ref")?;
        write_output(out, table, "Arn", "!GetAtt")?;
    }
    Ok(())
}

fn write_table(out: &mut String, table: &Table, protection: Protection) -> fmt::Result {
    let Table { name, purpose, .. } = table;
    writeln!(out, "  # {purpose}")?;
    writeln!(out, "  {name}:\n    Type: AWS::DynamoDB::Table")?;
    let is_protected = protection == Protection::Production;
    if is_protected {
        writeln!(out, "    DeletionPolicy: Retain\n    UpdateReplacePolicy: Retain")?;
    }
    writeln!(out, "    Properties:\n      TableName: !Sub \"${{Prefix}}-{name}\"")?;
    writeln!(out, "      BillingMode: PAY_PER_REQUEST\n      DeletionProtectionEnabled: {is_protected}")?;
    if is_protected {
        writeln!(out, "      PointInTimeRecoverySpecification:\n        PointInTimeRecoveryEnabled: true")?;
    }
    if let Some(ttl) = table.ttl {
        writeln!(out, "      TimeToLiveSpecification:\n        AttributeName: {ttl}\n        Enabled: true")?;
    }
    writeln!(out, "      AttributeDefinitions:")?;
    for attribute in table.key_attributes() {
        writeln!(out, "        - {{ AttributeName: {attribute}, AttributeType: S }}")?;
    }
    write_keys(out, "      ", table.partition_key, table.sort_key)?;
    writeln!(out, "      GlobalSecondaryIndexes:")?;
    table.indexes.iter().try_for_each(|index| write_index(out, index))
}

fn write_index(out: &mut String, index: &Index) -> fmt::Result {
    writeln!(out, "        - IndexName: {}", index.name)?;
    write_keys(out, "          ", index.partition_key, index.sort_key)?;
    match index.projection {
        Projection::All => writeln!(out, "          Projection: {{ ProjectionType: ALL }}"),
        Projection::KeysOnly => writeln!(out, "          Projection: {{ ProjectionType: KEYS_ONLY }}"),
        Projection::Include(names) => {
            let names = names.join(", ");
            writeln!(out, "          Projection: {{ ProjectionType: INCLUDE, NonKeyAttributes: [{names}] }}")
        }
    }
}

fn write_keys(out: &mut String, indent: &str, partition_key: &str, sort_key: &str) -> fmt::Result {
    writeln!(out, "{indent}KeySchema:")?;
    writeln!(out, "{indent}  - {{ AttributeName: {partition_key}, KeyType: HASH }}")?;
    writeln!(out, "{indent}  - {{ AttributeName: {sort_key}, KeyType: RANGE }}")
}

fn write_output(out: &mut String, table: &Table, what: &str, function: &str) -> fmt::Result {
    let name = table.name;
    let value = if what == "Arn" { format!("{function} {name}.Arn") } else { format!("{function} {name}") };
    writeln!(out, "  {name}{what}:\n    Value: {value}")?;
    writeln!(out, "    Export:\n      Name: !Sub \"${{Prefix}}-{name}-{what}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disposable_tables_may_be_deleted_and_are_otherwise_the_same() {
        let (kept, disposable) =
            (cloudformation(Protection::Production), cloudformation(Protection::Disposable));
        let guards = ["Retain", "PointInTimeRecovery", "DeletionProtectionEnabled"];
        let rest = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|line| !guards.iter().any(|guard| line.contains(guard)))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(rest(&kept), rest(&disposable));
        assert_eq!(kept.matches("DeletionProtectionEnabled: true").count(), 2);
        assert_eq!(disposable.matches("DeletionProtectionEnabled: false").count(), 2);
        assert!(!disposable.contains("Retain") && !disposable.contains("PointInTimeRecovery"));
    }
}
