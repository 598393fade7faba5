//! `whats-new`: what others did since the last look.

use clap::Args;

use crate::cli::text::count;
use crate::cli::text::diff::{short, show_cut};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::time;
use crate::ops::shared::news::{IssueNews, NewsEvent};
use crate::ops::verbs::whats_new::{Look, NewsBegin, NewsList, whats_new};
use crate::ops::{Command, Result};
use crate::text::line::line;
use crate::text::style::{BOLD, CYAN, DIM, status_style};

/// Issues where no number is asked for.
const LIMIT: usize = 20;
/// Events of an issue in text; JSON has all.
const MOST_EVENTS: usize = 5;

/// Changes by other people and by your agents. The first time it shows the last 7 days, afterwards what came since; a look
/// of an agent does not count as yours.
#[derive(Debug, Args)]
pub(super) struct WhatsNewArgs {
    /// Show what happened since a date, commit or remote instead, and remember nothing
    #[arg(long, value_name = "REV|DATE")]
    since: Option<String>,
    /// Do not remember that you have looked
    #[arg(long)]
    peek: bool,
    /// Show at most N issues (0 means all)
    #[arg(short = 'n', long, value_name = "N", default_value_t = LIMIT)]
    limit: usize,
}

impl Verb for WhatsNewArgs {
    const NAME: &'static str = "whats-new";
    const ABOUT: &'static str = "Show what others changed since you last looked";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What came with the last pulls; the same once more next time; since a day:

$ git beads whats-new
$ git beads whats-new --peek
$ git beads whats-new --since 2026-11-19
";
    type Answer = NewsList;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let asked = self.since.clone();
        let look = Look {
            since: self.since,
            peek: self.peek,
            limit: self.limit,
        };
        let tracker = cli.tracker()?;
        let answer = whats_new(tracker, &look)?;
        let now = tracker.now();
        cli.page();
        cli.answer(answer, ids, |ui, news| {
            text(ui, news, asked.as_deref(), now);
        });
        Ok(Exit::OK)
    }
}

fn ids(news: &NewsList) -> Vec<String> {
    news.issues.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, news: &NewsList, asked: Option<&str>, now: u64) {
    ui.row(&head(news, asked, now));
    for issue in &news.issues {
        show_issue(ui, issue, now);
    }
    let more = news.total_count.saturating_sub(news.issues.len());
    if more > 0 {
        show_more(ui, more, news.from.as_deref());
    }
    show_cut(ui, &news.cut);
}

/// Says how many issues are left out, and what shows them.
fn show_more(ui: &mut Ui, more: usize, from: Option<&str>) {
    let more = count(more, "more issue", "more issues");
    // The mark may have moved: the next look begins behind these.
    let since = from.map_or("2000-01-01", short);
    let all = Command::of("whats-new").flag("--since").word(since);
    let text = format!("({more}: {})", all.flag("-n").word("0"));
    ui.row(&line![ui.paint(DIM, text)]);
}

/// Returns how many issues changed, and since when.
fn head(news: &NewsList, asked: Option<&str>, now: u64) -> String {
    let since = since(news, asked, now);
    match news.total_count {
        0 => format!("nothing new {since}"),
        n => format!("{} changed {since}", count(n, "issue", "issues")),
    }
}

fn since(news: &NewsList, asked: Option<&str>, now: u64) -> String {
    match news.begin {
        NewsBegin::LastLook => format!("since you last looked{}", ago(news, now)),
        NewsBegin::First => "in the last 7 days (your first look)".to_owned(),
        NewsBegin::Lost => {
            "in the last 7 days (what you last saw is gone from the history)".to_owned()
        }
        NewsBegin::Asked => format!("since {}", asked.unwrap_or_default()),
    }
}

/// Returns how long ago the last look was; nothing of the last minute.
fn ago(news: &NewsList, now: u64) -> String {
    match time::age(news.since.as_deref().unwrap_or_default(), now).as_str() {
        "" | "now" => String::new(),
        age => format!(" ({age} ago)"),
    }
}

fn show_issue(ui: &mut Ui, issue: &IssueNews, now: u64) {
    let line = line![
        ui.paint(BOLD, &issue.id),
        " ",
        ui.paint(status_style(&issue.status), ui.one_line(&issue.status)),
        " ",
        ui.one_line(&issue.title),
    ];
    ui.row(&line.trim_end());
    for event in issue.events.iter().take(MOST_EVENTS) {
        show_event(ui, event, now);
    }
    let more = issue.more + issue.events.len().saturating_sub(MOST_EVENTS);
    if more > 0 {
        let text = format!("  {more} more ({})", Command::of("log").id(&issue.id));
        ui.row(&line![ui.paint(DIM, text)]);
    }
}

fn show_event(ui: &mut Ui, event: &NewsEvent, now: u64) {
    let age = time::age(&event.at, now);
    let mut line = line!["  ", ui.paint(DIM, age), " "];
    if !event.by.is_empty() {
        line.push(ui.paint(CYAN, ui.one_line(&event.by)));
        line.push(" ");
    }
    line.push(&*ui.one_line(&event.phrase()));
    ui.row(&line);
}
