//! What is sent is made before the ref leads to it: a refused push leaves nothing of it, and a kill in between loses nothing.

use super::remotes::in_step;
use crate::support::clones::{create, hub_tip, script, sync, tip, two_clones};
use crate::support::plumbing::sound_in;
use crate::support::{World, binary, tools};

/// Puts a program in the place of git that runs the real one, and `lines` before or after it, for the pushes of git-beads.
/// `$git` is the real one.
fn around_pushes(world: &mut World, lines: &str) {
    around(world, "push", lines);
}

/// Does the same for another command of git.
fn around(world: &mut World, command: &str, lines: &str) {
    let path = world.search_path(true);
    let git = tools::base().join("git");
    let lines = format!(
        "git='{}'\ncase \" $* \" in *\" {command} \"*) {lines};; *) exec \"$git\" \"$@\";; esac",
        git.display()
    );
    script(world, "around/git", &lines);
    world.set(
        "PATH",
        &format!("{}:{path}", world.path("around").display()),
    );
}

/// Two clones of which each has made an issue that the other lacks, with one that both have: that first, then that of `b`, which
/// the hub has, and that of `a`.
fn apart() -> (World, [String; 3]) {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let y = create(&world, "b", &["y"]);
    sync(&world, &["b"]);
    let z = create(&world, "a", &["z"]);
    (world, [x, y, z])
}

fn merges(world: &World) -> usize {
    let args = ["rev-list", "--merges", "refs/beads/main"];
    world.git_in("hub.git", &args).ok().lines().count()
}

#[test]
fn a_sync_that_is_killed_after_its_push_loses_nothing() {
    let (mut world, [x, y, z]) = apart();
    let before = tip(&world, "a");
    let path = world.search_path(true);
    around_pushes(&mut world, "\"$git\" \"$@\" && kill -9 $PPID");
    let killed = world.bd_in("a", &["sync"]);
    assert!(killed.code < 0 || killed.code > 128, "{killed:?}");
    world.set("PATH", &path);
    // The remote has the merge, and the ref does not lead to it yet.
    assert_eq!(tip(&world, "a"), before);
    assert_eq!(merges(&world), 1);
    assert_eq!(
        world.bd_in("a", &["list", "-q"]).ok().lines().count(),
        2,
        "x and z"
    );
    // The next command writes on top of what is here.
    let last = create(&world, "a", &["last"]);
    sync(&world, &["a", "b"]);
    in_step(&world, &[&x, &y, &z, &last]);
    assert_eq!(merges(&world), 2);
    world.bd_in("a", &["undo", &before]).ok();
    assert!(!world.bd_in("a", &["list", "-q"]).ok().contains(&z));
    sound_in(&world, "a");
    world.bd_in("a", &["doctor"]).ok();
}

#[test]
fn a_sync_that_is_killed_after_its_push_goes_on_without_another_merge() {
    let (mut world, [x, y, z]) = apart();
    let path = world.search_path(true);
    around_pushes(&mut world, "\"$git\" \"$@\" && kill -9 $PPID");
    assert_ne!(world.bd_in("a", &["sync"]).code, 0);
    world.set("PATH", &path);
    let synced = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(synced["sent"], 0, "{synced}");
    assert_eq!(synced["received"], 1, "{synced}");
    sync(&world, &["b"]);
    in_step(&world, &[&x, &y, &z]);
    assert_eq!(merges(&world), 1);
}

#[test]
fn a_sync_that_is_refused_again_and_again_leaves_one_merge() {
    let mut world = two_clones();
    sync(&world, &["a", "b"]);
    let own = create(&world, "a", &["own"]);
    let path = world.search_path(true);
    // Before each of the first three pushes of `a`, `b` is faster.
    let others = format!(
        "case $PWD in */a) n=$(cat ../n 2>/dev/null || echo 0); if [ $n -lt 3 ]; then echo $((n + 1)) >../n; \
         (cd ../b && '{0}' create faster$n -q && '{0}' sync -q) >&2 || exit 9; fi;; esac; exec \"$git\" \"$@\"",
        binary()
    );
    around_pushes(&mut world, &others);
    let synced = world.bd_in("a", &["sync", "--json"]).json();
    world.set("PATH", &path);
    assert_eq!(
        (&synced["sent"], &synced["received"]),
        (&1.into(), &3.into()),
        "{synced}"
    );
    assert_eq!(synced["merged"], true);
    assert_eq!(merges(&world), 1);
    assert_eq!(tip(&world, "a"), hub_tip(&world));
    sync(&world, &["b"]);
    in_step(&world, &[&own]);
}

#[test]
fn what_came_is_here_also_where_nothing_could_be_sent() {
    let mut world = two_clones();
    sync(&world, &["a", "b"]);
    let theirs = create(&world, "b", &["theirs"]);
    sync(&world, &["b"]);
    let own = create(&world, "a", &["own"]);
    around_pushes(
        &mut world,
        "echo 'fatal: the remote end hung up unexpectedly' >&2; exit 128",
    );
    world.bd_in("a", &["sync"]).fails(5);
    let list = world.bd_in("a", &["list", "-q"]).ok();
    assert!(list.contains(&theirs) && list.contains(&own), "{list}");
    // A change that is written while the push is under way is merged with what was sent.
    let beside = format!("\"$git\" \"$@\" && '{}' create beside -q >&2", binary());
    around_pushes(&mut world, &beside);
    let third = create(&world, "b", &["third"]);
    world.bd_in("b", &["sync"]).ok();
    let synced = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(synced["received"], 1, "{synced}");
    let list = world.bd_in("a", &["list"]).ok();
    assert!(list.contains(&third) && list.contains("beside"), "{list}");
    sound_in(&world, "a");
}

#[test]
fn what_is_sent_is_kept_from_a_collection_of_garbage() {
    let mut world = two_clones();
    sync(&world, &["a", "b"]);
    let theirs = create(&world, "b", &["theirs"]);
    let mailbox = "refs/beads/main:refs/heads/claude/git-beads-b";
    world
        .git_in("b", &["push", "--quiet", "origin", mailbox])
        .ok();
    let other = create(&world, "b", &["other"]);
    world
        .git_in("b", &["push", "--quiet", "origin", "refs/beads/main"])
        .ok();
    let third = "refs/beads/main:refs/heads/claude/git-beads-c";
    let last = create(&world, "b", &["last"]);
    world
        .git_in("b", &["push", "--quiet", "origin", third])
        .ok();
    let own = create(&world, "a", &["own"]);
    let path = world.search_path(true);
    // Before it is sent, and before the ref follows.
    let gc = "\"$git\" gc --quiet --prune=now; \"$git\" \"$@\"; said=$?; \"$git\" gc --quiet --prune=now; exit $said";
    around_pushes(&mut world, gc);
    world.bd_in("a", &["sync"]).ok();
    world.set("PATH", &path);
    let list = world.bd_in("a", &["list", "-q"]).ok();
    assert!(
        [&theirs, &other, &last, &own]
            .iter()
            .all(|id| list.contains(*id)),
        "{list}"
    );
    sound_in(&world, "a");
    let kept = ["for-each-ref", "refs/beads-incoming"];
    assert_eq!(world.git_in("a", &kept).ok(), "");
}

#[test]
fn a_pull_beside_a_push_lets_claims_give_way_once() {
    let mut world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world.bd_in("b", &["start", &id, "--actor", "Bob"]).ok();
    sync(&world, &["b"]);
    world.bd_in("a", &["start", &id, "--agent", "one"]).ok();
    world
        .bd_in("a", &["done", &id, "-r", "ported", "--agent", "one"])
        .ok();
    let path = world.search_path(true);
    let pull = format!("'{}' pull -q >&2 || exit 9; exec \"$git\" \"$@\"", binary());
    around_pushes(&mut world, &pull);
    world.bd_in("a", &["sync"]).ok();
    world.set("PATH", &path);
    let shown = world.bd_in("a", &["show", &id]).ok();
    assert_eq!(shown.matches("not applied").count(), 1, "{shown}");
    assert_eq!(world.bd_in("a", &["sync", "--json"]).json()["sent"], 0);
    assert_eq!(merges(&world), 1);
}

#[test]
fn another_program_that_is_faster_holds_up_no_sync() {
    let mut world = two_clones();
    sync(&world, &["a", "b"]);
    let theirs = create(&world, "b", &["theirs"]);
    sync(&world, &["b"]);
    let own = create(&world, "a", &["own"]);
    let path = world.search_path(true);
    // Into files of their own, which are packed under our lock: meanwhile the ref moves.
    let fetch = ["fetch", "--quiet", "origin", "refs/beads/main:refs/by-hand"];
    world.git_in("a", &fetch).ok();
    let (clone, done) = (world.path("a"), world.path("done"));
    let other = format!(
        "[ -e '{1}' ] || {{ touch '{1}'; cd '{0}'; t=$(\"$git\" rev-parse refs/beads/main); \
         \"$git\" update-ref refs/beads/main $(\"$git\" commit-tree -p $t -m other $t^{{tree}}); }} </dev/null; \
         exec \"$git\" \"$@\"",
        clone.display(),
        done.display()
    );
    around(&mut world, "pack-objects", &other);
    world.bd_in("a", &["sync"]).ok();
    world.set("PATH", &path);
    assert!(done.exists());
    let list = world.bd_in("a", &["list", "-q"]).ok();
    assert!(list.contains(&theirs) && list.contains(&own), "{list}");
    sync(&world, &["a", "b"]);
    in_step(&world, &[&theirs, &own]);
}

#[test]
fn what_is_unusual_is_said_once_however_often_a_push_is_refused() {
    let mut world = two_clones();
    sync(&world, &["a", "b"]);
    let old = hub_tip(&world);
    create(&world, "a", &["dropped"]);
    sync(&world, &["a"]);
    world
        .git_in("hub.git", &["update-ref", "refs/beads/main", &old])
        .ok();
    create(&world, "a", &["own"]);
    let path = world.search_path(true);
    let others = format!(
        "case $PWD in */a) [ -e ../once ] || {{ touch ../once; (cd ../b && '{0}' create faster -q && '{0}' sync -q) >&2; }};; esac; \
         exec \"$git\" \"$@\"",
        binary()
    );
    around_pushes(&mut world, &others);
    let synced = world.bd_in("a", &["sync", "--json"]).json();
    world.set("PATH", &path);
    let remarks = synced["remarks"].as_array().unwrap();
    assert_eq!(remarks.len(), 1, "{synced}");
    assert!(
        remarks[0].as_str().unwrap().contains("was set back"),
        "{synced}"
    );
}

#[test]
fn a_file_in_the_place_of_a_push_has_what_gave_way() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world.bd_in("b", &["start", &id, "--actor", "Bob"]).ok();
    sync(&world, &["b"]);
    world.bd_in("a", &["start", &id]).ok();
    for (key, value) in [("remote.origin.beadsPush", "none"), ("beads.carry", "true")] {
        world.git_in("a", &["config", key, value]).ok();
    }
    let first = world.bd_in("a", &["sync", "--json"]).json();
    let again = world.bd_in("a", &["sync", "--json"]).json();
    let files = |synced: &serde_json::Value| synced["carry"]["files"].to_string();
    assert_eq!(files(&first), files(&again), "{first}\n{again}");
    let folder = world.path("a/.git-beads/carry");
    let written: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    let [Ok(file)] = &written[..] else {
        panic!("{written:?}")
    };
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.contains(&format!("yield {id}")), "{text}");
}

#[test]
fn a_dry_run_and_a_fetch_leave_the_lock_of_exchanges_alone() {
    let (world, _) = apart();
    let lock = world.path("a/.git/beads/exchange");
    let _ = std::fs::remove_file(&lock);
    for args in [&["pull", "--dry-run"][..], &["fetch"]] {
        world.bd_in("a", args).ok();
        assert!(!lock.exists(), "{args:?}");
    }
}
