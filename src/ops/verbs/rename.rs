//! `rename`: another id for the same issue. References are by identity and stay right, and what names the former id
//! finds the issue still.

use crate::model::IssueId;
use crate::model::id::{IdError, plain};
use crate::ops::shared::edit::{Updated, change};
use crate::ops::shared::ids::{free, remember_number, rename_branches};
use crate::ops::{Command, Error, Result, Tracker};

/// Gives an issue a free id; its own former ids are free to it.
pub(crate) fn rename(tracker: &Tracker, id: &str, new: &str) -> Result<Updated> {
    let new = given(id, new)?;
    let old = tracker.read(|view| view.id(view.find(id)?))?;
    let renamed = change(tracker, &[id.to_owned()], "rename", |tx, issue, writer| {
        if issue.id() == new.as_str() {
            return Ok(Vec::new());
        }
        free(tx, new.as_str(), Some(issue.uid()))?;
        remember_number(tx, issue.id())?;
        tx.subject(format!("rename {} to {new}", issue.id()));
        issue.rename(writer, &new);
        Ok(vec!["id"])
    })?;
    // Git's configuration is no part of the commit: a failure there is a warning.
    rename_branches(tracker, &old, new.as_str());
    Ok(renamed)
}

/// Checks the id that an issue is to get.
fn given(id: &str, new: &str) -> Result<IssueId> {
    IssueId::given(new.trim()).map_err(|error| {
        let command = Command::of("rename").id(id);
        let hint = match &error {
            IdError::Quoted(new) => command.word(plain(new)),
            _ => command.placeholder("NEW-ID"),
        };
        Error::from(error).hinted(hint)
    })
}
