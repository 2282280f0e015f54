//! Made-up items: the number of an item of an entity says what it looks like, so that reads find what writes made.
//!
//! A design's counts and numbers of values are scaled down together, so that the largest entity has as many items as wanted;
//! few-valued variables keep their values.

use std::collections::BTreeMap;

use dynamometer_design::derive::{ALL_PPM, Derived};
use dynamometer_design::model::{Entity, VariableType};
use dynamometer_design::template::{Part, Template};
use dynamometer_types::{ScalarType, Timestamp};
use serde_json::{Map, Value, json};

use super::random::mix;

/// How many items an entity has when the design does not say.
const UNSAID: u64 = 1_000;
/// Variables with no more values than this keep them all.
const FEW: u64 = 100;
/// The moment of the first item: 2026-01-01T00:00:00Z; each item is a second later.
const FIRST_MS: i64 = 1_767_225_600_000;

/// Makes items and keys of a design.
pub(super) struct Items<'d> {
    pub(super) derived: &'d Derived<'d>,
    /// What the tables are called.
    tables: Vec<String>,
    /// How many items the largest entity is to have, and how many it would have.
    scale: (u64, u64),
    /// Today, `YYYY-MM-DD`.
    today: String,
    now_s: i64,
}

/// Which item: its number, whether its partition key is the hottest, and values that are given.
#[derive(Clone, Debug, Default)]
pub(super) struct Which {
    pub(super) number: u64,
    pub(super) is_hottest: bool,
    /// Whether it is put by a call: then it has the sparse keys that the design's puts give.
    pub(super) is_new: bool,
    /// Places of values of variables, which go before what follows from the number.
    pub(super) given: BTreeMap<String, u64>,
}

impl Which {
    pub(super) fn number(number: u64) -> Which {
        Which { number, ..Which::default() }
    }
}

impl<'d> Items<'d> {
    pub(super) fn new(derived: &'d Derived<'d>, prefix: Option<&str>, most: u64, now_s: i64) -> Items<'d> {
        let tables = derived.design.tables.iter().map(|table| match prefix {
            Some(prefix) => format!("{prefix}-{}", table.name.value),
            None => table.name.value.clone(),
        });
        let tables = tables.collect();
        let counts = derived.design.entities.iter().map(|entity| derived.count(entity).unwrap_or(UNSAID));
        let largest = counts.max().unwrap_or(UNSAID).max(1);
        let (year, month, day, ..) = Timestamp::from_millis(now_s * 1_000).civil();
        let today = format!("{year:04}-{month:02}-{day:02}");
        Items { derived, tables, scale: (most.clamp(1, largest), largest), today, now_s }
    }

    /// What a table is called.
    pub(super) fn table_name(&self, table: usize) -> &str {
        &self.tables[table]
    }

    /// What all tables are called.
    pub(super) fn table_names(&self) -> &[String] {
        &self.tables
    }

    fn scaled(&self, count: u64) -> u64 {
        let (wanted, largest) = self.scale;
        ((u128::from(count) * u128::from(wanted)).div_ceil(u128::from(largest)) as u64).max(1)
    }

    /// How many items of an entity there are.
    pub(super) fn population(&self, entity: &Entity) -> u64 {
        self.scaled(self.derived.count(entity).unwrap_or(UNSAID))
    }

    /// How many values a variable has; `None` when each item has its own.
    pub(super) fn values(&self, variable: &str) -> Option<u64> {
        match (self.derived.distinct(variable), self.derived.kind(variable)) {
            (Some(few), _) if few <= FEW => Some(few.max(1)),
            (Some(many), _) => Some(self.scaled(many)),
            (None, VariableType::Date) => Some(1),
            (None, VariableType::Timestamp | VariableType::Sequence) => None,
            (None, VariableType::Text | VariableType::Number) => {
                let variable = self.derived.design.variable(variable);
                variable.and_then(|known| known.largest_ppm.as_ref()).map(|_| self.scale.0)
            }
        }
    }

    /// The place of a variable's value in an item.
    fn place(&self, variable: &str, which: &Which) -> u64 {
        if let Some(given) = which.given.get(variable) {
            return *given;
        }
        let Some(values) = self.values(variable) else { return which.number };
        let largest = self.derived.design.variable(variable).and_then(|known| known.largest_ppm.as_ref());
        match largest {
            // The most frequent value is the first one.
            Some(share) if mix(which.number) % ALL_PPM < share.value => 0,
            Some(_) if values > 1 => 1 + which.number % (values - 1),
            _ => which.number % values,
        }
    }

    /// A variable's value.
    fn value(&self, variable: &str, place: u64) -> String {
        match self.derived.kind(variable) {
            VariableType::Text if self.derived.is_shard(variable) => place.to_string(),
            VariableType::Text => {
                let name: String = variable.chars().filter(|c| c.is_ascii_alphanumeric()).take(6).collect();
                let digits = (self.derived.variable_bytes(variable) as usize).saturating_sub(name.len());
                format!("{name}{place:0digits$}", digits = digits.min(20))
            }
            VariableType::Number => place.to_string(),
            VariableType::Sequence => format!("{place:020}"),
            VariableType::Timestamp => moment(place),
            VariableType::Date => self.today.clone(),
        }
    }

    /// A template with its variables filled in.
    pub(super) fn fill(&self, template: &Template, which: &Which, is_partition: bool) -> String {
        let piece = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Variable(name) if is_partition && which.is_hottest => self.value(name, 0),
            Part::Variable(name) => self.value(name, self.place(name, which)),
        };
        template.parts().iter().map(piece).collect()
    }

    /// The value of a key attribute of an entity, of its table or of an index, with its type.
    pub(super) fn key_value(&self, entity: &Entity, attribute: &str, which: &Which) -> Value {
        let table = &self.derived.design.tables[entity.table];
        let schemas = || std::iter::once(&table.keys).chain(table.indexes.iter().map(|index| &index.keys));
        let mut all = schemas().flat_map(|schema| schema.attributes());
        let kind = all.find(|key| key.name == attribute).map_or(ScalarType::S, |key| key.scalar_type);
        // What an index is hot in is not what its table is hot in.
        let is_partition = table.keys.partition.iter().any(|key| key.name == attribute);
        let text = match entity.key(attribute) {
            Some(key) => self.fill(&key.template, which, is_partition),
            None => self.value(attribute, self.place(attribute, which)),
        };
        typed(kind, text, which.number)
    }

    /// The primary key of an item.
    pub(super) fn key(&self, entity: &Entity, which: &Which) -> Map<String, Value> {
        let keys = &self.derived.design.tables[entity.table].keys;
        let pair = |name: &str| (name.to_owned(), self.key_value(entity, name, which));
        keys.attributes().map(|key| pair(&key.name)).collect()
    }

    /// A whole item, of about its typical size.
    pub(super) fn item(&self, entity: &Entity, which: &Which) -> Map<String, Value> {
        let mut item = self.key(entity, which);
        let table = &self.derived.design.tables[entity.table];
        for key in &entity.keys {
            // A sparse key: the same items have it each time.
            let name = key.attribute.as_str();
            let present_ppm = match which.is_new {
                true => self.derived.put_attribute_ppm(entity, name),
                false => key.present_ppm,
            };
            if !item.contains_key(name) && mix(which.number ^ 0x5eed) % ALL_PPM < present_ppm {
                item.insert(name.to_owned(), self.key_value(entity, name, which));
            }
        }
        for attribute in &entity.attributes {
            let name = attribute.name.as_str();
            if !item.contains_key(name) {
                item.insert(name.to_owned(), self.attribute(entity, name, which));
            }
        }
        if let (Some(ttl), Some(after)) = (&table.ttl, &entity.expires_after) {
            let at = self.now_s + i64::try_from(after.value).unwrap_or(i64::MAX / 2_000);
            let at = if ttl.milliseconds { at * 1_000 } else { at };
            item.insert(ttl.attribute.value.clone(), json!({ "N": at.to_string() }));
        }
        if entity.attributes.is_empty() {
            let keys: u64 = entity
                .keys
                .iter()
                .map(|key| self.derived.key_bytes(&key.template) + key.attribute.len() as u64)
                .sum();
            let rest = entity.size_bytes.value.saturating_sub(keys + 4);
            if rest > 0 {
                item.insert("load".into(), json!({ "S": filler(rest) }));
            }
        }
        item
    }

    /// An attribute's value, of its size.
    pub(super) fn attribute(&self, entity: &Entity, name: &str, which: &Which) -> Value {
        let table = &self.derived.design.tables[entity.table];
        let is_key = entity.key(name).is_some()
            || table.keys.contains(name)
            || table.indexes.iter().any(|index| index.keys.contains(name));
        if is_key {
            return self.key_value(entity, name, which);
        }
        let bytes = self.derived.attribute_bytes(entity, name).saturating_sub(name.len() as u64).max(1);
        let said = entity.attributes.iter().find(|attribute| *attribute.name == name);
        match said.and_then(|attribute| attribute.kind) {
            Some("N") => json!({ "N": which.number.to_string() }),
            Some("BOOL") => json!({ "BOOL": which.number.is_multiple_of(2) }),
            Some("NULL") => json!({ "NULL": true }),
            Some("B") => json!({ "B": base64_filler(bytes) }),
            Some("L") => json!({ "L": [{ "S": filler(bytes.saturating_sub(4)) }] }),
            Some("M") => json!({ "M": { "v": { "S": filler(bytes.saturating_sub(5)) } } }),
            Some("SS") => json!({ "SS": [filler(bytes)] }),
            Some("NS") => json!({ "NS": [which.number.to_string()] }),
            Some("BS") => json!({ "BS": [base64_filler(bytes)] }),
            _ if self.derived.design.variable(name).is_some() => {
                json!({ "S": self.value(name, self.place(name, which)) })
            }
            _ => json!({ "S": filler(bytes) }),
        }
    }
}

pub(super) fn typed(kind: ScalarType, text: String, number: u64) -> Value {
    match kind {
        ScalarType::S => json!({ "S": text }),
        // A number of the template's digits; a template without any has the item's.
        ScalarType::N if text.parse::<f64>().is_ok() => json!({ "N": text }),
        ScalarType::N => json!({ "N": number.to_string() }),
        ScalarType::B => json!({ "B": base64_of(text.as_bytes()) }),
    }
}

fn filler(bytes: u64) -> String {
    "x".repeat(bytes as usize)
}

/// Base64 of about so many bytes.
fn base64_filler(bytes: u64) -> String {
    "eHh4".repeat((bytes / 3).max(1) as usize)
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The moment of an item, as designs write it.
fn moment(place: u64) -> String {
    let at =
        Timestamp::from_millis(FIRST_MS + i64::try_from(place % 4_000_000_000).unwrap_or_default() * 1_000);
    let (year, month, day, hour, minute, second, _) = at.civil();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
