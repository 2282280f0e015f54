//! The sections of a template, before anything is evaluated.

use crate::document::{Content, Entry, Node, parse};
use crate::finding::{Finding, Position};
use crate::parameters::Parameter;

/// Sections whose presence changes nothing here.
const SILENT_SECTIONS: &[&str] = &["AWSTemplateFormatVersion", "Description", "Metadata"];
/// Sections that are read.
const SECTIONS: &[&str] = &["Parameters", "Mappings", "Conditions", "Resources", "Outputs"];
/// Sections that ask for what only CloudFormation does; each is a finding, or skipped when that is wanted.
const FOREIGN_SECTIONS: &[&str] = &["Transform", "Rules", "Hooks", "Globals"];

/// A template: what its sections hold.
#[derive(Clone, Debug)]
pub struct Template {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) mappings: Vec<Entry>,
    pub(crate) conditions: Vec<Entry>,
    pub(crate) resources: Vec<Declaration>,
    pub(crate) outputs: Vec<OutputDeclaration>,
    /// Sections that only CloudFormation could follow.
    pub(crate) foreign: Vec<Finding>,
}

/// A resource as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) at: Position,
    /// Such as `AWS::DynamoDB::Table`.
    pub(crate) kind: String,
    pub(crate) kind_at: Position,
    /// `Properties`, or an empty mapping.
    pub(crate) properties: Node,
    pub(crate) condition: Option<(String, Position)>,
    pub(crate) depends_on: Vec<(String, Position)>,
    /// Whether `UpdateReplacePolicy` says that a replaced resource stays.
    pub(crate) retain_replaced: bool,
}

/// An output as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct OutputDeclaration {
    pub(crate) name: String,
    pub(crate) at: Position,
    pub(crate) condition: Option<(String, Position)>,
    pub(crate) value: Node,
    /// `Export.Name`.
    pub(crate) export: Option<Node>,
}

impl Template {
    /// Reads a template, YAML or JSON.
    ///
    /// # Errors
    /// Everything that is wrong with its form, in the order of the file.
    pub fn read(text: &str) -> Result<Template, Vec<Finding>> {
        let root = parse(text).map_err(|finding| vec![finding])?;
        let mut findings = Vec::new();
        let template = read_sections(&root, &mut findings);
        if findings.is_empty() {
            return Ok(template);
        }
        findings.sort_by_key(|finding| finding.at);
        Err(findings)
    }

    /// Whether the template declares a parameter.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    pub(crate) fn resource(&self, name: &str) -> Option<&Declaration> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

fn read_sections(root: &Node, findings: &mut Vec<Finding>) -> Template {
    let mut template = Template {
        parameters: Vec::new(),
        mappings: Vec::new(),
        conditions: Vec::new(),
        resources: Vec::new(),
        outputs: Vec::new(),
        foreign: Vec::new(),
    };
    let Some(sections) = root.as_map() else {
        findings.push(Finding::new(
            root.at,
            format!("a template is a mapping with Resources, and this is {}", root.kind()),
        ));
        return template;
    };
    for section in sections {
        let name = section.key.as_str();
        if SILENT_SECTIONS.contains(&name) {
            continue;
        }
        if FOREIGN_SECTIONS.contains(&name) {
            template.foreign.push(foreign(section));
            continue;
        }
        if !SECTIONS.contains(&name) {
            let known = SECTIONS.iter().chain(SILENT_SECTIONS).chain(FOREIGN_SECTIONS).copied();
            findings.push(Finding::unknown(
                section.key_at,
                format!("a template has no section `{name}`"),
                name,
                known,
            ));
            continue;
        }
        let Some(entries) = section.value.as_map() else {
            let message = format!("`{name}` is a mapping, and this is {}", section.value.kind());
            findings.push(Finding::new(section.value.at, message));
            continue;
        };
        match name {
            "Parameters" => {
                template.parameters =
                    collect(entries, findings, |entry| Parameter::read(entry).map_err(|f| vec![f]));
            }
            "Mappings" => template.mappings = collect(entries, findings, mapping),
            "Conditions" => template.conditions = entries.to_vec(),
            "Resources" => template.resources = collect(entries, findings, declaration),
            _ => template.outputs = collect(entries, findings, output),
        }
    }
    if findings.is_empty() && root.get("Resources").is_none() {
        findings.push(Finding::new(root.at, "a template has Resources, and this has none"));
    }
    template
}

fn foreign(section: &Entry) -> Finding {
    let message = match (section.key.as_str(), section.value.as_text()) {
        ("Transform", Some(name)) => format!("the transform {name} is CloudFormation's to run"),
        (name, _) => format!("`{name}` is for CloudFormation alone"),
    };
    Finding::new(section.key_at, message)
}

fn collect<T>(
    entries: &[Entry],
    findings: &mut Vec<Finding>,
    read: impl Fn(&Entry) -> Result<T, Vec<Finding>>,
) -> Vec<T> {
    let mut read_ones = Vec::new();
    for entry in entries {
        match read(entry) {
            Ok(one) => read_ones.push(one),
            Err(more) => findings.extend(more),
        }
    }
    read_ones
}

/// Two levels of keys, and values that are plain.
fn mapping(entry: &Entry) -> Result<Entry, Vec<Finding>> {
    let is_flat = |node: &Node| {
        matches!(&node.content, Content::Text(_))
            || node.as_list().is_some_and(|list| list.iter().all(|node| node.as_text().is_some()))
    };
    let wrong = |node: &Node| {
        let message = format!(
            "a mapping is two levels of keys with texts or lists of texts; here, in `{}`, is {}",
            entry.key,
            node.kind()
        );
        vec![Finding::new(node.at, message)]
    };
    for first in entry.value.as_map().ok_or_else(|| wrong(&entry.value))? {
        for second in first.value.as_map().ok_or_else(|| wrong(&first.value))? {
            if !is_flat(&second.value) {
                return Err(wrong(&second.value));
            }
        }
    }
    Ok(entry.clone())
}

/// The attributes of a resource beside its properties. `Metadata` and the policies of other services say nothing here.
const ATTRIBUTES: &[&str] = &[
    "Type",
    "Properties",
    "DependsOn",
    "Condition",
    "DeletionPolicy",
    "UpdateReplacePolicy",
    "Metadata",
    "CreationPolicy",
    "UpdatePolicy",
];

fn declaration(entry: &Entry) -> Result<Declaration, Vec<Finding>> {
    let name = &entry.key;
    let Some(attributes) = entry.value.as_map() else {
        let message = format!("{name}: a resource is a mapping, and this is {}", entry.value.kind());
        return Err(vec![Finding::new(entry.value.at, message)]);
    };
    let mut findings = Vec::new();
    if let Some(loop_name) = name.strip_prefix("Fn::") {
        return Err(vec![Finding::new(entry.key_at, format!("Fn::{loop_name} is CloudFormation's to run"))]);
    }
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        findings.push(Finding::new(
            entry.key_at,
            format!("`{name}` is no logical id: those are letters and digits"),
        ));
    }
    for attribute in attributes.iter().filter(|attribute| !ATTRIBUTES.contains(&attribute.key.as_str())) {
        findings.push(Finding::unknown(
            attribute.key_at,
            format!("{name}: a resource has no attribute `{}`", attribute.key),
            &attribute.key,
            ATTRIBUTES.iter().copied(),
        ));
    }
    let kind = text_attribute(name, &entry.value, "Type", &mut findings);
    let condition = text_attribute(name, &entry.value, "Condition", &mut findings);
    for key in ["DeletionPolicy", "UpdateReplacePolicy"] {
        if let Some((policy, at)) = text_attribute(name, &entry.value, key, &mut findings) {
            check_policy(name, key, &policy, at, &mut findings);
        }
    }
    let depends_on = depends_on(name, &entry.value, &mut findings);
    let properties = entry.value.get("Properties").cloned();
    let properties = properties
        .filter(|node| node.content != Content::Null)
        .unwrap_or(Node { at: entry.key_at, content: Content::Map(Vec::new()) });
    if properties.as_map().is_none() {
        let message = format!("{name}: Properties is a mapping, and this is {}", properties.kind());
        findings.push(Finding::new(properties.at, message));
    }
    let Some((kind, kind_at)) = kind else {
        findings.push(Finding::new(entry.key_at, format!("{name}: a resource needs a Type")));
        return Err(findings);
    };
    let retain_replaced = entry.value.get("UpdateReplacePolicy").and_then(Node::as_text) == Some("Retain");
    let name = name.clone();
    let declaration = Declaration {
        name,
        at: entry.key_at,
        kind,
        kind_at,
        properties,
        condition,
        depends_on,
        retain_replaced,
    };
    if findings.is_empty() { Ok(declaration) } else { Err(findings) }
}

fn text_attribute(
    name: &str,
    node: &Node,
    key: &str,
    findings: &mut Vec<Finding>,
) -> Option<(String, Position)> {
    let value = node.get(key)?;
    match value.as_text() {
        Some(text) => Some((text.to_owned(), value.at)),
        None => {
            findings.push(Finding::new(
                value.at,
                format!("{name}: {key} is a text, and this is {}", value.kind()),
            ));
            None
        }
    }
}

fn check_policy(name: &str, key: &str, policy: &str, at: Position, findings: &mut Vec<Finding>) {
    let known: &[&str] = match key {
        "DeletionPolicy" => &["Delete", "Retain", "RetainExceptOnCreate"],
        _ => &["Delete", "Retain"],
    };
    if !known.contains(&policy) {
        let message = format!("{name}: {key} is one of {}, and not `{policy}`", known.join(", "));
        findings.push(Finding::new(at, message));
    }
}

fn depends_on(name: &str, node: &Node, findings: &mut Vec<Finding>) -> Vec<(String, Position)> {
    let Some(value) = node.get("DependsOn") else { return Vec::new() };
    let nodes = match &value.content {
        Content::List(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(value),
    };
    let mut names = Vec::new();
    for node in nodes {
        match node.as_text() {
            Some(text) => names.push((text.to_owned(), node.at)),
            None => findings.push(Finding::new(
                node.at,
                format!("{name}: DependsOn names resources, and this is {}", node.kind()),
            )),
        }
    }
    names
}

fn output(entry: &Entry) -> Result<OutputDeclaration, Vec<Finding>> {
    let name = &entry.key;
    let wrong = |at, message: String| Err(vec![Finding::new(at, message)]);
    let Some(attributes) = entry.value.as_map() else {
        return wrong(
            entry.value.at,
            format!("output {name} is a mapping with a Value, and this is {}", entry.value.kind()),
        );
    };
    const KNOWN: &[&str] = &["Value", "Export", "Condition", "Description"];
    if let Some(other) = attributes.iter().find(|attribute| !KNOWN.contains(&attribute.key.as_str())) {
        let message = format!("output {name} has no attribute `{}`", other.key);
        return Err(vec![Finding::unknown(other.key_at, message, &other.key, KNOWN.iter().copied())]);
    }
    let Some(value) = entry.value.get("Value").cloned() else {
        return wrong(entry.key_at, format!("output {name} needs a Value"));
    };
    let export = match entry.value.get("Export") {
        None => None,
        Some(export) => match export.get("Name") {
            Some(name) => Some(name.clone()),
            None => return wrong(export.at, format!("output {name}: Export is a mapping with a Name")),
        },
    };
    let mut findings = Vec::new();
    let condition = text_attribute(name, &entry.value, "Condition", &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    Ok(OutputDeclaration { name: name.clone(), at: entry.key_at, condition, value, export })
}
