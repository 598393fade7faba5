//! Hints as values: a front end words them for its callers. They print as a person at a command line
//! follows them.

use std::borrow::Cow;
use std::fmt::{self, Display};

pub(crate) use crate::model::command::{Arg, Command, shell_quote, shell_quote_path};

/// A text, most of the time a constant.
type Words = Cow<'static, str>;

/// One thing to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// To run a command.
    Run {
        /// The text in front of the command.
        before: Words,
        command: Command,
        /// The text behind it.
        after: Words,
    },
    /// To do something else.
    Advice(Advice),
}

/// Advice that is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// A sentence for a person or an agent alike.
    Text(Words),
    /// The same command once more, or the same call.
    Again { before: Words, after: Words },
    /// A tool of the server, which only an agent can call.
    Call { tool: &'static str, text: String },
}

impl Hint {
    /// A sentence.
    pub(crate) fn text(text: impl Into<Words>) -> Self {
        Self::Advice(Advice::Text(text.into()))
    }

    /// A command, and a text in front of it.
    pub(crate) fn run(before: impl Into<Words>, command: Command) -> Self {
        Self::Run {
            before: before.into(),
            command,
            after: Words::default(),
        }
    }

    /// The same again, between two texts.
    pub(crate) fn again(before: impl Into<Words>, after: impl Into<Words>) -> Self {
        Self::Advice(Advice::Again {
            before: before.into(),
            after: after.into(),
        })
    }

    /// Adds an option to the command, where the hint is a `git beads` command.
    pub(crate) fn add(&mut self, flag: &'static str, value: &str) {
        if let Self::Run { command, .. } = self {
            *command = command.clone().flag(flag).word(value);
        }
    }

    /// Puts a value in the place of one that the reader would choose, where the hint is a command.
    pub(crate) fn fill(&mut self, name: &str, value: &Arg) {
        if let Self::Run { command, .. } = self {
            command.fill(name, value);
        }
    }

    /// Puts an option in front of the verb, where the hint is a command.
    pub(crate) fn lead(&mut self, flag: &'static str, value: &str) {
        if let Self::Run { command, .. } = self {
            command.lead(flag, value);
        }
    }

    /// A call of a tool, as a text that ends with it.
    pub(crate) fn call(tool: &'static str, text: impl Into<String>) -> Self {
        Self::Advice(Advice::Call {
            tool,
            text: text.into(),
        })
    }
}

impl Command {
    /// Puts a text behind the command.
    pub(crate) fn then(self, after: impl Into<Words>) -> Hint {
        Hint::Run {
            before: Words::default(),
            command: self,
            after: after.into(),
        }
    }
}

impl From<Command> for Hint {
    fn from(command: Command) -> Self {
        Self::run("", command)
    }
}

impl Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run {
                before,
                command,
                after,
            } => write!(f, "{before}{command}{after}"),
            Self::Advice(Advice::Text(text)) => f.write_str(text),
            Self::Advice(Advice::Again { before, after }) => {
                write!(f, "{before}run the command again{after}")
            }
            Self::Advice(Advice::Call { text, .. }) => f.write_str(text),
        }
    }
}

/// Joins hints to one line; none where there are none.
pub(crate) fn joined(hints: impl IntoIterator<Item = String>) -> Option<String> {
    hints
        .into_iter()
        .reduce(|before, hint| match before.ends_with('?') {
            true => format!("{before} {hint}"),
            false => format!("{before}; {hint}"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_print_as_a_shell_takes_them() {
        let line = ["create".to_owned(), "--".to_owned(), "-x y".to_owned()];
        let hints: [(Hint, &str); 7] = [
            (
                Command::of("done")
                    .id("bd-1")
                    .flag("-r")
                    .placeholder("what was done")
                    .into(),
                "git beads done bd-1 -r \"what was done\"",
            ),
            (
                Command::of("show").placeholder("ID").then(" tells more"),
                "git beads show ID tells more",
            ),
            (
                Hint::run("to wait: ", Command::of("fetch").text("a b").word("@~3")),
                "to wait: git beads fetch 'a b' '@~3'",
            ),
            (Command::of_line(&line).into(), "git beads create -- '-x y'"),
            (Command::line("git remote -v").into(), "git remote -v"),
            (
                Hint::again("save it and ", " at once"),
                "save it and run the command again at once",
            ),
            (
                Hint::call("set_context", "name one: set_context()"),
                "name one: set_context()",
            ),
        ];
        for (hint, text) in hints {
            assert_eq!(hint.to_string(), text);
        }
    }

    #[test]
    fn hints_are_joined_to_a_line() {
        assert_eq!(joined([]), None);
        let two = ["a".to_owned(), "b".to_owned()];
        assert_eq!(joined(two).as_deref(), Some("a; b"));
    }
}
