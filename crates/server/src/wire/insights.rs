//! The requests and answers of Contributor Insights, member by member.

use dynamometer_engine::api::{
    ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus,
    ContributorInsightsSummary, DescribeContributorInsightsRequest, DescribeContributorInsightsResponse,
    ListContributorInsightsRequest, ListContributorInsightsResponse, UpdateContributorInsightsRequest,
    UpdateContributorInsightsResponse,
};

use super::read::Request;
use crate::{encode_enums, encode_struct, wire_struct};

impl Request for UpdateContributorInsightsRequest {}
impl Request for DescribeContributorInsightsRequest {}
impl Request for ListContributorInsightsRequest {}

wire_struct! {
    UpdateContributorInsightsRequest: "UpdateContributorInsightsInput" {
        "TableName" => table_name,
        "IndexName" => index_name,
        "ContributorInsightsAction" => contributor_insights_action,
        "ContributorInsightsMode" => contributor_insights_mode,
    }
}
encode_struct! {
    UpdateContributorInsightsResponse {
        "TableName" => table_name,
        "IndexName" => index_name,
        "ContributorInsightsStatus" => contributor_insights_status,
        "ContributorInsightsMode" => contributor_insights_mode,
    }
}

wire_struct! {
    DescribeContributorInsightsRequest: "DescribeContributorInsightsInput" {
        "TableName" => table_name,
        "IndexName" => index_name,
    }
}
encode_struct! {
    DescribeContributorInsightsResponse {
        "TableName" => table_name,
        "IndexName" => index_name,
        "ContributorInsightsRuleList" => contributor_insights_rule_list,
        "ContributorInsightsStatus" => contributor_insights_status,
        "LastUpdateDateTime" => last_update_date_time,
        "ContributorInsightsMode" => contributor_insights_mode,
    }
}

wire_struct! {
    ListContributorInsightsRequest: "ListContributorInsightsInput" {
        "TableName" => table_name,
        "NextToken" => next_token,
        "MaxResults" => max_results,
    }
}
encode_struct! {
    ListContributorInsightsResponse {
        "ContributorInsightsSummaries" => contributor_insights_summaries,
        "NextToken" => next_token,
    }
}
encode_struct! {
    ContributorInsightsSummary {
        "TableName" => table_name,
        "IndexName" => index_name,
        "ContributorInsightsStatus" => contributor_insights_status,
        "ContributorInsightsMode" => contributor_insights_mode,
    }
}

encode_enums! { ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus }
