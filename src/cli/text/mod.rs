//! Layouts that several verbs share: aligned and coloured on a terminal, single-spaced in a pipe.

pub(super) mod conflicts;
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
use crate::ops::Hint;
use crate::text::line::line;
use crate::text::style::DIM;

/// Prints what follows, with the options that say where, and as whom, the caller acts.
pub(super) fn next(ui: &mut Ui, hint: impl Into<Hint>) {
    let text = ui.paint(DIM, format!("next: {}", ui.led(hint)));
    ui.line(&line![text]);
}

/// Writes a number with its noun: `1 entry`, `2 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
