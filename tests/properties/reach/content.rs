//! A host that refuses what a commit says: no right is missing, and nothing is carried out past it.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, failed, script, two_clones};

const TOKEN: &str = "AKIAXAMPLE";

/// The words of hosts, as their hooks print them.
const WORDS: [&str; 4] = [
    "error: GH013: Repository rule violations found for refs/beads/main. - Push cannot contain secrets",
    "GitLab: PUSH BLOCKED: Secrets detected in code changes",
    "VS403654: The push was rejected because it contains one or more secrets",
    "WRN leaks found: 1",
];

/// Has the hub look into every new object, and refuse those with a token.
fn guard(world: &World, words: &str) {
    let look = format!(
        "while read old new name; do case $new in 0000*) continue;; esac\n\
         for one in $(git rev-list --objects $new --not --all | cut -d' ' -f1); do\n\
         if git cat-file -p $one | grep -qa {TOKEN}; then echo '{words}' >&2; exit 1; fi; done; done"
    );
    script(world, "hub.git/hooks/pre-receive", &look);
}

fn hints(error: &Value) -> String {
    error["hint"].as_str().unwrap().to_owned()
}

/// A clone whose unsent history holds a token, in each place where it can be.
fn leak(world: &World, clone: &str) {
    let id = create(world, clone, &[&format!("leak {TOKEN}"), "-d", TOKEN]);
    for args in [
        &["note", &id, "--finding", TOKEN][..],
        &["start", &id],
        &["undo"],
        &["done", &id, "-r", TOKEN],
    ] {
        world.bd_in(clone, args).ok();
    }
}

#[test]
fn what_a_host_refuses_for_its_content_is_carried_nowhere() {
    for words in WORDS {
        let world = two_clones();
        guard(&world, words);
        world
            .git_in("b", &["checkout", "--quiet", "-b", "claude/fix-1"])
            .ok();
        world.git_in("b", &["config", "beads.carry", "true"]).ok();
        leak(&world, "b");
        for _ in 0..2 {
            let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
            assert_eq!(error["code"], "refused_content", "{error}");
            assert_eq!(error["next"], "await_user", "{error}");
            let hint = hints(&error);
            assert!(!hint.contains("right") && !hint.contains("carry"), "{hint}");
            assert!(hint.contains("git beads purge ID --dry-run"), "{hint}");
        }
        let said = world.bd_in("b", &["carry"]).fails(1);
        assert!(said.contains("origin has refused the content"), "{said}");
        assert!(!world.path("b/.git-beads").exists());
        let keys = ["config", "--get-regexp", "remote.origin.beads"];
        assert_eq!(world.git_in("b", &keys).stdout, "");
        let refs = world.git_in("hub.git", &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(refs.ok(), "refs/beads/main\nrefs/heads/main\n");
    }
}

#[test]
fn false_words_of_a_host_withhold_the_file_and_no_more() {
    let world = two_clones();
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "cat >/dev/null; echo 'a secret that no one has' >&2; exit 1",
    );
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused_content", "{error}");
    let refused = failed(world.bd_in("a", &["carry", "--json"]), 1);
    let again = "git beads sync --probe --remote origin asks the remote again";
    assert!(hints(&refused).contains(again), "{refused}");
    // Writing and reading go on, and so does the sync once the host takes it.
    create(&world, "a", &["y"]);
    std::fs::remove_file(world.path("hub.git/hooks/pre-receive")).unwrap();
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 2 changes sent"), "{said}");
    create(&world, "a", &["z"]);
    world.bd_in("a", &["carry"]).ok();
}

#[test]
fn words_of_a_hook_that_took_the_push_mean_nothing() {
    let world = two_clones();
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "cat >/dev/null; echo 'Push cannot contain secrets' >&2",
    );
    create(&world, "a", &["x"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 1 change sent"), "{said}");
    create(&world, "a", &["y"]);
    world.bd_in("a", &["carry"]).ok();
}
