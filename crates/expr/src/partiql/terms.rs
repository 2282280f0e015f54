//! The grammar of expressions: what stands between operators.

use super::error::StatementError;
use super::expression::{above, binding, unexpected};
use super::keywords::is_keyword;
use super::lexer::{Kind, Position};
use super::parser::Parser;
use super::syntax::{Column, Expr, ExprKind, StepSyntax};

impl Parser<'_> {
    /// Reads what may begin an expression, and the steps of a path behind it.
    pub(super) fn prefix(&mut self) -> Result<Expr, StatementError> {
        let at = self.position();
        let term = match self.kind().clone() {
            Kind::Text(text) => self.constant(ExprKind::Text(text)),
            Kind::Number(text) => self.constant(ExprKind::Number(text)),
            Kind::Ion(text) => self.constant(ExprKind::Ion(text)),
            Kind::Quoted(name) if self.is_symbol_at(1, "(") => self.call(&name),
            Kind::Quoted(_) => self.path(),
            Kind::Word(word) => self.word(&word),
            Kind::Symbol(symbol) => self.bracket_or_sign(symbol),
            Kind::End => unexpected("term"),
        };
        if !self.is_symbol(".") && !self.is_symbol("[") {
            return term;
        }
        term?;
        self.steps()?;
        Ok(Expr { kind: ExprKind::PathOfTerm, at, height: 0 })
    }

    fn word(&mut self, word: &str) -> Result<Expr, StatementError> {
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        if ["IS", "IN", "LIKE", "BETWEEN", "AND", "OR"].into_iter().any(is) {
            return unexpected("operator");
        }
        match () {
            () if is("NOT") => self.not(),
            () if is("TRUE") => self.constant(ExprKind::Bool(true)),
            () if is("FALSE") => self.constant(ExprKind::Bool(false)),
            () if is("NULL") => self.constant(ExprKind::Null),
            () if is("MISSING") => self.constant(ExprKind::Missing),
            () if is("FROM") => self.update_in_expression(),
            () if is("SET") || is("REMOVE") => self.change(),
            () if is("SELECT") => self.inner_select(),
            () if is("CASE") => self.case(),
            () if self.is_symbol_at(1, "(") && !is("WHERE") && !is("VALUES") => self.call(word),
            () if is_keyword(word) => unexpected("keyword"),
            () => self.path(),
        }
    }

    fn constant(&mut self, kind: ExprKind) -> Result<Expr, StatementError> {
        Ok(Expr { kind, at: self.advance(), height: 0 })
    }

    fn not(&mut self) -> Result<Expr, StatementError> {
        let at = self.advance();
        let inner = self.bound(binding::NOT)?;
        let height = inner.height;
        above(ExprKind::Not(Box::new(inner)), at, height)
    }

    /// `SET …` or `REMOVE …` without a table.
    fn change(&mut self) -> Result<Expr, StatementError> {
        let at = self.position();
        self.actions()?;
        Ok(Expr { kind: ExprKind::Change, at, height: 0 })
    }

    /// `FROM table …` begins a change, also where an expression is wanted; none can stand there.
    fn update_in_expression(&mut self) -> Result<Expr, StatementError> {
        self.advance();
        if self.kind() == &Kind::End {
            return unexpected("term");
        }
        self.path_of_names()?;
        Err(StatementError::malformed("Expected data manipulation"))
    }

    /// `CASE [operand] (WHEN … THEN …)+ [ELSE …] END`, which DynamoDB reads and has no use for.
    fn case(&mut self) -> Result<Expr, StatementError> {
        let at = self.advance();
        let kind = if self.is_word("WHEN") {
            ExprKind::SearchedCase
        } else {
            self.expression()?;
            ExprKind::SimpleCase
        };
        if !self.is_word("WHEN") {
            return Err(StatementError::malformed("Expected a WHEN clause in CASE"));
        }
        while self.accept_word("WHEN") {
            self.expression()?;
            self.expect_word("THEN")?;
            self.expression()?;
        }
        if self.accept_word("ELSE") {
            self.expression()?;
        }
        self.expect_word("END")?;
        Ok(Expr { kind, at, height: 0 })
    }

    fn expect_word(&mut self, word: &str) -> Result<(), StatementError> {
        if self.accept_word(word) {
            Ok(())
        } else {
            Err(StatementError::malformed(&format!("Expected {word} keyword")))
        }
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
    pub(super) fn members(
        &mut self,
        end: &'static str,
        end_name: &str,
    ) -> Result<(Vec<Expr>, usize), StatementError> {
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
        let (steps, height) = self.steps()?;
        above(ExprKind::Path(name, steps), at, height)
    }

    /// Reads the steps of a path; answers how high the highest of their expressions is, too.
    fn steps(&mut self) -> Result<(Vec<StepSyntax>, usize), StatementError> {
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
                return Ok((steps, height));
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
