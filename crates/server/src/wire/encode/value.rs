//! Items as JSON: from memory, or by a walk over a stored row.

use dynamometer_engine::api::ItemOut;
use dynamometer_engine::disk::row::{CorruptRow, Row, RowReader, Token};
use dynamometer_types::{AttributeValue, Item, Number};

use super::{Encode, Object, write_base64, write_list, write_number, write_string};

/// More levels than any stored item has: a corrupt row must not exhaust the stack.
const MOST_LEVELS: u8 = 64;

impl Encode for ItemOut {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        match self {
            ItemOut::Row(row) => row.encode(out),
            ItemOut::Item(item) => item.encode(out),
        }
    }
}

impl Encode for Item {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        for (name, value) in self.iter() {
            value.encode(object.entry(name))?;
        }
        object.close();
        Ok(())
    }
}

impl Encode for AttributeValue {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        match self {
            AttributeValue::S(text) => write_scalar(Token::S(text), out),
            AttributeValue::N(number) => write_scalar(Token::N(*number), out),
            AttributeValue::B(bytes) => write_scalar(Token::B(bytes), out),
            AttributeValue::Bool(value) => write_scalar(Token::Bool(*value), out),
            AttributeValue::Null => write_scalar(Token::Null, out),
            AttributeValue::L(list) => {
                out.extend_from_slice(br#"{"L":"#);
                list.encode(out)?;
            }
            AttributeValue::M(map) => {
                out.extend_from_slice(br#"{"M":"#);
                map.encode(out)?;
            }
            AttributeValue::Ss(set) => {
                out.extend_from_slice(br#"{"SS":"#);
                write_list(set, out, |text, out| text.as_str().encode(out))?;
            }
            AttributeValue::Ns(set) => {
                out.extend_from_slice(br#"{"NS":"#);
                write_list(set, out, write_quoted_number)?;
            }
            AttributeValue::Bs(set) => {
                out.extend_from_slice(br#"{"BS":"#);
                write_list(set, out, |bytes, out| write_quoted_bytes(bytes, out))?;
            }
        }
        out.push(b'}');
        Ok(())
    }
}

impl Encode for Row {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut reader = self.reader()?;
        let attributes = reader.count()?;
        write_map(&mut reader, attributes, MOST_LEVELS, out)
    }
}

fn write_map(
    reader: &mut RowReader<'_>,
    count: usize,
    levels: u8,
    out: &mut Vec<u8>,
) -> Result<(), CorruptRow> {
    let mut object = Object::open(out);
    for _ in 0..count {
        let name = reader.text()?;
        write_value(reader, levels, object.entry(name))?;
    }
    object.close();
    Ok(())
}

fn write_value(reader: &mut RowReader<'_>, levels: u8, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
    let below = levels.checked_sub(1).ok_or(CorruptRow)?;
    match reader.value()? {
        Token::L(count) => {
            out.extend_from_slice(br#"{"L":"#);
            write_list(0..count, out, |_, out| write_value(reader, below, out))?;
        }
        Token::M(count) => {
            out.extend_from_slice(br#"{"M":"#);
            write_map(reader, count, below, out)?;
        }
        Token::Ss(count) => {
            out.extend_from_slice(br#"{"SS":"#);
            write_list(0..count, out, |_, out| reader.text()?.encode(out))?;
        }
        Token::Ns(count) => {
            out.extend_from_slice(br#"{"NS":"#);
            write_list(0..count, out, |_, out| write_quoted_number(&reader.number()?, out))?;
        }
        Token::Bs(count) => {
            out.extend_from_slice(br#"{"BS":"#);
            write_list(0..count, out, |_, out| write_quoted_bytes(reader.binary()?, out))?;
        }
        scalar => write_scalar(scalar, out),
    }
    out.push(b'}');
    Ok(())
}

/// Writes a scalar but for the closing bracket.
fn write_scalar(scalar: Token<'_>, out: &mut Vec<u8>) {
    match scalar {
        Token::S(text) => {
            out.extend_from_slice(br#"{"S":"#);
            write_string(text, out);
        }
        Token::N(number) => {
            out.extend_from_slice(br#"{"N":""#);
            write_number(&number, out);
            out.push(b'"');
        }
        Token::B(bytes) => {
            out.extend_from_slice(br#"{"B":""#);
            write_base64(bytes, out);
            out.push(b'"');
        }
        Token::Bool(true) => out.extend_from_slice(br#"{"BOOL":true"#),
        Token::Bool(false) => out.extend_from_slice(br#"{"BOOL":false"#),
        _ => out.extend_from_slice(br#"{"NULL":true"#),
    }
}

fn write_quoted_number(number: &Number, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
    out.push(b'"');
    write_number(number, out);
    out.push(b'"');
    Ok(())
}

fn write_quoted_bytes(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), CorruptRow> {
    out.push(b'"');
    write_base64(bytes, out);
    out.push(b'"');
    Ok(())
}
