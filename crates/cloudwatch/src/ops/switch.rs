//! EnableAlarmActions, DisableAlarmActions, EnableInsightRules, DisableInsightRules.

use super::nothing;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::value::{Answer, Members, Value};

pub(super) fn enable_alarm_actions(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    switch_actions(cloudwatch, call, members, true)
}

pub(super) fn disable_alarm_actions(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    switch_actions(cloudwatch, call, members, false)
}

/// Alarms that are not there are passed over, as the model has no error for them.
fn switch_actions(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
    enabled: bool,
) -> Result<Value, Fault> {
    let names = members.texts("AlarmNames", 100)?.ok_or_else(|| members.missing("AlarmNames"))?;
    call.refuse_managed(&names, "change")?;
    for name in names {
        cloudwatch.alarms.change(name, |alarm| alarm.actions_enabled = enabled);
    }
    Ok(nothing())
}

pub(super) fn enable_insight_rules(
    cloudwatch: &mut CloudWatch,
    _call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    switch_rules(cloudwatch, members, true)
}

pub(super) fn disable_insight_rules(
    cloudwatch: &mut CloudWatch,
    _call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    switch_rules(cloudwatch, members, false)
}

fn switch_rules(cloudwatch: &mut CloudWatch, members: &Members<'_>, enabled: bool) -> Result<Value, Fault> {
    let names = members.texts("RuleNames", 100)?.ok_or_else(|| members.missing("RuleNames"))?;
    let missing = names.into_iter().filter(|name| !cloudwatch.insights.set_enabled(name, enabled));
    let failure = |name: &str| {
        Answer::new()
            .with("FailureResource", name)
            .with("ExceptionType", "ResourceNotFoundException")
            .with("FailureCode", "404")
            .with("FailureDescription", "There is no rule of this name.")
    };
    Ok(Answer::new().with("Failures", missing.map(failure).collect::<Vec<_>>()).into())
}
