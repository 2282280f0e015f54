//! Key helpers in Rust, with their tests.

use std::fmt::Write as _;

use dynamometer_types::ScalarType;

use super::File;
use super::helpers::{Function, Helpers, KeyPart, helpers};
use super::names::{Names, literal, pascal, remark, screaming, snake};
use crate::model::Design;
use crate::template::Part;

const KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where",
    "while", "abstract", "become", "box", "do", "final", "macro", "override", "priv", "try", "typeof",
    "unsized", "virtual", "yield", "vec", "format",
];

/// A function with its names.
struct Named<'a> {
    function: &'a Function<'a>,
    name: String,
    prefix: Option<String>,
}

/// `keys.rs`.
pub(super) fn files(design: &Design, source: &str) -> Vec<File> {
    let helpers = helpers(design);
    let mut types = Names::without(&["Key", "KeyValue", "String", "Vec"]);
    let type_names: Vec<String> =
        helpers.variables.iter().map(|variable| types.take(pascal(&variable.name))).collect();
    let mut names = Names::without(KEYWORDS);
    let mut constants = Names::default();
    let named: Vec<Named<'_>> = helpers
        .functions
        .iter()
        .map(|function| {
            let of = function.index.map_or(String::new(), |index| format!("_{}", snake(index)));
            Named {
                function,
                name: names.take(format!("{}{of}_key", snake(function.entity))),
                prefix: function.sort_prefix().map(|_| {
                    let of = function.index.map_or(String::new(), |index| format!("_{}", screaming(index)));
                    constants.take(format!("{}{of}_SORT_PREFIX", screaming(function.entity)))
                }),
            }
        })
        .collect();
    let mut out = head(design, source);
    for (variable, name) in helpers.variables.iter().zip(&type_names) {
        let inner = if variable.is_number { "i64" } else { "String" };
        let _ = write!(
            out,
            "\n/// The variable `{}` of keys.\n#[derive(Clone, Debug, PartialEq, Eq)]\npub struct {name}(pub {inner});\n\n\
             impl std::fmt::Display for {name} {{\n    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{\n        \
             self.0.fmt(f)\n    }}\n}}\n",
            variable.name
        );
    }
    for named in &named {
        function(&mut out, design, &helpers, named, &type_names);
    }
    tests(&mut out, &helpers, &named, &type_names);
    vec![File { name: "keys.rs".into(), text: out }]
}

fn head(design: &Design, source: &str) -> String {
    let name = remark(design.name.as_deref().unwrap_or("a design"));
    let source = remark(source);
    format!(
        "//! Keys of {name}. Written by dyno design generate from {source}: change that file instead.\n\
         //! Include it as `#[rustfmt::skip] mod keys;`.\n\n\
         /// The value of a key attribute.\n#[derive(Clone, Debug, PartialEq, Eq)]\npub enum KeyValue {{\n    \
         /// A string.\n    S(String),\n    /// A number.\n    N(String),\n}}\n\n\
         /// A key: attribute names with their values, the partition key first.\n\
         pub type Key = Vec<(&'static str, KeyValue)>;\n"
    )
}

/// The name of a parameter. Scripts without capitals would give it the name of its type.
fn parameter(name: &str) -> String {
    let parameter = Names::without(KEYWORDS).take(snake(name));
    if parameter == pascal(name) { format!("{parameter}_") } else { parameter }
}

/// The expression of an attribute's value.
fn value(part: &KeyPart<'_>) -> String {
    let kind = if part.kind == ScalarType::N { "N" } else { "S" };
    let expression = match part.template.parts() {
        [Part::Variable(name)] => format!("{}.to_string()", parameter(name)),
        _ if part.template.is_constant() => format!("{}.to_owned()", literal(&part.template.to_string())),
        parts => {
            let piece = |part: &Part| match part {
                Part::Literal(text) => {
                    text.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "{{").replace('}', "}}")
                }
                Part::Variable(name) => format!("{{{}}}", parameter(name)),
            };
            format!("format!(\"{}\")", parts.iter().map(piece).collect::<String>())
        }
    };
    format!("KeyValue::{kind}({expression})")
}

fn function(out: &mut String, design: &Design, helpers: &Helpers<'_>, named: &Named<'_>, types: &[String]) {
    let function = named.function;
    let of = |variable: &str| {
        let at = helpers.variables.iter().position(|known| known.name == variable).unwrap_or(0);
        format!("{}: &{}", parameter(variable), types[at])
    };
    let parameters: Vec<String> = function.variables.iter().map(|variable| of(variable)).collect();
    let target = design.target_name(function.target);
    let _ = write!(
        out,
        "\n/// The key of {} in {target}: `{}`.\npub fn {}({}) -> Key {{\n    vec![\n",
        function.entity,
        function.words(),
        named.name,
        parameters.join(", ")
    );
    for part in &function.attributes {
        let _ = writeln!(out, "        ({}, {}),", literal(part.name), value(part));
    }
    out.push_str("    ]\n}\n");
    if let (Some(constant), Some(prefix)) = (&named.prefix, function.sort_prefix()) {
        let _ = write!(
            out,
            "\n/// What the sort key of {} begins with in {target}, for begins_with.\npub const {constant}: &str = {};\n",
            function.entity,
            literal(prefix)
        );
    }
}

fn tests(out: &mut String, helpers: &Helpers<'_>, named: &[Named<'_>], types: &[String]) {
    out.push_str("\n#[cfg(test)]\nmod tests {\n    use super::*;\n");
    for named in named {
        let arguments: Vec<String> = named
            .function
            .variables
            .iter()
            .map(|name| {
                let at = helpers.variables.iter().position(|known| known.name == *name).unwrap_or(0);
                let sample = helpers.variables[at].sample();
                match helpers.is_number(name) {
                    true => format!("&{}({sample})", types[at]),
                    false => format!("&{}({}.to_owned())", types[at], literal(&sample)),
                }
            })
            .collect();
        let _ = write!(
            out,
            "\n    #[test]\n    fn {}_is_built() {{\n        let key = {}({});\n",
            named.name,
            named.name,
            arguments.join(", ")
        );
        out.push_str("        let expected = vec![\n");
        for part in &named.function.attributes {
            let kind = if part.kind == ScalarType::N { "N" } else { "S" };
            let value = literal(&helpers.sample(&part.template));
            let _ =
                writeln!(out, "            ({}, KeyValue::{kind}({value}.to_owned())),", literal(part.name));
        }
        out.push_str("        ];\n        assert_eq!(key, expected);\n    }\n");
    }
    out.push_str("}\n");
}
