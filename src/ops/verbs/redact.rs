//! `redact`: hides an entry of memory, or shows it again.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::entry::find_entry;
use crate::ops::{Result, Tracker};

/// Hides an entry of memory; `restore` shows it again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redact {
    /// The issue.
    pub id: String,
    /// The entry, or the end of its id.
    pub entry: String,
    /// Shows it again instead.
    pub restore: bool,
}

/// What was hidden or shown again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Redacted {
    /// The issue.
    pub id: String,
    /// The entry.
    pub entry: String,
    /// Whether it is hidden now.
    pub hidden: bool,
}

impl Answer for Redacted {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
}

/// Hides or shows an entry; it stays in the history either way.
pub(crate) fn redact(tracker: &Tracker, request: &Redact) -> Result<Redacted> {
    tracker.write(
        |tx| {
            let uid = tx.find(&request.id)?;
            let issue = tx.issue(uid)?;
            let id = issue.id().to_owned();
            let mut entry = find_entry(tx, &issue, &request.entry)?;
            let writer = tx.writer(&issue)?;
            let value = if request.restore {
                Value::Null
            } else {
                Value::Bool(true)
            };
            let changes = entry.is_redacted() == request.restore;
            if changes {
                entry.blob_mut().put(&writer, "redacted", value);
            }
            tx.subject(format!(
                "{} {id}: {}",
                if request.restore { "restore" } else { "redact" },
                entry.uid()
            ));
            let redacted = Redacted {
                id,
                entry: entry.uid().to_string(),
                hidden: !request.restore,
            };
            if changes {
                tx.put_memory(uid, entry);
            }
            Ok(redacted)
        },
        |redacted, _| Ok(redacted),
    )
}
