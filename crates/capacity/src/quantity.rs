//! Quantities as people write them: rates, sizes, shares, moments, spans. Each error says what could be written.

use dynamometer_types::{Timestamp, parse_duration_ms};

/// Reads a decimal number without a sign as a whole number of its last place: `1.5` with three places is 1,500.
pub fn decimal(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || fraction.len() > places
        || !digits(whole)
        || !digits(fraction)
        || text.ends_with('.')
    {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok()
}

/// The number that a text begins with, and what follows.
fn number_and_rest(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number, rest.trim_start())
}

/// `200/s`, `12000/min`, `1.5M/day`, or a number of requests per second; in thousandths per second.
///
/// # Errors
/// What could be written instead, as for everything that is read here.
pub fn rate(text: &str) -> Result<u64, String> {
    match rate_micro(text).map(|micro| (micro / 500).div_ceil(2)) {
        Ok(0) if rate_micro(text) != Ok(0) => {
            Err(format!("`{text}` is less than one request in a thousand seconds"))
        }
        other => other,
    }
}

/// A rate as [`rate()`] reads it, in millionths per second: once a day is 12 of them.
///
/// # Errors
/// What could be written instead.
pub fn rate_micro(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("`{text}` is no rate: write requests by time, such as 200/s, 12000/min, 40k/h or 3M/day");
    let (amount, span) = text.trim().split_once('/').unwrap_or((text.trim(), "s"));
    let (number, factor) = number_and_rest(amount.trim());
    let factor = match factor {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        _ => return Err(wrong()),
    };
    let seconds = match span.trim() {
        "s" | "sec" | "second" => 1,
        "min" | "minute" => 60,
        "h" | "hour" => 3_600,
        "d" | "day" => 86_400,
        "month" => 2_628_000,
        _ => return Err(wrong()),
    };
    // In millionths first, so that a request a month is not nothing.
    let too_many = || format!("`{text}` is more than ten million requests a second");
    let micro = match decimal(number, 6) {
        Some(micro) => u128::from(micro) * factor,
        // More digits than a number has here.
        None if number.len() > 13 && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Err(too_many());
        }
        None => return Err(wrong()),
    };
    let per_second = (micro + seconds / 2) / seconds;
    match u64::try_from(per_second).ok().filter(|micro| *micro <= 10_000_000_000_000) {
        Some(0) if micro > 0 => Err(format!("`{text}` is less than one request in eleven days")),
        Some(per_second) => Ok(per_second),
        None => Err(too_many()),
    }
}

/// `700`, `300B`, `1.5KB`, `2MB`, `30GB`, `1TB`; a KB has 1,024 bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size: write a number with B, KB, MB, GB or TB, such as 1.5KB");
    let (number, unit) = number_and_rest(text.trim());
    let shift = match unit {
        "" | "B" => 0,
        "KB" | "KiB" | "kB" => 10,
        "MB" | "MiB" => 20,
        "GB" | "GiB" => 30,
        "TB" | "TiB" => 40,
        _ => return Err(wrong()),
    };
    let micro = u128::from(decimal(number, 6).ok_or_else(wrong)?);
    u64::try_from((micro << shift) / 1_000_000).map_err(|_| wrong())
}

/// Sizes with their shares: `1.5KB`, or `300B 70%, 4KB 30%`; each as bytes and a weight.
pub fn sizes(text: &str) -> Result<Vec<(u64, u32)>, String> {
    let mut sizes = Vec::new();
    for part in text.split(',') {
        let (bytes, share) = match part.trim().split_once(' ') {
            Some((bytes, share)) => (size(bytes)?, percent(share)?),
            None => (size(part)?, 1_000_000),
        };
        if share == 0 {
            return Err(format!("`{text}` has a size with a share of nothing"));
        }
        sizes.push((bytes, u32::try_from(share).unwrap_or(u32::MAX)));
    }
    if sizes.len() > 1 && sizes.iter().map(|(_, share)| u64::from(*share)).sum::<u64>() != 1_000_000 {
        return Err(format!(
            "`{text}` has shares that do not make 100 % together: write them as 300B 70%, 4KB 30%"
        ));
    }
    Ok(sizes)
}

/// `70%`, `70 %` or `0.5%`, from 0 to 100; in parts per million.
pub fn percent(text: &str) -> Result<u64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim);
    number
        .and_then(|number| decimal(number, 4))
        .filter(|ppm| *ppm <= 1_000_000)
        .ok_or_else(|| format!("`{text}` is no share: write a number from 0 to 100 with %, such as 70%"))
}

/// `x12` or `12`, in thousandths.
pub fn times(text: &str) -> Result<u64, String> {
    let number = text.trim().trim_start_matches('x');
    decimal(number, 3)
        .filter(|milli| *milli <= 1_000_000_000)
        .ok_or_else(|| format!("`{text}` is no multiple: write it as x12 or x1.5"))
}

/// A duration of whole seconds, such as `90s`, `20m`, `1h30m`, `1.5h` or `30d`; in seconds.
pub fn span(text: &str) -> Result<u64, String> {
    let millis = parse_duration_ms(text)?;
    let seconds = u64::try_from(millis).ok().filter(|millis| *millis > 0 && millis % 1_000 == 0);
    seconds
        .map(|millis| millis / 1_000)
        .ok_or_else(|| format!("`{text}` is no span of whole seconds: write it as 90s, 20m or 1h30m"))
}

/// A number of days, such as 30 or 0.25; in minutes, rounded.
pub fn days(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no number of days: write it as 30 or 0.25");
    let days = decimal(text.trim(), 4).ok_or_else(wrong)?;
    days.checked_mul(1_440).map(|minutes| (minutes + 5_000) / 10_000).ok_or_else(wrong)
}

/// `2026-07-01`, `2026-07-01T10:00`, `2026-07-01 10:00:00`, `2026/07/01 10:00:00+00:00`, or seconds since 1970; UTC unless
/// an offset says otherwise.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    read_moment(text.trim())
        .ok_or_else(|| format!("`{text}` is no moment: write it in UTC as 2026-07-01T10:00 or 2026-07-01"))
}

fn read_moment(text: &str) -> Option<Timestamp> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: i64 = text.parse().ok().filter(|seconds| *seconds < 100_000_000_000)?;
        return Some(Timestamp::from_millis(seconds * 1_000));
    }
    let date = text.get(..10)?;
    let separator = if date.contains('/') { '/' } else { '-' };
    let mut parts = date.split(separator);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let rest = &text[10..];
    let (clock, offset_minutes) = match rest.strip_prefix(['T', ' ']) {
        None if rest.is_empty() => ("00:00", 0),
        None => return None,
        Some(rest) => split_offset(rest)?,
    };
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| digits(second, 2))?;
    if parts.next().is_some() || !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    let found = Timestamp::from_millis(days * 86_400_000).civil();
    // The 31st of June is none.
    if (found.0, i64::from(found.1), i64::from(found.2)) != (year, month, day) {
        return None;
    }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset_minutes * 60;
    Some(Timestamp::from_millis(seconds * 1_000))
}

fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// The time of day and the minutes that it is ahead of UTC.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix('Z') {
        return Some((clock, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let (hours, minutes) = text[at + 1..].split_once(':')?;
    let minutes = digits(hours, 2)? * 60 + digits(minutes, 2)?;
    Some((text[..at].trim_end(), if text[at..].starts_with('-') { -minutes } else { minutes }))
}

/// Days since 1970 of a date in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// `2026-07-01 10:02`.
pub fn minute_text(at: Timestamp) -> String {
    let (year, month, day, hour, minute, ..) = at.civil();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// Dollars with cents, and commas between thousands.
pub fn dollars(amount: crate::money::Money) -> String {
    let text = amount.rounded(2);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, cents) = text.split_once('.').unwrap_or((text, "00"));
    format!("{sign}${}.{cents}", thousands(whole))
}

/// Digits with commas between thousands.
pub fn thousands(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Parts per million as a percentage with so many decimals; something is never shown as nothing.
pub fn percent_text(ppm: u64, decimals: usize) -> String {
    let unit = 10_u64.pow(4 - decimals.min(4) as u32);
    let rounded = ppm.saturating_add(unit / 2) / unit;
    let scale = 10_u64.pow(decimals as u32);
    let number = |parts: u64| match decimals {
        0 => format!("{parts}"),
        _ => format!("{}.{:0decimals$}", parts / scale, parts % scale),
    };
    match rounded {
        0 if ppm > 0 => format!("<{} %", number(1)),
        _ => format!("{} %", number(rounded)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        assert_eq!(
            ["200/s", "200", "12000/min", "0.72M/h", "1/h", "2.628M/month"].map(rate),
            [
                Ok(200_000),
                Ok(200_000),
                Ok(200_000),
                Ok(200_000),
                Err("`1/h` is less than one request in a thousand seconds".to_owned()),
                Ok(1_000)
            ]
        );
        assert_eq!(["1.5KB", "700", "300 B", "30GB"].map(size), [Ok(1_536), Ok(700), Ok(300), Ok(30 << 30)]);
        assert_eq!(sizes("300B 70%, 4KB 30%"), Ok(vec![(300, 700_000), (4_096, 300_000)]));
        assert_eq!(["70%", "0.5 %", "100%"].map(percent), [Ok(700_000), Ok(5_000), Ok(1_000_000)]);
        assert_eq!(["30", "0.25", "0"].map(days), [Ok(43_200), Ok(360), Ok(0)]);
        assert_eq!(["20m", "2h", "30d"].map(span), [Ok(1_200), Ok(7_200), Ok(2_592_000)]);
        for (text, printed) in [
            ("2026-07-01T10:00", "2026-07-01T10:00:00.000Z"),
            ("2026-07-01", "2026-07-01T00:00:00.000Z"),
            ("2026/06/30 23:59:59", "2026-06-30T23:59:59.000Z"),
            ("2026-07-01T10:00:00.000+09:00", "2026-07-01T01:00:00.000Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
            ("1782864000", "2026-07-01T00:00:00.000Z"),
        ] {
            assert_eq!(moment(text).map(|at| at.to_string()), Ok(printed.to_owned()));
        }
    }

    #[test]
    fn what_is_none_says_what_would_be() {
        for text in ["", "fast", "1,5/s", "5/fortnight", "-1/s", "1e9", "1./s"] {
            assert!(rate(text).unwrap_err().contains("200/s"), "{text}");
        }
        for text in ["", "KB", "1.5 pages", "99999999999TB"] {
            assert!(size(text).unwrap_err().contains("1.5KB"), "{text}");
        }
        for text in ["-1", "month", "0.00001"] {
            assert!(days(text).unwrap_err().contains("0.25"), "{text}");
        }
        for text in ["70", "101%", "-1%", "%"] {
            assert!(percent(text).unwrap_err().contains("70%"), "{text}");
        }
        assert!(sizes("300B 70%, 4KB 20%").unwrap_err().contains("100 %"));
        for text in
            ["soon", "2026-06-31", "2026-7-1", "2026-07-01T25:00", "2026-07-01T10:00:00:00", "07/01/2026"]
        {
            assert!(moment(text).unwrap_err().contains("2026-07-01T10:00"), "{text}");
        }
    }

    #[test]
    fn figures_are_shown_for_people() {
        use crate::money::Money;
        assert_eq!(dollars(Money::from_dollars(1_234_567)), "$1,234,567.00");
        assert_eq!(dollars(Money::from_picos(804_825_000_000_000)), "$804.83");
        assert_eq!(percent_text(4_100, 2), "0.41 %");
        assert_eq!(percent_text(1, 2), "<0.01 %");
        assert_eq!(percent_text(384_000, 0), "38 %");
        assert_eq!(percent_text(0, 2), "0.00 %");
    }
}
