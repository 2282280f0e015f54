//! Written before a kill, read after the restart.

use dynamometer_e2e::{client, create_table, item, n, s};

const TABLE: &str = "rust-restart";

#[tokio::test]
async fn what_was_written_before_the_kill_is_there() {
    let client = client();
    let half = std::env::var("DYNO_RESTART").expect("DYNO_RESTART says which half this is");
    let expected: Vec<_> =
        (0..50).map(|number| item("a", number, &[("colour", s("red")), ("n", n(number * number))])).collect();
    if half == "before" {
        create_table(&client, TABLE).await;
        for item in &expected {
            client.put_item().table_name(TABLE).set_item(Some(item.clone())).send().await.unwrap();
        }
    } else {
        assert_eq!(half, "after");
    }
    for (index, condition) in [(None, "pk = :k"), (Some("by_colour"), "colour = :k")] {
        let value = if index.is_some() { "red" } else { "a" };
        let found = client
            .query()
            .table_name(TABLE)
            .set_index_name(index.map(str::to_owned))
            .key_condition_expression(condition)
            .expression_attribute_values(":k", s(value))
            .send()
            .await
            .unwrap();
        assert_eq!(found.items(), expected);
    }
}
