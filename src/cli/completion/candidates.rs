//! Candidates for the word at the cursor.

use clap::{Arg, Command};

use super::line::CommandLine;
use crate::cli::globals::here;
use crate::cli::verb::Entry;
use crate::env::Env;
use crate::mcp;
use crate::model::edge::EDGE_KINDS;
use crate::model::issue::KINDS;
use crate::model::status;
use crate::ops::Location;
use crate::ops::shared::query::orders::ORDERS;
use crate::ops::verbs::completion::{IdGroup, Live, Proposal, complete as live};
use crate::setup;

const PRIORITIES: [(&str, &str); 5] = [
    ("P0", "most urgent"),
    ("P1", "high"),
    ("P2", "as usual"),
    ("P3", "low"),
    ("P4", "some day"),
];
/// The issues that the verb of a verb is about.
const OF_OTHERS: &[IdGroup] = &[IdGroup::Open, IdGroup::Closed];

/// Candidates for a word; none means names of files.
type Offer = Option<Vec<Proposal>>;

/// The sources of candidates: verbs, and a line as far as it is typed.
pub(super) struct Candidates<'a> {
    pub(super) env: &'a Env,
    pub(super) verbs: &'a [Entry],
    pub(super) line: &'a CommandLine<'a>,
}

impl Candidates<'_> {
    /// Returns what can be written for a word that begins so.
    pub(super) fn offer(&self, word: &str) -> Offer {
        // An option that requires a value takes any word, even one that begins with a dash.
        if let Some((arg, must)) = self.line.open
            && (must || !word.starts_with('-'))
        {
            return self.values(arg, word);
        }
        if word.starts_with('-') && !self.line.literal {
            let long = word
                .strip_prefix("--")
                .and_then(|long| long.split_once('='));
            return match long.and_then(|(name, value)| Some((name, self.line.long(name)?, value))) {
                Some((name, arg, value)) => after(&format!("--{name}="), self.values(arg, value)),
                None => Some(self.options()),
            };
        }
        if self.line.verb.has_subcommands() && self.line.given == 0 {
            let mut found = verbs(self.line.verb, !word.is_empty());
            if self.line.is_top() {
                found.push(Proposal::new("help", "Explain a verb"));
            }
            return Some(found);
        }
        self.line
            .positional()
            .map_or_else(|| Some(Vec::new()), |arg| self.values(arg, word))
    }

    fn options(&self) -> Vec<Proposal> {
        let named = |arg: &Arg| match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => Some(format!("--{long}")),
            (None, Some(short)) => Some(format!("-{short}")),
            (None, None) => None,
        };
        let shown = self.line.options().filter(|arg| !arg.is_hide_set());
        let about = |arg: &Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
        let mut found: Vec<_> = shown
            .filter_map(|arg| Some(Proposal::new(named(arg)?, about(arg))))
            .collect();
        // Clap adds it only when it parses.
        found.push(Proposal::new("--help", "Explain the verb"));
        found
    }

    /// Offers values of an option or an argument; of several separated by commas, the last one.
    fn values(&self, arg: &Arg, word: &str) -> Offer {
        let name = arg
            .get_value_names()
            .and_then(|names| names.first())
            .map(clap::builder::Str::as_str)
            .unwrap_or_default();
        // By the name of the value: options of all verbs that take an id or a label complete alike.
        let one = match (arg.get_id().as_str(), name) {
            ("remote", _) | (_, "REV") => return Some(self.ask(Live::Remotes, word)),
            (_, "ID" | "ON" | "EPIC") => {
                return Some(self.ask(Live::Ids(self.groups(word)), word));
            }
            (_, "FILE" | "DIR" | "FOLDER") => return None,
            ("agent", _) => words(&setup::names().collect::<Vec<_>>()),
            (_, "VERB") => return Some(verbs(self.line.root, !word.is_empty())),
            (_, "NAME" | "ASSIGNEE") => {
                let known = [Proposal::new("me", "You"), Proposal::new("none", "No one")];
                return Some(
                    known
                        .into_iter()
                        .chain(self.ask(Live::Assignees, word))
                        .collect(),
                );
            }
            ("dep_type", _) => words(&EDGE_KINDS),
            (_, "STATUS") => words(&status::KNOWN),
            (_, "TYPE") => words(&KINDS),
            (_, "ORDER") => words(&ORDERS),
            (_, "PROFILE") => words(&mcp::profiles()),
            (_, "PRIORITY") => PRIORITIES
                .iter()
                .map(|(value, about)| Proposal::new(*value, *about))
                .collect(),
            (_, "LABEL" | "LABELS") => {
                let (head, tail) = word
                    .rsplit_once(',')
                    .map_or(("", word), |(head, tail)| (head, tail));
                return list(head, Some(self.ask(Live::Labels, tail)));
            }
            _ => arg
                .get_possible_values()
                .iter()
                .map(|value| Proposal::new(value.get_name(), ""))
                .collect(),
        };
        list(
            word.rsplit_once(',').map_or("", |(head, _)| head),
            Some(one),
        )
    }

    /// Returns candidates from the index; none outside of a store.
    fn ask(&self, what: Live<'_>, beginning: &str) -> Vec<Proposal> {
        let Ok(here) = here(self.env) else {
            return Vec::new();
        };
        let location = match &self.line.dir {
            Some(dir) => Location {
                dir: here.join(dir),
                explicit: true,
                env: self.env.clone(),
            },
            None => Location {
                dir: here,
                explicit: false,
                env: self.env.clone(),
            },
        };
        // A shell has no place for an error: a damaged store only offers nothing.
        live(&location, what, beginning).unwrap_or_default()
    }

    /// Returns the issues that the verb is about. Ended ones are many: they come after a beginning of theirs.
    fn groups(&self, beginning: &str) -> &'static [IdGroup] {
        let name = self.line.verb.get_name();
        let verb = self.verbs.iter().find(|verb| verb.name == name);
        let groups = verb.map_or(OF_OTHERS, |verb| verb.completes);
        if beginning.is_empty() {
            // Before the first letter only what is most likely, or the list would be of no help.
            &groups[..1]
        } else {
            groups
        }
    }
}

/// Puts the text that is there already before each candidate.
fn after(head: &str, offer: Offer) -> Offer {
    let whole =
        |candidate: Proposal| Proposal::new(format!("{head}{}", candidate.value), candidate.about);
    offer.map(|found| found.into_iter().map(whole).collect())
}

fn help_of(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Returns the verbs; their other names too, once something is typed.
fn verbs(of: &Command, aliases: bool) -> Vec<Proposal> {
    let mut found = Vec::new();
    for verb in of.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        found.push(Proposal::new(verb.get_name(), help_of(verb)));
        let others = verb.get_visible_aliases().filter(|_| aliases);
        found.extend(
            others.map(|alias| {
                Proposal::new(alias, format!("{} ({})", help_of(verb), verb.get_name()))
            }),
        );
    }
    found
}

/// Adds to a list that is separated by commas.
fn list(head: &str, offer: Offer) -> Offer {
    if head.is_empty() {
        offer
    } else {
        after(&format!("{head},"), offer)
    }
}

fn words(known: &[&str]) -> Vec<Proposal> {
    known.iter().map(|word| Proposal::new(*word, "")).collect()
}
