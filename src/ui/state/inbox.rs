//! The lines of the inbox, made of what each repository has to say.

use std::collections::HashMap;

use super::{ScreenName, Selected, State};
use crate::desk::keys::option_key;
use crate::model::{Uid, time};
use crate::ops::answer::Summary;
use crate::ops::scene::inbox::{
    AskedRepo, AtWork, Changed, Inbox, Need, NeedReason, NextIssue, OpenQuestion,
};
use crate::ops::shared::active::Active;
use crate::ops::shared::conflicts::Entry;
use crate::text::value::value_text;

/// What a row is of: an issue, and the reason for the row where it has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) struct RowKey {
    pub(in crate::ui) repo: usize,
    pub(in crate::ui) uid: Uid,
    pub(super) part: String,
}

impl RowKey {
    /// Returns the key of a row of which its issue has one alone.
    pub(in crate::ui) fn of(repo: usize, uid: Uid) -> Self {
        let part = String::new();
        Self { repo, uid, part }
    }
}

/// A line of the inbox.
#[derive(Clone, Debug)]
pub(in crate::ui) struct InboxLine {
    /// The row that it belongs to; none of what can't be selected.
    pub(in crate::ui) key: Option<RowKey>,
    pub(in crate::ui) kind: LineKind,
}

#[derive(Clone, Debug)]
pub(in crate::ui) enum LineKind {
    Heading {
        name: &'static str,
        count: String,
    },
    Issue(IssueRow),
    /// What is said below a row, or of a repository.
    Below(String),
    Fault(AskedRepo),
    /// The command behind a fault.
    Hint(String),
    Text(String),
    Empty,
}

/// A row of an issue.
#[derive(Clone, Debug)]
pub(in crate::ui) struct IssueRow {
    pub(in crate::ui) sign: char,
    pub(in crate::ui) repo: String,
    pub(in crate::ui) id: String,
    pub(in crate::ui) priority: Option<i64>,
    pub(in crate::ui) text: String,
    /// The title of the issue, where the text is another.
    pub(in crate::ui) title: String,
    pub(in crate::ui) who: String,
    pub(in crate::ui) at: Option<u64>,
}

#[derive(Debug, Default)]
pub(in crate::ui) struct InboxScreen {
    pub(in crate::ui) lines: Vec<InboxLine>,
    pub(in crate::ui) selected: Option<RowKey>,
    /// The line of what is selected.
    pub(in crate::ui) line: usize,
    /// Lines above what is seen.
    pub(in crate::ui) top: usize,
    /// True once the user has moved or done anything here: until then the first row is selected.
    pub(super) has_moved: bool,
    /// Number of what needs the user, and of what of it blocks others.
    pub(in crate::ui) needs: usize,
    pub(in crate::ui) blocking: usize,
}

impl InboxScreen {
    pub(super) fn is_row(&self, line: usize) -> bool {
        let line = self.lines.get(line);
        line.is_some_and(|it| matches!(it.kind, LineKind::Issue(_)))
    }

    /// Returns the row that is selected.
    pub(super) fn selected_row(&self) -> Option<&IssueRow> {
        match &self.lines.get(self.line)?.kind {
            LineKind::Issue(row) => Some(row),
            _ => None,
        }
    }

    /// Returns whether the row that is selected is that of a question.
    pub(super) fn is_question(&self, entry: &str) -> bool {
        self.selected.as_ref().is_some_and(|key| key.part == entry)
    }

    /// Returns whether the row that is selected is that of a need.
    pub(super) fn is_selected(&self, need: &Need) -> bool {
        let key = self.selected.as_ref();
        key.is_some_and(|key| key.part == part_of(need))
    }

    /// Returns the line of the row that is selected now: the same one, else another one of its issue, else what is in its place.
    fn line_of_selected(&self, acted_on: Option<&Selected>) -> Option<usize> {
        let rows: Vec<usize> = (0..self.lines.len()).filter(|n| self.is_row(*n)).collect();
        let key = |line: &usize| self.lines[*line].key.as_ref();
        let selected = self.selected.as_ref();
        let same = rows
            .iter()
            .find(|n| key(n) == selected && selected.is_some());
        let issue = |key: &RowKey| (key.repo, key.uid);
        let of_issue = rows.iter().find(|n| {
            let wanted = selected.map(issue);
            wanted.is_some() && key(n).map(issue) == wanted
        });
        let in_place = rows.iter().find(|n| **n >= self.line);
        // Of what the user has done the next one is in its place; what others do is followed.
        let is_done =
            acted_on.is_some_and(|done| Some((done.repo, done.uid)) == selected.map(issue));
        let of_issue = of_issue.filter(|_| !is_done);
        same.or(of_issue).or(in_place).or(rows.last()).copied()
    }
}

impl State {
    /// Makes the lines again.
    pub(super) fn build_inbox(&mut self) {
        let before = self.inbox.line;
        let mut builder = Builder::new(self);
        builder.build();
        let (lines, needs, blocking) = (builder.lines, builder.needs, builder.blocking);
        let inbox = &mut self.inbox;
        (inbox.lines, inbox.needs, inbox.blocking) = (lines, needs, blocking);
        let acted_on = self.acted_on.take();
        let was = inbox.selected.clone();
        let line = match inbox.has_moved {
            true => inbox.line_of_selected(acted_on.as_ref()),
            false => (0..inbox.lines.len()).find(|line| inbox.is_row(*line)),
        };
        inbox.line = line.unwrap_or(0);
        inbox.selected = line.and_then(|line| inbox.lines[line].key.clone());
        let issue = |key: &RowKey| (key.repo, key.uid);
        let is_seen = self.screen == ScreenName::Inbox && (inbox.has_moved || was.is_some());
        if is_seen && was.as_ref().map(issue) != inbox.selected.as_ref().map(issue) {
            self.slipped_at = Some(self.up);
        }
        // What is selected stays in its line of the screen, whatever came or went above it.
        inbox.top = match inbox.has_moved {
            true => (inbox.top + inbox.line).saturating_sub(before),
            false => 0,
        };
        self.scroll_inbox();
    }

    /// Selects a row; returns false where it is there no more.
    pub(super) fn select_in_inbox(&mut self, key: &RowKey) -> bool {
        let inbox = &mut self.inbox;
        let is_it = |n: &usize| inbox.is_row(*n) && inbox.lines[*n].key.as_ref() == Some(key);
        let Some(line) = (0..inbox.lines.len()).find(is_it) else {
            return false;
        };
        (inbox.line, inbox.has_moved) = (line, true);
        inbox.selected = Some(key.clone());
        true
    }

    pub(super) fn go_in_inbox(&mut self, step: isize) {
        let inbox = &mut self.inbox;
        let rows: Vec<usize> = (0..inbox.lines.len())
            .filter(|n| inbox.is_row(*n))
            .collect();
        let Some(last) = rows.len().checked_sub(1) else {
            return;
        };
        let at = rows.iter().position(|row| *row == inbox.line).unwrap_or(0);
        let line = rows[at.saturating_add_signed(step).min(last)];
        inbox.line = line;
        inbox.selected = inbox.lines[line].key.clone();
        inbox.has_moved = true;
        self.slipped_at = None;
        self.scroll_inbox();
    }
}

/// Makes lines of what the repositories say.
struct Builder {
    /// The number of each repository, by its name.
    numbers: HashMap<String, usize>,
    /// The repository that all is about, where it is one.
    only: Option<usize>,
    sum: Inbox,
    faults: Vec<AskedRepo>,
    lines: Vec<InboxLine>,
    needs: usize,
    blocking: usize,
    is_whole: bool,
}

impl Builder {
    fn new(state: &State) -> Self {
        let mut sum = Inbox::default();
        let (mut faults, mut numbers) = (Vec::new(), HashMap::new());
        // Before the patience is over, what is there of others would come one by one.
        let waits = !state.is_drawable();
        let mut is_whole = true;
        for n in state.shown_repos() {
            let repo = &state.repos[n];
            numbers.insert(repo.name.clone(), n);
            faults.extend(repo.fault().cloned());
            if waits && Some(n) != state.here {
                continue;
            }
            match &repo.inbox {
                Some(inbox) => sum.add(&repo.name, (**inbox).clone()),
                None => is_whole &= repo.fault().is_some(),
            }
        }
        sum.sort();
        Self {
            numbers,
            only: state.here.filter(|_| !state.is_all),
            sum,
            faults,
            lines: Vec::new(),
            needs: 0,
            blocking: 0,
            is_whole,
        }
    }

    fn build(&mut self) {
        let sum = std::mem::take(&mut self.sum);
        (self.needs, self.blocking) = (sum.count_of_needs(), sum.blocking());
        match (self.needs, self.blocking) {
            (0, _) => self.nothing(&sum),
            (needs, 0) => self.heading("NEEDS YOU", &needs.to_string()),
            (needs, 1) => self.heading("NEEDS YOU", &format!("{needs}, 1 of them blocks others")),
            (needs, n) => {
                self.heading("NEEDS YOU", &format!("{needs}, {n} of them block others"));
            }
        }
        for question in &sum.questions {
            self.question(question);
        }
        for need in &sum.needs {
            self.need(need);
        }
        self.at_work(&sum);
        self.changed(&sum.changed);
        self.next(&sum);
        let faults = std::mem::take(&mut self.faults);
        if !faults.is_empty() {
            self.heading("NOT READ", &faults.len().to_string());
        }
        for fault in faults {
            let hint = fault.hint.clone();
            self.push(None, LineKind::Fault(fault));
            // In a line of its own: it is to be read whole.
            if let Some(hint) = hint {
                self.push(None, LineKind::Hint(hint));
            }
        }
    }

    fn push(&mut self, key: Option<RowKey>, kind: LineKind) {
        self.lines.push(InboxLine { key, kind });
    }

    fn heading(&mut self, name: &'static str, count: &str) {
        if !self.lines.is_empty() {
            self.push(None, LineKind::Empty);
        }
        let count = count.to_owned();
        self.push(None, LineKind::Heading { name, count });
    }

    fn nothing(&mut self, sum: &Inbox) {
        if !self.is_whole {
            return self.push(None, LineKind::Text("reading".to_owned()));
        }
        if self.faults.len() == self.numbers.len() {
            return;
        }
        let agents = sum.at_work.len();
        let text = match agents {
            0 => "Nothing needs you.".to_owned(),
            1 => "Nothing needs you. 1 issue is in progress.".to_owned(),
            _ => format!("Nothing needs you. {agents} issues are in progress."),
        };
        self.push(None, LineKind::Text(text));
    }

    /// Adds a row of an issue, and below it what there is to say.
    fn row(
        &mut self,
        name: Option<&String>,
        uid: Option<Uid>,
        part: &str,
        row: IssueRow,
        below: Option<String>,
    ) {
        let repo = name.and_then(|name| self.numbers.get(name)).copied();
        let (Some(repo), Some(uid)) = (repo, uid) else {
            return;
        };
        let key = RowKey {
            repo,
            uid,
            part: part.to_owned(),
        };
        // Where all is about one repository its name is in the first line.
        let name = name.filter(|_| self.only.is_none());
        let row = IssueRow {
            repo: name.cloned().unwrap_or_default(),
            ..row
        };
        self.push(Some(key.clone()), LineKind::Issue(row));
        if let Some(below) = below.filter(|text| !text.is_empty()) {
            self.push(Some(key), LineKind::Below(below));
        }
    }

    fn question(&mut self, open: &OpenQuestion) {
        let question = &open.question;
        let mut below = String::new();
        for (n, option) in (1..).zip(&question.options) {
            let between = if n == 1 { "" } else { " | " };
            let key = option_key(&question.options, n);
            let key = key.map(|key| format!("{key}: ")).unwrap_or_default();
            below.push_str(&format!("{between}{key}{option}"));
        }
        let row = IssueRow {
            sign: '?',
            repo: String::new(),
            id: open.issue.clone(),
            priority: Some(open.priority),
            text: question.entry.text.clone(),
            title: open.title.clone(),
            who: format!("{} asks", question.entry.party()),
            at: time::parse(&question.entry.at),
        };
        let below = Some(below);
        self.row(open.repo.as_ref(), open.uid, &question.entry.id, row, below);
    }

    fn need(&mut self, need: &Need) {
        let title = need.title.clone();
        let (text, who) = match need.reason {
            NeedReason::Person => match need.blocked_for.as_deref().unwrap_or_default() {
                "" => (title, "for a person".to_owned()),
                reason => (title, reason.to_owned()),
            },
            NeedReason::Conflict => {
                let both = need.conflict.as_ref().map(both).unwrap_or_default();
                (both, String::new())
            }
            NeedReason::Review => review(need),
            NeedReason::Landed => (title, format!("landed in {}", need.short_commit())),
            NeedReason::Stale => {
                let left = need.holder.as_deref().map(Active::holder_and_remarks);
                (title, left.unwrap_or_default())
            }
        };
        let below = match need.reason {
            NeedReason::Conflict => Some(need.title.clone()),
            _ => None,
        };
        let row = IssueRow {
            sign: need.reason.sign(),
            repo: String::new(),
            id: need.issue.clone(),
            priority: Some(need.priority),
            text,
            title: need.title.clone(),
            who,
            at: time::parse(&need.at),
        };
        let part = part_of(need);
        self.row(need.repo.as_ref(), need.uid, &part, row, below);
    }

    fn at_work(&mut self, sum: &Inbox) {
        if sum.at_work.is_empty() {
            return;
        }
        let count = sum.at_work_count.unwrap_or(sum.at_work.len() as u64);
        self.heading("AT WORK", &count.to_string());
        for AtWork { repo, active } in &sum.at_work {
            let at = time::parse(&active.last_activity);
            let row = summary_row(' ', &active.summary, active.holder_and_remarks(), at);
            let note = active.last_note.as_ref();
            let note = note.map(|note| format!("{}: {}", note.kind, note.text));
            self.row(repo.as_ref(), active.summary.uid, "at work", row, note);
        }
    }

    fn changed(&mut self, changed: &[Changed]) {
        if changed.is_empty() {
            return;
        }
        let count: usize = changed.iter().map(|one| one.news.issues).sum();
        self.heading("SINCE YOU LOOKED", &count.to_string());
        let mut latest: Vec<_> = changed
            .iter()
            .flat_map(|one| one.news.latest.iter().map(|news| (one.repo.as_ref(), news)))
            .collect();
        latest.sort_by(|(_, one), (_, other)| other.event.at.cmp(&one.event.at));
        for (repo, news) in latest {
            let row = IssueRow {
                sign: ' ',
                repo: String::new(),
                id: news.issue.clone(),
                priority: None,
                text: format!("{}: {}", news.event.phrase(), news.title),
                title: news.title.clone(),
                who: news.event.by.clone(),
                at: time::parse(&news.event.at),
            };
            self.row(repo, Some(news.uid), "changed", row, None);
        }
        // Of so many that what happened to each is not looked for.
        for one in changed.iter().filter(|one| one.news.latest.is_empty()) {
            let name = one.repo.as_deref().filter(|_| self.only.is_none());
            let by = one.news.by.join(", ");
            let text = format!(
                "{} {} issues changed by {by}",
                name.unwrap_or_default(),
                one.news.issues
            );
            self.push(None, LineKind::Text(text.trim_start().to_owned()));
        }
    }

    fn next(&mut self, sum: &Inbox) {
        if sum.ready.is_empty() {
            return;
        }
        let ready = sum.ready_count.unwrap_or(sum.ready.len() as u64);
        self.heading("NEXT", &format!("{ready} ready"));
        for NextIssue {
            repo,
            unblocks,
            summary,
        } in &sum.ready
        {
            let unblocks = match unblocks {
                0 => String::new(),
                n => format!("unblocks {n}"),
            };
            let row = summary_row(' ', summary, unblocks, None);
            self.row(repo.as_ref(), summary.uid, "next", row, None);
        }
    }
}

fn summary_row(sign: char, summary: &Summary, who: String, at: Option<u64>) -> IssueRow {
    IssueRow {
        sign,
        repo: String::new(),
        id: summary.id.clone(),
        priority: Some(summary.priority),
        text: summary.title.clone(),
        title: summary.title.clone(),
        who,
        at,
    }
}

/// Returns what tells a row from others of its issue.
fn part_of(need: &Need) -> String {
    let field = need.conflict.as_ref();
    let field = field.map(|entry| format!("{} {}", entry.field, entry.n));
    format!("{:?} {}", need.reason, field.unwrap_or_default())
}

fn both(entry: &Entry) -> String {
    entry.both(|value| value_text(&entry.field, value, str::to_owned))
}

fn review(need: &Need) -> (String, String) {
    let Some(close) = &need.close else {
        return (need.title.clone(), "asks for a review".to_owned());
    };
    let reason = close.reason.as_deref().unwrap_or_default();
    let text = match reason {
        "" => need.title.clone(),
        reason => format!("done: {reason}"),
    };
    (text, close.by.clone().unwrap_or_default())
}
