//! `comment comments note`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use super::shape::BdAnswer;
use super::shape::comments as shown;
use crate::ops::answer::MemoryView;
use crate::ops::verbs::note::{Note, note as remember};
use crate::ops::verbs::update::{Update, update};
use crate::ops::{Result, Tracker};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdText {
    #[schemars(required)]
    issue_id: Option<String>,
    #[schemars(required)]
    text: Option<String>,
}

impl BdText {
    fn parts(&self) -> Result<(String, String)> {
        Ok((
            required(self.issue_id.as_deref(), "issue_id")?,
            required(self.text.as_deref(), "text")?,
        ))
    }
}

pub(crate) fn comment(tracker: &Tracker, request: &BdText) -> Result<Value> {
    let (id, text) = request.parts()?;
    let note = Note {
        id,
        comments: vec![text],
        ..Note::default()
    };
    let id = remember(tracker, &note)?.issue.id;
    Ok(BdAnswer::value(&id, "commented", format!("commented {id}")))
}

pub(crate) fn note(tracker: &Tracker, request: &BdText) -> Result<Value> {
    let (id, text) = request.parts()?;
    let request = Update {
        ids: vec![id],
        append_notes: Some(text),
        ..Update::default()
    };
    let id = update(tracker, &request)?.id;
    Ok(BdAnswer::value(&id, "noted", format!("noted {id}")))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdComments {
    #[schemars(required)]
    issue_id: Option<String>,
}

/// Lists the comments of an issue, findings and decisions among them, oldest first.
pub(crate) fn comments(tracker: &Tracker, request: &BdComments) -> Result<Vec<Value>> {
    let id = required(request.issue_id.as_deref(), "issue_id")?;
    tracker.read(|view| {
        let uid = view.find(&id)?;
        let id = view.id(uid)?;
        let memory = MemoryView::new(&view.memory(uid)?.0, usize::MAX);
        let mut rows = shown(&memory);
        for row in &mut rows {
            row["issue_id"] = json!(id);
        }
        Ok(rows)
    })
}
