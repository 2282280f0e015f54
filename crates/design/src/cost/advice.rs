//! What would make the dearest pattern cheaper: each change is made to a copy of the design and priced again.

use dynamometer_capacity::Consistency;
use dynamometer_capacity::money::{Money, RegionPrices};

use super::{PatternCost, pattern_cost};
use crate::derive::{ALL_PPM, Derived};
use crate::model::{Action, Design, MemberKind, Projection, Spanned, Target, WriteKind};
use crate::plan::plan;
use crate::text;

/// A change that makes a pattern cheaper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The pattern.
    pub pattern: usize,
    /// What to change.
    pub change: String,
    /// What it costs a month.
    pub now: Money,
    /// What it would cost.
    pub then: Money,
}

impl Advice {
    /// Whether it halves the cost.
    pub fn halves(&self) -> bool {
        self.then.picos() * 2 <= self.now.picos()
    }
}

/// The change that saves most on the dearest pattern; `None` if nothing costs, or nothing that is known here helps.
pub fn advise(design: &Design, costs: &[PatternCost], prices: &RegionPrices<'_>) -> Option<Advice> {
    let (pattern, cost) = costs.iter().enumerate().max_by_key(|(_, cost)| cost.month)?;
    if cost.month == Money::ZERO {
        return None;
    }
    let priced = changes(design, pattern).into_iter().filter_map(|(change, changed)| {
        let derived = Derived::of(&changed);
        let services = plan(&derived);
        let then = pattern_cost(&changed, pattern, &services[pattern], prices).ok()?.month;
        services[pattern].served()?;
        Some(Advice { pattern, change, now: cost.month, then })
    });
    let mut cheaper: Vec<Advice> = priced.filter(|advice| advice.then < advice.now).collect();
    // Changes stand in the order of how little they ask for: the first that halves it is the one.
    let first_that_halves = cheaper.iter().position(Advice::halves);
    let best = first_that_halves
        .or_else(|| cheaper.iter().enumerate().min_by_key(|(_, advice)| advice.then).map(|(at, _)| at))?;
    Some(cheaper.swap_remove(best))
}

/// Changes to a pattern, the least first, each with the design that has it.
fn changes(design: &Design, pattern: usize) -> Vec<(String, Design)> {
    let mut changes = Vec::new();
    let mut propose = |words: String, change: &dyn Fn(&mut Design)| {
        let mut changed = design.clone();
        change(&mut changed);
        changes.push((words, changed));
    };
    match &design.patterns[pattern].action {
        Action::Read(read) => {
            let of = |design: &mut Design, change: &dyn Fn(&mut crate::model::Read)| {
                if let Action::Read(read) = &mut design.patterns[pattern].action {
                    change(read);
                }
            };
            if *read.consistency == Consistency::Strong {
                propose("read it eventually consistent".into(), &|design| {
                    of(design, &|read| read.consistency.value = Consistency::Eventual);
                });
            }
            if *read.consistency == Consistency::Transactional {
                propose("read it without a transaction".into(), &|design| {
                    of(design, &|read| read.consistency.value = Consistency::Eventual);
                });
            }
            if let (Some(filter), Some(returns), Some(items)) =
                (&read.filter, &read.returns_ppm, items(design, pattern))
            {
                let kept = ((u128::from(items) * u128::from(returns.value)).div_ceil(u128::from(ALL_PPM))
                    as u64)
                    .max(1);
                let span = filter.span;
                propose(
                    format!(
                        "move what `{}` filters into the key, so that {} items are read",
                        **filter,
                        text::count(kept)
                    ),
                    &|design| {
                        of(design, &|read| read.items = Some(Spanned { value: kept, span }));
                    },
                );
            }
            if let Some(index) = read.target.index
                && let Some(attributes) = &read.attributes
            {
                propose(format!("project only {} into the index", attributes.join(", ")), &|design| {
                    let names = attributes.value.clone();
                    design.tables[read.target.table].indexes[index].projection = Projection::Include(names);
                });
            }
            if let Some(items) = items(design, pattern).filter(|items| *items > 1) {
                propose(
                    format!("read {} items a call instead of {}", text::count(items / 2), text::count(items)),
                    &|design| {
                        let span = read.consistency.span;
                        of(design, &|read| read.items = Some(Spanned { value: (items / 2).max(1), span }));
                    },
                );
            }
        }
        Action::Write(write) => {
            for member in &write.members {
                let entity = &design.entities[member.entity.value];
                for (at, index) in design.tables[entity.table].indexes.iter().enumerate() {
                    if entity.present_ppm(&index.keys) == 0 || member.kind == MemberKind::Check {
                        continue;
                    }
                    let table = entity.table;
                    if index.projection == Projection::All && index.keys.partition.len() == 1 {
                        propose(format!("project only the keys into {}", *index.name), &|design| {
                            design.tables[table].indexes[at].projection = Projection::KeysOnly;
                        });
                    }
                    let entity_at = member.entity.value;
                    propose(
                        format!(
                            "keep {} out of {}, or in it for a tenth of its items only",
                            *entity.name, *index.name
                        ),
                        &|design| {
                            let name = design.keys(Target::index(table, at)).partition[0].name.clone();
                            for key in &mut design.entities[entity_at].keys {
                                if *key.attribute == name {
                                    key.present_ppm = 100_000;
                                }
                            }
                        },
                    );
                }
            }
            if write.kind == WriteKind::Transaction && write.invariant.is_none() {
                propose("use single writes with conditions instead of a transaction".into(), &|design| {
                    if let Action::Write(write) = &mut design.patterns[pattern].action {
                        write.kind = WriteKind::Single;
                    }
                });
            }
        }
    }
    for entity in entities_of(design, pattern) {
        let size = *design.entities[entity].size_bytes;
        let name = design.entities[entity].name.value.clone();
        propose(
            format!("halve the items of {name}, from {} to {}", text::bytes(size), text::bytes(size / 2)),
            &|design| {
                design.entities[entity].size_bytes.value = size / 2;
            },
        );
    }
    changes
}

fn items(design: &Design, pattern: usize) -> Option<u64> {
    let derived = Derived::of(design);
    plan(&derived)[pattern].served().map(|served| served.items.count())
}

fn entities_of(design: &Design, pattern: usize) -> Vec<usize> {
    let derived = Derived::of(design);
    let services = plan(&derived);
    let mut entities = services[pattern].served().map(|served| served.entities.clone()).unwrap_or_default();
    entities.dedup();
    entities
}
