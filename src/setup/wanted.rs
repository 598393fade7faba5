//! The agents that are set up here, and what is wanted of one: also for its sessions in the cloud, where that was asked for
//! or is there already.

use super::SetupState;
use super::agents::{AGENTS, AGENTS_MD, Agent, Config, Content};
use super::block::{self, Length};
use super::cloud::{self, Cloud};
use super::target_file::WorkTree;

/// An agent or a host that is to be set up.
pub(super) struct Wanted {
    pub(super) agent: &'static Agent,
    /// True if its sessions in the cloud are set up too.
    pub(super) is_in_cloud: bool,
    /// The least length of the block that it needs.
    pub(super) block: Option<Length>,
}

impl Wanted {
    /// Returns what its sessions in the cloud need.
    pub(super) fn cloud(&self) -> Option<&'static Cloud> {
        cloud::of(self.agent.name).filter(|_| self.is_in_cloud)
    }

    /// Returns its own files.
    pub(super) fn files(&self) -> &'static [Config] {
        self.cloud().map_or(self.agent.files, |cloud| cloud.files)
    }
}

impl WorkTree {
    /// Returns what there is of an agent.
    pub(super) fn found(&self, agent: &'static Agent) -> Wanted {
        Wanted {
            agent,
            is_in_cloud: self.is_in_cloud(agent),
            block: agent.block,
        }
    }

    /// Returns true if an agent is set up for its sessions in the cloud.
    pub(super) fn is_in_cloud(&self, agent: &Agent) -> bool {
        match cloud::of(agent.name) {
            None => false,
            // Its files are the same everywhere: the block shows it.
            Some(cloud) if cloud.marks.is_empty() => {
                self.hold_any(agent.files) && self.has_block_for_cloud()
            }
            Some(cloud) => cloud.marks.iter().any(|mark| self.has_mark(mark)),
        }
    }

    /// Returns true if a file is there for the cloud: a whole one by its text, since elsewhere it has another one.
    fn has_mark(&self, mark: &Config) -> bool {
        let Content::Whole(file) = mark.content else {
            return self.hold_any(&[*mark]);
        };
        let found = self.read(mark.paths[0]).ok().and_then(|it| it.text);
        found.is_some_and(|text| text.replace("\r\n", "\n") == file.text)
    }

    fn has_block_for_cloud(&self) -> bool {
        let found = self.read(AGENTS_MD.paths[0]).ok();
        let text = found.and_then(|found| found.text).unwrap_or_default();
        block::present(&text).is_some_and(|block| block.is_for_cloud)
    }

    fn hold_any(&self, configs: &[Config]) -> bool {
        let mut paths = configs.iter().flat_map(|config| {
            let paths = config.paths.iter();
            paths.map(|path| (*path, config.content))
        });
        paths.any(|(path, content)| self.holds(path, content))
    }

    /// Returns whether a file has an entry of git-beads. Where it can't be parsed, the name is
    /// enough; a file that is refused never got one.
    pub(super) fn holds(&self, name: &'static str, content: Content) -> bool {
        let Some(text) = self.read(name).ok().and_then(|found| found.text) else {
            return false;
        };
        let states = content.states(Some(&text));
        states.map_or_else(
            // A file that can't be parsed may hold an entry all the same.
            |_| text.contains("git-beads"),
            |all| all.iter().any(|state| *state != SetupState::Missing),
        )
    }

    /// Returns the other agents that are set up: a file that several of them read shows none of them.
    pub(super) fn others(&self, than: &Agent) -> Vec<&'static Agent> {
        let is_there = |agent: &Agent| {
            let mut own = agent.files.iter().filter(|config| !is_shared(config));
            own.any(|config| self.hold_any(&[*config]))
        };
        AGENTS
            .iter()
            .filter(|agent| agent.name != than.name && is_there(agent))
            .collect()
    }
}

/// Returns true if several agents read a file.
fn is_shared(config: &Config) -> bool {
    let readers = AGENTS.iter().filter(|agent| agent.reads(config.paths[0]));
    readers.count() > 1
}

impl Agent {
    /// Returns true if a file of this name is one of its own.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.files.iter().any(|config| config.paths.contains(&name))
    }
}
