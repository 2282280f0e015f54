//! What a pattern sends: the requests of one call, made up from its design.
//!
//! Two things are not sent as they are declared, because their values are nobody's to make up, and neither changes what a read
//! consumes or whether it is throttled: a filter is one that lets everything through, and conditions are left out (a failing one
//! would make its write cheaper only on paper).

use std::collections::{BTreeMap, BTreeSet};

use dynamometer_capacity::Consistency;
use dynamometer_design::model::{
    Action, Entity, KeyValue, Member, MemberKind, Pattern, Projection, Read, ReadKind, Sort, Target, Write,
    WriteKind,
};
use dynamometer_design::plan::Served;
use dynamometer_types::ScalarType;
use serde_json::{Map, Value, json};

use super::items::{Items, Which, typed};
use super::random::Random;

/// BatchGetItem's and BatchWriteItem's most.
const BATCH_GET: usize = 100;
const BATCH_WRITE: usize = 25;
/// The most shards that are asked in one call.
const GATHERED: u64 = 100;

/// A request.
pub(super) struct Request {
    pub(super) operation: &'static str,
    pub(super) body: Value,
}

/// Makes the requests of one pattern.
pub(super) struct Maker<'d> {
    items: &'d Items<'d>,
    pattern: &'d Pattern,
    served: &'d Served,
    random: Random,
    /// How many new items, and new values of updates, were made.
    fresh: u64,
}

impl<'d> Maker<'d> {
    pub(super) fn new(
        items: &'d Items<'d>,
        pattern: &'d Pattern,
        served: &'d Served,
        random: Random,
    ) -> Maker<'d> {
        Maker { items, pattern, served, random, fresh: 0 }
    }

    /// The time until the pattern is called again.
    pub(super) fn pause_ns(&mut self, rate_micro: u64) -> u64 {
        self.random.pause_ns(rate_micro)
    }

    /// The requests of the next call.
    pub(super) fn next(&mut self) -> Vec<Request> {
        match &self.pattern.action {
            Action::Read(read) if !read.entities.is_empty() => vec![self.by_key(read)],
            Action::Read(read) => self.pages(read),
            Action::Write(write) => vec![self.write(write)],
        }
    }

    fn design(&self) -> &'d dynamometer_design::model::Design {
        self.items.derived.design
    }

    fn entity(&self, at: usize) -> &'d Entity {
        &self.design().entities[at]
    }

    fn table_name(&self, table: usize) -> &'d str {
        self.items.table_name(table)
    }

    /// One of the items that are there, the hottest as often as the pattern says.
    fn existing(&mut self, entity: &Entity) -> Which {
        let number = self.random.below(self.items.population(entity));
        let share = self.pattern.hottest_ppm.as_ref().map_or(0, |share| share.value);
        Which { is_hottest: self.random.happens(share), ..Which::number(number) }
    }

    /// The next item that is not there.
    fn fresh(&mut self, entity: &Entity) -> Which {
        self.fresh += 1;
        let number = self.items.population(entity) + self.fresh;
        let share = self.pattern.hottest_ppm.as_ref().map_or(0, |share| share.value);
        Which { is_hottest: self.random.happens(share), is_new: true, ..Which::number(number) }
    }

    fn by_key(&mut self, read: &'d Read) -> Request {
        let calls = read.items.as_ref().map_or(1, |items| items.value.clamp(1, BATCH_GET as u64));
        let is_strong = *read.consistency == Consistency::Strong;
        let mut keys: Vec<(&str, Map<String, Value>)> = Vec::new();
        let mut seen = Seen::default();
        for _ in 0..calls {
            for entity in &read.entities {
                let entity = self.entity(entity.value);
                let which = self.existing(entity);
                let (table, key) = (self.table_name(entity.table), self.items.key(entity, &which));
                if seen.is_new(table, &key) {
                    keys.push((table, key));
                }
            }
        }
        match read.kind {
            ReadKind::TransactGet => {
                let gets = keys.iter().take(BATCH_GET);
                let gets: Vec<Value> =
                    gets.map(|(table, key)| json!({ "Get": { "TableName": table, "Key": key } })).collect();
                Request { operation: "TransactGetItems", body: counted(json!({ "TransactItems": gets })) }
            }
            ReadKind::BatchGet => {
                let mut tables: BTreeMap<&str, Vec<Map<String, Value>>> = BTreeMap::new();
                for (table, key) in keys.into_iter().take(BATCH_GET) {
                    tables.entry(table).or_default().push(key);
                }
                let asked = tables.into_iter().map(|(table, keys)| {
                    (table.to_owned(), json!({ "Keys": keys, "ConsistentRead": is_strong }))
                });
                let asked: Map<String, Value> = asked.collect();
                Request { operation: "BatchGetItem", body: counted(json!({ "RequestItems": asked })) }
            }
            _ => {
                let (table, key) = keys.swap_remove(0);
                let body = json!({ "TableName": table, "Key": key, "ConsistentRead": is_strong });
                Request { operation: "GetItem", body: counted(body) }
            }
        }
    }

    /// A query, a scan, a get by a key that is asked for; of every shard where shards are gathered.
    fn pages(&mut self, read: &'d Read) -> Vec<Request> {
        let entities = &self.served.entities;
        let at = entities.get(self.random.below(entities.len() as u64) as usize).copied();
        let which = at.map(|at| self.existing(self.entity(at))).unwrap_or_default();
        let entity = at.map(|at| self.entity(at));
        let Some(gather) = &read.gather else { return vec![self.page(read, entity, &which)] };
        let shards = self.items.values(&gather.value).unwrap_or(1).min(GATHERED);
        let of_shard = |shard: u64| {
            let mut which = which.clone();
            which.given.insert(gather.value.clone(), shard);
            self.page(read, entity, &which)
        };
        (0..shards).map(of_shard).collect()
    }

    fn page(&self, read: &'d Read, entity: Option<&'d Entity>, which: &Which) -> Request {
        let Target { table, .. } = read.target;
        let mut body = json!({ "TableName": self.table_name(table) });
        if *read.consistency == Consistency::Strong {
            body["ConsistentRead"] = json!(true);
        }
        if read.kind == ReadKind::Get {
            body["Key"] = Value::Object(self.asked_key(read, entity, which));
            return Request { operation: "GetItem", body: counted(body) };
        }
        if let Some(index) = self.design().index(read.target) {
            body["IndexName"] = json!(index.name.value);
        }
        if let Some(limit) = &read.limit {
            body["Limit"] = json!(limit.value);
        }
        if read.count_only.as_ref().is_some_and(|count| count.value) {
            body["Select"] = json!("COUNT");
        }
        if read.kind != ReadKind::Scan {
            if let Some(newest_first) = read.newest_first {
                body["ScanIndexForward"] = json!(!newest_first);
            }
            self.put_condition(read, entity, which, &mut body);
        }
        if let Some(attribute) = read.filter.as_ref().and_then(|_| self.filtered_attribute(read)) {
            // One that lets everything through.
            body["FilterExpression"] = json!("attribute_exists(#f) OR attribute_not_exists(#f)");
            body["ExpressionAttributeNames"]["#f"] = json!(attribute);
        }
        let operation = if read.kind == ReadKind::Scan { "Scan" } else { "Query" };
        Request { operation, body: counted(body) }
    }

    /// An attribute that a filter may name: no key of what is read, and in an index one that it holds.
    fn filtered_attribute(&self, read: &Read) -> Option<&str> {
        let design = self.design();
        let keys = design.keys(read.target);
        let included: &[String] = match design.index(read.target).map(|index| &index.projection) {
            None | Some(Projection::All) => return Some("dyno_load"),
            Some(Projection::KeysOnly) => &[],
            Some(Projection::Include(included)) => included,
        };
        let table_keys = design.tables[read.target.table].keys.attributes().map(|key| key.name.as_str());
        let mut held = table_keys.chain(included.iter().map(String::as_str));
        held.find(|name| keys.attributes().all(|key| key.name != *name))
    }

    /// The value of an attribute that is asked for: the one that is said, or as an entity that is found there writes it.
    fn asked(&self, read: &Read, key: &KeyValue, entity: Option<&Entity>, which: &Which) -> Value {
        match entity {
            Some(entity) if !key.template.is_constant() && entity.template(&key.attribute).is_some() => {
                self.items.key_value(entity, &key.attribute, which)
            }
            _ => {
                let mut keys = self.design().keys(read.target).attributes();
                let known = keys.find(|known| known.name == **key.attribute);
                let kind = known.map_or(ScalarType::S, |known| known.scalar_type);
                typed(kind, self.items.fill(&key.template, which, true), which.number)
            }
        }
    }

    fn asked_key(&self, read: &Read, entity: Option<&Entity>, which: &Which) -> Map<String, Value> {
        let keys = self.design().keys(read.target);
        let mut key = Map::new();
        for asked in read.key.iter().chain(&read.sort_equals) {
            key.insert(asked.attribute.value.clone(), self.asked(read, asked, entity, which));
        }
        if let (Some(sort), Some(attribute)) = (&read.sort, read.sort_attribute(keys)) {
            let value = match (&sort.value, entity) {
                (_, Some(entity)) => self.items.key_value(entity, &attribute.name, which),
                (Sort::Begins(template), None) => json!({ "S": self.items.fill(template, which, false) }),
                (Sort::Between(..), None) => Value::Null,
            };
            key.insert(attribute.name.clone(), value);
        }
        key
    }

    fn put_condition(&self, read: &Read, entity: Option<&Entity>, which: &Which, body: &mut Value) {
        let keys = self.design().keys(read.target);
        let (mut parts, mut names, mut values) = (Vec::new(), Map::new(), Map::new());
        for (at, asked) in read.key.iter().chain(&read.sort_equals).enumerate() {
            parts.push(format!("#p{at} = :p{at}"));
            names.insert(format!("#p{at}"), json!(asked.attribute.value));
            values.insert(format!(":p{at}"), self.asked(read, asked, entity, which));
        }
        if let (Some(sort), Some(attribute)) = (&read.sort, read.sort_attribute(keys)) {
            names.insert("#s".into(), json!(attribute.name));
            let value = |template, which: &Which| {
                typed(attribute.scalar_type, self.items.fill(template, which, false), which.number)
            };
            match &sort.value {
                Sort::Begins(template) => {
                    let is_whole = attribute.scalar_type != ScalarType::S
                        || entity.is_some_and(|entity| read.sort_is_whole(entity, keys));
                    parts.push(if is_whole { "#s = :s" } else { "begins_with(#s, :s)" }.to_owned());
                    values.insert(":s".into(), value(template, which));
                }
                Sort::Between(from, to) => {
                    // From the first item's moment to that of this one: what is in between is there.
                    let ends =
                        [(":f", from, Which { number: 0, ..which.clone() }), (":t", to, which.clone())];
                    let given: Vec<&str> =
                        ends.iter().filter(|(_, end, _)| end.is_some()).map(|(name, ..)| *name).collect();
                    parts.push(match given.as_slice() {
                        [_, _] => "#s BETWEEN :f AND :t".into(),
                        [":f"] => "#s >= :f".to_owned(),
                        _ => "#s <= :t".to_owned(),
                    });
                    for (name, end, which) in &ends {
                        if let Some(template) = end {
                            values.insert((*name).to_owned(), value(template, which));
                        }
                    }
                }
            }
        }
        body["KeyConditionExpression"] = json!(parts.join(" AND "));
        body["ExpressionAttributeNames"] = Value::Object(names);
        body["ExpressionAttributeValues"] = Value::Object(values);
    }

    fn write(&mut self, write: &'d Write) -> Request {
        match write.kind {
            WriteKind::Batch(items) => {
                let mut tables: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
                let mut seen = Seen::default();
                for at in 0..(items as usize).clamp(1, BATCH_WRITE) {
                    let member = &write.members[at % write.members.len()];
                    let entity = self.entity(member.entity.value);
                    let deletes = member.kind == MemberKind::Delete;
                    let which = if deletes { self.existing(entity) } else { self.fresh(entity) };
                    let (table, key) = (self.table_name(entity.table), self.items.key(entity, &which));
                    if !seen.is_new(table, &key) {
                        continue;
                    }
                    tables.entry(table).or_default().push(match deletes {
                        true => json!({ "DeleteRequest": { "Key": key } }),
                        false => json!({ "PutRequest": { "Item": self.items.item(entity, &which) } }),
                    });
                }
                Request { operation: "BatchWriteItem", body: counted(json!({ "RequestItems": tables })) }
            }
            WriteKind::Transaction => {
                // The members are about one thing: a new one when one of them puts.
                let first = self.entity(write.members[0].entity.value);
                let puts = write.members.iter().any(|member| member.kind == MemberKind::Put);
                let which = if puts { self.fresh(first) } else { self.existing(first) };
                let members: Vec<Value> =
                    write.members.iter().map(|member| self.member(member, &which)).collect();
                Request {
                    operation: "TransactWriteItems",
                    body: counted(json!({ "TransactItems": members })),
                }
            }
            WriteKind::Single => {
                self.fresh += 1;
                let member = &write.members[0];
                let entity = self.entity(member.entity.value);
                let which = match member.kind {
                    MemberKind::Put => self.fresh(entity),
                    _ => self.existing(entity),
                };
                let mut action = self.member(member, &which);
                let body = action
                    .as_object_mut()
                    .and_then(|action| action.values_mut().next())
                    .map(Value::take)
                    .unwrap_or_default();
                Request { operation: member.kind.operation(), body: counted(body) }
            }
        }
    }

    /// An action of a transaction; the same members make the operation of its own.
    fn member(&self, member: &Member, which: &Which) -> Value {
        let entity = self.entity(member.entity.value);
        let mut body = json!({ "TableName": self.table_name(entity.table) });
        match member.kind {
            MemberKind::Put => {
                body["Item"] = Value::Object(self.items.item(entity, which));
                json!({ "Put": body })
            }
            MemberKind::Delete => {
                body["Key"] = Value::Object(self.items.key(entity, which));
                json!({ "Delete": body })
            }
            MemberKind::Check => {
                let key = self.items.key(entity, which);
                let name = key.keys().next().cloned().unwrap_or_default();
                body["Key"] = Value::Object(key);
                body["ConditionExpression"] = json!("attribute_exists(#k) OR attribute_not_exists(#k)");
                body["ExpressionAttributeNames"] = json!({ "#k": name });
                json!({ "ConditionCheck": body })
            }
            MemberKind::Update => {
                body["Key"] = Value::Object(self.items.key(entity, which));
                self.put_update(member, entity, which, &mut body);
                json!({ "Update": body })
            }
        }
    }

    fn put_update(&self, member: &Member, entity: &Entity, which: &Which, body: &mut Value) {
        let keys = &self.design().tables[entity.table].keys;
        let said = member.sets.iter().flatten().map(|name| name.value.as_str());
        let mut sets: Vec<&str> = said.filter(|name| !keys.contains(name)).collect();
        if member.sets.is_none() {
            let first = entity.attributes.first().map_or("load", |attribute| attribute.name.as_str());
            sets.push(first);
        }
        // The values of another item, so that index entries move as they will.
        let changed = Which::number(which.number.wrapping_add(self.fresh));
        let (mut names, mut values) = (Map::new(), Map::new());
        let mut clauses = Vec::new();
        let mut parts = Vec::new();
        for (at, name) in sets.iter().enumerate() {
            names.insert(format!("#s{at}"), json!(name));
            values.insert(format!(":s{at}"), self.items.attribute(entity, name, &changed));
            parts.push(format!("#s{at} = :s{at}"));
        }
        if !parts.is_empty() {
            clauses.push(format!("SET {}", parts.join(", ")));
            body["ExpressionAttributeValues"] = Value::Object(values);
        }
        let removes =
            member.removes.iter().map(|name| name.value.as_str()).filter(|name| !keys.contains(name));
        let mut parts = Vec::new();
        for (at, name) in removes.enumerate() {
            names.insert(format!("#r{at}"), json!(name));
            parts.push(format!("#r{at}"));
        }
        if !parts.is_empty() {
            clauses.push(format!("REMOVE {}", parts.join(", ")));
        }
        if !clauses.is_empty() {
            body["UpdateExpression"] = json!(clauses.join(" "));
            body["ExpressionAttributeNames"] = Value::Object(names);
        }
    }
}

/// The keys of a request: batches and transactions that name one twice are refused, and once will do.
#[derive(Default)]
struct Seen(BTreeSet<(String, String)>);

impl Seen {
    fn is_new(&mut self, table: &str, key: &Map<String, Value>) -> bool {
        self.0.insert((table.to_owned(), json!(key).to_string()))
    }
}

/// With the units that it consumes in its answer.
fn counted(mut body: Value) -> Value {
    body["ReturnConsumedCapacity"] = json!("TOTAL");
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use dynamometer_design::derive::Derived;
    use dynamometer_design::plan::plan;
    use dynamometer_design::read;
    use dynamometer_design::source::Source;

    const DESIGN: &str = r#"
design: 1
tables:
  Orders: { keys: [PK, SK], indexes: { ByDay: { keys: [dayShard, SK] } } }
variables:
  shard: { distinct: 3, shard: true }
entities:
  Customer: { keys: { PK: "CUSTOMER#<customerId>", SK: PROFILE }, size: 400B, count: 20 }
  Order:
    keys: { PK: "CUSTOMER#<customerId>", SK: "ORDER#<createdAt>", dayShard: "<day>#<shard>" }
    attributes: [status]
    size: 300B
    count: 100
patterns:
  get: { get: Customer, rate: 1/s, hottest: 100% }
  query: { query: Orders, key: "CUSTOMER#<customerId>", sort: "ORDER#", order: newest-first, limit: 5, rate: 1/s }
  gather: { query: ByDay, key: "<day>#<shard>", gather: shard, rate: 1/s }
  put: { put: Order, rate: 1/s }
  update: { update: Order, sets: [status], rate: 1/s }
  together: { transact-get: [Customer], items: 15, rate: 1/s }
  in batches: { batch-get: Customer, items: 15, rate: 1/s }
"#;

    /// The bodies of the first calls of a pattern.
    fn calls(name: &str, count: usize) -> Vec<String> {
        calls_of(DESIGN, name, count)
    }

    fn calls_of(file: &str, name: &str, count: usize) -> Vec<String> {
        let design = read(&Source::new("test", file)).unwrap();
        let derived = Derived::of(&design);
        let services = plan(&derived);
        let at = design.pattern(name).unwrap();
        let items = Items::new(&derived, Some("app"), 100, 1_780_315_200);
        let served = services[at].served().unwrap();
        let mut maker = Maker::new(&items, &design.patterns[at], served, Random::new(1, at as u64));
        let requests = (0..count).flat_map(|_| maker.next());
        requests.map(|request| format!("{} {}", request.operation, request.body)).collect()
    }

    #[test]
    fn the_hottest_key_gets_its_share() {
        for call in calls("get", 20) {
            assert!(call.contains(r#""PK":{"S":"CUSTOMER#custom0000000000"}"#), "{call}");
        }
    }

    #[test]
    fn queries_ask_for_keys_that_items_have() {
        let call = &calls("query", 1)[0];
        assert!(call.starts_with(r#"Query {"TableName":"app-Orders""#), "{call}");
        for part in [
            r##""KeyConditionExpression":"#p0 = :p0 AND begins_with(#s, :s)""##,
            r#"":s":{"S":"ORDER#"}"#,
            r#""ScanIndexForward":false"#,
            r#""Limit":5"#,
        ] {
            assert!(call.contains(part), "{part} in {call}");
        }
    }

    #[test]
    fn keys_of_several_attributes_are_asked_for_from_the_left() {
        let file = include_str!("../../../design/tests/designs/several-attributes.yaml");
        for (name, condition, values) in [
            ("orders of a tenant", "#p0 = :p0 AND #p1 = :p1", vec![]),
            (
                "orders of a tenant in a state",
                "#p0 = :p0 AND #p1 = :p1 AND #s = :s",
                vec![r##""#s":"status""##],
            ),
            (
                "open orders of a tenant since a day",
                "#p0 = :p0 AND #p1 = :p1 AND #p2 = :p2 AND #s >= :f",
                vec![r#"":p2":{"S":"OPEN"}"#, r##""#s":"createdAt""##],
            ),
        ] {
            let call = &calls_of(file, name, 1)[0];
            assert!(call.contains(&format!(r#""KeyConditionExpression":"{condition}""#)), "{call}");
            for value in values {
                assert!(call.contains(value), "{value} in {call}");
            }
        }
    }

    #[test]
    fn gathering_asks_every_shard_of_the_same_day() {
        let calls = calls("gather", 1);
        assert_eq!(calls.len(), 3);
        for (shard, call) in calls.iter().enumerate() {
            assert!(call.contains(&format!(r#"":p0":{{"S":"2026-06-01#{shard}"}}"#)), "{call}");
        }
    }

    #[test]
    fn puts_are_new_items_and_updates_are_not() {
        let keys = |calls: Vec<String>| {
            let sort = |call: String| {
                let at = call.find("ORDER#").unwrap();
                call[at..at + 26].to_owned()
            };
            calls.into_iter().map(sort).collect::<BTreeSet<_>>()
        };
        let puts = keys(calls("put", 50));
        assert_eq!(puts.len(), 50);
        assert!(puts.is_disjoint(&keys(calls("update", 50))));
    }

    #[test]
    fn no_request_names_a_key_twice() {
        for call in ["together", "in batches"].into_iter().flat_map(|name| calls(name, 20)) {
            let keys: Vec<&str> = call.split("CUSTOMER#").skip(1).map(|rest| &rest[..16]).collect();
            assert!(keys.len() > 1 && keys.len() == keys.iter().collect::<BTreeSet<_>>().len(), "{call}");
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_calls() {
        assert_eq!(calls("update", 20), calls("update", 20));
    }
}
