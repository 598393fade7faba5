//! `create`: an issue.

use std::path::PathBuf;

use clap::Args;

use crate::cli::files::read_text;
use crate::cli::options::fields::{CreateFields, FieldOptions, WaitOptions};
use crate::cli::text::issue::{created, created_ids};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::Result;
use crate::ops::verbs::create::{Created, create};

#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    /// What is to be done
    title: Option<String>,
    #[command(flatten)]
    options: FieldOptions<CreateFields>,
    #[command(flatten)]
    waits: WaitOptions,
    /// Read the description from a file (without TITLE its first line is the title; `-` is standard input)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "description")]
    file: Option<PathBuf>,
    /// Idempotency key: reusing it returns the existing issue
    #[arg(long, allow_hyphen_values = true)]
    key: Option<String>,
    /// Start the issue, too
    #[arg(long)]
    start: bool,
    /// Validate everything, write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Verb for CreateArgs {
    const NAME: &'static str = "create";
    const ABOUT: &'static str = "Create an issue";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["new", "add"];
    const EXAMPLES: &'static str = r#"A bug that is urgent; the description from standard input; a child that waits for another issue:

$ git beads create "Uploads time out" -t bug -p 1 -l proxy
$ echo "Seen with HTTP/1.1 too." | git beads create "Uploads hang" -F -
$ git beads create "Write the test" --parent bd-a1b2 --on bd-c3d4
"#;
    type Answer = Created;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.tracker()?;
        let mut title = self.title.unwrap_or_default();
        let mut options = self.options;
        if let Some(file) = &self.file {
            let text = read_text(&cli.ui.path(file))?;
            let description = if title.is_empty() {
                let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
                title = first.trim_start_matches('#').trim().to_owned();
                rest.trim()
            } else {
                text.trim_end()
            };
            options.fields[Field::Description] = Some(description.to_owned());
        }
        let mut request = options.create(title, self.waits);
        (request.key, request.start, request.dry_run) = (self.key, self.start, self.dry_run);
        let answer = create(cli.tracker()?, &request)?;
        cli.answer(answer, created_ids, created);
        Ok(Exit::OK)
    }
}
