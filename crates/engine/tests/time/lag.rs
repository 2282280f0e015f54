//! Late reads against an engine to which the same writes come as much later.

use dynamometer_engine::EngineConfig;
use dynamometer_engine::api::*;
use dynamometer_engine::lag::{LagConfig, LagRange};
use dynamometer_types::Item;

use crate::common::requests::*;
use crate::common::{Choices, World, in_memory, item_of, n, on_disk, s, with_seeds};

const TABLE: &str = "table";
const READ_LAG_MS: i64 = 300;
const INDEX_LAG_MS: i64 = 700;

fn exactly(millis: i64) -> LagRange {
    LagRange { from_ms: millis, to_ms: millis }
}

fn create(world: &World) {
    let defined = ["pk S", "sk N", "a S", "b N"].map(str::to_owned);
    world.create(CreateTableRequest {
        local_secondary_indexes: Some(vec![local_index("local", (&["pk"], &["b"]), "KEYS_ONLY")]),
        global_secondary_indexes: Some(vec![
            global_index("global", (&["a"], &["b"]), "ALL"),
            global_index("inverted", (&["sk"], &["pk"]), "KEYS_ONLY"),
        ]),
        ..create_table(TABLE, (&["pk"], &["sk"]), &defined)
    });
}

/// A write that can be done again elsewhere.
#[derive(Clone)]
enum Write {
    Put(Item),
    Delete(Item),
}

impl Write {
    fn draw(choices: &mut Choices) -> Write {
        let key = item([("pk", s(*choices.pick(&["p", "q"]))), ("sk", n(choices.below(6) as i64))]);
        if choices.percent(30) {
            return Write::Delete(key);
        }
        let mut whole: Vec<_> = key.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        if choices.percent(70) {
            whole.push(("a".into(), s(*choices.pick(&["x", "y"]))));
        }
        if choices.percent(80) {
            whole.push(("b".into(), n(choices.below(4) as i64)));
        }
        whole.push(("filler".into(), s("f".repeat(choices.below(6_000)))));
        Write::Put(whole.into_iter().collect())
    }

    fn run(&self, world: &World) {
        match self.clone() {
            Write::Put(item) => drop(world.put(put(TABLE, item)).unwrap()),
            Write::Delete(key) => drop(world.delete(delete(TABLE, key)).unwrap()),
        }
    }
}

/// An engine that hears of writes later.
struct Late {
    world: World,
    lag_ms: i64,
    waiting: std::collections::VecDeque<(i64, Write)>,
}

impl Late {
    fn by(lag_ms: i64) -> Late {
        let world = World::on(in_memory());
        create(&world);
        Late { world, lag_ms, waiting: Default::default() }
    }

    fn hear(&mut self, now_ms: i64, write: &Write) {
        self.waiting.push_back((now_ms + self.lag_ms, write.clone()));
    }

    fn catch_up(&mut self, now_ms: i64) {
        while self.waiting.front().is_some_and(|(at, _)| *at <= now_ms) {
            let (_, write) = self.waiting.pop_front().unwrap();
            write.run(&self.world);
        }
    }
}

fn query(index: Option<&str>, condition: &str, given: Option<Values>, choices: &mut Choices) -> QueryRequest {
    QueryRequest {
        table_name: Some(TABLE.into()),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(condition.into()),
        expression_attribute_values: given,
        scan_index_forward: Some(choices.percent(50)),
        select: (index == Some("local") && choices.percent(50))
            .then_some(Given::Known(Select::AllAttributes)),
        return_consumed_capacity: Some(Given::Known(ReturnConsumedCapacity::Indexes)),
        ..Default::default()
    }
}

/// All pages of a query: items, and what each page says of itself.
fn pages(world: &World, request: &QueryRequest, limit: i32) -> Vec<String> {
    let mut request = QueryRequest { limit: Some(limit), ..request.clone() };
    let mut pages = Vec::new();
    loop {
        let page = world.query(request.clone()).unwrap();
        let items: Vec<Item> = page.items.into_iter().flatten().map(item_of).collect();
        let (counts, next) = ((page.count, page.scanned_count), page.last_evaluated_key);
        pages.push(format!("{items:?} {counts:?} {next:?} {:?}", page.consumed_capacity));
        request.exclusive_start_key = next;
        if request.exclusive_start_key.is_none() {
            return pages;
        }
    }
}

fn check(world: &World, read: &Late, index: &Late, choices: &mut Choices) {
    let limit = choices.below(5) as i32 + 1;
    let pk = values([(":p", s("p"))]);
    for (late, request) in [
        (read, query(None, "pk = :p", pk.clone(), choices)),
        (read, query(Some("local"), "pk = :p", pk, choices)),
        (index, query(Some("global"), "a = :a", values([(":a", s("x"))]), choices)),
        (index, query(Some("inverted"), "sk = :s", values([(":s", n(3))]), choices)),
    ] {
        assert_eq!(pages(world, &request, limit), pages(&late.world, &request, limit), "{request:?}");
    }
    for (late, name) in [(read, None), (read, Some("local")), (index, Some("global"))] {
        let request = ScanRequest {
            table_name: Some(TABLE.into()),
            index_name: name.map(str::to_owned),
            ..Default::default()
        };
        assert_eq!(world.scan_all(&request, Some(limit)), late.world.scan_all(&request, None), "{name:?}");
    }
    let key = item([("pk", s("p")), ("sk", n(choices.below(6) as i64))]);
    assert_eq!(world.get(TABLE, key.clone()), read.world.get(TABLE, key));
}

#[test]
fn a_late_read_sees_what_was_there_and_a_consistent_one_what_is() {
    with_seeds(6, |seed| {
        let (_folder, store) = if seed % 2 == 0 {
            (None, in_memory())
        } else {
            let (folder, store) = on_disk();
            (Some(folder), store)
        };
        let lag = LagConfig { index: exactly(INDEX_LAG_MS), read: exactly(READ_LAG_MS), seed };
        let world = World::with(store, EngineConfig { lag, ..EngineConfig::default() });
        create(&world);
        let (mut read, mut index, mut now) = (Late::by(READ_LAG_MS), Late::by(INDEX_LAG_MS), Late::by(0));
        let mut choices = Choices::new(seed);
        for _ in 0..150 {
            world.advance(choices.below(150) as i64);
            let now_ms = world.now().millis();
            for late in [&mut read, &mut index] {
                late.catch_up(now_ms);
            }
            check(&world, &read, &index, &mut choices);
            let write = Write::draw(&mut choices);
            write.run(&world);
            for late in [&mut read, &mut index, &mut now] {
                late.hear(now_ms, &write);
            }
            now.catch_up(now_ms);
            let consistent = ScanRequest {
                table_name: Some(TABLE.into()),
                consistent_read: Some(true),
                ..Default::default()
            };
            assert_eq!(world.scan_all(&consistent, Some(3)), now.world.scan_all(&consistent, None));
        }
    });
}
