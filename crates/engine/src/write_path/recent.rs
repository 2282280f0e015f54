//! What a write leaves to reads that may be late: the rows as they were before it.

use bytes::Bytes;

use super::index_rows::entry_row;
use super::{Change, Decision, PlannedWrite};
use crate::lag::{self, ChangeKind};

impl Decision<'_> {
    /// What is changed of the item: in the table with its local indexes, and in each global index.
    pub(super) fn changes(&self, write: &PlannedWrite<'_>) -> Vec<lag::Change> {
        let changes_the_row = match &self.change {
            Ok(Change::Put(..)) => true,
            Ok(Change::Delete) => self.old.is_there(),
            Ok(Change::Keep) | Err(_) => false,
        };
        if !changes_the_row {
            return Vec::new();
        }
        let table = &*write.table;
        let change = |object, kind, before| lag::Change { object, kind, item_key: write.key.clone(), before };
        let old_row = self.old.row.as_ref().map(|row| row.bytes().clone());
        let before = vec![(write.key.clone(), old_row)];
        let mut changes = vec![change(table.id(), ChangeKind::Table, before)];
        // An item with indexes was decoded already, to find out what changes in them.
        let old_image = self.old.image(table).ok().flatten();
        for entry in &self.indexes {
            let mut before: Vec<(Bytes, Option<Bytes>)> = Vec::with_capacity(2);
            if let Some((key, _)) = &entry.old {
                let index = table.indexes.iter().find(|index| index.id == entry.object);
                before.push((
                    key.clone(),
                    index.zip(old_image).and_then(|(index, image)| entry_row(index, table, image)),
                ));
            }
            if let Some((key, _)) = &entry.new
                && entry.old.as_ref().is_none_or(|(old, _)| old != key)
            {
                before.push((key.clone(), None));
            }
            match ChangeKind::of_index(entry.kind) {
                ChangeKind::Table => changes[0].before.extend(before),
                kind @ ChangeKind::GlobalIndex => changes.push(change(entry.object, kind, before)),
            }
        }
        changes
    }
}
