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
    call.refuse_managed(&names, "delete")?;
    cloudwatch.alarms.delete(&names, call.now)?;
    Ok(nothing())
}
