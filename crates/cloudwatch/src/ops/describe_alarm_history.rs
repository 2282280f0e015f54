//! DescribeAlarmHistory.

use super::page::page;
use crate::alarms::HistoryItem;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::value::{Answer, Members, Value};

/// What happened to alarms, newest first. No action is ever in it, because none is taken.
pub(super) fn describe_alarm_history(
    cloudwatch: &mut CloudWatch,
    _call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    members.refuse(&["AlarmContributorId"])?;
    let name = members.text_of("AlarmName", 1, 255)?;
    let kind = members.one_of("HistoryItemType", &["ConfigurationUpdate", "StateUpdate", "Action"])?;
    let (start, end) = (members.time("StartDate")?, members.time("EndDate")?);
    let most = members.integer("MaxRecords", 1, 100)?.unwrap_or(50) as usize;
    let ascending = members.one_of("ScanBy", &["TimestampDescending", "TimestampAscending"])?
        == Some("TimestampAscending");
    let is_asked = |item: &&HistoryItem| {
        name.is_none_or(|name| name == item.alarm)
            && kind.is_none_or(|kind| kind == item.kind)
            && start.is_none_or(|start| item.at >= start)
            && end.is_none_or(|end| item.at <= end)
    };
    let mut items: Vec<&HistoryItem> = cloudwatch.alarms.history().filter(is_asked).collect();
    if !ascending {
        items.reverse();
    }
    let (items, next) = page(members, items, most)?;
    let item = |item: &HistoryItem| {
        Answer::new()
            .with("AlarmName", item.alarm.as_str())
            .with("AlarmType", "MetricAlarm")
            .with("Timestamp", item.at)
            .with("HistoryItemType", item.kind)
            .with("HistorySummary", item.summary.as_str())
            .with("HistoryData", item.data.as_str())
    };
    let items: Vec<Answer> = items.into_iter().map(item).collect();
    Ok(Answer::new().with("AlarmHistoryItems", items).with_some("NextToken", next).into())
}
