//! The acts in words, as palettes and lists of keys name them.

use super::ActKind;

/// An act and its words.
pub(crate) struct ActLine {
    pub(crate) kind: ActKind,
    pub(crate) words: &'static str,
}

const fn line(kind: ActKind, words: &'static str) -> ActLine {
    ActLine { kind, words }
}

/// All acts, in the order of a help.
pub(crate) static ACTS: [ActLine; 22] = [
    line(ActKind::Answer, "answer the question"),
    line(ActKind::Resolve, "choose one of two values"),
    line(ActKind::Accept, "accept that it is done"),
    line(ActKind::Start, "start"),
    line(ActKind::Stop, "let go"),
    line(ActKind::Block, "block, with a reason"),
    line(ActKind::Unblock, "unblock"),
    line(ActKind::Defer, "defer, until a date"),
    line(ActKind::Done, "close, with a reason"),
    line(ActKind::Reopen, "reopen, with a reason"),
    line(ActKind::Update, "change a field"),
    line(ActKind::Label, "add or remove a label"),
    line(ActKind::Note, "comment"),
    line(ActKind::Ask, "ask a question"),
    line(ActKind::Create, "new issue"),
    line(ActKind::Split, "split into parts"),
    line(ActKind::DepAdd, "add a dependency"),
    line(ActKind::DepRm, "remove a dependency"),
    line(ActKind::Delete, "delete"),
    line(ActKind::Restore, "restore"),
    line(ActKind::Undo, "undo what was done here last"),
    line(ActKind::Redo, "redo what was undone"),
];

impl ActKind {
    /// Returns the words for it.
    pub(crate) fn words(self) -> &'static str {
        let mut lines = ACTS.iter();
        lines
            .find(|line| line.kind == self)
            .map_or("", |line| line.words)
    }
}
