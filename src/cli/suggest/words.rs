//! Words of git, `gh`, `bd`, `br`, `git-bug`, GitHub, Jira, Linear, Backlog.md and Taskwarrior, and what does the same here.

/// Words that others write in front of the verb.
pub(super) const PROGRAMS: &str = "issue issues task tasks ticket tickets card cards item items workitem workitems work-item beads bd br gh git jira linear backlog glab acli tea hub";

/// Verbs of others, each group with the line that replaces them: `*` is all that follows, `{1}` and `{2}` are its
/// arguments, `{2..}` the second and later ones, and `{2*}` those as one text (`{1*}` all of them). Without any of these, what
/// follows stays behind the line; only behind `help` it does not.
///
/// Of several lines, with `|` between them, the first that fits the arguments counts.
pub(super) const VERBS: &[(&str, &str)] = &[
    // Show, end, begin.
    ("view get cat display describe details read", "show"),
    ("state url link-to", "show"),
    ("rm remove trash del destroy", "delete"),
    ("undelete untrash recover", "restore"),
    ("finish complete completed resolved finished", "done"),
    ("landed", "list --landed"),
    ("wontfix", "done * -r wontfix"),
    ("reject decline", "done {1} -r rejected|done {1} -r {2*}"),
    ("cancel", "done * -r cancelled"),
    ("duplicate", "dep add {1} {2} -t duplicates|help dep"),
    (
        "duplicates dupes dup find-duplicates",
        "dep add {1} {2} -t duplicates|help dep",
    ),
    (
        "supersede supersedes superseded",
        "dep add {2} {1} -t supersedes|help dep",
    ),
    (
        "take begin pick grab pickup work assign-me resume-work",
        "start",
    ),
    ("develop branch checkout switch", "start * --branch"),
    ("unassign", "assign {1} none"),
    ("give-up abandon drop yield", "stop"),
    ("pause hold later sleep", "defer"),
    ("snooze postpone", "defer {1} --until {2}|defer"),
    ("undefer resume unpause unsnooze wake unhold", "unblock"),
    ("open uncomplete undone", "reopen"),
    // Say and find.
    ("comments notes", "show {1}|note {1} {2*}"),
    ("annotate memo learn", "note {1} {2*}|help note"),
    ("remember", "note {1} {2*}|help note"),
    ("memories recall memory", "search *|help search"),
    (
        "denotate forget decision decisions finding findings",
        "help note",
    ),
    ("commits", "show {1}|list --landed"),
    ("demote", "update {1} -t task|help update"),
    ("draft drafts", "help create"),
    ("steal takeover take-over seize", "help start"),
    (
        "append add-note addnote",
        "update {1} --append-notes {2*}|help update",
    ),
    ("prepend describe-issue", "help update"),
    ("reply respond", "answer"),
    ("question questions-ask", "ask"),
    (
        "questions pending mail messages notifications asks",
        "inbox",
    ),
    ("human humans", "list --waiting"),
    ("find lookup fts", "search"),
    ("query filter jql", "list -w {1*}|queries"),
    ("mergetool", "conflicts"),
    ("difftool", "log -p"),
    ("cat-file", "show"),
    ("ls-tree", "list"),
    ("ls-remote", "where"),
    ("sparse-tree", "search"),
    ("long ls-files", "list"),
    ("capture jot", "create {1*}|help create"),
    ("clock punch", "help stats"),
    (
        "todo todos todo-list next next-action next-actions available unblocked queue actionable backlog minimal triage",
        "ready",
    ),
    ("count summary overview dashboard home", "status"),
    (
        "active doing wip in-progress in_progress current started",
        "list -s in_progress",
    ),
    ("waiting", "list --waiting"),
    ("deferred snoozed paused", "list -s deferred"),
    ("overdue late", "list --overdue"),
    ("due-soon calendar cal agenda upcoming", "list --due 7d"),
    ("newest recent-issues", "list --sort created"),
    ("oldest", "list --sort oldest"),
    ("ids uuids", "list -q"),
    ("orphans", "list --landed"),
    ("deleted", "list --deleted"),
    ("statuses states workflow", "help update"),
    ("projects components", "labels"),
    (
        "metrics velocity burndown burnup ghistory burndown.daily burndown.weekly cycle-time throughput",
        "stats",
    ),
    (
        "tree map sequence sequences roadmap gantt timeline-view",
        "graph",
    ),
    (
        "children subtasks subissues sub-issues",
        "list --parent {1}",
    ),
    ("stale", "list --stale 14d"),
    ("mine my", "list --mine"),
    ("closed", "list -s closed"),
    ("all", "list --all"),
    ("unassigned", "list -a none"),
    ("board-view kanban", "board"),
    (
        "news updates unread changelog digest catch-up catchup whatsnew what-changed",
        "whats-new",
    ),
    ("tags", "labels"),
    ("kinds issue-types issuetypes", "types"),
    (
        "user users authors contributors persons member members actors assignees who team teams shortlog",
        "people",
    ),
    (
        "history activity events timeline changes audit recent reflog journal standup daily",
        "log",
    ),
    ("revert rollback", "undo"),
    ("reset", "help undo"),
    ("redo", "help undo"),
    // Fields and links.
    ("set modify change mod", "update"),
    (
        "reparent refile parent",
        "update {1} --parent {2}|help update",
    ),
    (
        "subtask sub-task subissue sub-issue child checklist",
        "create {2*} --parent {1}|help create",
    ),
    ("mv", "rename {1} {2}|help rename"),
    ("move transition set-state set-status", "help update"),
    ("retitle title", "update {1} --title {2*}|help update"),
    ("retype type", "update {1} -t {2}|help update"),
    ("due deadline schedule", "update {1} --due {2}|help update"),
    ("pin", "update * -s pinned"),
    ("unpin", "update * -s open"),
    ("promote", "update {1} -t epic"),
    ("tag", "label"),
    ("untag unlabel", "label {1} --rm {2..}|help label"),
    ("owner delegate reassign", "assign"),
    ("prio severity urgency bump", "priority"),
    ("depend depends needs requires", "link"),
    ("unlink undepend", "dep rm"),
    ("deps dependency dependencies", "dep tree"),
    ("relate", "dep add * -t related"),
    ("blocks blocking", "dep add {2} {1}|help dep"),
    ("blocked-by blockedby", "dep add {1} {2}|blocked"),
    ("unrelate", "dep rm"),
    ("cycles", "dep cycles"),
    ("watch-issue follow tail monitor listen", "watch"),
    ("tui termui interactive", "ui"),
    ("web webui gui server browse browser", "serve"),
    // The store as a whole.
    ("upload publish", "push"),
    ("download", "pull"),
    ("dump backup", "export"),
    ("html page", "export --html"),
    ("csv", "export --csv"),
    ("load migrate", "import"),
    (
        "validate verify repair check diagnose diagnostics health preflight ping lint",
        "doctor",
    ),
    ("info information", "show {1}|where"),
    (
        "path root rev-parse show-ref for-each-ref whoami me id identity remote remotes serverinfo repo repository",
        "where",
    ),
    ("quickstart tutorial tour example", "demo"),
    ("onboard agents install", "setup"),
    ("instructions rules", "prime"),
    ("bootstrap", "init"),
    ("completions", "completion"),
    ("trailer", "commit-msg"),
    ("upgrade", "version"),
    ("man-pages manual docs", "man"),
];

/// What others have and this program does not.
pub(super) struct Absent {
    /// Its names, as a verb or an option.
    pub(super) words: &'static str,
    /// What is said of it, in front of the line.
    pub(super) said: &'static str,
    /// What is nearest to it, as in [`VERBS`].
    pub(super) line: &'static str,
}

/// What others have and this program does not: no line does the same.
pub(super) const ABSENT: [Absent; 31] = [
    Absent {
        words: "alias aliases",
        said: "there are no aliases; what is asked often can be saved as a query",
        line: "queries",
    },
    Absent {
        words: "config configuration preferences",
        said: "settings are set with `git config beads.NAME VALUE`",
        line: "settings",
    },
    Absent {
        words: "milestone milestones sprint sprints cycle iteration iterations releases project version-plan",
        said: "there are no milestones, sprints or projects; an epic or a label such as `milestone:2.0` holds issues together",
        line: "list -t epic",
    },
    Absent {
        words: "estimate estimates points story-points effort worklog log-time time times timer track timesheet spent",
        said: "there are no estimates and no working times; how long issues take is measured",
        line: "stats",
    },
    Absent {
        words: "attach attachment attachments upload-file file files doc document documents",
        said: "there are no attachments; a text or an address belongs into a note",
        line: "help note",
    },
    Absent {
        words: "subscribe unsubscribe notify mute",
        said: "there are no subscriptions; what is new for you is shown by",
        line: "whats-new",
    },
    Absent {
        words: "react vote upvote like star favorite favourite thumbs-up",
        said: "there are no votes; a comment says it",
        line: "help note",
    },
    Absent {
        words: "lock unlock",
        said: "issues can't be locked; a claim keeps others from working on one",
        line: "help start",
    },
    Absent {
        words: "copy cp",
        said: "no verb copies an issue; what another one can be made of is shown by",
        line: "show {1}|help create",
    },
    Absent {
        words: "transfer",
        said: "an issue can't be moved to another repository, but exported and imported there",
        line: "help export",
    },
    Absent {
        words: "archive unarchive",
        said: "there is no archive; a closed issue is in no list",
        line: "done {1}|list -s closed",
    },
    Absent {
        words: "daemon daemons",
        said: "there is no daemon; issues are exchanged by",
        line: "sync",
    },
    Absent {
        words: "cleanup clean compact gc prune vacuum optimize optimise flatten maintenance",
        said: "nothing has to be cleaned up; whether all is well is said by",
        line: "doctor",
    },
    Absent {
        words: "commit stage amend",
        said: "each change is committed at once, apart from your files; it is sent by",
        line: "sync",
    },
    Absent {
        words: "merge rebase cherry-pick merge-base merge-file octopus rerere",
        said: "issues have no branches; those of all clones are merged by",
        line: "sync",
    },
    Absent {
        words: "stash shelve unshelve",
        said: "nothing of an issue has to be put aside, as each change is kept at once; what is for later is put off by",
        line: "help defer",
    },
    Absent {
        words: "bisect rev-list whatchanged range-diff show-branch describe-commit",
        said: "issues have no commits of their own to look through; what has changed is shown by",
        line: "log",
    },
    Absent {
        words: "bundle format-patch am apply request-pull send-email pack-objects fast-export",
        said: "changes of issues go to a remote, or where none takes them, to a file in your branch",
        line: "help carry",
    },
    Absent {
        words: "submodule subtree sparse-checkout lfs filter-branch filter-repo replace",
        said: "issues are no files; where they are is shown by",
        line: "where",
    },
    Absent {
        words: "wipe nuke",
        said: "what removes the issues of a repository is in",
        line: "help uninstall",
    },
    Absent {
        words: "auth login logout register signup account",
        said: "there are no accounts; you are who git says",
        line: "where",
    },
    Absent {
        words: "bridge federation integration integrations webhook webhooks github gitlab sync-github",
        said: "there is no bridge to other trackers; files of theirs can be read",
        line: "help import",
    },
    Absent {
        words: "select deselect use focus",
        said: "without an ID, the issue of the current branch is meant",
        line: "start {1} --branch|help start",
    },
    Absent {
        words: "fix",
        said: "to work on an issue",
        line: "start {1}|ready",
    },
    Absent {
        words: "template templates",
        said: "a template is a file that `create --template NAME` reads",
        line: "help create",
    },
    Absent {
        words: "worktree worktrees workspace workspaces",
        said: "all work trees of a repository share its issues",
        line: "where",
    },
    Absent {
        words: "recurring recur repeat",
        said: "issues don't recur; a date hides one until then",
        line: "help defer",
    },
    Absent {
        words: "pr pull-request pullrequest mr",
        said: "a pull request is named when an issue is closed",
        line: "help done",
    },
    Absent {
        words: "sql database db dolt vc kv",
        said: "there is no database to query; lists take queries",
        line: "queries",
    },
    Absent {
        words: "gate swarm mol molecule formula cook pour wisp slot",
        said: "there are no workflows of this kind; an epic is split into children",
        line: "help split",
    },
    Absent {
        words: "admin",
        said: "there is nothing to administer; whether all is well is said by",
        line: "doctor",
    },
];

/// Words that others write between the arguments of a verb: the verbs, and the words, which mean nothing here.
pub(super) const FILLERS: [(&str, &str); 2] = [
    (
        "supersede duplicate duplicates relate depend depends needs requires blocks blocking link assign dep",
        "--with --of --to --into on to with of as by",
    ),
    ("checkout switch branch develop", "-b -c -B"),
];

/// Verbs of others that mean something else without arguments.
pub(super) const ALONE: [(&str, &str); 3] = [
    ("completed resolved finished", "list -s closed"),
    ("open", "list -s open"),
    ("tag", "labels"),
];

/// Verbs that others write in front of an issue that is the same as another one, and whether they end it.
pub(super) const DUPLICATES: [(&str, bool); 2] = [
    ("close done complete finish resolve cancel merge", true),
    ("mark set update edit flag link dep relate", false),
];
/// Words between these issues.
pub(super) const DUPLICATE: &str = "as a an the is of into in --as --of --into dup dupe duplicate duplicates duplicated dup-of duplicate-of --dup --dup-of --duplicate --duplicates --duplicate-of --as-duplicate --as-duplicate-of -r --reason -d add";

/// Verbs that list, and the option for what they list; their tables are written by `export`.
pub(super) const TABLES: [(&str, &str); 3] = [
    ("list ls export", ""),
    ("ready", "-w is:ready"),
    ("blocked", "-w is:blocked"),
];

/// A tracker whose issues come by a file.
pub(super) struct OtherTracker {
    /// Its names.
    pub(super) words: &'static str,
    pub(super) title: &'static str,
    /// How the file is made.
    pub(super) way: &'static str,
    pub(super) file: &'static str,
}

/// Trackers whose files `import` knows.
pub(super) const TRACKERS: [OtherTracker; 4] = [
    OtherTracker {
        words: "github gh github.com",
        title: "GitHub",
        way: "gh issue list --state all --json number,title,body,state,stateReason,labels,assignees,author,milestone,comments,url,createdAt,updatedAt,closedAt > gh.json",
        file: "gh.json",
    },
    OtherTracker {
        words: "jira atlassian",
        title: "Jira",
        way: "Export > Export Excel CSV (all fields) in its issue navigator",
        file: "jira.csv",
    },
    OtherTracker {
        words: "linear linear.app",
        title: "Linear",
        way: "Settings > Import/Export > Export CSV",
        file: "linear.csv",
    },
    OtherTracker {
        words: "gitlab gitlab.com gitea forgejo codeberg bitbucket asana trello notion youtrack redmine bugzilla azure shortcut clickup csv",
        title: "other trackers",
        way: "CSV, of which `--map` names the columns",
        file: "issues.csv --map id=ID,title=Title",
    },
];
/// Verbs that exchange issues, in front of a tracker or behind it, and words between.
pub(super) const EXCHANGES: &str = "import init sync pull push fetch load migrate bridge federation integration integrations mirror connect";
/// Words between such a verb and a tracker.
pub(super) const FROM: &str =
    "from with to add new create configure --from --source --remote --import -r";

/// Types of issues that others write in the place of a verb.
pub(super) const OF_KIND: [(&str, &str); 5] = [
    ("bug bugs defect", "bug"),
    ("feature features enhancement", "feature"),
    ("epic epics", "epic"),
    ("chore chores", "chore"),
    ("story stories", "story"),
];
/// Verbs behind such a type, and what they mean there.
pub(super) const KIND_VERBS: [(&str, &str); 4] = [
    (
        "list ls all status show-all eligible close-eligible open",
        "list",
    ),
    ("create new", "create"),
    ("add", "add"),
    ("remove rm", "remove"),
];

/// Words that others write behind `list`, and the option, or the verb, that means the same.
pub(super) const LISTED: [(&str, &str); 26] = [
    ("open opened todo to-do new", "-s open"),
    (
        "closed done completed complete finished resolved",
        "-s closed",
    ),
    (
        "in-progress wip doing started active current",
        "-s in_progress",
    ),
    ("deferred snoozed paused later", "-s deferred"),
    ("pinned", "-s pinned"),
    ("all everything any", "--all"),
    ("mine my me", "--mine"),
    ("overdue late", "--overdue"),
    ("unassigned", "-a none"),
    ("stale old", "--stale 14d"),
    ("deleted trash", "--deleted"),
    ("waiting human", "--waiting"),
    ("recent newest", "--sort created"),
    ("tree nested", "--tree"),
    ("bug bugs", "-t bug"),
    ("task tasks", "-t task"),
    ("feature features", "-t feature"),
    ("epic epics", "-t epic"),
    ("chore chores", "-t chore"),
    ("story stories", "-t story"),
    ("issue issues ticket tickets view show list ls", ""),
    ("blocked", "blocked"),
    ("ready next available", "ready"),
    ("label labels tags", "labels"),
    ("type types kinds", "types"),
    ("people users assignees team", "people"),
];

/// Fields as others write them behind an issue, `priority:H`, and the option that sets them; none is that of a label.
pub(super) const FIELDS: [(&str, &str); 10] = [
    ("priority prio pri p", "-p"),
    ("due deadline", "--due"),
    ("status state", "-s"),
    ("assignee owner assigned", "-a"),
    ("type kind", "-t"),
    ("wait scheduled defer until hide", "--defer"),
    ("project proj tag tags label labels", ""),
    ("parent epic", "--parent"),
    ("description desc body", "-d"),
    ("title summary", "--title"),
];

/// Two words of others, or the first one of ours, and the line that replaces both: `dep list`, `comment add`, `label list`.
pub(super) const PAIRS: &[(&str, &str, &str)] = &[
    ("dep", "list ls show", "dep tree {1}"),
    ("dep", "link new create", "dep add"),
    ("dep", "relate", "dep add * -t related"),
    ("dep", "delete unlink", "dep rm"),
    ("hooks", "remove rm", "hooks uninstall"),
    ("hooks", "list ls", "hooks status"),
    ("hooks", "add setup", "hooks install"),
    ("comment comments note notes", "add new create", "note"),
    (
        "subtask sub-task subissue sub-issue child checklist",
        "add new create",
        "create {2*} --parent {1}",
    ),
    ("member members", "add set", "assign"),
    ("clock punch", "in start", "start"),
    ("clock punch", "out stop", "stop"),
    ("label labels", "list ls show", "show {1}|labels"),
    ("label labels", "all list-all", "labels"),
    ("comment comments note notes", "list ls show", "show"),
    (
        "release releases",
        "list ls create new view",
        "list -t epic",
    ),
    ("todo todos draft drafts", "add new create", "create"),
    ("todo todos", "done close", "done"),
    ("human humans", "list ls", "list --waiting"),
    ("sequence sequences", "list ls", "graph"),
    ("decision", "add new create", "note {1} --decision {2*}"),
    ("search", "issues", "search"),
    (
        "dolt vc db",
        "push pull sync commit add fetch merge",
        "sync",
    ),
    ("dolt vc db", "status show start stop test", "doctor"),
    ("dolt vc db", "log diff history", "log"),
    ("label labels", "create new edit", "help label"),
    (
        "label labels",
        "delete remove rm",
        "label {1} --rm {2..}|help label",
    ),
    ("board", "list ls show view", "board"),
    ("board", "export", "export"),
    ("inbox", "list ls show", "inbox"),
    ("types", "list ls show all", "types"),
    ("people", "list ls show all", "people"),
];

/// Arguments that others write behind a verb, and the option that takes them here; without one they are left out.
pub(super) const ARGUMENTS: [(&str, &str); 3] = [
    // One at a time.
    ("start", ""),
    ("push pull fetch sync", "--remote"),
    ("list ready board", "--where"),
];

/// Words for a state, and the line that brings an issue there: `{1}` is the issue.
pub(super) const STATES: [(&str, &str); 6] = [
    (
        "done closed close complete completed finished resolved fixed",
        "done {1}",
    ),
    (
        "in-progress doing started start progress wip active working",
        "start {1}",
    ),
    ("open todo to-do backlog", "update {1} -s open"),
    ("reopened", "reopen {1}"),
    ("blocked waiting", "block {1}"),
    ("deferred later paused", "defer {1}"),
];
/// Verbs that bring an issue to a state.
pub(super) const MOVES: &str = "move mv transition set-state set-status todo";

/// Verbs that take something away: a misspelling leads to their help, and to nothing else.
pub(super) const REMOVES: [&str; 4] = ["delete", "purge", "redact", "uninstall"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::argv::command;
    use crate::cli::suggest::line::options;
    use crate::cli::suggest::parts::names;
    use crate::cli::suggest::their_options::{NOTHING, OPTIONS};
    use crate::cli::verbs::VERBS as OURS;

    #[test]
    fn each_row_leads_from_a_word_that_is_not_ours_to_one_that_is() {
        let root = command(&OURS);
        let ours = names(&root);
        let is_ours = |word: &str| ours.iter().any(|name| name == word);
        for (theirs, line) in VERBS {
            let taken = theirs.split_whitespace().find(|word| is_ours(word));
            assert_eq!(taken, None, "a verb of ours is no word of others");
            for line in line.split('|') {
                let verb = line.strip_prefix("help ").unwrap_or(line);
                assert!(is_ours(verb.split(' ').next().unwrap()), "{line}");
            }
        }
        let mut all: Vec<&str> = VERBS
            .iter()
            .map(|(theirs, _)| *theirs)
            .chain(ABSENT.iter().map(|row| row.words))
            .chain(OF_KIND.iter().map(|(theirs, _)| *theirs))
            .flat_map(str::split_whitespace)
            .collect();
        all.sort_unstable();
        assert!(
            all.windows(2).all(|two| two[0] != two[1]),
            "no word is in two rows"
        );
        for row in &ABSENT {
            for line in row.line.split('|') {
                let verb = line.strip_prefix("help ").unwrap_or(line);
                assert!(is_ours(verb.split(' ').next().unwrap()), "{line}");
            }
        }
        for (_, line) in STATES {
            assert!(is_ours(line.split(' ').next().unwrap()), "{line}");
        }
        for (_, _, lines) in PAIRS {
            for line in lines.split('|') {
                let line = line.strip_prefix("help ").unwrap_or(line);
                let (verb, below) = line.split_once(' ').unwrap_or((line, ""));
                assert!(is_ours(verb), "{line}");
                let verbs = names(root.find_subcommand(verb).unwrap());
                let below = below.split(' ').next().unwrap().to_owned();
                assert!(verbs.is_empty() || verbs.contains(&below), "{line}");
            }
        }
        for (verbs, _, ours) in OPTIONS {
            let option = ours.split(' ').next().unwrap();
            let takes = |verb: &str| {
                options(root.find_subcommand(verb).unwrap()).contains(&option.to_owned())
            };
            let verbs: Vec<&str> = verbs.split_whitespace().collect();
            assert!(
                !option.starts_with('-')
                    || verbs.is_empty()
                    || verbs.iter().any(|verb| takes(verb)),
                "{verbs:?} {option}"
            );
            let is_option = option.is_empty() || option.starts_with('-') || option == NOTHING;
            assert!(is_option || is_ours(option), "{option}");
        }
    }
}
