//! GetRecords.

use std::sync::Arc;

use dynamometer_types::ApiError;

use super::iterator::{ShardIterator, expired};
use super::{shard_not_found, trimmed};
use crate::api::{GetRecordsRequest, GetRecordsResponse, Record};
use crate::catalog::Stream;
use crate::context::Context;
use crate::engine::{Engine, internal_error};
use crate::ops::tables::text;
use crate::streams::{ShardRead, StreamRecord};
use crate::validate::members::{Findings, Rule};

/// Records in an answer at most, and when the request does not say.
const MOST_RECORDS: i64 = 1000;
/// Bytes of records in an answer at most.
const MOST_BYTES: usize = 1 << 20;

impl Engine {
    /// Answers the next records of a shard, and the iterator behind them: none at the end of a closed shard.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound` for a stream or shard that is gone; `ExpiredIterator` fifteen minutes after the
    /// iterator was made; `TrimmedDataAccess` when a record that it would answer was trimmed since.
    pub async fn get_records(
        &self,
        context: &Context<'_>,
        request: GetRecordsRequest,
    ) -> Result<GetRecordsResponse, ApiError> {
        let mut findings = Findings::new();
        let rules = &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(2048)];
        findings.member("shardIterator", &request.shard_iterator, rules);
        findings.member("limit", request.limit, &[Rule::MinValue(1), Rule::MaxValue(MOST_RECORDS)]);
        findings.finish()?;
        let iterator = ShardIterator::decode(text(&request.shard_iterator))?;
        iterator.check_age(context.now)?;
        let stream = self.stream_of_arn(context, iterator.stream_arn)?;
        if stream.row.id != iterator.stream {
            return Err(expired());
        }
        let records = request.limit.map_or(MOST_RECORDS as usize, |limit| limit.unsigned_abs() as usize);
        let read = self.read_shard(&stream, iterator.shard, iterator.from, records, MOST_BYTES);
        let page = match read.map_err(internal_error)? {
            ShardRead::Page(page) => page,
            ShardRead::Trimmed => return Err(trimmed()),
            ShardRead::Gone => return Err(shard_not_found()),
        };
        let next = ShardIterator { from: page.next, made: context.now, ..iterator };
        let region: Arc<str> = context.region.into();
        self.count_stream_read(context, &stream, &page.records);
        Ok(GetRecordsResponse {
            next_shard_iterator: (!page.is_end).then(|| next.encode()),
            records: page.records.into_iter().map(|change| record(&stream, &region, change)).collect(),
        })
    }
}

fn record(stream: &Stream, region: &Arc<str>, change: StreamRecord) -> Record {
    Record {
        event_id: change.event_id(stream),
        aws_region: Arc::clone(region),
        view_type: stream.row.view_type,
        change,
    }
}
