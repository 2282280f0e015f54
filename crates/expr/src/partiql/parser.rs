//! The grammar of statements.

use super::error::StatementError;
use super::lexer::{Kind, Position, Token, tokens};
use super::syntax::{
    ActionSyntax, Column, Expr, ExprKind, OrderSyntax, Returning, SelectSyntax, StepSyntax, Syntax,
    TableSyntax,
};

/// Reads tokens one by one.
pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// How many `?` were read.
    pub(super) parameters: usize,
    /// How deep in expressions the parser is.
    pub(super) levels: usize,
}

/// Reads a statement; answers how many parameters it has, too.
///
/// # Errors
/// AWS's words, as far as they are known.
pub(super) fn parse(text: &str) -> Result<(Syntax, usize), StatementError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, parameters: 0, levels: 0 };
    let statement = parser.statement()?;
    if parser.accept_symbol(";") && parser.kind() != &Kind::End {
        return Err(StatementError::malformed(
            "Unexpected token after semicolon. (Only one query is allowed.)",
        ));
    }
    if parser.kind() != &Kind::End {
        return Err(StatementError::malformed("Unexpected token after expression"));
    }
    Ok((statement, parser.parameters))
}

impl Parser<'_> {
    fn token(&self, ahead: usize) -> &Token {
        // The last token is the end, at which the parser stays.
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.token(0).kind
    }

    pub(super) fn position(&self) -> Position {
        self.token(0).at
    }

    /// Goes on by one token; answers the place of the one that it leaves.
    pub(super) fn advance(&mut self) -> Position {
        let at = self.position();
        self.skip(1);
        at
    }

    pub(super) fn skip(&mut self, tokens: usize) {
        self.at = (self.at + tokens).min(self.tokens.len() - 1);
    }

    pub(super) fn is_symbol_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(&self.token(ahead).kind, Kind::Symbol(found) if *found == symbol)
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        self.is_symbol_at(0, symbol)
    }

    pub(super) fn accept_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.skip(usize::from(found));
        found
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str, name: &str) -> Result<(), StatementError> {
        if self.accept_symbol(symbol) {
            Ok(())
        } else {
            Err(StatementError::malformed(&format!("Expected {name}")))
        }
    }

    pub(super) fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(&self.token(ahead).kind, Kind::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    pub(super) fn is_next_word(&self, word: &str) -> bool {
        self.is_word_at(1, word)
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.skip(usize::from(found));
        found
    }

    fn statement(&mut self) -> Result<Syntax, StatementError> {
        if self.is_word("SELECT") {
            self.select().map(Syntax::Select)
        } else if self.is_word("INSERT") && self.is_next_word("INTO") {
            self.insert()
        } else if self.accept_word("UPDATE") {
            let table = self.table()?;
            let actions = self.actions()?;
            let condition = self.condition()?;
            Ok(Syntax::Update { table, actions, condition, returning: self.returning()? })
        } else if self.accept_word("DELETE") {
            if !self.accept_word("FROM") {
                return Err(StatementError::malformed("Expected FROM after DELETE"));
            }
            let table = self.table()?;
            let condition = self.condition()?;
            Ok(Syntax::Delete { table, condition, returning: self.returning()? })
        } else if self.accept_word("FROM") {
            // An update the other way round.
            if self.kind() == &Kind::End {
                return Err(StatementError::malformed("Unexpected term"));
            }
            let table = self.table()?;
            let condition = self.condition()?;
            let actions = self.actions()?;
            Ok(Syntax::Update { table, actions, condition, returning: self.returning()? })
        } else {
            self.expression().map(Syntax::Expression)
        }
    }

    /// Reads a SELECT.
    pub(super) fn select(&mut self) -> Result<SelectSyntax, StatementError> {
        self.advance();
        for clause in ["DISTINCT", "VALUE"] {
            self.refuse_clause(clause)?;
        }
        self.accept_word("ALL");
        if self.is_word("FROM") {
            return Err(StatementError::malformed(
                "Expected identifier or an expression but found unexpected keyword 'from' in a select list.",
            ));
        }
        let mut columns = Vec::new();
        loop {
            columns.push(self.column()?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        if !self.accept_word("FROM") {
            return Err(StatementError::malformed("Missing FROM after SELECT list"));
        }
        let from = self.expression()?;
        let has_alias = self.alias();
        let joins = ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "OUTER", "NATURAL"];
        if self.is_symbol(",") || joins.iter().any(|word| self.is_word(word)) {
            return Err(StatementError::new(super::statement::ONE_SOURCE));
        }
        let condition = self.condition()?;
        let mut order = Vec::new();
        for clause in ["GROUP", "HAVING"] {
            self.refuse_clause(clause)?;
        }
        if self.is_word("ORDER") && self.is_next_word("BY") {
            self.skip(2);
            order = self.order()?;
        }
        for clause in ["GROUP", "HAVING", "LIMIT", "OFFSET"] {
            self.refuse_clause(clause)?;
        }
        Ok(SelectSyntax { columns, from, has_alias, condition, order })
    }

    /// Refuses what PartiQL has and DynamoDB has not.
    fn refuse_clause(&self, clause: &str) -> Result<(), StatementError> {
        if self.is_word(clause) {
            return Err(StatementError::new(format!("Unsupported clause: {clause} at {}", self.position())));
        }
        Ok(())
    }

    fn column(&mut self) -> Result<Column, StatementError> {
        if self.accept_symbol("*") {
            return Ok(Column::Star);
        }
        let column = self.expression()?;
        if self.alias() {
            return Err(StatementError::new("Aliasing is not supported"));
        }
        Ok(Column::Expression(column))
    }

    /// Reads another name for something, if there is one.
    fn alias(&mut self) -> bool {
        let named = self.accept_word("AS");
        let is_name = match self.kind() {
            Kind::Quoted(_) => true,
            Kind::Word(word) => !super::keywords::is_keyword(word),
            _ => false,
        };
        self.skip(usize::from(is_name));
        named || is_name
    }

    fn order(&mut self) -> Result<Vec<OrderSyntax>, StatementError> {
        let mut order = Vec::new();
        loop {
            let key = self.expression()?;
            let descending = self.accept_word("DESC");
            if !descending {
                self.accept_word("ASC");
            }
            // Every key attribute is there, so that it makes no difference where the missing ones go.
            if self.is_word("NULLS") && ["FIRST", "LAST"].iter().any(|word| self.is_next_word(word)) {
                self.skip(2);
            }
            order.push(OrderSyntax { key, descending });
            if !self.accept_symbol(",") {
                return Ok(order);
            }
        }
    }

    fn insert(&mut self) -> Result<Syntax, StatementError> {
        self.skip(2);
        let at = self.position();
        let table = self.path_of_names()?;
        if !self.accept_word("VALUE") {
            // PartiQL would insert what the next expression yields.
            self.expression()?;
            let detail = if self.kind() == &Kind::End {
                "Unexpected term"
            } else {
                "Unexpected token after expression"
            };
            return Err(StatementError::malformed(detail));
        }
        let item = self.expression()?;
        Ok(Syntax::Insert { table, at, item, returning: self.returning()?.is_some() })
    }

    fn table(&mut self) -> Result<TableSyntax, StatementError> {
        Ok(TableSyntax { parts: self.path_of_names()?, has_alias: self.alias() })
    }

    /// Reads a path without list positions: a table, and perhaps an index.
    pub(super) fn path_of_names(&mut self) -> Result<Vec<String>, StatementError> {
        let path = self.path()?;
        names_of(path).ok_or_else(|| StatementError::malformed("Expected identifier for simple path"))
    }

    fn condition(&mut self) -> Result<Option<Expr>, StatementError> {
        if self.accept_word("WHERE") { self.expression().map(Some) } else { Ok(None) }
    }

    /// Reads SETs and REMOVEs, of which there must be one.
    pub(super) fn actions(&mut self) -> Result<Vec<ActionSyntax>, StatementError> {
        let mut actions = Vec::new();
        loop {
            if self.accept_word("SET") {
                loop {
                    let target = self.path()?;
                    if !self.accept_symbol("=") {
                        return Err(StatementError::malformed("Expected '='"));
                    }
                    actions.push(ActionSyntax { target, value: Some(self.expression()?) });
                    if !self.accept_symbol(",") {
                        break;
                    }
                }
            } else if self.accept_word("REMOVE") {
                actions.push(ActionSyntax { target: self.path()?, value: None });
            } else if actions.is_empty() {
                return Err(StatementError::malformed("Expected data manipulation"));
            } else {
                return Ok(actions);
            }
        }
    }

    fn returning(&mut self) -> Result<Option<Returning>, StatementError> {
        if !self.accept_word("RETURNING") {
            return Ok(None);
        }
        let malformed =
            |what: &str| Err(StatementError::malformed(&format!("Expected {what} in returning clause")));
        let modified = self.accept_word("MODIFIED");
        if !modified && !self.accept_word("ALL") {
            return malformed("ALL or MODIFIED");
        }
        let new = self.accept_word("NEW");
        if !new && !self.accept_word("OLD") {
            return malformed("OLD or NEW");
        }
        if !self.accept_symbol("*") {
            return malformed("*");
        }
        Ok(Some(Returning { modified, new }))
    }
}

/// The names of a path that has nothing else.
pub(super) fn names_of(path: Expr) -> Option<Vec<String>> {
    let ExprKind::Path(name, steps) = path.kind else { return None };
    let rest = steps.into_iter().map(|step| match step {
        StepSyntax::Name(name) => Some(name),
        StepSyntax::Index(_) | StepSyntax::Star(_) => None,
    });
    std::iter::once(Some(name)).chain(rest).collect()
}
