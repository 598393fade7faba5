//! Completion for bash, zsh and fish: what can follow on a command line.
//!
//! One protocol and three thin scripts. A script hands the words up to the cursor to `git beads __complete` and gets
//! a line for each candidate: the word, a tab, what it is. A line of a tab and `files` means names of files. All
//! that there is to know of verbs and options comes from clap, all that lives from the index. Nothing is printed
//! where anything fails, and nothing that could steer a terminal.

pub(super) mod line;
mod quote;

use clap::{Arg, Command};

use super::args::{CompleteArgs, Global, Shell};
use super::columns::fit;
use super::here;
use super::ui::harmless;
use crate::model::edge::EDGE_KINDS;
use crate::model::id::is_format;
use crate::model::issue::KINDS;
use crate::model::status;
use crate::ops::verbs::completion::{Candidate, IdGroup, Live, complete as live};
use crate::ops::verbs::list::ORDERS;
use crate::setup;
use crate::store::Location;
use line::CommandLine;
use quote::RawWord;

const FILES: &str = "\tfiles";
/// Columns of a description.
const WIDTH: usize = 60;
const PRIORITIES: [(&str, &str); 5] = [
    ("P0", "most urgent"),
    ("P1", "high"),
    ("P2", "as usual"),
    ("P3", "low"),
    ("P4", "some day"),
];
const PROFILES: [&str; 5] = ["task", "read", "full", "lazy", "two"];

/// What can be written at the cursor; none stands for names of files.
type Offer = Option<Vec<Candidate>>;

/// The script that a shell loads.
pub(super) fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("complete/git-beads.bash"),
        Shell::Zsh => include_str!("complete/git-beads.zsh"),
        Shell::Fish => include_str!("complete/git-beads.fish"),
    }
}

/// The candidates for the last word, a line each.
pub(super) fn complete(args: &CompleteArgs, global: &Global) -> String {
    let raw: Vec<RawWord> = match &args.bash {
        Some(_) => args.words.iter().map(|word| RawWord::parse(word)).collect(),
        None => args.words.iter().map(|word| RawWord::plain(word)).collect(),
    };
    let Some((last, before)) = raw.split_last() else {
        return String::new();
    };
    let command = super::command();
    let before: Vec<&str> = before.iter().map(RawWord::text).collect();
    let line = CommandLine::read(&command, global.dir.as_deref(), &before);
    let Some(mut found) = offer(&line, last.text()) else {
        return FILES.to_owned();
    };
    found
        .retain(|candidate| candidate.value.starts_with(last.text()) && is_plain(&candidate.value));
    let shown = found.iter().map(|candidate| match &args.bash {
        Some(part) => last.rest(part, &candidate.value),
        None if candidate.about.is_empty() => candidate.value.clone(),
        None => format!("{}\t{}", candidate.value, about(&candidate.about)),
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Whether a word can be shown and typed.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.chars().any(|c| c.is_control() || is_format(c))
}

/// One line, however the text was written.
fn about(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fit(&harmless(&words.join(" ")), WIDTH)
}

fn offer(line: &CommandLine<'_>, word: &str) -> Offer {
    if let Some((arg, must)) = line.open
        && (must || !word.starts_with('-'))
    {
        return values(line, arg, word);
    }
    if word.starts_with('-') && !line.literal {
        let long = word
            .strip_prefix("--")
            .and_then(|long| long.split_once('='));
        return match long.and_then(|(name, value)| Some((name, line.long(name)?, value))) {
            Some((name, arg, value)) => after(&format!("--{name}="), values(line, arg, value)),
            None => Some(options(line)),
        };
    }
    if line.verb.has_subcommands() && line.given == 0 {
        let mut found = verbs(line.verb, !word.is_empty());
        if line.is_top() {
            found.push(Candidate::new("help", "Explain a verb"));
        }
        return Some(found);
    }
    line.positional()
        .map_or_else(|| Some(Vec::new()), |arg| values(line, arg, word))
}

/// Puts what stands already before each candidate.
fn after(head: &str, offer: Offer) -> Offer {
    let whole = |candidate: Candidate| {
        Candidate::new(format!("{head}{}", candidate.value), candidate.about)
    };
    offer.map(|found| found.into_iter().map(whole).collect())
}

fn help_of(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The verbs; their other names too, once something is typed.
fn verbs(of: &Command, aliases: bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    for verb in of.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        found.push(Candidate::new(verb.get_name(), help_of(verb)));
        let others = verb.get_visible_aliases().filter(|_| aliases);
        found.extend(others.map(|alias| {
            Candidate::new(alias, format!("{} ({})", help_of(verb), verb.get_name()))
        }));
    }
    found
}

fn options(line: &CommandLine<'_>) -> Vec<Candidate> {
    let named = |arg: &Arg| match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => Some(format!("--{long}")),
        (None, Some(short)) => Some(format!("-{short}")),
        (None, None) => None,
    };
    let shown = line.options().filter(|arg| !arg.is_hide_set());
    let about = |arg: &Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut found: Vec<_> = shown
        .filter_map(|arg| Some(Candidate::new(named(arg)?, about(arg))))
        .collect();
    found.push(Candidate::new("--help", "Explain the verb"));
    found
}

/// The values of an option or an argument; of several separated by commas, the last.
fn values(line: &CommandLine<'_>, arg: &Arg, word: &str) -> Offer {
    let name = arg
        .get_value_names()
        .and_then(|names| names.first())
        .map(clap::builder::Str::as_str)
        .unwrap_or_default();
    let one = match (arg.get_id().as_str(), name) {
        ("remote", _) | (_, "REV") => return Some(ask(line, Live::Remotes, word)),
        (_, "ID" | "ON" | "EPIC") => {
            return Some(ask(
                line,
                Live::Ids(groups(line.verb.get_name(), word)),
                word,
            ));
        }
        (_, "FILE" | "DIR" | "FOLDER") => return None,
        ("agent", _) => words(&setup::names().collect::<Vec<_>>()),
        (_, "VERB") => return Some(verbs(line.root, !word.is_empty())),
        (_, "NAME" | "ASSIGNEE") => {
            let known = [
                Candidate::new("me", "You"),
                Candidate::new("none", "Nobody"),
            ];
            return Some(
                known
                    .into_iter()
                    .chain(ask(line, Live::Assignees, word))
                    .collect(),
            );
        }
        ("dep_type", _) => words(&EDGE_KINDS),
        (_, "STATUS") => words(&status::KNOWN),
        (_, "TYPE") => words(&KINDS),
        (_, "ORDER") => words(&ORDERS),
        (_, "PROFILE") => words(&PROFILES),
        (_, "PRIORITY") => PRIORITIES
            .iter()
            .map(|(value, about)| Candidate::new(*value, *about))
            .collect(),
        (_, "LABEL" | "LABELS") => {
            let (head, tail) = word
                .rsplit_once(',')
                .map_or(("", word), |(head, tail)| (head, tail));
            return list(head, Some(ask(line, Live::Labels, tail)));
        }
        _ => arg
            .get_possible_values()
            .iter()
            .map(|value| Candidate::new(value.get_name(), ""))
            .collect(),
    };
    list(
        word.rsplit_once(',').map_or("", |(head, _)| head),
        Some(one),
    )
}

/// Adds to a list that is separated by commas.
fn list(head: &str, offer: Offer) -> Offer {
    if head.is_empty() {
        offer
    } else {
        after(&format!("{head},"), offer)
    }
}

fn words(known: &[&str]) -> Vec<Candidate> {
    known.iter().map(|word| Candidate::new(*word, "")).collect()
}

/// The issues that a verb is about. Ended ones are many: they come after a beginning of theirs.
fn groups(verb: &str, beginning: &str) -> &'static [IdGroup] {
    match verb {
        "reopen" => &[IdGroup::Closed],
        "restore" => &[IdGroup::Deleted],
        "start" | "done" | "block" | "unblock" | "defer" | "split" => &[IdGroup::Open],
        _ if beginning.is_empty() => &[IdGroup::Open],
        "purge" => &[IdGroup::Open, IdGroup::Closed, IdGroup::Deleted],
        _ => &[IdGroup::Open, IdGroup::Closed],
    }
}

/// What the store knows; nothing where there is none.
fn ask(line: &CommandLine<'_>, what: Live<'_>, beginning: &str) -> Vec<Candidate> {
    let Ok(here) = here() else { return Vec::new() };
    let location = match &line.dir {
        Some(dir) => Location {
            dir: here.join(dir),
            explicit: true,
        },
        None => Location {
            dir: here,
            explicit: false,
        },
    };
    live(&location, what, beginning).unwrap_or_default()
}
