//! The second reader: walks a body along its shape and writes it down in the strict form.
//!
//! It stops at the first member of a wrong JSON type, with AWS's text for it; it notes faulty values and goes on.
//! What it writes, the strict reader reads.
//!
//! # Source
//! The texts: validation.md §2 of the facts; the words for booleans, the cutting of numbers, the order of a value's
//! faults and what hands a request to the older layer were measured by others on AWS in 2026.

use std::borrow::Cow;

use dynamometer_types::fault::{FaultAt, Faults, Step, ValueFault};
use dynamometer_types::limits::OLDER_LAYER_LEVELS;
use dynamometer_types::number::Reader;
use dynamometer_types::value::ValueType;
use dynamometer_types::{ApiError, ErrorKind, Number};

use super::json::{Cursor, unescape};
use super::set::{SetMember, judge_set};
use super::shape::{LEVELS, NumberKind, Shape, Structure};
use super::words::{self, Found, Place};

/// More faults than any text of AWS's lists; a body of nothing but faults must not fill the memory.
const MOST_FAULTS: usize = 100;

/// Brackets below the deepest level that is read, from which on AWS hands the request to its older layer: two for
/// each level, and the one of the scalar.
const OLDER_LAYER_BRACKETS: usize = 2 * (OLDER_LAYER_LEVELS - LEVELS as usize) - 1;

/// Writes a body in the strict form, and tells the faults of its values.
///
/// # Errors
/// SerializationException.
pub(super) fn rewrite(
    body: &[u8],
    shape: &'static Shape,
    reader: Reader,
) -> Result<(Vec<u8>, Faults), ApiError> {
    let mut json = Cursor::new(body).ok_or_else(no_json)?;
    if json.peek() != b'{' {
        return Err(no_json());
    }
    let out = Vec::with_capacity(body.len());
    let mut rewriter = Rewriter { json, out, path: vec![], faults: vec![], reader, is_of_older_layer: false };
    rewriter.shaped(shape, Place::Member, LEVELS)?;
    let faults = Faults::new(rewriter.faults);
    Ok((rewriter.out, if rewriter.is_of_older_layer { faults.in_older_layer() } else { faults }))
}

/// What AWS says to a body that it cannot parse: nothing.
pub(super) fn no_json() -> ApiError {
    ApiError::new(ErrorKind::Serialization, "")
}

fn wrong(text: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::Serialization, text)
}

/// Whether a part was written; one that was not leaves no trace.
#[derive(PartialEq)]
enum Part {
    Written,
    Dropped,
}

struct Rewriter<'a> {
    json: Cursor<'a>,
    out: Vec<u8>,
    path: Vec<Step>,
    faults: Vec<FaultAt>,
    reader: Reader,
    is_of_older_layer: bool,
}

impl<'a> Rewriter<'a> {
    fn shaped(&mut self, shape: &'static Shape, place: Place, levels: u8) -> Result<Part, ApiError> {
        match shape {
            Shape::String => self.string().map(|_| Part::Written),
            Shape::Bool => {
                // Of members that are booleans only this one matters.
                if self.is(b'"') && self.path.last() == Some(&Step::Member("Exists")) {
                    self.is_of_older_layer = true;
                }
                self.boolean().map(|_| Part::Written)
            }
            Shape::Number(kind) => self.number(*kind).map(|()| Part::Written),
            Shape::Value => self.value(place, levels),
            Shape::Item => self.map(&Shape::Value, place, levels, true).map(|()| Part::Written),
            Shape::List(element) => self.list(element, place, levels).map(|()| Part::Written),
            Shape::Map(element) => self.map(element, place, levels, false).map(|()| Part::Written),
            Shape::Structure(structure) => self.structure(structure, place, levels).map(|()| Part::Written),
            Shape::Anything => {
                self.json.skip();
                self.write("true");
                Ok(Part::Written)
            }
        }
    }

    /// What stands here. A number is stepped over: where it matters that there is one, it is wrong.
    fn found(&mut self) -> Found {
        match self.json.peek() {
            b'"' => Found::String,
            b'{' => Found::Map,
            b'[' => Found::List,
            b't' => Found::True,
            b'f' => Found::False,
            b'n' => Found::Null,
            _ if self.json.token().bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) => Found::Decimal,
            _ => Found::Whole,
        }
    }

    /// Looks without moving.
    fn is(&mut self, first: u8) -> bool {
        self.json.peek() == first
    }

    /// A string, written as it stands.
    fn string(&mut self) -> Result<Cow<'a, str>, ApiError> {
        let (token, text) = self.string_token()?;
        self.write(token);
        Ok(text)
    }

    fn string_token(&mut self) -> Result<(&'a str, Cow<'a, str>), ApiError> {
        if !self.is(b'"') {
            return Err(wrong(words::not_a_scalar("String", self.found())));
        }
        let token = self.json.token();
        Ok((token, unescape(token).ok_or_else(no_json)?))
    }

    fn boolean(&mut self) -> Result<bool, ApiError> {
        let value = match self.found() {
            Found::True | Found::False => self.json.token() == "true",
            Found::String => {
                let text = unescape(self.json.token()).ok_or_else(no_json)?;
                words::boolean(&text).ok_or_else(|| wrong("Unexpected token received from parser"))?
            }
            found => return Err(wrong(words::not_a_boolean(found))),
        };
        self.write(if value { "true" } else { "false" });
        Ok(value)
    }

    fn number(&mut self, kind: NumberKind) -> Result<(), ApiError> {
        if !matches!(self.json.peek(), b'-' | b'0'..=b'9') {
            return Err(wrong(words::not_a_scalar(kind.name(), self.found())));
        }
        let token = self.json.token();
        let text = match kind {
            NumberKind::Double => nearest_double(token),
            NumberKind::Integer => nearest_whole(token, i32::MIN.into(), i32::MAX.into()),
            NumberKind::Long => nearest_whole(token, i64::MIN, i64::MAX),
        };
        if kind == NumberKind::Integer && token.parse::<f64>() != text.parse::<f64>() {
            self.is_of_older_layer = true;
        }
        self.write(&text);
        Ok(())
    }

    fn structure(&mut self, structure: &'static Structure, place: Place, levels: u8) -> Result<(), ApiError> {
        match self.found() {
            Found::Map => self.json.step(),
            Found::Null => return self.absent("{}"),
            found => return Err(wrong(words::not_a_structure(structure.name, place, found))),
        }
        let mut parts = self.open(b'{');
        while self.json.next_part(b'}') {
            let key = self.json.key();
            let name = unescape(key).ok_or_else(no_json)?;
            let member = structure.members.iter().find(|member| member.name == name);
            let Some(member) = member.filter(|_| !self.is(b'n')) else {
                self.json.skip();
                continue;
            };
            self.path.push(Step::Member(member.name));
            let start = self.begin_part(&mut parts);
            self.write(key);
            self.write(":");
            let part = self.shaped(member.shape, Place::Member, member.levels.unwrap_or(levels))?;
            self.end_part(&mut parts, start, part);
        }
        self.write("}");
        Ok(())
    }

    fn list(&mut self, element: &'static Shape, place: Place, levels: u8) -> Result<(), ApiError> {
        self.open_list(place)?;
        let mut parts = self.open(b'[');
        let mut index = 0;
        while self.json.next_part(b']') {
            self.path.push(Step::Index(index));
            index += 1;
            let start = self.begin_part(&mut parts);
            let part = self.element(element, levels)?;
            self.end_part(&mut parts, start, part);
        }
        self.write("]");
        Ok(())
    }

    fn open_list(&mut self, place: Place) -> Result<(), ApiError> {
        match self.found() {
            Found::List => {
                self.json.step();
                Ok(())
            }
            found => Err(wrong(words::not_a_list(place, found))),
        }
    }

    /// The entries of a map; with `names`, its keys are attribute names.
    fn map(
        &mut self,
        element: &'static Shape,
        place: Place,
        levels: u8,
        names: bool,
    ) -> Result<(), ApiError> {
        match self.found() {
            Found::Map => self.json.step(),
            Found::Null => return self.absent("{}"),
            found => return Err(wrong(words::not_a_map(element, place, found))),
        }
        let mut parts = self.open(b'{');
        while self.json.next_part(b'}') {
            let key = self.json.key();
            let name = unescape(key).ok_or_else(no_json)?;
            let faulty_name = ValueFault::of_name(&name).filter(|_| names);
            let is_dropped = faulty_name.is_some();
            self.path.push(Step::Key(name.into_owned()));
            let start = self.begin_part(&mut parts);
            self.write(key);
            self.write(":");
            if let Some(fault) = faulty_name {
                self.fault(fault);
            }
            let part = self.element(element, levels)?;
            self.end_part(&mut parts, start, if is_dropped { Part::Dropped } else { part });
        }
        self.write("}");
        Ok(())
    }

    /// A part of a list or a map. `null` is an empty value or structure there, and dropped where it would be a
    /// scalar or a list (our choice: AWS's behaviour is not known).
    fn element(&mut self, shape: &'static Shape, levels: u8) -> Result<Part, ApiError> {
        let has_empty_form =
            matches!(shape, Shape::Value | Shape::Structure(_) | Shape::Item | Shape::Map(_));
        if self.is(b'n') && !has_empty_form {
            self.json.skip();
            return Ok(Part::Dropped);
        }
        self.shaped(shape, Place::Element, levels)
    }

    fn absent(&mut self, empty: &str) -> Result<(), ApiError> {
        self.json.skip();
        self.write(empty);
        Ok(())
    }

    fn value(&mut self, place: Place, levels: u8) -> Result<Part, ApiError> {
        match self.found() {
            Found::Map => {}
            Found::Null => {
                self.fault(ValueFault::NoType);
                return self.absent(NULL_VALUE).map(|()| Part::Written);
            }
            found => return Err(wrong(words::not_a_structure("AttributeValue", place, found))),
        }
        let Some(below) = levels.checked_sub(1) else {
            if self.json.skip() >= OLDER_LAYER_BRACKETS {
                self.is_of_older_layer = true;
            }
            self.fault(ValueFault::TooDeep);
            return Ok(Part::Dropped);
        };
        let start = self.out.len();
        let faults_before = self.faults.len();
        let types = self.types(start, below)?;
        self.is_of_older_layer |= types.seen.count_ones() > 1;
        if let Some((before_nested, fault)) = types.fault() {
            self.out.truncate(start);
            self.write(NULL_VALUE);
            let at = if before_nested { faults_before } else { self.faults.len() };
            self.fault_at(at, fault);
        }
        Ok(Part::Written)
    }

    /// The type members of a value; writes the last of them.
    fn types(&mut self, start: usize, below: u8) -> Result<Types, ApiError> {
        let mut types = Types::default();
        self.json.step();
        while self.json.next_part(b'}') {
            let key = self.json.key();
            let kind = unescape(key).ok_or_else(no_json)?;
            let Some(kind) = ValueType::from_name(&kind).filter(|_| !self.is(b'n')) else {
                self.json.skip();
                continue;
            };
            self.out.truncate(start);
            self.write("{");
            self.write(key);
            self.write(":");
            let fault = self.typed(kind, below)?;
            self.write("}");
            types.add(kind, fault);
        }
        Ok(types)
    }

    /// What a type member of a value holds. Answers its fault.
    fn typed(&mut self, kind: ValueType, below: u8) -> Result<Option<ValueFault>, ApiError> {
        if matches!(kind, ValueType::Bool | ValueType::Null) && self.is(b'"') {
            self.is_of_older_layer = true;
        }
        match kind {
            ValueType::S => self.string().map(|_| None),
            ValueType::N => {
                let text = self.string()?;
                Ok(self.number_fault(&text))
            }
            ValueType::B => {
                let (token, text) = self.blob()?;
                // Only the padded alphabet passed: there is nothing to escape.
                debug_assert!(words::blob_problem(&text).is_none());
                self.write(token);
                Ok(None)
            }
            ValueType::Bool => self.boolean().map(|_| None),
            ValueType::Null => Ok(if self.boolean()? { None } else { Some(ValueFault::NullFalse) }),
            ValueType::L => self.list(&Shape::Value, Place::Member, below).map(|()| None),
            ValueType::M => self.map(&Shape::Value, Place::Member, below, true).map(|()| None),
            ValueType::Ss | ValueType::Ns | ValueType::Bs => self.set(kind),
        }
    }

    fn blob(&mut self) -> Result<(&'a str, Cow<'a, str>), ApiError> {
        if !self.is(b'"') {
            return Err(wrong(words::not_a_blob(self.found())));
        }
        let token = self.json.token();
        let text = unescape(token).ok_or_else(no_json)?;
        match words::blob_problem(&text) {
            None => Ok((token, text)),
            Some(problem) => Err(wrong(problem)),
        }
    }

    fn set(&mut self, kind: ValueType) -> Result<Option<ValueFault>, ApiError> {
        self.open_list(Place::Member)?;
        let mut members: Vec<SetMember<'a>> = vec![];
        let mut parts = self.open(b'[');
        while self.json.next_part(b']') {
            if self.is(b'n') {
                self.json.skip();
                continue;
            }
            let (token, text) = if kind == ValueType::Bs { self.blob()? } else { self.string_token()? };
            if !parts.is_first() {
                self.write(",");
            }
            self.write(token);
            members.push(text);
        }
        self.write("]");
        if kind == ValueType::Ns
            && let Some(fault) = members.iter().find_map(|text| self.number_fault(text))
        {
            return Ok(Some(fault));
        }
        Ok(judge_set(kind, members))
    }

    fn number_fault(&self, text: &str) -> Option<ValueFault> {
        Number::parse(text, self.reader)
            .err()
            .map(|fault| ValueFault::Number { fault, text: text.to_owned() })
    }

    fn fault(&mut self, fault: ValueFault) {
        self.fault_at(self.faults.len(), fault);
    }

    fn fault_at(&mut self, at: usize, fault: ValueFault) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.insert(at, FaultAt { path: self.path.clone(), fault });
        }
    }

    fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn open(&mut self, bracket: u8) -> Parts {
        self.out.push(bracket);
        Parts { any: false }
    }

    /// Writes the comma before a part, and says where to cut when the part is dropped.
    fn begin_part(&mut self, parts: &mut Parts) -> (usize, bool) {
        let before = (self.out.len(), parts.any);
        if !parts.is_first() {
            self.write(",");
        }
        before
    }

    fn end_part(&mut self, parts: &mut Parts, (start, any): (usize, bool), part: Part) {
        if part == Part::Dropped {
            self.out.truncate(start);
            parts.any = any;
        }
        self.path.pop();
    }
}

/// What stands in for a faulty value.
const NULL_VALUE: &str = r#"{"NULL":true}"#;

/// Whether a list or map that is being written has parts.
struct Parts {
    any: bool,
}

impl Parts {
    fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.any, true)
    }
}

/// The type members seen in one value, and the worst of their faults.
#[derive(Default)]
struct Types {
    seen: u16,
    worst: Option<ValueFault>,
}

impl Types {
    fn add(&mut self, kind: ValueType, fault: Option<ValueFault>) {
        self.seen |= 1 << kind as u16;
        if let Some(fault) = fault
            && self.worst.as_ref().is_none_or(|worst| Types::rank(&fault) < Types::rank(worst))
        {
            self.worst = Some(fault);
        }
    }

    /// AWS's order within a value; where repeats stand in it is our choice.
    fn rank(fault: &ValueFault) -> u8 {
        match fault {
            ValueFault::EmptySet(_) => 0,
            ValueFault::Number { .. } => 1,
            ValueFault::Duplicate { .. } => 2,
            _ => 3,
        }
    }

    /// The value's fault, and whether it comes before those of the values nested in it.
    fn fault(self) -> Option<(bool, ValueFault)> {
        match (self.worst, self.seen.count_ones()) {
            (Some(worst), _) => Some((true, worst)),
            (None, 0) => Some((true, ValueFault::NoType)),
            (None, 1) => None,
            (None, _) => Some((false, ValueFault::SeveralTypes)),
        }
    }
}

fn nearest_whole(token: &str, least: i64, most: i64) -> String {
    let value = match token.parse::<i128>() {
        Ok(whole) => whole.clamp(least.into(), most.into()) as i64,
        // A fraction, an exponent, or more digits than anything holds: the conversion saturates and truncates.
        Err(_) => (token.parse::<f64>().unwrap_or(0.0) as i64).clamp(least, most),
    };
    value.to_string()
}

fn nearest_double(token: &str) -> String {
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => token.to_owned(),
        Ok(value) => f64::MAX.copysign(value).to_string(),
        Err(_) => "0".to_owned(),
    }
}

#[cfg(test)]
#[path = "rewrite_tests.rs"]
mod tests;
