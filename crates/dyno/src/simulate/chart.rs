//! The charts as SVG: a row for each setting, columns for writes, reads, throttled requests and partitions.
//!
//! Colours are variables with a light and a dark value, so the same drawing stands in a page or by itself.

use std::fmt::Write;

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::simulate::{MinutePoint, Outcome};
use dynamometer_types::Timestamp;

use crate::quantity::{percent_text, thousands};

/// A range of minutes of the simulation, and how it is called.
pub struct Window {
    /// The first minute.
    pub from: usize,
    /// The minute after the last.
    pub until: usize,
    /// For the title.
    pub name: String,
}

/// The most points of a curve; several minutes share one where there are more.
const MOST_POINTS: usize = 360;
const LEFT: f64 = 168.0;
const PANEL_WIDTH: f64 = 240.0;
const PANEL_HEIGHT: f64 = 84.0;
const GAP_X: f64 = 26.0;
const GAP_Y: f64 = 50.0;
const TOP: f64 = 58.0;

/// The style of the drawing, for a page that holds several.
pub const STYLE: &str = "\
.sim{--ink:#1c2430;--soft:#66707f;--line:#d5dae2;--paper:#ffffff;--used:#2563eb;--fill:#2563eb33;--allowed:#b45309;--bad:#dc2626;--parts:#7c3aed}
@media(prefers-color-scheme:dark){.sim{--ink:#e8ecf2;--soft:#9aa5b4;--line:#364152;--paper:#12161d;--used:#6ea8fe;--fill:#6ea8fe33;--allowed:#f0b45c;--bad:#ff7b72;--parts:#b79cff}}
.sim text{font:12px system-ui,sans-serif;fill:var(--ink)}
.sim .soft{fill:var(--soft);font-size:10.5px}
.sim .name{font-weight:600}
.sim .axis{stroke:var(--line);fill:none}
.sim .used{stroke:var(--used);stroke-width:1.2;fill:none}
.sim .area{fill:var(--fill);stroke:none}
.sim .allowed{stroke:var(--allowed);stroke-width:1.2;fill:none;stroke-dasharray:4 3}
.sim .bad{fill:var(--bad);stroke:var(--bad);stroke-width:.6}
.sim .parts{stroke:var(--parts);stroke-width:1.6;fill:none}
.sim .paper{fill:var(--paper)}
";

#[derive(Clone, Copy)]
enum Column {
    Throughput(Dimension),
    Throttled,
    Partitions,
}

const COLUMNS: [Column; 4] = [
    Column::Throughput(Dimension::Write),
    Column::Throughput(Dimension::Read),
    Column::Throttled,
    Column::Partitions,
];

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Throughput(Dimension::Write) => "Table writes, units per second",
            Self::Throughput(Dimension::Read) => "Table reads, units per second",
            Self::Throttled => "Throttled, share of requests",
            Self::Partitions => "Partitions, indexes included",
        }
    }
}

/// Minutes that share a point of a curve.
struct Bucket<'a>(&'a [MinutePoint]);

impl Bucket<'_> {
    fn consumed(&self, dimension: Dimension) -> f64 {
        let most = self.0.iter().map(|point| point.consumed_halves[dimension]).max().unwrap_or(0);
        most as f64 / 120.0
    }

    fn allowed(&self, dimension: Dimension) -> f64 {
        self.0.iter().map(|point| point.allowed[dimension]).max().unwrap_or(0) as f64
    }

    /// The largest share of a minute, from 0 to 1.
    fn throttled(&self) -> f64 {
        let share = |point: &MinutePoint| match point.all_asked() {
            0 => 0.0,
            asked => point.all_refused() as f64 / asked as f64,
        };
        self.0.iter().map(share).fold(0.0, f64::max)
    }

    fn partitions(&self) -> f64 {
        self.0.iter().map(|point| point.partitions).max().unwrap_or(0) as f64
    }
}

/// A number that a scale can end with: 1, 2 or 5 and zeros, at least `value`.
fn round_up(value: f64) -> f64 {
    let mut scale = 1.0;
    while scale * 10.0 < value {
        scale *= 10.0;
    }
    for step in [1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0] {
        if step * scale >= value {
            return step * scale;
        }
    }
    10.0 * scale
}

/// Draws the settings over a window as one SVG. `id` tells several in a page apart.
pub fn svg(outcomes: &[Outcome], start: Timestamp, window: &Window, id: &str) -> String {
    let width = LEFT + COLUMNS.len() as f64 * (PANEL_WIDTH + GAP_X);
    let height = TOP + outcomes.len() as f64 * (PANEL_HEIGHT + GAP_Y) + 10.0;
    let mut out = format!(
        "<svg class=\"sim\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n\
         <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
        escape(&window.name),
        escape(&description(outcomes)),
    );
    legend(&mut out);
    for (number, column) in COLUMNS.iter().enumerate() {
        let x = LEFT + number as f64 * (PANEL_WIDTH + GAP_X);
        let _ = writeln!(out, "<text class=\"name\" x=\"{x:.0}\" y=\"46\">{}</text>", column.title());
    }
    for (row, outcome) in outcomes.iter().enumerate() {
        let y = TOP + row as f64 * (PANEL_HEIGHT + GAP_Y);
        let (first, second) = label_lines(&outcome.setting.to_string());
        let _ = writeln!(out, "<text class=\"name\" x=\"8\" y=\"{:.0}\">{}</text>", y + 16.0, escape(&first));
        let mut below = y + 32.0;
        if !second.is_empty() {
            let _ = writeln!(out, "<text class=\"name\" x=\"8\" y=\"{below:.0}\">{}</text>", escape(&second));
            below += 16.0;
        }
        let share = percent_text(outcome.refused_ppm(), 2);
        let _ = writeln!(out, "<text class=\"soft\" x=\"8\" y=\"{below:.0}\">throttled {share}</text>");
        for (number, column) in COLUMNS.iter().enumerate() {
            let x = LEFT + number as f64 * (PANEL_WIDTH + GAP_X);
            panel(&mut out, outcomes, outcome, *column, (x, y), window);
            time_axis(&mut out, start, window, (x, y + PANEL_HEIGHT));
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The SVG with its style inside, to stand by itself.
pub fn standalone(svg: &str) -> String {
    let style = format!("<style>{STYLE}</style>\n<title");
    svg.replacen("<title", &style, 1)
}

fn description(outcomes: &[Outcome]) -> String {
    let each = outcomes.iter().map(|outcome| {
        let worst = outcome.worst.map_or(String::new(), |worst| {
            format!(
                ", at worst {} in the minute of {}",
                percent_text(worst.refused_ppm, 0),
                crate::quantity::minute_text(worst.at)
            )
        });
        format!(
            "{}: {} of requests throttled{worst}",
            outcome.setting,
            percent_text(outcome.refused_ppm(), 2)
        )
    });
    format!("A row of charts for each setting. {}.", each.collect::<Vec<_>>().join(". "))
}

/// A long name in two lines.
fn label_lines(name: &str) -> (String, String) {
    match name.split_once(", ") {
        Some((first, second)) if name.len() > 20 => (format!("{first},"), second.to_owned()),
        _ => (name.to_owned(), String::new()),
    }
}

fn legend(out: &mut String) {
    let _ = writeln!(
        out,
        "<path class=\"used\" d=\"M{LEFT:.0} 18h22\"/><text class=\"soft\" x=\"{:.0}\" y=\"22\">consumed</text>\
         <path class=\"allowed\" d=\"M{:.0} 18h22\"/><text class=\"soft\" x=\"{:.0}\" y=\"22\">allowed in steady state (beyond the \
         scale where it is not drawn)</text>",
        LEFT + 28.0,
        LEFT + 92.0,
        LEFT + 120.0,
    );
}

/// The highest value of a column over all settings, so that their rows can be compared.
fn scale(outcomes: &[Outcome], column: Column, window: &Window) -> f64 {
    let of = |outcome: &Outcome| {
        let all = Bucket(slice(outcome, window));
        match column {
            Column::Throughput(dimension) => all.consumed(dimension) * 1.1,
            Column::Throttled => all.throttled(),
            // Room for the figure above the line.
            Column::Partitions => all.partitions() * 1.25,
        }
    };
    let highest = outcomes.iter().map(of).fold(0.0, f64::max);
    match column {
        Column::Throttled if highest > 0.1 => 1.0,
        Column::Throttled => round_up((highest * 100.0).max(1.0)) / 100.0,
        _ => round_up(highest.max(1.0)),
    }
}

fn slice<'a>(outcome: &'a Outcome, window: &Window) -> &'a [MinutePoint] {
    let until = window.until.min(outcome.minutes.len());
    &outcome.minutes[window.from.min(until)..until]
}

fn panel(
    out: &mut String,
    outcomes: &[Outcome],
    outcome: &Outcome,
    column: Column,
    (x, y): (f64, f64),
    window: &Window,
) {
    let highest = scale(outcomes, column, window);
    let minutes = slice(outcome, window);
    let in_bucket = minutes.len().div_ceil(MOST_POINTS).max(1);
    let buckets: Vec<Bucket<'_>> = minutes.chunks(in_bucket).map(Bucket).collect();
    let step = PANEL_WIDTH / buckets.len().max(1) as f64;
    let height = |value: f64| y + PANEL_HEIGHT - (value / highest).clamp(0.0, 1.0) * PANEL_HEIGHT;
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{x:.1} {y:.1}v{PANEL_HEIGHT:.0}h{PANEL_WIDTH:.0}M{x:.1} {y:.1}h{PANEL_WIDTH:.0}\"/>"
    );
    let top = match column {
        Column::Throttled => format!("{:.0} %", highest * 100.0),
        _ => thousands(&format!("{highest:.0}")),
    };
    let _ = writeln!(out, "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\">{top}</text>", x + 3.0, y + 11.0);
    let _ = writeln!(
        out,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">0</text>",
        x - 4.0,
        y + PANEL_HEIGHT
    );
    match column {
        Column::Throughput(dimension) => {
            let used = steps(&buckets, x, step, |bucket| Some(height(bucket.consumed(dimension))));
            let floor = y + PANEL_HEIGHT;
            let _ = writeln!(
                out,
                "<path class=\"area\" d=\"{used}V{floor:.1}H{x:.1}Z\"/><path class=\"used\" d=\"{used}\"/>"
            );
            let allowed = steps(&buckets, x, step, |bucket| {
                let allowed = bucket.allowed(dimension);
                (allowed <= highest).then(|| height(allowed))
            });
            if !allowed.is_empty() {
                let _ = writeln!(out, "<path class=\"allowed\" d=\"{allowed}\"/>");
            }
        }
        Column::Throttled => {
            for (number, bucket) in buckets.iter().enumerate() {
                let share = bucket.throttled();
                if share > 0.0 {
                    // Never thinner than can be seen.
                    let top = height(share).min(y + PANEL_HEIGHT - 1.0);
                    let left = x + number as f64 * step;
                    let _ = writeln!(
                        out,
                        "<rect class=\"bad\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                        step.max(1.2),
                        y + PANEL_HEIGHT - top
                    );
                }
            }
        }
        Column::Partitions => {
            let line = steps(&buckets, x, step, |bucket| Some(height(bucket.partitions())));
            let _ = writeln!(out, "<path class=\"parts\" d=\"{line}\"/>");
            let last = buckets.last().map_or(0.0, Bucket::partitions);
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{last:.0} at the end</text>",
                x + PANEL_WIDTH - 2.0,
                y + 11.0
            );
        }
    }
}

/// A line of steps; where there is no value it is interrupted. Equal neighbours are drawn as one.
fn steps(buckets: &[Bucket<'_>], x: f64, step: f64, height: impl Fn(&Bucket<'_>) -> Option<f64>) -> String {
    let mut path = String::new();
    let mut last: Option<String> = None;
    for (number, bucket) in buckets.iter().enumerate() {
        let left = x + number as f64 * step;
        let value = height(bucket).map(|value| format!("{value:.1}"));
        match (&last, &value) {
            (None, Some(value)) => {
                let _ = write!(path, "M{left:.1} {value}");
            }
            (Some(before), Some(value)) if before != value => {
                let _ = write!(path, "H{left:.1}V{value}");
            }
            (Some(_), None) => {
                let _ = write!(path, "H{left:.1}");
            }
            _ => {}
        }
        last = value;
    }
    if last.is_some() {
        let _ = write!(path, "H{:.1}", x + buckets.len() as f64 * step);
    }
    path
}

/// The width of a digit in small print.
const CHARACTER_WIDTH: f64 = 6.4;

/// Ticks at whole days, hours or quarters of an hour.
fn time_axis(out: &mut String, start: Timestamp, window: &Window, (x, y): (f64, f64)) {
    let minutes = (window.until - window.from).max(1);
    let every = [15, 30, 60, 180, 360, 720, 1_440, 2_880, 7_200, 14_400, 43_200]
        .into_iter()
        .find(|every| minutes / every <= 5)
        .unwrap_or(86_400);
    let first = start + window.from as i64 * 60_000;
    let into = first.millis().div_euclid(60_000).rem_euclid(every as i64) as usize;
    let mut minute = (every - into) % every;
    let mut free_from = f64::MIN;
    while minute <= minutes {
        let at = first + minute as i64 * 60_000;
        let (_, month, day, hour, in_hour, ..) = at.civil();
        let label = match every {
            0..1_440 if minutes <= 1_440 => format!("{hour:02}:{in_hour:02}"),
            0..1_440 => format!("{month:02}-{day:02} {hour:02}h"),
            _ => format!("{month:02}-{day:02}"),
        };
        let left = x + minute as f64 / minutes as f64 * PANEL_WIDTH;
        // Labels at the edges stay inside, and one that would touch its neighbour is left out.
        let width = label.len() as f64 * CHARACTER_WIDTH;
        let begins = (left - width / 2.0).clamp(x, x + PANEL_WIDTH - width);
        let _ = write!(out, "<path class=\"axis\" d=\"M{left:.1} {y:.1}v4\"/>");
        if begins >= free_from {
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                begins + width / 2.0,
                y + 16.0
            );
            free_from = begins + width + CHARACTER_WIDTH;
        }
        minute += every;
    }
}

/// Text as it stands in XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_with_round_numbers() {
        for (value, scale) in [(1.0, 1.0), (1.2, 1.5), (9.0, 10.0), (11.0, 15.0), (4_001.0, 5_000.0)] {
            assert_eq!(round_up(value), scale);
        }
    }
}
