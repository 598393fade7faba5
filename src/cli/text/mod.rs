//! Layouts that several verbs share: aligned and coloured on a terminal, single-spaced in a pipe.

pub(super) mod diff;
pub(super) mod exchange;
pub(super) mod issue;
pub(super) mod prose;
pub(super) mod reason;
pub(super) mod rows;
pub(super) mod session;
pub(super) mod table;
pub(super) mod tree;
pub(super) mod value;

use super::ui::Ui;
use super::ui::line::line;
use super::ui::style::DIM;

/// Prints the command that follows, with the options that say where, and as whom, the caller acts.
pub(super) fn next(ui: &mut Ui, command: &str) {
    let program = format!("git beads{} ", ui.lead);
    let command = command.replace("git beads ", &program);
    let text = ui.paint(DIM, format!("next: {command}"));
    ui.line(&line![text]);
}

/// Writes a number with its noun: `1 entry`, `2 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
