//! ORDER BY.

use dynamometer_types::KeySchema;

use super::error::StatementError;
use super::syntax::{ExprKind, OrderSyntax};

/// A key of ORDER BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The attribute; or AWS's words for what is no name.
    pub attribute: Result<String, StatementError>,
    /// Whether the greatest comes first.
    pub descending: bool,
}

impl OrderKey {
    /// Whether it is this attribute.
    pub fn is(&self, attribute: &str) -> bool {
        self.attribute.as_deref().is_ok_and(|name| name == attribute)
    }

    /// Checks that the keys of ORDER BY are those of what is read.
    ///
    /// # Errors
    /// AWS's words: when nothing is asked `with_condition`, else for the first key that is not.
    pub fn check_all(
        keys: &[OrderKey],
        with_condition: bool,
        schema: &KeySchema,
    ) -> Result<(), StatementError> {
        if !keys.is_empty() && !with_condition {
            return Err(StatementError::new(
                "Must have WHERE clause in the statement when using ORDER BY clause.",
            ));
        }
        keys.iter().try_for_each(|key| match &key.attribute {
            Err(error) => Err(error.clone()),
            Ok(name) if schema.contains(name) => Ok(()),
            Ok(name) => Err(StatementError::new(format!(
                "Attribute {name} in ORDER BY clause must be part of the primary key"
            ))),
        })
    }
}

/// A key of ORDER BY. What is no name is told once the table is known.
pub(super) fn order_key(OrderSyntax { key, descending }: &OrderSyntax) -> OrderKey {
    let found = match &key.kind {
        ExprKind::Path(name, steps) if steps.is_empty() => {
            return OrderKey { attribute: Ok(name.clone()), descending: *descending };
        }
        ExprKind::Path(..) | ExprKind::PathOfTerm => "PATH",
        ExprKind::Text(text) | ExprKind::Number(text) => text,
        kind => kind.name(),
    };
    let message =
        format!("Argument to ORDER BY must be of type VariableReference. Type: {found} at {}", key.at);
    OrderKey { attribute: Err(StatementError::new(message)), descending: *descending }
}
