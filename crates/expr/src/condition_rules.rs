//! What a condition has to obey beyond its grammar, as far as the request alone tells.

use dynamometer_types::value::ValueType;
use dynamometer_types::{AttributeValue, limits};

use crate::condition::{Comparator, Condition, Operand, order};
use crate::error::bound_text;
use crate::reader::{Fault, FaultSink};

/// The functions that are conditions, each with how many operands it takes.
const FUNCTIONS: [(&str, usize); 5] = [
    ("attribute_exists", 1),
    ("attribute_not_exists", 1),
    ("attribute_type", 2),
    ("begins_with", 2),
    ("contains", 2),
];

/// Functions of update expressions.
const UPDATE_FUNCTIONS: [&str; 2] = ["if_not_exists", "list_append"];

/// Refuses a function that conditions do not have.
pub(crate) fn check_function_name(reader: &mut impl FaultSink, name: &str) {
    if UPDATE_FUNCTIONS.contains(&name) {
        reader.fault(Fault::UnknownFunction, || {
            format!("The function is not allowed in a condition expression; function: {name}")
        });
    } else if name != "size" && !FUNCTIONS.iter().any(|(known, _)| *known == name) {
        reader.fault(Fault::UnknownFunction, || format!("Invalid function name; function: {name}"));
    }
}

/// Refuses a function that stands where it may not.
pub(crate) fn misused(reader: &mut impl FaultSink, name: &str) {
    reader.fault(Fault::MisusedFunction, || {
        format!("The function is not allowed to be used this way in an expression; function: {name}")
    });
}

/// Checks `left comparator right`.
pub(crate) fn check_comparison(
    reader: &mut impl FaultSink,
    left: &Operand,
    comparator: Comparator,
    right: &Operand,
) {
    check_distinct(reader, comparator.symbol(), left, [right]);
    if comparator.is_ordering() {
        check_types(reader, comparator.symbol(), is_ordered, [left, right]);
    }
}

/// Checks `operand BETWEEN low AND high`.
pub(crate) fn check_between(reader: &mut impl FaultSink, operand: &Operand, low: &Operand, high: &Operand) {
    check_distinct(reader, "BETWEEN", operand, [low, high]);
    check_types(reader, "BETWEEN", is_ordered, [operand, low, high]);
    if let (Operand::Value(low), Operand::Value(high)) = (low, high)
        && let Some(message) = bounds_fault(low, high)
    {
        reader.fault(Fault::OperandType, || message);
    }
}

/// What is wrong with two bounds of a BETWEEN.
pub(crate) fn bounds_fault(low: &AttributeValue, high: &AttributeValue) -> Option<String> {
    let rule = if low.value_type() != high.value_type() {
        "same data type for lower and upper bounds"
    } else if order(low, high).is_some_and(|order| order.is_gt()) {
        "upper bound to be greater than or equal to lower bound"
    } else {
        return None;
    };
    let (low, high) = (bound_text(low), bound_text(high));
    Some(format!(
        "The BETWEEN operator requires {rule}; lower bound operand: {low}, upper bound operand: {high}"
    ))
}

/// Checks `operand IN (list)`.
pub(crate) fn check_in(reader: &mut impl FaultSink, operand: &Operand, list: &[Operand]) {
    check_distinct(reader, "IN", operand, list);
    let count = list.len();
    if count > limits::IN_OPERANDS {
        reader.fault(Fault::OperandCount, || {
            format!("The IN operator is provided with too many operands; number of operands: {count}")
        });
    }
}

/// Checks `size(operand)`.
pub(crate) fn check_size(reader: &mut impl FaultSink, operand: &Operand, count: usize) {
    check_count(reader, "size", 1, count);
    let has_size = |kind| !matches!(kind, ValueType::N | ValueType::Bool | ValueType::Null);
    check_types(reader, "size", has_size, [operand]);
}

/// Checks a call and makes it a condition. A call with a fault becomes any condition: it is never evaluated.
pub(crate) fn condition_function(
    reader: &mut impl FaultSink,
    name: &str,
    first: Operand,
    second: Option<Operand>,
    count: usize,
) -> Condition {
    let Some((_, expected)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
        return Condition::And(Vec::new());
    };
    check_count(reader, name, *expected, count);
    if let Some(second) = &second {
        check_distinct(reader, name, &first, [second]);
    }
    match (name, first, second) {
        ("attribute_exists" | "attribute_not_exists", first, _) => existence(reader, name, first),
        ("attribute_type", first, Some(second)) => attribute_type(reader, first, &second),
        ("begins_with", first, Some(second)) => {
            let is_text = |kind| matches!(kind, ValueType::S | ValueType::B);
            check_types(reader, name, is_text, [&first, &second]);
            Condition::BeginsWith(first, second)
        }
        ("contains", first, Some(second)) => Condition::Contains(first, second),
        // Too few operands: noted above.
        _ => Condition::And(Vec::new()),
    }
}

fn existence(reader: &mut impl FaultSink, name: &str, operand: Operand) -> Condition {
    match operand {
        Operand::Path(path) if name == "attribute_exists" => Condition::AttributeExists(path),
        Operand::Path(path) => Condition::AttributeNotExists(path),
        _ => {
            reader.fault(Fault::OperandType, || {
                format!("Operator or function requires a document path; operator or function: {name}")
            });
            Condition::And(Vec::new())
        }
    }
}

fn attribute_type(reader: &mut impl FaultSink, operand: Operand, kind: &Operand) -> Condition {
    let name = match kind {
        Operand::Value(AttributeValue::S(name)) => name,
        other => {
            let found = other.known_type().map_or("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}", ValueType::name);
            reader.fault(Fault::OperandType, || operand_type("attribute_type", found));
            return Condition::And(Vec::new());
        }
    };
    match ValueType::from_name(name) {
        Some(kind) => Condition::AttributeType(operand, kind),
        None => {
            reader.fault(Fault::OperandType, || {
                format!(
                    "Invalid attribute type name found; type: {name}, valid types: \
                     {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
                )
            });
            Condition::And(Vec::new())
        }
    }
}

/// Refuses a call with another number of operands.
pub(crate) fn check_count(reader: &mut impl FaultSink, name: &str, expected: usize, count: usize) {
    if count != expected {
        reader.fault(Fault::OperandCount, || {
            format!(
                "Incorrect number of operands for operator or function; operator or function: {name}, number \
                 of operands: {count}"
            )
        });
    }
}

/// Refuses an operand whose type is known and not one that the operator takes.
fn check_types<'o>(
    reader: &mut impl FaultSink,
    operator: &str,
    takes: impl Fn(ValueType) -> bool,
    operands: impl IntoIterator<Item = &'o Operand>,
) {
    for operand in operands {
        if let Some(kind) = operand.known_type().filter(|kind| !takes(*kind)) {
            reader.fault(Fault::OperandType, || operand_type(operator, kind.name()));
        }
    }
}

/// AWS's words for an operand of the wrong type.
pub(crate) fn operand_type(operator: &str, found: &str) -> String {
    format!(
        "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {found}"
    )
}

/// Refuses a first operand that is a path which stands again among the others.
fn check_distinct<'o>(
    reader: &mut impl FaultSink,
    operator: &str,
    first: &Operand,
    others: impl IntoIterator<Item = &'o Operand>,
) {
    if let Operand::Path(path) = first
        && others.into_iter().any(|other| other == first)
    {
        reader.fault(Fault::SameOperand, || {
            format!(
                "The first operand must be distinct from the remaining operands for this operator or function; \
                 operator: {operator}, first operand: {path}"
            )
        });
    }
}

fn is_ordered(kind: ValueType) -> bool {
    matches!(kind, ValueType::S | ValueType::N | ValueType::B)
}
