//! The canonical request of Signature Version 4: the one spelling of a request that both sides hash.
//!
//! Source: AWS "Signature Version 4 signing process", create a canonical request; what is tolerated beyond it (order
//! and case of headers on the wire, runs of spaces) as AWS tolerates it.

use super::parts::percent_decode;
use http::HeaderMap;

/// The parts of a request that are signed, but for the body, which comes as its hash.
pub(super) struct CanonicalInput<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap,
    /// As the signature lists them, separated by semicolons.
    pub(super) signed_headers: &'a str,
    /// SHA-256 of the body in hexadecimal, or `UNSIGNED-PAYLOAD`.
    pub(super) payload_hash: &'a [u8],
}

/// Writes the canonical request.
pub(super) fn canonical_request(input: &CanonicalInput<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(input.method.as_bytes());
    out.push(b'\n');
    push_path(&mut out, input.path);
    out.push(b'\n');
    if let Some(query) = input.query {
        push_query(&mut out, query);
    }
    out.push(b'\n');
    push_headers(&mut out, input.headers, input.signed_headers);
    out.push(b'\n');
    out.extend_from_slice(input.payload_hash);
    out
}

/// Dot segments and repeated slashes are resolved; every byte but the unreserved ones and `/` is encoded, so that a
/// percent sign of the wire is encoded again (every service but S3 signs so).
fn push_path(out: &mut Vec<u8>, path: &str) {
    if path == "/" || path.is_empty() {
        out.push(b'/');
        return;
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    for segment in &segments {
        out.push(b'/');
        push_encoded(out, segment.as_bytes());
    }
    let ends_in_slash = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    if segments.is_empty() || ends_in_slash {
        out.push(b'/');
    }
}

/// Parameters decoded, encoded in the one way, without the signature, sorted by name and then by value.
fn push_query(out: &mut Vec<u8>, query: &str) {
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| {
            (encoded(&percent_decode(name.as_bytes())), encoded(&percent_decode(value.as_bytes())))
        })
        .filter(|(name, _)| name != b"X-Amz-Signature")
        .collect();
    pairs.sort_unstable();
    for (index, (name, value)) in pairs.iter().enumerate() {
        if index > 0 {
            out.push(b'&');
        }
        out.extend_from_slice(name);
        out.push(b'=');
        out.extend_from_slice(value);
    }
}

/// `name:value\n` for each signed header, an empty line, and the list of names: lower case and sorted.
fn push_headers(out: &mut Vec<u8>, headers: &HeaderMap, signed_headers: &str) {
    let lower = signed_headers.to_ascii_lowercase();
    let mut names: Vec<&str> = Vec::with_capacity(12);
    names.extend(lower.split(';').map(str::trim).filter(|name| !name.is_empty()));
    if !names.is_sorted() {
        names.sort_unstable();
    }
    for name in &names {
        out.extend_from_slice(name.as_bytes());
        out.push(b':');
        for (index, value) in headers.get_all(*name).iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            push_trimmed(out, value.as_bytes());
        }
        out.push(b'\n');
    }
    out.push(b'\n');
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            out.push(b';');
        }
        out.extend_from_slice(name.as_bytes());
    }
}

/// Without spaces at the ends, runs of spaces inside as one.
fn push_trimmed(out: &mut Vec<u8>, value: &[u8]) {
    let value = value.trim_ascii();
    let mut after_space = false;
    for byte in value {
        let is_space = *byte == b' ';
        if !(is_space && after_space) {
            out.push(*byte);
        }
        after_space = is_space;
    }
}

fn encoded(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    push_encoded(&mut out, bytes);
    out
}

fn push_encoded(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(*byte);
        } else {
            out.push(b'%');
            out.extend_from_slice(&[hex_upper(byte >> 4), hex_upper(byte & 15)]);
        }
    }
}

fn hex_upper(nibble: u8) -> u8 {
    b"0123456789ABCDEF"[usize::from(nibble)]
}

/// Writes bytes as lower-case hexadecimal into a buffer of twice the length.
pub(super) fn hex_lower(bytes: &[u8; 32]) -> [u8; 64] {
    let mut out = [0; 64];
    for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
        pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
        pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn paths_are_resolved_and_encoded_twice() {
        for (path, expected) in [
            ("/", "/"),
            ("", "/"),
            ("/_dyno/reset", "/_dyno/reset"),
            ("//a///b//", "/a/b/"),
            ("/a/./b/../c", "/a/c"),
            ("/..", "/"),
            ("/a/..", "/"),
            ("/a%20b/ü~", "/a%2520b/%C3%BC~"),
        ] {
            let mut out = Vec::new();
            push_path(&mut out, path);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn queries_are_sorted_encoded_in_one_way_and_without_the_signature() {
        for (query, expected) in [
            ("", ""),
            ("b=2&a=1", "a=1&b=2"),
            ("a=b&a=B&a=", "a=&a=B&a=b"),
            ("flag", "flag="),
            ("x=a/b&X-Amz-Signature=00", "x=a%2Fb"),
            ("x=a%2fb&y=%41+%7e", "x=a%2Fb&y=A%2B~"),
        ] {
            let mut out = Vec::new();
            push_query(&mut out, query);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn headers_are_trimmed_sorted_and_joined() {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("localhost:8000"));
        headers.append("x-many", HeaderValue::from_static("  one   two "));
        headers.append("x-many", HeaderValue::from_static("three"));
        let mut out = Vec::new();
        push_headers(&mut out, &headers, "X-Many;Host;absent");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "absent:\nhost:localhost:8000\nx-many:one two,three\n\nabsent;host;x-many"
        );
    }

    #[test]
    fn the_whole_in_its_order() {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("h"));
        let out = canonical_request(&CanonicalInput {
            method: "POST",
            path: "/",
            query: None,
            headers: &headers,
            signed_headers: "host",
            payload_hash: b"UNSIGNED-PAYLOAD",
        });
        assert_eq!(String::from_utf8(out).unwrap(), "POST\n/\n\nhost:h\n\nhost\nUNSIGNED-PAYLOAD");
    }
}
