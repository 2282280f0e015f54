//! Streams whose shards are split and replaced while clients write and a consumer follows.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dynamometer_engine::api::*;
use dynamometer_engine::catalog::Stream;
use dynamometer_engine::streams::{SequenceNumber, ShardRead};
use dynamometer_store::Appended;

use crate::common::agree::check_agreement;
use crate::common::requests::*;
use crate::common::streams::stream_specification;
use crate::common::{Choices, World, in_memory, n, on_disk};
use crate::{TABLE, THREADS, key};

const HOUR_MS: i64 = 3_600_000;

fn stream(world: &World) -> Arc<Stream> {
    world.engine.catalog().table("", TABLE).unwrap().stream.clone().unwrap()
}

/// What a consumer has read of a stream, by shard.
#[derive(Default)]
struct Consumer {
    next: HashMap<u32, Appended>,
    numbers: HashMap<u32, Vec<SequenceNumber>>,
}

impl Consumer {
    /// Reads on in each shard, from where it was.
    fn follow(&mut self, world: &World) {
        let stream = stream(world);
        for shard in &stream.row.shards {
            let next = self.next.entry(shard.number).or_default();
            match world.engine.read_shard(&stream, shard.number, *next, 7, 1 << 20).unwrap() {
                ShardRead::Page(page) => {
                    let read = page.records.iter().map(|record| record.sequence_number);
                    self.numbers.entry(shard.number).or_default().extend(read);
                    *next = page.next;
                }
                other => panic!("shard {}: {other:?}", shard.number),
            }
        }
    }
}

/// What meets a transaction of another is refused, which is nothing to a stream.
fn write(world: &World, at: usize, over: &AtomicBool) {
    let mut choices = Choices::new(at as u64);
    while !over.load(Ordering::Acquire) {
        let id = choices.below(30).to_string();
        if choices.percent(15) {
            let _ = world.delete(delete(TABLE, key(id)));
            continue;
        }
        let mut actions = vec![action::update(TABLE, key(id), "ADD n :one", None, values([(":one", n(1))]))];
        if choices.percent(30) {
            let other = (30 + choices.below(30)).to_string();
            actions.push(action::update(TABLE, key(other), "ADD n :one", None, values([(":one", n(1))])));
        }
        let _ = world.transact(transaction(actions, None));
    }
}

/// Replaces all shards again and again, and splits them once.
fn meddle(world: &World) {
    for round in 0..5 {
        thread::sleep(Duration::from_millis(30));
        if round == 2 {
            let warm = WarmThroughput { read_units_per_second: None, write_units_per_second: Some(16_000) };
            let request = UpdateTableRequest {
                table_name: Some(TABLE.into()),
                warm_throughput: Some(warm),
                ..Default::default()
            };
            world.update_table(request).unwrap();
        }
        world.advance(4 * HOUR_MS + 1);
        world.run_jobs();
    }
}

#[test]
fn a_consumer_of_shards_that_come_and_go_misses_nothing() {
    let test = |world: &World| {
        world.create(CreateTableRequest {
            stream_specification: stream_specification(StreamViewType::NewAndOldImages),
            ..create_table(TABLE, (&["id"], &[]), &["id S".into()])
        });
        let (over, mut consumer) = (AtomicBool::new(false), Consumer::default());
        thread::scope(|scope| {
            let writers: Vec<_> = (0..THREADS)
                .map(|at| {
                    scope.spawn({
                        let over = &over;
                        move || write(world, at, over)
                    })
                })
                .collect();
            let meddling = scope.spawn(|| meddle(world));
            while !meddling.is_finished() {
                consumer.follow(world);
            }
            over.store(true, Ordering::Release);
            meddling.join().unwrap();
            writers.into_iter().for_each(|writer| writer.join().unwrap());
        });
        // What follows may be read in one go: the first pages were read while it was written.
        let mut known = 0;
        loop {
            consumer.follow(world);
            let all = consumer.numbers.values().map(Vec::len).sum();
            if all == known {
                break;
            }
            known = all;
        }
        let mut all = Consumer::default();
        let stream = stream(world);
        assert!(stream.row.shards.len() > 40, "{} shards", stream.row.shards.len());
        for _ in 0..=known {
            all.follow(world);
        }
        assert_eq!(consumer.numbers, all.numbers);
        check_agreement(world, TABLE);
    };
    test(&World::on(in_memory()));
    let (_folder, store) = on_disk();
    test(&World::on(store));
}
