//! Writes: the table, and each index that they touch.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::meter::{meter_condition_check, meter_index_write, meter_item_write};

use super::{Arm, Items, Served, add, key_words, milli};
use crate::derive::{ALL_PPM, Derived};
use crate::model::{Entity, Member, MemberKind, Target, Write, WriteKind};

pub(super) fn plan_write(derived: &Derived<'_>, write: &Write) -> Served {
    let design = derived.design;
    let times = match write.kind {
        WriteKind::Batch(items) => items,
        WriteKind::Single | WriteKind::Transaction => 1,
    };
    let mut arms = Vec::new();
    let mut bytes = 0;
    for member in &write.members {
        for arm in member_arms(derived, write, member) {
            if arm.milli_halves > 0 {
                add(&mut arms, arm.target, arm.dimension, arm.milli_halves.saturating_mul(times));
            }
        }
        let of_member = design.entities[member.entity.value].size_bytes.saturating_mul(times);
        bytes = of_member.saturating_add(bytes);
    }
    let of_member = |member: &Member| {
        let entity = &design.entities[member.entity.value];
        key_words(derived, entity, Target::table(entity.table))
    };
    let first = &write.members[0];
    let table = design.entities[first.entity.value].table;
    let (operation, words) = match write.kind {
        WriteKind::Single => {
            let operation = first.kind.operation();
            (operation, format!("{operation} {}", of_member(first)))
        }
        WriteKind::Batch(items) => {
            ("BatchWriteItem", format!("BatchWriteItem {} x {items}", of_member(first)))
        }
        WriteKind::Transaction => {
            let members: Vec<String> = write
                .members
                .iter()
                .map(|member| {
                    format!("{} {}", member_word(member.kind), *design.entities[member.entity.value].name)
                })
                .collect();
            ("TransactWriteItems", format!("TransactWriteItems {}", members.join(", ")))
        }
    };
    Served {
        operation,
        target: Target::table(table),
        words,
        entities: write.members.iter().map(|member| member.entity.value).collect(),
        items: Items::Said(times.saturating_mul(write.members.len() as u64)),
        bytes,
        arms,
        requests: 1,
    }
}

fn member_word(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Put => "put",
        MemberKind::Update => "update",
        MemberKind::Delete => "delete",
        MemberKind::Check => "check",
    }
}

/// What one write of an item consumes: the table first, then each index that it touches.
pub fn member_arms(derived: &Derived<'_>, write: &Write, member: &Member) -> Vec<Arm> {
    let design = derived.design;
    let entity = &design.entities[member.entity.value];
    let table = Target::table(entity.table);
    let size = Some(*entity.size_bytes);
    let transactional = write.kind == WriteKind::Transaction;
    let replaced = write.replaces_ppm.min(ALL_PPM);
    let base = match member.kind {
        MemberKind::Put => weighed(&[
            (milli(meter_item_write(None, size, transactional)), ALL_PPM - replaced),
            (milli(meter_item_write(size, size, transactional)), replaced),
        ]),
        MemberKind::Update => milli(meter_item_write(size, size, transactional)),
        MemberKind::Delete => milli(meter_item_write(size, None, transactional)),
        MemberKind::Check => milli(meter_condition_check(size)),
    };
    let mut arms = vec![Arm { target: table, dimension: Dimension::Write, milli_halves: base }];
    // A write whose condition fails is charged on the table, and touches no index.
    let succeeds = ALL_PPM - write.fails_ppm.as_ref().map_or(0, |share| share.value.min(ALL_PPM));
    for index in 0..design.tables[entity.table].indexes.len() {
        let target = Target::index(entity.table, index);
        let units = index_milli(derived, member, entity, target, replaced);
        let milli_halves = weighed(&[(units, succeeds)]);
        arms.push(Arm { target, dimension: Dimension::Write, milli_halves });
    }
    arms
}

/// The expectation of amounts with their shares.
fn weighed(amounts: &[(u64, u64)]) -> u64 {
    let sum: u128 = amounts.iter().map(|(amount, share)| u128::from(*amount) * u128::from(*share)).sum();
    (sum / u128::from(ALL_PPM)) as u64
}

/// What one write is expected to consume of an index.
fn index_milli(
    derived: &Derived<'_>,
    member: &Member,
    entity: &Entity,
    target: Target,
    replaced_ppm: u64,
) -> u64 {
    let keys = derived.design.keys(target);
    let bytes = Some(derived.entry_bytes(entity, target));
    let present = entity.present_ppm(keys);
    let units = |old: Option<u64>, new: Option<u64>, same_key: bool| {
        meter_index_write(old, new, same_key, false).map_or(0, milli)
    };
    let when_present = |amount: u64| weighed(&[(amount, present)]);
    match member.kind {
        MemberKind::Check => 0,
        MemberKind::Put => weighed(&[
            (units(None, bytes, false), derived.put_ppm(entity, keys) * (ALL_PPM - replaced_ppm) / ALL_PPM),
            (units(bytes, bytes, true), present * replaced_ppm / ALL_PPM),
        ]),
        MemberKind::Delete => when_present(units(bytes, None, false)),
        MemberKind::Update if present == 0 => 0,
        MemberKind::Update => match change(derived, member, target) {
            Change::None => 0,
            Change::Content => when_present(units(bytes, bytes, true)),
            Change::Leaves => when_present(units(bytes, None, false)),
            // An item that has no entry yet gets one; the others move.
            Change::Key if present < ALL_PPM => units(None, bytes, false),
            Change::Key => units(bytes, bytes, false),
        },
    }
}

/// What an update does to an entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// It changes what the entry holds.
    Content,
    /// It changes the entry's key, or makes an entry.
    Key,
    /// It takes the entry out.
    Leaves,
}

/// What an update does to an entry of an index. An update that does not say what it sets changes content.
pub fn change(derived: &Derived<'_>, member: &Member, target: Target) -> Change {
    let index_keys = derived.design.keys(target);
    let is_index_key =
        |name: &str| index_keys.contains(name) && !derived.design.tables[target.table].keys.contains(name);
    if member.removes.iter().any(|name| is_index_key(name)) {
        return Change::Leaves;
    }
    let Some(sets) = &member.sets else { return Change::Content };
    if sets.iter().any(|name| is_index_key(name)) {
        return Change::Key;
    }
    let changed = sets.iter().chain(&member.removes);
    match changed.into_iter().any(|name| derived.is_projected(target, name)) {
        true => Change::Content,
        false => Change::None,
    }
}
