//! What would make the dearest pattern cheaper: each change is made to a copy of the design and priced again.

use dynamometer_capacity::Consistency;
use dynamometer_capacity::money::{Money, RegionPrices};

use super::{PatternCost, pattern_cost};
use crate::derive::{ALL_PPM, Derived};
use crate::model::{Action, Design, MemberKind, Projection, Read, Spanned, Target, Write, WriteKind};
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

/// A design that is changed in several ways, each by itself.
struct Changes<'d> {
    design: &'d Design,
    pattern: usize,
    /// In words, and the design that has it.
    proposed: Vec<(String, Design)>,
}

/// Changes to a pattern, the least first, each with the design that has it.
fn changes(design: &Design, pattern: usize) -> Vec<(String, Design)> {
    let derived = Derived::of(design);
    let services = plan(&derived);
    let served = services[pattern].served();
    let mut changes = Changes { design, pattern, proposed: Vec::new() };
    match &design.patterns[pattern].action {
        Action::Read(read) => changes.of_read(read, served.map(|served| served.items.count())),
        Action::Write(write) => changes.of_write(write),
    }
    let mut entities = served.map(|served| served.entities.clone()).unwrap_or_default();
    entities.dedup();
    for entity in entities {
        changes.of_size(entity);
    }
    changes.proposed
}

impl Changes<'_> {
    fn propose(&mut self, words: impl Into<String>, change: impl FnOnce(&mut Design)) {
        let mut changed = self.design.clone();
        change(&mut changed);
        self.proposed.push((words.into(), changed));
    }

    fn propose_read(&mut self, words: impl Into<String>, change: impl FnOnce(&mut Read)) {
        let pattern = self.pattern;
        self.propose(words, |design| {
            if let Action::Read(read) = &mut design.patterns[pattern].action {
                change(read);
            }
        });
    }

    fn of_read(&mut self, read: &Read, items: Option<u64>) {
        let weaker = match *read.consistency {
            Consistency::Strong => Some("read it eventually consistent"),
            Consistency::Transactional => Some("read it without a transaction"),
            Consistency::Eventual => None,
        };
        if let Some(words) = weaker {
            self.propose_read(words, |read| read.consistency.value = Consistency::Eventual);
        }
        if let (Some(filter), Some(returns), Some(items)) = (&read.filter, &read.returns_ppm, items) {
            let kept = (u128::from(items) * u128::from(returns.value)).div_ceil(u128::from(ALL_PPM)) as u64;
            let kept = kept.max(1);
            let words = format!(
                "move what `{}` filters into the key, so that {} items are read",
                **filter,
                text::count(kept)
            );
            self.propose_read(words, |read| read.items = Some(Spanned { value: kept, span: filter.span }));
        }
        if let Some(index) = read.target.index
            && let Some(attributes) = &read.attributes
        {
            let words = format!("project only {} into the index", attributes.join(", "));
            self.propose(words, |design| {
                let names = attributes.value.clone();
                design.tables[read.target.table].indexes[index].projection = Projection::Include(names);
            });
        }
        if let Some(items) = items.filter(|items| *items > 1) {
            let words =
                format!("read {} items a call instead of {}", text::count(items / 2), text::count(items));
            let span = read.consistency.span;
            self.propose_read(words, |read| read.items = Some(Spanned { value: items / 2, span }));
        }
    }

    fn of_write(&mut self, write: &Write) {
        for member in write.members.iter().filter(|member| member.kind != MemberKind::Check) {
            self.of_member(member.entity.value);
        }
        if write.kind == WriteKind::Transaction && write.invariant.is_none() {
            let pattern = self.pattern;
            self.propose("use single writes with conditions instead of a transaction", |design| {
                if let Action::Write(write) = &mut design.patterns[pattern].action {
                    write.kind = WriteKind::Single;
                }
            });
        }
    }

    /// Less of an entity in the indexes that its writes reach.
    fn of_member(&mut self, entity: usize) {
        let design = self.design;
        let written = &design.entities[entity];
        let table = written.table;
        for (at, index) in design.tables[table].indexes.iter().enumerate() {
            if written.present_ppm(&index.keys) == 0 {
                continue;
            }
            if index.projection == Projection::All {
                self.propose(format!("project only the keys into {}", *index.name), |design| {
                    design.tables[table].indexes[at].projection = Projection::KeysOnly;
                });
            }
            let words = format!(
                "keep {} out of {}, or in it for a tenth of its items only",
                *written.name, *index.name
            );
            self.propose(words, |changed| {
                let name = &design.keys(Target::index(table, at)).partition[0].name;
                for key in changed.entities[entity].keys.iter_mut().filter(|key| *key.attribute == *name) {
                    key.present_ppm = 100_000;
                }
            });
        }
    }

    fn of_size(&mut self, entity: usize) {
        let of = &self.design.entities[entity];
        let size = *of.size_bytes;
        let words = format!(
            "halve the items of {}, from {} to {}",
            *of.name,
            text::bytes(size),
            text::bytes(size / 2)
        );
        self.propose(words, |design| design.entities[entity].size_bytes.value = size / 2);
    }
}
