//! Scenes: the data of a screen, whoever draws it.

pub(crate) mod board;
pub(crate) mod change;
pub(crate) mod graph;
pub(crate) mod inbox;
pub(crate) mod issue;
pub(crate) mod named;
pub(crate) mod rows;
pub(crate) mod stats;
pub(crate) mod words;

use serde::Serialize;
use serde_json::Value;

use super::{Error, Result, Tracker};

/// Returns a scene as JSON, for a face that is no part of this program.
/// Errors: a name that no such scene has, or a request that can't be read.
pub fn scene(tracker: &Tracker, name: &str, asked: Value) -> Result<Value> {
    let unread = |error: serde_json::Error| Error::invalid(format!("scene {name}: {error}"));
    match name {
        "graph" => {
            let asked = serde_json::from_value(asked).map_err(unread)?;
            json(graph::graph(tracker, &asked)?)
        }
        "stats" => json(stats::stats(tracker)?),
        _ => Err(Error::invalid(format!("no scene is called {name}"))),
    }
}

fn json(scene: impl Serialize) -> Result<Value> {
    serde_json::to_value(scene).map_err(|error| Error::io("can't write a scene", &error.into()))
}
