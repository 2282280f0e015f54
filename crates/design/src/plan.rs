//! How each access pattern is served, and what a call consumes; or why it cannot be served, and what would serve it.
//!
//! Units are expectations: a write that touches an index for every third item only costs a third of an entry there. They
//! are kept in thousandths of half units; what is summed comes from `dynamometer-capacity::meter` alone.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::meter::{
    meter_condition_check, meter_index_write, meter_item_read, meter_item_write, meter_page_read,
};
use dynamometer_capacity::{CapacityUnits, Consistency};
use dynamometer_types::limits::PAGE_BYTES;

use crate::derive::{ALL_PPM, Derived};
use crate::model::{
    Action, Entity, Member, MemberKind, Pattern, Read, ReadKind, Sort, Target, Write, WriteKind,
};
use crate::text;

/// Thousandths of half units in a unit.
pub const MILLI_HALVES: u64 = 2_000;

/// How a pattern is served.
#[derive(Clone, Debug)]
pub enum Service {
    /// It is.
    Served(Served),
    /// It is not.
    NotServable(Lack),
}

impl Service {
    /// What serves it, if something does.
    pub fn served(&self) -> Option<&Served> {
        match self {
            Service::Served(served) => Some(served),
            Service::NotServable(_) => None,
        }
    }
}

/// How a pattern is served.
#[derive(Clone, Debug)]
pub struct Served {
    /// AWS's name of the operation.
    pub operation: &'static str,
    /// The table or index that is asked; the first member's table of a transaction.
    pub target: Target,
    /// The operation with the keys: `Query GSI2 STATUS#<status>`.
    pub words: String,
    /// The entities that are read or written.
    pub entities: Vec<usize>,
    /// The items that a call reads or writes.
    pub items: Items,
    /// The bytes that are evaluated or written.
    pub bytes: u64,
    /// What a call consumes, by table and index.
    pub arms: Vec<Arm>,
    /// How many requests one call of the pattern is: the shards that are gathered.
    pub requests: u64,
}

/// How many items a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// So many: said, or by nature.
    Said(u64),
    /// So many, worked out from counts.
    Derived(u64),
    /// Nobody said, and it does not follow; one is counted.
    Unknown,
}

impl Items {
    /// The number that is counted with.
    pub fn count(self) -> u64 {
        match self {
            Items::Said(count) | Items::Derived(count) => count,
            Items::Unknown => 1,
        }
    }
}

/// What a call consumes of a table or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The table or index.
    pub target: Target,
    /// Reads or writes.
    pub dimension: Dimension,
    /// Thousandths of half units.
    pub milli_halves: u64,
}

/// Why a pattern is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The rule that reports it.
    pub rule: &'static str,
    /// Why.
    pub because: String,
    /// What would serve it.
    pub remedy: String,
    /// What is said under the key that is asked for.
    pub detail: String,
    /// Where the trouble is said.
    pub span: crate::yaml::Span,
}

impl Served {
    /// Thousandths of half units over all arms.
    pub fn milli_halves(&self) -> u64 {
        self.arms.iter().map(|arm| arm.milli_halves).sum()
    }

    /// The units of the table alone, without indexes.
    pub fn table_milli_halves(&self) -> u64 {
        self.arms.iter().filter(|arm| arm.target.index.is_none()).map(|arm| arm.milli_halves).sum()
    }
}

/// Plans every pattern, in the order of the design.
pub fn plan(derived: &Derived<'_>) -> Vec<Service> {
    derived.design.patterns.iter().map(|pattern| plan_pattern(derived, pattern)).collect()
}

fn plan_pattern(derived: &Derived<'_>, pattern: &Pattern) -> Service {
    match &pattern.action {
        Action::Read(read) => match plan_read(derived, pattern, read) {
            Ok(served) => Service::Served(served),
            Err(lack) => Service::NotServable(lack),
        },
        Action::Write(write) => Service::Served(plan_write(derived, write)),
    }
}

fn milli(units: CapacityUnits) -> u64 {
    units.halves().saturating_mul(1_000)
}

fn plan_read(derived: &Derived<'_>, pattern: &Pattern, read: &Read) -> Result<Served, Lack> {
    if !read.entities.is_empty() {
        return Ok(plan_by_key(derived, read));
    }
    let design = derived.design;
    let keys = design.keys(read.target);
    check_attributes(derived, pattern, read)?;
    let mut entities: Vec<usize> = design.entities_of(read.target.table).map(|(at, _)| at).collect();
    entities.retain(|at| design.entities[*at].present_ppm(keys) > 0);
    if read.kind != ReadKind::Scan {
        check_keys(derived, pattern, read)?;
        entities = written_for(derived, pattern, read, &entities)?;
    }
    if let (Some(index), Consistency::Strong) = (design.index(read.target), *read.consistency)
        && !index.local
    {
        return Err(Lack {
            rule: "R05",
            because: format!("{} is a global index, and cannot be read consistently", *index.name),
            remedy: "read the table by its key, use a local index, or take consistency: eventual".into(),
            detail: "refused with ValidationException".into(),
            span: read.consistency.span,
        });
    }
    Ok(charge_read(derived, read, entities))
}

/// GetItem, BatchGetItem and TransactGetItems of entities by their own keys.
fn plan_by_key(derived: &Derived<'_>, read: &Read) -> Served {
    let design = derived.design;
    let calls = read.items.as_ref().map_or(1, |items| **items);
    let mut served = Served {
        operation: read.kind.operation(),
        target: read.target,
        words: read.kind.operation().to_owned(),
        entities: read.entities.iter().map(|entity| entity.value).collect(),
        items: Items::Said(calls * read.entities.len() as u64),
        bytes: 0,
        arms: Vec::new(),
        requests: 1,
    };
    for (at, entity) in read.entities.iter().enumerate() {
        let entity = &design.entities[entity.value];
        let target = Target::table(entity.table);
        let separator = if at == 0 { " " } else { ", " };
        served.words.push_str(&format!("{separator}{}", key_words(derived, entity, target)));
        let units = meter_item_read(Some(*entity.size_bytes), *read.consistency);
        add(&mut served.arms, target, Dimension::Read, milli(units).saturating_mul(calls));
        served.bytes += *entity.size_bytes * calls;
    }
    if calls > 1 {
        served.words.push_str(&format!(" x {calls}"));
    }
    served
}

/// `USER#<userId> / PROFILE`.
pub fn key_words(derived: &Derived<'_>, entity: &Entity, target: Target) -> String {
    let keys = derived.design.keys(target);
    let values = keys.attributes().filter_map(|attribute| entity.key(&attribute.name));
    values.map(|key| key.template.to_string()).collect::<Vec<_>>().join(" / ")
}

/// The key that is asked for must be the partition key of what is asked, whole.
fn check_keys(derived: &Derived<'_>, pattern: &Pattern, read: &Read) -> Result<(), Lack> {
    let design = derived.design;
    let keys = design.keys(read.target);
    let name = design.target_name(read.target);
    let foreign =
        read.key.iter().find(|key| !keys.partition.iter().any(|known| known.name == **key.attribute));
    if let Some(foreign) = foreign {
        let sort = read.sort.as_ref().map_or(String::new(), |_| ", <a sort key>".to_owned());
        return Err(Lack {
            rule: "M03",
            because: format!("{} is not the partition key of {name}", *foreign.attribute),
            remedy: format!("add an index with keys [{}{sort}] and query that", *foreign.attribute),
            detail: format!("the partition key of {name} is {}", keys.partition[0].name),
            span: foreign.attribute.span,
        });
    }
    if let (Some(sort), true) = (&read.sort, keys.sort.is_empty()) {
        return Err(Lack {
            rule: "M03",
            because: format!("{name} has no sort key"),
            remedy: format!(
                "add an index with keys [{}, <a sort key>] and query that",
                keys.partition[0].name
            ),
            detail: "asked for here".into(),
            span: sort.span,
        });
    }
    if read.kind == ReadKind::Get && read.sort.is_none() && !keys.sort.is_empty() {
        return Err(Lack {
            rule: "M03",
            because: format!("GetItem needs the whole key of {name}, and {} is not said", keys.sort[0].name),
            remedy: "say `sort`, or make it a query".into(),
            detail: "a partition key alone is no key here".into(),
            span: pattern.action_span,
        });
    }
    Ok(())
}

/// A global index answers only what it holds.
fn check_attributes(derived: &Derived<'_>, _pattern: &Pattern, read: &Read) -> Result<(), Lack> {
    let Some(index) = derived.design.index(read.target).filter(|index| !index.local) else { return Ok(()) };
    let Some(attributes) = &read.attributes else { return Ok(()) };
    let missing: Vec<&str> = attributes
        .iter()
        .map(String::as_str)
        .filter(|name| !derived.is_projected(read.target, name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join(", ");
    Err(Lack {
        rule: "M03",
        because: format!("{} does not hold {missing}", *index.name),
        remedy: format!("add {missing} to the projection of {}, or read the table by key", *index.name),
        detail: format!("{} holds keys and what it projects", *index.name),
        span: attributes.span,
    })
}

/// The entities that write what is asked for.
fn written_for(
    derived: &Derived<'_>,
    pattern: &Pattern,
    read: &Read,
    entities: &[usize],
) -> Result<Vec<usize>, Lack> {
    let design = derived.design;
    let keys = design.keys(read.target);
    let meets_partition = |entity: &Entity| {
        read.key.iter().all(|asked| match entity.key(&asked.attribute) {
            Some(own) => own.template.writes_what(&asked.template),
            // An attribute that is no key elsewhere takes any value.
            None => true,
        })
    };
    let of_partition: Vec<usize> =
        entities.iter().copied().filter(|at| meets_partition(&design.entities[*at])).collect();
    let span = read.key.first().map_or(pattern.action_span, |key| key.template.span);
    let asked = read.key.first().map_or(String::new(), |key| key.template.to_string());
    if of_partition.is_empty() {
        return Err(no_writer(derived, read, span, &asked, &keys.partition[0].name));
    }
    let Some(sort) = &read.sort else { return Ok(of_partition) };
    let meets_sort = |entity: &Entity| match (entity.sort(keys), &sort.value) {
        (None, _) => true,
        (Some(own), Sort::Begins(asked)) => own.template.begins_with_what(asked),
        (Some(own), Sort::Between(from, to)) => {
            let prefixes = [from, to].into_iter().flatten().map(|end| end.prefix());
            prefixes.into_iter().all(|prefix| own.template.can_begin_with(prefix))
        }
    };
    let of_both: Vec<usize> =
        of_partition.iter().copied().filter(|at| meets_sort(&design.entities[*at])).collect();
    match of_both.is_empty() {
        false => Ok(of_both),
        true => Err(no_writer(derived, read, sort.span, &sort_words(&sort.value), &keys.sort[0].name)),
    }
}

fn no_writer(
    derived: &Derived<'_>,
    read: &Read,
    span: crate::yaml::Span,
    asked: &str,
    attribute: &str,
) -> Lack {
    let design = derived.design;
    let writers: Vec<String> = design
        .entities_of(read.target.table)
        .map(|(_, entity)| match entity.key(attribute) {
            Some(key) => format!("{} writes {attribute} as {}", *entity.name, *key.template),
            None => format!("{} writes none", *entity.name),
        })
        .collect();
    // The entity that has the variable already is the one that could write the key.
    let variables: Vec<&str> = read.key.iter().flat_map(|key| key.template.variables()).collect();
    let has_variable = |entity: &Entity| {
        variables.iter().any(|variable| {
            entity.attributes.iter().any(|attribute| *attribute.name == *variable)
                || entity.keys.iter().any(|key| key.template.variables().any(|own| own == *variable))
        })
    };
    let candidate = design.entities_of(read.target.table).find(|(_, entity)| has_variable(entity));
    let remedy = match (candidate, read.target.index) {
        (Some((_, entity)), Some(_)) if entity.key(attribute).is_none() => {
            let units = meter_index_write(None, Some(derived.entry_bytes(entity, read.target)), false, false);
            let units = text::units(milli(units.unwrap_or_default()));
            format!("add `{attribute}: \"{asked}\"` to {} (about +{units} WRU on each put)", *entity.name)
        }
        (Some((_, entity)), Some(_)) => format!(
            "{attribute} of {} is taken: add another index for {asked}, or drop the pattern",
            *entity.name
        ),
        _ => format!("give an entity the key `{attribute}: \"{asked}\"`, or drop the pattern"),
    };
    Lack {
        rule: "M05",
        because: format!("nothing writes {attribute} as {asked}"),
        remedy,
        detail: if writers.is_empty() { "no entity is in this table".into() } else { writers.join("; ") },
        span,
    }
}

fn sort_words(sort: &Sort) -> String {
    match sort {
        Sort::Begins(template) => template.to_string(),
        Sort::Between(from, to) => {
            let end = |end: &Option<_>| end.as_ref().map_or(String::new(), |end| format!("{end}"));
            format!("{}..{}", end(from), end(to))
        }
    }
}

/// What a query, a scan or a get by key reads, and what that costs.
fn charge_read(derived: &Derived<'_>, read: &Read, entities: Vec<usize>) -> Served {
    let design = derived.design;
    let items = items_of(derived, read, &entities);
    let entry = average_bytes(derived, read.target, &entities);
    let bytes = items.count().saturating_mul(entry);
    let requests = read.gather.as_ref().and_then(|name| derived.distinct(name)).unwrap_or(1).max(1);
    let units = match read.kind {
        ReadKind::Get => milli(meter_item_read(Some(entry), *read.consistency)),
        _ => pages(bytes / requests, *read.consistency).saturating_mul(requests),
    };
    let mut arms = vec![Arm { target: read.target, dimension: Dimension::Read, milli_halves: units }];
    if let Some(per_item) = fetched(derived, read, &entities) {
        let fetch = per_item.saturating_mul(items.count());
        add(&mut arms, Target::table(read.target.table), Dimension::Read, fetch);
    }
    let name = read.target.index.map_or(String::new(), |_| format!(" {}", design.target_name(read.target)));
    let key: Vec<String> = read.key.iter().map(|key| key.template.to_string()).collect();
    let mut words = format!("{}{name}", read.kind.operation());
    if !key.is_empty() {
        words.push_str(&format!(" {}", key.join(", ")));
    }
    if let Some(sort) = &read.sort {
        words.push_str(&format!(" / {}", sort_words(&sort.value)));
    }
    match read.newest_first {
        Some(true) => words.push_str(", newest"),
        Some(false) | None => {}
    }
    if requests > 1 {
        words.push_str(&format!(", {requests} queries"));
    }
    Served {
        operation: read.kind.operation(),
        target: read.target,
        words,
        entities,
        items,
        bytes,
        arms,
        requests,
    }
}

/// The pages that so many bytes are read in, each rounded by itself.
fn pages(bytes: u64, consistency: Consistency) -> u64 {
    let full = milli(meter_page_read(PAGE_BYTES, consistency)).saturating_mul(bytes / PAGE_BYTES);
    match bytes % PAGE_BYTES {
        0 if bytes > 0 => full,
        rest => full.saturating_add(milli(meter_page_read(rest, consistency))),
    }
}

fn items_of(derived: &Derived<'_>, read: &Read, entities: &[usize]) -> Items {
    if read.kind == ReadKind::Get {
        return Items::Said(1);
    }
    let limit = read.limit.as_ref().map(|limit| limit.value);
    if let Some(said) = &read.items {
        return Items::Said(limit.map_or(**said, |limit| limit.min(**said)));
    }
    let follows = follows(derived, read, entities);
    match (follows, limit) {
        (Some(count), Some(limit)) if limit <= count => Items::Said(limit),
        (Some(count), _) => Items::Derived(count),
        (None, Some(limit)) => Items::Said(limit),
        (None, None) => Items::Unknown,
    }
}

/// How many items are read, worked out from counts.
fn follows(derived: &Derived<'_>, read: &Read, entities: &[usize]) -> Option<u64> {
    let design = derived.design;
    let keys = design.keys(read.target);
    let mut sum = 0_u64;
    for at in entities {
        let entity = &design.entities[*at];
        let count = match read.kind {
            ReadKind::Scan => derived.count(entity)?.saturating_mul(entity.present_ppm(keys)) / ALL_PPM,
            _ => {
                let exact = match (&read.sort, entity.sort(keys)) {
                    (Some(sort), Some(own)) => match &sort.value {
                        Sort::Begins(asked) => own.template.writes_what(asked),
                        Sort::Between(..) => false,
                    },
                    _ => keys.sort.is_empty() && read.target.index.is_none(),
                };
                let own_is_single = entity.sort(keys).is_some_and(|own| own.template.is_constant());
                match exact || own_is_single && read.target.index.is_none() {
                    true => 1,
                    false => derived.items_per_key(entity, keys)?,
                }
            }
        };
        sum = sum.saturating_add(count);
    }
    (sum > 0).then_some(sum)
}

/// The bytes of an entry, weighed by how many of each entity there are where that is known.
pub fn average_bytes(derived: &Derived<'_>, target: Target, entities: &[usize]) -> u64 {
    let design = derived.design;
    let entries = entities.iter().map(|at| {
        let entity = &design.entities[*at];
        let weight = derived.count(entity).unwrap_or(1).max(1);
        (u128::from(derived.entry_bytes(entity, target)), u128::from(weight))
    });
    let (sum, weights) =
        entries.fold((0, 0), |(sum, all), (bytes, weight)| (sum + bytes * weight, all + weight));
    sum.checked_div(weights).map_or(0, |mean| mean as u64)
}

/// What a local index fetches from the table for each item, when it does not hold what is asked for.
fn fetched(derived: &Derived<'_>, read: &Read, entities: &[usize]) -> Option<u64> {
    derived.design.index(read.target).filter(|index| index.local)?;
    let attributes = read.attributes.as_ref()?;
    attributes.iter().find(|name| !derived.is_projected(read.target, name))?;
    let whole = average_bytes(derived, Target::table(read.target.table), entities);
    Some(milli(meter_item_read(Some(whole), *read.consistency)))
}

fn add(arms: &mut Vec<Arm>, target: Target, dimension: Dimension, milli_halves: u64) {
    match arms.iter_mut().find(|arm| arm.target == target && arm.dimension == dimension) {
        Some(arm) => arm.milli_halves = arm.milli_halves.saturating_add(milli_halves),
        None => arms.push(Arm { target, dimension, milli_halves }),
    }
}

fn plan_write(derived: &Derived<'_>, write: &Write) -> Served {
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
        bytes += design.entities[member.entity.value].size_bytes.saturating_mul(times);
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
        items: Items::Said(times * write.members.len() as u64),
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
            (
                units(None, bytes, false),
                derived.put_ppm(member.entity.value, keys) * (ALL_PPM - replaced_ppm) / ALL_PPM,
            ),
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
