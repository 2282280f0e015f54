//! Any bytes as the body of a call of CloudWatch, in each protocol and to each operation: none may panic.

use dynamometer_cloudwatch::ops::OPERATIONS;
use dynamometer_cloudwatch::{Call, CloudWatch};
use dynamometer_server::cloudwatch::incoming;
use dynamometer_types::Timestamp;
use http::{HeaderMap, HeaderValue};

const PATH: &str = "/service/GraniteServiceVersion20100801/operation/";
const TARGET: &str = "GraniteServiceVersion20100801.";

/// Sends the input to every operation.
pub fn check(data: &[u8]) {
    let mut cloudwatch = CloudWatch::default();
    let now = Timestamp::from_millis(1_780_272_000_000);
    let call = Call { now, region: "us-east-1", account: "000000000000", managed: &[] };
    for operation in OPERATIONS {
        let mut target = HeaderMap::new();
        let named = format!("{TARGET}{}", operation.name);
        target.insert("x-amz-target", HeaderValue::from_str(&named).expect("names are plain"));
        let mut form = HeaderMap::new();
        form.insert("content-type", HeaderValue::from_static("application/x-www-form-urlencoded"));
        let action = format!("Action={}&Version=2010-08-01&", operation.name);
        let body = [action.as_bytes(), data].concat();
        let path = format!("{PATH}{}", operation.name);
        let ways = [(path.as_str(), HeaderMap::new(), data), ("/", target, data), ("/", form, &body[..])];
        for (path, headers, body) in ways {
            let Some(found) = incoming(path, &headers, body) else { continue };
            let Ok((operation, request)) = found.read(body) else { continue };
            let _ = match cloudwatch.answer(operation, &call, &request) {
                Ok(answer) => found.answer(operation, &answer, "id"),
                Err(fault) => found.fault(&fault, "id"),
            };
        }
    }
    cloudwatch.close_minute(now);
}
