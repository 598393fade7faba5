//! The program with the verbs of the registry, as clap knows it.

use clap::{Command, CommandFactory, Parser};

use super::globals::Globals;
use super::verb::{Entry, Group};

/// The verbs of every day, which its help shows first.
const EVERYDAY: [&str; 12] = [
    "init", "create", "list", "ready", "show", "search", "start", "note", "done", "status",
    "board", "sync",
];
/// The other verbs, by groups.
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
pub(super) fn command(verbs: &[Entry]) -> Command {
    let mut command = unbuilt(verbs);
    command.build();
    command
}

/// Returns the same, of which clap completes what it needs.
pub(super) fn unbuilt(verbs: &[Entry]) -> Command {
    let root = Root::command();
    let more = root.get_after_help().map(ToString::to_string);
    let list = format!("{}{}", overview(verbs), more.unwrap_or_default());
    root.after_help(list)
        .subcommands(verbs.iter().map(|verb| (verb.command)()))
}

/// Returns the list of verbs: those of every day, then the others by groups.
fn overview(verbs: &[Entry]) -> String {
    let shown = || verbs.iter().filter(|verb| !verb.hidden);
    let is_everyday = |verb: &&Entry| EVERYDAY.contains(&verb.name);
    let everyday = EVERYDAY
        .iter()
        .filter_map(|name| shown().find(|verb| verb.name == *name));
    let mut text = section("Everyday", everyday);
    for (group, title) in GROUPS {
        let others = shown().filter(|verb| verb.group == group && !is_everyday(verb));
        text += &section(title, others);
    }
    text
}

fn section<'v>(title: &str, verbs: impl Iterator<Item = &'v Entry>) -> String {
    let rows: String = verbs.map(row).collect();
    format!("{title}:\n{rows}\n")
}

/// Returns the line of a verb.
fn row(verb: &Entry) -> String {
    let aliases = match verb.aliases {
        [] => String::new(),
        aliases => format!(" [{}]", aliases.join(", ")),
    };
    format!("  {:<14} {}{aliases}\n", verb.name, verb.about)
}
