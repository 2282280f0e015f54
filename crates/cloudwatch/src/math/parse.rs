//! From text to a tree.

use super::FUNCTIONS;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A quoted text, such as the argument of METRICS.
    Text(String),
    /// Another query of the request, or `REPEAT` and `LINEAR` where FILL takes them.
    Id(String),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `-a`.
    Negative(Box<Expression>),
    /// Two sides and what stands between them.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `SUM(a)`.
    Call(&'static str, Vec<Expression>),
}

impl Expression {
    /// What it names, as often as it does, from left to right.
    pub fn ids(&self) -> Vec<&str> {
        let (mut ids, mut rest) = (Vec::new(), vec![self]);
        while let Some(next) = rest.pop() {
            match next {
                Expression::Number(_) | Expression::Text(_) => {}
                Expression::Id(id) => ids.push(id.as_str()),
                Expression::List(parts) | Expression::Call(_, parts) => rest.extend(parts.iter().rev()),
                Expression::Negative(inner) => rest.push(inner),
                Expression::Binary(_, left, right) => rest.extend([&**right, &**left]),
            }
        }
        ids
    }
}

/// What stands between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// The operators by how tightly they bind, loosest first; longer ones before those that they begin with.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("||", Operator::Or), ("OR", Operator::Or)],
    &[("&&", Operator::And), ("AND", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide)],
    &[("^", Operator::Power)],
];

/// How deep expressions may nest.
const DEPTH: usize = 32;

/// Reads an expression.
///
/// # Errors
/// A sentence that says what is wrong where.
pub fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expression = parser.level(0)?;
    parser.skip_space();
    match parser.rest() {
        "" => Ok(expression),
        rest => Err(format!("unexpected `{rest}`")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) {
            return Ok(());
        }
        match self.rest() {
            "" => Err(format!("`{token}` is missing at the end")),
            rest => Err(format!("`{token}` is missing before `{rest}`")),
        }
    }

    /// An operator of a level; words end where a word ends.
    fn operator(&mut self, level: &[(&str, Operator)]) -> Option<Operator> {
        self.skip_space();
        let begins = |token: &str| {
            self.rest().strip_prefix(token).is_some_and(|rest| {
                !token.starts_with(char::is_alphabetic) || !rest.starts_with(is_word_character)
            })
        };
        let (token, operator) = level.iter().find(|(token, _)| begins(token))?;
        self.at += token.len();
        Some(*operator)
    }

    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("it nests deeper than {DEPTH} levels"));
        }
        let read = if self.take("-") {
            self.unary().map(|inner| Expression::Negative(Box::new(inner)))
        } else if self.take("(") {
            self.level(0).and_then(|inner| self.expect(")").map(|()| inner))
        } else if self.take("[") {
            self.list("]").map(Expression::List)
        } else {
            self.atom()
        };
        self.depth -= 1;
        read
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expression>, String> {
        let mut elements = Vec::new();
        if self.take(end) {
            return Ok(elements);
        }
        loop {
            elements.push(self.level(0)?);
            if !self.take(",") {
                self.expect(end)?;
                return Ok(elements);
            }
        }
    }

    fn atom(&mut self) -> Result<Expression, String> {
        self.skip_space();
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
            let end = rest[1..].find(quote).ok_or_else(|| format!("the text {rest} has no end"))?;
            self.at += end + 2;
            return Ok(Expression::Text(rest[1..=end].to_owned()));
        }
        let end = rest.find(|c| !is_word_character(c) && c != '.').unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            let found = if rest.is_empty() { "the end".to_owned() } else { format!("`{rest}`") };
            return Err(format!("expected a number, an id or a function at {found}"));
        }
        self.at += end;
        if word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return word.parse().map(Expression::Number).map_err(|_| format!("`{word}` is no number"));
        }
        if !self.take("(") {
            return Ok(Expression::Id(word.to_owned()));
        }
        let Some(function) = FUNCTIONS.iter().find(|function| **function == word) else {
            return Err(format!(
                "the function {word} is not available in dyno; there are {}",
                FUNCTIONS.join(", ")
            ));
        };
        Ok(Expression::Call(function, self.list(")")?))
    }
}

fn is_word_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_in_arithmetic() {
        let same = [
            ("1+2*3", "1+(2*3)"),
            ("1-2-3", "(1-2)-3"),
            ("-a^2", "(-a)^2"),
            ("a > 1 AND b < 2 OR c", "((a>1)&&(b<2))||c"),
            ("SUM([a,b])/2", "(SUM([a, b]))/2"),
        ];
        for (one, other) in same {
            assert_eq!(parse(one), parse(other), "{one}");
        }
        assert_eq!(parse("ORders"), Ok(Expression::Id("ORders".into())));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let cases = [
            ("", "expected a number, an id or a function at the end"),
            ("m1 +", "expected a number, an id or a function at the end"),
            ("m1 m2", "unexpected `m2`"),
            ("SUM(m1", "`)` is missing at the end"),
            ("1.2.3", "`1.2.3` is no number"),
            ("FILL(m1, 'x", "the text 'x has no end"),
        ];
        for (text, words) in cases {
            assert_eq!(parse(text), Err(words.to_owned()), "{text}");
        }
        let unknown = parse("SEARCH('{AWS/DynamoDB,TableName}', 'Sum')").unwrap_err();
        assert!(unknown.starts_with("the function SEARCH is not available in dyno"), "{unknown}");
        assert!(parse(&"(".repeat(500)).unwrap_err().contains("nests deeper"));
    }
}
