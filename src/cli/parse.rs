//! A command line to its verb. Clap makes up all verbs that it might meet, which takes longer than most of them do:
//! so the one that is named is tried alone first, and what it does not take is put to all of them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::dashes;
use super::globals::Globals;
use super::program::{command, unbuilt};
use super::shorthand;
use super::verb::Entry;

/// A command line that was understood.
pub(super) struct Invocation {
    pub(super) globals: Globals,
    pub(super) verb: Option<(&'static Entry, ArgMatches)>,
}

/// Understands a command line.
pub(super) fn parse(verbs: &'static [Entry], args: &[OsString]) -> Result<Invocation, clap::Error> {
    let alone = alone(verbs, args);
    // A failure here is not reported: only with all verbs does clap know what else could be meant.
    let parsed = alone.and_then(|command| understand(verbs, command, args).ok());
    parsed.map_or_else(|| parse_all(verbs, args), Ok)
}

/// Returns the options of every verb with the one verb that is named, or none where no word is there at all.
fn alone(verbs: &'static [Entry], args: &[OsString]) -> Option<Command> {
    let mut words = args
        .iter()
        .skip(1)
        .filter(|arg| !arg.as_encoded_bytes().starts_with(b"-"))
        .peekable();
    let alone = || Globals::augment_args(Command::default().name("git-beads"));
    if words.peek().is_none() {
        return Some(alone());
    }
    let named = |word: &OsString| {
        let word = word.to_str()?;
        verbs.iter().find(|verb| verb.is_named(word))
    };
    // It may be the value of an option instead; the true verb is then unknown to this command, which fails.
    let verb = words.find_map(named)?;
    Some(alone().subcommand((verb.command)()))
}

/// Understands a line with all verbs, and with its short forms written out as long as clap does not know a word of it.
fn parse_all(verbs: &'static [Entry], args: &[OsString]) -> Result<Invocation, clap::Error> {
    let mut line = args.to_vec();
    loop {
        // Only after a failure: a line that clap understands is never changed.
        let error = match understand(verbs, unbuilt(verbs), &line) {
            Ok(understood) => return Ok(understood),
            Err(error) => error,
        };
        let word = unknown_argument(&error);
        // Each round has one short form less, so it ends.
        match word.and_then(|word| written_out(verbs, &line, word)) {
            Some(next) if next != line => line = next,
            _ => return Err(error),
        }
    }
}

/// Returns a line with one of its words in its long form; none where clap would know it no better.
fn written_out(verbs: &'static [Entry], line: &[OsString], word: &str) -> Option<Vec<OsString>> {
    let short = shorthand::with_saved(verbs, line, word);
    let short = short.or_else(|| shorthand::with_limit(verbs, line));
    short.or_else(|| dashes::with_list_items(&command(verbs), line))
}

/// Returns the argument that clap does not know.
fn unknown_argument(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(word) if error.kind() == ErrorKind::UnknownArgument => Some(word),
        _ => None,
    }
}

fn understand(
    verbs: &'static [Entry],
    mut command: Command,
    args: &[OsString],
) -> Result<Invocation, clap::Error> {
    let matches = command.try_get_matches_from_mut(args);
    // The process ends soon: what took a verb to make up need not be taken apart.
    std::mem::forget(command);
    let mut matches = matches?;
    let globals = Globals::from_arg_matches_mut(&mut matches)?;
    let verb = matches.remove_subcommand().and_then(|(name, matches)| {
        let verb = verbs.iter().find(|verb| verb.name == name)?;
        Some((verb, matches))
    });
    Ok(Invocation { globals, verb })
}
