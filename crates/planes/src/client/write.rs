//! One write of one item, in the form that a single request, a transaction and a batch can all take.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types as sdk;
use dynamometer_types::{AttributeValue, Item};

use super::error::Error;
use super::row::{item_to_sdk, names, to_sdk};
use crate::schema::Table;

/// A write, ready but for the table's full name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Write {
    pub(crate) table: &'static Table,
    pub(crate) action: Action,
    /// When it is made. Refused otherwise.
    pub(crate) condition: Option<Condition>,
    /// What a failed condition means.
    pub(crate) refusal: Refusal,
}

/// What is done to the item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// The whole item is written.
    Put(Item),
    /// These attributes are set, the revision is raised, and what else the pattern knows is taken away.
    Set { key: Item, set: Item },
    /// The item is deleted.
    Delete(Item),
    /// Nothing is done: the condition alone matters, in a transaction.
    Check(Item),
}

/// A condition: an expression whose `#name` stands for the attribute `name`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(crate) text: &'static str,
    pub(crate) names: &'static [&'static str],
    pub(crate) values: Vec<(&'static str, AttributeValue)>,
}

/// What a failed condition means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The item is there already.
    Exists,
    /// The item is there already, under a key that was drawn by chance for this write: it is this write's own.
    Ours,
    /// Somebody else was faster.
    Conflict,
}

/// The attributes that a latest version may have beside its keys and its revision; those that a write does not set go.
const LATEST: [&str; 5] =
    [names::VALUE, names::VALUE_BLOB, names::TIMELINE, names::ENTITY_KEY, names::SYSTEM_KEY];

/// The parts of an expression as requests take them.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) condition: Option<String>,
    pub(crate) update: Option<String>,
    pub(crate) names: Option<HashMap<String, String>>,
    pub(crate) values: Option<HashMap<String, sdk::AttributeValue>>,
}

impl Parts {
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.get_or_insert_default().insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn value(&mut self, name: &str, value: AttributeValue) -> String {
        let placeholder = format!(":{name}");
        self.values.get_or_insert_default().insert(placeholder.clone(), to_sdk(value));
        placeholder
    }
}

impl Write {
    /// The key of the item, for a person: `profile#user01 config#latest`.
    pub(crate) fn named(&self) -> String {
        let text = |name| match self.key_part(name) {
            Some(AttributeValue::S(text)) => text.as_str(),
            _ => "",
        };
        match self.table.ttl {
            // The sort key of events is the same for all.
            Some(_) => text(self.table.partition_key).to_owned(),
            None => format!("{} {}", text(self.table.partition_key), text(self.table.sort_key)),
        }
    }

    /// The key of the item.
    pub(crate) fn key(&self) -> Item {
        let names = [self.table.partition_key, self.table.sort_key];
        names.into_iter().filter_map(|name| Some((name, self.key_part(name)?.clone()))).collect()
    }

    fn key_part(&self, name: &str) -> Option<&AttributeValue> {
        match &self.action {
            Action::Put(item) => item.get(name),
            Action::Set { key, .. } | Action::Delete(key) | Action::Check(key) => key.get(name),
        }
    }

    /// The attributes that the write brings, when it brings any.
    pub(crate) fn body(&mut self) -> Option<&mut Item> {
        match &mut self.action {
            Action::Put(item) => Some(item),
            Action::Set { set, .. } => Some(set),
            Action::Delete(_) | Action::Check(_) => None,
        }
    }

    /// The size of the item after the write, in bytes.
    pub(crate) fn item_bytes(&self) -> u64 {
        use dynamometer_types::size::{attribute_size, item_size};
        match &self.action {
            Action::Put(item) => item_size(item),
            Action::Set { key, set } => {
                // The revision is at most this large.
                let revision = AttributeValue::N(i64::MAX.into());
                item_size(key) + item_size(set) + attribute_size(names::REVISION, &revision)
            }
            Action::Delete(_) | Action::Check(_) => 0,
        }
    }

    /// What is said when the condition does not hold.
    pub(crate) fn refused(&self) -> Error {
        let key = self.named();
        match self.refusal {
            Refusal::Exists | Refusal::Ours => Error::AlreadyExists { key },
            Refusal::Conflict => Error::Conflict { key },
        }
    }

    /// What a failed request of this write means.
    pub(crate) fn failed<E, R>(&self, operation: &'static str, error: SdkError<E, R>) -> Error
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        match error.code() {
            Some("ConditionalCheckFailedException") => self.refused(),
            _ => Error::aws(operation, error),
        }
    }

    /// The expressions.
    pub(crate) fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        if let Some(condition) = &self.condition {
            parts.condition = Some(condition.text.to_owned());
            for name in condition.names {
                parts.name(name);
            }
            for (name, value) in &condition.values {
                parts.value(name, value.clone());
            }
        }
        if let Action::Set { set, .. } = &self.action {
            parts.update = Some(update(&mut parts, set));
        }
        parts
    }

    /// As a member of a transaction. The old item comes back with a failed condition.
    ///
    /// # Errors
    /// When the SDK finds a member missing, which would be a fault of this crate.
    pub(crate) fn in_transaction(&self, table: String) -> Result<sdk::TransactWriteItem, Error> {
        let parts = self.parts();
        let return_old = sdk::ReturnValuesOnConditionCheckFailure::AllOld;
        let built = match self.action.clone() {
            Action::Put(item) => sdk::Put::builder()
                .table_name(table)
                .set_item(Some(item_to_sdk(item)))
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .return_values_on_condition_check_failure(return_old)
                .build()
                .map(|put| sdk::TransactWriteItem::builder().put(put)),
            Action::Set { key, .. } => sdk::Update::builder()
                .table_name(table)
                .set_key(Some(item_to_sdk(key)))
                .set_update_expression(parts.update)
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .build()
                .map(|update| sdk::TransactWriteItem::builder().update(update)),
            Action::Delete(key) => sdk::Delete::builder()
                .table_name(table)
                .set_key(Some(item_to_sdk(key)))
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .build()
                .map(|delete| sdk::TransactWriteItem::builder().delete(delete)),
            Action::Check(key) => sdk::ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(item_to_sdk(key)))
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .build()
                .map(|check| sdk::TransactWriteItem::builder().condition_check(check)),
        };
        built.map(|item| item.build()).map_err(|error| incomplete("TransactWriteItems", error))
    }
}

/// A request that the SDK finds incomplete.
pub(crate) fn incomplete(
    operation: &'static str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::Aws { operation, code: None, message: error.to_string(), source: Box::new(error) }
}

fn update(parts: &mut Parts, set: &Item) -> String {
    let assignments: Vec<String> = set
        .iter()
        .map(|(name, value)| format!("{} = {}", parts.name(name), parts.value(name, value.clone())))
        .collect();
    let removed: Vec<String> =
        LATEST.iter().filter(|name| !set.contains(name)).map(|name| parts.name(name)).collect();
    let revision = parts.name(names::REVISION);
    let one = parts.value("one", AttributeValue::N(1.into()));
    format!("SET {} REMOVE {} ADD {revision} {one}", assignments.join(", "), removed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::CONTROL_PLANE;

    fn item(pairs: &[(&str, &str)]) -> Item {
        pairs.iter().map(|(name, text)| (*name, AttributeValue::s(*text))).collect()
    }

    #[test]
    fn a_latest_version_is_set_whole_and_what_it_does_not_say_goes() {
        let write = Write {
            table: &CONTROL_PLANE,
            action: Action::Set {
                key: item(&[("resource_key", "profile#u"), ("event_key", "config#latest")]),
                set: item(&[("value", "x"), ("timeline", "t")]),
            },
            condition: Some(Condition {
                text: "#revision = :expected",
                names: &["revision"],
                values: vec![("expected", AttributeValue::N(3.into()))],
            }),
            refusal: Refusal::Conflict,
        };
        let parts = write.parts();
        assert_eq!(
            parts.update.as_deref(),
            Some(
                "SET #timeline = :timeline, #value = :value REMOVE #value_blob, #entity_key, #system_key \
                 ADD #revision :one"
            )
        );
        assert_eq!(parts.condition.as_deref(), Some("#revision = :expected"));
        let named: std::collections::BTreeSet<String> = parts.names.unwrap().into_values().collect();
        assert_eq!(named.len(), 6, "each placeholder is used and defined: {named:?}");
        assert_eq!(
            write.refused().to_string(),
            "profile#u config#latest was changed by somebody else since it was read"
        );
    }
}
