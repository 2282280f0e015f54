//! DescribeAlarms.

use super::page::page;
use crate::alarms::{Alarm, State};
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::value::{Answer, Members, Value};

const TYPES: [&str; 3] = ["CompositeAlarm", "MetricAlarm", "LogAlarm"];

/// The alarms, those of scaling policies included, in order of their names.
pub(super) fn describe_alarms(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    members.refuse(&["ChildrenOfAlarmName", "ParentsOfAlarmName"])?;
    let names = members.texts("AlarmNames", 100)?.filter(|names| !names.is_empty());
    let prefix = members.text_of("AlarmNamePrefix", 1, 255)?;
    if names.is_some() && prefix.is_some() {
        return Err(Fault::combination(
            "The parameters AlarmNames and AlarmNamePrefix are mutually exclusive and you have specified both.",
        ));
    }
    let state = members.one_of("StateValue", &State::NAMES)?.and_then(State::read);
    let action = members.text_of("ActionPrefix", 1, 1024)?;
    let most = members.integer("MaxRecords", 1, 100)?.unwrap_or(50) as usize;
    let types = members.texts("AlarmTypes", TYPES.len())?.filter(|types| !types.is_empty());
    let is_wanted = types.is_none_or(|types| types.contains(&"MetricAlarm"));
    let is_asked = |alarm: &&Alarm| {
        is_wanted
            && names.as_ref().is_none_or(|names| names.contains(&alarm.name.as_str()))
            && prefix.is_none_or(|prefix| alarm.name.starts_with(prefix))
            && state.is_none_or(|state| alarm.state == state)
            && action
                .is_none_or(|prefix| alarm.actions.iter().flatten().any(|action| action.starts_with(prefix)))
    };
    let mut alarms: Vec<&Alarm> = cloudwatch.alarms.all().chain(call.managed).filter(is_asked).collect();
    alarms.sort_by(|one, other| one.name.cmp(&other.name));
    let (alarms, next) = page(members, alarms, most)?;
    let alarms: Vec<Value> = alarms.into_iter().map(Alarm::to_value).collect();
    Ok(Answer::new()
        .with("CompositeAlarms", Value::List(Vec::new()))
        .with("MetricAlarms", alarms)
        .with_some("NextToken", next)
        .into())
}
