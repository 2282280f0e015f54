//! What a design file says, with the place of everything that a message may be about.
//!
//! Tables, entities, patterns and variables are known by their position in the design's lists.

use std::ops::Deref;

use dynamometer_capacity::Consistency;
use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::TableClass;
use dynamometer_types::{KeyAttribute, KeySchema, Timestamp};

use crate::template::Template;
use crate::words::Words;
use crate::yaml::Span;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A whole design.
#[derive(Clone, Debug)]
pub struct Design {
    /// What it is called.
    pub name: Option<String>,
    /// The region whose prices hold, if the file names one.
    pub region: Option<Spanned<String>>,
    /// How traffic grows, in parts per million a month.
    pub traffic_growth_ppm: u64,
    /// What words stand for.
    pub words: Words,
    /// The tables.
    pub tables: Vec<Table>,
    /// The variables that are described.
    pub variables: Vec<Variable>,
    /// The entities.
    pub entities: Vec<Entity>,
    /// The patterns.
    pub patterns: Vec<Pattern>,
    /// What is known to come.
    pub events: Vec<Event>,
}

/// A table or an index of it: what has throughput and keys of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The table.
    pub table: usize,
    /// The index, if it is one.
    pub index: Option<usize>,
}

impl Target {
    /// The table itself.
    pub const fn table(table: usize) -> Target {
        Target { table, index: None }
    }

    /// An index of a table.
    pub const fn index(table: usize, index: usize) -> Target {
        Target { table, index: Some(index) }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: Spanned<String>,
    /// Its key.
    pub keys: KeySchema,
    /// Where the key is said.
    pub keys_span: Span,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// How it is paid.
    pub billing: BillingMode,
    /// Its throughput settings.
    pub throughput: Throughput,
    /// Its class.
    pub class: TableClass,
    /// The attribute that says when an item expires.
    pub ttl: Option<Ttl>,
    /// Continuous backups, if said.
    pub recovery: Option<Spanned<bool>>,
    /// Whether it can be made again from elsewhere.
    pub rebuildable: bool,
    /// Whether it refuses to be deleted, if said.
    pub deletion_protection: Option<Spanned<bool>>,
    /// What its stream carries: a word of the format.
    pub stream: Option<Spanned<String>>,
    /// How many read the stream.
    pub stream_readers: Option<Spanned<u64>>,
    /// Whether the hottest keys are listed, if said.
    pub contributor_insights: Option<Spanned<bool>>,
    /// Its alarms, if any are said.
    pub alarms: Option<Spanned<Vec<Alarm>>>,
    /// Changes of throughput by time of day.
    pub schedule: Vec<Scheduled>,
    /// Whether it is a production table.
    pub production: bool,
    /// Its region, if it has one of its own.
    pub region: Option<Spanned<String>>,
    /// Its account, if said.
    pub account: Option<Spanned<String>>,
}

/// Settings of throughput, of a table or a global index.
#[derive(Clone, Debug, Default)]
pub struct Throughput {
    /// What is provisioned.
    pub capacity: Option<Spanned<PerDimension<Option<u64>>>>,
    /// Auto scaling.
    pub auto_scaling: Option<Spanned<AutoScaling>>,
    /// The most that is served on demand.
    pub most: Option<Spanned<PerDimension<Option<u64>>>>,
    /// What is warmed.
    pub warm: Option<Spanned<PerDimension<Option<u64>>>>,
}

/// Target tracking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoScaling {
    /// The least and the most units per second.
    pub bounds: PerDimension<Option<(u64, u64)>>,
    /// The share that should be used, in parts per million.
    pub target_ppm: u64,
}

/// A secondary index.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its name.
    pub name: Spanned<String>,
    /// Its key.
    pub keys: KeySchema,
    /// Whether it is a local one.
    pub local: bool,
    /// What its entries hold.
    pub projection: Projection,
    /// Where the projection is said; the name, if it is not.
    pub projection_span: Span,
    /// Its throughput settings.
    pub throughput: Throughput,
}

/// What index entries hold beside keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// All.
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes.
    Include(Vec<String>),
}

/// The attribute that says when an item expires.
#[derive(Clone, Debug)]
pub struct Ttl {
    /// Its name.
    pub attribute: Spanned<String>,
    /// Whether it counts milliseconds.
    pub milliseconds: bool,
}

/// An alarm.
#[derive(Clone, Debug)]
pub struct Alarm {
    /// The metric.
    pub metric: Spanned<String>,
    /// The names of its dimensions.
    pub dimensions: Vec<String>,
}

/// A change of provisioned throughput.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Minutes after midnight UTC.
    pub at_minute: Spanned<u64>,
    /// The new throughput.
    pub capacity: PerDimension<Option<u64>>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableType {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// A moment: later ones sort behind.
    Timestamp,
    /// A day, an hour or a month: all writes of now have the same.
    Date,
    /// A number that only grows.
    Sequence,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Spanned<String>,
    /// How many values there are.
    pub distinct: Option<Spanned<u64>>,
    /// The share of items with the most frequent value, in parts per million.
    pub largest_ppm: Option<Spanned<u64>>,
    /// What it is, if said.
    pub kind: Option<VariableType>,
    /// The bytes of a value, if said.
    pub size_bytes: Option<u64>,
    /// Whether it only spreads a key.
    pub shard: bool,
    /// Whether two writes can have the same value, if said.
    pub same_moment: Option<bool>,
}

/// A kind of item.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Its name.
    pub name: Spanned<String>,
    /// Its table.
    pub table: usize,
    /// The values of key attributes, of the table and of indexes.
    pub keys: Vec<KeyValue>,
    /// The other attributes.
    pub attributes: Vec<Attribute>,
    /// Bytes of a typical item.
    pub size_bytes: Spanned<u64>,
    /// The word that the size stands for, if it was one; `not said` for the size that holds then.
    pub size_word: Option<String>,
    /// Bytes of the largest item, if said.
    pub largest_bytes: Option<Spanned<u64>>,
    /// How many items there are, if said.
    pub count: Option<Spanned<u64>>,
    /// How the count grows, if said.
    pub growth: Option<Growth>,
    /// How long an item lives, in seconds.
    pub expires_after: Option<Spanned<u64>>,
    /// What is done when an item expires.
    pub on_expiry: Option<Spanned<String>>,
}

/// The value of a key attribute.
#[derive(Clone, Debug)]
pub struct KeyValue {
    /// The attribute.
    pub attribute: Spanned<String>,
    /// The value.
    pub template: Spanned<Template>,
    /// The share of items that have it, in parts per million.
    pub present_ppm: u64,
}

/// An attribute that is no key.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Spanned<String>,
    /// Its type, if said: `S`, `N`, `B`, `BOOL`, `NULL`, `L`, `M`, `SS`, `NS` or `BS`.
    pub kind: Option<&'static str>,
    /// The bytes of its value, if said.
    pub size_bytes: Option<u64>,
}

/// How something grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// So many more, in millionths per second.
    PerSecondMicro(u64),
    /// A share more each month, in parts per million.
    MonthlyPpm(u64),
}

/// How often something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// On average, in millionths per second.
    pub average_micro: u64,
    /// In the busiest second, in millionths per second.
    pub peak_micro: u64,
    /// The word that it stands for, if it was one.
    pub word: Option<String>,
}

/// An access pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its name.
    pub name: Spanned<String>,
    /// What it does.
    pub action: Action,
    /// Where the operation is said.
    pub action_span: Span,
    /// How often, if said.
    pub rate: Option<Spanned<Rate>>,
    /// The share on the hottest partition key, in parts per million, if said.
    pub hottest_ppm: Option<Spanned<u64>>,
    /// The tables that the request reads together.
    pub joins: Option<Spanned<Vec<usize>>>,
    /// Whether what a batch left is sent again, if said.
    pub retries: Option<Spanned<bool>>,
}

impl Pattern {
    /// What it reads, if it does.
    pub fn read(&self) -> Option<&Read> {
        match &self.action {
            Action::Read(read) => Some(read),
            Action::Write(_) => None,
        }
    }

    /// What it writes, if it does.
    pub fn write(&self) -> Option<&Write> {
        match &self.action {
            Action::Write(write) => Some(write),
            Action::Read(_) => None,
        }
    }

    /// How often, nothing if not said.
    pub fn average_micro(&self) -> u64 {
        self.rate.as_ref().map_or(0, |rate| rate.average_micro)
    }

    /// How often in the busiest second, nothing if not said.
    pub fn peak_micro(&self) -> u64 {
        self.rate.as_ref().map_or(0, |rate| rate.peak_micro)
    }
}

/// What a pattern does.
#[derive(Clone, Debug)]
pub enum Action {
    /// It reads.
    Read(Box<Read>),
    /// It writes.
    Write(Write),
}

/// The reading operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadKind {
    /// GetItem.
    Get,
    /// BatchGetItem.
    BatchGet,
    /// TransactGetItems.
    TransactGet,
    /// Query.
    Query,
    /// Scan.
    Scan,
}

impl ReadKind {
    /// AWS's name.
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Get => "GetItem",
            Self::BatchGet => "BatchGetItem",
            Self::TransactGet => "TransactGetItems",
            Self::Query => "Query",
            Self::Scan => "Scan",
        }
    }
}

/// A read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The operation.
    pub kind: ReadKind,
    /// The table or index.
    pub target: Target,
    /// The entities that are got by their keys; empty where a key is asked for.
    pub entities: Vec<Spanned<usize>>,
    /// The partition key that is asked for: attributes and values, in the order of the key.
    pub key: Vec<KeyValue>,
    /// Sort key attributes that must equal a value, in front of the one that `sort` is about: of an index with several.
    pub sort_equals: Vec<KeyValue>,
    /// What is asked of a sort key attribute: of the first, or of the one behind those.
    pub sort: Option<Spanned<Sort>>,
    /// Whether the last come first, if said.
    pub newest_first: Option<bool>,
    /// The most items that a call reads.
    pub limit: Option<Spanned<u64>>,
    /// The items that a call reads, if said.
    pub items: Option<Spanned<u64>>,
    /// The filter.
    pub filter: Option<Spanned<String>>,
    /// What the filter lets through, in parts per million.
    pub returns_ppm: Option<Spanned<u64>>,
    /// What the caller needs.
    pub attributes: Option<Spanned<Vec<String>>>,
    /// Whether only a number is asked for.
    pub count_only: Option<Spanned<bool>>,
    /// How consistent.
    pub consistency: Spanned<Consistency>,
    /// Whether a late read would do.
    pub stale_ok: bool,
    /// The patterns that it follows.
    pub after: Vec<Spanned<usize>>,
    /// The variable whose every value is asked for.
    pub gather: Option<Spanned<String>>,
    /// Whether pages are followed, if said.
    pub pagination: Option<Spanned<bool>>,
}

impl Read {
    /// The sort key attribute that `sort` is about.
    pub fn sort_attribute<'k>(&self, keys: &'k KeySchema) -> Option<&'k KeyAttribute> {
        keys.sort.get(self.sort_equals.len())
    }

    /// Whether `sort` is a whole value of its attribute, as an entity writes it, and not only what it begins with.
    pub fn sort_is_whole(&self, entity: &Entity, keys: &KeySchema) -> bool {
        let own = self.sort_attribute(keys).and_then(|attribute| entity.template(&attribute.name));
        match (self.sort.as_ref().map(|sort| &sort.value), own) {
            (Some(Sort::Begins(asked)), Some(own)) => own.writes_what(asked),
            _ => false,
        }
    }

    /// Whether all of a sort key is asked for, as an entity writes it.
    pub fn asks_for_one(&self, entity: &Entity, keys: &KeySchema) -> bool {
        self.sort_equals.len() + 1 == keys.sort.len() && self.sort_is_whole(entity, keys)
    }

    /// The value of the whole partition key that is asked for.
    pub fn partition(&self) -> Option<Spanned<Template>> {
        joined(self.key.iter().map(|key| Some(key.template.clone())))
    }
}

/// What is asked of a sort key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A whole value, or what it begins with: the entity's own template tells which.
    Begins(Template),
    /// From one to another.
    Between(Option<Template>, Option<Template>),
}

/// How writes are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// One by one.
    Single,
    /// So many in a BatchWriteItem call.
    Batch(u64),
    /// In a TransactWriteItems call.
    Transaction,
}

/// A write.
#[derive(Clone, Debug)]
pub struct Write {
    /// How it is sent.
    pub kind: WriteKind,
    /// What is written: one, or the members of a transaction.
    pub members: Vec<Member>,
    /// How often a put finds an item, in parts per million.
    pub replaces_ppm: u64,
    /// How often the condition fails, in parts per million.
    pub fails_ppm: Option<Spanned<u64>>,
    /// What the transaction keeps true.
    pub invariant: Option<Spanned<String>>,
    /// Whether the same write can come twice.
    pub at_least_once: Option<Spanned<bool>>,
    /// Whether there is a token.
    pub token: bool,
}

/// What a member does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// PutItem.
    Put,
    /// UpdateItem.
    Update,
    /// DeleteItem.
    Delete,
    /// ConditionCheck.
    Check,
}

impl MemberKind {
    /// AWS's name of the operation of its own.
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Put => "PutItem",
            Self::Update => "UpdateItem",
            Self::Delete => "DeleteItem",
            Self::Check => "ConditionCheck",
        }
    }
}

/// One write of an item.
#[derive(Clone, Debug)]
pub struct Member {
    /// What it does.
    pub kind: MemberKind,
    /// The entity.
    pub entity: Spanned<usize>,
    /// The attributes that an update sets; `None` if not said.
    pub sets: Option<Vec<Spanned<String>>>,
    /// The attributes that an update removes.
    pub removes: Vec<Spanned<String>>,
    /// Its condition.
    pub condition: Option<Spanned<String>>,
}

impl Member {
    /// Whether an update sets or removes an attribute.
    pub fn touches(&self, attribute: &str) -> bool {
        self.sets.iter().flatten().chain(&self.removes).any(|name| **name == attribute)
    }
}

/// Traffic that is known to come.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is called.
    pub name: Spanned<String>,
    /// When it begins.
    pub at: Option<Timestamp>,
    /// How many times the usual peak, in thousandths.
    pub times_milli: Spanned<u64>,
    /// How long, in seconds.
    pub seconds: Option<u64>,
    /// The patterns it is about; all when empty.
    pub patterns: Vec<usize>,
}

impl Design {
    /// The key of a table or an index.
    pub fn keys(&self, target: Target) -> &KeySchema {
        let table = &self.tables[target.table];
        target.index.map_or(&table.keys, |index| &table.indexes[index].keys)
    }

    /// The index, if the target is one.
    pub fn index(&self, target: Target) -> Option<&Index> {
        target.index.map(|index| &self.tables[target.table].indexes[index])
    }

    /// `Orders`, `GSI1`, or `Orders/GSI1` where several tables have an index of that name.
    pub fn target_name(&self, target: Target) -> String {
        let table = &self.tables[target.table];
        let Some(index) = target.index else { return table.name.value.clone() };
        let name = &table.indexes[index].name.value;
        let all = self.tables.iter().flat_map(|table| &table.indexes);
        match all.filter(|other| other.name.value == *name).count() {
            1 => name.clone(),
            _ => format!("{}/{name}", table.name.value),
        }
    }

    /// All tables and indexes, each table before its indexes.
    pub fn targets(&self) -> Vec<Target> {
        let of_table = |(at, table): (usize, &Table)| {
            let indexes = (0..table.indexes.len()).map(move |index| Target::index(at, index));
            std::iter::once(Target::table(at)).chain(indexes).collect::<Vec<_>>()
        };
        self.tables.iter().enumerate().flat_map(of_table).collect()
    }

    /// Where a target's units are drawn from: a local index draws from its table.
    pub fn capacity_of(&self, target: Target) -> Target {
        match self.index(target) {
            Some(index) if index.local => Target::table(target.table),
            _ => target,
        }
    }

    /// The entities of a table.
    pub fn entities_of(&self, table: usize) -> impl Iterator<Item = (usize, &Entity)> {
        self.entities.iter().enumerate().filter(move |(_, entity)| entity.table == table)
    }

    /// The description of a variable, if there is one.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| *variable.name == name)
    }

    /// The pattern called so.
    pub fn pattern(&self, name: &str) -> Option<usize> {
        self.patterns.iter().position(|pattern| *pattern.name == name)
    }
}

impl Entity {
    /// The value of a key attribute.
    pub fn key(&self, attribute: &str) -> Option<&KeyValue> {
        self.keys.iter().find(|key| *key.attribute == attribute)
    }

    /// The share of its items that have an entry under a key, in parts per million: they need every key attribute.
    pub fn present_ppm(&self, keys: &KeySchema) -> u64 {
        let has_attribute = |name: &str| self.attributes.iter().any(|attribute| *attribute.name == name);
        let share = |key: &KeyAttribute| match self.key(&key.name) {
            Some(value) => value.present_ppm,
            // An attribute that is no key elsewhere can be one of an index.
            None if has_attribute(&key.name) => 1_000_000,
            None => 0,
        };
        keys.attributes().map(share).min().unwrap_or(0)
    }

    /// What its items have in an attribute of a key: the value of a key attribute; or a variable of the attribute's name, for
    /// any attribute can be in the key of an index.
    pub fn template(&self, attribute: &str) -> Option<Spanned<Template>> {
        if let Some(key) = self.key(attribute) {
            return Some(key.template.clone());
        }
        let plain = self.attributes.iter().find(|plain| *plain.name == attribute)?;
        Some(Spanned { value: Template::variable(attribute), span: plain.name.span })
    }

    /// The value of the partition key of a table or an index, all attributes of it.
    pub fn partition(&self, keys: &KeySchema) -> Option<Spanned<Template>> {
        joined(keys.partition.iter().map(|attribute| self.template(&attribute.name)))
    }

    /// The value of the sort key of a table or an index, all attributes of it.
    pub fn sort(&self, keys: &KeySchema) -> Option<Spanned<Template>> {
        joined(keys.sort.iter().map(|attribute| self.template(&attribute.name)))
    }
}

/// The values of several attributes as one; nothing when there are none, or one of them is not there.
fn joined(templates: impl Iterator<Item = Option<Spanned<Template>>>) -> Option<Spanned<Template>> {
    let templates: Vec<Spanned<Template>> = templates.collect::<Option<_>>()?;
    let span = templates.first()?.span;
    Some(Spanned { value: Template::joined(templates.into_iter().map(|template| template.value)), span })
}
