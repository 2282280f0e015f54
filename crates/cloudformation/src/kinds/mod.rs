//! The kinds of resources that are deployed here: what they are called, what they have, what refers to them.

mod global_table;
mod properties;
mod scaling;
pub(crate) mod shape;
mod table;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::{Content, Node};
use crate::evaluate::Evaluator;
use crate::finding::Finding;
use crate::resource::Resource;
use crate::template::Declaration;
use shape::{Property, Reading};
pub(crate) use table::RECOVERY_DAYS;

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Table,
    GlobalTable,
    ScalableTarget,
    ScalingPolicy,
}

const KINDS: &[(&str, Kind)] = &[
    ("AWS::DynamoDB::Table", Kind::Table),
    ("AWS::DynamoDB::GlobalTable", Kind::GlobalTable),
    ("AWS::ApplicationAutoScaling::ScalableTarget", Kind::ScalableTarget),
    ("AWS::ApplicationAutoScaling::ScalingPolicy", Kind::ScalingPolicy),
];

/// The kind of a `Type`; `None` when it is not deployed here.
pub(crate) fn of(name: &str) -> Option<Kind> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The types that are deployed here.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

impl Kind {
    /// What `Fn::GetAtt` can ask for.
    pub(crate) fn attributes(self) -> &'static [&'static str] {
        match self {
            Kind::Table => &["Arn", "StreamArn"],
            Kind::GlobalTable => &["Arn", "StreamArn", "TableId"],
            Kind::ScalableTarget => &["Id"],
            Kind::ScalingPolicy => &["Arn"],
        }
    }

    /// What `Ref` gives: a table's name, a target's three ids, a policy's ARN.
    pub(crate) fn reference(
        self,
        evaluator: &Evaluator<'_>,
        declaration: &Declaration,
    ) -> Result<Content, Finding> {
        match self {
            Kind::Table | Kind::GlobalTable => table::name(evaluator, declaration),
            Kind::ScalableTarget => scaling::target_reference(evaluator, declaration),
            Kind::ScalingPolicy => {
                evaluator.attribute(declaration.at, &declaration.name, "Arn").map(|node| node.content)
            }
        }
    }

    fn shape(self) -> &'static [Property] {
        match self {
            Kind::Table => properties::TABLE,
            Kind::GlobalTable => properties::GLOBAL_TABLE,
            Kind::ScalableTarget => properties::SCALABLE_TARGET,
            Kind::ScalingPolicy => properties::SCALING_POLICY,
        }
    }

    /// Reads a resource whose properties have been evaluated. A global table is a table and what scales it.
    ///
    /// Answers the resources, and the notes about what was left out.
    pub(crate) fn read(
        self,
        evaluator: &Evaluator<'_>,
        declaration: &Declaration,
        properties: &Node,
    ) -> Result<(Vec<Resource>, Vec<Finding>), Vec<Finding>> {
        let mut reading = Reading {
            owner: &declaration.name,
            skip_unsupported: evaluator.settings.skip_unsupported,
            findings: Vec::new(),
            notes: Vec::new(),
            places: Default::default(),
        };
        let read = reading.properties(declaration.at, properties, self.shape());
        let resources = match self {
            _ if !reading.findings.is_empty() => Vec::new(),
            Kind::Table => table::read(evaluator, declaration, &read, &mut reading),
            Kind::GlobalTable => global_table::read(evaluator, declaration, &read, &mut reading),
            Kind::ScalableTarget => scaling::read_target(declaration, &read, &mut reading),
            Kind::ScalingPolicy => scaling::read_policy(declaration, &read, &mut reading),
        };
        if reading.findings.is_empty() { Ok((resources, reading.notes)) } else { Err(reading.findings) }
    }
}

/// A property that was read, as a type; its default when it is left out.
fn field<T: DeserializeOwned + Default>(properties: &Value, name: &str) -> T {
    properties.get(name).map(|value| T::deserialize(value).unwrap_or_default()).unwrap_or_default()
}
