//! Evidence that an issue is done, for a later check: kept in the status that it belongs to, so that an
//! issue that is opened again has none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::{ValueError, check_chars};

/// Characters of one piece of evidence.
const LONGEST: usize = 500;

/// Evidence that an issue is done; what there is none of is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evidence {
    /// The commit that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The pull request, by its number or address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<String>,
    /// A file of the repository, by its path from the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Evidence {
    /// Returns what a status register holds; what is no text there is left out.
    pub(super) fn of(value: &Value) -> Self {
        let part = |key: &str| value[key].as_str().map(str::to_owned);
        Self {
            commit: part("commit"),
            pr: part("pr"),
            file: part("file"),
        }
    }

    /// Returns what a status register holds of it; none where it is empty.
    pub(super) fn to_value(&self) -> Option<Value> {
        let parts: Map<String, Value> = self
            .parts()
            .map(|(name, text)| (name.to_owned(), text.into()))
            .collect();
        (!parts.is_empty()).then(|| parts.into())
    }

    /// Returns each part that there is by its name.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { commit, pr, file } = self;
        [("commit", commit), ("pr", pr), ("file", file)]
            .into_iter()
            .filter_map(|(name, part)| Some((name, part.as_deref()?)))
    }

    /// Returns it with what it lacks from another.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            commit: self.commit.or(other.commit),
            pr: self.pr.or(other.pr),
            file: self.file.or(other.file),
        }
    }

    /// Returns true if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts().next().is_none()
    }

    /// Refuses what is too long.
    pub(crate) fn check(&self) -> Result<(), ValueError> {
        for (name, text) in self.parts() {
            check_chars(name, text, LONGEST)?;
        }
        Ok(())
    }
}
