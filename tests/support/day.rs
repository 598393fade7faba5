//! A day with each verb that works on a repository.

use super::plumbing::git;
use super::{Output, World};

/// The lines of the day; `A` and `B` are the first two issues.
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
    "accept B",
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
    "carry --full",
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

/// Returns a world for a day: a repository with a commit, and a remote.
pub fn morning() -> World {
    let world = World::new();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    world
}

/// Runs the day in a world, and returns all that was said.
pub fn day(world: &World, run: impl Fn(&[&str]) -> Output) -> Vec<String> {
    let mut said = vec![run(&["init"]).all()];
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
        let output = run(&args);
        assert_ne!(output.code, 2, "{line}: {output:?}");
        if ids.len() < 2 {
            ids.push(output.stdout.split(' ').next().unwrap().to_owned());
        }
        said.push(format!("{line}\n{}", output.all()));
    }
    said.push(git(world, &["for-each-ref", "--format=%(refname)"]));
    said
}

/// Returns the verbs that the help lists.
pub fn verbs() -> Vec<String> {
    let world = World::empty();
    let help = world.bd_in("home", &["--help"]).ok();
    let rows = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = rows.filter_map(|row| row.split(' ').next());
    let is_verb = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase());
    let verbs: Vec<_> = names.filter(is_verb).map(str::to_owned).collect();
    assert!(verbs.len() > 60, "{help}");
    verbs
}

/// Asserts that each verb has its line of the day, or is tried elsewhere.
#[track_caller]
pub fn has_each_verb_but(elsewhere: &[&str]) {
    for verb in verbs() {
        let is_tried = DAY.iter().any(|line| line.split(' ').next() == Some(&verb));
        assert!(
            is_tried != elsewhere.contains(&verb.as_str()),
            "{verb} is tried nowhere, or twice"
        );
    }
}
