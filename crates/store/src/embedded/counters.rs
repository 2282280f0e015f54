//! Pairs of counters, added up in memory and written once for each group.

use std::collections::HashMap;

use bytes::Bytes;

use crate::pair::{row_of, sum};
use crate::{Add, Batch, Keyspace, StoreError, Write, decode_pair};

/// So many rows are remembered from group to group; beyond that all are forgotten and read again.
const MAX_REMEMBERED: usize = 64 << 10;

type Key = (Keyspace, Bytes);

/// The counter rows that batches have touched lately, as the group in hand leaves them.
#[derive(Default)]
pub(super) struct Counters {
    rows: HashMap<Key, Row>,
    /// Rows to write at the end of the group, in the order in which they were first touched.
    changed: Vec<Key>,
    /// Keyspaces that have such rows: others need no look at their puts and deletes.
    keyspaces: u16,
}

struct Row {
    /// `None` when somebody has put something else there.
    pair: Option<[i64; 2]>,
    changed: bool,
}

impl Counters {
    /// To be called with every batch of a group before the first one is staged.
    pub fn expect(&mut self, batch: &Batch) {
        for add in &batch.adds {
            self.keyspaces |= 1 << add.keyspace.index();
        }
    }

    /// Whether puts and deletes in this keyspace must be [noted](Counters::note).
    pub fn concerns(&self, keyspace: Keyspace) -> bool {
        self.keyspaces & (1 << keyspace.index()) != 0
    }

    /// Makes sure that the rows of `adds` are known, reading those that are not.
    pub fn load(
        &mut self,
        adds: &[Add],
        read: impl Fn(Keyspace, &[u8]) -> Result<Option<Bytes>, StoreError>,
    ) -> Result<(), StoreError> {
        for add in adds {
            let key = (add.keyspace, add.key.clone());
            match self.rows.get(&key) {
                Some(Row { pair: Some(_), .. }) => {}
                Some(Row { pair: None, .. }) => {
                    return Err(StoreError::Corrupt("a counter row does not hold a pair".into()));
                }
                None => {
                    let pair = decode_pair(read(add.keyspace, &add.key)?.as_deref())?;
                    self.rows.insert(key, Row { pair: Some(pair), changed: false });
                }
            }
        }
        Ok(())
    }

    /// Adds to a row that was [loaded](Counters::load).
    pub fn add(&mut self, add: Add) {
        let key = (add.keyspace, add.key);
        let row = self.rows.entry(key.clone()).or_insert(Row { pair: None, changed: false });
        // Nothing but a put in the same batch can have taken the pair away; the add then starts from zero.
        row.pair = Some(sum(row.pair.unwrap_or_default(), add.deltas));
        if !std::mem::replace(&mut row.changed, true) {
            self.changed.push(key);
        }
    }

    /// Follows a put or delete of a row.
    pub fn note(&mut self, write: &Write) {
        let (keyspace, key, value) = match write {
            Write::Put { keyspace, key, value } => (*keyspace, key, Some(&value[..])),
            Write::Delete { keyspace, key } => (*keyspace, key, None),
        };
        let pair = decode_pair(value).ok();
        let row = self.rows.entry((keyspace, key.clone()));
        row.and_modify(|row| row.pair = pair).or_insert(Row { pair, changed: false });
    }

    /// What the group in hand has made of a row, if it is known.
    pub fn current(&self, keyspace: Keyspace, key: &Bytes) -> Option<Option<Bytes>> {
        if !self.concerns(keyspace) {
            return None;
        }
        let row = self.rows.get(&(keyspace, key.clone()))?;
        row.pair.map(row_of)
    }

    /// Ends the group: one write for each row that it has changed.
    pub fn finish_group(&mut self) -> Vec<Write> {
        let mut writes = Vec::with_capacity(self.changed.len());
        for (keyspace, key) in self.changed.drain(..) {
            let Some(row) = self.rows.get_mut(&(keyspace, key.clone())) else { continue };
            row.changed = false;
            writes.extend(row.pair.map(|pair| match row_of(pair) {
                Some(value) => Write::Put { keyspace, key, value },
                None => Write::Delete { keyspace, key },
            }));
        }
        if self.rows.len() > MAX_REMEMBERED {
            self.rows.clear();
        }
        writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_pair;

    const NOTHING: fn(Keyspace, &[u8]) -> Result<Option<Bytes>, StoreError> = |_, _| Ok(None);

    fn add(key: &'static str, deltas: [i64; 2]) -> Add {
        Add { keyspace: Keyspace::Counters, key: Bytes::from(key), deltas }
    }

    fn put(key: &'static str, pair: [i64; 2]) -> Write {
        let value = Bytes::copy_from_slice(&encode_pair(pair));
        Write::Put { keyspace: Keyspace::Counters, key: Bytes::from(key), value }
    }

    fn delete(key: &'static str) -> Write {
        Write::Delete { keyspace: Keyspace::Counters, key: Bytes::from(key) }
    }

    #[test]
    fn each_row_is_read_once_and_written_once_a_group() {
        let mut counters = Counters::default();
        for round in 1..4 {
            for _ in 0..10 {
                let adds = [add("a", [1, 10]), add("b", [-1, 0])];
                counters
                    .load(&adds, |_, _| {
                        assert_eq!(round, 1, "read again");
                        Ok(None)
                    })
                    .unwrap();
                adds.into_iter().for_each(|add| counters.add(add));
            }
            let expected = vec![put("a", [10 * round, 100 * round]), put("b", [-10 * round, 0])];
            assert_eq!(counters.finish_group(), expected);
        }
        assert_eq!(counters.finish_group(), vec![]);
    }

    #[test]
    fn rows_follow_puts_and_deletes() {
        let mut counters = Counters::default();
        counters.load(&[add("a", [0, 0])], NOTHING).unwrap();
        counters.add(add("a", [5, 5]));
        counters.note(&put("a", [100, 0]));
        counters.add(add("a", [1, 1]));
        assert_eq!(counters.finish_group(), vec![put("a", [101, 1])]);
        counters.note(&delete("a"));
        counters.add(add("a", [1, 1]));
        counters.add(add("a", [-1, -1]));
        assert_eq!(counters.finish_group(), vec![delete("a")]);
    }

    #[test]
    fn a_row_that_is_no_pair_is_refused() {
        let mut counters = Counters::default();
        let junk = |_: Keyspace, _: &[u8]| Ok(Some(Bytes::from("junk")));
        assert!(matches!(counters.load(&[add("a", [1, 1])], junk), Err(StoreError::Corrupt(_))));
        counters.note(&Write::Put {
            keyspace: Keyspace::Counters,
            key: Bytes::from("b"),
            value: Bytes::from("junk"),
        });
        assert!(matches!(counters.load(&[add("b", [1, 1])], NOTHING), Err(StoreError::Corrupt(_))));
    }
}
