//! Command lines that people and agents are told to run.
//!
//! This is the one place that makes such a line. Every word in it that is not a constant is quoted, unless all its
//! characters mean themselves to a shell: words come from other people, and a line is run as it is printed.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};
use std::path::{MAIN_SEPARATOR, Path};

use super::id::{is_format, is_plain};

/// The beginning of our own command lines.
const OWN: &str = "git beads";

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// A constant that it begins with: [`OWN`], or a program and what is always behind it.
    program: &'static str,
    /// Options in front of the verb, and their values.
    options: Vec<Arg>,
    /// The verb of one of our own commands.
    verb: Cow<'static, str>,
    args: Vec<Arg>,
}

/// A word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// An issue, as it is named.
    Id(String),
    /// A value that is no text of the caller: a revision, a number, a remote.
    Word(String),
    /// A text of the caller.
    Text(String),
    /// An option, or another constant.
    Flag(&'static str),
    /// A value that the reader chooses; quoted if it is several words.
    Placeholder(&'static str),
}

impl Command {
    /// A command without arguments yet.
    pub(crate) fn of(verb: &'static str) -> Self {
        Self {
            verb: verb.into(),
            ..Self::line(OWN)
        }
    }

    /// A command of another program, which begins with these words.
    pub(crate) const fn line(program: &'static str) -> Self {
        Self {
            program,
            options: Vec::new(),
            verb: Cow::Borrowed(""),
            args: Vec::new(),
        }
    }

    /// A command line of a caller, without the program's name.
    pub(crate) fn of_line(line: &[String]) -> Self {
        let mut words = line.iter().cloned();
        Self {
            verb: words.next().unwrap_or_default().into(),
            args: words.map(Arg::Text).collect(),
            ..Self::line(OWN)
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

    /// Adds a value that is no text of the caller.
    pub(crate) fn word(self, word: impl Display) -> Self {
        self.with(Arg::Word(word.to_string()))
    }

    /// Adds a text of the caller.
    pub(crate) fn text(self, text: impl Display) -> Self {
        self.with(Arg::Text(text.to_string()))
    }

    /// Adds a path.
    pub(crate) fn path(self, path: &Path) -> Self {
        self.word(with_slashes(path))
    }

    /// Adds an option, or another constant.
    pub(crate) fn flag(self, flag: &'static str) -> Self {
        self.with(Arg::Flag(flag))
    }

    /// Adds a value that the reader chooses.
    pub(crate) fn placeholder(self, name: &'static str) -> Self {
        self.with(Arg::Placeholder(name))
    }

    /// Puts an option and its value in front of the verb; help needs none.
    pub(crate) fn lead(&mut self, flag: &'static str, value: &str) {
        let takes = match self.program {
            OWN => self.verb != "help",
            // The one of these options that git has too.
            other => flag == "-C" && other.starts_with("git "),
        };
        // One that says where already is about another repository.
        let is_there = self.options.contains(&Arg::Flag(flag));
        if takes && !is_there {
            self.options
                .extend([Arg::Flag(flag), Arg::Word(value.to_owned())]);
        }
    }

    /// Puts a value in the place of one that the reader would choose.
    pub(crate) fn fill(&mut self, name: &str, value: &Arg) {
        let places = self.args.iter_mut();
        for place in places.filter(|arg| matches!(arg, Arg::Placeholder(it) if *it == name)) {
            *place = value.clone();
        }
    }

    /// Returns whether it is one of our own.
    pub(crate) fn is_own(&self) -> bool {
        self.program == OWN
    }

    /// Returns the verb, of one of our own commands.
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

impl Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An option of git is behind its name, one of this program behind both words.
        let (name, rest) = match self.program.split_once(' ') {
            Some((name, rest)) if !self.is_own() => (name, rest),
            _ => (self.program, ""),
        };
        f.write_str(name)?;
        write_args(f, &self.options)?;
        let constant = if rest.is_empty() { "" } else { " " };
        write!(f, "{constant}{rest}")?;
        if !self.verb.is_empty() {
            write!(f, " {}", shell_quote(&self.verb))?;
        }
        write_args(f, &self.args)
    }
}

/// Writes words behind others. A value that begins with a hyphen is joined to its option, which would not take it else.
fn write_args(f: &mut fmt::Formatter<'_>, args: &[Arg]) -> fmt::Result {
    let mut option = "";
    for arg in args {
        let joint = match arg {
            Arg::Word(word) | Arg::Text(word)
                if word.starts_with('-') && option.starts_with("--") =>
            {
                '='
            }
            _ => ' ',
        };
        write!(f, "{joint}{arg}")?;
        option = match arg {
            Arg::Flag(flag) => flag,
            _ => "",
        };
    }
    Ok(())
}

impl Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(word) | Self::Word(word) | Self::Text(word) => f.write_str(&shell_quote(word)),
            Self::Flag(flag) => f.write_str(flag),
            Self::Placeholder(name) if name.contains([' ', '.']) => write!(f, "\"{name}\""),
            Self::Placeholder(name) => f.write_str(name),
        }
    }
}

/// Returns a word as a shell reads it: as it is where it is plain, else in quotes.
///
/// A line has no room for a character that moves or hides what is printed. A word that has one is in the form `$'...'`,
/// which bash, zsh and POSIX.1-2024 read. An older shell reads it as another word, and runs nothing of it either: there is
/// no quote within.
pub(crate) fn shell_quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let hides = |c: char| c.is_control() || is_format(c);
    if !word.contains(hides) {
        let mut quoted = String::from("'");
        for c in word.chars() {
            match c {
                '\'' => quoted.push_str(r"'\''"),
                // One shell, fish, reads it within quotes too.
                '\\' => quoted.push_str(r"'\\'"),
                c => quoted.push(c),
            }
        }
        quoted.push('\'');
        return quoted;
    }
    let mut quoted = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => octal(&mut quoted, c),
            c if hides(c) => octal(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// Returns a path as a shell reads it.
pub(crate) fn shell_quote_path(path: &Path) -> String {
    shell_quote(&with_slashes(path))
}

/// Returns a path as every shell takes it: a backslash means something else to most.
fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

fn octal(quoted: &mut String, c: char) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        // Writing into memory can't fail.
        let _ = write!(quoted, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_it_is() {
        for (word, quoted) in [
            ("bd-a1.2", "bd-a1.2"),
            ("Ա-1:x=y@z,w/v_u", "Ա-1:x=y@z,w/v_u"),
            ("", "''"),
            ("bd-$(x)", "'bd-$(x)'"),
            ("it's", r"'it'\''s'"),
            (r"a\b", r"'a'\\'b'"),
            (r"\';x;#", r"''\\''\'';x;#'"),
            ("a%b+c~d", "'a%b+c~d'"),
            ("a\nb'\\", r"$'a\012b\047\134'"),
            ("\u{202e}", r"$'\342\200\256'"),
        ] {
            assert_eq!(shell_quote(word), quoted);
        }
    }

    #[test]
    fn lines_of_other_programs_are_quoted_too() {
        let mut show = Command::line("git show").word("1a:a b");
        assert_eq!(show.to_string(), "git show '1a:a b'");
        show.lead("-C", "/a b");
        show.lead("--actor", "ann");
        assert_eq!(show.to_string(), "git -C '/a b' show '1a:a b'");
        let mut list = Command::line("ls -ld").path(Path::new("$(x)"));
        list.lead("-C", "/a");
        assert_eq!(list.to_string(), "ls -ld '$(x)'");
    }

    #[test]
    fn a_value_is_no_option() {
        let sync = Command::of("sync").flag("--remote").word("--all");
        assert_eq!(sync.to_string(), "git beads sync --remote=--all");
    }
}
