//! Results of an exchange.

use crate::cli::text::count;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit};
use crate::ops::Result;
use crate::ops::verbs::sync::{DeliveryKind, Sync, Synced, sync};

/// Exchanges and prints what that brought.
pub(in crate::cli) fn exchange(cli: &mut Cli, request: &Sync) -> Result<Exit> {
    let answer = sync(cli.tracker()?, request)?;
    let print = |ui: &mut Ui, answer: &Synced| synced(ui, answer, request);
    cli.answer(answer, |_| Vec::new(), print);
    Ok(Exit::OK)
}

fn synced(ui: &mut Ui, synced: &Synced, request: &Sync) {
    let commits = |n: usize| count(n, "change", "changes");
    let mut parts = Vec::new();
    if request.push {
        parts.push(format!("{} sent{}", commits(synced.sent), way(synced)));
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
            count(synced.conflicts, "issue", "issues")
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
    for collected in &synced.collected {
        let changes = commits(collected.changes);
        let line = format!(
            "{}: {changes} collected from {}",
            synced.remote, collected.from
        );
        let line = ui.one_line(&line);
        ui.line(&line);
    }
    for left in &synced.left {
        let line = ui.one_line(&format!("{} left alone: {}", left.from, left.why));
        ui.line(&line);
    }
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

/// Returns where the changes went, if not to the ref that every host takes.
fn way(synced: &Synced) -> String {
    let kind = match synced.delivery {
        None => return String::new(),
        Some(DeliveryKind::Branch) => "branch",
        Some(DeliveryKind::Mailbox) => "mailbox",
    };
    let name = synced.via.as_deref().unwrap_or_default();
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    format!(" to the {kind} {name}")
}
