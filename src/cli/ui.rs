//! Terminals: the only place that prints, and that starts pager and editor.
//!
//! Standard output is the answer, standard error is talk. Text of other people is shown, never sent:
//! on a terminal, characters that would move the cursor or hide text are printed by their number.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anstyle::Style;
use serde::Serialize;

use super::args::{Global, JsonStyle, When};
use super::columns::{self, OURS};
use crate::env;
use crate::model::id::is_format;
use crate::ops::answer::{Answer, Envelope, envelope};
use crate::ops::{self, Code, Error, Hint, Result};
use crate::store::Store;

/// A narrower terminal is written to as one of so many columns, and wraps by itself.
const NARROWEST: usize = 40;
/// Version of the JSON answers.
const JSON_VERSION: u32 = 1;

/// Where and how answers are written.
pub(super) struct Ui {
    out: Box<dyn Write>,
    pager: Option<Child>,
    pub(super) json: Option<JsonStyle>,
    pub(super) quiet: bool,
    terminal: bool,
    colour: bool,
    closed: bool,
    failed: Option<std::io::Error>,
    base: PathBuf,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Versioned<T> {
    /// Version of this shape.
    pub(super) v: u32,
    #[serde(flatten)]
    pub(super) envelope: T,
}

impl Ui {
    /// Looks at the terminal; the repository adds its configuration, where there is one.
    pub(super) fn new(global: &Global, store: Option<&Store>) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let colour = wants_colour(global, store, terminal);
        Self {
            out: Box::new(std::io::BufWriter::new(std::io::stdout())),
            pager: None,
            json: global.json,
            quiet: global.quiet,
            terminal,
            colour,
            closed: false,
            failed: None,
            base: base(global),
        }
    }

    /// Writes to a buffer instead: for a demonstration.
    pub(super) fn to_writer(out: Box<dyn Write>, global: &Global, colour: bool) -> Self {
        let (json, quiet, base) = (global.json, global.quiet, base(global));
        Self {
            out,
            pager: None,
            json,
            quiet,
            terminal: false,
            colour,
            closed: false,
            failed: None,
            base,
        }
    }

    /// Columns of the terminal; none in a pipe.
    pub(super) fn width(&self) -> Option<usize> {
        if !self.terminal {
            return None;
        }
        let columns = env::var("COLUMNS").and_then(|text| text.parse().ok());
        let measured = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Some(columns.or(measured).unwrap_or(80).max(NARROWEST))
    }

    /// Lines of the terminal; those of an old one in a pipe.
    pub(super) fn height(&self) -> usize {
        let measured = terminal_size::terminal_size().filter(|_| self.terminal);
        measured
            .map_or(24, |(_, height)| usize::from(height.0))
            .max(10)
    }

    /// Refuses an option that makes an answer of its own beside an option of all verbs that asks for another. Clap
    /// does so only where both stand behind the verb.
    ///
    /// # Errors
    /// Both were given.
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
            self.print_json(&envelope(body));
        } else if self.quiet {
            for id in ids(&body) {
                self.line(&id);
            }
        } else {
            text(self, &body);
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
        let text = if self.terminal { escaped(&text) } else { text };
        self.line(&text);
    }

    /// Prints a line of an answer. On a terminal nothing but our own colours can steer it.
    pub(super) fn line(&mut self, text: &str) {
        let text = if self.terminal {
            harmless(text).into()
        } else {
            Cow::Borrowed(text)
        };
        for part in text.split(OURS) {
            self.raw(part);
        }
        self.raw("\n");
    }

    /// Prints a whole text of ours, if there is any.
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(text.trim_end());
        }
    }

    /// Prints a line of a list or table: on a terminal it is cut to the width.
    pub(super) fn row(&mut self, text: &str) {
        match self.width() {
            Some(width) => self.line(&columns::cut(&harmless(text), width)),
            None => self.line(text),
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

    /// A reader that has gone is no error; a full disk is one.
    fn fail(&mut self, error: std::io::Error) {
        self.closed = true;
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            self.failed = Some(error);
        }
    }

    /// Sends what is buffered; whether somebody still reads.
    pub(super) fn flush(&mut self) -> bool {
        if !self.closed
            && let Err(error) = self.out.flush()
        {
            self.fail(error);
        }
        !self.closed
    }

    /// Draws on a screen of its own from here on; what stood on the terminal comes back with
    /// [`Ui::leave_screen`].
    pub(super) fn enter_screen(&mut self) {
        self.raw("\u{1b}[?1049h\u{1b}[?25l");
    }

    /// Begins to draw at the top again.
    pub(super) fn clear_screen(&mut self) {
        self.raw("\u{1b}[H\u{1b}[2J");
    }

    /// Gives the terminal back as it was.
    pub(super) fn leave_screen(&mut self) {
        self.raw("\u{1b}[?25h\u{1b}[?1049l");
        self.flush();
    }

    /// A path that the user named: relative to `-C`, or to where a shell alias was called.
    pub(super) fn path(&self, named: &Path) -> PathBuf {
        if named.as_os_str() == "-" {
            named.to_owned()
        } else {
            self.base.join(named)
        }
    }

    /// Prints through `write`, which gets the bare output.
    pub(super) fn stream<T>(&mut self, write: impl FnOnce(&mut dyn Write) -> T) -> T {
        write(&mut *self.out)
    }

    /// Sends what is buffered and waits for the pager.
    ///
    /// # Errors
    /// An output that could not be written.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush();
        drop(self.out);
        if let Some(mut pager) = self.pager {
            let _ = pager.wait();
        }
        match self.failed {
            None => Ok(()),
            Some(error) => Err(
                Error::new(Code::Io, format!("can't write the answer: {error}")).hinted(
                    Hint::text("what was to be done is done; only the answer could not be written"),
                ),
            ),
        }
    }

    /// Whether answers are coloured.
    pub(super) fn is_coloured(&self) -> bool {
        self.colour
    }

    /// Paints a text, where colours are wanted.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        let mut painted = String::with_capacity(text.len());
        self.paint_into(&mut painted, style, text);
        painted
    }

    /// Appends a text, painted where colours are wanted.
    pub(super) fn paint_into(&self, line: &mut String, style: Style, text: &str) {
        if !self.colour {
            return line.push_str(text);
        }
        // A bold red is two sequences.
        let marked = |sequence: String| sequence.replace('\u{1b}', &format!("{OURS}\u{1b}"));
        line.push_str(&marked(style.to_string()));
        line.push_str(text);
        line.push_str(&marked(format!("{style:#}")));
    }

    /// Makes one line of somebody's text.
    pub(super) fn one_line(&self, text: &str) -> String {
        self.cell(text).into_owned()
    }

    /// The same, of a text that may be one already.
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

    /// Makes somebody's text harmless on a terminal; line breaks stay.
    pub(super) fn shown(&self, text: &str) -> String {
        if self.terminal {
            harmless(&text.replace(OURS, ""))
        } else {
            text.to_owned()
        }
    }

    /// Starts a pager for a long answer, as git would.
    pub(super) fn page(&mut self, global: &Global, store: &Store) {
        if !self.terminal
            || global.no_pager
            || self.json.is_some()
            || self.quiet
            || env::var("GIT_PAGER_IN_USE").is_some()
        {
            return;
        }
        let set = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let command = set("GIT_PAGER")
            .or_else(|| store.config("core.pager"))
            .or_else(|| set("PAGER"))
            .unwrap_or_else(|| "less".to_owned());
        if command.is_empty() || command == "cat" || store.config_bool("pager.beads") == Some(false)
        {
            return;
        }
        let mut shell = shell(&command);
        if env::var_os("LESS").is_none() {
            shell.env("LESS", "FRX");
        }
        if let Ok(mut child) = shell.stdin(Stdio::piped()).spawn()
            && let Some(stdin) = child.stdin.take()
        {
            self.out = Box::new(std::io::BufWriter::new(stdin));
            self.pager = Some(child);
        }
    }
}

fn wants_colour(global: &Global, store: Option<&Store>, terminal: bool) -> bool {
    let auto = terminal || env::var("GIT_PAGER_IN_USE").is_some();
    match global.color {
        Some(When::Always) => return true,
        Some(When::Never) => return false,
        Some(When::Auto) => return auto,
        None => {}
    }
    if env::var("NO_COLOR").is_some() {
        return false;
    }
    if env::var("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    if env::var("TERM").as_deref() == Some("dumb") {
        return false;
    }
    let configured = store.and_then(|store| {
        store
            .config("color.beads")
            .or_else(|| store.config("color.ui"))
    });
    match configured.as_deref() {
        Some("always") => true,
        Some("never" | "false" | "no" | "off" | "0") => false,
        _ => auto,
    }
}

/// Shows characters that control the terminal or hide text by their number, but for our own colours.
pub(super) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut ours = false;
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            OURS | '\u{1b}' if ours || c == OURS => out.push(c),
            c if c.is_control() || is_format(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
        ours = c == OURS;
    }
    out
}

/// Escapes such characters as JSON does, outside of which they can't occur in it.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && (c.is_control() || is_format(c)) {
            let mut units = [0; 2];
            out.extend(
                c.encode_utf16(&mut units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        } else {
            out.push(c);
        }
    }
    out
}

/// Where relative paths begin: `-C`, else the folder an alias was called in, else the current one.
fn base(global: &Global) -> PathBuf {
    let below = global
        .dir
        .clone()
        .or_else(|| env::var_os("GIT_PREFIX").map(PathBuf::from))
        .unwrap_or_default();
    env::current_dir().unwrap_or_default().join(below)
}

/// Says something beside the answer.
pub(super) fn talk(label: &str, text: &str) {
    let mut err = std::io::stderr().lock();
    let text = if std::io::stderr().is_terminal() {
        harmless(text)
    } else {
        text.to_owned()
    };
    // Nobody is left to tell when standard error is gone.
    let _ = writeln!(err, "{label}: {text}");
}

/// Whether somebody can be asked.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a person; whatever is not a clear yes is a no.
pub(super) fn asked(question: &str) -> bool {
    let mut err = std::io::stderr();
    let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

#[expect(clippy::disallowed_methods, reason = "the sanctioned place")]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell
}

/// Opens a file in the user's editor, as git would; false if the editor failed.
pub(super) fn edit(store: &Store, file: &Path) -> std::io::Result<bool> {
    let chosen = env::var("GIT_EDITOR")
        .or_else(|| store.config("core.editor"))
        .or_else(|| env::var("VISUAL"));
    let editor = chosen
        .or_else(|| env::var("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned());
    let status = shell(&format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(file)
        .status()?;
    Ok(status.success())
}

/// A line on a terminal that says how far something is, after half a second.
pub(super) struct Meter {
    what: &'static str,
    start: std::time::Instant,
    drawn: Option<std::time::Instant>,
    terminal: bool,
}

impl Meter {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            start: std::time::Instant::now(),
            drawn: None,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    pub(super) fn step(&mut self, done: usize, total: usize) {
        let now = std::time::Instant::now();
        let due = self.drawn.map_or(
            now - self.start >= std::time::Duration::from_millis(500),
            |at| now - at >= std::time::Duration::from_millis(100),
        );
        if !self.terminal || !due {
            return;
        }
        self.drawn = Some(now);
        let filled = done * 30 / total.max(1);
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(30 - filled));
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r{} [{bar}] {done}/{total}", self.what).and_then(|()| err.flush());
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r{}\r", " ".repeat(70)).and_then(|()| err.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_and_not_sent() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\u{200b}\u{9b}d\ne"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\u{9b}d\ne"
        );
    }
}
