//! An item as bytes.
//!
//! ```text
//! row    := FORMAT size:varint map
//! map    := count:varint (name value)*          names ascending
//! name   := length:varint utf8
//! value  := 0 null | 1 false | 2 true | 3 text | 4 number | 5 bytes | 6 count value* | 7 map
//!         | 8 count text* | 9 count number* | 10 count bytes*
//! number := sign:u8 exponent:zigzag-varint coefficient:varint
//! ```
//!
//! `size` is the item's size as DynamoDB counts it, so that metering a read need not decode the row. A row can be
//! read to an [`Item`], or walked token by token ([`RowReader`]) when it only has to be written somewhere else.

use std::cmp::Ordering;

use bytes::Bytes;
use dynamometer_store::StoreError;
use dynamometer_types::size::item_size;
use dynamometer_types::{AttributeValue, Item, Number};

const FORMAT: u8 = 1;
/// More levels than any stored item has: a corrupt row must not exhaust the stack.
const MOST_LEVELS: u8 = 64;

/// A stored item: its bytes, valid when they came from [`Row::encode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    bytes: Bytes,
}

/// The bytes are no row of a format that this build knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stored row is corrupt or of a newer format")]
pub struct CorruptRow;

impl CorruptRow {
    /// What work on the store makes of it.
    pub(crate) fn into_store_error(self) -> StoreError {
        StoreError::Corrupt(self.to_string().into())
    }
}

impl Row {
    /// Writes an item as a row.
    pub fn encode(item: &Item) -> Row {
        let size = item_size(item);
        let mut out = Vec::with_capacity(size as usize + 16 + item.len() * 4);
        out.push(FORMAT);
        write_varint(u128::from(size), &mut out);
        write_map(item, &mut out);
        Row { bytes: out.into() }
    }

    /// Takes stored bytes for a row; they are checked when they are read.
    pub fn from_stored(bytes: Bytes) -> Row {
        Row { bytes }
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The item's size in bytes as DynamoDB counts it.
    ///
    /// # Errors
    /// When the bytes are no row.
    pub fn item_size(&self) -> Result<u64, CorruptRow> {
        let mut reader = RowReader { rest: &self.bytes };
        reader.header()
    }

    /// The item.
    ///
    /// # Errors
    /// When the bytes are no row.
    pub fn decode(&self) -> Result<Item, CorruptRow> {
        let mut reader = self.reader()?;
        let attributes = reader.count()?;
        let item = reader.read_map(attributes, MOST_LEVELS)?;
        if reader.rest.is_empty() { Ok(item) } else { Err(CorruptRow) }
    }

    /// One attribute, without building the others.
    ///
    /// # Errors
    /// When the bytes are no row.
    pub fn attribute(&self, name: &str) -> Result<Option<AttributeValue>, CorruptRow> {
        let mut reader = self.reader()?;
        for _ in 0..reader.count()? {
            match reader.text()?.cmp(name) {
                Ordering::Less => reader.skip_value(MOST_LEVELS)?,
                Ordering::Equal => return reader.read_value(MOST_LEVELS).map(Some),
                Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// The attributes whose names are wanted, without building the others.
    ///
    /// # Errors
    /// When the bytes are no row.
    pub fn part(&self, wanted: impl Fn(&str) -> bool) -> Result<Item, CorruptRow> {
        let mut reader = self.reader()?;
        let mut pairs = Vec::new();
        for _ in 0..reader.count()? {
            let name = reader.text()?;
            if wanted(name) {
                pairs.push((name.into(), reader.read_value(MOST_LEVELS)?));
            } else {
                reader.skip_value(MOST_LEVELS)?;
            }
        }
        Ok(Item::from_unsorted(pairs))
    }

    /// A reader that stands before the row's map: call [`RowReader::count`] first.
    ///
    /// # Errors
    /// When the bytes are no row.
    pub fn reader(&self) -> Result<RowReader<'_>, CorruptRow> {
        let mut reader = RowReader { rest: &self.bytes };
        reader.header()?;
        Ok(reader)
    }
}

/// Walks a row token by token.
#[derive(Clone)]
pub struct RowReader<'a> {
    rest: &'a [u8],
}

/// A value, or the beginning of one with its count of parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A string.
    S(&'a str),
    /// A number.
    N(Number),
    /// Bytes.
    B(&'a [u8]),
    /// A list: so many values follow.
    L(usize),
    /// A map: so many names with values follow.
    M(usize),
    /// A string set: so many [`RowReader::text`] follow.
    Ss(usize),
    /// A number set: so many [`RowReader::number`] follow.
    Ns(usize),
    /// A binary set: so many [`RowReader::binary`] follow.
    Bs(usize),
}

impl<'a> RowReader<'a> {
    fn header(&mut self) -> Result<u64, CorruptRow> {
        if self.byte()? != FORMAT {
            return Err(CorruptRow);
        }
        u64::try_from(self.varint()?).map_err(|_| CorruptRow)
    }

    /// How many parts follow: the row's attributes, when it stands before them.
    ///
    /// # Errors
    /// When the bytes are no row; so for all methods.
    pub fn count(&mut self) -> Result<usize, CorruptRow> {
        let count = usize::try_from(self.varint()?).map_err(|_| CorruptRow)?;
        // Every part takes a byte at least: a larger count would only make a reader allocate.
        if count <= self.rest.len() { Ok(count) } else { Err(CorruptRow) }
    }

    /// The next text: an attribute name or a member of a string set.
    #[allow(clippy::missing_errors_doc)]
    pub fn text(&mut self) -> Result<&'a str, CorruptRow> {
        std::str::from_utf8(self.binary()?).map_err(|_| CorruptRow)
    }

    /// The next bytes: a member of a binary set.
    #[allow(clippy::missing_errors_doc)]
    pub fn binary(&mut self) -> Result<&'a [u8], CorruptRow> {
        let length = usize::try_from(self.varint()?).map_err(|_| CorruptRow)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(CorruptRow)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The next number: a member of a number set.
    #[allow(clippy::missing_errors_doc)]
    pub fn number(&mut self) -> Result<Number, CorruptRow> {
        let negative = self.byte()? == 1;
        let zigzag = i32::try_from(self.varint()?).map_err(|_| CorruptRow)?;
        let exponent = (zigzag >> 1) ^ -(zigzag & 1);
        Number::from_parts(negative, self.varint()?, exponent).map_err(|_| CorruptRow)
    }

    /// The next value, or its beginning.
    #[allow(clippy::missing_errors_doc)]
    pub fn value(&mut self) -> Result<Token<'a>, CorruptRow> {
        Ok(match self.byte()? {
            0 => Token::Null,
            1 => Token::Bool(false),
            2 => Token::Bool(true),
            3 => Token::S(self.text()?),
            4 => Token::N(self.number()?),
            5 => Token::B(self.binary()?),
            6 => Token::L(self.count()?),
            7 => Token::M(self.count()?),
            8 => Token::Ss(self.count()?),
            9 => Token::Ns(self.count()?),
            10 => Token::Bs(self.count()?),
            _ => return Err(CorruptRow),
        })
    }

    /// The attributes or members of a map; `levels` is how deep they may nest.
    fn read_map(&mut self, count: usize, levels: u8) -> Result<Item, CorruptRow> {
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            pairs.push((self.text()?.into(), self.read_value(levels)?));
        }
        Ok(Item::from_unsorted(pairs))
    }

    fn skip_value(&mut self, levels: u8) -> Result<(), CorruptRow> {
        let below = levels.checked_sub(1).ok_or(CorruptRow)?;
        match self.value()? {
            Token::L(count) => (0..count).try_for_each(|_| self.skip_value(below)),
            Token::M(count) => (0..count).try_for_each(|_| {
                self.text()?;
                self.skip_value(below)
            }),
            Token::Ss(count) | Token::Bs(count) => (0..count).try_for_each(|_| self.binary().map(drop)),
            Token::Ns(count) => (0..count).try_for_each(|_| self.number().map(drop)),
            _ => Ok(()),
        }
    }

    fn read_value(&mut self, levels: u8) -> Result<AttributeValue, CorruptRow> {
        let below = levels.checked_sub(1).ok_or(CorruptRow)?;
        Ok(match self.value()? {
            Token::Null => AttributeValue::Null,
            Token::Bool(value) => AttributeValue::Bool(value),
            Token::S(text) => AttributeValue::S(text.into()),
            Token::N(number) => AttributeValue::N(number),
            Token::B(bytes) => AttributeValue::B(bytes.to_vec()),
            Token::L(count) => {
                AttributeValue::L((0..count).map(|_| self.read_value(below)).collect::<Result<_, _>>()?)
            }
            Token::M(count) => AttributeValue::M(self.read_map(count, below)?),
            Token::Ss(count) => {
                AttributeValue::Ss((0..count).map(|_| Ok(self.text()?.into())).collect::<Result<_, _>>()?)
            }
            Token::Ns(count) => {
                AttributeValue::Ns((0..count).map(|_| self.number()).collect::<Result<_, _>>()?)
            }
            Token::Bs(count) => {
                AttributeValue::Bs((0..count).map(|_| Ok(self.binary()?.to_vec())).collect::<Result<_, _>>()?)
            }
        })
    }

    fn byte(&mut self) -> Result<u8, CorruptRow> {
        let (byte, rest) = self.rest.split_first().ok_or(CorruptRow)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn varint(&mut self) -> Result<u128, CorruptRow> {
        let mut value = 0u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            value |= u128::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(CorruptRow)
    }
}

fn write_map(map: &Item, out: &mut Vec<u8>) {
    write_varint(map.len() as u128, out);
    for (name, value) in map.iter() {
        write_bytes(name.as_bytes(), out);
        write_value(value, out);
    }
}

fn write_value(value: &AttributeValue, out: &mut Vec<u8>) {
    match value {
        AttributeValue::Null => out.push(0),
        AttributeValue::Bool(value) => out.push(1 + u8::from(*value)),
        AttributeValue::S(text) => {
            out.push(3);
            write_bytes(text.as_bytes(), out);
        }
        AttributeValue::N(number) => {
            out.push(4);
            write_number(number, out);
        }
        AttributeValue::B(bytes) => {
            out.push(5);
            write_bytes(bytes, out);
        }
        AttributeValue::L(list) => {
            out.push(6);
            write_varint(list.len() as u128, out);
            list.iter().for_each(|element| write_value(element, out));
        }
        AttributeValue::M(map) => {
            out.push(7);
            write_map(map, out);
        }
        AttributeValue::Ss(set) => {
            out.push(8);
            write_varint(set.len() as u128, out);
            set.iter().for_each(|member| write_bytes(member.as_bytes(), out));
        }
        AttributeValue::Ns(set) => {
            out.push(9);
            write_varint(set.len() as u128, out);
            set.iter().for_each(|member| write_number(member, out));
        }
        AttributeValue::Bs(set) => {
            out.push(10);
            write_varint(set.len() as u128, out);
            set.iter().for_each(|member| write_bytes(member, out));
        }
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    out.push(u8::from(number.is_negative()));
    let exponent = number.exponent();
    write_varint(((exponent << 1) ^ (exponent >> 31)) as u32 as u128, out);
    write_varint(number.coefficient(), out);
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(bytes.len() as u128, out);
    out.extend_from_slice(bytes);
}

fn write_varint(mut value: u128, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_type() -> Item {
        let n = |text: &str| text.parse::<Number>().unwrap();
        Item::from_iter([
            ("pk", AttributeValue::s("日本\0")),
            ("n", AttributeValue::N(n("-12.5e-100"))),
            ("big", AttributeValue::N(n("9.9999999999999999999999999999999999999E+125"))),
            ("zero", AttributeValue::N(Number::ZERO)),
            ("b", AttributeValue::B(vec![0, 255, 128])),
            ("t", AttributeValue::Bool(true)),
            ("f", AttributeValue::Bool(false)),
            ("null", AttributeValue::Null),
            ("ss", AttributeValue::Ss(vec!["".into(), "a".into()])),
            ("ns", AttributeValue::Ns(vec![n("-1"), n("2")])),
            ("bs", AttributeValue::Bs(vec![vec![], vec![1]])),
            ("l", AttributeValue::L(vec![AttributeValue::L(vec![]), AttributeValue::M(Item::new())])),
            ("m", AttributeValue::M(Item::from_iter([("x", AttributeValue::s(""))]))),
        ])
    }

    #[test]
    fn an_item_of_every_type_comes_back() {
        let item = every_type();
        let row = Row::encode(&item);
        assert_eq!(row.decode(), Ok(item.clone()));
        assert_eq!(row.item_size(), Ok(item_size(&item)));
    }

    #[test]
    fn one_attribute_is_found_among_others() {
        let item = every_type();
        let row = Row::encode(&item);
        for (name, value) in item.iter() {
            assert_eq!(row.attribute(name), Ok(Some(value.clone())), "{name}");
        }
        for name in ["", "a", "mm", "zz"] {
            assert_eq!(row.attribute(name), Ok(None), "{name}");
        }
    }

    #[test]
    fn a_cut_or_longer_row_is_an_error_and_no_panic() {
        let bytes = Row::encode(&every_type()).bytes().clone();
        for end in 0..bytes.len() {
            assert_eq!(Row::from_stored(bytes.slice(..end)).decode(), Err(CorruptRow), "cut at {end}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Row::from_stored(longer.into()).decode(), Err(CorruptRow));
    }

    #[test]
    fn a_row_that_nests_absurdly_is_an_error_and_no_crash() {
        let nested = |levels: usize| {
            let lists = [6, 1].repeat(levels - 1);
            Row::from_stored([&[FORMAT, 1, 1, 1, b'a'], &lists[..], &[0]].concat().into())
        };
        assert!(nested(dynamometer_types::limits::NESTING_LEVELS).decode().is_ok());
        assert!(nested(MOST_LEVELS.into()).decode().is_ok());
        for levels in [usize::from(MOST_LEVELS) + 1, 1_000_000] {
            assert_eq!(nested(levels).decode(), Err(CorruptRow), "{levels} levels");
        }
    }

    #[test]
    fn flipped_bytes_never_panic() {
        let bytes = Row::encode(&every_type()).bytes().to_vec();
        for at in 0..bytes.len() {
            for flip in [1, 0x7F, 0x80, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                let _ = Row::from_stored(bytes.into()).decode();
            }
        }
    }
}
