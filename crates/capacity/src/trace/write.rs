//! Writing events as lines.

use std::fmt::{self, Display, Write};

use dynamometer_types::Timestamp;

use super::{Event, EventKind, TraceOutcome, TracePart, mode_word};
use crate::admission::{
    Dimension, Exact, IndexSpec, PerDimension, ResourceId, ResourceSpec, TableSpec, TargetUpdate,
};

/// A value, or `-` for none.
struct OrNone<T>(Option<T>);

impl<T: Display> Display for OrNone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-"),
        }
    }
}

struct Pair<T>(PerDimension<T>);

impl<T: Display> Display for Pair<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.read, self.0.write)
    }
}

fn options<T>(pair: PerDimension<Option<T>>) -> Pair<OrNone<T>> {
    Pair(pair.map(OrNone))
}

struct Hex<'a>(&'a [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("-");
        }
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// `0:w:9f…:61`.
struct PlaceText<'a>(ResourceId, Dimension, u64, &'a [u8]);

impl Display for PlaceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(resource, dimension, hash, sort_key) = self;
        let letter = match dimension {
            Dimension::Read => 'r',
            Dimension::Write => 'w',
        };
        write!(f, "{}:{letter}:{hash:x}:{}", resource.number(), Hex(sort_key))
    }
}

impl Event {
    /// Appends the event to `out` as one line with its end.
    pub fn write_to(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write_event(self, out);
    }
}

fn write_event(event: &Event, out: &mut String) -> fmt::Result {
    let (t, ms) = (event.table, event.at.millis());
    match &event.kind {
        EventKind::Constant { name, value } => write!(out, "constant {name} {value}")?,
        EventKind::Table { name, spec } => {
            write!(out, "table {t} {ms} {name} ")?;
            write_spec(spec, out)?;
        }
        EventKind::Follow(spec) => {
            write!(out, "follow {t} {ms} ")?;
            write_spec(spec, out)?;
        }
        EventKind::Drop => write!(out, "drop {t} {ms}")?,
        EventKind::AddIndex(index) => {
            write!(out, "add-index {t} {ms} ")?;
            write_index(index, out)?;
        }
        EventKind::RemoveIndex(name) => write!(out, "remove-index {t} {ms} {name}")?,
        EventKind::Update { update, elsewhere, accepted } => {
            let mode = OrNone(update.mode.map(mode_word));
            let answer = if *accepted { "ok" } else { "refused" };
            write!(out, "update {t} {ms} {mode} {} {answer}", Pair(*elsewhere))?;
            update.targets.iter().try_for_each(|target| write_target(target, out))?;
        }
        EventKind::Admit { request, parts, outcome } => {
            write_asked("admit", (t, ms, *request), outcome, parts, out)?;
        }
        EventKind::Extend { request, parts, outcome } => {
            write_asked("extend", (t, ms, *request), outcome, parts, out)?;
        }
        EventKind::Settle { request, exact } => {
            write!(out, "settle {t} {ms} {request}")?;
            exact.iter().try_for_each(|exact| write_exact(exact, out))?;
        }
        EventKind::Release { request } => write!(out, "release {t} {ms} {request}")?,
        EventKind::Resize { resource, hash, sort_key, bytes_delta } => {
            let place = PlaceText(*resource, Dimension::Write, *hash, sort_key);
            write!(out, "resize {t} {ms} {place} {bytes_delta}")?;
        }
    }
    out.push('\n');
    Ok(())
}

fn write_asked(
    word: &str,
    (t, ms, request): (u64, i64, u64),
    outcome: &TraceOutcome,
    parts: &[TracePart],
    out: &mut String,
) -> fmt::Result {
    write!(out, "{word} {t} {ms} {request} ")?;
    match outcome {
        TraceOutcome::Admitted => out.push_str("ok"),
        TraceOutcome::Refused { reason, index } => write!(out, "{reason}@{}", OrNone(index.as_deref()))?,
    }
    parts.iter().try_for_each(|part| {
        let place = PlaceText(part.resource, part.dimension, part.hash, &part.sort_key);
        write!(out, " {place}:{}", part.floor.halves())
    })
}

fn write_exact(exact: &Exact, out: &mut String) -> fmt::Result {
    write!(out, " {}", exact.units.halves())?;
    match exact.through_hash {
        Some(hash) => write!(out, "@{hash:x}"),
        None => Ok(()),
    }
}

fn write_target(target: &TargetUpdate, out: &mut String) -> fmt::Result {
    write!(
        out,
        " {}:{}:{}:{}",
        OrNone(target.index.as_deref()),
        OrNone(target.provisioned.map(Pair)),
        options(target.maximum),
        options(target.warm),
    )
}

fn write_spec(spec: &TableSpec, out: &mut String) -> fmt::Result {
    let lsi = if spec.has_local_index { "lsi" } else { "-" };
    let was = if spec.was_on_demand { "was-on-demand" } else { "-" };
    write!(out, "{} {lsi} {} {was} ", mode_word(spec.mode), spec.seed)?;
    match spec.switches_to_on_demand.as_slice() {
        [] => out.push('-'),
        switches => {
            let switches: Vec<_> = switches.iter().map(|at| at.millis().to_string()).collect();
            out.push_str(&switches.join(","));
        }
    }
    out.push(' ');
    write_resource(None, &spec.table, out)?;
    spec.indexes.iter().try_for_each(|index| {
        out.push(' ');
        write_index(index, out)
    })
}

fn write_index(index: &IndexSpec, out: &mut String) -> fmt::Result {
    write_resource(Some(&index.name), &index.resource, out)
}

fn write_resource(name: Option<&str>, resource: &ResourceSpec, out: &mut String) -> fmt::Result {
    write!(
        out,
        "{}:{}:{}:{}:{}:{}:{}:{}",
        OrNone(name),
        Pair(resource.provisioned),
        options(resource.maximum),
        Pair(resource.warm),
        Pair(resource.previous_peak),
        resource.bytes,
        OrNone(resource.decreases.to_text()),
        OrNone(resource.last_increase.map(Timestamp::millis)),
    )
}
