//! Values that are too large for an item.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamometer_planes::{
    BlobStore, Decimal, Error, Event, Expected, FolderBlobs, Id, Kind, Latest, Planes, ResourceKey, Swept,
    Take, Version,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::stage::{BEGINNING, PREFIX, Stage, after};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Report {
    text: String,
    total: Decimal,
}

fn report(bytes: usize) -> Report {
    Report {
        text: "報".repeat(bytes / 3),
        total: "0.12345678901234567890123456789012345678".parse().unwrap(),
    }
}

fn files(folder: &Path) -> usize {
    match std::fs::read_dir(folder.join("test")) {
        Ok(entries) => entries.count(),
        Err(_) => 0,
    }
}

#[tokio::test]
async fn a_value_over_400_kb_is_kept_as_a_blob_and_read_as_if_it_were_not() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let planes = stage.builder().blobs(FolderBlobs::new(folder.path())).build();
    let control = planes.control();
    let theme: ResourceKey = "theme#01".parse().unwrap();

    control.put_latest(&theme, &report(600_000)).await.unwrap();
    assert_eq!(files(folder.path()), 1);
    assert_eq!(control.latest::<Report>(&theme).await.unwrap().unwrap().value, report(600_000));
    control.put_latest(&theme, &report(700_000)).await.unwrap();
    assert_eq!(files(folder.path()), 1, "the blob of the overwritten version is deleted");
    assert_eq!(control.latest::<Report>(&theme).await.unwrap().unwrap().value, report(700_000));
    control.put_latest(&theme, &report(10)).await.unwrap();
    assert_eq!(files(folder.path()), 0);
    assert_eq!(control.latest::<Report>(&theme).await.unwrap().unwrap().value, report(10));

    let version = || Version::new(&theme, &report(500_000)).unwrap().at(after(0));
    control.write_version(version()).await.unwrap();
    assert!(matches!(control.write_version(version()).await, Err(Error::AlreadyExists { .. })));
    assert_eq!(files(folder.path()), 1, "a refused write leaves no blob");
    let stale = Latest::new(&theme, &report(500_000)).unwrap().expecting(Expected::Nothing);
    assert!(matches!(control.write_latest(stale).await, Err(Error::Conflict { .. })));
    assert_eq!(files(folder.path()), 1);
    let history = control.history::<Report>(&theme, &Take::newest(5)).await.unwrap().items;
    assert_eq!(history[0].value, report(500_000));
}

#[tokio::test]
async fn events_transactions_and_batches_keep_large_values_too() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let planes = stage.builder().blobs(FolderBlobs::new(folder.path())).inline_limit(1000).build();
    let (kind, publisher): (Kind, ResourceKey) = (Kind::literal("report"), "reports#user01".parse().unwrap());
    let event = |bytes| Event::new(&kind, &report(bytes)).unwrap().published_by(&publisher);
    let named = || Event::new(&kind, &report(2000)).unwrap().id(Id::new("twice").unwrap());
    let data = planes.data();
    let key = data.record(event(2000)).await.unwrap();
    let mut keys = planes.transaction().step(event(3000)).commit().await.unwrap();
    keys.extend(data.record_all(vec![event(4000), event(500)]).await.unwrap());
    assert_eq!(files(folder.path()), 3, "the last is small enough");
    keys.insert(0, key.clone());
    let sizes: Vec<usize> =
        data.load::<Report>(&keys).await.unwrap().iter().map(|event| event.value.text.len()).collect();
    assert_eq!(sizes, [1998, 3000, 3999, 498]);
    data.delete(&key).await.unwrap();
    assert_eq!(files(folder.path()), 2);

    let twice = || named().published_by(&publisher);
    planes.transaction().step(twice()).commit().await.unwrap();
    assert!(matches!(planes.transaction().step(twice()).commit().await, Err(Error::Cancelled(_))));
    assert_eq!(files(folder.path()), 3, "a cancelled transaction leaves no blob");
}

#[tokio::test]
async fn a_write_that_was_sent_twice_because_its_answer_was_lost_keeps_its_blob() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let config = stage.client.config().to_builder().retry_config(RetryConfig::standard());
    let planes = Planes::builder(Client::from_conf(config.build()), PREFIX)
        .blobs(FolderBlobs::new(folder.path()))
        .inline_limit(1000)
        .build();
    let (control, data) = (planes.control().consistent(), planes.data().consistent());
    let lose_the_next_answer = || {
        stage.inject(&json!({
            "fault": "internal-error", "operations": ["PutItem", "UpdateItem"], "after": true, "count": 1,
        }));
    };
    let theme: ResourceKey = "theme#01".parse().unwrap();

    lose_the_next_answer();
    let revision = control.put_latest(&theme, &report(2000)).await.unwrap();
    assert_eq!(control.latest::<Report>(&theme).await.unwrap().unwrap().value, report(2000));

    lose_the_next_answer();
    let edit = Latest::new(&theme, &report(3000)).unwrap().expecting(Expected::Revision(revision));
    assert!(matches!(control.write_latest(edit).await, Err(Error::Conflict { .. })));
    assert_eq!(control.latest::<Report>(&theme).await.unwrap().unwrap().value, report(3000));

    lose_the_next_answer();
    let (kind, publisher): (Kind, ResourceKey) = (Kind::literal("report"), "reports#user01".parse().unwrap());
    let named = Event::new(&kind, &report(4000)).unwrap().id(Id::new("mine").unwrap());
    assert!(matches!(data.record(named.published_by(&publisher)).await, Err(Error::AlreadyExists { .. })));
    let key = "report$0#mine".parse().unwrap();
    assert_eq!(data.get::<Report>(&key).await.unwrap().unwrap().value, report(4000));
}

#[tokio::test]
async fn without_a_store_a_large_value_is_refused_and_a_missing_blob_is_named() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let theme: ResourceKey = "theme#01".parse().unwrap();
    let error = stage.planes().control().put_latest(&theme, &report(500_000)).await.unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("theme#01 config#latest has 500") && said.contains("no blob store"), "{said}");

    let planes = stage.builder().blobs(FolderBlobs::new(folder.path())).build();
    planes.control().put_latest(&theme, &report(500_000)).await.unwrap();
    let error = stage.planes().control().latest::<Report>(&theme).await.unwrap_err();
    assert!(error.to_string().contains("PlanesBuilder::blobs"), "{error}");

    let blob = std::fs::read_dir(folder.path().join("test")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&blob, b"{}").unwrap();
    let error = planes.control().latest::<Report>(&theme).await.unwrap_err();
    assert!(error.to_string().contains("is not what was written"), "{error}");
    std::fs::remove_file(&blob).unwrap();
    let error = planes.control().latest::<Report>(&theme).await.unwrap_err();
    assert!(matches!(error, Error::BlobMissing { .. }), "{error}");
}

#[tokio::test]
async fn a_sweep_deletes_old_blobs_that_no_item_points_to_and_no_others() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let planes = stage.builder().blobs(FolderBlobs::new(folder.path())).inline_limit(1000).build();
    let hour = Duration::from_secs(3600);
    let (kind, publisher): (Kind, ResourceKey) = (Kind::literal("report"), "reports#user01".parse().unwrap());
    let theme: ResourceKey = "theme#01".parse().unwrap();
    let event = |bytes| Event::new(&kind, &report(bytes)).unwrap().published_by(&publisher);
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept::default(), "there is nothing yet");

    planes.control().put_latest(&theme, &report(2000)).await.unwrap();
    let kept = planes.data().record(event(3000)).await.unwrap();
    // A transaction does not tell what it overwrote.
    planes.transaction().step(Latest::new(&theme, &report(4000)).unwrap()).commit().await.unwrap();
    // Items go without a word when they expire, and a process can die before it has written the item.
    let expired = planes.data().record(event(5000)).await.unwrap();
    stage.delete_unnoticed(&expired).await;
    std::fs::write(folder.path().join("test/abc.half"), b"{").unwrap();
    // Another prefix's blobs are not this one's to judge.
    std::fs::create_dir_all(folder.path().join("test2")).unwrap();
    std::fs::write(folder.path().join("test2/abc"), b"{}").unwrap();

    // The files are of now, which is long after the beginning.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    stage.world.pass(since.saturating_sub(Duration::from_millis(BEGINNING as u64)));
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept { blobs: 5, deleted: 0 }, "all are young");
    stage.world.pass(2 * hour);
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept { blobs: 5, deleted: 3 });
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept { blobs: 2, deleted: 0 });
    assert_eq!(planes.control().latest::<Report>(&theme).await.unwrap().unwrap().value, report(4000));
    assert_eq!(planes.data().get::<Report>(&kept).await.unwrap().unwrap().value, report(3000));
    assert!(folder.path().join("test2/abc").exists());
    let error = stage.planes().sweep_blobs(hour).await.unwrap_err();
    assert!(error.to_string().contains("PlanesBuilder::blobs"), "{error}");
}

#[tokio::test]
async fn a_folder_lists_its_blobs_page_by_page_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = FolderBlobs::new(folder.path());
    std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
    for number in 0..1_500 {
        std::fs::write(folder.path().join(format!("a/{number:04}")), b"").unwrap();
    }
    let mut names = Vec::new();
    loop {
        let page = blobs.list("a/", names.last().map(String::as_str)).await.unwrap();
        if page.is_empty() {
            break;
        }
        names.extend(page.into_iter().map(|blob| blob.name));
    }
    assert_eq!(names, (0..1_500).map(|number| format!("a/{number:04}")).collect::<Vec<_>>());
    assert_eq!(blobs.list("none/", None).await.unwrap(), []);
}
