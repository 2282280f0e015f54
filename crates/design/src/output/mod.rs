//! What was found, as people and machines read it: text for a terminal, Markdown for a pull request, JSON, SARIF.

mod cost;
mod json;
mod markdown;
mod patterns;
mod sarif;
mod terminal;

pub use cost::{Compared, compare_text, cost_json, cost_text};
pub use json::json;
pub use markdown::markdown;
pub use patterns::{PatternRow, pattern_rows};
pub use sarif::sarif;
pub use terminal::{columns, problems, terminal};
