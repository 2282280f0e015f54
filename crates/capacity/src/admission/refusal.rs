//! A refused request: why, and the exact words in which the service says so.

use std::sync::Arc;

use super::{BillingMode, Dimension};

/// Which budget refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The provisioned throughput of the table or index, burst included, is used up.
    ProvisionedThroughput,
    /// One partition is at its limit; or an on-demand table grew faster than its partitions.
    KeyRangeThroughput,
    /// The quota of the account is reached.
    AccountLimit,
    /// The maximum on-demand throughput that the table or index was given is reached.
    MaxOnDemandThroughput,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 4] = [
        Self::ProvisionedThroughput,
        Self::KeyRangeThroughput,
        Self::AccountLimit,
        Self::MaxOnDemandThroughput,
    ];

    /// The tail of the throttling reason.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ProvisionedThroughput => "ProvisionedThroughputExceeded",
            Self::KeyRangeThroughput => "KeyRangeThroughputExceeded",
            Self::AccountLimit => "AccountLimitExceeded",
            Self::MaxOnDemandThroughput => "MaxOnDemandThroughputExceeded",
        }
    }
}

/// The three exceptions that say "slow down".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThrottlingException {
    /// A provisioned table or index.
    ProvisionedThroughputExceededException,
    /// An on-demand table or index. Its member is spelled `throttlingReasons`, with a lower-case t.
    ThrottlingException,
    /// A quota of the account.
    RequestLimitExceeded,
}

impl ThrottlingException {
    /// The name of the exception.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProvisionedThroughputExceededException => "ProvisionedThroughputExceededException",
            Self::ThrottlingException => "ThrottlingException",
            Self::RequestLimitExceeded => "RequestLimitExceeded",
        }
    }

    /// The name of the member that lists the reasons.
    pub const fn reasons_member(self) -> &'static str {
        match self {
            Self::ThrottlingException => "throttlingReasons",
            _ => "ThrottlingReasons",
        }
    }
}

/// One request that was not admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Reads or writes.
    pub dimension: Dimension,
    /// The budget.
    pub cause: Cause,
    /// The global secondary index whose budget it is; `None` for the table, its local indexes included.
    pub index: Option<Arc<str>>,
    /// The mode of the table.
    pub mode: BillingMode,
    pub(crate) account_limit_as_throttling: bool,
}

impl Refusal {
    /// A refusal for no reason of the model: one that is injected.
    pub fn injected(dimension: Dimension, cause: Cause, mode: BillingMode) -> Refusal {
        Refusal { dimension, cause, index: None, mode, account_limit_as_throttling: false }
    }

    /// The exception with which the service refuses the request. Its status is 400.
    ///
    /// # Source
    /// Developer Guide 2026, "Throttling". Two of its pages disagree about the account's quota; the constant
    /// `account_limit_as_throttling` chooses.
    pub fn exception(&self) -> ThrottlingException {
        match (self.cause, self.mode) {
            (Cause::AccountLimit, _) if self.account_limit_as_throttling => {
                ThrottlingException::ThrottlingException
            }
            (Cause::AccountLimit, _) => ThrottlingException::RequestLimitExceeded,
            (Cause::MaxOnDemandThroughput, _) | (_, BillingMode::OnDemand) => {
                ThrottlingException::ThrottlingException
            }
            (_, BillingMode::Provisioned) => ThrottlingException::ProvisionedThroughputExceededException,
        }
    }

    /// The message of that exception.
    ///
    /// # Source
    /// Provisioned: measured. On-demand, maximum and account: Developer Guide 2026, "Throttling".
    pub fn message(&self) -> &'static str {
        match (self.cause, self.mode, &self.index) {
            (Cause::AccountLimit, _, _) => {
                "Throughput exceeds the current throughput limit for your account. To request a limit increase, \
                 contact AWS Support at https://aws.amazon.com/support."
            }
            (Cause::MaxOnDemandThroughput, _, _) => {
                "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
            }
            (_, BillingMode::OnDemand, _) => {
                "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling \
                 your table or index so please try again shortly. If exceptions persist, check if you have a hot key: \
                 https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
            }
            (_, BillingMode::Provisioned, None) => {
                "The level of configured provisioned throughput for the table was exceeded. Consider increasing your \
                 provisioning level with the UpdateTable API."
            }
            (_, BillingMode::Provisioned, Some(_)) => {
                "The level of configured provisioned throughput for one or more global secondary indexes of the table \
                 was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary \
                 indexes with the UpdateTable API."
            }
        }
    }

    /// The `reason` in ThrottlingReasons: one of sixteen, such as `TableWriteKeyRangeThroughputExceeded`.
    pub fn reason(&self) -> String {
        let resource = if self.index.is_some() { "Index" } else { "Table" };
        format!("{resource}{}{}", self.dimension.word(), self.cause.word())
    }

    /// The `resource` in ThrottlingReasons: the ARN of the table, or of its index.
    pub fn resource(&self, table_arn: &str) -> String {
        match &self.index {
            None => table_arn.to_owned(),
            Some(index) => format!("{table_arn}/index/{index}"),
        }
    }

    /// The `Code` at this item in the CancellationReasons of a transaction.
    ///
    /// # Source
    /// Developer Guide 2026, "Transactions": by mode; the service model lists both codes.
    pub fn cancellation_code(&self) -> &'static str {
        match self.exception() {
            ThrottlingException::ProvisionedThroughputExceededException => "ProvisionedThroughputExceeded",
            _ => "ThrottlingError",
        }
    }
}

/// How a batch ends whose elements were admitted one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchVerdict {
    /// The call succeeds; the elements at these positions go back as UnprocessedItems or UnprocessedKeys. Not counted
    /// as a throttled request, though each of them was a throttle event.
    Answered {
        /// Positions of the refused elements, ascending; empty when all ran.
        unprocessed: Vec<usize>,
    },
    /// Every element was refused: the call fails as the first of them says.
    Refused(Refusal),
}

/// Sums up a BatchWriteItem or BatchGetItem: it fails only when all of its elements were refused.
///
/// # Source
/// Developer Guide 2026, "Error handling", batch operations.
pub fn batch_verdict<'a>(elements: impl IntoIterator<Item = Option<&'a Refusal>>) -> BatchVerdict {
    let mut unprocessed = Vec::new();
    let (mut count, mut first) = (0, None);
    for (position, refused) in elements.into_iter().enumerate() {
        count += 1;
        if let Some(refusal) = refused {
            unprocessed.push(position);
            first.get_or_insert(refusal);
        }
    }
    match first {
        Some(refusal) if unprocessed.len() == count => BatchVerdict::Refused(refusal.clone()),
        _ => BatchVerdict::Answered { unprocessed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BillingMode::{OnDemand, Provisioned};

    fn refusal(cause: Cause, mode: BillingMode, index: Option<&str>) -> Refusal {
        let index = index.map(Arc::from);
        Refusal { dimension: Dimension::Write, cause, index, mode, account_limit_as_throttling: false }
    }

    #[test]
    fn exceptions_reasons_and_codes() {
        #[rustfmt::skip]
        let cases = [
            (Cause::ProvisionedThroughput, Provisioned, None, "ProvisionedThroughputExceededException", "TableWriteProvisionedThroughputExceeded", "ProvisionedThroughputExceeded"),
            (Cause::KeyRangeThroughput, Provisioned, Some("i"), "ProvisionedThroughputExceededException", "IndexWriteKeyRangeThroughputExceeded", "ProvisionedThroughputExceeded"),
            (Cause::KeyRangeThroughput, OnDemand, None, "ThrottlingException", "TableWriteKeyRangeThroughputExceeded", "ThrottlingError"),
            (Cause::MaxOnDemandThroughput, OnDemand, Some("i"), "ThrottlingException", "IndexWriteMaxOnDemandThroughputExceeded", "ThrottlingError"),
            (Cause::AccountLimit, OnDemand, None, "RequestLimitExceeded", "TableWriteAccountLimitExceeded", "ThrottlingError"),
        ];
        for (cause, mode, index, exception, reason, code) in cases {
            let refusal = refusal(cause, mode, index);
            assert_eq!(refusal.exception().name(), exception);
            assert_eq!(refusal.reason(), reason);
            assert_eq!(refusal.cancellation_code(), code, "{reason}");
            let arn = refusal.resource("arn:aws:dynamodb:us-east-1:000000000000:table/T");
            assert_eq!(arn.ends_with("table/T/index/i"), index.is_some());
        }
        let mut account = refusal(Cause::AccountLimit, OnDemand, None);
        account.account_limit_as_throttling = true;
        assert_eq!(account.exception(), ThrottlingException::ThrottlingException);
    }

    #[test]
    fn a_batch_fails_only_as_a_whole() {
        let refused = refusal(Cause::ProvisionedThroughput, Provisioned, None);
        let verdict = batch_verdict([None, Some(&refused), None]);
        assert_eq!(verdict, BatchVerdict::Answered { unprocessed: vec![1] });
        assert_eq!(batch_verdict([Some(&refused), Some(&refused)]), BatchVerdict::Refused(refused.clone()));
        assert_eq!(batch_verdict([]), BatchVerdict::Answered { unprocessed: vec![] });
    }
}
