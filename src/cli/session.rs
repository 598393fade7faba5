//! What a session is told when it begins: `context` for anybody, `prime` for a hook.

use serde_json::json;

use super::args::{ContextArgs, Global, PrimeArgs};
use super::open;
use super::ui::{Ui, talk};
use crate::env;
use crate::ops::verbs::session;
use crate::ops::verbs::session::{ContextOptions, Prime, Session};
use crate::ops::{Error, ExitClass, Result, Tracker};

const LIMIT: usize = 8;
const WIDTH: usize = 140;

/// Prints what a session should know.
pub(super) fn context(tracker: &Tracker, ui: &mut Ui, args: &ContextArgs) -> Result<()> {
    let options = ContextOptions::read(args.limit.as_deref(), args.compact.as_deref());
    ui.answer(session::context(tracker, options)?, ready_ids, text);
    Ok(())
}

/// Prints what a hook puts into a session; nothing where there is nothing to say.
pub(super) fn prime(global: &Global, args: &PrimeArgs) -> Result<u8> {
    let told = open(global).and_then(|tracker| Ok((told(&tracker, args)?, tracker)));
    let (session, tracker) = match told {
        Ok((Some(session), tracker)) => (session, tracker),
        Ok((None, _)) => return Ok(0),
        Err(error) if error.code.class() == ExitClass::NotARepository => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut ui = Ui::new(global, Some(tracker.store()));
    if args.hook_json {
        let output = json!({"hookEventName": "SessionStart", "additionalContext": session.text});
        ui.line(&json!({"hookSpecificOutput": output}).to_string());
    } else {
        ui.answer(session, ready_ids, text);
    }
    for warning in tracker.take_warnings() {
        talk("warning", &warning);
    }
    ui.finish().map(|()| 0)
}

fn told(tracker: &Tracker, args: &PrimeArgs) -> Result<Option<Session>, Error> {
    let asked = args.limit.as_deref().and_then(number);
    let limit = asked
        .or_else(|| {
            env::var("GIT_BEADS_CONTEXT_LIMIT")
                .as_deref()
                .and_then(number)
        })
        .unwrap_or(LIMIT);
    let width = env::var("GIT_BEADS_CONTEXT_MAXLEN")
        .as_deref()
        .and_then(number)
        .unwrap_or(WIDTH);
    session::prime(
        tracker,
        Prime {
            limit,
            width,
            bytes: args.max_bytes,
        },
    )
}

/// A positive number; all else means the default.
fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|n| *n > 0)
}

fn ready_ids(session: &Session) -> Vec<String> {
    session.ready.iter().map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, session: &Session) {
    ui.line(session.text.trim_end());
}
