//! The pager, started as git starts its own.

use std::process::Stdio;

use super::{Ui, shell};
use crate::cli::globals::Globals;
use crate::env;
use crate::ops::Tracker;

impl Ui {
    /// Starts a pager for a long answer, as git would.
    pub(in crate::cli) fn page(&mut self, global: &Globals, tracker: &Tracker) {
        if !self.terminal
            || global.no_pager
            || self.json.is_some()
            || self.quiet
            || env::var("GIT_PAGER_IN_USE").is_some()
        {
            return;
        }
        let set = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        // The order of git: its own variable, its configuration, then the variable of all programs.
        let command = set("GIT_PAGER")
            .or_else(|| tracker.config("core.pager"))
            .or_else(|| set("PAGER"))
            .unwrap_or_else(|| "less".to_owned());
        // To git an empty name and `cat` mean no pager.
        if command.is_empty()
            || command == "cat"
            || tracker.config_bool("pager.beads") == Some(false)
        {
            return;
        }
        let mut shell = shell(&command);
        if env::var_os("LESS").is_none() {
            // As git does: quit on one screen, pass colours through, leave the text on the terminal.
            shell.env("LESS", "FRX");
        }
        // Without a shell, the answer goes to the terminal.
        if let Ok(mut child) = shell.stdin(Stdio::piped()).spawn()
            && let Some(stdin) = child.stdin.take()
        {
            self.out = Box::new(std::io::BufWriter::new(stdin));
            self.pager = Some(child);
        }
    }
}
