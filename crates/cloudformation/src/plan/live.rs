//! What is live, read from the answers of DynamoDB and Application Auto Scaling.

use serde::Deserialize;
use serde_json::Value;

use crate::resource::ScalableTarget;
use crate::table::{Encryption, GlobalIndex, InsightsMode, OnDemand, Table, Tag, Throughput};

/// A live table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveTable {
    /// Its settings.
    pub table: Table,
    /// Its ARN.
    pub arn: String,
    /// The ARN of its stream, while that is on.
    pub stream_arn: Option<String>,
    /// Its id.
    pub table_id: String,
}

/// A live scalable target, with its scheduled actions.
pub type LiveTarget = ScalableTarget;

/// The configuration of a live policy.
pub type LivePolicy = Value;

impl LiveTable {
    /// Reads `Table` of DescribeTable's answer.
    pub fn describe(answer: &Value) -> LiveTable {
        let is_on_demand = answer["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST";
        let mut table = Table {
            name: read(answer, "TableName"),
            attributes: read(answer, "AttributeDefinitions"),
            keys: read(answer, "KeySchema"),
            local_indexes: read(answer, "LocalSecondaryIndexes"),
            global_indexes: read(answer, "GlobalSecondaryIndexes"),
            throughput: throughput(read(answer, "ProvisionedThroughput"), is_on_demand),
            on_demand: maximum(read(answer, "OnDemandThroughput")),
            warm: read(answer, "WarmThroughput"),
            infrequent_access: answer["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS",
            deletion_protection: answer["DeletionProtectionEnabled"] == true,
            ..Table::default()
        };
        for index in &mut table.global_indexes {
            let GlobalIndex { throughput: units, on_demand, .. } = index;
            *units = throughput(*units, is_on_demand);
            *on_demand = maximum(*on_demand);
        }
        let stream = &answer["StreamSpecification"];
        let has_stream = stream["StreamEnabled"] == true;
        table.stream = stream["StreamViewType"].as_str().filter(|_| has_stream).map(str::to_owned);
        let encryption = &answer["SSEDescription"];
        if encryption["SSEType"] == "KMS" && encryption["Status"] != "DISABLED" {
            table.encryption = Encryption::Kms(read(encryption, "KMSMasterKeyArn"));
        }
        LiveTable {
            table,
            arn: read(answer, "TableArn"),
            stream_arn: read::<Option<String>>(answer, "LatestStreamArn").filter(|_| has_stream),
            table_id: read(answer, "TableId"),
        }
    }

    /// Takes in DescribeTimeToLive's answer.
    pub fn time_to_live(&mut self, answer: &Value) {
        let description = &answer["TimeToLiveDescription"];
        let is_on = matches!(description["TimeToLiveStatus"].as_str(), Some("ENABLED" | "ENABLING"));
        self.table.time_to_live = read::<Option<String>>(description, "AttributeName").filter(|_| is_on);
    }

    /// Takes in DescribeContinuousBackups's answer.
    pub fn continuous_backups(&mut self, answer: &Value) {
        let recovery = &answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
        let days: Option<i64> = read(recovery, "RecoveryPeriodInDays");
        let is_on = recovery["PointInTimeRecoveryStatus"] == "ENABLED";
        self.table.recovery_days = is_on.then(|| days.unwrap_or(crate::kinds::RECOVERY_DAYS));
    }

    /// Takes in DescribeContributorInsights's answer, for the table or one of its global indexes.
    pub fn contributor_insights(&mut self, index: Option<&str>, answer: &Value) {
        let status = answer["ContributorInsightsStatus"].as_str();
        let is_on = matches!(status, Some("ENABLED" | "ENABLING"));
        let insights = is_on.then(|| read::<InsightsMode>(answer, "ContributorInsightsMode"));
        let place = match index {
            None => Some(&mut self.table.insights),
            Some(name) => {
                let index = self.table.global_indexes.iter_mut().find(|index| index.index_name == name);
                index.map(|index| &mut index.insights)
            }
        };
        if let Some(place) = place {
            *place = insights;
        }
    }

    /// Takes in a page of ListTagsOfResource's answer.
    pub fn tags(&mut self, answer: &Value) {
        self.table.tags.extend(read::<Vec<Tag>>(answer, "Tags"));
    }
}

/// What of a table has not settled yet, for people; `None` when it can be changed again. Takes `Table` of
/// DescribeTable's answer.
pub fn unsettled(answer: &Value) -> Option<String> {
    let status = answer["TableStatus"].as_str().unwrap_or("unknown");
    if status != "ACTIVE" {
        return Some(status.to_owned());
    }
    let indexes = answer["GlobalSecondaryIndexes"].as_array();
    for index in indexes.into_iter().flatten() {
        let (name, status) = (&index["IndexName"], index["IndexStatus"].as_str().unwrap_or("unknown"));
        if status != "ACTIVE" {
            let filling = if index["Backfilling"] == true { ", filling" } else { "" };
            return Some(format!("index {} {status}{filling}", name.as_str().unwrap_or_default()));
        }
    }
    (answer["SSEDescription"]["Status"] == "UPDATING").then(|| "encryption UPDATING".into())
}

/// On demand there is no provisioned throughput, though answers show zeros.
fn throughput(units: Option<Throughput>, is_on_demand: bool) -> Option<Throughput> {
    units.filter(|_| !is_on_demand)
}

/// No maximum is shown as -1, for a while.
fn maximum(on_demand: OnDemand) -> OnDemand {
    let real = |units: Option<i64>| units.filter(|units| *units > 0);
    OnDemand {
        max_read_request_units: real(on_demand.max_read_request_units),
        max_write_request_units: real(on_demand.max_write_request_units),
    }
}

fn read<T: for<'de> Deserialize<'de> + Default>(answer: &Value, name: &str) -> T {
    answer.get(name).map(|value| T::deserialize(value).unwrap_or_default()).unwrap_or_default()
}
