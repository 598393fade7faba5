//! `version`: of the program.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::blob::FORMAT;
use crate::ops::Result;
use crate::ops::answer::{Answer, AnswerKind};

#[derive(Debug, Args)]
pub(super) struct VersionArgs {}

/// The answer of `version`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Version {
    /// The version of the program.
    version: String,
    /// The commit that it was built from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The target that it was built for, as Rust names it.
    target: String,
    /// The optional features that it was built with.
    features: Vec<String>,
    /// The format of the issues that it reads and writes.
    format: i64,
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
        // What the build script has found.
        let commit = Some(env!("GIT_BEADS_COMMIT")).filter(|commit| !commit.is_empty());
        let http = cfg!(feature = "http").then(|| "http".to_owned());
        let answer = Version {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit.map(str::to_owned),
            target: env!("GIT_BEADS_TARGET").to_owned(),
            features: http.into_iter().collect(),
            format: FORMAT,
        };
        let ids = |it: &Version| vec![it.version.clone()];
        cli.answer(answer, ids, |ui, it| {
            ui.line(&format!("git-beads {}", it.version));
        });
        Ok(Exit::OK)
    }
}
