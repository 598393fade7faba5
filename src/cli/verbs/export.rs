//! `export`: issues for other programs, and a page for a browser.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::cli::files::put;
use crate::cli::options::at::AtOptions;
use crate::cli::options::filter::FilterOptions;
use crate::cli::text::count;
use crate::cli::ui::progress::Meter;
use crate::cli::ui::sanitize::{escaped, harmless};
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::ops::verbs::export::{Export, Format, export};
use crate::ops::{Result, Retry};
use crate::page;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Where to write [default: standard output]
    file: Option<PathBuf>,
    /// Write CSV with the main fields
    #[arg(long)]
    csv: bool,
    /// Write one self-contained HTML page
    #[arg(long, conflicts_with = "csv")]
    html: bool,
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    at: AtOptions,
}

impl Verb for ExportArgs {
    const NAME: &'static str = "export";
    const ABOUT: &'static str = "Export issues as bd JSONL, CSV or an HTML page";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"To a file, or as a table:

$ git beads export issues.jsonl
$ git beads export --csv

One page for a browser, of an epic:

$ git beads export --html epic.html --parent bd-a1b2

The page as it was before the last change:

$ git beads export --html then.html --at @~1
";
    type Answer = NoAnswer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (tracker, ui) = cli.open()?;
        let formats = [("--csv", self.csv), ("--html", self.html)];
        if let Some((option, _)) = formats.into_iter().find(|(_, asked)| *asked) {
            ui.refuse(&["--json"], option, "export")?;
        }
        let request = Export {
            format: self.format(),
            query: self.filter.query_at(tracker, 0, &self.at)?,
        };
        let mut meter = Meter::new(tracker.env(), "exporting");
        let mut step = |done, total| meter.step(done, total);
        let mut run = |out: &mut dyn Write| export(tracker, &request, out, &mut step);
        let form = match request.format {
            Format::Jsonl => escaped,
            Format::Csv | Format::Html(_) => harmless,
        };
        let file = self.file.filter(|path| path.as_os_str() != "-");
        let file = file.map(|path| ui.path(&path));
        let is_told = self.html && ui.json.is_none() && !ui.quiet;
        let written = file.clone().filter(|_| is_told);
        let exported = match file {
            // What went to standard output can't be taken back, so nothing is tried again here.
            None => ui.stream(form, |out| run(out))?,
            Some(path) => match put(&path, &mut run) {
                // Another process may have repaired it since.
                Err(error) => match error.retry() {
                    Retry::Again | Retry::RepairStore | Retry::RebuildIndex => {
                        put(&path, &mut run)?
                    }
                    Retry::No | Retry::ReopenRepository | Retry::FindStore => return Err(error),
                },
                Ok(exported) => exported,
            },
        };
        if let Some(path) = &written {
            let path = ui.one_line(&path.display().to_string());
            let issues = count(exported, "issue", "issues");
            ui.line(&format!("{path}: {issues}, for a browser"));
        }
        Ok(Exit::one_if(exported == 0 && self.filter.exit_code))
    }
}

impl ExportArgs {
    fn format(&self) -> Format {
        match (self.csv, self.html) {
            (true, _) => Format::Csv,
            (_, true) => Format::Html(page::write_page),
            _ => Format::Jsonl,
        }
    }
}
