//! DeleteAlarms.

use super::nothing;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::value::{Members, Value};

/// Deletes alarms; all of them or none.
pub(super) fn delete_alarms(
    cloudwatch: &mut CloudWatch,
    call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let names = members.texts("AlarmNames", 100)?.ok_or_else(|| members.missing("AlarmNames"))?;
    if let Some(managed) = call.managed.iter().find(|alarm| names.contains(&alarm.name.as_str())) {
        return Err(Fault::invalid(format!(
            "The alarm {} is kept by a scaling policy: delete that instead.",
            managed.name
        )));
    }
    cloudwatch.alarms.delete(&names, call.now)?;
    Ok(nothing())
}
