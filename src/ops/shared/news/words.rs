//! What happened, in words, after the name of who did it. Texts are as they were written: who shows them makes them one line.

use super::{NewsEvent, NewsKind, Said};
use crate::model::Uid;

impl NewsEvent {
    /// Returns what happened to an issue that is named elsewhere.
    pub(crate) fn phrase(&self) -> String {
        let fields = self.fields.join(", ");
        let what = match self.what {
            NewsKind::Created => "created it",
            NewsKind::Closed => "closed it",
            NewsKind::Accepted => "accepted it",
            NewsKind::Reopened => "reopened it",
            NewsKind::Deleted => "deleted it",
            NewsKind::Restored => "restored it",
            NewsKind::Purged => "purged it",
            NewsKind::Status => return self.text.clone().unwrap_or_default(),
            NewsKind::Assigned => "assigned it to you",
            NewsKind::Conflict => return format!("conflict in {fields} (git beads conflicts)"),
            NewsKind::Changed => return format!("changed {fields}"),
            NewsKind::Finding => "found",
            NewsKind::Decision => "decided",
            NewsKind::Comment => "commented",
            NewsKind::Asked => "asked",
            NewsKind::Answered => "answered",
        };
        match &self.text {
            Some(text) => format!("{what}: {text}"),
            None => what.to_owned(),
        }
    }
}

/// Returns what an operation did: what it said first, and of which issue; else its subject, that of an answer which was taken
/// back without the uid of its entry.
pub(crate) fn sentence(subject: &str, said: &[Said]) -> String {
    let Some(first) = said.first() else {
        return match subject.rsplit_once(": ") {
            Some((what, uid)) if what.contains("answer ") && uid.parse::<Uid>().is_ok() => what,
            _ => subject,
        }
        .to_owned();
    };
    let what = match first.what {
        NewsKind::Asked => "asked",
        NewsKind::Answered => "answered",
        NewsKind::Finding => "noted a finding on",
        NewsKind::Decision => "noted a decision on",
        _ => "commented on",
    };
    let more = match said.len() {
        1 => String::new(),
        n => format!(" (+{} more)", n - 1),
    };
    format!("{what} {} \"{}\"{more}", first.id, first.text.trim())
}
