//! A command line: read once, understood by clap, and rewritten where it has a short form.
//!
//! Clap makes up all verbs that it might meet, which takes longer than most of them do: so the one that is named is tried
//! alone first, and what it does not take is put to all of them.

mod line;

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::io::BufRead as _;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};

use super::completion::line::Part;
use super::globals::Globals;
use super::verb::{Entry, Group};
use crate::env::Env;
use crate::model::query::Key;
use crate::ops::{Code, Command, Error, Result};
pub(super) use line::{Line, verb_at};

/// The parts of the list of verbs, behind those of every day.
const GROUPS: [(Group, &str); 6] = [
    (Group::Work, "Issues"),
    (Group::Change, "Fields and links"),
    (Group::Look, "Views and history"),
    (Group::Exchange, "Sharing"),
    (Group::Keep, "Import, export, maintenance"),
    (Group::Other, "Program"),
];

/// Track issues inside your git repository.
#[derive(Debug, Parser)]
#[command(
    name = "git-beads",
    bin_name = "git beads",
    version,
    disable_help_subcommand = false,
    max_term_width = 100,
    override_usage = "git beads [OPTIONS] [VERB]",
    help_template = "{about-with-newline}\nUsage: {usage}{after-help}\n\nOptions:\n{options}",
    after_help = "Without a verb: status. Every ID may be shortened to a unique beginning, with or without its prefix."
)]
struct Root {
    #[command(flatten)]
    globals: Globals,
}

/// Returns the program with all its verbs as clap knows them, for references and completions.
pub(super) fn command(verbs: &[Entry]) -> clap::Command {
    let mut command = unbuilt(verbs);
    command.build();
    command
}

/// Returns the same, of which clap completes what it needs.
fn unbuilt(verbs: &[Entry]) -> clap::Command {
    let root = Root::command();
    let more = root.get_after_help().map(ToString::to_string);
    let list = format!("{}{}", overview(verbs), more.unwrap_or_default());
    root.after_help(list)
        .subcommands(verbs.iter().map(|verb| (verb.command)()))
}

/// Returns the list of verbs: those of every day, then the others by groups.
fn overview(verbs: &[Entry]) -> String {
    let mut text = section("Everyday", verbs, |verb| verb.everyday);
    for (group, title) in GROUPS {
        text += &section(title, verbs, |verb| verb.group == group && !verb.everyday);
    }
    text
}

fn section(title: &str, verbs: &[Entry], is_in: impl Fn(&Entry) -> bool) -> String {
    let mut text = format!("{title}:\n");
    for verb in verbs.iter().filter(|verb| !verb.hidden && is_in(verb)) {
        let aliases = match verb.aliases {
            [] => String::new(),
            aliases => format!(" [{}]", aliases.join(", ")),
        };
        text += &format!("  {:<14} {}{aliases}\n", verb.name, verb.about);
    }
    text + "\n"
}

/// The program, whose verbs clap builds at most once for all readings of a line.
pub(super) struct Program {
    pub(super) verbs: &'static [Entry],
    root: OnceCell<clap::Command>,
}

/// A command line that was understood.
pub(super) struct Invocation {
    pub(super) globals: Globals,
    pub(super) verb: Option<(&'static Entry, ArgMatches)>,
}

impl Program {
    pub(super) const fn new(verbs: &'static [Entry]) -> Self {
        let root = OnceCell::new();
        Self { verbs, root }
    }

    pub(super) fn root(&self) -> &clap::Command {
        self.root.get_or_init(|| command(self.verbs))
    }

    /// Understands the words behind the program's name.
    pub(super) fn parse(&self, words: &[OsString]) -> Result<Invocation, clap::Error> {
        // A failure here is not reported: only with all verbs does clap know what else could be meant.
        let alone = self.alone(words);
        if let Some(understood) = alone.and_then(|command| self.understand(command, words).ok()) {
            return Ok(understood);
        }
        // Only after a failure: a line that clap understands is never changed.
        let mut error = match self.understand(unbuilt(self.verbs), words) {
            Ok(understood) => return Ok(understood),
            Err(error) => error,
        };
        let mut line = self.line(words);
        // Each round has one short form less, so it ends.
        while let Some(next) = line.rewritten(&error) {
            line = next;
            error = match self.understand(unbuilt(self.verbs), &line.args) {
                Ok(understood) => return Ok(understood),
                Err(error) => error,
            };
        }
        Err(error)
    }

    /// Returns the options of every verb with the one verb that is named, or none where no word is there at all.
    fn alone(&self, words: &[OsString]) -> Option<clap::Command> {
        let mut words = words
            .iter()
            .filter(|word| !word.as_encoded_bytes().starts_with(b"-"))
            .peekable();
        let alone = || Globals::augment_args(clap::Command::default().name("git-beads"));
        if words.peek().is_none() {
            return Some(alone());
        }
        // It may be the value of an option instead; the true verb is then unknown to this command, which fails.
        let verb = words.find_map(|word| self.verb_named(word.to_str()?))?;
        Some(alone().subcommand((verb.command)()))
    }

    fn understand(
        &self,
        mut command: clap::Command,
        words: &[OsString],
    ) -> Result<Invocation, clap::Error> {
        let words = words.iter().map(OsString::as_os_str);
        let args = std::iter::once(OsStr::new("git-beads")).chain(words);
        let matches = command.try_get_matches_from_mut(args);
        // The process ends soon: what took a verb to make up need not be taken apart.
        std::mem::forget(command);
        let mut matches = matches?;
        let globals = Globals::from_arg_matches_mut(&mut matches)?;
        let verb = matches.remove_subcommand().and_then(|(name, matches)| {
            let verb = self.verbs.iter().find(|verb| verb.name == name)?;
            Some((verb, matches))
        });
        Ok(Invocation { globals, verb })
    }

    fn verb_named(&self, word: &str) -> Option<&'static Entry> {
        self.verbs.iter().find(|verb| verb.is_named(word))
    }

    /// Returns a line of these words, which is read when its parts are needed.
    pub(super) fn line(&self, words: &[OsString]) -> Line<'_> {
        Line::new(self, words.to_vec())
    }

    /// Returns the line with the ids that standard input names in the place of `-`: the first word of each line. None where the
    /// words have no such place. It is the one short form that clap would take for something else.
    /// Errors: standard input that can't be read, or names no id.
    pub(super) fn with_ids(&self, env: &Env, words: &[OsString]) -> Result<Option<Vec<OsString>>> {
        // Nearly every line: what follows makes up all verbs.
        if !words.iter().any(|word| word == "-") {
            return Ok(None);
        }
        let line = self.line(words);
        let place = line.position(Part::Argument, |word| word == "-");
        let (Some(at), true) = (place, line.entry().is_some_and(|verb| verb.takes_ids)) else {
            return Ok(None);
        };
        Ok(Some(line.spliced(at, ids_of_input(env)?).args))
    }

    /// Errors: a negated part of a query among the options. It begins with a dash, so that clap would read `-label:y` as
    /// `-l abel:y`; the hint has it where the verb takes a query.
    pub(super) fn check_negated(&self, words: &[OsString]) -> Result<()> {
        // Nearly every line, as above.
        if !words
            .iter()
            .any(|word| word.to_str().is_some_and(is_negated))
        {
            return Ok(());
        }
        let line = self.line(words);
        let (Some(verb), true) = (line.entry(), line.takes_query()) else {
            return Ok(());
        };
        let dashes = line.position(Part::Dashes, |_| true);
        let (before, behind) = line.split_at(dashes.unwrap_or(line.len()));
        let (mut own, mut negated) = (Vec::new(), Vec::new());
        for (at, word) in before.iter().enumerate() {
            match line.parts()[at] == Part::Option && is_negated(word) {
                true => negated.push(word.clone()),
                false => own.push(word.clone()),
            }
        }
        let Some(first) = negated.first() else {
            return Ok(());
        };
        let what = format!("`{first}` begins with a dash, as options do");
        let right = match verb.takes_texts {
            true => {
                let texts = behind.get(1..).unwrap_or_default();
                [&own[..], &["--".to_owned()], &negated, texts].concat()
            }
            // One option with all of them: several would say the same.
            false => [&own[..], &["-w".to_owned(), negated.join(" ")], behind].concat(),
        };
        Err(Error::new(Code::Usage, what).hinted(Command::of_line(&right)))
    }
}

/// Returns whether a word is a key with a value behind a dash.
fn is_negated(word: &str) -> bool {
    let part = word.strip_prefix('-').and_then(|word| word.split_once(':'));
    part.is_some_and(|(key, value)| Key::named(key).is_some() && !value.is_empty())
}

fn ids_of_input(env: &Env) -> Result<Vec<OsString>> {
    let mut ids = Vec::new();
    for line in env.input().lines() {
        let line = line
            .map_err(|error| Error::new(Code::Io, format!("can't read standard input: {error}")))?;
        ids.extend(line.split_whitespace().next().map(OsString::from));
    }
    if ids.is_empty() {
        let error = Error::new(Code::Usage, "standard input has no ID");
        return Err(error.hinted(Command::of("list").flag("-q")));
    }
    Ok(ids)
}
