//! What is left to people.

use std::fs;

use super::agents::AGENTS_MD;
use super::target_file::WorkTree;
use super::wanted::Wanted;
use super::{Action, Change, SetupFile, SetupState, block};
use crate::ops::Command;
use crate::platform;

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
        let cloud = wanted.cloud().map(|cloud| cloud.hint);
        let steps: Vec<&str> = agent.hints.iter().copied().chain(cloud).collect();
        let mut hints = Vec::new();
        match action {
            Action::Print | Action::Check => {
                let lacks = files
                    .iter()
                    .any(|file| matches!(file.state, SetupState::Missing | SetupState::Outdated));
                if lacks && action == Action::Print {
                    hints.extend(steps.iter().map(ToString::to_string));
                }
                hints.extend(lacks.then(|| write.to_string()));
            }
            Action::Write => {
                hints.extend(steps.iter().map(ToString::to_string));
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
