//! A design file from tables that exist: what they are made of is read, what their items are is guessed from a sample.
//!
//! Kinds of items are told apart by what their keys begin with (`USER#`, `ORDER#`), or by an `EntityType`. Every guess is
//! marked as one in the file. What the application asks cannot be seen in a table: the patterns are those that its keys could
//! serve, for a person to keep or strike.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dynamometer_types::size::item_size;
use dynamometer_types::value::sort_set;
use dynamometer_types::{AttributeValue, Item, Number};
use serde_json::Value;

/// A table as DescribeTable and a sample of its items show it.
#[derive(Clone, Debug)]
pub struct LiveTable {
    /// `Table` of DescribeTable's answer.
    pub description: Value,
    /// The attribute of time to live, if it is on.
    pub ttl: Option<String>,
    /// Sampled items, in DynamoDB's JSON.
    pub items: Vec<Value>,
    /// Whether these are all.
    pub is_all: bool,
}

/// Characters that part the pieces of key values.
const SEPARATORS: [char; 5] = ['#', '$', '|', ':', '/'];

/// Writes a design file. `origin` says where the tables are.
pub fn infer(tables: &[LiveTable], origin: &str) -> String {
    let mut out = format!(
        "# Made from the tables at {origin}. Tables and indexes are read; kinds of items, sizes and numbers are guessed from\n\
         # samples, and say so. The patterns are those that the keys could serve: keep what your application asks, say how\n\
         # often, and strike the rest.\n\
         design: 1\n\ntables:\n"
    );
    for table in tables {
        write_table(&mut out, table);
    }
    let mut names: Vec<String> = Vec::new();
    let kinds: Vec<(&LiveTable, Vec<Kind>)> =
        tables.iter().map(|table| (table, kinds(table, &mut names))).collect();
    if kinds.iter().all(|(_, kinds)| kinds.is_empty()) {
        out.push_str("\n# There are no items to guess from.\nentities: {}\n\npatterns: {}\n");
        return out;
    }
    out.push_str("\nentities:\n");
    for (table, kinds) in &kinds {
        for kind in kinds {
            write_entity(&mut out, table, kind);
        }
    }
    out.push_str("\npatterns:\n");
    for (table, kinds) in &kinds {
        write_patterns(&mut out, table, kinds);
    }
    out
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn name_of(table: &LiveTable) -> &str {
    text(&table.description, "TableName")
}

/// The attributes of the partition key of a table or index, and those of its sort key.
fn keys(of: &Value) -> [Vec<&str>; 2] {
    let schema = of["KeySchema"].as_array().map(Vec::as_slice).unwrap_or_default();
    ["HASH", "RANGE"].map(|kind| {
        let of_kind = schema.iter().filter(|key| text(key, "KeyType") == kind);
        of_kind.map(|key| text(key, "AttributeName")).collect()
    })
}

/// The key attributes of a table or index, the partition key first.
fn key_names(of: &Value) -> Vec<&str> {
    keys(of).concat()
}

fn indexes(table: &LiveTable) -> Vec<(&Value, bool)> {
    let of = |name: &str, local| {
        let list = table.description[name].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().map(move |index| (index, local)).collect::<Vec<_>>()
    };
    [of("GlobalSecondaryIndexes", false), of("LocalSecondaryIndexes", true)].concat()
}

/// A name as YAML takes it.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !matches!(
            name.to_lowercase().as_str(),
            "yes" | "no" | "true" | "false" | "null" | "on" | "off" | "n" | "y"
        );
    if is_plain {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// A key attribute with its type, unless that is S.
fn typed(table: &LiveTable, name: &str) -> String {
    let definitions =
        table.description["AttributeDefinitions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let kind = definitions.iter().find(|definition| text(definition, "AttributeName") == name);
    match kind.map(|definition| text(definition, "AttributeType")) {
        Some(kind @ ("N" | "B")) => format!("\"{name} {kind}\""),
        _ => quoted(name),
    }
}

fn keys_text(table: &LiveTable, of: &Value) -> String {
    let parts = keys(of).into_iter().filter(|names| !names.is_empty()).map(|names| {
        let names: Vec<String> = names.into_iter().map(|name| typed(table, name)).collect();
        if names.len() == 1 { names.concat() } else { format!("[{}]", names.join(", ")) }
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

fn write_table(out: &mut String, table: &LiveTable) {
    let of = &table.description;
    let _ = writeln!(out, "  {}:\n    keys: {}", quoted(name_of(table)), keys_text(table, of));
    let is_on_demand = text(&of["BillingModeSummary"], "BillingMode") == "PAY_PER_REQUEST";
    if !is_on_demand {
        out.push_str("    billing: provisioned\n");
        let units = |name: &str| of["ProvisionedThroughput"][name].as_u64().filter(|units| *units > 0);
        if let (Some(reads), Some(writes)) = (units("ReadCapacityUnits"), units("WriteCapacityUnits")) {
            let _ = writeln!(out, "    capacity: {{ reads: {reads}, writes: {writes} }}");
        }
    }
    if text(&of["TableClassSummary"], "TableClass") == "STANDARD_INFREQUENT_ACCESS" {
        out.push_str("    class: standard-ia\n");
    }
    if let Some(ttl) = &table.ttl {
        let _ = writeln!(out, "    ttl: {}", quoted(ttl));
    }
    if of["DeletionProtectionEnabled"].as_bool() == Some(true) {
        out.push_str("    deletion-protection: yes\n");
    }
    let view = text(&of["StreamSpecification"], "StreamViewType");
    if !view.is_empty() {
        let _ = writeln!(out, "    stream: {}", view.to_lowercase().replace('_', "-"));
    }
    let indexes = indexes(table);
    if !indexes.is_empty() {
        out.push_str("    indexes:\n");
    }
    for (index, local) in indexes {
        let mut parts = vec![format!("keys: {}", keys_text(table, index))];
        if local {
            parts.push("local: yes".into());
        }
        match text(&index["Projection"], "ProjectionType") {
            "KEYS_ONLY" => parts.push("projection: keys-only".into()),
            "INCLUDE" => {
                let names =
                    index["Projection"]["NonKeyAttributes"].as_array().map(Vec::as_slice).unwrap_or_default();
                let names: Vec<String> = names.iter().filter_map(Value::as_str).map(quoted).collect();
                parts.push(format!("projection: [{}]", names.join(", ")));
            }
            _ => {}
        }
        let _ = writeln!(out, "      {}: {{ {} }}", quoted(text(index, "IndexName")), parts.join(", "));
    }
}

/// A kind of item that was guessed.
struct Kind {
    name: String,
    items: Vec<Item>,
    /// The key attributes with their templates and the share of items that have them, in percent.
    keys: Vec<(String, String, usize)>,
    /// How many of the table's sampled items.
    sampled: usize,
}

/// Guesses the kinds of items of a table.
fn kinds(table: &LiveTable, names: &mut Vec<String>) -> Vec<Kind> {
    let own = key_names(&table.description);
    let mut groups: BTreeMap<Vec<String>, Vec<Item>> = BTreeMap::new();
    for item in table.items.iter().filter_map(item) {
        let mut group: Vec<String> =
            own.iter().map(|name| item.get(name).map(head).unwrap_or_default()).collect();
        group.push(entity_type(&item).unwrap_or_default());
        groups.entry(group).or_default().push(item);
    }
    let sampled = groups.values().map(Vec::len).sum();
    let mut kinds = Vec::new();
    for (group, items) in groups {
        let wanted = match group.last().filter(|name| !name.is_empty()) {
            Some(name) => name.clone(),
            None => name_from_heads(&group, name_of(table)),
        };
        let free = std::iter::once(wanted.clone()).chain((2..).map(|number| format!("{wanted} {number}")));
        let name = free.into_iter().find(|name| !names.contains(name)).unwrap_or(wanted);
        names.push(name.clone());
        kinds.push(Kind { name, keys: key_templates(table, &items), items, sampled });
    }
    kinds
}

fn entity_type(item: &Item) -> Option<String> {
    let names = ["EntityType", "entityType", "entity_type", "_et", "entity"];
    names.iter().find_map(|name| match item.get(name) {
        Some(AttributeValue::S(text)) if !text.is_empty() => Some(text.to_string()),
        _ => None,
    })
}

/// What tells kinds of key values apart: the word in front of the first separator, or a word that is the whole value.
fn head(value: &AttributeValue) -> String {
    let AttributeValue::S(text) = value else { return String::new() };
    let is_word = |part: &str| {
        !part.is_empty()
            && part.len() <= 32
            && part.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | '.'))
    };
    match text.find(SEPARATORS) {
        Some(at) if is_word(&text[..at]) => text[..=at].to_owned(),
        None if is_word(text) && text.chars().any(|c| c.is_uppercase()) => text.to_string(),
        _ => String::new(),
    }
}

/// `USER#` and `ORDER#` make `User Order`.
fn name_from_heads(heads: &[String], table: &str) -> String {
    let words: Vec<String> = heads
        .iter()
        .map(|head| head.trim_end_matches(SEPARATORS).to_lowercase())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        })
        .collect();
    if words.is_empty() { format!("{table} item") } else { words.join(" ") }
}

/// The templates of all key attributes that items of a kind have.
fn key_templates(table: &LiveTable, items: &[Item]) -> Vec<(String, String, usize)> {
    let mut names = key_names(&table.description);
    for (index, _) in indexes(table) {
        names.extend(key_names(index));
    }
    let mut templates: Vec<(String, String, usize)> = Vec::new();
    for name in names {
        let values: Vec<&AttributeValue> = items.iter().filter_map(|item| item.get(name)).collect();
        if values.is_empty() || templates.iter().any(|(known, ..)| known == name) {
            continue;
        }
        templates.push((name.to_owned(), template(name, &values), values.len() * 100 / items.len()));
    }
    templates
}

/// The template that values seem to have: what they share up to a separator, and a variable.
fn template(attribute: &str, values: &[&AttributeValue]) -> String {
    let variable = |head: &str| {
        let word: String =
            head.trim_end_matches(SEPARATORS).chars().filter(|c| c.is_alphanumeric()).collect();
        if word.is_empty() { attribute.to_owned() } else { format!("{}Id", word.to_lowercase()) }
    };
    let texts: Option<Vec<&str>> = values
        .iter()
        .map(|value| match value {
            AttributeValue::S(text) if !text.contains(['<', '>']) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let Some(texts) = texts else { return format!("<{attribute}>") };
    let first = texts[0];
    if texts.iter().all(|text| *text == first) && (texts.len() > 1 || head(values[0]) == first) {
        return first.to_owned();
    }
    let own_head = head(values[0]);
    let behind = |text: &str| text.strip_prefix(own_head.as_str()).map(str::to_owned);
    for (is_one, variable) in [(is_moment as fn(&str) -> bool, "timestamp"), (is_date, "date")] {
        if texts.iter().all(|text| behind(text).is_some_and(|rest| is_one(&rest))) {
            return format!("{own_head}<{variable}>");
        }
    }
    let shared = texts.iter().fold(first, |shared, text| {
        let same = shared.chars().zip(text.chars()).take_while(|(one, other)| one == other);
        &shared[..same.map(|(one, _)| one.len_utf8()).sum()]
    });
    // A single value shares everything with itself: its head is all that can be told.
    let shared = if texts.len() == 1 { own_head.as_str() } else { shared };
    let prefix = shared.rfind(SEPARATORS).map_or("", |at| &shared[..=at]);
    let rest = &first[prefix.len()..];
    match (is_moment(rest), is_date(rest)) {
        (true, _) => format!("{prefix}<timestamp>"),
        (_, true) => format!("{prefix}<date>"),
        _ => format!(
            "{prefix}<{}>",
            variable(prefix.split_inclusive(SEPARATORS).next_back().unwrap_or(&own_head))
        ),
    }
}

/// `2026-06-01T10:00:00`, and what may follow.
fn is_moment(text: &str) -> bool {
    text.len() >= 19 && text.as_bytes()[10] == b'T' && text.starts_with(|c: char| c.is_ascii_digit())
}

/// `2026-06-01`.
fn is_date(text: &str) -> bool {
    text.len() == 10 && text.matches('-').count() == 2 && text.starts_with(|c: char| c.is_ascii_digit())
}

fn write_entity(out: &mut String, table: &LiveTable, kind: &Kind) {
    let sizes: Vec<u64> = kind.items.iter().map(item_size).collect();
    let (sum, largest) = (sizes.iter().sum::<u64>(), sizes.iter().max().copied().unwrap_or(0));
    let typical = sum / sizes.len().max(1) as u64;
    let _ = writeln!(
        out,
        "  {}: # guessed from {} of {} sampled items",
        quoted(&kind.name),
        kind.items.len(),
        kind.sampled
    );
    let _ = writeln!(out, "    table: {}\n    keys:", quoted(name_of(table)));
    for (name, template, present) in &kind.keys {
        let template = format!("\"{}\"", template.replace('\\', "\\\\").replace('"', "\\\""));
        match present {
            100 => {
                let _ = writeln!(out, "      {}: {template}", quoted(name));
            }
            _ => {
                let _ = writeln!(
                    out,
                    "      {}: {{ value: {template}, present: {}% }}",
                    quoted(name),
                    (*present).max(1)
                );
            }
        }
    }
    let mut types: BTreeMap<&str, &'static str> = BTreeMap::new();
    for (name, value) in kind.items.iter().flat_map(Item::iter) {
        if !kind.keys.iter().any(|(known, ..)| known == name) {
            types.insert(name, value.value_type().name());
        }
    }
    if !types.is_empty() {
        let types: Vec<String> =
            types.iter().map(|(name, kind)| format!("{}: {kind}", quoted(name))).collect();
        let _ = writeln!(out, "    attributes: {{ {} }}", types.join(", "));
    }
    let _ = writeln!(out, "    size: {{ typical: {typical}B, largest: {largest}B }} # of the sample");
    let (count, remark) = match table.is_all {
        true => (kind.items.len() as u64, ""),
        false => {
            let all = table.description["ItemCount"].as_u64().unwrap_or(0);
            let share = all * kind.items.len() as u64 / kind.sampled.max(1) as u64;
            (share.max(kind.items.len() as u64), " # guessed from the sample's share")
        }
    };
    let _ = writeln!(out, "    count: {count}{remark}");
}

fn write_patterns(out: &mut String, table: &LiveTable, kinds: &[Kind]) {
    for kind in kinds {
        let _ =
            writeln!(out, "  {}: {{ get: {} }}", quoted(&format!("get {}", kind.name)), quoted(&kind.name));
    }
    for (index, _) in indexes(table) {
        let [partition, _] = keys(index);
        for kind in kinds {
            let Some(key) = asked_key(kind, &partition) else { continue };
            let name = format!("{} by {}", kind.name, text(index, "IndexName"));
            let target = format!("{}/{}", name_of(table), text(index, "IndexName"));
            let _ =
                writeln!(out, "  {}: {{ query: {}, key: {key}, limit: 50 }}", quoted(&name), quoted(&target));
        }
    }
}

/// The partition key of a query for a kind; `None` when the kind lacks an attribute of it.
fn asked_key(kind: &Kind, partition: &[&str]) -> Option<String> {
    let template =
        |name: &str| kind.keys.iter().find(|(known, ..)| known == name).map(|(_, template, _)| template);
    match partition {
        [] => None,
        [name] => Some(format!("\"{}\"", template(name)?)),
        several => {
            let pairs = several.iter().map(|name| Some(format!("{}: \"{}\"", quoted(name), template(name)?)));
            Some(format!("{{ {} }}", pairs.collect::<Option<Vec<_>>>()?.join(", ")))
        }
    }
}

/// An item from DynamoDB's JSON; `None` when it is none.
fn item(value: &Value) -> Option<Item> {
    let members = value.as_object()?;
    members.iter().map(|(name, value)| Some((name, attribute(value)?))).collect()
}

fn attribute(value: &Value) -> Option<AttributeValue> {
    let (kind, value) = value.as_object()?.iter().next()?;
    let number = |value: &Value| value.as_str()?.parse::<Number>().ok();
    let list = || value.as_array().map(Vec::as_slice).unwrap_or_default();
    Some(match kind.as_str() {
        "S" => AttributeValue::s(value.as_str()?),
        "N" => AttributeValue::N(number(value)?),
        "B" => AttributeValue::B(bytes(value)?),
        "BOOL" => AttributeValue::Bool(value.as_bool()?),
        "NULL" => AttributeValue::Null,
        "L" => AttributeValue::L(list().iter().map(attribute).collect::<Option<_>>()?),
        "M" => AttributeValue::M(item(value)?),
        "SS" => AttributeValue::Ss(
            sort_set(list().iter().map(|one| Some(one.as_str()?.into())).collect::<Option<_>>()?).ok()?,
        ),
        "NS" => AttributeValue::Ns(sort_set(list().iter().map(number).collect::<Option<_>>()?).ok()?),
        "BS" => AttributeValue::Bs(list().iter().map(bytes).collect::<Option<Vec<_>>>()?),
        _ => return None,
    })
}

/// So many bytes as a base64 text holds. What they are does not matter here: sizes are asked for.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?.trim_end_matches('=');
    Some(vec![0; text.len() * 3 / 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use serde_json::json;

    fn live() -> LiveTable {
        let order = |number: u32| {
            json!({
                "PK": { "S": format!("USER#{number}") }, "SK": { "S": format!("ORDER#2026-06-{number:02}T00:00:00Z") },
                "GSI1PK": { "S": "OPEN" }, "amount": { "N": "42" },
                "tenant": { "S": format!("t{number}") }, "region": { "S": "eu" },
                "createdAt": { "S": format!("2026-06-01T00:00:{number:02}Z") },
            })
        };
        let user = |number: u32| json!({ "PK": { "S": format!("USER#{number}") }, "SK": { "S": "PROFILE" }, "photo": { "B": "AAAA" } });
        LiveTable {
            description: json!({
                "TableName": "App",
                "KeySchema": [{ "AttributeName": "PK", "KeyType": "HASH" }, { "AttributeName": "SK", "KeyType": "RANGE" }],
                "AttributeDefinitions": [{ "AttributeName": "PK", "AttributeType": "S" }],
                "BillingModeSummary": { "BillingMode": "PAY_PER_REQUEST" },
                "GlobalSecondaryIndexes": [{
                    "IndexName": "GSI1", "KeySchema": [{ "AttributeName": "GSI1PK", "KeyType": "HASH" }],
                    "Projection": { "ProjectionType": "ALL" },
                }, {
                    "IndexName": "ByTenant", "Projection": { "ProjectionType": "KEYS_ONLY" },
                    "KeySchema": [
                        { "AttributeName": "tenant", "KeyType": "HASH" }, { "AttributeName": "region", "KeyType": "HASH" },
                        { "AttributeName": "createdAt", "KeyType": "RANGE" },
                    ],
                }],
                "ItemCount": 1000,
            }),
            ttl: Some("expiresAt".into()),
            items: vec![user(1), order(1), order(2), user(2)],
            is_all: false,
        }
    }

    #[test]
    fn kinds_of_items_are_told_apart_by_their_keys() {
        let text = infer(&[live()], "http://127.0.0.1:8000");
        for line in [
            "  \"User Profile\": # guessed from 2 of 4 sampled items",
            "      PK: \"USER#<userId>\"",
            "      SK: \"PROFILE\"",
            "      SK: \"ORDER#<timestamp>\"",
            "      GSI1PK: \"OPEN\"",
            "      ByTenant: { keys: [[tenant, region], createdAt], projection: keys-only }",
            "      createdAt: \"<timestamp>\"",
            "  \"User Order by ByTenant\": { query: \"App/ByTenant\", key: { tenant: \"<tenant>\", region: \"eu\" }, limit: 50 }",
            "    attributes: { photo: B }",
            "    count: 500 # guessed from the sample's share",
            "    ttl: expiresAt",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
        let design = crate::read(&Source::new("live.yaml", text.clone()));
        assert!(design.is_ok(), "{design:?}\n{text}");
    }

    #[test]
    fn an_empty_table_makes_a_design_too() {
        let table = LiveTable { items: Vec::new(), ..live() };
        let text = infer(&[table], "here");
        assert!(crate::read(&Source::new("live.yaml", text.clone())).is_ok(), "{text}");
    }

    #[test]
    fn sizes_are_those_of_dynamodb() {
        let size_of =
            |value: &Value| attribute(value).map(|value| dynamometer_types::size::value_size(&value));
        assert_eq!(size_of(&json!({ "B": "AAECAw==" })), Some(4));
        assert_eq!(size_of(&json!({ "M": { "a": { "S": "x" } } })), Some(3 + 1 + 2));
        assert_eq!(size_of(&json!({ "X": 1 })), None);
    }
}
