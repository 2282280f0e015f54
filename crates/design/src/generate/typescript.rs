//! Key helpers in TypeScript, with their tests for `node --test`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dynamometer_types::ScalarType;

use super::File;
use super::helpers::{Function, Helpers, KeyPart, helpers};
use super::names::{Names, camel, literal, pascal, remark};
use crate::model::{Design, Target};
use crate::template::Part;

const KEYWORDS: &[&str] = &[
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "arguments",
    "eval",
];

/// `keys.ts` and `keys.test.ts`.
pub(super) fn files(design: &Design, source: &str) -> Vec<File> {
    let source = remark(source);
    let helpers = helpers(design);
    let mut types = Names::default();
    let mut values = Names::without(KEYWORDS);
    let mut keys_of: BTreeMap<Target, String> = BTreeMap::new();
    let variable_names: Vec<(String, String)> = helpers
        .variables
        .iter()
        .map(|variable| (types.take(pascal(&variable.name)), values.take(camel(&variable.name))))
        .collect();
    let head = format!("// Written by dyno design generate from {source}: change that file instead.\n");
    let mut out = format!("{head}// Keys of {}.\n", remark(design.name.as_deref().unwrap_or("a design")));
    for (variable, (type_name, function)) in helpers.variables.iter().zip(&variable_names) {
        let base = if variable.is_number { "number" } else { "string" };
        let _ = write!(
            out,
            "\n/** The variable {} of keys. */\nexport type {type_name} = {base} & {{ readonly __name: {} }};\n\
             export const {function} = (value: {base}): {type_name} => value as {type_name};\n",
            remark(&variable.name),
            literal(type_name)
        );
    }
    for function in &helpers.functions {
        if keys_of.contains_key(&function.target) {
            continue;
        }
        let name = types.take(format!("{}Key", pascal(&design.target_name(function.target))));
        let _ = write!(
            out,
            "\n/** A key of {}. */\nexport interface {name} {{\n",
            remark(&design.target_name(function.target))
        );
        for part in &function.attributes {
            let _ = writeln!(out, "  readonly {}: {};", literal(part.name), kind(part));
        }
        out.push_str("}\n");
        keys_of.insert(function.target, name);
    }
    let mut tests = String::new();
    let mut imports: Vec<String> = variable_names.iter().map(|(_, function)| function.clone()).collect();
    for function in &helpers.functions {
        let of = function.index.map_or(String::new(), pascal);
        let name = values.take(format!("{}{of}Key", camel(function.entity)));
        let type_name = keys_of.get(&function.target).cloned().unwrap_or_default();
        key_function(&mut out, design, &helpers, function, &name, &type_name, &variable_names);
        if let Some(prefix) = function.sort_prefix() {
            let constant = values.take(format!("{}{of}SortPrefix", camel(function.entity)));
            let _ = write!(
                out,
                "\n/** What the sort key of {} begins with in {}, for begins_with. */\nexport const {constant} = {};\n",
                remark(function.entity),
                remark(&design.target_name(function.target)),
                literal(prefix)
            );
        }
        test(&mut tests, &helpers, function, &name, &variable_names);
        imports.push(name);
    }
    let test_head = format!(
        "{head}import assert from \"node:assert/strict\";\nimport test from \"node:test\";\n\nimport {{ {} }} from \"./keys.js\";\n",
        imports.join(", ")
    );
    vec![
        File { name: "keys.ts".into(), text: out },
        File { name: "keys.test.ts".into(), text: format!("{test_head}{tests}") },
    ]
}

fn kind(part: &KeyPart<'_>) -> &'static str {
    if part.kind == ScalarType::N { "number" } else { "string" }
}

/// The names of a variable's type and function.
fn names_of<'n>(
    helpers: &Helpers<'_>,
    names: &'n [(String, String)],
    variable: &str,
) -> &'n (String, String) {
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
    names: &[(String, String)],
) {
    let parameters: Vec<String> = function
        .variables
        .iter()
        .map(|variable| {
            let (type_name, parameter) = names_of(helpers, names, variable);
            format!("{parameter}: {type_name}")
        })
        .collect();
    let target = remark(&design.target_name(function.target));
    let _ = write!(
        out,
        "\n/** The key of {} in {target}: {}. */\nexport const {name} = ({}): {type_name} => ({{\n",
        remark(function.entity),
        remark(&function.words()),
        parameters.join(", ")
    );
    for part in &function.attributes {
        let _ = writeln!(out, "  {}: {},", literal(part.name), value(helpers, part, names));
    }
    out.push_str("});\n");
}

fn value(helpers: &Helpers<'_>, part: &KeyPart<'_>, names: &[(String, String)]) -> String {
    let is_number = part.kind == ScalarType::N;
    match part.template.parts() {
        [Part::Variable(name)] => {
            let parameter = &names_of(helpers, names, name).1;
            match helpers.is_number(name) && !is_number {
                true => format!("String({parameter})"),
                false => parameter.clone(),
            }
        }
        _ if part.template.is_constant() && is_number => part.template.to_string(),
        _ if part.template.is_constant() => literal(&part.template.to_string()),
        parts => {
            let piece = |part: &Part| match part {
                Part::Literal(text) => text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${"),
                Part::Variable(name) => format!("${{{}}}", names_of(helpers, names, name).1),
            };
            // A literal dollar before a variable would swallow its brace.
            let text: String = parts.iter().map(piece).collect();
            format!("`{}`", text.replace("$${", "\\$${"))
        }
    }
}

fn test(
    out: &mut String,
    helpers: &Helpers<'_>,
    function: &Function<'_>,
    name: &str,
    names: &[(String, String)],
) {
    let arguments: Vec<String> = function
        .variables
        .iter()
        .map(|variable| {
            let at = helpers.variables.iter().position(|known| known.name == *variable).unwrap_or(0);
            let sample = helpers.variables[at].sample();
            let sample = if helpers.is_number(variable) { sample } else { literal(&sample) };
            format!("{}({sample})", names[at].1)
        })
        .collect();
    let _ = write!(
        out,
        "\ntest(\"{name} is built\", () => {{\n  assert.deepEqual({name}({}), {{\n",
        arguments.join(", ")
    );
    for part in &function.attributes {
        let sample = helpers.sample(&part.template);
        let sample = if part.kind == ScalarType::N { sample } else { literal(&sample) };
        let _ = writeln!(out, "    {}: {sample},", literal(part.name));
    }
    out.push_str("  });\n});\n");
}
