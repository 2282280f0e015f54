//! A statement as it is written, before anything is known of what it means.

use super::lexer::Position;

/// A statement.
#[derive(Debug)]
pub(crate) enum Syntax {
    Select(SelectSyntax),
    Insert {
        table: Vec<String>,
        at: Position,
        item: Expr,
        returning: bool,
    },
    Update {
        table: TableSyntax,
        actions: Vec<ActionSyntax>,
        condition: Option<Expr>,
        returning: Option<Returning>,
    },
    Delete {
        table: TableSyntax,
        condition: Option<Expr>,
        returning: Option<Returning>,
    },
    /// Anything that does not begin as a statement.
    Expression(Expr),
}

/// `SELECT … FROM … WHERE … ORDER BY …`
#[derive(Debug)]
pub(crate) struct SelectSyntax {
    /// The columns; `*` is a column of its own.
    pub(crate) columns: Vec<Column>,
    pub(crate) from: Expr,
    pub(crate) has_alias: bool,
    pub(crate) condition: Option<Expr>,
    pub(crate) order: Vec<OrderSyntax>,
}

/// What a SELECT lists.
#[derive(Debug)]
pub(crate) enum Column {
    Star,
    Expression(Expr),
}

/// `path [ASC | DESC]`
#[derive(Debug)]
pub(crate) struct OrderSyntax {
    pub(crate) key: Expr,
    pub(crate) descending: bool,
}

/// The table of a write, and whether another name was given to it.
#[derive(Debug)]
pub(crate) struct TableSyntax {
    pub(crate) parts: Vec<String>,
    pub(crate) has_alias: bool,
}

/// One assignment or removal.
#[derive(Debug)]
pub(crate) struct ActionSyntax {
    pub(crate) target: Expr,
    /// What is assigned; `None` where the target is removed.
    pub(crate) value: Option<Expr>,
}

/// `RETURNING (ALL | MODIFIED) (OLD | NEW) *`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returning {
    /// Only what the statement touches, rather than the whole item.
    pub modified: bool,
    /// The item as it is afterwards, rather than as it was.
    pub new: bool,
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// Its first or its only token.
    pub(crate) at: Position,
    /// How many levels are below it; bounded, so that it can be walked.
    pub(crate) height: usize,
}

/// The forms of expressions.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Path(String, Vec<StepSyntax>),
    /// Steps behind something that is no name, such as `[1][0]`.
    PathOfTerm,
    Text(String),
    /// A number, with at most one sign.
    Number(String),
    Bool(bool),
    Null,
    Missing,
    Ion(String),
    /// `?`, by its place among the parameters.
    Parameter(usize),
    List(Vec<Expr>),
    Bag(Vec<Expr>),
    Struct(Vec<(Expr, Expr)>),
    /// A function, its name in small letters.
    Call(String, Vec<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// `+` or `-` before something that is no number.
    Signed(&'static str),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Between(Box<[Expr; 3]>),
    In(Box<Expr>, Box<Expr>),
    /// `IS type`, by AWS's name of the type.
    Is(Box<Expr>, &'static str),
    Select(Box<SelectSyntax>),
    /// `CASE WHEN condition THEN …`
    SearchedCase,
    /// `CASE operand WHEN value THEN …`
    SimpleCase,
    /// `SET …` or `REMOVE …` without a table.
    Change,
}

/// A step of a path.
#[derive(Debug)]
pub(crate) enum StepSyntax {
    Name(String),
    Index(Expr),
    /// `.*` or `[*]`
    Star(Position),
}

impl ExprKind {
    /// What AWS calls the form where it does not take it.
    pub(crate) fn name(&self) -> &str {
        match self {
            ExprKind::Path(_, steps) if steps.is_empty() => "Id",
            ExprKind::Path(..) | ExprKind::PathOfTerm => "Path",
            ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Ion(_) => "Lit",
            ExprKind::Missing => "Missing",
            ExprKind::Parameter(_) => "Parameter",
            ExprKind::List(_) => "List",
            ExprKind::Bag(_) => "Bag",
            ExprKind::Struct(_) => "Struct",
            ExprKind::Call(name, _) => name,
            ExprKind::And(_) => "And",
            ExprKind::Or(_) => "Or",
            ExprKind::Not(_) => "Not",
            ExprKind::Signed("-") => "Neg",
            ExprKind::Signed(_) => "Pos",
            ExprKind::Binary(symbol, ..) => symbol,
            ExprKind::Between(_) => "Between",
            ExprKind::In(..) => "InCollection",
            ExprKind::Is(..) => "IsType",
            ExprKind::Select(_) => "Select",
            ExprKind::SearchedCase => "SearchedCase",
            ExprKind::SimpleCase => "SimpleCase",
            ExprKind::Change => "Dml",
        }
    }
}
