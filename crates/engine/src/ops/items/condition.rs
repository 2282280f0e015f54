//! The condition of a write.

use dynamometer_expr::legacy::{self, ExpectedAttributeValue};
use dynamometer_expr::{Condition, ExpressionKind, Placeholders, parse_condition};
use dynamometer_types::error::Detail;
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::api::{ConditionalOperator, Given, ReturnValuesOnConditionCheckFailure, known_or};
use crate::catalog::Table;
use crate::throughput::ItemAction;
use crate::validate::expressions::ExpressionParameters;
use crate::write_path::{Effect, OldImage, WriteOperation};

/// What a failed condition answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// That it failed.
    Nothing,
    /// The item too.
    OldItem,
}

impl OnFailure {
    /// What the request asks for.
    pub(crate) fn asked(given: &Option<Given<ReturnValuesOnConditionCheckFailure>>) -> OnFailure {
        match known_or(given, ReturnValuesOnConditionCheckFailure::None) {
            ReturnValuesOnConditionCheckFailure::AllOld => OnFailure::OldItem,
            ReturnValuesOnConditionCheckFailure::None => OnFailure::Nothing,
        }
    }
}

/// Refuses a write whose condition does not hold for the item as it was.
pub(crate) fn check_condition(
    condition: Option<&Condition>,
    old: &OldImage,
    on_failure: OnFailure,
) -> Result<(), ApiError> {
    static NOTHING: Item = Item::new();
    let Some(condition) = condition else { return Ok(()) };
    let item = old.item()?;
    if condition.matches(item.unwrap_or(&NOTHING)) {
        return Ok(());
    }
    let error = ApiError::new(ErrorKind::ConditionalCheckFailed, "The conditional request failed");
    Err(match (on_failure, item) {
        (OnFailure::OldItem, Some(item)) => error.with(Detail::Item(item.clone())),
        _ => error,
    })
}

/// Reads the condition of a write from its expression or from its legacy form.
pub(crate) fn parse_write_condition(
    expression: Option<&str>,
    expected: Option<&[(String, ExpectedAttributeValue)]>,
    operator: &Option<Given<ConditionalOperator>>,
    parameters: &ExpressionParameters<'_>,
    placeholders: &Placeholders<'_>,
) -> Result<Option<Condition>, ApiError> {
    if let Some(text) = expression {
        let condition = parse_condition(ExpressionKind::Condition, text, placeholders);
        return condition.map(Some).map_err(|error| {
            let layer = parameters.wording.layer;
            parameters.error(if layer == dynamometer_types::Layer::Older {
                error.with_size(text)
            } else {
                error
            })
        });
    }
    let operator = match known_or(operator, ConditionalOperator::And) {
        ConditionalOperator::And => legacy::ConditionalOperator::And,
        ConditionalOperator::Or => legacy::ConditionalOperator::Or,
    };
    expected.map(|expected| legacy::expected(expected, operator).map_err(|e| parameters.error(e))).transpose()
}

/// A condition without a change: the `ConditionCheck` of a transaction.
pub(crate) struct CheckOperation {
    pub(crate) condition: Condition,
    pub(crate) on_failure: OnFailure,
}

impl WriteOperation for CheckOperation {
    fn effects(&self, _table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        check_condition(Some(&self.condition), old, self.on_failure)?;
        Ok(Effect::Keep)
    }

    fn action(&self) -> ItemAction {
        ItemAction::ConditionCheck
    }

    fn is_transactional(&self) -> bool {
        true
    }
}
