//! The terminal as the face has it, and its way back: one function leaves it, whoever asks for that.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use crate::ops::{Error, Result};
use crate::platform::{suspend, write_output};

/// Keeps the title and lets it be another one; lets pasted texts come with marks around them.
const BEGIN: &str = "\x1b[22;2t\x1b[?2004h";
/// The other way round.
const END: &str = "\x1b[?2004l\x1b[23;2t";

/// Lets clicks, drags and the wheel come as input.
const MOUSE: &str = "\x1b[?1002h\x1b[?1006h";
/// Leaves them to the terminal.
const NO_MOUSE: &str = "\x1b[?1006l\x1b[?1002l";

/// True while the mouse is to be the face's.
static HAS_MOUSE: AtomicBool = AtomicBool::new(true);
/// True while the terminal is the face's. Of the process, as the terminal is: the hook of a panic leaves it too.
static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal, until it is dropped.
pub(super) struct Terminal(());

impl Terminal {
    /// Takes the terminal.
    pub(super) fn enter() -> Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
        let terminal = Self(());
        terminal.take()?;
        Ok(terminal)
    }

    /// Takes the mouse, or leaves it to the terminal.
    pub(super) fn set_mouse(&self, is_on: bool) -> io::Result<()> {
        if HAS_MOUSE.swap(is_on, Ordering::SeqCst) == is_on {
            return Ok(());
        }
        let sequence = if is_on { MOUSE } else { NO_MOUSE };
        write_output(sequence.as_bytes())
    }

    /// Gives the terminal back, and stops until the shell lets this job go on.
    pub(super) fn suspend(&self) -> Result<()> {
        self.give();
        suspend();
        self.take()
    }

    /// Gives the terminal back as it was, for another program.
    #[expect(clippy::unused_self, reason = "only who has it can give it")]
    pub(super) fn give(&self) {
        leave();
    }

    /// Takes it again.
    #[expect(clippy::unused_self, reason = "only who has given it can take it")]
    pub(super) fn take(&self) -> Result<()> {
        enter().map_err(|error| Error::io("can't take the terminal", &error))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    IS_ENTERED.store(true, Ordering::SeqCst);
    let mut out = Vec::new();
    queue!(out, EnterAlternateScreen, Hide)?;
    out.extend(BEGIN.as_bytes());
    if HAS_MOUSE.load(Ordering::SeqCst) {
        out.extend(MOUSE.as_bytes());
    }
    write_output(&out)
}

/// Gives the terminal back as it was; nothing where it was given back.
fn leave() {
    if !IS_ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = Vec::new();
    // A terminal that has gone can't be given back, and a vector takes everything.
    let _ = queue!(out, ResetColor, Show);
    out.extend(NO_MOUSE.as_bytes());
    out.extend(END.as_bytes());
    let _ = queue!(out, LeaveAlternateScreen);
    let _ = write_output(&out);
    let _ = disable_raw_mode();
}
