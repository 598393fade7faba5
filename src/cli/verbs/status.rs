//! `status`: where things stand, on one screen. What waits for a person comes first, then who is on what.

mod sections;

use clap::Args;

use crate::cli::options::filter::FilterOptions;
use crate::cli::text::count;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::status::KNOWN;
use crate::ops::Result;
use crate::ops::shared::commit_links::landed_line;
use crate::ops::shared::query::Query;
use crate::ops::shared::remote_state::Distance;
use crate::ops::verbs::status::{Status, status};
use sections::{StatusSection, shorten};

/// Issues of each kind.
const LIMIT: usize = 10;

#[derive(Debug, Default, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for StatusArgs {
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show an overview: work in progress, ready and blocked issues";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"Everything; what Ann has; all of it:

$ git beads status
$ git beads status -a ann
$ git beads status -n 0
";
    type Answer = Status;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let says_next = cli.globals.json.is_some();
        let tracker = cli.tracker()?;
        let query = Query {
            says_next,
            ..self.filter.query(tracker, LIMIT)?
        };
        let answer = status(tracker, &query)?;
        let (empty, now) = (answer.is_empty(), tracker.now());
        let whole = self.filter.limit.is_some();
        if whole {
            cli.page();
        }
        let height = if whole { usize::MAX } else { cli.ui.height() };
        cli.answer(answer, ids, |ui, answer| {
            text(ui, answer, now, query.is_plain(), height);
        });
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn ids(status: &Status) -> Vec<String> {
    status
        .waiting
        .iter()
        .chain(&status.in_progress)
        .map(|active| active.summary.id.clone())
        .collect()
}

/// Prints the status on so many lines. `plain` means of all issues, so that other verbs list what is left out.
fn text(ui: &mut Ui, status: &Status, now: u64, plain: bool, height: usize) {
    let head = head(ui, status, plain);
    let foot = foot(ui, status);
    let mut sections = StatusSection::all(ui, status, now);
    if !plain {
        sections
            .iter_mut()
            .for_each(|section| section.command = "-n 0 shows all");
    }
    // The line of the next prompt is left free.
    let left = height.saturating_sub(1 + head.len() + foot.len());
    let spaced = shorten(&mut sections, left);
    for line in head {
        ui.row(&line);
    }
    for section in &sections {
        if spaced {
            ui.line("");
        }
        section.print(ui);
    }
    if spaced && !foot.is_empty() {
        ui.line("");
    }
    for line in foot {
        ui.row(&line);
    }
}

/// Returns a status as it is shown: a tombstone, which is what `delete` leaves, is shown as deleted.
fn word_of(status: &str) -> &str {
    match status {
        "tombstone" => "deleted",
        other => other,
    }
}

/// Returns the numbers of issues by status; the words for none where there are none.
fn counts(ui: &Ui, status: &Status, plain: bool) -> String {
    // From what is to be done to what is over; statuses of others follow.
    let known = KNOWN
        .iter()
        .filter_map(|name| status.counts.get_key_value(*name));
    let others = status
        .counts
        .iter()
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    let counts: Vec<String> = known
        .chain(others)
        .map(|(name, n)| format!("{n} {}", ui.one_line(word_of(name))))
        .collect();
    let nothing = if plain {
        "no issues yet"
    } else {
        "no issue matches"
    };
    if counts.is_empty() {
        nothing.to_owned()
    } else {
        counts.join(", ")
    }
}

fn head(ui: &Ui, status: &Status, plain: bool) -> Vec<String> {
    let counts = counts(ui, status, plain);
    let mut totals = format!(
        "{} ready, {} blocked",
        status.ready_count, status.blocked_count
    );
    if status.waiting_count > 0 {
        totals.push_str(&format!(", {} waiting for a person", status.waiting_count));
    }
    if status.stale_count > 0 {
        totals.push_str(&format!(
            ", {} stale ({} days)",
            status.stale_count, status.stale_days
        ));
    }
    vec![format!("{}: {counts}", ui.one_line(&status.repo)), totals]
}

fn foot(ui: &Ui, status: &Status) -> Vec<String> {
    let mut lines = Vec::new();
    if status.question_count > 0 {
        let n = usize::try_from(status.question_count).unwrap_or(usize::MAX);
        let questions = count(n, "question waits", "questions wait");
        lines.push(format!("{questions} for an answer (git beads inbox)"));
    }
    lines.extend(landed_line(&status.landed));
    if status.conflict_count > 0 {
        let n = status.conflict_count;
        lines.push(format!(
            "conflicts (git beads conflicts), {n}: {}",
            status.conflicts.join(", ")
        ));
    }
    if !status.remotes.is_empty() {
        lines.push(remotes(ui, &status.remotes));
    }
    if status.uncommitted_count > 0 {
        let waits = count(status.uncommitted_count, "change waits", "changes wait");
        lines.push(format!("{waits} in .git-beads/carry (not committed)"));
    }
    if !status.unreadable.is_empty() {
        lines.push(format!(
            "can't be read (git beads doctor): {}",
            ui.one_line(&status.unreadable.join(", "))
        ));
    }
    lines
}

fn mailboxes(distance: &Distance) -> String {
    match distance.mailboxes {
        0 => String::new(),
        n => format!(", {} there", count(n, "mailbox waits", "mailboxes wait")),
    }
}

fn remotes(ui: &Ui, remotes: &[Distance]) -> String {
    let apart = |distance: &Distance| {
        let remote = ui.one_line(&distance.remote);
        let mut text = match (distance.ahead, distance.behind) {
            (0, 0) => format!("{remote}: up to date"),
            (ahead, behind) => format!("{remote}: {ahead} ahead, {behind} behind"),
        };
        text.push_str(&mailboxes(distance));
        text
    };
    let all: Vec<String> = remotes.iter().map(apart).collect();
    let is_apart = remotes
        .iter()
        .any(|distance| distance.ahead + distance.behind + distance.mailboxes > 0);
    let hint = if is_apart { " (git beads sync)" } else { "" };
    format!("{}{hint}", all.join("; "))
}
