//! Usage errors that answer with the right command, the user's own arguments filled in.
//!
//! Agents and people guess verbs and options from other trackers; the guesses that were counted are
//! answered here.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::completion::line::{CommandLine, Part};
use super::globals::{Globals, JsonStyle, When};
use super::program::command;
use super::verb::Entry;
use crate::ops::{Code, Command, Error, ExitClass};

/// Verbs of other trackers, and the verb that does the same here.
const OTHER_VERBS: [(&str, &str); 38] = [
    ("view", "show"),
    ("get", "show"),
    ("cat", "show"),
    ("info", "where"),
    ("tag", "label"),
    ("labels", "label"),
    ("rm", "delete"),
    ("remove", "delete"),
    ("undelete", "restore"),
    ("finish", "done"),
    ("complete", "done"),
    ("take", "start"),
    ("begin", "start"),
    ("comments", "note"),
    ("remember", "note"),
    ("annotate", "note"),
    ("undefer", "unblock"),
    ("resume", "unblock"),
    ("open", "reopen"),
    ("find", "search"),
    ("query", "search"),
    ("todo", "ready"),
    ("next", "ready"),
    ("count", "status"),
    ("metrics", "stats"),
    ("tree", "graph"),
    ("summary", "status"),
    ("history", "log"),
    ("revert", "undo"),
    ("redo", "undo"),
    ("move", "rename"),
    ("mv", "rename"),
    ("set", "update"),
    ("modify", "update"),
    ("change", "update"),
    ("depend", "link"),
    ("deps", "dep"),
    ("issue", "show"),
];

/// Options of other trackers, and the option that does the same here.
const OPTIONS: [(&str, &str); 24] = [
    ("--deps", "--on"),
    ("--depends-on", "--on"),
    ("--blocked-by", "--on"),
    ("--body", "--description"),
    ("--desc", "--description"),
    ("--summary", "--title"),
    ("--name", "--title"),
    ("--labels", "--label"),
    ("--tag", "--label"),
    ("--add-labels", "--add-label"),
    ("--remove-label", "--rm-label"),
    ("--owner", "--assignee"),
    ("--user", "--assignee"),
    ("--issue-type", "--type"),
    ("--kind", "--type"),
    ("--message", "--reason"),
    ("-m", "--reason"),
    ("--comment", "--reason"),
    ("--max", "--limit"),
    ("--count", "--limit"),
    ("--acceptance-criteria", "--acceptance"),
    ("--append-notes", "--notes"),
    ("--because", "--reason"),
    ("--dir", "-C"),
];

/// The options of every verb that take a value.
const VALUED: [&str; 4] = ["-C", "--actor", "--agent", "--color"];
/// The verbs whose arguments are texts.
const TEXTS: [&str; 4] = ["create", "q", "note", "search"];

/// A command line that was not understood, or whose verb has failed.
pub(super) struct Mistake<'a> {
    verbs: &'a [Entry],
    /// The words, without the program's name.
    line: Vec<String>,
}

impl<'a> Mistake<'a> {
    pub(super) fn new(verbs: &'a [Entry], args: &[OsString]) -> Self {
        let words = args.iter().skip(1);
        let line = words.map(|arg| arg.to_string_lossy().into_owned());
        Self {
            verbs,
            line: line.collect(),
        }
    }

    /// Turns what clap says into an error with the exact next command.
    pub(super) fn explain(&self, error: &clap::Error) -> Error {
        match error.kind() {
            ErrorKind::InvalidSubcommand => {
                let word = context(error, ContextKind::InvalidSubcommand).unwrap_or_default();
                self.unknown_verb(&word)
            }
            ErrorKind::UnknownArgument => self.unknown_argument(error),
            ErrorKind::MissingRequiredArgument => {
                let missing = context(error, ContextKind::InvalidArg).unwrap_or_default();
                let (missing, verb) = (missing.replace(['<', '>'], ""), self.verb());
                usage(format!("{missing} is missing{}", of(&verb))).hinted(help_of(&verb))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                self.missing_verb()
            }
            _ => {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                let first = first.trim_start_matches("error: ").to_owned();
                usage(first).hinted(help_of(&self.verb()))
            }
        }
    }

    fn unknown_verb(&self, word: &str) -> Error {
        let ours = lookup(&OTHER_VERBS, word).or_else(|| nearest(&command(self.verbs), word));
        let hint = ours.map_or_else(|| Command::of("help"), |ours| self.replaced(word, &ours));
        usage(format!("unknown verb `{word}`")).hinted(hint)
    }

    fn unknown_argument(&self, error: &clap::Error) -> Error {
        let word = context(error, ContextKind::InvalidArg).unwrap_or_default();
        let bare = word.split('=').next().unwrap_or(&word).to_owned();
        let ours = self
            .accepted(lookup(&OPTIONS, &bare))
            .or_else(|| context(error, ContextKind::SuggestedArg));
        let verb = self.verb();
        let what = if word.starts_with('-') {
            "option"
        } else {
            "argument"
        };
        // A text that begins with a dash has no option that is near it; what clap suggests would only mislead.
        let hint = self
            .as_text(|text| text.starts_with(&bare))
            .or_else(|| ours.map(|ours| self.replaced(&bare, &ours)))
            .unwrap_or_else(|| help_of(&verb));
        usage(format!("unknown {what} `{bare}`{}", of(&verb))).hinted(hint)
    }

    fn missing_verb(&self) -> Error {
        let verb = self.verb();
        let command = command(self.verbs);
        let below = command
            .find_subcommand(&verb)
            .into_iter()
            .flat_map(clap::Command::get_subcommands);
        let names: Vec<&str> = below
            .map(clap::Command::get_name)
            .filter(|name| *name != "help")
            .collect();
        let names = names.join(", ");
        usage(format!("the verb of `{verb}` is missing: {names}")).hinted(help_of(&verb))
    }

    /// Reads the options that every verb takes, as far as that is possible on a line that is wrong elsewhere.
    pub(super) fn globals(&self) -> Globals {
        let command = command(self.verbs);
        let (_, parts) = CommandLine::parts(&command, &self.line);
        let mut global = Globals::default();
        let options = self
            .line
            .iter()
            .enumerate()
            .filter(|(i, _)| parts[*i] == Part::Option);
        for (i, word) in options {
            let value = word
                .strip_prefix("--color=")
                .map(str::to_owned)
                .or_else(|| {
                    (word == "--color")
                        .then(|| self.line.get(i + 1).cloned())
                        .flatten()
                });
            match (word.as_str(), value.as_deref()) {
                ("--json" | "--json=compact", _) => global.json = Some(JsonStyle::Compact),
                ("--json=pretty", _) => global.json = Some(JsonStyle::Pretty),
                (_, Some("always")) => global.color = Some(When::Always),
                (_, Some("never")) => global.color = Some(When::Never),
                _ => {}
            }
        }
        global
    }

    /// Gives an error without a remedy the help of its verb.
    pub(super) fn hinted(&self, error: Error) -> Error {
        // `create '-dash title'` is an option with a value, and no title.
        let titled = || error.class() != ExitClass::Invalid || self.has_argument();
        match self.as_text(|_| !titled()) {
            Some(hint) => error.hinted(hint),
            None if !error.hints.is_empty() => error,
            None => error.hinted(help_of(&self.verb())),
        }
    }

    /// Returns the line for clap with its texts behind `--`, if one is an item of a list: no option begins with a dash and
    /// a blank.
    pub(super) fn with_list_items(&self, args: &[OsString]) -> Option<Vec<OsString>> {
        let (program, rest) = args.split_first()?;
        // Read as text and written as bytes: nothing may be lost.
        if rest.iter().any(|arg| arg.to_str().is_none()) {
            return None;
        }
        let is_item = |word: &str| {
            word.trim_start_matches('-')
                .starts_with(char::is_whitespace)
        };
        let mut line = vec![program.clone()];
        line.extend(self.after_dashes(is_item)?.into_iter().map(Into::into));
        Some(line)
    }

    /// Puts all arguments of the line behind `--`, with those of its options that are texts; none without such a text, or
    /// where the verb takes none.
    fn after_dashes(&self, is_text: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let command = command(self.verbs);
        let (read, parts) = CommandLine::parts(&command, &self.line);
        let is_text = |at: &usize| parts[*at] == Part::Option && is_text(&self.line[*at]);
        if !TEXTS.contains(&read.verb.get_name()) || !(0..self.line.len()).any(|at| is_text(&at)) {
            return None;
        }
        let (arguments, others): (Vec<usize>, Vec<usize>) = (0..self.line.len())
            .filter(|at| parts[*at] != Part::Dashes)
            .partition(|at| parts[*at] == Part::Argument || is_text(at));
        let word = |at: usize| self.line[at].clone();
        let mut moved: Vec<String> = others.into_iter().map(word).collect();
        moved.push("--".to_owned());
        moved.extend(arguments.into_iter().map(word));
        Some(moved)
    }

    /// Puts the word behind `--` that reads like a text and begins like an option, if it is the one meant.
    fn as_text(&self, is_meant: impl Fn(&str) -> bool) -> Option<Command> {
        let is_sentence = |word: &str| {
            word.split('=')
                .next()
                .is_some_and(|name| name.contains(char::is_whitespace))
        };
        // Below, the commands of all verbs are built, which few errors need.
        if !self
            .line
            .iter()
            .any(|word| word.starts_with('-') && is_sentence(word))
        {
            return None;
        }
        let line = self.after_dashes(|word| is_sentence(word) && is_meant(word))?;
        Some(Command::of_line(&line))
    }

    /// Keeps a guess only if the verb has that option.
    fn accepted(&self, option: Option<String>) -> Option<String> {
        let option = option?;
        let name = option.trim_start_matches('-').to_owned();
        let command = command(self.verbs);
        let verb = command.find_subcommand(self.verb())?;
        let known = verb
            .get_arguments()
            .any(|arg| arg.get_long() == Some(name.as_str()))
            || option == "-C";
        known.then_some(option)
    }

    fn has_argument(&self) -> bool {
        let command = command(self.verbs);
        CommandLine::parts(&command, &self.line).0.given > 0
    }

    /// Replaces a word of the line: the verb in its place, an option where it is not the value of another.
    fn replaced(&self, word: &str, ours: &str) -> Command {
        let at = if word.starts_with('-') {
            let command = command(self.verbs);
            let (_, parts) = CommandLine::parts(&command, &self.line);
            let begins = |arg: &String| arg == word || arg.starts_with(&format!("{word}="));
            (0..self.line.len()).find(|at| parts[*at] == Part::Option && begins(&self.line[*at]))
        } else {
            let verb = verb_at(&self.line).filter(|at| self.line[*at] == word);
            verb.or_else(|| self.line.iter().position(|arg| arg == word))
        };
        let word_at = |(i, arg): (usize, &String)| match Some(i) == at {
            true => format!("{ours}{}", arg.strip_prefix(word).unwrap_or_default()),
            false => arg.clone(),
        };
        Command::of_line(
            &self
                .line
                .iter()
                .enumerate()
                .map(word_at)
                .collect::<Vec<_>>(),
        )
    }

    fn verb(&self) -> String {
        verb_of(&self.line)
    }
}

fn usage(message: String) -> Error {
    Error::new(Code::Usage, message)
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // Clap has the likeliest last.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

fn lookup(table: &[(&str, &str)], word: &str) -> Option<String> {
    table
        .iter()
        .find(|(theirs, _)| *theirs == word)
        .map(|(_, ours)| (*ours).to_owned())
}

/// Returns the verb that was probably meant: two slips of the finger at most.
pub(super) fn nearest(command: &clap::Command, word: &str) -> Option<String> {
    let known = command.get_subcommands().flat_map(|verb| {
        verb.get_visible_aliases()
            .map(str::to_owned)
            .chain([verb.get_name().to_owned()])
            .collect::<Vec<_>>()
    });
    let rank = |verb: &String| {
        let slips = strsim::damerau_levenshtein(word, verb);
        (
            slips,
            (1000.0 - 1000.0 * strsim::jaro_winkler(word, verb)) as i64,
        )
    };
    // More than two slips is another word, and no misspelt one.
    known.min_by_key(rank).filter(|verb| rank(verb).0 <= 2)
}

fn verb_of(line: &[String]) -> String {
    verb_at(line).map(|at| line[at].clone()).unwrap_or_default()
}

/// Returns the index of the verb: the first word that is neither an option nor the value of one.
fn verb_at(line: &[String]) -> Option<usize> {
    let mut value = false;
    line.iter().position(|word| {
        let is_verb = !value && !word.starts_with('-');
        // The next word is the value of this option, and no verb.
        value = VALUED.contains(&word.as_str());
        is_verb
    })
}

fn of(verb: &str) -> String {
    if verb.is_empty() {
        String::new()
    } else {
        format!(" for `{verb}`")
    }
}

fn help_of(verb: &str) -> Command {
    let help = Command::of("help");
    match verb.is_empty() {
        true => help,
        false => help.word(verb),
    }
}
