//! The grammar of expressions: operators by precedence.
//!
//! The parser calls itself for what stands in brackets, after NOT and after a sign; it counts how deep it is, and
//! how high the expressions grow that it builds, and refuses both beyond [`MAX_LEVELS`]. So whatever is parsed can be
//! walked and dropped on any thread's stack.

use super::error::StatementError;
use super::lexer::{Kind, Position};
use super::parser::Parser;
use super::syntax::{Expr, ExprKind};

/// How deep expressions may nest. AWS takes more, and fails on eight thousand; ours to choose.
const MAX_LEVELS: usize = 200;

/// How tightly operators bind. What binds tighter is read first.
pub(super) mod binding {
    pub(in crate::partiql) const ANY: u8 = 0;
    pub(in crate::partiql) const OR: u8 = 1;
    pub(in crate::partiql) const AND: u8 = 2;
    pub(in crate::partiql) const NOT: u8 = 3;
    pub(in crate::partiql) const EQUALITY: u8 = 4;
    pub(in crate::partiql) const ORDER: u8 = 5;
    pub(in crate::partiql) const SUM: u8 = 6;
    pub(in crate::partiql) const PRODUCT: u8 = 7;
    pub(in crate::partiql) const SIGN: u8 = 8;
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
const TYPES: [(&str, &str); 34] = [
    ("missing", "MissingType"),
    ("null", "NullType"),
    ("boolean", "BooleanType"),
    ("bool", "BooleanType"),
    ("smallint", "SmallintType"),
    ("integer2", "SmallintType"),
    ("int4", "Integer4Type"),
    ("integer4", "Integer4Type"),
    ("int8", "Integer8Type"),
    ("integer8", "Integer8Type"),
    ("bigint", "Integer8Type"),
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
    ("sexp", "SexpType"),
    ("bag", "BagType"),
    ("any", "AnyType"),
];

/// The types after which a size may stand, as in `VARCHAR(10)`.
const SIZED_TYPES: [&str; 5] = ["character", "char", "varchar", "decimal", "numeric"];

impl Parser<'_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Result<Expr, StatementError> {
        self.bound(binding::ANY)
    }

    /// Reads an expression whose operators bind tighter than `least`.
    pub(super) fn bound(&mut self, least: u8) -> Result<Expr, StatementError> {
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
            self.escape(symbol)?;
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
            self.escape("LIKE")?;
            let (at, height) = (left.at, left.height.max(right.height));
            let like = above(ExprKind::Binary("LIKE", Box::new(left), Box::new(right)), at, height)?;
            return Ok((not_if(true, like)?, true));
        }
        Ok((left, false))
    }

    /// Reads what stands right of an operator.
    fn right(&mut self, binds: u8) -> Result<Expr, StatementError> {
        if self.is_at_end() {
            return Err(StatementError::malformed("Missing right-hand side expression of infix operator"));
        }
        self.bound(binds)
    }

    fn is_at_end(&self) -> bool {
        self.kind() == &Kind::End || self.is_symbol(";")
    }

    /// Skips what may follow the pattern of a LIKE.
    fn escape(&mut self, symbol: &str) -> Result<(), StatementError> {
        if symbol == "LIKE" && self.accept_word("ESCAPE") {
            self.right(binding::ORDER)?;
        }
        Ok(())
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
        if SIZED_TYPES.contains(word) && self.accept_symbol("(") {
            self.members(")", "RIGHT_PAREN")?;
        }
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
        if self.is_at_end() {
            return Err(StatementError::malformed("Expected expression after AND"));
        }
        let high = self.bound(binding::ORDER)?;
        let (at, height) = (operand.at, operand.height.max(low.height).max(high.height));
        not_if(negated, above(ExprKind::Between(Box::new([operand, low, high])), at, height)?)
    }
}

pub(super) fn unexpected<T>(what: &str) -> Result<T, StatementError> {
    Err(StatementError::malformed(&format!("Unexpected {what}")))
}

fn too_deep<T>() -> Result<T, StatementError> {
    Err(StatementError::malformed(&format!("Expressions nest deeper than {MAX_LEVELS} levels")))
}

/// An expression above others of which the highest has a height.
pub(super) fn above(kind: ExprKind, at: Position, highest: usize) -> Result<Expr, StatementError> {
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
