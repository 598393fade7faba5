//! The program with the verbs of the registry, as clap knows it.

use clap::{Command, CommandFactory, Parser};

use super::globals::Globals;
use super::verb::Entry;

/// Issues in the git repository they are about.
#[derive(Debug, Parser)]
#[command(
    name = "git-beads",
    bin_name = "git beads",
    version,
    disable_help_subcommand = false,
    max_term_width = 100,
    override_usage = "git beads [OPTIONS] [VERB]",
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
    Root::command().subcommands(verbs.iter().map(|verb| (verb.command)()))
}
