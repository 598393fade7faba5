//! Colours, the same for the same thing everywhere.

use crate::model::status::IN_PROGRESS;
use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const ITALIC: Style = Style::new().italic();
pub(crate) const STRUCK: Style = Style::new().strikethrough();
pub(crate) const UNDERLINED: Style = Style::new().underline();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const MAGENTA: Style = AnsiColor::Magenta.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

pub(crate) fn priority_style(priority: i64) -> Style {
    match priority {
        0 => RED.bold(),
        1 => YELLOW,
        _ => Style::new(),
    }
}

pub(crate) fn status_style(status: &str) -> Style {
    match status {
        IN_PROGRESS | "hooked" => CYAN,
        "closed" => GREEN,
        "blocked" | "unreadable" => RED,
        "deferred" | "tombstone" | "pinned" => DIM,
        _ => Style::new(),
    }
}
