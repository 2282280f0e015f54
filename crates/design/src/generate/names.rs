//! Names of a design as identifiers of programming languages. Letters of any script stay; what is no letter parts words.

use std::collections::BTreeSet;

/// The words of a name, as they were written.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut behind_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            words.push(String::new());
            behind_lower = false;
            continue;
        }
        if character.is_uppercase() && behind_lower {
            words.push(String::new());
        }
        behind_lower = character.is_lowercase() || character.is_ascii_digit();
        if let Some(word) = words.last_mut() {
            word.push(character);
        }
    }
    words.retain(|word| !word.is_empty());
    if words.is_empty() {
        words.push("unnamed".into());
    }
    words
}

fn begin_with_letter(name: String) -> String {
    if name.starts_with(|c: char| c.is_numeric()) { format!("n{name}") } else { name }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let rest = |letters: std::str::Chars<'_>| letters.as_str().to_owned();
    letters.next().map_or(String::new(), |first| format!("{}{}", first.to_uppercase(), rest(letters)))
}

/// `user_order`.
pub(super) fn snake(name: &str) -> String {
    let words: Vec<String> = words(name).iter().map(|word| word.to_lowercase()).collect();
    begin_with_letter(words.join("_"))
}

/// `USER_ORDER`.
pub(super) fn screaming(name: &str) -> String {
    snake(name).to_uppercase()
}

/// `UserOrder`.
pub(super) fn pascal(name: &str) -> String {
    let words: String = words(name).iter().map(|word| capitalised(word)).collect();
    let name = begin_with_letter(words);
    if name.starts_with('n') && name.chars().nth(1).is_some_and(char::is_numeric) {
        capitalised(&name)
    } else {
        name
    }
}

/// `userOrder`.
pub(super) fn camel(name: &str) -> String {
    let words = words(name);
    let first = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let rest: String = words.iter().skip(1).map(|word| capitalised(word)).collect();
    begin_with_letter(format!("{first}{rest}"))
}

/// A text in quotes, as YAML and the three languages write it.
pub(super) fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text as it stands in a comment: on one line, and without what ends a block of remarks in TypeScript.
pub(super) fn remark(text: &str) -> String {
    let one_line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line.replace("*/", "* /")
}

/// A text as it stands in a documentation string of Python.
pub(super) fn docstring(text: &str) -> String {
    remark(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Names that are taken: a second one of the same name gets a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Names with some that cannot be had: a language's keywords.
    pub(super) fn without(reserved: &[&str]) -> Names {
        Names { taken: reserved.iter().map(|word| (*word).to_owned()).collect() }
    }

    /// The name, or with a number if it is taken.
    pub(super) fn take(&mut self, name: String) -> String {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let free = free.unwrap_or(name);
        self.taken.insert(free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, forms) in [
            ("UserOrder", ["user_order", "UserOrder", "userOrder"]),
            ("order line", ["order_line", "OrderLine", "orderLine"]),
            ("resource_key", ["resource_key", "ResourceKey", "resourceKey"]),
            ("注文", ["注文", "注文", "注文"]),
            ("GSI1PK", ["gsi1_pk", "GSI1PK", "gsi1PK"]),
            ("2nd", ["n2nd", "N2nd", "n2nd"]),
        ] {
            assert_eq!([snake(name), pascal(name), camel(name)], forms, "{name}");
        }
        let mut names = Names::without(&["type"]);
        assert_eq!(
            [names.take("type".into()), names.take("a".into()), names.take("a".into())],
            ["type2", "a", "a2"]
        );
    }
}
