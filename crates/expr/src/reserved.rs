//! Words that may not name an attribute in an expression.

const COUNT: usize = 573;
const LONGEST: usize = 14;

/// The words in upper case, sorted.
static WORDS: [&str; COUNT] = split(include_str!("reserved-words.txt"));

/// Splits the list at its line ends while compiling.
const fn split(text: &'static str) -> [&'static str; COUNT] {
    let mut words = [""; COUNT];
    let (mut rest, mut count) = (text.as_bytes(), 0);
    while count < COUNT {
        let mut end = 0;
        while end < rest.len() && rest[end] != b'\n' {
            end += 1;
        }
        let (word, tail) = rest.split_at(end);
        words[count] = match std::str::from_utf8(word) {
            Ok(word) => word,
            Err(_) => panic!("the reserved words are ASCII"),
        };
        rest = match tail.split_first() {
            Some((_, after)) => after,
            None => tail,
        };
        count += 1;
    }
    words
}

/// Where in the list the words of each letter begin, and where the list ends.
static LETTERS: [usize; 27] = letters();

const fn letters() -> [usize; 27] {
    let mut starts = [COUNT; 27];
    let mut at = COUNT;
    while at > 0 {
        at -= 1;
        let mut letter = (WORDS[at].as_bytes()[0] - b'A') as usize + 1;
        // A letter without words begins where the next one does.
        while letter > 0 && starts[letter - 1] > at {
            letter -= 1;
            starts[letter] = at;
        }
    }
    starts
}

/// Whether a word is reserved, in whatever case it is written.
pub(crate) fn is_reserved(word: &str) -> bool {
    let Some(letter) = word.bytes().next().filter(u8::is_ascii_alphabetic) else { return false };
    // The words are letters only.
    if word.len() > LONGEST || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let letter = (letter.to_ascii_uppercase() - b'A') as usize;
    let candidates = &WORDS[LETTERS[letter]..LETTERS[letter + 1]];
    candidates.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_sorted() {
        assert_eq!((WORDS[0], WORDS[COUNT - 1]), ("ABORT", "ZONE"));
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(WORDS.iter().map(|word| word.len()).max(), Some(LONGEST));
        assert_eq!(include_str!("reserved-words.txt").lines().count(), COUNT);
    }

    #[test]
    fn every_word_is_found() {
        for word in include_str!("reserved-words.txt").lines() {
            assert!(is_reserved(word) && is_reserved(&word.to_lowercase()), "{word}");
            assert!(!is_reserved(&format!("{word}x")), "{word}");
        }
    }

    #[test]
    fn words_are_reserved_in_any_case() {
        for (word, reserved) in
            [("name", true), ("STATUS", true), ("aBoRt", true), ("pk", false), ("", false)]
        {
            assert_eq!(is_reserved(word), reserved, "{word}");
        }
        assert!(!is_reserved("a_name_that_is_longer_than_any_reserved_word"));
    }
}
