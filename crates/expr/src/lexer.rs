//! Tokens of an expression text.

use crate::error::{ExpressionError, ExpressionKind, Stage};
use crate::reserved::is_reserved;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare word: an attribute or a function.
    Word,
    /// `#name`.
    NamePlaceholder,
    /// `:value`.
    ValuePlaceholder,
    /// A list index; never with a leading zero.
    Integer,
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Comma,
    Dot,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    /// A character that no token starts with.
    Stray,
    /// The end of the text.
    End,
}

/// Where a token stands in the text.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

/// Walks over the tokens of a text, one ahead.
pub(crate) struct Lexer<'t> {
    kind: ExpressionKind,
    text: &'t str,
    previous: Span,
    token: Token,
    span: Span,
}

impl<'t> Lexer<'t> {
    /// Stands on the first token.
    pub(crate) fn new(kind: ExpressionKind, text: &'t str) -> Lexer<'t> {
        let (token, span) = scan(text, 0);
        Lexer { kind, text, previous: Span { start: 0, end: 0 }, token, span }
    }

    /// The kind of expression.
    pub(crate) fn kind(&self) -> ExpressionKind {
        self.kind
    }

    /// The token that is next.
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    /// The text of the token that is next.
    pub(crate) fn text(&self) -> &'t str {
        &self.text[self.span.start..self.span.end]
    }

    /// Goes past the token; answers its text.
    pub(crate) fn advance(&mut self) -> &'t str {
        let text = self.text();
        self.previous = self.span;
        (self.token, self.span) = scan(self.text, self.span.end);
        text
    }

    /// Goes past the token if it is this one.
    pub(crate) fn accept(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// Goes past the token, which has to be this one; answers its text.
    pub(crate) fn expect(&mut self, token: Token) -> Result<&'t str, ExpressionError> {
        if self.token == token { Ok(self.advance()) } else { Err(self.syntax_error()) }
    }

    /// The error of a token that may not stand where it does: names it and, as written, it with its neighbours.
    pub(crate) fn syntax_error(&self) -> ExpressionError {
        let (_, next) = scan(self.text, self.span.end);
        let token = if self.token == Token::End { "<EOF>" } else { self.text() };
        let near = &self.text[self.previous.start..next.end];
        ExpressionError::new(
            self.kind,
            Stage::Syntax,
            format_args!("Syntax error; token: \"{token}\", near: \"{near}\""),
        )
    }
}

/// The token at or after a position.
fn scan(text: &str, from: usize) -> (Token, Span) {
    let bytes = text.as_bytes();
    let skip = |from: usize, wanted: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| wanted(byte)).count()
    };
    let start = skip(from, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let word_end = |from: usize| skip(from, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let next = bytes.get(start + 1).copied();
    let (token, end) = match bytes.get(start).copied() {
        None => (Token::End, start),
        Some(b'a'..=b'z' | b'A'..=b'Z') => {
            let end = word_end(start + 1);
            (keyword(&text[start..end]), end)
        }
        Some(b'#') => placeholder(Token::NamePlaceholder, start, word_end(start + 1)),
        Some(b':') => placeholder(Token::ValuePlaceholder, start, word_end(start + 1)),
        Some(b'0') => (Token::Integer, start + 1),
        Some(b'1'..=b'9') => (Token::Integer, skip(start + 1, u8::is_ascii_digit)),
        Some(b'<') if next == Some(b'>') => (Token::NotEqual, start + 2),
        Some(b'<') if next == Some(b'=') => (Token::LessOrEqual, start + 2),
        Some(b'>') if next == Some(b'=') => (Token::GreaterOrEqual, start + 2),
        Some(byte) => match single(byte) {
            Some(token) => (token, start + 1),
            None => {
                let width = text[start..].chars().next().map_or(1, char::len_utf8);
                (Token::Stray, start + width)
            }
        },
    };
    (token, Span { start, end })
}

fn placeholder(token: Token, start: usize, end: usize) -> (Token, usize) {
    (if end == start + 1 { Token::Stray } else { token }, end)
}

fn single(byte: u8) -> Option<Token> {
    Some(match byte {
        b'=' => Token::Equal,
        b'<' => Token::Less,
        b'>' => Token::Greater,
        b'+' => Token::Plus,
        b'-' => Token::Minus,
        b',' => Token::Comma,
        b'.' => Token::Dot,
        b'(' => Token::LeftParen,
        b')' => Token::RightParen,
        b'[' => Token::LeftBracket,
        b']' => Token::RightBracket,
        _ => return None,
    })
}

fn keyword(word: &str) -> Token {
    let like = |keyword: &str, token| if word.eq_ignore_ascii_case(keyword) { token } else { Token::Word };
    match word.as_bytes() {
        [b'a' | b'A', b'n' | b'N', _] => like("AND", Token::And),
        [b'a' | b'A', b'd' | b'D', _] => like("ADD", Token::Add),
        [b'b' | b'B', ..] => like("BETWEEN", Token::Between),
        [b'd' | b'D', ..] => like("DELETE", Token::Delete),
        [b'i' | b'I', _] => like("IN", Token::In),
        [b'n' | b'N', ..] => like("NOT", Token::Not),
        [b'o' | b'O', _] => like("OR", Token::Or),
        [b'r' | b'R', ..] => like("REMOVE", Token::Remove),
        [b's' | b'S', ..] => like("SET", Token::Set),
        _ => Token::Word,
    }
}

/// Whether a name may stand in an expression without a placeholder.
pub(crate) fn is_bare_name(name: &str) -> bool {
    let (token, span) = scan(name, 0);
    token == Token::Word && span.start == 0 && span.end == name.len() && !is_reserved(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Token, &str)> {
        let mut lexer = Lexer::new(ExpressionKind::Condition, text);
        let mut found = vec![];
        while lexer.token() != Token::End {
            let token = lexer.token();
            found.push((token, lexer.advance()));
        }
        found
    }

    #[test]
    fn texts_split_into_tokens() {
        let cases: &[(&str, &[(Token, &str)])] = &[
            ("", &[]),
            (" \t\r\n", &[]),
            (
                "a_1#b:c",
                &[(Token::Word, "a_1"), (Token::NamePlaceholder, "#b"), (Token::ValuePlaceholder, ":c")],
            ),
            ("_a", &[(Token::Stray, "_"), (Token::Word, "a")]),
            ("#:", &[(Token::Stray, "#"), (Token::Stray, ":")]),
            ("010", &[(Token::Integer, "0"), (Token::Integer, "10")]),
            (
                "<=<>><",
                &[
                    (Token::LessOrEqual, "<="),
                    (Token::NotEqual, "<>"),
                    (Token::Greater, ">"),
                    (Token::Less, "<"),
                ],
            ),
            (
                "and Or nOT bEtween IN set remove ADD delete",
                &[
                    (Token::And, "and"),
                    (Token::Or, "Or"),
                    (Token::Not, "nOT"),
                    (Token::Between, "bEtween"),
                    (Token::In, "IN"),
                    (Token::Set, "set"),
                    (Token::Remove, "remove"),
                    (Token::Add, "ADD"),
                    (Token::Delete, "delete"),
                ],
            ),
            ("ands i", &[(Token::Word, "ands"), (Token::Word, "i")]),
            ("é\u{a0}", &[(Token::Stray, "é"), (Token::Stray, "\u{a0}")]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text), *expected, "{text}");
        }
    }
}
