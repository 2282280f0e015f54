#![doc = include_str!("../README.md")]

pub mod schema;

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
pub use client::*;
