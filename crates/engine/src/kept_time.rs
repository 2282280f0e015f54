//! How far a manual clock was moved: it goes on there after a restart, so that time does not run backwards for what is
//! stored.

use dynamometer_store::{Batch, Keyspace, StoreError};
use dynamometer_types::Timestamp;

use crate::engine::Engine;

/// The key of the row, beside the tables. Its value: milliseconds since 1970 as `i64`, big end first.
pub(crate) const KEY: &[u8] = b"!time";

impl Engine {
    /// Writes that the clock stands at a time, or is about to. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_time(&self, time: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::new();
        batch.put(Keyspace::Catalog, KEY, time.millis().to_be_bytes().to_vec());
        self.store.commit(batch).wait().map(drop)
    }

    /// The time that was kept last; `None` when no clock was moved. May block.
    ///
    /// # Errors
    /// When the store fails, or holds something else there.
    pub fn kept_time(&self) -> Result<Option<Timestamp>, StoreError> {
        let Some(row) = self.store.get(Keyspace::Catalog, KEY)? else { return Ok(None) };
        let millis =
            row[..].try_into().map_err(|_| StoreError::Corrupt("the kept time is no number".into()))?;
        Ok(Some(Timestamp::from_millis(i64::from_be_bytes(millis))))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dynamometer_store::{MemoryStore, Store};

    use super::*;
    use crate::EngineConfig;

    #[test]
    fn a_time_is_kept_beside_the_tables() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let open = || Engine::open(Arc::clone(&store), EngineConfig::default()).unwrap();
        assert_eq!(open().kept_time().unwrap(), None);
        open().keep_time(Timestamp::from_millis(-7)).unwrap();
        open().keep_time(Timestamp::from_millis(1_780_272_000_000)).unwrap();
        assert_eq!(open().kept_time().unwrap(), Some(Timestamp::from_millis(1_780_272_000_000)));
    }
}
