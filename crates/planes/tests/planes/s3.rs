//! Large values in S3: `cargo test -p dynamometer-planes --features s3 -- --ignored`, with `S3_ENDPOINT` naming a server that
//! speaks S3 and has the bucket `blobs`.

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{BehaviorVersion, Config, Credentials, Region};
use dynamometer_planes::{BlobStore, ResourceKey, S3Blobs};

use crate::stage::Stage;

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
#[ignore = "needs a server that speaks S3"]
async fn a_large_value_goes_to_s3_and_back_and_is_deleted_there() {
    let stage = Stage::new();
    let blobs = S3Blobs::new(client(), "blobs", "planes/");
    let control = stage.builder().blobs(blobs.clone()).build().control();
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
    let nowhere = S3Blobs::new(client(), "nowhere", "");
    let error = nowhere.put("a", vec![1]).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot write s3://nowhere/a: "), "{error}");
}
