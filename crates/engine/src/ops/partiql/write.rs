//! INSERT, UPDATE, DELETE and EXISTS as a put, an update, a delete and a check.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dynamometer_expr::partiql::{Returning, Statement, check_key_types, key_mismatch, split_key};
use dynamometer_expr::{Condition, Path, Update};
use dynamometer_types::limits::NESTING_LEVELS;
use dynamometer_types::{ApiError, ErrorKind, Item, KeySchema};

use crate::api::ItemOut;
use crate::catalog::Table;
use crate::ops::items::{
    CheckOperation, DeleteOperation, OnFailure, UpdateOperation, check_item_size, check_put_item,
    check_update_targets,
};
use crate::throughput::ItemAction;
use crate::validate::keys::{KEY_MISMATCH, check_key, stored_key};
use crate::write_path::{Effect, OldImage, PlannedWrite, WriteOperation, Written};

/// A statement that writes or checks, and the item that it names.
pub(super) struct Write {
    /// The item of an INSERT, the key of any other.
    holder: Item,
    kind: Kind,
    returning: Option<Returning>,
    fault: Option<KeyFault>,
}

enum Kind {
    Insert,
    Update { update: Update, condition: Condition },
    Delete { condition: Option<Condition> },
    Check { condition: Condition },
}

/// Why a WHERE clause does not name one item.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyFault {
    /// A key attribute has no equality.
    Incomplete,
    /// This key attribute has to be two things.
    Conflict(String),
    /// A value is not of its attribute's type, in the words for it.
    Type(String),
    /// A value is of a type that no key has, in the words for it.
    Kind(String),
}

impl Write {
    /// Takes apart a statement that is no SELECT.
    ///
    /// # Errors
    /// When it is an EXISTS that checks no condition on one item.
    pub(super) fn of(statement: &Statement, schema: &KeySchema) -> Result<Write, ApiError> {
        let (condition, returning) = match statement {
            Statement::Insert(insert) => {
                return Ok(Write {
                    holder: insert.item.clone(),
                    kind: Kind::Insert,
                    returning: None,
                    fault: check_inserted_types(&insert.item, schema).err().map(KeyFault::Type),
                });
            }
            Statement::Update(update) => (&update.condition, update.returning),
            Statement::Delete(delete) => (&delete.condition, delete.returning),
            Statement::Select(select) | Statement::Exists(select) => (&select.condition, None),
        };
        let split = split_key(condition.as_ref(), schema);
        let is_complete = split.key.len() == schema.len();
        let fault = match split.conflict {
            _ if !is_complete => Some(KeyFault::Incomplete),
            Some(name) => Some(KeyFault::Conflict(name)),
            None => check_key_types(&split.key, schema).err().map(|error| {
                let can_be_keys = split.key.values().all(|value| value.value_type().can_be_key());
                if can_be_keys { KeyFault::Type(error.message) } else { KeyFault::Kind(error.message) }
            }),
        };
        let partition = || Path::top_level(schema.partition[0].name.as_str());
        let kind = match statement {
            Statement::Update(statement) => {
                // Unlike UpdateItem, an UPDATE makes no item.
                let mut all = vec![Condition::AttributeExists(partition())];
                all.extend(split.rest);
                Kind::Update { update: statement.update.clone(), condition: Condition::And(all) }
            }
            Statement::Delete(_) => {
                // A DELETE of what is not there succeeds, whatever it asks for beside the key.
                let condition = split
                    .rest
                    .map(|rest| Condition::Or(vec![Condition::AttributeNotExists(partition()), rest]));
                Kind::Delete { condition }
            }
            _ => match split.rest {
                // The second of two values for a key is a condition that fails.
                Some(condition) if is_complete => {
                    let fault = fault.filter(|fault| !matches!(fault, KeyFault::Conflict(_)));
                    let kind = Kind::Check { condition };
                    return Ok(Write { holder: split.key, kind, returning, fault });
                }
                _ => {
                    return Err(ApiError::validation(
                        "EXISTS() must contain a single item read with additional condition",
                    ));
                }
            },
        };
        Ok(Write { holder: split.key, kind, returning, fault })
    }

    /// Whether it has a RETURNING clause.
    pub(super) fn has_returning(&self) -> bool {
        self.returning.is_some()
    }

    /// Refuses a WHERE clause that does not name one item, in the words of a statement on its own.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check_key(&self) -> Result<(), ApiError> {
        let message = match &self.fault {
            None => return Ok(()),
            Some(KeyFault::Incomplete) => {
                "Where clause does not contain a mandatory equality on all key attributes".into()
            }
            Some(KeyFault::Conflict(name)) => format!(
                "Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
            ),
            Some(KeyFault::Type(message) | KeyFault::Kind(message)) => message.clone(),
        };
        Err(ApiError::validation(message))
    }

    /// Refuses a transaction for key values of types that no key has.
    ///
    /// # Errors
    /// AWS's words.
    pub(super) fn check_key_kinds(&self) -> Result<(), ApiError> {
        match &self.fault {
            Some(KeyFault::Kind(message)) => Err(ApiError::validation(message.clone())),
            _ => Ok(()),
        }
    }

    /// Refuses a WHERE clause that does not name one item, in the words of a reason that cancels a transaction. That of an
    /// INSERT is PutItem's, and comes with the plan.
    ///
    /// # Errors
    /// AWS's words.
    pub(super) fn check_key_in_transaction(&self) -> Result<(), ApiError> {
        match (&self.kind, &self.fault) {
            (Kind::Insert, _) | (_, None) => Ok(()),
            _ => Err(ApiError::validation(KEY_MISMATCH)),
        }
    }

    /// What it does.
    pub(super) fn operation(&self, on_failure: OnFailure, transactional: bool) -> Operation<'_> {
        let key = &self.holder;
        let does = match &self.kind {
            Kind::Insert => Does::Insert(InsertOperation { item: key, transactional }),
            Kind::Update { update, condition } => Does::Update(UpdateOperation {
                key,
                update: Some(update.clone()),
                by_expression: true,
                condition: Some(condition.clone()),
                on_failure,
                transactional,
            }),
            Kind::Delete { condition } => {
                let delete = DeleteOperation { key, condition: condition.clone(), on_failure, transactional };
                Does::Delete(DeleteStatement { delete, found_nothing: AtomicBool::new(false) })
            }
            Kind::Check { condition } => {
                Does::Check(CheckOperation { condition: condition.clone(), on_failure })
            }
        };
        Operation { key, does }
    }

    /// What RETURNING asks for, when there is any of it.
    pub(super) fn returned(&self, written: Written<'_>) -> Result<Option<ItemOut>, ApiError> {
        let Some(Returning { modified, new }) = self.returning else { return Ok(None) };
        let new_item = written.new.map(Cow::into_owned);
        if !modified {
            return Ok(if new {
                new_item.map(ItemOut::Item)
            } else {
                written.old.into_row().map(ItemOut::Row)
            });
        }
        let Kind::Update { update, .. } = &self.kind else { return Ok(None) };
        let image = if new { new_item.as_ref() } else { written.old.item()? };
        let touched = image.map(|item| update.project_targets(item)).filter(|item| !item.is_empty());
        Ok(touched.map(ItemOut::Item))
    }
}

/// Checks that the key attributes of an item are of the table's types, as far as they are there; the words are the same
/// for types that no key has.
fn check_inserted_types(item: &Item, schema: &KeySchema) -> Result<(), String> {
    let misfit = schema.attributes().find(|attribute| {
        item.get(&attribute.name).is_some_and(|value| !attribute.scalar_type.admits(value))
    });
    misfit.map_or(Ok(()), |attribute| Err(key_mismatch(&attribute.name)))
}

/// What a statement does to its item.
pub(super) struct Operation<'a> {
    key: &'a Item,
    does: Does<'a>,
}

enum Does<'a> {
    Insert(InsertOperation<'a>),
    Update(UpdateOperation<'a>),
    Delete(DeleteStatement<'a>),
    Check(CheckOperation),
}

impl Operation<'_> {
    /// Plans it on a table, after the checks that need the table.
    ///
    /// # Errors
    /// What put, update and delete answer to keys and index keys that do not fit.
    pub(super) fn plan(&self, table: &Arc<Table>) -> Result<PlannedWrite<'_>, ApiError> {
        let (key, operation): (_, &dyn WriteOperation) = match &self.does {
            Does::Insert(insert) => {
                check_put_item(table, self.key)?;
                check_item_size(self.key)?;
                (stored_key(table, self.key)?, insert)
            }
            Does::Update(update) => {
                let key = check_key(table, self.key)?;
                check_update_targets(table, update.update.as_ref())?;
                (key, update)
            }
            Does::Delete(delete) => (check_key(table, self.key)?, delete),
            Does::Check(check) => (check_key(table, self.key)?, check),
        };
        Ok(PlannedWrite { table: table.clone(), key, key_holder: self.key, operation })
    }

    /// Whether it is a DELETE with a condition that did not find its item when it was last decided on.
    pub(super) fn found_nothing(&self) -> bool {
        matches!(&self.does, Does::Delete(delete) if delete.found_nothing.load(Ordering::Relaxed))
    }
}

/// A DELETE succeeds without an item, whatever it asks for; a transaction that is cancelled has to know.
struct DeleteStatement<'a> {
    delete: DeleteOperation<'a>,
    found_nothing: AtomicBool,
}

impl WriteOperation for DeleteStatement<'_> {
    fn effects(&self, table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        let found_nothing = self.delete.condition.is_some() && old.row().is_none();
        self.found_nothing.store(found_nothing, Ordering::Relaxed);
        self.delete.effects(table, old)
    }

    fn action(&self) -> ItemAction {
        self.delete.action()
    }

    fn is_transactional(&self) -> bool {
        self.delete.is_transactional()
    }
}

/// The item is put where none is.
struct InsertOperation<'a> {
    item: &'a Item,
    transactional: bool,
}

impl WriteOperation for InsertOperation<'_> {
    fn effects(&self, _table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        if old.item()?.is_some() {
            return Err(ApiError::new(ErrorKind::DuplicateItem, "Duplicate primary key exists in table"));
        }
        // A parameter may nest one level deeper than an item.
        if self.item.values().any(|value| value.depth() > NESTING_LEVELS) {
            return Err(ApiError::validation("Nesting Levels have exceeded supported limits"));
        }
        Ok(Effect::Put(Cow::Borrowed(self.item)))
    }

    fn action(&self) -> ItemAction {
        ItemAction::Put
    }

    fn is_transactional(&self) -> bool {
        self.transactional
    }
}
