//! How far pipes have come: rows that the server's deliveries write behind them.
//!
//! ```text
//! key   := namespace 0 pipe 0 (stream:u32 shard:u32)?      without a shard: the pipe has begun
//! value := {"format":1,"sequence":…,"place":…,"is_done":…}
//! ```
//!
//! A position says from where on nothing was delivered yet. It is written after a delivery, so what was delivered just
//! before the server ended is delivered again.

use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};

use dynamometer_store::{Appended, Batch, Direction, Keyspace, StoreError};
use serde::{Deserialize, Serialize};

use crate::disk::keys::{ObjectId, after_prefix};
use crate::engine::Engine;

const FORMAT: u32 = 1;

/// A shard of a stream: their numbers.
pub type ShardKey = (ObjectId, u32);

/// How far a pipe is in a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Where to read on.
    pub next: Appended,
    /// Whether the shard is closed and all of it was delivered.
    pub is_done: bool,
}

#[derive(Serialize, Deserialize)]
struct PositionRow {
    format: u32,
    sequence: u64,
    place: u32,
    is_done: bool,
}

impl Engine {
    /// How far a pipe is in each shard that it has seen; `None` when it never began.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn pipe_positions(
        &self,
        namespace: &str,
        pipe: &str,
    ) -> Result<Option<HashMap<ShardKey, Position>>, StoreError> {
        let prefix = prefix(namespace, pipe);
        let (mut positions, mut has_begun, mut fault) = (HashMap::new(), false, None);
        let end = after_prefix(&prefix);
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        self.store.snapshot()?.range(
            Keyspace::Pipes,
            Bound::Included(&prefix),
            end,
            Direction::Forward,
            &mut |key, value| {
                has_begun = true;
                match (read_key(&key[prefix.len()..]), read_row(value)) {
                    (Some(shard), Ok(position)) => {
                        positions.insert(shard, position);
                    }
                    (None, Ok(_)) => {}
                    (_, Err(sentence)) => {
                        fault = Some(sentence);
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            },
        )?;
        match fault {
            Some(sentence) => Err(StoreError::Corrupt(format!("position of pipe {pipe}: {sentence}").into())),
            None => Ok(has_begun.then_some(positions)),
        }
    }

    /// Writes how far a pipe is in some shards, and that it has begun; takes out those that are gone. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn save_pipe(
        &self,
        namespace: &str,
        pipe: &str,
        positions: &[(ShardKey, Position)],
        gone: &[ShardKey],
    ) -> Result<(), StoreError> {
        let prefix = prefix(namespace, pipe);
        let mut batch = Batch::new();
        batch.put(Keyspace::Pipes, prefix.clone(), row(Position::default()));
        for (shard, position) in positions {
            batch.put(Keyspace::Pipes, key(&prefix, *shard), row(*position));
        }
        for shard in gone {
            batch.delete(Keyspace::Pipes, key(&prefix, *shard));
        }
        self.store.commit(batch).wait().map(drop)
    }

    /// Forgets how far a pipe is. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn forget_pipe(&self, namespace: &str, pipe: &str) -> Result<(), StoreError> {
        let prefix = prefix(namespace, pipe);
        let mut batch = Batch::new();
        for shard in self.pipe_positions(namespace, pipe)?.unwrap_or_default().into_keys() {
            batch.delete(Keyspace::Pipes, key(&prefix, shard));
        }
        batch.delete(Keyspace::Pipes, prefix);
        self.store.commit(batch).wait().map(drop)
    }
}

/// Neither a namespace nor a name holds a zero byte.
fn prefix(namespace: &str, pipe: &str) -> Vec<u8> {
    [namespace.as_bytes(), pipe.as_bytes(), b""].join(&0)
}

fn key(prefix: &[u8], (stream, shard): ShardKey) -> Vec<u8> {
    [prefix, &stream.to_be_bytes(), &shard.to_be_bytes()].concat()
}

fn read_key(behind_prefix: &[u8]) -> Option<ShardKey> {
    let (stream, shard) = behind_prefix.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*stream), u32::from_be_bytes(shard.try_into().ok()?)))
}

fn row(Position { next, is_done }: Position) -> Vec<u8> {
    let row = PositionRow { format: FORMAT, sequence: next.sequence, place: next.place, is_done };
    serde_json::to_vec(&row).expect("numbers have a JSON form")
}

fn read_row(bytes: &[u8]) -> Result<Position, String> {
    let row: PositionRow = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if row.format > FORMAT {
        return Err(format!("format {} is newer than this build", row.format));
    }
    Ok(Position { next: Appended { sequence: row.sequence, place: row.place }, is_done: row.is_done })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dynamometer_store::MemoryStore;

    use super::*;
    use crate::EngineConfig;

    #[test]
    fn positions_are_kept_for_each_pipe_and_database() {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineConfig::default()).unwrap();
        let at = |sequence| Position { next: Appended { sequence, place: 3 }, is_done: sequence > 5 };
        assert_eq!(engine.pipe_positions("", "a").unwrap(), None);
        engine.save_pipe("", "a", &[], &[]).unwrap();
        assert_eq!(engine.pipe_positions("", "a").unwrap(), Some(HashMap::new()));
        engine.save_pipe("", "a", &[((1, 0), at(4)), ((1, 1), at(9))], &[]).unwrap();
        engine.save_pipe("other", "a", &[((1, 0), at(7))], &[]).unwrap();
        engine.save_pipe("", "ab", &[((1, 0), at(8))], &[]).unwrap();
        engine.save_pipe("", "a", &[((1, 1), at(10))], &[(1, 0)]).unwrap();
        assert_eq!(engine.pipe_positions("", "a").unwrap(), Some(HashMap::from([((1, 1), at(10))])));
        engine.forget_pipe("", "a").unwrap();
        assert_eq!(engine.pipe_positions("", "a").unwrap(), None);
        assert_eq!(engine.pipe_positions("", "ab").unwrap(), Some(HashMap::from([((1, 0), at(8))])));
    }
}
