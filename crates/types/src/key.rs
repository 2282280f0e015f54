//! Key values as bytes that sort as DynamoDB sorts them, and the hash that places a partition key.

use crate::value::AttributeValue;

/// Writes a key value (string, number or binary) as bytes whose order is DynamoDB's: strings and binaries by
/// bytes, numbers by value. Answers `false`, and writes nothing, for other types.
pub fn write_ordered(value: &AttributeValue, out: &mut Vec<u8>) -> bool {
    match value {
        AttributeValue::S(text) => out.extend_from_slice(text.as_bytes()),
        AttributeValue::B(bytes) => out.extend_from_slice(bytes),
        AttributeValue::N(number) => number.write_key_bytes(out),
        _ => return false,
    }
    true
}

/// Appends bytes in a form that keeps their order when more follows: a zero byte becomes `00 FF`, and `00 01`
/// ends them.
pub fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&ESCAPED_END);
}

/// What ends escaped bytes.
pub const ESCAPED_END: [u8; 2] = [0, 1];

/// The place of a partition key on the ring of 64 bits: it decides the order of a Scan, the segment of a
/// parallel Scan and the partition of the capacity model. XXH3 of the ordered bytes, an on-disk format.
pub fn partition_hash(ordered: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![];
        write_escaped(bytes, &mut out);
        out
    }

    /// Stored rows depend on this hash: a change of it is a change of the disk format.
    #[test]
    fn the_hash_is_pinned() {
        assert_eq!(partition_hash(b""), 0x2D06_8005_38D3_94C2);
        assert_eq!(partition_hash(b"USER#1"), partition_hash(b"USER#1"));
        assert_ne!(partition_hash(b"USER#1"), partition_hash(b"USER#2"));
    }

    proptest! {
        #[test]
        fn escaping_keeps_order_whatever_follows(
            a in proptest::collection::vec(0u8..3, 0..6), b in proptest::collection::vec(0u8..3, 0..6),
            tail_a in proptest::collection::vec(any::<u8>(), 0..3), tail_b in proptest::collection::vec(any::<u8>(), 0..3),
        ) {
            if a != b {
                let with = |key: &[u8], tail: &[u8]| [escaped(key), tail.to_vec()].concat();
                prop_assert_eq!(with(&a, &tail_a).cmp(&with(&b, &tail_b)), a.cmp(&b));
            }
        }
    }
}
