//! `setup`: adds git-beads to the files that agents read, and removes it again.
//!
//! These files belong to people. Only the smallest piece of text is added; nothing else moves, and
//! it can be removed to the byte, also in another clone: the position of the piece shows what was
//! there before (`json`, `text_block`). A piece that was changed by hand is not touched.

mod agent_hooks;
mod agents;
mod block;
mod cloud;
mod content;
mod former;
mod hints;
mod json;
mod plan;
mod target_file;
#[cfg(test)]
mod tests;
mod text_block;
mod toml;
mod wanted;

use schemars::JsonSchema;
use serde::Serialize;

use super::ops::answer;
use super::ops::answer::Answer;
use crate::ops::{self, Command, Error, Hint};
use crate::store::Store;
use agents::{AGENTS, Agent, MCP_SERVERS};
use block::Length;
use plan::SetupPlan;
use target_file::WorkTree;
use wanted::Wanted;

/// Reason why a text can't be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EditError(String);

type Result<T, E = EditError> = std::result::Result<T, E>;

/// Reason why a file stays as it is: next to its name, and as a complete error.
struct Refusal {
    why: String,
    error: Error,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        refusal.error
    }
}

/// Options of `git beads setup`.
#[derive(Clone, Debug)]
pub(crate) struct SetupRequest {
    /// Name of the agent; none asks for the state of all agents. Those of what earlier versions wrote can be removed.
    pub agent: Option<String>,
    /// True if its sessions in the cloud are set up too.
    pub cloud: bool,
    /// Action on this agent.
    pub action: Action,
}

/// Action on an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Reports what would be written.
    Print,
    /// Writes the missing entries.
    Write,
    /// Reports whether all entries are there.
    Check,
    /// Removes the entries again.
    Remove,
}

/// The state of an entry in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "State")]
pub enum SetupState {
    /// As this version writes it.
    Current,
    /// Not there, or not all of it.
    Missing,
    /// As an older version wrote it, or as a shorter one than is needed.
    Outdated,
    /// Somebody has changed it, or a newer version has written it.
    Changed,
    /// The file can't be read.
    Unreadable,
}

impl SetupState {
    /// Returns the state of several entries together.
    fn of_all(states: &[Self]) -> Self {
        let order = [
            Self::Unreadable,
            Self::Missing,
            Self::Outdated,
            Self::Changed,
        ];
        order
            .into_iter()
            .find(|state| states.contains(state))
            .unwrap_or(Self::Current)
    }
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Nothing is to be done.
    None,
    /// It is made.
    Create,
    /// Something is put into it, or taken out.
    Edit,
    /// It is removed: nothing else was in it.
    Delete,
    /// It stays as it is, though something of ours is in it, or should be.
    Keep,
}

/// A file of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "File")]
pub struct SetupFile {
    /// Its name in the work tree.
    pub path: String,
    /// How it was found.
    pub state: SetupState,
    /// What was done, or would be done by `--write`.
    pub change: Change,
    /// Why it stays as it is, or can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What belongs into it, as a file of nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl SetupFile {
    /// Returns whether it stays as it is because the user has changed an entry.
    fn is_changed_by_user(&self) -> bool {
        self.reason.as_deref() == Some(plan::CHANGED_BY_USER)
    }
}

/// What was done or found about one agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Setup {
    /// The agent.
    pub agent: String,
    /// Whether all of it is there and current, after what was done.
    pub in_place: bool,
    /// Its files.
    pub files: Vec<SetupFile>,
    /// What else is left to people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

impl Setup {
    /// Returns whether a file keeps an entry that the user has changed.
    pub(crate) fn keeps_changes(&self) -> bool {
        self.files.iter().any(SetupFile::is_changed_by_user)
    }
}

/// The state of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Standing")]
pub(crate) struct AgentStatus {
    /// What it is called.
    pub agent: String,
    /// Of all its files together.
    pub state: SetupState,
    /// Its files.
    pub files: Vec<SetupFile>,
}

/// All agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Agents {
    /// In the order in which they are listed.
    pub agents: Vec<AgentStatus>,
}

/// One agent, or all of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SetupReport {
    /// The one that was named.
    Agent(Setup),
    /// All.
    All(Agents),
}

impl Answer for SetupReport {
    fn kind(&self) -> answer::AnswerKind {
        answer::AnswerKind::Report
    }
}

/// Sets an agent up, removes that again, or reports its state; without an agent, that of all.
pub(crate) fn setup(store: &Store, request: &SetupRequest) -> ops::Result<SetupReport> {
    let tree = tree(store)?;
    let Some(name) = request.agent.as_deref() else {
        return Ok(SetupReport::All(status_of_all(&tree)));
    };
    if let Some(former) = former::setup_former(store, &tree, name, request) {
        return former.map(SetupReport::Agent);
    }
    let wanted = wanted(&tree, name, request.cloud)?;
    let files = match request.action {
        Action::Print | Action::Check => tree.look(&wanted, request.action == Action::Print),
        // From the reading on: another setup may add to the same files.
        Action::Write => store.while_locked(|| run(&tree.additions(&wanted)?))??,
        Action::Remove => store.while_locked(|| run(&tree.removals(&wanted)?))??,
    };
    let in_place = match request.action {
        Action::Print | Action::Check => files.iter().all(|file| file.state == SetupState::Current),
        Action::Write => files.iter().all(|file| file.change != Change::Keep),
        Action::Remove => false,
    };
    Ok(SetupReport::Agent(Setup {
        agent: name.to_owned(),
        in_place,
        hints: tree.hints(&wanted, request.action, &files),
        files,
    }))
}

/// Refuses what has no sessions in a cloud where these are wanted.
fn check_cloud(name: &str, cloud: bool) -> ops::Result<()> {
    if !cloud || cloud::of(name).is_some() {
        return Ok(());
    }
    let known = cloud::names().join(", ");
    let message = format!("nothing is known of a cloud of {name}, only of those of {known}");
    // A host of jobs has a name of two words.
    let setup = name.split(' ').fold(Command::of("setup"), Command::word);
    Err(Error::invalid(message).hinted(setup))
}

/// Returns the agent of a name.
fn wanted(tree: &WorkTree, name: &str, cloud: bool) -> ops::Result<Wanted> {
    let Some(agent) = AGENTS.iter().find(|agent| agent.name == name) else {
        let known = names().collect::<Vec<_>>().join(", ");
        let server = MCP_SERVERS.alone();
        return Err(
            Error::not_found(format!("there is no agent `{name}`; known are {known}"))
                .hinted(Hint::run(
                    "any agent that reads AGENTS.md: ",
                    Command::of("setup").word("agents-md").flag("--write"),
                ))
                .also(Hint::text(format!(
                    "most agents that have MCP servers read this, in a file of theirs:\n{}",
                    server.trim_end()
                ))),
        );
    };
    check_cloud(name, cloud)?;
    let found = tree.found(agent);
    Ok(Wanted {
        is_in_cloud: cloud || found.is_in_cloud,
        ..found
    })
}

/// Returns the names of the agents, in the order in which they are listed.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.name)
}

fn status_of_all(tree: &WorkTree) -> Agents {
    let status_of = |agent: &'static Agent| {
        let mut wanted = tree.found(agent);
        // Without files of its own it reads the block that the others need.
        if agent.files.is_empty() {
            wanted.block = Some(Length::Short);
        }
        let files = tree.look(&wanted, false);
        let states: Vec<SetupState> = files.iter().map(|file| file.state).collect();
        AgentStatus {
            agent: agent.name.to_owned(),
            state: SetupState::of_all(&states),
            files,
        }
    };
    Agents {
        agents: AGENTS.iter().map(status_of).collect(),
    }
}

/// Removes all entries from the files of all agents; returns the files that held any. An entry
/// changed by hand, and a file that can't be read or written, stays and has [`Change::Keep`]. A dry
/// run writes nothing.
pub fn remove_all(store: &Store, dry_run: bool) -> ops::Result<Vec<SetupFile>> {
    let tree = tree(store)?;
    match dry_run {
        true => Ok(tree.remove_all(true)),
        false => Ok(store.while_locked(|| tree.remove_all(false))?),
    }
}

fn tree(store: &Store) -> ops::Result<WorkTree> {
    let Some(root) = store.work_tree() else {
        return Err(
            Error::invalid("a bare repository has no work tree to write these files in").hinted(
                Hint::run(
                    "name a work tree of it: ",
                    Command::of("-C").placeholder("DIR").word("setup"),
                ),
            ),
        );
    };
    Ok(WorkTree {
        root,
        closed: vec![store.git_dir(), store.common_dir().to_owned()],
    })
}

fn run(plans: &[SetupPlan]) -> ops::Result<Vec<SetupFile>> {
    // All are checked before the first is written, so that a refusal leaves every file as it was.
    for plan in plans {
        plan.check()?;
    }
    for plan in plans {
        plan.run()?;
    }
    Ok(plans.iter().map(SetupPlan::file).collect())
}
