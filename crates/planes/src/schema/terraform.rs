//! The Terraform module, laid out as `terraform fmt` would.

use std::fmt::{self, Write};

use super::{Index, LONGEST_PREFIX, Projection, TABLES, Table};

/// The module of both tables, with the variable `prefix` and with each table's name and ARN as an output.
pub fn terraform() -> String {
    let mut out = String::new();
    write_module(&mut out).expect("a string takes all that is written to it");
    out
}

fn write_module(out: &mut String) -> fmt::Result {
    out.push_str("variable \"prefix\" {\n");
    write_arguments(
        out,
        2,
        &[
            (
                "description",
                quoted("What the names of the tables begin with, one prefix for each environment"),
            ),
            ("type", "string".to_owned()),
        ],
    )?;
    out.push_str("\n  validation {\n");
    write_arguments(
        out,
        4,
        &[
            ("condition", format!("can(regex(\"^[a-zA-Z0-9-]{{1,{LONGEST_PREFIX}}}$\", var.prefix))")),
            ("error_message", quoted(&format!("Use 1 to {LONGEST_PREFIX} letters, digits and hyphens."))),
        ],
    )?;
    out.push_str("  }\n}\n");
    for table in TABLES {
        write_table(out, table)?;
    }
    for table in TABLES {
        let label = label(table);
        for (what, attribute) in [("name", "name"), ("arn", "arn")] {
            writeln!(out, "\noutput \"{label}_{what}\" {{")?;
            writeln!(out, "  value = aws_dynamodb_table.{label}.{attribute}\n}}")?;
        }
    }
    Ok(())
}

fn write_table(out: &mut String, table: &Table) -> fmt::Result {
    writeln!(out, "\n# {}", table.purpose)?;
    writeln!(out, "resource \"aws_dynamodb_table\" \"{}\" {{", label(table))?;
    write_arguments(
        out,
        2,
        &[
            ("name", format!("\"${{var.prefix}}-{}\"", table.name)),
            ("billing_mode", quoted("PAY_PER_REQUEST")),
            ("hash_key", quoted(table.partition_key)),
            ("range_key", quoted(table.sort_key)),
            ("deletion_protection_enabled", "true".to_owned()),
        ],
    )?;
    for attribute in table.key_attributes() {
        write_block(out, "attribute", &[("name", quoted(attribute)), ("type", quoted("S"))])?;
    }
    table.indexes.iter().try_for_each(|index| write_index(out, index))?;
    if let Some(ttl) = table.ttl {
        write_block(out, "ttl", &[("attribute_name", quoted(ttl)), ("enabled", "true".to_owned())])?;
    }
    write_block(out, "point_in_time_recovery", &[("enabled", "true".to_owned())])?;
    write_block(out, "lifecycle", &[("prevent_destroy", "true".to_owned())])?;
    out.write_str("}\n")
}

fn write_index(out: &mut String, index: &Index) -> fmt::Result {
    let mut arguments = vec![
        ("name", quoted(index.name)),
        ("hash_key", quoted(index.partition_key)),
        ("range_key", quoted(index.sort_key)),
    ];
    match index.projection {
        Projection::All => arguments.push(("projection_type", quoted("ALL"))),
        Projection::KeysOnly => arguments.push(("projection_type", quoted("KEYS_ONLY"))),
        Projection::Include(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            arguments.push(("projection_type", quoted("INCLUDE")));
            arguments.push(("non_key_attributes", format!("[{}]", names.join(", "))));
        }
    }
    write_block(out, "global_secondary_index", &arguments)
}

fn write_block(out: &mut String, name: &str, arguments: &[(&str, String)]) -> fmt::Result {
    writeln!(out, "\n  {name} {{")?;
    write_arguments(out, 4, arguments)?;
    out.write_str("  }\n")
}

/// Arguments with their equals signs in one column.
fn write_arguments(out: &mut String, indent: usize, arguments: &[(&str, String)]) -> fmt::Result {
    let width = arguments.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    arguments.iter().try_for_each(|(name, value)| writeln!(out, "{:indent$}{name:width$} = {value}", ""))
}

/// `ControlPlaneTable` becomes `control_plane`.
fn label(table: &Table) -> String {
    let mut label = String::new();
    for character in table.name.trim_end_matches("Table").chars() {
        if character.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(character.to_ascii_lowercase());
    }
    label
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
