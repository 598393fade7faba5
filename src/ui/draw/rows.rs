//! The rows of inbox and list.

use std::collections::BTreeSet;

use anstyle::Style;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::Drawing;
use super::paint::{PLAIN, Row, columns, one_line};
use crate::model::time;
use crate::ops::scene::inbox::AskedRepo;
use crate::ops::scene::rows::{Column, Head};
use crate::text::style::{BOLD, CYAN, DIM, GREEN, MAGENTA, RED, YELLOW, priority_style};
use crate::ui::state::{Area, Hit, InboxLine, IssueRow, LineKind, RowKey, State};

/// Columns of an id or a name, at most.
const MOST_NAME: usize = 16;
/// Columns of who works on it, at most.
const MOST_WHO: usize = 24;
/// Columns of an age.
const AGE: usize = 5;
/// Columns under which nothing is said but what it is.
const NARROW: usize = 50;

/// What a row is drawn by, beside what it says.
#[derive(Clone, Copy)]
struct RowLook {
    is_selected: bool,
    is_marked: bool,
    now: u64,
}

/// The columns of a table of rows.
#[derive(Clone, Copy, Default)]
struct Widths {
    repo: usize,
    id: usize,
    who: usize,
    /// True if the ids are shown without what they all begin with.
    has_tails: bool,
}

impl Widths {
    /// Makes room for ids and names. Beside the name of their repository, or where they are long, ids are shown without their
    /// prefix.
    fn of<'r>(mut names: impl Iterator<Item = &'r str>, ids: &[&str]) -> Self {
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            let widths = texts.map(|text| columns(&one_line(text)));
            widths.max().unwrap_or(0)
        };
        let repo = widest(&mut names).min(MOST_NAME);
        let whole = widest(&mut ids.iter().copied());
        // Not where two of them would be the same.
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        let tails: BTreeSet<&str> = distinct.iter().map(|id| tail(id)).collect();
        let has_tails = (repo > 0 || whole > MOST_NAME) && tails.len() == distinct.len();
        let id = match has_tails {
            true => widest(&mut ids.iter().map(|id| tail(id))),
            false => whole,
        };
        Self {
            repo,
            id: id.min(MOST_NAME),
            who: 0,
            has_tails,
        }
    }

    fn id(&self, id: &str) -> String {
        one_line(if self.has_tails { tail(id) } else { id })
    }
}

/// Returns an id without the prefix of its repository.
pub(super) fn tail(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(_, tail)| tail)
}

/// Draws lines of the inbox; returns the place of the one that is selected.
pub(super) fn inbox(drawing: &mut Drawing<'_>, area: Rect) -> Option<(u16, u16)> {
    let (look, state) = (drawing.look, drawing.state);
    let buffer = &mut *drawing.buffer;
    let rows = state
        .inbox
        .lines
        .iter()
        .filter_map(|line| match &line.kind {
            LineKind::Issue(row) => Some(row),
            _ => None,
        });
    let ids: Vec<&str> = rows.clone().map(|row| row.id.as_str()).collect();
    let mut widths = Widths::of(rows.clone().map(|row| row.repo.as_str()), &ids);
    let who = rows.map(|row| columns(&one_line(&row.who))).max();
    widths.who = who.unwrap_or(0).min(MOST_WHO);
    // The title has the half of the line at least.
    widths.who = widths.who.min(usize::from(area.width) / 4);
    if usize::from(area.width) < NARROW {
        widths.who = 0;
    }
    let mut place = None;
    let lines = state.inbox.lines.iter().enumerate().skip(state.inbox.top);
    for (y, (n, line)) in (area.y..area.bottom()).zip(lines) {
        let is_selected = n == state.inbox.line && line.key.is_some() && is_in_rows(state);
        let mut row = Row::new(buffer, look, area.x, y, area.width);
        let key = line.key.as_ref();
        let at = RowLook {
            is_selected,
            is_marked: key.is_some_and(|key| state.is_marked(key.repo, key.uid)),
            now: state.now,
        };
        inbox_line(&mut row, line, widths, at);
        let at = Rect::new(area.x, y, area.width, 1);
        if let Some(key) = key.cloned() {
            drawing.areas.push(Area {
                at,
                hit: Hit::Row(key),
            });
        }
        if is_selected {
            select(state, buffer, at);
            place = Some((area.x, y));
        }
    }
    place
}

fn inbox_line(row: &mut Row<'_>, line: &InboxLine, widths: Widths, at: RowLook) {
    match &line.kind {
        LineKind::Heading { name, count } => {
            row.text(" ", PLAIN)
                .text(name, BOLD)
                .text(" ", PLAIN)
                .text(count, DIM);
        }
        LineKind::Issue(issue) => issue_row(row, issue, widths, at),
        LineKind::Below(text) => {
            let indent = indent(widths);
            row.text(&" ".repeat(indent), PLAIN)
                .text(&one_line(text), DIM);
        }
        LineKind::Fault(fault) => fault_row(row, fault),
        LineKind::Hint(hint) => {
            row.text("   ", PLAIN).text(&one_line(hint), DIM);
        }
        LineKind::Text(text) => {
            row.text("   ", PLAIN).text(&one_line(text), PLAIN);
        }
        LineKind::Empty => {}
    }
}

/// Returns whether the issue that keys are for has a row: one that is open stays, whatever becomes of its row.
fn is_in_rows(state: &State) -> bool {
    state.selected_in_rows() == state.selected()
}

/// Returns the columns before the text of a row.
fn indent(widths: Widths) -> usize {
    let repo = if widths.repo > 0 { widths.repo + 1 } else { 0 };
    3 + repo + widths.id + 1 + 3
}

fn issue_row(row: &mut Row<'_>, issue: &IssueRow, widths: Widths, at: RowLook) {
    begin(row, at, issue.sign);
    if widths.repo > 0 {
        row.padded(&one_line(&issue.repo), CYAN, widths.repo)
            .text(" ", PLAIN);
    }
    row.padded(&widths.id(&issue.id), BOLD, widths.id)
        .text(" ", PLAIN);
    match issue.priority {
        Some(of) => priority(row, of),
        None => _ = row.text("   ", PLAIN),
    }
    let who = if widths.who > 0 { widths.who + 2 } else { 0 };
    let text = row.left().saturating_sub(who + AGE);
    row.padded(&one_line(&issue.text), PLAIN, text);
    if who > 0 {
        row.text("  ", PLAIN)
            .padded(&one_line(&issue.who), DIM, widths.who);
    }
    age(row, issue.at, at.now);
}

fn begin(row: &mut Row<'_>, at: RowLook, sign: char) {
    row.text(if at.is_selected { ">" } else { " " }, BOLD);
    let mark = if at.is_marked { "*" } else { " " };
    row.text(&sign.to_string(), sign_style(sign))
        .text(mark, BOLD);
}

pub(super) fn sign_style(sign: char) -> Style {
    let colour = match sign {
        '?' | '!' | 'x' => RED,
        '%' => MAGENTA,
        '+' | 'v' => GREEN,
        _ => YELLOW,
    };
    colour.bold()
}

fn priority(row: &mut Row<'_>, priority: i64) {
    row.text(&format!("P{priority}"), priority_style(priority))
        .text(" ", PLAIN);
}

fn age(row: &mut Row<'_>, at: Option<u64>, now: u64) {
    let age = at.map(|at| time::ago(at, now)).unwrap_or_default();
    row.right(columns(&age)).text(&age, DIM);
}

fn fault_row(row: &mut Row<'_>, fault: &AskedRepo) {
    row.text("   ", PLAIN)
        .fit(&one_line(&fault.repo), RED, MOST_NAME);
    let error = fault.error.as_deref().unwrap_or_default();
    row.text(&format!(" {}", one_line(error)), PLAIN);
}

/// Draws rows of the list; returns the place of the one that is selected.
pub(super) fn list(drawing: &mut Drawing<'_>, area: Rect) -> Option<(u16, u16)> {
    let (look, state) = (drawing.look, drawing.state);
    let total = state.list_total();
    if total == 0 {
        let is_asked = state.shown_repos().all(|n| state.repos[n].rows.is_some());
        nothing(drawing, area, is_asked);
        return None;
    }
    let buffer = &mut *drawing.buffer;
    let seen = state.list.top..total.min(state.list.top + usize::from(area.height));
    let places: Vec<_> = seen.filter_map(|number| state.place(number)).collect();
    let heads: Vec<&Head> = places
        .iter()
        .filter_map(|place| state.head(*place))
        .collect();
    let ids: Vec<&str> = heads.iter().map(|head| head.summary.id.as_str()).collect();
    let names = places.iter().filter(|_| state.only_repo().is_none());
    let mut widths = Widths::of(
        names.map(|place| state.repos[place.repo].name.as_str()),
        &ids,
    );
    let who = heads.iter().map(|head| columns(&who(head))).max();
    widths.who = who
        .unwrap_or(0)
        .min(MOST_WHO)
        .min(usize::from(area.width) / 5);
    if usize::from(area.width) < NARROW {
        widths.who = 0;
    }
    let mut cursor = None;
    for (y, place) in (area.y..).zip(places) {
        let is_selected = place == state.list.at && is_in_rows(state);
        let mut row = Row::new(buffer, look, area.x, y, area.width);
        let name = &state.repos[place.repo].name;
        let head = state.head(place);
        let at = RowLook {
            is_selected,
            is_marked: head.is_some_and(|head| state.is_marked(place.repo, head.uid)),
            now: state.now,
        };
        match head {
            Some(head) => list_row(&mut row, head, name, widths, at),
            // On its way.
            None => begin(&mut row, at, ' '),
        }
        let at = Rect::new(area.x, y, area.width, 1);
        if let Some(head) = head {
            let hit = Hit::Row(RowKey::of(place.repo, head.uid));
            drawing.areas.push(Area { at, hit });
        }
        if is_selected {
            select(state, buffer, at);
            cursor = Some((area.x, y));
        }
    }
    cursor
}

fn list_row(row: &mut Row<'_>, head: &Head, repo: &str, widths: Widths, at: RowLook) {
    begin(row, at, sign(head));
    if widths.repo > 0 {
        row.padded(&one_line(repo), CYAN, widths.repo)
            .text(" ", PLAIN);
    }
    let summary = &head.summary;
    row.padded(&widths.id(&summary.id), BOLD, widths.id)
        .text(" ", PLAIN);
    priority(row, summary.priority);
    // Before the title: who works on it is not cut.
    if widths.who > 0 {
        row.padded(&who(head), who_style(head), widths.who)
            .text(" ", PLAIN);
    }
    let text = row.left().saturating_sub(AGE);
    row.padded(&one_line(&summary.title), PLAIN, text);
    age(row, summary.updated_at.map(|of| of.0), at.now);
}

pub(super) fn sign(head: &Head) -> char {
    let is_left = head
        .summary
        .claim
        .as_ref()
        .is_some_and(|claim| claim.is_left());
    match head.column {
        _ if head.asks => '?',
        Column::Blocked => 'x',
        Column::InProgress if is_left => '~',
        _ => ' ',
    }
}

/// Returns who works on it, or why no one does.
fn who(head: &Head) -> String {
    let summary = &head.summary;
    if head.children > 0 {
        return format!("{}/{}", head.children - head.open_children, head.children);
    }
    match (head.column, summary.holder()) {
        (Column::Done | Column::Other, _) if summary.status != "open" => {
            one_line(&summary.status).replace('_', " ")
        }
        (_, Some(holder)) => format!("@{}", one_line(&holder)),
        (Column::Blocked, None) => match head.blockers.first() {
            Some(blocker) => one_line(&format!("<- {}", blocker.id)),
            None => "blocked".to_owned(),
        },
        _ => String::new(),
    }
}

fn who_style(head: &Head) -> Style {
    match head.column {
        Column::Blocked => RED,
        Column::InProgress => CYAN,
        Column::Done => GREEN,
        _ => DIM,
    }
}

/// Says why there is no row, and what leads on.
pub(super) fn nothing(drawing: &mut Drawing<'_>, area: Rect, is_asked: bool) {
    let state = drawing.state;
    if let Some(fault) = &state.list.fault {
        Row::new(drawing.buffer, drawing.look, area.x, area.y, area.width)
            .text("   ", PLAIN)
            .text(&one_line(fault), RED);
        return;
    }
    let text = match (is_asked, state.list.query.is_empty()) {
        (false, _) => "reading",
        (true, true) => "No open issue. git beads create \"What is to be done\" makes one.",
        (true, false) => "No issue matches. / changes the query.",
    };
    Row::new(drawing.buffer, drawing.look, area.x, area.y, area.width)
        .text("   ", PLAIN)
        .text(text, PLAIN);
}

/// Turns what is selected round, where keys move among the rows and not in an issue beside them: the colours of its parts would be
/// grounds, which not every terminal can be read on.
pub(super) fn select(state: &State, buffer: &mut Buffer, area: Rect) {
    if state.panel.is_open {
        return;
    }
    for at in area.positions() {
        if let Some(cell) = buffer.cell_mut(at) {
            cell.fg = Color::Reset;
            cell.modifier.remove(Modifier::DIM);
            cell.modifier.insert(Modifier::REVERSED);
        }
    }
}
