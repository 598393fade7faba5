//! The panel: an issue with its texts, memory and history, or the change of a commit.

use anstyle::Style;

use super::paint::PLAIN;
use crate::desk::keys::option_key;
use crate::model::edge::BLOCKS;
use crate::model::prose::TextBlock;
use crate::model::time;
use crate::model::visible::visible;
use crate::ops::answer::{Detail, Link, Summary};
use crate::ops::scene::change::Change;
use crate::ops::scene::issue::{IssueScene, Remembered};
use crate::ops::shared::news::sentence;
use crate::ops::shared::operation::Operation;
use crate::text::line::{Line, Look as SpanLook, Span, line};
use crate::text::prose::{Paint, drawn, wrapped};
use crate::text::style::{
    BOLD, CYAN, DIM, GREEN, MAGENTA, RED, YELLOW, priority_style, status_style,
};
use crate::ui::Look;

/// Digits of a commit.
const SHORT: usize = 7;

/// The lines of a panel of a width.
pub(super) struct Lines {
    pub(super) lines: Vec<Line>,
    width: usize,
    look: Look,
}

impl Paint for Look {
    fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    fn shown(&self, text: &str) -> String {
        visible(text)
    }

    /// There are none: a cell of the screen has no room for an address.
    fn linked<'t>(&self, span: Span<'t>, _: &str) -> Span<'t> {
        span
    }

    fn mentions<'t>(&self, look: &SpanLook, text: &str, to: &mut Vec<Span<'t>>) {
        to.push(Span::new(look.clone(), text.to_owned()));
    }
}

impl Lines {
    pub(super) fn new(width: usize, look: Look) -> Self {
        let lines = Vec::new();
        Self { lines, width, look }
    }

    /// Adds a line of our own, which goes on in the next one, further in, where it is full.
    fn line(&mut self, parts: &[(&str, Style)]) {
        let mut line = Line::default();
        for (text, style) in parts {
            line.push(Span::new(*style, visible(text)));
        }
        self.lines
            .extend(wrapped(&self.look, "", &line, self.width));
    }

    /// Adds a line as it stands: what is too long is cut at the edge.
    fn code(&mut self, text: &str, style: Style) {
        let text = visible(text).replace('\t', "    ");
        self.lines.push(line![Span::new(style, text)]);
    }

    fn empty(&mut self) {
        self.lines.push(Line::default());
    }

    /// Adds Markdown behind an indent.
    fn blocks(&mut self, blocks: &[TextBlock], indent: &str) {
        let lines = drawn(&self.look, blocks, indent, indent, self.width);
        self.lines.extend(lines);
    }
}

/// Adds the lines of an issue.
pub(super) fn issue(lines: &mut Lines, scene: &IssueScene, now: u64) {
    let detail = &scene.issue;
    heading(lines, detail, scene.lease.as_deref(), now);
    facts(lines, detail);
    links(lines, detail);
    children(lines, &detail.summary.children);
    for text in &scene.texts {
        section(lines, &upper_first(text.name));
        lines.blocks(&text.blocks, "");
    }
    memory(lines, &scene.memory, now);
    commits(lines, detail);
    history(lines, &scene.operations, now);
}

fn heading(lines: &mut Lines, detail: &Detail, lease: Option<&str>, now: u64) {
    let summary = &detail.summary;
    let mut holder = summary
        .holder()
        .map(|name| format!("  @{name}"))
        .unwrap_or_default();
    for remark in summary
        .claim
        .iter()
        .flat_map(|claim| claim.remarks("idle "))
    {
        holder.push_str(&format!(", {remark}"));
    }
    if let Some(lease) = lease {
        holder.push_str(&format!(", lease {lease}"));
    }
    lines.line(&[
        (&summary.id, BOLD),
        (
            &format!(" P{}", summary.priority),
            priority_style(summary.priority),
        ),
        (&format!(" {} ", summary.kind), PLAIN),
        (
            &summary.status.replace('_', " "),
            status_style(&summary.status),
        ),
        (&holder, CYAN),
    ]);
    lines.line(&[(&summary.title, BOLD)]);
    let mut tags = String::new();
    for label in &summary.labels {
        tags.push_str(&format!("#{label} "));
    }
    if let Some(parent) = &summary.parent {
        tags.push_str(&format!("part of {parent} "));
    }
    if !tags.is_empty() {
        lines.line(&[(&tags, PLAIN)]);
    }
    let by = detail.created_by.as_deref().unwrap_or("someone");
    let ago = |at: u64| match time::ago(at, now) {
        text if text == "now" => "just now".to_owned(),
        text => format!("{text} ago"),
    };
    let created = summary.created_at.map(|at| ago(at.0)).unwrap_or_default();
    let changed = summary.updated_at.map(|at| ago(at.0)).unwrap_or_default();
    lines.line(&[(&format!("by {by} {created}, changed {changed}"), DIM)]);
}

/// Adds what there is to say in a line each.
fn facts(lines: &mut Lines, detail: &Detail) {
    let mut pair = |name: &str, text: Option<&str>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            lines.line(&[(&format!("{name} "), DIM), (text, PLAIN)]);
        }
    };
    pair("Reason", detail.reason.as_deref());
    pair("Closed by", detail.closed_by_agent.as_deref());
    pair("Accepted by", detail.accepted.as_ref().map(|it| &*it.by));
    for close in &detail.other_closes {
        pair(&format!("Closed too by {}:", close.by), Some(&close.reason));
    }
    for (name, text) in detail.evidence.parts() {
        pair(&upper_first(name), Some(text));
    }
    pair("Due", detail.fields.due.as_deref());
    pair("Deferred until", detail.fields.defer.as_deref());
    pair("External", detail.fields.external_ref.as_deref());
    for lost in &detail.conflicts {
        let by = lost.by.as_deref().unwrap_or_default();
        let value = lost
            .value
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        lines.line(&[
            (&format!("% {} ", lost.field), MAGENTA),
            (&format!("{value} ({by})"), PLAIN),
        ]);
    }
}

fn links(lines: &mut Lines, detail: &Detail) {
    let mut line = |name: &str, link: &Link| {
        let status = link.status.as_deref().unwrap_or("not here");
        let title = link.title.as_deref().unwrap_or_default();
        let suspended = if link.suspended { " (suspended)" } else { "" };
        lines.line(&[
            (&format!("{name} "), DIM),
            (&link.id, BOLD),
            (
                &format!(" {}", status.replace('_', " ")),
                status_style(status),
            ),
            (&format!(" {title}{suspended}"), PLAIN),
        ]);
    };
    for link in &detail.dependencies {
        line(
            if link.kind == BLOCKS {
                "Waits for"
            } else {
                &link.kind
            },
            link,
        );
    }
    for link in &detail.dependents {
        line(
            if link.kind == BLOCKS {
                "Unblocks"
            } else {
                &link.kind
            },
            link,
        );
    }
}

fn children(lines: &mut Lines, children: &[Summary]) {
    if children.is_empty() {
        return;
    }
    let is_done = |child: &&Summary| matches!(child.status.as_str(), "closed" | "tombstone");
    let done = children.iter().filter(is_done).count();
    section(
        lines,
        &format!("Children, {done} of {} done", children.len()),
    );
    for child in children {
        lines.line(&[
            (&child.id, BOLD),
            (
                &format!(" P{} ", child.priority),
                priority_style(child.priority),
            ),
            (&child.status.replace('_', " "), status_style(&child.status)),
            (&format!(" {}", child.title), PLAIN),
        ]);
    }
}

fn memory(lines: &mut Lines, memory: &[Remembered], now: u64) {
    if memory.is_empty() {
        return;
    }
    section(lines, "Memory");
    for entry in memory {
        let age = time::age(&entry.at, now);
        let kind = CYAN;
        lines.line(&[
            (&upper_first(entry.kind), kind),
            (&format!(" {}, {age}", entry.by), DIM),
        ]);
        lines.blocks(&entry.blocks, "  ");
        match &entry.answer {
            Some(answer) => {
                let age = time::age(&answer.at, now);
                lines.line(&[("  Answer", kind), (&format!(" {}, {age}", answer.by), DIM)]);
                lines.blocks(&answer.blocks, "  ");
            }
            None => {
                for (n, option) in (1..).zip(&entry.options) {
                    let key = option_key(&entry.options, n).unwrap_or('-');
                    lines.line(&[(&format!("{key} {option}"), PLAIN)]);
                }
            }
        }
    }
}

fn commits(lines: &mut Lines, detail: &Detail) {
    if detail.commits.is_empty() {
        return;
    }
    section(lines, "Commits");
    for commit in &detail.commits {
        let short = commit.commit.get(..SHORT).unwrap_or(&commit.commit);
        let closes = if commit.closes { " (closes it)" } else { "" };
        let text = format!(" {}{closes}", commit.subject);
        lines.line(&[(short, YELLOW), (&text, PLAIN)]);
    }
    if detail.more_commits > 0 {
        lines.line(&[(&format!("and {} older ones", detail.more_commits), DIM)]);
    }
}

fn history(lines: &mut Lines, operations: &[Operation], now: u64) {
    if operations.is_empty() {
        return;
    }
    section(lines, "History");
    for operation in operations {
        let age = format!("{:>4} ", time::age(&operation.at, now));
        let by = format!("  {}", operation.party());
        // The words of a line of text may begin with spaces, which are lost: the age is put before them.
        let text = sentence(&operation.subject, &operation.said);
        lines.line(&[(&age, DIM), (&text, PLAIN), (&by, DIM)]);
    }
}

/// Adds the lines of a change.
pub(super) fn change(lines: &mut Lines, change: &Change, now: u64) {
    let short = change.commit.get(..SHORT).unwrap_or(&change.commit);
    let age = time::age(&change.at, now);
    let mut message = change.message.lines();
    lines.line(&[(short, YELLOW), (&format!(" {}, {age}", change.by), DIM)]);
    lines.line(&[(message.next().unwrap_or_default(), BOLD)]);
    for line in message {
        lines.code(line, PLAIN);
    }
    if change.of > 1 {
        let others = change.of - 1;
        lines.line(&[(&format!("{others} more commits name this issue"), DIM)]);
    }
    lines.empty();
    for file in &change.files {
        let count =
            |sign: &str, n: Option<u64>| n.map(|n| format!("{sign}{n} ")).unwrap_or_default();
        lines.line(&[
            (&count("+", file.added), GREEN),
            (&count("-", file.removed), RED),
            (&file.path, PLAIN),
        ]);
    }
    lines.empty();
    for line in change.patch.lines() {
        let style = match line.as_bytes() {
            [b'd', b'i', b'f', b'f', ..] | [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => BOLD,
            [b'+', ..] => GREEN,
            [b'-', ..] => RED,
            [b'@', b'@', ..] => CYAN,
            _ => PLAIN,
        };
        lines.code(line, style);
    }
    if change.is_partial {
        lines.line(&[(
            "what its files hold is not here, and no remote is asked for it",
            YELLOW,
        )]);
    }
    if change.is_cut {
        lines.line(&[("the rest of the patch is longer than what is shown", DIM)]);
    }
}

fn section(lines: &mut Lines, name: &str) {
    lines.empty();
    lines.line(&[(name, BOLD)]);
}

fn upper_first(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
