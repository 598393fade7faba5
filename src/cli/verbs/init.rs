//! `init`: begins a store.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::files::{open_input, read_bytes};
use crate::cli::import::import_file;
use crate::cli::man::files::is_first_hint;
use crate::cli::text::issue::{initialised, place};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::desk::recent::remember;
use crate::ops::Result;
use crate::ops::shared::carry::{CarryFile, LARGEST_FILE};
use crate::ops::verbs::import::{ImportOptions, Input};
use crate::ops::verbs::init::{Init, Initialised, init};
use crate::ops::verbs::sync::NamedFile;
use crate::text::line::line;
use crate::text::style::DIM;

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Prefix of new ids [default: bd]
    #[arg(long)]
    prefix: Option<String>,
    /// Join the store of this remote
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// Import issues from a JSONL file (`-` is standard input)
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,
    /// Create a store even if the remote does not answer
    #[arg(long)]
    new: bool,
    /// Join the store at this address, which is not saved, or in a file of git beads carry --full
    #[arg(long, value_name = "URL", conflicts_with_all = ["remote", "new"])]
    from: Option<String>,
    /// Fetch only this many commits of the history of the store
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
}

impl Verb for InitArgs {
    const NAME: &'static str = "init";
    const ABOUT: &'static str = "Start tracking issues in this repository";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"Begin, with ids such as bd-a1b2:

$ git beads init --prefix bd
";
    type Answer = Initialised;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.tracker()?;
        // A file that can't be opened should be known before anything is made.
        let input = self
            .import
            .as_deref()
            .map(|file| open_input(cli.env(), &cli.ui.path(file), &ImportOptions::default()))
            .transpose()?;
        let usual_prefix = input.as_ref().and_then(Input::common_prefix);
        let file = self.from.as_deref().and_then(|from| full_file(cli, from));
        let request = Init {
            prefix: self.prefix,
            usual_prefix,
            remote: self.remote,
            new: self.new,
            from: self.from,
            file,
            depth: self.depth,
        };
        let answer = init(cli.tracker()?, &request)?;
        let exit = if let Some(input) = input {
            // What is imported into is the answer where it is new, and in text.
            if !answer.existing && cli.ui.json.is_none() && !cli.ui.quiet {
                place(&mut cli.ui, &answer);
            }
            import_file(cli, input, &ImportOptions::default())?
        } else {
            cli.answer(answer, |it| vec![it.prefix.clone()], initialised);
            Exit::OK
        };
        remember(cli.tracker()?);
        name_next_steps(&mut cli.ui);
        Ok(exit)
    }
}

/// Returns the carry file of a name; none where it is an address, or a file that git reads.
fn full_file(cli: &Cli, from: &str) -> Option<NamedFile> {
    let path = cli.ui.path(Path::new(from));
    let is_input = path.as_os_str() == "-";
    // Also a pipe that a shell has named.
    let is_read = is_input || (path.exists() && !path.is_dir());
    let bytes = is_read.then(|| read_bytes(cli.env(), &path, LARGEST_FILE).ok())??;
    let path = PathBuf::from(from);
    (is_input || CarryFile::is_one(&bytes)).then_some(NamedFile { path, bytes })
}

/// Says once on a terminal how to get the manual pages, without which `git beads --help` fails, and the hooks.
fn name_next_steps(ui: &mut Ui) {
    // A script reads a pipe, ids or JSON, and the line is for people.
    let is_read = ui.width().is_some() && ui.json.is_none() && !ui.quiet;
    if is_read && is_first_hint(&ui.env) {
        for text in [
            "`git beads man` writes the manual pages that `git beads --help` shows",
            "`git beads hooks install --sync` lets `git pull` and `git push` exchange issues too",
        ] {
            let text = ui.paint(DIM, text);
            ui.line(&line![text]);
        }
    }
}
