//! Usage errors that answer with the right command, the user's own arguments filled in.
//!
//! Agents and people guess verbs and options from other trackers; the guesses that were counted are
//! answered here.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::{Global, JsonStyle, When};
use super::complete::line::{CommandLine, Part};
use crate::ops::{Code, Command, Error, ExitClass};

/// Verbs of other trackers, and ours.
const VERBS: [(&str, &str); 38] = [
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

/// Options of other trackers, and ours.
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
const VALUED: [&str; 3] = ["-C", "--actor", "--color"];

/// The verbs whose arguments are texts.
const TEXTS: [&str; 4] = ["create", "q", "note", "search"];

/// Turns what clap says into an error with the exact next command.
pub(super) fn explain(args: &[OsString], error: &clap::Error) -> Error {
    let line = words(args);
    let usage = |message: String| Error::new(Code::Usage, message);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let ours = lookup(&VERBS, &word).or_else(|| nearest(&word));
            let hint =
                ours.map_or_else(|| Command::of("help"), |ours| replaced(&line, &word, &ours));
            usage(format!("unknown verb `{word}`")).hinted(hint)
        }
        ErrorKind::UnknownArgument => {
            let word = context(error, ContextKind::InvalidArg).unwrap_or_default();
            let bare = word.split('=').next().unwrap_or(&word).to_owned();
            let ours = accepted(&line, lookup(&OPTIONS, &bare))
                .or_else(|| context(error, ContextKind::SuggestedArg));
            let verb = verb_of(&line);
            let what = if word.starts_with('-') {
                "option"
            } else {
                "argument"
            };
            let hint = as_text(&line, |text| text.starts_with(&bare))
                .or_else(|| ours.map(|ours| replaced(&line, &bare, &ours)))
                .unwrap_or_else(|| help_of(&verb));
            usage(format!("unknown {what} `{bare}`{}", of(&verb))).hinted(hint)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = context(error, ContextKind::InvalidArg).unwrap_or_default();
            usage(format!(
                "{} is missing{}",
                missing.replace(['<', '>'], ""),
                of(&verb_of(&line))
            ))
            .hinted(help_of(&verb_of(&line)))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let verb = verb_of(&line);
            let command = super::command();
            let below = command
                .find_subcommand(&verb)
                .into_iter()
                .flat_map(clap::Command::get_subcommands);
            let names: Vec<&str> = below
                .map(clap::Command::get_name)
                .filter(|name| *name != "help")
                .collect();
            usage(format!(
                "the verb of `{verb}` is missing: {}",
                names.join(", ")
            ))
            .hinted(help_of(&verb))
        }
        _ => {
            let text = error.render().to_string();
            let first = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            usage(first).hinted(help_of(&verb_of(&line)))
        }
    }
}

/// The words of a line, without the program's name.
fn words(args: &[OsString]) -> Vec<String> {
    args.iter()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect()
}

/// The same command line for clap, when a text of it is an item of a list: no option begins with a dash and a blank.
pub(super) fn with_list_items(args: &[OsString]) -> Option<Vec<OsString>> {
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
    line.extend(
        after_dashes(&words(args), is_item)?
            .into_iter()
            .map(Into::into),
    );
    Some(line)
}

/// The line with all arguments behind `--`, those among its options that are texts too; none where there is no such
/// text, or where the verb takes none.
fn after_dashes(line: &[String], is_text: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let command = super::command();
    let (read, parts) = CommandLine::parts(&command, line);
    let is_text = |at: &usize| parts[*at] == Part::Option && is_text(&line[*at]);
    if !TEXTS.contains(&read.verb.get_name()) || !(0..line.len()).any(|at| is_text(&at)) {
        return None;
    }
    let (arguments, others): (Vec<usize>, Vec<usize>) = (0..line.len())
        .filter(|at| parts[*at] != Part::Dashes)
        .partition(|at| parts[*at] == Part::Argument || is_text(at));
    let word = |at: usize| line[at].clone();
    let mut moved: Vec<String> = others.into_iter().map(word).collect();
    moved.push("--".to_owned());
    moved.extend(arguments.into_iter().map(word));
    Some(moved)
}

/// The line with the word behind `--` that reads like a text and begins like an option, where it is the one meant.
fn as_text(line: &[String], is_meant: impl Fn(&str) -> bool) -> Option<Command> {
    let is_sentence = |word: &str| {
        word.split('=')
            .next()
            .is_some_and(|name| name.contains(char::is_whitespace))
    };
    // All verbs are made up below, which few errors need.
    if !line
        .iter()
        .any(|word| word.starts_with('-') && is_sentence(word))
    {
        return None;
    }
    let line = after_dashes(line, |word| is_sentence(word) && is_meant(word))?;
    Some(Command::of_line(&line))
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

/// The verb that a typo can come from: two slips of the finger at most.
fn nearest(word: &str) -> Option<String> {
    let command = super::command();
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
    known.min_by_key(rank).filter(|verb| rank(verb).0 <= 2)
}

/// A guess counts only where the verb has that option.
fn accepted(line: &[String], option: Option<String>) -> Option<String> {
    let option = option?;
    let name = option.trim_start_matches('-').to_owned();
    let command = super::command();
    let verb = command.find_subcommand(verb_of(line))?;
    let known = verb
        .get_arguments()
        .any(|arg| arg.get_long() == Some(name.as_str()))
        || option == "-C";
    known.then_some(option)
}

fn verb_of(line: &[String]) -> String {
    verb_at(line).map(|at| line[at].clone()).unwrap_or_default()
}

/// Where the verb stands: the first word that is neither an option nor the value of one.
fn verb_at(line: &[String]) -> Option<usize> {
    let mut value = false;
    line.iter().position(|word| {
        let is_verb = !value && !word.starts_with('-');
        value = VALUED.contains(&word.as_str());
        is_verb
    })
}

/// The options that every verb takes, as far as they can be read from a line that is wrong elsewhere.
pub(super) fn globals(args: &[OsString]) -> Global {
    let line = words(args);
    let command = super::command();
    let (_, parts) = CommandLine::parts(&command, &line);
    let mut global = Global::default();
    let options = line
        .iter()
        .enumerate()
        .filter(|(i, _)| parts[*i] == Part::Option);
    for (i, word) in options {
        let value = word
            .strip_prefix("--color=")
            .map(str::to_owned)
            .or_else(|| {
                (word == "--color")
                    .then(|| line.get(i + 1).cloned())
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
pub(super) fn hinted(args: &[OsString], error: Error) -> Error {
    let line = words(args);
    // `create '-dash title'` is an option with a value, and no title.
    let titled = || error.code.class() != ExitClass::Invalid || has_argument(&line);
    match as_text(&line, |_| !titled()) {
        Some(hint) => error.hinted(hint),
        None if !error.hints.is_empty() => error,
        None => error.hinted(help_of(&verb_of(&line))),
    }
}

fn has_argument(line: &[String]) -> bool {
    let command = super::command();
    CommandLine::parts(&command, line).0.given > 0
}

fn of(verb: &str) -> String {
    if verb.is_empty() {
        String::new()
    } else {
        format!(" for `{verb}`")
    }
}

/// The command that prints the help of a verb.
pub(super) fn help_of(verb: &str) -> Command {
    let help = Command::of("help");
    match verb.is_empty() {
        true => help,
        false => help.word(verb),
    }
}

/// The line with a word replaced: the verb in its place, an option where it is not the value of another.
fn replaced(line: &[String], word: &str, ours: &str) -> Command {
    let at = if word.starts_with('-') {
        let command = super::command();
        let (_, parts) = CommandLine::parts(&command, line);
        let begins = |arg: &String| arg == word || arg.starts_with(&format!("{word}="));
        (0..line.len()).find(|at| parts[*at] == Part::Option && begins(&line[*at]))
    } else {
        verb_at(line)
    };
    let word_at = |(i, arg): (usize, &String)| match Some(i) == at {
        true => format!("{ours}{}", &arg[word.len().min(arg.len())..]),
        false => arg.clone(),
    };
    Command::of_line(&line.iter().enumerate().map(word_at).collect::<Vec<_>>())
}
