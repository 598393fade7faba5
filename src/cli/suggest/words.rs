//! Words of `gh`, `bd`, `br`, `git-bug`, GitHub and Linear, and what does the same here.

/// Verbs of others, each group with the line that replaces them: `*` is all that follows, `{1}` and `{2}` are its
/// arguments, `{2..}` the second and later ones, and `{2*}` those as one text. Without any of these, what follows stays
/// behind the line.
///
/// Of several lines, with `|` between them, the first that fits the arguments counts. An empty line is help: what they do has
/// no counterpart, or destroys something there.
pub(super) const VERBS: [(&str, &str); 80] = [
    // Show, end, begin.
    ("view get cat display describe details read", "show"),
    ("state", "show {1}"),
    ("rm remove trash", "delete"),
    ("undelete untrash recover", "restore"),
    ("finish complete completed resolved finished", "done"),
    ("landed", "list --landed"),
    ("wontfix", "done * -r wontfix"),
    ("reject decline", "done {1} -r rejected|done {1} -r {2*}"),
    ("cancel", "done * -r cancelled"),
    ("duplicate", "dep add * -t duplicates"),
    ("take begin pick grab pickup work assign-me", "start"),
    ("develop branch checkout switch", "start * --branch"),
    ("unassign", "assign {1} none"),
    ("give-up abandon drop yield", "stop"),
    ("pause hold later sleep", "defer"),
    ("snooze postpone", "defer {1} --until {2}|defer"),
    ("undefer resume unpause unsnooze wake unhold", "unblock"),
    ("open uncomplete undone", "reopen"),
    // Say and find.
    ("comments", "show {1}|note {1} {2*}"),
    ("remember annotate memo memory learn", "note {1} {2*}"),
    ("reply respond", "answer"),
    ("question", "ask"),
    ("questions pending mail messages notifications", "inbox"),
    ("find query lookup fts", "search"),
    ("todo next available unblocked queue", "ready"),
    ("count summary overview dashboard home", "status"),
    ("metrics velocity burndown", "stats"),
    ("tree map", "graph"),
    (
        "children subtasks subissues sub-issues",
        "list --parent {1}",
    ),
    ("epics", "list -t epic"),
    ("stale", "list --stale 14d"),
    ("mine", "list --mine"),
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
        "user users authors contributors persons members actors assignees who",
        "people",
    ),
    (
        "history activity events timeline changes audit recent",
        "log",
    ),
    ("revert rollback", "undo"),
    ("redo", "help undo"),
    // Fields and links.
    ("set modify change mod", "update"),
    ("reparent refile", "update {1} --parent {2}"),
    ("retitle title", "update {1} --title {2*}"),
    ("retype type", "update {1} -t {2}"),
    ("due", "update {1} --due {2}"),
    ("pin", "update * -s pinned"),
    ("unpin", "update * -s open"),
    ("promote", "update {1} -t epic"),
    ("tag", "label"),
    ("untag unlabel", "label {1} --rm {2..}"),
    ("owner delegate", "assign"),
    ("prio", "priority"),
    ("depend depends needs requires", "link"),
    ("unlink undepend", "dep rm"),
    ("deps dependency dependencies", "dep tree"),
    ("relate", "dep add * -t related"),
    ("blocks blocking", "dep add {2} {1}"),
    ("unrelate", "dep rm"),
    ("cycles", "dep cycles"),
    ("watch-issue follow tail monitor", "watch"),
    // The store as a whole.
    ("merge", "sync"),
    ("upload publish", "push"),
    ("download", "pull"),
    ("dump backup", "export"),
    ("html page", "export --html"),
    ("load migrate", "import"),
    ("validate verify repair check", "doctor"),
    ("info path root", "where"),
    ("quickstart tutorial tour example", "demo"),
    ("onboard agents", "setup"),
    ("bootstrap", "init"),
    ("completions", "completion"),
    ("commit trailer", "commit-msg"),
    ("upgrade", "version"),
    ("man-pages manual docs", "man"),
    ("config configuration preferences", "settings"),
    (
        "react vote upvote like star lock unlock transfer milestone project cycle sprint archive estimate attach subscribe \
         unsubscribe bug daemon daemons web webui ui tui termui serve server cleanup clean compact gc rebase stash \
         wipe reset install forget admin daily login auth bridge select deselect fix lint template worktree",
        "",
    ),
];

/// Words of others below one of the verbs here, as in `dep list`, and the line that replaces them.
pub(super) const NESTED: [(&str, &str, &str); 6] = [
    ("dep", "list ls show", "dep tree {1}"),
    ("dep", "link new create", "dep add"),
    ("dep", "delete unlink", "dep rm"),
    ("hooks", "remove rm", "hooks uninstall"),
    ("hooks", "list ls", "hooks status"),
    ("hooks", "add setup", "hooks install"),
];

/// Words that others write between a verb of ours, or of theirs, and its arguments, and the line that replaces both.
pub(super) const BETWEEN: [(&str, &str, &str); 3] = [
    ("comment comments note", "add new create", "note"),
    ("comment comments", "list ls show", "show"),
    (
        "label labels",
        "create new delete remove edit",
        "help label",
    ),
];

/// Arguments that others write behind a verb, and the option that takes them here.
pub(super) const ARGUMENTS: [(&str, &str); 2] = [
    ("push pull fetch sync", "--remote"),
    ("list ready board", "--where"),
];

/// Words that others write behind a verb for a list of all there is, and the verb that replaces both.
pub(super) const LISTS: [(&str, &str, &str); 3] = [
    ("label labels", "list ls show all", "labels"),
    ("types", "list ls show all", "types"),
    ("people", "list ls show all", "people"),
];

/// Options of others at the verbs that are named (at all where none is), and what replaces them: an option, perhaps with a
/// value; nothing, where the value is an argument; or a verb, where another one does it.
pub(super) const OPTIONS: [(&str, &str, &str); 46] = [
    // At the verbs that change an issue.
    ("create q", "--title --name --summary", ""),
    (
        "update",
        "--label --labels --set-labels --set-label --tag --tags --add-labels --add-tag -l",
        "--add-label",
    ),
    (
        "update",
        "--remove-label --remove-labels --del-label --unlabel --rm-labels",
        "--rm-label",
    ),
    ("update", "--claim --start --take", "start"),
    ("update", "--unclaim --release --unassign --stop", "stop"),
    ("update", "--close --done --complete", "done"),
    ("update", "--reopen", "reopen"),
    ("update", "--comment --note --add-comment --finding", "note"),
    ("update", "--add-assignee --assign", "--assignee"),
    (
        "update create",
        "--snooze --hide --until --defer-until",
        "--defer",
    ),
    (
        "update create",
        "--deadline --due-date --due-on --due-at",
        "--due",
    ),
    ("update", "--append-notes", "--notes"),
    ("update", "--name --summary", "--title"),
    (
        "create",
        "--deps --depends-on --blocked-by --needs --dep",
        "--on",
    ),
    ("create", "--epic --parent-id", "--parent"),
    ("create", "--body-file --from", "--file"),
    ("create", "--claim --take", "--start"),
    // At any verb that has the option.
    ("", "--body --desc --text -b", "--description"),
    ("", "--acceptance-criteria --criteria", "--acceptance"),
    ("", "--labels --tag --tags", "--label"),
    (
        "",
        "--assign --assigned --assigned-to --owner --user --for",
        "--assignee",
    ),
    ("", "--issue-type --kind", "--type"),
    ("", "--prio --severity --pri --urgency", "--priority"),
    ("", "--state", "--status"),
    ("", "--external --ext-ref --ref", "--external-ref"),
    (
        "done",
        "--message -m --comment -c --because --note --resolution --body",
        "--reason",
    ),
    (
        "stop reopen block defer delete",
        "--message -m --comment -c --because --note",
        "--reason",
    ),
    ("note", "--text --body --message -m --note -b", "--comment"),
    // At the verbs that list.
    (
        "list",
        "--search -S --query --text --grep --title --title-contains --desc-contains --contains",
        "search",
    ),
    (
        "search",
        "--title --text --query --search -S --title-contains --desc-contains",
        "",
    ),
    ("list", "--closed", "--status closed"),
    ("list ready board search", "--open", "--status open"),
    (
        "list ready board search",
        "--unassigned --no-assignee",
        "--assignee none",
    ),
    ("list ready board search", "--me --my", "--mine"),
    (
        "list ready board search",
        "--after --from --updated-after --updated-since",
        "--since",
    ),
    (
        "",
        "--max --count --num --first --top --max-count",
        "--limit",
    ),
    ("", "--skip --start-at", "--offset"),
    ("", "--order --order-by --sort-by", "--sort"),
    ("list", "--pretty --nested", "--tree"),
    ("log", "--after", "--since"),
    ("log", "--before", "--until"),
    ("defer", "--to --date --for --defer", "--until"),
    ("start", "--checkout --switch -b", "--branch"),
    ("start", "-c", ""),
    (
        "log list ready board search",
        "--by --creator --created-by --opened-by --reporter",
        "--author",
    ),
    ("", "--dir --repo -R", "-C"),
];

/// Words for a state, and the line that brings an issue there: `{1}` is the issue.
pub(super) const STATES: [(&str, &str); 5] = [
    (
        "done closed close complete completed finished resolved",
        "done {1}",
    ),
    (
        "in_progress in-progress doing started progress wip",
        "start {1}",
    ),
    ("open todo backlog", "update {1} -s open"),
    ("blocked waiting", "block {1}"),
    ("deferred later paused", "defer {1}"),
];
/// Verbs that bring an issue to a state.
pub(super) const MOVES: [&str; 4] = ["move", "mv", "transition", "set-state"];

/// Verbs that take something away: a misspelling leads to their help, and to nothing else.
pub(super) const REMOVES: [&str; 4] = ["delete", "purge", "redact", "uninstall"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::program::command;
    use crate::cli::suggest::line::{names, options};
    use crate::cli::verbs::VERBS as OURS;

    #[test]
    fn each_row_leads_from_a_word_that_is_not_ours_to_one_that_is() {
        let root = command(&OURS);
        let ours = names(&root);
        let is_ours = |word: &str| ours.iter().any(|name| name == word);
        for (theirs, line) in VERBS {
            let taken = theirs.split_whitespace().find(|word| is_ours(word));
            assert_eq!(taken, None, "a verb of ours is no word of others");
            let verb = line.split(' ').next().unwrap();
            assert!(verb.is_empty() || is_ours(verb), "{verb}");
        }
        let mut all: Vec<&str> = VERBS
            .iter()
            .flat_map(|(theirs, _)| theirs.split_whitespace())
            .collect();
        all.sort_unstable();
        assert!(
            all.windows(2).all(|two| two[0] != two[1]),
            "no word is in two rows"
        );
        for (_, line) in STATES {
            assert!(is_ours(line.split(' ').next().unwrap()), "{line}");
        }
        for (verbs, _, line) in LISTS {
            assert!(verbs.split(' ').chain([line]).all(is_ours), "{line}");
        }
        for (verb, _, line) in NESTED {
            let below = names(root.find_subcommand(verb).unwrap());
            assert!(
                below
                    .iter()
                    .any(|name| line.split(' ').nth(1) == Some(name)),
                "{line}"
            );
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
            assert!(
                option.is_empty() || option.starts_with('-') || is_ours(option),
                "{option}"
            );
        }
    }
}
