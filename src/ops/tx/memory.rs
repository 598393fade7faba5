//! Entries of memory in a change.

use super::Tx;
use crate::model::{Issue, Memory, MemoryKind, NewQuestion, Uid};
use crate::ops::Result;

impl Tx<'_> {
    /// Adds an entry to the memory of an issue; its identity is its stamp.
    pub(crate) fn remember(&mut self, issue: &Issue, kind: MemoryKind, text: &str) -> Result<Uid> {
        let seen = self.seen(issue)?;
        let writer = self.sign(self.view.tracker.stamp(self.millis, seen));
        let mut entry = Memory::new(writer.at, &writer, kind, text);
        if let Some(agent) = self.view.tracker.agent() {
            entry.set_agent(&writer, &agent.name);
        }
        self.entries.insert((issue.uid(), entry.uid()), entry);
        Ok(writer.at)
    }

    /// Adds a question to the memory of an issue.
    pub(crate) fn ask(&mut self, issue: &Issue, question: &NewQuestion) -> Result<Uid> {
        let uid = self.remember(issue, MemoryKind::Question, &question.text)?;
        // The stamp of the entry: all its registers are of one write.
        let writer = self.sign(uid);
        if let Some(entry) = self.entries.get_mut(&(issue.uid(), uid)) {
            entry.set_question(&writer, question);
        }
        Ok(uid)
    }

    /// Stages a changed entry.
    pub(crate) fn put_memory(&mut self, issue: Uid, entry: Memory) {
        self.entries.insert((issue, entry.uid()), entry);
    }

    /// Stages a changed line of memory that belongs to no issue.
    pub(crate) fn put_note(&mut self, note: Memory) {
        self.notes.insert(note.uid(), note);
    }
}
