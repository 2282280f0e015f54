//! The grammar of expressions: operators by precedence.
//!
//! The parser calls itself for what stands in brackets, after NOT and after a sign; it counts how deep it is, and
//! how high the expressions grow that it builds, and refuses both beyond [`MAX_LEVELS`]. So whatever is parsed can be
//! walked and dropped on any thread's stack.

use super::error::StatementError;
use super::keywords::is_keyword;
use super::lexer::{Kind, Position};
use super::parser::Parser;
use super::syntax::{Column, Expr, ExprKind, StepSyntax};

/// How deep expressions may nest. AWS takes more, and fails on eight thousand; ours to choose.
const MAX_LEVELS: usize = 200;

/// How tightly operators bind. What binds tighter is read first.
mod binding {
    pub(super) const ANY: u8 = 0;
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const EQUALITY: u8 = 4;
    pub(super) const ORDER: u8 = 5;
    pub(super) const SUM: u8 = 6;
    pub(super) const PRODUCT: u8 = 7;
    pub(super) const SIGN: u8 = 8;
}

/// Operators between two operands, with how tightly they bind.
const INFIX: [(&str, u8); 14] = [
    ("=", binding::EQUALITY),
    ("<>", binding::EQUALITY),
    ("!=", binding::EQUALITY),
    ("<=", binding::ORDER),
    (">=", binding::ORDER),
    ("<", binding::ORDER),
    (">", binding::ORDER),
    ("+", binding::SUM),
    ("-", binding::SUM),
    ("||", binding::SUM),
    ("*", binding::PRODUCT),
    ("/", binding::PRODUCT),
    ("%", binding::PRODUCT),
    ("LIKE", binding::ORDER),
];

/// The types that may follow IS, with AWS's names of them.
const TYPES: [(&str, &str); 30] = [
    ("missing", "MissingType"),
    ("null", "NullType"),
    ("boolean", "BooleanType"),
    ("bool", "BooleanType"),
    ("smallint", "SmallintType"),
    ("int4", "Integer4Type"),
    ("integer4", "Integer4Type"),
    ("int8", "Integer8Type"),
    ("integer8", "Integer8Type"),
    ("int", "IntegerType"),
    ("integer", "IntegerType"),
    ("float", "FloatType"),
    ("real", "RealType"),
    ("double", "DoublePrecisionType"),
    ("decimal", "DecimalType"),
    ("numeric", "NumericType"),
    ("timestamp", "TimestampType"),
    ("date", "DateType"),
    ("time", "TimeType"),
    ("character", "CharacterType"),
    ("char", "CharacterType"),
    ("varchar", "CharacterVaryingType"),
    ("string", "StringType"),
    ("symbol", "SymbolType"),
    ("clob", "ClobType"),
    ("blob", "BlobType"),
    ("struct", "StructType"),
    ("tuple", "TupleType"),
    ("list", "ListType"),
    ("bag", "BagType"),
];

impl Parser<'_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Result<Expr, StatementError> {
        self.bound(binding::ANY)
    }

    /// Reads an expression whose operators bind tighter than `least`.
    fn bound(&mut self, least: u8) -> Result<Expr, StatementError> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return too_deep();
        }
        let mut left = self.prefix()?;
        loop {
            match self.infix(least, left)? {
                (expression, true) => left = expression,
                (expression, false) => {
                    self.levels -= 1;
                    return Ok(expression);
                }
            }
        }
    }

    /// Reads an operator and what follows it, if one is there; says whether it was.
    fn infix(&mut self, least: u8, left: Expr) -> Result<(Expr, bool), StatementError> {
        for (word, binds) in [("OR", binding::OR), ("AND", binding::AND)] {
            if self.is_word(word) && binds > least {
                self.advance();
                let right = self.right(binds)?;
                return joined(word, left, right).map(|both| (both, true));
            }
        }
        if let Some((symbol, binds)) = INFIX.into_iter().find(|(symbol, _)| self.is_operator(symbol))
            && binds > least
        {
            self.advance();
            let right = self.right(binds)?;
            let at = left.at;
            let symbol = if symbol == "!=" { "<>" } else { symbol };
            let height = left.height.max(right.height);
            let kind = ExprKind::Binary(symbol, Box::new(left), Box::new(right));
            return above(kind, at, height).map(|both| (both, true));
        }
        if self.is_word("IS") && binding::EQUALITY > least {
            self.advance();
            let negated = self.accept_word("NOT");
            return Ok((self.is_type(left, negated)?, true));
        }
        let negated =
            self.is_word("NOT") && ["IN", "BETWEEN", "LIKE"].iter().any(|word| self.is_next_word(word));
        let word_at = usize::from(negated);
        let test = |parser: &Parser<'_>, word: &str| parser.is_word_at(word_at, word);
        if test(self, "IN") && binding::EQUALITY > least {
            self.skip(word_at + 1);
            return Ok((self.in_list(left, negated)?, true));
        }
        if test(self, "BETWEEN") && binding::ORDER > least {
            self.skip(word_at + 1);
            return Ok((self.between(left, negated)?, true));
        }
        if negated && test(self, "LIKE") && binding::ORDER > least {
            self.skip(2);
            let right = self.right(binding::ORDER)?;
            let (at, height) = (left.at, left.height.max(right.height));
            let like = above(ExprKind::Binary("LIKE", Box::new(left), Box::new(right)), at, height)?;
            return Ok((not_if(true, like)?, true));
        }
        Ok((left, false))
    }

    /// Reads what stands right of an operator.
    fn right(&mut self, binds: u8) -> Result<Expr, StatementError> {
        if self.kind() == &Kind::End {
            return Err(StatementError::malformed("Missing right-hand side expression of infix operator"));
        }
        self.bound(binds)
    }

    fn is_operator(&self, symbol: &str) -> bool {
        self.is_symbol(symbol) || (symbol == "LIKE" && self.is_word(symbol))
    }

    fn is_type(&mut self, left: Expr, negated: bool) -> Result<Expr, StatementError> {
        let name = match self.kind() {
            Kind::Word(word) => TYPES.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)),
            _ => None,
        };
        let Some((word, name)) = name else { return Err(StatementError::malformed("Expected type name")) };
        self.advance();
        // Types of two words.
        let name = match *word {
            "double" if self.accept_word("PRECISION") => name,
            "double" => return Err(StatementError::malformed("Expected type name")),
            "character" if self.accept_word("VARYING") => "CharacterVaryingType",
            _ => name,
        };
        let (at, height) = (left.at, left.height);
        not_if(negated, above(ExprKind::Is(Box::new(left), name), at, height)?)
    }

    fn in_list(&mut self, left: Expr, negated: bool) -> Result<Expr, StatementError> {
        let list = if self.is_symbol("(") && !self.is_next_word("SELECT") {
            let at = self.advance();
            let (members, height) = self.members(")", "RIGHT_PAREN")?;
            above(ExprKind::List(members), at, height)?
        } else {
            self.right(binding::EQUALITY)?
        };
        let (at, height) = (left.at, left.height.max(list.height));
        not_if(negated, above(ExprKind::In(Box::new(left), Box::new(list)), at, height)?)
    }

    fn between(&mut self, operand: Expr, negated: bool) -> Result<Expr, StatementError> {
        let low = self.right(binding::ORDER)?;
        if !self.accept_word("AND") {
            return Err(StatementError::malformed("Expected AND keyword"));
        }
        let high = self.right(binding::ORDER)?;
        let (at, height) = (operand.at, operand.height.max(low.height).max(high.height));
        not_if(negated, above(ExprKind::Between(Box::new([operand, low, high])), at, height)?)
    }

    /// Reads what may begin an expression.
    fn prefix(&mut self) -> Result<Expr, StatementError> {
        let kind = self.kind().clone();
        let at = self.position();
        let leaf = |kind| Ok(Expr { kind, at, height: 0 });
        match kind {
            Kind::Text(text) => self.then(leaf(ExprKind::Text(text))),
            Kind::Number(text) => self.then(leaf(ExprKind::Number(text))),
            Kind::Ion(text) => self.then(leaf(ExprKind::Ion(text))),
            Kind::Quoted(_) => self.path(),
            Kind::Word(word) => self.word(&word),
            Kind::Symbol(symbol) => self.bracket_or_sign(symbol),
            Kind::End => unexpected("term"),
        }
    }

    fn then(&mut self, read: Result<Expr, StatementError>) -> Result<Expr, StatementError> {
        self.advance();
        read
    }

    fn word(&mut self, word: &str) -> Result<Expr, StatementError> {
        let at = self.position();
        let leaf = |kind| Ok(Expr { kind, at, height: 0 });
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        if is("NOT") {
            self.advance();
            let inner = self.bound(binding::NOT)?;
            let height = inner.height;
            return above(ExprKind::Not(Box::new(inner)), at, height);
        }
        match () {
            () if is("TRUE") => return self.then(leaf(ExprKind::Bool(true))),
            () if is("FALSE") => return self.then(leaf(ExprKind::Bool(false))),
            () if is("NULL") => return self.then(leaf(ExprKind::Null)),
            () if is("MISSING") => return self.then(leaf(ExprKind::Missing)),
            () => {}
        }
        if ["IS", "IN", "LIKE", "BETWEEN", "AND", "OR"].into_iter().any(is) {
            return unexpected("operator");
        }
        if is("FROM") {
            return self.update_in_expression();
        }
        if self.is_symbol_at(1, "(") && !["SELECT", "WHERE", "VALUES"].into_iter().any(is) {
            return self.call(word);
        }
        if is_keyword(word) { unexpected("keyword") } else { self.path() }
    }

    /// `FROM table …` begins a change, also where an expression is wanted; none can stand there.
    fn update_in_expression(&mut self) -> Result<Expr, StatementError> {
        self.advance();
        self.path_of_names()?;
        Err(StatementError::malformed("Expected data manipulation"))
    }

    fn call(&mut self, name: &str) -> Result<Expr, StatementError> {
        let at = self.position();
        self.skip(2);
        let name = name.to_ascii_lowercase();
        if self.is_symbol("*") && self.is_symbol_at(1, ")") {
            self.skip(2);
            return above(ExprKind::Call(name, Vec::new()), at, 0);
        }
        let (arguments, height) = if self.is_word("SELECT") {
            let inner = self.inner_select()?;
            self.expect_symbol(")", "RIGHT_PAREN")?;
            let height = inner.height;
            (vec![inner], height)
        } else {
            self.members(")", "RIGHT_PAREN")?
        };
        above(ExprKind::Call(name, arguments), at, height)
    }

    fn inner_select(&mut self) -> Result<Expr, StatementError> {
        let at = self.position();
        let select = self.select()?;
        let columns = select.columns.iter().filter_map(|column| match column {
            Column::Star => None,
            Column::Expression(expression) => Some(expression),
        });
        let parts = columns.chain(&select.condition).chain(select.order.iter().map(|order| &order.key));
        let height = parts.map(|part| part.height).fold(select.from.height, usize::max);
        above(ExprKind::Select(Box::new(select)), at, height)
    }

    fn bracket_or_sign(&mut self, symbol: &'static str) -> Result<Expr, StatementError> {
        let at = self.position();
        match symbol {
            "(" => {
                self.advance();
                let inner = if self.is_word("SELECT") { self.inner_select()? } else { self.expression()? };
                if self.accept_symbol(",") {
                    let (mut rest, height) = self.members(")", "RIGHT_PAREN")?;
                    let height = height.max(inner.height);
                    rest.insert(0, inner);
                    return above(ExprKind::List(rest), at, height);
                }
                self.expect_symbol(")", "RIGHT_PAREN")?;
                Ok(inner)
            }
            "[" => {
                self.advance();
                let (members, height) = self.members("]", "RIGHT_BRACKET")?;
                above(ExprKind::List(members), at, height)
            }
            "<<" => {
                self.advance();
                let (members, height) = self.members(">>", "RIGHT_DOUBLE_ANGLE_BRACKET")?;
                above(ExprKind::Bag(members), at, height)
            }
            "{" => self.structure(),
            "?" => {
                self.advance();
                let place = self.parameters;
                self.parameters += 1;
                Ok(Expr { kind: ExprKind::Parameter(place), at, height: 0 })
            }
            "+" | "-" => {
                self.advance();
                let inner = self.bound(binding::SIGN)?;
                signed(symbol, inner, at)
            }
            "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" | "*" | "/" | "%" | "||" => unexpected("operator"),
            _ => unexpected("term"),
        }
    }

    fn structure(&mut self) -> Result<Expr, StatementError> {
        let at = self.advance();
        let (mut members, mut height) = (Vec::new(), 0);
        while !self.accept_symbol("}") {
            if !members.is_empty() {
                self.expect_symbol(",", "RIGHT_CURLY")?;
            }
            let key = self.expression()?;
            self.expect_symbol(":", "COLON")?;
            let value = self.expression()?;
            height = height.max(key.height).max(value.height);
            members.push((key, value));
        }
        above(ExprKind::Struct(members), at, height)
    }

    /// Reads expressions between commas up to a bracket; answers how high the highest is, too.
    fn members(&mut self, end: &'static str, end_name: &str) -> Result<(Vec<Expr>, usize), StatementError> {
        let (mut members, mut height) = (Vec::new(), 0);
        while !self.accept_symbol(end) {
            if !members.is_empty() {
                self.expect_symbol(",", end_name)?;
            }
            let member = self.expression()?;
            height = height.max(member.height);
            members.push(member);
        }
        Ok((members, height))
    }

    /// Reads a path, whose first name is quoted or is no keyword.
    pub(super) fn path(&mut self) -> Result<Expr, StatementError> {
        let at = self.position();
        let name = match self.kind().clone() {
            Kind::Quoted(name) => name,
            Kind::Word(name) if !is_keyword(&name) => name,
            _ => return Err(StatementError::malformed("Expected identifier for simple path")),
        };
        self.advance();
        let (mut steps, mut height) = (Vec::new(), 0);
        loop {
            if self.accept_symbol(".") {
                steps.push(self.dot_step()?);
            } else if self.is_symbol("[") {
                let at = self.advance();
                if self.accept_symbol("*") {
                    steps.push(StepSyntax::Star(at));
                } else {
                    let index = self.expression()?;
                    height = height.max(index.height);
                    steps.push(StepSyntax::Index(index));
                }
                self.expect_symbol("]", "RIGHT_BRACKET")?;
            } else {
                return above(ExprKind::Path(name, steps), at, height);
            }
        }
    }

    fn dot_step(&mut self) -> Result<StepSyntax, StatementError> {
        let at = self.position();
        let step = match self.kind().clone() {
            Kind::Quoted(name) => StepSyntax::Name(name),
            Kind::Word(name) if !is_keyword(&name) => StepSyntax::Name(name),
            Kind::Symbol("*") => StepSyntax::Star(at),
            _ => return Err(StatementError::malformed("Invalid path dot component")),
        };
        self.advance();
        Ok(step)
    }
}

fn unexpected<T>(what: &str) -> Result<T, StatementError> {
    Err(StatementError::malformed(&format!("Unexpected {what}")))
}

fn too_deep<T>() -> Result<T, StatementError> {
    Err(StatementError::malformed(&format!("Expressions nest deeper than {MAX_LEVELS} levels")))
}

/// An expression above others of which the highest has a height.
fn above(kind: ExprKind, at: Position, highest: usize) -> Result<Expr, StatementError> {
    let height = highest + 1;
    if height > MAX_LEVELS { too_deep() } else { Ok(Expr { kind, at, height }) }
}

fn not_if(negated: bool, expression: Expr) -> Result<Expr, StatementError> {
    let (at, height) = (expression.at, expression.height);
    if negated { above(ExprKind::Not(Box::new(expression)), at, height) } else { Ok(expression) }
}

/// Two expressions joined; a chain of one operator stays one expression.
fn joined(word: &str, left: Expr, right: Expr) -> Result<Expr, StatementError> {
    let Expr { kind, at, height } = left;
    let make = if word == "AND" { ExprKind::And } else { ExprKind::Or };
    match (word, kind) {
        ("AND", ExprKind::And(mut chain)) | ("OR", ExprKind::Or(mut chain)) => {
            let below = (height - 1).max(right.height);
            chain.push(right);
            above(make(chain), at, below)
        }
        (_, kind) => {
            let below = height.max(right.height);
            above(make(vec![Expr { kind, at, height }, right]), at, below)
        }
    }
}

/// A sign before a number belongs to it.
fn signed(sign: &'static str, inner: Expr, at: Position) -> Result<Expr, StatementError> {
    match inner.kind {
        ExprKind::Number(text) => {
            let text = match (sign, text.strip_prefix('-')) {
                ("-", Some(positive)) => positive.to_owned(),
                ("-", None) => format!("-{text}"),
                _ => text,
            };
            // The place is that of the digits, without the sign.
            Ok(Expr { kind: ExprKind::Number(text), at: inner.at, height: 0 })
        }
        _ => Ok(Expr { kind: ExprKind::Signed(sign), at, height: 0 }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;

    /// Operators in a row make levels too, wherever in a SELECT they stand.
    #[test]
    fn what_is_parsed_is_never_higher_than_the_most_levels() {
        let row = "+1".repeat(150);
        let texts = [
            format!("(SELECT 1{row} FROM T){row}"),
            format!("(SELECT * FROM T WHERE 1{row}){row}"),
            format!("(SELECT * FROM T WHERE 1 ORDER BY 1{row}){row}"),
        ];
        for text in texts {
            let error = parse(&text).unwrap_err();
            assert!(error.message.ends_with("Expressions nest deeper than 200 levels"), "{text}");
        }
    }
}
