//! `serve`: the issues in a browser of this machine.

use std::time::Duration;

use clap::Args;

use crate::cli::options::duration::duration;
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::desk::recent::remember;
use crate::ops::{Code, Error, Result};
use crate::serve::{ServeStart, run};

/// Prints an address that works on this machine alone and while it runs: all your repositories, live, to read and to
/// change. Ctrl-C ends it. docs/serve.md says how it is reached from elsewhere, and what protects it.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Open it in your browser, as `git web--browse` does
    #[arg(long)]
    open: bool,
    /// Begin with an issue, or with what an address of the page has behind the repository: `board`, `list?q=is:ready`
    #[arg(long, value_name = "ID|PLACE")]
    show: Option<String>,
    /// The port; else one that is free, another at each start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// End after so long without a page: 30s, 10m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    idle: Option<Duration>,
    /// Let nothing be changed
    #[arg(long)]
    read_only: bool,
}

impl Verb for ServeArgs {
    const NAME: &'static str = "serve";
    const ABOUT: &'static str = "Show all that in your browser, live";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"In your browser; for as long as it is used:

$ git beads serve --open
$ git beads serve --idle 10m

One issue of it:

$ git beads serve --open --show bd-a1b2
";
    type Answer = NoAnswer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        if self.idle.is_some_and(|idle| idle.is_zero()) {
            return Err(Error::invalid("`--idle` needs some time, such as 10m"));
        }
        match cli.tracker() {
            Ok(tracker) if tracker.store().tip()?.is_some() => remember(tracker),
            Ok(_) => {}
            Err(error) if error.is(Code::NotARepository) => {}
            Err(error) => return Err(error),
        }
        let start = ServeStart {
            env: cli.env().clone(),
            here: cli.location()?,
            port: self.port,
            idle: self.idle,
            opens: self.open,
            place: self.show,
            is_read_only: self.read_only,
        };
        let open = cli.opener();
        run(&start, open, |begun| {
            cli.ui.text(&begun.address);
            cli.ui.flush();
            if let Some(file) = &begun.opener {
                cli.ui.browse(file);
            }
        })?;
        Ok(Exit::OK)
    }
}
