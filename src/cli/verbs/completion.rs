//! `completion`: the script that a shell loads.

use clap::{Args, ValueEnum};

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct CompletionArgs {
    /// bash, zsh or fish
    shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Verb for CompletionArgs {
    const NAME: &'static str = "completion";
    const ABOUT: &'static str = "Print a completion script";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r#"In each bash:

$ eval "$(git beads completion bash)"
"#;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.ui.text(match self.shell {
            Shell::Bash => include_str!("../completion/git-beads.bash"),
            Shell::Zsh => include_str!("../completion/git-beads.zsh"),
            Shell::Fish => include_str!("../completion/git-beads.fish"),
        });
        Ok(Exit::OK)
    }
}
