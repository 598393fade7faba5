//! Other programs to which the terminal is lent: the editor, a shell, the commands of own keys.

use super::State;
use super::target::Target;
use crate::ui::asks::Written;

/// What has the terminal for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum Lent {
    /// The editor, for a text of an issue.
    Editor {
        repo: usize,
        what: Written,
        id: String,
    },
    /// A command in the folder of a repository.
    Command(LentCommand),
}

/// A command of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) struct LentCommand {
    pub(in crate::ui) repo: usize,
    /// The line; without one it is the shell.
    pub(in crate::ui) line: Option<String>,
    /// Variables, with values that mean themselves to any shell.
    pub(in crate::ui) variables: Vec<(&'static str, String)>,
}

impl State {
    /// Lets the user write in the editor.
    pub(super) fn write(&mut self, target: &Target, what: Written) {
        self.lent = Some(Lent::Editor {
            repo: target.repo,
            what,
            id: target.id.clone(),
        });
    }

    /// Gives the user a shell in the repository.
    pub(super) fn shell(&mut self) {
        let Some(repo) = self.meant_repo() else {
            return self.refuse("which repository? select one of its issues".to_owned());
        };
        let id = self.target().map(|target| target.id);
        let id = id.filter(|id| is_plain(id));
        self.lent = Some(Lent::Command(LentCommand {
            repo,
            line: None,
            variables: id.map(|id| ("BEADS_ID", id)).into_iter().collect(),
        }));
    }
}

/// Returns whether a value means itself to any shell, even where two of them read it.
fn is_plain(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    !value.starts_with('-') && value.chars().all(is_plain)
}
