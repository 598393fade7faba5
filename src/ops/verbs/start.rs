//! `start`: take an issue and say so.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Field, Uid};
use crate::ops::answer::Summary;
use crate::ops::shared::claim;
use crate::ops::shared::current_branch::name_for;
use crate::ops::shared::discovered::{PENDING, title_of};
use crate::ops::shared::new_issue::build;
use crate::ops::shared::remote_claim::start_chosen;
use crate::ops::{Command, Error, Result, Tracker, Tx};

pub(crate) use crate::ops::shared::claim::Started;

/// An issue to start.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Start {
    /// Its id.
    pub id: String,
    /// Takes it from another assignee.
    #[serde(default)]
    pub force: bool,
    /// Switches to a branch for it; one without a name is named after the issue.
    #[serde(skip)]
    pub branch: Option<Option<String>>,
}

/// Starts an issue: status `in_progress`, the actor its assignee. Again by the same actor: no change.
///
/// # Errors
/// Claimed by another (unless forced), closed or deleted. A branch that can't be switched to leaves the issue
/// started, and says so.
pub(crate) fn start(tracker: &Tracker, request: &Start) -> Result<Started> {
    let started = start_chosen(tracker, &|tx| tx.find(&request.id), request.force)
        .map_err(|error| claim::about(error, &request.id))?
        .with_claim();
    // The branch is switched after the commit: a work tree that refuses it must not undo the claim.
    let Some(named) = &request.branch else {
        return Ok(started);
    };
    let Summary { id, title, .. } = &started.issue;
    let branch = named
        .clone()
        .unwrap_or_else(|| name_for(tracker.store(), id, title));
    tracker
        .store()
        .user_branches()
        .switch_for(&branch, id)
        .map_err(|error| {
            let error = Error::from(error);
            let message = format!(
                "{id} is started, but the branch could not be switched: {}",
                error.message
            );
            Error { message, ..error }
                .hinted(Command::of("start").id(id).flag("--branch=OTHER-NAME"))
        })?;
    Ok(Started {
        branch: Some(branch),
        ..started
    })
}

/// A request of a user, with what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserRequest {
    /// Its words.
    pub text: String,
    /// The work itself.
    pub description: Option<String>,
    /// The way to it.
    pub design: Option<String>,
    /// The signs that it is done.
    pub acceptance: Option<String>,
}

/// Makes an epic of a request within a change, and starts it.
pub(crate) fn begin(tx: &mut Tx<'_>, request: &UserRequest) -> Result<Uid> {
    let title = title_of(&request.text);
    let words = format!("USER REQUEST: {}", request.text);
    let description = match &request.description {
        None => words,
        // The title has only the beginning: the rest of the request is kept too.
        Some(text) if title != request.text => format!("{text}\n\n{words}"),
        Some(text) => text.clone(),
    };
    let pending = |text: &Option<String>| {
        let text = text.clone().unwrap_or_else(|| PENDING.to_owned());
        Some(text)
    };
    let fields = [
        (Field::Title, Some(title)),
        (Field::Type, Some("epic".to_owned())),
        (Field::Description, Some(description)),
        (Field::Design, pending(&request.design)),
        (Field::Acceptance, pending(&request.acceptance)),
    ];
    let mut epic = build(tx, &fields.into(), None)?;
    let writer = tx.writer(&epic)?;
    claim::claim(tx, &mut epic, &writer, false)?;
    tx.subject(format!("start {}: {}", epic.id(), epic.title()));
    let uid = epic.uid();
    tx.put(epic);
    Ok(uid)
}
