//! What users of other tools type, each with the command that the hint of its error is.

use crate::support::{World, samples};

/// What is typed, and the command that the hint is.
const GUESSES: &[(&str, &str)] = &[
    // What a newcomer has typed.
    ("update X --label a", "update X --add-label a"),
    ("update X --labels a", "update X --add-label a"),
    ("update X --set-labels a", "update X --add-label a"),
    ("list --state closed", "list --status closed"),
    ("create --title T", "create T"),
    ("update X --claim", "start X"),
    ("unassign X", "assign X none"),
    ("move X done", "done X"),
    ("react X +1", "help note"),
    ("pause X", "defer X"),
    ("stale", "list --stale 14d"),
    ("relate A B", "dep add A B -t related"),
    ("mine", "list --mine"),
    ("bug", "list -t bug"),
    ("daemon", "sync"),
    ("web", "export --html issues.html"),
    ("ui", "export --html issues.html"),
    ("list --format x", "help list"),
    ("list --title K", "search K"),
    ("merge", "sync"),
    ("list --created-by alice", "list --author alice"),
    ("deps X", "dep tree X"),
    ("todo", "ready"),
    ("next", "ready"),
    ("history", "log"),
    ("tree", "graph"),
    ("tag X a", "label X a"),
    ("view X", "show X"),
    ("open X", "reopen X"),
    ("craete T", "create T"),
    // gh issue and GitHub.
    ("issue list", "list"),
    ("issue view X", "show X"),
    ("issue X", "show X"),
    ("issue create T --body b", "create T --body b"),
    ("issue create --title T --body b", "create T --body b"),
    ("issues", "list"),
    ("gh issue close X", "close X"),
    ("close X --comment c", "close X --reason c"),
    ("close X -c c", "close X --reason c"),
    ("develop X", "start X --branch"),
    ("develop X -c", "start X --branch"),
    ("issue create -t T -b b -l ui", "create T -b b -l ui"),
    ("list --state all", "list --all"),
    ("list --state=all -l a", "list --all -l a"),
    ("pin X", "update X -s pinned"),
    ("unpin X", "update X -s open"),
    ("lock X", "help start"),
    ("transfer X other", "help export"),
    ("list --search words", "search words"),
    ("list -S words", "search words"),
    ("list --assigned-to bob", "list --assignee bob"),
    (
        "list --limit=3 --state=open",
        "list --limit=3 --status=open",
    ),
    ("create T --assign bob", "create T --assignee bob"),
    ("create T --milestone m", "create T --label m"),
    ("edit X --add-label a", "update X --add-label a"),
    ("issue edit X --remove-label a", "update X --rm-label a"),
    ("update X --remove-label a", "update X --rm-label a"),
    ("update X --add-assignee bob", "update X --assignee bob"),
    ("milestone", "list -t epic"),
    ("project", "list -t epic"),
    ("subscribe X", "whats-new"),
    ("star X", "help note"),
    ("news", "whats-new"),
    ("unread", "whats-new"),
    ("label list", "labels"),
    ("gh label list", "labels"),
    ("label list --json", "labels --json"),
    ("labels list", "labels"),
    ("labels list --limit 3", "help labels"),
    ("label ls", "labels"),
    ("tag list", "labels"),
    ("tags", "labels"),
    ("kinds", "types"),
    ("types list", "types"),
    ("issue types", "types"),
    ("users", "people"),
    ("authors", "people"),
    ("user ls", "people"),
    ("type X bug", "update X -t bug"),
    ("label X", "help label"),
    // bd and br.
    ("bd ready", "ready"),
    ("update X --unclaim", "stop X"),
    ("update X --close", "done X"),
    ("create T --deps X", "create T --on X"),
    ("create T --depends-on X", "create T --on X"),
    ("create T --parent-id X", "create T --parent X"),
    ("create T --body-file f", "create T --file f"),
    ("create T --prio 1", "create T --priority 1"),
    ("list --pretty", "list --tree"),
    ("list --closed", "list --status closed"),
    ("list --unassigned", "list --assignee none"),
    ("list --updated-after 3d", "list --since 3d"),
    ("ready --unassigned", "ready --assignee none"),
    ("ready --max 3", "ready --limit 3"),
    ("children X", "list --parent X"),
    ("epics", "list -t epic"),
    ("duplicate A B", "dep add A B -t duplicates"),
    ("unrelate A B", "dep rm A B"),
    ("dep list X", "dep tree X"),
    ("dep remov A B", "dep remove A B"),
    ("dep xyzzy A", "help dep"),
    ("undefer X", "unblock X"),
    ("count", "status"),
    ("comments X", "show X"),
    ("comments X t", "note X t"),
    ("comments add X t", "note X t"),
    ("remember X t", "note X t"),
    ("remember t", "help note"),
    ("blocks A B", "dep add B A"),
    ("blocks A", "help dep"),
    ("forget X", "help note"),
    ("compact", "doctor"),
    ("cleanup", "doctor"),
    ("reset", "help undo"),
    ("daemons", "sync"),
    ("config", "settings"),
    ("help config", "help settings"),
    ("help view", "help show"),
    ("info", "where"),
    ("validate", "doctor"),
    ("repair", "doctor"),
    ("onboard", "setup"),
    ("quickstart", "demo"),
    ("completions bash", "completion bash"),
    ("reparent X Y", "update X --parent Y"),
    ("promote X", "update X -t epic"),
    ("backup", "export"),
    ("migrate f", "import f"),
    ("cycles", "dep cycles"),
    ("graph --xyzzy", "help graph"),
    // git-bug.
    ("webui", "export --html issues.html"),
    ("termui", "board --watch"),
    ("bridge", "help import"),
    ("user", "people"),
    ("wipe", "help uninstall"),
    ("select X", "start X --branch"),
    ("title X a new title", "update X --title 'a new title'"),
    // Linear, and plain words.
    ("mv X in-progress", "start X"),
    ("move X todo", "update X -s open"),
    ("move X elsewhere", "help update"),
    ("snooze X", "defer X"),
    ("snooze X 3d", "defer X --until 3d"),
    ("reject X", "done X -r rejected"),
    ("reject X too vague", "done X -r 'too vague'"),
    ("push origin main", "push --remote origin"),
    ("state X", "show X"),
    ("postpone X", "defer X"),
    ("snooze X --for 3d", "defer X --until 3d"),
    ("resume X", "unblock X"),
    ("begin X", "start X"),
    ("take X", "start X"),
    ("pick X", "start X"),
    ("give-up X", "stop X"),
    ("abandon X", "stop X"),
    ("cancel X", "done X -r cancelled"),
    ("wontfix X", "done X -r wontfix"),
    ("finish X -m why", "done X --reason why"),
    ("recover X", "restore X"),
    ("trash X", "delete X"),
    ("due X 3d", "update X --due 3d"),
    ("due X", "help update"),
    ("estimate X 3", "stats"),
    ("archive X", "done X"),
    ("cycle", "list -t epic"),
    ("sprint", "list -t epic"),
    ("kanban", "board"),
    ("dashboard", "status"),
    ("burndown", "stats"),
    ("timeline X", "log X"),
    ("audit X", "log X"),
    ("rollback", "undo"),
    ("redo", "help undo"),
    ("board foo foo", "board --where 'foo foo'"),
    ("rebase", "sync"),
    ("reply X yes", "answer X yes"),
    ("questions", "inbox"),
    ("untag X a b", "label X --rm a b"),
    ("retype X bug", "update X -t bug"),
    ("log --after 3d --before 1d", "log --since 3d --until 1d"),
    ("log --created-by ann", "log --author ann"),
    ("start X --checkout", "start X --branch"),
    ("defer X --to 3d", "defer X --until 3d"),
    ("stop X -m later", "help stop"),
    ("search --title words", "search words"),
    ("list --me", "list --mine"),
    ("list --order-by updated", "list --sort updated"),
    ("upload", "push"),
    ("push origin", "push --remote origin"),
    ("sync --dry-run origin", "sync --dry-run --remote origin"),
    ("list bug", "list -t bug"),
    ("list is:open label:x", "list --where 'is:open label:x'"),
    ("download", "pull"),
    ("dump", "export"),
    ("install", "setup"),
    // Misspellings, and beginnings that only one word has.
    ("unblok X", "unblock X"),
    ("updat X -p 1", "update X -p 1"),
    ("prioritty X 1", "priority X 1"),
    ("confl", "conflicts"),
    ("list --assinee bob", "list --assignee bob"),
    ("list --assign bob", "list --assignee bob"),
    // What takes something away is not guessed.
    ("delet X", "help delete"),
    ("purgee X", "help purge"),
    ("redcat X", "help redact"),
    ("uninstal", "help uninstall"),
    ("serve", "export --html issues.html"),
    ("push-it", "help"),
    ("xyz", "help"),
];

#[test]
fn what_is_typed_is_answered_with_what_is_meant() {
    let world = World::with_store();
    let mut wrong = String::new();
    for (typed, meant) in GUESSES {
        let args: Vec<&str> = typed.split(' ').collect();
        let said = world.bd(&args).stderr;
        let hint = said.lines().find(|line| line.starts_with("hint: "));
        let hint = hint.and_then(|hint| Some(hint.rsplit_once("git beads ")?.1));
        if hint != Some(meant) {
            wrong.push_str(&format!("{typed}: {hint:?}, not {meant}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is typed with issues that exist, and the command that the hint is: it is run as it is printed.
const FORMS: &[(&str, &str)] = &[
    // An issue first.
    ("bd-a", "show bd-a"),
    ("bd-a --json", "show bd-a --json"),
    ("bd-a done", "done bd-a"),
    ("bd-a In Progress", "start bd-a"),
    ("bd-a modify +ui", "update bd-a --add-label ui"),
    ("task bd-a done", "done bd-a"),
    ("task bd-a annotate text", "note bd-a text"),
    ("status bd-a", "show bd-a"),
    ("status bd-a done", "done bd-a"),
    ("list bd-a", "show bd-a"),
    // States and fields as words.
    ("move bd-a In Progress", "start bd-a"),
    ("move bd-a Done", "done bd-a"),
    ("modify bd-a priority:H", "update bd-a -p 1"),
    ("update bd-a status=done", "update bd-a -s closed"),
    ("update bd-a done", "done bd-a"),
    ("set bd-a status done", "done bd-a"),
    ("set priority bd-a 1", "update bd-a -p 1"),
    ("issue list -s Done", "list -s closed"),
    ("issue create T --priority High", "create T --priority P1"),
    ("issue list -yHigh", "list --priority=P1"),
    // Arguments in another order.
    ("assign bob bd-a", "assign bd-a bob"),
    ("assign bd-a to bob", "assign bd-a bob"),
    ("priority P0 bd-a", "priority bd-a P0"),
    ("label ui bd-a", "label bd-a ui"),
    ("defer bd-a 2w", "defer bd-a --until 2w"),
    ("done bd-a it is fixed", "done bd-a -r 'it is fixed'"),
    ("block bd-a no access yet", "block bd-a -r 'no access yet'"),
    ("start bd-a bd-b", "start bd-a"),
    ("start next", "ready --claim"),
    ("issue view bd-a --json title,body", "show bd-a --json"),
    // Links.
    ("block bd-a --by bd-b", "dep add bd-a --on bd-b"),
    ("bd-a blocks bd-b", "dep add bd-b bd-a"),
    ("bd-a depends on bd-b", "link bd-a bd-b"),
    ("issue link bd-a bd-b Blocks", "dep add bd-b bd-a"),
    ("link bd-a bd-b Blocks", "dep add bd-b bd-a"),
    ("link bd-a to bd-b", "link bd-a bd-b"),
    (
        "supersede bd-a --with bd-b",
        "dep add bd-b bd-a -t supersedes",
    ),
    ("duplicates bd-a bd-b", "dep add bd-a bd-b -t duplicates"),
    ("parent bd-a bd-b", "update bd-a --parent bd-b"),
    ("epic add bd-a bd-b", "update bd-b --parent bd-a"),
    (
        "create T --discovered-from bd-a",
        "create T --dep-type discovered-from --on bd-a",
    ),
    ("update bd-a --deps bd-b", "dep add bd-a --on bd-b"),
    // Types in the place of a verb.
    ("epic", "list -t epic"),
    ("epic status", "list -t epic"),
    ("bd epic close-eligible", "list -t epic"),
    ("bug new It breaks", "create 'It breaks' -t bug"),
    ("bug new", "help create"),
    ("subtask bd-a T", "create T --parent bd-a"),
    ("create bug T", "create T -t bug"),
    ("task list", "list"),
    ("task create T", "create T"),
    ("task edit bd-a -t bug", "update bd-a -t bug"),
    (
        "task add Buy milk due:tomorrow",
        "add 'Buy milk' --due tomorrow",
    ),
    ("todo add T", "create T"),
    // Lists.
    ("completed", "list -s closed"),
    ("overdue", "list --overdue"),
    ("list open", "list -s open"),
    ("list closed", "list -s closed"),
    ("list mine open", "list --mine -s open"),
    ("list P0", "list -p P0"),
    ("list blocked", "blocked"),
    (
        "query status=open AND priority<=1",
        "list -w 'status=open AND priority<=1'",
    ),
    ("list --json id,title", "list --json"),
    ("list --json=id,title", "list --json"),
    ("list --jq .x", "list --json"),
    ("list --format json", "list --json"),
    ("list -o json", "list --json"),
    ("help query", "help queries"),
    ("help create issue", "help create"),
    // Options that are not needed here, and verbs that have no counterpart.
    ("create -m T", "create T"),
    ("delete bd-a --yes", "delete bd-a"),
    ("note bd-a -f text", "note bd-a --finding text"),
    ("ask bd-a Which --options a", "ask bd-a Which --option a"),
    ("mv bd-a bd-new", "rename bd-a bd-new"),
    ("whoami", "where"),
    ("memories", "help search"),
    ("config get x", "settings"),
    ("attach bd-a f.png", "help note"),
    ("checkout main", "help start"),
    // What is open already is looked at.
    ("open bd-a", "show bd-a"),
    ("issue open bd-a", "show bd-a"),
    (
        "create T --deps related:bd-a,bd-b",
        "create T --on related:bd-a,bd-b",
    ),
    // The id of an issue is no title.
    ("add bd-a", "show bd-a"),
    ("create bd-a", "show bd-a"),
    // Words of cards, lists and clocks.
    ("card add T", "add T"),
    ("card move bd-a Doing", "start bd-a"),
    ("todo bd-a DONE", "done bd-a"),
    ("clock in bd-a", "start bd-a"),
    ("checklist add bd-a T", "create T --parent bd-a"),
    ("member add bd-a bob", "assign bd-a bob"),
    ("capture T", "create T"),
    ("epic list bd-a", "list --parent bd-a"),
    ("label list bd-a", "show bd-a"),
    ("label add ui bd-a", "label add bd-a ui"),
    ("notes add bd-a T", "note bd-a T"),
    ("list +ui", "list -l ui"),
    ("next limit:5", "ready -n 5"),
    ("issue clone bd-a", "show bd-a"),
    (
        "update bd-a --add-project web",
        "update bd-a --add-label web",
    ),
    // Options that change only how others show something.
    ("log --graph --oneline --all", "log --oneline"),
    ("log -S crash", "search crash"),
    ("show bd-a --stat", "show bd-a"),
    ("status --short", "status"),
    ("grep -i crash", "grep crash"),
    ("diff bd-a", "log -p bd-a"),
    ("issue view bd-a --json comments", "show bd-a --json"),
    ("list --json title", "list --json"),
    (
        "issue edit bd-a -t It breaks",
        "update bd-a --title 'It breaks'",
    ),
    ("git log bd-a", "log bd-a"),
    ("add +ui Fix", "add --label ui Fix"),
    ("task due:today", "list --where due:today"),
    ("task +OVERDUE", "list --overdue"),
    ("my issues", "list --mine"),
    ("dep bd-a --blocks bd-b", "dep add bd-b bd-a"),
    ("assign bd-a --to bob", "assign bd-a bob"),
    ("tag -l", "labels"),
    ("notes show bd-a", "show bd-a"),
    ("note list bd-a", "show bd-a"),
    ("release list", "list -t epic"),
    ("rev-parse HEAD", "help where"),
    ("+ui list", "list -l ui"),
    ("priority up bd-a", "help priority"),
    ("priority high bd-a", "priority bd-a P1"),
];

#[test]
fn what_is_typed_of_an_issue_is_answered_with_a_command_that_runs() {
    let mut wrong = String::new();
    for (typed, meant) in FORMS {
        let world = samples::two();
        let mut args: Vec<&str> = typed.split(' ').collect();
        // Several words that are one argument in the shell.
        for text in [
            "it is fixed",
            "no access yet",
            "It breaks",
            "status=open AND priority<=1",
        ] {
            if let Some(before) = typed.strip_suffix(text) {
                args = before.split_whitespace().chain([text]).collect();
            }
        }
        let said = world.bd(&args).stderr;
        let hint = said.lines().find(|line| line.starts_with("hint: "));
        let hint = hint.and_then(|hint| Some(hint.rsplit_once("git beads ")?.1));
        if hint != Some(meant) {
            wrong.push_str(&format!("{typed}: {hint:?}, not {meant}\n"));
            continue;
        }
        let mut args: Vec<&str> = meant.split(' ').collect();
        if let Some((before, text)) = meant.split_once('\'') {
            let (text, behind) = text.split_once('\'').unwrap();
            let words = before.split_whitespace().chain([text]);
            args = words.chain(behind.split_whitespace()).collect();
        }
        let ran = world.bd(&args);
        if ran.code != 0 {
            wrong.push_str(&format!("{meant}: {}\n", ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
