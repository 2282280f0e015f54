//! The answers of the operations on items.

use dynamometer_capacity::meter::CapacityUnits;
use dynamometer_engine::api::{
    BatchGetItemResponse, BatchWriteItemResponse, CapacityKind, ConsumedCapacity, GetItemResponse,
    ItemCollectionMetrics, KeysAndAttributes, PageResponse, TransactGetItemsResponse,
    TransactWriteItemsResponse, WriteItemResponse, WriteRequest,
};
use dynamometer_engine::disk::row::CorruptRow;

use super::{Encode, Object, write_list, write_whole};
use crate::encode_struct;

encode_struct! { GetItemResponse { "Item" => item, "ConsumedCapacity" => consumed_capacity } }

encode_struct! {
    WriteItemResponse {
        "Attributes" => attributes,
        "ConsumedCapacity" => consumed_capacity,
        "ItemCollectionMetrics" => item_collection_metrics,
    }
}

encode_struct! {
    PageResponse {
        "Items" => items,
        "Count" => count,
        "ScannedCount" => scanned_count,
        "LastEvaluatedKey" => last_evaluated_key,
        "ConsumedCapacity" => consumed_capacity,
    }
}

encode_struct! {
    BatchGetItemResponse {
        "Responses" => responses,
        "UnprocessedKeys" => unprocessed_keys,
        "ConsumedCapacity" => consumed_capacity,
    }
}

encode_struct! {
    BatchWriteItemResponse {
        "UnprocessedItems" => unprocessed_items,
        "ItemCollectionMetrics" => item_collection_metrics,
        "ConsumedCapacity" => consumed_capacity,
    }
}

encode_struct! {
    TransactWriteItemsResponse {
        "ConsumedCapacity" => consumed_capacity,
        "ItemCollectionMetrics" => item_collection_metrics,
    }
}

impl Encode for TransactGetItemsResponse {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("ConsumedCapacity", &self.consumed_capacity)?;
        write_list(&self.responses, object.member("Responses"), |item, out| {
            let mut response = Object::open(out);
            response.write("Item", item)?;
            response.close();
            Ok(())
        })?;
        object.close();
        Ok(())
    }
}

/// What was not read goes out as it came in.
impl Encode for KeysAndAttributes {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("Keys", &self.keys)?;
        object.write("AttributesToGet", &self.attributes_to_get)?;
        object.write("ConsistentRead", &self.consistent_read)?;
        object.write("ProjectionExpression", &self.projection_expression)?;
        object.write("ExpressionAttributeNames", &self.expression_attribute_names)?;
        object.close();
        Ok(())
    }
}

impl Encode for WriteRequest {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        for (name, member, request) in
            [("PutRequest", "Item", &self.put_request), ("DeleteRequest", "Key", &self.delete_request)]
        {
            if let Some(item) = request {
                let mut body = Object::open(object.member(name));
                body.write(member, item)?;
                body.close();
            }
        }
        object.close();
        Ok(())
    }
}

impl Encode for ItemCollectionMetrics {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("ItemCollectionKey", &self.item_collection_key)?;
        write_list(self.size_estimate_range_gb, object.member("SizeEstimateRangeGB"), |size, out| {
            size.encode(out)
        })?;
        object.close();
        Ok(())
    }
}

/// The order of the members is our choice; any is legal.
impl Encode for ConsumedCapacity {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        object.write("TableName", &self.table_name)?;
        write_units(&mut object, self.capacity_units, self.kind);
        if let Some(arms) = &self.arms {
            write_arm(object.member("Table"), arms.table, self.kind);
            for (name, indexes) in [
                ("LocalSecondaryIndexes", &arms.local_secondary_indexes),
                ("GlobalSecondaryIndexes", &arms.global_secondary_indexes),
            ] {
                if indexes.is_empty() {
                    continue;
                }
                let mut map = Object::open(object.member(name));
                for (index, units) in indexes {
                    write_arm(map.entry(index), *units, self.kind);
                }
                map.close();
            }
        }
        object.close();
        Ok(())
    }
}

fn write_arm(out: &mut Vec<u8>, units: CapacityUnits, kind: Option<CapacityKind>) {
    let mut arm = Object::open(out);
    write_units(&mut arm, units, kind);
    arm.close();
}

/// The units, and in answers of transactions again under the name that says whether they are for reading or writing.
fn write_units(object: &mut Object<'_>, units: CapacityUnits, kind: Option<CapacityKind>) {
    let again = kind.map(|kind| match kind {
        CapacityKind::Read => "ReadCapacityUnits",
        CapacityKind::Write => "WriteCapacityUnits",
    });
    for name in std::iter::once("CapacityUnits").chain(again) {
        let out = object.member(name);
        write_whole(units.halves() / 2, out);
        out.extend_from_slice(if units.halves() % 2 == 1 { b".5" } else { b".0" });
    }
}
