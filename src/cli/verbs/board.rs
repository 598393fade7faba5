//! `board`: columns as wide as the terminal, sections where it is narrow or none.

use anstyle::Style;
use clap::Args;
use unicode_width::UnicodeWidthStr;

use crate::cli::options::at::AtOptions;
use crate::cli::options::filter::FilterOptions;
use crate::cli::text::rows::{rows, waits_for};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::status::IN_PROGRESS;
use crate::ops::shared::query::Query;
use crate::ops::verbs::board::{Board, Card, Column, board};
use crate::ops::{Result, Tracker};
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, CYAN, DIM, GREEN, RED, priority_style};
use crate::text::width::{fit, prefix};

use super::ui::{BeginUi, show_ui};

/// Issues in a column, where no screen says how many.
const LIMIT: usize = 10;
/// The least room of a column; with less, one is above the other.
const NARROW: usize = 18;
/// Columns that a board always has.
const USUAL: usize = 4;
/// Lines of a row of columns.
const LEAST: usize = 6;
/// Columns between two columns.
const GAP: usize = 2;
/// Lines of a title.
const TITLE: usize = 2;
const EPICS: usize = 3;

/// A line of a card: its parts, each in its style.
type BoardLine = Vec<(Style, String)>;

#[derive(Debug, Args)]
pub(super) struct BoardArgs {
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    at: AtOptions,
    /// Show it live on a terminal, as the board of `git beads ui`: its keys move, open and change issues
    #[arg(long, conflicts_with_all = ["at", "limit", "offset", "reverse", "exit_code"])]
    watch: bool,
}

impl Verb for BoardArgs {
    const NAME: &'static str = "board";
    const ABOUT: &'static str = "Show a board: ready, in progress, blocked and done";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What is ready, in progress, blocked and done; live, with what can be done there; how it was three operations ago:

$ git beads board
$ git beads board --watch -l backend
$ git beads board --at @~3
";
    type Answer = Board;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (tracker, ui) = cli.open()?;
        let on_terminal = ui.width().is_some() && ui.json.is_none() && !ui.quiet;
        if self.watch && on_terminal && ui.env.is_interactive() {
            let query = self.filter.text(tracker)?;
            let begin = BeginUi {
                board: Some(query),
                ..BeginUi::default()
            };
            return show_ui(cli, begin);
        }
        // No column can show more cards than the screen has lines.
        let limit = if on_terminal { ui.height() } else { LIMIT };
        let answer = board(tracker, &self.query(tracker, limit)?)?;
        let empty = answer.is_empty();
        let whole = self.filter.limit.is_some();
        if whole {
            cli.page();
        }
        let height = if whole {
            usize::MAX
        } else {
            cli.ui.height().saturating_sub(1)
        };
        cli.answer(answer, ids, |ui, answer| text(ui, answer, height));
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

impl BoardArgs {
    fn query(&self, tracker: &Tracker, limit: usize) -> Result<Query> {
        self.filter.query_at(tracker, limit, &self.at)
    }
}

fn ids(board: &Board) -> Vec<String> {
    board
        .columns
        .iter()
        .flat_map(|column| &column.issues)
        .map(|card| card.summary.id.clone())
        .collect()
}

fn text(ui: &mut Ui, board: &Board, height: usize) {
    let epics = board.epics_to_close.len().min(EPICS);
    let more = board.epics_to_close.len() - epics;
    // What comes below the columns is counted first, so that it stays on the screen.
    let below = epics + usize::from(more > 0);
    let height = height.saturating_sub(below);
    match ui.width() {
        Some(width) if width >= NARROW * USUAL => {
            // What has no place beside the others comes in a row of its own.
            let rows = board.columns.chunks(width / NARROW);
            let height = (height / rows.len().max(1)).max(LEAST);
            for (n, row) in rows.enumerate() {
                if n > 0 {
                    ui.line("");
                }
                columns(ui, row, width, height - usize::from(n > 0));
            }
        }
        _ => stacked(ui, board, height),
    }
    for epic in &board.epics_to_close[..epics] {
        // Without its title, which would be copied with the command.
        let text = format!("all children closed: {}", ui.one_line(&epic.hint));
        ui.row(&text);
    }
    if more > 0 {
        let text = ui.paint(DIM, format!("({more} more: git beads status -n 0)"));
        ui.row(&line![text]);
    }
}

/// Returns what is above a column, and its style.
fn name(ui: &Ui, column: &Column) -> (String, Style) {
    let style = match column.name.as_str() {
        "blocked" => RED,
        IN_PROGRESS => CYAN,
        "done" => GREEN,
        _ => BOLD,
    };
    (ui.one_line(&column.title), style)
}

/// Returns the name of a column, how many belong to it and how many of these are not shown.
fn heading(ui: &Ui, column: &Column, shown: usize, wide: usize) -> String {
    let heading = format!("{} {}", name(ui, column).0, column.total_count);
    match column.total_count.saturating_sub(shown as u64) {
        0 => fit(&heading, wide),
        more if heading.width() + format!(" +{more} more").len() <= wide => {
            format!("{heading} +{more} more")
        }
        more => fit(&format!("{heading} +{more}"), wide),
    }
}

/// Prints one section below the other, each with as many rows as find a place.
fn stacked(ui: &mut Ui, board: &Board, height: usize) {
    let on_terminal = ui.width().is_some();
    let each = height.saturating_sub(board.columns.len()) / board.columns.len().max(1);
    for column in &board.columns {
        let shown = if on_terminal {
            column.issues.len().min(each.max(1))
        } else {
            column.issues.len()
        };
        let text = ui.paint(
            name(ui, column).1,
            heading(ui, column, shown, ui.width().unwrap_or(usize::MAX)),
        );
        ui.row(&line![text]);
        let cards = column.issues[..shown].iter();
        let table: Vec<_> = cards
            .map(|card| (&card.summary, 0, tail(ui, card)))
            .collect();
        rows(ui, table);
    }
}

fn columns(ui: &mut Ui, columns: &[Column], width: usize, height: usize) {
    let count = columns.len().max(1);
    let wide = (width - GAP * (count - 1)) / count;
    let drawn: Vec<Vec<BoardLine>> = columns
        .iter()
        .map(|column| draw(ui, column, wide, height))
        .collect();
    let longest = drawn.iter().map(Vec::len).max().unwrap_or(0);
    for i in 0..longest {
        let cells = drawn
            .iter()
            .map(|lines| lines.get(i).map_or(&[][..], Vec::as_slice));
        let line = row(ui, cells, wide);
        ui.row(&line.trim_end());
    }
}

/// Returns one line of all columns, without the spaces to the right of the last text.
fn row<'a>(ui: &Ui, cells: impl Iterator<Item = &'a [(Style, String)]>, wide: usize) -> Line {
    let cells: Vec<_> = cells.collect();
    let last = cells.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    let mut line = Line::default();
    for (i, cell) in cells.iter().take(last + 1).enumerate() {
        let used: usize = cell.iter().map(|(_, text)| text.width()).sum();
        for (style, text) in cell.iter().filter(|(_, text)| !text.is_empty()) {
            line.push(ui.paint(*style, text));
        }
        if i < last {
            line.push(" ".repeat((wide + GAP).saturating_sub(used)));
        }
    }
    line
}

/// Returns the lines of a column: its heading, then as many cards as there is room for.
fn draw(ui: &Ui, column: &Column, wide: usize, height: usize) -> Vec<BoardLine> {
    let cards: Vec<Vec<BoardLine>> = column
        .issues
        .iter()
        .map(|card| draw_card(ui, card, wide))
        .collect();
    let mut body: Vec<BoardLine> = Vec::new();
    let mut shown = 0;
    for card in cards {
        let gap = usize::from(shown > 0);
        if body.len() + gap + card.len() > height.saturating_sub(2) {
            break;
        }
        body.extend(std::iter::repeat_n(Vec::new(), gap));
        body.extend(card);
        shown += 1;
    }
    let head = [
        vec![(name(ui, column).1, heading(ui, column, shown, wide))],
        vec![(DIM, "─".repeat(wide))],
    ];
    head.into_iter().chain(body).collect()
}

fn draw_card(ui: &Ui, card: &Card, wide: usize) -> Vec<BoardLine> {
    let issue = &card.summary;
    let priority = format!(" P{}", issue.priority);
    let id = fit(
        &ui.one_line(&issue.id),
        wide.saturating_sub(priority.width()),
    );
    let left = wide.saturating_sub(id.width() + priority.width());
    let who = issue
        .holder()
        .map(|name| format!(" @{}", ui.one_line(&name)))
        .unwrap_or_default();
    let remarks = issue.claim.iter().flat_map(|claim| claim.remarks(""));
    let who = remarks.fold(who, |who, remark| format!("{who} {remark}"));
    let who = if left > 3 {
        fit(&who, left)
    } else {
        String::new()
    };
    let first = vec![
        (BOLD, id),
        (priority_style(issue.priority), priority),
        (CYAN, who),
    ];
    let title = wrap(&ui.one_line(&issue.title), wide, TITLE)
        .into_iter()
        .map(|line| vec![(Style::new(), line)]);
    let tail = tail(ui, card);
    let due = issue.due.map(|due| {
        let (text, is_over) = ui.dates.due(due.0);
        vec![(if is_over { RED } else { DIM }, fit(&text, wide))]
    });
    let below = (!tail.is_empty()).then(|| vec![(DIM, fit(tail.trim_start(), wide))]);
    std::iter::once(first)
        .chain(title)
        .chain(due)
        .chain(below)
        .collect()
}

fn tail(ui: &Ui, card: &Card) -> String {
    waits_for(ui, &card.blocked_by, card.reason.as_deref())
}

/// Breaks a text into so many lines at most, at its spaces where it has some; the last one is cut.
fn wrap(text: &str, wide: usize, lines: usize) -> Vec<String> {
    let mut rest = text.trim();
    let mut out = Vec::new();
    while out.len() + 1 < lines && rest.width() > wide {
        // A character at least, or it would not end.
        let most = prefix(rest, wide).max(rest.chars().next().map_or(0, char::len_utf8));
        let whole = rest[most..].starts_with(' ').then_some(most);
        let end = whole
            .or_else(|| rest[..most].rfind(' ').filter(|end| *end > 0))
            .unwrap_or(most);
        out.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    out.push(fit(rest, wide));
    out
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn titles_break_at_spaces_and_wide_characters_count_twice() {
        assert_eq!(wrap("short", 10, 2), ["short"]);
        assert_eq!(
            wrap("some words that go on", 10, 2),
            ["some words", "that go on"]
        );
        assert_eq!(
            wrap("some words that go on and on", 10, 2),
            ["some words", "that go o…"]
        );
        assert_eq!(wrap("日本語テキスト", 6, 2), ["日本語", "テキ…"]);
        assert_eq!(wrap("unbreakable-and-long", 8, 2), ["unbreaka", "ble-and…"]);
        assert_eq!(wrap("", 8, 2), [""]);
    }
}
