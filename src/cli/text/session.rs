//! The text that a session begins with.

use crate::cli::ui::Ui;
use crate::ops::shared::session::Session;

/// Returns the ids of what is ready.
pub(in crate::cli) fn ready_ids(session: &Session) -> Vec<String> {
    session.ready.iter().map(|issue| issue.id.clone()).collect()
}

/// Prints the text.
pub(in crate::cli) fn text(ui: &mut Ui, session: &Session) {
    ui.line(session.text.trim_end());
}
