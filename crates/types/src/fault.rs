//! Faults of single values in a request: a number that is none, a set with a repeat, an empty name.
//!
//! A request is decoded with its faults beside it, because AWS reports them at a place of its own in the order
//! of checks, and words them by the layer that validates the operation.

use crate::limits::ATTRIBUTE_NAME_BYTES;
use crate::number::NumberFault;
use crate::value::ValueType;

/// AWS validates requests by two layers of code; which one an operation meets is a row of the operation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The one that AWS moved most operations to in 2026.
    Current,
    /// The one before.
    Older,
}

/// What is wrong with a value or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueFault {
    /// An attribute name without characters.
    EmptyName,
    /// An attribute name of more than 65,535 bytes.
    LongName,
    /// An attribute value without a type member: `{}`.
    NoType,
    /// An attribute value with several type members.
    SeveralTypes,
    /// `{"NULL": false}`.
    NullFalse,
    /// A set without members; the type is `Ss`, `Ns` or `Bs`.
    EmptySet(ValueType),
    /// A set with a repeat.
    Duplicate {
        /// `Ss`, `Ns` or `Bs`.
        set: ValueType,
        /// The members in the order sent, binaries in base64.
        sent: Vec<String>,
        /// The members in the order that the current layer prints.
        reordered: Vec<String>,
    },
    /// A text that is no number, or a number that cannot be stored.
    Number {
        /// What is wrong with it.
        fault: NumberFault,
        /// The text sent.
        text: String,
    },
    /// More than 32 levels of nesting.
    TooDeep,
}

impl ValueFault {
    /// AWS's words for the fault, without any envelope.
    pub fn message(&self, layer: Layer) -> String {
        const INVALID: &str = "One or more parameter values were invalid: ";
        match self {
            ValueFault::EmptyName => "Empty attribute name".into(),
            ValueFault::LongName => "Attribute name is too large, must be less than 65536 bytes".into(),
            ValueFault::NoType => {
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes".into()
            }
            ValueFault::SeveralTypes => {
                "Supplied AttributeValue has more than one datatypes set, must contain \
                                         exactly one of the supported datatypes"
                    .into()
            }
            ValueFault::NullFalse => {
                format!("{INVALID}Null attribute value types must have the value of true")
            }
            // The two spaces are AWS's.
            ValueFault::EmptySet(ValueType::Ss) => format!("{INVALID}An string set  may not be empty"),
            ValueFault::EmptySet(ValueType::Ns) => format!("{INVALID}An number set  may not be empty"),
            ValueFault::EmptySet(_) => format!("{INVALID}Binary sets should not be empty"),
            ValueFault::Duplicate { set, sent, reordered } => duplicate_message(*set, sent, reordered, layer),
            ValueFault::Number { fault: NumberFault::NotNumeric, text }
                if text.is_empty() && layer == Layer::Older =>
            {
                NumberFault::NotNumeric.to_string()
            }
            ValueFault::Number { fault: NumberFault::NotNumeric, text } => {
                format!("{}: {text}", NumberFault::NotNumeric)
            }
            ValueFault::Number { fault, .. } => fault.to_string(),
            ValueFault::TooDeep => {
                "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
                                    levels beyond supported limit"
                    .into()
            }
        }
    }

    /// What is wrong with an attribute name.
    pub fn of_name(name: &str) -> Option<ValueFault> {
        match name.len() {
            0 => Some(ValueFault::EmptyName),
            1..=ATTRIBUTE_NAME_BYTES => None,
            _ => Some(ValueFault::LongName),
        }
    }

    /// Whether it is a name that is faulty, not a value.
    pub fn is_of_name(&self) -> bool {
        matches!(self, ValueFault::EmptyName | ValueFault::LongName)
    }

    /// Whether single-item writes put the fault into the envelope `1 validation error detected: `.
    pub fn is_enveloped_on_writes(&self) -> bool {
        !matches!(self, ValueFault::NoType | ValueFault::SeveralTypes)
    }
}

fn duplicate_message(set: ValueType, sent: &[String], reordered: &[String], layer: Layer) -> String {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let quoted = |separator: &str| {
        let members: Vec<String> = reordered.iter().map(|member| format!("\"{member}\"")).collect();
        format!("[{}]", members.join(separator))
    };
    match (set, layer) {
        (ValueType::Ns, Layer::Current) => format!("{INVALID}Input collection contains duplicates."),
        (ValueType::Ns, Layer::Older) => "Input collection contains duplicates".into(),
        (ValueType::Bs, Layer::Current) => {
            format!("{INVALID}Input collection {}of type BS contains duplicates.", quoted(","))
        }
        (ValueType::Bs, Layer::Older) => {
            format!("{INVALID}Input collection [{}]of type BS contains duplicates.", sent.join(", "))
        }
        (_, Layer::Current) => format!("{INVALID}Input collection {} contains duplicates.", quoted(", ")),
        (_, Layer::Older) => format!("{INVALID}Input collection [{}] contains duplicates.", sent.join(", ")),
    }
}

/// One step from a request to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of a structure, by its wire name: `Item`, `ExpressionAttributeValues`.
    Member(&'static str),
    /// An entry of a map: an attribute name, a placeholder, a table name.
    Key(String),
    /// An element of a list, from 0.
    Index(usize),
}

/// A fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultAt {
    /// The steps from the request to the faulty value.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub fault: ValueFault,
}

/// The faults of a request in the order of its text. Almost always empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    found: Vec<FaultAt>,
    of_older_layer: bool,
}

impl Faults {
    /// The faults found in a request.
    pub fn new(found: Vec<FaultAt>) -> Faults {
        Faults { found, of_older_layer: false }
    }

    /// The same faults in a request that AWS hands to its older layer, whatever its operation: a boolean given as a
    /// text, a value of several types or nesting beyond [`OLDER_LAYER_LEVELS`] somewhere in it is enough.
    ///
    /// [`OLDER_LAYER_LEVELS`]: crate::limits::OLDER_LAYER_LEVELS
    pub fn in_older_layer(self) -> Faults {
        Faults { of_older_layer: true, ..self }
    }

    /// Whether AWS reads the request by its older layer, whatever its operation.
    pub fn are_of_older_layer(&self) -> bool {
        self.of_older_layer
    }

    /// Whether the request has no fault.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The faults below the place that `path` leads to, in the order of the request's text.
    pub fn under<'a>(&'a self, path: &'a [Step]) -> impl Iterator<Item = &'a FaultAt> {
        self.found.iter().filter(move |at| at.path.starts_with(path))
    }

    /// All faults in the order of the request's text.
    pub fn iter(&self) -> impl Iterator<Item = &FaultAt> {
        self.found.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(members: &[&str]) -> Vec<String> {
        members.iter().map(|member| member.to_string()).collect()
    }

    /// Measured on AWS, 2026, both layers.
    #[test]
    fn duplicates_are_worded_by_layer() {
        let strings = ValueFault::Duplicate {
            set: ValueType::Ss,
            sent: texts(&["b", "a", "b"]),
            reordered: texts(&["a", "b", "b"]),
        };
        let binaries = ValueFault::Duplicate {
            set: ValueType::Bs,
            sent: texts(&["/w==", "AA==", "AA=="]),
            reordered: texts(&["AA==", "/w==", "AA=="]),
        };
        let numbers = ValueFault::Duplicate { set: ValueType::Ns, sent: vec![], reordered: vec![] };
        let cases = [
            (
                &strings,
                Layer::Current,
                r#"One or more parameter values were invalid: Input collection ["a", "b", "b"] contains duplicates."#,
            ),
            (
                &strings,
                Layer::Older,
                "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.",
            ),
            (
                &binaries,
                Layer::Current,
                r#"One or more parameter values were invalid: Input collection ["AA==","/w==","AA=="]of type BS contains duplicates."#,
            ),
            (
                &binaries,
                Layer::Older,
                "One or more parameter values were invalid: Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
            ),
            (
                &numbers,
                Layer::Current,
                "One or more parameter values were invalid: Input collection contains duplicates.",
            ),
            (&numbers, Layer::Older, "Input collection contains duplicates"),
        ];
        for (fault, layer, message) in cases {
            assert_eq!(fault.message(layer), message);
        }
    }

    #[test]
    fn an_empty_number_ends_with_a_colon_only_on_the_current_layer() {
        let fault = ValueFault::Number { fault: NumberFault::NotNumeric, text: String::new() };
        assert_eq!(fault.message(Layer::Current), "The parameter cannot be converted to a numeric value: ");
        assert_eq!(fault.message(Layer::Older), "The parameter cannot be converted to a numeric value");
    }
}
