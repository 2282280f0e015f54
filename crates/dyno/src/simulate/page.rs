//! One page that holds everything: the table, the charts, what was assumed. It loads nothing from elsewhere.

use std::fmt::Write;

use dynamometer_capacity::simulate::Outcome;
use dynamometer_types::Timestamp;

use super::chart::{self, Window, escape};
use super::table::{self, Row};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d5dae2;--paper:#ffffff}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf2;--soft:#9aa5b4;--line:#364152;--paper:#12161d}}
body{margin:0 auto;padding:28px 24px 60px;max-width:1240px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:22px;margin:0 0 4px}
h2{font-size:17px;margin:34px 0 6px}
p{margin:4px 0 10px;max-width:80ch}
.soft{color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;margin:14px 0}
th,td{padding:6px 16px 6px 0;text-align:right;border-bottom:1px solid var(--line);white-space:pre}
th:first-child,td:first-child,td.left,th.left{text-align:left}
th{font-weight:600;color:var(--soft);font-size:13px}
svg{width:100%;min-width:900px;height:auto}
";

/// Minutes before and after the worst one that the second drawing shows.
const AROUND: usize = 90;

/// The windows to draw: all of it, and the surroundings of the worst minute of all settings.
pub fn windows(outcomes: &[Outcome], start: Timestamp) -> Vec<Window> {
    let minutes = outcomes.iter().map(|outcome| outcome.minutes.len()).max().unwrap_or(0);
    let mut windows = vec![Window { from: 0, until: minutes, name: "The whole period".to_owned() }];
    let worst = outcomes.iter().filter_map(|outcome| outcome.worst).max_by_key(|worst| worst.refused_ppm);
    if let Some(worst) = worst.filter(|_| minutes > 4 * AROUND) {
        let minute = ((worst.at - start) / 60_000).unsigned_abs() as usize;
        let from = minute.saturating_sub(AROUND);
        let name = format!("Around the worst minute, {}", crate::quantity::minute_text(worst.at));
        windows.push(Window { from, until: (minute + AROUND).min(minutes), name });
    }
    windows
}

/// The page.
pub fn html(outcomes: &[Outcome], start: Timestamp, heading: &str, assumptions: &[String]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<title>Simulation</title>\n<style>{STYLE}{}</style>\n</head>\n\
         <body>\n<main>\n<h1>What each setting would have done</h1>\n<p class=\"soft\">{}</p>\n",
        chart::STYLE,
        escape(heading),
    );
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for (number, head) in table::HEADS.iter().chain(&["MOST COMMON REASON"]).enumerate() {
        let class = if number == table::HEADS.len() { " class=\"left\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{head}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for outcome in outcomes {
        let row = Row::of(outcome);
        let reason = outcome.reasons.first().map(|reason| reason.text()).unwrap_or_default();
        let _ = write!(out, "<tr><td>{}</td>", escape(&row.name));
        for cell in [&row.throttled, &row.worst, &row.units, &row.month] {
            let _ = write!(out, "<td>{}</td>", escape(cell));
        }
        let _ = writeln!(out, "<td class=\"left soft\">{}</td></tr>", escape(&reason));
    }
    out.push_str("</tbody></table></div>\n");
    for (number, window) in windows(outcomes, start).iter().enumerate() {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&window.name));
        if number == 0 {
            out.push_str(
                "<p class=\"soft\">Times are UTC. Where several minutes share a point, the highest counts. Every row has the \
                 same scale.</p>\n",
            );
        }
        let _ = writeln!(
            out,
            "<div class=\"scroll\">{}</div>",
            chart::svg(outcomes, start, window, &format!("c{number}"))
        );
    }
    out.push_str("<h2>What is assumed</h2>\n<ul>\n");
    for sentence in assumptions {
        let _ = writeln!(out, "<li>{}</li>", escape(sentence));
    }
    out.push_str("</ul>\n</main>\n</body>\n</html>\n");
    out
}
