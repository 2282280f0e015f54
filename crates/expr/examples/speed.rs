use dynamometer_expr::*;
use dynamometer_types::*;
use std::hint::black_box;
use std::time::Instant;
fn time(name: &str, mut f: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..20 { let s = Instant::now(); for _ in 0..20000 { f(); } best = best.min(s.elapsed().as_nanos() as f64/20000.0); }
    eprintln!("{name}: {best:.0} ns");
}
fn main() {
    let names = vec![("#v".to_string(), "v".to_string())];
    let values = vec![(":v".to_string(), AttributeValue::N(1.into()))];
    let item: Item = ["pk","sk","a","b","c","v","x","y"].iter().map(|n| (*n, AttributeValue::N(1.into()))).collect();
    time("placeholders", || { black_box(Placeholders::new(Some(&names), Some(&values))); });
    time("parse attribute_not_exists(pk)", || { let p = Placeholders::new(None, None); black_box(parse_condition(ExpressionKind::Condition, black_box("attribute_not_exists(pk)"), &p).unwrap()); });
    time("parse #v = :v", || { let p = Placeholders::new(Some(&names), Some(&values)); black_box(parse_condition(ExpressionKind::Condition, black_box("#v = :v"), &p).unwrap()); p.check_all_used().unwrap(); });
    time("parse pk = :v AND begins_with", || { let p = Placeholders::new(None, Some(&values)); black_box(parse_key_condition(black_box("pk = :v AND sk > :v"), &p).unwrap()); });
    time("parse SET a = a + :v, b = :v", || { let p = Placeholders::new(None, Some(&values)); black_box(parse_update(black_box("SET a = a + :v, b = :v"), &p).unwrap()); });
    time("parse projection", || { let p = Placeholders::new(None, Some(&values)); black_box(parse_projection(black_box("a, b, c.d, e[0]"), &p).unwrap()); });
    let p = Placeholders::new(Some(&names), Some(&values));
    let c = parse_condition(ExpressionKind::Condition, "#v = :v AND attribute_exists(pk)", &p).unwrap();
    time("match #v = :v AND exists", || { black_box(c.matches(black_box(&item))); });
    let u = parse_update("SET a = a + :v, b = :v", &p).unwrap();
    time("apply", || { black_box(u.apply(black_box(&item), false).unwrap()); });
    time("clone item", || { black_box(black_box(&item).clone()); });
    let pr = parse_projection("a, b, c, v", &p).unwrap();
    time("project 4 of 8", || { black_box(pr.project(black_box(&item))); });
    let hostile: Vec<(String, String)> = (0..100000).map(|n| (format!("#n{n}"), format!("n{n}"))).collect();
    let text = (0..500).map(|n| format!("#n{n}")).collect::<Vec<_>>().join(",");
    let s = Instant::now(); let p2 = Placeholders::new(Some(&hostile), None); let r = parse_projection(&text, &p2).is_ok(); eprintln!("hostile names {r}: {:?}", s.elapsed());
    let text = (0..1000).map(|n| format!("a{n:03}")).collect::<Vec<_>>().join(",")[..4096].trim_end_matches(|c| c != ',').trim_end_matches(',').to_string();
    let s = Instant::now(); let r = parse_projection(&text, &p).is_ok(); eprintln!("many paths {r}: {:?}", s.elapsed());
    let deep = AttributeValue::L((0..130000).map(|n| AttributeValue::N((n as i64 % 10).into())).collect());
    let item: Item = [("l", deep)].into_iter().collect();
    let text = format!("REMOVE {}", (0..500).map(|n| format!("l[{n}]")).collect::<Vec<_>>().join(","));
    let u = parse_update(&text, &p).unwrap();
    let s = Instant::now(); let r = u.apply(&item, false).is_ok(); eprintln!("many removals {r}: {:?}", s.elapsed());
}
