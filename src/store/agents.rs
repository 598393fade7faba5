//! What is known here of the agents that act: the process of each one's client, and when it last did something.
//!
//! It decides who may take over what an agent has left, and only here: nothing of it is ever sent. Nothing fails for it
//! either; an agent of which nothing is known is taken for one that is at work.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Store, private_file};
use crate::env::Env;
use crate::platform::{self, Process};

/// The folder of the files of agents, below `.git/beads`.
pub(super) const FOLDER: &str = "agents";
/// The longest name of an agent.
const LONGEST: usize = 64;
/// The age at which a file is removed.
const LASTS: Duration = Duration::from_secs(14 * 24 * 3600);
/// The files about claims at remotes, which are not removed with age.
const KEPT: [&str; 3] = ["claims.leases", "claims.lock", "claims.clone"];
/// What an agent does within this time is noted once.
const REST: Duration = Duration::from_secs(5);
/// The size beyond which a file is not read.
const LARGEST: u64 = 4 << 20;
const VERSION: u32 = 1;
/// The ending of the files; a name may end like any other file of an agent.
const ENDING: &str = ".json";
/// The ending of the files that say which session a process speaks for.
const SESSION: &str = ".session";
/// The ending of the files that say with whose hook a session began.
const START: &str = ".start";
/// The ending of the files that say for which agents a server speaks.
const SERVER: &str = ".server";
/// The ending of a file that is being written.
const UNFINISHED: &str = "-new";

/// What is known of an agent; the time of its file is that of its last activity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentRecord {
    v: u32,
    /// The person that it works for.
    pub(crate) person: String,
    /// Its name.
    pub(crate) agent: String,
    /// The process of its client, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    proc: Option<ClientProcess>,
    /// True once its session has ended; what it does later makes it false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ended: bool,
    /// True while it takes whatever is next, of all issues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    queue: bool,
    /// What it has in progress, as it was last reminded of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reminded: Vec<String>,
}

/// The process of a client, and the machine that runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ClientProcess {
    pid: u32,
    start: String,
    boot: String,
    /// The host, with its container.
    host: String,
}

impl ClientProcess {
    /// Returns a process as a process of this boot of this machine; none where boots have no names.
    fn of(env: &Env, process: &Process) -> Option<Self> {
        let boot = env.boot_id();
        (!boot.is_empty()).then(|| Self {
            pid: process.number,
            start: process.start.clone(),
            boot,
            host: env.host(),
        })
    }

    /// Returns true if it has ended for sure: of another machine or another boot nothing can be said.
    fn is_gone(&self, env: &Env) -> bool {
        let Ok(number) = i32::try_from(self.pid) else {
            return false;
        };
        if self.boot != env.boot_id() || self.host != env.host() {
            return false;
        }
        // The number can belong to another process by now, which began at another time.
        let start = platform::process_start(number);
        platform::has_ended(number) || start.is_some_and(|start| start != self.start)
    }
}

impl AgentRecord {
    /// Describes an agent, and the process of its client.
    pub(crate) fn new(env: &Env, person: &str, agent: &str, process: Option<&Process>) -> Self {
        Self {
            v: VERSION,
            person: person.to_owned(),
            agent: agent.to_owned(),
            proc: process.and_then(|process| ClientProcess::of(env, process)),
            ended: false,
            queue: false,
            reminded: Vec::new(),
        }
    }
}

/// The agent that a process of a client speaks for.
#[derive(Debug, Serialize, Deserialize)]
struct SessionRecord {
    v: u32,
    agent: String,
    proc: ClientProcess,
}

/// The agents that a server speaks for while it runs.
#[derive(Debug, Serialize, Deserialize)]
struct ServerRecord {
    v: u32,
    agents: BTreeSet<String>,
    proc: ClientProcess,
}

/// The way in which an agent has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// Its client has ended.
    Gone,
    /// Its client has said that the session has ended.
    Ended,
}

impl Departure {
    /// Returns the word for it in answers.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Ended => "ended",
        }
    }
}

/// Returns an agent, and the session that it is a part of.
fn family(agent: &str) -> impl Iterator<Item = &str> {
    let session = agent.split_once('.').map(|(session, _)| session);
    std::iter::once(agent).chain(session)
}

/// The files of the agents that act in a repository.
#[derive(Clone, Copy)]
pub(crate) struct AgentFiles<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the files of the agents that act here.
    pub(crate) fn agents(&self) -> AgentFiles<'_> {
        AgentFiles { store: self }
    }
}

impl AgentFiles<'_> {
    /// Notes that an agent is at work, at most once in a while where it is known already by the same process.
    pub(crate) fn note_activity(self, agent: &str, describe: impl FnOnce() -> AgentRecord) {
        let Some(path) = self.file(agent, ENDING) else {
            return;
        };
        let now = describe();
        // Another process of the same agent, as of a session that goes on: the one that is known may be gone.
        let is_known = |known: AgentRecord| {
            known.proc == now.proc && known.person == now.person && !known.ended
        };
        if is_fresh(&path) && self.record(agent).is_some_and(is_known) {
            return;
        }
        self.note_presence(agent, now);
    }

    /// Notes that an agent is at work; one that had ended goes on.
    pub(crate) fn note_presence(self, agent: &str, mut record: AgentRecord) {
        if let Some(path) = self.file(agent, ENDING) {
            if let Some(old) = self.record(agent) {
                (record.queue, record.reminded) = (old.queue, old.reminded);
            }
            self.put(&path, &record);
        }
    }

    /// Notes whether an agent takes whatever is next; `describe` is asked only where nothing is known of it yet.
    pub(crate) fn note_queue(
        self,
        agent: &str,
        queue: bool,
        describe: impl FnOnce() -> AgentRecord,
    ) {
        if queue == self.takes_next(agent) {
            return;
        }
        if let Some(path) = self.file(agent, ENDING) {
            let record = self.record(agent).unwrap_or_else(describe);
            self.put(&path, &AgentRecord { queue, ..record });
        }
    }

    /// Returns whether an agent takes whatever is next.
    pub(crate) fn takes_next(self, agent: &str) -> bool {
        self.record(agent).is_some_and(|record| record.queue)
    }

    /// Notes that a process of a client speaks for this agent from now on.
    pub(crate) fn note_session(self, agent: &str, process: &Process) {
        let path = self.file(&session_name(process), SESSION);
        if let (Some(path), Some(proc)) = (path, ClientProcess::of(self.store.env(), process)) {
            let agent = agent.to_owned();
            let v = VERSION;
            self.put(&path, &SessionRecord { v, agent, proc });
        }
    }

    /// Notes the client whose hook a session has begun with; returns false where it began with that of another: a client
    /// that reads the files of several agents runs the hook of each.
    pub(crate) fn begins_with(self, session: &str, client: &str) -> bool {
        let Some(path) = self.file(session, START) else {
            return true;
        };
        let opened = self
            .make_folder()
            .and_then(|()| private_file::open(&path, self.store.permissions()));
        let Ok(mut file) = opened else {
            return true;
        };
        // Where files can't be locked, two hooks at the same time both speak at worst.
        let _ = file.lock();
        let mut first = String::new();
        match file.read_to_string(&mut first) {
            Ok(0) => file.write_all(client.as_bytes()).is_ok(),
            Ok(_) => first == client,
            Err(_) => true,
        }
    }

    /// Returns the agent that a process of a client speaks for, where that is known.
    pub(crate) fn session_of(self, process: &Process) -> Option<String> {
        let path = self.file(&session_name(process), SESSION)?;
        let record: SessionRecord = self.read(&path)?;
        // A process of another machine that shares the folder can have the same numbers.
        (Some(record.proc) == ClientProcess::of(self.store.env(), process)).then_some(record.agent)
    }

    /// Notes the agents that a server speaks for as long as its process runs.
    pub(crate) fn note_server(self, agents: BTreeSet<String>, process: &Process) {
        let path = self.file(&session_name(process), SERVER);
        if let (Some(path), Some(proc)) = (path, ClientProcess::of(self.store.env(), process)) {
            let v = VERSION;
            self.put(&path, &ServerRecord { v, agents, proc });
        }
    }

    /// Returns whether another server that runs speaks for an agent too; the notes of those that have ended are removed.
    pub(crate) fn has_other_server(self, agent: &str, process: &Process) -> bool {
        let own = ClientProcess::of(self.store.env(), process);
        let mut found = false;
        let entries = fs::read_dir(self.store.folder().join(FOLDER));
        for entry in entries.into_iter().flatten().flatten() {
            if !entry.file_name().to_string_lossy().ends_with(SERVER) {
                continue;
            }
            match self.read::<ServerRecord>(&entry.path()) {
                Some(server) if server.proc.is_gone(self.store.env()) => {
                    let _ = fs::remove_file(entry.path());
                }
                Some(server) => {
                    found |= server.agents.contains(agent) && Some(server.proc) != own;
                }
                None => {}
            }
        }
        found
    }

    /// Notes that the session of an agent has ended; of one that did nothing here there is nothing to note.
    pub(crate) fn note_end(self, agent: &str) {
        if let (Some(path), Some(record)) = (self.file(agent, ENDING), self.record(agent)) {
            let ended = true;
            self.put(&path, &AgentRecord { ended, ..record });
        }
    }

    /// Notes what an agent is reminded of; returns false where it was reminded of just that the last time.
    pub(crate) fn note_reminder(self, agent: &str, ids: Vec<String>) -> bool {
        let (Some(path), Some(record)) = (self.file(agent, ENDING), self.record(agent)) else {
            return !ids.is_empty();
        };
        let is_new = record.reminded != ids;
        if is_new {
            let reminded = ids;
            self.put(&path, &AgentRecord { reminded, ..record });
        }
        is_new
    }

    /// Returns how an agent of a person has left; none where it is at work, or nothing is known of it.
    pub(crate) fn has_left(self, person: &str, agent: &str) -> Option<Departure> {
        let records = family(agent).filter_map(|name| self.record(name));
        // Another person can have given an agent the same name.
        records
            .filter(|record| record.person == person)
            .find_map(|record| match record {
                AgentRecord { ended: true, .. } => Some(Departure::Ended),
                AgentRecord { proc, .. } => proc
                    .filter(|process| process.is_gone(self.store.env()))
                    .map(|_| Departure::Gone),
            })
    }

    /// Returns the time since an agent of a person, or its session, last did something here, where that is known.
    pub(crate) fn idle(self, person: &str, agent: &str) -> Option<Duration> {
        let of_person = |name: &&str| {
            self.record(name)
                .is_some_and(|record| record.person == person)
        };
        let known = family(agent).filter(of_person);
        known
            .filter_map(|name| age(&self.file(name, ENDING)?))
            .min()
    }

    /// Returns true if any agent was here.
    pub(crate) fn are_any(self) -> bool {
        let entries = fs::read_dir(self.store.folder().join(FOLDER));
        let mut entries = entries.into_iter().flatten().flatten();
        entries.any(|entry| entry.file_name().to_string_lossy().ends_with(ENDING))
    }

    /// Returns the names of the agents that are known, each alone and with that of its person.
    pub(crate) fn names(self) -> Vec<String> {
        let mut names = Vec::new();
        let entries = fs::read_dir(self.store.folder().join(FOLDER));
        for entry in entries.into_iter().flatten().flatten() {
            if let Some(record) = self.read::<AgentRecord>(&entry.path()) {
                names.push(format!("{}/{}", record.person, record.agent));
                names.push(record.agent);
            }
        }
        names
    }

    /// Writes a file as a whole: who is killed leaves the old one.
    pub(super) fn put(self, path: &Path, record: &impl Serialize) {
        let unfinished = path.with_extension(format!("{}{UNFINISHED}", std::process::id()));
        let noted = self.make_folder().and_then(|()| {
            let mut file = private_file::open(&unfinished, self.store.permissions())?;
            let written = write(&mut file, record);
            Ok(written.and_then(|()| platform::rename_file(&unfinished, path)))
        });
        if !matches!(noted, Ok(Ok(()))) {
            let _ = fs::remove_file(&unfinished);
            tracing::debug!("what is known of the agent could not be noted");
        }
    }

    fn record(self, agent: &str) -> Option<AgentRecord> {
        let record: AgentRecord = self.read(&self.file(agent, ENDING)?)?;
        (record.agent == agent).then_some(record)
    }

    pub(super) fn read<T: DeserializeOwned>(self, path: &Path) -> Option<T> {
        let file = private_file::existing(path).ok()??;
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Returns a file of an agent. The name can come from another clone: one that is no plain name has none.
    pub(super) fn file(self, agent: &str, ending: &str) -> Option<PathBuf> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let fits = !agent.is_empty() && agent.len() <= LONGEST && !agent.starts_with('.');
        let folder = self.store.folder().join(FOLDER);
        (fits && agent.chars().all(is_plain)).then(|| folder.join(format!("{agent}{ending}")))
    }

    /// Makes the folder of the files, and removes the old ones in it.
    pub(super) fn make_folder(self) -> super::Result<()> {
        let folder = self.store.folder().join(FOLDER);
        private_file::folder(&folder, self.store.permissions())?;
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_kept = KEPT.iter().any(|name| entry.file_name() == *name);
            if !is_kept && age(&entry.path()).is_some_and(|age| age > LASTS) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// Returns the time since a file was changed; a time that is still to come counts as now.
fn age(path: &Path) -> Option<Duration> {
    let changed = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    Some(changed.ok()?.elapsed().unwrap_or_default())
}

/// Returns true if a file was changed a moment ago. A time that is still to come, as after the clock was set back, says
/// nothing.
fn is_fresh(path: &Path) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    let age = changed.ok().and_then(|changed| changed.elapsed().ok());
    age.is_some_and(|age| age < REST)
}

/// Returns the name of the file of a process of a client.
fn session_name(process: &Process) -> String {
    format!("proc-{}-{}", process.number, process.start)
}

fn write(file: &mut File, record: &impl Serialize) -> std::io::Result<()> {
    file.set_len(0)?;
    file.write_all(format!("{}\n", serde_json::to_string(record)?).as_bytes())
}
