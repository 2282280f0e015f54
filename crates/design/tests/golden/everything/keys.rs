//! Keys of すべて "all". Written by dyno design generate from everything.yaml: change that file instead.
//! Include it as `#[rustfmt::skip] mod keys;`.

/// The value of a key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyValue {
    /// A string.
    S(String),
    /// A number.
    N(String),
}

/// A key: attribute names with their values, the partition key first.
pub type Key = Vec<(&'static str, KeyValue)>;

/// The variable `the id` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheId(pub String);

impl std::fmt::Display for TheId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `seq` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seq(pub i64);

impl std::fmt::Display for Seq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `date` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Date(pub String);

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `type` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type(pub String);

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `注文番号` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct 注文番号(pub String);

impl std::fmt::Display for 注文番号 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `tenant` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant(pub String);

impl std::fmt::Display for Tenant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `region` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region(pub String);

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `level` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level(pub i64);

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `note` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(pub String);

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The key of thing in {braces} in App.Table-1: `T#{<the id>} / <seq>`.
pub fn thing_in_braces_key(the_id: &TheId, seq: &Seq) -> Key {
    vec![
        ("PK", KeyValue::S(format!("T#{{{the_id}}}"))),
        ("seq", KeyValue::N(seq.to_string())),
    ]
}

/// The key of thing in {braces} in byDate: `T#{<the id>} / <date>`.
pub fn thing_in_braces_by_date_key(the_id: &TheId, date: &Date) -> Key {
    vec![
        ("PK", KeyValue::S(format!("T#{{{the_id}}}"))),
        ("date", KeyValue::S(date.to_string())),
    ]
}

/// The key of thing in {braces} in GSI.1: `$<type> / 5`.
pub fn thing_in_braces_gsi_1_key(type2: &Type) -> Key {
    vec![
        ("type", KeyValue::S(format!("${type2}"))),
        ("n", KeyValue::N("5".to_owned())),
    ]
}

/// The key of 注文 in App.Table-1: `注文#<注文番号> / <seq>`.
pub fn 注文_key(注文番号_: &注文番号, seq: &Seq) -> Key {
    vec![
        ("PK", KeyValue::S(format!("注文#{注文番号_}"))),
        ("seq", KeyValue::N(seq.to_string())),
    ]
}

/// The key of say """no""" \\ or */ in App.Table-1: `S#<tenant> / <seq>`.
pub fn say_no_or_key(tenant: &Tenant, seq: &Seq) -> Key {
    vec![
        ("PK", KeyValue::S(format!("S#{tenant}"))),
        ("seq", KeyValue::N(seq.to_string())),
    ]
}

/// The key of say """no""" \\ or */ in byTenant: `<tenant> / <region> / <level> / <note>`.
pub fn say_no_or_by_tenant_key(tenant: &Tenant, region: &Region, level: &Level, note: &Note) -> Key {
    vec![
        ("tenant", KeyValue::S(tenant.to_string())),
        ("region", KeyValue::S(region.to_string())),
        ("level", KeyValue::N(level.to_string())),
        ("note", KeyValue::S(note.to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thing_in_braces_key_is_built() {
        let key = thing_in_braces_key(&TheId("the id-1".to_owned()), &Seq(7));
        let expected = vec![
            ("PK", KeyValue::S("T#{the id-1}".to_owned())),
            ("seq", KeyValue::N("7".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn thing_in_braces_by_date_key_is_built() {
        let key = thing_in_braces_by_date_key(&TheId("the id-1".to_owned()), &Date("date-1".to_owned()));
        let expected = vec![
            ("PK", KeyValue::S("T#{the id-1}".to_owned())),
            ("date", KeyValue::S("date-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn thing_in_braces_gsi_1_key_is_built() {
        let key = thing_in_braces_gsi_1_key(&Type("type-1".to_owned()));
        let expected = vec![
            ("type", KeyValue::S("$type-1".to_owned())),
            ("n", KeyValue::N("5".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn 注文_key_is_built() {
        let key = 注文_key(&注文番号("注文番号-1".to_owned()), &Seq(7));
        let expected = vec![
            ("PK", KeyValue::S("注文#注文番号-1".to_owned())),
            ("seq", KeyValue::N("7".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn say_no_or_key_is_built() {
        let key = say_no_or_key(&Tenant("tenant-1".to_owned()), &Seq(7));
        let expected = vec![
            ("PK", KeyValue::S("S#tenant-1".to_owned())),
            ("seq", KeyValue::N("7".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn say_no_or_by_tenant_key_is_built() {
        let key = say_no_or_by_tenant_key(&Tenant("tenant-1".to_owned()), &Region("region-1".to_owned()), &Level(7), &Note("note-1".to_owned()));
        let expected = vec![
            ("tenant", KeyValue::S("tenant-1".to_owned())),
            ("region", KeyValue::S("region-1".to_owned())),
            ("level", KeyValue::N("7".to_owned())),
            ("note", KeyValue::S("note-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }
}
