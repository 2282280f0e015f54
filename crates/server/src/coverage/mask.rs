//! Keys without what is in them: `USER#1042` becomes `USER#…`.
//!
//! Reports of requests without a pattern end up in logs. A piece of a key stays when it can only be the name of a kind: the
//! design spells it out, or it has capital letters alone. Anything else may be somebody's and goes.

use std::collections::HashSet;

use dynamometer_design::model::{Action, Design, Sort};
use dynamometer_design::template::{Part, Template};

/// What stands between the pieces of a key.
const SEPARATORS: [char; 5] = ['#', '|', ':', '/', '$'];
/// Longer pieces are no names.
const NAME_LENGTH: usize = 24;

/// The pieces that a design's own key templates spell out.
pub(super) fn literals(design: &Design) -> HashSet<String> {
    let mut literals = HashSet::new();
    let mut add = |template: &Template| {
        for part in template.parts() {
            if let Part::Literal(text) = part {
                literals.extend(text.split(SEPARATORS).filter(|piece| !piece.is_empty()).map(str::to_owned));
            }
        }
    };
    for entity in &design.entities {
        entity.keys.iter().for_each(|key| add(&key.template));
    }
    for pattern in &design.patterns {
        let Action::Read(read) = &pattern.action else { continue };
        read.key.iter().chain(&read.sort_equals).for_each(|key| add(&key.template));
        match read.sort.as_ref().map(|sort| &sort.value) {
            Some(Sort::Begins(template)) => add(template),
            Some(Sort::Between(from, to)) => from.iter().chain(to).for_each(&mut add),
            None => {}
        }
    }
    literals
}

/// A key value with `…` for every piece that is no name, and for several of them in a row.
pub(super) fn masked(value: &str, literals: &HashSet<String>) -> String {
    let is_name = |piece: &str| {
        literals.contains(piece)
            || piece.len() <= NAME_LENGTH
                && piece.starts_with(|c: char| c.is_ascii_uppercase())
                && piece.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    };
    let mut out = String::new();
    let mut was_masked = false;
    for piece in value.split_inclusive(SEPARATORS) {
        let name = piece.trim_end_matches(SEPARATORS);
        let is_masked = !name.is_empty() && !is_name(name);
        match (was_masked, is_masked) {
            // The separator between the two goes as well.
            (true, true) => {
                out.pop();
            }
            (false, true) => out.push('…'),
            (_, false) => out.push_str(name),
        }
        out.push_str(&piece[name.len()..]);
        was_masked = is_masked;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_and_names_stay() {
        let literals = HashSet::from(["order".to_owned()]);
        for (value, shown) in [
            ("USER#1042", "USER#…"),
            ("PROFILE", "PROFILE"),
            ("order#2026-06-01#x", "order#…"),
            ("order#2026-06-01T10:00:00Z#x#DETAIL", "order#…#DETAIL"),
            ("USER#7#ORDER#8", "USER#…#ORDER#…"),
            ("EMAIL#ALICE@EXAMPLE.COM", "EMAIL#…"),
            ("alice", "…"),
            ("42.5", "…"),
            ("$0", "$…"),
            ("", ""),
            ("STATUS#", "STATUS#"),
            ("注文#１", "…"),
            ("a#", "…#"),
        ] {
            assert_eq!(masked(value, &literals), shown, "{value}");
        }
    }
}
