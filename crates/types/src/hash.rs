//! A hash that means the same in every build of the server: for what is stored, or handed to clients who bring it back.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3;

/// The XXH3 of what `Hash` feeds of a value. Unlike with the standard library's hasher, neither a release of Rust nor the
/// width or byte order of the machine's numbers changes it.
pub fn stable_hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = Stable(Xxh3::new());
    value.hash(&mut hasher);
    hasher.finish()
}

/// Feeds all numbers in one width and order.
struct Stable(Xxh3);

impl Hasher for Stable {
    fn finish(&self) -> u64 {
        self.0.digest()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    // Lengths.
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    // Which variant of an enum it is.
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttributeValue, Item};

    /// Numbers that stand on disks and in clients' hands: when one changes, repeated requests are taken for others.
    #[test]
    fn a_hash_never_changes() {
        let mut item = Item::default();
        item.insert("pk".to_owned(), AttributeValue::s("a"));
        item.insert("n".to_owned(), AttributeValue::N(7.into()));
        item.insert(
            "list".to_owned(),
            AttributeValue::L(vec![AttributeValue::Bool(true), AttributeValue::Null]),
        );
        let found = [stable_hash("SELECT"), stable_hash(&Some(3_u32)), stable_hash(&item)];
        assert_eq!(found, [0x77cd_193e_330e_26b6, 0xee46_2b01_53fb_9b1a, 0x8dcf_5bb9_37b4_0e78]);
    }
}
