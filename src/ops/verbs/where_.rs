//! `where`: which repository, ref and index answer here.

use schemars::JsonSchema;
use serde::Serialize;

use crate::env::sandbox;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::presence;
use crate::ops::{Result, Tracker};
use crate::store::{Destination, REF, short};

/// Where things are.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RepoInfo {
    /// The work tree, else the git directory.
    pub repo: String,
    /// The directory that all worktrees share.
    pub common_dir: String,
    /// The ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit it points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The folder of lock and index.
    pub index: String,
    /// Who acts.
    pub actor: String,
    /// The agent that acts for them, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the agent was known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_source: Option<String>,
    /// The prefix of new ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The ids of all stores ever joined here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<String>,
    /// Where the store was found when this clone had none, if not at the usual ref of a remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_at: Option<String>,
    /// The remotes of the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
    /// Where what is here is sent: the usual remote, and the ref there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends_to: Option<String>,
    /// `other`, where a set-up step has said that this is the sandbox of a hosted agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
}

impl Answer for RepoInfo {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Says where things are; also without a store.
pub(crate) fn where_(tracker: &Tracker) -> Result<RepoInfo> {
    let store = tracker.store();
    let commit = store.tip()?;
    let (mut prefix, mut stores) = (None, Vec::new());
    // `where` is for the lost: it answers without a store too.
    if commit.is_some() {
        prefix = Some(crate::model::prefix::of(&store.snapshot()?.meta()?).to_owned());
        stores = presence::stores(tracker)?
            .iter()
            .map(ToString::to_string)
            .collect();
    }
    let agent = tracker.agent();
    let names = store.remotes().names();
    let notes = store.reach_notes();
    let found_at = notes.found_at().filter(|_| commit.is_some());
    Ok(RepoInfo {
        found_at: found_at.map(str::to_owned),
        sends_to: sends_to(tracker),
        sandbox: sandbox::is_declared(store.env()).then(|| "other".to_owned()),
        repo: store.place().display().to_string(),
        common_dir: store.common_dir().display().to_string(),
        reference: REF.to_owned(),
        commit: commit.map(|oid| oid.to_string()),
        index: store.folder().display().to_string(),
        actor: tracker.actor().to_owned(),
        agent: agent.map(|agent| agent.name.clone()),
        agent_source: agent.map(|agent| agent.source.clone()),
        prefix: store.config("beads.prefix").or(prefix),
        stores,
        remotes: names,
    })
}

/// Returns the usual remote and the ref to which a clone sends there, where that is not the one that every host has.
fn sends_to(tracker: &Tracker) -> Option<String> {
    let remotes = tracker.store().remotes();
    // One that is configured wrongly is named by the verbs that need it.
    let remote = remotes.remote(None).unwrap_or_default()?;
    let addresses = remotes.addresses(&remote);
    let at = addresses.of_store();
    match addresses.destination().ok()? {
        Destination::Mailbox(mailbox) => Some(format!("{remote} {} (mailbox)", short(&mailbox))),
        Destination::Nowhere => Some(format!("{remote}: nothing is sent")),
        Destination::Store if at == REF => None,
        Destination::Store => Some(format!("{remote} {}", short(&at))),
    }
}
