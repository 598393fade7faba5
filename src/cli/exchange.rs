//! The verbs that deal with other clones.

use super::args::{CloneArgs, ConflictsArgs, ExchangeArgs, Global, PurgeArgs, ResolveArgs};
use super::page::value_text;
use super::render;
use super::ui;
use super::ui::Ui;
use crate::ops::verbs::conflicts::{Conflicts, Resolve};
use crate::ops::verbs::purge::Purged;
use crate::ops::verbs::sync::{Sync, Synced};
use crate::ops::verbs::{conflicts, init, purge, sync};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::{Location, StoreError, git};

pub(super) fn exchange(
    tracker: &Tracker,
    ui: &mut Ui,
    args: ExchangeArgs,
    request: &Sync,
) -> Result<()> {
    let request = Sync {
        remote: args.remote,
        dry_run: args.dry_run,
        ..request.clone()
    };
    let answer = sync::sync(tracker, &request)?;
    ui.answer(
        answer,
        |_| Vec::new(),
        |ui, synced| render_synced(ui, synced, &request),
    );
    Ok(())
}

fn render_synced(ui: &mut Ui, synced: &Synced, request: &Sync) {
    let commits = |n: usize| render::count(n, "change", "changes");
    let mut parts = Vec::new();
    if request.push {
        parts.push(format!("{} sent", commits(synced.sent)));
    }
    if request.merge {
        parts.push(format!("{} received", commits(synced.received)));
    }
    if synced.merged {
        parts.push("merged".to_owned());
    }
    if synced.conflicts > 0 {
        parts.push(format!(
            "{} with values written at the same time (git beads conflicts)",
            render::count(synced.conflicts, "issue", "issues")
        ));
    }
    if parts.is_empty() {
        parts.push("fetched; git beads status says how far it is apart".to_owned());
    }
    let would = if synced.dry_run {
        " (nothing was changed)"
    } else {
        ""
    };
    let text = format!("{}: {}{would}", synced.remote, parts.join(", "));
    ui.line(&text);
    for id in &synced.renamed {
        ui.line(&format!(
            "{id} shares its id with an older issue; git beads rename {id} NEW gives it another"
        ));
    }
    for remark in &synced.remarks {
        let text = ui.one_line(remark);
        ui.line(&text);
    }
}

/// Clones with git and joins the store that came along.
pub(super) fn clone(ui: &mut Ui, args: &CloneArgs, global: &Global) -> Result<()> {
    let here = super::location(global)?.dir;
    if let Err(error) = git::clone(&args.url, args.folder.as_deref(), &here) {
        if matches!(error, StoreError::Remote { .. }) {
            return Err(error.into());
        }
        return Err(
            Error::new(Code::Remote, format!("git clone failed: {error}"))
                .hinted(Hint::text("git says above what went wrong")),
        );
    }
    let name = args.url.trim_end_matches('/').trim_end_matches("/.git");
    let name = name
        .rsplit(['/', ':'])
        .next()
        .unwrap_or(name)
        .trim_end_matches(".git");
    let folder = args.folder.clone().unwrap_or_else(|| name.to_owned());
    let tracker = Tracker::open(
        &Location {
            dir: here.join(folder),
            explicit: true,
        },
        global.actor.as_deref(),
    )?;
    let answer = init::init(&tracker, &init::Init::default())?;
    ui.answer(
        answer,
        |answer| vec![answer.repo.clone()],
        render::initialised,
    );
    Ok(())
}

pub(super) fn list_conflicts(tracker: &Tracker, ui: &mut Ui, args: &ConflictsArgs) -> Result<()> {
    let answer = conflicts::conflicts(tracker, args.id.as_deref())?;
    let ids = |answer: &Conflicts| {
        let mut ids: Vec<String> = answer
            .conflicts
            .iter()
            .map(|entry| entry.id.clone())
            .collect();
        ids.dedup();
        ids
    };
    ui.answer(answer, ids, render_conflicts);
    Ok(())
}

fn render_conflicts(ui: &mut Ui, answer: &Conflicts) {
    if answer.conflicts.is_empty() {
        ui.line("nothing was written at the same time");
    }
    for entry in &answer.conflicts {
        let (by, current_by) = (ui.one_line(&entry.by), ui.one_line(&entry.current_by));
        let current = ui.one_line(&value_text(&entry.current));
        let value = if entry.missing {
            "(can't be read here)".to_owned()
        } else {
            ui.one_line(&value_text(&entry.value))
        };
        let held = if entry.field == "assignee" {
            format!(" ({current} holds it)")
        } else {
            String::new()
        };
        ui.line(&format!("{} {}{held}", entry.id, entry.field));
        ui.line(&format!("  0 {current_by}: {current}"));
        ui.line(&format!("  {} {by} ({}): {value}", entry.n, entry.at));
    }
    if let Some(entry) = answer.conflicts.first() {
        render::next(
            ui,
            &format!("git beads resolve {} {} --take N", entry.id, entry.field),
        );
    }
}

pub(super) fn resolve(tracker: &Tracker, ui: &mut Ui, args: ResolveArgs) -> Result<()> {
    let request = Resolve {
        id: args.id,
        field: args.field,
        take: args.take,
        value: args.value,
    };
    let answer = conflicts::resolve(tracker, &request)?;
    let ids = |answer: &crate::ops::verbs::update::Updated| vec![answer.id.clone()];
    ui.answer(answer, ids, |ui, updated| {
        ui.line(&format!("{} {}: settled", updated.id, request.field));
    });
    Ok(())
}

pub(super) fn purge_issue(tracker: &Tracker, ui: &mut Ui, args: &PurgeArgs) -> Result<()> {
    let answer = match (args.dry_run, args.yes) {
        (true, _) => purge::plan(tracker, &args.id)?,
        (false, true) => purge::purge(tracker, &args.id)?,
        (false, false) => {
            agreed(ui, &purge::plan(tracker, &args.id)?)?;
            purge::purge(tracker, &args.id)?
        }
    };
    ui.answer(answer, |answer| vec![answer.id.clone()], purged);
    Ok(())
}

/// Asks a person, after showing what goes; it can't be taken back.
fn agreed(ui: &Ui, plan: &Purged) -> Result<()> {
    let id = &plan.id;
    if !ui::is_interactive() {
        let message =
            "a purge can't be undone, and there is no terminal to ask on; nothing was purged";
        return Err(Error::new(Code::Unconfirmed, message)
            .hinted(Command::of("purge").id(id).flag("--yes")));
    }
    for line in lines(plan) {
        ui::talk("note", &ui.one_line(&line));
    }
    if ui::asked(&format!("Purge {id} for good?")) {
        return Ok(());
    }
    let hint = Command::of("purge").id(id).flag("--dry-run");
    Err(Error::new(Code::Declined, "nothing was purged").hinted(hint))
}

fn purged(ui: &mut Ui, purged: &Purged) {
    for line in lines(purged) {
        let line = ui.one_line(&line);
        ui.line(&line);
    }
}

/// Returns the lines that say what goes, or has gone; a dry run and the question name each file.
fn lines(purged: &Purged) -> Vec<String> {
    let memory = render::count(purged.memory, "entry", "entries");
    let commits = render::count(purged.held_by, "commit", "commits");
    let history = format!(
        "{commits} of the history still hold the text, here and in every clone that has them"
    );
    if !purged.dry_run {
        return vec![
            format!("{} is purged, with {memory} of memory", purged.id),
            history,
        ];
    }
    let files = purged
        .files
        .iter()
        .map(|file| format!("would clear {file}"));
    std::iter::once(format!(
        "would purge {}, with {memory} of memory",
        purged.id
    ))
    .chain(files)
    .chain([history])
    .collect()
}
