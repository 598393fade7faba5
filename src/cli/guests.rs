//! The verbs that leave something in other people's files: hooks.

use super::args::HooksVerb;
use super::render::BOLD;
use super::ui::Ui;
use crate::hooks::{self, Hook, HookState, Hooks, Install};
use crate::ops::{Result, Tracker};

/// Runs a verb of `hooks`; 1 where something is left to be done by hand.
pub(super) fn hooks(tracker: &Tracker, ui: &mut Ui, verb: &HooksVerb) -> Result<u8> {
    let answer = match verb {
        HooksVerb::Install(args) => hooks::install(
            tracker,
            &Install {
                sync: args.sync,
                dry_run: args.dry_run,
            },
        )?,
        HooksVerb::Uninstall(args) => hooks::uninstall(tracker, args.dry_run)?,
        HooksVerb::Status => hooks::status(tracker)?,
    };
    let code = u8::from(!answer.is_done());
    let runs = |answer: &Hooks| {
        let running = answer
            .hooks
            .iter()
            .filter(|hook| hook.state == HookState::Runs);
        running.map(|hook| hook.event.clone()).collect()
    };
    ui.answer(answer, runs, render);
    Ok(code)
}

fn render(ui: &mut Ui, answer: &Hooks) {
    for hook in &answer.hooks {
        let event = ui.paint(BOLD, &hook.event);
        let text = format!("{event}: {}", ui.one_line(&describe(hook)));
        ui.line(&text);
        if let Some(remedy) = &hook.remedy {
            let text = format!("  {}", ui.one_line(remedy));
            ui.line(&text);
        }
        if let (Some(add), Some(to)) = (&hook.add, &hook.add_to) {
            let text = format!("  add to {}:", ui.one_line(to));
            ui.line(&text);
            for line in add.lines() {
                ui.line(&format!("    {line}"));
            }
        }
    }
    let verb = if answer.dry_run {
        "would write"
    } else {
        "wrote"
    };
    for path in &answer.wrote {
        let text = format!("{verb} {}", ui.one_line(path));
        ui.line(&text);
    }
}

fn describe(hook: &Hook) -> String {
    let sync = if hook.sync { ", with sync" } else { "" };
    let place = hook
        .file
        .as_ref()
        .map(|file| format!(" ({file}{sync})"))
        .unwrap_or_default();
    let why = hook
        .why
        .as_ref()
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    match hook.state {
        HookState::Absent => "not installed".to_owned(),
        HookState::Runs => format!("runs{place}"),
        HookState::Idle => format!("does not run{place}{why}"),
        HookState::ByHand => format!("by hand{place}{why}"),
    }
}
