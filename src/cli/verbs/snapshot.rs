//! `snapshot`: what is worked on, for clones that can't fetch issues.

use clap::Args;

use crate::cli::ui::Ui;
use crate::cli::ui::sanitize::escaped;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::snapshot::{SnapshotReport, snapshot, snapshot_text};
use crate::ops::{Error, Result};

/// Without an option, it is printed and no file is written.
#[derive(Debug, Args)]
pub(super) struct SnapshotArgs {
    /// All issues, not only open ones and what they depend on
    #[arg(long)]
    all: bool,
    /// Write .git-beads/snapshot.jsonl if it differs
    #[arg(long)]
    write: bool,
}

impl Verb for SnapshotArgs {
    const NAME: &'static str = "snapshot";
    const ABOUT: &'static str = "Write issues to a file for clones that can't fetch them";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"Send what is here, print the file, write it:

$ git beads sync
$ git beads snapshot
$ git beads snapshot --write
";
    type Answer = SnapshotReport;

    fn reads(&self) -> bool {
        !self.write
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        if self.write {
            let answer = snapshot(cli.tracker()?, self.all)?;
            cli.answer(answer, |report| vec![report.file.clone()], show);
            return Ok(Exit::OK);
        }
        let (tracker, ui) = cli.open()?;
        ui.refuse(&["--json"], "snapshot without --write", "snapshot")?;
        let text = snapshot_text(tracker, self.all)?;
        let written = ui.stream(escaped, |out| out.write_all(text.as_bytes()));
        written.map_err(|error| Error::io("can't write the answer", &error))?;
        Ok(Exit::OK)
    }
}

fn show(ui: &mut Ui, report: &SnapshotReport) {
    let (file, issues, known) = (&report.file, report.issues, report.known);
    let place = match (report.written, report.committed) {
        (true, _) => file.clone(),
        (false, true) => format!("{file}, which is committed: nothing was written"),
        (false, false) => format!("{file} already: nothing was written"),
    };
    ui.line(&format!("{issues} of {known} issues are in {place}"));
    for remark in report.uncommitted.remarks() {
        let line = ui.one_line(&remark);
        ui.line(&line);
    }
    if !report.committed {
        ui.line(&format!("next: {}", report.uncommitted.commands(file)));
    }
}
