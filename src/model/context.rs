//! The reason of an agent's change, kept with the change, so that it can be shown and found later.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limits::MAX_CONTEXT;

/// What an agent says of its work, in one to three sentences each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Context {
    /// The name of its session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What has happened so far.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory: String,
    /// What it is after.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// What it has to keep to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub constraints: String,
}

impl Context {
    /// The trailers of a commit that hold it.
    pub(crate) const KEYS: [&str; 4] = ["Session", "Goal", "Memory", "Constraints"];

    /// Returns the same with parts of bounded length.
    pub(crate) fn bounded(&self) -> Self {
        let part = |text: &String| text.trim().chars().take(MAX_CONTEXT).collect();
        Self {
            session: part(&self.session),
            memory: part(&self.memory),
            goal: part(&self.goal),
            constraints: part(&self.constraints),
        }
    }

    /// Returns the trailers of a commit; none for empty parts.
    pub(crate) fn trailers(&self) -> Vec<(String, String)> {
        let parts = [
            ("Session", &self.session),
            ("Goal", &self.goal),
            ("Memory", &self.memory),
            ("Constraints", &self.constraints),
        ];
        let filled = parts
            .into_iter()
            .filter(|(_, text)| !text.trim().is_empty());
        filled
            .map(|(key, text)| {
                (
                    key.to_owned(),
                    text.trim().chars().take(MAX_CONTEXT).collect(),
                )
            })
            .collect()
    }

    /// Reads the trailers of a commit; none where it has none of them.
    pub(crate) fn read<'a>(trailer: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let part = |key| trailer(key).unwrap_or_default().to_owned();
        let context = Self {
            session: part("Session"),
            memory: part("Memory"),
            goal: part("Goal"),
            constraints: part("Constraints"),
        };
        (context != Self::default()).then_some(context)
    }

    /// Returns all of it as one text, for searching.
    pub(crate) fn text(&self) -> String {
        [
            self.goal.as_str(),
            &self.memory,
            &self.constraints,
            &self.session,
        ]
        .join("\n")
    }
}
