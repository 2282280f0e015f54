//! The grammar of conditions.
//!
//! The parser keeps its own stack, so that no text, however deep its parentheses or calls, can exhaust the
//! thread's. Each open `(` is a [`Level`].

use dynamometer_types::{AttributeValue, limits};

use crate::condition::{Comparator, Condition, Operand};
use crate::condition_rules as rules;
use crate::error::{ExpressionError, ExpressionKind, Stage};
use crate::lexer::Token;
use crate::placeholders::Placeholders;
use crate::reader::Reader;

/// Parses a condition of a write, a filter, or the part of a key condition that it shares with them.
///
/// # Errors
/// AWS's text with the prefix of `kind`.
pub fn parse_condition(
    kind: ExpressionKind,
    text: &str,
    placeholders: &Placeholders<'_>,
) -> Result<Condition, ExpressionError> {
    let reader = Reader::new(kind, text, placeholders)?;
    Parser { reader, top: Level::new(Opened::Top, false), open: Vec::new() }.run()
}

/// Something complete that was read.
enum Node<'t> {
    /// A path, a value or a size.
    Operand(Operand),
    /// A call that is a condition by itself.
    Call(&'t str, Condition),
    /// A comparison, or conditions joined.
    Condition(Condition),
}

/// What opened a level.
enum Opened<'t> {
    /// The start of the text.
    Top,
    /// A parenthesis around an operand or a condition.
    Group,
    /// A function; more than two arguments are only counted.
    Call { name: &'t str, first: Option<Operand>, second: Option<Operand>, count: usize },
    /// `operand IN (`.
    List { operand: Operand, list: Vec<Operand> },
}

/// A comparison whose left part was read.
enum Pending {
    Compare(Operand, Comparator),
    BetweenLow(Operand),
    BetweenHigh(Operand, Operand),
}

/// What was read since an opening parenthesis.
struct Level<'t> {
    opened: Opened<'t>,
    /// Only an operand may stand here.
    operand_only: bool,
    /// NOTs before the condition that is being read.
    nots: usize,
    pending: Option<Pending>,
    /// Conditions joined by AND since the last OR.
    ands: Vec<Condition>,
    /// Conditions joined by OR.
    ors: Vec<Condition>,
}

impl<'t> Level<'t> {
    fn new(opened: Opened<'t>, operand_only: bool) -> Level<'t> {
        Level { opened, operand_only, nots: 0, pending: None, ands: Vec::new(), ors: Vec::new() }
    }

    /// Whether the level holds nothing but the node that is being read.
    fn is_bare(&self) -> bool {
        self.nots == 0 && self.ands.is_empty() && self.ors.is_empty()
    }

    /// Takes a condition under the NOTs before it. More of them than an expression may have are a fault anyway.
    fn negated(&mut self, mut condition: Condition) -> Condition {
        for _ in 0..std::mem::take(&mut self.nots).min(limits::EXPRESSION_OPERATORS) {
            condition = Condition::Not(Box::new(condition));
        }
        condition
    }

    /// Closes a run of ANDs.
    fn close_ands(&mut self, condition: Condition) -> Condition {
        let last = self.negated(condition);
        join(&mut self.ands, last, Condition::And)
    }

    /// Closes the level.
    fn close(&mut self, condition: Condition) -> Condition {
        let last = self.close_ands(condition);
        join(&mut self.ors, last, Condition::Or)
    }
}

fn join(earlier: &mut Vec<Condition>, last: Condition, joined: fn(Vec<Condition>) -> Condition) -> Condition {
    if earlier.is_empty() {
        return last;
    }
    let mut all = std::mem::take(earlier);
    all.push(last);
    joined(all)
}

struct Parser<'t, 'p> {
    reader: Reader<'t, 'p>,
    top: Level<'t>,
    open: Vec<Level<'t>>,
}

impl<'t> Parser<'t, '_> {
    fn run(mut self) -> Result<Condition, ExpressionError> {
        loop {
            if let Some(node) = self.start()?
                && let Some(condition) = self.go_on(node)?
            {
                return self.reader.finish(condition);
            }
        }
    }

    fn level(&mut self) -> &mut Level<'t> {
        self.open.last_mut().unwrap_or(&mut self.top)
    }

    /// Whether the next thing has to be an operand.
    fn wants_operand(&mut self) -> bool {
        let level = self.level();
        level.operand_only
            || level.pending.is_some()
            || matches!(level.opened, Opened::Call { .. } | Opened::List { .. })
    }

    fn syntax_error<T>(&self) -> Result<T, ExpressionError> {
        Err(self.reader.lexer.syntax_error())
    }

    /// Reads what may begin an operand or a condition: `None` when it only opened something.
    fn start(&mut self) -> Result<Option<Node<'t>>, ExpressionError> {
        match self.reader.lexer.token() {
            Token::Not if !self.wants_operand() => {
                self.reader.lexer.advance();
                self.reader.count_operator();
                self.level().nots += 1;
                Ok(None)
            }
            Token::LeftParen => {
                let operand_only = self.wants_operand();
                self.reader.lexer.advance();
                self.open.push(Level::new(Opened::Group, operand_only));
                Ok(None)
            }
            Token::ValuePlaceholder => Ok(Some(Node::Operand(Operand::Value(self.reader.value()?)))),
            Token::NamePlaceholder => Ok(Some(Node::Operand(Operand::Path(self.reader.path()?)))),
            Token::Word => {
                let word = self.reader.lexer.advance();
                if self.reader.lexer.accept(Token::LeftParen) {
                    rules::check_function_name(&mut self.reader, word);
                    let call = Opened::Call { name: word, first: None, second: None, count: 0 };
                    self.open.push(Level::new(call, true));
                    return Ok(None);
                }
                Ok(Some(Node::Operand(Operand::Path(self.reader.path_after(word)?))))
            }
            _ => self.syntax_error(),
        }
    }

    /// Goes on after a node: answers the whole condition at the end of the text, `None` when more has to follow.
    fn go_on(&mut self, mut node: Node<'t>) -> Result<Option<Condition>, ExpressionError> {
        // Whether the node is a parenthesis, for a second one around it is refused.
        let mut grouped = false;
        loop {
            if let Some(pending) = self.level().pending.take() {
                match self.complete(pending, node)? {
                    Some(condition) => node = Node::Condition(condition),
                    None => return Ok(None),
                }
                grouped = false;
            }
            match self.reader.lexer.token() {
                Token::RightParen if !self.open.is_empty() => {
                    (node, grouped) = self.close(node, grouped)?;
                }
                Token::Comma => return self.next_argument(node).map(|()| None),
                Token::And | Token::Or if !self.wants_operand() => {
                    return self.join(node).map(|()| None);
                }
                Token::End if self.open.is_empty() => {
                    let condition = self.condition(node)?;
                    return Ok(Some(self.top.close(condition)));
                }
                _ => return self.compare(node).map(|()| None),
            }
        }
    }

    /// Reads a comparator, BETWEEN or IN after an operand.
    fn compare(&mut self, node: Node<'t>) -> Result<(), ExpressionError> {
        let comparator = match self.reader.lexer.token() {
            Token::Equal => Some(Comparator::Equal),
            Token::NotEqual => Some(Comparator::NotEqual),
            Token::Less => Some(Comparator::Less),
            Token::LessOrEqual => Some(Comparator::LessOrEqual),
            Token::Greater => Some(Comparator::Greater),
            Token::GreaterOrEqual => Some(Comparator::GreaterOrEqual),
            Token::Between | Token::In => None,
            _ => return self.syntax_error(),
        };
        if matches!(node, Node::Condition(_)) || self.wants_operand() {
            return self.syntax_error();
        }
        let operand = self.operand(node)?;
        let between = self.reader.lexer.token() == Token::Between;
        self.reader.lexer.advance();
        self.reader.count_operator();
        match comparator {
            Some(comparator) => self.level().pending = Some(Pending::Compare(operand, comparator)),
            None if between => self.level().pending = Some(Pending::BetweenLow(operand)),
            None => {
                self.reader.lexer.expect(Token::LeftParen)?;
                self.open.push(Level::new(Opened::List { operand, list: Vec::new() }, true));
            }
        }
        Ok(())
    }

    /// Feeds a comparison its next operand: answers it when it is complete.
    fn complete(&mut self, pending: Pending, node: Node<'t>) -> Result<Option<Condition>, ExpressionError> {
        let operand = self.operand(node)?;
        let condition = match pending {
            Pending::Compare(left, comparator) => {
                rules::check_comparison(&mut self.reader, &left, comparator, &operand);
                Condition::Compare { left, comparator, right: operand }
            }
            Pending::BetweenLow(value) => {
                self.reader.lexer.expect(Token::And)?;
                self.level().pending = Some(Pending::BetweenHigh(value, operand));
                return Ok(None);
            }
            Pending::BetweenHigh(value, low) => {
                rules::check_between(&mut self.reader, &value, &low, &operand);
                Condition::Between { operand: value, low, high: operand }
            }
        };
        self.reader.clause += 1;
        Ok(Some(condition))
    }

    /// Reads AND or OR after a condition.
    fn join(&mut self, node: Node<'t>) -> Result<(), ExpressionError> {
        let condition = self.condition(node)?;
        let or = self.reader.lexer.token() == Token::Or;
        self.reader.lexer.advance();
        self.reader.count_operator();
        let level = self.level();
        if or {
            let condition = level.close_ands(condition);
            level.ors.push(condition);
        } else {
            let condition = level.negated(condition);
            level.ands.push(condition);
        }
        Ok(())
    }

    /// Reads the comma after an argument or a member of a list.
    fn next_argument(&mut self, node: Node<'t>) -> Result<(), ExpressionError> {
        if !matches!(self.level().opened, Opened::Call { .. } | Opened::List { .. }) {
            return self.syntax_error();
        }
        self.argument(node)?;
        self.reader.lexer.advance();
        Ok(())
    }

    fn argument(&mut self, node: Node<'t>) -> Result<(), ExpressionError> {
        let operand = self.operand(node)?;
        match &mut self.level().opened {
            Opened::Call { first, second, count, .. } => {
                match count {
                    0 => *first = Some(operand),
                    1 => *second = Some(operand),
                    _ => {}
                }
                *count += 1;
            }
            Opened::List { list, .. } => list.push(operand),
            Opened::Top | Opened::Group => {}
        }
        Ok(())
    }

    /// Reads the `)` that closes the last level: answers what the level is, and whether it is a parenthesis.
    fn close(&mut self, node: Node<'t>, grouped: bool) -> Result<(Node<'t>, bool), ExpressionError> {
        if !matches!(self.level().opened, Opened::Group) {
            self.argument(node)?;
            self.reader.lexer.advance();
            return Ok((self.close_arguments(), false));
        }
        if grouped && self.level().is_bare() {
            let message = "The expression has redundant parentheses;";
            return Err(ExpressionError::new(self.reader.lexer.kind(), Stage::Syntax, message));
        }
        let closed = if self.level().is_bare() {
            node
        } else {
            let condition = self.condition(node)?;
            Node::Condition(self.level().close(condition))
        };
        self.reader.lexer.advance();
        self.open.pop();
        Ok((closed, true))
    }

    fn close_arguments(&mut self) -> Node<'t> {
        match self.open.pop().map(|level| level.opened) {
            Some(Opened::List { operand, list }) => {
                rules::check_in(&mut self.reader, &operand, &list);
                self.reader.clause += 1;
                Node::Condition(Condition::In { operand, list })
            }
            Some(Opened::Call { name, first: Some(first), second, count }) => {
                self.call(name, first, second, count)
            }
            // A call has at least one argument, and nothing else is closed here.
            _ => Node::Condition(Condition::And(Vec::new())),
        }
    }

    fn call(&mut self, name: &'t str, first: Operand, second: Option<Operand>, count: usize) -> Node<'t> {
        if name == "size" {
            rules::check_size(&mut self.reader, &first, count);
            let sized = if self.reader.is_faulty() { Operand::Value(AttributeValue::Null) } else { first };
            return Node::Operand(Operand::Size(Box::new(sized)));
        }
        Node::Call(name, rules::condition_function(&mut self.reader, name, first, second, count))
    }

    /// The node as an operand.
    fn operand(&mut self, node: Node<'t>) -> Result<Operand, ExpressionError> {
        match node {
            Node::Operand(operand) => Ok(operand),
            Node::Call(name, _) => {
                rules::misused(&mut self.reader, name);
                Ok(Operand::Value(AttributeValue::Bool(true)))
            }
            Node::Condition(_) => self.syntax_error(),
        }
    }

    /// The node as a condition. Once there is a fault its content is let go, so that nothing nests deeper than
    /// the number of operators that an expression may have.
    fn condition(&mut self, node: Node<'t>) -> Result<Condition, ExpressionError> {
        match node {
            Node::Condition(_) if self.reader.is_faulty() => Ok(Condition::And(Vec::new())),
            Node::Condition(condition) => Ok(condition),
            Node::Call(_, condition) => {
                self.reader.clause += 1;
                Ok(condition)
            }
            Node::Operand(Operand::Size(_)) => {
                rules::misused(&mut self.reader, "size");
                Ok(Condition::And(Vec::new()))
            }
            Node::Operand(_) => self.syntax_error(),
        }
    }
}
