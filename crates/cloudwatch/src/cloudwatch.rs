//! What one database has of CloudWatch.

use dynamometer_types::Timestamp;

use crate::alarms::{Alarm, AlarmBook};
use crate::fault::Fault;
use crate::insights::Insights;
use crate::ops::{self, Operation};
use crate::shelf::Shelf;
use crate::value::{Members, Value};

/// Metrics, alarms and insight rules.
#[derive(Clone, Debug, Default)]
pub struct CloudWatch {
    /// The metrics.
    pub shelf: Shelf,
    /// The alarms.
    pub alarms: AlarmBook,
    /// The insight rules.
    pub insights: Insights,
}

/// What an operation may know of its call.
#[derive(Debug)]
pub struct Call<'a> {
    /// The time.
    pub now: Timestamp,
    /// The region in ARNs.
    pub region: &'a str,
    /// The account in ARNs.
    pub account: &'a str,
    /// Alarms that another service keeps, such as those of target tracking: shown, and not to be changed here.
    pub managed: &'a [Alarm],
}

impl Call<'_> {
    /// The ARN of an alarm.
    pub fn alarm_arn(&self, name: &str) -> String {
        format!("arn:aws:cloudwatch:{}:{}:alarm:{name}", self.region, self.account)
    }

    /// Refuses to do something with alarms of which another service keeps one.
    ///
    /// # Errors
    /// `InvalidParameterValue`, which names the alarm.
    pub(crate) fn refuse_managed(&self, names: &[&str], what: &str) -> Result<(), Fault> {
        match self.managed.iter().find(|alarm| names.contains(&alarm.name.as_str())) {
            None => Ok(()),
            Some(alarm) => Err(Fault::invalid(format!(
                "The alarm {} is kept by a scaling policy: {what} that instead.",
                alarm.name
            ))),
        }
    }
}

impl CloudWatch {
    /// Answers a call of an operation.
    ///
    /// # Errors
    /// As AWS's, or close to them where its words are not known.
    pub fn answer(
        &mut self,
        operation: &Operation,
        call: &Call<'_>,
        request: &Value,
    ) -> Result<Value, Fault> {
        match operation.handler {
            Some(handler) => handler(self, call, &Members::of(request)?),
            None => Err(ops::not_available(operation.name)),
        }
    }

    /// Closes a minute that ends at `end`, after its data was published: alarms look at it.
    pub fn close_minute(&mut self, end: Timestamp) {
        self.alarms.evaluate(&self.shelf, end);
        self.shelf.minute_is_over(end);
    }
}
