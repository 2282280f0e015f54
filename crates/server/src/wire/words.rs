//! AWS's texts for members of a wrong JSON type, as tables.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::shape::Shape;

/// What JSON holds where something else is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    True,
    False,
    Null,
    /// A number without a point and an exponent.
    Whole,
    /// A number with one.
    Decimal,
    String,
    List,
    Map,
}

/// Where something is: AWS words scalars by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A member of a structure.
    Member,
    /// An element of a list, or a value of a map.
    Element,
}

const MAP_FOUND: &str = "Start of structure or map found where not expected";
const FIELD: &str = "Unexpected field type";
const PAYLOAD: &str = "Unexpected value type in payload";
/// For a list or a map that is itself an element: the Java that reads it fails to cast.
const CAST: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class \
                    java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and \
                    java.lang.Class are in module java.base of loader 'bootstrap')";

/// For a string or a number; `wanted` is its Java class without the package.
pub(super) fn not_a_scalar(wanted: &str, found: Found) -> String {
    match found {
        Found::List => format!("Unrecognized collection type class java.lang.{wanted}"),
        Found::Map => MAP_FOUND.into(),
        scalar => format!("{} cannot be converted to {wanted}", token_name(scalar)),
    }
}

/// For a boolean. A list gets no text (measured by others, 2026).
pub(super) fn not_a_boolean(found: Found) -> String {
    match found {
        Found::List => String::new(),
        other => not_a_scalar("Boolean", other),
    }
}

/// For bytes.
pub(super) fn not_a_blob(found: Found) -> String {
    match found {
        Found::List => "Unrecognized collection type class java.nio.ByteBuffer".into(),
        Found::Map => MAP_FOUND.into(),
        _ => "only base-64-encoded strings are convertible to bytes".into(),
    }
}

/// For a list.
pub(super) fn not_a_list(place: Place, found: Found) -> String {
    match (found, place) {
        (Found::Map, _) => MAP_FOUND.into(),
        (_, Place::Member) => FIELD.into(),
        (_, Place::Element) => CAST.into(),
    }
}

/// For a map with elements of a shape.
pub(super) fn not_a_map(element: &Shape, place: Place, found: Found) -> String {
    match (found, place) {
        (Found::List, _) => {
            format!("Unrecognized collection type java.util.Map<java.lang.String, {}>", element.java_name())
        }
        (_, Place::Member) => FIELD.into(),
        (_, Place::Element) => CAST.into(),
    }
}

/// For a structure, by its name in the service model.
pub(super) fn not_a_structure(name: &str, place: Place, found: Found) -> String {
    match (found, place) {
        (Found::List, _) => {
            format!("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{name}")
        }
        (_, Place::Member) => FIELD.into(),
        (_, Place::Element) => PAYLOAD.into(),
    }
}

fn token_name(found: Found) -> &'static str {
    match found {
        Found::True => "TRUE_VALUE",
        Found::False => "FALSE_VALUE",
        Found::Whole => "NUMBER_VALUE",
        Found::Decimal => "DECIMAL_VALUE",
        Found::String => "STRING_VALUE",
        Found::Null => "NULL_VALUE",
        Found::List => "START_ARRAY",
        Found::Map => "START_OBJECT",
    }
}

/// The words that AWS takes for a boolean, in any case.
pub(super) fn boolean(text: &str) -> Option<bool> {
    let is_one_of = |set: [&str; 5]| set.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_one_of(["true", "t", "yes", "y", "1"]) {
        Some(true)
    } else if is_one_of(["false", "f", "no", "n", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// What is wrong with a text that should be base64.
pub(super) fn blob_problem(text: &str) -> Option<String> {
    let length = text.encode_utf16().count();
    if !length.is_multiple_of(4) {
        return Some(format!("Base64 encoded length is expected a multiple of 4 bytes but found: {length}"));
    }
    // The misspelling is AWS's.
    STANDARD.decode(text).err().map(|_| "Invalid last non-pad Base64 character dectected".into())
}
