//! Streams read as a consumer reads them: parents before children, page by page.

use std::collections::{BTreeMap, BTreeSet};

use dynamometer_engine::api::*;
use dynamometer_engine::disk::stream::Event;
use dynamometer_types::{ApiError, Item};

use super::World;

/// A change as its record tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub keys: Item,
    pub event: Event,
    pub old: Option<Item>,
    pub new: Option<Item>,
    pub by_service: bool,
}

pub fn stream_specification(view_type: StreamViewType) -> Option<StreamSpecification> {
    Some(StreamSpecification { stream_enabled: Some(true), stream_view_type: Some(Given::Known(view_type)) })
}

pub fn time_to_live(table: &str, attribute: &str, enabled: bool) -> UpdateTimeToLiveRequest {
    UpdateTimeToLiveRequest {
        table_name: Some(table.into()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(enabled),
            attribute_name: Some(attribute.into()),
        }),
    }
}

impl World {
    pub fn set_time_to_live(&self, table: &str, attribute: &str, enabled: bool) {
        let request = time_to_live(table, attribute, enabled);
        self.run(async |engine, context| engine.update_time_to_live(context, request).await).unwrap();
    }

    pub fn describe_stream(&self, arn: &str) -> Result<StreamDescription, ApiError> {
        let mut request = DescribeStreamRequest {
            stream_arn: Some(arn.into()),
            limit: Some(3),
            ..DescribeStreamRequest::default()
        };
        let mut shards = Vec::new();
        loop {
            let page = request.clone();
            let answer = self.run(async |engine, context| engine.describe_stream(context, page).await)?;
            let mut description = answer.stream_description;
            shards.append(&mut description.shards);
            request.exclusive_start_shard_id = description.last_evaluated_shard_id.clone();
            if request.exclusive_start_shard_id.is_none() {
                return Ok(StreamDescription { shards, ..description });
            }
        }
    }

    pub fn shard_iterator(
        &self,
        arn: &str,
        shard_id: &str,
        iterator_type: ShardIteratorType,
        sequence_number: Option<String>,
    ) -> Result<String, ApiError> {
        let request = GetShardIteratorRequest {
            stream_arn: Some(arn.into()),
            shard_id: Some(shard_id.into()),
            shard_iterator_type: Some(Given::Known(iterator_type)),
            sequence_number,
            timestamp: None,
        };
        let answer = self.run(async |engine, context| engine.get_shard_iterator(context, request).await);
        answer.map(|answer| answer.shard_iterator)
    }

    pub fn get_records(&self, iterator: &str, limit: i32) -> Result<GetRecordsResponse, ApiError> {
        let request = GetRecordsRequest { shard_iterator: Some(iterator.into()), limit: Some(limit) };
        self.run(async |engine, context| engine.get_records(context, request).await)
    }

    /// All records of a shard: their sequence numbers and changes.
    pub fn read_shard_whole(&self, arn: &str, shard_id: &str, limit: i32) -> Vec<(String, Change)> {
        let mut changes = Vec::new();
        let mut next =
            Some(self.shard_iterator(arn, shard_id, ShardIteratorType::TrimHorizon, None).unwrap());
        while let Some(iterator) = next {
            let page = self.get_records(&iterator, limit).unwrap();
            assert!(page.records.len() <= limit as usize);
            let is_empty = page.records.is_empty();
            changes.extend(page.records.into_iter().map(change_of));
            next = page.next_shard_iterator.filter(|_| !is_empty);
        }
        changes
    }

    /// All changes that a stream tells, in an order that keeps that of each item.
    pub fn read_stream(&self, arn: &str, limit: i32) -> Vec<Change> {
        let description = self.describe_stream(arn).unwrap();
        let mut done = BTreeSet::new();
        let mut changes = Vec::new();
        let known: BTreeSet<&String> = description.shards.iter().map(|shard| &shard.shard_id).collect();
        // A shard comes after its parent in the list, as consumers rely on.
        for shard in &description.shards {
            if let Some(parent) = &shard.parent_shard_id {
                assert!(done.contains(parent) || !known.contains(parent), "{parent} comes after its child");
            }
            done.insert(shard.shard_id.clone());
            let records = self.read_shard_whole(arn, &shard.shard_id, limit);
            let numbers: Vec<&String> = records.iter().map(|(number, _)| number).collect();
            assert!(numbers.is_sorted_by(|one, two| one < two), "{numbers:?}");
            let range = &shard.sequence_number_range;
            assert!(numbers.iter().all(|number| **number > range.starting_sequence_number));
            let end = range.ending_sequence_number.as_ref();
            assert!(end.is_none_or(|end| numbers.iter().all(|number| *number < end)), "{numbers:?} {end:?}");
            changes.extend(records.into_iter().map(|(_, change)| change));
        }
        changes
    }
}

fn change_of(record: Record) -> (String, Change) {
    let change = record.change;
    let image =
        |row: &Option<dynamometer_engine::disk::row::Row>| row.as_ref().map(|row| row.decode().unwrap());
    let (old, new) = (image(&change.old_image), image(&change.new_image));
    let (keys, event, by_service) = (change.keys, change.event, change.by_service);
    (change.sequence_number.to_string(), Change { keys, event, old, new, by_service })
}

/// Makes the changes of a stream of both images one after the other, from nothing: each must fit what it meets. Answers
/// the items that are there in the end.
pub fn replay(changes: &[Change]) -> Vec<Item> {
    let mut items: BTreeMap<String, Item> = BTreeMap::new();
    for change in changes {
        let key = format!("{:?}", change.keys);
        let event = match (&change.old, &change.new) {
            (None, Some(_)) => Event::Insert,
            (Some(old), Some(new)) => {
                assert_ne!(old, new, "a change of nothing");
                Event::Modify
            }
            (Some(_), None) => Event::Remove,
            (None, None) => panic!("a record without images: {change:?}"),
        };
        assert_eq!(change.event, event, "{change:?}");
        assert_eq!(items.get(&key), change.old.as_ref(), "{change:?} meets another item");
        match &change.new {
            Some(new) => drop(items.insert(key, new.clone())),
            None => drop(items.remove(&key)),
        }
    }
    items.into_values().collect()
}
