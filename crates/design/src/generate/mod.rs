//! What is written from a design: templates that make its tables, and functions that build its keys.
//!
//! Every generator is a function of the design alone, so that a file under review differs only where the design does.

mod cloudformation;
mod create_table;
mod hcl;
mod helpers;
mod names;
mod python;
mod rust;
mod terraform;
mod typescript;

use crate::load::Load;
use crate::model::{Design, Target, Throughput};
use dynamometer_capacity::admission::{BillingMode, Dimension, PerDimension};

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A CloudFormation template.
    CloudFormation,
    /// A Terraform module.
    Terraform,
    /// CreateTable requests as JSON, with those that set time to live and backups.
    CreateTable,
    /// Key helpers in Rust.
    Rust,
    /// Key helpers in TypeScript.
    TypeScript,
    /// Key helpers in Python.
    Python,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A design that nothing can be written from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// AWS takes no such name.
    #[error("AWS takes no {what} called `{name}`: 3 to 255 of the characters a-z, A-Z, 0-9, _, - and .")]
    Name {
        /// `table` or `index`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There are no entities to build keys of.
    #[error("the design has no entities, so there are no keys to build")]
    NoEntities,
}

/// Writes files from a design. `source` is the name of its file, for the remark at their heads; `load` is what its patterns
/// ask, for throughput that is provisioned and not said.
///
/// # Errors
/// When a name cannot be one on AWS, or there is nothing to write.
pub fn generate(
    design: &Design,
    load: &Load,
    source: &str,
    output: Output,
) -> Result<Vec<File>, GenerateError> {
    if matches!(output, Output::CloudFormation | Output::Terraform | Output::CreateTable) {
        check_names(design)?;
    } else if design.entities.is_empty() {
        return Err(GenerateError::NoEntities);
    }
    Ok(match output {
        Output::CloudFormation => cloudformation::files(design, load, source),
        Output::Terraform => terraform::files(design, load, source),
        Output::CreateTable => create_table::files(design, load),
        Output::Rust => rust::files(design, source),
        Output::TypeScript => typescript::files(design, source),
        Output::Python => python::files(design, source),
    })
}

/// Whether AWS takes the names of the tables and indexes: those of patterns and entities may be in any language, these not.
///
/// # Errors
/// The first name that AWS refuses.
pub fn check_names(design: &Design) -> Result<(), GenerateError> {
    let is_name = |name: &str| {
        (3..=255).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    for table in &design.tables {
        let names = std::iter::once(("table", &table.name))
            .chain(table.indexes.iter().map(|index| ("index", &index.name)));
        for (what, name) in names {
            if !is_name(name) {
                return Err(GenerateError::Name { what, name: name.value.clone() });
            }
        }
    }
    Ok(())
}

/// The throughput settings of a table or an index.
fn throughput(design: &Design, target: Target) -> &Throughput {
    let table = &design.tables[target.table];
    design.index(target).map_or(&table.throughput, |index| &index.throughput)
}

/// What to provision: what is said, or else what the patterns use on average at 70 %; at least one, and at least what auto
/// scaling goes down to.
fn capacity(design: &Design, load: &Load, target: Target) -> PerDimension<u64> {
    let said = throughput(design, target).capacity.as_ref();
    let (mut units, drawn) = (PerDimension::default(), load.drawn_from(design, target));
    for dimension in Dimension::BOTH {
        let average = drawn.average_milli[dimension];
        let derived = average.div_ceil(700).max(1);
        let scaling = throughput(design, target).auto_scaling.as_ref();
        let least = scaling.and_then(|scaling| scaling.bounds[dimension]).map_or(1, |(least, _)| least);
        units[dimension] = said.and_then(|said| said[dimension]).unwrap_or(derived.max(least));
    }
    units
}

/// A scaling target with its policy.
struct Scaling {
    target: Target,
    dimension: Dimension,
    least: u64,
    most: u64,
    percent: u64,
}

/// What scales, the table before its indexes.
fn scalings(design: &Design, table: usize) -> Vec<Scaling> {
    let mut scalings = Vec::new();
    if design.tables[table].billing != BillingMode::Provisioned {
        return scalings;
    }
    for target in design.targets().into_iter().filter(|target| target.table == table) {
        let Some(scaling) = &throughput(design, target).auto_scaling else { continue };
        for dimension in Dimension::BOTH {
            if let Some((least, most)) = scaling.bounds[dimension] {
                scalings.push(Scaling {
                    target,
                    dimension,
                    least,
                    most,
                    percent: scaling.target_ppm / 10_000,
                });
            }
        }
    }
    scalings
}

impl Scaling {
    /// `dynamodb:table:ReadCapacityUnits`.
    fn dimension_name(&self) -> String {
        let resource = if self.target.index.is_some() { "index" } else { "table" };
        format!("dynamodb:{resource}:{}CapacityUnits", self.word())
    }

    /// `Read` or `Write`.
    fn word(&self) -> &'static str {
        match self.dimension {
            Dimension::Read => "Read",
            Dimension::Write => "Write",
        }
    }

    /// `DynamoDBReadCapacityUtilization`.
    fn metric(&self) -> String {
        format!("DynamoDB{}CapacityUtilization", self.word())
    }
}

/// The stream's view type, in AWS's word.
fn view_type(word: &str) -> String {
    word.to_uppercase().replace('-', "_")
}

/// Every key attribute of a table and its indexes, each once, with its type.
fn attribute_definitions(design: &Design, table: usize) -> Vec<(&str, &'static str)> {
    let mut definitions: Vec<(&str, &'static str)> = Vec::new();
    for target in design.targets().into_iter().filter(|target| target.table == table) {
        for attribute in design.keys(target).attributes() {
            if !definitions.iter().any(|(name, _)| *name == attribute.name) {
                definitions.push((&attribute.name, attribute.scalar_type.name()));
            }
        }
    }
    definitions
}
