//! Reading events from lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use dynamometer_types::Timestamp;
use thiserror::Error;

use super::line::{Complaint, Fields, hash, mode, number, numbers, optional, options, parts, place, quoted};
use super::{Event, EventKind, HEADER, TraceOutcome, TracePart};
use crate::CapacityUnits;
use crate::admission::{
    BillingMode, Decreases, Exact, IndexSpec, ResourceSpec, TableSpec, TargetUpdate, ThroughputUpdate,
};

/// A trace that cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: expected {expected}, found {found}")]
pub struct TraceError {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// What should stand there.
    pub expected: String,
    /// What does.
    pub found: String,
}

/// Reads a trace line by line.
#[derive(Debug)]
pub struct TraceReader {
    file: String,
    line: u64,
    began: bool,
    /// The last moment of each table.
    latest: BTreeMap<u64, Timestamp>,
}

impl TraceReader {
    /// A reader of the file of that name, which stands in its errors.
    pub fn new(file: &str) -> Self {
        Self { file: file.to_owned(), line: 0, began: false, latest: BTreeMap::new() }
    }

    /// The event of the next line; `None` when the line holds none.
    ///
    /// # Errors
    /// File, line, what was expected and what was found. The moment of an event may not be before that of its table's event above.
    pub fn read(&mut self, line: &str) -> Result<Option<Event>, TraceError> {
        self.line += 1;
        let line = line.trim_end();
        let event = self.event(line).map_err(|(expected, found)| self.error(&expected, &found))?;
        Ok(event)
    }

    /// To be called after the last line.
    ///
    /// # Errors
    /// When there was no line at all.
    pub fn end(&self) -> Result<(), TraceError> {
        match self.began {
            true => Ok(()),
            false => Err(TraceError { line: 1, ..self.error(&header(), "an empty file") }),
        }
    }

    /// The line that was read last, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// An error at the line that was read last.
    pub fn error(&self, expected: &str, found: &str) -> TraceError {
        TraceError {
            file: self.file.clone(),
            line: self.line,
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }

    fn event(&mut self, line: &str) -> Result<Option<Event>, Complaint> {
        if !self.began {
            if line.trim_start_matches('\u{feff}') != HEADER {
                return Err((header(), quoted(line)));
            }
            self.began = true;
            return Ok(None);
        }
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let event = event(line)?;
        match &event.kind {
            EventKind::Constant { .. } => {}
            // Requests of several tables cross, and a table may have been made long before its first one.
            EventKind::Table { .. } => drop(self.latest.insert(event.table, event.at)),
            _ => {
                let latest = self.latest.entry(event.table).or_insert(event.at);
                if event.at < *latest {
                    let expected = format!(
                        "a moment of {} or later, for the events of a table stand in order of time",
                        latest.millis()
                    );
                    return Err((expected, event.at.millis().to_string()));
                }
                *latest = event.at;
            }
        }
        Ok(Some(event))
    }
}

fn header() -> String {
    format!("the first line '{HEADER}'")
}

const WORDS: &str = "constant, table, drop, add-index, remove-index, follow, update, admit, extend, settle, release or resize";

fn event(line: &str) -> Result<Event, Complaint> {
    let mut fields = Fields::of(line);
    let word = fields.text(WORDS)?;
    if word == "constant" {
        let name = fields.text("the name of a constant")?.to_owned();
        let value = fields.number("a whole number")?;
        fields.end()?;
        return Ok(Event { table: 0, at: Timestamp::default(), kind: EventKind::Constant { name, value } });
    }
    if !WORDS.split([',', ' ']).any(|known| known == word && word != "or") {
        return Err((format!("one of {WORDS}"), quoted(word)));
    }
    let table = fields.number("the number of a table")?;
    let at = fields.moment()?;
    Ok(Event { table, at, kind: kind(word, fields)? })
}

fn kind(word: &str, mut fields: Fields<'_>) -> Result<EventKind, Complaint> {
    match word {
        "table" => {
            let name = name(fields.text("the name of the table")?)?.to_string();
            return Ok(EventKind::Table { name, spec: Box::new(spec(fields)?) });
        }
        "follow" => return Ok(EventKind::Follow(Box::new(spec(fields)?))),
        "update" => return update(fields),
        "admit" | "extend" => return asked(word, fields),
        "settle" => {
            let request = fields.number(REQUEST)?;
            let exact = fields.rest().map(exact).collect::<Result<_, _>>()?;
            return Ok(EventKind::Settle { request, exact });
        }
        _ => {}
    }
    let kind = match word {
        "add-index" => EventKind::AddIndex(Box::new(index(fields.text(RESOURCE)?)?)),
        "remove-index" => EventKind::RemoveIndex(name(fields.text("the name of the index")?)?),
        "release" => EventKind::Release { request: fields.number(REQUEST)? },
        "resize" => {
            let (resource, _, hash, sort_key) = place(parts(fields.text(PLACE)?, PLACE)?)?;
            let bytes_delta = fields.number("bytes more or less")?;
            EventKind::Resize { resource, hash, sort_key, bytes_delta }
        }
        _ => EventKind::Drop,
    };
    fields.end()?;
    Ok(kind)
}

const REQUEST: &str = "the number of a request";
const PLACE: &str = "a place as resource:r|w:hash:sort-key";
const PART: &str = "a part as resource:r|w:hash:sort-key:half-units";
const RESOURCE: &str = "a resource as name:provisioned:maximum:warm:peak:bytes:decreases:last-increase";
const TARGET: &str = "a target as name:provisioned:maximum:warm";

/// A name as tables and indexes have it.
fn name(text: &str) -> Result<Arc<str>, Complaint> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    match !["", "-"].contains(&text) && text.bytes().all(is_fine) {
        true => Ok(text.into()),
        false => Err(("a name of letters, digits, '_', '.' and '-'".to_owned(), quoted(text))),
    }
}

fn asked(word: &str, mut fields: Fields<'_>) -> Result<EventKind, Complaint> {
    let request = fields.number(REQUEST)?;
    let outcome = match fields.text("'ok' or a reason")? {
        "ok" => TraceOutcome::Admitted,
        refused => {
            let (reason, index) = refused.split_once('@').ok_or_else(|| {
                ("'ok' or a reason as TableWriteKeyRangeThroughputExceeded@-".to_owned(), quoted(refused))
            })?;
            TraceOutcome::Refused { reason: reason.to_owned(), index: optional(index, name)? }
        }
    };
    let parts = fields.rest().map(part).collect::<Result<Vec<_>, _>>()?;
    match word {
        "admit" if parts.is_empty() => Err((PART.to_owned(), "the end of the line".to_owned())),
        "admit" => Ok(EventKind::Admit { request, parts, outcome }),
        _ => Ok(EventKind::Extend { request, parts, outcome }),
    }
}

fn part(text: &str) -> Result<TracePart, Complaint> {
    let [resource, letter, hash, sort_key, halves] = parts(text, PART)?;
    let (resource, dimension, hash, sort_key) = place([resource, letter, hash, sort_key])?;
    let floor = CapacityUnits::from_halves(number(halves, "half units")?);
    Ok(TracePart { resource, dimension, hash, sort_key, floor })
}

fn exact(text: &str) -> Result<Exact, Complaint> {
    let (halves, through) = match text.split_once('@') {
        Some((halves, through)) => (halves, Some(hash(through)?)),
        None => (text, None),
    };
    let units = CapacityUnits::from_halves(number(halves, "half units")?);
    Ok(Exact { units, through_hash: through })
}

fn update(mut fields: Fields<'_>) -> Result<EventKind, Complaint> {
    let mode = optional(fields.text("a mode or '-'")?, mode)?;
    let pair = "provisioned units elsewhere as reads/writes";
    let elsewhere = numbers(fields.text(pair)?, pair)?;
    let accepted = match fields.text("'ok' or 'refused'")? {
        "ok" => true,
        "refused" => false,
        other => return Err(("'ok' or 'refused'".to_owned(), quoted(other))),
    };
    let targets = fields.rest().map(target).collect::<Result<_, _>>()?;
    Ok(EventKind::Update { update: Box::new(ThroughputUpdate { mode, targets }), elsewhere, accepted })
}

fn target(text: &str) -> Result<TargetUpdate, Complaint> {
    let [index, provisioned, maximum, warm] = parts(text, TARGET)?;
    Ok(TargetUpdate {
        index: optional(index, name)?,
        provisioned: optional(provisioned, |text| {
            numbers(text, "provisioned units as reads/writes, or '-'")
        })?,
        maximum: options(maximum, "maximum units as reads/writes")?,
        warm: options(warm, "warm units as reads/writes")?,
    })
}

fn spec(mut fields: Fields<'_>) -> Result<TableSpec, Complaint> {
    let mode: BillingMode = mode(fields.text("'on-demand' or 'provisioned'")?)?;
    let has_local_index = fields.flag("lsi")?;
    let seed = fields.number("the seed of the table")?;
    let was_on_demand = fields.flag("was-on-demand")?;
    let moments = |text: &str| -> Result<Vec<Timestamp>, Complaint> {
        let each = text.split(',');
        each.map(|ms| number(ms, "moments of switches, or '-'").map(Timestamp::from_millis)).collect()
    };
    let switches = optional(fields.text("moments of switches, or '-'")?, moments)?;
    let (name, table) = resource(fields.text(RESOURCE)?)?;
    if let Some(name) = name {
        return Err(("the table itself, named '-'".to_owned(), quoted(&name)));
    }
    Ok(TableSpec {
        mode,
        table,
        indexes: fields.rest().map(index).collect::<Result<_, _>>()?,
        has_local_index,
        switches_to_on_demand: switches.unwrap_or_default(),
        was_on_demand,
        seed,
    })
}

fn index(text: &str) -> Result<IndexSpec, Complaint> {
    match resource(text)? {
        (Some(name), resource) => Ok(IndexSpec { name, resource }),
        (None, _) => Err(("an index by its name".to_owned(), "'-'".to_owned())),
    }
}

fn resource(text: &str) -> Result<(Option<Arc<str>>, ResourceSpec), Complaint> {
    let [index, provisioned, maximum, warm, peak, bytes, decreases, last_increase] = parts(text, RESOURCE)?;
    let decreases = optional(decreases, |text| {
        Decreases::from_text(text)
            .ok_or_else(|| ("decreases as day.today.last.in-hand.hour".to_owned(), quoted(text)))
    })?;
    let last_increase = optional(last_increase, |text| number(text, "a moment in milliseconds"))?;
    let spec = ResourceSpec {
        provisioned: numbers(provisioned, "provisioned units as reads/writes")?,
        maximum: options(maximum, "maximum units as reads/writes")?,
        warm: numbers(warm, "warm units as reads/writes")?,
        previous_peak: numbers(peak, "previous peak as reads/writes")?,
        bytes: number(bytes, "bytes stored")?,
        decreases: decreases.unwrap_or_default(),
        last_increase: last_increase.map(Timestamp::from_millis),
    };
    Ok((optional(index, name)?, spec))
}
