//! Planned changes of the files of an agent: everything is read and decided before anything is
//! written.

use std::fs;

use super::agents::{AGENTS, AGENTS_MD, Agent, Config, Content};
use super::block::{self, Length};
use super::target_file::{TargetFile, WorkTree};
use super::{Action, Change, EditError, Refusal, Result, SetupFile, SetupState};
use crate::ops::{Error, Hint};

/// A file, the entries that belong into it, and its planned change.
pub(super) struct SetupPlan {
    found: TargetFile,
    content: Content,
    state: SetupState,
    change: Change,
    reason: Option<String>,
    /// New text of the file, if it changes; the inner `None` means no file.
    text: Option<Option<String>>,
}

pub(super) const CHANGED_BY_USER: &str = "somebody has changed what git-beads put there";

impl SetupPlan {
    fn new(found: TargetFile, content: Content) -> Result<Self, Refusal> {
        let states = content.states(found.text.as_deref());
        let mut plan = Self {
            found,
            content,
            state: SetupState::Current,
            change: Change::None,
            reason: None,
            text: None,
        };
        let states = states.map_err(|error| plan.refusal(error))?;
        plan.state = SetupState::of_all(&states);
        if states.contains(&SetupState::Changed) {
            plan.reason = Some(CHANGED_BY_USER.to_owned());
            plan.change = Change::Keep;
        }
        Ok(plan)
    }

    /// Refuses a file that can't be edited, with a hint on editing it by hand.
    fn refusal(&self, EditError(why): EditError) -> Refusal {
        let hint = Hint::text(format!(
            "mend it, or edit it by hand; what belongs into it:\n{}",
            self.content.alone().trim_end()
        ));
        let error =
            Error::invalid(format!("{}: {why}; nothing was written", self.found.name)).hinted(hint);
        Refusal { why, error }
    }

    fn put(mut self) -> Result<Self, Refusal> {
        let new = self
            .content
            .put(self.found.text.as_deref())
            .map_err(|error| self.refusal(error))?;
        match &self.found.text {
            None => self.change = Change::Create,
            Some(old) if *old == new => return Ok(self),
            Some(_) => self.change = Change::Edit,
        }
        self.text = Some(Some(new));
        Ok(self)
    }

    /// Plans the removal of the entries; entries changed by the user stay.
    fn take(mut self) -> Result<Self, Refusal> {
        let Some(old) = self
            .found
            .text
            .as_deref()
            .filter(|_| self.change != Change::Keep)
        else {
            return Ok(self);
        };
        let new = self
            .content
            .take(old)
            .map_err(|error| self.refusal(error))?;
        match &new {
            None => self.change = Change::Delete,
            Some(new) if new == old => return Ok(self),
            Some(_) => self.change = Change::Edit,
        }
        self.text = Some(new);
        Ok(self)
    }

    /// Keeps the file for the agents that still need it.
    fn needed_by(mut self, names: &[&str]) -> Self {
        self.change = Change::Keep;
        self.reason = Some(format!("needed by {}", names.join(", ")));
        self
    }

    /// Checks that the plan can be carried out.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        self.text.as_ref().map_or(Ok(()), |_| self.found.check())
    }

    /// Carries the plan out.
    pub(super) fn run(&self) -> Result<(), Refusal> {
        self.text
            .as_ref()
            .map_or(Ok(()), |text| self.found.settle(text.as_deref()))
    }

    /// Returns the report on the file.
    pub(super) fn file(&self) -> SetupFile {
        let path = self.found.name.to_owned();
        SetupFile {
            path,
            state: self.state,
            change: self.change,
            reason: self.reason.clone(),
            text: None,
        }
    }
}

fn configs(agent: &Agent) -> impl Iterator<Item = &Config> {
    agent.files.iter().chain([&AGENTS_MD])
}

impl WorkTree {
    fn plan(&self, name: &'static str, content: Content) -> Result<SetupPlan, Refusal> {
        SetupPlan::new(self.read(name)?, content)
    }

    /// Returns whether a file has an entry of git-beads. Where it can't be parsed, the name is
    /// enough; a file that is refused never got one.
    fn holds(&self, name: &'static str, content: Content) -> bool {
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

    /// Returns the files that a configuration is in, or would be.
    fn names(&self, config: &Config) -> Vec<&'static str> {
        let names = config.paths;
        let mut found: Vec<_> = names
            .iter()
            .copied()
            .filter(|name| self.holds(name, config.content))
            .collect();
        if found.is_empty() {
            found.push(
                names
                    .iter()
                    .find(|name| self.has(name))
                    .unwrap_or(&names[0]),
            );
        }
        found
    }

    /// Returns the files of some configurations, and the content of each, where a block has this
    /// length.
    fn places<'c>(
        &self,
        all: impl Iterator<Item = &'c Config>,
        length: Length,
    ) -> Vec<(&'static str, Content)> {
        let place = |config: &Config| {
            let content = config.with_block(length);
            self.names(config)
                .into_iter()
                .map(move |name| (name, content))
        };
        all.flat_map(place).collect()
    }

    /// Returns the other agents that are set up.
    fn others(&self, than: &Agent) -> Vec<&'static Agent> {
        let some = |config: &Config| {
            config
                .paths
                .iter()
                .any(|name| self.holds(name, config.content))
        };
        AGENTS
            .iter()
            .filter(|agent| agent.name != than.name && agent.files.iter().any(some))
            .collect()
    }

    /// Returns the length of the block that an agent and the others need.
    fn length(&self, agent: &Agent) -> Length {
        self.others(agent)
            .iter()
            .map(|agent| agent.block)
            .fold(agent.block, Length::max)
    }

    /// Reports the files of an agent, and what `--write` would do.
    pub(super) fn look(&self, agent: &Agent, with_text: bool) -> Vec<SetupFile> {
        let file = |(name, content): (&'static str, Content)| {
            let plan = self.plan(name, content).and_then(SetupPlan::put);
            let mut file =
                plan.map_or_else(|refusal| unreadable(name, refusal), |plan| plan.file());
            file.text = with_text.then(|| content.alone());
            file
        };
        self.places(configs(agent), self.length(agent))
            .into_iter()
            .map(file)
            .collect()
    }

    /// Plans the changes of `--write`.
    pub(super) fn additions(&self, agent: &Agent) -> Result<Vec<SetupPlan>, Refusal> {
        let places = self.places(configs(agent), self.length(agent));
        places
            .into_iter()
            .map(|(name, content)| self.plan(name, content)?.put())
            .collect()
    }

    /// Plans the changes of `--remove`.
    pub(super) fn removals(&self, agent: &Agent) -> Result<Vec<SetupPlan>, Refusal> {
        let own = self.places(agent.files.iter(), agent.block).into_iter();
        let mut plans: Vec<SetupPlan> = own
            .map(|(name, content)| self.plan(name, content)?.take())
            .collect::<Result<_, _>>()?;
        plans.push(self.without_block(agent)?);
        Ok(plans)
    }

    /// Plans the removal of the block with the last agent that needs it. `agents-md` leaves no
    /// trace in another file, but where no other agent is left, only it can need the commands.
    fn without_block(&self, agent: &Agent) -> Result<SetupPlan, Refusal> {
        let others = self.others(agent);
        let length = others.iter().map(|agent| agent.block).max();
        let mut block = self.plan(
            AGENTS_MD.paths[0],
            Content::Block(length.unwrap_or(agent.block)),
        )?;
        let text = block.found.text.as_deref().unwrap_or_default();
        let Some(length) = length else {
            // A full block may be there for an agent without files of its own, which leaves no other trace.
            let alone = agent.block == Length::Full || !block::is_full(text);
            return if alone {
                block.take()
            } else {
                Ok(block.needed_by(&["agents-md"]))
            };
        };
        if let Some(shorter) = block::shortened(text, length) {
            block.change = Change::Edit;
            block.text = Some(Some(shorter));
        } else if block.state != SetupState::Missing {
            return Ok(block.needed_by(&others.iter().map(|agent| agent.name).collect::<Vec<_>>()));
        }
        Ok(block)
    }

    /// Removes all entries that can be removed from the files of all agents; returns the files that
    /// held any.
    pub(super) fn remove_all(&self, dry_run: bool) -> Vec<SetupFile> {
        let remove = |(name, content): (&'static str, Content)| {
            let done = self
                .plan(name, content)
                .and_then(SetupPlan::take)
                .and_then(|plan| {
                    if !dry_run {
                        plan.run()?;
                    }
                    Ok(plan.file())
                });
            done.unwrap_or_else(|refusal| unreadable(name, refusal))
        };
        let all = AGENTS
            .iter()
            .flat_map(|agent| agent.files)
            .chain([&AGENTS_MD]);
        self.places(all, Length::Short)
            .into_iter()
            .map(remove)
            .filter(|file| file.change != Change::None)
            .collect()
    }

    /// Returns the steps that are left to people.
    pub(super) fn hints(&self, agent: &Agent, action: Action, files: &[SetupFile]) -> Vec<String> {
        let name = agent.name;
        let mut hints = Vec::new();
        match action {
            Action::Print | Action::Check => {
                let lacks = files
                    .iter()
                    .any(|file| matches!(file.state, SetupState::Missing | SetupState::Outdated));
                if lacks && action == Action::Print {
                    hints.extend(agent.hints.iter().map(ToString::to_string));
                }
                hints.extend(lacks.then(|| format!("git beads setup {name} --write")));
            }
            Action::Write => {
                hints.extend(agent.hints.iter().map(ToString::to_string));
                hints.extend((name == "claude").then(|| self.import_hint()).flatten());
                let is_new = |file: &SetupFile| file.change != Change::None;
                hints.extend(files.iter().any(is_new).then(|| {
                    "commit the files: only then are they in other worktrees and clones".to_owned()
                }));
                hints.push(format!(
                    "this takes it back: git beads setup {name} --remove"
                ));
            }
            Action::Remove => {}
        }
        let theirs =
            files
                .iter()
                .filter(|file| file.is_changed_by_user())
                .map(|file| match action {
                    Action::Remove => format!("take it out of {} by hand", file.path),
                    _ => format!("to renew it in {}, take it out by hand first", file.path),
                });
        hints.extend(theirs);
        let foreign = self
            .read(AGENTS_MD.paths[0])
            .is_ok_and(|found| found.text.is_some_and(|text| block::has_foreign(&text)));
        if foreign {
            hints.push(
                "AGENTS.md also holds the block of bd, which is left alone: take it out by hand"
                    .to_owned(),
            );
        }
        hints
    }

    /// Returns a hint on `CLAUDE.md`, which Claude Code reads and which belongs to the user alone.
    fn import_hint(&self) -> Option<String> {
        let [theirs, ours] = ["CLAUDE.md", "AGENTS.md"].map(|name| self.root.join(name));
        let same = theirs
            .canonicalize()
            .is_ok_and(|theirs| ours.canonicalize().is_ok_and(|ours| ours == theirs));
        let imports =
            same || fs::read_to_string(theirs).is_ok_and(|text| text.contains("@AGENTS.md"));
        (!imports).then(|| {
            "Claude Code reads CLAUDE.md; the line @AGENTS.md in it makes it read AGENTS.md too"
                .to_owned()
        })
    }
}

fn unreadable(name: &str, refusal: Refusal) -> SetupFile {
    let (path, reason) = (name.to_owned(), Some(refusal.why));
    SetupFile {
        path,
        state: SetupState::Unreadable,
        change: Change::Keep,
        reason,
        text: None,
    }
}
