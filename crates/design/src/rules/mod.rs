//! The rules, one a file. The comment at the head of a rule's file is its manual page, which `dyno design explain` prints;
//! its two examples are tests: the bad one makes the rule fire, the good one does not.
//!
//! Severity: *error* is a call that will fail or data that will be wrong; *warning* is throttling, delay or waste under the
//! load that the file states; *info* is advice. Marks: **D** AWS documents it, **S1 S2 S3** it is the practice of the authors
//! whose designs this project began with, **M** measured on the service, **I** our own reasoning.
//!
//! A rule that needs more than a design says what it needs and has no check here: recorded traffic is `dyno report`'s and
//! `dyno design coverage`'s matter, code is a reviewer's.

use dynamometer_capacity::admission::Dimension;

use crate::check::{Context, Findings, Severity};
use crate::plan::Service;

/// What a rule needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A design file.
    Design,
    /// What a server recorded of real requests.
    Traffic,
    /// The application's code.
    Code,
}

impl Input {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Input::Design => "a design file",
            Input::Traffic => "recorded traffic",
            Input::Code => "the application's code",
        }
    }
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its number, such as `K01`.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it needs to know.
    pub input: Input,
    /// Where it comes from: D, S1 to S3, M, I.
    pub marks: &'static str,
    /// The text of its file.
    file: &'static str,
    /// Looks at a design.
    pub check: Option<fn(&Context<'_>, &mut Findings)>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.id == other.id
    }
}

impl Rule {
    /// A rule that looks at a design.
    const fn of_design(
        id: &'static str,
        name: &'static str,
        marks: &'static str,
        file: &'static str,
        check: fn(&Context<'_>, &mut Findings),
    ) -> Rule {
        Rule { id, name, input: Input::Design, marks, file, check: Some(check) }
    }

    /// A rule that needs something else.
    const fn of_other(
        id: &'static str,
        name: &'static str,
        marks: &'static str,
        file: &'static str,
        input: Input,
    ) -> Rule {
        Rule { id, name, input, marks, file, check: None }
    }

    /// The manual page: Markdown.
    pub fn manual(&self) -> String {
        let lines = self.file.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
    }

    /// What it says in a sentence: the first paragraph of the manual behind its title.
    pub fn summary(&self) -> String {
        let manual = self.manual();
        let paragraph = manual.split("\n\n").nth(1).unwrap_or_default();
        paragraph.trim().replace('\n', " ")
    }
}

/// The rule called so, by number or by name, in any case.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .copied()
        .find(|rule| rule.id.eq_ignore_ascii_case(name) || rule.name.eq_ignore_ascii_case(name))
}

/// The rule that was probably meant.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    let known = RULES.iter().flat_map(|rule| [rule.id, rule.name]);
    dynamometer_types::nearest::nearest(name, known)
}

macro_rules! rules {
    ($($module:ident)+) => {
        $( mod $module; )+

        /// All rules, in the order of their numbers.
        pub static RULES: &[&Rule] = &[ $( &$module::RULE, )+ ];
    };
}

rules! {
    k01_hot_key
    k02_large_items_on_one_key
    k03_date_as_partition_key
    k04_low_cardinality
    k05_constant_partition_key
    k06_monotonic_sort_key
    k07_local_index_blocks_splitting
    k08_sort_key_collision
    k09_too_many_shards
    k10_key_too_long
    k11_shard_in_the_wrong_key
    r01_scan_on_a_hot_path
    r02_filter_abuse
    r03_projection_saves_nothing
    r04_needless_strong_read
    r05_strong_read_of_a_global_index
    r06_index_read_after_write
    r07_local_index_fetches
    r08_expired_items_are_read
    r09_pages_are_not_followed
    r10_counting_by_query
    r11_call_too_large
    r12_unprocessed_is_ignored
    w01_many_global_indexes
    w02_write_amplification
    w03_index_is_not_sparse
    w04_projection_of_everything
    w05_index_key_churn
    w06_index_key_left_stale
    w07_index_capacity_below_table
    w08_item_near_the_limit
    w09_counter_in_a_large_item
    w10_transaction_without_invariant
    w11_transaction_too_wide
    w12_failing_conditions
    w13_updates_that_change_nothing
    w14_long_attribute_names
    w15_wasteful_types
    w16_no_idempotency
    o01_local_index_collection
    o02_unbounded_collection
    o03_ttl_that_never_fires
    o04_ttl_as_a_scheduler
    o05_nothing_expires
    o06_no_recovery
    o07_recovery_of_what_can_be_rebuilt
    o08_no_deletion_protection
    o09_no_maximum
    o10_maximum_above_quota
    o11_no_auto_scaling
    o12_scaling_target
    o13_spikes_faster_than_scaling
    o14_pre_warm
    o15_other_mode_is_cheaper
    o16_reserve_the_baseline
    o17_other_class_is_cheaper
    o18_alarm_that_never_fires
    o19_hot_keys_unseen
    o20_index_build_metric
    o21_many_stream_readers
    o22_too_many_decreases
    o23_retries
    o24_account_quota
    m01_no_entity_type
    m02_index_named_for_one_entity
    m03_pattern_without_index
    m04_index_without_pattern
    m05_pattern_without_writer
    m06_no_key_prefix
    m07_mixed_key_types
    m08_no_rate
    m09_config_beside_time_series
    m10_float_in_boto3
    m11_joins_across_tables
}

/// `read` or `write`.
fn dimension_word(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Read => "read",
        Dimension::Write => "write",
    }
}

/// Puts down the patterns that are not served for the reason that a rule is about.
fn report_lacks(context: &Context<'_>, found: &mut Findings, rule: &str) {
    for (at, service) in context.services.iter().enumerate() {
        let Service::NotServable(lack) = service else { continue };
        if lack.rule == rule {
            let pattern = &context.design.patterns[at].name;
            found
                .add(Severity::Error, lack.span, format!("{}: {}", **pattern, lack.because))
                .under(lack.detail.clone())
                .fix(lack.remedy.clone())
                .pattern(at);
        }
    }
}
