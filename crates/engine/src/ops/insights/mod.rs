//! Contributor Insights of tables and global indexes.

mod describe_contributor_insights;
mod list_contributor_insights;
mod update_contributor_insights;

use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use crate::api::{ContributorInsightsMode, ContributorInsightsStatus};
use crate::catalog::record::{InsightsRecord, TableRecord};
use crate::validate::members::{Findings, Rule};

/// The rules of an index name that may be left out.
const INDEX_NAME: &[Rule] = &[Rule::NamePattern, Rule::MinLength(3), Rule::MaxLength(255)];

fn check_index_name(name: &Option<String>, findings: &mut Findings) {
    findings.member("indexName", name, INDEX_NAME);
}

/// The setting of a table, or of the global index of a name.
///
/// # Errors
/// `ResourceNotFound` when there is no such global index; a local one has no setting.
fn setting<'r>(
    record: &'r mut TableRecord,
    index: Option<&str>,
) -> Result<&'r mut Option<InsightsRecord>, ApiError> {
    let Some(index) = index else { return Ok(&mut record.insights) };
    let found = record.global_indexes.iter_mut().find(|known| known.name == index);
    found.map(|index| &mut index.insights).ok_or_else(|| {
        let table = &record.name;
        let message = format!("Requested resource not found: Index: {index} not found for table: {table}");
        ApiError::new(ErrorKind::ResourceNotFound, message)
    })
}

/// Where a setting is at a moment; DISABLED when there never was one.
fn status(setting: Option<&InsightsRecord>, now: Timestamp) -> ContributorInsightsStatus {
    let Some(setting) = setting else { return ContributorInsightsStatus::Disabled };
    match (setting.enabled, now.millis() >= setting.until_ms) {
        (true, false) => ContributorInsightsStatus::Enabling,
        (true, true) => ContributorInsightsStatus::Enabled,
        (false, false) => ContributorInsightsStatus::Disabling,
        (false, true) => ContributorInsightsStatus::Disabled,
    }
}

/// The mode as answers show it: only of what is on or on its way.
fn shown_mode(setting: Option<&InsightsRecord>, now: Timestamp) -> Option<ContributorInsightsMode> {
    setting
        .filter(|setting| status(Some(setting), now) != ContributorInsightsStatus::Disabled)
        .map(|setting| setting.mode)
}
