//! ListContributorInsights.

use dynamometer_types::ApiError;

use super::{shown_mode, status};
use crate::api::{
    ContributorInsightsStatus, ContributorInsightsSummary, ListContributorInsightsRequest,
    ListContributorInsightsResponse,
};
use crate::catalog::record::{InsightsRecord, TableRecord};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::lookup;
use crate::validate::members::{Findings, Rule};

/// How many a page shows when the request does not say; also the most.
const PAGE: usize = 100;

impl Engine {
    /// Lists the tables and global indexes whose Contributor Insights is on or on its way, all or those of one table.
    ///
    /// # Errors
    /// `Validation`, also for a token that is none; `ResourceNotFound` when the table is not there.
    pub async fn list_contributor_insights(
        &self,
        context: &Context<'_>,
        request: ListContributorInsightsRequest,
    ) -> Result<ListContributorInsightsResponse, ApiError> {
        let mut findings = Findings::new();
        let name = match &request.table_name {
            None => None,
            given => Some(lookup::check_name(context, given, &mut findings)?),
        };
        findings.member("maxResults", request.max_results, &[Rule::MaxValue(PAGE as i64)]);
        findings.finish()?;
        let version = self.catalog.version();
        let records: Vec<TableRecord> = match name {
            Some(name) => {
                let record = lookup::find(&self.catalog, context, name);
                vec![record.ok_or_else(|| lookup::table_not_found(name))?]
            }
            None => version
                .tables(context.namespace)
                .filter_map(|table| lookup::settled(table, context))
                .collect(),
        };
        let summaries: Vec<_> = records.iter().flat_map(|record| summaries(record, context)).collect();
        let from = match request.next_token.as_deref() {
            None => 0,
            Some(token) => token
                .parse::<usize>()
                .ok()
                .filter(|from| *from <= summaries.len())
                .ok_or_else(|| ApiError::validation("The NextToken is invalid"))?,
        };
        let most = request.max_results.and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
        let most = most.unwrap_or(PAGE);
        let next_token = (summaries.len() - from > most).then(|| (from + most).to_string());
        let page = summaries.into_iter().skip(from).take(most).collect();
        Ok(ListContributorInsightsResponse { contributor_insights_summaries: page, next_token })
    }
}

fn summaries<'r>(
    record: &'r TableRecord,
    context: &'r Context<'_>,
) -> impl Iterator<Item = ContributorInsightsSummary> + 'r {
    let indexes = record.global_indexes.iter().map(|index| (Some(index.name.clone()), &index.insights));
    std::iter::once((None, &record.insights)).chain(indexes).filter_map(|(index_name, setting)| {
        let setting: Option<&InsightsRecord> = setting.as_ref();
        let status = status(setting, context.now);
        (status != ContributorInsightsStatus::Disabled).then(|| ContributorInsightsSummary {
            table_name: record.name.clone(),
            index_name,
            contributor_insights_status: status,
            contributor_insights_mode: shown_mode(setting, context.now),
        })
    })
}
