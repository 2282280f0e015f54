//! Filter patterns of pipes: the first line is a pattern, the rest an event. Neither may panic, and an event that matches a
//! pattern matches it beside others in `$or`, too.

use dynamometer_server::pipes::filter::Pattern;
use serde_json::Value;

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (pattern, event) = text.split_once('\n').unwrap_or((&text, "{}"));
    let Ok(read) = Pattern::parse(pattern) else { return };
    let Ok(event) = serde_json::from_str::<Value>(event) else { return };
    let alone = read.matches(&event);
    let either = format!(r#"{{"$or":[{{"no such member":["x"]}},{pattern}]}}"#);
    // One level more, and a few characters, can be too many.
    if let Ok(either) = Pattern::parse(&either)
        && event.is_object()
    {
        let matches_never = event.get("no such member").is_none();
        assert!(!matches_never || alone == either.matches(&event), "{pattern} on {event}");
    }
}
