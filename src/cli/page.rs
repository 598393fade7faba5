//! The long texts: one issue, and what doctor found.

use super::render::{BOLD, DIM, rows, status_style};
use super::ui::Ui;
use crate::model::time;
use crate::ops::answer::{Detail, Entry, Link, Summary};
use crate::ops::verbs::doctor::Diagnosis;
use crate::ops::verbs::show::{Issues, Shown};

/// Digits of a commit, as git shows them.
const SHORT_COMMIT: usize = 7;

pub(super) fn issues(ui: &mut Ui, issues: &Issues, now: u64) {
    match issues {
        Issues::One(shown) => issue(ui, shown, now),
        Issues::Many { issues } => {
            for (i, shown) in issues.iter().enumerate() {
                if i > 0 {
                    ui.line("");
                }
                issue(ui, shown, now);
            }
        }
    }
}

fn issue(ui: &mut Ui, shown: &Shown, now: u64) {
    let detail = &shown.issue;
    let summary = &detail.summary;
    let heading = format!(
        "{} {}",
        ui.paint(BOLD, &summary.id),
        ui.paint(BOLD, &ui.one_line(&summary.title))
    );
    ui.line(&heading);
    let status = ui.paint(status_style(&summary.status), &summary.status);
    let assignee = summary
        .assignee
        .as_deref()
        .map(|name| format!(" @{}", ui.one_line(name)))
        .unwrap_or_default();
    let facts = format!(
        "P{} {} {status}{assignee}{}",
        summary.priority,
        ui.one_line(&summary.kind),
        dates(ui, detail, now)
    );
    ui.line(&facts);
    pair(ui, "reason", detail.reason.as_deref());
    pair(ui, "labels", Some(summary.labels.join(", ").as_str()));
    pair(ui, "parent", summary.parent.as_deref());
    pair(ui, "external", detail.external_ref.as_deref());
    pair(ui, "due", detail.due.as_deref());
    pair(ui, "deferred until", detail.defer.as_deref());
    links(ui, detail);
    children(ui, &summary.children);
    for (name, text) in detail.texts.named() {
        section(ui, name, text);
    }
    for (name, entries) in [
        ("findings", &shown.memory.findings),
        ("decisions", &shown.memory.decisions),
        ("comments", &shown.memory.comments),
    ] {
        memory(ui, name, entries);
    }
    if let Some(more) = &shown.memory.more {
        let n = more.findings + more.decisions + more.comments;
        ui.line(&format!(
            "({n} older entries; show without --memory shows all)"
        ));
    }
    for conflict in &detail.conflicts {
        let by = conflict.by.as_deref().unwrap_or_default();
        let value = conflict
            .value
            .as_ref()
            .map(|value| format!(": {}", ui.one_line(&value_text(value))))
            .unwrap_or_default();
        let text = format!(
            "written at the same time: {} by {} ({}){value}",
            conflict.field,
            ui.one_line(by),
            conflict.at
        );
        ui.line(&text);
    }
    commits(ui, detail);
}

/// The commits that name the issue, as `git log --oneline` has them.
fn commits(ui: &mut Ui, detail: &Detail) {
    if detail.commits.is_empty() {
        return;
    }
    ui.line("commits:");
    for commit in &detail.commits {
        let short = commit.commit.get(..SHORT_COMMIT).unwrap_or(&commit.commit);
        let closes = if commit.closes { " (closes it)" } else { "" };
        let text = format!("  {short} {}{closes}", ui.one_line(&commit.subject));
        ui.line(&text);
    }
    if detail.more_commits > 0 {
        ui.line(&format!("  and {} older ones", detail.more_commits));
    }
}

/// A value of a register as a person reads it.
pub(super) fn value_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "(empty)".to_owned(),
        other => other["s"]
            .as_str()
            .map_or_else(|| other.to_string(), str::to_owned),
    }
}

fn dates(ui: &Ui, detail: &Detail, now: u64) -> String {
    let summary = &detail.summary;
    let day = |text: &str| text.get(..10).unwrap_or(text).to_owned();
    let by = detail
        .created_by
        .as_deref()
        .map(|by| format!(" by {}", ui.one_line(by)))
        .unwrap_or_default();
    let changed = summary.updated_at.map(|at| time::ago(at.0, now));
    let changed = match changed.as_deref() {
        Some("now") => ", changed just now".to_owned(),
        Some(ago) => format!(", changed {ago} ago"),
        None => String::new(),
    };
    let closed = detail
        .closed_at
        .as_deref()
        .map(|at| format!(", closed {}", day(at)))
        .unwrap_or_default();
    let created = summary
        .created_at
        .map(|at| day(&time::format(at.0)))
        .unwrap_or_default();
    format!(", created {created}{by}{changed}{closed}")
}

fn pair(ui: &mut Ui, name: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        let text = format!("{name}: {}", ui.one_line(value));
        ui.line(&text);
    }
}

fn links(ui: &mut Ui, detail: &Detail) {
    let describe = |ui: &Ui, link: &Link| {
        let status = link
            .status
            .as_deref()
            .map_or_else(|| " (not here)".to_owned(), |status| format!(" [{status}]"));
        let title = link
            .title
            .as_deref()
            .map(|title| format!(" {}", ui.one_line(title)))
            .unwrap_or_default();
        let suspended = if link.suspended {
            " (suspended: it would close a circle)"
        } else {
            ""
        };
        format!("{}{status}{title}{suspended}", ui.one_line(&link.id))
    };
    for (list, blocking, other) in [
        (&detail.dependencies, "waits for", "->"),
        (&detail.dependents, "holds up", "<-"),
    ] {
        for link in list {
            let name = if link.kind == "blocks" {
                blocking.to_owned()
            } else {
                format!("{other} {}", link.kind)
            };
            let text = format!("{name}: {}", describe(ui, link));
            ui.line(&text);
        }
    }
}

fn children(ui: &mut Ui, children: &[Summary]) {
    if children.is_empty() {
        return;
    }
    let done = children
        .iter()
        .filter(|child| matches!(child.status.as_str(), "closed" | "tombstone"))
        .count();
    ui.line("");
    let text = format!("children ({done} of {} done)", children.len());
    let text = ui.paint(BOLD, &text);
    ui.line(&text);
    rows(ui, children.iter().map(|child| (child, 0, String::new())));
}

fn section(ui: &mut Ui, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        ui.line("");
        let name = ui.paint(BOLD, name);
        ui.line(&name);
        let text = ui.shown(text.trim_end());
        ui.line(&text);
    }
}

fn memory(ui: &mut Ui, name: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    ui.line("");
    let name = ui.paint(BOLD, name);
    ui.line(&name);
    for entry in entries {
        let ending = entry
            .id
            .get(entry.id.len().saturating_sub(6)..)
            .unwrap_or(&entry.id);
        let day = entry.at.get(..10).unwrap_or(&entry.at);
        let who = ui.paint(
            DIM,
            &format!("({}, {day}, {ending})", ui.one_line(&entry.by)),
        );
        let text = format!("- {} {who}", ui.shown(&entry.text).replace('\n', "\n  "));
        ui.line(&text);
    }
}

/// The stable words of what was found.
pub(super) fn codes(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis
        .findings
        .iter()
        .map(|finding| finding.code.clone())
        .collect()
}

pub(super) fn diagnosis(ui: &mut Ui, diagnosis: &Diagnosis) {
    for finding in &diagnosis.findings {
        let text = format!(
            "{}: {}",
            ui.paint(BOLD, &finding.code),
            ui.one_line(&finding.message)
        );
        ui.line(&text);
        let then = if finding.fixed {
            "  mended".to_owned()
        } else {
            format!("  {}", ui.one_line(&finding.remedy))
        };
        ui.line(&then);
    }
    let Diagnosis {
        commits,
        objects,
        issues,
        findings,
    } = diagnosis;
    let open = findings.iter().filter(|finding| !finding.fixed).count();
    let verdict = match (findings.len(), open) {
        (0, _) => "nothing wrong".to_owned(),
        (all, 0) => format!("{all} found, all mended"),
        (all, open) => format!("{all} found, {open} not mended"),
    };
    ui.line(&format!(
        "{commits} commits, {objects} objects, {issues} issues: {verdict}"
    ));
}
