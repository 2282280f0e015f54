//! Key helpers in Python, with their tests for `python -m unittest` and pytest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dynamometer_types::ScalarType;

use super::File;
use super::helpers::{Function, Helpers, KeyPart, helpers};
use super::names::{Names, docstring, literal, pascal, remark, screaming, snake};
use crate::model::{Design, Target};
use crate::template::Part;

const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
    "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "type", "str", "int",
    "unittest",
];
const TYPES: &[&str] = &["False", "None", "True", "NewType", "TypedDict"];

/// `keys.py` and `test_keys.py`.
pub(super) fn files(design: &Design, source: &str) -> Vec<File> {
    let helpers = helpers(design);
    let mut types = Names::without(TYPES);
    let type_names: Vec<String> =
        helpers.variables.iter().map(|variable| types.take(pascal(&variable.name))).collect();
    let mut names = Names::without(KEYWORDS);
    let mut constants = Names::default();
    let mut keys_of: BTreeMap<Target, String> = BTreeMap::new();
    let name = docstring(design.name.as_deref().unwrap_or("a design"));
    let source = docstring(source);
    let mut out = format!(
        "\"\"\"Keys of {name}.\n\nWritten by dyno design generate from {source}: change that file instead.\n\"\"\"\n\n\
         from __future__ import annotations\n\nfrom typing import NewType, TypedDict\n\n"
    );
    for (variable, name) in helpers.variables.iter().zip(&type_names) {
        let base = if variable.is_number { "int" } else { "str" };
        let _ = writeln!(out, "{name} = NewType(\"{name}\", {base})");
    }
    for function in &helpers.functions {
        if keys_of.contains_key(&function.target) {
            continue;
        }
        let name = types.take(format!("{}Key", pascal(&design.target_name(function.target))));
        let attributes: Vec<String> = function
            .attributes
            .iter()
            .map(|part| {
                format!("{}: {}", literal(part.name), if part.kind == ScalarType::N { "int" } else { "str" })
            })
            .collect();
        let _ = writeln!(out, "\n{name} = TypedDict(\"{name}\", {{{}}})", attributes.join(", "));
        keys_of.insert(function.target, name);
    }
    let mut tests = String::new();
    for function in &helpers.functions {
        let of = function.index.map_or(String::new(), |index| format!("_{}", snake(index)));
        let name = names.take(format!("{}{of}_key", snake(function.entity)));
        let type_name = keys_of.get(&function.target).cloned().unwrap_or_default();
        key_function(&mut out, design, &helpers, function, &name, &type_name, &type_names);
        if let Some(prefix) = function.sort_prefix() {
            let of = function.index.map_or(String::new(), |index| format!("_{}", screaming(index)));
            let constant = constants.take(format!("{}{of}_SORT_PREFIX", screaming(function.entity)));
            let _ = write!(
                out,
                "\n\n#: What the sort key of {} begins with in {}, for begins_with.\n{constant} = {}\n",
                remark(function.entity),
                remark(&design.target_name(function.target)),
                literal(prefix)
            );
        }
        test(&mut tests, &helpers, function, &name, &type_names);
    }
    let test_head = format!(
        "\"\"\"Written by dyno design generate from {source}: change that file instead.\"\"\"\n\n\
         import unittest\n\nimport keys\n\n\nclass Keys(unittest.TestCase):\n"
    );
    vec![
        File { name: "keys.py".into(), text: out },
        File { name: "test_keys.py".into(), text: format!("{test_head}{}", tests.trim_start_matches('\n')) },
    ]
}

fn parameter(name: &str) -> String {
    Names::without(KEYWORDS).take(snake(name))
}

fn type_of<'n>(helpers: &Helpers<'_>, names: &'n [String], variable: &str) -> &'n str {
    let at = helpers.variables.iter().position(|known| known.name == variable).unwrap_or(0);
    &names[at]
}

fn key_function(
    out: &mut String,
    design: &Design,
    helpers: &Helpers<'_>,
    function: &Function<'_>,
    name: &str,
    type_name: &str,
    types: &[String],
) {
    let parameters: Vec<String> = function
        .variables
        .iter()
        .map(|variable| format!("{}: {}", parameter(variable), type_of(helpers, types, variable)))
        .collect();
    let target = docstring(&design.target_name(function.target));
    let _ = write!(
        out,
        "\n\ndef {name}({}) -> {type_name}:\n    \"\"\"The key of {} in {target}: {}.\"\"\"\n    return {{\n",
        parameters.join(", "),
        docstring(function.entity),
        docstring(&function.words())
    );
    for part in &function.attributes {
        let _ = writeln!(out, "        {}: {},", literal(part.name), value(helpers, part));
    }
    out.push_str("    }\n");
}

fn value(helpers: &Helpers<'_>, part: &KeyPart<'_>) -> String {
    let is_number = part.kind == ScalarType::N;
    match part.template.parts() {
        [Part::Variable(name)] if helpers.is_number(name) && !is_number => {
            format!("str({})", parameter(name))
        }
        [Part::Variable(name)] => parameter(name),
        _ if part.template.is_constant() && is_number => part.template.to_string(),
        _ if part.template.is_constant() => literal(&part.template.to_string()),
        parts => {
            let piece = |part: &Part| match part {
                Part::Literal(text) => {
                    text.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "{{").replace('}', "}}")
                }
                Part::Variable(name) => format!("{{{}}}", parameter(name)),
            };
            format!("f\"{}\"", parts.iter().map(piece).collect::<String>())
        }
    }
}

fn test(out: &mut String, helpers: &Helpers<'_>, function: &Function<'_>, name: &str, types: &[String]) {
    let arguments: Vec<String> = function
        .variables
        .iter()
        .map(|variable| {
            let at = helpers.variables.iter().position(|known| known.name == *variable).unwrap_or(0);
            let sample = helpers.variables[at].sample();
            let sample = if helpers.is_number(variable) { sample } else { literal(&sample) };
            format!("keys.{}({sample})", types[at])
        })
        .collect();
    let _ = write!(
        out,
        "\n    def test_{name}_is_built(self) -> None:\n        self.assertEqual(\n            keys.{name}({}),\n            {{\n",
        arguments.join(", ")
    );
    for part in &function.attributes {
        let sample = helpers.sample(&part.template);
        let sample = if part.kind == ScalarType::N { sample } else { literal(&sample) };
        let _ = writeln!(out, "                {}: {sample},", literal(part.name));
    }
    out.push_str("            },\n        )\n");
}
