//! The issue that the current branch is about, and what a commit says of it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::id::is_letter;
use crate::model::mention::LINK;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Command, Error, Result, Tracker};
use crate::store::{Store, UserBranches};

/// The variable that says for how many columns of a pane a verb prints: as on a terminal, with nothing that steers it.
pub(crate) const PANE: &str = "GIT_BEADS_PANE";

/// Characters of a title in the name of a branch.
const SLUG: usize = 40;

/// Returns the issue that `start --branch` has noted for the current branch, for a verb.
pub(crate) fn current(tracker: &Tracker, verb: &'static str) -> Result<String> {
    // On a screen another one is selected, and would be meant.
    if tracker.env().var(PANE).is_some() {
        let message = "no ID given: on the screen a verb needs one";
        let error = Error::new(crate::ops::Code::Usage, message);
        return Err(error.hinted(Command::of(verb).placeholder("ID")));
    }
    let branch = tracker.store().user_branches().current_branch();
    let noted = branch
        .as_deref()
        .and_then(|branch| tracker.store().user_branches().branch_issue(branch));
    noted.ok_or_else(|| {
        let here = branch
            .map(|branch| format!("branch {branch} is not linked to an issue"))
            .unwrap_or_default();
        let here = if here.is_empty() {
            "no branch is checked out".to_owned()
        } else {
            here
        };
        let message = format!("no ID given, and {here}");
        let named = Command::of(verb).placeholder("ID");
        Error::new(crate::ops::Code::Usage, message)
            .hinted(named.then(" (git beads list shows the IDs)"))
    })
}

/// Returns the ids that were named, else the current issue, for a verb.
pub(crate) fn or_current(
    tracker: &Tracker,
    verb: &'static str,
    ids: Vec<String>,
) -> Result<Vec<String>> {
    if ids.is_empty() {
        Ok(vec![current(tracker, verb)?])
    } else {
        Ok(ids)
    }
}

/// A line for the message of a commit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Trailer {
    /// The issue.
    pub id: String,
    /// The line.
    pub trailer: String,
}

impl Answer for Trailer {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// The line that links a commit to an issue, or closes it once the commit has landed.
pub(crate) fn trailer(tracker: &Tracker, id: Option<&str>, closes: bool) -> Result<Trailer> {
    let named = id.map_or_else(|| current(tracker, "commit-msg"), |id| Ok(id.to_owned()))?;
    let id = tracker.read(|view| view.id(view.find(&named)?))?;
    let word = if closes { "Closes" } else { LINK };
    Ok(Trailer {
        trailer: format!("{word}: {id}"),
        id,
    })
}

/// Returns the name of a branch for an issue: its id and the beginning of its title, unlike those of others.
pub(crate) fn name_for(store: &Store, id: &str, title: &str) -> String {
    let name = plain_name(id, title);
    // Two titles can give one name. A branch that is about another issue is not taken over.
    let free = |name: &str| {
        store
            .user_branches()
            .branch_issue(name)
            .is_none_or(|about| about == id)
    };
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| free(name))
        .unwrap_or(name)
}

/// Returns the name of a branch for an issue, where no other branch has it.
pub(crate) fn plain_name(id: &str, title: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            ' '
        }
    };
    let words: String = title.chars().map(plain).collect();
    let slug =
        words
            .split_whitespace()
            .fold(String::new(), |slug, word| match slug.len() + word.len() {
                0..SLUG => format!("{slug}-{word}"),
                _ => slug,
            });
    let id: String = id
        .chars()
        .map(|c| if is_letter(c) || c == '.' { c } else { '-' })
        .collect();
    // git refuses `..` anywhere in a name, and a name that ends with `.lock`.
    let name = format!("{}{slug}", id.replace("..", "-").replace(".lock", "-lock"));
    let name = name.trim_matches(['.', '-']);
    if UserBranches::is_branch_name(name) {
        name.to_owned()
    } else {
        format!("issue-{name}").trim_end_matches('-').to_owned()
    }
}
