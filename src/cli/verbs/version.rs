//! `version`: of the program.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::answer::{Answer, AnswerKind};

#[derive(Debug, Args)]
pub(super) struct VersionArgs {}

/// The answer of `version`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Version {
    /// The version of the program.
    version: String,
}

impl Answer for Version {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Verb for VersionArgs {
    const NAME: &'static str = "version";
    const ABOUT: &'static str = "Print the version";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"As text; for a program:

$ git beads version
$ git beads version --json
";
    type Answer = Version;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = Version {
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let ids = |it: &Version| vec![it.version.clone()];
        cli.answer(answer, ids, |ui, it| {
            ui.line(&format!("git-beads {}", it.version));
        });
        Ok(Exit::OK)
    }
}
