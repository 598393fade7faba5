//! A state as a picture.

mod ask;
mod board;
mod output;
mod overlays;
mod paint;
mod panel;
mod rows;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use super::screen::Frame;
use super::state::{Area, Hit, Overlay, Parts, RowKey, SCREENS, ScreenName, Shown, State};
use super::{Look, MINUTE};
use crate::desk::keys::{Does, KEYS, shown};
use crate::text::line::Line;
use crate::text::style::{BOLD, CYAN, DIM, GREEN, RED};
pub(super) use paint::one_line;
use paint::{PLAIN, Row, columns};
use panel::Lines;

/// A picture, how far the panel could be scrolled, and what lies where in it.
pub(super) struct Drawn {
    pub(super) frame: Frame,
    pub(super) panel_top: usize,
    pub(super) areas: Vec<Area>,
}

/// The lines of the panel, which are made once for many frames.
#[derive(Default)]
pub(super) struct LaidOut {
    of: Option<LaidOutOf>,
    lines: Vec<Line>,
}

impl LaidOut {
    /// Makes the lines of the panel, where they are not those of the last frame.
    fn lay_out(&mut self, state: &State, shown: &Shown, look: Look, width: u16) {
        let of = LaidOutOf {
            version: state.panel.version,
            width,
            minute: state.now / MINUTE,
        };
        if self.of != Some(of) {
            let mut lines = Lines::new(width.into(), look);
            match shown {
                Shown::Issue(issue) => panel::issue(&mut lines, issue, state.now),
                Shown::Change(change) => panel::change(&mut lines, change, state.now),
            }
            let (of, lines) = (Some(of), lines.lines);
            *self = Self { of, lines };
        }
    }
}

/// What the lines of a panel depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LaidOutOf {
    version: u64,
    width: u16,
    /// The ages are others then.
    minute: u64,
}

/// Draws a state.
pub(super) fn draw(state: &State, look: Look, laid_out: &mut LaidOut) -> Drawn {
    let (width, height) = state.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let parts = state.parts();
    let mut drawing = Drawing {
        buffer: &mut buffer,
        look,
        state,
        laid_out,
        panel_top: 0,
        areas: Vec::new(),
    };
    let cursor = match parts.is_tiny {
        true => drawing.one_line(Rect::new(0, 0, width, height.min(1))),
        false => drawing.whole(parts),
    };
    let Drawing {
        panel_top, areas, ..
    } = drawing;
    let cells = buffer;
    Drawn {
        frame: Frame { cells, cursor },
        panel_top,
        areas,
    }
}

/// Returns the query of the list, on a line.
pub(super) fn query(state: &State) -> String {
    match state.list.query.as_str() {
        "" => "is:open".to_owned(),
        query => one_line(query),
    }
}

/// A line of the body as a text, with the row that it is.
pub(super) struct BodyLine {
    pub(super) text: String,
    pub(super) row: Option<RowKey>,
}

/// Returns the lines of the body, as they stand on a screen of the size of the state.
pub(super) fn body_lines(state: &State) -> Vec<BodyLine> {
    let (width, _) = state.size;
    let height = u16::try_from(state.body_height()).unwrap_or(u16::MAX);
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let mut drawing = Drawing {
        buffer: &mut buffer,
        look: Look::PLAIN,
        state,
        laid_out: &mut LaidOut::default(),
        panel_top: 0,
        areas: Vec::new(),
    };
    drawing.overlay_or_body(area);
    let areas = drawing.areas;
    let mut lines = Vec::new();
    for (y, cells) in (0..).zip(buffer.content.chunks(usize::from(width).max(1))) {
        let row = areas.iter().find_map(|area| match &area.hit {
            Hit::Row(key) if area.at.y == y => Some(key.clone()),
            _ => None,
        });
        let text = text_of(cells);
        lines.push(BodyLine { text, row });
    }
    lines
}

fn text_of(cells: &[Cell]) -> String {
    let (mut text, mut next) = (String::new(), 0);
    for (x, cell) in cells.iter().enumerate() {
        // The second column of a cluster belongs to it.
        if x >= next {
            text.push_str(cell.symbol());
            next = x + columns(cell.symbol()).max(1);
        }
    }
    text.trim_end().to_owned()
}

/// Returns all lines of the panel as texts.
pub(super) fn panel_texts(state: &State) -> Vec<String> {
    let mut laid_out = LaidOut::default();
    if let Some(shown) = state.panel_shown() {
        laid_out.lay_out(state, shown, Look::PLAIN, state.size.0);
    }
    let text = |line: &Line| line.spans().map(|span| span.text().to_owned()).collect();
    laid_out.lines.iter().map(text).collect()
}

struct Drawing<'a> {
    buffer: &'a mut Buffer,
    look: Look,
    state: &'a State,
    laid_out: &'a mut LaidOut,
    panel_top: usize,
    areas: Vec<Area>,
}

impl Drawing<'_> {
    fn row(&mut self, y: u16) -> Row<'_> {
        let width = self.buffer.area.width;
        Row::new(self.buffer, self.look, 0, y, width)
    }

    fn rule(&mut self, y: u16) {
        let line = "─".repeat(self.buffer.area.width.into());
        self.row(y).text(&line, DIM);
    }

    /// Draws what the keys are for, on a screen that has no room for more.
    fn one_line(&mut self, area: Rect) -> Option<(u16, u16)> {
        match &self.state.prompt {
            Some(prompt) if prompt.is_query() => self.query(area.y),
            Some(prompt) => self.prompt(prompt, Rect { height: 0, ..area }, area.y),
            None => self.overlay_or_body(area),
        }
    }

    fn overlay_or_body(&mut self, area: Rect) -> Option<(u16, u16)> {
        match &self.state.overlay {
            Some(Overlay::Help { .. }) => self.help(area),
            Some(Overlay::Saved { .. }) => self.saved(area),
            None => self.body(area),
        }
    }

    /// Draws all parts from the top down; returns the place of the cursor.
    fn whole(&mut self, parts: Parts) -> Option<(u16, u16)> {
        let Rect { width, height, .. } = self.buffer.area;
        self.first_line();
        let mut top = 1;
        let mut cursor = None;
        if parts.query {
            cursor = self.query(top);
            top += 1;
        }
        let mut end = height;
        if parts.keys {
            end -= 1;
            self.keys(end);
        }
        end -= 1;
        let line = end;
        if parts.rules {
            end -= 1;
            self.rule(top);
            self.rule(end);
            top += 1;
        }
        let body = Rect::new(0, top, width, end.saturating_sub(top));
        let place = self.overlay_or_body(body);
        match &self.state.prompt {
            Some(prompt) if !prompt.is_query() => cursor = self.prompt(prompt, body, line),
            _ => self.message(line),
        }
        cursor.or(place)
    }

    /// Says what it is about, which screens there are, and who acts.
    fn first_line(&mut self) {
        let state = self.state;
        let count = state.shown_repos().count();
        let about = match (state.only_repo(), count) {
            (Some(name), _) => one_line(name),
            (None, 1) => "1 repository".to_owned(),
            (None, count) => format!("all {count} repositories"),
        };
        let is_narrow = self.buffer.area.width < 60;
        let mut row = self.row(0);
        let most = row.left() / 3;
        row.text(" ", PLAIN)
            .fit(&about, BOLD, most)
            .text("  ", PLAIN);
        let tabs = SCREENS.iter().map(|(_, name, _)| columns(name) + 4);
        // A narrow one has room for its own name alone.
        let is_tight = row.left() < tabs.sum();
        let mut tabs = Vec::new();
        for (key, name, screen) in SCREENS {
            let begin = row.at();
            match state.screen == screen {
                true => row.text(&format!("[{key} {name}]"), BOLD),
                false if is_tight => &mut row,
                false => row.text(&format!(" {key} {name} "), PLAIN),
            };
            tabs.push((begin..row.at(), key));
        }
        let silent = state
            .shown_repos()
            .filter(|n| state.repos[*n].fault().is_some())
            .count();
        let (live, style) = match silent {
            0 => ("live ".to_owned(), GREEN),
            n => (format!("{n} not read "), RED),
        };
        let actor = if is_narrow {
            String::new()
        } else {
            format!("{}  ", one_line(&state.actor.to_string()))
        };
        let needs = columns(&actor) + columns(&live);
        if row.left() > needs {
            row.right(needs).text(&actor, PLAIN).text(&live, style);
        } else if row.left() > columns(&live) {
            row.right(columns(&live)).text(&live, style);
        }
        for (at, key) in tabs {
            self.add_key(at, 0, key);
        }
    }

    /// Notes what a part of the picture is.
    fn add(&mut self, at: Rect, hit: Hit) {
        self.areas.push(Area { at, hit });
    }

    /// Notes that a part of a line does what a key does.
    fn add_key(&mut self, columns: std::ops::Range<u16>, y: u16, key: &str) {
        let width = columns.end - columns.start;
        self.add(
            Rect::new(columns.start, y, width, 1),
            Hit::Key(key.to_owned()),
        );
    }

    /// Draws the query; returns the place of the cursor while it is typed.
    fn query(&mut self, y: u16) -> Option<(u16, u16)> {
        let state = self.state;
        if let Some(prompt) = state.prompt.as_ref().filter(|prompt| prompt.is_query()) {
            return self.typed(y, " /", prompt);
        }
        if state.screen.has_output() {
            self.output_line(y);
            return None;
        }
        let total = match state.screen {
            ScreenName::Board => state.board.total(),
            _ => state.list_total(),
        };
        let count = match total {
            1 => "1 issue ".to_owned(),
            n => format!("{n} issues "),
        };
        let query = query(state);
        let mut row = self.row(y);
        let room = row.left().saturating_sub(columns(&count) + 2);
        row.text(" ", PLAIN).fit(&query, CYAN, room);
        row.right(columns(&count)).text(&count, DIM);
        None
    }

    /// Draws the rows, the panel beside or over them, and returns the place of the cursor.
    fn body(&mut self, area: Rect) -> Option<(u16, u16)> {
        let state = self.state;
        if !state.has_two_panes() || state.parts().is_tiny {
            if state.panel.is_open {
                return self.panel(area);
            }
            return self.rows(area);
        }
        let left = state.rows_width();
        let place = self.rows(Rect {
            width: left,
            ..area
        });
        let style = if state.panel.is_open { BOLD } else { DIM };
        for y in area.top()..area.bottom() {
            Row::new(self.buffer, self.look, left, y, 1).text("│", style);
        }
        let x = left + 1;
        let width = area.width.saturating_sub(x);
        let top = self.panel(Rect { x, width, ..area });
        if state.panel.is_open { top } else { place }
    }

    fn rows(&mut self, area: Rect) -> Option<(u16, u16)> {
        let state = self.state;
        let area = match state.parts().is_tiny {
            true => area,
            // So that it is where the state says.
            false => Rect {
                height: area
                    .height
                    .min(u16::try_from(state.body_height()).unwrap_or(u16::MAX)),
                ..area
            },
        };
        match state.screen {
            ScreenName::Inbox => rows::inbox(self, area),
            ScreenName::Board => self.board(area),
            ScreenName::List => rows::list(self, area),
            _ => self.output(area),
        }
    }

    fn panel(&mut self, area: Rect) -> Option<(u16, u16)> {
        let state = self.state;
        self.add(area, Hit::Panel);
        // A column at either side.
        let area = Rect {
            x: area.x + 1,
            width: area.width.saturating_sub(2),
            ..area
        };
        if let Some(shown) = state.panel_shown() {
            self.laid_out.lay_out(state, shown, self.look, area.width);
            let height = usize::from(area.height);
            let most = self.laid_out.lines.len().saturating_sub(height);
            self.panel_top = state.panel.top.min(most);
            let lines = self.laid_out.lines.iter().skip(self.panel_top);
            for (y, line) in (area.top()..area.bottom()).zip(lines) {
                Row::new(self.buffer, self.look, area.x, y, area.width).line(line);
            }
        }
        Some((area.x, area.y))
    }

    /// Draws as many keys as find a place.
    fn keys(&mut self, y: u16) {
        let state = self.state;
        let (top, seen, all) = state.help_seen();
        let place = format!("more, {}-{} of {all}", top + 1, top + seen);
        let keys: Vec<(&str, &str)> = match &state.prompt {
            Some(prompt) if !prompt.is_query() => {
                let mut keys = vec![("esc", "leave")];
                if prompt.takes_text {
                    let does = if prompt.is_palette() { "go" } else { "save" };
                    keys.insert(0, ("enter", does));
                }
                if !prompt.choices.is_empty() {
                    keys.push(("Down, Up", "choose"));
                }
                if prompt.choices.iter().any(|choice| choice.key.is_some()) {
                    keys.push(match prompt.takes_text {
                        true => ("its number alone", "takes it"),
                        false => ("the key before it", "takes it"),
                    });
                }
                keys
            }
            Some(_) => vec![
                ("enter", "list"),
                ("esc", "leave"),
                ("git beads queries", "explains the language"),
            ],
            None if all > seen => vec![("j k", &place), ("esc", "leave")],
            None if all > 0 => vec![("esc", "leave")],
            None if state.overlay.is_some() => {
                vec![("j k", "down, up"), ("esc", "leave")]
            }
            None => {
                let lines = KEYS.iter().filter(|line| !line.short.is_empty());
                let lines = lines
                    .filter(|line| !is_last(line.does) && state.is_fitting(line.does))
                    .map(|line| (line.keys[0], short(line.does, line.short, state)));
                // Where the keys that move go, which the rows show by the one that is turned round.
                let scrolled = Some(("j k", "scroll")).filter(|_| state.panel.is_open);
                scrolled.into_iter().chain(lines).collect()
            }
        };
        let mut last = Vec::new();
        if state.prompt.is_none() && state.overlay.is_none() {
            for line in KEYS.iter().filter(|line| is_last(line.does)) {
                last.push((line.keys[0], short(line.does, line.short, state)));
            }
        }
        let width = |keys: &[(&str, &str)]| -> usize {
            let each = keys
                .iter()
                .map(|(key, words)| columns(&shown(key)) + columns(words) + 3);
            each.sum()
        };
        let needed = width(&last);
        let mut drawn = Vec::new();
        let mut row = self.row(y);
        row.text(" ", PLAIN);
        for (key, words) in keys {
            if row.left() < needed + width(&[(key, words)]) {
                break;
            }
            drawn.push((row.at(), key, words));
            row.key(&shown(key), words);
        }
        row.right(needed);
        for (key, words) in last {
            drawn.push((row.at(), key, words));
            row.key(&shown(key), words);
        }
        for (at, key, words) in drawn {
            let width = columns(&shown(key)) + columns(words) + 1;
            self.add_key(at..at + u16::try_from(width).unwrap_or(0), y, key);
        }
    }
}

/// Returns whether a key is always seen, at the end of the line of keys.
fn is_last(does: Does) -> bool {
    matches!(does, Does::AllRepos | Does::Help | Does::Quit)
}

/// Returns what a key does where the state says it better than the table.
fn short(does: Does, usual: &'static str, state: &State) -> &'static str {
    match does {
        Does::AllRepos if state.is_all => "this repository",
        Does::AllRepos => "all repositories",
        Does::Quit if !state.panel.is_open && state.screen == ScreenName::Inbox => "quit",
        _ => usual,
    }
}
