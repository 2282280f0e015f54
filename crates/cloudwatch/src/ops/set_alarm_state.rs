//! SetAlarmState.

use super::nothing;
use crate::alarms::State;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::{Fault, FaultKind};
use crate::value::{Members, Value};

/// Puts an alarm into a state, until it is next evaluated.
pub(super) fn set_alarm_state(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let name = members.required_text("AlarmName", 255)?;
    let state = members
        .one_of("StateValue", &State::NAMES)?
        .and_then(State::read)
        .ok_or_else(|| members.missing("StateValue"))?;
    let reason =
        members.text_of("StateReason", 0, 1023)?.ok_or_else(|| members.missing("StateReason"))?.to_owned();
    let data = members.text_of("StateReasonData", 0, 4000)?;
    if let Some(data) = data.filter(|data| !is_json(data)) {
        let words = format!("StateReasonData was not valid JSON: {data}");
        return Err(Fault::new(FaultKind::InvalidFormat, words));
    }
    call.refuse_managed(&[name], "change")?;
    if !cloudwatch.alarms.set_state(name, state, reason, data.map(str::to_owned), call.now) {
        let words = format!("No such alarm: {name}.");
        return Err(Fault::new(FaultKind::ResourceNotFound, words));
    }
    Ok(nothing())
}

#[expect(clippy::disallowed_methods, reason = "a text that must be JSON; nothing of it is read")]
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
