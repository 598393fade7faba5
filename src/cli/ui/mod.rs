//! Terminals: the only place that prints, and that starts pager and editor.
//!
//! Standard output is the answer, standard error is talk. Text of other people is shown, never sent:
//! on a terminal, characters that would move the cursor or hide text are printed by their number.

mod browser;
mod buffer;
pub(super) mod dates;
pub(super) mod editor;
pub(super) mod links;
mod pager;
pub(super) mod progress;
pub(super) mod sanitize;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anstyle::Style;
use serde::Serialize;

use super::globals::{Globals, JsonStyle, When};
use crate::env::Env;
use crate::ops::answer::{Answer, Envelope, envelope};
use crate::ops::shared::current_branch::PANE;
use crate::ops::{self, Code, Error, Hint, Result, Tracker};
use crate::platform::takes_escapes;
use crate::text::line::{LineRef, Look, Span};
use dates::Dates;
use links::Links;
use pager::Pager;
use sanitize::{HarmlessLines, escaped, harmless};

/// Columns of the narrowest layout; a terminal with fewer wraps the lines itself.
const NARROWEST: usize = 40;
/// Columns of a tab in a list or table.
const TAB: &str = "    ";
/// Version of the JSON answers.
const JSON_VERSION: u32 = 1;

/// The writer of answers: standard output or a pager, and the form of the answer.
pub(super) struct Ui {
    pub(super) env: Env,
    out: Box<dyn Write>,
    pager: Option<Rc<RefCell<Pager>>>,
    pub(super) json: Option<JsonStyle>,
    pub(super) quiet: bool,
    /// The issues that the command has opened again, for its answer.
    pub(super) unblocked: Vec<String>,
    terminal: bool,
    colour: bool,
    closed: bool,
    failed: Option<std::io::Error>,
    base: PathBuf,
    links: Links,
    /// Times as the reader wants them.
    pub(super) dates: Dates,
    /// The options that say where, and as whom, the caller acts, as commands repeat them.
    lead: Vec<(&'static str, String)>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Versioned<T> {
    /// Version of this shape.
    pub(super) v: u32,
    #[serde(flatten)]
    pub(super) envelope: T,
}

impl Ui {
    /// Returns a writer to standard output, with what can be learned from the terminal.
    pub(super) fn new(env: &Env, global: &Globals) -> Self {
        // What is printed for a pane is drawn on a terminal.
        let pane = pane(env);
        let terminal = env.output_is_terminal() || pane.is_some();
        let colour = wants_colour(env, global, None, terminal);
        Self {
            env: env.clone(),
            out: Box::new(std::io::BufWriter::new(env.output())),
            pager: None,
            json: global.json,
            quiet: global.quiet,
            unblocked: Vec::new(),
            terminal,
            colour,
            closed: false,
            failed: None,
            base: base(env, global),
            links: Links::unless(pane.is_some()),
            dates: Dates::new(env, global.date.clone(), None, terminal),
            lead: global.leading(),
        }
    }

    /// Adds what the repository has configured.
    pub(super) fn configure(&mut self, global: &Globals, tracker: &Tracker) {
        self.colour = wants_colour(&self.env, global, Some(tracker), self.terminal);
        if self.env.output_is_terminal() {
            self.links = Links::configured(tracker);
        }
        let form = tracker.config("log.date");
        self.dates = Dates::new(
            &self.env,
            global.date.clone(),
            form.as_deref(),
            self.terminal,
        );
    }

    /// Returns a hint whose command says where, and as whom, the caller acts.
    pub(super) fn led(&self, hint: impl Into<Hint>) -> Hint {
        let mut hint = hint.into();
        for (flag, value) in &self.lead {
            hint.lead(flag, value);
        }
        hint
    }

    /// Returns the columns of the terminal; none in a pipe.
    pub(super) fn width(&self) -> Option<usize> {
        if !self.terminal {
            return None;
        }
        let columns = self.env.var("COLUMNS").and_then(|text| text.parse().ok());
        let columns = pane(&self.env).or(columns);
        let measured = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Some(columns.or(measured).unwrap_or(80).max(NARROWEST))
    }

    /// Returns the lines of the terminal; in a pipe those of an old one.
    pub(super) fn height(&self) -> usize {
        let measured = terminal_size::terminal_size().filter(|_| self.terminal);
        measured
            .map_or(24, |(_, height)| usize::from(height.0))
            .max(10)
    }

    /// Refuses an option that asks for one form of answer together with an option of all verbs that asks for another. Clap
    /// does so only where both stand behind the verb.
    pub(super) fn refuse(&self, others: &[&str], option: &str, verb: &str) -> Result<()> {
        let given = |other: &&&str| {
            if **other == "--json" {
                self.json.is_some()
            } else {
                self.quiet
            }
        };
        let Some(other) = others.iter().find(given) else {
            return Ok(());
        };
        let message = format!("the argument '{option}' cannot be used with '{other}'");
        Err(Error::new(Code::Usage, message).hinted(ops::Command::of("help").word(verb)))
    }

    /// Prints an answer: as JSON, as ids, or as text.
    pub(super) fn answer<T: Answer>(
        &mut self,
        body: T,
        ids: impl FnOnce(&T) -> Vec<String>,
        text: impl FnOnce(&mut Self, &T),
    ) {
        if self.json.is_some() {
            let unblocked = std::mem::take(&mut self.unblocked);
            self.print_json(&Envelope {
                unblocked,
                ..envelope(body)
            });
        } else if self.quiet {
            for id in ids(&body) {
                self.line(&id);
            }
        } else {
            text(self, &body);
            for id in std::mem::take(&mut self.unblocked) {
                self.line(&format!("{id} is open again: nothing blocks it any more"));
            }
        }
    }

    fn print_json<T: Serialize>(&mut self, envelope: &Envelope<T>)
    where
        Envelope<T>: Serialize,
    {
        let versioned = Versioned {
            v: JSON_VERSION,
            envelope,
        };
        let text = match self.json {
            Some(JsonStyle::Pretty) => serde_json::to_string_pretty(&versioned),
            _ => serde_json::to_string(&versioned),
        };
        let text = text.unwrap_or_default();
        // A program gets every character; a terminal none that would steer it.
        let text = if self.terminal { escaped(&text) } else { text };
        self.line(&text);
    }

    /// Prints a line of an answer. On a terminal nothing but our own styles can steer it.
    pub(super) fn line<'l>(&mut self, line: impl Into<LineRef<'l>>) {
        for Span { look, text } in line.into().spans() {
            let Look { style, link } = look;
            let is_painted = style != Style::new();
            if let Some(address) = &link {
                self.raw(&format!("\u{1b}]8;;{address}\u{1b}\\"));
            }
            if is_painted {
                self.raw(&style.to_string());
            }
            if self.terminal {
                self.raw(&harmless(&text));
            } else {
                self.raw(&text);
            }
            if is_painted {
                self.raw(&format!("{style:#}"));
            }
            if link.is_some() {
                self.raw("\u{1b}]8;;\u{1b}\\");
            }
        }
        self.raw("\n");
    }

    /// Prints a text that is not empty, without the spaces at its end.
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(text.trim_end());
        }
    }

    /// Prints a line of a list or table: on a terminal it is cut to the width.
    pub(super) fn row<'l>(&mut self, line: impl Into<LineRef<'l>>) {
        let line = line.into();
        match self.width() {
            Some(width) => {
                // Numbers take more columns than what they stand for, so they come before the cut.
                let shown = line.map(|text| harmless(text).replace('\t', TAB));
                self.line(&LineRef::from(&shown).cut(width));
            }
            None => self.line(line),
        }
    }

    fn raw(&mut self, text: &str) {
        if self.closed {
            return;
        }
        if let Err(error) = self.out.write_all(text.as_bytes()) {
            self.fail(error);
        }
    }

    /// Stops writing. A reader that has gone is no error; a full disk is one.
    fn fail(&mut self, error: std::io::Error) {
        self.closed = true;
        // A reader that has seen enough, as `head` has, is no failure.
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            self.failed = Some(error);
        }
    }

    /// Sends what is buffered; returns false if the reader has gone.
    pub(super) fn flush(&mut self) -> bool {
        if !self.closed
            && let Err(error) = self.out.flush()
        {
            self.fail(error);
        }
        !self.closed
    }

    /// Resolves a path that the user named: relative to `-C`, or to where a shell alias was called.
    pub(super) fn path(&self, named: &Path) -> PathBuf {
        if named.as_os_str() == "-" {
            named.to_owned()
        } else {
            self.base.join(named)
        }
    }

    /// Prints a file through `write`: on a terminal with nothing that steers it, else every byte as it is.
    pub(super) fn stream<T>(
        &mut self,
        form: fn(&str) -> String,
        write: impl FnOnce(&mut dyn Write) -> T,
    ) -> T {
        if !self.terminal {
            return write(&mut *self.out);
        }
        let mut lines = HarmlessLines::new(&mut *self.out, form);
        let written = write(&mut lines);
        if let Err(error) = lines.finish() {
            self.fail(error);
        }
        written
    }

    /// Sends what is buffered and waits for the pager.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush();
        // Closes the pipe: only then does the pager know that nothing follows.
        drop(self.out);
        let paged = self.pager.map(|pager| pager.borrow_mut().finish());
        match self.failed.or_else(|| paged?.err()) {
            None => Ok(()),
            Some(error) => Err(
                Error::new(Code::Io, format!("can't write the answer: {error}")).hinted(
                    Hint::text("what was to be done is done; only the answer could not be written"),
                ),
            ),
        }
    }

    /// Returns true if answers are coloured.
    pub(super) fn is_coloured(&self) -> bool {
        self.colour
    }

    /// Paints a text, where colours are wanted.
    pub(super) fn paint<'t>(&self, style: Style, text: impl Into<Cow<'t, str>>) -> Span<'t> {
        let style = if self.colour { style } else { Style::new() };
        Span::new(style, text)
    }

    /// Makes one line of another person's text.
    pub(super) fn one_line(&self, text: &str) -> String {
        self.cell(text).into_owned()
    }

    /// Makes one line of another person's text, without a copy where it is one already and needs no change.
    pub(super) fn cell<'t>(&self, text: &'t str) -> Cow<'t, str> {
        const BREAKS: [char; 3] = ['\n', '\r', '\t'];
        if !text.contains(BREAKS) {
            let text = text.trim();
            return if self.terminal {
                self.shown(text).into()
            } else {
                text.into()
            };
        }
        let parts: Vec<&str> = text
            .split(BREAKS)
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        self.shown(&parts.join(" ")).into()
    }

    /// Makes another person's text harmless on a terminal; line breaks stay.
    pub(super) fn shown(&self, text: &str) -> String {
        if self.terminal {
            harmless(text)
        } else {
            text.to_owned()
        }
    }
}

/// Returns the columns of the pane of `ui` for which this is printed.
fn pane(env: &Env) -> Option<usize> {
    env.var(PANE)?.parse().ok()
}

fn wants_colour(env: &Env, global: &Globals, tracker: Option<&Tracker>, terminal: bool) -> bool {
    // git sets it when its own pager shows what we print.
    let auto = terminal && takes_escapes() || env.var("GIT_PAGER_IN_USE").is_some();
    match global.color {
        Some(When::Always) => return true,
        Some(When::Never) => return false,
        Some(When::Auto) => return auto,
        None => {}
    }
    if env.var("NO_COLOR").is_some() {
        return false;
    }
    if env.var("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    if env.var("TERM").as_deref() == Some("dumb") {
        return false;
    }
    let configured = tracker.and_then(|tracker| {
        let own = tracker.config("color.beads");
        own.or_else(|| tracker.config("color.ui"))
    });
    match configured.as_deref() {
        Some("always") => true,
        Some("never" | "false" | "no" | "off" | "0") => false,
        _ => auto,
    }
}

/// Returns the folder that paths are relative to: `-C`, else the one an alias was called in, else the current one.
fn base(env: &Env, global: &Globals) -> PathBuf {
    let below = global
        .dir
        .clone()
        // git runs an alias that begins with `!` at the top of the work tree, and says here where the user was.
        .or_else(|| env.var_os("GIT_PREFIX").map(PathBuf::from))
        .unwrap_or_default();
    let here = env.current_dir().map(Path::to_owned);
    here.unwrap_or_default().join(below)
}

/// Prints a message to standard error.
pub(super) fn talk(env: &Env, label: &str, text: &str) {
    let text = if env.error_is_terminal() || pane(env).is_some() {
        harmless(text)
    } else {
        text.to_owned()
    };
    // A name of somebody's may hold a line that looks like a hint of ours.
    let text = match label {
        "error" | "warning" | "note" => text.replace('\n', "\n  "),
        _ => text,
    };
    // Without standard error there is no way left to report its loss.
    let _ = env
        .error()
        .write_all(format!("{label}: {text}\n").as_bytes());
}

/// Asks a person; anything but a clear yes is a no.
pub(super) fn asked(env: &Env, question: &str) -> bool {
    let mut err = env.error();
    let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
    let mut line = String::new();
    env.input().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

/// Returns a shell that will run a command.
fn shell(env: &Env, command: &str) -> Command {
    let mut shell = env.command("sh");
    shell.arg("-c").arg(command);
    shell
}
