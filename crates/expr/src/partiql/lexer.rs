//! The tokens of a statement.

use std::fmt;

use dynamometer_types::Number;
use dynamometer_types::number::{NumberFault, Reader};

use super::error::StatementError;

/// Where a token stands, as AWS's errors print it: `line:column:length`, counted in characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    line: u32,
    column: u32,
    length: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A bare name or a keyword.
    Word(String),
    /// `"a name"`
    Quoted(String),
    /// `'a text'`
    Text(String),
    /// A number without a sign.
    Number(String),
    /// `` `an Ion literal` ``
    Ion(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of the statement.
    End,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Position,
}

/// Longer ones first.
const SYMBOLS: [&str; 29] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "||", "(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "?", "=",
    "<", ">", "+", "-", "*", "/", "%", "@", "^", "&",
];

/// The tokens of a text, the last of which is [`Kind::End`].
///
/// # Errors
/// When something is no token, or has no end: AWS tells nothing more about it.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, StatementError> {
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank()?;
        let (start, line, column) = (lexer.at, lexer.line, lexer.column);
        let kind = lexer.kind()?;
        let length = (lexer.at - start) as u32;
        let is_end = kind == Kind::End;
        tokens.push(Token { kind, at: Position { line, column, length } });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: u32,
    column: u32,
}

fn unreadable<T>() -> Result<T, StatementError> {
    Err(StatementError::malformed(""))
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        if next == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(next)
    }

    fn sees(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(at, wanted)| self.chars.get(self.at + at) == Some(&wanted))
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<(), StatementError> {
        loop {
            if self.sees("--") {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.next();
                }
            } else if self.sees("/*") {
                // The star that opens a comment does not close it: `/*/` goes on.
                self.next();
                self.next();
                while !self.sees("*/") {
                    if self.next().is_none() {
                        return unreadable();
                    }
                }
                self.next();
                self.next();
            } else if self.peek().is_some_and(|next| next.is_ascii_whitespace()) {
                self.next();
            } else {
                return Ok(());
            }
        }
    }

    fn kind(&mut self) -> Result<Kind, StatementError> {
        let Some(first) = self.peek() else { return Ok(Kind::End) };
        let digit_follows = self.chars.get(self.at + 1).is_some_and(char::is_ascii_digit);
        match first {
            '\'' => self.enclosed('\'').map(Kind::Text),
            '"' => self.enclosed('"').map(Kind::Quoted),
            '`' => self.enclosed('`').map(Kind::Ion),
            '0'..='9' => self.number(),
            '.' if digit_follows => self.number(),
            first if is_word_start(first) => {
                Ok(Kind::Word(self.take_while(|next| is_word_start(next) || next.is_ascii_digit())))
            }
            _ => match SYMBOLS.into_iter().find(|symbol| self.sees(symbol)) {
                Some(symbol) => {
                    for _ in symbol.chars() {
                        self.next();
                    }
                    Ok(Kind::Symbol(symbol))
                }
                None => unreadable(),
            },
        }
    }

    fn take_while(&mut self, takes: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(next) = self.peek().filter(|next| takes(*next)) {
            taken.push(next);
            self.next();
        }
        taken
    }

    /// What stands between two quotes; a quote that is doubled stands for one.
    fn enclosed(&mut self, quote: char) -> Result<String, StatementError> {
        self.next();
        let mut inside = String::new();
        loop {
            match self.next() {
                None => return unreadable(),
                Some(next) if next == quote => {
                    if self.peek() != Some(quote) {
                        return Ok(inside);
                    }
                    self.next();
                    inside.push(quote);
                }
                Some(next) => inside.push(next),
            }
        }
    }

    fn number(&mut self) -> Result<Kind, StatementError> {
        let mut text = self.take_while(|next| next.is_ascii_digit());
        if self.peek() == Some('.') {
            self.next();
            text.push('.');
            text += &self.take_while(|next| next.is_ascii_digit());
        }
        if let Some(mark @ ('e' | 'E')) = self.peek() {
            self.next();
            text.push(mark);
            if let Some(sign @ ('+' | '-')) = self.peek() {
                self.next();
                text.push(sign);
            }
            text += &self.take_while(|next| next.is_ascii_digit());
        }
        let runs_on = self.peek().is_some_and(is_word_start);
        // A Java BigDecimal reads it.
        let is_number = Number::parse(&text, Reader::BigDecimal) != Err(NumberFault::NotNumeric);
        if runs_on || !is_number { unreadable() } else { Ok(Kind::Number(text)) }
    }
}

fn is_word_start(next: char) -> bool {
    next.is_ascii_alphabetic() || matches!(next, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_are_read_with_their_places() {
        let read = tokens("SELECT/**/* -- all\n  FROM \"a\"\"b\"").unwrap();
        let shown: Vec<String> = read.iter().map(|t| format!("{:?} {}", t.kind, t.at)).collect();
        assert_eq!(
            shown,
            [
                "Word(\"SELECT\") 1:1:6",
                "Symbol(\"*\") 1:11:1",
                "Word(\"FROM\") 2:3:4",
                "Quoted(\"a\\\"b\") 2:8:6",
                "End 2:14:0"
            ]
        );
    }

    #[test]
    fn quotes_are_doubled_and_symbols_are_long() {
        assert_eq!(
            kinds("<<'it''s'>>!=.5"),
            [
                Kind::Symbol("<<"),
                Kind::Text("it's".into()),
                Kind::Symbol(">>"),
                Kind::Symbol("!="),
                Kind::Number(".5".into()),
                Kind::End
            ]
        );
        // A number takes one point.
        let number = |text: &str| Kind::Number(text.into());
        assert_eq!(kinds("1.2.3"), [number("1.2"), number(".3"), Kind::End]);
        assert_eq!(kinds("n--1"), [Kind::Word("n".into()), Kind::End]);
    }

    #[test]
    fn what_is_no_token_is_refused_without_a_detail() {
        let texts = [
            "#",
            "'a",
            "\"a",
            "`a",
            "/* a",
            "/*/ a",
            "é",
            "5e",
            "5e+",
            "1e2147483648",
            "1.5e-2147483647",
            "1a",
            "a = \u{a0}1",
        ];
        for text in texts {
            let error = tokens(text).unwrap_err();
            assert_eq!(error.message, "Statement wasn't well formed, can't be processed: ", "{text}");
        }
    }
}
