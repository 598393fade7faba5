//! `stats`: figures, and the burn-up as a line of blocks.

use clap::Args;

use crate::cli::options::filter::FilterOptions;
use crate::cli::text::count;
use crate::cli::text::diff::show_cut;
use crate::cli::text::table::table;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::time;
use crate::ops::Result;
use crate::ops::verbs::stats::{CycleTime, Share, Stats, Week, stats};
use crate::text::line::line;
use crate::text::style::{BOLD, CYAN, DIM, GREEN};

/// Weeks, actors and labels in text; JSON has all.
const SHOWN: usize = 12;
/// Cells of the burn-up in a pipe.
const CELLS: usize = 60;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Of all issues that are not deleted; `--since` begins the count at a date.
#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for StatsArgs {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Show statistics: opened, closed, cycle time";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"All of it; bugs of this year:

$ git beads stats
$ git beads stats -t bug --since 2026-01-01
";
    type Answer = Stats;

    fn reads(&self) -> bool {
        true
    }

    fn run(mut self, cli: &mut Cli) -> Result<Exit> {
        let (tracker, _) = cli.open()?;
        let since = self.filter.since.take();
        let answer = stats(tracker, &self.filter.query(tracker, 0)?, since.as_deref())?;
        let empty = answer.weeks.is_empty();
        cli.page();
        cli.ui.answer(answer, |_| Vec::new(), text);
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn text(ui: &mut Ui, stats: &Stats) {
    let since = stats
        .since
        .as_ref()
        .map(|since| format!(" since {}", ui.dates.day(since)))
        .unwrap_or_default();
    let text = format!(
        "{} opened, {} closed{since}; {} open",
        stats.opened, stats.closed, stats.open
    );
    ui.row(&text);
    if stats.weeks.is_empty() {
        return;
    }
    weeks(ui, &stats.weeks);
    ui.line("");
    burn_up(ui, &stats.weeks);
    ui.line("");
    times(ui, stats);
    for (name, all) in [("actor", &stats.actors), ("label", &stats.labels)] {
        shares(ui, name, all);
    }
    show_cut(ui, &stats.cut);
}

/// Prints the last weeks in which something was opened or closed.
fn weeks(ui: &mut Ui, weeks: &[Week]) {
    let busy: Vec<&Week> = weeks
        .iter()
        .filter(|week| week.opened + week.closed > 0)
        .collect();
    let shown = &busy[busy.len().saturating_sub(SHOWN)..];
    if shown.is_empty() {
        return;
    }
    ui.line("");
    table(
        ui,
        ["week", "opened", "closed", "open"],
        shown.iter().map(|it| week(it)),
    );
    let (earlier, quiet) = (busy.len() - shown.len(), weeks.len() - busy.len());
    let earlier = (earlier > 0).then(|| count(earlier, "earlier week", "earlier weeks"));
    let quiet = (quiet > 0).then(|| count(quiet, "week without a change", "weeks without changes"));
    let left: Vec<String> = [earlier, quiet].into_iter().flatten().collect();
    if !left.is_empty() {
        let text = format!("(not shown: {}; --json has all)", left.join(", "));
        ui.row(&line![ui.paint(DIM, text)]);
    }
}

fn times(ui: &mut Ui, stats: &Stats) {
    if let Some(time) = &stats.cycle_time {
        let (median, most) = (median(time), span(time.p90_seconds));
        let others = time.count - time.from_start;
        let from = format!(
            "{} measured from start, {others} from creation",
            time.from_start
        );
        let text = format!("cycle time: median {median}, 90 % within {most} ({from})");
        ui.row(&text);
    }
    let text = format!(
        "reopened: {} ({} % of those closed)",
        stats.reopened, stats.reopen_percent
    );
    ui.row(&text);
}

fn shares(ui: &mut Ui, name: &str, shares: &[Share]) {
    if shares.is_empty() {
        return;
    }
    ui.line("");
    table(
        ui,
        [name, "opened", "closed", "median"],
        shares.iter().take(SHOWN).map(share),
    );
    more(ui, shares.len().saturating_sub(SHOWN), ["other", "others"]);
}

fn week(week: &Week) -> [String; 4] {
    let open = week.total_opened.saturating_sub(week.total_closed);
    [
        week.week.clone(),
        week.opened.to_string(),
        week.closed.to_string(),
        open.to_string(),
    ]
}

fn share(share: &Share) -> [String; 4] {
    let median = share
        .cycle_time
        .as_ref()
        .map_or_else(|| "-".to_owned(), median);
    [
        share.name.clone(),
        share.opened.to_string(),
        share.closed.to_string(),
        median,
    ]
}

fn median(time: &CycleTime) -> String {
    span(time.median_seconds)
}

/// Writes a time in its largest unit.
fn span(seconds: u64) -> String {
    if seconds < 60 {
        format!("{seconds}s")
    } else {
        time::ago(0, seconds.saturating_mul(1000))
    }
}

fn more(ui: &mut Ui, n: usize, [one, many]: [&str; 2]) {
    if n > 0 {
        let text = ui.paint(DIM, format!("({}: --json)", count(n, one, many)));
        ui.row(&line![text]);
    }
}

/// Prints both lines of the burn-up, on the same scale.
fn burn_up(ui: &mut Ui, weeks: &[Week]) {
    let cells = ui.width().map_or(CELLS, |width| width.saturating_sub(20));
    let top = weeks
        .iter()
        .map(|week| week.total_opened.max(week.total_closed))
        .max()
        .unwrap_or(0);
    let first = weeks
        .first()
        .map(|week| week.week.as_str())
        .unwrap_or_default();
    let head = ui.paint(BOLD, format!("burn-up since {first}"));
    ui.row(&line![head]);
    for (name, style, of) in [
        (
            "opened",
            CYAN,
            (|week: &Week| week.total_opened) as fn(&Week) -> u64,
        ),
        ("closed", GREEN, |week: &Week| week.total_closed),
    ] {
        let curve = sparkline(&weeks.iter().map(of).collect::<Vec<u64>>(), top, cells);
        let last = weeks.last().map(of).unwrap_or_default();
        let line = line![name, " ", ui.paint(style, curve), format!(" {last}")];
        ui.row(&line);
    }
}

/// Draws numbers as blocks, no more than so many: of several that share one, the last counts.
fn sparkline(numbers: &[u64], top: u64, cells: usize) -> String {
    let cells = cells.min(numbers.len());
    let at = |cell: usize| numbers[(cell + 1) * numbers.len() / cells - 1];
    let block = |n: u64| {
        BLOCKS[usize::try_from(n.saturating_mul(7).div_ceil(top.max(1)))
            .unwrap_or(0)
            .min(7)]
    };
    (0..cells).map(|cell| block(at(cell))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_spans_its_cells_from_nothing_to_the_top() {
        assert_eq!(sparkline(&[0, 1, 4, 7], 7, 10), "▁▂▅█");
        assert_eq!(sparkline(&[0, 1, 2, 3, 4, 5, 6, 7], 7, 4), "▂▄▆█");
        assert_eq!(sparkline(&[], 0, 4), "");
        assert_eq!(sparkline(&[0], 0, 4), "▁");
    }
}
