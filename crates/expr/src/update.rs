//! Updates: what UpdateExpression and AttributeUpdates change.

use dynamometer_types::{AttributeValue, Item, KeySchema};

use crate::error::{ExpressionError, Stage};
use crate::path::Path;
use crate::projection::Projection;

/// A value that an update computes from the item as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOperand {
    /// The value at a path.
    Path(Path),
    /// A value of the request.
    Value(AttributeValue),
    /// The value at a path, or the operand when there is none.
    IfNotExists(Path, Box<UpdateOperand>),
    /// A list followed by another.
    ListAppend(Box<UpdateOperand>, Box<UpdateOperand>),
}

/// What SET writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetValue {
    /// One operand.
    Operand(UpdateOperand),
    /// `a + b`
    Sum(UpdateOperand, UpdateOperand),
    /// `a - b`
    Difference(UpdateOperand, UpdateOperand),
}

/// What happens to the value at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is replaced or created.
    Set(SetValue),
    /// It is removed.
    Remove,
    /// A number is added to it, or members to the set (with AttributeUpdates: elements to the list) that it is.
    Add(AttributeValue),
    /// Members are taken from the set that it is.
    Delete(AttributeValue),
}

/// A change at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Where.
    pub path: Path,
    /// What.
    pub change: Change,
}

/// How an update words the fault of a stored value of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Expression,
    Legacy,
}

/// Changes of an item, none of whose paths leads into another. It owns its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub(crate) actions: Vec<Action>,
    pub(crate) dialect: Dialect,
}

impl Update {
    /// Changes of which no path leads into another, and whose operands have types that they can take.
    pub fn from_actions(actions: Vec<Action>) -> Update {
        Update { actions, dialect: Dialect::Expression }
    }

    /// The changes in the order written.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The paths that are changed, in the order written.
    pub fn targets(&self) -> impl Iterator<Item = &Path> {
        self.actions.iter().map(|action| &action.path)
    }

    /// The top-level attributes that are changed, in the order written; one may stand several times.
    pub fn target_names(&self) -> impl Iterator<Item = &str> {
        self.targets().map(Path::name)
    }

    /// Whether the update comes from `AttributeUpdates`.
    pub fn is_legacy(&self) -> bool {
        self.dialect == Dialect::Legacy
    }

    /// The part of an item at the changed paths: of the item before, what `UPDATED_OLD` answers, of the item after,
    /// what `UPDATED_NEW` does. Lists are dense.
    ///
    /// # Source
    /// Measured on AWS: a list element written past the end of its list is not in `UPDATED_NEW`, and after
    /// `REMOVE l[1]` the element that moved to `l[1]` is.
    pub fn project_targets(&self, item: &Item) -> Item {
        Projection::from_paths(self.targets().cloned().collect()).project(item)
    }

    /// Refuses changes of key attributes, even to the value that they have.
    ///
    /// # Errors
    /// [`Stage::Schema`].
    pub fn check_keys(&self, schema: &KeySchema) -> Result<(), ExpressionError> {
        match self.targets().find(|path| schema.contains(path.name())) {
            None => Ok(()),
            Some(path) => Err(ExpressionError::bare(
                Stage::Schema,
                format!(
                    "One or more parameter values were invalid: Cannot update attribute {}. This attribute is part \
                     of the key",
                    path.name()
                ),
            )),
        }
    }

    /// Whether every change takes something away (REMOVE or DELETE).
    ///
    /// # Source
    /// Measured on AWS: such an update of a missing item creates none, while one without any change creates an
    /// item of its key attributes.
    pub fn only_takes_away(&self) -> bool {
        !self.actions.is_empty()
            && self.actions.iter().all(|action| matches!(action.change, Change::Remove | Change::Delete(_)))
    }
}
