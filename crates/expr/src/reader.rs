//! What the parsers of all kinds of expressions share: paths, values, and faults other than of syntax.

use dynamometer_types::{AttributeValue, limits};

use crate::error::{ExpressionError, ExpressionKind, Stage};
use crate::lexer::{Lexer, Token};
use crate::path::{Path, PathStep};
use crate::placeholders::Placeholders;
use crate::reserved::is_reserved;

/// The largest list index that AWS accepts.
const MAX_INDEX: u32 = i32::MAX as u32;

/// Kinds of faults that are reported only when the syntax is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooManyOperators,
    UnknownFunction,
    MisusedFunction,
    Reserved,
    SectionTwice,
    UndefinedName,
    UndefinedValue,
    PathDepth,
    Overlap,
    Conflict,
    /// A wrong type after ADD or DELETE.
    ActionOperand,
    OperandCount,
    SameOperand,
    OperandType,
}

/// From here on, the faults of a condition are ordered by clause first.
const BY_CLAUSE: u8 = 4;

impl Fault {
    /// The place of the fault among those of one expression: the lowest is the one that AWS reports.
    fn rank(self, kind: ExpressionKind) -> u8 {
        match kind {
            ExpressionKind::Update => match self {
                Fault::TooManyOperators => 0,
                Fault::Reserved => 1,
                Fault::UnknownFunction => 2,
                Fault::MisusedFunction => 3,
                Fault::SectionTwice => 4,
                Fault::UndefinedName => 5,
                Fault::UndefinedValue => 6,
                Fault::PathDepth => 7,
                Fault::Overlap => 8,
                Fault::Conflict => 9,
                Fault::ActionOperand => 10,
                Fault::OperandCount | Fault::SameOperand | Fault::OperandType => 11,
            },
            _ => match self {
                Fault::TooManyOperators => 0,
                Fault::UnknownFunction => 1,
                Fault::MisusedFunction => 2,
                Fault::Reserved => 3,
                Fault::UndefinedName | Fault::UndefinedValue => BY_CLAUSE,
                Fault::PathDepth => BY_CLAUSE + 1,
                Fault::OperandCount => BY_CLAUSE + 2,
                Fault::SameOperand => BY_CLAUSE + 3,
                Fault::ActionOperand | Fault::OperandType => BY_CLAUSE + 4,
                Fault::Overlap => BY_CLAUSE + 5,
                Fault::Conflict => BY_CLAUSE + 6,
                Fault::SectionTwice => BY_CLAUSE + 7,
            },
        }
    }
}

/// Where the rules of conditions put what they find.
pub(crate) trait FaultSink {
    /// Notes a fault.
    fn fault(&mut self, fault: Fault, message: impl FnOnce() -> String);
}

impl FaultSink for Reader<'_, '_> {
    fn fault(&mut self, fault: Fault, message: impl FnOnce() -> String) {
        Reader::fault(self, fault, message);
    }
}

/// Reads an expression and keeps the fault that AWS would report.
pub(crate) struct Reader<'t, 'p> {
    pub(crate) lexer: Lexer<'t>,
    placeholders: &'p Placeholders<'p>,
    /// The clause of a condition that is being read, from 0.
    pub(crate) clause: u32,
    operators: usize,
    worst: Option<((u8, u32, u8), String)>,
}

impl<'t, 'p> Reader<'t, 'p> {
    /// Stands at the start of a text of the right size.
    ///
    /// # Errors
    /// When the text is empty or too long.
    pub(crate) fn new(
        kind: ExpressionKind,
        text: &'t str,
        placeholders: &'p Placeholders<'p>,
    ) -> Result<Reader<'t, 'p>, ExpressionError> {
        kind.check_not_empty(text)?;
        kind.check_size(text)?;
        Ok(Reader { lexer: Lexer::new(kind, text), placeholders, clause: 0, operators: 0, worst: None })
    }

    /// Notes a fault; the first of the lowest rank stays.
    pub(crate) fn fault(&mut self, fault: Fault, message: impl FnOnce() -> String) {
        let rank = fault.rank(self.lexer.kind());
        let conditional = self.lexer.kind() != ExpressionKind::Update && rank >= BY_CLAUSE;
        let key = if conditional { (BY_CLAUSE, self.clause, rank) } else { (rank, 0, 0) };
        if self.worst.as_ref().is_none_or(|(worst, _)| key < *worst) {
            self.worst = Some((key, message()));
        }
    }

    /// Whether a fault was noted, so that what is read is of no use.
    pub(crate) fn is_faulty(&self) -> bool {
        self.worst.is_some()
    }

    /// What was read, unless a fault was noted.
    pub(crate) fn finish<T>(self, read: T) -> Result<T, ExpressionError> {
        match self.worst {
            None => Ok(read),
            Some((_, message)) => Err(ExpressionError::new(self.lexer.kind(), Stage::Meaning, message)),
        }
    }

    /// Counts an operator. AWS stops counting at the first one too many.
    pub(crate) fn count_operator(&mut self) {
        self.operators += 1;
        if self.operators == limits::EXPRESSION_OPERATORS + 1 {
            let count = self.operators;
            self.fault(Fault::TooManyOperators, || {
                format!("The expression contains too many operators; operator count: {count}")
            });
        }
    }

    /// Reads a path.
    pub(crate) fn path(&mut self) -> Result<Path, ExpressionError> {
        let name = self.path_name()?;
        self.path_steps(name)
    }

    /// Reads the steps of a path whose first word was read already.
    pub(crate) fn path_after(&mut self, word: &str) -> Result<Path, ExpressionError> {
        let name = self.word(word);
        self.path_steps(name)
    }

    fn path_steps(&mut self, name: String) -> Result<Path, ExpressionError> {
        let mut steps = Vec::new();
        loop {
            if self.lexer.accept(Token::Dot) {
                steps.push(PathStep::Name(self.path_name()?));
            } else if self.lexer.accept(Token::LeftBracket) {
                let digits = self.lexer.expect(Token::Integer)?;
                steps.push(PathStep::Index(self.index(digits)));
                self.lexer.expect(Token::RightBracket)?;
            } else {
                break;
            }
        }
        let path = Path::new(name, steps);
        let depth = path.depth();
        if depth > limits::NESTING_LEVELS {
            self.fault(Fault::PathDepth, || {
                format!("The document path has too many nesting levels; nesting levels: {depth}")
            });
        }
        Ok(path)
    }

    fn path_name(&mut self) -> Result<String, ExpressionError> {
        match self.lexer.token() {
            Token::Word => {
                let word = self.lexer.advance();
                Ok(self.word(word))
            }
            Token::NamePlaceholder => {
                let placeholder = self.lexer.advance();
                Ok(self.name(placeholder))
            }
            _ => Err(self.lexer.syntax_error()),
        }
    }

    fn word(&mut self, word: &str) -> String {
        if is_reserved(word) {
            self.fault(Fault::Reserved, || {
                format!("Attribute name is a reserved keyword; reserved keyword: {word}")
            });
        }
        word.to_owned()
    }

    fn name(&mut self, placeholder: &str) -> String {
        if let Some(name) = self.placeholders.name(placeholder) {
            return name.to_owned();
        }
        self.fault(Fault::UndefinedName, || {
            format!(
                "An expression attribute name used in the document path is not defined; attribute name: \
                 {placeholder}"
            )
        });
        String::new()
    }

    fn index(&mut self, digits: &str) -> u32 {
        match digits.parse() {
            Ok(index) if index <= MAX_INDEX => index,
            _ => {
                self.fault(Fault::Reserved, || {
                    format!("List index is not within the allowable range; index: [{digits}]")
                });
                0
            }
        }
    }

    /// Reads a `:value`.
    pub(crate) fn value(&mut self) -> Result<AttributeValue, ExpressionError> {
        let placeholder = self.lexer.expect(Token::ValuePlaceholder)?;
        if let Some(value) = self.placeholders.value(placeholder) {
            return Ok(value.clone());
        }
        self.fault(Fault::UndefinedValue, || {
            format!(
                "An expression attribute value used in expression is not defined; attribute value: \
                 {placeholder}"
            )
        });
        Ok(AttributeValue::Null)
    }
}
