//! What the command line accepts. Doc comments are the help texts.

mod change;
mod find;
mod look;
mod session;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use change::*;
pub(super) use find::*;
pub(super) use look::*;
pub(super) use session::*;
pub(super) use verbs::*;

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
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
}

/// The same, for a single verb that is added to it.
#[derive(Debug, Parser)]
#[command(name = "git-beads")]
pub(super) struct Alone {
    #[command(flatten)]
    pub(super) global: Global,
}

/// Options that every verb takes.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Answer in JSON, on one line (`--json=pretty` for people)
    #[arg(long, global = true, hide_possible_values = true, value_name = "STYLE", num_args = 0..=1, require_equals = true, default_missing_value = "compact")]
    pub(super) json: Option<JsonStyle>,
    /// Print ids only
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Act as NAME
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) actor: Option<String>,
    /// Colour: auto, always or never
    #[arg(long, global = true, hide_possible_values = true, value_name = "WHEN")]
    pub(super) color: Option<When>,
    /// Never start a pager
    #[arg(long, global = true)]
    pub(super) no_pager: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum JsonStyle {
    Compact,
    Pretty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Mend what can be mended; nothing is ever removed
    #[arg(long)]
    pub(super) fix: bool,
    /// Ask the remotes too
    #[arg(long)]
    pub(super) remote: bool,
}

/// Without an option, what would be written is printed; without an agent, how all of them stand.
#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// claude, codex, cursor, vscode, gemini, amp, opencode or agents-md
    pub(super) agent: Option<String>,
    /// Write it into the files of this work tree
    #[arg(long, requires = "agent", group = "action")]
    pub(super) write: bool,
    /// Say whether all of it is there (exit code 1: no)
    #[arg(long, requires = "agent", group = "action")]
    pub(super) check: bool,
    /// Take out what was written
    #[arg(long, requires = "agent", group = "action")]
    pub(super) remove: bool,
}

#[derive(Debug, Args)]
pub(super) struct UninstallArgs {
    /// The issues too, after showing what would go
    #[arg(long)]
    pub(super) purge_ref: bool,
    /// Say what would go
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// Exchange with the remote too
    #[arg(long)]
    pub(super) sync: bool,
    /// What has happened
    pub(super) event: String,
    /// What git says of it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) args: Vec<OsString>,
}

impl HookArgs {
    /// Whether this program itself asks for it, rather than git.
    pub(super) fn is_own(&self) -> bool {
        matches!(
            self.event.as_str(),
            "fold" | "tidy" | "refresh" | "pull" | "push"
        )
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum HooksVerb {
    /// Add our hooks where git looks for them, beside those of others
    Install(HooksInstallArgs),
    /// Take our hooks out; every other byte stays as it is
    Uninstall(HooksUninstallArgs),
    /// Say of each event where it is defined and whether it will run
    Status,
}

#[derive(Debug, Args)]
pub(super) struct HooksInstallArgs {
    /// Fetch issues after your own pull, and send them along with your own push
    #[arg(long)]
    pub(super) sync: bool,
    /// Say what would be written
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Args)]
pub(super) struct HooksUninstallArgs {
    /// Say what would be written
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Which tools: task, read, full, lazy or two
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Option<String>,
    /// The repository (default: the one around the current directory)
    #[arg(long, value_name = "DIR")]
    pub(super) repo: Option<PathBuf>,
    /// Let each call name its repository
    #[arg(long)]
    pub(super) multi_repo: bool,
    /// Folders that such repositories may lie in
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(super) root: Vec<PathBuf>,
    /// Serve HTTP on this port of the loopback address
    #[cfg(feature = "http")]
    #[arg(long, value_name = "PORT", hide = true)]
    pub(super) http: Option<u16>,
}
