//! The sessions of the two-tool profile: a caller gives any name, and is assigned an id that it may use from then on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::env;
use crate::model::id::mint;

/// Random characters of an id.
const DIGITS: u32 = 5;

/// The ids that were assigned, with the names that they were assigned to.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    names: Mutex<HashMap<String, String>>,
}

impl Sessions {
    /// Returns the id of a session: the one assigned to this name before, or a new one. An id is its own.
    pub(super) fn id(&self, name: &str) -> String {
        let name = name.trim();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.contains_key(name) {
            return name.to_owned();
        }
        let known = names.iter().find(|(_, known)| *known == name);
        if let Some((id, _)) = known {
            return id.clone();
        }
        let id = mint("session", DIGITS, env::random()).to_string();
        names.insert(id.clone(), name.to_owned());
        id
    }

    /// Returns the name that an id was assigned to.
    pub(super) fn name(&self, id: &str) -> String {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}
