//! The grammar of update expressions.
//!
//! As for conditions, the parser of values keeps its own stack.

use dynamometer_types::AttributeValue;
use dynamometer_types::value::ValueType;

use crate::condition_rules::{check_count, misused, operand_type};
use crate::error::{ExpressionError, ExpressionKind, Stage};
use crate::lexer::Token;
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::projection::check_paths;
use crate::reader::{Fault, Reader};
use crate::update::{Action, Change, SetValue, Update, UpdateOperand};

/// Functions of conditions.
const CONDITION_FUNCTIONS: [&str; 6] =
    ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"];

/// Parses an UpdateExpression.
///
/// # Errors
/// AWS's text with its prefix.
pub fn parse_update(text: &str, placeholders: &Placeholders<'_>) -> Result<Update, ExpressionError> {
    let mut reader = Reader::new(ExpressionKind::Update, text, placeholders)?;
    let (mut actions, mut seen) = (Vec::new(), Vec::new());
    loop {
        let section = reader.lexer.token();
        section_actions(&mut reader, section, &mut actions)?;
        check_section(&mut reader, section, &mut seen);
        if reader.lexer.token() == Token::End {
            break;
        }
    }
    check_paths(&mut reader, &actions, |action| &action.path);
    reader.finish(Update::from_actions(actions))
}

/// Each section may stand once.
fn check_section(reader: &mut Reader<'_, '_>, section: Token, seen: &mut Vec<Token>) {
    if seen.contains(&section) {
        let name = match section {
            Token::Set => "SET",
            Token::Remove => "REMOVE",
            Token::Add => "ADD",
            _ => "DELETE",
        };
        reader.fault(Fault::SectionTwice, || {
            format!("The \"{name}\" section can only be used once in an update expression;")
        });
    }
    seen.push(section);
}

fn section_actions(
    reader: &mut Reader<'_, '_>,
    section: Token,
    actions: &mut Vec<Action>,
) -> Result<(), ExpressionError> {
    if !matches!(section, Token::Set | Token::Remove | Token::Add | Token::Delete) {
        return Err(reader.lexer.syntax_error());
    }
    reader.lexer.advance();
    loop {
        let path = reader.path()?;
        let change = match section {
            Token::Set => {
                reader.lexer.expect(Token::Equal)?;
                Change::Set(ValueParser { reader, open: Vec::new(), sum: None }.run()?)
            }
            Token::Add => Change::Add(action_operand(reader, "ADD")?),
            Token::Delete => Change::Delete(action_operand(reader, "DELETE")?),
            _ => Change::Remove,
        };
        actions.push(Action { path, change });
        if !reader.lexer.accept(Token::Comma) {
            return Ok(());
        }
    }
}

/// The value after the path of ADD or DELETE.
fn action_operand(reader: &mut Reader<'_, '_>, section: &str) -> Result<AttributeValue, ExpressionError> {
    let value = reader.value()?;
    let name = match value.value_type() {
        ValueType::Ss | ValueType::Ns | ValueType::Bs => return Ok(value),
        ValueType::N if section == "ADD" => return Ok(value),
        ValueType::S => "STRING",
        ValueType::N => "NUMBER",
        ValueType::B => "Binary",
        ValueType::Bool => "BOOLEAN",
        ValueType::Null => "NULL",
        ValueType::L => "LIST",
        ValueType::M => "MAP",
    };
    reader.fault(Fault::ActionOperand, || {
        format!(
            "Incorrect operand type for operator or function; operator: {section}, operand type: {name}, typeSet: \
             ALLOWED_FOR_{section}_OPERAND"
        )
    });
    Ok(value)
}

/// What opened a level of a value.
enum Opened<'t> {
    Group,
    /// A function; more than two arguments are only counted.
    Call {
        name: &'t str,
        first: Option<UpdateOperand>,
        second: Option<UpdateOperand>,
        count: usize,
    },
}

/// The operator of a sum or difference.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

/// A sum or difference whose left side was read, and how deep in parentheses it stands.
struct Sum {
    left: UpdateOperand,
    sign: Sign,
    depth: usize,
}

/// Reads the right-hand side of SET.
struct ValueParser<'r, 't, 'p> {
    reader: &'r mut Reader<'t, 'p>,
    open: Vec<Opened<'t>>,
    sum: Option<Sum>,
}

impl<'t> ValueParser<'_, 't, '_> {
    fn run(mut self) -> Result<SetValue, ExpressionError> {
        loop {
            if let Some(operand) = self.start()?
                && let Some(value) = self.go_on(operand)?
            {
                return Ok(value);
            }
        }
    }

    fn syntax_error<T>(&self) -> Result<T, ExpressionError> {
        Err(self.reader.lexer.syntax_error())
    }

    /// Reads what may begin an operand: `None` when it only opened something.
    fn start(&mut self) -> Result<Option<UpdateOperand>, ExpressionError> {
        match self.reader.lexer.token() {
            Token::LeftParen => {
                self.reader.lexer.advance();
                self.open.push(Opened::Group);
                Ok(None)
            }
            Token::ValuePlaceholder => Ok(Some(UpdateOperand::Value(self.reader.value()?))),
            Token::NamePlaceholder => Ok(Some(UpdateOperand::Path(self.reader.path()?))),
            Token::Word => {
                let name = self.reader.lexer.advance();
                if self.reader.lexer.accept(Token::LeftParen) {
                    self.check_function(name);
                    self.open.push(Opened::Call { name, first: None, second: None, count: 0 });
                    return Ok(None);
                }
                Ok(Some(UpdateOperand::Path(self.reader.path_after(name)?)))
            }
            _ => self.syntax_error(),
        }
    }

    /// Goes on after an operand: answers the whole value when it ends here, `None` when more has to follow.
    fn go_on(&mut self, mut operand: UpdateOperand) -> Result<Option<SetValue>, ExpressionError> {
        let mut grouped = false;
        loop {
            match self.reader.lexer.token() {
                Token::Plus | Token::Minus if self.may_add() => {
                    let minus = self.reader.lexer.token() == Token::Minus;
                    self.reader.lexer.advance();
                    self.reader.count_operator();
                    let sign = if minus { Sign::Minus } else { Sign::Plus };
                    self.sum = Some(Sum { left: operand, sign, depth: self.open.len() });
                    return Ok(None);
                }
                Token::RightParen if self.closes_sum() => {
                    self.reader.lexer.advance();
                    return Ok(Some(self.sum_with(operand)));
                }
                Token::RightParen if !self.open.is_empty() => {
                    (operand, grouped) = self.close(operand, grouped)?;
                }
                Token::Comma if !self.open.is_empty() => {
                    self.argument(operand)?;
                    self.reader.lexer.advance();
                    return Ok(None);
                }
                _ if self.open.is_empty() => return Ok(Some(self.sum_with(operand))),
                _ => return self.syntax_error(),
            }
        }
    }

    /// Whether a sum may stand here: once, and at most in one pair of parentheses.
    fn may_add(&self) -> bool {
        self.sum.is_none() && matches!(self.open.as_slice(), [] | [Opened::Group])
    }

    /// Whether the next parenthesis closes one around a whole sum.
    fn closes_sum(&self) -> bool {
        matches!(self.open.as_slice(), [Opened::Group]) && self.sum.as_ref().is_some_and(|sum| sum.depth == 1)
    }

    fn sum_with(&mut self, right: UpdateOperand) -> SetValue {
        let Some(Sum { left, sign, .. }) = self.sum.take() else { return SetValue::Operand(right) };
        let symbol = match sign {
            Sign::Plus => "+",
            Sign::Minus => "-",
        };
        self.check_types(symbol, ValueType::N, [&left, &right]);
        match sign {
            Sign::Plus => SetValue::Sum(left, right),
            Sign::Minus => SetValue::Difference(left, right),
        }
    }

    fn argument(&mut self, operand: UpdateOperand) -> Result<(), ExpressionError> {
        let Some(Opened::Call { first, second, count, .. }) = self.open.last_mut() else {
            return self.syntax_error();
        };
        match count {
            0 => *first = Some(operand),
            1 => *second = Some(operand),
            _ => {}
        }
        *count += 1;
        Ok(())
    }

    /// Reads the `)` that closes the last level: answers what the level is, and whether it is a parenthesis.
    fn close(
        &mut self,
        operand: UpdateOperand,
        grouped: bool,
    ) -> Result<(UpdateOperand, bool), ExpressionError> {
        if matches!(self.open.last(), Some(Opened::Group)) {
            if grouped {
                let message = "The expression has redundant parentheses;";
                return Err(ExpressionError::new(ExpressionKind::Update, Stage::Syntax, message));
            }
            self.open.pop();
            self.reader.lexer.advance();
            return Ok((operand, true));
        }
        self.argument(operand)?;
        self.reader.lexer.advance();
        match self.open.pop() {
            Some(Opened::Call { name, first: Some(first), second, count }) => {
                Ok((self.call(name, first, second, count), false))
            }
            _ => self.syntax_error(),
        }
    }

    /// Refuses a function that updates do not have, and list_append inside another function.
    fn check_function(&mut self, name: &str) {
        if CONDITION_FUNCTIONS.contains(&name) {
            self.reader.fault(Fault::UnknownFunction, || {
                format!("The function is not allowed in an update expression; function: {name}")
            });
        } else if name != "if_not_exists" && name != "list_append" {
            self.reader.fault(Fault::UnknownFunction, || format!("Invalid function name; function: {name}"));
        } else if name == "list_append" && self.open.iter().any(|level| matches!(level, Opened::Call { .. }))
        {
            misused(self.reader, name);
        }
    }

    /// Checks a call and makes it an operand. A call with a fault becomes any operand: it is never evaluated.
    fn call(
        &mut self,
        name: &str,
        first: UpdateOperand,
        second: Option<UpdateOperand>,
        count: usize,
    ) -> UpdateOperand {
        let fallback = UpdateOperand::Value(AttributeValue::Null);
        if name != "if_not_exists" && name != "list_append" {
            return fallback;
        }
        check_count(self.reader, name, 2, count);
        let Some(second) = second else { return fallback };
        if name == "list_append" {
            self.check_types(name, ValueType::L, [&first, &second]);
            return UpdateOperand::ListAppend(Box::new(first), Box::new(second));
        }
        let path = match first {
            UpdateOperand::Path(path) => path,
            _ => {
                self.reader.fault(Fault::OperandType, || {
                    format!("Operator or function requires a document path; operator or function: {name}")
                });
                Path::top_level("")
            }
        };
        UpdateOperand::IfNotExists(path, Box::new(second))
    }

    fn check_types(&mut self, operator: &str, takes: ValueType, operands: [&UpdateOperand; 2]) {
        for operand in operands {
            if let UpdateOperand::Value(value) = operand
                && value.value_type() != takes
            {
                let found = value.value_type().name();
                self.reader.fault(Fault::OperandType, || operand_type(operator, found));
            }
        }
    }
}
