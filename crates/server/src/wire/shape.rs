//! What a request looks like, as data: read by the walker that words errors.

/// The level limit of a value where nothing else is said: the attribute itself is level 1.
pub const LEVELS: u8 = dynamometer_types::limits::NESTING_LEVELS as u8;

/// The form of a member.
#[derive(Debug)]
pub enum Shape {
    /// A string; also an enum, whose values are checked later.
    String,
    /// A boolean, or one of the words that AWS takes for one.
    Bool,
    /// A number of some kind.
    Number(NumberKind),
    /// An attribute value.
    Value,
    /// A map from attribute names to attribute values, faulty where a name is empty or too long.
    Item,
    /// A list.
    List(&'static Shape),
    /// A map with strings for keys.
    Map(&'static Shape),
    /// A structure.
    Structure(Structure),
    /// Anything: of a member that is not there yet, only that it was sent is read.
    Anything,
}

/// How a number is read; out of range it becomes the nearest end of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// 32 bits; a fraction is cut off.
    Integer,
    /// 64 bits; a fraction is cut off.
    Long,
    /// Floating point; also a time in seconds.
    Double,
}

/// A structure of the service model.
#[derive(Debug)]
pub struct Structure {
    /// Its name in the service model; error texts print it.
    pub name: &'static str,
    /// Its members. Others are ignored.
    pub members: &'static [Member],
}

/// A member of a structure.
#[derive(Debug)]
pub struct Member {
    /// The wire name.
    pub name: &'static str,
    /// The form.
    pub shape: &'static Shape,
    /// How many levels attribute values below it may nest, when that differs from the place around it.
    pub levels: Option<u8>,
}

impl Shape {
    /// The name that AWS's texts have for the type, as a Java class.
    pub fn java_name(&self) -> String {
        match self {
            Shape::String => "java.lang.String".into(),
            Shape::Bool => "java.lang.Boolean".into(),
            Shape::Number(kind) => format!("java.lang.{}", kind.name()),
            Shape::Value => model_class("AttributeValue"),
            Shape::Item => Shape::Map(&Shape::Value).java_name(),
            Shape::List(element) => format!("java.util.List<{}>", element.java_name()),
            Shape::Map(element) => format!("java.util.Map<java.lang.String, {}>", element.java_name()),
            Shape::Structure(structure) => model_class(structure.name),
            Shape::Anything => "java.lang.Object".into(),
        }
    }
}

impl NumberKind {
    /// The Java class, without its package.
    pub fn name(self) -> &'static str {
        match self {
            NumberKind::Integer => "Integer",
            NumberKind::Long => "Long",
            NumberKind::Double => "Double",
        }
    }
}

fn model_class(name: &str) -> String {
    format!("com.amazonaws.dynamodb.v20120810.{name}")
}
