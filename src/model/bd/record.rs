//! Names and identities of a record that import and export both need.

use serde_json::{Map, Value};

use super::digest;
use crate::model::limits::LONGEST_TARGET;
use crate::model::limits::check_word;
use crate::model::memory::MemoryKind;
use crate::model::stamp::{Stamp, Uid};
use crate::model::time;

/// Returns type and target of a dependency that this format can hold; any other entry stays in
/// `import`.
pub(super) fn edge_of(entry: &Map<String, Value>) -> Option<(&str, &str)> {
    let kind = entry.get("type").map_or(Some("blocks"), Value::as_str)?;
    let id = entry.get("depends_on_id").and_then(Value::as_str)?;
    let fits = (1..=LONGEST_TARGET).contains(&id.len())
        && !id.chars().any(char::is_control)
        && check_word("a dependency type", kind).is_ok();
    fits.then_some((kind, id))
}

/// Returns the identity of an imported comment: a function of its issue and its contents.
pub(super) fn comment_uid(
    issue: Uid,
    kind: MemoryKind,
    author: &str,
    created_at: &str,
    text: &str,
) -> Uid {
    let random = digest(&[&issue.to_string(), kind.as_str(), author, created_at, text]);
    Stamp::new(time::parse(created_at).unwrap_or(0), random)
}
