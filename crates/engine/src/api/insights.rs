//! Requests and answers of Contributor Insights.

use dynamometer_types::Timestamp;

use super::{ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus, Given};

/// `UpdateContributorInsightsInput`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct UpdateContributorInsightsRequest {
    pub table_name: Option<String>,
    pub index_name: Option<String>,
    pub contributor_insights_action: Option<Given<ContributorInsightsAction>>,
    pub contributor_insights_mode: Option<Given<ContributorInsightsMode>>,
}

/// `UpdateContributorInsightsOutput`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct UpdateContributorInsightsResponse {
    pub table_name: String,
    pub index_name: Option<String>,
    pub contributor_insights_status: ContributorInsightsStatus,
    pub contributor_insights_mode: Option<ContributorInsightsMode>,
}

/// `DescribeContributorInsightsInput`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeContributorInsightsRequest {
    pub table_name: Option<String>,
    pub index_name: Option<String>,
}

/// `DescribeContributorInsightsOutput`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeContributorInsightsResponse {
    pub table_name: String,
    pub index_name: Option<String>,
    pub contributor_insights_rule_list: Option<Vec<String>>,
    pub contributor_insights_status: ContributorInsightsStatus,
    pub last_update_date_time: Option<Timestamp>,
    pub contributor_insights_mode: Option<ContributorInsightsMode>,
}

/// `ListContributorInsightsInput`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct ListContributorInsightsRequest {
    pub table_name: Option<String>,
    pub next_token: Option<String>,
    pub max_results: Option<i32>,
}

/// `ListContributorInsightsOutput`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ListContributorInsightsResponse {
    pub contributor_insights_summaries: Vec<ContributorInsightsSummary>,
    pub next_token: Option<String>,
}

/// `ContributorInsightsSummary`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ContributorInsightsSummary {
    pub table_name: String,
    pub index_name: Option<String>,
    pub contributor_insights_status: ContributorInsightsStatus,
    pub contributor_insights_mode: Option<ContributorInsightsMode>,
}
