//! ListStreams.

use dynamometer_types::ApiError;

use super::arn::check;
use crate::api::{ListStreamsRequest, ListStreamsResponse, StreamSummary};
use crate::catalog::stream::StreamRow;
use crate::context::Context;
use crate::engine::Engine;
use crate::ops::tables::lookup;
use crate::validate::members::{Findings, Rule};

/// Streams on a page at most, and when the request does not say.
const PAGE: i64 = 100;

impl Engine {
    /// Lists the streams of the caller's database, or of one table, by table and label; those that are disabled, or whose
    /// table is gone, are among them as long as they have records.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound` for a table that is not there and left no stream.
    pub async fn list_streams(
        &self,
        context: &Context<'_>,
        request: ListStreamsRequest,
    ) -> Result<ListStreamsResponse, ApiError> {
        let mut findings = Findings::new();
        if request.table_name.is_some() {
            findings.plain_table_name("tableName", &request.table_name);
        }
        findings.member("limit", request.limit, &[Rule::MinValue(1), Rule::MaxValue(PAGE)]);
        let start_rules = &[Rule::MinLength(37), Rule::MaxLength(1024)];
        findings.member("exclusiveStartStreamArn", &request.exclusive_start_stream_arn, start_rules);
        findings.finish()?;
        let after = request.exclusive_start_stream_arn.as_deref().map(check).transpose()?;
        let after = after.map(|[_, _, table, label]| (table, label));

        let version = self.catalog.version();
        let mut streams: Vec<&StreamRow> =
            version.streams(context.namespace).map(|stream| &stream.row).collect();
        if let Some(name) = &request.table_name {
            streams.retain(|row| row.table == *name);
            if streams.is_empty() && lookup::find(&self.catalog, context, name).is_none() {
                return Err(lookup::table_not_found(name));
            }
        }
        let limit = request.limit.map_or(PAGE as usize, |limit| limit.unsigned_abs() as usize);
        let mut page: Vec<StreamSummary> = streams
            .into_iter()
            .filter(|row| after.is_none_or(|after| (row.table.as_str(), row.label.as_str()) > after))
            .map(|row| StreamSummary {
                stream_arn: row.arn.clone(),
                table_name: row.table.clone(),
                stream_label: row.label.clone(),
            })
            .take(limit + 1)
            .collect();
        let more = page.len() > limit;
        page.truncate(limit);
        let last_evaluated_stream_arn = page.last().filter(|_| more).map(|last| last.stream_arn.clone());
        Ok(ListStreamsResponse { streams: page, last_evaluated_stream_arn })
    }
}
