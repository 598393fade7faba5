//! Scenes: the data of a screen, whoever draws it.

pub(crate) mod board;
pub(crate) mod change;
pub(crate) mod graph;
pub(crate) mod inbox;
pub(crate) mod issue;
pub(crate) mod log;
pub(crate) mod named;
pub(crate) mod rows;
pub(crate) mod stats;
pub(crate) mod words;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Error, Result, Tracker};
use crate::model::prose::parse;
use crate::model::time;

/// Returns a scene as JSON, for a face that is no part of this program.
/// Errors: a name that no such scene has, or a request that can't be read.
pub fn scene(tracker: &Tracker, name: &str, asked: Value) -> Result<Value> {
    // The index counts no further, and would be taken for broken.
    for member in ["offset", "count", "most", "steps"] {
        if asked[member]
            .as_u64()
            .is_some_and(|n| n > u64::from(u32::MAX))
        {
            return Err(Error::invalid(format!(
                "scene {name}: {member} is too large"
            )));
        }
    }
    let unread = |error: serde_json::Error| Error::invalid(format!("scene {name}: {error}"));
    let mut found = match name {
        "graph" => {
            let asked = serde_json::from_value(asked).map_err(unread)?;
            json(graph::graph(tracker, &asked)?)
        }
        "stats" => json(stats::stats(tracker)?),
        "board" => {
            let asked = serde_json::from_value(asked).map_err(unread)?;
            json(board::board(tracker, &asked)?)
        }
        "rows" => {
            let asked = serde_json::from_value(asked).map_err(unread)?;
            json(rows::rows(tracker, &asked)?)
        }
        "log" => {
            let asked = serde_json::from_value(asked).map_err(unread)?;
            json(log::log(tracker, &asked)?)
        }
        "issue" => {
            let id = asked["id"].as_str().unwrap_or_default();
            let uid = tracker.read(|view| view.find(id))?;
            json(issue::issue_with_names(tracker, uid)?)
        }
        "words" => json(words::words(tracker)?),
        "change" => {
            let id = asked["id"].as_str().unwrap_or_default();
            let uid = tracker.read(|view| view.find(id))?;
            json(change::change(tracker, uid)?)
        }
        "named" => {
            let text = asked["text"].as_str().unwrap_or_default();
            Ok(json!({"issues": json(named::found(tracker, text)?)?}))
        }
        "prose" => {
            let text = asked["text"].as_str().unwrap_or_default();
            Ok(json!({"prose": json(parse(text))?}))
        }
        _ => Err(Error::invalid(format!("no scene is called {name}"))),
    }?;
    // What is drawn as so long ago is so at this time.
    found["at"] = time::format(tracker.env().now()).into();
    Ok(found)
}

fn json(scene: impl Serialize) -> Result<Value> {
    serde_json::to_value(scene).map_err(|error| Error::io("can't write a scene", &error.into()))
}
