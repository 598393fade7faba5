//! `import`: issues from a file of bd or br.

use std::path::PathBuf;

use clap::Args;

use crate::cli::files::open_input;
use crate::cli::import::import_file;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::presence::require_store;
use crate::ops::verbs::import::Imported;
use crate::ops::{Command, ExitClass, Result};

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// A JSONL file, a JSON array, or the folder of a backup (`-` is standard input)
    file: PathBuf,
    /// Take what differs from the issues here though it is not newer; what it replaces is in `conflicts`
    #[arg(long)]
    overwrite: bool,
}

impl Verb for ImportArgs {
    const NAME: &'static str = "import";
    const ABOUT: &'static str = "Import issues from a file of bd or br";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"From a file; from standard input; what differs too, though the file is not newer:

$ git beads export issues.jsonl
$ git beads import issues.jsonl
$ git beads export | git beads import -
$ git beads import issues.jsonl --overwrite
";
    type Answer = Imported;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        require_store(cli.tracker()?).map_err(|error| match error.class() {
            ExitClass::NoStore => error.hinted(
                Command::of("init")
                    .flag("--import")
                    .text(self.file.display()),
            ),
            _ => error,
        })?;
        let input = open_input(cli.env(), &cli.ui.path(&self.file))?;
        import_file(cli, input, self.overwrite)
    }
}
