//! The control plane.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use dynamometer_planes::{Decimal, Error, Expected, Id, Kind, Latest, Reference, ResourceKey, Take, Version};
use serde::{Deserialize, Serialize};

use crate::stage::{Stage, after, n, s};

const PROFILE: Kind = Kind::literal("profile");

fn key(text: &str) -> ResourceKey {
    text.parse().unwrap()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Profile {
    text: String,
    limit: Decimal,
}

fn profile(text: &str) -> Profile {
    Profile { text: text.into(), limit: "12345678901234567890.123456789012345678".parse().unwrap() }
}

#[tokio::test]
async fn the_latest_version_is_overwritten_and_counted() {
    let stage = Stage::new();
    let control = stage.planes().control().consistent();
    let user = ResourceKey::new(&PROFILE, &Id::new("user01").unwrap());
    assert_eq!(control.latest::<Profile>(&user).await.unwrap(), None);
    assert_eq!(control.put_latest(&user, &profile("first")).await.unwrap().get(), 1);
    assert_eq!(control.put_latest(&user, &profile("second")).await.unwrap().get(), 2);
    let latest = control.latest::<Profile>(&user).await.unwrap().unwrap();
    assert_eq!(latest.value, profile("second"), "all 38 digits");
    assert_eq!((latest.resource, latest.version, latest.written), (user, None, Some(after(0))));
    assert_eq!(latest.revision.get(), 2);
}

#[tokio::test]
async fn of_two_writers_who_read_the_same_the_second_is_refused() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let theme = key("theme#01");
    let first = || Latest::new(&theme, "a").unwrap().expecting(Expected::Nothing);
    let revision = control.write_latest(first()).await.unwrap();
    let error = control.write_latest(first()).await.unwrap_err();
    assert_eq!(error.to_string(), "theme#01 config#latest was changed by somebody else since it was read");

    let edit = |text: &str| Latest::new(&theme, text).unwrap().expecting(Expected::Revision(revision));
    let next = control.write_latest(edit("b")).await.unwrap();
    assert!(matches!(control.write_latest(edit("c")).await, Err(Error::Conflict { .. })));
    assert_eq!(control.latest::<String>(&theme).await.unwrap().unwrap().value, "b");

    let stale = control.delete_latest(&theme, Expected::Revision(revision)).await;
    assert!(matches!(stale, Err(Error::Conflict { .. })));
    control.delete_latest(&theme, Expected::Revision(next)).await.unwrap();
    assert_eq!(control.latest::<String>(&theme).await.unwrap(), None);
}

#[tokio::test]
async fn what_another_program_put_is_read_and_locked_from_revision_0() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let value =
        AttributeValue::M(HashMap::from([("text".into(), s("個人投資家")), ("limit".into(), n("82.5"))]));
    let item = [("resource_key", s("profile#user01")), ("event_key", s("config#latest")), ("value", value)];
    stage.put_by_another_program("ControlPlaneTable", &item).await;
    let user = key("profile#user01");
    let latest = control.latest::<Profile>(&user).await.unwrap().unwrap();
    assert_eq!(latest.value.limit, "82.5".parse().unwrap());
    assert_eq!((latest.revision.get(), latest.written), (0, None));
    let edit = || Latest::new(&user, "x").unwrap().expecting(Expected::Revision(latest.revision));
    assert_eq!(control.write_latest(edit()).await.unwrap().get(), 1);
    assert!(matches!(control.write_latest(edit()).await, Err(Error::Conflict { .. })));
}

#[tokio::test]
async fn versions_are_kept_side_by_side_and_never_overwritten() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let theme = key("theme#01");
    let at = after(1000);
    let version = |text: &str| Version::new(&theme, text).unwrap().at(at);
    assert_eq!(control.write_version(version("kept")).await.unwrap(), at);
    let error = control.write_version(version("lost")).await.unwrap_err();
    assert_eq!(error.to_string(), "theme#01 version#2026-06-01T00:00:01.000Z is there already");
    assert_eq!(control.version::<String>(&theme, at).await.unwrap().unwrap().value, "kept");

    // Without a time of their own, versions of one millisecond follow each other.
    for later in 0..3 {
        assert_eq!(control.put_version(&theme, "x").await.unwrap(), after(later));
    }
}

#[tokio::test]
async fn history_is_read_newest_first_page_by_page_by_any_process() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let theme = key("theme#01");
    for number in 0..7 {
        control.put_version(&theme, &number).await.unwrap();
        stage.world.pass(Duration::from_secs(1));
    }
    control.put_latest(&theme, &"not a version").await.unwrap();
    let (mut seen, mut take) = (Vec::new(), Take::newest(3));
    loop {
        // Another process, which knows the cursor alone.
        let page = stage.planes().control().history::<i32>(&theme, &take).await.unwrap();
        seen.extend(page.items.into_iter().map(|stored| stored.value));
        match page.next {
            Some(cursor) => take = take.after(cursor.as_str().parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(seen, [6, 5, 4, 3, 2, 1, 0]);
    let oldest = control.history::<i32>(&theme, &Take::oldest(2)).await.unwrap();
    assert_eq!(oldest.items.iter().map(|stored| stored.value).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(oldest.items[1].version, Some(after(1000)));

    let other = key("theme#02");
    let error =
        control.history::<i32>(&other, &Take::oldest(2).after(oldest.next.unwrap())).await.unwrap_err();
    assert_eq!(error.to_string(), "the cursor belongs to another list; begin from the first page");
}

#[tokio::test]
async fn as_of_a_time_is_the_version_before_it() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let theme = key("theme#01");
    for millis in [0, 500, 1000, 5000] {
        control.write_version(Version::new(&theme, &millis).unwrap().at(after(millis))).await.unwrap();
    }
    // Written as the pattern's own examples do: whole seconds.
    let whole = [
        ("resource_key", s("theme#01")),
        ("event_key", s("version#2026-06-01T00:00:03Z")),
        ("value", n("3000")),
    ];
    stage.put_by_another_program("ControlPlaneTable", &whole).await;
    for (at, expected) in [
        (-1, None),
        (0, Some(0)),
        (499, Some(0)),
        (999, Some(500)),
        (2999, Some(1000)),
        (3000, Some(3000)),
        (3001, Some(3000)),
        (9999, Some(5000)),
    ] {
        let found = control.as_of::<i64>(&theme, after(at)).await.unwrap();
        assert_eq!(found.map(|stored| stored.value), expected, "as of {at} ms");
    }
}

#[tokio::test]
async fn dependencies_are_read_from_both_ends() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let (theme, other) = (Reference::from(&key("theme#01")), Reference::from(&key("theme#02")));
    for user in ["user01", "user02"] {
        let portfolio = key(&format!("portfolio#{user}"));
        control.add_dependency(&portfolio, &theme).await.unwrap();
        control.add_dependency(&portfolio, &theme).await.unwrap();
    }
    let mine = key("portfolio#user01");
    control.add_dependency(&mine, &other).await.unwrap();
    let forward = control.dependencies(&mine, &Take::oldest(10)).await.unwrap().items;
    assert_eq!(forward, [theme.clone(), other.clone()]);
    let reverse = control.dependents(&theme, &Take::oldest(10)).await.unwrap().items;
    assert_eq!(reverse, [key("portfolio#user01"), key("portfolio#user02")]);
    control.remove_dependency(&mine, &theme).await.unwrap();
    let reverse = control.dependents(&theme, &Take::oldest(10)).await.unwrap().items;
    assert_eq!(reverse, [key("portfolio#user02")]);
}

#[tokio::test]
async fn activity_is_found_by_entity_and_by_system() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let (alice, screen) = (Reference::from(&key("user#alice")), Reference::from(&key("system#settings")));
    let theme = key("theme#01");
    for (millis, text) in [(0, "a"), (1000, "b")] {
        let version = Version::new(&theme, text).unwrap().at(after(millis)).entity(&alice).system(&screen);
        control.write_version(version).await.unwrap();
    }
    control.write_latest(Latest::new(&theme, "c").unwrap().entity(&alice)).await.unwrap();
    let of_alice = control.activity_of_entity::<String>(&alice, &Take::newest(10)).await.unwrap().items;
    assert_eq!(of_alice.iter().map(|stored| stored.value.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
    let on_screen = control.activity_of_system::<String>(&screen, &Take::newest(1)).await.unwrap();
    assert_eq!(on_screen.items[0].value, "b");
    assert!(on_screen.next.is_some());

    // A write that names no entity takes the resource out of the activity.
    control.put_latest(&theme, "d").await.unwrap();
    let of_alice = control.activity_of_entity::<String>(&alice, &Take::newest(10)).await.unwrap().items;
    assert_eq!(of_alice.len(), 2);
}

#[tokio::test]
async fn a_missing_table_and_a_strange_item_are_named() {
    let stage = Stage::new();
    let nowhere = dynamometer_planes::Planes::new(stage.client.clone(), "nowhere");
    let error = nowhere.control().latest::<String>(&key("theme#01")).await.unwrap_err();
    assert!(
        error.to_string().starts_with("GetItem: ResourceNotFoundException: Requested resource not found"),
        "{error}"
    );
    let strange = [("resource_key", s("theme#01")), ("event_key", s("version#yesterday")), ("value", n("1"))];
    stage.put_by_another_program("ControlPlaneTable", &strange).await;
    let error =
        stage.planes().control().history::<i32>(&key("theme#01"), &Take::newest(1)).await.unwrap_err();
    assert!(error.to_string().contains("theme#01 version#yesterday"), "{error}");
}

#[tokio::test]
async fn a_value_of_another_shape_is_told_with_its_item() {
    let stage = Stage::new();
    let control = stage.planes().control();
    let theme: ResourceKey = "theme#01".parse().unwrap();
    control.put_latest(&theme, "a text").await.unwrap();
    let error = control.latest::<u64>(&theme).await.unwrap_err().to_string();
    assert!(
        error.starts_with("the item theme#01 config#latest ") && error.contains("is not what is read"),
        "{error}"
    );
}
