//! Bytes on disk: how rows and keys are written. Nothing outside this module knows them.
//!
//! Every row begins with a format byte; the store's folder carries the version of the key layout.

pub mod keys;
pub mod row;
pub mod stream;
