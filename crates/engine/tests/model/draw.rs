//! What the operations are made of, drawn at random.

use dynamometer_types::{AttributeValue, Item, Number};

use crate::common::requests::item;
use crate::common::{n, s};
use crate::drive::Drive;
use crate::naive::{Change, Condition, Key, Sorted, Update, Write, key_item};

/// Key values of a type that are easily mistaken for each other.
pub fn key_values(kind: &str) -> Vec<AttributeValue> {
    let numbers = ["-1e20", "-0.5", "0", "0.5", "2", "1e-100"];
    match kind {
        "S" => ["a", "a\0", "a\0b", "b", "日本", "\u{10ffff}"].map(s).to_vec(),
        "N" => numbers.map(|text| AttributeValue::N(text.parse().unwrap())).to_vec(),
        _ => [&[0][..], &[0, 0], &[0, 1], &[0, 255], &[1], &[255, 255]]
            .map(|b| AttributeValue::B(b.to_vec()))
            .to_vec(),
    }
}

impl Drive {
    pub fn key(&mut self) -> Key {
        let (pks, sks) = &self.keys;
        (Sorted(self.choices.pick(pks).clone()), Sorted(self.choices.pick(sks).clone()))
    }

    pub fn any_pk(&mut self) -> AttributeValue {
        self.choices.pick(&self.keys.0).clone()
    }

    /// A value for an attribute; now and then one that an index refuses.
    pub fn value(&mut self, name: &str) -> AttributeValue {
        let choices = &mut self.choices;
        let odd = choices.percent(3);
        match name {
            "a" if odd => n(7),
            "a" => s(*choices.pick(&["x", "x\0", "y", "日本"])),
            "b" | "c" | "l" if odd => s("no number"),
            "b" | "l" => {
                AttributeValue::N(choices.pick(&["-3", "0", "0.25", "7", "1e30"]).parse::<Number>().unwrap())
            }
            "c" => n(choices.below(2) as i64),
            "d" if odd => s(""),
            "d" => s(*choices.pick(&["p", "pq", "pqr", "q"])),
            // No index, at first: anything goes.
            "e" => match choices.below(12) {
                0 => n(5),
                1 => s(""),
                2 => s("long".repeat(600)),
                3 => s("longer than any key".repeat(5000)),
                other => s(["m", "n"][other % 2]),
            },
            "v" => n(choices.below(50) as i64),
            "m" => AttributeValue::M(item([("list", AttributeValue::L(vec![n(1), s("x")]))])),
            _ => s("·".repeat(choices.below(60))),
        }
    }

    pub fn item(&mut self, key: &Key) -> Item {
        let mut item = key_item(key);
        for (name, percent) in [
            ("a", 70),
            ("b", 70),
            ("c", 70),
            ("d", 70),
            ("e", 70),
            ("l", 70),
            ("v", 80),
            ("m", 20),
            ("note", 50),
        ] {
            if self.choices.percent(percent) {
                let value = self.value(name);
                item.insert(name, value);
            }
        }
        item
    }

    fn draw_update(&mut self) -> Update {
        let sets: [&[&'static str]; 5] = [&["v"], &["a", "b"], &["e"], &["l", "d"], &["m", "note", "c"]];
        match self.choices.below(10) {
            at @ 0..=4 => Update::Set(sets[at].iter().map(|name| (*name, self.value(name))).collect()),
            5 => Update::Remove(vec!["a", "e"]),
            6 => Update::Remove(vec!["b", "l"]),
            7 => {
                let member = *self.choices.pick(&["one", "two"]);
                Update::AddToSet(member)
            }
            _ => Update::AddNumber(self.choices.below(9) as i64 - 4),
        }
    }

    pub fn write(&mut self, with_check: bool) -> Write {
        let key = self.key();
        let condition = match self.choices.below(8) {
            0 => Some(Condition::Exists),
            1 => Some(Condition::NotExists),
            2 => Some(Condition::VersionBelow(self.choices.below(50) as i64)),
            3 => Some(Condition::HasAButNotB(7)),
            _ => None,
        };
        let change = match self.choices.below(10) {
            0..=3 => Change::Put(self.item(&key)),
            4..=6 => Change::Update(self.draw_update()),
            7..=8 => Change::Delete,
            _ if with_check => Change::Check,
            _ => Change::Delete,
        };
        let condition =
            if matches!(change, Change::Check) { condition.or(Some(Condition::Exists)) } else { condition };
        Write { key, change, condition }
    }

    /// Writes of distinct keys.
    pub fn writes(&mut self, at_most: usize, with_check: bool) -> Vec<Write> {
        let mut writes: Vec<Write> = Vec::new();
        for _ in 0..1 + self.choices.below(at_most) {
            let write = self.write(with_check);
            if writes.iter().all(|other| other.key != write.key) {
                writes.push(write);
            }
        }
        writes
    }
}
