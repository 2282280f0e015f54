//! ListTables.

use dynamometer_types::ApiError;

use crate::api::{ListTablesRequest, ListTablesResponse};
use crate::catalog::record::Status;
use crate::context::Context;
use crate::engine::Engine;
use crate::validate::members::{Findings, Rule};

const LIMIT: &[Rule] = &[Rule::MinValue(1), Rule::MaxValue(100)];
const START: &[Rule] = &[Rule::NamePattern, Rule::MinLength(3), Rule::MaxLength(255)];
/// Names on a page when the request does not say.
const PAGE: usize = 100;

impl Engine {
    /// Lists the tables of the caller's database by name, byte by byte; those being deleted are among them.
    ///
    /// # Errors
    /// `Validation`.
    pub async fn list_tables(
        &self,
        context: &Context<'_>,
        request: ListTablesRequest,
    ) -> Result<ListTablesResponse, ApiError> {
        let mut findings = Findings::new();
        findings.member("limit", request.limit, LIMIT);
        findings.member("exclusiveStartTableName", &request.exclusive_start_table_name, START);
        findings.finish()?;

        let limit = request.limit.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(PAGE));
        let after =
            |name: &str| request.exclusive_start_table_name.as_deref().is_none_or(|start| name > start);
        let version = self.catalog.version();
        let mut names = version
            .tables(context.namespace)
            .map(|table| &table.record)
            .filter(|record| record.lifecycle.status(context.now) != Status::Gone && after(&record.name))
            .map(|record| record.name.clone());
        let table_names: Vec<String> = names.by_ref().take(limit).collect();
        let more = names.next().is_some();
        let last_evaluated_table_name = table_names.last().filter(|_| more).cloned();
        Ok(ListTablesResponse { table_names, last_evaluated_table_name })
    }
}
