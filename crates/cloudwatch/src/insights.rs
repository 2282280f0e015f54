//! Insight rules: the keys with the most of something, minute by minute.
//!
//! The rules are DynamoDB's Contributor Insights: they come and go with the setting of a table or index, and are filled
//! by it. What is kept of a rule is bounded by [`MOST_ENTRIES`] keys over all of its minutes; the oldest minutes go first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::series::begin_of;
use crate::statistics::StatisticSet;

/// How many keys a rule keeps, over all minutes.
pub const MOST_ENTRIES: usize = 20_000;
/// For how long: AWS keeps 24 hours of single contributors.
const KEPT_MS: i64 = 24 * 60 * 60_000;

/// What a rule saw in a minute.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleMinute {
    /// Keys with their values, largest first.
    pub contributors: Vec<(Vec<String>, f64)>,
    /// About how many keys there were.
    pub unique: f64,
    /// Of the single events.
    pub set: StatisticSet,
}

/// What a rule is, as the table or index declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDefinition {
    /// `DynamoDBContributorInsights-PKC-Orders-1780272000000`.
    pub name: String,
    /// The names of the key attributes.
    pub labels: Vec<String>,
    /// What is added up, `ConsumedThroughputUnits` or `ThrottleCount`.
    pub value_of: &'static str,
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
}

/// A rule with what it saw.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is.
    pub definition: RuleDefinition,
    minutes: VecDeque<(i64, RuleMinute)>,
    entries: usize,
}

/// A key in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Contributor {
    /// The values of the key attributes.
    pub keys: Vec<String>,
    /// Over the whole time.
    pub total: f64,
    /// The most in one period.
    pub most: f64,
    /// Beginnings of periods with what it had in them.
    pub points: Vec<(i64, f64)>,
}

/// What a rule saw in one period of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// Where it begins.
    pub begin_ms: i64,
    /// About how many keys; over several minutes, the most that one of them had.
    pub unique: f64,
    /// The value of the largest key.
    pub largest: f64,
    /// Of the single events.
    pub set: StatisticSet,
}

/// What a rule saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The keys, those with the most first.
    pub contributors: Vec<Contributor>,
    /// The periods, oldest first.
    pub periods: Vec<Period>,
}

/// The rules of a database.
#[derive(Clone, Debug, Default)]
pub struct Insights {
    rules: BTreeMap<String, Rule>,
    /// The names of rules that are disabled.
    disabled: BTreeSet<String>,
    /// The names of rules that were enabled or disabled and are not kept as they are now.
    changed: BTreeSet<String>,
}

impl Insights {
    /// Says which rules there are; others go.
    pub fn declare(&mut self, definitions: Vec<RuleDefinition>) {
        let mut before = std::mem::take(&mut self.rules);
        for definition in definitions {
            let rule = before.remove(&definition.name);
            let rule = rule.unwrap_or(Rule { definition, minutes: VecDeque::new(), entries: 0 });
            self.rules.insert(rule.definition.name.clone(), rule);
        }
        for gone in before.into_keys() {
            if self.disabled.remove(&gone) {
                self.changed.insert(gone);
            }
        }
    }

    /// Whether nothing was seen and nothing is set.
    pub fn is_empty(&self) -> bool {
        let saw_nothing = |rule: &Rule| rule.minutes.is_empty();
        self.disabled.is_empty() && self.changed.is_empty() && self.rules.values().all(saw_nothing)
    }

    /// The rules in order of their names.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values()
    }

    /// The rule of a name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.get(name)
    }

    /// Whether a rule is disabled.
    pub fn is_disabled(&self, name: &str) -> bool {
        self.disabled.contains(name)
    }

    /// Enables or disables a rule. Answers whether it is there.
    pub fn set_enabled(&mut self, name: &str, enabled: bool) -> bool {
        if !self.rules.contains_key(name) {
            return false;
        }
        let changes =
            if enabled { self.disabled.remove(name) } else { self.disabled.insert(name.to_owned()) };
        if changes {
            self.changed.insert(name.to_owned());
        }
        true
    }

    /// The names of rules that are disabled.
    pub fn disabled(&self) -> impl Iterator<Item = &str> {
        self.disabled.iter().map(String::as_str)
    }

    /// Takes in that a rule was disabled when it was kept.
    pub fn restore_disabled(&mut self, name: String) {
        self.disabled.insert(name);
    }

    /// The names of rules that were enabled or disabled since this was last asked.
    pub fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// Takes in what a rule saw in the minute that begins at a time. A rule that is not there or disabled sees nothing.
    pub fn publish(&mut self, name: &str, begin_ms: i64, minute: RuleMinute) {
        if self.disabled.contains(name) {
            return;
        }
        let Some(rule) = self.rules.get_mut(name) else { return };
        rule.entries += minute.contributors.len();
        rule.minutes.push_back((begin_ms, minute));
        while rule.entries > MOST_ENTRIES
            || rule.minutes.front().is_some_and(|(begin, _)| *begin < begin_ms - KEPT_MS)
        {
            let Some((_, oldest)) = rule.minutes.pop_front() else { break };
            rule.entries -= oldest.contributors.len();
        }
    }
}

impl Rule {
    /// What was seen from `start_ms` until before `end_ms`, in periods that begin with `start_ms`.
    pub fn report(&self, start_ms: i64, end_ms: i64, period_ms: i64, by_most: bool) -> Report {
        let mut keys: BTreeMap<&[String], BTreeMap<i64, f64>> = BTreeMap::new();
        let mut periods: BTreeMap<i64, Period> = BTreeMap::new();
        for (at, minute) in self.minutes.iter().filter(|(at, _)| (start_ms..end_ms).contains(at)) {
            let begin_ms = start_ms + begin_of(at - start_ms, period_ms);
            for (key, value) in &minute.contributors {
                *keys.entry(key).or_default().entry(begin_ms).or_default() += value;
            }
            let nothing = StatisticSet::of(0.0, 0.0);
            let period = periods.entry(begin_ms).or_insert(Period {
                begin_ms,
                unique: 0.0,
                largest: 0.0,
                set: nothing,
            });
            period.unique = period.unique.max(minute.unique);
            period.set.merge(&minute.set);
        }
        let mut contributors: Vec<Contributor> = keys
            .into_iter()
            .map(|(keys, points)| Contributor {
                keys: keys.to_vec(),
                total: points.values().sum(),
                most: points.values().copied().fold(0.0, f64::max),
                points: points.into_iter().collect(),
            })
            .collect();
        for (begin, value) in contributors.iter().flat_map(|contributor| &contributor.points) {
            if let Some(period) = periods.get_mut(begin) {
                period.largest = period.largest.max(*value);
            }
        }
        let rank = |contributor: &Contributor| if by_most { contributor.most } else { contributor.total };
        contributors.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        Report { contributors, periods: periods.into_values().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(contributors: &[(&str, f64)]) -> RuleMinute {
        let mut set = StatisticSet::of(0.0, 0.0);
        for (_, value) in contributors {
            set.merge(&StatisticSet::of(*value, 1.0));
        }
        let key = |(key, value): &(&str, f64)| (vec![(*key).to_owned()], *value);
        RuleMinute {
            contributors: contributors.iter().map(key).collect(),
            unique: contributors.len() as f64,
            set,
        }
    }

    fn insights() -> Insights {
        let mut insights = Insights::default();
        insights.declare(vec![RuleDefinition {
            name: "rule".into(),
            labels: vec!["pk".into()],
            value_of: "ConsumedThroughputUnits",
            table: "T".into(),
            index: None,
        }]);
        insights
    }

    #[test]
    fn keys_are_added_up_over_minutes_and_ranked() {
        let mut insights = insights();
        insights.publish("rule", 60_000, minute(&[("a", 5.0), ("b", 3.0)]));
        insights.publish("rule", 120_000, minute(&[("b", 4.0)]));
        let report = insights.get("rule").unwrap().report(60_000, 180_000, 60_000, false);
        let totals: Vec<(&str, f64)> =
            report.contributors.iter().map(|c| (c.keys[0].as_str(), c.total)).collect();
        assert_eq!(totals, [("b", 7.0), ("a", 5.0)]);
        assert_eq!(report.contributors[0].points, [(60_000, 3.0), (120_000, 4.0)]);
        assert_eq!((report.periods[0].largest, report.periods[0].set.sum), (5.0, 8.0));
        let by_most = insights.get("rule").unwrap().report(60_000, 180_000, 60_000, true);
        assert_eq!(by_most.contributors[0].keys, ["a"]);
    }

    #[test]
    fn memory_is_bounded_and_disabled_rules_see_nothing() {
        let mut insights = insights();
        let many: Vec<(String, f64)> = (0..64).map(|key| (key.to_string(), 1.0)).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        for at in 0..1_000 {
            insights.publish("rule", at * 60_000, minute(&many));
        }
        let rule = insights.get("rule").unwrap();
        assert!(rule.entries <= MOST_ENTRIES && rule.minutes.back().unwrap().0 == 999 * 60_000);
        assert!(insights.set_enabled("rule", false) && !insights.set_enabled("other", false));
        insights.publish("rule", 2_000 * 60_000, minute(&[("late", 1.0)]));
        assert_eq!(insights.get("rule").unwrap().minutes.back().unwrap().0, 999 * 60_000);
        insights.declare(Vec::new());
        assert_eq!(insights.take_changed().len(), 1, "what was said of a rule that is gone is forgotten");
    }
}
