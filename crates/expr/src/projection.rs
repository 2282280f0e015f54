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
    check_paths(&mut reader, paths.iter());
    reader.finish(paths).map(Projection::from_paths)
}

/// Refuses paths that overlap or conflict; the earlier pair is named.
pub(crate) fn check_paths<'a>(reader: &mut Reader<'_, '_>, paths: impl Iterator<Item = &'a Path>) {
    let mut seen: Vec<&Path> = Vec::new();
    for path in paths {
        for earlier in &seen {
            if let Some(clash) = earlier.clash(path) {
                let fault = clash.fault();
                reader.fault(fault, || clash.message(earlier, path));
            }
        }
        seen.push(path);
    }
}

impl Projection {
    /// A projection of paths; of two that overlap or conflict, one may be lost.
    pub fn from_paths(paths: Vec<Path>) -> Projection {
        let mut sorted: Vec<&Path> = paths.iter().collect();
        sorted.sort();
        let below = |group: &[&Path]| {
            let tails: Vec<&[PathStep]> = group.iter().map(|path| path.steps()).collect();
            (group[0].name().to_owned(), Part::of(&tails))
        };
        let parts = sorted.chunk_by(|one, two| one.name() == two.name()).map(below).collect();
        Projection { paths, parts }
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
        members_of(item, &self.parts)
    }
}

impl Part {
    /// What is below some steps, which are sorted.
    fn of(tails: &[&[PathStep]]) -> Part {
        let mut part = Part::Whole;
        for group in tails.chunk_by(|one, two| one.first() == two.first()) {
            let Some(step) = group[0].first() else { continue };
            let below: Vec<&[PathStep]> = group.iter().map(|tail| &tail[1..]).collect();
            let below = Part::of(&below);
            // Paths do not conflict, so that all steps of one place are of one kind.
            match (step, &mut part) {
                (PathStep::Name(name), Part::Members(members)) => members.push((name.clone(), below)),
                (PathStep::Name(name), _) => part = Part::Members(vec![(name.clone(), below)]),
                (PathStep::Index(at), Part::Elements(elements)) => elements.push((*at, below)),
                (PathStep::Index(at), _) => part = Part::Elements(vec![(*at, below)]),
            }
        }
        part
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

fn members_of(map: &Item, parts: &[(String, Part)]) -> Item {
    let kept = parts.iter().filter_map(|(name, part)| Some((name.clone(), part.keep(map.get(name)?)?)));
    Item::from_unsorted(kept.collect())
}
