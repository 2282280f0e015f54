//! Every pattern in a line: how it is served, what a call consumes, how hot its hottest key is, what a month costs.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::money::RegionPrices;
use dynamometer_capacity::quantity::{self, dollars, percent_text};

use crate::check::Checked;
use crate::cost::pattern_cost;
use crate::load::{Heat, partition_limit};
use crate::plan::{Items, Service};
use crate::text;

/// A pattern in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternRow {
    /// Its name.
    pub name: String,
    /// What serves it, or `not servable (M05)`.
    pub served_by: String,
    /// The items that a call is about.
    pub items: String,
    /// The units of a call; with `≥` where the number of items is not known.
    pub units: String,
    /// The rate: average, with the word that it stands for.
    pub rate: String,
    /// The peak.
    pub peak: String,
    /// The share of a partition's limit on its hottest key.
    pub hottest: String,
    /// Dollars a month on demand.
    pub month: String,
    /// The rules that have something against it.
    pub rules: Vec<&'static str>,
}

/// All patterns in words.
pub fn pattern_rows(checked: &Checked<'_>, prices: &RegionPrices<'_>) -> Vec<PatternRow> {
    (0..checked.services.len()).map(|at| row(checked, prices, at)).collect()
}

fn row(checked: &Checked<'_>, prices: &RegionPrices<'_>, at: usize) -> PatternRow {
    let pattern = &checked.derived.design.patterns[at];
    let rate = match &pattern.rate {
        None => "not said".to_owned(),
        Some(rate) => match &rate.word {
            Some(word) => format!("{word} = {}", text::rate(rate.average_micro)),
            None => text::rate(rate.average_micro),
        },
    };
    let peak = pattern.rate.as_ref().map_or("-".to_owned(), |rate| text::rate(rate.peak_micro));
    let name = pattern.name.value.clone();
    let rules = checked.rules_of(at);
    let dash = || "-".to_owned();
    match &checked.services[at] {
        Service::NotServable(lack) => PatternRow {
            name,
            served_by: format!("not servable ({})", lack.rule),
            items: dash(),
            units: dash(),
            rate,
            peak,
            hottest: dash(),
            month: dash(),
            rules,
        },
        Service::Served(served) => {
            let at_least = if served.items == Items::Unknown { "≥" } else { "" };
            let cost = pattern_cost(checked.derived.design, at, &checked.services[at], prices);
            PatternRow {
                name,
                served_by: served.words.clone(),
                items: format!("{at_least}{}", text::count(served.items.count())),
                units: format!("{at_least}{}", text::units(served.milli_halves())),
                hottest: hottest(checked, at),
                month: match (cost, &pattern.rate) {
                    (_, None) => dash(),
                    (Ok(cost), _) => dollars(cost.month),
                    (Err(_), _) => "no price".into(),
                },
                rate,
                peak,
                rules,
            }
        }
    }
}

/// The hottest key that a pattern asks for, over all patterns that ask for it too.
fn hottest(checked: &Checked<'_>, pattern: usize) -> String {
    let of = &checked.derived.design.patterns[pattern];
    if of.rate.is_none() {
        return "-".into();
    }
    let dimension = if of.read().is_some() { Dimension::Read } else { Dimension::Write };
    let of_pattern = checked.load.heat.iter().filter(|heat| heat.patterns.contains(&pattern));
    let worst = of_pattern.max_by_key(|heat| heat.hottest_milli[dimension]);
    worst.map_or("-".into(), |heat| heat_words(heat, dimension))
}

/// `10 % of 3,000`, or that nobody said.
pub(super) fn heat_words(heat: &Heat, dimension: Dimension) -> String {
    if heat.share_unknown && heat.hottest_milli[dimension] == 0 {
        return "share not said".into();
    }
    let share = heat.of_limit_ppm(dimension).max(1);
    let decimals = usize::from(share < 100_000);
    let limit = quantity::thousands(&partition_limit(dimension).to_string());
    format!("{} of {limit}", percent_text(share, decimals))
}
