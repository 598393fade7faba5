//! The sessions of the two-tool profile: a caller gives any name, and is assigned an id that it may use from then on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::ops::short_hash;

const PREFIX: &str = "session-";
const LETTERS: usize = 5;

#[derive(Debug, Default)]
pub(super) struct Sessions {
    names: Mutex<HashMap<String, String>>,
}

impl Sessions {
    /// Returns the id of a session. It follows from the name, so that a server that was started again assigns the same;
    /// an id is its own.
    pub(super) fn id(&self, name: &str) -> String {
        let name = name.trim();
        if is_id(name) {
            return name.to_owned();
        }
        let id = format!("{PREFIX}{}", short_hash(name));
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(id.clone(), name.to_owned());
        id
    }

    /// Returns the name that an id was assigned to, as far as it is known.
    pub(super) fn name(&self, id: &str) -> String {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

fn is_id(name: &str) -> bool {
    let letter = |c: u8| c.is_ascii_digit() || c.is_ascii_lowercase();
    let letters = name.strip_prefix(PREFIX);
    letters.is_some_and(|rest| rest.len() == LETTERS && rest.bytes().all(letter))
}
