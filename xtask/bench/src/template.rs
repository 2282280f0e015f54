//! Request templates: whole HTTP requests as bytes, with places of fixed width that are filled in
//! for each send. Filling is a copy and a few digits, so the client costs little beside the server.

use crate::random::Random;

/// Digits of each number that is filled in.
const WIDTH: usize = 8;

/// A header of the right shape for servers that do not verify signatures.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
    Credential=bench/20260601/us-east-1/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
    Signature=0000000000000000000000000000000000000000000000000000000000000000";

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    /// The partition number of the n-th key of this request.
    Partition(usize),
    /// The position within its partition of the n-th key.
    Position(usize),
    /// A number that is new in each request.
    Fresh,
    /// So many letters that do not compress.
    Noise(usize),
}

/// A request to fill in.
#[derive(Clone, Debug)]
pub struct Template {
    bytes: Vec<u8>,
    places: Vec<(usize, Filling)>,
    keys: usize,
}

/// How the keys of one request are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// How many items the table holds.
    pub items: u64,
    /// This connection, and how many there are: its keys are then its own. Without it, any key.
    pub own: Option<(u64, u64)>,
}

/// Items with the same partition key.
pub const PER_PARTITION: u64 = 10;

impl Template {
    /// A template from an operation and a JSON body in which `<p0>`, `<s0>`, `<p1>`, … stand for the
    /// partition number and the position of each key, `<fresh>` for a new number, and `<noise800>`
    /// for 800 letters.
    ///
    /// # Panics
    /// When a mark is malformed: templates are written in this crate.
    pub fn new(operation: &str, body: &str) -> Template {
        let mut text = String::new();
        let mut places = Vec::new();
        let mut rest = body;
        while let Some(start) = rest.find('<') {
            let end = start + rest[start..].find('>').expect("a mark ends with >");
            text.push_str(&rest[..start]);
            let filling = parse_mark(&rest[start + 1..end]);
            places.push((text.len(), filling));
            text.push_str(&"0".repeat(width(filling)));
            rest = &rest[end + 1..];
        }
        text.push_str(rest);
        let head = format!(
            "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-amz-json-1.0\r\n\
             x-amz-target: DynamoDB_20120810.{operation}\r\nx-amz-date: 20260601T000000Z\r\n\
             authorization: {AUTHORIZATION}\r\ncontent-length: {}\r\n\r\n",
            text.len()
        );
        for (at, _) in &mut places {
            *at += head.len();
        }
        let key_of = |filling: &Filling| match filling {
            Filling::Partition(key) | Filling::Position(key) => key + 1,
            Filling::Fresh | Filling::Noise(_) => 0,
        };
        let keys = places.iter().map(|(_, filling)| key_of(filling)).max().unwrap_or(0);
        Template { bytes: (head + &text).into_bytes(), places, keys }
    }

    /// Writes the request with random keys into `out`, which is cleared first.
    pub fn fill(&self, out: &mut Vec<u8>, random: &mut Random, keys: Keys) {
        let spread = self.keys.max(1) as u64;
        let (first, step) = match keys.own {
            None => (random.below(keys.items), (keys.items / spread).max(1)),
            Some((connection, connections)) => {
                let each = (keys.items / connections).max(1);
                (random.below(each) * connections + connection, (each / spread).max(1) * connections)
            }
        };
        self.write(out, random, |key| (first + key as u64 * step) % keys.items);
    }

    /// Writes the request for the keys `from`, `from + 1`, … into `out`.
    pub fn fill_in_order(&self, out: &mut Vec<u8>, random: &mut Random, from: u64) {
        self.write(out, random, |key| from + key as u64);
    }

    fn write(&self, out: &mut Vec<u8>, random: &mut Random, key: impl Fn(usize) -> u64) {
        out.clear();
        out.extend_from_slice(&self.bytes);
        for &(at, filling) in &self.places {
            match filling {
                Filling::Partition(index) => digits(&mut out[at..at + WIDTH], key(index) / PER_PARTITION),
                Filling::Position(index) => digits(&mut out[at..at + WIDTH], key(index) % PER_PARTITION),
                Filling::Fresh => digits(&mut out[at..at + WIDTH], random.below(100_000_000)),
                Filling::Noise(length) => random.letters(&mut out[at..at + length]),
            }
        }
    }
}

fn width(filling: Filling) -> usize {
    match filling {
        Filling::Noise(length) => length,
        _ => WIDTH,
    }
}

fn parse_mark(mark: &str) -> Filling {
    let number = |text: &str| text.parse().expect("a mark ends with a number");
    match mark {
        "fresh" => Filling::Fresh,
        _ if mark.starts_with("noise") => Filling::Noise(number(&mark["noise".len()..])),
        _ if mark.starts_with('p') => Filling::Partition(number(&mark[1..])),
        _ if mark.starts_with('s') => Filling::Position(number(&mark[1..])),
        _ => panic!("unknown mark <{mark}>"),
    }
}

fn digits(out: &mut [u8], mut number: u64) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(request: &[u8]) -> String {
        let text = String::from_utf8(request.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())));
        body.to_owned()
    }

    #[test]
    fn places_are_filled_and_the_length_stays_right() {
        let template = Template::new("PutItem", "{\"p\":\"<p0>\",\"s\":<s0>,\"q\":<p1>,\"n\":\"<noise5>\"}");
        let mut out = Vec::new();
        template.fill_in_order(&mut out, &mut Random::new(1), 129);
        let filled = body(&out);
        assert!(filled.starts_with("{\"p\":\"00000012\",\"s\":00000009,\"q\":00000013,\"n\":\""), "{filled}");
        assert!(!filled.contains("00000\"}"), "noise is filled: {filled}");
    }

    #[test]
    fn the_keys_of_one_request_differ_and_can_belong_to_one_connection() {
        let marks: Vec<String> = (0..4).map(|key| format!("<p{key}>.<s{key}>")).collect();
        let template = Template::new("X", &marks.join(","));
        let (mut out, mut random) = (Vec::new(), Random::new(7));
        for connection in 0..8 {
            for _ in 0..50 {
                template.fill(&mut out, &mut random, Keys { items: 1000, own: Some((connection, 8)) });
                let numbers: Vec<u64> = body(&out)
                    .split(',')
                    .map(|pair| pair.split_once('.').unwrap())
                    .map(|(p, s)| p.parse::<u64>().unwrap() * PER_PARTITION + s.parse::<u64>().unwrap())
                    .collect();
                assert!(
                    numbers.iter().all(|number| number % 8 == connection && *number < 1000),
                    "{numbers:?}"
                );
                let distinct: std::collections::BTreeSet<_> = numbers.iter().collect();
                assert_eq!(distinct.len(), 4, "{numbers:?}");
            }
        }
    }
}
