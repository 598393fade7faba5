//! Git's hooks: `hooks install`, `uninstall`, `status`, and what they start.
//!
//! Nothing depends on them. They update the index after the ref may have moved and, where that was
//! asked for, exchange with the remote that the user has just pulled from or pushes to. Since hooks
//! belong to the user, one fenced block is added where git itself looks, and only inside of the git
//! directory: to its configuration from git 2.54 on, else to the script of the hook. Where a
//! manager, a folder of the work tree or another language owns the hook, the line to add is
//! printed. `core.hooksPath` is never set, and no other hook is moved, copied or wrapped.

mod config_file;
mod conflict;
mod environment;
mod handler;
mod plan;
mod report;
mod script;

use schemars::JsonSchema;
use serde::Serialize;

use super::ops::answer::{Answer, AnswerKind};
use super::ops::verbs::doctor::Finding;
use crate::ops::{Error, Result, Tracker};
use crate::store::Store;
use environment::HookEnvironment;
use plan::HookPlan;
use script::HookCall;

pub(crate) use handler::handle;

/// Options of `hooks install`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Install {
    /// Exchanges with remotes along with the user's own pull and push.
    pub sync: bool,
    /// Reports changes without writing them.
    pub dry_run: bool,
}

/// What the hooks are, or have become.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Hooks {
    /// The version of git.
    pub git: String,
    /// Where they are defined here: `config` (git 2.54 and newer) or `files`.
    pub method: Method,
    /// The folder in which git looks for the scripts of hooks.
    pub folder: String,
    /// The events, installed or not.
    pub hooks: Vec<Hook>,
    /// The files that were written, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// The files that were removed, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// How hooks are defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// By sections `hook.<name>` of git's configuration.
    Config,
    /// By scripts in a folder.
    #[default]
    Files,
}

/// What is true of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "State")]
pub(crate) enum HookState {
    /// Nothing of ours.
    #[default]
    Absent,
    /// Ours, and git will run it.
    Runs,
    /// Ours, and git will not run it, or in vain.
    Idle,
    /// Wanted, and not ours to write: see `add` and `add_to`.
    ByHand,
}

/// One event.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Hook {
    /// `post-merge`, `post-checkout`, ...
    pub event: String,
    /// What is true of it.
    pub state: HookState,
    /// Whether it exchanges with a remote.
    pub sync: bool,
    /// The file that defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why it does not run, or was not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The exact next command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// What to add by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
    /// The file to add it to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_to: Option<String>,
}

impl Answer for Hooks {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Hooks {
    /// Returns whether all hooks that were asked for run.
    pub(crate) fn is_done(&self) -> bool {
        !self
            .hooks
            .iter()
            .any(|hook| matches!(hook.state, HookState::Idle | HookState::ByHand))
    }
}

/// The events, and whether each exchanges with a remote where that is asked for.
const EVENTS: [(&str, bool); 4] = [
    ("post-merge", true),
    ("post-checkout", false),
    ("post-rewrite", true),
    ("pre-push", true),
];

/// Returns the calls that an installation consists of.
fn calls(sync: bool) -> Vec<HookCall> {
    let of = |(event, syncs): &(&'static str, bool)| HookCall {
        event,
        sync: sync && *syncs,
    };
    EVENTS
        .iter()
        .filter(|(event, _)| sync || *event != "pre-push")
        .map(of)
        .collect()
}

/// Installs the hooks where they may be written, and reports what to add by hand elsewhere.
pub(crate) fn install(tracker: &Tracker, request: Install) -> Result<Hooks> {
    // No hooks where no issues are kept.
    tracker.store().snapshot()?;
    change(tracker.store(), &calls(request.sync), request.dry_run)
}

/// Removes the installed hooks; every other byte stays as it is.
pub(crate) fn uninstall(tracker: &Tracker, dry_run: bool) -> Result<Hooks> {
    change(tracker.store(), &[], dry_run)
}

fn change(store: &Store, wanted: &[HookCall], dry_run: bool) -> Result<Hooks> {
    let environment = HookEnvironment::look(store)?;
    let plan = match dry_run {
        true => HookPlan::make(&environment, wanted)?,
        // From the reading on: another installation may be at work.
        false => store.while_locked(|| {
            let plan = HookPlan::make(&environment, wanted)?;
            environment.sweep();
            plan.carry_out()?;
            Ok::<_, Error>(plan)
        })??,
    };
    let mut hooks = environment.report(Some(wanted), &plan);
    hooks.wrote = plan.written();
    hooks.removed = plan.removed();
    hooks.dry_run = dry_run;
    Ok(hooks)
}

/// Reports for each event where it is defined and whether it will run.
pub(crate) fn status(tracker: &Tracker) -> Result<Hooks> {
    let environment = HookEnvironment::look(tracker.store())?;
    Ok(environment.report(None, &HookPlan::default()))
}

/// Returns the installed hooks that will not run, for `doctor`; hooks that can't be looked at are a finding as well.
pub(crate) fn findings(tracker: &Tracker) -> Vec<Finding> {
    let finding = |message: String, remedy: Option<String>| Finding {
        code: "hook".to_owned(),
        message,
        remedy: remedy.unwrap_or_else(|| INSTALL.to_owned()),
        fixed: false,
    };
    let hooks = match status(tracker) {
        Ok(status) => status.hooks,
        Err(error) => return vec![finding(error.message.clone(), error.hint())],
    };
    hooks
        .into_iter()
        .filter(|hook| hook.state == HookState::Idle)
        .map(|hook| {
            let why = hook.why.unwrap_or_default();
            finding(format!("{} will not run: {why}", hook.event), hook.remedy)
        })
        .collect()
}

const INSTALL: &str = "git beads hooks install";
