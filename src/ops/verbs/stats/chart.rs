//! The burn-up as a drawing: issues opened and closed until each week, and what is open between them.

use std::fmt::Write as _;

use super::{Stats, Week};

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 780.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 320.0;
/// Dates below the drawing at most.
const DATES: usize = 6;

const STYLE: &str = "
svg { background: #ffffff; font: 13px system-ui, sans-serif; fill: #57606a; }
.name { font-size: 16px; font-weight: 600; fill: #1f2328; }
.grid { stroke: #d0d7de; } .opened { stroke: #0969da; } .closed { stroke: #1a7f37; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; } .open { fill: #0969da; opacity: .12; }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117; fill: #9198a1; } .name { fill: #f0f6fc; } .grid { stroke: #3d444d; }
.opened { stroke: #4493f8; } .closed { stroke: #3fb950; } .open { fill: #4493f8; opacity: .18; }
}
";

/// Draws the burn-up as SVG that needs nothing else: no fonts, no script, no network; light and dark.
pub(crate) fn svg(stats: &Stats) -> String {
    let weeks = &stats.weeks;
    let most = weeks
        .iter()
        .map(|week| week.total_opened.max(week.total_closed))
        .max()
        .unwrap_or(0);
    let step = step(most);
    let top = most.div_ceil(step).max(1) * step;
    let scale = Scale {
        weeks: weeks.len().max(1),
        top,
    };
    let last = weeks
        .last()
        .map_or((0, 0), |week| (week.total_opened, week.total_closed));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n<title id=\"title\">Burn-up: {} opened, {} closed</title>\n\
         <desc id=\"desc\">{}</desc>\n<style>{STYLE}</style>\n",
        last.0,
        last.1,
        told(weeks),
    );
    // Writing to a text does not fail.
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{LEFT}\" y=\"28\">Burn-up</text>"
    );
    legend(&mut out, last);
    for n in (0..=top).step_by(usize::try_from(step).unwrap_or(1)) {
        let y = scale.y(n);
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{n}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    dates(&mut out, weeks, &scale);
    let opened = points(weeks, &scale, |week| (week.opened, week.total_opened));
    let mut closed = points(weeks, &scale, |week| (week.closed, week.total_closed));
    let _ = writeln!(
        out,
        "<polyline class=\"line opened\" points=\"{}\"/>",
        opened.join(" ")
    );
    let _ = writeln!(
        out,
        "<polyline class=\"line closed\" points=\"{}\"/>",
        closed.join(" ")
    );
    closed.reverse();
    let _ = writeln!(
        out,
        "<polygon class=\"open\" points=\"{} {}\"/>",
        opened.join(" "),
        closed.join(" ")
    );
    out.push_str("</svg>\n");
    out
}

/// Returns the point of a week and a number.
struct Scale {
    weeks: usize,
    top: u64,
}

impl Scale {
    /// Returns where a week begins.
    fn x(&self, week: usize) -> f64 {
        LEFT + (RIGHT - LEFT) * week as f64 / self.weeks as f64
    }

    fn y(&self, n: u64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * n as f64 / self.top as f64
    }
}

/// 1, 2 or 5 and zeros, so that at most five lines lie across.
fn step(most: u64) -> u64 {
    let mut step = 1;
    while most.div_ceil(step) > 5 {
        // 1, 2, 5, 10, 20, 50: after a 2 comes a 5, else the double.
        let leading = step.to_string().starts_with('2');
        step = if leading { step / 2 * 5 } else { step * 2 };
    }
    step
}

/// Returns the amounts when the first week began, and at the end of each; `of` gives what a week added, and the sum.
fn points(weeks: &[Week], scale: &Scale, of: fn(&Week) -> (u64, u64)) -> Vec<String> {
    // One point more than there are weeks: the line begins where the first week began.
    let before = weeks.first().map(of).map(|(added, sum)| sum - added);
    let sums = before
        .into_iter()
        .chain(weeks.iter().map(|week| of(week).1));
    sums.enumerate()
        .map(|(n, sum)| format!("{:.1},{:.1}", scale.x(n), scale.y(sum)))
        .collect()
}

fn dates(out: &mut String, weeks: &[Week], scale: &Scale) {
    let every = weeks.len().div_ceil(DATES).max(1);
    for (n, week) in weeks.iter().enumerate().step_by(every) {
        let x = scale.x(n);
        let anchor = if n > 0 && x > RIGHT - 40.0 {
            "end"
        } else if n == 0 {
            "start"
        } else {
            "middle"
        };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            BOTTOM + 22.0,
            week.week
        );
    }
}

fn legend(out: &mut String, (opened, closed): (u64, u64)) {
    for (class, x, text) in [
        ("opened", 480.0, format!("{opened} opened")),
        ("closed", 640.0, format!("{closed} closed")),
    ] {
        let _ = writeln!(out, "<path class=\"line {class}\" d=\"M{x} 24h22\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"28\">{text}</text>", x + 30.0);
    }
}

/// The drawing in words.
fn told(weeks: &[Week]) -> String {
    match (weeks.first(), weeks.last()) {
        (Some(first), Some(last)) => format!(
            "From the week of {} to that of {}: {} issues opened in all, {} of them closed, {} open.",
            first.week,
            last.week,
            last.total_opened,
            last.total_closed,
            last.total_opened.saturating_sub(last.total_closed)
        ),
        _ => "No issues.".to_owned(),
    }
}
