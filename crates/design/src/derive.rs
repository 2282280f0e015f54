//! Numbers that follow from what a design says: how many values a key has, how hot the hottest is, how large an entry is.
//!
//! What does not follow is `None`: nothing is made up. Where a name says what a variable is (`createdAt`, `date`), it is
//! taken at its word; `type` under `variables` says otherwise.

use std::collections::BTreeMap;

use dynamometer_types::KeySchema;

use crate::model::{Design, Entity, KeyValue, Projection, Target, VariableType};
use crate::template::Template;

/// A share of everything.
pub const ALL_PPM: u64 = 1_000_000;
/// The bytes of a variable's value when nobody said; our choice.
pub const VARIABLE_BYTES: u64 = 16;

/// Names of variables that are moments.
const TIMESTAMPS: &[&str] = &["timestamp", "time", "ts", "at", "now", "timeline", "datetime", "日時", "時刻"];
/// Names of variables that are stretches of time.
const DATES: &[&str] =
    &["date", "day", "hour", "month", "week", "yyyymmdd", "yyyymm", "today", "日付", "日", "月"];
/// Names of variables that only grow, and are different each time.
const SEQUENCES: &[&str] = &["sequence", "seq", "ulid", "ksuid", "uuidv7", "連番"];
/// Names of variables that have few values.
const FEW_VALUED: &[&str] = &[
    "status",
    "state",
    "flag",
    "enabled",
    "active",
    "gender",
    "country",
    "状態",
    "ステータス",
    "性別",
    "国",
];

/// A design with what follows from it.
#[derive(Debug)]
pub struct Derived<'a> {
    /// The design.
    pub design: &'a Design,
    distinct: BTreeMap<String, u64>,
}

/// The words of a name: `createdAt` and `created_at` are created and at.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut behind_lower = false;
    for character in name.chars() {
        let is_separator = matches!(character, '_' | '-' | ' ' | '.');
        if is_separator || character.is_uppercase() && behind_lower {
            words.push(String::new());
        }
        behind_lower = !is_separator && !character.is_uppercase();
        if let Some(word) = words.last_mut().filter(|_| !is_separator) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn last_word_is_one_of(name: &str, known: &[&str]) -> bool {
    words(name).last().is_some_and(|word| known.contains(&word.as_str()))
}

impl<'a> Derived<'a> {
    /// Works out how many values each variable has.
    pub fn of(design: &'a Design) -> Derived<'a> {
        let mut distinct = BTreeMap::new();
        // An entity with one item for each value of a variable tells how many values that has.
        for entity in &design.entities {
            let keys = &design.tables[entity.table].keys;
            let mut variables: Vec<&str> = Vec::new();
            for key in keys.attributes().filter_map(|attribute| entity.key(&attribute.name)) {
                variables.extend(key.template.variables());
            }
            variables.sort_unstable();
            variables.dedup();
            if let (Some(count), [variable]) = (&entity.count, variables.as_slice()) {
                let known = distinct.entry((*variable).to_owned()).or_insert(0);
                *known = (*known).max(**count);
            }
        }
        for variable in &design.variables {
            if let Some(count) = &variable.distinct {
                distinct.insert(variable.name.value.clone(), **count);
            }
        }
        Derived { design, distinct }
    }

    /// What a variable is.
    pub fn kind(&self, variable: &str) -> VariableType {
        if let Some(kind) = self.design.variable(variable).and_then(|variable| variable.kind) {
            return kind;
        }
        match () {
            () if last_word_is_one_of(variable, TIMESTAMPS) => VariableType::Timestamp,
            () if last_word_is_one_of(variable, DATES) => VariableType::Date,
            () if last_word_is_one_of(variable, SEQUENCES) => VariableType::Sequence,
            () => VariableType::Text,
        }
    }

    /// Whether a variable only spreads a key.
    pub fn is_shard(&self, variable: &str) -> bool {
        match self.design.variable(variable) {
            Some(variable) => variable.shard,
            None => last_word_is_one_of(variable, &["shard"]),
        }
    }

    /// How many values a variable has, if known.
    pub fn distinct(&self, variable: &str) -> Option<u64> {
        self.distinct.get(variable).copied()
    }

    /// Whether the variable's name says that it has few values, where nobody said how many.
    pub fn is_few_valued_by_name(&self, variable: &str) -> bool {
        self.distinct(variable).is_none() && last_word_is_one_of(variable, FEW_VALUED)
    }

    /// How many values a template has, if known. Times count as endless.
    pub fn distinct_keys(&self, template: &Template) -> Option<u64> {
        let mut count = 1_u64;
        for variable in template.variables() {
            let of_variable = match self.kind(variable) {
                VariableType::Timestamp | VariableType::Date | VariableType::Sequence => {
                    self.distinct(variable).unwrap_or(u64::MAX)
                }
                VariableType::Text | VariableType::Number => self.distinct(variable)?,
            };
            count = count.saturating_mul(of_variable.max(1));
        }
        Some(count)
    }

    /// The share of traffic that goes to the hottest value of a template, if that follows from the design: everything of a
    /// constant and of a date (it is always today), the largest value's share where it is said, an even share otherwise.
    pub fn hottest_ppm(&self, template: &Template) -> Option<u64> {
        let mut share = ALL_PPM;
        for variable in template.variables() {
            let largest = self.design.variable(variable).and_then(|variable| variable.largest_ppm.as_ref());
            let of_variable = match (largest, self.kind(variable)) {
                (Some(largest), _) => largest.value,
                (None, VariableType::Date) => ALL_PPM,
                (None, VariableType::Timestamp | VariableType::Sequence) => 0,
                (None, VariableType::Text | VariableType::Number) => {
                    ALL_PPM.div_ceil(self.distinct(variable)?.max(1))
                }
            };
            share = share * of_variable / ALL_PPM;
        }
        Some(share)
    }

    /// The share of what is asked of items that are there which goes to the hottest partition key of an entity: that of the
    /// template, but no less than an even share over its items. Three items that share the name of a variable with a
    /// million others have three keys.
    pub fn hottest_of_items_ppm(&self, entity: &Entity, keys: &KeySchema) -> Option<u64> {
        let share = self.hottest_ppm(&*entity.partition(keys)?)?;
        Some(share.max(self.entries(entity, keys).map_or(0, |entries| ALL_PPM / entries.max(1))))
    }

    /// The bytes of a variable's value.
    pub fn variable_bytes(&self, variable: &str) -> u64 {
        let said = self.design.variable(variable).and_then(|variable| variable.size_bytes);
        said.unwrap_or(match self.kind(variable) {
            VariableType::Timestamp => 24,
            VariableType::Date => 10,
            VariableType::Number | VariableType::Sequence | VariableType::Text => VARIABLE_BYTES,
        })
    }

    /// The bytes of a key value, without its attribute's name.
    pub fn key_bytes(&self, template: &Template) -> u64 {
        template.size_bytes(|variable| self.variable_bytes(variable))
    }

    /// The bytes of an attribute of an entity, name and value. Where sizes are not said, the attributes share what the
    /// keys leave of the item.
    pub fn attribute_bytes(&self, entity: &Entity, name: &str) -> u64 {
        if let Some(key) = entity.key(name) {
            return self.key_value_bytes(key);
        }
        let Some(attribute) = entity.attributes.iter().find(|attribute| *attribute.name == name) else {
            return 0;
        };
        if let Some(bytes) = attribute.size_bytes {
            return name.len() as u64 + bytes;
        }
        let keys: u64 = entity.keys.iter().map(|key| self.key_value_bytes(key)).sum();
        let said =
            entity.attributes.iter().filter_map(|other| Some(other.name.len() as u64 + other.size_bytes?));
        let unsaid =
            entity.attributes.iter().filter(|other| other.size_bytes.is_none()).count().max(1) as u64;
        entity.size_bytes.saturating_sub(keys + said.sum::<u64>()) / unsaid
    }

    fn key_value_bytes(&self, key: &KeyValue) -> u64 {
        key.attribute.len() as u64 + self.key_bytes(&key.template)
    }

    /// Whether an index holds an attribute.
    pub fn is_projected(&self, target: Target, name: &str) -> bool {
        let Some(index) = self.design.index(target) else { return true };
        self.design.tables[target.table].keys.contains(name)
            || index.keys.contains(name)
            || match &index.projection {
                Projection::All => true,
                Projection::KeysOnly => false,
                Projection::Include(names) => names.iter().any(|known| known == name),
            }
    }

    /// The bytes of an entity's item in a table, or of its entry in an index.
    pub fn entry_bytes(&self, entity: &Entity, target: Target) -> u64 {
        let whole = *entity.size_bytes;
        match self.design.index(target).map(|index| &index.projection) {
            None | Some(Projection::All) => whole,
            Some(_) => {
                let names = entity.keys.iter().map(|key| key.attribute.as_str());
                let names = names.chain(entity.attributes.iter().map(|attribute| attribute.name.as_str()));
                let projected = names.filter(|name| self.is_projected(target, name));
                projected.map(|name| self.attribute_bytes(entity, name)).sum::<u64>().min(whole)
            }
        }
    }

    /// The share of new items that have an entry under a key, in parts per million.
    pub fn put_ppm(&self, entity: &Entity, keys: &KeySchema) -> u64 {
        let of_attributes =
            keys.attributes().map(|attribute| self.put_attribute_ppm(entity, &attribute.name));
        let least = of_attributes.min().unwrap_or(0);
        if entity.present_ppm(keys) == 0 { 0 } else { least }
    }

    /// The share of new items that have a key attribute, in parts per million. A sparse one that some update sets is not there
    /// when the item is put, and one that some update removes is.
    pub fn put_attribute_ppm(&self, entity: &Entity, name: &str) -> u64 {
        let updates = || {
            let writes = self.design.patterns.iter().filter_map(|pattern| pattern.write());
            let members = writes.flat_map(|write| &write.members);
            members.filter(|member| self.design.entities[member.entity.value].name.value == entity.name.value)
        };
        match entity.key(name) {
            Some(key) if key.present_ppm < ALL_PPM => match () {
                () if updates().any(|member| member.sets.iter().flatten().any(|set| **set == *name)) => 0,
                () if updates().any(|member| member.removes.iter().any(|removed| **removed == *name)) => {
                    ALL_PPM
                }
                () => key.present_ppm,
            },
            _ => ALL_PPM,
        }
    }

    /// How many items of an entity are under one partition key of a table or an index, if known.
    pub fn items_per_key(&self, entity: &Entity, keys: &KeySchema) -> Option<u64> {
        let template = entity.partition(keys)?;
        let entries = self.entries(entity, keys)?;
        Some(entries.div_ceil(self.distinct_keys(&template)?.max(1)).max(1))
    }

    /// How many items of an entity have an entry under a key, if said.
    pub fn entries(&self, entity: &Entity, keys: &KeySchema) -> Option<u64> {
        Some(
            (u128::from(self.count(entity)?) * u128::from(entity.present_ppm(keys)) / u128::from(ALL_PPM))
                as u64,
        )
    }

    /// How many items of an entity there are, if said.
    pub fn count(&self, entity: &Entity) -> Option<u64> {
        entity.count.as_ref().map(|count| count.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("createdAt"), ["created", "at"]);
        assert_eq!(words("order_date"), ["order", "date"]);
        assert_eq!(words("userID"), ["user", "id"]);
        assert!(last_word_is_one_of("登録日時", &["登録日時"]));
    }
}
