//! Document paths: `a.b[0].c`.

use std::fmt;

use dynamometer_types::{AttributeValue, Item};

use crate::reader::Fault;

/// A step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep {
    /// A member of a map.
    Name(String),
    /// An element of a list, from 0.
    Index(u32),
}

/// Where a value stands in an item: a top-level attribute and the steps into it.
///
/// Names are the real ones; placeholders are resolved when an expression is parsed. Paths order by their names
/// (as bytes) and indexes in turn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    name: String,
    steps: Vec<PathStep>,
}

impl Path {
    /// The path of a top-level attribute; dots in the name are part of it.
    pub fn top_level(name: impl Into<String>) -> Path {
        Path { name: name.into(), steps: Vec::new() }
    }

    /// A top-level attribute and the steps into it.
    pub fn new(name: impl Into<String>, steps: Vec<PathStep>) -> Path {
        Path { name: name.into(), steps }
    }

    /// The top-level attribute.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The steps into the attribute.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// Whether the path leads into an attribute.
    pub fn is_nested(&self) -> bool {
        !self.steps.is_empty()
    }

    /// How many elements the path has; a top-level attribute has 1.
    pub fn depth(&self) -> usize {
        1 + self.steps.len()
    }

    /// The value at the path; `None` when a step leads nowhere.
    pub fn get<'a>(&self, item: &'a Item) -> Option<&'a AttributeValue> {
        self.steps.iter().try_fold(item.get(&self.name)?, step_into)
    }

    /// The value that holds the last step's place; `None` when it is missing, or for a top-level attribute.
    pub(crate) fn parent<'a>(&self, item: &'a Item) -> Option<&'a AttributeValue> {
        let (_, parents) = self.steps.split_last()?;
        parents.iter().try_fold(item.get(&self.name)?, step_into)
    }

    /// Whether another path ends in the same map or list; of top-level attributes, whether it is one too.
    pub(crate) fn has_parent_of(&self, other: &Path) -> bool {
        match (self.steps.split_last(), other.steps.split_last()) {
            (None, None) => true,
            (Some((_, one)), Some((_, two))) => self.name == other.name && one == two,
            _ => false,
        }
    }

    /// How the path and a later one of the same list get in each other's way, if they do.
    pub(crate) fn clash(&self, later: &Path) -> Option<Clash> {
        if self.name != later.name {
            return None;
        }
        for pair in self.steps.iter().zip(&later.steps) {
            match pair {
                (PathStep::Name(_), PathStep::Index(_)) | (PathStep::Index(_), PathStep::Name(_)) => {
                    return Some(Clash::Conflict);
                }
                (one, two) if one != two => return None,
                _ => {}
            }
        }
        Some(Clash::Overlap)
    }
}

/// How two paths of one expression get in each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// One is the other or leads into it.
    Overlap,
    /// They treat one value as a map and as a list.
    Conflict,
}

impl Clash {
    /// The kind of fault that it is.
    pub(crate) fn fault(self) -> Fault {
        match self {
            Clash::Overlap => Fault::Overlap,
            Clash::Conflict => Fault::Conflict,
        }
    }

    /// AWS's words for it.
    pub(crate) fn message(self, one: &Path, two: &Path) -> String {
        let verb = match self {
            Clash::Overlap => "overlap",
            Clash::Conflict => "conflict",
        };
        format!(
            "Two document paths {verb} with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        )
    }
}

fn step_into<'a>(value: &'a AttributeValue, step: &PathStep) -> Option<&'a AttributeValue> {
    match (value, step) {
        (AttributeValue::M(map), PathStep::Name(name)) => map.get(name),
        (AttributeValue::L(list), PathStep::Index(at)) => list.get(*at as usize),
        _ => None,
    }
}

/// As AWS prints a path in its errors: `[a, [0], b]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.name)?;
        for step in &self.steps {
            match step {
                PathStep::Name(name) => write!(f, ", {name}")?,
                PathStep::Index(at) => write!(f, ", [{at}]")?,
            }
        }
        f.write_str("]")
    }
}
