//! The other settings of a table, each with its own call.

use serde_json::{Value, json};

use super::{LiveTable, Step};
use crate::table::{Encryption, InsightsMode, Table, Tag};

/// Tags of the template that are not there or have another value. Others are somebody else's, and stay.
pub(super) fn tags(wanted: &Table, live: &LiveTable, steps: &mut Vec<Step>) {
    let missing: Vec<&Tag> = wanted.tags.iter().filter(|tag| !live.table.tags.contains(tag)).collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<&str> = missing.iter().map(|tag| tag.key.as_str()).collect();
    let body = json!({ "ResourceArn": live.arn, "Tags": missing });
    steps.push(Step::on_table(&wanted.name, format!("tag: {}", names.join(", ")), "TagResource", body));
}

/// The view type of a stream cannot be changed: the stream is turned off and on again, as another one.
pub(super) fn stream(wanted: &Table, live: &LiveTable, steps: &mut Vec<Step>) {
    if wanted.stream == live.table.stream {
        return;
    }
    let name = &wanted.name;
    if live.table.stream.is_some() {
        let body = json!({ "TableName": name, "StreamSpecification": { "StreamEnabled": false } });
        steps.push(Step::on_table(name, "turn the stream off", "UpdateTable", body));
    }
    if let Some(view) = &wanted.stream {
        let stream = json!({ "StreamEnabled": true, "StreamViewType": view });
        let body = json!({ "TableName": name, "StreamSpecification": stream });
        steps.push(Step::on_table(name, format!("turn a stream on: {view}"), "UpdateTable", body));
    }
}

/// `SSESpecification`.
pub(super) fn sse(encryption: &Encryption) -> Value {
    match encryption {
        Encryption::Default => json!({ "Enabled": false }),
        Encryption::Kms(None) => json!({ "Enabled": true, "SSEType": "KMS" }),
        Encryption::Kms(Some(key)) => json!({ "Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": key }),
    }
}

pub(super) fn encryption(wanted: &Table, live: &LiveTable, steps: &mut Vec<Step>) {
    let is_same = match (&wanted.encryption, &live.table.encryption) {
        (Encryption::Default, Encryption::Default) | (Encryption::Kms(None), Encryption::Kms(_)) => true,
        // A key may be given by its id or alias, and is answered by its ARN.
        (Encryption::Kms(Some(wanted)), Encryption::Kms(Some(live))) => {
            live == wanted || live.ends_with(&format!("/{wanted}"))
        }
        _ => false,
    };
    if is_same {
        return;
    }
    let says = match &wanted.encryption {
        Encryption::Default => "encrypt with DynamoDB's own key",
        Encryption::Kms(None) => "encrypt with AWS's key in KMS",
        Encryption::Kms(Some(_)) => "encrypt with a key in KMS",
    };
    let body = json!({ "TableName": wanted.name, "SSESpecification": sse(&wanted.encryption) });
    steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
}

pub(super) fn class(wanted: &Table, live: &LiveTable, steps: &mut Vec<Step>) {
    if wanted.infrequent_access == live.table.infrequent_access {
        return;
    }
    let class = if wanted.infrequent_access { "STANDARD_INFREQUENT_ACCESS" } else { "STANDARD" };
    let body = json!({ "TableName": wanted.name, "TableClass": class });
    steps.push(Step::on_table(&wanted.name, format!("table class {class}"), "UpdateTable", body));
}

pub(super) fn deletion_protection(wanted: &Table, live: &LiveTable, steps: &mut Vec<Step>) {
    let is_on = wanted.deletion_protection;
    if is_on == live.table.deletion_protection {
        return;
    }
    let body = json!({ "TableName": wanted.name, "DeletionProtectionEnabled": is_on });
    let says = format!("deletion protection {}", if is_on { "on" } else { "off" });
    steps.push(Step::on_table(&wanted.name, says, "UpdateTable", body));
}

/// Another attribute is off and on again.
pub(super) fn time_to_live(wanted: &Table, live: &Table, steps: &mut Vec<Step>) {
    if wanted.time_to_live == live.time_to_live {
        return;
    }
    let mut set = |attribute: &str, is_on: bool| {
        let setting = json!({ "AttributeName": attribute, "Enabled": is_on });
        let body = json!({ "TableName": wanted.name, "TimeToLiveSpecification": setting });
        let says = format!("time to live by {attribute} {}", if is_on { "on" } else { "off" });
        steps.push(Step::on_table(&wanted.name, says, "UpdateTimeToLive", body));
    };
    if let Some(attribute) = &live.time_to_live {
        set(attribute, false);
    }
    if let Some(attribute) = &wanted.time_to_live {
        set(attribute, true);
    }
}

pub(super) fn recovery(wanted: &Table, live: &Table, steps: &mut Vec<Step>) {
    if wanted.recovery_days == live.recovery_days {
        return;
    }
    let (says, setting) = match wanted.recovery_days {
        None => ("point-in-time recovery off".into(), json!({ "PointInTimeRecoveryEnabled": false })),
        Some(days) => (
            format!("point-in-time recovery over {days} days"),
            json!({ "PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": days }),
        ),
    };
    let body = json!({ "TableName": wanted.name, "PointInTimeRecoverySpecification": setting });
    steps.push(Step::on_table(&wanted.name, says, "UpdateContinuousBackups", body));
}

/// Contributor Insights of the table and of its global indexes.
pub(super) fn insights(wanted: &Table, live: &Table, steps: &mut Vec<Step>) {
    let name = &wanted.name;
    let mut set = |index: Option<&str>, wants: Option<InsightsMode>, is: Option<InsightsMode>| {
        if wants == is {
            return;
        }
        let action = if wants.is_some() { "ENABLE" } else { "DISABLE" };
        let mut body = json!({ "TableName": name, "ContributorInsightsAction": action });
        if let Some(mode) = wants {
            body["ContributorInsightsMode"] = json!(mode);
        }
        let mut says = format!("Contributor Insights {}", if wants.is_some() { "on" } else { "off" });
        if let Some(index) = index {
            body["IndexName"] = json!(index);
            says = format!("{says} for the index {index}");
        }
        steps.push(Step::on_table(name, says, "UpdateContributorInsights", body));
    };
    set(None, wanted.insights, live.insights);
    for index in &wanted.global_indexes {
        let is = live.global_index(&index.index_name).and_then(|index| index.insights);
        set(Some(&index.index_name), index.insights, is);
    }
}
