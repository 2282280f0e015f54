//! Writes of both planes that are made all or none.

use std::time::Duration;

use dynamometer_planes::{
    Cancelled, Error, Event, Expected, Id, Kind, Latest, Reason, Reference, ResourceKey, Step, Take, Version,
};

use crate::stage::{Stage, after};

const CHANGE: Kind = Kind::literal("change");

fn theme() -> ResourceKey {
    "theme#01".parse().unwrap()
}

fn change(id: &str) -> dynamometer_planes::Placed {
    let event = Event::new(&CHANGE, "changed").unwrap().id(Id::new(id).unwrap()).at(after(0));
    event.published_by(&"changes#user01".parse().unwrap())
}

#[tokio::test]
async fn a_latest_version_its_history_and_an_event_are_written_together() {
    let stage = Stage::new();
    let planes = stage.planes();
    let settings = Reference::from(&"system#settings".parse::<ResourceKey>().unwrap());
    let keys = planes
        .transaction()
        .step(Latest::new(&theme(), "a").unwrap())
        .step(Version::new(&theme(), "a").unwrap())
        .step(change("c1"))
        .step(Step::Dependency(theme(), settings.clone()))
        .commit()
        .await
        .unwrap();
    let latest = planes.control().latest::<String>(&theme()).await.unwrap().unwrap();
    assert_eq!((latest.value.as_str(), latest.revision.get()), ("a", 1));
    assert_eq!(planes.control().history::<String>(&theme(), &Take::newest(9)).await.unwrap().items.len(), 1);
    assert_eq!(planes.data().get::<String>(&keys[0]).await.unwrap().unwrap().value, "changed");
    assert_eq!(planes.control().dependents(&settings, &Take::newest(9)).await.unwrap().items, [theme()]);
}

#[tokio::test]
async fn one_refused_step_cancels_all_and_is_named() {
    let stage = Stage::new();
    let planes = stage.planes();
    planes.data().record(change("c1")).await.unwrap();
    let error = planes
        .transaction()
        .step(Latest::new(&theme(), "a").unwrap())
        .step(change("c1"))
        .step(Step::Check("theme#02".parse().unwrap(), Expected::Nothing))
        .commit()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the transaction was cancelled: change$0#c1: its condition does not hold");
    let Error::Cancelled(steps) = error else { panic!("cancelled") };
    assert_eq!(steps, [Cancelled { key: "change$0#c1".into(), reason: Reason::ConditionFailed }]);
    assert_eq!(planes.control().latest::<String>(&theme()).await.unwrap(), None);
}

#[tokio::test]
async fn a_check_of_another_resource_guards_the_writes() {
    let stage = Stage::new();
    let planes = stage.planes();
    let other: ResourceKey = "theme#02".parse().unwrap();
    let revision = planes.control().put_latest(&other, "x").await.unwrap();
    let guarded = || {
        let check = Step::Check(other.clone(), Expected::Revision(revision));
        planes.transaction().step(check).step(Latest::new(&theme(), "a").unwrap())
    };
    guarded().commit().await.unwrap();
    planes.control().put_latest(&other, "y").await.unwrap();
    assert!(matches!(guarded().commit().await, Err(Error::Cancelled(_))));
}

#[tokio::test]
async fn a_token_makes_a_repeated_transaction_one_though_time_has_passed() {
    let stage = Stage::new();
    let planes = stage.planes();
    let transaction = |text: &str| {
        let latest = Latest::new(&theme(), text).unwrap();
        let event = Event::new(&CHANGE, text).unwrap().published_by(&"changes#user01".parse().unwrap());
        planes.transaction().step(latest).step(event).token("request-7", after(0))
    };
    let first = transaction("a").commit().await.unwrap();
    stage.world.pass(Duration::from_secs(5));
    assert_eq!(transaction("a").commit().await.unwrap(), first);
    let latest = planes.control().latest::<String>(&theme()).await.unwrap().unwrap();
    assert_eq!((latest.revision.get(), latest.written), (1, Some(after(0))), "written once");
    let error = transaction("b").commit().await.unwrap_err();
    assert!(error.to_string().contains("IdempotentParameterMismatchException"), "{error}");
}
