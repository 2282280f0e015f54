//! What an expression gives.

use super::parse::{Expression, Operator};

/// A series in an expression: beginnings of periods with their values, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is called in answers.
    pub label: String,
    /// How long its periods are.
    pub period_ms: i64,
    /// Times and values.
    pub points: Vec<(i64, f64)>,
}

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A number.
    Number(f64),
    /// One series.
    Line(Line),
    /// Several.
    Lines(Vec<Line>),
}

/// Why an expression gives nothing: a sentence.
pub type MathError = String;

/// How many points the series of a list, and all that queries give, may have together: what an answer may take in memory.
pub const MOST_POINTS: usize = 2_000_000;

/// What is said of more than [`MOST_POINTS`].
pub fn too_much() -> MathError {
    format!("it gives more than {MOST_POINTS} points; ask for less time or longer periods")
}

impl Outcome {
    /// What it takes in memory, counted in points; a series counts as one more.
    pub fn weight(&self) -> usize {
        match self {
            Outcome::Number(_) => 1,
            Outcome::Line(line) => 1 + line.points.len(),
            Outcome::Lines(lines) => lines.iter().map(|line| 1 + line.points.len()).sum(),
        }
    }
}

/// Where an expression stands: the other queries of its request, and the periods that FILL fills.
pub struct Scope<'a> {
    /// The outcome of the query of an id.
    pub resolve: &'a mut dyn FnMut(&str) -> Result<Outcome, MathError>,
    /// The ids of the queries that ask for metrics, in the order of the request.
    pub metrics: &'a [String],
    /// Beginning and end of what is asked for.
    pub range: (i64, i64),
}

/// Works an expression out.
///
/// # Errors
/// When it does not fit together, in a sentence.
pub fn evaluate(expression: &Expression, scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    match expression {
        Expression::Number(number) => Ok(Outcome::Number(*number)),
        Expression::Text(text) => Err(format!("the text \"{text}\" has no value")),
        Expression::Id(id) => (scope.resolve)(id),
        Expression::List(elements) => lines_of(elements, scope).map(Outcome::Lines),
        Expression::Negative(inner) => Ok(each(evaluate(inner, scope)?, |value| Some(-value))),
        Expression::Binary(..) => chain(expression, scope),
        Expression::Call(function, arguments) => call(function, arguments, scope),
    }
}

/// Works out operators in a row. They lean to the left, as many as the text has room for, so they are walked in a loop.
fn chain(expression: &Expression, scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    let (mut first, mut rest) = (expression, Vec::new());
    while let Expression::Binary(operator, left, right) = first {
        rest.push((*operator, right));
        first = left;
    }
    let mut outcome = evaluate(first, scope)?;
    for (operator, right) in rest.into_iter().rev() {
        let right = evaluate(right, scope)?;
        outcome = pair(outcome, right, &|one, other| apply(operator, one, other))?;
    }
    Ok(outcome)
}

fn apply(operator: Operator, one: f64, other: f64) -> Option<f64> {
    let truth = |truth: bool| Some(f64::from(u8::from(truth)));
    match operator {
        Operator::Or => truth(one != 0.0 || other != 0.0),
        Operator::And => truth(one != 0.0 && other != 0.0),
        Operator::Equal => truth(one == other),
        Operator::NotEqual => truth(one != other),
        Operator::LessOrEqual => truth(one <= other),
        Operator::GreaterOrEqual => truth(one >= other),
        Operator::Less => truth(one < other),
        Operator::Greater => truth(one > other),
        Operator::Add => finite(one + other),
        Operator::Subtract => finite(one - other),
        Operator::Multiply => finite(one * other),
        // Where nothing is to be divided by there is no point.
        Operator::Divide => finite(one / other),
        Operator::Power => finite(one.powf(other)),
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Changes every value; points without a value go.
fn each(outcome: Outcome, change: impl Fn(f64) -> Option<f64> + Copy) -> Outcome {
    let line = |line: Line| Line {
        points: line.points.into_iter().filter_map(|(time, value)| Some((time, change(value)?))).collect(),
        ..line
    };
    match outcome {
        Outcome::Number(number) => Outcome::Number(change(number).unwrap_or(0.0)),
        Outcome::Line(one) => Outcome::Line(line(one)),
        Outcome::Lines(lines) => Outcome::Lines(lines.into_iter().map(line).collect()),
    }
}

/// Joins two sides: numbers with everything, two series where both have a point, several series each with the other.
fn pair(left: Outcome, right: Outcome, join: &dyn Fn(f64, f64) -> Option<f64>) -> Result<Outcome, MathError> {
    Ok(match (left, right) {
        (Outcome::Number(one), Outcome::Number(other)) => Outcome::Number(join(one, other).unwrap_or(0.0)),
        (Outcome::Number(one), other) => each(other, |value| join(one, value)),
        (one, Outcome::Number(other)) => each(one, |value| join(value, other)),
        (Outcome::Line(one), Outcome::Line(other)) => Outcome::Line(both(one, &other, join)),
        (Outcome::Lines(ones), Outcome::Line(other)) => {
            Outcome::Lines(ones.into_iter().map(|one| both(one, &other, join)).collect())
        }
        (Outcome::Line(one), Outcome::Lines(others)) => {
            Outcome::Lines(others.iter().map(|other| both(one.clone(), other, join)).collect())
        }
        (Outcome::Lines(ones), Outcome::Lines(others)) if ones.len() == others.len() => {
            Outcome::Lines(ones.into_iter().zip(&others).map(|(one, other)| both(one, other, join)).collect())
        }
        (Outcome::Lines(ones), Outcome::Lines(others)) => {
            return Err(format!("{} series do not go with {}", ones.len(), others.len()));
        }
    })
}

fn both(one: Line, other: &Line, join: &dyn Fn(f64, f64) -> Option<f64>) -> Line {
    let value_at = |time: i64| {
        other.points.binary_search_by_key(&time, |(known, _)| *known).ok().map(|at| other.points[at].1)
    };
    let points =
        one.points.into_iter().filter_map(|(time, value)| Some((time, join(value, value_at(time)?)?)));
    Line { points: points.collect(), period_ms: one.period_ms.max(other.period_ms), label: one.label }
}

fn call(function: &str, arguments: &[Expression], scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    match function {
        "METRICS" => return metrics(arguments, scope),
        "FILL" => return fill(arguments, scope),
        "IF" => return choose(arguments, scope),
        _ => {}
    }
    let [argument] = arguments else { return Err(format!("{function} takes one argument")) };
    let outcome = evaluate(argument, scope)?;
    Ok(match function {
        "ABS" => each(outcome, |value| Some(value.abs())),
        "CEIL" => each(outcome, |value| Some(value.ceil())),
        "FLOOR" => each(outcome, |value| Some(value.floor())),
        "LOG" => each(outcome, |value| finite(value.ln())),
        "LOG10" => each(outcome, |value| finite(value.log10())),
        "DIFF" => steps(outcome, |(_, before), (_, value)| value - before),
        "RATE" => {
            steps(outcome, |(then, before), (time, value)| (value - before) / ((time - then) as f64 / 1000.0))
        }
        "RUNNING_SUM" => running_sum(outcome),
        "METRIC_COUNT" => match outcome {
            Outcome::Lines(lines) => Outcome::Number(lines.len() as f64),
            Outcome::Line(_) => Outcome::Number(1.0),
            Outcome::Number(_) => return Err("METRIC_COUNT takes several series".into()),
        },
        "PERIOD" => match outcome {
            Outcome::Line(line) => Outcome::Number(line.period_ms as f64 / 1000.0),
            _ => return Err("PERIOD takes one series".into()),
        },
        "REMOVE_EMPTY" => match outcome {
            Outcome::Lines(lines) => {
                Outcome::Lines(lines.into_iter().filter(|line| !line.points.is_empty()).collect())
            }
            other => other,
        },
        "TIME_SERIES" => match outcome {
            Outcome::Number(number) => Outcome::Line(constant(number, scope)),
            other => other,
        },
        "SUM" => summary(outcome, |values| values.iter().sum()),
        "AVG" => summary(outcome, mean),
        "MIN" => summary(outcome, |values| values.iter().copied().fold(f64::INFINITY, f64::min)),
        "MAX" => summary(outcome, |values| values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        "STDDEV" => summary(outcome, |values| {
            let mean = mean(values);
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            (squares / values.len() as f64).sqrt()
        }),
        other => return Err(format!("the function {other} is not available in dyno")),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of several series one, point by point; of one series a number.
fn summary(outcome: Outcome, summarise: impl Fn(&[f64]) -> f64) -> Outcome {
    match outcome {
        Outcome::Number(number) => Outcome::Number(number),
        Outcome::Line(line) if line.points.is_empty() => Outcome::Number(0.0),
        Outcome::Line(line) => {
            let values: Vec<f64> = line.points.iter().map(|(_, value)| *value).collect();
            Outcome::Number(summarise(&values))
        }
        Outcome::Lines(lines) => {
            let period_ms = lines.iter().map(|line| line.period_ms).max().unwrap_or(crate::series::MINUTE_MS);
            let mut all: Vec<(i64, f64)> = lines.into_iter().flat_map(|line| line.points).collect();
            all.sort_by_key(|(time, _)| *time);
            let summarised = all.chunk_by(|(one, _), (other, _)| one == other).map(|chunk| {
                let values: Vec<f64> = chunk.iter().map(|(_, value)| *value).collect();
                (chunk[0].0, summarise(&values))
            });
            Outcome::Line(Line { label: String::new(), period_ms, points: summarised.collect() })
        }
    }
}

/// From each point and the one before it.
fn steps(outcome: Outcome, step: impl Fn((i64, f64), (i64, f64)) -> f64 + Copy) -> Outcome {
    let line = |line: Line| {
        let points = line.points.windows(2).map(|two| (two[1].0, step(two[0], two[1]))).collect();
        Line { points, ..line }
    };
    match outcome {
        Outcome::Number(_) => Outcome::Number(0.0),
        Outcome::Line(one) => Outcome::Line(line(one)),
        Outcome::Lines(lines) => Outcome::Lines(lines.into_iter().map(line).collect()),
    }
}

fn running_sum(outcome: Outcome) -> Outcome {
    let line = |mut line: Line| {
        let mut sum = 0.0;
        for (_, value) in &mut line.points {
            sum += *value;
            *value = sum;
        }
        line
    };
    match outcome {
        Outcome::Number(number) => Outcome::Number(number),
        Outcome::Line(one) => Outcome::Line(line(one)),
        Outcome::Lines(lines) => Outcome::Lines(lines.into_iter().map(line).collect()),
    }
}

/// `METRICS()`, or `METRICS("m")` for those whose ids hold a text.
fn metrics(arguments: &[Expression], scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    let holds = match arguments {
        [] => "",
        [Expression::Text(text)] => text,
        _ => return Err("METRICS takes nothing, or a text in quotes".into()),
    };
    let metrics = scope.metrics;
    let ids = metrics.iter().filter(|id| id.contains(holds));
    let lines = ids.map(|id| match (scope.resolve)(id)? {
        Outcome::Line(line) => Ok(line),
        _ => Err(format!("{id} is no metric")),
    });
    lines.collect::<Result<_, MathError>>().map(Outcome::Lines)
}

fn lines_of(elements: &[Expression], scope: &mut Scope<'_>) -> Result<Vec<Line>, MathError> {
    let (mut lines, mut weight) = (Vec::with_capacity(elements.len()), 0);
    for element in elements {
        let more = match evaluate(element, scope)? {
            Outcome::Number(number) => Outcome::Line(constant(number, scope)),
            more => more,
        };
        // A list can name the same series again and again.
        weight += more.weight();
        if weight > MOST_POINTS {
            return Err(too_much());
        }
        match more {
            Outcome::Lines(more) => lines.extend(more),
            Outcome::Line(line) => lines.push(line),
            Outcome::Number(_) => {}
        }
    }
    Ok(lines)
}

/// A number in every period that is asked for; a minute each, for a number has no period.
fn constant(number: f64, scope: &Scope<'_>) -> Line {
    let period_ms = crate::series::MINUTE_MS;
    let points = grid(scope.range, period_ms).map(|time| (time, number)).collect();
    Line { label: String::new(), period_ms, points }
}

fn grid((start, end): (i64, i64), period_ms: i64) -> impl Iterator<Item = i64> {
    (start..end).step_by(usize::try_from(period_ms).unwrap_or(usize::MAX).max(1))
}

/// What FILL puts where there is nothing.
enum Filling {
    Value(f64),
    Repeat,
    Linear,
}

fn fill(arguments: &[Expression], scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    let [series, filling] = arguments else {
        return Err("FILL takes a series and what to fill it with".into());
    };
    let filling = match filling {
        Expression::Id(word) if word == "REPEAT" => Filling::Repeat,
        Expression::Id(word) if word == "LINEAR" => Filling::Linear,
        other => match evaluate(other, scope)? {
            Outcome::Number(number) => Filling::Value(number),
            _ => return Err("FILL takes a number, REPEAT or LINEAR as its second argument".into()),
        },
    };
    let range = scope.range;
    Ok(match evaluate(series, scope)? {
        Outcome::Number(_) => return Err("FILL takes a series as its first argument".into()),
        Outcome::Line(line) => Outcome::Line(filled(line, &filling, range)),
        Outcome::Lines(lines) => {
            Outcome::Lines(lines.into_iter().map(|line| filled(line, &filling, range)).collect())
        }
    })
}

fn filled(line: Line, filling: &Filling, range: (i64, i64)) -> Line {
    let known = &line.points;
    let value_at = |time: i64| {
        let at = known.partition_point(|(known, _)| *known < time);
        let next = known.get(at).copied();
        if let Some((_, value)) = next.filter(|(known, _)| *known == time) {
            return Some(value);
        }
        let before = at.checked_sub(1).map(|at| known[at]);
        match (filling, before, next) {
            (Filling::Value(value), ..) => Some(*value),
            (Filling::Repeat, before, _) => before.map(|(_, value)| value),
            (Filling::Linear, Some((then, from)), Some((later, to))) => {
                Some(from + (to - from) * (time - then) as f64 / (later - then) as f64)
            }
            (Filling::Linear, ..) => None,
        }
    };
    let points = grid(range, line.period_ms).filter_map(|time| Some((time, value_at(time)?))).collect();
    Line { points, ..line }
}

/// `IF(condition, then, otherwise)`; without the last there is no point where the condition does not hold.
fn choose(arguments: &[Expression], scope: &mut Scope<'_>) -> Result<Outcome, MathError> {
    let (condition, then, otherwise) = match arguments {
        [condition, then] => (condition, then, None),
        [condition, then, otherwise] => (condition, then, Some(otherwise)),
        _ => return Err("IF takes a condition and one or two values".into()),
    };
    let condition = evaluate(condition, scope)?;
    let then = evaluate(then, scope)?;
    let otherwise = otherwise.map(|otherwise| evaluate(otherwise, scope)).transpose()?;
    let condition = match condition {
        Outcome::Number(number) if number != 0.0 => return Ok(then),
        Outcome::Number(_) => {
            return otherwise.ok_or_else(|| "IF with a number as its condition takes two values".into());
        }
        Outcome::Line(line) => line,
        Outcome::Lines(_) => return Err("IF takes one series or a number as its condition".into()),
    };
    let value_at = |outcome: &Outcome, time: i64| match outcome {
        Outcome::Number(number) => Ok(Some(*number)),
        Outcome::Line(line) => {
            let at = line.points.binary_search_by_key(&time, |(known, _)| *known);
            Ok(at.ok().map(|at| line.points[at].1))
        }
        Outcome::Lines(_) => Err("IF takes one series or a number as its values".to_owned()),
    };
    let mut points = Vec::with_capacity(condition.points.len());
    for (time, holds) in condition.points {
        let chosen = if holds != 0.0 { Some(&then) } else { otherwise.as_ref() };
        if let Some(chosen) = chosen
            && let Some(value) = value_at(chosen, time)?
        {
            points.push((time, value));
        }
    }
    Ok(Outcome::Line(Line { points, ..condition }))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// Two metrics over five minutes: a misses the third, b has only the second and third.
    fn outcome(text: &str) -> Result<Outcome, MathError> {
        let line = |label: &str, points: &[(i64, f64)]| Line {
            label: label.to_owned(),
            period_ms: 60_000,
            points: points.iter().map(|(minute, value)| (minute * 60_000, *value)).collect(),
        };
        let mut resolve = |id: &str| match id {
            "a" => Ok(Outcome::Line(line("a", &[(0, 60.0), (1, 120.0), (3, 0.0), (4, 30.0)]))),
            "b" => Ok(Outcome::Line(line("b", &[(1, 10.0), (2, 20.0)]))),
            other => Err(format!("there is no {other}")),
        };
        let metrics = ["a".to_owned(), "b".to_owned()];
        let mut scope = Scope { resolve: &mut resolve, metrics: &metrics, range: (0, 300_000) };
        evaluate(&parse(text)?, &mut scope)
    }

    fn points(text: &str) -> Vec<(i64, f64)> {
        match outcome(text).unwrap() {
            Outcome::Line(line) => {
                line.points.into_iter().map(|(time, value)| (time / 60_000, value)).collect()
            }
            other => panic!("{text} gives {other:?}"),
        }
    }

    #[test]
    fn expressions_over_series() {
        let cases: &[(&str, &[(i64, f64)])] = &[
            ("a / 60", &[(0, 1.0), (1, 2.0), (3, 0.0), (4, 0.5)]),
            ("a / PERIOD(a)", &[(0, 1.0), (1, 2.0), (3, 0.0), (4, 0.5)]),
            ("a + b", &[(1, 130.0)]),
            ("b / a", &[(1, 10.0 / 120.0)]),
            ("100 / a", &[(0, 100.0 / 60.0), (1, 100.0 / 120.0), (4, 100.0 / 30.0)]),
            ("SUM(METRICS())", &[(0, 60.0), (1, 130.0), (2, 20.0), (3, 0.0), (4, 30.0)]),
            ("SUM(METRICS('b'))", &[(1, 10.0), (2, 20.0)]),
            ("MAX([a, b])", &[(0, 60.0), (1, 120.0), (2, 20.0), (3, 0.0), (4, 30.0)]),
            ("FILL(b, 0)", &[(0, 0.0), (1, 10.0), (2, 20.0), (3, 0.0), (4, 0.0)]),
            ("FILL(b, REPEAT)", &[(1, 10.0), (2, 20.0), (3, 20.0), (4, 20.0)]),
            ("FILL(a, LINEAR)", &[(0, 60.0), (1, 120.0), (2, 60.0), (3, 0.0), (4, 30.0)]),
            ("SUM([FILL(a, 0), FILL(b, 0)])", &[(0, 60.0), (1, 130.0), (2, 20.0), (3, 0.0), (4, 30.0)]),
            ("RATE(a)", &[(1, 1.0), (3, -1.0), (4, 0.5)]),
            ("DIFF(b)", &[(2, 10.0)]),
            ("RUNNING_SUM(b)", &[(1, 10.0), (2, 30.0)]),
            ("IF(a > 50, 1, 0)", &[(0, 1.0), (1, 1.0), (3, 0.0), (4, 0.0)]),
            ("IF(a > 50, b, a)", &[(1, 10.0), (3, 0.0), (4, 30.0)]),
            ("IF(a > 50 AND a < 100, a)", &[(0, 60.0)]),
            ("a - MIN(a)", &[(0, 60.0), (1, 120.0), (3, 0.0), (4, 30.0)]),
            ("TIME_SERIES(5)", &[(0, 5.0), (1, 5.0), (2, 5.0), (3, 5.0), (4, 5.0)]),
        ];
        for (text, expected) in cases {
            assert_eq!(points(text), *expected, "{text}");
        }
    }

    #[test]
    fn expressions_that_give_numbers() {
        for (text, expected) in
            [("AVG(a)", 52.5), ("METRIC_COUNT(METRICS())", 2.0), ("2^3 - -1", 9.0), ("IF(1 > 2, 3, 4)", 4.0)]
        {
            assert_eq!(outcome(text), Ok(Outcome::Number(expected)), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let cases = [
            ("c + 1", "there is no c"),
            ("[a, b] + [a, b, a]", "2 series do not go with 3"),
            ("PERIOD(METRICS())", "PERIOD takes one series"),
            ("FILL(a)", "FILL takes a series and what to fill it with"),
            ("SUM(a, b)", "SUM takes one argument"),
            ("'x' + 1", "the text \"x\" has no value"),
        ];
        for (text, words) in cases {
            assert_eq!(outcome(text), Err(words.to_owned()), "{text}");
        }
    }
}
