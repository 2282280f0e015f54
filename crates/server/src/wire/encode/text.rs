//! Strings, numbers and bytes as JSON text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynamometer_types::Number;

/// Writes a string with its quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = first_to_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        write_escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Where the first quote, backslash or control character stands. Eight bytes are looked at together: most texts
/// have none.
fn first_to_escape(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of a byte is set where the byte is zero; for the lowest such byte that is exact.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, tail) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let found = controls | quotes | backslashes;
        if found != 0 {
            return Some(at * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let before = words.len() * 8;
    tail.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')).map(|at| before + at)
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            let hex = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Writes a whole number.
pub fn write_whole(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a number in plain decimal, without quotes: as its `Display` does, but faster.
pub fn write_number(number: &Number, out: &mut Vec<u8>) {
    if number.is_negative() {
        out.push(b'-');
    }
    let coefficient = number.coefficient();
    let mut buffer = itoa::Buffer::new();
    let digits = match u64::try_from(coefficient) {
        Ok(short) => buffer.format(short),
        Err(_) => buffer.format(coefficient),
    };
    let exponent = number.exponent();
    let whole = digits.len() as i32 + exponent;
    if exponent >= 0 {
        out.extend_from_slice(digits.as_bytes());
        out.resize(out.len() + exponent as usize, b'0');
    } else if whole > 0 {
        let (whole, fraction) = digits.split_at(whole as usize);
        out.extend_from_slice(whole.as_bytes());
        out.push(b'.');
        out.extend_from_slice(fraction.as_bytes());
    } else {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + whole.unsigned_abs() as usize, b'0');
        out.extend_from_slice(digits.as_bytes());
    }
}

/// Writes bytes in base64, without quotes.
pub fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    STANDARD.encode_slice(bytes, &mut out[start..]).expect("the room is what base64 needs");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = vec![];
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_character_comes_back_wherever_it_stands() {
        for code in (0..0x3000).filter_map(char::from_u32).chain(['😀', '\u{10FFFF}']) {
            for before in 0..9 {
                let text = format!("{}{code}{}", "x".repeat(before), "é\"y");
                let json = written(&text);
                assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text, "{json}");
            }
        }
    }

    #[test]
    fn numbers_print_as_they_display() {
        let nines = "99999999999999999999999999999999999999";
        for digits in ["0", "1", "-1", "12", "-1999", "9223372036854775808", nines] {
            for exponent in ["", "e1", "e-1", "e-2", "e-3", "e80", "e-90"] {
                let number: Number = format!("{digits}{exponent}").parse().unwrap();
                let mut out = vec![];
                write_number(&number, &mut out);
                assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
            }
        }
    }

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in [(&b""[..], ""), (b"\xff", "/w=="), (b"ab", "YWI="), (b"abc", "YWJj")] {
            let mut out = b"x".to_vec();
            write_base64(bytes, &mut out);
            assert_eq!(out, [b"x", text.as_bytes()].concat());
        }
    }
}
