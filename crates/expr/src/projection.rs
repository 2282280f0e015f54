//! Projections: which attributes, or parts of them, to answer.

use dynamometer_types::{AttributeValue, Item};

use crate::error::{ExpressionError, ExpressionKind};
use crate::lexer::Token;
use crate::path::{Path, PathStep};
use crate::placeholders::Placeholders;
use crate::reader::Reader;

/// Paths of which none leads into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    parts: Vec<(String, Part)>,
    /// Of columns: their names, in the order of the paths.
    columns: Option<Vec<String>>,
}

/// What to keep of a value. Members and elements are sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Members(Vec<(String, Part)>),
    Elements(Vec<(u32, Part)>),
}

/// Parses a ProjectionExpression.
///
/// # Errors
/// AWS's text with its prefix.
pub fn parse_projection(text: &str, placeholders: &Placeholders<'_>) -> Result<Projection, ExpressionError> {
    let mut reader = Reader::new(ExpressionKind::Projection, text, placeholders)?;
    let mut paths = vec![reader.path()?];
    while reader.lexer.accept(Token::Comma) {
        paths.push(reader.path()?);
    }
    reader.lexer.expect(Token::End)?;
    check_paths(&mut reader, &paths, |path| path);
    reader.finish(paths).map(Projection::from_paths)
}

/// Refuses paths that overlap or conflict; the first pair is named.
pub(crate) fn check_paths<T>(reader: &mut Reader<'_, '_>, all: &[T], path: fn(&T) -> &Path) {
    for (at, later) in all.iter().enumerate() {
        for earlier in &all[..at] {
            let (earlier, later) = (path(earlier), path(later));
            if let Some(clash) = earlier.clash(later) {
                reader.fault(clash.fault(), || clash.message(earlier, later));
            }
        }
    }
}

impl Projection {
    /// A projection of paths; of two that overlap or conflict, one may be lost.
    pub fn from_paths(paths: Vec<Path>) -> Projection {
        let mut parts = Vec::with_capacity(paths.len());
        for path in &paths {
            place(&mut parts, path.name().to_owned()).add(path.steps());
        }
        Projection { paths, parts, columns: None }
    }

    /// A projection whose every path becomes a top-level attribute of its own, as the columns of a SELECT do.
    pub fn from_columns(columns: Vec<(String, Path)>) -> Projection {
        let (names, paths) = columns.into_iter().unzip();
        Projection { columns: Some(names), ..Projection::from_paths(paths) }
    }

    /// The paths in the order written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The top-level attributes that the paths lead into, sorted, each once.
    pub fn top_level_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parts.iter().map(|(name, _)| name.as_str())
    }

    /// The part of an item that the paths lead to. Maps keep only the named members, lists the named elements
    /// in their order; a path that leads nowhere leaves nothing.
    pub fn project(&self, item: &Item) -> Item {
        match &self.columns {
            None => members_of(item, &self.parts),
            Some(names) => {
                let columns = names.iter().zip(&self.paths);
                columns.filter_map(|(name, path)| Some((name.as_str(), path.get(item)?.clone()))).collect()
            }
        }
    }
}

impl Part {
    /// Keeps what is at the end of some steps too. Paths do not conflict, so that all steps of one place are of
    /// one kind.
    fn add(&mut self, steps: &[PathStep]) {
        let Some((step, rest)) = steps.split_first() else { return };
        match step {
            PathStep::Name(name) => {
                if !matches!(self, Part::Members(_)) {
                    *self = Part::Members(Vec::new());
                }
                if let Part::Members(members) = self {
                    place(members, name.clone()).add(rest);
                }
            }
            PathStep::Index(at) => {
                if !matches!(self, Part::Elements(_)) {
                    *self = Part::Elements(Vec::new());
                }
                if let Part::Elements(elements) = self {
                    place(elements, *at).add(rest);
                }
            }
        }
    }

    /// What is kept of a value, if anything.
    fn keep(&self, value: &AttributeValue) -> Option<AttributeValue> {
        match (self, value) {
            (Part::Whole, value) => Some(value.clone()),
            (Part::Members(parts), AttributeValue::M(map)) => {
                let kept = members_of(map, parts);
                (!kept.is_empty()).then_some(AttributeValue::M(kept))
            }
            (Part::Elements(parts), AttributeValue::L(list)) => {
                let kept = parts.iter().filter_map(|(at, part)| part.keep(list.get(*at as usize)?));
                let kept: Vec<AttributeValue> = kept.collect();
                (!kept.is_empty()).then_some(AttributeValue::L(kept))
            }
            _ => None,
        }
    }
}

/// The part at a key of a sorted list; it is added if need be.
fn place<K: Ord>(parts: &mut Vec<(K, Part)>, key: K) -> &mut Part {
    let at = match parts.binary_search_by(|(known, _)| known.cmp(&key)) {
        Ok(at) => at,
        Err(at) => {
            parts.insert(at, (key, Part::Whole));
            at
        }
    };
    &mut parts[at].1
}

fn members_of(map: &Item, parts: &[(String, Part)]) -> Item {
    let kept = parts.iter().filter_map(|(name, part)| Some((name, part.keep(map.get(name)?)?)));
    kept.collect()
}
