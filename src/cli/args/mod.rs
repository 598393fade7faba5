//! What the command line accepts. Doc comments are the help texts.

mod change;
mod find;
mod look;
mod session;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use change::*;
pub(super) use find::*;
pub(super) use look::*;
pub(super) use session::*;

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

/// What verbs take is made up when one of them is asked for: all of it costs a third of a short command.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(super) enum Verb {
    /// Begin to keep issues in this repository
    Init(InitArgs),
    /// Create an issue
    #[command(visible_aliases = ["new", "add"])]
    Create(CreateArgs),
    /// Create an issue and print its id only
    Q(QuickArgs),
    /// List issues that are not closed
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// List what can be started, most urgent first
    Ready(ReadyArgs),
    /// List what waits, and for what
    Blocked(QueryArgs),
    /// Show everything about issues
    Show(ShowArgs),
    /// Find words in titles, texts and memory
    #[command(visible_alias = "grep")]
    Search(SearchArgs),
    /// Change fields of issues ('' clears one)
    Update(UpdateArgs),
    /// Edit an issue in your editor
    Edit(EditArgs),
    /// Take an issue: in progress, and yours
    #[command(visible_alias = "claim")]
    Start(StartArgs),
    /// Remember findings, decisions and comments
    #[command(visible_aliases = ["comment", "progress"])]
    Note(NoteArgs),
    /// Hide a wrong finding, decision or comment
    Redact(RedactArgs),
    /// Close issues; say what is ready next
    #[command(visible_alias = "close")]
    Done(DoneArgs),
    /// Open closed issues again
    Reopen(ReasonArgs),
    /// Mark issues as waiting for something outside
    Block(ReasonArgs),
    /// Open issues that were blocked or deferred
    Unblock(IdsArg),
    /// Pause issues on purpose
    Defer(DeferArgs),
    /// Delete issues (they can be restored)
    Delete(ReasonArgs),
    /// Bring deleted issues back
    Restore(IdsArg),
    /// Give an issue another id
    Rename(RenameArgs),
    /// Say what waits for what
    #[command(subcommand)]
    Dep(DepVerb),
    /// Make one issue wait for others (`dep add`)
    Link(LinkArgs),
    /// Split an epic into children, in one commit
    #[command(visible_alias = "decompose")]
    Split(SplitArgs),
    /// Add or remove labels
    Label(LabelArgs),
    /// Assign an issue ('' or `none`: nobody)
    Assign(AssignArgs),
    /// Set the priority, P0 to P4
    Priority(PriorityArgs),
    /// Show where things stand
    Status,
    /// Show what is blocked, ready, in progress and done, side by side
    Board(BoardArgs),
    /// Print what happens, a line for each operation as it appears
    Watch(WatchArgs),
    /// Tell what a session should know: counts, work, memory
    Context(ContextArgs),
    /// The same in a thousand bytes, for a session-start hook
    Prime(PrimeArgs),
    /// Print the line that links a commit to an issue
    CommitMsg(CommitMsgArgs),
    /// Show what was done, newest first
    Log(LogArgs),
    /// Draw what is part of what, and what waits for what
    Graph(GraphArgs),
    /// Count what was opened and closed, and how long it took
    Stats(StatsArgs),
    /// Say who set each field of an issue, and when
    Blame(IdArg),
    /// Show what happened between two states
    Diff(DiffArgs),
    /// Take back what you did last, or one operation of anybody
    Undo(UndoArgs),
    /// Exchange with a remote: fetch, merge, push
    Sync(SyncArgs),
    /// Send what the remote lacks
    Push(ExchangeArgs),
    /// Ask the remote what it has, and change nothing
    Fetch(ExchangeArgs),
    /// Take over what the remote has
    Pull(SyncArgs),
    /// Clone a repository with its issues
    Clone(CloneArgs),
    /// List what was written at the same time
    Conflicts(ConflictsArgs),
    /// Settle a field that was written at the same time
    Resolve(ResolveArgs),
    /// Replace an issue by a mark: leaked text, for good
    Purge(IdArg),
    /// Take over issues from a file of bd or br
    Import(ImportArgs),
    /// Write issues as bd JSONL, as a table, or as a page for a browser
    Export(ExportArgs),
    /// Look for damage, and mend it (`--fix`)
    #[command(visible_alias = "fsck")]
    Doctor(DoctorArgs),
    /// Take everything out of this repository but the issues
    Uninstall(UninstallArgs),
    /// Say which repository, ref and index answer here
    Where,
    /// Serve the issues to agents (Model Context Protocol)
    Mcp(McpArgs),
    /// Tell an agent of the issues, and take it back
    Setup(SetupArgs),
    /// Print a completion script
    Completion(CompletionArgs),
    /// Write the manual pages, for `man` and `git help`
    Man(ManArgs),
    /// Walk through the main verbs in a throwaway repository
    Demo(DemoArgs),
    /// Print the JSON Schema of answers
    Schema(SchemaArgs),
    /// Print the version
    Version,
    /// Let git keep the index warm, and exchange along with you (`--sync`)
    #[command(subcommand)]
    Hooks(HooksVerb),
    /// What git's hooks and this program itself start beside the user
    #[command(hide = true)]
    Hook(HookArgs),
    /// What can follow on a command line, for the completion scripts
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArgs),
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
        matches!(self.event.as_str(), "fold" | "tidy" | "refresh" | "pull" | "push")
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
