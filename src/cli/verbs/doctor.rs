//! `doctor`: looks for damage, and repairs it.

use clap::Args;

use crate::cli::schema::{self, Schema};
use crate::cli::text::count;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::hooks;
use crate::ops::Result;
use crate::ops::verbs::doctor::{Diagnosis, Doctor, doctor};
use crate::text::line::line;
use crate::text::style::{BOLD, DIM};

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Repair what can be repaired; nothing is removed
    #[arg(long)]
    fix: bool,
    /// Check the remotes too
    #[arg(long)]
    remote: bool,
    /// If the newest recorded state is gone, continue from the newest older one
    #[arg(long, requires = "fix")]
    older: bool,
    /// Stop naming changes that the ref was set back from; nothing is removed
    #[arg(long, conflicts_with = "fix")]
    forget: bool,
}

impl Verb for DoctorArgs {
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str = "Check for problems and repair them (`--fix`)";
    const GROUP: Group = Group::Keep;
    const ALIASES: &'static [&'static str] = &["fsck"];
    const EXAMPLES: &'static str = r"Check, then repair:

$ git beads doctor
$ git beads doctor --fix
";
    type Answer = Diagnosis;

    fn reads(&self) -> bool {
        !self.fix && !self.remote && !self.forget
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let request = Doctor {
            fix: self.fix,
            remote: self.remote,
            older: self.older,
            forget: self.forget,
        };
        let mut answer = doctor(tracker, request)?;
        let hooks = hooks::findings(tracker);
        answer.findings.extend(hooks);
        let well = answer.is_well();
        cli.answer(answer, codes, text);
        Ok(Exit::one_if(!well))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        let diagnosis: Schema = schema::of::<Diagnosis>;
        vec![(Self::NAME, diagnosis), ("fsck", diagnosis)]
    }
}

/// Returns the stable words of what was found.
fn codes(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis
        .findings
        .iter()
        .map(|finding| finding.code.clone())
        .collect()
}

fn text(ui: &mut Ui, diagnosis: &Diagnosis) {
    for finding in &diagnosis.findings {
        let line = line![
            ui.paint(BOLD, &finding.code),
            ": ",
            ui.one_line(&finding.message),
        ];
        ui.line(&line);
        let then = if finding.fixed {
            "  fixed".to_owned()
        } else {
            format!("  {}", ui.one_line(&finding.remedy))
        };
        ui.line(&then);
    }
    for note in &diagnosis.notes {
        let line = line![ui.paint(DIM, "note"), ": ", ui.one_line(note)];
        ui.line(&line);
    }
    let Diagnosis {
        commits,
        objects,
        issues,
        findings,
        ..
    } = diagnosis;
    let open = findings.iter().filter(|finding| !finding.fixed).count();
    let problems = |n| count(n, "problem", "problems");
    let verdict = match (findings.len(), open) {
        (0, _) => "no problems".to_owned(),
        (all, 0) => format!("{}, all fixed", problems(all)),
        (all, open) if all == open => format!("{}, none fixed", problems(all)),
        (all, open) => format!("{}, {open} not fixed", problems(all)),
    };
    ui.line(&format!(
        "{commits} commits, {objects} objects, {issues} issues: {verdict}"
    ));
}
