//! `setup`: what is written for agents.

use clap::Args;

use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::{ExitClass, Result};
use crate::setup::{
    Action, Agents, Change, Setup, SetupFile, SetupReport, SetupRequest, SetupState, setup,
};

/// Without an option, what would be written is printed; without an agent, how all of them stand.
#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// claude, codex, cursor, copilot, vscode, gemini, amp, opencode, antigravity, devin, kiro, junie, qwen, warp, continue
    /// or agents-md
    agent: Option<String>,
    /// After ci, with --remove: github, gitlab or forgejo, whose workflows earlier versions wrote
    #[arg(hide = true)]
    host: Option<String>,
    /// Also set up its cloud sessions (claude, codex, copilot)
    #[arg(long, requires = "agent", conflicts_with = "remove")]
    cloud: bool,
    /// Write the files in this work tree
    #[arg(long, requires = "agent", group = "action")]
    write: bool,
    /// Check that it is installed (exit code 1: no)
    #[arg(long, requires = "agent", group = "action")]
    check: bool,
    /// Remove what was written
    #[arg(long, requires = "agent", group = "action")]
    remove: bool,
}

impl Verb for SetupArgs {
    const NAME: &'static str = "setup";
    const ABOUT: &'static str = "Set up (or remove) git-beads for a coding agent";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"See what would be written; write it; remove it:

$ git beads setup claude
$ git beads setup claude --write
$ git beads setup claude --remove
";
    type Answer = SetupReport;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let action = self.action();
        let agent = match (self.agent, self.host) {
            (Some(agent), Some(host)) => Some(format!("{agent} {host}")),
            (agent, _) => agent,
        };
        let request = SetupRequest {
            agent,
            cloud: self.cloud,
            action,
        };
        let report = setup(cli.tracker()?.store(), &request)?;
        let exit = match (&report, action) {
            (SetupReport::Agent(setup), Action::Check) => Exit::one_if(!setup.in_place),
            (SetupReport::Agent(setup), Action::Remove) if setup.keeps_changes() => {
                Exit::of(ExitClass::Conflict)
            }
            _ => Exit::OK,
        };
        cli.answer(report, names, |ui, report| match report {
            SetupReport::All(agents) => list(ui, agents),
            SetupReport::Agent(setup) => one(ui, setup, action),
        });
        Ok(exit)
    }
}

impl SetupArgs {
    fn action(&self) -> Action {
        match (self.write, self.check, self.remove) {
            (true, ..) => Action::Write,
            (_, true, _) => Action::Check,
            (.., true) => Action::Remove,
            _ => Action::Print,
        }
    }
}

/// Returns the agents that are set up, or the files that are changed.
fn names(told: &SetupReport) -> Vec<String> {
    match told {
        SetupReport::All(Agents { agents }) => {
            let there = agents
                .iter()
                .filter(|agent| agent.state == SetupState::Current);
            there.map(|agent| agent.agent.clone()).collect()
        }
        SetupReport::Agent(setup) => {
            let changed = setup
                .files
                .iter()
                .filter(|file| !matches!(file.change, Change::None | Change::Keep));
            changed.map(|file| file.path.clone()).collect()
        }
    }
}

fn word(state: SetupState) -> &'static str {
    match state {
        SetupState::Current => "installed",
        SetupState::Missing => "missing",
        SetupState::Outdated => "to be updated",
        SetupState::Changed => "changed by hand",
        SetupState::Unreadable => "unreadable",
    }
}

fn list(ui: &mut Ui, agents: &Agents) {
    for agent in &agents.agents {
        let mixed = agent.files.iter().any(|file| file.state != agent.state);
        let own = agent
            .files
            .iter()
            .rev()
            .skip(1)
            .any(|file| file.state != SetupState::Missing);
        let parts = agent
            .files
            .iter()
            .map(|file| format!("{} {}", file.path, word(file.state)));
        let detail = if mixed && own {
            format!(" ({})", parts.collect::<Vec<_>>().join(", "))
        } else {
            String::new()
        };
        ui.line(&format!("{}: {}{detail}", agent.agent, word(agent.state)));
    }
}

fn one(ui: &mut Ui, setup: &Setup, action: Action) {
    for file in &setup.files {
        let what = match action {
            Action::Print | Action::Check => word(file.state),
            Action::Write | Action::Remove => done(file, action),
        };
        let why = file
            .reason
            .as_deref()
            .map(|why| format!(" ({})", ui.one_line(why)))
            .unwrap_or_default();
        ui.line(&format!("{}: {what}{why}", file.path));
        for line in file.text.iter().flat_map(|text| text.lines()) {
            ui.line(line);
        }
        if file.text.is_some() {
            ui.line("");
        }
    }
    for hint in &setup.hints {
        ui.line(&format!("hint: {hint}"));
    }
}

fn done(file: &SetupFile, action: Action) -> &'static str {
    match (file.change, action) {
        (Change::Create, _) => "created",
        (Change::Edit, _) => "edited",
        (Change::Delete, _) => "removed",
        (Change::Keep, _) => "kept",
        (Change::None, Action::Remove) => "nothing of git-beads in it",
        (Change::None, _) => "already installed",
    }
}
