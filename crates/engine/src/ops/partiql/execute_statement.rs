//! ExecuteStatement.

use dynamometer_expr::partiql::{EXISTS_ONLY, Statement};
use dynamometer_types::fault::Step;
use dynamometer_types::{ApiError, ErrorKind};

use super::members::{check_parameters, check_text};
use super::next_token::{Place, mismatch};
use super::select::Asked;
use super::write::Write;
use super::{read, table_name};
use crate::Context;
use crate::api::{ExecuteStatementRequest, ExecuteStatementResponse};
use crate::engine::Engine;
use crate::ops::answer::consumed_capacity;
use crate::ops::items::OnFailure;
use crate::throughput::Operation;
use crate::validate::members::{Findings, Rule};
use crate::validate::required;
use crate::validate::values::check_values;
use crate::validate::wording::PARTIQL;

impl Engine {
    /// ExecuteStatement.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn execute_statement(
        &self,
        context: &Context<'_>,
        request: ExecuteStatementRequest,
    ) -> Result<ExecuteStatementResponse, ApiError> {
        check(&request)?;
        let statement = read(&request.statement, &request.parameters)?;
        match &statement {
            Statement::Select(_) => self.execute_select(context, &request, &statement),
            Statement::Exists(_) => Err(ApiError::validation(EXISTS_ONLY)),
            // No write was ever answered with a token.
            _ if request.next_token.is_some() => Err(mismatch()),
            _ => self.execute_write(context, &request, &statement).await.map_err(|mut error| {
                if error.kind == ErrorKind::ConditionalCheckFailed {
                    error.kind = ErrorKind::StatementConditionFailed;
                }
                error
            }),
        }
    }

    fn execute_select(
        &self,
        context: &Context<'_>,
        request: &ExecuteStatementRequest,
        statement: &Statement,
    ) -> Result<ExecuteStatementResponse, ApiError> {
        let Statement::Select(select) = statement else { return Err(mismatch()) };
        let text = required(&request.statement)?;
        let parameters = request.parameters.as_deref().unwrap_or_default();
        let token = request.next_token.as_deref();
        let asked = Asked {
            consistent: request.consistent_read == Some(true),
            limit: request.limit.map(|limit| limit as u64),
            from: token.map(|token| Place::of(token, text, parameters)).transpose()?,
        };
        let page = self.select(context, select, &asked)?;
        Ok(ExecuteStatementResponse {
            items: page.items,
            next_token: page.next.map(|place| place.token(text, parameters)),
            consumed_capacity: consumed_capacity(
                &request.return_consumed_capacity,
                &select.table,
                &page.consumption,
                None,
            ),
            last_evaluated_key: page.last_evaluated_key,
        })
    }

    async fn execute_write(
        &self,
        context: &Context<'_>,
        request: &ExecuteStatementRequest,
        statement: &Statement,
    ) -> Result<ExecuteStatementResponse, ApiError> {
        let name = table_name(statement);
        let write = Write::of(statement, &self.table(context, name)?.key)?;
        write.check_key()?;
        let on_failure = OnFailure::asked(&request.return_values_on_condition_check_failure);
        let operation = write.operation(on_failure, false);
        let counted = Operation::ExecuteStatementWrite;
        let (_, written) = self.write_one(context, counted, name, |table| operation.plan(table)).await?;
        let consumed_capacity =
            consumed_capacity(&request.return_consumed_capacity, name, &written.consumption, None);
        Ok(ExecuteStatementResponse {
            items: write.returned(written)?.into_iter().collect(),
            next_token: None,
            consumed_capacity,
            last_evaluated_key: None,
        })
    }
}

fn check(request: &ExecuteStatementRequest) -> Result<(), ApiError> {
    let mut members = Findings::new();
    let mode = &request.return_values_on_condition_check_failure;
    members.one_of("returnValuesOnConditionCheckFailure", mode);
    members.member("limit", request.limit, &[Rule::MinValue(1)]);
    check_text(&mut members, "statement", &request.statement);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    check_parameters(&mut members, "parameters", &request.parameters);
    if request.next_token.is_some() {
        members.member("nextToken", &request.next_token, &[Rule::MinLength(1), Rule::MaxLength(32_768)]);
    }
    members.finish()?;
    check_values(&request.faults, &[Step::Member("Parameters")], PARTIQL)
}
