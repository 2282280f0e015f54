//! Percentiles and medians.

/// The value below which this share (0 to 1) of the values lies. Reorders the values.
pub fn percentile(values: &mut [u64], share: f64) -> u64 {
    if values.is_empty() {
        return 0;
    }
    let index = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len()) - 1;
    *values.select_nth_unstable(index).1
}

/// The middle value; of an even count, the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut values: Vec<u64> = (1..=1000).rev().collect();
        assert_eq!(percentile(&mut values, 0.5), 500);
        assert_eq!(percentile(&mut values, 0.99), 990);
        assert_eq!(percentile(&mut values, 0.999), 999);
        assert_eq!(percentile(&mut values, 1.0), 1000);
        assert_eq!(percentile(&mut [7], 0.5), 7);
        assert_eq!(percentile(&mut [], 0.5), 0);
    }

    #[test]
    fn medians_ignore_one_disturbed_round() {
        assert!((median(&[10.0, 90.0, 11.0]) - 11.0).abs() < f64::EPSILON);
        assert!((median(&[1.0, 2.0]) - 1.5).abs() < f64::EPSILON);
        assert!(median(&[]).abs() < f64::EPSILON);
    }
}
