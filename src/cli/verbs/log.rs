//! `log`: what was done, newest first.

use clap::Args;

use crate::cli::text::diff::{MOST_ISSUES, name, short, show_cut, show_issues, spaced, when};
use crate::cli::text::reason::reason;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::issue_diff::DiffDetail;
use crate::ops::shared::news::sentence;
use crate::ops::shared::operation::Operation;
use crate::ops::verbs::log::{History, Log, log};
use crate::ops::{Command, Result};
use crate::text::line::{Line, line};
use crate::text::style::{DIM, YELLOW};

/// Columns in front of a reason: it comes below the subject.
const REASON: usize = 11;

/// Operations where no number is asked for.
const LOG_LIMIT: usize = 50;

#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// Id; without one, all issues
    id: Option<String>,
    /// Show the fields that each operation changed
    #[arg(short, long)]
    patch: bool,
    /// Since a date (2026-11-20, 3d for three days ago)
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Up to a date
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// By NAME: a part of a name, `me`, or an agent
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Commit and subject only
    #[arg(long)]
    oneline: bool,
    /// Show at most N (0 means all)
    #[arg(short = 'n', long, value_name = "N", default_value_t = LOG_LIMIT)]
    limit: usize,
}

impl Verb for LogArgs {
    const NAME: &'static str = "log";
    const ABOUT: &'static str = "Show the history of operations, newest first";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What became of an issue, field by field; what an agent did today; in short:

$ git beads log bd-a1b2 -p
$ git beads log --author agent-7 --since today
$ git beads log --oneline -n 10
";
    type Answer = Log;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let detail = if cli.globals.json.is_some() {
            DiffDetail::All
        } else {
            DiffDetail::First(MOST_ISSUES)
        };
        let request = History {
            id: self.id,
            patch: self.patch,
            detail,
            since: self.since,
            until: self.until,
            // To act as an agent would mean nothing here.
            author: self.author.or(cli.globals.agent_name.take()),
            limit: self.limit,
        };
        let is_asked = self.limit != LOG_LIMIT;
        let answer = log(cli.tracker()?, &request)?;
        cli.page();
        cli.answer(answer, commits, |ui, log| {
            for operation in log.operations.iter().filter(|it| is_shown(it)) {
                show_operation(ui, operation, self.oneline);
            }
            show_cut(ui, &log.cut);
            // Who asked for so many knows it.
            if log.truncated && !is_asked {
                show_limit(ui);
            }
        });
        Ok(Exit::OK)
    }
}

fn show_limit(ui: &mut Ui) {
    let all = Command::of("log").flag("-n").word("0");
    ui.line(&format!("(the newest {LOG_LIMIT}; {all} shows all)"));
}

/// Returns false for a merge that says nothing of any issue.
fn is_shown(operation: &Operation) -> bool {
    !operation.party().to_string().is_empty() || !operation.issues.is_empty()
}

fn commits(log: &Log) -> Vec<String> {
    let commits = log.operations.iter().map(|it| it.commit.clone());
    commits.collect()
}

fn show_operation(ui: &mut Ui, operation: &Operation, oneline: bool) {
    let at = if oneline {
        String::new()
    } else {
        when(ui, &operation.at)
    };
    let at = if at.is_empty() {
        Line::default()
    } else {
        line![ui.paint(DIM, at)]
    };
    let actor = if oneline {
        String::new()
    } else {
        name(ui, &operation.party().to_string())
    };
    let parts = [
        line![ui.paint(YELLOW, short(&operation.commit))],
        at,
        line![actor],
        line![ui.one_line(&sentence(&operation.subject, &operation.said))],
    ];
    ui.row(&spaced(parts));
    if let Some(context) = operation.context.as_ref().filter(|_| !oneline) {
        reason(ui, context, REASON);
    }
    show_issues(ui, &operation.issues, operation.more);
}
