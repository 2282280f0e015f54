//! The names and values that a request gives to its expressions.

use std::cell::Cell;

use dynamometer_types::AttributeValue;

use crate::error::{ExpressionError, Stage};

/// Up to this many placeholders are searched one by one.
const FEW: usize = 12;
/// The longest placeholder in bytes, with its `#` or `:`.
const LONGEST: usize = 255;

/// `ExpressionAttributeNames` and `ExpressionAttributeValues` of one request.
///
/// Remembers which of them were used by the expressions parsed with it, because AWS refuses a request that gives
/// more than its expressions use.
pub struct Placeholders<'a> {
    names: Table<'a, String>,
    values: Table<'a, AttributeValue>,
}

impl<'a> Placeholders<'a> {
    /// The placeholders of a request; `None` for a member that it does not have. Keys keep their `#` and `:`.
    pub fn new(
        names: Option<&'a [(String, String)]>,
        values: Option<&'a [(String, AttributeValue)]>,
    ) -> Placeholders<'a> {
        Placeholders {
            names: Table::new("ExpressionAttributeNames", '#', names),
            values: Table::new("ExpressionAttributeValues", ':', values),
        }
    }

    /// Refuses an empty `ExpressionAttributeNames` and placeholders in it that cannot stand in an expression.
    ///
    /// # Errors
    /// [`Stage::Syntax`], without a prefix.
    pub fn check_names(&self) -> Result<(), ExpressionError> {
        self.names.check_keys()
    }

    /// Refuses an empty `ExpressionAttributeValues` and placeholders in it that cannot stand in an expression.
    ///
    /// # Errors
    /// [`Stage::Syntax`], without a prefix.
    pub fn check_values(&self) -> Result<(), ExpressionError> {
        self.values.check_keys()
    }

    /// Refuses placeholders that no expression used: names first, then values. Call it after every expression
    /// of the request was parsed.
    ///
    /// # Errors
    /// [`Stage::Meaning`], without a prefix; lists the placeholders sorted.
    pub fn check_all_used(&self) -> Result<(), ExpressionError> {
        self.names.check_all_used()?;
        self.values.check_all_used()
    }

    /// The attribute name of `#name`, which counts as used from now on.
    pub(crate) fn name(&self, placeholder: &str) -> Option<&'a str> {
        self.names.get(placeholder).map(String::as_str)
    }

    /// The value of `:value`, which counts as used from now on.
    pub(crate) fn value(&self, placeholder: &str) -> Option<&'a AttributeValue> {
        self.values.get(placeholder)
    }
}

/// One map of placeholders.
struct Table<'a, T> {
    member: &'static str,
    sigil: char,
    entries: Option<&'a [(String, T)]>,
    used: Box<[Cell<bool>]>,
    /// Positions in the order of the placeholders; empty when there are few.
    sorted: Box<[u32]>,
}

impl<'a, T> Table<'a, T> {
    fn new(member: &'static str, sigil: char, entries: Option<&'a [(String, T)]>) -> Table<'a, T> {
        let list = entries.unwrap_or(&[]);
        let mut sorted: Box<[u32]> =
            if list.len() > FEW { (0..list.len() as u32).collect() } else { [].into() };
        sorted.sort_by_key(|at| &list[*at as usize].0);
        Table { member, sigil, entries, used: list.iter().map(|_| Cell::new(false)).collect(), sorted }
    }

    fn get(&self, placeholder: &str) -> Option<&'a T> {
        let list = self.entries?;
        let at = if self.sorted.is_empty() {
            list.iter().position(|(key, _)| key == placeholder)?
        } else {
            let found =
                self.sorted.binary_search_by(|at| list[*at as usize].0.as_str().cmp(placeholder)).ok()?;
            self.sorted[found] as usize
        };
        self.used[at].set(true);
        Some(&list[at].1)
    }

    fn check_keys(&self) -> Result<(), ExpressionError> {
        let Some(list) = self.entries else { return Ok(()) };
        let member = self.member;
        let fault = |message: String| Err(ExpressionError::bare(Stage::Syntax, message));
        if list.is_empty() {
            return fault(format!("{member} must not be empty"));
        }
        for (key, _) in list {
            if key.len() > LONGEST {
                let size = key.len();
                return fault(format!(
                    "{member} contains invalid key: The expression attribute map contains a key that is too \
                     long; size of key: {size}"
                ));
            }
            let word = key.strip_prefix(self.sigil).unwrap_or("");
            if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return fault(format!("{member} contains invalid key: Syntax error; key: \"{key}\""));
            }
        }
        Ok(())
    }

    fn check_all_used(&self) -> Result<(), ExpressionError> {
        let list = self.entries.unwrap_or(&[]);
        let unused = list.iter().zip(&self.used).filter(|(_, used)| !used.get());
        let mut unused: Vec<&str> = unused.map(|((key, _), _)| key.as_str()).collect();
        if unused.is_empty() {
            return Ok(());
        }
        unused.sort_unstable();
        let (member, keys) = (self.member, unused.join(", "));
        let message = format!("Value provided in {member} unused in expressions: keys: {{{keys}}}");
        Err(ExpressionError::bare(Stage::Meaning, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<(String, String)> {
        (0..count).map(|n| (format!("#n{n}"), format!("name {n}"))).collect()
    }

    #[test]
    fn few_and_many_placeholders_are_found_and_remembered() {
        for count in [3, 100] {
            let names = names(count);
            let placeholders = Placeholders::new(Some(&names), None);
            assert_eq!(placeholders.name("#n1"), Some("name 1"));
            assert_eq!(placeholders.name("#n"), None);
            for (placeholder, name) in names.iter().filter(|(key, _)| key != "#n2") {
                assert_eq!(placeholders.name(placeholder), Some(name.as_str()));
            }
            let message = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n2}";
            assert_eq!(placeholders.check_all_used().unwrap_err().message, message);
        }
    }

    #[test]
    fn unused_placeholders_are_listed_sorted_and_names_come_first() {
        let names = [("#b".to_string(), "b".to_string()), ("#a".to_string(), "a".to_string())];
        let values = [(":v".to_string(), AttributeValue::Null)];
        let both = Placeholders::new(Some(&names), Some(&values));
        let message = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}";
        assert_eq!(both.check_all_used().unwrap_err().message, message);
        let only_values = Placeholders::new(None, Some(&values));
        let message = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}";
        assert_eq!(only_values.check_all_used().unwrap_err().message, message);
        assert_eq!(Placeholders::new(None, None).check_all_used(), Ok(()));
    }

    #[test]
    fn keys_are_checked() {
        let long = format!("#{}", "a".repeat(255));
        let too_long = "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key \
                        that is too long; size of key: 256";
        let cases = [
            ("#a_0", None),
            ("#0", None),
            ("#_", None),
            ("a", Some("ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"")),
            ("#", Some("ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"")),
            ("#vé", Some("ExpressionAttributeNames contains invalid key: Syntax error; key: \"#vé\"")),
            (long.as_str(), Some(too_long)),
        ];
        for (key, expected) in cases {
            let names = [(key.to_string(), "n".to_string())];
            let found = Placeholders::new(Some(&names), None).check_names();
            assert_eq!(found.err().map(|error| error.message).as_deref(), expected, "{key}");
        }
        let empty = Placeholders::new(Some(&[]), Some(&[]));
        assert_eq!(empty.check_names().unwrap_err().message, "ExpressionAttributeNames must not be empty");
        assert_eq!(empty.check_values().unwrap_err().message, "ExpressionAttributeValues must not be empty");
        let values = [(":vé".to_string(), AttributeValue::Null)];
        assert_eq!(
            Placeholders::new(None, Some(&values)).check_values().unwrap_err().message,
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \":vé\""
        );
    }
}
