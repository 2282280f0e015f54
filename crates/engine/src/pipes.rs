//! What the server's deliveries keep: which pipes there are, and how far each has come.
//!
//! ```text
//! key   := namespace 0 pipe 0 (stream:u32 shard:u32)?
//! value := {"format":2,"source":…,"definition":…}                        without a shard: the pipe has begun
//!        | {"format":2,"sequence":…,"place":…,"is_done":…,"window":…}    how far it is in the shard
//! ```
//!
//! A position says from where on something was not delivered yet. It is written after a delivery, so what was delivered
//! just before the server ended is delivered again. The state of a window that is open stands in the same row, so it fits
//! the position always.
//!
//! A state of a database that is kept ([`crate::admin`]) has the rows of its pipes too, without their definitions: when it
//! is brought back, they go on where they were then.

use std::collections::{BTreeMap, HashMap};
use std::ops::{Bound, ControlFlow};

use dynamometer_store::{Appended, Batch, Commit, Direction, Keyspace, Snapshot, StoreError};
use serde::{Deserialize, Serialize};

use crate::catalog::stream::StreamRow;
use crate::disk::keys::{ObjectId, after_prefix};
use crate::engine::Engine;
use crate::streams::{after, shard_ends};

const FORMAT: u32 = 2;

/// A shard of a stream: their numbers.
pub type ShardKey = (ObjectId, u32);

/// How far a pipe is in a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Where to read on.
    pub next: Appended,
    /// Whether the shard is closed and all of it was delivered.
    pub is_done: bool,
    /// The tumbling window that is open there.
    pub window: Option<OpenWindow>,
}

/// A tumbling window before its last invocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenWindow {
    /// Its beginning, in milliseconds since 1970.
    pub start_ms: i64,
    /// Its end, which is no part of it.
    pub end_ms: i64,
    /// What the function returned last, as JSON.
    pub state: String,
}

/// A pipe that has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// Whose stream it reads; unknown of pipes that an older build has begun.
    pub source: Option<String>,
    /// How far it is in each shard that it has seen.
    pub positions: HashMap<ShardKey, Position>,
}

/// A pipe that the server starts by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPipe {
    /// The database that it belongs to.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What it was asked to do, as JSON that the server understands.
    pub definition: String,
}

#[derive(Serialize, Deserialize)]
struct PipeRow {
    format: u32,
    #[serde(default)]
    source: Option<String>,
    /// What it was asked to do; absent when it is not to be started again.
    #[serde(default)]
    definition: Option<String>,
}

impl PipeRow {
    fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts have a JSON form")
    }
}

#[derive(Serialize, Deserialize)]
struct PositionRow {
    format: u32,
    sequence: u64,
    place: u32,
    is_done: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<OpenWindow>,
}

impl Engine {
    /// A pipe and how far it is; `None` when it never began.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn begun_pipe(&self, namespace: &str, pipe: &str) -> Result<Option<Begun>, StoreError> {
        begun(&*self.store.snapshot()?, namespace, pipe)
    }

    /// The same, with all that stands in the queue of writes. May block.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn begun_pipe_by_now(&self, namespace: &str, pipe: &str) -> Result<Option<Begun>, StoreError> {
        self.store.commit(Batch::new()).wait()?;
        self.begun_pipe(namespace, pipe)
    }

    /// The pipes that are to be started again, of all databases.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn kept_pipes(&self) -> Result<Vec<KeptPipe>, StoreError> {
        let mut kept = Vec::new();
        each_pipe(&*self.store.snapshot()?, b"", &mut |namespace, name, row| {
            if let Some(definition) = row.definition {
                kept.push(KeptPipe { namespace, name, definition });
            }
        })?;
        Ok(kept)
    }

    /// Writes that a pipe has begun to read a source, from some positions on and from the beginning of all other shards,
    /// in place of whatever it was before. With a definition it is one of [`Engine::kept_pipes`]. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn begin_pipe(
        &self,
        namespace: &str,
        pipe: &str,
        source: &str,
        definition: Option<String>,
        positions: &HashMap<ShardKey, Position>,
    ) -> Result<(), StoreError> {
        let prefix = prefix(namespace, pipe);
        let before = self.begun_pipe(namespace, pipe)?.unwrap_or_default();
        let mut batch = Batch::new();
        for shard in before.positions.keys().filter(|shard| !positions.contains_key(*shard)) {
            batch.delete(Keyspace::Pipes, key(&prefix, *shard));
        }
        for (shard, position) in positions {
            batch.put(Keyspace::Pipes, key(&prefix, *shard), row(position.clone()));
        }
        let begun = PipeRow { format: FORMAT, source: Some(source.to_owned()), definition };
        batch.put(Keyspace::Pipes, prefix, begun.encode());
        self.store.commit(batch).wait().map(drop)
    }

    /// Writes how far a pipe is in some shards, and takes out those that are gone. Never waits for the disk.
    pub fn save_pipe(
        &self,
        namespace: &str,
        pipe: &str,
        positions: &[(ShardKey, Position)],
        gone: &[ShardKey],
    ) -> Commit {
        let prefix = prefix(namespace, pipe);
        let mut batch = Batch::new();
        for (shard, position) in positions {
            batch.put(Keyspace::Pipes, key(&prefix, *shard), row(position.clone()));
        }
        for shard in gone {
            batch.delete(Keyspace::Pipes, key(&prefix, *shard));
        }
        self.store.commit(batch)
    }

    /// Forgets a pipe and how far it is. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn forget_pipe(&self, namespace: &str, pipe: &str) -> Result<(), StoreError> {
        let prefix = prefix(namespace, pipe);
        let mut batch = Batch::new();
        for shard in self.begun_pipe(namespace, pipe)?.unwrap_or_default().positions.into_keys() {
            batch.delete(Keyspace::Pipes, key(&prefix, shard));
        }
        batch.delete(Keyspace::Pipes, prefix);
        self.store.commit(batch).wait().map(drop)
    }
}

/// The streams that are copied from one database to another.
pub(crate) struct CopiedStreams<'a> {
    /// What is copied, as it is in a view of the store.
    pub(crate) view: &'a dyn Snapshot,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    /// The streams as they become, each with its former number.
    pub(crate) streams: &'a [(ObjectId, StreamRow)],
}

impl CopiedStreams<'_> {
    /// Writes how far pipes are in streams that are kept for later, in place of what was kept under the same name.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub(crate) fn keep_pipes(&self, batch: &mut Batch) -> Result<(), StoreError> {
        let mut sources = Vec::new();
        each_pipe(self.view, &of(self.from), &mut |_, name, row| sources.push((name, row.source)))?;
        let mut rows = BTreeMap::new();
        for (name, source) in sources {
            let prefix = prefix(self.to, &name);
            let begun = begun(self.view, self.from, &name)?.unwrap_or_default();
            rows.extend(self.positions(&prefix, &begun));
            rows.insert(prefix, PipeRow { format: FORMAT, source, definition: None }.encode());
        }
        each_row(self.view, &of(self.to), &mut |key, _| {
            if !rows.contains_key(key) {
                batch.delete(Keyspace::Pipes, key.to_vec());
            }
            Ok(())
        })?;
        for (key, row) in rows {
            batch.put(Keyspace::Pipes, key, row);
        }
        Ok(())
    }

    /// Writes how far pipes are in streams that are brought back: those that there are by now, where they were then. One
    /// that there was not yet, or that read something else, has nothing to do with what was kept: it goes on behind it.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub(crate) fn bring_back_pipes(
        &self,
        by_now: &dyn Snapshot,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let mut sources = Vec::new();
        each_pipe(by_now, &of(self.to), &mut |_, name, row| sources.push((name, row.source)))?;
        for (name, source) in sources {
            let kept = begun(self.view, self.from, &name)?.filter(|kept| kept.source == source);
            let begun = match kept {
                Some(kept) => kept,
                None => self.behind_all()?,
            };
            for (key, row) in self.positions(&prefix(self.to, &name), &begun) {
                batch.put(Keyspace::Pipes, key, row);
            }
        }
        Ok(())
    }

    /// The rows of positions in the copies.
    fn positions(&self, prefix: &[u8], begun: &Begun) -> Vec<(Vec<u8>, Vec<u8>)> {
        let copied = begun.positions.iter().filter_map(|((stream, shard), position)| {
            let (_, copy) = self.streams.iter().find(|(old, _)| old == stream)?;
            Some((key(prefix, (copy.id, *shard)), row(position.clone())))
        });
        copied.collect()
    }

    fn behind_all(&self) -> Result<Begun, StoreError> {
        let mut begun = Begun::default();
        for (old, copy) in self.streams {
            for shard in &copy.shards {
                let last =
                    shard_ends(self.view, *old, shard.number)?.map(|ends| ends.last).unwrap_or_default();
                let position =
                    Position { next: after(last), is_done: shard.closed_ms.is_some(), window: None };
                begun.positions.insert((*old, shard.number), position);
            }
        }
        Ok(begun)
    }
}

/// Forgets how far pipes were in a state of a database that is kept no more.
///
/// # Errors
/// When the store fails.
pub(crate) fn forget_kept(view: &dyn Snapshot, kept: &str, batch: &mut Batch) -> Result<(), StoreError> {
    each_row(view, &of(kept), &mut |key, _| {
        batch.delete(Keyspace::Pipes, key.to_vec());
        Ok(())
    })
}

/// A pipe and how far it is in a view.
fn begun(view: &dyn Snapshot, namespace: &str, pipe: &str) -> Result<Option<Begun>, StoreError> {
    let prefix = prefix(namespace, pipe);
    let mut begun = None::<Begun>;
    each_row(view, &prefix, &mut |key, value| {
        let begun = begun.get_or_insert_default();
        match read_key(&key[prefix.len()..]) {
            Some(shard) => drop(begun.positions.insert(shard, read_position(value)?)),
            None => begun.source = read_pipe(value)?.source,
        }
        Ok(())
    })?;
    Ok(begun)
}

/// Visits the own rows of pipes whose keys begin so: namespace, name and row.
fn each_pipe(
    view: &dyn Snapshot,
    start: &[u8],
    visit: &mut dyn FnMut(String, String, PipeRow),
) -> Result<(), StoreError> {
    each_row(view, start, &mut |key, value| {
        if let Some((namespace, name)) = names(key) {
            visit(namespace, name, read_pipe(value)?);
        }
        Ok(())
    })
}

/// Whether a row could be read, or a word about why not.
type Visited = Result<(), String>;

/// Visits the rows whose keys begin so.
fn each_row(
    view: &dyn Snapshot,
    start: &[u8],
    visit: &mut dyn FnMut(&[u8], &[u8]) -> Visited,
) -> Result<(), StoreError> {
    let mut fault = None;
    let end = after_prefix(start);
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    view.range(
        Keyspace::Pipes,
        Bound::Included(start),
        end,
        Direction::Forward,
        &mut |key, value| match visit(key, value) {
            Ok(()) => ControlFlow::Continue(()),
            Err(sentence) => {
                fault = Some(corrupt(key, &sentence));
                ControlFlow::Break(())
            }
        },
    )?;
    fault.map_or(Ok(()), Err)
}

fn corrupt(key: &[u8], sentence: &str) -> StoreError {
    let pipe = String::from_utf8_lossy(key.split(|byte| *byte == 0).nth(1).unwrap_or_default());
    StoreError::Corrupt(format!("row of pipe {pipe}: {sentence}").into())
}

/// What the keys of all pipes of a database begin with.
fn of(namespace: &str) -> Vec<u8> {
    [namespace.as_bytes(), b""].join(&0)
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

/// Namespace and name of a pipe's own row; `None` for the row of a shard.
fn names(key: &[u8]) -> Option<(String, String)> {
    let mut parts = key.splitn(3, |byte| *byte == 0);
    let (namespace, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    rest.is_empty().then(|| (text(namespace), text(name)))
}

fn row(Position { next, is_done, window }: Position) -> Vec<u8> {
    let row = PositionRow { format: FORMAT, sequence: next.sequence, place: next.place, is_done, window };
    serde_json::to_vec(&row).expect("numbers and texts have a JSON form")
}

fn read_position(bytes: &[u8]) -> Result<Position, String> {
    let row: PositionRow = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    check_format(row.format)?;
    let next = Appended { sequence: row.sequence, place: row.place };
    Ok(Position { next, is_done: row.is_done, window: row.window })
}

/// Reads a pipe's own row; in format 1 it said no more than that the pipe has begun.
fn read_pipe(bytes: &[u8]) -> Result<PipeRow, String> {
    let row: PipeRow = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    check_format(row.format)?;
    Ok(row)
}

fn check_format(format: u32) -> Result<(), String> {
    if format > FORMAT {
        return Err(format!("format {format} is newer than this build"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dynamometer_store::MemoryStore;

    use super::*;
    use crate::EngineConfig;

    fn engine() -> Engine {
        Engine::open(Arc::new(MemoryStore::new()), EngineConfig::default()).unwrap()
    }

    fn at(sequence: u64) -> Position {
        let window = OpenWindow { start_ms: 1, end_ms: 2, state: "{}".into() };
        let window = (sequence == 9).then_some(window);
        Position { next: Appended { sequence, place: 3 }, is_done: sequence > 9, window }
    }

    fn positions(engine: &Engine, namespace: &str, pipe: &str) -> Option<HashMap<ShardKey, Position>> {
        engine.begun_pipe(namespace, pipe).unwrap().map(|begun| begun.positions)
    }

    #[test]
    fn positions_are_kept_for_each_pipe_and_database() {
        let engine = engine();
        let begin =
            |namespace, pipe| engine.begin_pipe(namespace, pipe, "Orders", None, &HashMap::new()).unwrap();
        assert_eq!(engine.begun_pipe("", "a").unwrap(), None);
        begin("", "a");
        assert_eq!(positions(&engine, "", "a"), Some(HashMap::new()));
        engine.save_pipe("", "a", &[((1, 0), at(4)), ((1, 1), at(9))], &[]).wait().unwrap();
        engine.save_pipe("other", "a", &[((1, 0), at(7))], &[]).wait().unwrap();
        engine.save_pipe("", "ab", &[((1, 0), at(8))], &[]).wait().unwrap();
        assert_eq!(positions(&engine, "", "a"), Some(HashMap::from([((1, 0), at(4)), ((1, 1), at(9))])));
        engine.save_pipe("", "a", &[((1, 1), at(10))], &[(1, 0)]).wait().unwrap();
        assert_eq!(positions(&engine, "", "a"), Some(HashMap::from([((1, 1), at(10))])));
        begin("", "a");
        assert_eq!(positions(&engine, "", "a"), Some(HashMap::new()), "begun anew");
        engine.forget_pipe("", "a").unwrap();
        assert_eq!(engine.begun_pipe("", "a").unwrap(), None);
        assert_eq!(positions(&engine, "", "ab"), Some(HashMap::from([((1, 0), at(8))])));
    }

    #[test]
    fn pipes_with_a_definition_are_found_again() {
        let engine = engine();
        let begin = |namespace, pipe, definition: Option<&str>| {
            let from = HashMap::from([((1, 0), at(4))]);
            engine.begin_pipe(namespace, pipe, "Orders", definition.map(str::to_owned), &from).unwrap();
        };
        begin("", "file", None);
        begin("", "posted", Some("{}"));
        begin("key/us-east-1", "posted", Some("[]"));
        let kept: Vec<[String; 3]> = engine
            .kept_pipes()
            .unwrap()
            .into_iter()
            .map(|kept| [kept.namespace, kept.name, kept.definition])
            .collect();
        assert_eq!(kept, [["", "posted", "{}"], ["key/us-east-1", "posted", "[]"]]);
        assert_eq!(engine.begun_pipe("", "posted").unwrap().unwrap().source.as_deref(), Some("Orders"));
        begin("", "posted", None);
        assert_eq!(engine.kept_pipes().unwrap().len(), 1);
    }

    #[test]
    fn rows_of_the_first_format_are_read() {
        let position = br#"{"format":1,"sequence":4,"place":3,"is_done":false}"#;
        assert_eq!(read_position(position).unwrap(), at(4));
        assert_eq!(read_pipe(position).unwrap().source, None);
        assert!(read_pipe(br#"{"format":3}"#).is_err_and(|sentence| sentence.contains("newer")));
    }
}
