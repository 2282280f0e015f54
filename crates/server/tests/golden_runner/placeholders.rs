//! Placeholders in the texts of a scenario that stand for other text.

use std::collections::BTreeMap;

/// The texts that answers gave, by the names under which the scenario keeps them.
pub type Kept = BTreeMap<String, String>;

/// Replaces `<i>` by the number of the sending, `<i:4>` by the same with four digits, `<text*3>` by the text three
/// times, and `<$name>` by what was kept under the name;
/// a name that is not known stays, and will hardly be what is expected.
pub fn expand(text: &str, index: u32, kept: &Kept) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        match after.split_once('>').and_then(|(inside, tail)| Some((replacement(inside, index, kept)?, tail)))
        {
            Some((replacement, tail)) => {
                out.push_str(&replacement);
                rest = tail;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn replacement(inside: &str, index: u32, kept: &Kept) -> Option<String> {
    if let Some(name) = inside.strip_prefix('$') {
        return kept.get(name).cloned();
    }
    if inside == "i" {
        return Some(index.to_string());
    }
    if let Some(width) = inside.strip_prefix("i:") {
        let width: usize = width.parse().ok()?;
        return Some(format!("{index:0width$}"));
    }
    let (repeated, times) = inside.rsplit_once('*')?;
    Some(repeated.repeat(times.parse().ok()?))
}

#[test]
fn placeholders_are_replaced_and_other_brackets_stay() {
    for (text, expanded) in [
        ("a<i>b<i:3>", "a7b007"),
        (r#"<{"L":[*2>x<]}*2>"#, r#"{"L":[{"L":[x]}]}"#),
        ("a < b > c <any>", "a < b > c <any>"),
        ("a <> b", "a <> b"),
        ("<x*3", "<x*3"),
        ("<$shard>|<$shard>", "shard-1|shard-1"),
    ] {
        let kept = Kept::from([("shard".into(), "shard-1".into())]);
        assert_eq!(expand(text, 7, &kept), expanded);
    }
}
