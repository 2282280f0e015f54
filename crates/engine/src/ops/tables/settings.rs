//! Throughput, on-demand maximum, warm throughput, stream, encryption and table class: the checks that CreateTable
//! and UpdateTable share, and the records they become.

use dynamometer_types::key::partition_hash;
use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use super::describe_limits::{ACCOUNT_MAX_UNITS, TABLE_MAX_UNITS};
use super::{invalid, limit_exceeded};
use crate::api::{
    BillingMode, Given, OnDemandThroughput, ProvisionedThroughput, SseSpecification, SseType, TableClass,
    WarmThroughput,
};
use crate::catalog::Version;
use crate::catalog::record::{
    Lifecycle, OnDemandRecord, SseRecord, TableRecord, ThroughputRecord, WarmRecord,
};
use crate::context::Context;

/// Beyond this AWS does not even speak of quotas.
const UNITS_BOUND: i64 = 1_000_000_000_000;
/// What an on-demand table or index takes at once when it is new, in units a second (documented).
const ON_DEMAND_WARM: (i64, i64) = (12_000, 4_000);

/// What a message is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'n> {
    /// The table.
    Table,
    /// A global index.
    Index(&'n str),
}

impl Subject<'_> {
    /// `table`, or the index with what stands between the word and its name.
    fn named(self, between: &str) -> String {
        match self {
            Subject::Table => "table".into(),
            Subject::Index(name) => format!("index{between}{name}"),
        }
    }
}

/// How a table or index is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Billing {
    /// By the request.
    OnDemand,
    /// By read and write capacity units a second.
    Provisioned(i64, i64),
}

impl Billing {
    pub(crate) fn mode(self) -> BillingMode {
        match self {
            Billing::OnDemand => BillingMode::PayPerRequest,
            Billing::Provisioned(..) => BillingMode::Provisioned,
        }
    }

    pub(crate) fn throughput(self) -> ThroughputRecord {
        let (read, write) = match self {
            Billing::OnDemand => (0, 0),
            Billing::Provisioned(read, write) => (read, write),
        };
        ThroughputRecord { read, write, ..ThroughputRecord::default() }
    }

    /// What it takes at once when it is new.
    pub(crate) fn warm(self) -> WarmRecord {
        let (read, write) = match self {
            Billing::OnDemand => ON_DEMAND_WARM,
            Billing::Provisioned(read, write) => (read, write),
        };
        WarmRecord { read, write, lifecycle: Lifecycle::Active }
    }
}

/// The billing that CreateTable asks for.
pub(crate) fn new_billing(
    mode: Option<BillingMode>,
    throughput: &Option<ProvisionedThroughput>,
) -> Result<Billing, ApiError> {
    match (mode.unwrap_or(BillingMode::Provisioned), throughput) {
        (BillingMode::PayPerRequest, None) => Ok(Billing::OnDemand),
        (BillingMode::PayPerRequest, Some(_)) => Err(no_units_on_demand()),
        (BillingMode::Provisioned, Some(throughput)) => provisioned(throughput),
        (BillingMode::Provisioned, None) => Err(invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        )),
    }
}

pub(crate) fn no_units_on_demand() -> ApiError {
    invalid(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    )
}

/// Throughput within what numbers may be; the quota is another matter.
pub(crate) fn provisioned(throughput: &ProvisionedThroughput) -> Result<Billing, ApiError> {
    let read = throughput.read_capacity_units.unwrap_or_default();
    let write = throughput.write_capacity_units.unwrap_or_default();
    for (units, name) in [(read, "ReadCapacityUnits"), (write, "WriteCapacityUnits")] {
        if units > UNITS_BOUND {
            return Err(ApiError::validation(format!("Given value {units} for {name} is out of bounds")));
        }
    }
    Ok(Billing::Provisioned(read, write))
}

/// Refuses throughput beyond the quota of a table or index.
pub(crate) fn check_quota(context: &Context<'_>, throughput: &ThroughputRecord) -> Result<(), ApiError> {
    let members = [(throughput.read, "ReadCapacityUnits"), (throughput.write, "WriteCapacityUnits")];
    match members.into_iter().find(|(units, _)| *units > TABLE_MAX_UNITS) {
        None => Ok(()),
        Some((units, name)) => Err(ApiError::new(
            ErrorKind::LimitExceeded,
            format!(
                "The requested {name}, {units}, is above the per table maximum for the account in {}. Per table \
                 maximum: {TABLE_MAX_UNITS}. Refer to the Amazon DynamoDB Developer Guide for current limits and \
                 how to request higher limits.",
                context.region
            ),
        )),
    }
}

/// Refuses provisioned throughput with which all tables of the region together are beyond the account's quota. What was
/// provisioned before is not refused again: only a sum that grows is. `before` is the table as it was, if it was.
pub(crate) fn check_account_quota(
    context: &Context<'_>,
    tables: &Version,
    before: Option<&TableRecord>,
    after: &TableRecord,
) -> Result<(), ApiError> {
    type Units = fn(&ThroughputRecord) -> i64;
    let dimensions: [(&str, Units); 2] = [("Read", |t| t.read), ("Write", |t| t.write)];
    for (kind, units) in dimensions {
        let sum = |record: &TableRecord| -> i64 { provisioned_of(record).map(units).sum() };
        let others = tables.tables(context.namespace).map(|table| &table.record).filter(|record| {
            record.name != after.name && !matches!(record.lifecycle, Lifecycle::Deleting { .. })
        });
        let elsewhere: i64 = others.map(sum).sum();
        let (was, becomes) = (before.map_or(0, sum), sum(after));
        if becomes <= was || elsewhere + becomes <= ACCOUNT_MAX_UNITS {
            continue;
        }
        let requested: i64 = match before {
            None => becomes,
            Some(before) => {
                let pairs = provisioned_of(after).enumerate();
                let is_new = |at: usize, now: &ThroughputRecord| provisioned_of(before).nth(at) != Some(now);
                pairs.filter(|(at, now)| is_new(*at, now)).map(|(_, now)| units(now)).sum()
            }
        };
        return Err(ApiError::new(
            ErrorKind::LimitExceeded,
            format!(
                "This request would have caused the {kind}CapacityUnits limit to be exceeded for the account in {}. \
                 Current {kind}CapacityUnits reserved by the account: {}. Limit: {ACCOUNT_MAX_UNITS}. Requested: \
                 {requested}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request \
                 higher limits.",
                context.region,
                elsewhere + was,
            ),
        ));
    }
    Ok(())
}

/// The throughput of a table, then of its global indexes; zeros on demand.
fn provisioned_of(record: &TableRecord) -> impl Iterator<Item = &ThroughputRecord> {
    std::iter::once(&record.throughput).chain(record.global_indexes.iter().map(|index| &index.throughput))
}

/// Refuses an on-demand maximum beyond the quota of a table or index.
pub(crate) fn check_on_demand_quota(
    context: &Context<'_>,
    record: &OnDemandRecord,
    subject: Subject<'_>,
) -> Result<(), ApiError> {
    let members = [(record.max_read, "Read"), (record.max_write, "Write")];
    match members.into_iter().find(|(units, _)| units.is_some_and(|units| units > TABLE_MAX_UNITS)) {
        None => Ok(()),
        Some((_, kind)) => Err(limit_exceeded(format!(
            "Requested Max{kind}RequestUnits for OnDemandThroughput for {} exceeds TableMax{kind}CapacityUnits of \
             the account in region {}",
            subject.named(" : "),
            context.region
        ))),
    }
}

/// The on-demand maximum of something new.
pub(crate) fn new_on_demand(
    sent: &Option<OnDemandThroughput>,
    billing: Billing,
    subject: Subject<'_>,
) -> Result<OnDemandRecord, ApiError> {
    let Some(sent) = sent else { return Ok(OnDemandRecord::default()) };
    let record =
        OnDemandRecord { max_read: sent.max_read_request_units, max_write: sent.max_write_request_units };
    let first = on_demand_members(sent).find_map(|(units, name)| units.map(|_| name));
    match (billing, first) {
        (Billing::OnDemand, _) => check_on_demand_range(sent, 1, subject)?,
        (Billing::Provisioned(..), None) => {}
        (Billing::Provisioned(..), Some(name)) => {
            return Err(invalid(format!(
                "{name} for OnDemandThroughput{} cannot be specified when table BillingMode is PROVISIONED.",
                match subject {
                    Subject::Table => String::new(),
                    Subject::Index(index) => format!(" for index : {index}"),
                }
            )));
        }
    }
    Ok(record)
}

/// The members of an on-demand maximum with their names, in the order in which AWS reports them.
pub(crate) fn on_demand_members(
    sent: &OnDemandThroughput,
) -> impl Iterator<Item = (Option<i64>, &'static str)> {
    [
        (sent.max_read_request_units, "MaxReadRequestUnits"),
        (sent.max_write_request_units, "MaxWriteRequestUnits"),
    ]
    .into_iter()
}

/// Checks that the maxima are at least 1, or -1 where that means "no maximum" (`least` below 1).
pub(crate) fn check_on_demand_range(
    sent: &OnDemandThroughput,
    least: i64,
    subject: Subject<'_>,
) -> Result<(), ApiError> {
    let out_of_range = |units: i64| units < 1 && !(units == -1 && least == -1);
    match on_demand_members(sent).find(|(units, _)| units.is_some_and(out_of_range)) {
        None => Ok(()),
        Some((_, name)) => Err(invalid(format!(
            "Requested {name} for OnDemandThroughput for {} is outside of valid range",
            subject.named(" : ")
        ))),
    }
}

/// The members of a warm throughput with what they are called and what they are measured against.
pub(crate) fn warm_members(
    sent: &WarmThroughput,
    current: &WarmRecord,
) -> impl Iterator<Item = (i64, i64, &'static str)> {
    [
        (sent.read_units_per_second.unwrap_or(current.read), current.read, "Read"),
        (sent.write_units_per_second.unwrap_or(current.write), current.write, "Write"),
    ]
    .into_iter()
}

/// The warm throughput of something new: what was asked for, and at least what its billing brings.
pub(crate) fn new_warm(
    sent: &Option<WarmThroughput>,
    billing: Billing,
    subject: Subject<'_>,
) -> Result<WarmRecord, ApiError> {
    let least = billing.warm();
    let Some(sent) = sent else { return Ok(least) };
    if let Some((_, _, kind)) = warm_members(sent, &least).find(|(asked, least, _)| asked < least) {
        let subject = subject.named(" ");
        let of = match billing {
            Billing::OnDemand => "initial throughput for OnDemand".to_owned(),
            Billing::Provisioned(..) => format!("{kind}CapacityUnits of ProvisionedThroughput"),
        };
        return Err(invalid(format!(
            "Requested {kind}UnitsPerSecond for WarmThroughput for {subject} is lower than {of}"
        )));
    }
    Ok(WarmRecord {
        read: sent.read_units_per_second.unwrap_or(least.read),
        write: sent.write_units_per_second.unwrap_or(least.write),
        ..least
    })
}

/// What a request wants of encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// The key that AWS owns: the default.
    Default,
    /// A KMS key: the one named, or the account's own for DynamoDB.
    Kms(Option<String>),
}

/// Checks an `SSESpecification`.
pub(crate) fn encryption(specification: &SseSpecification) -> Result<Encryption, ApiError> {
    let sse_type = specification.sse_type.as_ref().and_then(Given::known);
    let key = &specification.kms_master_key_id;
    if specification.enabled == Some(false) {
        return match (sse_type, key) {
            (Some(_), _) => Err(invalid("SSEType can not be specified if Enabled is false")),
            (None, Some(_)) => Err(invalid("KMSMasterKeyId can not be specified if Enabled is false")),
            (None, None) => Ok(Encryption::Default),
        };
    }
    match (sse_type, key) {
        (Some(SseType::Aes256), _) => Err(invalid("SSEType AES256 is not supported")),
        (None, Some(_)) => Err(invalid("SSEType KMS is required if KMSMasterKeyId is specified")),
        (None, None) if specification.enabled.is_none() => Ok(Encryption::Default),
        (_, key) => Ok(Encryption::Kms(key.clone())),
    }
}

/// The record of encryption with a key. What is named by its id or alias is shown as an ARN of this account.
pub(crate) fn sse_record(context: &Context<'_>, key: Option<&str>, lifecycle: Lifecycle) -> SseRecord {
    let key_arn = match key {
        Some(arn) if arn.starts_with("arn:") => arn.to_owned(),
        Some(alias) if alias.starts_with("alias/") => kms_arn(context, alias),
        Some(id) => kms_arn(context, &format!("key/{id}")),
        None => kms_arn(context, &format!("key/{}", own_key_id(context))),
    };
    SseRecord { sse_type: SseType::Kms, key_arn, lifecycle }
}

fn kms_arn(context: &Context<'_>, resource: &str) -> String {
    format!("arn:aws:kms:{}:{}:{resource}", context.region, context.account)
}

/// The id of the account's own key for DynamoDB: always the same in one region of one account.
fn own_key_id(context: &Context<'_>) -> String {
    let half = |salt: &str| {
        let seed = format!("{salt}/{}/{}", context.region, context.account);
        u128::from(partition_hash(seed.as_bytes()))
    };
    uuid(half("high") << 64 | half("low"))
}

/// A version 4 UUID of 128 bits, of which it keeps 122.
pub(crate) fn uuid(bits: u128) -> String {
    let version = bits & !(0xf << 76) | 0x4 << 76;
    let variant = version & !(0b11 << 62) | 0b10 << 62;
    let hex = format!("{variant:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The label of a stream that is enabled now; none that a stream of this table, or of one before it of the same name,
/// still has.
pub(crate) fn stream_label(version: &Version, context: &Context<'_>, table: &str) -> String {
    let label = |at: Timestamp| at.to_string().trim_end_matches('Z').to_owned();
    let mut at = context.now;
    while version.stream(context.namespace, table, &label(at)).is_some() {
        at = at + 1;
    }
    label(at)
}

/// Checks a `TableClass`.
pub(crate) fn table_class(sent: &Option<Given<TableClass>>) -> Result<Option<TableClass>, ApiError> {
    match sent {
        None => Ok(None),
        Some(Given::Known(class)) => Ok(Some(*class)),
        Some(Given::Unknown(_)) => Err(ApiError::validation(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: \
             [STANDARD, STANDARD_INFREQUENT_ACCESS].",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_of_version_4() {
        assert_eq!(uuid(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid(u128::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
