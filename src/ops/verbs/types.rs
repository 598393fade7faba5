//! `types`: the types of issues.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::issue::KINDS;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::usage::{Usage, most_used};
use crate::ops::{Result, Tracker};

/// The types of issues, most used first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TypeList {
    /// The types that issues have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<Usage>,
    /// The other usual types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

impl Answer for TypeList {
    fn kind(&self) -> AnswerKind {
        match self.types.is_empty() {
            true => AnswerKind::Empty,
            false => AnswerKind::Summary,
        }
    }
}

/// Lists the types of issues.
pub(crate) fn types(tracker: &Tracker) -> Result<TypeList> {
    tracker.read(|view| {
        let types = most_used(view.index.type_tallies()?);
        let unused = unused(&types);
        Ok(TypeList { types, unused })
    })
}

/// Returns the usual types that no issue has. Any word can be a type.
fn unused(types: &[Usage]) -> Vec<String> {
    let is_used = |kind: &str| types.iter().any(|used| used.name == kind);
    let unused = KINDS.into_iter().filter(|kind| !is_used(kind));
    unused.map(str::to_owned).collect()
}
