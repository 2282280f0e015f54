//! States that are kept and brought back, with a fault at each commit: the database is afterwards what it was or what it
//! should be, never something between, and nothing is left lying about.

use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use dynamometer_engine::api::StreamViewType;
use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Direction, Keyspace, MemoryStore};
use dynamometer_types::Item;

use crate::LAST;
use crate::common::agree::{check_agreement, check_nothing_is_left_over};
use crate::common::requests::*;
use crate::common::streams::stream_specification;
use crate::common::{TellOnFailure, World, n, s};

fn world_with_table(store: Arc<FaultStore>) -> World {
    let world = World::on(store);
    let mut request = create_table("table", (&["pk"], &[]), &["pk S".into(), "a N".into()]);
    request.global_secondary_indexes = Some(vec![global_index("by-a", (&["a"], &[]), "ALL")]);
    request.stream_specification = stream_specification(StreamViewType::NewAndOldImages);
    world.create(request);
    world.set_time_to_live("table", "a", true);
    for at in 0..5 {
        world.put(put("table", item([("pk", s(at.to_string())), ("a", n(at))]))).unwrap();
    }
    world
}

/// Keeps the state, changes something, and brings it back. Answers what the table held before and after.
fn work(world: &World) -> Result<(), dynamometer_engine::AdminError> {
    world.engine.keep_state("", "kept", world.now())?;
    let _ = world.put(put("table", item([("pk", s("new")), ("a", n(9))])));
    let _ = world.delete(delete("table", item([("pk", s("0"))])));
    world.engine.bring_back("", "kept", world.now())?;
    let _ = world.engine.run_jobs(world.now());
    Ok(())
}

#[test]
fn a_state_is_kept_and_brought_back_whole_or_not_at_all() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = world_with_table(Arc::clone(&store));
    let before = store.commits();
    work(&world).unwrap();
    let commits = store.commits() - before;
    let kept = check_agreement(&world, "table");
    assert_eq!(kept.len(), 5);
    check_nothing_is_left_over(&world);
    for at in 1..=commits {
        for fault in LAST {
            let told = TellOnFailure(format!("commit {at} of {commits}, {fault:?}"));
            let store = Arc::new(FaultStore::new(MemoryStore::new()));
            let world = world_with_table(Arc::clone(&store));
            store.fail_at(store.commits() + at, fault);
            let _ = work(&world);
            let recovered = World::on(Arc::new(store.crash()));
            recovered.run_jobs();
            let names = |items: Vec<Item>| -> Vec<String> {
                let mut names: Vec<String> =
                    items.iter().map(|item| format!("{:?}", item.get("pk"))).collect();
                names.sort();
                names
            };
            let found = names(check_agreement(&recovered, "table"));
            // As it was kept, or with one or both of the two changes.
            let kept = names(kept.clone());
            let mut with_new = kept.clone();
            with_new.push(format!("{:?}", Some(s("new"))));
            let changed: Vec<String> =
                with_new.iter().filter(|name| !name.contains("\"0\"")).cloned().collect();
            assert!([kept, with_new, changed].contains(&found), "{found:?}");
            if recovered.engine.bring_back("", "kept", recovered.now()).is_ok() {
                assert_eq!(check_agreement(&recovered, "table").len(), 5);
            }
            recovered.run_jobs();
            check_nothing_is_left_over(&recovered);
            told.defuse();
        }
    }
}

#[test]
fn a_state_that_is_forgotten_leaves_nothing() {
    let world = world_with_table(Arc::new(FaultStore::new(MemoryStore::new())));
    world.engine.begin_pipe("", "pipe", "table", None, &HashMap::new()).unwrap();
    for name in ["second", "first"] {
        world.engine.keep_state("", name, world.now()).unwrap();
    }
    assert_eq!(world.engine.kept_states(""), ["first", "second"]);
    assert!(world.engine.kept_states("another").is_empty());
    world.engine.forget_state("", "first", world.now()).unwrap();
    assert_eq!(world.engine.kept_states(""), ["second"]);
    assert!(world.engine.forget_state("", "first", world.now()).is_err());
    assert!(world.engine.bring_back("", "first", world.now()).is_err());
    world.run_jobs();
    check_nothing_is_left_over(&world);
    let mut pipes = 0;
    let (view, all) = (world.engine.store().snapshot().unwrap(), Bound::Unbounded);
    view.range(Keyspace::Pipes, all, all, Direction::Forward, &mut |_, _| {
        pipes += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(pipes, 2, "that of the database, and that of the state that is kept still");
    world.engine.bring_back("", "second", world.now()).unwrap();
    assert_eq!(check_agreement(&world, "table").len(), 5);
}
