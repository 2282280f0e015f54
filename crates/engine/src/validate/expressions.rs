//! The stages for expression parameters: not mixed with legacy ones, placeholders well formed, values sound, and
//! in the end all used.

use dynamometer_expr::{ExpressionError, ExpressionKind, Placeholders};
use dynamometer_types::fault::{Faults, Step};
use dynamometer_types::{ApiError, Layer, ValueFault};

use super::values::check_expression_values;
use super::wording::Wording;
use crate::api::{Names, Values};

/// The expression parameters of a request, or of one part of it.
pub(crate) struct ExpressionParameters<'a> {
    pub(crate) wording: Wording,
    pub(crate) names: Option<&'a Names>,
    pub(crate) values: Option<&'a Values>,
    pub(crate) faults: &'a Faults,
    /// Where in the request these parameters stand.
    pub(crate) path: &'a [Step],
    /// The expression members that the operation has, each with what was given.
    pub(crate) expressions: &'a [(ExpressionKind, Option<&'a str>)],
}

impl<'a> ExpressionParameters<'a> {
    /// Checks what must hold before an expression is parsed, and answers the placeholders to parse with.
    pub(crate) fn open(&self) -> Result<Placeholders<'a>, ApiError> {
        let has_expression = self.expressions.iter().any(|(_, text)| text.is_some());
        if !has_expression {
            if self.names.is_some() {
                let message = "ExpressionAttributeNames can only be specified when using expressions";
                return Err(self.wording.error(message));
            }
            if self.values.is_some() {
                return Err(self.wording.error(self.values_without_expression()));
            }
        }
        let placeholders = Placeholders::new(self.names.map(Vec::as_slice), self.values.map(Vec::as_slice));
        placeholders.check_names().map_err(|e| self.error(e))?;
        self.check_attribute_names()?;
        placeholders.check_values().map_err(|e| self.error(e))?;
        check_expression_values(self.faults, self.path, self.wording)?;
        Ok(placeholders)
    }

    fn values_without_expression(&self) -> String {
        let message = "ExpressionAttributeValues can only be specified when using expressions";
        // A projection takes no values, so it is not missed.
        let missed: Vec<&str> = self
            .expressions
            .iter()
            .map(|(kind, _)| *kind)
            .filter(|kind| *kind != ExpressionKind::Projection)
            .map(ExpressionKind::name)
            .collect();
        match (self.wording.layer, missed.as_slice()) {
            (Layer::Current, _) | (_, []) => message.into(),
            (Layer::Older, [only]) => format!("{message}: {only} is null"),
            (Layer::Older, several) => format!("{message}: {} are null", several.join(" and ")),
        }
    }

    fn check_attribute_names(&self) -> Result<(), ApiError> {
        let mut names = self.names.into_iter().flatten();
        match names.find_map(|(placeholder, name)| Some((placeholder, ValueFault::of_name(name)?))) {
            Some((placeholder, fault)) => Err(self.wording.error(format!(
                "ExpressionAttributeNames contains invalid value: {} for key {placeholder}",
                fault.message(self.wording.layer)
            ))),
            None => Ok(()),
        }
    }

    /// Refuses placeholders that no expression used.
    pub(crate) fn close(&self, placeholders: &Placeholders<'_>) -> Result<(), ApiError> {
        placeholders.check_all_used().map_err(|e| self.error(e))
    }

    /// The error of an expression in the operation's wording.
    pub(crate) fn error(&self, error: ExpressionError) -> ApiError {
        self.wording.error(error.message)
    }
}

/// Refuses legacy parameters beside expression parameters. Both lists are in the order in which AWS prints them.
pub(crate) fn check_not_mixed(
    legacy: &[(&str, bool)],
    expressions: &[(&str, bool)],
    wording: Wording,
) -> Result<(), ApiError> {
    let given = |members: &[(&str, bool)]| {
        let names: Vec<&str> = members.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    match (given(legacy), given(expressions)) {
        (Some(legacy), Some(expressions)) => Err(wording.error(format!(
            "Can not use both expression and non-expression parameters in the same request: Non-expression \
             parameters: {{{legacy}}} Expression parameters: {{{expressions}}}"
        ))),
        _ => Ok(()),
    }
}
