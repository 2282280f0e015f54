//! Content encodings: undone in requests up to a limit, applied to large answers for clients that ask.
//!
//! Both work in pieces and let other requests of the thread run in between.

use super::answers;
use super::message::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use http::{HeaderMap, HeaderValue, header};
use std::io::{self, Read, Write};

/// How much is coded between two yields: about a millisecond's work.
const PIECE_BYTES: usize = 256 << 10;

/// The two encodings that AWS knows. `deflate` is the zlib format, as HTTP has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    fn named(name: &str) -> Option<Encoding> {
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            return Some(Encoding::Gzip);
        }
        name.eq_ignore_ascii_case("deflate").then_some(Encoding::Deflate)
    }

    pub(super) fn header_value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
        })
    }
}

/// The encoding of a request's body; `None` when it is sent as it is.
///
/// # Errors
/// The name of an encoding that is not known here, or several.
pub(super) fn content_encoding(headers: &HeaderMap) -> Result<Option<Encoding>, String> {
    let Some(value) = headers.get(header::CONTENT_ENCODING) else { return Ok(None) };
    let name = String::from_utf8_lossy(value.as_bytes());
    let name = name.trim();
    if name.is_empty() || name.eq_ignore_ascii_case("identity") {
        return Ok(None);
    }
    Encoding::named(name).map(Some).ok_or_else(|| name.to_owned())
}

/// Undoes the encoding of a body, at most to `limit` bytes; several gzip members in a row are one body.
///
/// # Errors
/// 413 over the limit; 500 for a stream that is broken or empty, as AWS answers it.
pub(super) async fn decode(
    body: &Bytes,
    encoding: Encoding,
    limit: usize,
    content_type: &'static str,
) -> Result<Bytes, Response> {
    if body.is_empty() {
        return Err(answers::internal_error(content_type));
    }
    let mut reader: Box<dyn Read + Send> = match encoding {
        Encoding::Gzip => Box::new(MultiGzDecoder::new(&body[..])),
        Encoding::Deflate => Box::new(ZlibDecoder::new(&body[..])),
    };
    let mut decoded = Vec::with_capacity(body.len().saturating_mul(2).min(limit));
    loop {
        // One byte over the limit is asked for, to tell a body that just fits from one that does not.
        let room = (limit + 1 - decoded.len()).min(PIECE_BYTES);
        match reader.by_ref().take(room as u64).read_to_end(&mut decoded) {
            Err(_) => return Err(answers::internal_error(content_type)),
            Ok(_) if decoded.len() > limit => return Err(answers::too_large()),
            Ok(read) if read < room => return Ok(decoded.into()),
            Ok(_) => tokio::task::yield_now().await,
        }
    }
}

/// Encodes an answer.
pub(super) async fn encode(body: &Bytes, encoding: Encoding) -> Bytes {
    let mut encoder = Encoder::new(encoding, body.len() / 4);
    for (index, piece) in body.chunks(PIECE_BYTES).enumerate() {
        if index > 0 {
            tokio::task::yield_now().await;
        }
        encoder.write_all(piece).expect("writing to memory does not fail");
    }
    encoder.finish().expect("writing to memory does not fail").into()
}

enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
}

impl Encoder {
    fn new(encoding: Encoding, capacity: usize) -> Encoder {
        let out = Vec::with_capacity(capacity);
        match encoding {
            Encoding::Gzip => Encoder::Gzip(GzEncoder::new(out, Compression::fast())),
            Encoding::Deflate => Encoder::Deflate(ZlibEncoder::new(out, Compression::fast())),
        }
    }

    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        match self {
            Encoder::Gzip(encoder) => encoder.write_all(piece),
            Encoder::Deflate(encoder) => encoder.write_all(piece),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Deflate(encoder) => encoder.finish(),
        }
    }
}

/// Which encoding the client likes best, by its weights; `None` when it asks for none or prefers the plain answer.
pub(super) fn preferred_encoding(headers: &HeaderMap) -> Option<Encoding> {
    let mut gzip = None;
    let mut deflate = None;
    let mut identity = None;
    let mut others = None;
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        for choice in value.to_str().unwrap_or("").split(',') {
            let (name, parameters) = choice.split_once(';').unwrap_or((choice, ""));
            let weight = weight(parameters);
            match Encoding::named(name.trim()) {
                Some(Encoding::Gzip) => gzip = Some(weight),
                Some(Encoding::Deflate) => deflate = Some(weight),
                None if name.trim().eq_ignore_ascii_case("identity") => identity = Some(weight),
                None if name.trim() == "*" => others = Some(weight),
                None => {}
            }
        }
    }
    let of = |named: Option<u32>| named.or(others).unwrap_or(0);
    let (gzip, deflate, identity) = (of(gzip), of(deflate), identity.unwrap_or(0));
    let (best, weight) = if gzip >= deflate { (Encoding::Gzip, gzip) } else { (Encoding::Deflate, deflate) };
    (weight > 0 && weight >= identity).then_some(best)
}

/// The `q` of a choice in thousandths; 1000 when there is none, 0 when it is not a number from 0 to 1.
fn weight(parameters: &str) -> u32 {
    let quality = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    match quality {
        None => 1000,
        Some(text) => match text.parse::<f32>() {
            Ok(quality) if (0.0..=1.0).contains(&quality) => (quality * 1000.0) as u32,
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_choose_the_encoding() {
        use Encoding::{Deflate, Gzip};
        let cases = [
            ("gzip", Some(Gzip)),
            ("deflate", Some(Deflate)),
            ("gzip, deflate", Some(Gzip)),
            ("gzip;q=0.5, deflate", Some(Deflate)),
            ("GZIP ; q=0.8 , Deflate;Q=0.9", Some(Deflate)),
            ("identity", None),
            ("", None),
            ("br", None),
            ("br, x-gzip", Some(Gzip)),
            ("*", Some(Gzip)),
            ("gzip;q=0, *", Some(Deflate)),
            ("*;q=0", None),
            ("gzip;q=0", None),
            ("gzip;q=0.1, identity", None),
            ("gzip;q=0.5, identity;q=0.5", Some(Gzip)),
            ("gzip;q=many", None),
            ("gzip;q=7", None),
        ];
        for (text, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(preferred_encoding(&headers), expected, "{text}");
        }
    }

    #[test]
    fn request_encodings_are_known_by_name() {
        let cases = [
            (None, Ok(None)),
            (Some("identity"), Ok(None)),
            (Some("gzip"), Ok(Some(Encoding::Gzip))),
            (Some(" Deflate"), Ok(Some(Encoding::Deflate))),
            (Some("br"), Err("br".to_owned())),
            (Some("gzip, gzip"), Err("gzip, gzip".to_owned())),
        ];
        for (text, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(text) = text {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(text));
            }
            assert_eq!(content_encoding(&headers), expected, "{text:?}");
        }
    }

    #[tokio::test]
    async fn what_is_encoded_decodes_to_the_limit_and_no_further() {
        let plain = Bytes::from(vec![7; PIECE_BYTES + 1000]);
        for encoding in [Encoding::Gzip, Encoding::Deflate] {
            let encoded = encode(&plain, encoding).await;
            assert!(encoded.len() < plain.len() / 10);
            assert_eq!(decode(&encoded, encoding, plain.len(), "x").await.unwrap(), plain);
            assert_eq!(decode(&encoded, encoding, plain.len() - 1, "x").await.unwrap_err().status, 413);
            for broken in [&b""[..], b"plain", &encoded[..encoded.len() - 9]] {
                let broken = Bytes::copy_from_slice(broken);
                assert_eq!(
                    decode(&broken, encoding, 1 << 20, "x").await.unwrap_err().status,
                    500,
                    "{encoding:?}"
                );
            }
        }
    }
}
