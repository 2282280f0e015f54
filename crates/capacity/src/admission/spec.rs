//! What a table is created, or set up again after a restart, with.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::{Decreases, PerDimension};

/// How throughput is chosen and paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BillingMode {
    /// `PROVISIONED`: throughput is bought per second.
    Provisioned,
    /// `PAY_PER_REQUEST`: requests are paid one by one.
    #[default]
    OnDemand,
}

/// A table or an index: its settings, and what of its past still counts. The default is new and empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceSpec {
    /// Provisioned units per second; ignored on demand.
    pub provisioned: PerDimension<u64>,
    /// Maximum on-demand throughput in units per second, where one is set.
    pub maximum: PerDimension<Option<u64>>,
    /// Warm throughput in units per second; raised to what the mode and the provisioned throughput imply.
    pub warm: PerDimension<u64>,
    /// The highest minute so far, in units per second.
    pub previous_peak: PerDimension<u64>,
    /// Bytes stored.
    pub bytes: u64,
    /// Decreases of provisioned throughput so far.
    pub decreases: Decreases,
    /// `LastIncreaseDateTime`.
    pub last_increase: Option<Timestamp>,
}

impl ResourceSpec {
    /// Provisioned with so many units per second.
    pub fn provisioned(read: u64, write: u64) -> Self {
        Self { provisioned: PerDimension::new(read, write), ..Self::default() }
    }
}

/// A global secondary index by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    /// The index.
    pub name: Arc<str>,
    /// Its throughput.
    pub resource: ResourceSpec,
}

/// A table with its indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableSpec {
    /// The mode of the table and all of its indexes.
    pub mode: BillingMode,
    /// The table itself.
    pub table: ResourceSpec,
    /// Its global secondary indexes.
    pub indexes: Vec<IndexSpec>,
    /// Whether it has a local secondary index, which keeps each item collection in one partition.
    pub has_local_index: bool,
    /// The moments of its latest switches from provisioned to on-demand.
    pub switches_to_on_demand: Vec<Timestamp>,
    /// Whether it ever was on-demand, which makes the next switch to it quick.
    pub was_on_demand: bool,
    /// Where the sampling of hot keys begins; any number, the same for the same decisions.
    pub seed: u64,
}
