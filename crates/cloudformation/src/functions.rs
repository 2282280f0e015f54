//! The intrinsic functions, each as CloudFormation's reference describes it.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::document::{Content, Entry, Node};
use crate::evaluate::Evaluator;
use crate::finding::{Finding, Position};

/// Functions that give a value.
const VALUES: &[&str] = &[
    "Ref",
    "Fn::GetAtt",
    "Fn::Sub",
    "Fn::Join",
    "Fn::Split",
    "Fn::Select",
    "Fn::If",
    "Fn::FindInMap",
    "Fn::Base64",
];
/// Functions that give a truth value, for Conditions.
const CONDITIONS: &[&str] = &["Fn::Equals", "Fn::And", "Fn::Or", "Fn::Not", "Condition"];

/// The function that a mapping calls, and its argument; `None` for a mapping that is none.
pub(crate) fn call(entries: &[Entry]) -> Result<Option<(&str, &Node)>, Finding> {
    let is_call = |entry: &&Entry| entry.key == "Ref" || entry.key.starts_with("Fn::");
    match (entries, entries.iter().find(is_call)) {
        (_, None) => Ok(None),
        ([only], Some(_)) => Ok(Some((&only.key, &only.value))),
        (_, Some(call)) => {
            Err(Finding::new(call.key_at, format!("`{}` must stand alone in its mapping", call.key)))
        }
    }
}

/// Runs a function; `None` is `AWS::NoValue`.
pub(crate) fn run(
    evaluator: &Evaluator<'_>,
    at: Position,
    name: &str,
    argument: &Node,
) -> Result<Option<Node>, Finding> {
    let done = match name {
        "Ref" => return evaluator.reference(at, plain_text(name, argument)?),
        "Fn::If" => return choose(evaluator, argument),
        "Fn::GetAtt" => return get_att(evaluator, at, argument).map(Some),
        "Fn::Sub" => substitute(evaluator, argument)?,
        "Fn::Join" => join(evaluator, argument)?,
        "Fn::Split" => split(evaluator, argument)?,
        "Fn::Select" => return select(evaluator, at, argument).map(Some),
        "Fn::FindInMap" => return find_in_map(evaluator, argument).map(Some),
        "Fn::Base64" => match text(evaluator, name, argument)? {
            Ok(text) => Content::Text(STANDARD.encode(text)),
            Err(unknown) => unknown,
        },
        "Fn::ImportValue" => {
            return Err(Finding::new(
                at,
                "Fn::ImportValue takes the export of another stack, which is not kept here",
            )
            .hint("make it a parameter"));
        }
        _ if CONDITIONS.contains(&name) => {
            return Err(Finding::new(at, format!("{name} is for the section Conditions, not for values")));
        }
        _ => {
            let message = format!("{name} is not evaluated here");
            return Err(Finding::unknown(at, message, name, VALUES.iter().copied()));
        }
    };
    Ok(Some(Node { at, content: done }))
}

/// Whether a condition holds: one of the logical functions.
pub(crate) fn condition(evaluator: &Evaluator<'_>, node: &Node) -> Result<bool, Finding> {
    evaluator.deeper(node.at, || logical(evaluator, node))
}

fn logical(evaluator: &Evaluator<'_>, node: &Node) -> Result<bool, Finding> {
    let Some([only]) = node.as_map() else {
        return Err(Finding::new(node.at, format!("a condition is one of {}", CONDITIONS.join(", "))));
    };
    let each = |least: usize, most: usize| -> Result<Vec<bool>, Finding> {
        arguments(&only.key, &only.value, least, most)?
            .iter()
            .map(|node| condition(evaluator, node))
            .collect()
    };
    match only.key.as_str() {
        "Condition" => evaluator.holds(only.value.at, plain_text("Condition", &only.value)?),
        "Fn::Not" => Ok(!each(1, 1)?[0]),
        "Fn::And" => Ok(each(2, 10)?.into_iter().all(|holds| holds)),
        "Fn::Or" => Ok(each(2, 10)?.into_iter().any(|holds| holds)),
        "Fn::Equals" => {
            let arguments = arguments("Fn::Equals", &only.value, 2, 2)?;
            let mut sides = Vec::new();
            for argument in arguments {
                let mut names = BTreeSet::new();
                references(argument, &mut names);
                let wrong = || Finding::new(argument.at, "a condition may use parameters and mappings only");
                if names.iter().any(|name| evaluator.template.resource(name).is_some()) {
                    return Err(wrong());
                }
                sides.push(text(evaluator, "Fn::Equals", argument)?.map_err(|_| wrong())?);
            }
            Ok(sides[0] == sides[1])
        }
        other => {
            let message = format!("`{other}` is no condition");
            Err(Finding::unknown(only.key_at, message, other, CONDITIONS.iter().copied()))
        }
    }
}

fn choose(evaluator: &Evaluator<'_>, argument: &Node) -> Result<Option<Node>, Finding> {
    let [name, then, otherwise] = arguments("Fn::If", argument, 3, 3)? else {
        return Err(wrong_count("Fn::If", argument, 3, 3));
    };
    let holds = evaluator.holds(name.at, plain_text("Fn::If", name)?)?;
    evaluator.evaluate(if holds { then } else { otherwise })
}

/// `[resource, attribute]` or `resource.attribute`.
fn get_att(evaluator: &Evaluator<'_>, at: Position, argument: &Node) -> Result<Node, Finding> {
    let (resource, attribute) = match &argument.content {
        Content::Text(text) => text.split_once('.').map(|(name, rest)| (name.to_owned(), rest.to_owned())),
        Content::List(nodes) => match nodes.as_slice() {
            [name, attribute] => {
                match (plain_text("Fn::GetAtt", name)?, text(evaluator, "Fn::GetAtt", attribute)?) {
                    (name, Ok(attribute)) => Some((name.to_owned(), attribute)),
                    (_, Err(unknown)) => return Ok(Node { at, content: unknown }),
                }
            }
            _ => None,
        },
        _ => None,
    }
    .ok_or_else(|| Finding::new(argument.at, "Fn::GetAtt takes a resource and one of its attributes"))?;
    evaluator.attribute(at, &resource, &attribute)
}

/// `Fn::Sub`: a text, or a text and values for its names. `${!x}` is `${x}`, spelled out.
fn substitute(evaluator: &Evaluator<'_>, argument: &Node) -> Result<Content, Finding> {
    let (template, names) = match &argument.content {
        Content::Text(_) => (argument, None),
        Content::List(nodes) if nodes.len() == 2 => (&nodes[0], Some(&nodes[1])),
        _ => return Err(Finding::new(argument.at, "Fn::Sub takes a text, or a text and a mapping")),
    };
    let mut rest = plain_text("Fn::Sub", template)?;
    let mut text_so_far = String::new();
    while let Some(begin) = rest.find("${") {
        text_so_far.push_str(&rest[..begin]);
        let inside = &rest[begin + 2..];
        let Some(end) = inside.find('}') else {
            return Err(Finding::new(template.at, "`${` has no `}` in this Fn::Sub"));
        };
        let name = inside[..end].trim();
        rest = &inside[end + 1..];
        if let Some(literal) = name.strip_prefix('!') {
            text_so_far.push_str(&format!("${{{literal}}}"));
            continue;
        }
        match variable(evaluator, template.at, name, names)? {
            Ok(value) => text_so_far.push_str(&value),
            Err(unknown) => return Ok(unknown),
        }
    }
    text_so_far.push_str(rest);
    Ok(Content::Text(text_so_far))
}

fn variable(
    evaluator: &Evaluator<'_>,
    at: Position,
    name: &str,
    names: Option<&Node>,
) -> Result<Result<String, Content>, Finding> {
    if let Some(given) = names.and_then(|names| names.get(name)) {
        return text(evaluator, "Fn::Sub", given);
    }
    let value = match name.split_once('.') {
        Some((resource, attribute)) => Some(evaluator.attribute(at, resource, attribute)?),
        None => evaluator.reference(at, name)?,
    };
    as_text("Fn::Sub", at, value)
}

fn join(evaluator: &Evaluator<'_>, argument: &Node) -> Result<Content, Finding> {
    let [separator, list] = arguments("Fn::Join", argument, 2, 2)? else {
        return Err(wrong_count("Fn::Join", argument, 2, 2));
    };
    let separator = plain_text("Fn::Join", separator)?;
    let list = match list_of(evaluator, "Fn::Join", list)? {
        Ok(list) => list,
        Err(unknown) => return Ok(unknown),
    };
    let mut texts = Vec::with_capacity(list.len());
    for node in list {
        match as_text("Fn::Join", node.at, Some(node))? {
            Ok(text) => texts.push(text),
            Err(unknown) => return Ok(unknown),
        }
    }
    Ok(Content::Text(texts.join(separator)))
}

fn split(evaluator: &Evaluator<'_>, argument: &Node) -> Result<Content, Finding> {
    let [separator, source] = arguments("Fn::Split", argument, 2, 2)? else {
        return Err(wrong_count("Fn::Split", argument, 2, 2));
    };
    let separator = plain_text("Fn::Split", separator)?;
    if separator.is_empty() {
        return Err(Finding::new(argument.at, "Fn::Split needs something to split at"));
    }
    Ok(match text(evaluator, "Fn::Split", source)? {
        Ok(text) => Content::List(text.split(separator).map(|part| Node::text(source.at, part)).collect()),
        Err(unknown) => unknown,
    })
}

fn select(evaluator: &Evaluator<'_>, at: Position, argument: &Node) -> Result<Node, Finding> {
    let [index, list] = arguments("Fn::Select", argument, 2, 2)? else {
        return Err(wrong_count("Fn::Select", argument, 2, 2));
    };
    let list = match list_of(evaluator, "Fn::Select", list)? {
        Ok(list) => list,
        Err(unknown) => return Ok(Node { at, content: unknown }),
    };
    let wanted = match text(evaluator, "Fn::Select", index)? {
        Ok(text) => text,
        Err(unknown) => return Ok(Node { at, content: unknown }),
    };
    let count = list.len();
    let chosen = wanted.parse().ok().and_then(|wanted: usize| list.into_iter().nth(wanted));
    chosen.ok_or_else(|| {
        Finding::new(
            index.at,
            format!("Fn::Select: there is no element {wanted} in a list of {count}, counted from 0"),
        )
    })
}

fn find_in_map(evaluator: &Evaluator<'_>, argument: &Node) -> Result<Node, Finding> {
    let parts = arguments("Fn::FindInMap", argument, 3, 4)?;
    let mut keys = Vec::with_capacity(3);
    for part in &parts[..3] {
        match text(evaluator, "Fn::FindInMap", part)? {
            Ok(text) => keys.push(text),
            Err(unknown) => return Ok(Node { at: part.at, content: unknown }),
        }
    }
    let mapping = evaluator.template.mappings.iter().find(|entry| entry.key == keys[0]);
    let found = mapping.and_then(|entry| entry.value.get(&keys[1])).and_then(|level| level.get(&keys[2]));
    if let Some(found) = found {
        return Ok(found.clone());
    }
    let default = parts.get(3).and_then(|node| node.get("DefaultValue"));
    if let Some(default) = default
        && let Some(value) = evaluator.evaluate(default)?
    {
        return Ok(value);
    }
    Err(Finding::new(argument.at, format!("Mappings has no {} → {} → {}", keys[0], keys[1], keys[2])))
}

/// The arguments of a function that takes a list of them.
fn arguments<'n>(name: &str, argument: &'n Node, least: usize, most: usize) -> Result<&'n [Node], Finding> {
    match argument.as_list() {
        Some(list) if (least..=most).contains(&list.len()) => Ok(list),
        _ => Err(wrong_count(name, argument, least, most)),
    }
}

fn wrong_count(name: &str, argument: &Node, least: usize, most: usize) -> Finding {
    let count = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let found = match argument.as_list() {
        Some(list) => format!("a list of {}", list.len()),
        None => argument.kind().to_owned(),
    };
    Finding::new(argument.at, format!("{name} takes a list of {count}, and this is {found}"))
}

/// An argument that must be written out, not computed.
fn plain_text<'n>(name: &str, node: &'n Node) -> Result<&'n str, Finding> {
    node.as_text().ok_or_else(|| {
        Finding::new(node.at, format!("{name} takes a text here, and this is {}", node.kind()))
    })
}

/// An argument as text, or the reason why it is not known.
fn text(evaluator: &Evaluator<'_>, name: &str, node: &Node) -> Result<Result<String, Content>, Finding> {
    as_text(name, node.at, evaluator.evaluate(node)?)
}

fn as_text(name: &str, at: Position, node: Option<Node>) -> Result<Result<String, Content>, Finding> {
    match node.map(|node| node.content) {
        Some(Content::Text(text)) => Ok(Ok(text)),
        Some(unknown @ Content::Unknown(_)) => Ok(Err(unknown)),
        Some(content) => {
            let kind = Node { at, content }.kind();
            Err(Finding::new(at, format!("{name} takes a text here, and this is {kind}")))
        }
        None => Err(Finding::new(at, format!("{name} takes a text here, and this is AWS::NoValue"))),
    }
}

fn list_of(
    evaluator: &Evaluator<'_>,
    name: &str,
    node: &Node,
) -> Result<Result<Vec<Node>, Content>, Finding> {
    match evaluator.evaluate(node)?.map(|node| node.content) {
        Some(Content::List(list)) => Ok(Ok(list)),
        Some(unknown @ Content::Unknown(_)) => Ok(Err(unknown)),
        _ => Err(Finding::new(node.at, format!("{name} takes a list here"))),
    }
}

/// The names that a node refers to by `Ref`, `Fn::GetAtt` and `Fn::Sub`, whatever they name.
pub(crate) fn references(node: &Node, names: &mut BTreeSet<String>) {
    match &node.content {
        Content::List(nodes) => nodes.iter().for_each(|node| references(node, names)),
        Content::Map(entries) => {
            for entry in entries {
                match (entry.key.as_str(), &entry.value.content) {
                    ("Ref", Content::Text(name)) => {
                        names.insert(name.clone());
                    }
                    ("Fn::GetAtt", Content::Text(text)) => {
                        names.extend(text.split_once('.').map(|(name, _)| name.to_owned()));
                    }
                    ("Fn::GetAtt", Content::List(nodes)) => {
                        names.extend(nodes.first().and_then(Node::as_text).map(str::to_owned));
                    }
                    ("Fn::Sub", Content::Text(text)) => variables(text, names),
                    ("Fn::Sub", Content::List(nodes)) => {
                        if let Some(text) = nodes.first().and_then(Node::as_text) {
                            variables(text, names);
                        }
                        nodes.iter().skip(1).for_each(|node| references(node, names));
                    }
                    _ => references(&entry.value, names),
                }
            }
        }
        _ => {}
    }
}

fn variables(text: &str, names: &mut BTreeSet<String>) {
    for part in text.split("${").skip(1) {
        let name = part.split(['}', '.']).next().unwrap_or_default().trim();
        names.insert(name.to_owned());
    }
}
