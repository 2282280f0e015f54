//! Draws operations, runs them on both sides, and compares.

use std::sync::Arc;

use dynamometer_engine::api::*;
use dynamometer_store::Store;
use dynamometer_types::error::Detail;
use dynamometer_types::{ApiError, AttributeValue, ErrorKind, Item};

use crate::common::agree::{IndexShape, check_agreement, check_nothing_is_left_over, index_shapes};
use crate::common::meddle::Meddled;
use crate::common::requests::*;
use crate::common::streams::stream_specification;
use crate::common::{Choices, World, item_of};
use crate::draw::key_values;
use crate::naive::{
    Change, Changes, Condition, Key, Naive, Refusal, Transacted, Write, key_item, key_of_item,
};
use crate::{pages, statements};

pub const TABLE: &str = "table";
const LATE: &str = "late";

/// Both sides, and the choices.
pub struct Drive {
    pub world: Arc<World>,
    pub model: Naive,
    pub choices: Choices,
    store: Arc<Meddled>,
    pub keys: (Vec<AttributeValue>, Vec<AttributeValue>),
    has_late_index: bool,
    has_time_to_live: bool,
    /// Transactions that were sent with a token.
    sent: Vec<(String, Vec<Write>)>,
}

impl Drive {
    pub fn new(seed: u64, store: Arc<dyn Store>) -> Drive {
        let mut choices = Choices::new(seed);
        let (pk, sk) = (*choices.pick(&["S", "N", "B"]), *choices.pick(&["S", "N", "B"]));
        let store = Meddled::new(store);
        let world = Arc::new(World::on(Arc::clone(&store) as _));
        let defined = ["a S", "b N", "c N", "d S", "l N"].map(str::to_owned);
        let defined = [&defined[..], &[format!("pk {pk}"), format!("sk {sk}")]].concat();
        world.create(CreateTableRequest {
            local_secondary_indexes: Some(vec![local_index("by-l", (&["pk"], &["l"]), "v")]),
            global_secondary_indexes: Some(vec![
                global_index("by-a", (&["a"], &["b"]), "KEYS_ONLY"),
                global_index("by-abc", (&["a", "c"], &["b", "d"]), "ALL"),
            ]),
            stream_specification: stream_specification(StreamViewType::NewAndOldImages),
            ..create_table(TABLE, (&["pk"], &["sk"]), &defined)
        });
        let keys = (key_values(pk), key_values(sk));
        Drive {
            world,
            model: Naive::default(),
            choices,
            store,
            keys,
            has_late_index: false,
            has_time_to_live: false,
            sent: vec![],
        }
    }

    /// Runs so many operations, then looks at everything.
    pub fn run(&mut self, operations: usize) {
        for _ in 0..operations {
            match self.choices.below(25) {
                0 => self.run_jobs(),
                1 => {
                    // What is opened again is what there was.
                    let now = self.world.now();
                    self.world = Arc::new(World::on(Arc::clone(&self.store) as _));
                    self.world.advance(now.millis() - self.world.now().millis());
                }
                _ => self.step(),
            }
        }
        self.run_jobs();
        self.check_all();
        self.store.run_jobs(&self.world, || {});
        self.check_all();
        check_nothing_is_left_over(&self.world);
    }

    /// Any operation that may also happen while jobs are at work.
    fn step(&mut self) {
        match self.choices.below(33) {
            0..=9 => self.single_write(),
            30..=32 => {
                let write = self.write(false);
                statements::compare_write(self, write);
            }
            10..=12 => self.batch(),
            13..=16 => self.transaction(),
            17 => self.resend(),
            18..=19 => self.read_items(),
            20..=24 => pages::compare_query(self),
            25 => pages::compare_scan(self),
            26 => self.change_indexes(),
            27 => self.change_time_to_live(),
            // Long enough for shards to be replaced now and then, short enough for none to be trimmed.
            28 => self.world.advance(self.choices.below(3_000_000) as i64),
            _ => self.check_all(),
        }
    }

    /// Runs the jobs, with other operations in the middle of them.
    fn run_jobs(&mut self) {
        let (store, world) = (Arc::clone(&self.store), Arc::clone(&self.world));
        store.run_jobs(&world, || {
            for _ in 0..self.choices.below(20) {
                self.step();
            }
        });
    }

    fn check_all(&mut self) {
        let items = check_agreement(&self.world, TABLE);
        let sorted = |mut items: Vec<Item>| {
            items.sort_by_key(|item| format!("{item:?}"));
            items
        };
        assert_eq!(sorted(items), sorted(self.model.items.values().cloned().collect()));
        self.check_stream();
    }

    /// The stream tells of each item what the model has seen become of it.
    fn check_stream(&self) {
        let arn = self.world.describe(TABLE).latest_stream_arn.unwrap();
        let mut told = Changes::new();
        for change in self.world.read_stream(&arn, 10) {
            let key = key_of_item(&change.keys);
            told.entry(key).or_default().push((change.old, change.new));
        }
        assert_eq!(told, self.model.changes);
    }

    /// On an attribute whose numbers are times of 1970: nothing is deleted, but the index of expiry times is kept.
    fn change_time_to_live(&mut self) {
        self.has_time_to_live = !self.has_time_to_live;
        self.world.set_time_to_live(TABLE, "n", self.has_time_to_live);
    }

    /// The indexes that writes must suit, those that are being filled included.
    pub fn declared(&self) -> Vec<IndexShape> {
        let mut shown = self.world.describe(TABLE);
        for index in shown.global_secondary_indexes.iter_mut().flatten() {
            index.backfilling = None;
        }
        index_shapes(&shown)
    }

    fn single_write(&mut self) {
        let write = self.write(false);
        let expected = self.model.write(&write, &self.declared());
        let condition = write.condition.as_ref().map(|condition| condition.text().to_owned());
        let mut values = write.condition.as_ref().map(Condition::values).unwrap_or_default();
        if let Change::Update(update) = &write.change {
            values.extend(update.values());
        }
        let values = (!values.is_empty()).then_some(values);
        let on_failure = Some(Given::Known(ReturnValuesOnConditionCheckFailure::AllOld));
        let (answer, told) = match &write.change {
            Change::Put(item) => {
                let request = PutItemRequest {
                    condition_expression: condition,
                    expression_attribute_values: values,
                    return_values: Some(Given::Known(ReturnValues::AllOld)),
                    return_values_on_condition_check_failure: on_failure,
                    ..put(TABLE, item.clone())
                };
                (self.world.put(request), expected.as_ref().map(|(old, _)| old.clone()))
            }
            Change::Update(change) => {
                let request = UpdateItemRequest {
                    condition_expression: condition,
                    return_values: Some(Given::Known(ReturnValues::AllNew)),
                    return_values_on_condition_check_failure: on_failure,
                    ..update(TABLE, key_item(&write.key), &change.text(), values)
                };
                (self.world.update(request), expected.as_ref().map(|(_, new)| new.clone()))
            }
            Change::Delete | Change::Check => {
                let request = DeleteItemRequest {
                    condition_expression: condition,
                    expression_attribute_values: values,
                    return_values: Some(Given::Known(ReturnValues::AllOld)),
                    return_values_on_condition_check_failure: on_failure,
                    ..delete(TABLE, key_item(&write.key))
                };
                (self.world.delete(request), expected.as_ref().map(|(old, _)| old.clone()))
            }
        };
        match (answer, told) {
            (Ok(answer), Ok(told)) => assert_eq!(answer.attributes.map(item_of), told, "{write:?}"),
            (Err(error), Err(refusal)) => {
                assert_eq!(refusal_of(&error), *refusal, "{write:?}: {error:?}");
                if *refusal == Refusal::ConditionFailed {
                    assert_eq!(item_in(error), self.model.items.get(&write.key).cloned(), "{write:?}");
                }
            }
            (answer, told) => panic!("{write:?}: {answer:?}, but the model says {told:?}"),
        }
    }

    fn batch(&mut self) {
        let mut writes = self.writes(6, false);
        for write in &mut writes {
            write.condition = None;
            if matches!(write.change, Change::Update(_)) {
                write.change = Change::Delete;
            }
        }
        let declared = self.declared();
        let mut after = self.model.clone();
        let sound = writes.iter().all(|write| after.write(write, &declared).is_ok());
        let element = |write: &Write| match &write.change {
            Change::Put(item) => WriteRequest { put_request: Some(Some(item.clone())), ..Default::default() },
            _ => WriteRequest { delete_request: Some(Some(key_item(&write.key))), ..Default::default() },
        };
        let request = BatchWriteItemRequest {
            request_items: Some(vec![(TABLE.into(), writes.iter().map(element).collect())]),
            ..Default::default()
        };
        let answer = self.world.run(async |engine, context| engine.batch_write_item(context, request).await);
        match answer {
            Ok(answer) => {
                assert!(sound && answer.unprocessed_items.is_empty(), "{writes:?}");
                self.model = after;
            }
            Err(error) => assert!(!sound && error.kind == ErrorKind::Validation, "{writes:?}: {error:?}"),
        }
    }

    fn transaction(&mut self) {
        let writes = self.writes(5, true);
        let token = self.choices.percent(50).then(|| format!("token-{}", self.choices.below(6)));
        self.transact(writes, token);
    }

    /// Sends a transaction again, with its token.
    fn resend(&mut self) {
        if self.sent.is_empty() {
            return;
        }
        let (token, writes) = self.choices.pick(&self.sent).clone();
        self.transact(writes, Some(token));
    }

    fn transact(&mut self, writes: Vec<Write>, token: Option<String>) {
        let declared = self.declared();
        let expected = self.model.transact(&writes, token.as_deref(), self.world.now().millis(), &declared);
        let request = transaction(writes.iter().map(action_of).collect(), token.as_deref());
        let found = match self.world.transact(request) {
            Ok(_) => Transacted::Done,
            Err(error) if error.kind == ErrorKind::IdempotentParameterMismatch => Transacted::Mismatch,
            Err(error) => Transacted::Cancelled(reasons_of(error)),
        };
        assert_eq!(found, expected, "{writes:?} with {token:?}");
        self.sent.extend(token.map(|token| (token, writes)));
    }

    fn read_items(&mut self) {
        let mut keys: Vec<Key> = (0..4).map(|_| self.key()).collect();
        keys.sort();
        keys.dedup();
        let expected: Vec<Option<Item>> = keys.iter().map(|key| self.model.items.get(key).cloned()).collect();
        let found: Vec<Option<Item>> = keys.iter().map(|key| self.world.get(TABLE, key_item(key))).collect();
        assert_eq!(found, expected);
        let request = transact_get(TABLE, keys.iter().map(key_item));
        let answer =
            self.world.run(async |engine, context| engine.transact_get_items(context, request).await);
        let found: Vec<Option<Item>> =
            answer.unwrap().responses.into_iter().map(|item| item.map(item_of)).collect();
        assert_eq!(found, expected);
        let asked =
            KeysAndAttributes { keys: Some(keys.iter().map(key_item).collect()), ..Default::default() };
        let request =
            BatchGetItemRequest { request_items: Some(vec![(TABLE.into(), asked)]), ..Default::default() };
        let answer =
            self.world.run(async |engine, context| engine.batch_get_item(context, request).await).unwrap();
        let found: Vec<Item> =
            answer.responses.into_iter().flat_map(|(_, items)| items).map(item_of).collect();
        assert_eq!(found, expected.into_iter().flatten().collect::<Vec<_>>());
    }

    fn change_indexes(&mut self) {
        let request = if self.has_late_index {
            remove_index(TABLE, LATE)
        } else {
            let defined = ["e S", "l N"].map(str::to_owned);
            add_index(TABLE, global_index(LATE, (&["e"], &["l"]), "n note"), &defined)
        };
        match self.world.update_table(request) {
            Ok(_) => self.has_late_index = !self.has_late_index,
            Err(error) => assert_eq!(error.kind, ErrorKind::LimitExceeded, "{error:?}"),
        }
    }
}

fn action_of(write: &Write) -> TransactWriteItem {
    let mut values = write.condition.as_ref().map(Condition::values).unwrap_or_default();
    let mut action = TransactAction {
        table_name: Some(TABLE.into()),
        condition_expression: write.condition.as_ref().map(|condition| condition.text().into()),
        ..Default::default()
    };
    match &write.change {
        Change::Put(item) => action.item = Some(item.clone()),
        _ => action.key = Some(key_item(&write.key)),
    }
    if let Change::Update(update) = &write.change {
        action.update_expression = Some(update.text());
        values.extend(update.values());
    }
    action.expression_attribute_values = (!values.is_empty()).then_some(values);
    let mut element = TransactWriteItem::default();
    *match &write.change {
        Change::Put(_) => &mut element.put,
        Change::Update(_) => &mut element.update,
        Change::Delete => &mut element.delete,
        Change::Check => &mut element.condition_check,
    } = Some(action);
    element
}

fn refusal_of(error: &ApiError) -> Refusal {
    match error.kind {
        ErrorKind::ConditionalCheckFailed => Refusal::ConditionFailed,
        ErrorKind::Validation => Refusal::Invalid,
        _ => panic!("{error:?}"),
    }
}

/// The item that a failed condition tells.
fn item_in(error: ApiError) -> Option<Item> {
    match error.detail.map(|detail| *detail) {
        Some(Detail::Item(item)) => Some(item),
        _ => None,
    }
}

fn reasons_of(error: ApiError) -> Vec<Option<Refusal>> {
    let message = error.message.clone();
    match error.detail.map(|detail| *detail) {
        Some(Detail::CancellationReasons(reasons)) => reasons
            .iter()
            .map(|reason| match reason.code {
                "None" => None,
                "ConditionalCheckFailed" => Some(Refusal::ConditionFailed),
                "ValidationError" => Some(Refusal::Invalid),
                other => panic!("{other}"),
            })
            .collect(),
        other => panic!("{message}: {other:?}"),
    }
}
