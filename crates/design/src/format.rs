//! The format of the access-pattern file as data: every object, its keys, what each holds and means.
//!
//! The reader takes its known words from here, the JSON Schema and the reference in `docs/design-file.md` are written from
//! here, so that none of the three can know a key that the others do not.

/// What a value may be.
#[derive(Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// `yes` or `no`.
    Switch,
    /// A whole number.
    Number,
    /// A count, also as `100k` or `2M`.
    Count,
    /// Requests by time: `200/s`, `3M/day`, or a word of the file's `words`.
    Rate,
    /// A rate, or a multiple of the average: `x5`.
    Peak,
    /// Bytes: `300B`, `1.5KB`, or a word of the file's `words`.
    Size,
    /// `70%`.
    Share,
    /// `90s`, `20m`, `2h`, `30d`.
    Span,
    /// `x12`.
    Times,
    /// `2026-07-01T10:00`.
    Moment,
    /// `1000/day` or `5%/month`.
    Growth,
    /// `5..4000`.
    Range,
    /// A key value with variables: `USER#<userId>`.
    Template,
    /// An attribute's name, with its type unless it is a string: `createdAt N`.
    KeyAttribute,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a table, index, entity, pattern or variable.
    Name(&'static str),
    /// An object.
    Object(&'static Object),
    /// A list.
    List(&'static Kind),
    /// A mapping from names of one's own.
    Named(&'static Kind),
    /// One of several.
    Either(&'static [Kind]),
}

/// An object of the file.
#[derive(Debug)]
pub struct Object {
    /// What it is called in messages.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of an object.
#[derive(Debug)]
pub struct Key {
    /// The word in the file.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it means, and what holds without it.
    pub meaning: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

impl Object {
    /// The names of the keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }

    /// The key called so.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

const fn key(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, meaning, required: false }
}

const fn needed(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, meaning, required: true }
}

/// Words of `billing`.
pub const BILLING: &[&str] = &["on-demand", "provisioned"];
/// Words of `class`.
pub const CLASSES: &[&str] = &["standard", "standard-ia"];
/// Words of `environment`.
pub const ENVIRONMENTS: &[&str] = &["production", "staging", "development"];
/// Words of `stream`.
pub const STREAMS: &[&str] = &["keys-only", "new-image", "old-image", "new-and-old-images"];
/// Words of `projection`, beside a list of attributes.
pub const PROJECTIONS: &[&str] = &["all", "keys-only"];
/// Words of `consistency`.
pub const CONSISTENCIES: &[&str] = &["eventual", "strong"];
/// Words of `order`.
pub const ORDERS: &[&str] = &["newest-first", "oldest-first"];
/// Words of `replaces`, beside a share.
pub const REPLACES: &[&str] = &["never", "always"];
/// Words of a variable's `type`.
pub const VARIABLE_TYPES: &[&str] = &["text", "number", "timestamp", "date", "sequence"];
/// Words of `ttl.unit`.
pub const TTL_UNITS: &[&str] = &["seconds", "milliseconds"];

/// The whole file.
pub static DESIGN: Object = Object {
    name: "the design",
    meaning: "The whole file.",
    keys: &[
        needed("design", Kind::Number, "The version of this format: 1."),
        key("name", Kind::Text, "What the design is called."),
        key(
            "region",
            Kind::Text,
            "The region whose prices hold; `us-east-1` without it, and `--region` goes first.",
        ),
        key(
            "environment",
            Kind::Word(ENVIRONMENTS),
            "Where these tables are; some rules are for production only.",
        ),
        key(
            "traffic-growth",
            Kind::Growth,
            "How much traffic grows, as `5%/month`; without it, it stays as it is.",
        ),
        key("words", Kind::Object(&WORDS), "What rates and sizes in words stand for here."),
        needed("tables", Kind::Named(&Kind::Object(&TABLE)), "The tables by name."),
        key(
            "variables",
            Kind::Named(&Kind::Object(&VARIABLE)),
            "What is known of the variables in key templates.",
        ),
        key("entities", Kind::Named(&Kind::Object(&ENTITY)), "The kinds of items by name."),
        key(
            "patterns",
            Kind::Named(&Kind::Object(&PATTERN)),
            "The access patterns by name, in any language.",
        ),
        key("events", Kind::List(&Kind::Object(&EVENT)), "What is known to come: a sale, a launch."),
    ],
};

/// `words`.
pub static WORDS: Object = Object {
    name: "words",
    meaning: "What rates and sizes in words stand for. A word here goes before the built-in one of the same name.",
    keys: &[
        key(
            "rates",
            Kind::Named(&Kind::Either(&[Kind::Rate, Kind::Object(&RATE)])),
            "Rates by word: `high: 20/s`, or average and peak.",
        ),
        key("sizes", Kind::Named(&Kind::Size), "Sizes by word: `small: 300B`."),
    ],
};

/// A rate with its peak.
pub static RATE: Object = Object {
    name: "a rate",
    meaning: "An average and a peak.",
    keys: &[
        needed("average", Kind::Rate, "The mean over a month: it is what costs."),
        key(
            "peak",
            Kind::Peak,
            "The busiest second, as a rate or a multiple; x5 without it. It is what throttles.",
        ),
    ],
};

/// Reads and writes.
static UNITS: Object = Object {
    name: "throughput",
    meaning: "Units per second.",
    keys: &[
        key("reads", Kind::Count, "Read units per second."),
        key("writes", Kind::Count, "Write units per second."),
    ],
};

/// `auto-scaling`.
pub static AUTO_SCALING: Object = Object {
    name: "auto-scaling",
    meaning: "Target tracking for provisioned throughput.",
    keys: &[
        key("reads", Kind::Range, "The least and the most read units: `5..4000`."),
        key("writes", Kind::Range, "The least and the most write units."),
        key("target", Kind::Share, "The share that should be used; 70 % without it."),
    ],
};

/// A table.
pub static TABLE: Object = Object {
    name: "a table",
    meaning: "A table, its indexes and its settings.",
    keys: &[
        needed(
            "keys",
            Kind::List(&Kind::KeyAttribute),
            "The partition key attribute, then the sort key attribute.",
        ),
        key("indexes", Kind::Named(&Kind::Object(&INDEX)), "The secondary indexes by name."),
        key("billing", Kind::Word(BILLING), "The capacity mode; on-demand without it."),
        key("capacity", Kind::Object(&UNITS), "What is provisioned."),
        key("auto-scaling", Kind::Object(&AUTO_SCALING), "Auto scaling of the table."),
        key(
            "max-throughput",
            Kind::Object(&UNITS),
            "The most that is served on demand, as a guard of the bill.",
        ),
        key("warm-throughput", Kind::Object(&UNITS), "What is warmed ahead of time."),
        key("class", Kind::Word(CLASSES), "The table class; standard without it."),
        key(
            "ttl",
            Kind::Either(&[Kind::Text, Kind::Object(&TTL)]),
            "The attribute that says when an item expires.",
        ),
        key("point-in-time-recovery", Kind::Switch, "Continuous backups."),
        key("rebuildable", Kind::Switch, "Whether all that is in it can be made again from elsewhere."),
        key("deletion-protection", Kind::Switch, "Whether the table refuses to be deleted."),
        key("stream", Kind::Word(STREAMS), "What its stream carries."),
        key("stream-readers", Kind::Count, "How many consumers read the stream."),
        key("contributor-insights", Kind::Switch, "Whether CloudWatch lists its hottest keys."),
        key("alarms", Kind::List(&Kind::Object(&ALARM)), "Alarms on its metrics."),
        key(
            "schedule",
            Kind::List(&Kind::Object(&SCHEDULED)),
            "Changes of provisioned throughput at times of the day.",
        ),
        key("environment", Kind::Word(ENVIRONMENTS), "Where this table is, if not where the design says."),
        key("region", Kind::Text, "The region of this table, if not the design's."),
        key("account", Kind::Text, "The account of this table, if there are several."),
    ],
};

/// An index.
pub static INDEX: Object = Object {
    name: "an index",
    meaning: "A secondary index: global, or local with the table's partition key.",
    keys: &[
        needed(
            "keys",
            Kind::List(&Kind::Either(&[Kind::KeyAttribute, Kind::List(&Kind::KeyAttribute)])),
            "The partition key attribute, then the sort key attribute; of a global index each can be a list of up to four.",
        ),
        key("local", Kind::Switch, "Whether it is a local index."),
        key(
            "projection",
            Kind::Either(&[Kind::Word(PROJECTIONS), Kind::List(&Kind::Text)]),
            "What its entries hold beside the keys: `all` (without it), `keys-only`, or a list of attributes.",
        ),
        key("capacity", Kind::Object(&UNITS), "What is provisioned."),
        key("auto-scaling", Kind::Object(&AUTO_SCALING), "Auto scaling of the index."),
        key("max-throughput", Kind::Object(&UNITS), "The most that is served on demand."),
        key("warm-throughput", Kind::Object(&UNITS), "What is warmed ahead of time."),
    ],
};

/// `ttl`.
pub static TTL: Object = Object {
    name: "ttl",
    meaning: "The attribute that says when an item expires.",
    keys: &[
        needed("attribute", Kind::Text, "Its name."),
        key("unit", Kind::Word(TTL_UNITS), "What it counts; seconds since 1970 without it."),
    ],
};

/// An alarm.
pub static ALARM: Object = Object {
    name: "an alarm",
    meaning: "A CloudWatch alarm on a metric of the table.",
    keys: &[
        needed("metric", Kind::Text, "The metric, such as `WriteThrottleEvents`."),
        key("dimensions", Kind::List(&Kind::Text), "The names of its dimensions, such as `TableName`."),
    ],
};

/// A scheduled change.
pub static SCHEDULED: Object = Object {
    name: "a scheduled change",
    meaning: "Provisioned throughput from a time of the day on.",
    keys: &[
        needed("at", Kind::Text, "The time in UTC: `08:00`."),
        key("reads", Kind::Count, "Read units per second."),
        key("writes", Kind::Count, "Write units per second."),
    ],
};

/// A variable.
pub static VARIABLE: Object = Object {
    name: "a variable",
    meaning: "What is known of a variable in key templates.",
    keys: &[
        key(
            "distinct",
            Kind::Either(&[Kind::Count, Kind::List(&Kind::Text)]),
            "How many different values there are, or the values themselves.",
        ),
        key("largest", Kind::Share, "The share of items that have the most frequent value."),
        key(
            "type",
            Kind::Word(VARIABLE_TYPES),
            "What it is; text, unless its name says that it is a time or a date.",
        ),
        key("size", Kind::Size, "The bytes of a value; 16 without it."),
        key("shard", Kind::Switch, "Whether it is a number that only spreads a key."),
        key(
            "same-moment",
            Kind::Switch,
            "Whether two writes can have the same value; for times, yes without it.",
        ),
    ],
};

/// A value of a key attribute that not every item has.
pub static SPARSE: Object = Object {
    name: "a key value",
    meaning: "The value of a key attribute, and how many of the entity's items have it.",
    keys: &[
        needed("value", Kind::Template, "The value."),
        key("present", Kind::Share, "The share of items that have it: an index with few of them is sparse."),
    ],
};

/// An entity's size.
pub static SIZES: Object = Object {
    name: "a size",
    meaning: "The typical size of an item and the largest.",
    keys: &[
        needed("typical", Kind::Size, "What most items have: it is what costs."),
        key("largest", Kind::Size, "What no item goes beyond."),
    ],
};

/// An entity.
pub static ENTITY: Object = Object {
    name: "an entity",
    meaning: "A kind of item.",
    keys: &[
        key("table", Kind::Name("table"), "Its table; needed when there are several."),
        needed(
            "keys",
            Kind::Named(&Kind::Either(&[Kind::Template, Kind::Object(&SPARSE)])),
            "The value of each key attribute of the table and of its indexes.",
        ),
        key(
            "attributes",
            Kind::Either(&[Kind::List(&Kind::Text), Kind::Named(&Kind::Text)]),
            "The other attributes: names, or names with type and size (`amount: N`, `note: S 200B`).",
        ),
        key(
            "size",
            Kind::Either(&[Kind::Size, Kind::Object(&SIZES)]),
            "The size of an item; `small` without it.",
        ),
        key("count", Kind::Count, "How many items there are."),
        key(
            "growth",
            Kind::Growth,
            "How many more there are by time; without it, what the patterns put and delete.",
        ),
        key("expires-after", Kind::Span, "How long an item lives until TTL deletes it."),
        key("on-expiry", Kind::Text, "What the application does when an item expires, if anything."),
    ],
};

/// A member of a transaction.
pub static MEMBER: Object = Object {
    name: "a member of a transaction",
    meaning: "One action of a TransactWriteItems call.",
    keys: &[
        key("put", Kind::Name("entity"), "An item that is put."),
        key("update", Kind::Name("entity"), "An item that is updated."),
        key("delete", Kind::Name("entity"), "An item that is deleted."),
        key("check", Kind::Name("entity"), "An item whose condition is checked."),
        key("sets", Kind::List(&Kind::Text), "Of an update: the attributes that it sets."),
        key("removes", Kind::List(&Kind::Text), "Of an update: the attributes that it removes."),
        key("condition", Kind::Text, "Its condition."),
    ],
};

/// A pattern.
pub static PATTERN: Object = Object {
    name: "a pattern",
    meaning: "An access pattern: one operation, what it reads or writes, how often.",
    keys: &[
        key("get", Kind::Name("entity or table"), "GetItem of an entity; of a table, with `key` and `sort`."),
        key("query", Kind::Name("table or index"), "Query of a table or an index, with `key`."),
        key("scan", Kind::Name("table or index"), "Scan of a table or an index."),
        key("batch-get", Kind::Name("entity"), "BatchGetItem, with `items`."),
        key("transact-get", Kind::List(&Kind::Name("entity")), "TransactGetItems of these."),
        key("put", Kind::Name("entity"), "PutItem."),
        key("update", Kind::Name("entity"), "UpdateItem, with `sets` and `removes`."),
        key("delete", Kind::Name("entity"), "DeleteItem."),
        key("batch-write", Kind::Name("entity"), "BatchWriteItem of puts, with `items`."),
        key("transact-write", Kind::List(&Kind::Object(&MEMBER)), "TransactWriteItems of these."),
        key(
            "key",
            Kind::Either(&[Kind::Template, Kind::Named(&Kind::Template)]),
            "The partition key that is read; by attribute where a key has several, with the sort key attributes that equal a value.",
        ),
        key(
            "sort",
            Kind::Either(&[Kind::Template, Kind::Object(&BETWEEN)]),
            "The sort key that is read: a whole value, or what it begins with; or `from` and `to`. Of several attributes, the one behind those that `key` names.",
        ),
        key("order", Kind::Word(ORDERS), "The order of what a query answers."),
        key("limit", Kind::Count, "The most items that a call reads."),
        key("items", Kind::Count, "How many items a call reads (before the filter), or a batch has."),
        key("filter", Kind::Text, "The filter expression."),
        key("returns", Kind::Share, "The share of what is read that the filter lets through."),
        key("attributes", Kind::List(&Kind::Text), "The attributes that the caller needs."),
        key("count-only", Kind::Switch, "Whether only the number of items is asked for."),
        key("consistency", Kind::Word(CONSISTENCIES), "How consistent a read is; eventual without it."),
        key("stale-ok", Kind::Switch, "Whether the caller can live with a read that is a second late."),
        key(
            "after",
            Kind::List(&Kind::Name("pattern")),
            "The writes that this read follows in the same request.",
        ),
        key(
            "gather",
            Kind::Name("variable"),
            "The shard variable whose every value is asked for, one query each.",
        ),
        key("pagination", Kind::Switch, "Whether the caller follows LastEvaluatedKey."),
        key("retries", Kind::Switch, "Whether the caller sends again what a batch left unprocessed."),
        key(
            "joins",
            Kind::List(&Kind::Name("table")),
            "The tables that one request reads to make its answer.",
        ),
        key(
            "replaces",
            Kind::Either(&[Kind::Word(REPLACES), Kind::Share]),
            "How often a put finds an item; never without it.",
        ),
        key("sets", Kind::List(&Kind::Text), "Of an update: the attributes that it sets."),
        key("removes", Kind::List(&Kind::Text), "Of an update: the attributes that it removes."),
        key("condition", Kind::Text, "The condition of a write."),
        key("fails", Kind::Share, "How often the condition fails; never without it."),
        key("invariant", Kind::Text, "What a transaction keeps true."),
        key("at-least-once", Kind::Switch, "Whether the same write can come twice, as from a queue."),
        key("token", Kind::Switch, "Whether a transaction has a client request token."),
        key("rate", Kind::Rate, "How often, on average."),
        key("peak", Kind::Peak, "How often in the busiest second; x5 without it, or what the word says."),
        key("hottest", Kind::Share, "The share of it that goes to one partition key."),
    ],
};

/// `sort` with two ends.
pub static BETWEEN: Object = Object {
    name: "a range of sort keys",
    meaning: "Sort keys from one value to another, or with one of the two ends.",
    keys: &[key("from", Kind::Template, "The first."), key("to", Kind::Template, "The last.")],
};

/// An event.
pub static EVENT: Object = Object {
    name: "an event",
    meaning: "Traffic that is known to come.",
    keys: &[
        needed("name", Kind::Text, "What it is called."),
        key("at", Kind::Moment, "When it begins."),
        needed("times", Kind::Times, "How many times the usual peak: `x12`."),
        key("for", Kind::Span, "How long."),
        key("patterns", Kind::List(&Kind::Name("pattern")), "The patterns that it is about; all without it."),
    ],
};

/// Every object, each once, in the order of the reference.
pub static OBJECTS: &[&Object] = &[
    &DESIGN,
    &TABLE,
    &INDEX,
    &UNITS,
    &AUTO_SCALING,
    &TTL,
    &ALARM,
    &SCHEDULED,
    &VARIABLE,
    &ENTITY,
    &SPARSE,
    &SIZES,
    &PATTERN,
    &MEMBER,
    &BETWEEN,
    &EVENT,
    &WORDS,
    &RATE,
];
