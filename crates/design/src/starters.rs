//! Design files to begin with.

/// A starter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// Several kinds of items in one table.
    SingleTable,
    /// One table for what is configured, one for what happens.
    TwoTable,
}

impl Starter {
    /// Its text, comments included.
    pub fn text(self) -> &'static str {
        match self {
            Starter::SingleTable => include_str!("starters/single-table.yaml"),
            Starter::TwoTable => include_str!("starters/two-table.yaml"),
        }
    }
}
