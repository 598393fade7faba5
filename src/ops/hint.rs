//! Hints as values: a front end words them for its callers. They print as a person at a command line
//! follows them.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::path::Path;

/// A text, most of the time a constant.
type Words = Cow<'static, str>;

/// One thing to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// To run one of our commands.
    Run {
        /// The text in front of the command.
        before: Words,
        command: Command,
        /// The text behind it.
        after: Words,
    },
    /// To run a command of git, as a text that ends with it.
    Git(Words),
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

/// A command line of `git beads`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// Options in front of the verb, and their values.
    options: Vec<Arg>,
    verb: Words,
    args: Vec<Arg>,
}

/// A word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// An issue, as it is named.
    Id(String),
    /// A value that is printed as it is, since the caller wrote it so: a revision, a number.
    Word(String),
    /// A value that is quoted where a shell wants it.
    Text(String),
    /// An option.
    Flag(&'static str),
    /// A value that the reader chooses; quoted if it is several words.
    Placeholder(&'static str),
}

impl Hint {
    /// A sentence.
    pub(crate) fn text(text: impl Into<Words>) -> Self {
        Self::Advice(Advice::Text(text.into()))
    }

    /// A command of git, or a text that ends with one.
    pub(crate) fn git(command: impl Into<Words>) -> Self {
        Self::Git(command.into())
    }

    /// A command of `git beads`, and a text in front of it.
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
            command.args.push(Arg::Flag(flag));
            command.args.push(Arg::Word(value.to_owned()));
        }
    }

    /// Puts a value in the place of one that the reader would choose, where the hint is a `git beads` command.
    pub(crate) fn fill(&mut self, name: &str, value: &Arg) {
        if let Self::Run { command, .. } = self {
            let places = command.args.iter_mut();
            for place in places.filter(|arg| matches!(arg, Arg::Placeholder(it) if *it == name)) {
                *place = value.clone();
            }
        }
    }

    /// Puts an option in front of the verb, where the hint is a `git beads` command; help needs none.
    pub(crate) fn lead(&mut self, flag: &'static str, value: &str) {
        match self {
            Self::Run { command, .. } if command.verb != "help" => {
                let value = Arg::Text(value.to_owned());
                command.options.extend([Arg::Flag(flag), value]);
            }
            // The one of these options that git has too.
            Self::Git(text) if flag == "-C" => {
                if let Some((before, command)) = text.rsplit_once("git ") {
                    *text = format!("{before}git -C {} {command}", shell_quote(value)).into();
                }
            }
            _ => {}
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

impl From<Command> for Hint {
    fn from(command: Command) -> Self {
        Self::run("", command)
    }
}

impl Command {
    /// A command without arguments yet.
    pub(crate) fn of(verb: &'static str) -> Self {
        Self {
            options: Vec::new(),
            verb: verb.into(),
            args: Vec::new(),
        }
    }

    /// A command line of a caller, without the program's name.
    pub(crate) fn of_line(line: &[String]) -> Self {
        let mut words = line.iter().cloned();
        Self {
            options: Vec::new(),
            verb: words.next().unwrap_or_default().into(),
            args: words.map(Arg::Text).collect(),
        }
    }

    fn with(mut self, arg: Arg) -> Self {
        self.args.push(arg);
        self
    }

    /// Adds an issue.
    pub(crate) fn id(self, id: impl Display) -> Self {
        self.with(Arg::Id(id.to_string()))
    }

    /// Adds a value that needs no quotes.
    pub(crate) fn word(self, word: impl Display) -> Self {
        self.with(Arg::Word(word.to_string()))
    }

    /// Adds a value that may need quotes.
    pub(crate) fn text(self, text: impl Display) -> Self {
        self.with(Arg::Text(text.to_string()))
    }

    /// Adds an option.
    pub(crate) fn flag(self, flag: &'static str) -> Self {
        self.with(Arg::Flag(flag))
    }

    /// Adds a value that the reader chooses.
    pub(crate) fn placeholder(self, name: &'static str) -> Self {
        self.with(Arg::Placeholder(name))
    }

    /// Puts a text behind the command.
    pub(crate) fn then(self, after: impl Into<Words>) -> Hint {
        Hint::Run {
            before: Words::default(),
            command: self,
            after: after.into(),
        }
    }

    /// Returns what follows the program's name.
    pub(crate) fn verb(&self) -> &str {
        &self.verb
    }

    /// Returns the issue that it is about, if it names one.
    pub(crate) fn issue(&self) -> Option<&str> {
        match self.args.first()? {
            Arg::Id(id) => Some(id),
            // `ID` means an issue too, so a hint can be worded as a call before one is known.
            Arg::Placeholder(name) => Some(name),
            Arg::Word(_) | Arg::Text(_) | Arg::Flag(_) => None,
        }
    }

    /// Returns the values of an option, and for the empty name the words that belong to none.
    pub(crate) fn values(&self, flag: &str) -> Vec<String> {
        let mut option = "";
        let mut values = Vec::new();
        for arg in &self.args {
            let value = match arg {
                Arg::Flag(name) => {
                    option = name;
                    continue;
                }
                Arg::Id(value) | Arg::Word(value) | Arg::Text(value) => value.as_str(),
                Arg::Placeholder(name) => name,
            };
            if option == flag {
                values.push(value.to_owned());
            }
            option = "";
        }
        values
    }

    /// Returns the first text that a caller wrote.
    pub(crate) fn given(&self) -> Option<&str> {
        self.args.iter().find_map(|arg| match arg {
            Arg::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns whether it has an option.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.args
            .iter()
            .any(|arg| matches!(arg, Arg::Flag(other) if *other == flag))
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
            Self::Git(text) | Self::Advice(Advice::Text(text)) => f.write_str(text),
            Self::Advice(Advice::Again { before, after }) => {
                write!(f, "{before}run the command again{after}")
            }
            Self::Advice(Advice::Call { text, .. }) => f.write_str(text),
        }
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("git beads")?;
        self.options
            .iter()
            .try_for_each(|arg| write!(f, " {arg}"))?;
        write!(f, " {}", shell_quote(&self.verb))?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(word) | Self::Word(word) => f.write_str(word),
            Self::Text(text) => f.write_str(&shell_quote(text)),
            Self::Flag(flag) => f.write_str(flag),
            Self::Placeholder(name) if name.contains([' ', '.']) => write!(f, "\"{name}\""),
            Self::Placeholder(name) => f.write_str(name),
        }
    }
}

/// An argument as a shell takes it, quoted where it needs it.
pub(crate) fn shell_quote(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

/// Quotes a path for a shell.
pub(crate) fn shell_quote_path(path: &Path) -> String {
    shell_quote(&path.to_string_lossy())
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
                "to wait: git beads fetch 'a b' @~3",
            ),
            (Command::of_line(&line).into(), "git beads create -- '-x y'"),
            (Hint::git("git remote -v"), "git remote -v"),
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
