use super::*;
use crate::Constants;
use crate::admission::{ResourceSpec, TableCapacity, TargetUpdate};

fn round_trip(event: &Event) {
    let mut text = format!("{HEADER}\n");
    event.write_to(&mut text);
    let mut reader = TraceReader::new("t.trace");
    let events: Vec<_> = text.lines().filter_map(|line| reader.read(line).unwrap()).collect();
    assert_eq!(events, std::slice::from_ref(event), "{text}");
}

fn spec() -> TableSpec {
    let mut table = ResourceSpec::provisioned(10, 20);
    table.maximum = PerDimension::new(None, Some(7));
    table.last_increase = Some(Timestamp::from_millis(-5));
    let mut capacity = TableCapacity::new(
        &TableSpec { mode: BillingMode::Provisioned, table, ..TableSpec::default() },
        Arc::new(Constants::default()),
        Timestamp::from_millis(1_000),
    );
    let lower = TargetUpdate { provisioned: Some(PerDimension::new(9, 9)), ..TargetUpdate::default() };
    let update = ThroughputUpdate { mode: None, targets: vec![lower] };
    let account = crate::admission::AccountUse {
        region: "r",
        table: "T",
        provisioned_elsewhere: PerDimension::default(),
    };
    capacity.update(Timestamp::from_millis(2_000), &update, &account).unwrap();
    let mut spec = capacity.spec(Timestamp::from_millis(10_000));
    spec.indexes = vec![IndexSpec { name: "GSI-1".into(), resource: ResourceSpec::provisioned(3, 4) }];
    spec.switches_to_on_demand = vec![Timestamp::from_millis(1), Timestamp::from_millis(2)];
    spec.seed = u64::MAX;
    spec
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let part = TracePart {
        resource: ResourceId::of_number(1),
        dimension: Dimension::Write,
        hash: u64::MAX,
        sort_key: (*b"\x00\xffx").into(),
        floor: CapacityUnits::HALF,
    };
    let refused = TraceOutcome::Refused {
        reason: "IndexWriteKeyRangeThroughputExceeded".into(),
        index: Some("GSI-1".into()),
    };
    let target = TargetUpdate {
        index: Some("GSI-1".into()),
        provisioned: Some(PerDimension::new(1, 2)),
        maximum: PerDimension::new(Some(-1), None),
        warm: PerDimension::new(None, Some(9)),
    };
    let kinds = [
        EventKind::Table { name: "Orders".into(), spec: Box::new(spec()) },
        EventKind::Table { name: "T.a_b-c".into(), spec: Box::default() },
        EventKind::Follow(Box::new(spec())),
        EventKind::Drop,
        EventKind::AddIndex(Box::new(spec().indexes[0].clone())),
        EventKind::RemoveIndex("GSI-1".into()),
        EventKind::Update {
            update: Box::new(ThroughputUpdate {
                mode: Some(BillingMode::Provisioned),
                targets: vec![target, TargetUpdate::default()],
            }),
            elsewhere: PerDimension::new(5, 6),
            accepted: false,
        },
        EventKind::Admit { request: 1, parts: vec![part.clone(), part.clone()], outcome: refused },
        EventKind::Extend { request: 1, parts: vec![part], outcome: TraceOutcome::Admitted },
        EventKind::Settle {
            request: 1,
            exact: vec![
                Exact::units(CapacityUnits::from_halves(7)),
                Exact { units: CapacityUnits::ZERO, through_hash: Some(0xab) },
            ],
        },
        EventKind::Release { request: u64::MAX },
        EventKind::Resize { resource: ResourceId::TABLE, hash: 0, sort_key: [].into(), bytes_delta: -3 },
    ];
    for kind in kinds {
        round_trip(&Event { table: 3, at: Timestamp::from_millis(1_791_504_000_123), kind });
    }
    let kind = EventKind::Constant { name: "heat_percent".into(), value: 80 };
    round_trip(&Event { table: 0, at: Timestamp::default(), kind });
}

#[test]
fn mistakes_are_answered_with_file_line_and_what_was_expected() {
    let table = "table 1 5 T on-demand - 0 - - -:0/0:-/-:0/0:0/0:0:-:-";
    let cases = [
        ("", 1, "the first line 'dyno-trace 1', found ''"),
        ("dyno-trace 2", 1, "the first line 'dyno-trace 1', found 'dyno-trace 2'"),
        ("H\n\nadmitt 1 1 1 ok", 3, "one of constant, table, drop, add-index"),
        ("H\nor 1 1", 2, "one of constant, table"),
        ("H\nadmit x", 2, "the number of a table, found 'x'"),
        ("H\nadmit 1 soon", 2, "a moment in milliseconds since 1970, found 'soon'"),
        ("H\nadmit 1 5 1", 2, "'ok' or a reason, found the end of the line"),
        (
            "H\nadmit 1 5 1 ok",
            2,
            "a part as resource:r|w:hash:sort-key:half-units, found the end of the line",
        ),
        ("H\nadmit 1 5 1 ok 0:x:ab:-:1", 2, "'r' or 'w', found 'x'"),
        ("H\nadmit 1 5 1 ok 0:r:zz:-:1", 2, "a hash in hexadecimal, found 'zz'"),
        ("H\nadmit 1 5 1 ok 0:r:ab:abc:1", 2, "a sort key as pairs of hexadecimal digits"),
        (
            "H\nT\ndrop 1 4",
            3,
            "a moment of 5 or later, for the events of a table stand in order of time, found 4",
        ),
        ("H\nremove-index 1 4", 2, "the name of the index, found the end of the line"),
        (
            "H\nadd-index 1 4 :0/0:-/-:0/0:0/0:0:-:-",
            2,
            "a name of letters, digits, '_', '.' and '-', found ''",
        ),
        ("H\ndrop 1 4 5", 2, "the end of the line, found '5'"),
        ("H\ntable 1 5 T on-demand - 0 - - -:0/0:-/-", 2, "a resource as name:provisioned"),
        ("H\ntable 1 5 T onDemand - 0 - - -", 2, "'on-demand' or 'provisioned', found 'onDemand'"),
    ];
    for (text, line, expected) in cases {
        let text = text.replace('H', HEADER).replace("\nT", &format!("\n{table}"));
        let mut reader = TraceReader::new("my.trace");
        let mut lines = text.split('\n');
        let error = lines.find_map(|line| reader.read(line).err()).expect(&text);
        assert_eq!(error.line, line, "{error}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("my.trace:{line}: expected {expected}")), "{message}");
    }
    assert!(
        TraceReader::new("empty")
            .end()
            .unwrap_err()
            .to_string()
            .starts_with("empty:1: expected the first line")
    );
}

#[test]
fn what_names_an_index_that_is_not_there_is_an_error() {
    for event in ["admit 1 5 1 ok 1:w:ab:-:1", "resize 1 5 1:w:ab:- 10"] {
        let (mut reader, mut replay) = (TraceReader::new("t"), Replay::new());
        let text = format!("{HEADER}\ntable 1 5 T on-demand - 0 - - -:0/0:-/-:0/0:0/0:0:-:-\n{event}");
        let events: Vec<_> = text.lines().filter_map(|line| reader.read(line).unwrap()).collect();
        assert_eq!(replay.apply(&events[0]), Ok(None));
        assert_eq!(replay.apply(&events[1]), Err(ReplayError::UnknownIndex(1)), "{event}");
    }
}

/// A recorded run, with refusals, extensions, releases, changes and a hot key, decides the same when replayed from its
/// text; and with another constant it does not, so the comparison can fail.
#[test]
fn a_replay_decides_as_the_recorded_run_did() {
    let text = recorded_run();
    let differences = |text: &str| {
        let (mut reader, mut replay) = (TraceReader::new("t"), Replay::new());
        let (mut decisions, mut refusals, mut differences) = (0, 0, 0);
        for line in text.lines() {
            let Some(event) = reader.read(line).unwrap() else { continue };
            if let Some(decision) = replay.apply(&event).unwrap() {
                decisions += 1;
                refusals += u32::from(decision.replayed != TraceOutcome::Admitted);
                differences += u32::from(!decision.agrees());
            }
        }
        (decisions, refusals, differences)
    };
    let (decisions, refusals, differing) = differences(&text);
    assert!(decisions > 5_000 && refusals > 500, "{decisions} decisions, {refusals} refusals");
    assert_eq!(differing, 0);
    let other = text.replacen('\n', "\nconstant burst_ms 0\n", 1);
    assert!(differences(&other).2 > 0, "another constant must show");
}

fn recorded_run() -> String {
    let mut text = format!("{HEADER}\n");
    let mut record = |at: Timestamp, kind| Event { table: 1, at, kind }.write_to(&mut text);
    let start = Timestamp::from_millis(1_791_504_000_000);
    let index = IndexSpec { name: "byStatus".into(), resource: ResourceSpec::provisioned(5, 15) };
    let spec = TableSpec {
        mode: BillingMode::Provisioned,
        table: ResourceSpec::provisioned(20, 20),
        indexes: vec![index],
        ..TableSpec::default()
    };
    record(start, EventKind::Table { name: "Orders".into(), spec: Box::new(spec.clone()) });
    let mut capacity = TableCapacity::new(&spec, Arc::new(Constants::default()), start);
    for request in 0..6_000_u64 {
        let at = start + (request as i64) * 20;
        if request == 3_000 {
            let target =
                TargetUpdate { provisioned: Some(PerDimension::new(30, 18)), ..TargetUpdate::default() };
            let update = ThroughputUpdate { mode: None, targets: vec![target] };
            let account = crate::admission::AccountUse {
                region: "",
                table: "Orders",
                provisioned_elsewhere: PerDimension::default(),
            };
            let accepted = capacity.update(at, &update, &account).is_ok();
            let elsewhere = PerDimension::default();
            record(at, EventKind::Update { update: Box::new(update), elsewhere, accepted });
        }
        let dimension = if request % 3 == 0 { Dimension::Read } else { Dimension::Write };
        let hash = if request % 2 == 0 { 7 } else { request.wrapping_mul(0x9e37_79b9_7f4a_7c15) };
        let part = |number, floor| TracePart {
            resource: ResourceId::of_number(number),
            dimension,
            hash,
            sort_key: request.to_be_bytes().into(),
            floor,
        };
        let parts = vec![part(0, CapacityUnits::HALF)];
        let answer = capacity.admit(at, &[parts[0].ask()]);
        record(at, EventKind::Admit { request, parts, outcome: TraceOutcome::of(&answer) });
        let Ok(mut admission) = answer else { continue };
        if dimension == Dimension::Write {
            let parts = vec![part(1, CapacityUnits::ONE)];
            let answer = capacity.extend(at, admission, &[parts[0].ask()]);
            record(at, EventKind::Extend { request, parts, outcome: TraceOutcome::of(&answer) });
            let Ok(extended) = answer else { continue };
            admission = extended;
        }
        if request % 50 == 7 {
            capacity.release(at, admission);
            record(at, EventKind::Release { request });
            continue;
        }
        let exact = vec![Exact::units(CapacityUnits::from_halves(2 + request % 5)); admission.parts()];
        capacity.settle(at, admission, &exact);
        record(at, EventKind::Settle { request, exact });
    }
    text
}
