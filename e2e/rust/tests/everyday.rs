//! The AWS SDK for Rust at its everyday work.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, Put, PutRequest, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure, Select, TableStatus, TransactWriteItem, Update, WriteRequest,
};
use dynamometer_e2e::{client, create_table, item, key, n, refusal, s};
use std::collections::HashMap;

#[tokio::test]
async fn tables_are_made_described_listed_and_deleted() {
    let client = client();
    create_table(&client, "rust-tables").await;
    let answer = client.describe_table().table_name("rust-tables").send().await.unwrap();
    let table = answer.table().unwrap();
    assert_eq!(table.table_status(), Some(&TableStatus::Active));
    assert_eq!(table.item_count(), Some(0));
    assert!(table.creation_date_time().unwrap().secs() > 1_700_000_000);
    assert_eq!(table.global_secondary_indexes().len(), 1);

    let names: Vec<String> = client
        .list_tables()
        .into_paginator()
        .page_size(1)
        .items()
        .send()
        .collect::<Result<_, _>>()
        .await
        .unwrap();
    assert!(names.contains(&"rust-tables".to_owned()));

    client.delete_table().table_name("rust-tables").send().await.unwrap();
    let error = client.describe_table().table_name("rust-tables").send().await.unwrap_err();
    assert_eq!(
        refusal(&error),
        ("ResourceNotFoundException", "Requested resource not found: Table: rust-tables not found")
    );
    assert!(error.into_service_error().is_resource_not_found_exception());
}

#[tokio::test]
async fn every_type_comes_back_as_it_was() {
    let client = client();
    create_table(&client, "rust-types").await;
    let deep = AttributeValue::M(HashMap::from([(
        "list".to_owned(),
        AttributeValue::L(vec![s(""), AttributeValue::Null(true), AttributeValue::Bool(false)]),
    )]));
    let written = item(
        "types",
        1,
        &[
            ("text", s("日本 😀")),
            ("number", n("-0.00000000000000000000000000000000000001")),
            ("bytes", AttributeValue::B(Blob::new([0, 255, 127]))),
            ("deep", deep),
            ("strings", AttributeValue::Ss(vec!["a".to_owned(), "b".to_owned()])),
            ("numbers", AttributeValue::Ns(vec!["-1".to_owned(), "2.5".to_owned(), "10".to_owned()])),
            ("binaries", AttributeValue::Bs(vec![Blob::new([1]), Blob::new([2, 3])])),
        ],
    );
    client.put_item().table_name("rust-types").set_item(Some(written.clone())).send().await.unwrap();
    let got = client
        .get_item()
        .table_name("rust-types")
        .set_key(Some(key("types", 1)))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    assert_eq!(got.item, Some(written));
    let none = client.get_item().table_name("rust-types").set_key(Some(key("none", 1))).send().await.unwrap();
    assert_eq!(none.item, None);
}

#[tokio::test]
async fn conditions_updates_and_their_answers() {
    let client = client();
    create_table(&client, "rust-items").await;
    let put = || {
        client
            .put_item()
            .table_name("rust-items")
            .set_item(Some(item("a", 1, &[("v", n(1)), ("colour", s("red"))])))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
    };
    put().await.unwrap();
    let error = put().await.unwrap_err().into_service_error();
    assert_eq!(error.message(), Some("The conditional request failed"));
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(failed.item().unwrap()["v"], n(1));

    let updated = client
        .update_item()
        .table_name("rust-items")
        .set_key(Some(key("a", 1)))
        .update_expression("ADD v :two SET colour = :c")
        .expression_attribute_values(":two", n(2))
        .expression_attribute_values(":c", s("blue"))
        .return_values(ReturnValue::UpdatedNew)
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .unwrap();
    assert_eq!(updated.attributes().unwrap()["v"], n(3));
    // One for the table, two for the index: its entry moves (measured).
    let consumed = updated.consumed_capacity().unwrap();
    assert_eq!(consumed.capacity_units(), Some(3.0));
    assert_eq!(consumed.global_secondary_indexes().unwrap()["by_colour"].capacity_units(), Some(2.0));

    let old = client
        .delete_item()
        .table_name("rust-items")
        .set_key(Some(key("a", 1)))
        .return_values(ReturnValue::AllOld)
        .send()
        .await
        .unwrap();
    assert_eq!(old.attributes, Some(item("a", 1, &[("v", n(3)), ("colour", s("blue"))])));

    let error = client
        .update_item()
        .table_name("rust-items")
        .set_key(Some(key("a", 1)))
        .update_expression("SET status = :s")
        .expression_attribute_values(":s", s("x"))
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        refusal(&error),
        (
            "ValidationException",
            "1 validation error detected: Invalid UpdateExpression: Attribute name is a reserved keyword; \
             reserved keyword: status"
        )
    );
}

#[tokio::test]
async fn batches_queries_and_scans_page_through_everything() {
    let client = client();
    create_table(&client, "rust-many").await;
    for batch in 0..4 {
        let requests = (0..25).map(|position| {
            let number = batch * 25 + position;
            let colour: &[(&str, AttributeValue)] =
                if number % 4 == 0 { &[("colour", AttributeValue::S("green".to_owned()))] } else { &[] };
            let put = PutRequest::builder().set_item(Some(item(&format!("p{}", number % 5), number, colour)));
            WriteRequest::builder().put_request(put.build().unwrap()).build()
        });
        let answer =
            client.batch_write_item().request_items("rust-many", requests.collect()).send().await.unwrap();
        assert_eq!(answer.unprocessed_items().map(HashMap::len), Some(0));
    }

    let found: Vec<_> = client
        .query()
        .table_name("rust-many")
        .key_condition_expression("pk = :p AND sk BETWEEN :a AND :b")
        .expression_attribute_values(":p", s("p3"))
        .expression_attribute_values(":a", n(20))
        .expression_attribute_values(":b", n(60))
        .scan_index_forward(false)
        .into_paginator()
        .page_size(3)
        .items()
        .send()
        .collect::<Result<_, _>>()
        .await
        .unwrap();
    let numbers: Vec<_> = found.iter().map(|item| item["sk"].as_n().unwrap().as_str()).collect();
    assert_eq!(numbers, ["58", "53", "48", "43", "38", "33", "28", "23"]);

    let green = client
        .query()
        .table_name("rust-many")
        .index_name("by_colour")
        .key_condition_expression("colour = :c")
        .expression_attribute_values(":c", s("green"))
        .select(Select::Count)
        .send()
        .await
        .unwrap();
    assert_eq!((green.count(), green.items().len()), (25, 0));

    let scan = client.scan().table_name("rust-many").into_paginator().page_size(7).items().send();
    let scanned: Vec<_> = scan.collect::<Result<_, _>>().await.unwrap();
    assert_eq!(scanned.len(), 100);
    let mut in_segments = 0;
    for segment in 0..4 {
        let part =
            client.scan().table_name("rust-many").segment(segment).total_segments(4).send().await.unwrap();
        in_segments += part.count();
    }
    assert_eq!(in_segments, 100);

    let keys = KeysAndAttributes::builder()
        .keys(key("p1", 1))
        .keys(key("p1", 6))
        .keys(key("p1", 7))
        .build()
        .unwrap();
    let got = client.batch_get_item().request_items("rust-many", keys).send().await.unwrap();
    assert_eq!(got.responses().unwrap()["rust-many"].len(), 2);
}

#[tokio::test]
async fn transactions_are_whole_and_say_what_failed() {
    let client = client();
    create_table(&client, "rust-transactions").await;
    client
        .put_item()
        .table_name("rust-transactions")
        .set_item(Some(item("stock", 1, &[("left", n(1))])))
        .send()
        .await
        .unwrap();
    let buy = |order: i64| {
        let take = Update::builder()
            .table_name("rust-transactions")
            .set_key(Some(key("stock", 1)))
            .update_expression("SET #l = #l - :one")
            .condition_expression("#l >= :one")
            .expression_attribute_names("#l", "left")
            .expression_attribute_values(":one", n(1))
            .build()
            .unwrap();
        let record = Put::builder().table_name("rust-transactions").set_item(Some(item("order", order, &[])));
        client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().update(take).build())
            .transact_items(TransactWriteItem::builder().put(record.build().unwrap()).build())
            .client_request_token(format!("token-{order}"))
            .send()
    };
    buy(1).await.unwrap();
    buy(1).await.expect("the same token again is answered, not done again");
    let error = buy(2).await.unwrap_err().into_service_error();
    assert_eq!(
        error.message(),
        Some(
            "Transaction cancelled, please refer cancellation reasons for specific reasons \
             [ConditionalCheckFailed, None]"
        )
    );
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else { panic!("{error:?}") };
    let codes: Vec<_> = cancelled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
    assert_eq!(codes, [Some("ConditionalCheckFailed"), Some("None")]);

    let orders = client
        .query()
        .table_name("rust-transactions")
        .key_condition_expression("pk = :p")
        .expression_attribute_values(":p", s("order"))
        .send()
        .await
        .unwrap();
    assert_eq!(orders.items(), [item("order", 1, &[])]);
}
