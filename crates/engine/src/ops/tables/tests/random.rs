//! Random sequences of updates: whatever was accepted is what DescribeTable shows, and what a new start reads.

use super::*;
use crate::catalog::record::Status;

/// A small generator with a seed, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn units(&mut self) -> Option<ProvisionedThroughput> {
        units(self.below(20) as i64 + 1, self.below(20) as i64 + 1)
    }

    fn index(&mut self) -> String {
        format!("by{}", ["Zone", "Kind", "Size"][self.below(3) as usize])
    }
}

const VIEWS: [&str; 4] = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"];

/// One of the things that UpdateTable can do; not always one that the table can take.
fn any_update(dice: &mut Dice) -> UpdateTableRequest {
    let mut r = of_orders();
    match dice.below(11) {
        0 => r.provisioned_throughput = dice.units(),
        1 => r.billing_mode = Some(Given::Known(BillingMode::PayPerRequest)),
        2 => {
            r.billing_mode = Some(Given::Known(BillingMode::Provisioned));
            r.provisioned_throughput = dice.units();
            let units = dice.units();
            let entry = update_index(&dice.index(), |u| u.provisioned_throughput = units);
            r.global_secondary_index_updates = (dice.below(2) == 0).then(|| vec![entry]);
        }
        3 => {
            let attribute = ["zone", "kind", "size"][dice.below(3) as usize];
            let throughput = if dice.below(2) == 0 { dice.units() } else { None };
            let index = gsi(&dice.index(), &format!("{attribute}:HASH pk:RANGE"));
            let index = GlobalSecondaryIndex { provisioned_throughput: throughput, ..index };
            r.attribute_definitions = definitions(&format!("pk:S {attribute}:N"));
            r.global_secondary_index_updates = Some(vec![create_index(index)]);
        }
        4 => r.global_secondary_index_updates = Some(vec![delete_index(&dice.index())]),
        5 => {
            let units = dice.units();
            let entry = update_index(&dice.index(), |u| u.provisioned_throughput = units);
            r.global_secondary_index_updates = Some(vec![entry]);
        }
        6 => {
            let enabled = dice.below(2) == 0;
            let view = enabled.then(|| VIEWS[dice.below(4) as usize]);
            r.stream_specification = stream(enabled, view);
        }
        7 => {
            r.sse_specification =
                Some(SseSpecification { enabled: Some(dice.below(2) == 0), ..Default::default() })
        }
        8 => {
            let class = ["STANDARD", "STANDARD_INFREQUENT_ACCESS"][dice.below(2) as usize];
            r.table_class = Some(TableClass::read(class));
        }
        9 => r.deletion_protection_enabled = Some(dice.below(2) == 0),
        _ => r.on_demand_throughput = most(dice.below(50) as i64 - 1, dice.below(50) as i64 - 1),
    }
    r
}

/// What DescribeTable must show after an accepted update, as far as the request says it.
fn assert_applied(request: &UpdateTableRequest, seen: &TableDescription) {
    let mode = seen.billing_mode_summary.map_or(BillingMode::Provisioned, |summary| summary.billing_mode);
    if let Some(asked) = &request.billing_mode {
        assert_eq!(asked.known(), Some(mode));
    }
    if let Some(asked) = &request.provisioned_throughput {
        assert_eq!(asked.read_capacity_units, Some(seen.provisioned_throughput.read_capacity_units));
        assert_eq!(asked.write_capacity_units, Some(seen.provisioned_throughput.write_capacity_units));
    }
    if let Some(asked) = &request.stream_specification {
        assert_eq!(seen.stream_specification.is_some(), asked.stream_enabled == Some(true));
    }
    if let Some(asked) = &request.sse_specification {
        assert_eq!(seen.sse_description.is_some(), asked.enabled == Some(true));
    }
    if let Some(asked) = request.deletion_protection_enabled {
        assert_eq!(seen.deletion_protection_enabled, asked);
    }
    let indexes = seen.global_secondary_indexes.as_deref().unwrap_or_default();
    for entry in request.global_secondary_index_updates.iter().flatten() {
        let has =
            |name: &Option<String>| indexes.iter().any(|index| Some(&index.index_name) == name.as_ref());
        assert!(entry.create.as_ref().is_none_or(|create| has(&create.index_name)));
        assert!(entry.delete.as_ref().is_none_or(|delete| !has(&delete.index_name)));
    }
}

/// What holds of every table.
fn assert_consistent(seen: &TableDescription) {
    let on_demand = seen.billing_mode_summary.is_some_and(|s| s.billing_mode == BillingMode::PayPerRequest);
    let indexes = seen.global_secondary_indexes.as_deref().unwrap_or_default();
    let throughputs = indexes.iter().map(|index| index.provisioned_throughput);
    for throughput in throughputs.chain([seen.provisioned_throughput]) {
        assert_eq!(throughput.read_capacity_units == 0, on_demand);
        assert_eq!(throughput.write_capacity_units == 0, on_demand);
    }
    assert!(on_demand || seen.on_demand_throughput.is_none());
    let mut used: Vec<&str> = vec!["pk"];
    for element in indexes.iter().flat_map(|index| &index.key_schema) {
        let name = element.attribute_name.as_deref().unwrap();
        if !used.contains(&name) {
            used.push(name);
        }
    }
    used.sort_unstable();
    let defined = seen.attribute_definitions.as_ref().unwrap();
    let defined: Vec<&str> = defined.iter().map(|d| d.attribute_name.as_deref().unwrap()).collect();
    assert_eq!(defined, used);
    let warm = seen.warm_throughput.unwrap();
    assert!(warm.read_units_per_second >= seen.provisioned_throughput.read_capacity_units);
}

#[test]
fn accepted_updates_are_shown_and_survive_a_new_start() {
    for seed in 1..=6u64 {
        for delay_ms in [0, 500] {
            run(seed, delay_ms);
        }
    }
}

fn run(seed: u64, delay_ms: i64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let world = World::with_delay(delay_ms);
    world.create(if seed.is_multiple_of(2) { orders() } else { provisioned_orders() }).unwrap();
    let mut accepted = 0;
    for _ in 0..120 {
        world.advance(dice.below(1000) as i64);
        let request = any_update(&mut dice);
        let before = world.describe("Orders").unwrap();
        match world.update(request.clone()) {
            Ok(_) => {
                accepted += 1;
                world.advance(delay_ms);
                assert_applied(&request, &world.describe("Orders").unwrap());
            }
            Err(_) => {
                assert_eq!(world.describe("Orders").unwrap(), before, "refused, and yet changed: {request:?}")
            }
        }
        if dice.below(3) > 0 {
            world.run_jobs();
        }
        let seen = world.describe("Orders").unwrap();
        assert_consistent(&seen);
        assert_eq!(world.describe_on(&world.reopened(), "Orders").unwrap(), seen);
    }
    assert!(accepted > 15, "{accepted} accepted with seed {seed}");

    world.advance(delay_ms);
    world.run_jobs();
    world.advance(delay_ms);
    let indexes = world.describe("Orders").unwrap().global_secondary_indexes.unwrap_or_default();
    assert!(indexes.iter().all(|index| index.index_status == Status::Active && index.backfilling.is_none()));
}
