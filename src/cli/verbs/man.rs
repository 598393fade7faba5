//! `man`: the manual pages, where `man` finds them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::man::files::{Pages, remove, write};
use crate::cli::man::pages;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write below this folder [default: share/man beside the program, else ~/.local/share/man]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Remove the pages again
    #[arg(long)]
    remove: bool,
}

impl Verb for ManArgs {
    const NAME: &'static str = "man";
    const ABOUT: &'static str = "Write the manual pages, for `man` and `git help`";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"For one user; out again:

$ git beads man ~/.local/share/man
$ git beads man --remove ~/.local/share/man
";
    type Answer = Pages;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let dir = self.folder.map(|dir| cli.ui.path(&dir));
        let answer = if self.remove {
            remove(cli.env(), dir.as_deref())?
        } else {
            write(cli.env(), dir.as_deref(), &pages(cli.verbs))?
        };
        cli.answer(answer, |it| it.folder.iter().cloned().collect(), text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, answer: &Pages) {
    let what = if answer.removed { "removed from" } else { "in" };
    match &answer.folder {
        Some(folder) => ui.line(&format!("{} pages {what} {folder}", answer.pages)),
        None => ui.line("no pages to remove"),
    }
    match (&answer.hint, answer.removed) {
        (Some(hint), _) => {
            ui.line("man does not look there yet; add to the profile of your shell:");
            ui.line(&format!("  {hint}"));
        }
        (None, false) => ui.line("next: git beads --help"),
        (None, true) => {}
    }
}
