//! `task_link`: what an issue waits for.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{check_ids, owned, required};
use crate::ops::verbs::dep;
use crate::ops::verbs::dep::Dep;
use crate::ops::{Code, Error, Result, Tracker};

pub(crate) use crate::ops::verbs::dep::Linked;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TaskLink {
    #[schemars(required)]
    id: Option<String>,
    #[schemars(required)]
    depends_on: Option<Vec<String>>,
    #[schemars(extend("enum" = ["blocks", "related", "discovered-from", "parent-child"]))]
    dep_type: Option<String>,
    #[serde(default)]
    remove: bool,
}

pub(crate) fn link(tracker: &Tracker, request: &TaskLink) -> Result<Linked> {
    let id = required(request.id.as_deref(), "Missing required fields: id")?.to_owned();
    let remove = request.remove;
    let on = request.depends_on.clone().unwrap_or_default();
    if on.is_empty() {
        return Err(Error::invalid("depends_on required"));
    }
    if on.iter().any(|entry| entry.trim().is_empty()) {
        return Err(Error::invalid(
            "depends_on entries must be non-empty strings",
        ));
    }
    check_ids(tracker, &on)?;
    let request = Dep {
        id,
        on,
        kind: owned(request.dep_type.as_deref()),
    };
    if remove {
        return dep::remove(tracker, &request);
    }
    dep::add(tracker, &request).map_err(|mut error| {
        if error.is(Code::SelfDependency) {
            error.message = "depends_on cannot include the issue id itself".to_owned();
        }
        error
    })
}
