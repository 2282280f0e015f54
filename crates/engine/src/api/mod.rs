//! The shapes of the API: one struct for each AWS structure, with AWS's member names in Rust spelling.
//!
//! Members are optional wherever a client can leave them out, also where AWS requires them: that a required
//! member is missing is a finding of the member checks, which word it. Enum members keep what was sent
//! ([`Given`]), so that the checks can echo it.

mod enums;
mod insights;
mod items;
mod partiql;
pub mod scaling;
mod streams;
mod tables;

pub use enums::*;
pub use insights::*;
pub use items::*;
pub use partiql::*;
pub use streams::*;
pub use tables::*;
