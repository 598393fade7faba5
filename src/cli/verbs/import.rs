//! `import`: issues from a file of bd or br.

use std::path::PathBuf;

use clap::Args;

use crate::cli::files::open_input;
use crate::cli::import::import_file;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::presence::require_store;
use crate::ops::verbs::import::{ImportOptions, Imported, column_map};
use crate::ops::{Command, ExitClass, Result};

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// A file of JSON, JSONL or CSV, or the folder of a backup (`-` is standard input)
    file: PathBuf,
    /// Take what differs from the issues here though it is not newer; what it replaces is in `conflicts`
    #[arg(long)]
    overwrite: bool,
    /// The columns of a CSV file: `id=Key,title=Summary,status=State`
    #[arg(long, value_name = "COLUMNS")]
    map: Option<String>,
    /// The prefix of new ids, for issues that have numbers alone [default: gh]
    #[arg(long)]
    prefix: Option<String>,
}

impl Verb for ImportArgs {
    const NAME: &'static str = "import";
    const ABOUT: &'static str = "Import issues from a file of bd, GitHub, Jira, Linear or a table";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"From a file; from standard input; what differs too, though the file is not newer:

$ git beads export issues.jsonl
$ git beads import issues.jsonl
$ git beads export | git beads import -
$ git beads import issues.jsonl --overwrite

Follow the issues of GitHub, or of another table, again and again (docs/from.md):

$ gh issue list --state all --json number,title,body,state,stateReason,labels,author,url,createdAt,updatedAt > gh.json
$ git beads import gh.json
$ git beads import issues.csv --map id=Key,title=Summary,status=State
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
        let options = ImportOptions {
            overwrite: self.overwrite,
            columns: column_map(self.map.as_deref().unwrap_or_default())?,
            prefix: self.prefix,
        };
        let input = open_input(cli.env(), &cli.ui.path(&self.file), &options)?;
        import_file(cli, input, &options)
    }
}
