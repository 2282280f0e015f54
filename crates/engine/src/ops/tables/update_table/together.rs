//! What one UpdateTable call may change together.
//!
//! # Source
//! Every pair of members was tried on AWS in October 2026: 33 of 35 are refused.

use dynamometer_types::ApiError;

use crate::api::{BillingMode, Given, UpdateTableRequest};
use crate::ops::tables::invalid;

/// Refuses a call that asks for nothing.
pub(super) fn check_something(request: &UpdateTableRequest) -> Result<(), ApiError> {
    if Asked::of(request).concerns() == 0 {
        return Err(ApiError::validation(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
             GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, \
             ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, \
             WarmThroughput or TableClass is required",
        ));
    }
    Ok(())
}

/// Refuses what does not go together: the first row that fits.
pub(super) fn check_exclusive(request: &UpdateTableRequest) -> Result<(), ApiError> {
    let asked = Asked::of(request);
    let several = asked.concerns() > 1;
    let builds_index = asked.creates_index || asked.deletes_index;
    let rows = [
        (
            several && asked.sse,
            "Server-Side Encryption modification must be the only operation in the request",
        ),
        (several && asked.class, "TableClass modification must be the only operation in the request"),
        (
            several && asked.protection,
            "DeletionProtection modification must be the only operation in the request",
        ),
        (
            asked.on_demand && asked.concerns_but_billing_mode() > 1,
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            asked.creates_index && (asked.warm || asked.warms_index),
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
        (
            several && asked.warm && !asked.only_warms(),
            "WarmThroughput must be the only operation in the request",
        ),
        (asked.iops && asked.stream, "You cannot modify stream status while updating table IOPS"),
        (asked.iops && builds_index, "You cannot create or delete index while updating table IOPS"),
        (asked.stream && builds_index, "You cannot create or delete index while changing stream status"),
    ];
    match rows.iter().find(|(fits, _)| *fits) {
        None => Ok(()),
        Some((_, text)) => Err(invalid(text)),
    }
}

/// What a call asks for.
struct Asked {
    billing_mode: bool,
    throughput: bool,
    /// Throughput, or the billing mode that needs it.
    iops: bool,
    indexes: bool,
    creates_index: bool,
    deletes_index: bool,
    /// A global index's warm throughput.
    warms_index: bool,
    /// Anything else of a global index.
    updates_index: bool,
    stream: bool,
    sse: bool,
    class: bool,
    protection: bool,
    on_demand: bool,
    warm: bool,
}

impl Asked {
    fn of(request: &UpdateTableRequest) -> Asked {
        let updates = request.global_secondary_index_updates.as_deref().unwrap_or_default();
        let provisioned =
            request.billing_mode.as_ref().and_then(Given::known) == Some(BillingMode::Provisioned);
        let throughput = request.provisioned_throughput.is_some();
        Asked {
            billing_mode: request.billing_mode.is_some(),
            throughput,
            iops: throughput || provisioned,
            indexes: request.global_secondary_index_updates.is_some(),
            creates_index: updates.iter().any(|entry| entry.create.is_some()),
            deletes_index: updates.iter().any(|entry| entry.delete.is_some()),
            warms_index: updates
                .iter()
                .any(|e| e.update.as_ref().is_some_and(|u| u.warm_throughput.is_some())),
            updates_index: updates.iter().any(|e| {
                e.update
                    .as_ref()
                    .is_some_and(|u| u.provisioned_throughput.is_some() || u.on_demand_throughput.is_some())
            }),
            stream: request.stream_specification.is_some(),
            sse: request.sse_specification.is_some(),
            class: request.table_class.is_some(),
            protection: request.deletion_protection_enabled.is_some(),
            on_demand: request.on_demand_throughput.is_some(),
            warm: request.warm_throughput.is_some(),
        }
    }

    fn concerns(&self) -> usize {
        self.concerns_but_billing_mode() + usize::from(self.billing_mode && !self.throughput)
    }

    fn concerns_but_billing_mode(&self) -> usize {
        [
            self.throughput,
            self.indexes,
            self.stream,
            self.sse,
            self.class,
            self.protection,
            self.on_demand,
            self.warm,
        ]
        .into_iter()
        .filter(|asked| *asked)
        .count()
    }

    /// Warm throughput of the table and of indexes, and nothing else: that goes together (documented).
    fn only_warms(&self) -> bool {
        self.concerns() == 2
            && self.indexes
            && !(self.creates_index || self.deletes_index || self.updates_index)
    }
}
