//! Statements as the engine takes them.

use dynamometer_types::{AttributeValue, Item};

use super::error::StatementError;
use super::lowering::{EMPTY_NAME, Lowering};
use super::order::{OrderKey, order_key};
use super::parser::{names_of, parse};
use super::syntax::{Column, Expr, ExprKind, Returning, SelectSyntax, StepSyntax, Syntax, TableSyntax};
use crate::condition::Condition;
use crate::path::Path;
use crate::projection::Projection;
use crate::update::Update;

/// A statement, its parameters filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `SELECT`
    Select(Select),
    /// `INSERT`
    Insert(Insert),
    /// `UPDATE`, or `FROM … SET`
    Update(UpdateStatement),
    /// `DELETE`
    Delete(Delete),
    /// `EXISTS(SELECT …)`
    Exists(Select),
}

/// A SELECT.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The table: a name or an ARN.
    pub table: String,
    /// The index that is read instead of the table.
    pub index: Option<String>,
    /// The columns; `None` for `*`.
    pub columns: Option<Projection>,
    /// What WHERE asks for.
    pub condition: Option<Condition>,
    /// The keys of ORDER BY.
    pub order: Vec<OrderKey>,
}

/// An INSERT.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The table: a name or an ARN.
    pub table: String,
    /// The item.
    pub item: Item,
}

/// An UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateStatement {
    /// The table: a name or an ARN.
    pub table: String,
    /// What changes.
    pub update: Update,
    /// What WHERE asks for.
    pub condition: Option<Condition>,
    /// What is answered.
    pub returning: Option<Returning>,
}

/// A DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// The table: a name or an ARN.
    pub table: String,
    /// What WHERE asks for.
    pub condition: Option<Condition>,
    /// What is answered: only `ALL OLD *` can be.
    pub returning: Option<Returning>,
}

/// Reads a statement, and fills in its parameters.
///
/// # Errors
/// AWS's words for the first thing that the text alone tells to be wrong.
pub fn parse_statement(text: &str, parameters: &[AttributeValue]) -> Result<Statement, StatementError> {
    let (syntax, wanted) = parse(text)?;
    if parameters.len() < wanted {
        return Err(StatementError::new("Number of parameters in request and statement don't match."));
    }
    let mut lowering = Lowering::new(parameters);
    match syntax {
        Syntax::Select(syntax) => select(lowering, syntax).map(Statement::Select),
        Syntax::Insert { table, at, item, returning } => {
            if returning {
                return Err(StatementError::new("RETURNING is not supported in INSERT"));
            }
            check_parts(&table)?;
            let [table] = <[String; 1]>::try_from(table).map_err(|_| {
                StatementError::new(format!(
                    "FROM clause may only contain a single table name in data manipulation statements at {at}"
                ))
            })?;
            let item = lowering.item(&item);
            lowering.finish(Statement::Insert(Insert { table, item }))
        }
        Syntax::Update { table, actions, condition, returning } => {
            let table = written_table(table)?;
            let condition = condition.map(|condition| lowering.condition(&condition));
            let update = lowering.update(&actions);
            lowering.finish(Statement::Update(UpdateStatement { table, update, condition, returning }))
        }
        Syntax::Delete { table, condition, returning } => {
            let table = written_table(table)?;
            if let Some(Returning { modified, new }) = returning
                && (modified || new)
            {
                let asked = format!(
                    "{} {}",
                    if modified { "MODIFIED" } else { "ALL" },
                    if new { "NEW" } else { "OLD" }
                );
                return Err(StatementError::new(format!(
                    "Invalid returning clause: RETURNING {asked} *. Only RETURNING ALL OLD * is allowed in DELETE \
                     statements."
                )));
            }
            let condition = condition.map(|condition| lowering.condition(&condition));
            lowering.finish(Statement::Delete(Delete { table, condition, returning }))
        }
        Syntax::Expression(expression) => exists(lowering, expression),
    }
}

/// `EXISTS(SELECT …)`, the only expression that is a statement.
fn exists(lowering: Lowering<'_>, expression: Expr) -> Result<Statement, StatementError> {
    match expression.kind {
        ExprKind::Call(name, mut arguments) => match (name.as_str(), arguments.pop().map(|last| last.kind)) {
            ("exists", Some(ExprKind::Select(inner))) if arguments.is_empty() => {
                select(lowering, *inner).map(Statement::Exists)
            }
            _ => Err(StatementError::new(EXISTS_ONLY)),
        },
        ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Not(_)
        | ExprKind::Signed(_)
        | ExprKind::Binary(..)
        | ExprKind::Between(_)
        | ExprKind::In(..) => Err(StatementError::new(EXISTS_ONLY)),
        ExprKind::Change => Err(StatementError::new(ONE_SOURCE)),
        kind => Err(StatementError::new(format!("Unsupported operation: {}", kind.name()))),
    }
}

/// What AWS says of EXISTS, and of other operators and calls, where no statement begins with them.
pub const EXISTS_ONLY: &str = "EXISTS can only be used in ExecuteTransaction write requests.";

/// What AWS says where there is not one table or index.
pub(super) const ONE_SOURCE: &str = "Only select from a single table or index is supported.";

/// No part of a table's name may be empty.
fn check_parts(parts: &[String]) -> Result<(), StatementError> {
    if parts.iter().any(String::is_empty) { Err(StatementError::new(EMPTY_NAME)) } else { Ok(()) }
}

/// The table of an UPDATE or DELETE.
fn written_table(table: TableSyntax) -> Result<String, StatementError> {
    if table.has_alias {
        return Err(StatementError::new("Aliasing is not supported"));
    }
    check_parts(&table.parts)?;
    let [table] = <[String; 1]>::try_from(table.parts)
        .map_err(|_| StatementError::new("This operation is not supported on an index"))?;
    Ok(table)
}

fn select(mut lowering: Lowering<'_>, syntax: SelectSyntax) -> Result<Select, StatementError> {
    if syntax.has_alias {
        return Err(StatementError::new("Aliasing is not supported"));
    }
    let mut parts = names_of(syntax.from).ok_or_else(|| StatementError::new(ONE_SOURCE))?;
    check_parts(&parts)?;
    if parts.len() > 2 {
        return Err(StatementError::new("A path may contain at most 2 components in the FROM clause"));
    }
    let index = (parts.len() == 2).then(|| parts.remove(1));
    let table = parts.remove(0);
    let condition = syntax.condition.map(|condition| lowering.condition(&condition));
    let columns = columns(&mut lowering, &syntax.columns);
    let order = syntax.order.iter().map(order_key).collect();
    lowering.finish(Select { table, index, columns, condition, order })
}

/// The columns of a SELECT; `None` for all.
fn columns(lowering: &mut Lowering<'_>, columns: &[Column]) -> Option<Projection> {
    if let [Column::Star] = columns {
        return None;
    }
    let mut named: Vec<(String, Path)> = Vec::with_capacity(columns.len());
    for column in columns {
        let Column::Expression(expression) = column else {
            lowering.refuse(|| {
                "Other attributes should not be present in the projection when '*' is used.".into()
            });
            continue;
        };
        let path = lowering.path(expression);
        let name = column_name(expression);
        if named.iter().any(|(known, _)| *known == name) {
            lowering.refuse(|| format!("Duplicate identifiers in select clause: {name}"));
        }
        named.push((name, path));
    }
    Some(Projection::from_columns(named))
}

/// What a path is called in the answer: its last name, and the positions after that.
fn column_name(expression: &Expr) -> String {
    let ExprKind::Path(name, steps) = &expression.kind else { return String::new() };
    let mut column = name.clone();
    for step in steps {
        match step {
            StepSyntax::Name(name) => column.clone_from(name),
            StepSyntax::Index(Expr { kind: ExprKind::Number(text), .. }) => {
                column.push_str(&format!("[{}]", text.trim_start_matches('-')));
            }
            StepSyntax::Index(_) | StepSyntax::Star(_) => {}
        }
    }
    column
}
