//! Tables and indexes.

use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::TableClass;
use dynamometer_capacity::quantity;
use dynamometer_types::{KeyAttribute, KeySchema, ScalarType};

use super::members::Members;
use super::{Reader, count};
use crate::format;
use crate::model::{Alarm, AutoScaling, Index, Projection, Scheduled, Spanned, Table, Throughput, Ttl};
use crate::yaml::{Content, Node, Span};

/// The most attributes of an index's partition key, and of its sort key.
const KEY_ATTRIBUTES: usize = 4;

impl Reader {
    pub(super) fn tables(&mut self, members: &Members<'_>, production: bool) -> Vec<Table> {
        let named = self.named(members, "tables");
        named.into_iter().filter_map(|(name, node)| self.table(name, node, production)).collect()
    }

    fn table(&mut self, name: Spanned<String>, node: &Node, production: bool) -> Option<Table> {
        let what = format!("table {}", *name);
        let members = self.object(node, &format::TABLE, &what)?;
        let (keys, keys_span) = self.key_schema(&members, &what, false)?;
        let indexes = self.named(&members, "indexes");
        let indexes = indexes.into_iter().filter_map(|(name, node)| self.index(name, node, &keys)).collect();
        let billing = match self.word_of(&members, "billing", format::BILLING).map(|word| word.value) {
            Some("provisioned") => BillingMode::Provisioned,
            _ => BillingMode::OnDemand,
        };
        let class = match self.word_of(&members, "class", format::CLASSES).map(|word| word.value) {
            Some("standard-ia") => TableClass::StandardInfrequentAccess,
            _ => TableClass::Standard,
        };
        let stream = self.word_of(&members, "stream", format::STREAMS);
        Some(Table {
            keys,
            keys_span,
            indexes,
            billing,
            throughput: self.throughput(&members),
            class,
            ttl: members.get("ttl").and_then(|node| self.ttl(node)),
            recovery: self.switch_of(&members, "point-in-time-recovery"),
            rebuildable: self.switch_of(&members, "rebuildable").is_some_and(|yes| *yes),
            deletion_protection: self.switch_of(&members, "deletion-protection"),
            stream: stream.map(|word| Spanned { value: word.value.to_owned(), span: word.span }),
            stream_readers: self.parsed_of(&members, "stream-readers", count),
            contributor_insights: self.switch_of(&members, "contributor-insights"),
            alarms: self.alarms(&members),
            schedule: self.schedule(&members),
            production: match members.get("environment") {
                Some(_) => self.is_production(&members),
                None => production,
            },
            region: self.text_of(&members, "region"),
            account: self.text_of(&members, "account"),
            name,
        })
    }

    fn index(&mut self, name: Spanned<String>, node: &Node, table: &KeySchema) -> Option<Index> {
        let what = format!("index {}", *name);
        let members = self.object(node, &format::INDEX, &what)?;
        let local = self.switch_of(&members, "local").is_some_and(|local| *local);
        let (keys, span) = self.key_schema(&members, &what, !local)?;
        if local && (keys.partition != table.partition || keys.sort.is_empty()) {
            let partition = &table.partition[0].name;
            let sentence = format!("{what} is local: its keys are [{partition}, a sort key of its own]");
            self.problem(span, sentence);
        }
        let (projection, projection_span) = match members.get("projection") {
            None => (Projection::All, name.span),
            Some(node) if matches!(node.content, Content::List(_)) => {
                let names = self.texts_of(&members, "projection");
                (Projection::Include(names.into_iter().map(|name| name.value).collect()), node.span)
            }
            Some(node) => match self.word(node, "projection", format::PROJECTIONS)?.value {
                "keys-only" => (Projection::KeysOnly, node.span),
                _ => (Projection::All, node.span),
            },
        };
        let throughput = self.throughput(&members);
        Some(Index { name, keys, local, projection, projection_span, throughput })
    }

    /// `[PK, SK]` or `[PK, "createdAt N"]`: the partition key attribute, then the sort key attribute. Of a global index each
    /// may be a list: `[[tenantId, region], [status, createdAt]]`.
    fn key_schema(
        &mut self,
        members: &Members<'_>,
        what: &str,
        takes_several: bool,
    ) -> Option<(KeySchema, Span)> {
        let span = members.get("keys")?.span;
        let nodes = self.list_of(members, "keys");
        let mut parts = Vec::new();
        for node in nodes {
            let attributes = self.key_attributes(node)?;
            if attributes.len() > 1 && !takes_several {
                let sentence =
                    format!("{what} has one partition key attribute, and one sort key attribute or none");
                let hint = "only a global index has keys of several attributes".to_owned();
                self.problem_with_hint(node.span, sentence, Some(hint));
                return None;
            }
            if !(1..=KEY_ATTRIBUTES).contains(&attributes.len()) {
                let sentence = format!(
                    "a key of an index has 1 to {KEY_ATTRIBUTES} attributes, this one {}",
                    attributes.len()
                );
                self.problem(node.span, sentence);
                return None;
            }
            parts.push(attributes);
        }
        if !(1..=2).contains(&parts.len()) {
            let several = if takes_several { ", or [[PK, PK2], [SK, SK2]] for several of each" } else { "" };
            let sentence =
                format!("{what} has {} key attributes: write [PK] or [PK, SK]{several}", parts.len());
            self.problem(span, sentence);
            return None;
        }
        let mut parts = parts.into_iter();
        let keys =
            KeySchema { partition: parts.next().unwrap_or_default(), sort: parts.next().unwrap_or_default() };
        let names: Vec<&str> = keys.attributes().map(|attribute| attribute.name.as_str()).collect();
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            self.problem(span, format!("{what} has the attribute {} twice in its key", twice.1));
        }
        Some((keys, span))
    }

    /// One attribute, or a list of several.
    fn key_attributes(&mut self, node: &Node) -> Option<Vec<KeyAttribute>> {
        let nodes = match &node.content {
            Content::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(node),
        };
        nodes.iter().map(|node| self.key_attribute(node)).collect()
    }

    fn key_attribute(&mut self, node: &Node) -> Option<KeyAttribute> {
        let text = self.text(node)?;
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default().to_owned();
        let scalar_type = match (words.next(), words.next()) {
            (None, _) => Some(ScalarType::S),
            (Some(kind), None) => ScalarType::from_name(kind),
            _ => None,
        };
        if scalar_type.is_none() {
            let sentence = format!(
                "`{}` is no key attribute: write its name, and its type S, N or B unless it is S, as in `createdAt N`",
                *text
            );
            self.problem(text.span, sentence);
        }
        Some(KeyAttribute { name, scalar_type: scalar_type? })
    }

    fn throughput(&mut self, members: &Members<'_>) -> Throughput {
        Throughput {
            capacity: self.units(members, "capacity"),
            auto_scaling: members.get("auto-scaling").and_then(|node| self.auto_scaling(node)),
            most: self.units(members, "max-throughput"),
            warm: self.units(members, "warm-throughput"),
        }
    }

    fn units(&mut self, members: &Members<'_>, name: &str) -> Option<Spanned<PerDimension<Option<u64>>>> {
        let node = members.get(name)?;
        let object = format::TABLE.key(name).map(|key| &key.kind);
        let Some(format::Kind::Object(object)) = object else { return None };
        let members = self.object(node, object, name)?;
        let reads = self.parsed_of(&members, "reads", count).map(|units| units.value);
        let writes = self.parsed_of(&members, "writes", count).map(|units| units.value);
        if reads == Some(0) || writes == Some(0) {
            self.problem(members.span, format!("{name} must be at least 1"));
        }
        Some(Spanned { value: PerDimension::new(reads, writes), span: self.first_key(node) })
    }

    fn auto_scaling(&mut self, node: &Node) -> Option<Spanned<AutoScaling>> {
        let members = self.object(node, &format::AUTO_SCALING, "auto-scaling")?;
        let reads = self.parsed_of(&members, "reads", range).map(|range| range.value);
        let writes = self.parsed_of(&members, "writes", range).map(|range| range.value);
        let target = self.parsed_of(&members, "target", quantity::percent);
        let span = target.as_ref().map_or_else(|| self.first_key(node), |target| target.span);
        let target_ppm = target.map_or(700_000, |target| target.value);
        Some(Spanned { value: AutoScaling { bounds: PerDimension::new(reads, writes), target_ppm }, span })
    }

    /// Where an object begins, on one line.
    fn first_key(&self, node: &Node) -> Span {
        match &node.content {
            Content::Map(pairs) => match (pairs.first(), pairs.last()) {
                (Some((first, _)), Some((_, last))) if first.span.start.line == last.span.end.line => {
                    Span { start: first.span.start, end: last.span.end }
                }
                (Some((first, value)), _) => Span { start: first.span.start, end: value.span.end },
                _ => node.span,
            },
            _ => node.span,
        }
    }

    fn ttl(&mut self, node: &Node) -> Option<Ttl> {
        if let Content::Map(_) = node.content {
            let members = self.object(node, &format::TTL, "ttl")?;
            let unit = self.word_of(&members, "unit", format::TTL_UNITS);
            let milliseconds = unit.is_some_and(|unit| unit.value == "milliseconds");
            let attribute = self.text_of(&members, "attribute")?;
            return Some(Ttl { attribute, milliseconds });
        }
        Some(Ttl { attribute: self.text(node)?, milliseconds: false })
    }

    fn alarms(&mut self, members: &Members<'_>) -> Option<Spanned<Vec<Alarm>>> {
        let span = members.pair("alarms")?.0.span;
        let mut alarms = Vec::new();
        for node in self.list_of(members, "alarms") {
            let Some(members) = self.object(node, &format::ALARM, "an alarm") else { continue };
            let dimensions = self.texts_of(&members, "dimensions");
            if let Some(metric) = self.text_of(&members, "metric") {
                let dimensions = dimensions.into_iter().map(|name| name.value).collect();
                alarms.push(Alarm { metric, dimensions });
            }
        }
        Some(Spanned { value: alarms, span })
    }

    fn schedule(&mut self, members: &Members<'_>) -> Vec<Scheduled> {
        let mut schedule = Vec::new();
        for node in self.list_of(members, "schedule") {
            let Some(members) = self.object(node, &format::SCHEDULED, "a scheduled change") else { continue };
            let reads = self.parsed_of(&members, "reads", count).map(|units| units.value);
            let writes = self.parsed_of(&members, "writes", count).map(|units| units.value);
            if let Some(at_minute) = self.parsed_of(&members, "at", minute_of_day) {
                schedule.push(Scheduled { at_minute, capacity: PerDimension::new(reads, writes) });
            }
        }
        schedule
    }
}

/// `5..4000`.
fn range(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("`{text}` is no range: write the least and the most, such as 5..4000");
    let (least, most) = text.split_once("..").ok_or_else(wrong)?;
    let (least, most) = (count(least)?, count(most)?);
    if least == 0 || least > most { Err(wrong()) } else { Ok((least, most)) }
}

/// `08:00`, in minutes after midnight.
fn minute_of_day(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no time of day: write it in UTC, such as 08:00");
    let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
    let number = |part: &str| part.parse::<u64>().map_err(|_| wrong());
    match (number(hour)?, number(minute)?) {
        (hour @ 0..24, minute @ 0..60) => Ok(hour * 60 + minute),
        _ => Err(wrong()),
    }
}
