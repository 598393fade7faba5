//! `redact`: hides an entry of memory, or shows it again.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::Memory;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Command, Error, Result, Tracker};

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
            // By its ending: the beginning of a ULID is a time, and the same for entries of one moment.
            let ending = request.entry.trim().to_uppercase();
            let memory = tx.view.snapshot().memory(uid)?.0;
            let mut found: Vec<Memory> = memory
                .into_iter()
                .filter(|entry| !ending.is_empty() && entry.uid().to_string().ends_with(&ending))
                .collect();
            let id = issue.id().to_owned();
            let look = Command::of("show").id(&id);
            let mut entry = match found.len() {
                0 => {
                    return Err(
                        Error::not_found(format!("{id} has no entry {}", request.entry))
                            .hinted(look),
                    );
                }
                1 => found.remove(0),
                n => {
                    return Err(Error::invalid(format!(
                        "{n} entries of {id} end with {}",
                        request.entry
                    ))
                    .hinted(look));
                }
            };
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
