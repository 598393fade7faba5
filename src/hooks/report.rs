//! The report on each event: where it is defined, and whether git will run it.

use std::path::{Path, PathBuf};

use super::conflict::Conflict;
use super::environment::{HookEnvironment, NOT_EXECUTABLE, is_executable};
use super::plan::HookPlan;
use super::script::{self, HookCall};
use super::{EVENTS, Hook, HookState, Hooks, INSTALL, Method, config_file};
use crate::env::{self, Env};
use crate::ops::Command;
use crate::ops::shared::search_path::put_in_front;

/// Folders that a call searches in addition to `PATH`, as `hooks/line.sh` does.
const FURTHER: [&str; 2] = [".cargo/bin", "/usr/local/bin"];

/// A definition of an event.
struct FoundHook {
    path: PathBuf,
    text: String,
    idle: Option<Idle>,
}

/// Reason why a definition has no effect, and its remedy.
struct Idle {
    why: String,
    remedy: String,
}

impl Idle {
    fn new(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            remedy: remedy.into(),
        }
    }

    fn not_executable(path: &Path) -> Option<Self> {
        (!is_executable(path)).then(|| {
            Self::new(
                NOT_EXECUTABLE,
                Command::line("chmod +x").path(path).to_string(),
            )
        })
    }
}

impl HookEnvironment<'_> {
    /// Reports each event as it is after a plan; `wanted` are the calls that were asked for, if any
    /// were.
    pub(super) fn report(&self, wanted: Option<&[HookCall]>, plan: &HookPlan) -> Hooks {
        let missing = missing_program(self.store.env());
        let of = |(event, _): &(&'static str, bool)| {
            let call = wanted.map(|calls| calls.iter().find(|call| call.event == *event).copied());
            let mut hook = self.hook(event, call, plan);
            if let Some(idle) = missing.as_ref().filter(|_| hook.state == HookState::Runs) {
                hook.stop(idle);
            }
            hook
        };
        Hooks {
            git: self.version.clone(),
            method: if self.is_newer {
                Method::Config
            } else {
                Method::Files
            },
            folder: self.folder.display().to_string(),
            hooks: EVENTS.iter().map(of).collect(),
            ..Hooks::default()
        }
    }

    /// Reports one event: the outer `wanted` is none where nothing was asked for, the inner where
    /// the event is not wanted.
    fn hook(&self, event: &'static str, wanted: Option<Option<HookCall>>, plan: &HookPlan) -> Hook {
        let conflict = if self.is_newer {
            self.config_conflict()
        } else {
            self.conflict(event)
        };
        let mut hook = Hook {
            event: event.to_owned(),
            ..Hook::default()
        };
        if let Some(broken) = plan.broken(event) {
            hook.state = HookState::ByHand;
            hook.file = Some(broken.path.display().to_string());
            hook.why = Some(broken.why.message.clone());
            hook.remedy = broken.why.hint();
            return hook;
        }
        let Some(found) = self.defined(event, plan).or_else(|| self.by_hand(event)) else {
            if let Some(call) = wanted.flatten() {
                hook.ask(conflict.as_ref(), call);
            }
            return hook;
        };
        hook.file = Some(found.path.display().to_string());
        hook.sync = HookCall { event, sync: true }.is_exactly_in(&found.text);
        hook.state = HookState::Runs;
        if let Some(idle) = &found.idle {
            hook.stop(idle);
        }
        match wanted {
            Some(Some(call)) if !call.is_exactly_in(&found.text) => {
                hook.ask(conflict.as_ref(), call);
            }
            Some(None) => {
                hook.state = HookState::ByHand;
                hook.why = Some("that file was not written by git-beads".to_owned());
                hook.remedy = Some(format!(
                    "take `git-beads hook {event}` out of {}",
                    found.path.display()
                ));
            }
            _ => {}
        }
        hook
    }

    /// Returns the installed definition of an event.
    fn defined(&self, event: &'static str, plan: &HookPlan) -> Option<FoundHook> {
        let call = HookCall { event, sync: false };
        let fenced = |path: PathBuf| {
            let text = plan.text(&path);
            let text = script::fenced(&text?).filter(|text| call.is_in(text))?;
            Some((path, text))
        };
        if let Some((path, text)) = fenced(self.config.clone()) {
            return Some(FoundHook {
                path,
                text,
                idle: self.idle_in_config(event),
            });
        }
        let (path, text) = self.scripts(event).into_iter().find_map(fenced)?;
        let idle = self.idle_script(event, &path, plan);
        Some(FoundHook { path, text, idle })
    }

    fn idle_in_config(&self, event: &str) -> Option<Idle> {
        if !self.is_newer {
            let why = format!("git {} ignores hooks of its configuration", self.version);
            return Some(Idle::new(why, INSTALL));
        }
        let key = format!("hook.beads-{event}.enabled");
        let is_off = self.store.config_bool(&key) == Some(false);
        is_off.then(|| {
            Idle::new(
                format!("{key} = false"),
                // Not `--unset`: it may be set in a file of the user or the system.
                Command::line("git config")
                    .word(key)
                    .word("true")
                    .to_string(),
            )
        })
    }

    fn idle_script(&self, event: &str, path: &Path, plan: &HookPlan) -> Option<Idle> {
        // Installed before `core.hooksPath` was set.
        if !path.starts_with(&self.folder) {
            let why = format!(
                "git looks for hooks in {} (core.hooksPath)",
                self.folder.display()
            );
            return Some(Idle::new(why, INSTALL));
        }
        if !self.is_run(event, path) {
            return Some(Idle::new("git runs no script of this name", INSTALL));
        }
        if let Some(what) = plan
            .text(path)
            .and_then(|text| script::runner(&text).foreign())
        {
            return Some(Idle::new(
                format!("our block is shell, and the file is {what}"),
                INSTALL,
            ));
        }
        if path.exists() {
            Idle::not_executable(path)
        } else {
            None
        }
    }

    /// Returns the definition of an event that the user has added by hand.
    fn by_hand(&self, event: &'static str) -> Option<FoundHook> {
        let call = HookCall { event, sync: false };
        let (path, text) = self.places(event).into_iter().find_map(|path| {
            let text = String::from_utf8(config_file::read(&path).ok()??).ok()?;
            call.is_in(&text).then_some((path, text))
        })?;
        let idle = if self.is_run(event, &path) {
            Idle::not_executable(&path)
        } else {
            None
        };
        Some(FoundHook { path, text, idle })
    }
}

impl Hook {
    fn stop(&mut self, idle: &Idle) {
        self.state = HookState::Idle;
        self.why = Some(idle.why.clone());
        self.remedy = Some(idle.remedy.clone());
    }

    /// Reports what to do by hand.
    fn ask(&mut self, conflict: Option<&Conflict>, call: HookCall) {
        self.state = HookState::ByHand;
        self.sync = call.sync;
        let Some(conflict) = conflict else { return };
        self.why = Some(conflict.why.clone());
        self.remedy.clone_from(&conflict.remedy);
        if let Some(path) = &conflict.add_to {
            self.add = Some(conflict.text(call));
            self.add_to = Some(path.display().to_string());
        }
    }
}

/// Returns a remedy where a call will not find this program.
fn missing_program(env: &Env) -> Option<Idle> {
    let home = env.home().unwrap_or_default();
    // `join` leaves an absolute folder as it is.
    let further = FURTHER.map(|folder| home.join(folder));
    let mut searched = env.paths("PATH");
    searched.extend_from_slice(&further);
    if searched
        .iter()
        .any(|folder| is_executable(&folder.join(env::program_name())))
    {
        return None;
    }
    let folder = env.program().and_then(Path::parent);
    Some(Idle::new(
        format!("{} is not on PATH", env!("CARGO_PKG_NAME")),
        put_in_front(folder.unwrap_or(&further[0])),
    ))
}
