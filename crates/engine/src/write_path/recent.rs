//! What a write leaves to reads that may be late: the rows as they were before it.

use bytes::Bytes;

use super::index_rows::entry_row;
use super::{Change, Decision, PlannedWrite};
use crate::lag::{ChangeKind, Former};

impl Decision<'_> {
    /// What is changed of the item: in the table with its local indexes, and in each global index.
    pub(super) fn former(&self, write: &PlannedWrite<'_>) -> Vec<Former> {
        let changes_the_row = match &self.change {
            Ok(Change::Put(..)) => true,
            Ok(Change::Delete) => self.old.is_there(),
            Ok(Change::Keep) | Err(_) => false,
        };
        if !changes_the_row {
            return Vec::new();
        }
        let table = &*write.table;
        let former = |object, kind, before| Former { object, kind, item_key: write.key.clone(), before };
        let old_row = self.old.row.as_ref().map(|row| row.bytes().clone());
        let before = vec![(write.key.clone(), old_row)];
        let mut all = vec![former(table.id(), ChangeKind::Table, before)];
        // An item with indexes was decoded already, to find out what changes in them.
        let old = self.old.image().ok().flatten();
        for entry in &self.indexes {
            let mut before: Vec<(Bytes, Option<Bytes>)> = Vec::with_capacity(2);
            if let Some((key, _)) = &entry.old {
                let index = table.indexes.iter().find(|index| index.id == entry.object);
                before.push((
                    key.clone(),
                    index.zip(old).and_then(|(index, old)| entry_row(index, table, old)),
                ));
            }
            if let Some((key, _)) = &entry.new
                && entry.old.as_ref().is_none_or(|(old, _)| old != key)
            {
                before.push((key.clone(), None));
            }
            match ChangeKind::of_index(entry.kind) {
                ChangeKind::Table => all[0].before.extend(before),
                kind @ ChangeKind::GlobalIndex => all.push(former(entry.object, kind, before)),
            }
        }
        all
    }
}
