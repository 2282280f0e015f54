//! The part of the report about a design: what was asked of each access pattern, and what no pattern covers.

use dynamometer_capacity::money::{Money, PriceError, PriceTable, RegionPrices};
use dynamometer_design::cost::{measured_cost, pattern_cost, storage_cost};
use dynamometer_design::derive::Derived;
use dynamometer_design::matcher::is_called;
use dynamometer_design::model::{Action, Design, Pattern, Read, ReadKind, Target, WriteKind};
use dynamometer_design::plan::{Items, Service, plan};
use dynamometer_design::template::Template;
use serde::{Deserialize, Serialize};

use super::build::rounded;
use super::money::dollars;
use super::{KeyReport, TableReport};
use crate::coverage::{Counts, Coverage, Kind};

/// What the traffic was, held against a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverageReport {
    /// What the design is called.
    pub design: String,
    /// The region whose prices count: the design's, or the server's where it names none.
    pub region: String,
    /// From the first request to the last one, at least 1 when there was any.
    pub seconds: f64,
    /// The access patterns, in the order of the design.
    pub patterns: Vec<PatternReport>,
    /// What no pattern covers, by kind, the most frequent first.
    pub uncovered: Vec<UncoveredReport>,
    /// Requests without a pattern whose kinds are not listed: a hundred are.
    pub uncovered_requests_not_listed: u64,
    /// Scans that ran, with a pattern or without.
    pub scans: u64,
    /// A month at the rates that the design declares: what is declared, storage included, on demand.
    pub dollars_a_month_as_declared: Option<f64>,
    /// The same with the units that were measured, where a pattern was exercised.
    pub dollars_a_month_as_measured: Option<f64>,
    /// Why there is no money: which price is missing.
    pub money_missing: Option<String>,
}

/// One access pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternReport {
    /// Its name.
    pub pattern: String,
    /// How it is served, such as `Query GSI2 STATUS#<status>`; or why it is not.
    pub served_by: String,
    /// Whether the design says that it can be served.
    pub is_servable: bool,
    /// Whether it reads an index.
    pub reads_index: bool,
    /// Requests that ran; each element of a batch or a transaction, and each page, is one.
    pub requests: u64,
    /// How many calls of the pattern these are: a transaction of two actions is one.
    pub calls: f64,
    /// Over the time of the traffic.
    pub calls_per_second: f64,
    /// What the design says.
    pub declared_calls_per_second: Option<f64>,
    /// Units consumed, of indexes too.
    pub units: f64,
    /// Units of a call; absent when there was none.
    pub units_per_call: Option<f64>,
    /// What the design says; absent when it is not served.
    pub declared_units_per_call: Option<f64>,
    /// Whether the design does not say how many items are read: then what is declared is the least.
    pub declared_is_least: bool,
    /// Measured against declared: 12.5 is an eighth more.
    pub unit_drift_percent: Option<f64>,
    /// Items that queries and scans read.
    pub items_read: u64,
    /// Items that they answered.
    pub items_answered: u64,
    /// Units that were paid for items which a filter dropped, rounded down to half units for each page.
    pub filtered_out_units: f64,
    /// The share of the items read that a filter dropped.
    pub filtered_out_percent: f64,
    /// Requests that the capacity model refused.
    pub throttled_requests: u64,
    /// Eventually consistent reads within 100 ms of a write to the same key.
    pub reads_within_100_ms_of_a_write: u64,
    /// The share of the hottest key of this pattern in all units of its table or index, reads or writes.
    pub hottest_key_percent: Option<f64>,
    /// A month at the declared rate with the units that were measured, or those declared when there was no call.
    pub dollars_a_month: Option<f64>,
}

/// A kind of requests that no pattern covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UncoveredReport {
    /// What was asked, values masked: `Query App/GSI1 "EMAIL#…" filter amount > …`.
    pub example: String,
    /// The operation; of PartiQL with `Scan` or `Write` behind it where that tells it apart.
    pub operation: String,
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
    /// Requests that ran.
    pub requests: u64,
    /// Units that they consumed.
    pub units: f64,
    /// The share of the items read that a filter dropped.
    pub filtered_out_percent: f64,
    /// Requests that the capacity model refused.
    pub throttled_requests: u64,
    /// Eventually consistent reads within 100 ms of a write to the same key.
    pub reads_within_100_ms_of_a_write: u64,
}

/// The coverage of a design so far, at the prices of its region, or of the server's where it names none. `tables` is the rest
/// of the report, which knows the hottest keys.
pub(super) fn coverage_report(
    coverage: &Coverage,
    tables: &[TableReport],
    prices: &PriceTable,
    region: &str,
) -> CoverageReport {
    let (design, seen) = (coverage.design(), coverage.seen());
    let region = design.region.as_ref().map_or(region, |own| own.value.as_str());
    let prices = prices.region(region);
    let derived = Derived::of(design);
    let services = plan(&derived);
    let seconds = seen.span_ms as f64 / 1_000.0;
    let months = prices.as_ref().map_err(ToString::to_string);
    let mut months = months.and_then(|prices| Months::of(&derived, prices).map_err(|e| e.to_string()));
    let mut patterns = Vec::with_capacity(services.len());
    for (at, (service, counts)) in services.iter().zip(&seen.patterns).enumerate() {
        let mut report = pattern_report(design, at, service, counts, seconds);
        report.hottest_key_percent = hottest(design, at, tables);
        if let Ok(sums) = &mut months {
            match sums.add(design, at, service, counts) {
                Ok(month) => report.dollars_a_month = Some(dollars(month)),
                Err(error) => months = Err(error.to_string()),
            }
        }
        patterns.push(report);
    }
    CoverageReport {
        design: coverage.title().to_owned(),
        region: region.to_owned(),
        seconds,
        patterns,
        uncovered: seen.uncovered.iter().map(|(kind, counts)| uncovered_report(kind, counts)).collect(),
        uncovered_requests_not_listed: seen.others,
        scans: seen.scans,
        dollars_a_month_as_declared: months.as_ref().ok().map(|months| dollars(months.declared)),
        dollars_a_month_as_measured: months.as_ref().ok().map(|months| dollars(months.measured)),
        money_missing: months.err(),
    }
}

fn pattern_report(
    design: &Design,
    at: usize,
    service: &Service,
    counts: &Counts,
    seconds: f64,
) -> PatternReport {
    let pattern = &design.patterns[at];
    let calls = counts.requests as f64 / requests_of_call(pattern, service) as f64;
    let measured = milli_halves_of_call(pattern, service, counts);
    let declared = service.served().map(|served| served.milli_halves());
    let drift = measured.zip(declared.filter(|declared| *declared > 0));
    let per_call = |milli_halves: u64| rounded(milli_halves as f64 / 2_000.0, 3);
    PatternReport {
        pattern: pattern.name.value.clone(),
        served_by: match service {
            Service::Served(served) => served.words.clone(),
            Service::NotServable(lack) => format!("not servable ({}): {}", lack.rule, lack.because),
        },
        is_servable: service.served().is_some(),
        reads_index: pattern.read().is_some_and(|read| read.target.index.is_some()),
        requests: counts.requests,
        calls: rounded(calls, 1),
        calls_per_second: if seconds > 0.0 { rounded(calls / seconds, 3) } else { 0.0 },
        declared_calls_per_second: pattern.rate.as_ref().map(|rate| rate.average_micro as f64 / 1e6),
        units: counts.halves as f64 / 2.0,
        units_per_call: measured.map(per_call),
        declared_units_per_call: declared.map(per_call),
        declared_is_least: service.served().is_some_and(|served| served.items == Items::Unknown),
        unit_drift_percent: drift
            .map(|(measured, declared)| rounded(100.0 * (measured as f64 / declared as f64 - 1.0), 1)),
        items_read: counts.scanned,
        items_answered: counts.returned,
        filtered_out_units: counts.filtered_halves as f64 / 2.0,
        filtered_out_percent: filtered_percent(counts),
        throttled_requests: counts.throttled,
        reads_within_100_ms_of_a_write: counts.soon,
        hottest_key_percent: None,
        dollars_a_month: None,
    }
}

/// By items, not units: a page of the small data of a test costs half a unit, of which no part can be told.
fn filtered_percent(counts: &Counts) -> f64 {
    match counts.scanned {
        0 => 0.0,
        scanned => rounded(100.0 * scanned.saturating_sub(counts.returned) as f64 / scanned as f64, 1),
    }
}

/// How many requests, as they are counted here, a call of a pattern is.
fn requests_of_call(pattern: &Pattern, service: &Service) -> u64 {
    let of_read = |read: &Read| match read.kind {
        ReadKind::Query | ReadKind::Scan => service.served().map_or(1, |served| served.requests),
        _ => {
            let times = read.items.as_ref().map_or(1, |items| items.value);
            times.saturating_mul(read.entities.len().max(1) as u64)
        }
    };
    let requests = match &pattern.action {
        Action::Read(read) => of_read(read),
        Action::Write(write) => match write.kind {
            WriteKind::Single => 1,
            WriteKind::Batch(items) => items,
            WriteKind::Transaction => write.members.len() as u64,
        },
    };
    requests.max(1)
}

/// Thousandths of half units that a call consumed; nothing when there was none.
fn milli_halves_of_call(pattern: &Pattern, service: &Service, counts: &Counts) -> Option<u64> {
    let milli_halves = u128::from(counts.halves) * 1_000 * u128::from(requests_of_call(pattern, service));
    let of_call = milli_halves.checked_div(u128::from(counts.requests))?;
    u64::try_from(of_call).ok()
}

/// The hottest key that has the form of a pattern's, among those that the report keeps of what it asks.
fn hottest(design: &Design, at: usize, tables: &[TableReport]) -> Option<f64> {
    let (target, template, reads) = partition_of(design, at)?;
    let name = &design.tables[target.table].name.value;
    // The shortest, for `my-app-Old-Orders` ends as `my-app-Orders` does.
    let named = tables.iter().filter(|table| is_called(&table.table, name));
    let table = named.min_by_key(|table| table.table.len())?;
    let index = design.index(target).map(|index| index.name.value.as_str());
    let resource = table.resources.iter().find(|resource| resource.index.as_deref() == index)?;
    let keys = if reads { &resource.hottest_read_keys } else { &resource.hottest_write_keys };
    let fits = |key: &&KeyReport| template.matches(&key.key);
    keys.iter().find(fits).map(|key| key.share_of_units_percent)
}

/// What a pattern asks, the form of its partition key, and whether it reads.
fn partition_of(design: &Design, at: usize) -> Option<(Target, Template, bool)> {
    let of_entity = |entity: usize, reads: bool| {
        let entity = &design.entities[entity];
        let target = Target::table(entity.table);
        Some((target, entity.partition(design.keys(target))?.value, reads))
    };
    match &design.patterns[at].action {
        Action::Read(read) => match (read.partition(), read.entities.first()) {
            (Some(key), _) => Some((read.target, key.value, true)),
            (None, Some(entity)) => of_entity(entity.value, true),
            (None, None) => None,
        },
        Action::Write(write) => of_entity(write.members.first()?.entity.value, false),
    }
}

fn uncovered_report(kind: &Kind, counts: &Counts) -> UncoveredReport {
    let operation = match kind.action {
        Some(action) => format!("{} {action}", kind.operation),
        None => kind.operation.to_owned(),
    };
    let mut example = format!("{operation} {}", kind.table);
    if let Some(index) = &kind.index {
        example.push_str(&format!("/{index}"));
    }
    for (separator, key) in [(" ", &kind.partition), (" / ", &kind.sort)] {
        if !key.is_empty() {
            let values: Vec<String> = key.iter().map(|value| format!("{value:?}")).collect();
            example.push_str(&format!("{separator}{}", values.join(", ")));
        }
    }
    if let Some(filter) = &kind.filter {
        example.push_str(&format!(" filter {filter}"));
    }
    UncoveredReport {
        example,
        operation: kind.operation.to_owned(),
        table: kind.table.clone(),
        index: kind.index.clone(),
        requests: counts.requests,
        units: counts.halves as f64 / 2.0,
        filtered_out_percent: filtered_percent(counts),
        throttled_requests: counts.throttled,
        reads_within_100_ms_of_a_write: counts.soon,
    }
}

/// What a month costs at the declared rates.
struct Months<'a> {
    prices: &'a RegionPrices<'a>,
    declared: Money,
    measured: Money,
}

impl<'a> Months<'a> {
    /// Storage alone, so far.
    fn of(derived: &Derived<'_>, prices: &'a RegionPrices<'a>) -> Result<Months<'a>, PriceError> {
        let storage = storage_cost(derived, prices)?;
        Ok(Months { prices, declared: storage, measured: storage })
    }

    /// Adds a pattern; answers its month as measured, or as declared when there was no call.
    fn add(
        &mut self,
        design: &Design,
        at: usize,
        service: &Service,
        counts: &Counts,
    ) -> Result<Money, PriceError> {
        let declared = pattern_cost(design, at, service, self.prices)?.month;
        let measured = match milli_halves_of_call(&design.patterns[at], service, counts) {
            Some(milli_halves) => measured_cost(design, at, milli_halves, self.prices)?,
            None => declared,
        };
        self.declared += declared;
        self.measured += measured;
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use dynamometer_engine::throughput::{AccessObserver, ItemAction, Operation};

    use super::*;
    use crate::coverage::tests::{Case, access, coverage};

    /// The coverage of some requests, each of two units.
    fn report(requests: &[(usize, Case)]) -> CoverageReport {
        let coverage = coverage();
        for (times, case) in requests {
            (0..*times).for_each(|_| coverage.observe(&access(case)));
        }
        coverage_report(&coverage, &[], &PriceTable::builtin(), "us-east-1")
    }

    fn pattern<'r>(report: &'r CoverageReport, name: &str) -> &'r PatternReport {
        report.patterns.iter().find(|pattern| pattern.pattern == name).unwrap()
    }

    #[test]
    fn calls_are_worked_out_from_their_elements() {
        let (user, order) = ((Some("USER#1"), Some("PROFILE")), (Some("USER#1"), Some("ORDER#1")));
        let of = |operation, action, key: (Option<&'static str>, Option<&'static str>)| {
            (operation, Some(action), "App", key.0, key.1, false)
        };
        let transaction = Operation::TransactWriteItems;
        let report = report(&[
            (3, of(transaction, ItemAction::Put, order)),
            (3, of(transaction, ItemAction::Update, user)),
            (50, of(Operation::BatchWriteItem, ItemAction::Put, order)),
        ]);
        let of_transaction = pattern(&report, "order");
        assert_eq!((of_transaction.requests, of_transaction.calls), (6, 3.0));
        assert_eq!(of_transaction.units_per_call, Some(4.0));
        let of_batch = pattern(&report, "import");
        assert_eq!((of_batch.requests, of_batch.calls, of_batch.units_per_call), (50, 2.0, Some(50.0)));
        assert_eq!(of_batch.declared_units_per_call, Some(25.0));
        assert_eq!(of_batch.unit_drift_percent, Some(100.0));
    }

    #[test]
    fn a_month_is_priced_with_what_was_measured() {
        let get = (Operation::GetItem, None, "App", Some("USER#1"), Some("PROFILE"), false);
        let report = report(&[(2, get)]);
        let profile = pattern(&report, "profile");
        assert_eq!((profile.declared_units_per_call, profile.units_per_call), (Some(0.5), Some(2.0)));
        // One a second for 730 hours: 2,628,000 calls, at $0.125 for a million units.
        assert_eq!(profile.dollars_a_month, Some(0.657));
        let more = report.dollars_a_month_as_measured.unwrap() - report.dollars_a_month_as_declared.unwrap();
        assert!((more - 0.657 * 0.75).abs() < 0.000_01, "{more}");
        // What was not exercised counts as declared.
        assert_eq!(pattern(&report, "orders").units_per_call, None);
        assert!(pattern(&report, "orders").dollars_a_month.unwrap() > 0.0);
    }

    #[test]
    fn waste_and_examples_are_told() {
        let filtered = (Operation::Query, None, "App", Some("USER#1"), Some("ORDER#"), true);
        let stray = (Operation::Query, None, "App/GSI1", Some("NAME#alice"), None, true);
        let report = report(&[(1, filtered), (2, stray)]);
        assert_eq!(pattern(&report, "big orders").filtered_out_percent, 50.0);
        let [uncovered] = &report.uncovered[..] else { panic!("{:?}", report.uncovered) };
        assert_eq!(uncovered.example, "Query App/GSI1 \"NAME#…\" filter amount > …");
        assert_eq!((uncovered.requests, uncovered.units, uncovered.filtered_out_percent), (2, 4.0, 50.0));
    }
}
