//! The mouse: what is drawn says what lies where, and a click is the key for that, or the choice of it.

use ratatui::layout::{Position, Rect};

use super::act::SLIP;
use super::inbox::RowKey;
use super::{ScreenName, Selected, State};
use crate::desk::keys::Does;
use crate::ui::input::{Input, Mouse, MouseDoes};

/// Milliseconds within which two clicks are one that opens.
const DOUBLE: u64 = 400;
/// Lines of the panel that a turn of the wheel goes.
const WHEEL: usize = 3;

/// A part of the picture.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Area {
    pub(in crate::ui) at: Rect,
    pub(in crate::ui) hit: Hit,
}

/// What a part of the picture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum Hit {
    /// It does what this key does.
    Key(String),
    /// It is the row or card of an issue.
    Row(RowKey),
    /// It is a choice of what is asked for, by its words.
    Choice(String),
    /// It is a column of the board.
    Column(String),
    Panel,
}

/// The mouse as far as it matters.
#[derive(Debug, Default)]
pub(in crate::ui) struct Pointer {
    /// True while the terminal has it, so that it selects text.
    pub(in crate::ui) is_off: bool,
    clicked: Option<(RowKey, u64)>,
    /// The time at which a key that is drawn was pressed.
    pressed_at: Option<u64>,
    /// The screen that was drawn last, and the time at which its rows have come to other places.
    screen: Option<ScreenName>,
    moved_at: Option<u64>,
    /// The card that is being dragged.
    dragged: Option<Selected>,
    /// The column that it is over.
    pub(in crate::ui) over: Option<String>,
}

impl State {
    /// Takes what lies where in the picture that was drawn last.
    pub(in crate::ui) fn set_areas(&mut self, areas: Vec<Area>) {
        // Not what the user has gone to: that is looked at first.
        let is_same_screen = self.pointer.screen.replace(self.screen) == Some(self.screen);
        let is_first = rows(&self.areas).next().is_none();
        if is_same_screen && !is_first && !rows(&self.areas).eq(rows(&areas)) {
            self.pointer.moved_at = Some(self.up);
        }
        self.areas = areas;
    }

    /// Gives the mouse to the terminal, or takes it again.
    pub(super) fn turn_mouse(&mut self) {
        self.pointer.is_off = !self.pointer.is_off;
        self.message = match self.pointer.is_off {
            false => "the mouse is this window's again".to_owned(),
            true => "the mouse selects text now: `m` takes it again".to_owned(),
        };
    }

    /// Ends a drag; returns whether there was one.
    pub(super) fn drop_nothing(&mut self) -> bool {
        self.pointer.over = None;
        self.pointer.dragged.take().is_some()
    }

    fn hits(&self, mouse: Mouse) -> impl Iterator<Item = &Hit> {
        let at = Position::new(mouse.x, mouse.y);
        let areas = self.areas.iter().rev();
        let areas = areas.filter(move |area| area.at.contains(at));
        areas.map(|area| &area.hit)
    }

    /// Takes what the mouse did.
    pub(super) fn mouse(&mut self, mouse: Mouse) {
        let hit = self.hits(mouse).next().cloned();
        let column = self.hits(mouse).find_map(|hit| match hit {
            Hit::Column(key) => Some(key.clone()),
            _ => None,
        });
        let is_new = !matches!(mouse.does, MouseDoes::Drag | MouseDoes::Release);
        if is_new && self.prompt.is_none() {
            self.message.clear();
        }
        match (mouse.does, hit) {
            // What is asked for takes no key but its own.
            (MouseDoes::Press, Some(Hit::Key(key)))
                if self.prompt.is_none() || matches!(&*key, "enter" | "esc") =>
            {
                // The second of two clicks is for the key that was there.
                let last = self.pointer.pressed_at.replace(self.up);
                if last.is_none_or(|at| self.up.saturating_sub(at) >= DOUBLE) {
                    self.input(Input::Key(key));
                }
            }
            (MouseDoes::Press, Some(Hit::Choice(words))) => self.choose(&words),
            (MouseDoes::Up | MouseDoes::Down, hit) => {
                self.wheel(mouse.does, hit.as_ref(), column.as_ref());
            }
            // What is asked for is answered first.
            _ if self.prompt.is_some() || self.overlay.is_some() => {}
            (MouseDoes::Press, Some(Hit::Row(key))) => self.click(key),
            (MouseDoes::Press, Some(Hit::Panel)) => self.open_panel(),
            (MouseDoes::RightPress, Some(Hit::Row(key))) => self.open_menu(&key),
            (MouseDoes::Drag, _) if self.pointer.dragged.is_some() => {
                (self.pointer.over, self.pointer.clicked) = (column, None);
            }
            (MouseDoes::Release, _) => self.release(),
            _ => {}
        }
    }

    fn open_menu(&mut self, key: &RowKey) {
        if self.select_row(key) {
            self.slipped_at = self.pointer.moved_at;
            self.begin_act(Does::State);
        }
    }

    fn choose(&mut self, words: &str) {
        if let Some(prompt) = &mut self.prompt {
            let at = prompt.shown().iter().position(|it| it.words == words);
            if at.is_some() {
                prompt.at = at;
                self.answer_to_prompt("enter");
            }
        }
    }

    fn click(&mut self, key: RowKey) {
        if !self.select_row(&key) {
            return;
        }
        // What has just come to this place may not be what was meant: it is selected, and takes no act for a moment.
        let moved_at = self.pointer.moved_at;
        self.slipped_at = moved_at.filter(|at| self.up.saturating_sub(*at) < SLIP);
        let now = (key, self.up);
        let last = self.pointer.clicked.take();
        if last.is_some_and(|(key, at)| key == now.0 && now.1.saturating_sub(at) < DOUBLE) {
            return self.open_panel();
        }
        self.pointer.dragged = self
            .selected_in_rows()
            .filter(|_| self.screen == ScreenName::Board && self.slipped_at.is_none());
        self.pointer.clicked = Some(now);
    }

    /// Scrolls what is under the mouse.
    fn wheel(&mut self, does: MouseDoes, hit: Option<&Hit>, column: Option<&String>) {
        let is_down = does == MouseDoes::Down;
        let at = self
            .board
            .columns
            .iter()
            .position(|it| column == Some(&it.key));
        if self.prompt.is_some() || self.overlay.is_some() {
            let key = if is_down { "down" } else { "up" };
            self.input(Input::Key(key.to_owned()));
        } else if hit == Some(&Hit::Panel) || self.panel.is_open {
            let top = self.panel.top;
            self.panel.top = match is_down {
                true => top + WHEEL,
                false => top.saturating_sub(WHEEL),
            };
        } else if let Some(at) = at.filter(|at| *at != self.board.column) {
            let top = &mut self.board.columns[at].top;
            *top = if is_down {
                *top + 1
            } else {
                top.saturating_sub(1)
            };
        } else {
            let step = if is_down { 1 } else { -1 };
            self.go_in_rows(step);
        }
    }

    /// Ends a drag where the button is let go: over another column the card moves there.
    fn release(&mut self) {
        let over = self.pointer.over.take();
        let (Some(dragged), Some(over)) = (self.pointer.dragged.take(), over) else {
            return;
        };
        let column = self.board.columns.get(self.board.column);
        if column.is_none_or(|column| column.key == over) {
            return;
        }
        if self.selected_in_rows() != Some(dragged) {
            return self.refuse("the card has gone meanwhile".to_owned());
        }
        if let Some(target) = self.seen_target() {
            self.move_card(target, &over);
        }
    }
}

/// Returns the rows of a picture, each with its line.
fn rows(areas: &[Area]) -> impl Iterator<Item = (u16, &RowKey)> {
    areas.iter().filter_map(|area| match &area.hit {
        Hit::Row(key) => Some((area.at.y, key)),
        _ => None,
    })
}
