//! The two tables as data: names, keys, indexes, expiry. Nothing here talks to AWS.
//!
//! Everything that makes the tables is written from [`TABLES`]: the CloudFormation template, the Terraform module, the
//! CreateTable requests, and the library's own deployment. So they cannot drift apart.
//!
//! # Source
//! Key and index names are those of the published pattern. What it leaves open is our choice: the sort keys of most
//! indexes, `timeline_bucket`, and the projections. `index_dependency_ancestor` and `index_ancestor_event_key` answer
//! which keys belong together, so they hold no values; the others are read for their values and project everything.

mod cloudformation;
mod create;
mod terraform;

pub use cloudformation::cloudformation;
pub use create::{attribute_definitions, create_table_request, index_request};
pub use terraform::terraform;

/// One of the two tables. All its keys are strings.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is called after the prefix: `ControlPlaneTable`.
    pub name: &'static str,
    /// What it is for, in one sentence.
    pub purpose: &'static str,
    /// The partition key's attribute.
    pub partition_key: &'static str,
    /// The sort key's attribute.
    pub sort_key: &'static str,
    /// Its global secondary indexes.
    pub indexes: &'static [Index],
    /// The attribute that holds the time of expiry, in seconds since 1970.
    pub ttl: Option<&'static str>,
}

/// A global secondary index. Its keys are strings.
#[derive(Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name, without a prefix.
    pub name: &'static str,
    /// The partition key's attribute.
    pub partition_key: &'static str,
    /// The sort key's attribute.
    pub sort_key: &'static str,
    /// What is copied into it besides all keys.
    pub projection: Projection,
}

/// What an index holds besides its own keys and the table's.
#[derive(Debug, PartialEq, Eq)]
pub enum Projection {
    /// Every attribute.
    All,
    /// Nothing more.
    KeysOnly,
    /// These attributes.
    Include(&'static [&'static str]),
}

/// Configuration, master data and dependencies: changed seldom, read often.
pub const CONTROL_PLANE: Table = Table {
    name: "ControlPlaneTable",
    purpose: "configuration, master data and dependencies: changed seldom, read often",
    partition_key: "resource_key",
    sort_key: "event_key",
    indexes: &[DEPENDENCY_ANCESTOR, ENTITY_SEARCH, SYSTEM_ACTIVITY_SEARCH],
    ttl: None,
};

/// Observations, messages and logs: written often, read over time.
pub const DATA_PLANE: Table = Table {
    name: "DataPlaneTable",
    purpose: "observations, messages and logs: written often, read over time",
    partition_key: "event_key_sharded",
    sort_key: "data_type_indexed",
    indexes: &[PUBLISHER, ANCESTOR, ANCESTOR_AS_TIMELINE, UNIFIED_TIMELINE],
    ttl: Some("ttl"),
};

/// Both tables.
pub const TABLES: [&Table; 2] = [&CONTROL_PLANE, &DATA_PLANE];

/// Dependencies in reverse: who depends on this.
pub const DEPENDENCY_ANCESTOR: Index = Index {
    name: "index_dependency_ancestor",
    partition_key: "related_event_key",
    sort_key: "resource_key",
    projection: Projection::KeysOnly,
};

/// What an entity did.
pub const ENTITY_SEARCH: Index = Index {
    name: "index_entity_search",
    partition_key: "entity_key",
    sort_key: "event_key",
    projection: Projection::All,
};

/// What was done to a resource or a part of the system, over time.
pub const SYSTEM_ACTIVITY_SEARCH: Index = Index {
    name: "index_system_activity_search",
    partition_key: "system_key",
    sort_key: "timeline",
    projection: Projection::All,
};

/// The events of one publisher over time.
pub const PUBLISHER: Index = Index {
    name: "index_publisher_resource_key",
    partition_key: "publisher_resource_key",
    sort_key: "timeline",
    projection: Projection::All,
};

/// Which events belong to a thread or a session. Holds the time of expiry too, so that a list leaves out what has expired.
pub const ANCESTOR: Index = Index {
    name: "index_ancestor_event_key",
    partition_key: "ancestor_event_key",
    sort_key: "event_key_sharded",
    projection: Projection::Include(&["ttl"]),
};

/// The events of a thread or a session over time.
pub const ANCESTOR_AS_TIMELINE: Index = Index {
    name: "index_ancestor_event_key_as_timeline",
    partition_key: "ancestor_event_key",
    sort_key: "timeline",
    projection: Projection::All,
};

/// All events over time.
pub const UNIFIED_TIMELINE: Index = Index {
    name: "index_unified_timeline",
    partition_key: "timeline_bucket",
    sort_key: "timeline",
    projection: Projection::All,
};

/// What keeps a table from being lost by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Deletion protection, point-in-time recovery, and in templates retention: for data that matters.
    Production,
    /// None, for tables that a test makes and throws away.
    Disposable,
}

/// The longest prefix: a table's name has at most 255 characters.
pub const LONGEST_PREFIX: usize = 200;

/// Checks a prefix of table names.
///
/// # Errors
/// A sentence that says how to write one.
pub fn check_prefix(prefix: &str) -> Result<(), String> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if prefix.is_empty() || prefix.len() > LONGEST_PREFIX || !prefix.chars().all(is_good) {
        return Err(format!(
            "`{prefix}` is no prefix: write 1 to {LONGEST_PREFIX} letters, digits and hyphens, such as my-app"
        ));
    }
    Ok(())
}

impl Table {
    /// The table's full name: `my-app-ControlPlaneTable`.
    pub fn full_name(&self, prefix: &str) -> String {
        format!("{prefix}-{}", self.name)
    }

    /// Every attribute that is a key of the table or of an index, each once, the table's first.
    pub fn key_attributes(&self) -> Vec<&'static str> {
        let mut names = vec![self.partition_key, self.sort_key];
        for index in self.indexes {
            for name in [index.partition_key, index.sort_key] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_attributes_are_named_once() {
        assert_eq!(
            CONTROL_PLANE.key_attributes(),
            ["resource_key", "event_key", "related_event_key", "entity_key", "system_key", "timeline"]
        );
        assert_eq!(
            DATA_PLANE.key_attributes(),
            [
                "event_key_sharded",
                "data_type_indexed",
                "publisher_resource_key",
                "timeline",
                "ancestor_event_key",
                "timeline_bucket"
            ]
        );
    }

    #[test]
    fn prefixes_are_checked() {
        for good in ["my-app", "a", "Dev-2"] {
            assert_eq!(check_prefix(good), Ok(()));
        }
        for bad in ["", "my_app", "my app", "a.b", &"x".repeat(201)] {
            assert!(check_prefix(bad).unwrap_err().contains("such as my-app"));
        }
    }
}
