//! Key templates: `USER#<userId>`, `<day>#<shard>`, `PROFILE`.

use std::fmt;

/// A key value with variables in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Characters that are always the same.
    Literal(String),
    /// The name of what varies.
    Variable(String),
}

/// What stands for the unknown value of a variable when a template is held against another: it is in no text.
const ANY: char = '\u{1}';

impl Template {
    /// Reads `USER#<userId>`.
    ///
    /// # Errors
    /// A sentence when an angle bracket is open or empty.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((literal, behind)) = rest.split_once('<') {
            let Some((variable, behind)) = behind.split_once('>') else {
                return Err(format!("`{text}` has a `<` without its `>`: write a variable as <userId>"));
            };
            if variable.trim().is_empty() || variable.contains('<') {
                return Err(format!("`{text}` has a variable without a name: write it as <userId>"));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            parts.push(Part::Variable(variable.trim().to_owned()));
            rest = behind;
        }
        if rest.contains('>') {
            return Err(format!("`{text}` has a `>` without its `<`: write a variable as <userId>"));
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        if text.chars().any(char::is_control) {
            return Err("a key value has no line breaks or other control characters".into());
        }
        match parts.is_empty() {
            true => Err("a key value cannot be empty: write it as USER#<userId>".into()),
            false => Ok(Template { parts }),
        }
    }

    /// The template of an attribute that holds nothing but a variable.
    pub fn variable(name: &str) -> Template {
        Template { parts: vec![Part::Variable(name.to_owned())] }
    }

    /// The values of several key attributes as one, `#` between them, as the report of a server shows them.
    pub fn joined(templates: impl IntoIterator<Item = Template>) -> Template {
        let mut parts = Vec::new();
        for template in templates {
            if !parts.is_empty() {
                parts.push(Part::Literal("#".to_owned()));
            }
            parts.extend(template.parts);
        }
        Template { parts }
    }

    /// The pieces in their order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names of the variables in their order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// Whether nothing in it varies.
    pub fn is_constant(&self) -> bool {
        self.variables().next().is_none()
    }

    /// The characters before the first variable.
    pub fn prefix(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => "",
        }
    }

    /// The text without variables, so that it can be held against another template.
    fn example(&self) -> String {
        let piece = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Variable(_) => ANY.to_string(),
        };
        self.parts.iter().map(piece).collect()
    }

    /// Whether a key value is one of this template. A variable stands for at least one character.
    pub fn matches(&self, value: &str) -> bool {
        matches(&self.parts, value, false)
    }

    /// Whether a value of this template can begin so.
    pub fn can_begin_with(&self, beginning: &str) -> bool {
        matches(&self.parts, beginning, true)
    }

    /// Whether a key value begins with one of this template: `ORDER#2026` does with `ORDER#`.
    pub fn begins(&self, value: &str) -> bool {
        match &self.parts[..] {
            [Part::Literal(text)] => value.starts_with(text.as_str()),
            _ => {
                let mut ends = value.char_indices().map(|(at, c)| at + c.len_utf8());
                ends.any(|end| self.matches(&value[..end]))
            }
        }
    }

    /// Whether what `read` asks for is written by this template: `STATUS#<status>` is met by `STATUS#PENDING`.
    pub fn writes_what(&self, read: &Template) -> bool {
        self.matches(&read.example())
    }

    /// Whether what `read` begins with is written by this template: `ORDER#<time>` is met by `ORDER#`.
    pub fn begins_with_what(&self, read: &Template) -> bool {
        self.can_begin_with(&read.example())
    }

    /// The bytes of a value, given those of each variable's.
    pub fn size_bytes(&self, mut of_variable: impl FnMut(&str) -> u64) -> u64 {
        let bytes = |part: &Part| match part {
            Part::Literal(text) => text.len() as u64,
            Part::Variable(name) => of_variable(name),
        };
        self.parts.iter().map(bytes).sum()
    }
}

/// Holds a value against pieces; `open` when the value may go on.
fn matches(parts: &[Part], value: &str, open: bool) -> bool {
    if open && value.is_empty() {
        return true;
    }
    match parts.split_first() {
        None => value.is_empty(),
        Some((Part::Literal(text), rest)) => match value.strip_prefix(text.as_str()) {
            Some(behind) => matches(rest, behind, open),
            None => open && text.starts_with(value),
        },
        // A variable takes all that is left of a value that goes on.
        Some((Part::Variable(_), _)) if open => true,
        Some((Part::Variable(_), rest)) => matches_behind_variable(rest, value),
    }
}

/// The same for a value that begins with a variable's. It ends where the next literal is first found: a later place would only
/// leave less to the variable behind that, so that no other needs to be tried.
fn matches_behind_variable(rest: &[Part], value: &str) -> bool {
    let Some(first) = value.chars().next() else { return false };
    let value = &value[first.len_utf8()..];
    match rest {
        [] => true,
        [Part::Variable(_), rest @ ..] => matches_behind_variable(rest, value),
        [Part::Literal(text)] => value.ends_with(text.as_str()),
        [Part::Literal(text), rest @ ..] => {
            value.split_once(text.as_str()).is_some_and(|(_, behind)| matches(rest, behind, false))
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Literal(text) => f.write_str(text),
            Part::Variable(name) => write!(f, "<{name}>"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        Template::parse(text).unwrap()
    }

    #[test]
    fn templates_print_as_they_were_read() {
        for text in ["PROFILE", "USER#<userId>", "<日>#<shard>", "a<b>c"] {
            assert_eq!(template(text).to_string(), text);
        }
        for text in ["", "A#<b", "A#b>", "A#<>", "<a<b>>"] {
            assert!(Template::parse(text).unwrap_err().contains("<userId>"), "{text}");
        }
    }

    #[test]
    fn values_are_recognised() {
        for (text, value, whole, beginning) in [
            ("USER#<id>", "USER#1", true, true),
            ("USER#<id>", "USER#", false, true),
            ("USER#<id>", "US", false, true),
            ("USER#<id>", "ORDER#1", false, false),
            ("<day>#<shard>", "2026-06-01#7", true, true),
            ("<day>#<shard>", "2026-06-01", false, true),
            ("EVENT#<a>#X", "EVENT#1#2#X", true, true),
            ("EVENT#<a>#X", "EVENT#X#X#X", true, true),
            ("<a><b>#<c>", "12#3", true, true),
            ("<a><b>#<c>", "1#3", false, true),
            ("<a>#<b>#", "1#2#3", false, true),
            ("<a>##<b>", "###1", true, true),
            ("<日>年<月>月", "年年六月", true, true),
            ("PROFILE", "PROFILE", true, true),
            ("PROFILE", "PROFILES", false, false),
        ] {
            assert_eq!(template(text).matches(value), whole, "{text} {value}");
            assert_eq!(template(text).can_begin_with(value), beginning, "{text} {value}");
        }
    }

    /// Values come from whoever calls the server.
    #[test]
    fn a_long_value_is_told_at_once() {
        let many = template("<a>#<b>#<c>#<d>#<e>#<f>#<g>#<h>!");
        assert!(!many.matches(&"#".repeat(2_048)));
        assert!(many.matches(&format!("{}!", "#".repeat(2_048))));
    }

    #[test]
    fn templates_meet_by_shape() {
        for (written, read, meets) in [
            ("STATUS#<status>", "STATUS#<s>", true),
            ("STATUS#<status>", "STATUS#PENDING", true),
            ("DELIVERED_ORDERS", "ADDRESS#<addressId>", false),
            ("EMAIL#<email>", "PRODUCT#<productId>", false),
            ("PENDING", "<status>", false),
        ] {
            assert_eq!(template(written).writes_what(&template(read)), meets, "{written} {read}");
        }
        assert!(template("ORDER#<time>").begins_with_what(&template("ORDER#")));
    }
}
