//! The pager, started as git starts its own.

use std::cell::RefCell;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::rc::Rc;

use super::{Ui, shell};
use crate::cli::globals::Globals;
use crate::ops::Tracker;

/// The exit codes by which a shell says that it could not run a command.
const NOT_RUN: [i32; 2] = [126, 127];

/// A pager, and what it was given.
pub(super) struct Pager {
    child: Child,
    /// None when it has been closed, by this side or the other.
    stdin: Option<ChildStdin>,
    /// All that it was given, for the case that it shows nothing of it.
    given: Vec<u8>,
    /// True if it could not be run, so that the answer goes to the terminal.
    is_bypassed: bool,
}

impl Pager {
    /// Closes its input and waits for its end; prints the answer where it could not be run.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        drop(self.stdin.take());
        // A second wait returns the same status at once.
        let status = self.child.wait()?;
        if self.is_bypassed || !status.code().is_some_and(|code| NOT_RUN.contains(&code)) {
            return Ok(());
        }
        self.is_bypassed = true;
        let mut out = io::stdout();
        out.write_all(&std::mem::take(&mut self.given))?;
        out.flush()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_bypassed {
            return io::stdout().write(bytes);
        }
        let Some(stdin) = &mut self.stdin else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        match stdin.write(bytes) {
            // Its exit code says whether it has seen enough or was never run.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.finish()?;
                if self.is_bypassed {
                    return io::stdout().write(bytes);
                }
                Err(error)
            }
            Err(error) => Err(error),
            Ok(count) => {
                self.given.extend_from_slice(&bytes[..count]);
                Ok(count)
            }
        }
    }
}

/// The end of a pager that answers are written to.
struct PagerInput(Rc<RefCell<Pager>>);

impl Write for PagerInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0.borrow().is_bypassed {
            return io::stdout().flush();
        }
        Ok(())
    }
}

impl Ui {
    /// Starts a pager for a long answer, as git would.
    pub(in crate::cli) fn page(&mut self, global: &Globals, tracker: Option<&Tracker>) {
        if !self.terminal
            || global.no_pager
            || self.json.is_some()
            || self.quiet
            || self.env.var("GIT_PAGER_IN_USE").is_some()
            || super::pane(&self.env).is_some()
        {
            return;
        }
        let env = self.env.clone();
        let set = |name: &str| {
            env.var_os(name)
                .map(|value| value.to_string_lossy().into_owned())
        };
        // The order of git: its own variable, its configuration, then the variable of all programs.
        let command = set("GIT_PAGER")
            .or_else(|| tracker.and_then(|tracker| tracker.config("core.pager")))
            .or_else(|| set("PAGER"))
            .unwrap_or_else(|| "less".to_owned());
        // To git an empty name and `cat` mean no pager.
        if command.is_empty()
            || command == "cat"
            || tracker.and_then(|tracker| tracker.config_bool("pager.beads")) == Some(false)
        {
            return;
        }
        let mut shell = shell(&env, &command);
        if env.var_os("LESS").is_none() {
            // As git does: quit on one screen, pass colours through, leave the text on the terminal.
            shell.env("LESS", "FRX");
        }
        // Without a shell, the answer goes to the terminal.
        if let Ok(mut child) = shell.stdin(Stdio::piped()).spawn() {
            let pager = Rc::new(RefCell::new(Pager {
                stdin: child.stdin.take(),
                child,
                given: Vec::new(),
                is_bypassed: false,
            }));
            self.out = Box::new(BufWriter::new(PagerInput(pager.clone())));
            self.links.pager = Some(command);
            self.pager = Some(pager);
        }
    }
}
