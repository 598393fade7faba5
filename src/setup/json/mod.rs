//! An entry in a JSON file with comments, added and removed as text.
//!
//! A program that writes the whole document again loses comments, order and indentation. So the
//! parser only gives positions, and the edit is a splice. Its position shows what was there before:
//! the entry is directly after the bracket of an empty container that existed, and after white
//! space in one that was added with it. So `take` undoes `put` to the byte without any record.

mod document;
mod value;

use super::{EditError, Result, SetupState};
use document::{Document, cut, span};
pub(super) use value::Json;
use value::{Layout, quoted};

/// An entry that belongs into a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonEntry {
    /// The keys of its containers, from the root.
    pub(super) path: &'static [&'static str],
    /// The way it is found in its container.
    pub(super) slot: Slot,
    pub(super) value: Json,
    /// Values that earlier versions of this program wrote instead.
    pub(super) former: &'static [Json],
    /// Whether only a file that is made for it gets it, not one that the user has.
    pub(super) new_file: bool,
}

/// The place of an entry in its container.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// A member of an object, by its key.
    Key(&'static str),
    /// An element of an array, by words that no other element has.
    Says(&'static str),
}

impl JsonEntry {
    /// Returns the place of what leads to the entry, in the container at a depth.
    fn slot_at(&self, depth: usize) -> Slot {
        self.path.get(depth).map_or(self.slot, |key| Slot::Key(key))
    }

    /// Returns the entry with all containers from a depth on, as it is added to the container at
    /// that depth.
    fn nested(&self, depth: usize, layout: &Layout<'_>) -> String {
        let inside = depth < self.path.len();
        let value = if inside {
            self.container(depth + 1, layout)
        } else {
            self.value.render(layout)
        };
        match self.slot_at(depth) {
            Slot::Key(key) => format!("{}: {value}", quoted(key)),
            Slot::Says(_) => value,
        }
    }

    /// Returns the brackets of the container at a depth.
    fn brackets(&self, depth: usize) -> (char, char) {
        match self.slot_at(depth) {
            Slot::Key(_) => ('{', '}'),
            Slot::Says(_) => ('[', ']'),
        }
    }

    /// Returns a container with only the entry in it.
    fn container(&self, depth: usize, layout: &Layout<'_>) -> String {
        let (open, close) = self.brackets(depth);
        layout.enclose(open, &[self.nested(depth, &layout.deeper())], close)
    }

    fn blocked(&self, depth: usize, what: &str) -> EditError {
        match depth.checked_sub(1).and_then(|last| self.path.get(last)) {
            None => EditError(format!("it is not {what}")),
            Some(key) => EditError(format!("`{key}` is not {what}")),
        }
    }
}

/// Returns a document of these entries alone; those that share a container follow each other.
pub(super) fn document(entries: &[JsonEntry]) -> String {
    let layout = Layout::Lines {
        newline: "\n",
        indent: String::new(),
        unit: "  ".to_owned(),
    };
    layout.enclose('{', &members(entries, 0, &layout.deeper()), '}') + "\n"
}

/// Returns the members that entries make of the object at a depth.
fn members(entries: &[JsonEntry], depth: usize, layout: &Layout<'_>) -> Vec<String> {
    let groups = entries.chunk_by(|one, other| {
        let key = one.path.get(depth);
        key.is_some() && key == other.path.get(depth)
    });
    let member = |group: &[JsonEntry]| match group {
        [entry] => entry.nested(depth, layout),
        _ => {
            let inner = members(group, depth + 1, &layout.deeper());
            let (open, close) = group[0].brackets(depth + 1);
            let key = group[0].path[depth];
            format!("{}: {}", quoted(key), layout.enclose(open, &inner, close))
        }
    };
    groups.map(member).collect()
}

/// Returns the state of an entry in a document.
pub(super) fn state(text: &str, entry: &JsonEntry) -> Result<SetupState> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)? else {
        return Ok(SetupState::Missing);
    };
    let Some(found) = trail.found else {
        return Ok(SetupState::Missing);
    };
    // A comment inside is the user's, and would be lost with the entry.
    let commented = document.comments(&span(found)).next().is_some();
    let is_ours = |value: &Json| value.is(found) && !commented && !trail.several;
    Ok(if is_ours(&entry.value) {
        SetupState::Current
    } else if entry.former.iter().any(is_ours) {
        SetupState::Outdated
    } else {
        SetupState::Changed
    })
}

/// Adds a missing entry.
pub(super) fn put(text: &str, entry: &JsonEntry) -> Result<String> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)? else {
        return Ok(format!("{}{text}", entry.container(0, &Layout::Line)));
    };
    let depth = trail.groups.len() - 1;
    Ok(document.with_member(&trail.groups[depth], |layout| entry.nested(depth, layout)))
}

/// Puts an entry in the place of one that an earlier version wrote.
pub(super) fn renew(text: &str, entry: &JsonEntry) -> Result<String> {
    match take(text, entry)? {
        Some(rest) => put(&rest, entry),
        None => Ok(document(&[*entry])),
    }
}

/// Removes an entry, with the containers that were added with it; returns none where the file was
/// too.
pub(super) fn take(text: &str, entry: &JsonEntry) -> Result<Option<String>> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)?.filter(|trail| trail.found.is_some()) else {
        return Ok(Some(text.to_owned()));
    };
    // From the inside: the outermost container that was added goes with all in it.
    for group in trail.groups.iter().rev() {
        if !document.was_added(group) {
            return Ok(Some(document.without_member(group)));
        }
    }
    let root = &trail.groups[0].range;
    let rest = cut(text, std::iter::once(root.clone()));
    // Only `document` writes the root over several lines, and with it the file; `put` uses one
    // line.
    let on_lines = text[root.start + 1..].starts_with(['\n', '\r']);
    Ok(if on_lines && rest.trim().is_empty() {
        None
    } else {
        Some(rest)
    })
}
