//! `clone`: a repository with its issues.

use clap::Args;

use crate::cli::schema::Schema;
use crate::cli::text::issue::initialised;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::desk::recent::remember;
use crate::ops::verbs::clone::{Clone, clone};
use crate::ops::verbs::init::{Init, Initialised, init};
use crate::ops::{Location, Result};

#[derive(Debug, Args)]
pub(super) struct CloneArgs {
    /// The repository to clone
    url: String,
    /// The folder to clone into
    folder: Option<String>,
}

impl Verb for CloneArgs {
    const NAME: &'static str = "clone";
    const ABOUT: &'static str = "Clone a repository with its issues";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"A repository and its issues:

$ git beads clone https://example.com/app.git
";
    type Answer = Initialised;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let here = cli.globals.location(cli.env())?.dir;
        let request = Clone {
            url: self.url,
            folder: self.folder,
        };
        let cloned = Location {
            dir: clone(cli.env(), &here, &request)?,
            explicit: true,
            env: cli.env().clone(),
        };
        let tracker = cli.open_at(&cloned)?;
        let answer = init(tracker, &Init::default())?;
        remember(tracker);
        cli.answer(answer, |answer| vec![answer.repo.clone()], initialised);
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        // The list of all schemas has it as `init`.
        Vec::new()
    }
}
