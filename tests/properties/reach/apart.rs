//! What would begin a second store, or send to one: it does not happen without a word of the user.

use super::mailboxes::lead;
use super::{hub_refs, refs_of};
use crate::support::clones::{bare_clones, create, failed, script, sync};
use crate::support::older::write_snapshot;

#[test]
fn a_store_in_a_mailbox_is_found_beside_a_branch_of_code_that_is_named_like_one() {
    let world = bare_clones(&["session", "lead"]);
    let push = ["push", "--quiet", "origin", "HEAD:refs/heads/beads"];
    world.git_in("session", &push).ok();
    script(
        &world,
        "hub.git/hooks/update",
        "[ \"$LEAD\" = 1 ] && exit 0; case $1 in refs/heads/claude/*) ;; *) exit 1;; esac",
    );
    let checkout = ["checkout", "--quiet", "-b", "claude/fix-1"];
    world.git_in("session", &checkout).ok();
    world.bd_in("session", &["init"]).ok();
    let x = create(&world, "session", &["x"]);
    sync(&world, &["session"]);
    let said = lead(&world, "lead", &["init"]);
    assert!(said.contains("joined from origin"), "{said}");
    assert!(world.bd_in("lead", &["list", "-q"]).ok().contains(&x));
}

#[test]
fn a_snapshot_that_does_not_pass_begins_no_other_store() {
    let world = bare_clones(&["a"]);
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["A title"]);
    write_snapshot(&world, "a");
    let file = "a/.git-beads/snapshot.jsonl";
    let text = std::fs::read_to_string(world.path(file)).unwrap();
    world.file(file, text.replace("A title", "Another"));
    for args in [
        &["add", ".git-beads"][..],
        &["commit", "--quiet", "-m", "w"],
    ] {
        world.git_in("a", args).ok();
    }
    world.git_in(".", &["clone", "--quiet", "a", "w"]).ok();
    world.git_in("w", &["remote", "remove", "origin"]).ok();
    let said = world.bd_in("w", &["init"]).fails(4);
    assert!(said.contains("edited after it was written"), "{said}");
    assert!(said.contains("git beads init --new"), "{said}");
    assert!(said.contains("git beads init --from URL"), "{said}");
    assert!(
        !refs_of(&world, "w")
            .iter()
            .any(|name| name.starts_with("refs/beads"))
    );
    world.bd_in("w", &["init", "--new"]).ok();
}

#[test]
fn a_store_that_has_moved_from_the_branch_to_the_ref_is_found_there() {
    let world = bare_clones(&["a", "b"]);
    let hook = "hub.git/hooks/update";
    script(&world, hook, "case $1 in refs/heads/*) ;; *) exit 1;; esac");
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    world.bd_in("b", &["init"]).ok();
    assert_eq!(hub_refs(&world), ["refs/heads/beads", "refs/heads/main"]);
    // The host takes the ref by now, and someone has moved the store there.
    script(&world, hook, "exit 0");
    let moved = ["update-ref", "refs/beads/main", "refs/heads/beads"];
    world.git_in("hub.git", &moved).ok();
    world.git_in("hub.git", &["branch", "-D", "beads"]).ok();
    for clone in ["a", "b"] {
        let title = format!("of {clone}");
        create(&world, clone, &[&title]);
        let said = world.bd_in(clone, &["sync"]).ok();
        assert!(said.starts_with("origin: 1 change sent,"), "{said}");
        assert!(!said.contains("lost its issues"), "{said}");
        let key = ["config", "remote.origin.beadsRef"];
        assert_ne!(world.git_in(clone, &key).code, 0);
    }
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn where_a_file_is_welcome_and_can_not_be_written_the_refusal_is_the_answer() {
    let world = bare_clones(&["a", "b"]);
    script(&world, "hub.git/hooks/update", "exit 1");
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["x"]);
    world.git_in("a", &["config", "beads.carry", "true"]).ok();
    // No one has ever had these issues, so no file can build on anything.
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    assert_eq!(error["next"], "await_user", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("right to push refs/beads/main"), "{hint}");
    assert!(!hint.contains("beads.remoteRef refs/heads/beads"), "{hint}");
    assert!(!hint.contains("remote add"), "{hint}");
    // A removal of texts is in no file.
    std::fs::remove_file(world.path("hub.git/hooks/update")).unwrap();
    sync(&world, &["a"]);
    world.bd_in("b", &["init"]).ok();
    script(&world, "hub.git/hooks/update", "exit 1");
    world.git_in("b", &["config", "beads.carry", "true"]).ok();
    let id = world.bd_in("b", &["list", "-q"]).ok();
    world.bd_in("b", &["purge", id.trim(), "--yes"]).ok();
    let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("no file can carry what is here"), "{hint}");
}
