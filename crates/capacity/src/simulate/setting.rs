//! The settings to compare, and how people write them.

use std::fmt;

use thiserror::Error;

use crate::admission::PerDimension;
use crate::money::ReservedTerm;

/// One way to set a table up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How throughput is had and paid.
    pub throughput: Throughput,
    /// Into how many keys each hot partition key is divided; 1 for not at all.
    pub shards: u64,
}

/// How throughput is had and paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// As the trace has it; for traces only.
    Recorded,
    /// On demand, new.
    OnDemand,
    /// On demand, warmed in advance to so many units per second; `None`: to the load's peak and a tenth more.
    Warm(Option<PerDimension<u64>>),
    /// Provisioned, always the same; `None`: the load's peak.
    Fixed(Option<PerDimension<u64>>),
    /// Provisioned, and followed by auto scaling.
    Scaled {
        /// The target utilisation in percent.
        target_percent: u64,
        /// The least units per second.
        least: u64,
        /// The most units per second.
        most: u64,
        /// What is always there is reserved for so long.
        reserved: Option<ReservedTerm>,
    },
}

/// The bounds of auto scaling unless given: the least that the console proposes, the most that a table may have.
const LEAST: u64 = 5;
const MOST: u64 = 40_000;
/// The target unless given.
const USUAL_TARGET: u64 = 70;
/// The most shards of a key.
const MOST_SHARDS: u64 = 1_000;

/// A setting that is not understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is no setting: {expected}")]
pub struct SettingError {
    /// What was written.
    pub text: String,
    /// What could be.
    pub expected: String,
}

const FORMS: &str = "write on-demand, warm, warm:READS/WRITES, prov:70, prov:70:LEAST-MOST, fixed:peak, \
                     fixed:READS/WRITES, reserved:1y, reserved:3y:80, shards:10, shards:1..5, or two of these joined \
                     by +, such as prov:70+shards:10";

impl Setting {
    /// On demand, without shards.
    pub const ON_DEMAND: Self = Self { throughput: Throughput::OnDemand, shards: 1 };

    /// Reads settings separated by commas; one that stands there twice counts once.
    ///
    /// # Errors
    /// The first that is not understood, and the forms that are.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, SettingError> {
        let mut settings: Vec<Self> = Vec::new();
        for part in text.split(',') {
            for setting in Self::parse(part.trim())? {
                // A range of shards begins with none, which may stand there already.
                if !settings.contains(&setting) {
                    settings.push(setting);
                }
            }
        }
        Ok(settings)
    }

    /// Reads one setting; a range of shards makes several.
    fn parse(text: &str) -> Result<Vec<Self>, SettingError> {
        let wrong = |expected: String| SettingError { text: text.to_owned(), expected };
        let (mut throughput, mut shards) = (None, None);
        for word in text.split('+') {
            let mut fields = word.split(':');
            let name = fields.next().unwrap_or_default();
            let fields: Vec<&str> = fields.collect();
            if name == "shards" {
                let range = shard_range(&fields).ok_or_else(|| {
                    wrong(format!("shards take a count from 1 to {MOST_SHARDS}, or a range, such as shards:10 or shards:1..5"))
                })?;
                if shards.replace(range).is_some() {
                    return Err(wrong("shards stand in it twice".to_owned()));
                }
                continue;
            }
            let read = read_throughput(name, &fields).map_err(|expected| wrong(expected.to_owned()))?;
            if throughput.replace(read).is_some() {
                return Err(wrong("it has two kinds of throughput; separate settings by commas".to_owned()));
            }
        }
        let throughput = throughput.unwrap_or(Throughput::OnDemand);
        let (first, last) = shards.unwrap_or((1, 1));
        Ok((first..=last).map(|shards| Self { throughput, shards }).collect())
    }
}

fn shard_range(fields: &[&str]) -> Option<(u64, u64)> {
    let [text] = fields else { return None };
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
        None => (text.parse().ok()?, text.parse().ok()?),
    };
    (1 <= first && first <= last && last <= MOST_SHARDS).then_some((first, last))
}

fn read_throughput(name: &str, fields: &[&str]) -> Result<Throughput, &'static str> {
    let units = |text: &str| -> Option<PerDimension<u64>> {
        let (reads, writes) = text.split_once('/')?;
        let (reads, writes) = (reads.parse().ok()?, writes.parse().ok()?);
        (reads > 0 && writes > 0).then_some(PerDimension::new(reads, writes))
    };
    match (name, fields) {
        ("on-demand", []) => Ok(Throughput::OnDemand),
        ("recorded", []) => Ok(Throughput::Recorded),
        ("warm", []) => Ok(Throughput::Warm(None)),
        ("warm", [text]) => units(text)
            .map(|units| Throughput::Warm(Some(units)))
            .ok_or("warm throughput is READS/WRITES in units per second, such as warm:24000/8000"),
        ("fixed", ["peak"]) => Ok(Throughput::Fixed(None)),
        ("fixed", [text]) => units(text)
            .map(|units| Throughput::Fixed(Some(units)))
            .ok_or("fixed throughput is READS/WRITES in units per second, or peak, such as fixed:450/400"),
        ("prov", []) => scaled(None, None, None),
        ("prov", [target]) => scaled(Some(target), None, None),
        ("prov", [target, bounds]) => scaled(Some(target), Some(bounds), None),
        ("reserved", [term]) => scaled(None, None, Some(term)),
        ("reserved", [term, target]) => scaled(Some(target), None, Some(term)),
        _ => Err(FORMS),
    }
}

fn scaled(
    target: Option<&str>,
    bounds: Option<&str>,
    term: Option<&str>,
) -> Result<Throughput, &'static str> {
    let target_percent = target.map_or(Some(USUAL_TARGET), |text| text.trim_end_matches('%').parse().ok());
    let target_percent = target_percent
        .filter(|target| (20..=90).contains(target))
        .ok_or("auto scaling takes a target from 20 to 90 percent, such as prov:70")?;
    let bounds = bounds.map_or(Some((LEAST, MOST)), |text| {
        let (least, most) = text.split_once('-')?;
        let (least, most) = (least.parse().ok()?, most.parse().ok()?);
        (1 <= least && least <= most).then_some((least, most))
    });
    let (least, most) = bounds
        .ok_or("bounds of auto scaling are LEAST-MOST in units per second, such as prov:70:100-4000")?;
    let reserved = match term {
        None => None,
        Some("1y") => Some(ReservedTerm::OneYear),
        Some("3y") => Some(ReservedTerm::ThreeYears),
        Some(_) => return Err("throughput is reserved for 1y or 3y"),
    };
    Ok(Throughput::Scaled { target_percent, least, most, reserved })
}

/// As a row of a table is headed: `provisioned 70 %, 10 shards`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shards = match self.shards {
            1 => String::new(),
            count => format!("{count} shards"),
        };
        let throughput = match self.throughput {
            Throughput::Recorded => "as recorded".to_owned(),
            Throughput::OnDemand if self.shards > 1 => return f.write_str(&shards),
            Throughput::OnDemand => "on-demand".to_owned(),
            Throughput::Warm(None) => "on-demand, warm".to_owned(),
            Throughput::Warm(Some(units)) => format!("on-demand, warm {}/{}", units.read, units.write),
            Throughput::Fixed(None) => "provisioned, peak".to_owned(),
            Throughput::Fixed(Some(units)) => format!("provisioned {}/{}", units.read, units.write),
            Throughput::Scaled { target_percent, least, most, reserved } => {
                let kind = match reserved {
                    None => "provisioned",
                    Some(ReservedTerm::OneYear) => "reserved 1 y,",
                    Some(ReservedTerm::ThreeYears) => "reserved 3 y,",
                };
                let bounds = match (least, most) {
                    (LEAST, MOST) => String::new(),
                    _ => format!(" of {least} to {most}"),
                };
                format!("{kind} {target_percent} %{bounds}")
            }
        };
        match self.shards {
            1 => f.write_str(&throughput),
            _ => write!(f, "{throughput}, {shards}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_named() {
        for (text, names) in [
            ("on-demand,prov:70,shards:10", "on-demand; provisioned 70 %; 10 shards"),
            ("warm, warm:24000/8000", "on-demand, warm; on-demand, warm 24000/8000"),
            ("fixed:peak,fixed:450/400", "provisioned, peak; provisioned 450/400"),
            ("reserved:1y,reserved:3y:80", "reserved 1 y, 70 %; reserved 3 y, 80 %"),
            ("prov:70%:100-4000+shards:4", "provisioned 70 % of 100 to 4000, 4 shards"),
            ("shards:1..3", "on-demand; 2 shards; 3 shards"),
            ("recorded", "as recorded"),
        ] {
            let settings = Setting::parse_list(text).unwrap();
            let named: Vec<_> = settings.iter().map(Setting::to_string).collect();
            assert_eq!(named.join("; "), names);
        }
    }

    #[test]
    fn what_is_no_setting_says_what_is() {
        for (text, expected) in [
            ("", "write on-demand, warm"),
            ("on-demand,", "write on-demand, warm"),
            ("provisioned:70", "write on-demand, warm"),
            ("prov:95", "auto scaling takes a target from 20 to 90"),
            ("prov:70:9-8", "bounds of auto scaling"),
            ("fixed:0/5", "fixed throughput is READS/WRITES"),
            ("warm:5", "warm throughput is READS/WRITES"),
            ("shards:0", "shards take a count"),
            ("shards:5..2", "shards take a count"),
            ("reserved:2y", "throughput is reserved for 1y or 3y"),
            ("on-demand+prov:70", "it has two kinds of throughput"),
        ] {
            let error = Setting::parse_list(text).unwrap_err();
            assert!(error.expected.starts_with(expected), "{text}: {error}");
        }
    }
}
