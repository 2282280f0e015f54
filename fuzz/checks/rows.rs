//! Any bytes as a stored row: reading must not panic, and what reads must be written back as it was meant, to disk and
//! to an answer.

use bytes::Bytes;
use dynamometer_engine::api::{GetItemResponse, ItemOut};
use dynamometer_engine::disk::row::Row;
use dynamometer_server::wire::Encode;

/// Reads the input as a row.
pub fn check(data: &[u8]) {
    let stored = Row::from_stored(Bytes::copy_from_slice(data));
    let _ = stored.item_size();
    // The walk that writes answers reads rows by itself.
    let _ = answer(ItemOut::Row(stored.clone()));
    let Ok(item) = stored.decode() else { return };
    let row = Row::encode(&item);
    assert_eq!(row.decode().as_ref(), Ok(&item));
    assert_eq!(row.item_size(), Ok(dynamometer_types::size::item_size(&item)));
    let walked = answer(ItemOut::Row(row)).expect("a row that was just written");
    assert_eq!(walked, answer(ItemOut::Item(item)).expect("an item has no corrupt row"));
    let json: serde_json::Result<serde_json::Value> = serde_json::from_slice(&walked);
    // The reader of this check, not the writer, stops at 128 brackets.
    assert!(json.is_ok() || json.is_err_and(|error| error.to_string().starts_with("recursion limit")));
}

fn answer(item: ItemOut) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    GetItemResponse { item: Some(item), consumed_capacity: None }.encode(&mut out).ok()?;
    Some(out)
}
