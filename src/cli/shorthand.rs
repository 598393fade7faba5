//! Short forms of a command line, written out before it is understood: `-` for ids from standard input, `-10` for a limit,
//! as in `git log -10`, and `@NAME` for a saved query.

use std::ffi::OsString;
use std::io::BufRead as _;

use super::completion::line::{CommandLine, Part};
use super::program::command;
use super::verb::Entry;
use crate::env::Env;
use crate::ops::{Code, Command, Error, Result};

/// The verbs that take several ids.
const TAKE_IDS: [&str; 14] = [
    "show", "update", "done", "stop", "reopen", "block", "unblock", "defer", "delete", "restore",
    "label", "assign", "priority", "wait",
];

/// Returns a command line with the ids that standard input names in the place of `-`: the first word of each line. None where
/// the line has no such word.
/// Errors: standard input that can't be read, or names no id.
pub(super) fn with_ids_of_input(
    env: &Env,
    verbs: &[Entry],
    args: &[OsString],
) -> Result<Option<Vec<OsString>>> {
    // Nearly every line: what follows makes up all verbs.
    if !args.iter().any(|arg| arg == "-") {
        return Ok(None);
    }
    let Some(at) = place_of_ids(verbs, args) else {
        return Ok(None);
    };
    let mut line = args.to_vec();
    line.splice(at..=at, ids_of_input(env)?);
    Ok(Some(line))
}

/// Returns the first word of each line of standard input.
/// Errors: one that can't be read, or has no word.
fn ids_of_input(env: &Env) -> Result<Vec<OsString>> {
    let mut ids = Vec::new();
    for line in env.input().lines() {
        let line = line.map_err(|error| unreadable(&error))?;
        ids.extend(line.split_whitespace().next().map(OsString::from));
    }
    if ids.is_empty() {
        let error = Error::new(Code::Usage, "standard input has no ID");
        return Err(error.hinted(Command::of("list").flag("-q")));
    }
    Ok(ids)
}

fn unreadable(error: &std::io::Error) -> Error {
    Error::new(Code::Io, format!("can't read standard input: {error}"))
}

/// Returns the index of the word for ids; none where the verb takes no ids.
fn place_of_ids(verbs: &[Entry], args: &[OsString]) -> Option<usize> {
    let words = args.iter().skip(1);
    let words: Vec<String> = words
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let root = command(verbs);
    let (line, parts) = CommandLine::parts(&root, &words);
    let is_ids = |at: &usize| words[*at] == "-" && parts[*at] == Part::Argument;
    let at = (0..words.len()).find(is_ids)?;
    TAKE_IDS.contains(&line.verb.get_name()).then_some(at + 1)
}

/// Returns a command line with `-nN` in the place of `-N`, where its verb takes a limit.
pub(super) fn with_limit(verbs: &[Entry], args: &[OsString]) -> Option<Vec<OsString>> {
    let words = args.iter().skip(1);
    let words: Option<Vec<String>> = words.map(|arg| Some(arg.to_str()?.to_owned())).collect();
    let words = words?;
    words.iter().find_map(|word| number(word))?;
    let root = command(verbs);
    let (line, parts) = CommandLine::parts(&root, &words);
    let takes_limit = |arg: &clap::Arg| arg.get_short() == Some('n');
    line.verb.get_arguments().find(|arg| takes_limit(arg))?;
    let is_number = |at: &usize| parts[*at] == Part::Option && number(&words[*at]).is_some();
    let at = (0..words.len()).find(is_number)?;
    let mut line = args.to_vec();
    line[at + 1] = format!("-n{}", number(&words[at])?).into();
    Some(line)
}

/// Returns a command line with `-w` in front of the name of a saved query; none where the word is none, or the verb takes no
/// query.
pub(super) fn with_saved(verbs: &[Entry], args: &[OsString], word: &str) -> Option<Vec<OsString>> {
    if !word.starts_with('@') {
        return None;
    }
    let at = args.iter().position(|arg| arg == word)?;
    with_query(&command(verbs), args)?;
    let mut line = args.to_vec();
    line[at] = format!("--where={word}").into();
    Some(line)
}

/// Returns the name of the verb of a line, where it takes a query.
pub(super) fn with_query(root: &clap::Command, args: &[OsString]) -> Option<String> {
    let words = args.iter().skip(1);
    let words: Vec<String> = words
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let verb = CommandLine::parts(root, &words).0.verb;
    // The option says it, so that a verb that gets a query need not be listed here.
    let mut options = verb.get_arguments().filter_map(clap::Arg::get_long);
    options.find(|long| *long == "where")?;
    Some(verb.get_name().to_owned())
}

/// Returns the number that a word is behind its dash.
fn number(word: &str) -> Option<usize> {
    word.strip_prefix('-')?.parse().ok()
}
