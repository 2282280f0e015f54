//! Metric math: expressions over series.
//!
//! What is there: numbers, ids, `+ - * / ^`, comparisons, `AND`, `OR`, `[a, b]`, and the functions of
//! [`FUNCTIONS`]. Others that AWS knows are refused by name. Our reading of the guide ("Using math expressions with
//! CloudWatch metrics", 2026): between two series only points that both have count; a function of several series works
//! point by point over those that have one; of one series it gives a number.

mod evaluate;
mod parse;

pub use evaluate::{Line, MOST_POINTS, MathError, Outcome, Scope, evaluate, too_much};
pub use parse::{Expression, parse};

/// The functions, in order.
pub const FUNCTIONS: [&str; 20] = [
    "ABS",
    "AVG",
    "CEIL",
    "DIFF",
    "FILL",
    "FLOOR",
    "IF",
    "LOG",
    "LOG10",
    "MAX",
    "METRICS",
    "METRIC_COUNT",
    "MIN",
    "PERIOD",
    "RATE",
    "REMOVE_EMPTY",
    "RUNNING_SUM",
    "STDDEV",
    "SUM",
    "TIME_SERIES",
];
