//! The text of a template as a tree with places: YAML with CloudFormation's tags, and JSON, which is read as the YAML
//! that it also is.
//!
//! `!Sub x` and `{"Fn::Sub": "x"}` become the same mapping of one entry. Scalars stay text: what a number or a
//! truth value is, the property that it is given to says, as CloudFormation converts by property too.
//!
//! Not taken, as CloudFormation does not: aliases, merges (`<<`), binary and other special tags, several documents.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};

use crate::finding::{Finding, Position};

/// How deep a template may nest, and its evaluation with it; CloudFormation's own are far flatter.
pub(crate) const DEEPEST: usize = 100;

/// A piece of a template, before or after evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub content: Content,
}

/// What a piece of a template is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `null`, `~`, or nothing.
    Null,
    /// A scalar of any kind, as it is written.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
    /// After evaluation: a value that is not known.
    Unknown(Unknown),
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// In a sentence.
    pub why: String,
    /// Whether it will be known once something is deployed; otherwise it belongs to what is not deployed at all.
    pub is_later: bool,
}

/// An entry of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// Where the key is.
    pub key_at: Position,
    /// Its value.
    pub value: Node,
}

impl Content {
    /// A value of something that is not deployed.
    pub fn not_deployed(why: String) -> Content {
        Content::Unknown(Unknown { why, is_later: false })
    }

    /// A value that is known once something is deployed.
    pub fn later(why: String) -> Content {
        Content::Unknown(Unknown { why, is_later: true })
    }
}

impl Node {
    /// A scalar.
    pub fn text(at: Position, text: impl Into<String>) -> Node {
        Node { at, content: Content::Text(text.into()) }
    }

    /// The text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a mapping.
    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.content {
            Content::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The elements of a sequence.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.content {
            Content::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// What this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "nothing",
            Content::Text(_) => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "a mapping",
            Content::Unknown(_) => "a value that is not known yet",
        }
    }
}

/// Reads a text as one document.
///
/// # Errors
/// The first place where it is no YAML, or uses what CloudFormation does not take.
pub fn parse(text: &str) -> Result<Node, Finding> {
    let text = json_as_yaml(text);
    let mut builder = Builder { parser: Parser::new_from_str(&text) };
    loop {
        match builder.next()? {
            (Event::StreamEnd, span) => return Err(Finding::new(start(span), "the file holds nothing")),
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (event, span) => {
                let node = builder.node(event, span, 0)?;
                builder.end()?;
                return Ok(node);
            }
        }
    }
}

/// JSON is YAML but for two things: tabs between tokens, which become spaces, and characters that are escaped as two
/// halves, which become themselves.
fn json_as_yaml(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}');
    if !text.trim_start().starts_with('{') || !(text.contains('\t') || text.contains("\\u")) {
        return Cow::Borrowed(text);
    }
    let text = text.replace('\t', " ");
    let mut yaml = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\\u") {
        let (before, escape) = rest.split_at(at);
        yaml.push_str(before);
        let halves = [escape.get(2..6), escape.get(6..8), escape.get(8..12)];
        let character = match halves {
            [Some(high), Some("\\u"), Some(low)] => both_halves(high, low),
            _ => None,
        };
        match character {
            Some(character) => yaml.push(character),
            None => yaml.push_str("\\u"),
        }
        rest = &escape[if character.is_some() { 12 } else { 2 }..];
    }
    yaml.push_str(rest);
    Cow::Owned(yaml)
}

/// The character whose UTF-16 form is these two units, in hexadecimal.
fn both_halves(high: &str, low: &str) -> Option<char> {
    let units = [u16::from_str_radix(high, 16).ok()?, u16::from_str_radix(low, 16).ok()?];
    match char::decode_utf16(units).collect::<Vec<_>>().as_slice() {
        [Ok(character)] => Some(*character),
        _ => None,
    }
}

struct Builder<'t> {
    parser: Parser<'t, StrInput<'t>>,
}

impl<'t> Builder<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Finding> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                Err(Finding::new(position(*error.marker()), format!("this is no YAML: {}", error.info())))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Sees to it that nothing follows the document.
    fn end(&mut self) -> Result<(), Finding> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(_), span) => {
                    return Err(Finding::new(
                        start(span),
                        "a second document begins here; a template is one",
                    ));
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, Finding> {
        let at = start(span);
        if depth > DEEPEST {
            return Err(Finding::new(at, format!("the template nests deeper than {DEEPEST} levels")));
        }
        let (content, tag) = match event {
            Event::Scalar(text, style, _, tag) => (scalar(&text, style, tag.is_some()), tag),
            Event::SequenceStart(_, tag) => (self.list(depth)?, tag),
            Event::MappingStart(_, tag) => (self.map(depth)?, tag),
            Event::Alias(_) => {
                return Err(Finding::new(at, "CloudFormation takes no YAML aliases")
                    .hint("write the value out, or put it into Mappings"));
            }
            other => {
                return Err(Finding::new(at, format!("this is no YAML: {other:?} is not expected here")));
            }
        };
        let node = Node { at, content };
        match tag {
            Some(tag) => tagged(&tag, node),
            None => Ok(node),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Content, Finding> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Content::List(nodes)),
                (event, span) => nodes.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Content, Finding> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<String, Position> = HashMap::new();
        loop {
            let (event, span) = self.next()?;
            let key = match event {
                Event::MappingEnd => return Ok(Content::Map(entries)),
                event => self.node(event, span, depth + 1)?,
            };
            let Content::Text(name) = key.content else {
                return Err(Finding::new(key.at, format!("a key is a text, and this is {}", key.kind())));
            };
            if name == "<<" {
                return Err(Finding::new(key.at, "CloudFormation takes no YAML merges (`<<`)"));
            }
            if let Some(first) = seen.insert(name.clone(), key.at) {
                let message = format!("`{name}` stands twice in one mapping, first on line {}", first.line);
                return Err(Finding::new(key.at, message));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push(Entry { key: name, key_at: key.at, value });
        }
    }
}

fn scalar(text: &str, style: ScalarStyle, is_tagged: bool) -> Content {
    let is_null = style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL");
    if is_null && !is_tagged { Content::Null } else { Content::Text(text.to_owned()) }
}

/// A node under a tag: a function of CloudFormation, or one of YAML's own types that change nothing here.
fn tagged(tag: &Tag, node: Node) -> Result<Node, Finding> {
    let at = node.at;
    if tag.is_yaml_core_schema() {
        return match &*tag.suffix {
            "str" | "int" | "float" | "bool" | "map" | "seq" => Ok(node),
            other => Err(Finding::new(at, format!("CloudFormation takes no `!!{other}`"))),
        };
    }
    let key = match (&*tag.handle, &*tag.suffix) {
        ("!", name @ ("Ref" | "Condition")) => name.to_owned(),
        ("!", name) if !name.is_empty() => format!("Fn::{name}"),
        // A lone `!` says that a scalar is a text, which it is anyway.
        ("" | "!", _) => return Ok(node),
        _ => return Err(Finding::new(at, format!("CloudFormation knows no tag `{tag}`"))),
    };
    Ok(Node { at, content: Content::Map(vec![Entry { key, key_at: at, value: node }]) })
}

fn start(span: Span) -> Position {
    position(span.start)
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line().max(1), column: marker.col() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as one line, places left out.
    fn print(node: &Node) -> String {
        match &node.content {
            Content::Null => "null".into(),
            Content::Text(text) => format!("{text:?}"),
            Content::List(nodes) => {
                format!("[{}]", nodes.iter().map(print).collect::<Vec<_>>().join(", "))
            }
            Content::Map(entries) => {
                let entries = entries.iter().map(|entry| format!("{}: {}", entry.key, print(&entry.value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Content::Unknown(unknown) => format!("?{}", unknown.why),
        }
    }

    #[test]
    fn short_and_long_forms_are_one_tree() {
        let cases = [
            ("a: !Ref b", r#"{a: {Ref: "b"}}"#),
            ("a: !Sub '${b}-c'", r#"{a: {Fn::Sub: "${b}-c"}}"#),
            ("a: !Join ['-', [!Ref b, c]]", r#"{a: {Fn::Join: ["-", [{Ref: "b"}, "c"]]}}"#),
            (
                "a:\n  Fn::If:\n    - c\n    - 1\n    - !Ref AWS::NoValue",
                r#"{a: {Fn::If: ["c", "1", {Ref: "AWS::NoValue"}]}}"#,
            ),
            ("a: !Not [!Condition b]", r#"{a: {Fn::Not: [{Condition: "b"}]}}"#),
            ("a: !GetAtt\n  - b\n  - c", r#"{a: {Fn::GetAtt: ["b", "c"]}}"#),
            ("a: !Split [ '|' , !ImportValue x ]", r#"{a: {Fn::Split: ["|", {Fn::ImportValue: "x"}]}}"#),
            ("a: ! 5", r#"{a: "5"}"#),
            ("a: !!str 5\nb: ~\nc:\nd: 'null'", r#"{a: "5", b: null, c: null, d: "null"}"#),
            ("a: !Sub |\n  x\n  y\n", r#"{a: {Fn::Sub: "x\ny\n"}}"#),
            (
                "{\"a\": {\"Ref\": \"b\"}, \"c\": [1, true, \"\\u00e9\"]}",
                r#"{a: {Ref: "b"}, c: ["1", "true", "é"]}"#,
            ),
            ("{\n\t\"a\":\t1,\n\t\"b\":\t[\n\t\t2\n\t]\n}\n", r#"{a: "1", b: ["2"]}"#),
            ("{\"a\": \"\\ud83d\\ude00 \\\\u0041\"}", "{a: \"😀 \\\\u0041\"}"),
            ("---\na: 1\n...\n", r#"{a: "1"}"#),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).map(|node| print(&node)), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_template_is_told_with_its_place() {
        let cases = [
            ("", "1:1: the file holds nothing"),
            ("a: 1\nb: [", "3:1: this is no YAML"),
            ("a: 1\na: 2", "2:1: `a` stands twice in one mapping, first on line 1"),
            ("a: &x 1\nb: *x", "2:4: CloudFormation takes no YAML aliases"),
            ("a: {<<: {b: 1}}", "1:5: CloudFormation takes no YAML merges"),
            ("a: !!binary eA==", "1:4: CloudFormation takes no `!!binary`"),
            ("a: 1\n---\nb: 2", "2:1: a second document"),
            ("? [a]\n: 1", "1:3: a key is a text, and this is a list"),
        ];
        for (text, expected) in cases {
            let found = parse(text).unwrap_err().to_string();
            assert!(found.starts_with(expected), "{text:?}: {found}");
        }
        assert!(parse(&"[".repeat(5_000)).is_err());
        assert!(parse(&"- ".repeat(5_000)).is_err());
    }

    #[test]
    fn places_are_those_of_the_file() {
        let tree = parse("a:\n  bcd: !Ref e\n").unwrap();
        let inner = &tree.get("a").unwrap().as_map().unwrap()[0];
        assert_eq!(inner.key_at, Position { line: 2, column: 3 });
        let reference = &inner.value.as_map().unwrap()[0];
        assert_eq!(reference.value.at.line, 2);
    }
}
