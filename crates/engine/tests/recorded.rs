//! The live server and the simulator share one model: a recorded trace, replayed, decides the same.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::sync::{Arc, Mutex};

use common::requests::*;
use common::{Choices, World, in_memory, n, s, with_seeds};
use dynamometer_capacity::Constants;
use dynamometer_capacity::trace::{Event, Replay, TraceOutcome, TraceReader, opening};
use dynamometer_engine::EngineConfig;
use dynamometer_engine::api::*;
use dynamometer_engine::throughput::{ThrottleMode, TraceSink};
use dynamometer_types::Item;

const TABLE: &str = "table";

/// A trace that is kept as text, as a file would be.
#[derive(Debug, Default)]
struct Tape(Mutex<String>);

impl TraceSink for Tape {
    fn record(&self, event: Event) {
        event.write_to(&mut self.0.lock().unwrap());
    }
}

struct Recording {
    world: World,
    tape: Arc<Tape>,
    constants: Arc<Constants>,
    choices: Choices,
}

impl Recording {
    fn start(seed: u64, throttle: ThrottleMode) -> Recording {
        let tape = Arc::new(Tape::default());
        let mut constants = Constants::default();
        // Partitions heat up and split within the few minutes of the test.
        constants.set("partition_read_units", 40).unwrap();
        constants.set("partition_write_units", 20).unwrap();
        let constants = Arc::new(constants);
        let trace: Option<Arc<dyn TraceSink>> = Some(tape.clone());
        let config =
            EngineConfig { throttle, trace, constants: constants.clone(), ..EngineConfig::default() };
        let recording = Recording {
            world: World::with(in_memory(), config),
            tape,
            constants,
            choices: Choices::new(seed),
        };
        recording.create();
        recording
    }

    fn create(&self) {
        self.world.create(CreateTableRequest {
            billing_mode: Some(Given::Known(BillingMode::Provisioned)),
            provisioned_throughput: throughput(20, 8),
            local_secondary_indexes: Some(vec![local_index("by-l", (&["pk"], &["l"]), "ALL")]),
            global_secondary_indexes: Some(vec![GlobalSecondaryIndex {
                provisioned_throughput: throughput(5, 4),
                ..global_index("by-a", (&["a"], &[]), "ALL")
            }]),
            ..create_table(TABLE, (&["pk"], &["sk"]), &["pk S", "sk S", "a S", "l N"].map(str::to_owned))
        });
    }

    fn key(&mut self) -> Item {
        let hot = self.choices.percent(60);
        let pk = if hot { 0 } else { self.choices.below(50) };
        item([("pk", s(pk.to_string())), ("sk", s(self.choices.below(20).to_string()))])
    }

    fn item(&mut self) -> Item {
        let mut item = self.key();
        item.insert("a", s(self.choices.below(3).to_string()));
        item.insert("l", n(self.choices.below(9) as i64));
        item.insert("filler", s("x".repeat(self.choices.below(3_000))));
        item
    }

    /// Any request, throttled or not.
    fn step(&mut self) {
        match self.choices.below(16) {
            0..=4 => {
                let request = put(TABLE, self.item());
                drop(self.world.put(request));
            }
            5 => {
                let request = update(TABLE, self.key(), "ADD hits :one", values([(":one", n(1))]));
                drop(self.world.update(request));
            }
            6 => {
                let request = delete(TABLE, self.key());
                drop(self.world.delete(request));
            }
            7..=8 => {
                let request = GetItemRequest {
                    table_name: Some(TABLE.into()),
                    key: Some(self.key()),
                    consistent_read: Some(self.choices.percent(50)),
                    ..Default::default()
                };
                drop(self.world.run(async |engine, context| engine.get_item(context, request).await));
            }
            9 => {
                let index = self.choices.percent(50).then_some("by-a");
                drop(self.world.scan(ScanRequest { limit: Some(7), ..scan(TABLE, index) }));
            }
            10 => {
                let request = QueryRequest {
                    table_name: Some(TABLE.into()),
                    key_condition_expression: Some("pk = :pk".into()),
                    expression_attribute_values: values([(":pk", s("0"))]),
                    ..Default::default()
                };
                drop(self.world.query(request));
            }
            11 => {
                let actions = (0..2).map(|_| action::put(TABLE, self.item())).collect();
                drop(self.world.transact(transaction(actions, None)));
            }
            12 => {
                let request = transact_get(TABLE, [self.key()]);
                drop(
                    self.world.run(async |engine, context| engine.transact_get_items(context, request).await),
                );
            }
            13 => {
                // What is looked at between requests changes no decision.
                self.world.engine.throughput_use("", self.world.now());
            }
            14 => self.world.advance(self.choices.below(700) as i64),
            _ => self.change_settings(),
        }
    }

    /// Changes of throughput, mode and indexes, and a table that is made anew.
    fn change_settings(&mut self) {
        match self.choices.below(40) {
            0 => {
                let request = UpdateTableRequest {
                    billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
                    ..changed()
                };
                drop(self.world.update_table(request));
            }
            1..=3 => {
                let units = 10 + self.choices.below(40) as i64;
                let provisioned_throughput = throughput(units, units);
                drop(self.world.update_table(UpdateTableRequest { provisioned_throughput, ..changed() }));
            }
            4 => {
                let late = GlobalSecondaryIndex {
                    provisioned_throughput: throughput(3, 3),
                    ..global_index("late", (&["l"], &[]), "KEYS_ONLY")
                };
                let defined = ["pk S", "sk S", "a S", "l N"].map(str::to_owned);
                drop(self.world.update_table(add_index(TABLE, late, &defined)));
                self.world.run_jobs();
            }
            5 => {
                drop(self.world.update_table(remove_index(TABLE, "late")));
                self.world.run_jobs();
            }
            6 => {
                let request = DeleteTableRequest { table_name: Some(TABLE.into()) };
                self.world.run(async |engine, context| engine.delete_table(context, request).await).unwrap();
                self.world.run_jobs();
                self.create();
            }
            7 => self.world.advance(self.choices.below(400_000) as i64),
            _ => {}
        }
    }

    /// The trace as a file has it.
    fn text(&self) -> String {
        opening(&self.constants) + &self.tape.0.lock().unwrap()
    }
}

fn throughput(read: i64, write: i64) -> Option<ProvisionedThroughput> {
    Some(ProvisionedThroughput { read_capacity_units: Some(read), write_capacity_units: Some(write) })
}

fn changed() -> UpdateTableRequest {
    UpdateTableRequest { table_name: Some(TABLE.into()), ..Default::default() }
}

/// Replays a trace: how many decisions were refusals, of how many.
fn replay(text: &str) -> (usize, usize) {
    let mut reader = TraceReader::new("recorded");
    let mut replay = Replay::new();
    let (mut refused, mut all) = (0, 0);
    for line in text.lines() {
        let Some(event) = reader.read(line).unwrap() else { continue };
        let decision = replay.apply(&event).unwrap_or_else(|error| panic!("{line}: {error}"));
        if let Some(decision) = decision {
            assert!(decision.agrees(), "{line}\n{:?}", decision.replayed);
            all += 1;
            refused += usize::from(decision.recorded != TraceOutcome::Admitted);
        }
    }
    (refused, all)
}

#[test]
fn a_replay_decides_as_the_live_server_did() {
    for throttle in [ThrottleMode::Report, ThrottleMode::Enforce] {
        with_seeds(8, |seed| {
            let mut recording = Recording::start(seed, throttle);
            (0..1_500).for_each(|_| recording.step());
            let (refused, all) = replay(&recording.text());
            assert!(all > 500 && refused > all / 50 && refused < all, "{refused} of {all}");
        });
    }
}

#[test]
fn a_decision_that_is_planted_in_a_trace_is_found() {
    let mut recording = Recording::start(1, ThrottleMode::Enforce);
    (0..300).for_each(|_| recording.step());
    let text = recording.text();
    let line = text.lines().find(|line| line.starts_with("admit") && line.contains(" ok ")).unwrap();
    let planted =
        text.replacen(line, &line.replacen(" ok ", " TableWriteKeyRangeThroughputExceeded@- ", 1), 1);
    assert!(std::panic::catch_unwind(|| replay(&planted)).is_err());
}

#[test]
fn a_trace_ends_a_table_that_is_gone() {
    let recording = Recording::start(1, ThrottleMode::Report);
    recording.world.put(put(TABLE, item([("pk", s("1")), ("sk", s("1"))]))).unwrap();
    let tape = Arc::clone(&recording.tape);
    drop(recording);
    let text = tape.0.lock().unwrap();
    let words: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["table", "admit", "resize", "drop"]);
}
