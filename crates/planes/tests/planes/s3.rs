//! Large values in S3: `cargo xtask e2e --only s3` runs this against a server that it starts; `S3_ENDPOINT` names one that speaks S3.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{BehaviorVersion, Config, Credentials, Region};
use dynamometer_planes::{BlobStore, Latest, ResourceKey, S3Blobs, Swept};

use crate::stage::{BEGINNING, Stage};

fn client() -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(std::env::var("S3_ENDPOINT").expect("S3_ENDPOINT names a server that speaks S3"))
        .force_path_style(true)
        .http_client(aws_smithy_http_client::Builder::new().build_http());
    Client::from_conf(config.build())
}

#[tokio::test]
#[ignore = "needs a server that speaks S3: cargo xtask e2e --only s3"]
async fn a_large_value_goes_to_s3_and_back_and_is_deleted_there() {
    let stage = Stage::new();
    client().create_bucket().bucket("blobs").send().await.unwrap();
    let blobs = S3Blobs::new(client(), "blobs", "planes/");
    let planes = stage.builder().blobs(blobs.clone()).build();
    let control = planes.control();
    let theme: ResourceKey = "theme#01".parse().unwrap();
    let large = "x".repeat(500_000);
    control.put_latest(&theme, &large).await.unwrap();
    assert_eq!(control.latest::<String>(&theme).await.unwrap().unwrap().value, large);
    let objects = || async {
        client().list_objects_v2().bucket("blobs").prefix("planes/").send().await.unwrap().contents().len()
    };
    assert_eq!(objects().await, 1);
    control.put_latest(&theme, "small").await.unwrap();
    assert_eq!(objects().await, 0);
    assert_eq!(blobs.get("none").await.unwrap(), None);

    // What a transaction overwrote stays behind, until it is swept.
    control.put_latest(&theme, &large).await.unwrap();
    planes.transaction().step(Latest::new(&theme, "small").unwrap()).commit().await.unwrap();
    let other = "theme#02".parse().unwrap();
    control.put_latest(&other, &large).await.unwrap();
    assert_eq!(objects().await, 2);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    stage.world.pass(since.saturating_sub(Duration::from_millis(BEGINNING as u64)));
    let hour = Duration::from_secs(3600);
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept { blobs: 2, deleted: 0 });
    stage.world.pass(2 * hour);
    assert_eq!(planes.sweep_blobs(hour).await.unwrap(), Swept { blobs: 2, deleted: 1 });
    assert_eq!(control.latest::<String>(&other).await.unwrap().unwrap().value, large);

    let nowhere = S3Blobs::new(client(), "nowhere", "");
    let error = nowhere.put("a", vec![1]).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot write s3://nowhere/a: "), "{error}");
}
