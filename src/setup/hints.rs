//! What is left to people: hints, and texts that are added by hand.

use std::fs;

use super::agents::AGENTS_MD;
use super::plan::NEVER_EDITED;
use super::target_file::WorkTree;
use super::wanted::Wanted;
use super::{Action, ByHand, Change, SetupFile, SetupRequest, SetupState, block};
use crate::ops::Command;
use crate::platform;
use crate::setup::agents::Content;

impl WorkTree {
    /// Returns the steps that are left to people.
    pub(super) fn hints(
        &self,
        wanted: &Wanted,
        action: Action,
        files: &[SetupFile],
    ) -> Vec<String> {
        let agent = wanted.agent;
        let name = agent.name;
        let setup = || Command::of("setup").flag(name);
        let write = match wanted.is_in_cloud {
            true => setup().flag("--cloud").flag("--write"),
            false => setup().flag("--write"),
        };
        let mut hints = Vec::new();
        match action {
            Action::Print | Action::Check => {
                let lacks = files
                    .iter()
                    .any(|file| matches!(file.state, SetupState::Missing | SetupState::Outdated));
                if lacks && action == Action::Print {
                    hints.extend(agent.hints.iter().map(ToString::to_string));
                }
                hints.extend(lacks.then(|| write.to_string()));
            }
            Action::Write => {
                hints.extend(agent.hints.iter().map(ToString::to_string));
                hints.extend((name == "claude").then(|| self.import_hint()).flatten());
                let is_new = |file: &SetupFile| file.change != Change::None;
                hints.extend(files.iter().any(is_new).then(|| {
                    "commit the files: only then are they in other worktrees and clones".to_owned()
                }));
                let remove = setup().flag("--remove");
                hints.push(format!("this takes it back: {remove}"));
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

    /// Returns a hint on `CLAUDE.md`, which belongs to the user alone: where it is there, Claude Code reads it in the place
    /// of `AGENTS.md`.
    fn import_hint(&self) -> Option<String> {
        let [theirs, ours] = ["CLAUDE.md", "AGENTS.md"].map(|name| self.root.join(name));
        let text = fs::read_to_string(&theirs).ok()?;
        let is_same = platform::canonicalize(&theirs).ok() == platform::canonicalize(&ours).ok();
        (!is_same && !text.contains("@AGENTS.md")).then(|| {
            "Claude Code reads CLAUDE.md in the place of AGENTS.md; the line @AGENTS.md in it makes it read both"
                .to_owned()
        })
    }
}

/// Returns the texts that are left to people to add: to the settings of a vendor, and to files that are never edited.
pub(super) fn by_hand(wanted: &Wanted, request: &SetupRequest, files: &[SetupFile]) -> Vec<ByHand> {
    if !matches!(request.action, Action::Print | Action::Write) {
        return Vec::new();
    }
    // Who only renews the files has it.
    let cloud = wanted
        .cloud()
        .filter(|_| request.cloud || request.action == Action::Print);
    let script = cloud.and_then(|cloud| cloud.script.as_ref());
    let script = script.map(|script| ByHand {
        into: script.into.to_owned(),
        text: script.text.text(),
    });
    let step = |file: &SetupFile| {
        let mut configs = wanted.files().iter();
        let config = configs.find(|config| config.paths.contains(&&*file.path))?;
        match config.content {
            Content::Workflow(workflow) => Some(ByHand {
                into: file.path.clone(),
                text: workflow.step(),
            }),
            _ => None,
        }
    };
    let kept = files
        .iter()
        .filter(|file| file.reason.as_deref() == Some(NEVER_EDITED));
    kept.filter_map(step).chain(script).collect()
}
