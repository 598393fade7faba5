//! `ui`: all that is going on, on the screen.

use clap::Args;

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::desk::recent::remember;
use crate::model::Party;
use crate::ops::{Code, Result};
use crate::ui::{Start, run};

/// Opens with your inbox, for the repository that you are in; `0` shows all your repositories:
/// those that `beads.repository` of your global git configuration names, and those you used lately. What others change appears by itself. `?` lists the keys, `q` leaves.
#[derive(Debug, Args)]
pub(super) struct UiArgs {
    /// Begin with all your repositories
    #[arg(long)]
    all: bool,

    /// Without a screen: numbered rows, and the same keys in lines, such as `2 A 1`; also without a terminal that takes escapes
    #[arg(long)]
    plain: bool,
}

impl Verb for UiArgs {
    const NAME: &'static str = "ui";
    const ABOUT: &'static str = "Show inbox, lists and issues on the screen, live";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"This repository; all of yours:

$ git beads ui
$ git config --global --add beads.repository ~/work/app
$ git beads ui --all
";
    type Answer = NoAnswer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        // For the colours that it configures, and the name that it knows the caller by; there may well be none.
        let actor = match cli.tracker() {
            Ok(tracker) => {
                if tracker.store().tip()?.is_some() {
                    remember(tracker);
                }
                tracker.party()
            }
            Err(error) if error.is(Code::NotARepository) => Party::default(),
            Err(error) => return Err(error),
        };
        let start = Start {
            env: cli.env().clone(),
            here: cli.location()?,
            is_all: self.all,
            is_plain: self.plain,
            is_coloured: cli.ui.is_coloured(),
            actor,
        };
        run(&start, cli.opener())?;
        Ok(Exit::OK)
    }
}
