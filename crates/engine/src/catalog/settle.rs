//! What happens to a table by time alone.
//!
//! A record says until when a state lasts, so nothing has to run for a table to become active. Whoever looks at a
//! record, or changes it, first asks for it as it is now.

use std::collections::HashSet;

use dynamometer_store::{Commit, Store};
use dynamometer_types::Timestamp;

use super::Catalog;
use super::record::{Status, TableRecord};

impl TableRecord {
    /// The table as it is at `now`: what fell due has happened. `None` when the table is gone.
    pub fn settled(mut self, now: Timestamp) -> Option<TableRecord> {
        if self.lifecycle.status(now) == Status::Gone {
            return None;
        }
        self.lifecycle = self.lifecycle.settled(now);
        self.warm.lifecycle = self.warm.lifecycle.settled(now);
        self.sse = self.sse.filter(|sse| sse.lifecycle.status(now) != Status::Gone);
        if let Some(sse) = &mut self.sse {
            sse.lifecycle = sse.lifecycle.settled(now);
        }
        let indexes = self.global_indexes.len();
        self.global_indexes.retain(|index| index.lifecycle.status(now) != Status::Gone);
        for index in &mut self.global_indexes {
            index.lifecycle = index.lifecycle.settled(now);
            index.warm.lifecycle = index.warm.lifecycle.settled(now);
        }
        if self.global_indexes.len() < indexes {
            self.prune_definitions();
        }
        Some(self)
    }

    /// Drops the attribute definitions that no key uses any more.
    pub(crate) fn prune_definitions(&mut self) {
        let indexes = self.local_indexes.iter().chain(&self.global_indexes);
        let used: HashSet<&String> = self
            .key_schema
            .iter()
            .chain(indexes.flat_map(|index| &index.key_schema))
            .map(|element| &element.name)
            .collect();
        self.attribute_definitions.retain(|definition| used.contains(&definition.name));
    }
}

impl Catalog {
    /// Brings the row of a table to what it is at `now`, and takes it out when the table is gone. For the jobs that
    /// follow a deletion; answers `None` when there is nothing to do.
    pub fn settle(&self, store: &dyn Store, namespace: &str, name: &str, now: Timestamp) -> Option<Commit> {
        let change = |draft: &mut super::Draft| {
            let record = draft.table(namespace, name).ok_or(())?.record.clone();
            match record.clone().settled(now) {
                None => drop(draft.remove(namespace, name)),
                Some(settled) if settled != record => drop(draft.put(settled)),
                Some(_) => return Err(()),
            }
            Ok(())
        };
        self.change(store, change).ok().map(|((), commit)| commit)
    }
}
