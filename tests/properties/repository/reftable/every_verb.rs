//! The same day in a repository with a reftable and in one with files: every answer is equal.

use super::reftable;
use crate::support::plumbing::git;
use crate::support::{World, refs_pinned};

/// A day with each verb that works on a repository; `A` and `B` are the first two issues.
const DAY: [&str; 78] = [
    "create First",
    "create Second -d Text",
    "q Third",
    "list",
    "ls --json",
    "ready --explain",
    "dep add A B",
    "blocked",
    "link A B",
    "dep tree A",
    "show A",
    "show B --json",
    "search Text",
    "update A --title Renamed",
    "start B --branch",
    "stop B",
    "start B",
    "show",
    "commit-msg",
    "note B --finding Found",
    "note B --decision Decided",
    "ask B Which? --option One --option Two",
    "inbox",
    "answer B 2",
    "wait B --until answered",
    "done B -r Done",
    "reopen B",
    "block B -r Waiting",
    "unblock B",
    "defer B --until 2027-01-01",
    "unblock B",
    "delete B",
    "restore B",
    "rename B bd-other",
    "show B",
    "rename-prefix zz",
    "create Epic -t epic",
    "label add A x",
    "assign A bob",
    "priority A 0",
    "status",
    "board",
    "context",
    "prime",
    "log",
    "log -p --since 2020-01-01",
    "graph",
    "stats",
    "labels",
    "types",
    "people",
    "whats-new --agent c-1",
    "blame A",
    "diff @~3",
    "list --at @~5",
    "undo",
    "undo",
    "fetch",
    "status",
    "sync",
    "push",
    "pull",
    "collect",
    "note A More",
    "carry",
    "snapshot",
    "snapshot --write",
    "conflicts",
    "purge --yes A",
    "export",
    "doctor",
    "doctor --remote",
    "where --json",
    "hooks install",
    "hooks status",
    "hooks uninstall",
    "uninstall --dry-run",
    "uninstall --purge-ref --yes",
];

/// Runs that day in a repository with a remote, and returns all that was said.
fn day(format: &'static str) -> Vec<String> {
    let _pinned = refs_pinned(format);
    let world = World::new();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    let mut said = vec![world.bd(&["init"]).all()];
    let mut ids = Vec::new();
    for line in DAY {
        let args: Vec<String> = line
            .split(' ')
            .map(|word| match word {
                "A" => ids.first().cloned().unwrap(),
                "B" => ids.get(1).cloned().unwrap(),
                word => word.to_owned(),
            })
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = world.bd(&args);
        if ids.len() < 2 {
            ids.push(output.stdout.split(' ').next().unwrap().to_owned());
        }
        said.push(format!("{line}\n{}", output.all()));
    }
    let refs = git(&world, &["for-each-ref", "--format=%(refname)"]);
    said.push(refs);
    said
}

#[test]
fn every_verb_says_what_it_says_with_refs_in_files() {
    let Some((world, _pinned)) = reftable() else {
        return;
    };
    let (files, tables) = (day("files"), day("reftable"));
    let misused: Vec<_> = files
        .iter()
        .filter(|said| said.contains("--- exit 2"))
        .collect();
    assert!(misused.is_empty(), "{misused:?}");
    for (files, table) in files.iter().zip(&tables) {
        assert_eq!(files, table);
    }
    // Those that ask for no ref, or never end, are tried elsewhere.
    let apart = [
        "edit",
        "split",
        "redact",
        "watch",
        "resolve",
        "clone",
        "import",
        "setup",
        "mcp",
        "completion",
        "man",
        "demo",
        "schema",
        "version",
        "help",
        "init",
    ];
    let help = world.bd_in(".", &["help"]).ok();
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in verbs.take_while(|line| !line.is_empty()) {
        let verb = line.split_whitespace().next().unwrap();
        let tried = DAY.iter().any(|line| line.split(' ').next() == Some(verb));
        assert!(tried || apart.contains(&verb), "{verb} is not tried");
    }
}
