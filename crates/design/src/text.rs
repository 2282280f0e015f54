//! Figures as people read them.

use dynamometer_capacity::quantity::thousands;

/// Thousandths with up to two decimals and commas between thousands: `1,234`, `33.5`, `0.13`.
pub fn milli(milli: u64) -> String {
    if milli > 0 && milli < 5 {
        return "<0.01".into();
    }
    let hundredths = milli.saturating_add(5) / 10;
    let fraction = format!("{:02}", hundredths % 100);
    let whole = thousands(&(hundredths / 100).to_string());
    match fraction.trim_end_matches('0') {
        "" => whole,
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Thousandths of half units as units.
pub fn units(milli_halves: u64) -> String {
    milli(milli_halves / 2)
}

/// Millionths per second: `100/s`, `6/min`, `3/h`, `1/day`.
pub fn rate(micro: u64) -> String {
    let scaled = |seconds: u64| milli((u128::from(micro) * u128::from(seconds) / 1_000) as u64);
    match micro {
        0 => "0".into(),
        100_000.. => format!("{}/s", scaled(1)),
        16_000.. => format!("{}/min", scaled(60)),
        277.. => format!("{}/h", scaled(3_600)),
        _ => format!("{}/day", scaled(86_400)),
    }
}

/// Bytes: `300 B`, `1.5 KB`, `2 MB`, `3.1 GB`.
pub fn bytes(bytes: u64) -> String {
    let in_units = |shift: u32| milli(((u128::from(bytes) * 1_000) >> shift) as u64);
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KB", in_units(10)),
        1_048_576..1_073_741_824 => format!("{} MB", in_units(20)),
        _ => format!("{} GB", in_units(30)),
    }
}

/// A count: `1,200`, `2.5 M`.
pub fn count(count: u64) -> String {
    match count {
        0..1_000_000 => thousands(&count.to_string()),
        1_000_000..1_000_000_000 => format!("{} M", milli(count / 1_000)),
        _ => format!("{} G", milli(count / 1_000_000)),
    }
}

/// `1 error`, `2 errors`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [0, 3, 130, 1_500, 33_500, 1_234_567].map(milli),
            ["0", "<0.01", "0.13", "1.5", "33.5", "1,234.57"]
        );
        assert_eq!([0, 100_000_000, 16_667, 278, 12].map(rate), ["0", "100/s", "1/min", "1/h", "1.04/day"]);
        assert_eq!([300, 1_536, 2 << 20, 3 << 30].map(bytes), ["300 B", "1.5 KB", "2 MB", "3 GB"]);
        assert_eq!([1_200, 2_500_000].map(count), ["1,200", "2.5 M"]);
        assert_eq!((plural(1, "error"), plural(2, "error")), ("1 error".into(), "2 errors".into()));
    }
}
