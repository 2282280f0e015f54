//! What a panic said, for those who go on after one.

use std::any::Any;

/// The text of a panic, as `catch_unwind` gives it.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
