//! The relay of what a child that exchanges says to the terminal: its progress and messages, without the refs that it lists.
//!
//! Names of branches and messages of a remote are text of others, which can move the cursor or turn the direction of a line.

use super::failure::is_listed;
use crate::env::Env;
use crate::model::id::is_format;

/// What a child has said of a line so far.
pub(super) struct Relay {
    env: Env,
    line: Vec<u8>,
}

impl Relay {
    pub(super) fn new(env: &Env) -> Self {
        let (env, line) = (env.clone(), Vec::new());
        Self { env, line }
    }

    /// Passes on the lines that a chunk completes; progress ends each of its lines with a return.
    pub(super) fn pass(&mut self, chunk: &[u8]) {
        for &byte in chunk {
            self.line.push(byte);
            if matches!(byte, b'\n' | b'\r') {
                self.end();
            }
        }
    }

    /// Passes on a question, whose line has no end: nothing more has come for a while. A line that can be the beginning of a
    /// list is kept back.
    pub(super) fn pause(&mut self) {
        if !self.line.starts_with(b" ") && !self.line.starts_with(b"From") {
            self.end();
        }
    }

    /// Passes on what is left of a line, if anything is.
    pub(super) fn end(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        if let Some(shown) = shown(&String::from_utf8_lossy(&line)) {
            self.env.pass_to_error(shown.as_bytes());
        }
    }
}

/// Returns a line as it may be shown; none where it only lists a ref.
fn shown(line: &str) -> Option<String> {
    if is_listed(line) {
        return None;
    }
    let is_harmless = |c: char| matches!(c, '\n' | '\r' | '\t') || !c.is_control() && !is_format(c);
    let escaped = |c: char| match is_harmless(c) {
        true => c.to_string(),
        false => c.escape_unicode().to_string(),
    };
    Some(line.chars().map(escaped).collect())
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_line_is_shown_without_what_moves_the_cursor() {
        for (line, expected) in [
            ("remote: hello\n", Some("remote: hello\n")),
            (
                "Receiving objects:  50% (1/2)\r",
                Some("Receiving objects:  50% (1/2)\r"),
            ),
            (
                "remote: \u{1b}[2J\u{9b}31m\u{202e}x\n",
                Some("remote: \\u{1b}[2J\\u{9b}31m\\u{202e}x\n"),
            ),
            (
                " * [new branch] a -> refs/beads-incoming/x/mailbox/a\n",
                None,
            ),
            ("From /work/hub\n", None),
        ] {
            assert_eq!(shown(line).as_deref(), expected, "{line:?}");
        }
    }
}
