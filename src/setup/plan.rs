//! What is to become of the files of an agent: everything is read and decided before anything is written.

use std::fs;

use super::agents::{AGENTS, AGENTS_MD, Agent, Config, Content};
use super::block::{self, Length};
use super::file::{Found, Tree};
use super::{Action, Change, File, State, Trouble};
use crate::ops::{Error, Result};

/// A file, what belongs into it, and what is to become of it.
pub(super) struct Plan {
    found: Found,
    content: Content,
    state: State,
    change: Change,
    reason: Option<String>,
    /// What the file is to say; none within means no file.
    text: Option<Option<String>>,
}

const THEIRS: &str = "somebody has changed what git-beads put there";

impl Plan {
    fn new(found: Found, content: Content) -> Result<Self> {
        let states = content.states(found.text.as_deref());
        let mut plan = Self { found, content, state: State::Current, change: Change::None, reason: None, text: None };
        let states = states.map_err(|trouble| plan.refusal(&trouble))?;
        plan.state = State::of_all(&states);
        if states.contains(&State::Changed) {
            plan.reason = Some(THEIRS.to_owned());
            plan.change = Change::Keep;
        }
        Ok(plan)
    }

    /// Nothing is done about a file that can't be edited; what could be done by hand is said.
    fn refusal(&self, trouble: &Trouble) -> Error {
        let Trouble(why) = trouble;
        let hint = format!("mend it, or edit it by hand; what belongs into it:\n{}", self.content.alone().trim_end());
        Error::invalid(format!("{}: {why}; nothing was written", self.found.name)).hinted(hint)
    }

    fn put(mut self) -> Result<Self> {
        let new = self.content.put(self.found.text.as_deref()).map_err(|trouble| self.refusal(&trouble))?;
        match &self.found.text {
            None => self.change = Change::Create,
            Some(old) if *old == new => return Ok(self),
            Some(_) => self.change = Change::Edit,
        }
        self.text = Some(Some(new));
        Ok(self)
    }

    fn take(mut self) -> Result<Self> {
        let Some(old) = self.found.text.as_deref().filter(|_| self.change != Change::Keep) else { return Ok(self) };
        let new = self.content.take(old).map_err(|trouble| self.refusal(&trouble))?;
        match &new {
            None => self.change = Change::Delete,
            Some(new) if new == old => return Ok(self),
            Some(_) => self.change = Change::Edit,
        }
        self.text = Some(new);
        Ok(self)
    }

    /// Refuses to go on where somebody has changed what is to be taken out.
    fn unless_theirs(self) -> Result<Self> {
        if self.reason.is_none() {
            return Ok(self);
        }
        let name = self.found.name;
        Err(Error::conflict("changed", format!("{name}: {THEIRS}; nothing was removed"))
            .hinted(format!("take it out of {name} by hand, and run the command again")))
    }

    /// Looks whether it can be done.
    ///
    /// # Errors
    /// A file that can't be written.
    pub(super) fn check(&self) -> Result<()> {
        self.text.as_ref().map_or(Ok(()), |_| self.found.check())
    }

    /// Does it.
    ///
    /// # Errors
    /// A file that can't be written.
    pub(super) fn run(&self) -> Result<()> {
        self.text.as_ref().map_or(Ok(()), |text| self.found.settle(text.as_deref()))
    }

    /// What was found and is done.
    pub(super) fn file(&self) -> File {
        let path = self.found.name.to_owned();
        File { path, state: self.state, change: self.change, reason: self.reason.clone(), text: None }
    }
}

fn configs(agent: &Agent) -> impl Iterator<Item = &Config> {
    agent.files.iter().chain([&AGENTS_MD])
}

impl Tree {
    fn plan(&self, config: &Config, length: Length) -> Result<Plan> {
        Plan::new(self.read(config.paths)?, config.with_block(length))
    }

    /// The other agents of whom something is there. Where a file can't be parsed, our name in it is enough; where
    /// it is refused, nothing of ours has come there.
    fn others(&self, than: &Agent) -> Vec<&'static Agent> {
        let some = |config: &Config| {
            let Some(text) = self.read(config.paths).ok().and_then(|found| found.text) else { return false };
            let states = config.content.states(Some(&text));
            states.map_or_else(|_| text.contains("git-beads"), |all| all.iter().any(|state| *state != State::Missing))
        };
        AGENTS.iter().filter(|agent| agent.name != than.name && agent.files.iter().any(some)).collect()
    }

    /// How much the block has to say to an agent and the others.
    fn length(&self, agent: &Agent) -> Length {
        self.others(agent).iter().map(|agent| agent.block).fold(agent.block, Length::max)
    }

    /// How the files of an agent stand, and what `--write` would do.
    pub(super) fn look(&self, agent: &Agent, with_text: bool) -> Vec<File> {
        let length = self.length(agent);
        let file = |config: &Config| {
            let plan = self.plan(config, length).and_then(Plan::put);
            let mut file = plan.map_or_else(|error| unreadable(config, &error), |plan| plan.file());
            file.text = with_text.then(|| config.with_block(length).alone());
            file
        };
        configs(agent).map(file).collect()
    }

    /// What `--write` does.
    ///
    /// # Errors
    /// A file that can't be read.
    pub(super) fn additions(&self, agent: &Agent) -> Result<Vec<Plan>> {
        let length = self.length(agent);
        configs(agent).map(|config| self.plan(config, length)?.put()).collect()
    }

    /// What `--remove` does. The block goes with the last agent that needs it.
    ///
    /// # Errors
    /// A file that can't be read, or in which somebody has changed what is ours.
    pub(super) fn removals(&self, agent: &Agent) -> Result<Vec<Plan>> {
        let others = self.others(agent);
        let Some(length) = others.iter().map(|agent| agent.block).max() else {
            return configs(agent).map(|config| self.plan(config, agent.block)?.unless_theirs()?.take()).collect();
        };
        let own = agent.files.iter().map(|config| self.plan(config, length)?.unless_theirs()?.take());
        let mut plans = own.collect::<Result<Vec<Plan>>>()?;
        let mut block = self.plan(&AGENTS_MD, length)?;
        if let Some(shorter) = block.found.text.as_deref().and_then(|text| block::shortened(text, length)) {
            block.change = Change::Edit;
            block.text = Some(Some(shorter));
        } else if block.state != State::Missing {
            let names: Vec<&str> = others.iter().map(|agent| agent.name).collect();
            block.change = Change::Keep;
            block.reason = Some(format!("needed by {}", names.join(", ")));
        }
        plans.push(block);
        Ok(plans)
    }

    /// Takes everything out of the files of all agents that can be taken out; answers with the files that held
    /// something.
    pub(super) fn remove_all(&self, dry_run: bool) -> Vec<File> {
        let remove = |config: &Config| {
            let done = self.plan(config, Length::Short).and_then(Plan::take).and_then(|plan| {
                if !dry_run {
                    plan.run()?;
                }
                Ok(plan.file())
            });
            done.unwrap_or_else(|error| unreadable(config, &error))
        };
        let all = AGENTS.iter().flat_map(|agent| agent.files).chain([&AGENTS_MD]);
        all.map(remove).filter(|file| file.change != Change::None).collect()
    }

    /// What is left to people.
    pub(super) fn hints(&self, agent: &Agent, action: Action, files: &[File]) -> Vec<String> {
        let name = agent.name;
        let mut hints = Vec::new();
        match action {
            Action::Print | Action::Check => {
                let lacks = files.iter().any(|file| matches!(file.state, State::Missing | State::Outdated));
                hints.extend(lacks.then(|| format!("git beads setup {name} --write")));
            }
            Action::Write => {
                hints.extend(agent.hints.iter().map(ToString::to_string));
                hints.extend((name == "claude").then(|| self.import_hint()).flatten());
                hints.push(format!("this takes it back: git beads setup {name} --remove"));
            }
            Action::Remove => {}
        }
        let theirs = files.iter().filter(|file| file.reason.as_deref() == Some(THEIRS));
        hints.extend(theirs.map(|file| format!("to renew it in {}, take it out by hand first", file.path)));
        let foreign =
            self.read(AGENTS_MD.paths).is_ok_and(|found| found.text.is_some_and(|text| block::has_foreign(&text)));
        if foreign {
            hints.push("AGENTS.md also holds the block of bd, which is left alone: take it out by hand".to_owned());
        }
        hints
    }

    /// Claude Code reads `CLAUDE.md`, which is its user's alone.
    fn import_hint(&self) -> Option<String> {
        let [theirs, ours] = ["CLAUDE.md", "AGENTS.md"].map(|name| self.root.join(name));
        let same = theirs.canonicalize().is_ok_and(|theirs| ours.canonicalize().is_ok_and(|ours| ours == theirs));
        let imports = same || fs::read_to_string(theirs).is_ok_and(|text| text.contains("@AGENTS.md"));
        (!imports)
            .then(|| "Claude Code reads CLAUDE.md; the line @AGENTS.md in it makes it read AGENTS.md too".to_owned())
    }
}

fn unreadable(config: &Config, error: &Error) -> File {
    let reason = Some(error.message.clone());
    let path = config.paths[0].to_owned();
    File { path, state: State::Unreadable, change: Change::Keep, reason, text: None }
}
