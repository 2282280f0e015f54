//! Rules about key attributes in conditions and projections.

use dynamometer_types::KeySchema;

use crate::error::{ExpressionError, Stage};
use crate::path::Path;

/// Where a Query's filter comes from; AWS names it in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterSource {
    /// `FilterExpression`
    Expression,
    /// `QueryFilter`
    Legacy,
}

/// Refuses a Query's filter that reads a key attribute of the table or index that is queried.
///
/// # Errors
/// [`Stage::Schema`]; names the first such attribute of the key.
pub fn check_filter(
    paths: &[&Path],
    schema: &KeySchema,
    source: FilterSource,
) -> Result<(), ExpressionError> {
    let source = match source {
        FilterSource::Expression => "Filter Expression",
        FilterSource::Legacy => "QueryFilter",
    };
    let read = schema.attributes().find(|key| paths.iter().any(|path| path.name() == key.name));
    match read {
        None => Ok(()),
        Some(key) => Err(ExpressionError::bare(
            Stage::Schema,
            format!(
                "{source} can only contain non-primary key attributes: Primary key attribute: {}",
                key.name
            ),
        )),
    }
}

/// Which key a schema describes; AWS names it in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOf {
    /// The table's.
    Table,
    /// A secondary index's.
    Index,
}

/// Refuses a path that leads into a key attribute, which is always a scalar.
///
/// # Errors
/// [`Stage::Schema`].
pub fn check_scalar_keys<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
    schema: &KeySchema,
    key_of: KeyOf,
) -> Result<(), ExpressionError> {
    let key = match key_of {
        KeyOf::Table => "Key",
        KeyOf::Index => "IndexKey",
    };
    match paths.into_iter().find(|path| path.is_nested() && schema.contains(path.name())) {
        None => Ok(()),
        Some(path) => Err(ExpressionError::bare(
            Stage::Schema,
            format!(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {key}: \
                 {}",
                path.name()
            ),
        )),
    }
}
