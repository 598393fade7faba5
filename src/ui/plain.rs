//! The same without a screen: numbered rows, a line of keys, and what they have come to. For those who hear it or read it in
//! braille, for terminals that take no escapes, and for pipes.

use std::collections::VecDeque;

use super::input::Input;
use super::painted::plain;
use super::state::{RowKey, ScreenName, Selected};
use super::{Face, draw};
use crate::desk::keys::{Does, Found, find};
use crate::model::visible::visible;
use crate::ops::Result;
use crate::platform::{read_input, write_output};

/// Columns and rows of the picture from which the lines are taken.
const SIZE: (u16, u16) = (99, 100);
/// Columns before a row, for its number.
const NUMBER: u16 = 4;

/// Something that is left to do of a line.
enum Step {
    Key(String),
    /// The answer to what a key has asked for.
    Text(String),
}

/// What there is to do after a step.
enum GoOn {
    AtOnce,
    /// Something has to come first.
    Later,
    /// There is nothing left to do or to wait for.
    End,
}

/// What rows are of.
#[derive(PartialEq, Eq)]
struct ShownScreen {
    screen: ScreenName,
    is_all: bool,
    query: String,
}

/// The face while it has no screen.
pub(super) struct Plain<'f> {
    face: &'f mut Face,
    /// The rows behind the numbers that were printed last.
    rows: Vec<RowKey>,
    /// What was typed and is no whole line yet.
    begun: Vec<u8>,
    lines: VecDeque<String>,
    steps: VecDeque<Step>,
    /// The row that keys without a number are for: the one that was selected when that was read or said last.
    selected: Option<Selected>,
    /// The screen whose rows were printed last; none where they are wanted again.
    shown: Option<ShownScreen>,
    /// The rows of the inbox as they were last.
    heard: Vec<String>,
    /// True once the mark is there behind which a line is typed.
    has_mark: bool,
    has_ended: bool,
    /// True if a text was given to what is asked for.
    has_answered: bool,
}

impl<'f> Plain<'f> {
    pub(super) fn new(face: &'f mut Face) -> Self {
        let mut columns = SIZE.0;
        if face.env.is_interactive() {
            columns = columns
                .min(super::size().0.saturating_sub(NUMBER))
                .max(NUMBER);
        }
        face.state.resize((columns, SIZE.1));
        Self {
            face,
            rows: Vec::new(),
            begun: Vec::new(),
            lines: VecDeque::new(),
            steps: VecDeque::new(),
            selected: None,
            shown: None,
            heard: Vec::new(),
            has_mark: false,
            has_ended: false,
            has_answered: false,
        }
    }

    /// Goes on until a key leaves, a signal comes, or no line does any more.
    pub(super) fn run(&mut self) -> Result<()> {
        while !self.face.state.is_over && !self.face.wake.is_ending() {
            self.face.take_time();
            self.face.hear();
            self.face.looks.look(&self.face.feed, &mut self.face.wake);
            self.face.ask();
            if self.face.state.is_drawable() && self.face.state.is_settled() {
                match self.go_on() {
                    GoOn::End => break,
                    GoOn::AtOnce => {
                        self.face.ask();
                        continue;
                    }
                    GoOn::Later => {}
                }
            }
            let time = self.face.time_to_wait(false, super::FRAME);
            let woken = self.face.wake.pause(Some(time), !self.has_ended);
            if woken.change {
                self.face.looks.want();
            }
            if woken.input {
                self.read();
            }
        }
        Ok(())
    }

    /// Does the next step.
    fn go_on(&mut self) -> GoOn {
        match self.steps.pop_front() {
            Some(Step::Key(key)) => {
                self.face.state.input(Input::Key(key));
                return GoOn::AtOnce;
            }
            Some(Step::Text(text)) => {
                self.answer(&text);
                return GoOn::AtOnce;
            }
            None => {}
        }
        let state = &mut self.face.state;
        if state.take_offered() {
            return GoOn::AtOnce;
        }
        if state.lent.take().is_some() || state.copied.take().is_some() {
            "this key is for a screen".clone_into(&mut state.message);
        }
        // A text that was not taken is no beginning of the next line.
        if std::mem::take(&mut self.has_answered) && state.prompt.is_some() {
            let why = std::mem::take(&mut state.message);
            state.input(Input::Key("esc".to_owned()));
            state.message = why;
        }
        if !self.print() {
            return GoOn::End;
        }
        if let Some(line) = self.lines.pop_front() {
            self.has_mark = false;
            self.face.state.begin_line();
            self.take(line.trim());
            return GoOn::AtOnce;
        }
        if self.has_ended {
            return GoOn::End;
        }
        if !self.has_mark && self.face.env.is_interactive() {
            let prompt = self.face.state.prompt.as_ref();
            let title = prompt.map_or("", |prompt| prompt.title.as_str());
            self.has_mark = true;
            let mark = format!("{}> ", draw::one_line(title));
            if write_output(mark.as_bytes()).is_err() {
                return GoOn::End;
            }
        }
        GoOn::Later
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        match read_input(&mut bytes) {
            Ok(0) => {
                self.has_ended = true;
                // A last line without its end is one too.
                if !self.begun.is_empty() {
                    self.begun.push(b'\n');
                }
            }
            Ok(n) => self.begun.extend_from_slice(&bytes[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => self.has_ended = true,
        }
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).into_owned();
            self.lines.push_back(line);
        }
    }

    /// Takes a line: the number of a row, keys, and what answers them.
    fn take(&mut self, line: &str) {
        if self.face.state.prompt.is_some() {
            self.steps.push_back(Step::Text(line.to_owned()));
            return;
        }
        let (first, mut rest) = split(line);
        let mut keys = first;
        if let Ok(number) = first.parse::<usize>() {
            let row = number.checked_sub(1).and_then(|n| self.rows.get(n));
            if !row.is_some_and(|row| self.face.state.select_row(row)) {
                let why = format!("no row {first} any more: an empty line shows what there is");
                self.face.state.message = why;
                return;
            }
            self.selected = self.face.state.selected_in_rows();
            (keys, rest) = split(rest);
            if keys.is_empty() {
                keys = "enter";
            }
        } else if is_for_a_row(keys) && self.selected != self.face.state.selected_in_rows() {
            let why = "another row is selected now: a number in front says which one is meant";
            why.clone_into(&mut self.face.state.message);
            return;
        }
        if keys.is_empty() {
            self.shown = None;
            return;
        }
        // What these ask for may stand right behind them.
        if keys.starts_with([':', '/']) && keys.len() > 1 {
            rest = &line[line.find([':', '/']).unwrap_or(0) + 1..];
            keys = &keys[..1];
        }
        match find(None, keys) {
            Found::Nothing if keys.chars().count() > 2 => {
                let why = format!("no key: {keys}; `?` lists the keys, a number opens a row");
                self.face.state.message = why;
            }
            Found::Nothing => {
                let letters = keys.chars().map(String::from);
                self.steps.extend(letters.map(Step::Key));
            }
            Found::Does(Does::Suspend | Does::Redraw | Does::NextPane | Does::Board) => {
                "this key is for a screen".clone_into(&mut self.face.state.message);
                return;
            }
            Found::Does(_) | Found::Begins => self.steps.push_back(Step::Key(keys.to_owned())),
        }
        if !rest.is_empty() {
            self.steps.push_back(Step::Text(rest.to_owned()));
        }
    }

    /// Answers what is asked for: by the key of a choice, else by a text.
    fn answer(&mut self, text: &str) {
        let Some(prompt) = &self.face.state.prompt else {
            // A key that asks for nothing, or one that was refused, which is said.
            return;
        };
        let (first, rest) = split(text);
        let has_key = |key: char| prompt.choices.iter().any(|choice| choice.key == Some(key));
        let mut letters = first.chars();
        if let (Some(key), None) = (letters.next(), letters.next())
            && has_key(key)
        {
            if !rest.is_empty() {
                self.steps.push_front(Step::Text(rest.to_owned()));
            }
            self.steps.push_front(Step::Key(key.to_string()));
        } else if text == "esc" {
            self.steps.push_front(Step::Key(text.to_owned()));
        } else {
            // All of it, and not behind what a screen would show to be changed. A word that is new is meant: it was typed in
            // a line of its own.
            self.face.state.retype(text);
            self.has_answered = true;
            self.steps.push_front(Step::Key("enter".to_owned()));
        }
    }

    /// Returns the rows, each with its number.
    fn rows(&mut self) -> Vec<String> {
        let state = &self.face.state;
        let mut out = Vec::new();
        self.rows.clear();
        if state.screen == ScreenName::List {
            out.push(format!(
                "    {} issues: {}",
                state.list_total(),
                draw::query(state)
            ));
        }
        for line in draw::body_lines(state) {
            let mut number = String::new();
            // What is said below a row is the row too.
            if let Some(row) = line.row.filter(|row| self.rows.last() != Some(row)) {
                self.rows.push(row);
                number = self.rows.len().to_string();
            }
            out.push(format!("{number:>3} {}", line.text));
        }
        out
    }

    /// Prints what is new since it printed last; returns false where no one reads it any more.
    fn print(&mut self) -> bool {
        let mut out = Vec::new();
        let mut state = &mut self.face.state;
        let screen = ShownScreen {
            screen: state.screen,
            is_all: state.is_all,
            query: state.list.query.clone(),
        };
        if state.panel.is_open {
            out = draw::panel_texts(state);
            state.close_panel();
        } else if state.overlay.is_some() {
            out.extend(draw::body_lines(state).into_iter().map(|line| line.text));
            state.overlay = None;
        } else if state.screen.has_output() {
            out.extend(state.output.lines.iter().map(|line| visible(&plain(line))));
            state.leave_output();
        } else if self.shown.as_ref() != Some(&screen) {
            out = self.rows();
            state = &mut self.face.state;
            self.shown = Some(screen);
            self.selected = state.selected_in_rows();
        }
        let rows = state.row_texts();
        for (key, text) in &rows {
            // What this user has done is said, and not once more as news.
            if self.has_mark && !self.heard.contains(text) {
                if !self.rows.contains(key) {
                    self.rows.push(key.clone());
                }
                let number = self.rows.iter().position(|row| row == key).unwrap_or(0) + 1;
                out.push(draw::one_line(&format!("{number} {text}")));
            }
        }
        self.heard = rows.into_iter().map(|(_, text)| text).collect();
        if !state.message.is_empty() {
            out.push(draw::one_line(&std::mem::take(&mut state.message)));
        }
        let prompt = state.prompt.as_ref().filter(|_| self.lines.is_empty());
        let title = prompt.filter(|_| !self.face.env.is_interactive());
        out.extend(title.map(|prompt| draw::one_line(&prompt.title)));
        for choice in prompt.iter().flat_map(|prompt| &prompt.choices) {
            let key = choice.key.map(String::from).unwrap_or_default();
            out.push(draw::one_line(&format!("{key} {}", choice.words)));
        }
        while out.last().is_some_and(|line| line.trim().is_empty()) {
            out.pop();
        }
        if out.is_empty() {
            return true;
        }
        // Behind a mark that waits for a line.
        let begin = if std::mem::take(&mut self.has_mark) {
            "\n"
        } else {
            ""
        };
        write_output(format!("{begin}{}\n", out.join("\n")).as_bytes()).is_ok()
    }
}

/// Returns whether keys begin with one that does something to an issue.
fn is_for_a_row(keys: &str) -> bool {
    let first = keys.chars().next().map(String::from);
    let Found::Does(does) = find(None, &first.unwrap_or_default()) else {
        return false;
    };
    let is_act = does == Does::State || does.act().is_some();
    is_act && !matches!(does, Does::New | Does::Undo | Does::Redo)
}

/// Splits the first word off.
fn split(line: &str) -> (&str, &str) {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (first, rest.trim_start())
}
