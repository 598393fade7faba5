//! What happened, in words, after the name of who did it: for `log`, `watch` and `whats-new` alike.

use crate::cli::ui::Ui;
use crate::ops::shared::news::{NewsEvent, NewsKind, Said};

/// Returns what happened to an issue that is named elsewhere.
pub(in crate::cli) fn phrase(ui: &Ui, event: &NewsEvent) -> String {
    let fields = event.fields.join(", ");
    let text = event.text.as_ref().map(|text| ui.one_line(text));
    let what = match event.what {
        NewsKind::Created => "created it",
        NewsKind::Closed => "closed it",
        NewsKind::Accepted => "accepted it",
        NewsKind::Reopened => "reopened it",
        NewsKind::Deleted => "deleted it",
        NewsKind::Restored => "restored it",
        NewsKind::Purged => "purged it",
        NewsKind::Status => return text.unwrap_or_default(),
        NewsKind::Assigned => "assigned it to you",
        NewsKind::Conflict => return format!("conflict in {fields} (git beads conflicts)"),
        NewsKind::Changed => return format!("changed {fields}"),
        NewsKind::Finding => "found",
        NewsKind::Decision => "decided",
        NewsKind::Comment => "commented",
        NewsKind::Asked => "asked",
        NewsKind::Answered => "answered",
    };
    match text {
        Some(text) => format!("{what}: {text}"),
        None => what.to_owned(),
    }
}

/// Returns what an operation did: what it said first, and of which issue; else its subject.
pub(in crate::cli) fn sentence(ui: &Ui, subject: &str, said: &[Said]) -> String {
    let Some(first) = said.first() else {
        return ui.one_line(subject);
    };
    let what = match first.what {
        NewsKind::Asked => "asked",
        NewsKind::Answered => "answered",
        NewsKind::Finding => "noted a finding on",
        NewsKind::Decision => "noted a decision on",
        _ => "commented on",
    };
    let (id, text) = (ui.one_line(&first.id), ui.one_line(&first.text));
    let more = match said.len() {
        1 => String::new(),
        n => format!(" (+{} more)", n - 1),
    };
    format!("{what} {id} \"{text}\"{more}")
}
