//! A text with its name, and the excerpts of it that messages show.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::yaml::Span;

/// A file that was read: messages show lines of it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of the file, as the user gave it.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// A part of the text, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The part.
    pub span: Span,
    /// What is said; may be empty.
    pub text: String,
}

impl Label {
    /// A part and what is said of it.
    pub fn new(span: Span, text: impl Into<String>) -> Label {
        Label { span, text: text.into() }
    }
}

/// How many columns of a terminal a text takes: two for most Japanese characters.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text and spaces up to a width.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

impl Source {
    /// A text and its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// The line with a number from 1.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.saturating_sub(1)).unwrap_or("")
    }

    /// `  --> file:line:column` and the line itself with what is meant underlined, for each label.
    pub fn excerpt(&self, labels: &[Label]) -> String {
        let mut out = String::new();
        let digits = labels.iter().map(|label| label.span.start.line.to_string().len()).max().unwrap_or(1);
        let gutter = " ".repeat(digits);
        for (at, label) in labels.iter().enumerate() {
            let start = label.span.start;
            let arrow = if at == 0 { "-->" } else { ":::" };
            let _ = writeln!(out, "{gutter}{arrow} {}:{}:{}", self.name, start.line, start.column);
            let line = self.line(start.line);
            let before: String = line.chars().take(start.column.saturating_sub(1)).collect();
            let whole = line.chars().count();
            // What goes over several lines is underlined to the end of its first.
            let end = match label.span.end.line == start.line {
                true => label.span.end.column.saturating_sub(1).min(whole),
                false => whole,
            };
            let marked: String = line.chars().take(end).skip(start.column.saturating_sub(1)).collect();
            let carets = "^".repeat(width(marked.trim_end()).max(1));
            let _ = writeln!(out, "{gutter} |");
            let _ = writeln!(out, "{:>digits$} | {}", start.line, line.trim_end());
            let said = format!("{gutter} | {}{carets} {}", " ".repeat(width(&before)), label.text);
            let _ = writeln!(out, "{}", said.trim_end());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Place;

    #[test]
    fn carets_stand_under_wide_characters() {
        let source = Source::new("a.yaml", "x: 1\n商品別: { key: \"P#<商品>\" }\n");
        let place = |column| Place { line: 2, column };
        let label = Label::new(Span { start: place(13), end: place(21) }, "no writer");
        let expected = concat!(
            " --> a.yaml:2:13\n",
            "  |\n",
            "2 | 商品別: { key: \"P#<商品>\" }\n",
            "  |                ^^^^^^^^^^ no writer\n"
        );
        assert_eq!(source.excerpt(&[label]), expected);
    }
}
