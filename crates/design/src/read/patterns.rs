//! Access patterns.

use dynamometer_capacity::Consistency;
use dynamometer_capacity::quantity;
use dynamometer_types::KeySchema;

use super::members::Members;
use super::{Reader, count, with_peak};
use crate::format;
use crate::model::{
    Action, Entity, KeyValue, Member, MemberKind, Pattern, Rate, Read, ReadKind, Sort, Spanned, Table,
    Target, Variable, Write, WriteKind,
};
use crate::template::Template;
use crate::yaml::{Content, Node};

/// The operations, in the words of the file.
const OPERATIONS: [&str; 10] = [
    "get",
    "query",
    "scan",
    "batch-get",
    "transact-get",
    "put",
    "update",
    "delete",
    "batch-write",
    "transact-write",
];

/// Keys that only reads have.
const OF_READS: [&str; 16] = [
    "key",
    "sort",
    "order",
    "limit",
    "filter",
    "returns",
    "attributes",
    "count-only",
    "consistency",
    "stale-ok",
    "after",
    "gather",
    "pagination",
    "joins",
    "items",
    "retries",
];
/// Keys that only writes have.
const OF_WRITES: [&str; 8] =
    ["replaces", "sets", "removes", "condition", "fails", "invariant", "at-least-once", "token"];

/// What patterns name.
struct Known<'a> {
    tables: &'a [Table],
    entities: &'a [Entity],
    variables: &'a [Variable],
    patterns: Vec<String>,
}

impl Known<'_> {
    /// The key of a table or an index.
    fn keys(&self, target: Target) -> &KeySchema {
        let table = &self.tables[target.table];
        target.index.map_or(&table.keys, |index| &table.indexes[index].keys)
    }
}

/// The values of key attributes that a read asks for.
#[derive(Default)]
struct AskedKey {
    partition: Vec<KeyValue>,
    sort: Vec<KeyValue>,
    /// Whether no sort key attribute is left out in front of one that is asked for.
    has_whole_run: bool,
}

impl AskedKey {
    /// The last sort key attribute as what `sort` says, where that says nothing itself.
    fn last_as_sort(&mut self) -> Option<Spanned<Sort>> {
        let last = if self.has_whole_run { self.sort.pop() } else { None };
        last.map(|KeyValue { template, .. }| Spanned {
            value: Sort::Begins(template.value),
            span: template.span,
        })
    }
}

impl Reader {
    pub(super) fn patterns(
        &mut self,
        members: &Members<'_>,
        tables: &[Table],
        entities: &[Entity],
        variables: &[Variable],
    ) -> Vec<Pattern> {
        let named = self.named(members, "patterns");
        let patterns = named.iter().map(|(name, _)| name.value.clone()).collect();
        let known = Known { tables, entities, variables, patterns };
        named.into_iter().filter_map(|(name, node)| self.pattern(name, node, &known)).collect()
    }

    fn pattern(&mut self, name: Spanned<String>, node: &Node, known: &Known<'_>) -> Option<Pattern> {
        let what = format!("pattern {}", *name);
        let members = self.object(node, &format::PATTERN, &what)?;
        let given: Vec<(&str, (&Node, &Node))> =
            OPERATIONS.iter().filter_map(|word| Some((*word, members.pair(word)?))).collect();
        let rate = self.rate_of(&members);
        let (operation, (key, value)) = match given.as_slice() {
            [one] => *one,
            [] => {
                let sentence = format!("{what} has no operation: {}", OPERATIONS.join(", "));
                self.problem(name.span, sentence);
                return None;
            }
            [_, (_, (second, _)), ..] => {
                self.problem(second.span, format!("{what} has two operations: make two patterns of it"));
                return None;
            }
        };
        let is_read = matches!(operation, "get" | "query" | "scan" | "batch-get" | "transact-get");
        self.refuse_foreign(&members, &what, operation, is_read);
        let action = match is_read {
            true => Action::Read(Box::new(self.read_action(operation, value, &members, &what, known)?)),
            false => Action::Write(self.write_action(operation, value, &members, &what, known)?),
        };
        let joins = match members.get("joins") {
            Some(node) => {
                let mut tables = Vec::new();
                for name in self.texts_of(&members, "joins") {
                    match known.tables.iter().position(|table| *table.name == *name) {
                        Some(table) => tables.push(table),
                        None => {
                            self.unknown("table", &name, known.tables.iter().map(|table| table.name.as_str()))
                        }
                    }
                }
                Some(Spanned { value: tables, span: node.span })
            }
            None => None,
        };
        Some(Pattern {
            name,
            action,
            action_span: key.span,
            rate,
            hottest_ppm: self.parsed_of(&members, "hottest", quantity::percent),
            joins,
            retries: self.switch_of(&members, "retries"),
        })
    }

    /// Complains about keys that make no sense for the operation.
    fn refuse_foreign(&mut self, members: &Members<'_>, what: &str, operation: &str, is_read: bool) {
        let foreign: Vec<&str> = match (is_read, operation) {
            (true, _) => OF_WRITES.to_vec(),
            (false, "batch-write") => {
                OF_READS.iter().copied().filter(|key| !matches!(*key, "items" | "retries")).collect()
            }
            (false, _) => OF_READS.to_vec(),
        };
        for name in foreign {
            if let Some((key, _)) = members.pair(name) {
                self.problem(key.span, format!("{what}: `{name}` is nothing that a {operation} has"));
            }
        }
        let pairs: [(&[&str], &[&str]); 4] = [
            (&["sets", "removes"], &["update"]),
            (&["replaces"], &["put", "batch-write"]),
            (&["invariant", "token"], &["transact-write"]),
            (
                &["sort", "order", "limit", "pagination", "gather", "count-only", "key"],
                &["query", "scan", "get"],
            ),
        ];
        for (names, operations) in pairs {
            for name in names {
                if let Some((key, _)) = members.pair(name)
                    && !operations.contains(&operation)
                    && !foreign_already(is_read, name)
                {
                    self.problem(key.span, format!("{what}: `{name}` is nothing that a {operation} has"));
                }
            }
        }
    }

    fn rate_of(&mut self, members: &Members<'_>) -> Option<Spanned<Rate>> {
        let node = members.get("rate");
        let rate = node.and_then(|node| self.rate(node));
        let Some((rate, node)) = rate.zip(node) else {
            if let (Some((key, _)), None) = (members.pair("peak"), node) {
                self.problem(key.span, "there is a peak without a rate");
            }
            return None;
        };
        let peak = members.get("peak").and_then(|node| self.peak(node, rate.average_micro));
        Some(Spanned { value: with_peak(rate, peak), span: node.span })
    }

    fn entity_named(&mut self, name: &Spanned<String>, known: &Known<'_>) -> Option<Spanned<usize>> {
        let found = known.entities.iter().position(|entity| *entity.name == **name);
        if found.is_none() {
            self.unknown("entity", name, known.entities.iter().map(|entity| entity.name.as_str()));
        }
        Some(Spanned { value: found?, span: name.span })
    }

    /// A table, or an index by its name or as `Table/Index`.
    fn target_named(&mut self, name: &Spanned<String>, known: &Known<'_>) -> Option<Target> {
        let mut all = Vec::new();
        for (at, table) in known.tables.iter().enumerate() {
            all.push((table.name.value.clone(), Target::table(at)));
            for (index_at, index) in table.indexes.iter().enumerate() {
                all.push((index.name.value.clone(), Target::index(at, index_at)));
                all.push((format!("{}/{}", table.name.value, index.name.value), Target::index(at, index_at)));
            }
        }
        let found: Vec<Target> =
            all.iter().filter(|(known, _)| *known == name.value).map(|(_, target)| *target).collect();
        match found.as_slice() {
            [one] => Some(*one),
            [] => {
                self.unknown("table or index", name, all.iter().map(|(known, _)| known.as_str()));
                None
            }
            _ => {
                let sentence = format!(
                    "several tables have an index `{}`: write it as Table/{}",
                    name.value, name.value
                );
                self.problem(name.span, sentence);
                None
            }
        }
    }

    fn read_action(
        &mut self,
        operation: &str,
        value: &Node,
        members: &Members<'_>,
        what: &str,
        known: &Known<'_>,
    ) -> Option<Read> {
        let kind = match operation {
            "get" => ReadKind::Get,
            "batch-get" => ReadKind::BatchGet,
            "transact-get" => ReadKind::TransactGet,
            "query" => ReadKind::Query,
            _ => ReadKind::Scan,
        };
        let (target, entities) = self.what_is_read(kind, value, known)?;
        let mut asked = match members.get("key") {
            Some(node) => self.asked_key(node, target, known),
            None => AskedKey::default(),
        };
        let sort = members.get("sort").and_then(|node| self.sort(node));
        let sort = sort.or_else(|| asked.last_as_sort());
        if members.get("key").is_none() && kind == ReadKind::Query {
            self.problem(
                value.span,
                format!("{what} is a query without `key`: the partition key that it asks for"),
            );
            return None;
        }
        if members.get("key").is_none() && kind == ReadKind::Get && entities.is_empty() {
            self.problem(value.span, format!("{what} gets from a table: it needs `key`, or name an entity"));
            return None;
        }
        let items = self.parsed_of(members, "items", count);
        if kind == ReadKind::BatchGet && items.is_none() {
            self.problem(value.span, format!("{what} is a batch without `items`: how many a call has"));
        }
        let consistency_word = self.word_of(members, "consistency", format::CONSISTENCIES);
        let consistency = Spanned {
            value: match (kind, consistency_word.as_ref().map(|word| word.value)) {
                (ReadKind::TransactGet, _) => Consistency::Transactional,
                (_, Some("strong")) => Consistency::Strong,
                _ => Consistency::Eventual,
            },
            span: consistency_word.map_or(value.span, |word| word.span),
        };
        let attributes = members.get("attributes").map(|node| {
            let names = self.texts_of(members, "attributes");
            Spanned { value: names.into_iter().map(|name| name.value).collect(), span: node.span }
        });
        Some(Read {
            kind,
            target,
            entities,
            key: asked.partition,
            sort_equals: asked.sort,
            sort,
            newest_first: self
                .word_of(members, "order", format::ORDERS)
                .map(|word| word.value == "newest-first"),
            limit: self.parsed_of(members, "limit", count),
            items,
            filter: self.text_of(members, "filter"),
            returns_ppm: self.parsed_of(members, "returns", quantity::percent),
            attributes,
            count_only: self.switch_of(members, "count-only"),
            consistency,
            stale_ok: self.switch_of(members, "stale-ok").is_some_and(|ok| *ok),
            after: self.after(members, known),
            gather: self.gather(members, known),
            pagination: self.switch_of(members, "pagination"),
        })
    }

    /// The table or index, and the entities that are got by their own keys.
    fn what_is_read(
        &mut self,
        kind: ReadKind,
        value: &Node,
        known: &Known<'_>,
    ) -> Option<(Target, Vec<Spanned<usize>>)> {
        if kind == ReadKind::TransactGet {
            let nodes = match &value.content {
                Content::List(nodes) => nodes.as_slice(),
                _ => std::slice::from_ref(value),
            };
            let mut entities = Vec::new();
            for node in nodes {
                let name = self.text(node)?;
                entities.push(self.entity_named(&name, known)?);
            }
            let Some(first) = entities.first() else {
                self.problem(value.span, "a transaction reads at least one entity");
                return None;
            };
            return Some((Target::table(known.entities[first.value].table), entities));
        }
        let name = self.text(value)?;
        let is_entity = known.entities.iter().any(|entity| *entity.name == *name);
        match kind {
            ReadKind::BatchGet => {
                let entity = self.entity_named(&name, known)?;
                Some((Target::table(known.entities[entity.value].table), vec![entity]))
            }
            ReadKind::Get if is_entity => {
                let entity = self.entity_named(&name, known)?;
                Some((Target::table(known.entities[entity.value].table), vec![entity]))
            }
            ReadKind::Get => match known.tables.iter().position(|table| *table.name == *name) {
                Some(table) => Some((Target::table(table), Vec::new())),
                None => {
                    let tables = known.tables.iter().map(|table| table.name.as_str());
                    let entities = known.entities.iter().map(|entity| entity.name.as_str());
                    self.unknown("entity or table", &name, entities.chain(tables));
                    None
                }
            },
            _ => Some((self.target_named(&name, known)?, Vec::new())),
        }
    }

    /// A template for the partition key, or templates by attribute.
    fn asked_key(&mut self, node: &Node, target: Target, known: &Known<'_>) -> AskedKey {
        let keys = known.keys(target);
        let mut asked = AskedKey::default();
        if let Content::Map(_) = node.content {
            for (attribute, node) in self.pairs(node, "the key") {
                let is_sort = keys.sort.iter().any(|sort| sort.name == *attribute);
                let part = if is_sort { &mut asked.sort } else { &mut asked.partition };
                part.extend(self.key_value(attribute, node));
            }
            // In the order of the key; what is no attribute of it goes last, and is complained about by the check.
            let place = |value: &KeyValue| keys.attributes().position(|key| key.name == **value.attribute);
            asked.partition.sort_by_key(|value| place(value).unwrap_or(usize::MAX));
            asked.sort.sort_by_key(place);
            asked.has_whole_run =
                asked.sort.iter().zip(&keys.sort).all(|(value, key)| *value.attribute == key.name);
            return asked;
        }
        let attribute = Spanned { value: keys.partition[0].name.clone(), span: node.span };
        asked.partition.extend(self.key_value(attribute, node));
        asked
    }

    fn sort(&mut self, node: &Node) -> Option<Spanned<Sort>> {
        if let Content::Map(_) = node.content {
            let members = self.object(node, &format::BETWEEN, "sort")?;
            let from = self.parsed_of(&members, "from", Template::parse).map(|from| from.value);
            let to = self.parsed_of(&members, "to", Template::parse).map(|to| to.value);
            if from.is_none() && to.is_none() {
                self.problem(node.span, "sort has neither `from` nor `to`");
            }
            return Some(Spanned { value: Sort::Between(from, to), span: node.span });
        }
        let template = self.parsed(node, Template::parse)?;
        Some(Spanned { value: Sort::Begins(template.value), span: node.span })
    }

    fn after(&mut self, members: &Members<'_>, known: &Known<'_>) -> Vec<Spanned<usize>> {
        let mut after = Vec::new();
        for name in self.texts_of(members, "after") {
            match known.patterns.iter().position(|pattern| *pattern == *name) {
                Some(value) => after.push(Spanned { value, span: name.span }),
                None => self.unknown("pattern", &name, known.patterns.iter().map(String::as_str)),
            }
        }
        after
    }

    fn gather(&mut self, members: &Members<'_>, known: &Known<'_>) -> Option<Spanned<String>> {
        let name = self.text_of(members, "gather")?;
        let variable = known.variables.iter().find(|variable| *variable.name == *name);
        match variable {
            Some(variable) if variable.distinct.is_some() => Some(name),
            Some(_) => {
                let sentence = format!("`{}` has no `distinct`: how many queries are gathered?", *name);
                self.problem(name.span, sentence);
                None
            }
            None => {
                self.unknown(
                    "variable",
                    &name,
                    known.variables.iter().map(|variable| variable.name.as_str()),
                );
                None
            }
        }
    }

    fn write_action(
        &mut self,
        operation: &str,
        value: &Node,
        members: &Members<'_>,
        what: &str,
        known: &Known<'_>,
    ) -> Option<Write> {
        let (kind, written) = match operation {
            "transact-write" => (WriteKind::Transaction, self.transaction(value, what, known)?),
            "batch-write" => {
                let Some(items) = self.parsed_of(members, "items", count) else {
                    self.problem(
                        value.span,
                        format!("{what} is a batch without `items`: how many a call has"),
                    );
                    return None;
                };
                let name = self.text(value)?;
                let entity = self.entity_named(&name, known)?;
                (WriteKind::Batch(*items), vec![self.member(MemberKind::Put, entity, members)])
            }
            _ => {
                let member_kind = match operation {
                    "put" => MemberKind::Put,
                    "update" => MemberKind::Update,
                    _ => MemberKind::Delete,
                };
                let name = self.text(value)?;
                let entity = self.entity_named(&name, known)?;
                (WriteKind::Single, vec![self.member(member_kind, entity, members)])
            }
        };
        let replaces_ppm = match members.get("replaces") {
            None => 0,
            Some(node) => match node.text() {
                Some(text) if text.trim().ends_with('%') => *self.parsed(node, quantity::percent)?,
                _ => match self.word(node, "replaces", format::REPLACES)?.value {
                    "always" => 1_000_000,
                    _ => 0,
                },
            },
        };
        Some(Write {
            kind,
            members: written,
            replaces_ppm,
            fails_ppm: self.parsed_of(members, "fails", quantity::percent),
            invariant: self.text_of(members, "invariant"),
            at_least_once: self.switch_of(members, "at-least-once"),
            token: self.switch_of(members, "token").is_some_and(|token| *token),
        })
    }

    fn member(&mut self, kind: MemberKind, entity: Spanned<usize>, members: &Members<'_>) -> Member {
        let sets = members.get("sets").map(|_| self.texts_of(members, "sets"));
        let removes = self.texts_of(members, "removes");
        Member { kind, entity, sets, removes, condition: self.text_of(members, "condition") }
    }

    fn transaction(&mut self, value: &Node, what: &str, known: &Known<'_>) -> Option<Vec<Member>> {
        let Content::List(nodes) = &value.content else {
            let sentence =
                format!("{what} is a transaction: write its members as a list, such as [{{ put: Order }}]");
            self.problem(value.span, sentence);
            return None;
        };
        if nodes.is_empty() {
            self.problem(value.span, format!("{what} is a transaction without members"));
            return None;
        }
        let mut written = Vec::new();
        for node in nodes {
            let members = self.object(node, &format::MEMBER, "a member of a transaction")?;
            let kinds = [
                ("put", MemberKind::Put),
                ("update", MemberKind::Update),
                ("delete", MemberKind::Delete),
                ("check", MemberKind::Check),
            ];
            let given: Vec<(MemberKind, &Node)> =
                kinds.iter().filter_map(|(word, kind)| Some((*kind, members.get(word)?))).collect();
            let [(kind, node)] = given.as_slice() else {
                self.problem(node.span, "a member of a transaction has one of put, update, delete and check");
                return None;
            };
            let name = self.text(node)?;
            let entity = self.entity_named(&name, known)?;
            written.push(self.member(*kind, entity, &members));
        }
        Some(written)
    }
}

/// Whether a key was complained about already.
fn foreign_already(is_read: bool, name: &str) -> bool {
    if is_read { OF_WRITES.contains(&name) } else { OF_READS.contains(&name) }
}
