//! DescribeContributorInsights.

use dynamometer_types::{ApiError, Timestamp};

use super::{check_index_name, setting, shown_mode, status};
use crate::api::{DescribeContributorInsightsRequest, DescribeContributorInsightsResponse};
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::lookup;
use crate::validate::members::Findings;

impl Engine {
    /// Tells the setting of a table or global index, and the names of its rules.
    ///
    /// # Errors
    /// `Validation`, `ResourceNotFound`.
    pub async fn describe_contributor_insights(
        &self,
        context: &Context<'_>,
        request: DescribeContributorInsightsRequest,
    ) -> Result<DescribeContributorInsightsResponse, ApiError> {
        let mut findings = Findings::new();
        let name = lookup::check_name(context, &request.table_name, &mut findings)?;
        check_index_name(&request.index_name, &mut findings);
        findings.finish()?;
        let index = request.index_name.as_deref();
        let mut record =
            lookup::find(&self.catalog, context, name).ok_or_else(|| lookup::table_not_found(name))?;
        let setting = *setting(&mut record, index)?;
        let has_sort_key = match index {
            None => record.key_schema.len() > 1,
            Some(index) => {
                let known = record.global_indexes.iter().find(|known| known.name == index);
                known.is_some_and(|known| {
                    known.key_schema.iter().any(|key| key.key_type == crate::api::KeyType::Range)
                })
            }
        };
        let rules = setting.filter(|setting| setting.enabled).map(|setting| {
            let names = setting.rules(has_sort_key).into_iter();
            names.map(|kind| setting.rule_name(kind, name, index)).collect()
        });
        Ok(DescribeContributorInsightsResponse {
            table_name: name.to_owned(),
            index_name: request.index_name.clone(),
            contributor_insights_rule_list: rules,
            contributor_insights_status: status(setting.as_ref(), context.now),
            last_update_date_time: setting.map(|setting| Timestamp::from_millis(setting.updated_ms)),
            contributor_insights_mode: shown_mode(setting.as_ref(), context.now),
        })
    }
}
