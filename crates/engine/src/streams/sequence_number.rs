//! Sequence numbers as clients see them.

use std::fmt;
use std::str::FromStr;

use dynamometer_store::Appended;

/// Where a record stands in its stream, as 28 digits: a 1, the number of the commit in 20 digits, and the place in its
/// batch in 7. Consumers compare sequence numbers as whole numbers, or as texts: both give the order of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SequenceNumber(pub Appended);

/// How many digits one has. AWS's have 21 to 40.
const DIGITS: usize = 28;

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1{:020}{:07}", self.0.sequence, self.0.place)
    }
}

/// The text is no sequence number that a stream of this server has given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSequenceNumber;

impl FromStr for SequenceNumber {
    type Err = NoSequenceNumber;

    fn from_str(text: &str) -> Result<SequenceNumber, NoSequenceNumber> {
        let is_one = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = text.strip_prefix('1').filter(|_| is_one).ok_or(NoSequenceNumber)?;
        let (sequence, place) = digits.split_at(20);
        Ok(SequenceNumber(Appended {
            sequence: sequence.parse().map_err(|_| NoSequenceNumber)?,
            place: place.parse().map_err(|_| NoSequenceNumber)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_as_commits_are_and_come_back() {
        let at = |sequence, place| SequenceNumber(Appended { sequence, place });
        let numbers = [at(0, 0), at(0, 1), at(9, 9_999_999), at(10, 0), at(u64::MAX, 0)];
        let texts = numbers.map(|number| number.to_string());
        assert!(texts.is_sorted_by(|a, b| a < b) && texts.iter().all(|text| text.len() == 28), "{texts:?}");
        assert_eq!(texts.each_ref().map(|text| text.parse()), numbers.map(Ok));
        for wrong in
            ["", "1", "2000000000000000000000000000", "1999999999999999999990000000", &"1".repeat(40)]
        {
            assert_eq!(wrong.parse::<SequenceNumber>(), Err(NoSequenceNumber), "{wrong}");
        }
    }
}
