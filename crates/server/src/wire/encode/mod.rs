//! Answers to bytes.

mod error;
mod items;
mod partiql;
mod structure;
mod text;
mod value;

use dynamometer_engine::disk::row::CorruptRow;

pub use error::{ErrorForm, error_body};
pub use text::{write_base64, write_number, write_string, write_whole};

/// Something that can be written as JSON.
pub trait Encode {
    /// Writes it.
    ///
    /// # Errors
    /// When a stored row is corrupt.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow>;

    /// Whether the member that holds it is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A JSON object that is being written.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    any: bool,
}

impl<'a> Object<'a> {
    /// Opens an object.
    pub fn open(out: &'a mut Vec<u8>) -> Object<'a> {
        out.push(b'{');
        Object { out, any: false }
    }

    /// Begins a member whose name needs no escapes; its value is to be written to what this answers.
    pub fn member(&mut self, name: &str) -> &mut Vec<u8> {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// Begins an entry of a map, whose key may be any text.
    pub fn entry(&mut self, key: &str) -> &mut Vec<u8> {
        self.comma();
        write_string(key, self.out);
        self.out.push(b':');
        self.out
    }

    /// Writes a member, unless it is absent.
    ///
    /// # Errors
    /// When a stored row is corrupt.
    pub fn write(&mut self, name: &str, value: &impl Encode) -> Result<(), CorruptRow> {
        if value.is_absent() { Ok(()) } else { value.encode(self.member(name)) }
    }

    /// Closes the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    fn comma(&mut self) {
        if self.any {
            self.out.push(b',');
        }
        self.any = true;
    }
}

/// Writes a list.
pub(super) fn write_list<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>) -> Result<(), CorruptRow>,
) -> Result<(), CorruptRow> {
    out.push(b'[');
    for (at, element) in elements.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(element, out)?;
    }
    out.push(b']');
    Ok(())
}
