//! The acts as a face offers them: how each is called, and what it asks for.

use super::ActKind;

/// A line of the table.
pub(crate) struct ActLine {
    pub(crate) kind: ActKind,
    /// As a palette and a help name it.
    pub(crate) words: &'static str,
    pub(crate) issues: HowMany,
    pub(crate) input: ActInput,
}

/// The issues that an act is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowMany {
    None,
    One,
    Several,
}

/// What an act asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActInput {
    Nothing,
    Text,
    /// A text that can be left out.
    MaybeText,
    /// One of some, as a priority, or another issue.
    Choice,
}

const fn line(kind: ActKind, issues: HowMany, input: ActInput, words: &'static str) -> ActLine {
    ActLine {
        kind,
        words,
        issues,
        input,
    }
}

/// All acts, in the order of a help.
pub(crate) static ACTS: [ActLine; 22] = {
    use ActInput::{Choice, MaybeText, Nothing, Text};
    use ActKind as Act;
    use HowMany::{None, One, Several};
    [
        line(Act::Answer, One, Choice, "answer the question"),
        line(Act::Resolve, One, Choice, "resolve the conflict"),
        line(Act::Accept, Several, Nothing, "accept what is done"),
        line(Act::Start, One, Nothing, "start"),
        line(Act::Stop, Several, Nothing, "let go"),
        line(Act::Block, Several, MaybeText, "block, with a reason"),
        line(Act::Unblock, Several, Nothing, "unblock"),
        line(Act::Defer, Several, MaybeText, "defer, until a date"),
        line(Act::Done, Several, MaybeText, "close, with a reason"),
        line(Act::Reopen, Several, MaybeText, "reopen, with a reason"),
        line(Act::Update, Several, Choice, "change a field"),
        line(Act::Label, Several, Choice, "add or remove labels"),
        line(Act::Note, One, Text, "comment"),
        line(Act::Ask, One, Text, "ask a question"),
        line(Act::Create, None, Text, "new issue"),
        line(Act::Split, One, Text, "split into parts"),
        line(Act::DepAdd, One, Choice, "add a dependency"),
        line(Act::DepRm, One, Choice, "remove a dependency"),
        line(Act::Delete, Several, Nothing, "delete"),
        line(Act::Restore, Several, Nothing, "restore"),
        line(Act::Undo, None, Nothing, "undo"),
        line(Act::Redo, None, Nothing, "redo"),
    ]
};
