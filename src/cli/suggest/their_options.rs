//! Options of others, and what does the same here.

/// What replaces an option that says nothing here, with its value.
pub(super) const NOTHING: &str = "_";

/// Options of others at the verbs that are named (at all where none is), and what replaces them: an option, perhaps with a
/// value; nothing, where the value is an argument; or a verb, perhaps with an option for the value, where another one does it.
/// Behind a colon the value follows without a space, and [`NOTHING`] takes the value away, too.
pub(super) const OPTIONS: &[(&str, &str, &str)] = &[
    ("stats", "--svg --chart --html", "export --html"),
    // At the verbs that change an issue.
    ("create q", "--title --name --summary -m --message -s", ""),
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
    (
        "update",
        "--add-notes --notes-append --append-note --append",
        "--append-notes",
    ),
    (
        "update",
        "--deps --depends-on --blocked-by --needs --add-dep --on",
        "dep add --on",
    ),
    (
        "block",
        "--by --on --blocked-by --depends-on",
        "dep add --on",
    ),
    (
        "create",
        "--discovered-from --from-issue",
        "--dep-type discovered-from --on",
    ),
    (
        "create",
        "--related --relates-to",
        "--dep-type related --on",
    ),
    // As `import` has it.
    (
        "create list search ready blocked board export",
        "--milestone --fix-version --fixVersion",
        "--label milestone:",
    ),
    ("list", "-m", "--label milestone:"),
    (
        "update",
        "--milestone --fix-version --fixVersion --add-milestone -m",
        "--add-label milestone:",
    ),
    ("update", "--remove-milestone", "--rm-label milestone:"),
    (
        "create list",
        "--sprint --cycle --project --component --iteration",
        "--label",
    ),
    (
        "update",
        "--sprint --cycle --project --component --iteration --add-project",
        "--add-label",
    ),
    // Which part of another tracker: one repository is one here.
    (
        "",
        "--team --space --workspace --org --site --hostname --repo -R",
        NOTHING,
    ),
    ("list", "--jql", "--where"),
    ("export", "--all", ""),
    ("update", "--remove-project", "--rm-label"),
    // What changes only how others show something.
    (
        "log",
        "--graph --stat --all --follow --decorate --name-only --no-merges --abbrev-commit",
        "",
    ),
    ("log", "-S -G --grep", "search"),
    ("status", "-s --short -b --branch -sb --all", ""),
    ("diff", "--stat --name-only --cached --staged", ""),
    ("search", "-i -n -r --ignore-case", ""),
    ("done", "--suggest-next --continue", ""),
    (
        "delete",
        "--yes -y --force -f --confirm --hard --cascade",
        "",
    ),
    (
        "push pull fetch sync",
        "-u --set-upstream --all --tags --rebase --ff-only -f --force",
        "",
    ),
    ("note", "-f", "--finding"),
    ("assign", "--to -a --assignee --user", ""),
    ("label", "-l --list", "labels"),
    ("ask", "--options --choices --choice", "--option"),
    ("", "--ac --acceptance-criterion", "--acceptance"),
    ("", "--plan --implementation", "--design"),
    (
        "show",
        "--comments -c --full --long --verbose -v --thread --stat --name-only --refs --history",
        "",
    ),
    ("export", "-o --output", ""),
    ("import", "-i --input --file -f", ""),
    ("list search", "-A", "--author"),
    ("", "-y", "--priority"),
    (
        "",
        "--plain --simple --no-color --no-interactive --no-input",
        "",
    ),
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
        "--max --count --num --first --top --max-count -L",
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
    ("", "--dir", "-C"),
];
