//! CloudFormation templates of DynamoDB tables, without CloudFormation.
//!
//! Three steps, all pure: [`Template::read`] finds the sections of a template, YAML or JSON; [`Template::stack`] evaluates
//! its functions for some parameters and reads its resources by their properties, which are data;
//! [`plan`] compares a resource with what is live and lists the calls that make the two match. Whoever makes the calls
//! needs no more than to send them in order and to wait where a step says so.
//!
//! Everything that is wrong is a [`Finding`] with line and column, and all findings of a step come at once.
//!
//! Absent on purpose: stacks, change sets and rollbacks (the template and the live tables are the whole state), transforms,
//! imports of other stacks' exports, and all services but DynamoDB and the Application Auto Scaling of its tables.

mod document;
mod evaluate;
mod finding;
mod functions;
mod kinds;
mod parameters;
pub mod plan;
mod resource;
mod stack;
pub mod table;
mod template;

pub use evaluate::{Attributes, Settings};
pub use finding::{Finding, Position};
pub use kinds::shape::Places;
pub use resource::{Resource, ScalableTarget, Scales, ScalingPolicy, Wanted};
pub use stack::{Output, Stack};
pub use template::Template;
