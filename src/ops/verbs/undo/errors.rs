//! Why nothing was undone, each with the command that remains.

use super::{Skipped, Taken, revert, short};
use crate::index;
use crate::model::Party;
use crate::ops::{Code, Command, Error};

pub(super) fn too_far(skipped: &Skipped, did: &str, operation: &index::OpRecord) -> Error {
    let message = format!(
        "nothing is left of {} ({}), and the one before it {did} ({})",
        short(&skipped.commit),
        skipped.subject,
        operation.subject
    );
    Error::new(Code::Overwritten, message).hinted(Command::of("undo").word(short(operation.commit)))
}

/// A purge is for good.
pub(super) fn purged(operation: &index::OpRecord, hint: Command) -> Error {
    let name = short(operation.commit);
    let message = format!(
        "a purge can't be undone ({name} {}): the text is gone for good",
        operation.subject
    );
    Error::new(Code::Purged, message).hinted(hint)
}

/// The same command for so many operations.
pub(super) fn again(n: usize, force: bool) -> Command {
    let command = Command::of("undo").word(n);
    match force {
        true => command.flag("--force"),
        false => command,
    }
}

pub(super) fn too_few(actor: &Party, taken: &Taken, force: bool) -> Error {
    let skipped = taken
        .skipped
        .iter()
        .find(|it| !it.left.is_empty())
        .or(taken.skipped.first());
    match (taken.operations.len(), skipped) {
        (0, Some(skipped)) => nothing(skipped),
        (0, None) => Error::not_found(format!("{actor} has no operation that can be undone"))
            .hinted(Command::of("log")),
        (fewer, _) => Error::invalid(format!("only {fewer} operations of {actor} can be undone"))
            .hinted(again(fewer, force)),
    }
}

pub(super) fn nothing(skipped: &Skipped) -> Error {
    let Some(first) = skipped.left.first() else {
        let name = short(&skipped.commit);
        return Error::invalid(format!(
            "{name} ({}) changed nothing that can be undone",
            skipped.subject
        ))
        .hinted(
            Command::of("log")
                .flag("-p")
                .flag("-n")
                .word("1")
                .flag("--until")
                .word(&skipped.at),
        );
    };
    let more = skipped.left.len() - 1;
    let more = if more > 0 {
        format!(" (and {more} more)")
    } else {
        String::new()
    };
    let by = if first.by.is_empty() {
        String::new()
    } else {
        format!(" by {}", first.by)
    };
    let what = format!("{} {}", first.id, first.field);
    let message = format!(
        "nothing was undone; {}: {}{by}{more}",
        what.trim_end(),
        first.why
    );
    let hint = match first.id.as_str() {
        revert::STORE => Command::of("log"),
        id => Command::of("log").id(id).flag("-p"),
    };
    Error::new(Code::Overwritten, message).hinted(hint)
}
