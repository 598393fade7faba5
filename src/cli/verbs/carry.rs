//! `carry`: writes what no remote takes into a file of the work tree.

use clap::Args;

use crate::cli::text::exchange::carried;
use crate::cli::ui::Ui;
use crate::cli::ui::sanitize::escaped;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::carry::CarryReport;
use crate::ops::verbs::carry::{Carry, CarryCleaned, carry, carry_text, clean};
use crate::ops::{Command, Error, Result};

#[derive(Debug, Args)]
pub(super) struct CarryArgs {
    /// Print the changes instead of writing a file
    #[arg(long, conflicts_with_all = ["clean", "dry_run"])]
    stdout: bool,
    /// Print all issues and their history, for git beads init --from FILE
    #[arg(long, conflicts_with_all = ["clean", "dry_run"])]
    full: bool,
    /// Remove carry files whose changes the remote has, on the default branch
    #[arg(long)]
    clean: bool,
    /// Print what would happen, change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Verb for CarryArgs {
    const NAME: &'static str = "carry";
    const ABOUT: &'static str = "Write changes that no remote accepts to a file in your branch";
    const GROUP: Group = Group::Exchange;
    const EXAMPLES: &'static str = r"Write the file, then commit it; print it only:

$ git beads carry
$ git beads carry --stdout
";
    type Answer = CarryReport;

    fn reads(&self) -> bool {
        self.stdout || self.full
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        if self.stdout || self.full {
            let (tracker, ui) = cli.open()?;
            let option = if self.full { "--full" } else { "--stdout" };
            ui.refuse(&["--json"], option, "carry")?;
            let text = carry_text(tracker, self.full)?;
            let written = ui.stream(escaped, |out| out.write_all(text.as_bytes()));
            written.map_err(|error| Error::io("can't write the answer", &error))?;
            return Ok(Exit::OK);
        }
        if self.clean {
            let answer = clean(cli.tracker()?, self.dry_run)?;
            cli.answer(answer, |cleaned| cleaned.removed.clone(), show_cleaned);
            return Ok(Exit::OK);
        }
        let dry_run = self.dry_run;
        let answer = carry(cli.tracker()?, &Carry { dry_run })?;
        let print = |ui: &mut Ui, report: &CarryReport| carried(ui, report, "", dry_run);
        cli.answer(answer, |report| vec![report.file.clone()], print);
        Ok(Exit::OK)
    }
}

fn show_cleaned(ui: &mut Ui, cleaned: &CarryCleaned) {
    match (cleaned.removed.as_slice(), cleaned.dry_run) {
        ([], _) => ui.line("no carry file is here whose changes the remote has"),
        (paths, true) => {
            let rm = Command::line("git rm --");
            let rm = paths.iter().fold(rm, Command::word);
            ui.line(&rm.to_string());
        }
        (paths, false) => show_removed(ui, paths),
    }
}

fn show_removed(ui: &mut Ui, paths: &[String]) {
    for path in paths {
        ui.line(&format!("{path} removed"));
    }
    ui.line("next: git commit");
}
