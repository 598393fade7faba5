//! A refused claim: whose it is, and what can be done instead.

use super::absent;
use crate::model::{Issue, Party, time};
use crate::ops::answer::shortened;
use crate::ops::shared::words::plain;
use crate::ops::tracker::Absence;
use crate::ops::{Arg, Code, Command, Error, Held, Hint, Tx};

/// The place in a hint for what the caller said.
const SAID: &str = "TEXT";
/// Characters of it that a hint repeats.
const LONGEST_SAID: usize = 200;

/// Refuses what only an open issue takes.
pub(crate) fn closed(id: &str) -> Error {
    Error::new(Code::Closed, format!("{id} is closed")).hinted(
        Command::of("reopen")
            .id(id)
            .flag("-r")
            .placeholder("why it is not done"),
    )
}

/// Returns a claim, with how long its agent did nothing here.
pub(super) fn held_of(
    tx: &Tx<'_>,
    issue: &Issue,
    holder: &Party,
    activity: Option<&'static str>,
) -> Held {
    Held {
        last_activity: tx.view.tracker.idle(holder),
        ..Held::of(issue, holder, activity)
    }
}

pub(super) fn claimed(tx: &Tx<'_>, issue: &Issue, holder: &Party, verb: &str) -> Error {
    let id = issue.id();
    let since = issue.started().map(|at| time::ago(at, tx.view.now()));
    let since = match since.as_deref() {
        None => String::new(),
        Some("now") => " (just started)".to_owned(),
        Some(ago) => format!(" (for {ago})"),
    };
    let absence = tx.view.absence(issue, holder);
    let absent = absent(tx, issue, holder);
    let mut error = Error::new(
        Code::Claimed,
        format!("{id} is in progress by {holder}{since}{absent}"),
    );
    let word = absence.map(Absence::word);
    error.claim = Some(Box::new(held_of(tx, issue, holder, word)));
    if verb == "start" {
        return hinted(error, id, tx.view.tracker.claim_flag());
    }
    // What was found is kept in any case; the claim is taken over first, so that it is said.
    error
        .hinted(keeping(id))
        .also(another())
        .also(forced("start", id))
}

/// Adds to the refusal of a claim what can be done instead.
///
/// `flag` says where the claim is asked for, if that was said.
pub(crate) fn hinted(error: Error, id: &str, flag: Option<&'static str>) -> Error {
    let with = |command: Command| match flag {
        Some(flag) => command.flag(flag),
        None => command,
    };
    let force = with(Command::of("start").id(id).flag("--force"));
    let another = with(Command::of("ready").flag("--claim"));
    let error = error.hinted(another.then(" takes another one"));
    error.also(force.then(" takes it over"))
}

/// Repeats what the caller said in the hint that keeps it, as far as it is short.
pub(crate) fn repeating(error: Error, said: Option<&str>) -> Error {
    let said = said.map(plain).filter(|said| !said.is_empty());
    match said {
        Some(said) => {
            let said = shortened(&said, LONGEST_SAID).unwrap_or(said);
            filled(error, SAID, &Arg::Text(said))
        }
        None => error,
    }
}

/// Names the issue of the caller where hints leave that open.
pub(crate) fn about(error: Error, id: &str) -> Error {
    filled(error, "ID", &Arg::Id(id.to_owned()))
}

fn filled(mut error: Error, place: &str, value: &Arg) -> Error {
    for hint in &mut error.hints {
        hint.fill(place, value);
    }
    error
}

/// Returns how what the caller said is kept, though what it wished is refused.
pub(crate) fn keeping(id: &str) -> Hint {
    Command::of("note")
        .id(id)
        .placeholder(SAID)
        .then(" keeps your result")
}

pub(super) fn another() -> Hint {
    Command::of("ready")
        .flag("--claim")
        .then(" takes another one")
}

pub(super) fn forced(verb: &'static str, id: &str) -> Hint {
    Command::of(verb)
        .id(id)
        .flag("--force")
        .then(" takes it over")
}
