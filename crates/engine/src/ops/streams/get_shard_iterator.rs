//! GetShardIterator.

use dynamometer_store::{Appended, Batch};
use dynamometer_types::{ApiError, Timestamp};

use super::iterator::ShardIterator;
use super::{STREAM_ARN, shard_not_found, trimmed};
use crate::api::{GetShardIteratorRequest, GetShardIteratorResponse, Given, ShardIteratorType};
use crate::catalog::Stream;
use crate::context::Context;
use crate::engine::{Engine, internal_error};
use crate::ops::tables::{invalid, text};
use crate::streams::{SequenceNumber, after};
use crate::validate::members::{Findings, Rule};

impl Engine {
    /// Answers where to begin reading a shard.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound` for the stream or the shard; `TrimmedDataAccess` for a sequence number whose
    /// record is older than a day.
    pub async fn get_shard_iterator(
        &self,
        context: &Context<'_>,
        request: GetShardIteratorRequest,
    ) -> Result<GetShardIteratorResponse, ApiError> {
        let from = check(context, &request)?;
        let stream = self.stream_of_arn(context, text(&request.stream_arn))?;
        let shard = stream.shard_of_id(text(&request.shard_id)).ok_or_else(shard_not_found)?.number;
        let iterator = ShardIterator {
            stream_arn: &stream.row.arn,
            stream: stream.row.id,
            shard,
            from: self.place_of(&stream, shard, from).await?,
            made: context.now,
        };
        Ok(GetShardIteratorResponse { shard_iterator: iterator.encode() })
    }

    /// The place where a reader begins.
    async fn place_of(&self, stream: &Stream, shard: u32, from: From) -> Result<Appended, ApiError> {
        let ends = || self.shard_ends(stream, shard).map_err(internal_error);
        let known = match ends()? {
            Some(known) => Some(known),
            None => {
                // The change that shows the shard may be on its way to the disk: this one takes its turn behind it.
                self.store.commit(Batch::new()).await.map_err(internal_error)?;
                ends()?
            }
        };
        let ends = known.ok_or_else(shard_not_found)?;
        match from {
            From::TrimHorizon => Ok(Appended::default()),
            From::Latest => Ok(after(ends.last)),
            From::Time(at) => self.place_of_time(stream, shard, ends, at).map_err(internal_error),
            From::Record { at, behind } => {
                let place = if behind { after(at) } else { at };
                if at < ends.start {
                    // The words are assumed.
                    return Err(ApiError::validation("SequenceNumber is not within the range of the shard"));
                }
                // Right behind the last record that was trimmed stands the first one that is there.
                if ends.trimmed != Appended::default() && place <= ends.trimmed {
                    return Err(trimmed());
                }
                Ok(place)
            }
        }
    }
}

/// Where a reader wants to begin.
#[derive(Clone, Copy)]
enum From {
    TrimHorizon,
    Latest,
    Time(Timestamp),
    /// At a record, or right behind it.
    Record {
        at: Appended,
        behind: bool,
    },
}

fn check(context: &Context<'_>, request: &GetShardIteratorRequest) -> Result<From, ApiError> {
    let mut findings = Findings::new();
    findings.member("streamArn", &request.stream_arn, STREAM_ARN);
    let shard_id = &[Rule::NotNull, Rule::MinLength(28), Rule::MaxLength(65)];
    findings.member("shardId", &request.shard_id, shard_id);
    findings.required_one_of("shardIteratorType", &request.shard_iterator_type);
    let number = &[Rule::MinLength(21), Rule::MaxLength(40)];
    findings.member("sequenceNumber", &request.sequence_number, number);
    findings.finish()?;
    let asked = request.shard_iterator_type.as_ref().and_then(Given::known);
    let asked = asked.unwrap_or(ShardIteratorType::TrimHorizon);
    let by_number =
        matches!(asked, ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber);
    let by_time = asked == ShardIteratorType::AtTimestamp;
    // Which members go with which type is documented; the words are assumed.
    for (member, wanted, given) in [
        ("SequenceNumber", by_number, request.sequence_number.is_some()),
        ("Timestamp", by_time, request.timestamp.is_some()),
    ] {
        if wanted != given {
            let must = if wanted { "must be given" } else { "must not be given" };
            return Err(invalid(format!("{member} {must} with ShardIteratorType {}", asked.name())));
        }
    }
    match asked {
        ShardIteratorType::TrimHorizon => Ok(From::TrimHorizon),
        ShardIteratorType::Latest => Ok(From::Latest),
        ShardIteratorType::AtTimestamp => {
            let millis = (request.timestamp.unwrap_or_default() * 1000.0).round();
            let at = Timestamp::from_millis(millis as i64);
            if at > context.now {
                return Err(invalid("Timestamp must not be in the future"));
            }
            Ok(From::Time(at))
        }
        ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber => {
            let number: SequenceNumber = text(&request.sequence_number)
                .parse()
                .map_err(|_| invalid("SequenceNumber is none of this stream"))?;
            Ok(From::Record { at: number.0, behind: asked == ShardIteratorType::AfterSequenceNumber })
        }
    }
}
