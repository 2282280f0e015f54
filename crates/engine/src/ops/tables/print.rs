//! How AWS prints lists in messages.

use crate::api::{ApiEnum, Given, KeySchemaElement};

/// Names as AWS lists them where it keeps them in a hash set: `[b, a]`. `capacity` is the number the set was made
/// for; 16 when it grew from nothing.
///
/// # Source
/// Measured on AWS (24 lists, 2026): the order of a Java `HashSet`, whose buckets double beyond three quarters.
pub(crate) fn hash_set(names: &[&str], capacity: usize) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name);
        }
    }
    let mut buckets = capacity.max(1).next_power_of_two();
    while distinct.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    distinct.sort_by_key(|name| spread_hash(name) as usize & (buckets - 1));
    format!("[{}]", distinct.join(", "))
}

/// `h ^ h >>> 16` of Java's `String.hashCode`.
fn spread_hash(name: &str) -> u32 {
    let hash =
        name.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    hash ^ (hash >> 16)
}

/// A key schema as the echo of a list that is too long.
pub(crate) fn key_schema(schema: &[KeySchemaElement]) -> String {
    let elements: Vec<String> = schema
        .iter()
        .map(|element| {
            let name = element.attribute_name.as_deref().unwrap_or("null");
            let key_type = element.key_type.as_ref().map_or("null", given_name);
            format!("KeySchemaElement(attributeName={name}, keyType={key_type})")
        })
        .collect();
    format!("[{}]", elements.join(", "))
}

/// The wire name of an enum member, also of one outside its set.
fn given_name<T: ApiEnum + PartialEq>(given: &Given<T>) -> &str {
    match given {
        Given::Known(value) => {
            T::SET.iter().find(|(_, known)| known == value).map_or("null", |(name, _)| name)
        }
        Given::Unknown(text) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_in_the_order_of_a_java_hash_set() {
        // Java: "pk".hashCode() = 3579, "sk" = 3672, "a" = 97.
        let cases: [(&[&str], usize, &str); 5] = [
            (&["c", "a", "b"], 3, "[a, b, c]"),
            (&["a", "b", "a"], 16, "[a, b]"),
            (&["pk", "sk"], 2, "[sk, pk]"),
            (&["pk", "sk"], 16, "[sk, pk]"),
            (&[], 0, "[]"),
        ];
        for (names, capacity, printed) in cases {
            assert_eq!(hash_set(names, capacity), printed, "{names:?}");
        }
    }
}
