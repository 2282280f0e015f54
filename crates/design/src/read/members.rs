//! Reading objects, lists and plain values, with the messages for those that are wrong.

use super::{FileProblem, Reader};
use crate::format::Object;
use crate::model::Spanned;
use crate::yaml::{Content, Node, Span};
use dynamometer_types::nearest::nearest;

/// The members of an object of the file.
pub(super) struct Members<'a> {
    pub(super) span: Span,
    pairs: &'a [(Node, Node)],
}

impl<'a> Members<'a> {
    /// The value of a key; an empty one is none.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        self.pair(name).map(|(_, value)| value)
    }

    /// A key and its value.
    pub(super) fn pair(&self, name: &str) -> Option<(&'a Node, &'a Node)> {
        let found = self.pairs.iter().find(|(key, _)| key.text() == Some(name));
        found.filter(|(_, value)| value.content != Content::Null).map(|(key, value)| (key, value))
    }
}

impl Reader {
    /// The members of an object; complains about keys that it does not have, and about those that it must have.
    pub(super) fn object<'a>(
        &mut self,
        node: &'a Node,
        object: &'static Object,
        what: &str,
    ) -> Option<Members<'a>> {
        let Content::Map(pairs) = &node.content else {
            let first: Vec<&str> = object.names().take(3).collect();
            let is = match node.content {
                Content::Null => "empty",
                _ => node.kind(),
            };
            let sentence =
                format!("{what} is {is}, and must be a mapping with keys such as {}", first.join(", "));
            self.problem(node.span, sentence);
            return None;
        };
        for (key, _) in pairs {
            let name = key.text().unwrap_or("");
            if object.key(name).is_none() {
                let hint = match nearest(name, object.names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known here: {}", object.names().collect::<Vec<_>>().join(", ")),
                };
                self.problem_with_hint(key.span, format!("unknown key `{name}` in {what}"), Some(hint));
            }
        }
        let members = Members { span: node.span, pairs };
        for key in object.keys.iter().filter(|key| key.required) {
            if members.get(key.name).is_none() {
                let span = self.place_of_lack(node, pairs);
                self.problem_with_hint(
                    span,
                    format!("{what} has no `{}`", key.name),
                    Some(key.meaning.to_owned()),
                );
            }
        }
        Some(members)
    }

    /// Where to show that something lacks: the first key, for an object's own span goes over many lines.
    fn place_of_lack(&self, node: &Node, pairs: &[(Node, Node)]) -> Span {
        pairs.first().map_or(node.span, |(key, _)| key.span)
    }

    /// The pairs of a mapping from names of one's own.
    pub(super) fn named<'a>(
        &mut self,
        members: &Members<'a>,
        name: &str,
    ) -> Vec<(Spanned<String>, &'a Node)> {
        let Some(node) = members.get(name) else { return Vec::new() };
        self.pairs(node, name)
    }

    /// The pairs of a mapping from names of one's own.
    pub(super) fn pairs<'a>(&mut self, node: &'a Node, what: &str) -> Vec<(Spanned<String>, &'a Node)> {
        let Content::Map(pairs) = &node.content else {
            self.problem(node.span, format!("{what} is {}, and must be a mapping from names", node.kind()));
            return Vec::new();
        };
        let mut named = Vec::new();
        for (key, value) in pairs {
            match key.text() {
                Some(text) if text.chars().any(char::is_control) => {
                    self.problem(key.span, "a name has no line breaks or other control characters");
                }
                Some(text) if !text.trim().is_empty() => {
                    named.push((Spanned { value: text.to_owned(), span: key.span }, value));
                }
                Some(_) => self.problem(key.span, format!("a name in {what} is empty")),
                None => {
                    self.problem(key.span, format!("a name in {what} is {}, and must be a text", key.kind()))
                }
            }
        }
        named
    }

    /// The nodes of a list; one that stands alone is a list of one.
    pub(super) fn list_of<'a>(&mut self, members: &Members<'a>, name: &str) -> &'a [Node] {
        match members.get(name) {
            Some(Node { content: Content::List(nodes), .. }) => nodes,
            Some(node) => std::slice::from_ref(node),
            None => &[],
        }
    }

    /// A list of texts; one that stands alone is a list of one.
    pub(super) fn texts_of(&mut self, members: &Members<'_>, name: &str) -> Vec<Spanned<String>> {
        let nodes = self.list_of(members, name);
        nodes.iter().filter_map(|node| self.text(node)).collect()
    }

    /// The characters of a scalar; complains about anything else.
    pub(super) fn scalar<'a>(&mut self, node: &'a Node, expected: &str) -> Option<&'a str> {
        let text = node.text();
        if text.is_none() {
            self.problem(node.span, format!("this is {}, and must be {expected}", node.kind()));
        }
        text
    }

    pub(super) fn text(&mut self, node: &Node) -> Option<Spanned<String>> {
        let text = self.scalar(node, "a text")?.to_owned();
        Some(Spanned { value: text, span: node.span })
    }

    pub(super) fn text_of(&mut self, members: &Members<'_>, name: &str) -> Option<Spanned<String>> {
        members.get(name).and_then(|node| self.text(node))
    }

    /// A scalar that a function reads or explains.
    pub(super) fn parsed<T>(
        &mut self,
        node: &Node,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<Spanned<T>> {
        let text = self.scalar(node, "a plain value")?;
        match read(text) {
            Ok(value) => Some(Spanned { value, span: node.span }),
            Err(sentence) => {
                self.problem(node.span, sentence);
                None
            }
        }
    }

    pub(super) fn parsed_of<T>(
        &mut self,
        members: &Members<'_>,
        name: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<Spanned<T>> {
        members.get(name).and_then(|node| self.parsed(node, read))
    }

    /// `yes` or `no`, as YAML files have always written them.
    pub(super) fn switch_of(&mut self, members: &Members<'_>, name: &str) -> Option<Spanned<bool>> {
        self.parsed_of(members, name, |text| match text.to_lowercase().as_str() {
            "yes" | "true" | "on" => Ok(true),
            "no" | "false" | "off" => Ok(false),
            _ => Err(format!("`{text}` is neither yes nor no")),
        })
    }

    /// One of a few words.
    pub(super) fn word_of(
        &mut self,
        members: &Members<'_>,
        name: &str,
        words: &'static [&'static str],
    ) -> Option<Spanned<&'static str>> {
        members.get(name).and_then(|node| self.word(node, name, words))
    }

    pub(super) fn word(
        &mut self,
        node: &Node,
        name: &str,
        words: &'static [&'static str],
    ) -> Option<Spanned<&'static str>> {
        let text = self.scalar(node, &format!("one of {}", words.join(", ")))?;
        let folded = text.to_lowercase().replace(['_', ' '], "-");
        if let Some(word) = words.iter().find(|word| **word == folded) {
            return Some(Spanned { value: word, span: node.span });
        }
        let hint = nearest(text, words.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let sentence = format!("`{text}` is no {name}: write {}", words.join(" or "));
        self.problem_with_hint(node.span, sentence, hint);
        None
    }

    /// Complains about a name that nothing has.
    pub(super) fn unknown<'k>(
        &mut self,
        what: &str,
        name: &Spanned<String>,
        known: impl Iterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.collect();
        let hint = match nearest(&name.value, known.iter().copied()) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if known.is_empty() => None,
            None => Some(format!("there are: {}", known.join(", "))),
        };
        self.problems.push(FileProblem {
            sentence: format!("there is no {what} `{}`", name.value),
            span: name.span,
            hint,
        });
    }
}
