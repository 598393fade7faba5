//! Issues by their names: those that words are the ids of, and those that typed words find.

use serde::Serialize;

use super::rows::{RowsRequest, rows};
use crate::model::Uid;
use crate::ops::{Result, Tracker};

/// Issues that are found at once.
const MOST: usize = 8;

/// An issue, and how it is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NamedIssue {
    pub id: String,
    #[serde(skip)]
    pub uid: Uid,
    pub title: String,
}

/// Returns the words that are ids of issues, each with the oldest issue that has it.
pub(crate) fn ids(tracker: &Tracker, words: &[String]) -> Result<Vec<(String, Uid)>> {
    tracker.read(|view| {
        let mut found = Vec::new();
        for word in words {
            if let Some(uid) = view.index.ids().issues_with_id(word)?.first() {
                found.push((word.clone(), *uid));
            }
        }
        Ok(found)
    })
}

/// Returns the issues in whose id or title words begin like those of a text, closed ones too, the newest first.
pub(crate) fn found(tracker: &Tracker, text: &str) -> Result<Vec<NamedIssue>> {
    let mut query = "is:any sort:updated".to_owned();
    // What is no letter would be of the language of queries.
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            query.push_str(&format!(" title:{word}"));
        }
    }
    let request = RowsRequest {
        query,
        count: MOST,
        ..RowsRequest::default()
    };
    let heads = rows(tracker, &request)?.heads.into_iter();
    let named = heads.map(|head| NamedIssue {
        id: head.summary.id,
        uid: head.uid,
        title: head.summary.title,
    });
    Ok(named.collect())
}
