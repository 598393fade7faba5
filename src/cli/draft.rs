//! Texts that a person writes in the editor, with help below the line that git calls scissors.
//!
//! Lines that begin with the comment character are dropped only below that line: above it they are headings of Markdown.

use std::io::Write;

use tempfile::NamedTempFile;

use super::ui::editor;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};

/// The line below which all is ignored, as `git commit --cleanup=scissors` writes it.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// A text as it was left in the editor.
pub(super) struct Draft {
    /// What is above the line with the help.
    pub(super) text: String,
    file: NamedTempFile,
}

impl Draft {
    /// Lets a person change a text, with help below it.
    /// Errors: an editor that can't be started, or fails; text that is not UTF-8.
    pub(super) fn write(tracker: &Tracker, text: &str, help: &str) -> Result<Self> {
        let mut file = tempfile::Builder::new()
            .prefix("git-beads-")
            .suffix(".md")
            .tempfile_in(tracker.env().temporary_folder())
            .map_err(|error| failed(&error))?;
        let comment = comment(tracker);
        // Below the text, where a person sees it and no line of it can be taken for a part of the issue.
        let help = format!("Do not change the line above; what is below it is ignored.\n{help}");
        let help: String = help.lines().map(|line| commented(&comment, line)).collect();
        let given = format!("{text}\n{comment} {SCISSORS}\n{help}");
        write!(file, "{given}").map_err(|error| failed(&error))?;
        if !editor::edit(tracker, file.path()).map_err(|error| failed(&error))? {
            let error = Error::new(Code::Editor, "the editor failed; nothing was changed")
                .hinted(Command::line("git var GIT_EDITOR"));
            // What was saved before it failed is not lost.
            let is_same = std::fs::read_to_string(file.path()).is_ok_and(|text| text == given);
            return Err(if is_same { error } else { kept(error, file) });
        }
        match std::fs::read_to_string(file.path()) {
            Ok(text) => {
                let text = above(&text, &comment).to_owned();
                Ok(Self { text, file })
            }
            Err(error) => Err(kept(failed(&error), file)),
        }
    }

    /// Keeps the file of a text that was refused, and says where it is. An empty one is how a person gives up.
    pub(super) fn refused(self, error: Error) -> Error {
        match self.text.trim().is_empty() {
            true => error,
            false => kept(error, self.file),
        }
    }
}

/// Returns true if a person is there who may be asked for a text that is missing: an agent would wait for ever.
pub(super) fn may_ask(tracker: &Tracker) -> bool {
    tracker.env().is_interactive() && tracker.agent().is_none()
}

/// Errors: no editor is configured, and there is no terminal for the usual one; with the command that needs none.
pub(super) fn check_editor(tracker: &Tracker, instead: Command) -> Result<()> {
    if tracker.env().is_interactive() || editor::configured(tracker).is_some() {
        return Ok(());
    }
    Err(Error::new(Code::NoTerminal, "an editor needs a terminal").hinted(instead))
}

/// Returns the characters that begin a line of help: those of git's commit messages.
fn comment(tracker: &Tracker) -> String {
    let configured = tracker.config("core.commentString");
    let configured = configured.or_else(|| tracker.config("core.commentChar"));
    let configured = configured.filter(|text| text != "auto" && !text.contains('\n'));
    configured.unwrap_or_else(|| "#".to_owned())
}

fn commented(comment: &str, line: &str) -> String {
    format!("{comment} {line}").trim_end().to_owned() + "\n"
}

/// Returns the text above the line with the scissors.
fn above<'t>(text: &'t str, comment: &str) -> &'t str {
    let line = format!("{comment} {SCISSORS}");
    let mut at = 0;
    for part in text.split_inclusive('\n') {
        if part.trim_end() == line {
            return &text[..at];
        }
        at += part.len();
    }
    text
}

fn kept(error: Error, file: NamedTempFile) -> Error {
    match file.into_temp_path().keep() {
        Ok(path) => error.also(Hint::text(format!("your text is in {}", path.display()))),
        Err(_) => error,
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io("can't edit", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_scissors_is_dropped() {
        let text = format!("# Title\n\n# {SCISSORS}x\ntext\n# {SCISSORS}\n# help\n");
        assert_eq!(
            above(&text, "#"),
            format!("# Title\n\n# {SCISSORS}x\ntext\n")
        );
        assert_eq!(above(&text, ";"), text);
    }
}
