//! Planned changes of the files of an agent: everything is read and decided before anything is
//! written.

use std::collections::BTreeSet;

use super::agents::{AGENTS, AGENTS_MD, Agent, Config, Content};
use super::block::{self, Block, Length};
use super::cloud::OPT_IN;
use super::target_file::{TargetFile, WorkTree};
use super::wanted::Wanted;
use super::{Change, EditError, Refusal, Result, SetupFile, SetupState, former};
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

pub(super) const CHANGED_BY_USER: &str = "the part that git-beads wrote was changed";

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
            "fix it, or edit it by hand; it should contain:\n{}",
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

impl WorkTree {
    fn plan(&self, name: &'static str, content: Content) -> Result<SetupPlan, Refusal> {
        SetupPlan::new(self.read(name)?, content)
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

    /// Returns the files of some configurations, and the content of each, where `AGENTS.md` has this block.
    fn places<'c>(
        &self,
        all: impl Iterator<Item = &'c Config>,
        block: Block,
    ) -> Vec<(&'static str, Content)> {
        let place = |config: &Config| {
            let content = config.with_block(block);
            self.names(config)
                .into_iter()
                .map(move |name| (name, content))
        };
        all.flat_map(place).collect()
    }

    /// Returns all files of what is wanted, with their contents.
    fn all_places(&self, wanted: &Wanted) -> Vec<(&'static str, Content)> {
        let own = wanted.files().iter();
        match wanted.block {
            None => self.places(own, Block::of(Length::Short)),
            Some(length) => {
                let others = self.needed(&self.others(wanted.agent));
                let block = Block::of(length).in_cloud(wanted.is_in_cloud);
                let block = others.map_or(block, |others| block.with(others));
                self.places(own.chain([&AGENTS_MD]), block)
            }
        }
    }

    /// Returns the block that some agents need; none where there are none.
    fn needed(&self, agents: &[&Agent]) -> Option<Block> {
        let length = agents.iter().filter_map(|agent| agent.block).max()?;
        let is_for_cloud = agents.iter().any(|agent| self.is_in_cloud(agent));
        Some(Block::of(length).in_cloud(is_for_cloud))
    }

    /// Reports the files of what is wanted, and what `--write` would do.
    pub(super) fn look(&self, wanted: &Wanted, with_text: bool) -> Vec<SetupFile> {
        let file = |(name, content): (&'static str, Content)| {
            let plan = self.plan(name, content).and_then(SetupPlan::put);
            let mut file =
                plan.map_or_else(|refusal| unreadable(name, refusal), |plan| plan.file());
            file.text = with_text.then(|| content.alone());
            file
        };
        self.all_places(wanted).into_iter().map(file).collect()
    }

    /// Plans the changes of `--write`.
    pub(super) fn additions(&self, wanted: &Wanted) -> Result<Vec<SetupPlan>, Refusal> {
        let places = self.all_places(wanted).into_iter();
        places
            .map(|(name, content)| self.plan(name, content)?.put())
            .collect()
    }

    /// Plans the changes of `--remove`.
    pub(super) fn removals(&self, wanted: &Wanted) -> Result<Vec<SetupPlan>, Refusal> {
        let others = self.others(wanted.agent);
        let take = |(name, content)| {
            let plan = self.plan(name, content)?;
            let needs = |other: &&&Agent| match content {
                Content::Presence(_) => self.is_in_cloud(other),
                _ => other.reads(name),
            };
            let needed: Vec<&str> = others.iter().filter(needs).map(|it| it.name).collect();
            match needed.is_empty() || plan.state == SetupState::Missing {
                true => plan.take(),
                false => Ok(plan.needed_by(&needed)),
            }
        };
        let own = self.places(wanted.files().iter(), Block::of(Length::Short));
        let mut plans: Vec<SetupPlan> = own.into_iter().map(take).collect::<Result<_, _>>()?;
        if let Some(length) = wanted.agent.block {
            plans.push(self.without_block(wanted.agent, length)?);
        }
        let former = former::files(Some(wanted.agent.name)).filter(|config| self.has_any(config));
        plans.extend(self.removals_of(former)?);
        Ok(plans)
    }

    /// Plans the removal of files, whoever else reads them.
    pub(super) fn removals_of<'c>(
        &self,
        files: impl Iterator<Item = &'c Config>,
    ) -> Result<Vec<SetupPlan>, Refusal> {
        let places = self.places(files, Block::of(Length::Short));
        let plans = places.into_iter();
        plans
            .map(|(name, content)| self.plan(name, content)?.take())
            .collect()
    }

    fn has_any(&self, config: &Config) -> bool {
        let mut names = config.paths.iter();
        names.any(|name| self.holds(name, config.content))
    }

    /// Plans the removal of the block with the last agent that needs it. `agents-md` leaves no
    /// trace in another file, but where no other agent is left, only it can need the commands.
    fn without_block(&self, agent: &Agent, length: Length) -> Result<SetupPlan, Refusal> {
        let others = self.others(agent);
        let needed = self.needed(&others);
        let content = Content::Block(needed.unwrap_or(Block::of(length)));
        let mut block = self.plan(AGENTS_MD.paths[0], content)?;
        let text = block.found.text.as_deref().unwrap_or_default();
        let Some(needed) = needed else {
            // A full block may be there for an agent without files of its own, which leaves no other trace.
            let is_full = block::present(text).is_some_and(|block| block.length == Length::Full);
            return if length == Length::Full || !is_full {
                block.take()
            } else {
                Ok(block.needed_by(&["agents-md"]))
            };
        };
        if let Some(shorter) = block::shortened(text, needed) {
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
        let wanted = AGENTS.iter().map(|agent| self.found(agent));
        let of_agents = wanted.flat_map(|wanted| wanted.files());
        let jobs = former::files(None);
        // Read before anything goes: the files themselves show what is set up for the cloud.
        let mut places = self.places(
            of_agents.chain(jobs).chain([&OPT_IN, &AGENTS_MD]),
            Block::of(Length::Short),
        );
        let mut seen = BTreeSet::new();
        places.retain(|(name, _)| seen.insert(*name));
        places
            .into_iter()
            .map(remove)
            .filter(|file| file.change != Change::None)
            .collect()
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
