//! The known word that a wrong one was probably meant to be.

/// The nearest of the known words, if it is near enough to be offered: at most a third of its letters differ, whatever their
/// case, and `_`, `-` and spaces are the same.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let word = folded(word);
    let letters = |text: &str| text.chars().count();
    known
        .into_iter()
        .map(|candidate| (distance(&word, &folded(candidate)), candidate))
        .filter(|(distance, candidate)| distance * 3 <= letters(&word).max(letters(candidate)).max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be put in, left out, changed or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // The first row and the first column: everything is put in or left out.
    let cell = |row: usize, column: usize| {
        if row == 0 {
            column
        } else if column == 0 {
            row
        } else {
            0
        }
    };
    let row = |row: usize| (0..=other.len()).map(|column| cell(row, column)).collect::<Vec<usize>>();
    let mut rows: Vec<Vec<usize>> = (0..=one.len()).map(row).collect();
    for i in 1..=one.len() {
        for j in 1..=other.len() {
            let change = usize::from(one[i - 1] != other[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_find_their_word_and_strangers_none() {
        let known = ["projection", "keys", "point-in-time-recovery", "注文詳細取得"];
        for (word, found) in [
            ("", None),
            ("Keys", Some("keys")),
            ("注文詳細", Some("注文詳細取得")),
            ("projecton", Some("projection")),
            ("porjection", Some("projection")),
            ("key", Some("keys")),
            ("point_in_time_recovery", Some("point-in-time-recovery")),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, known), found, "{word}");
        }
    }
}
