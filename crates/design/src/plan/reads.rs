//! Reads: what serves them, what they read, or what they lack.

use dynamometer_capacity::Consistency;
use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::meter::{meter_index_write, meter_item_read, meter_page_read};
use dynamometer_types::KeyAttribute;
use dynamometer_types::limits::PAGE_BYTES;

use super::{Arm, Items, Lack, Served, add, key_words, milli};
use crate::derive::{ALL_PPM, Derived};
use crate::model::{Entity, Pattern, Read, ReadKind, Sort, Target};
use crate::text;
use crate::yaml::Span;

pub(super) fn plan_read(derived: &Derived<'_>, pattern: &Pattern, read: &Read) -> Result<Served, Lack> {
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
        items: Items::Said(calls.saturating_mul(read.entities.len() as u64)),
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
        served.bytes = served.bytes.saturating_add(entity.size_bytes.saturating_mul(calls));
    }
    if calls > 1 {
        served.words.push_str(&format!(" x {calls}"));
    }
    served
}

/// What is asked for must be the whole partition key, and of the sort key what stands in front.
fn check_keys(derived: &Derived<'_>, pattern: &Pattern, read: &Read) -> Result<(), Lack> {
    let design = derived.design;
    let keys = design.keys(read.target);
    let name = design.target_name(read.target);
    let names = |attributes: &[KeyAttribute]| {
        attributes.iter().map(|attribute| attribute.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let lack = |because: String, remedy: String, detail: &str, span: Span| {
        Err(Lack { rule: "M03", because, remedy, detail: detail.to_owned(), span })
    };
    let foreign =
        read.key.iter().find(|key| !keys.partition.iter().any(|known| known.name == **key.attribute));
    if let Some(foreign) = foreign {
        let sort = read.sort.as_ref().map_or(String::new(), |_| ", <a sort key>".to_owned());
        return lack(
            format!("{} is not the partition key of {name}", *foreign.attribute),
            format!("add an index with keys [{}{sort}] and query that", *foreign.attribute),
            &format!("the partition key of {name} is {}", names(&keys.partition)),
            foreign.attribute.span,
        );
    }
    let is_left_out = |wanted: &&KeyAttribute| !read.key.iter().any(|key| **key.attribute == wanted.name);
    if let Some(missing) = keys.partition.iter().find(is_left_out) {
        return lack(
            format!(
                "the partition key of {name} is {}, and {} is not asked for",
                names(&keys.partition),
                missing.name
            ),
            format!("say `{}` in `key` too: a query names the whole partition key", missing.name),
            "a part of a partition key finds nothing",
            read.key.first().map_or(pattern.action_span, |key| key.attribute.span),
        );
    }
    let gap = read.sort_equals.iter().zip(&keys.sort).find(|(asked, wanted)| *asked.attribute != wanted.name);
    if let Some((asked, wanted)) = gap {
        return lack(
            format!("{} is asked for, and {} in front of it is not", *asked.attribute, wanted.name),
            format!(
                "say `{}` in `key` too, or put {} first in the sort key of {name}",
                wanted.name, *asked.attribute
            ),
            "sort key attributes are asked for from the left",
            asked.attribute.span,
        );
    }
    if let (Some(sort), None) = (&read.sort, read.sort_attribute(keys)) {
        let (because, remedy) = match keys.sort.is_empty() {
            true => (
                format!("{name} has no sort key"),
                format!("add an index with keys [{}, <a sort key>] and query that", names(&keys.partition)),
            ),
            false => (
                format!("`key` names the whole sort key of {name}, so there is none left for `sort`"),
                "strike `sort`, or the last attribute of `key`".to_owned(),
            ),
        };
        return lack(because, remedy, "asked for here", sort.span);
    }
    if read.kind == ReadKind::Get && read.sort.is_none() && !keys.sort.is_empty() {
        return lack(
            format!("GetItem needs the whole key of {name}, and {} is not said", keys.sort[0].name),
            "say `sort`, or make it a query".to_owned(),
            "a partition key alone is no key here",
            pattern.action_span,
        );
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
    let mut left = entities.to_vec();
    for asked in read.key.iter().chain(&read.sort_equals) {
        let meets = |entity: &Entity| {
            entity.template(&asked.attribute).is_none_or(|own| own.writes_what(&asked.template))
        };
        left.retain(|at| meets(&design.entities[*at]));
        if left.is_empty() {
            let words = asked.template.to_string();
            return Err(no_writer(derived, read, asked.template.span, &words, &asked.attribute));
        }
    }
    if let (Some(sort), Some(attribute)) = (&read.sort, read.sort_attribute(keys)) {
        let meets = |entity: &Entity| match (entity.template(&attribute.name), &sort.value) {
            (None, _) => true,
            (Some(own), Sort::Begins(asked)) => own.begins_with_what(asked),
            (Some(own), Sort::Between(from, to)) => {
                let prefixes = [from, to].into_iter().flatten().map(|end| end.prefix());
                prefixes.into_iter().all(|prefix| own.can_begin_with(prefix))
            }
        };
        left.retain(|at| meets(&design.entities[*at]));
        if left.is_empty() {
            return Err(no_writer(derived, read, sort.span, &sort_words(&sort.value), &attribute.name));
        }
    }
    if left.is_empty() {
        return Err(no_writer(derived, read, pattern.action_span, "", &keys.partition[0].name));
    }
    Ok(left)
}

fn no_writer(derived: &Derived<'_>, read: &Read, span: Span, asked: &str, attribute: &str) -> Lack {
    let design = derived.design;
    let writers: Vec<String> = design
        .entities_of(read.target.table)
        .map(|(_, entity)| match entity.template(attribute) {
            Some(own) => format!("{} writes {attribute} as {}", *entity.name, *own),
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
        (Some((_, entity)), Some(_)) if entity.template(attribute).is_none() => {
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
    let sort = read.sort_equals.iter().map(|key| key.template.to_string());
    let sort: Vec<String> = sort.chain(read.sort.as_ref().map(|sort| sort_words(&sort.value))).collect();
    if !sort.is_empty() {
        words.push_str(&format!(" / {}", sort.join(", ")));
    }
    if read.newest_first == Some(true) {
        words.push_str(", newest");
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
                let of_table = read.target.index.is_none();
                let is_one = read.asks_for_one(entity, keys)
                    || of_table && keys.sort.is_empty()
                    || of_table && entity.sort(keys).is_some_and(|own| own.is_constant());
                match is_one {
                    true => 1,
                    false => derived.items_per_key(entity, keys)?.div_ceil(among(derived, read, entity)),
                }
            }
        };
        sum = sum.saturating_add(count);
    }
    (sum > 0).then_some(sum)
}

/// How many values the sort key attributes have that must equal one: of several, one part in so many is read.
fn among(derived: &Derived<'_>, read: &Read, entity: &Entity) -> u64 {
    let keys = derived.design.keys(read.target);
    let whole = read.sort_equals.len() + usize::from(read.sort_is_whole(entity, keys));
    let equal = keys.sort.iter().take(if keys.sort.len() > 1 { whole } else { 0 });
    let values = equal.filter_map(|attribute| derived.distinct_keys(&*entity.template(&attribute.name)?));
    values.fold(1, |all, values| all.saturating_mul(values.max(1)))
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
