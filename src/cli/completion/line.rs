//! The words before the cursor, read: the verb, an option that waits for its value, the folder.

use std::path::{Path, PathBuf};

use clap::{Arg, Command};

/// Git's own options whose value is the next word.
const VALUED: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// The part that a word plays in a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Part {
    /// A verb, or the verb of a verb.
    Verb,
    /// An option, perhaps with its value.
    Option,
    /// The value of the option before it.
    Value,
    /// The word after which nothing is an option.
    Dashes,
    /// Anything else.
    Argument,
}

/// A command line up to the word at the cursor.
pub(in crate::cli) struct CommandLine<'c> {
    pub(in crate::cli) root: &'c Command,
    /// The verb, or the program while there is none.
    pub(in crate::cli) verb: &'c Command,
    /// An option that takes the next word, and whether it must.
    pub(in crate::cli) open: Option<(&'c Arg, bool)>,
    /// Words after the verb that are neither options nor values of them.
    pub(in crate::cli) given: usize,
    /// True after `--`: no word is an option any more.
    pub(in crate::cli) literal: bool,
    /// The folder that `~` stands for.
    home: Option<PathBuf>,
    /// The folder that `-C` names.
    pub(in crate::cli) dir: Option<PathBuf>,
}

impl<'c> CommandLine<'c> {
    /// Reads the words, the program's name first: `git-beads`, or `git` with options of its own and `beads`.
    pub(in crate::cli) fn read(
        root: &'c Command,
        home: Option<PathBuf>,
        dir: Option<&Path>,
        words: &[&str],
    ) -> Self {
        let dir = dir.map(Path::to_owned);
        let mut line = Self {
            root,
            verb: root,
            open: None,
            given: 0,
            literal: false,
            home,
            dir,
        };
        let mut words = words.iter();
        if words
            .next()
            .is_some_and(|program| program.rsplit('/').next() == Some("git"))
        {
            line.read_git(&mut words);
        }
        for word in words {
            line.word(word);
        }
        line
    }

    /// Reads the words of this program's own line; returns the part of each.
    pub(in crate::cli) fn parts(root: &'c Command, words: &[String]) -> (Self, Vec<Part>) {
        let mut line = Self::read(root, None, None, &[]);
        let part = |word: &String| {
            let part = line.part(word);
            line.word(word);
            part
        };
        let parts = words.iter().map(part).collect();
        (line, parts)
    }

    /// Returns the part that the next word would have.
    fn part(&self, word: &str) -> Part {
        let begins_option = word.starts_with('-') && word != "-";
        let is_subcommand = || self.given == 0 && self.verb.find_subcommand(word).is_some();
        match self.open {
            Some((_, must)) if must || !word.starts_with('-') => Part::Value,
            _ if self.literal => Part::Argument,
            _ if word == "--" => Part::Dashes,
            _ if begins_option => Part::Option,
            _ if is_subcommand() => Part::Verb,
            _ => Part::Argument,
        }
    }

    /// Reads git's options, up to the word that means this program, which may be an alias.
    fn read_git<'w>(&mut self, words: &mut impl Iterator<Item = &'w &'w str>) {
        while let Some(word) = words.next() {
            let value = if VALUED.contains(word) {
                words.next()
            } else {
                None
            };
            match (*word, value) {
                ("-C" | "--git-dir", Some(dir)) => self.enter(dir),
                (word, _) if word.starts_with("--git-dir=") => {
                    self.enter(&word["--git-dir=".len()..]);
                }
                (word, _) if word.starts_with('-') => {}
                // `beads`, or an alias for it: the words after it are the program's own.
                _ => return,
            }
        }
    }

    fn enter(&mut self, dir: &str) {
        let home = dir
            .strip_prefix("~/")
            .and_then(|below| Some(self.home.as_ref()?.join(below)));
        let dir = home.unwrap_or_else(|| PathBuf::from(dir));
        self.dir = Some(self.dir.take().unwrap_or_default().join(dir));
    }

    fn word(&mut self, word: &str) {
        if let Some((arg, must)) = self.open {
            self.open = None;
            if must || !word.starts_with('-') {
                self.take(arg, word);
                // An option of many values takes words until the next option.
                self.open = is_many(arg).then_some((arg, false));
                return;
            }
        }
        if self.literal || !word.starts_with('-') || word == "-" {
            match self.verb.find_subcommand(word) {
                Some(verb) if self.given == 0 && !self.literal => self.verb = verb,
                // `help` is clap's own; a verb follows it.
                _ if word == "help" && self.is_top() => {}
                _ => self.given += 1,
            }
        } else if word == "--" {
            self.literal = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            match (self.long(name), value) {
                (Some(arg), Some(value)) => self.take(arg, value),
                (Some(arg), None) => self.expect(arg),
                (None, _) => {}
            }
        } else {
            self.shorts(&word[1..]);
        }
    }

    /// Reads short options written together, the last perhaps with its value: `-qC dir`, `-p1`.
    fn shorts(&mut self, letters: &str) {
        for (at, letter) in letters.char_indices() {
            let Some(arg) = self.options().find(|arg| has_short(arg, letter)) else {
                return;
            };
            if arg.get_action().takes_values() {
                let value = &letters[at + letter.len_utf8()..];
                return if value.is_empty() {
                    self.expect(arg);
                } else {
                    self.take(arg, value);
                };
            }
        }
    }

    fn expect(&mut self, arg: &'c Arg) {
        self.open = (arg.get_action().takes_values() && !arg.is_require_equals_set())
            .then_some((arg, true));
    }

    fn take(&mut self, arg: &Arg, value: &str) {
        if arg.get_id() == "dir" {
            self.enter(value);
        }
    }

    /// Returns true while no verb is named.
    pub(in crate::cli) fn is_top(&self) -> bool {
        std::ptr::eq(self.root, self.verb)
    }

    /// Returns the options that can follow: the verb's and those of every verb.
    pub(in crate::cli) fn options(&self) -> impl Iterator<Item = &'c Arg> + use<'c> {
        // Global options are defined at the top, and may follow any verb; once clap has built it, a verb has them as well.
        let is_top = self.is_top();
        let own = self.verb.get_arguments();
        let own = own.filter(move |arg| is_top || !arg.is_global_set());
        let above = (!is_top).then(|| self.root.get_arguments());
        own.chain(above.into_iter().flatten())
            .filter(|arg| !arg.is_positional())
    }

    /// Returns the option of a long name.
    pub(in crate::cli) fn long(&self, name: &str) -> Option<&'c Arg> {
        self.options().find(|arg| has_long(arg, name))
    }

    /// Returns the argument at the cursor.
    pub(in crate::cli) fn positional(&self) -> Option<&'c Arg> {
        let all: Vec<&Arg> = self.verb.get_positionals().collect();
        all.get(self.given)
            .or_else(|| all.last().filter(|last| is_many(last)))
            .copied()
    }
}

/// Returns whether an option has a name, as its own or as another one.
fn has_long(arg: &Arg, name: &str) -> bool {
    let others = arg.get_all_aliases().unwrap_or_default();
    arg.get_long() == Some(name) || others.contains(&name)
}

/// Returns whether an option has a letter, as its own or as another name.
fn has_short(arg: &Arg, letter: char) -> bool {
    let others = arg.get_all_short_aliases().unwrap_or_default();
    arg.get_short() == Some(letter) || others.contains(&letter)
}

fn is_many(arg: &Arg) -> bool {
    let repeats = arg.is_positional() && matches!(arg.get_action(), clap::ArgAction::Append);
    repeats
        || arg
            .get_num_args()
            .is_some_and(|range| range.max_values() > 1)
}
