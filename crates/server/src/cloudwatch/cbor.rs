//! CBOR (RFC 8949) as far as Smithy RPC v2 uses it: maps with text keys, arrays, text, numbers, booleans, null, and times
//! under tag 1. Strings and collections of indefinite length are read too; they are never written.
//!
//! A reader of our own: it is short, gives our tree at once, and its bounds are in sight. What it reads is no larger
//! than [`BODY_BYTES`](super::BODY_BYTES) and nests no deeper than [`DEPTH`].

use dynamometer_cloudwatch::Value;
use dynamometer_types::Timestamp;

/// How deep values may nest. The deepest request of CloudWatch has eight levels.
const DEPTH: usize = 32;

const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
const SIMPLE: u8 = 7;
const EPOCH_TAG: u64 = 1;
const BREAK: u8 = 0xff;

/// Reads a body.
///
/// # Errors
/// When it is no CBOR, or of a form that no request has, in a sentence.
pub(super) fn read(body: &[u8]) -> Result<Value, String> {
    let mut reader = Reader { rest: body };
    let value = reader.value(DEPTH)?;
    if reader.rest.is_empty() { Ok(value) } else { Err("there is more after the end of the body".into()) }
}

struct Reader<'a> {
    rest: &'a [u8],
}

/// The head of a value: its major type, and its argument; none for an indefinite length.
struct Head {
    major: u8,
    info: u8,
    argument: Option<u64>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("the body ends within a value")?;
        self.rest = rest;
        Ok(taken)
    }

    fn head(&mut self) -> Result<Head, String> {
        let first = self.take(1)?[0];
        let (major, info) = (first >> 5, first & 0x1f);
        let argument = match info {
            0..=23 => Some(u64::from(info)),
            24..=27 => {
                let bytes = self.take(1 << (info - 24))?;
                Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
            }
            31 => None,
            _ => return Err(format!("{first:#04x} begins no value")),
        };
        Ok(Head { major, info, argument })
    }

    /// Whether a collection of indefinite length ends here.
    fn ends(&mut self) -> Result<bool, String> {
        let ends = *self.rest.first().ok_or("the body ends within a value")? == BREAK;
        if ends {
            self.take(1)?;
        }
        Ok(ends)
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        let depth =
            depth.checked_sub(1).ok_or_else(|| format!("the body nests deeper than {DEPTH} levels"))?;
        let head = self.head()?;
        match (head.major, head.argument) {
            (UNSIGNED, Some(number)) => Ok(whole(i128::from(number))),
            (NEGATIVE, Some(number)) => Ok(whole(-1 - i128::from(number))),
            (BYTES, _) => Err("a byte string is no value of any request".into()),
            (TEXT, length) => self.text(length).map(Value::Text),
            (ARRAY, length) => self.array(length, depth),
            (MAP, length) => self.map(length, depth),
            (TAG, Some(EPOCH_TAG)) => self.time(depth),
            // Other tags say something of a value that is read as it is.
            (TAG, Some(_)) => self.value(depth),
            (SIMPLE, Some(argument)) => simple(head.info, argument),
            _ => Err("a value has no length where it must have one".into()),
        }
    }

    fn text(&mut self, length: Option<u64>) -> Result<String, String> {
        if let Some(length) = length {
            let bytes = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
            return String::from_utf8(bytes.to_vec()).map_err(|_| "a string is not UTF-8".into());
        }
        let mut text = String::new();
        while !self.ends()? {
            match self.head()? {
                Head { major: TEXT, argument: Some(length), .. } => text += &self.text(Some(length))?,
                _ => return Err("a piece of a string is no string".into()),
            }
        }
        Ok(text)
    }

    fn array(&mut self, length: Option<u64>, depth: usize) -> Result<Value, String> {
        let mut list = Vec::new();
        let mut left = length;
        while self.has_more(&mut left)? {
            list.push(self.value(depth)?);
        }
        Ok(Value::List(list))
    }

    fn map(&mut self, length: Option<u64>, depth: usize) -> Result<Value, String> {
        let mut members = Vec::new();
        let mut left = length;
        while self.has_more(&mut left)? {
            let name = match self.head()? {
                Head { major: TEXT, argument, .. } => self.text(argument)?,
                _ => return Err("the name of a member is no string".into()),
            };
            members.push((name, self.value(depth)?));
        }
        Ok(Value::Structure(members))
    }

    /// Whether a collection has another element. A length is believed no further than there are bytes.
    fn has_more(&mut self, left: &mut Option<u64>) -> Result<bool, String> {
        match left {
            None => self.ends().map(|ends| !ends),
            Some(0) => Ok(false),
            Some(left) => {
                *left -= 1;
                Ok(true)
            }
        }
    }

    fn time(&mut self, depth: usize) -> Result<Value, String> {
        let seconds = match self.value(depth)? {
            Value::Integer(seconds) => seconds as f64,
            Value::Double(seconds) => seconds,
            _ => return Err("a time is no number".into()),
        };
        let millis = (seconds * 1000.0).round();
        if millis.abs() < 2.6e14 {
            Ok(Value::Time(Timestamp::from_millis(millis as i64)))
        } else {
            Err("a time is beyond the year 9999".into())
        }
    }
}

fn whole(number: i128) -> Value {
    i64::try_from(number).map_or(Value::Double(number as f64), Value::Integer)
}

fn simple(info: u8, argument: u64) -> Result<Value, String> {
    match info {
        20 => Ok(Value::Bool(false)),
        21 => Ok(Value::Bool(true)),
        22 | 23 => Ok(Value::Null),
        25 => Ok(Value::Double(half(argument as u16))),
        26 => Ok(Value::Double(f64::from(f32::from_bits(argument as u32)))),
        27 => Ok(Value::Double(f64::from_bits(argument))),
        other => Err(format!("the simple value {other} is none of any request")),
    }
}

/// A double from the 16 bits of a half.
fn half(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Writes an answer.
pub(super) fn write(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    write_value(value, &mut out);
    out
}

fn write_head(major: u8, argument: u64, out: &mut Vec<u8>) {
    let bytes = argument.to_be_bytes();
    let (info, from) = match argument {
        0..=23 => (argument as u8, 8),
        24..=0xff => (24, 7),
        0x100..=0xffff => (25, 6),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 0),
    };
    out.push(major << 5 | info);
    out.extend_from_slice(&bytes[from..]);
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(SIMPLE << 5 | 22),
        Value::Bool(truth) => out.push(SIMPLE << 5 | (20 + u8::from(*truth))),
        Value::Integer(number) if *number >= 0 => write_head(UNSIGNED, *number as u64, out),
        Value::Integer(number) => write_head(NEGATIVE, (-1 - number) as u64, out),
        Value::Double(number) => {
            out.push(SIMPLE << 5 | 27);
            out.extend_from_slice(&number.to_bits().to_be_bytes());
        }
        Value::Text(text) | Value::Form(text) => write_text(text, out),
        Value::Time(time) => {
            write_head(TAG, EPOCH_TAG, out);
            write_value(&Value::Double(time.millis() as f64 / 1000.0), out);
        }
        Value::List(list) => {
            write_head(ARRAY, list.len() as u64, out);
            list.iter().for_each(|element| write_value(element, out));
        }
        Value::Structure(members) | Value::Map(members) => {
            write_head(MAP, members.len() as u64, out);
            for (name, value) in members {
                write_text(name, out);
                write_value(value, out);
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_head(TEXT, text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of RFC 8949, appendix A.
    #[test]
    fn the_examples_of_the_standard_are_read() {
        let cases: &[(&[u8], Value)] = &[
            (&[0x18, 0x64], Value::Integer(100)),
            (&[0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Value::Integer(i64::MIN)),
            (&[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Value::Double(u64::MAX as f64)),
            (&[0xf9, 0x3e, 0x00], Value::Double(1.5)),
            (&[0xf9, 0x00, 0x01], Value::Double(5.960_464_477_539_063e-8)),
            (&[0xfa, 0x47, 0xc3, 0x50, 0x00], Value::Double(100_000.0)),
            (&[0xf6], Value::Null),
            (&[0xf5], Value::Bool(true)),
            (&[0xc1, 0x1a, 0x51, 0x4b, 0x67, 0xb0], Value::Time(Timestamp::from_millis(1_363_896_240_000))),
            (&[0x64, 0x49, 0x45, 0x54, 0x46], Value::from("IETF")),
            (
                &[0x7f, 0x65, 0x73, 0x74, 0x72, 0x65, 0x61, 0x64, 0x6d, 0x69, 0x6e, 0x67, 0xff],
                Value::from("streaming"),
            ),
            (
                &[0xbf, 0x61, 0x61, 0x01, 0x61, 0x62, 0x9f, 0x02, 0x03, 0xff, 0xff],
                Value::Structure(vec![
                    ("a".into(), Value::Integer(1)),
                    ("b".into(), Value::List(vec![Value::Integer(2), Value::Integer(3)])),
                ]),
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(read(bytes).as_ref(), Ok(expected), "{bytes:02x?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let value = Value::Structure(vec![
            (
                "numbers".into(),
                Value::List([-1, 0, 23, 24, 256, 70_000, i64::MAX].map(Value::Integer).to_vec()),
            ),
            ("double".into(), Value::Double(0.1)),
            ("time".into(), Value::Time(Timestamp::from_millis(1_780_272_000_500))),
            ("text".into(), Value::Text("ü".repeat(200))),
            ("truth".into(), Value::List(vec![Value::Bool(true), Value::Bool(false), Value::Null])),
        ]);
        assert_eq!(read(&write(&value)), Ok(value));
    }

    #[test]
    fn what_is_broken_is_told_and_costs_nothing() {
        let deep = [0x81; 100];
        let cases: &[(&[u8], &str)] = &[
            (&[], "the body ends within a value"),
            (&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "the body ends within a value"),
            (&[0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "the body ends within a value"),
            (&[0x61, 0xff], "a string is not UTF-8"),
            (&[0xa1, 0x01, 0x01], "the name of a member is no string"),
            (&[0x1c], "0x1c begins no value"),
            (&[0x01, 0x01], "there is more after the end of the body"),
            (&[0x41, 0x00], "a byte string is no value of any request"),
            (&[0xc1, 0x60], "a time is no number"),
            (&[0xff], "a value has no length where it must have one"),
            (&deep, "the body nests deeper than 32 levels"),
        ];
        for (bytes, words) in cases {
            assert_eq!(read(bytes), Err((*words).to_owned()), "{bytes:02x?}");
        }
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut random = 7_u64;
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..24)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (random >> 56) as u8
                })
                .collect();
            let _ = read(&bytes);
        }
    }
}
