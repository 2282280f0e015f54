//! Entities.

use dynamometer_capacity::quantity;

use super::members::Members;
use super::{Reader, count};
use crate::format;
use crate::model::{Attribute, Entity, KeyValue, Spanned, Table};
use crate::template::Template;
use crate::yaml::{Content, Node};

/// Types of attributes.
pub(crate) const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];

/// The word for the size of an item when nobody says.
const UNSAID_SIZE: &str = "small";

impl Reader {
    pub(super) fn entities(&mut self, members: &Members<'_>, tables: &[Table]) -> Vec<Entity> {
        let named = self.named(members, "entities");
        named.into_iter().filter_map(|(name, node)| self.entity(name, node, tables)).collect()
    }

    fn entity(&mut self, name: Spanned<String>, node: &Node, tables: &[Table]) -> Option<Entity> {
        let what = format!("entity {}", *name);
        let members = self.object(node, &format::ENTITY, &what)?;
        let table = self.table_of_entity(&members, &name, tables)?;
        let keys = self.key_values(&members, &what, &tables[table])?;
        let attributes = self.attributes(&members);
        let (size_bytes, size_word, largest_bytes) = self.sizes(&members, &name)?;
        if let Some(largest) = largest_bytes.as_ref().filter(|largest| ***largest < *size_bytes) {
            self.problem(largest.span, "the largest size is smaller than the typical one");
        }
        Some(Entity {
            table,
            keys,
            attributes,
            size_bytes,
            size_word,
            largest_bytes,
            count: self.parsed_of(&members, "count", count),
            growth: members.get("growth").and_then(|node| self.growth(node)),
            expires_after: self.parsed_of(&members, "expires-after", quantity::span),
            on_expiry: self.text_of(&members, "on-expiry"),
            name,
        })
    }

    /// The typical size, the word that it stands for, and the largest size.
    #[allow(clippy::type_complexity, reason = "three parts of one key of the file")]
    fn sizes(
        &mut self,
        members: &Members<'_>,
        name: &Spanned<String>,
    ) -> Option<(Spanned<u64>, Option<String>, Option<Spanned<u64>>)> {
        let Some(node) = members.get("size") else {
            let value = self.words.size(UNSAID_SIZE).unwrap_or(500);
            return Some((Spanned { value, span: name.span }, Some("not said".into()), None));
        };
        let (typical, largest) = match node.content {
            Content::Map(_) => {
                let members = self.object(node, &format::SIZES, "the size")?;
                (members.get("typical")?, self.size_of(&members, "largest"))
            }
            _ => (node, None),
        };
        let word = typical.text().filter(|text| self.words.size(text.trim()).is_some());
        Some((self.size(typical)?, word.map(str::to_owned), largest))
    }

    fn table_of_entity(
        &mut self,
        members: &Members<'_>,
        entity: &Spanned<String>,
        tables: &[Table],
    ) -> Option<usize> {
        match (self.text_of(members, "table"), tables) {
            (Some(name), _) => {
                let found = tables.iter().position(|table| *table.name == *name);
                if found.is_none() {
                    self.unknown("table", &name, tables.iter().map(|table| table.name.as_str()));
                }
                found
            }
            (None, [_]) => Some(0),
            (None, []) => None,
            (None, _) => {
                let sentence = format!("entity {} has no `table`, and there are several", entity.value);
                self.problem(entity.span, sentence);
                None
            }
        }
    }

    fn key_values(&mut self, members: &Members<'_>, what: &str, table: &Table) -> Option<Vec<KeyValue>> {
        let node = members.get("keys")?;
        let known: Vec<&str> = std::iter::once(&table.keys)
            .chain(table.indexes.iter().map(|index| &index.keys))
            .flat_map(|keys| keys.attributes().map(|attribute| attribute.name.as_str()))
            .collect();
        let (mut values, mut written) = (Vec::new(), Vec::new());
        for (attribute, node) in self.pairs(node, &format!("the keys of {what}")) {
            if !known.contains(&attribute.as_str()) {
                let near = dynamometer_types::nearest::nearest(&attribute, known.iter().copied());
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the key attributes of {}: {}", *table.name, unique(&known).join(", ")),
                };
                let sentence =
                    format!("`{}` is no key attribute of {} or its indexes", *attribute, *table.name);
                self.problem_with_hint(attribute.span, sentence, Some(hint));
                continue;
            }
            written.push(attribute.value.clone());
            values.extend(self.key_value(attribute, node));
        }
        for attribute in table.keys.attributes() {
            if !written.contains(&attribute.name) {
                let sentence = format!("{what} has no value for the key attribute {}", attribute.name);
                self.problem(members.pair("keys")?.0.span, sentence);
            }
        }
        Some(values)
    }

    /// A template, or one with the share of items that have it.
    pub(super) fn key_value(&mut self, attribute: Spanned<String>, node: &Node) -> Option<KeyValue> {
        if let Content::Map(_) = node.content {
            let members = self.object(node, &format::SPARSE, &format!("the value of {}", *attribute))?;
            let template = self.parsed_of(&members, "value", Template::parse)?;
            let present = self.parsed_of(&members, "present", quantity::percent);
            return Some(KeyValue {
                attribute,
                template,
                present_ppm: present.map_or(1_000_000, |share| *share),
            });
        }
        let template = self.parsed(node, Template::parse)?;
        Some(KeyValue { attribute, template, present_ppm: 1_000_000 })
    }

    /// Names, or names with types and sizes.
    fn attributes(&mut self, members: &Members<'_>) -> Vec<Attribute> {
        let Some(node) = members.get("attributes") else { return Vec::new() };
        if !matches!(node.content, Content::Map(_)) {
            let names = self.texts_of(members, "attributes");
            return names.into_iter().map(|name| Attribute { name, kind: None, size_bytes: None }).collect();
        }
        let mut attributes = Vec::new();
        for (name, node) in self.pairs(node, "the attributes") {
            let (mut kind, mut size_bytes) = (None, None);
            let text = if node.content == Content::Null {
                ""
            } else {
                self.scalar(node, "a type and a size").unwrap_or("")
            };
            for word in text.split_whitespace() {
                match (TYPES.iter().find(|known| **known == word), quantity::size(word)) {
                    (Some(known), _) => kind = Some(*known),
                    (None, Ok(bytes)) => size_bytes = Some(bytes),
                    (None, Err(_)) => {
                        let sentence = format!(
                            "`{word}` is neither a type ({}) nor a size such as 40B",
                            TYPES.join(", ")
                        );
                        self.problem(node.span, sentence);
                    }
                }
            }
            attributes.push(Attribute { name, kind, size_bytes });
        }
        attributes
    }
}

fn unique<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(name) {
            seen.push(*name);
        }
    }
    seen
}
