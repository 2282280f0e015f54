//! Data in order of time, in which equal data at equal distances take the place of one.
//!
//! Settings and idle tables are published again and again, for months: a run of such data is one entry however long it
//! is. What is read from it is what would be read from the single data, and rolling up merges the same in the same order.

use std::collections::VecDeque;

use crate::series::{MINUTE_MS, begin_of, points_of};
use crate::statistics::Datum;

/// Data of periods by where they begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// Oldest first; none begins before another ends.
    runs: VecDeque<Run>,
    points: usize,
}

/// The same datum `count` times, `step` milliseconds apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    begin: i64,
    step: i64,
    count: i64,
    datum: Datum,
}

/// Distances that fit in an hour are put together, others are rare.
const HOUR_MS: i64 = 60 * MINUTE_MS;

impl Run {
    fn one(begin: i64, datum: &Datum) -> Run {
        Run { begin, step: MINUTE_MS, count: 1, datum: datum.clone() }
    }

    /// Where its last period begins.
    fn last(&self) -> i64 {
        self.begin + (self.count - 1) * self.step
    }

    /// How many of its periods begin before a time.
    fn count_before(&self, time: i64) -> i64 {
        let before = time.saturating_sub(self.begin);
        if before <= 0 { 0 } else { ((before - 1) / self.step + 1).min(self.count) }
    }

    /// Leaves so many out at the beginning.
    fn skip(&mut self, count: i64) {
        self.begin += count * self.step;
        self.count -= count;
    }

    /// Takes another in that goes on where this one ends. Answers whether it did.
    fn join(&mut self, next: &Run) -> bool {
        let step = next.begin - self.last();
        let fits = |run: &Run| run.count == 1 || run.step == step;
        let joins = step > 0 && HOUR_MS % step == 0 && fits(self) && fits(next) && self.datum == next.datum;
        if joins {
            self.step = step;
            self.count += next.count;
        }
        joins
    }
}

impl Runs {
    /// How much is kept, counted in points.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds data: of `count` periods, the first at `begin`, the others each `step` later.
    pub(crate) fn add(&mut self, (begin, step, count): (i64, i64, i64), datum: &Datum) {
        let mut new = Run { begin, step, count, datum: datum.clone() };
        while new.count > 0 && self.runs.back().is_some_and(|run| run.last() >= new.begin) {
            self.merge(new.begin, datum);
            new.skip(1);
        }
        if new.count > 0 {
            self.append(new);
        }
    }

    /// Puts a run behind all others. The one before it is complete then, and may be part of a longer one.
    fn append(&mut self, new: Run) {
        if let Some(last) = self.runs.pop_back() {
            let joined = self.runs.back_mut().is_some_and(|run| run.join(&last));
            if joined {
                self.points -= points_of(&last.datum);
            } else {
                self.runs.push_back(last);
            }
        }
        // A single one is left alone: more of its period may be to come.
        let joined = new.count > 1 && self.runs.back_mut().is_some_and(|run| run.join(&new));
        if !joined {
            self.points += points_of(&new.datum);
            self.runs.push_back(new);
        }
    }

    /// Merges a datum with what is there of its period, which does not come after all others.
    fn merge(&mut self, begin: i64, datum: &Datum) {
        let at = self.runs.partition_point(|run| run.last() < begin);
        let Some(run) = self.runs.get(at) else { return self.append(Run::one(begin, datum)) };
        let before = run.count_before(begin);
        let is_there = begin >= run.begin && (begin - run.begin) % run.step == 0;
        let at = self.cut(at, before);
        if !is_there {
            self.points += points_of(datum);
            return self.runs.insert(at, Run::one(begin, datum));
        }
        let _rest = self.cut(at, 1);
        let known = &mut self.runs[at].datum;
        self.points -= points_of(known);
        known.merge(datum);
        self.points += points_of(known);
    }

    /// Cuts a run behind its first `count` data, and answers where what follows them is.
    fn cut(&mut self, at: usize, count: i64) -> usize {
        if count == 0 {
            return at;
        }
        let run = &mut self.runs[at];
        if count < run.count {
            let mut rest = run.clone();
            rest.skip(count);
            run.count = count;
            self.points += points_of(&rest.datum);
            self.runs.insert(at + 1, rest);
        }
        at + 1
    }

    /// Takes out what begins before a time, from the oldest on, a run at a time.
    pub(crate) fn take_before(&mut self, time: i64) -> Option<Run> {
        let old = self.runs.front()?.count_before(time);
        if old == 0 {
            return None;
        }
        self.cut(0, old);
        let run = self.runs.pop_front()?;
        self.points -= points_of(&run.datum);
        Some(run)
    }

    /// Adds older data in longer periods.
    pub(crate) fn roll_up(&mut self, mut run: Run, period: i64) {
        if run.count > 1 && run.step % period == 0 {
            return self.add((begin_of(run.begin, period), run.step, run.count), &run.datum);
        }
        let fits = period % run.step == 0;
        while run.count > 0 {
            let begin = begin_of(run.begin, period);
            let is_first = run.begin - begin < run.step;
            let (together, whole) = (period / run.step, run.count * run.step / period);
            if fits && is_first && whole > 1 {
                let mut datum = run.datum.clone();
                (1..together).for_each(|_| datum.merge(&run.datum));
                self.add((begin, period, whole), &datum);
                run.skip(whole * together);
            } else {
                self.add((begin, period, 1), &run.datum);
                run.skip(1);
            }
        }
    }

    /// The data of periods that begin from `start` until before `end`, oldest first.
    pub(crate) fn range(&self, start: i64, end: i64) -> impl Iterator<Item = (i64, &Datum)> {
        let from = self.runs.partition_point(|run| run.last() < start);
        self.runs.range(from..).take_while(move |run| run.begin < end).flat_map(move |run| {
            let within = run.count_before(start)..run.count_before(end);
            within.map(|at| (run.begin + at * run.step, &run.datum))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::statistics::StatisticSet;

    fn datum(value: i64) -> Datum {
        StatisticSet::of(value as f64 / 3.0, 1.0).into()
    }

    /// Draws numbers; a multiplier of Knuth's.
    fn draw(state: &mut u64, below: u64) -> i64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 33) % below) as i64
    }

    fn all(runs: &Runs) -> Vec<(i64, Datum)> {
        runs.range(i64::MIN, i64::MAX).map(|(time, datum)| (time, datum.clone())).collect()
    }

    #[test]
    fn runs_hold_what_single_data_would() {
        for seed in 0..60 {
            let mut state = seed;
            let (mut runs, mut single) = (Runs::default(), BTreeMap::<i64, Datum>::new());
            let mut newest = 0;
            for _ in 0..200 {
                let begin = match draw(&mut state, 4) {
                    0 => draw(&mut state, 400),
                    _ => newest + 1 + draw(&mut state, 2) * 4,
                };
                let (step, count) = ([1, 5, 7][draw(&mut state, 3) as usize], 1 + draw(&mut state, 5));
                let value = datum(draw(&mut state, 2));
                runs.add((begin * MINUTE_MS, step * MINUTE_MS, count), &value);
                for at in 0..count {
                    let time = (begin + at * step) * MINUTE_MS;
                    newest = newest.max(begin + at * step);
                    single.entry(time).and_modify(|known| known.merge(&value)).or_insert(value.clone());
                }
            }
            assert_eq!(all(&runs), single.clone().into_iter().collect::<Vec<_>>(), "seed {seed}");
            let points: usize = runs.runs.iter().map(|run| points_of(&run.datum)).sum();
            assert_eq!(runs.points(), points);
            let horizon = draw(&mut state, 500) * MINUTE_MS;
            let (mut rolled, mut expected) = (Runs::default(), BTreeMap::<i64, Datum>::new());
            while let Some(old) = runs.take_before(horizon) {
                rolled.roll_up(old, 5 * MINUTE_MS);
            }
            for (time, value) in single.range(..horizon) {
                let begin = begin_of(*time, 5 * MINUTE_MS);
                expected.entry(begin).and_modify(|known| known.merge(value)).or_insert(value.clone());
            }
            assert_eq!(all(&rolled), expected.into_iter().collect::<Vec<_>>(), "seed {seed}");
            assert_eq!(runs.range(i64::MIN, horizon).count(), 0);
        }
    }

    #[test]
    fn equal_data_for_millennia_is_one_run() {
        let mut runs = Runs::default();
        let minutes = 8_000 * 366 * 24 * 60;
        runs.add((MINUTE_MS, MINUTE_MS, minutes), &datum(2));
        (1..=10).for_each(|more| runs.add(((minutes + more) * MINUTE_MS, MINUTE_MS, 1), &datum(2)));
        assert!(runs.points() <= 2, "{}", runs.points());
        let mut rolled = Runs::default();
        while let Some(old) = runs.take_before((minutes - 7) * MINUTE_MS) {
            rolled.roll_up(old, 60 * MINUTE_MS);
        }
        assert!(rolled.points() <= 3, "{}", rolled.points());
        assert_eq!(runs.range(0, i64::MAX).count(), 18);
    }
}
