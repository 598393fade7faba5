//! Colours, the same for the same thing everywhere.

use crate::model::status::IN_PROGRESS;
use anstyle::{AnsiColor, Style};

pub(in crate::cli) const BOLD: Style = Style::new().bold();
pub(in crate::cli) const DIM: Style = Style::new().dimmed();
pub(in crate::cli) const ITALIC: Style = Style::new().italic();
pub(in crate::cli) const STRUCK: Style = Style::new().strikethrough();
pub(in crate::cli) const UNDERLINED: Style = Style::new().underline();
pub(in crate::cli) const RED: Style = AnsiColor::Red.on_default();
pub(in crate::cli) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(in crate::cli) const GREEN: Style = AnsiColor::Green.on_default();
pub(in crate::cli) const CYAN: Style = AnsiColor::Cyan.on_default();

pub(in crate::cli) fn priority_style(priority: i64) -> Style {
    match priority {
        0 => RED.bold(),
        1 => YELLOW,
        _ => Style::new(),
    }
}

pub(in crate::cli) fn status_style(status: &str) -> Style {
    match status {
        IN_PROGRESS | "hooked" => CYAN,
        "closed" => GREEN,
        "blocked" | "unreadable" => RED,
        "deferred" | "tombstone" | "pinned" => DIM,
        _ => Style::new(),
    }
}
