//! YAML as a tree in which every key and every value knows its place.
//!
//! The parser (saphyr-parser) gives events with places; this makes a tree of them, refuses what a file that people
//! review should not have (several documents, a key twice), and bounds what aliases can blow up.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

/// A place in a text: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// From a place up to another one, which is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first character.
    pub start: Place,
    /// Behind the last one.
    pub end: Place,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// A tag such as `!Ref`, with the mark.
    pub tag: Option<String>,
    /// What it is.
    pub content: Content,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing, or `~` or `null` without quotes.
    Null,
    /// A text, also one that looks like a number: who reads it knows what it should be.
    Scalar {
        /// Its characters, without quotes.
        text: String,
        /// Whether it stood without quotes.
        plain: bool,
    },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Node, Node)>),
}

/// A text that is no YAML, or none that is taken here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct YamlError {
    /// What is wrong.
    pub sentence: String,
    /// Where.
    pub span: Span,
}

/// The most nodes of a tree, those that aliases repeat included.
const MOST_NODES: usize = 200_000;
/// The deepest nesting.
const DEEPEST: usize = 64;

impl Node {
    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// What it is, in a word for messages.
    pub fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "nothing",
            Content::Scalar { .. } => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "a mapping",
        }
    }

    fn count(&self) -> usize {
        1 + match &self.content {
            Content::List(nodes) => nodes.iter().map(Node::count).sum(),
            Content::Map(pairs) => pairs.iter().map(|(key, value)| key.count() + value.count()).sum(),
            _ => 0,
        }
    }

    /// How many lists and mappings stand in each other here.
    fn depth(&self) -> usize {
        let inside = match &self.content {
            Content::List(nodes) => nodes.iter().map(Node::depth).max(),
            Content::Map(pairs) => pairs.iter().map(|(key, value)| key.depth().max(value.depth())).max(),
            Content::Null | Content::Scalar { .. } => return 0,
        };
        1 + inside.unwrap_or(0)
    }
}

fn too_deep(span: Span) -> YamlError {
    YamlError { sentence: format!("this is nested more than {DEEPEST} deep"), span }
}

fn place(marker: &Marker) -> Place {
    Place { line: marker.line().max(1), column: marker.col() + 1 }
}

/// A list or a mapping that is not closed yet.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<Node>,
    /// Of a mapping, where each key that is plain stands.
    seen: HashMap<Option<String>, Place>,
}

/// Reads a text that holds one document.
///
/// # Errors
/// Where the text is no YAML, has a second document, or a key twice in one mapping.
pub fn parse(text: &str) -> Result<Node, YamlError> {
    let mut parser = Parser::new_from_str(text);
    let mut tree = Tree::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| YamlError {
            sentence: format!("this is no YAML: {}", error.info()),
            span: Span { start: place(error.marker()), end: place(error.marker()) },
        })?;
        let span = Span { start: place(&span.start), end: place(&span.end) };
        tree.take(event, span)?;
    }
    let beginning = Place { line: 1, column: 1 };
    let nothing = Node { span: Span { start: beginning, end: beginning }, tag: None, content: Content::Null };
    Ok(tree.root.unwrap_or(nothing))
}

#[derive(Default)]
struct Tree {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    nodes: usize,
}

impl Tree {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let wrong = |sentence: &str| YamlError { sentence: sentence.to_owned(), span };
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(wrong("a second document begins here; one file holds one document"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let is_null = plain && matches!(text.as_ref(), "" | "~" | "null");
                let content = match is_null {
                    true => Content::Null,
                    false => Content::Scalar { text: text.into_owned(), plain },
                };
                let tag = tag.map(|tag| tag.to_string());
                self.place_node(Node { span, tag, content }, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(Content::List(Vec::new()), anchor, tag.map(|tag| tag.to_string()), span)
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(Content::Map(Vec::new()), anchor, tag.map(|tag| tag.to_string()), span)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(mut open) => {
                    open.node.span.end = span.end.max(open.node.span.start);
                    self.place_node(open.node, open.anchor)
                }
                None => Err(wrong("this closes what was not opened")),
            },
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) if self.open.len() + node.depth() > DEEPEST => Err(too_deep(span)),
                Some(node) => {
                    let node = node.clone();
                    self.nodes += node.count();
                    self.place_node(node, 0)
                }
                None => Err(wrong("this alias stands inside of what it names")),
            },
            _ => Ok(()),
        }
    }

    fn begin(
        &mut self,
        content: Content,
        anchor: usize,
        tag: Option<String>,
        span: Span,
    ) -> Result<(), YamlError> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(span));
        }
        let node = Node { span, tag, content };
        self.open.push(Open { node, anchor, key: None, seen: HashMap::new() });
        Ok(())
    }

    /// Puts a finished node where it belongs.
    fn place_node(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            let sentence = format!("this file has more than {MOST_NODES} values");
            return Err(YamlError { sentence, span: node.span });
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.content {
            Content::List(nodes) => nodes.push(node),
            Content::Map(pairs) => match open.key.take() {
                None => {
                    let is_plain = matches!(node.content, Content::Null | Content::Scalar { .. });
                    let name = node.text().map(str::to_owned);
                    let first = is_plain.then(|| open.seen.insert(name, node.span.start)).flatten();
                    if let Some(first) = first {
                        let name = node.text().unwrap_or("this key");
                        let sentence = format!("`{name}` stands here twice, first on line {}", first.line);
                        return Err(YamlError { sentence, span: node.span });
                    }
                    open.key = Some(node);
                }
                Some(key) => pairs.push((key, node)),
            },
            Content::Null | Content::Scalar { .. } => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str, span: Span) -> String {
        let line = text.lines().nth(span.start.line - 1).unwrap();
        let length = span.end.column - span.start.column;
        line.chars().skip(span.start.column - 1).take(length).collect()
    }

    #[test]
    fn every_key_and_value_knows_its_place() {
        let text = "表:\n  注文: { 鍵: [PK, \"S K\"] } # 注\n  n: 12\n";
        let root = parse(text).unwrap();
        let mut seen = Vec::new();
        fn walk(text: &str, node: &Node, seen: &mut Vec<String>) {
            match &node.content {
                Content::Map(pairs) => {
                    for (key, value) in pairs {
                        walk(text, key, seen);
                        walk(text, value, seen);
                    }
                }
                Content::List(nodes) => nodes.iter().for_each(|node| walk(text, node, seen)),
                _ => seen.push(text_of(text, node.span)),
            }
        }
        walk(text, &root, &mut seen);
        assert_eq!(seen, ["表", "注文", "鍵", "PK", "\"S K\"", "n", "12"]);
    }

    #[test]
    fn what_a_reviewed_file_should_not_have_is_refused() {
        for (text, sentence, place) in [
            ("a: 1\nb: 2\na: 3\n", "`a` stands here twice, first on line 1", (3, 1)),
            ("a: 1\n\"a\": 2\n", "`a` stands here twice, first on line 1", (2, 1)),
            ("a: 1\n---\nb: 2\n", "a second document begins here; one file holds one document", (2, 1)),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(
                (error.sentence.as_str(), (error.span.start.line, error.span.start.column)),
                (sentence, place)
            );
        }
        assert!(parse("a: [1").unwrap_err().sentence.starts_with("this is no YAML: "));
        let deep = "[".repeat(100);
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn aliases_are_taken_and_cannot_blow_up() {
        let root = parse("a: &x { b: 1 }\nc: *x\n").unwrap();
        let Content::Map(pairs) = root.content else { panic!() };
        assert_eq!(pairs[0].1.content, pairs[1].1.content);
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let previous = level - 1;
            let list = vec![format!("*a{previous}"); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        assert!(parse(&bomb).unwrap_err().sentence.contains("more than"));
    }

    #[test]
    fn aliases_nest_no_deeper_than_what_is_written_out() {
        let nested = |levels| format!("{}*a{}", "[".repeat(levels), "]".repeat(levels));
        let text = |levels| format!("a: &a [[x]]\nb: {}\n", nested(levels));
        assert!(parse(&text(DEEPEST - 3)).is_ok());
        assert_eq!(parse(&text(DEEPEST - 2)).unwrap_err().sentence, "this is nested more than 64 deep");
    }
}
