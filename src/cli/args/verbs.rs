//! The verbs, in groups: clap makes up a whole enumeration at once, and a command line names one verb.

use clap::Subcommand;

use super::*;

/// What a command line asks for.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Verb {
    #[command(flatten)]
    Work(WorkVerb),
    #[command(flatten)]
    Change(ChangeVerb),
    #[command(flatten)]
    Look(LookVerb),
    #[command(flatten)]
    Exchange(ExchangeVerb),
    #[command(flatten)]
    Keep(KeepVerb),
    #[command(flatten)]
    Plain(PlainVerb),
}

/// What a day is made of.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum WorkVerb {
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
}

/// What changes issues otherwise.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum ChangeVerb {
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
    /// Change the prefix of new ids, for everybody
    RenamePrefix(RenamePrefixArgs),
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
}

/// What shows where things stand and how they came there.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum LookVerb {
    /// Show where things stand
    Status(QueryArgs),
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
}

/// What exchanges with others, and settles what came of it.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum ExchangeVerb {
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
    Purge(PurgeArgs),
}

/// What the store and its neighbours need.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum KeepVerb {
    /// Take over issues from a file of bd or br
    Import(ImportArgs),
    /// Write issues as bd JSONL, as a table, or as a page for a browser
    Export(Box<ExportArgs>),
    /// Look for damage, and mend it (`--fix`)
    #[command(visible_alias = "fsck")]
    Doctor(DoctorArgs),
    /// Take everything out of this repository but the issues
    Uninstall(UninstallArgs),
    /// Say which repository, ref and index answer here
    Where,
    /// Tell an agent of the issues, and take it back
    Setup(SetupArgs),
    /// Let git keep the index warm, and exchange along with you (`--sync`)
    #[command(subcommand)]
    Hooks(HooksVerb),
    /// What git's hooks and this program itself start beside the user
    #[command(hide = true)]
    Hook(HookArgs),
}

/// What needs no store.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum PlainVerb {
    /// Serve the issues to agents (Model Context Protocol)
    Mcp(McpArgs),
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
    /// What can follow on a command line, for the completion scripts
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArgs),
}

impl Verb {
    /// The verb that a word names, and what it takes. Groups that are not needed are not made up.
    pub(in crate::cli) fn named(word: &std::ffi::OsStr) -> Option<clap::Command> {
        type Group = (fn(&str) -> bool, fn(clap::Command) -> clap::Command);
        let groups: [Group; 6] = [
            (WorkVerb::has_subcommand, WorkVerb::augment_subcommands),
            (ChangeVerb::has_subcommand, ChangeVerb::augment_subcommands),
            (LookVerb::has_subcommand, LookVerb::augment_subcommands),
            (
                ExchangeVerb::has_subcommand,
                ExchangeVerb::augment_subcommands,
            ),
            (KeepVerb::has_subcommand, KeepVerb::augment_subcommands),
            (PlainVerb::has_subcommand, PlainVerb::augment_subcommands),
        ];
        let find = |(_, verbs): &Group| {
            verbs(clap::Command::default())
                .find_subcommand(word)
                .cloned()
        };
        let named = word
            .to_str()
            .and_then(|word| groups.iter().find(|(has, _)| has(word)));
        // Aliases are known to the groups alone.
        named
            .and_then(find)
            .or_else(|| groups.iter().find_map(find))
    }
}
