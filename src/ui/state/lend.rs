//! Other programs to which the terminal is lent: the editor, a shell, the commands of own keys.

use super::State;
use super::target::Target;
use crate::ops::shared::current_branch::plain_name;
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

    /// Runs the command that the user has given to a key.
    pub(super) fn own_key(&mut self, key: &str) {
        let own = self.own_keys.iter().find(|own| own.key == key);
        let (Some(own), None) = (own.cloned(), &self.overlay) else {
            return;
        };
        let Some(target) = self.seen_target() else {
            return;
        };
        let head = self.head_of(&target);
        let agent = head.and_then(|head| head.summary.agent.clone());
        let branch = plain_name(&target.id, &self.title_of(&target));
        let values = [
            ("BEADS_ID", Some(target.id.clone())),
            ("BEADS_BRANCH", Some(branch)),
            ("BEADS_AGENT", agent),
        ];
        let mut variables = Vec::new();
        for (name, value) in values {
            let is_used = own.line.contains(name);
            match value {
                Some(value) if is_plain(&value) => variables.push((name, value)),
                Some(value) if is_used => {
                    return self.refuse(format!("{key}: ${name} is not plain: {value}"));
                }
                None if is_used => {
                    return self
                        .refuse(format!("{key}: no ${name} of {} is known here", target.id));
                }
                _ => {}
            }
        }
        self.lent = Some(Lent::Command(LentCommand {
            repo: target.repo,
            line: Some(own.line),
            variables,
        }));
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

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn what_a_shell_could_read_otherwise_is_not_plain() {
        for plain in ["app-7c2d.1", "été_2", "日本"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["a b", "$(id)", "a;b", "-x", "a/b", "`id`", "a\nb", "'"] {
            assert!(!is_plain(other), "{other}");
        }
    }
}
