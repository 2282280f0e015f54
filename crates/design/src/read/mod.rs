//! From a file's text to a [`Design`], or to everything that is wrong with it.
//!
//! A wrong value does not stop the reading: a reviewer sees all problems at once. What depends on a wrong part is left out
//! quietly, for it would only repeat the first problem in other words.

mod entities;
mod members;
mod patterns;
mod tables;

use dynamometer_capacity::quantity;

use crate::format;
use crate::model::{Design, Event, Growth, Rate, Spanned, Variable, VariableType};
use crate::source::{Label, Source};
use crate::words::Words;
use crate::yaml::{self, Content, Node, Span};
use members::Members;

/// Something wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// What is wrong.
    pub sentence: String,
    /// Where.
    pub span: Span,
    /// What to do, where that is known: `did you mean …`.
    pub hint: Option<String>,
}

impl FileProblem {
    /// `error: …` with the line of the file underlined.
    pub fn text(&self, source: &Source) -> String {
        let label = Label::new(self.span, self.hint.clone().unwrap_or_default());
        format!("error: {}\n{}", self.sentence, source.excerpt(&[label]))
    }
}

/// Reads a design.
///
/// # Errors
/// All that is wrong, in the order of the file.
pub fn read(source: &Source) -> Result<Design, Vec<FileProblem>> {
    let root = yaml::parse(&source.text)
        .map_err(|error| vec![FileProblem { sentence: error.sentence, span: error.span, hint: None }])?;
    let mut reader = Reader::default();
    let design = reader.design(&root);
    reader.problems.sort_by_key(|problem| problem.span);
    match design {
        Some(design) if reader.problems.is_empty() => Ok(design),
        _ => Err(reader.problems),
    }
}

/// What is read so far, and what was wrong.
#[derive(Default)]
struct Reader {
    problems: Vec<FileProblem>,
    words: Words,
}

/// Versions of the format that can be read.
const FORMAT: &str = "1";

impl Reader {
    fn problem(&mut self, span: Span, sentence: impl Into<String>) {
        self.problems.push(FileProblem { sentence: sentence.into(), span, hint: None });
    }

    fn problem_with_hint(&mut self, span: Span, sentence: impl Into<String>, hint: Option<String>) {
        self.problems.push(FileProblem { sentence: sentence.into(), span, hint });
    }

    fn design(&mut self, root: &Node) -> Option<Design> {
        let members = self.object(root, &format::DESIGN, "the design")?;
        if let Some(node) = members.get("design")
            && node.text() != Some(FORMAT)
        {
            let said = node.text().unwrap_or("that");
            self.problem(node.span, format!("the format is version {FORMAT}, and this dyno knows no {said}"));
        }
        if let Some(node) = members.get("words") {
            self.read_words(node);
        }
        let region = self.text_of(&members, "region");
        let production = self.is_production(&members);
        let growth = members.get("traffic-growth").and_then(|node| Some((node.span, self.growth(node)?)));
        let traffic_growth_ppm = match growth {
            Some((_, Growth::MonthlyPpm(ppm))) => ppm,
            Some((span, Growth::PerSecondMicro(_))) => {
                self.problem(span, "traffic grows by a share: write it as 5%/month");
                0
            }
            None => 0,
        };
        let tables = self.tables(&members, production);
        let variables = self.variables(&members);
        let entities = self.entities(&members, &tables);
        let patterns = self.patterns(&members, &tables, &entities, &variables);
        let mut design = Design {
            // A name is a line wherever it is shown.
            name: self
                .text_of(&members, "name")
                .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")),
            region,
            traffic_growth_ppm,
            words: self.words.clone(),
            tables,
            variables,
            entities,
            patterns,
            events: Vec::new(),
        };
        design.events = self.events(&members, &design);
        Some(design)
    }

    fn is_production(&mut self, members: &Members<'_>) -> bool {
        self.word_of(members, "environment", format::ENVIRONMENTS).is_some_and(|word| *word == "production")
    }

    fn read_words(&mut self, node: &Node) {
        let Some(members) = self.object(node, &format::WORDS, "words") else { return };
        // Sizes and rates in words are numbers here, so that a word cannot stand for another.
        for (name, node) in self.named(&members, "sizes") {
            if let Some(size) = self.parsed(node, quantity::size) {
                self.words.sizes.push((name.value, size.value));
            }
        }
        for (name, node) in self.named(&members, "rates") {
            if let Some(rate) = self.rate(node) {
                self.words.rates.push((name.value, rate));
            }
        }
    }

    fn variables(&mut self, members: &Members<'_>) -> Vec<Variable> {
        let mut variables = Vec::new();
        for (name, node) in self.named(members, "variables") {
            let what = format!("variable {}", *name);
            let Some(members) = self.object(node, &format::VARIABLE, &what) else { continue };
            let distinct = members.get("distinct").and_then(|node| match &node.content {
                Content::List(values) => Some(Spanned { value: values.len() as u64, span: node.span }),
                _ => self.parsed(node, count),
            });
            let kind = self.word_of(&members, "type", format::VARIABLE_TYPES).map(|word| match word.value {
                "number" => VariableType::Number,
                "timestamp" => VariableType::Timestamp,
                "date" => VariableType::Date,
                "sequence" => VariableType::Sequence,
                _ => VariableType::Text,
            });
            variables.push(Variable {
                name,
                distinct,
                largest_ppm: self.parsed_of(&members, "largest", quantity::percent),
                kind,
                size_bytes: self.size_of(&members, "size").map(|size| size.value),
                shard: self.switch_of(&members, "shard").is_some_and(|shard| *shard),
                same_moment: self.switch_of(&members, "same-moment").map(|same| *same),
            });
        }
        variables
    }

    fn events(&mut self, members: &Members<'_>, design: &Design) -> Vec<Event> {
        let mut events = Vec::new();
        for node in self.list_of(members, "events") {
            let Some(members) = self.object(node, &format::EVENT, "an event") else { continue };
            let names = self.texts_of(&members, "patterns");
            let known: Vec<&str> = design.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
            let mut patterns = Vec::new();
            for name in names {
                match design.pattern(&name) {
                    Some(pattern) => patterns.push(pattern),
                    None => self.unknown("pattern", &name, known.iter().copied()),
                }
            }
            let (Some(name), Some(times_milli)) =
                (self.text_of(&members, "name"), self.parsed_of(&members, "times", quantity::times))
            else {
                continue;
            };
            events.push(Event {
                name,
                at: self.parsed_of(&members, "at", quantity::moment).map(|at| at.value),
                times_milli,
                seconds: self.parsed_of(&members, "for", quantity::span).map(|span| span.value),
                patterns,
            });
        }
        events
    }

    /// A rate: a text, a word, or average and peak.
    fn rate(&mut self, node: &Node) -> Option<Rate> {
        if let Content::Map(_) = node.content {
            let members = self.object(node, &format::RATE, "the rate")?;
            let average = members.get("average").and_then(|node| self.plain_rate(node))?;
            let peak = members.get("peak").map(|node| self.peak(node, average.average_micro));
            return Some(with_peak(average, peak.flatten()));
        }
        self.plain_rate(node)
    }

    fn plain_rate(&mut self, node: &Node) -> Option<Rate> {
        let text = self.scalar(node, "a rate such as 200/s")?;
        if let Some(rate) = self.words.rate(text.trim()) {
            return Some(rate);
        }
        match quantity::rate_micro(text) {
            Ok(average) => Some(with_peak(
                Rate { average_micro: average, peak_micro: average, word: None },
                Some(average.saturating_mul(crate::words::PEAK_TIMES)),
            )),
            Err(sentence) => {
                let near = dynamometer_types::nearest::nearest(text, self.words.rate_words());
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("or a word: {}", self.words.rate_words_to_show().join(", ")),
                };
                self.problem_with_hint(node.span, sentence, Some(hint));
                None
            }
        }
    }

    /// A peak in millionths per second: a rate, or a multiple of the average.
    fn peak(&mut self, node: &Node, average_micro: u64) -> Option<u64> {
        let text = self.scalar(node, "a peak such as 500/s or x5")?;
        if text.trim().starts_with('x') {
            let times = self.parsed(node, quantity::times)?;
            return Some((u128::from(average_micro) * u128::from(*times) / 1_000) as u64);
        }
        let peak = self.plain_rate(node)?.average_micro;
        if peak < average_micro {
            self.problem(node.span, "the peak is lower than the average");
            return None;
        }
        Some(peak)
    }

    fn growth(&mut self, node: &Node) -> Option<Growth> {
        let text = self.scalar(node, "growth such as 1000/day or 5%/month")?;
        let read = || -> Result<Growth, String> {
            match text.split_once('%') {
                Some((share, span)) => {
                    let ppm = quantity::percent(&format!("{share}%"))?;
                    match span.trim().trim_start_matches('/').trim() {
                        "month" => Ok(Growth::MonthlyPpm(ppm)),
                        "year" => Ok(Growth::MonthlyPpm(ppm / 12)),
                        _ => Err(format!("`{text}` is no growth: write it as 5%/month")),
                    }
                }
                None => quantity::rate_micro(text)
                    .map(Growth::PerSecondMicro)
                    .map_err(|_| format!("`{text}` is no growth: write it as 1000/day or 5%/month")),
            }
        };
        match read() {
            Ok(growth) => Some(growth),
            Err(sentence) => {
                self.problem(node.span, sentence);
                None
            }
        }
    }

    /// Bytes, or a word for them.
    fn size(&mut self, node: &Node) -> Option<Spanned<u64>> {
        let text = self.scalar(node, "a size such as 1.5KB")?;
        if let Some(value) = self.words.size(text.trim()) {
            return Some(Spanned { value, span: node.span });
        }
        match quantity::size(text) {
            Ok(value) if value > LARGEST_SIZE => {
                self.problem(
                    node.span,
                    format!("`{text}` is more than 16 MB, and an item has at most 400 KB"),
                );
                None
            }
            Ok(value) => Some(Spanned { value, span: node.span }),
            Err(sentence) => {
                let words = self.words.clone();
                let near = dynamometer_types::nearest::nearest(text, words.size_words());
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                self.problem_with_hint(node.span, sentence, hint);
                None
            }
        }
    }

    fn size_of(&mut self, members: &Members<'_>, name: &str) -> Option<Spanned<u64>> {
        members.get(name).and_then(|node| self.size(node))
    }
}

/// A rate with a peak of its own.
fn with_peak(rate: Rate, peak: Option<u64>) -> Rate {
    match peak {
        Some(peak_micro) => Rate { peak_micro, ..rate },
        None => rate,
    }
}

/// The largest count that is taken, so that sums of products stay what they are.
const LARGEST_COUNT: u64 = 100_000_000_000;
/// The largest size that is taken: far above what an item may have, which a rule is for.
const LARGEST_SIZE: u64 = 16 << 20;

/// `1200`, `100k`, `2M`, `3G`.
fn count(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no count: write a whole number, or one with k, M or G, such as 100k");
    let text_now = text.trim().replace(['_', ','], "");
    let (number, factor) = match text_now.strip_suffix(['k', 'M', 'G']) {
        Some(number) if text_now.ends_with('k') => (number.to_owned(), 1_000),
        Some(number) if text_now.ends_with('M') => (number.to_owned(), 1_000_000),
        Some(number) => (number.to_owned(), 1_000_000_000),
        None => (text_now, 1),
    };
    let milli = quantity::decimal(number.trim(), 3).ok_or_else(wrong)?;
    let count = milli.checked_mul(factor).ok_or_else(wrong)?;
    match count {
        count if !count.is_multiple_of(1_000) => Err(wrong()),
        count if count / 1_000 > LARGEST_COUNT => Err(format!("`{text}` is more than a hundred billion")),
        count => Ok(count / 1_000),
    }
}
