//! Git's locks are git's: none of theirs stops us, none of ours stays, and exchanges in one clone never meet.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use crate::support::clones::{create, hub_tip, two_clones};
use crate::support::plumbing::{instead_of_git, together};
use crate::support::{World, binary, files_refs_only};

const OID: &str = "0123456789012345678901234567890123456789";

fn changed(path: &Path, at: SystemTime) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(at).unwrap();
}

/// Starts a process that has a file open, until its input ends. The process of the tests may not: what another test is just
/// starting has all of its files for a moment.
fn holding(world: &World, file: &str) -> Child {
    let script = "exec 3<\"$1\"; echo; exec cat";
    let mut command = world.command("a", "sh", &["-c", script, "sh", file]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = [0];
    let output = child.stdout.as_mut().unwrap();
    output.read_exact(&mut line).unwrap();
    child
}

fn refs(world: &World, clone: &str, space: &str) -> String {
    world.git_in(clone, &["for-each-ref", space]).ok()
}

#[test]
fn a_stale_lock_of_the_packed_refs_stops_nobody() {
    let _files = files_refs_only();
    let world = two_clones();
    create(&world, "a", &["Before"]);
    world.bd_in("a", &["sync"]).ok();
    world.git_in("a", &["gc", "--quiet"]).ok();
    assert!(!world.path("a/.git/refs/beads/main").exists());
    let stale = world.file("a/.git/packed-refs.lock", "");
    create(&world, "a", &["After"]);
    create(&world, "b", &["From there"]);
    world.bd_in("b", &["sync"]).ok();
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 3);
    assert_eq!(std::fs::read(&stale).unwrap(), b"", "it is not ours");
    let said = world.bd_in("a", &["doctor"]);
    assert!(
        said.stdout.contains("packed-refs.lock has been there for"),
        "{said:?}"
    );
    assert!(said.stdout.contains("no process has it open"), "{said:?}");
    let _ = said.fails(1);
}

#[test]
fn what_a_killed_sync_left_on_the_refs_of_remotes_is_removed() {
    let _files = files_refs_only();
    for name in [
        "refs/beads-seen/origin/main",
        "refs/beads-remotes/origin/main",
    ] {
        for text in ["", OID, "0123456789"] {
            let world = two_clones();
            create(&world, "a", &["One"]);
            let note = world.file(
                "a/.git/beads/lock",
                format!(
                    "{:<120}\n",
                    format!("999999 1795173600000 moving {OID} {name}")
                ),
            );
            let lock = world.file(&format!("a/.git/{name}.lock"), text);
            let noted = SystemTime::now() - Duration::from_secs(3600);
            changed(Path::new(&note), noted);
            changed(Path::new(&lock), noted);
            world.bd_in("a", &["sync"]).ok();
            assert!(!Path::new(&lock).exists(), "{name} {text}");
        }
    }
}

#[test]
fn a_lock_of_somebody_else_is_named_and_moved_aside_when_it_is_old() {
    let _files = files_refs_only();
    for name in [
        "refs/beads-seen/origin/main",
        "refs/beads-remotes/origin/main",
    ] {
        let world = two_clones();
        create(&world, "a", &["One"]);
        let lock = world.file(&format!("a/.git/{name}.lock"), "");
        let said = world.bd_in("a", &["sync"]);
        assert!(
            said.all().contains(&format!("busy here ({name}.lock")),
            "{said:?}"
        );
        let mut holder = holding(&world, &lock);
        let said = world.bd_in("a", &["doctor", "--fix"]);
        let shown = format!("{name}.lock has been there for");
        assert!(said.stdout.contains(&shown), "{said:?}");
        assert!(
            said.stdout
                .contains(&format!("process {} (cat)", holder.id())),
            "{said:?}"
        );
        let _ = said.fails(1);
        assert!(Path::new(&lock).exists());
        drop(holder.stdin.take());
        holder.wait().unwrap();
        changed(
            Path::new(&lock),
            SystemTime::now() - Duration::from_secs(601),
        );
        let said = world.bd_in("a", &["doctor", "--fix"]).ok();
        assert!(said.contains("over ten minutes old"), "{said}");
        assert!(!Path::new(&lock).exists());
        world.bd_in("a", &["sync"]).ok();
    }
}

#[test]
fn syncs_at_the_same_time_in_one_clone_never_hinder_each_other() {
    let world = two_clones();
    world
        .git_in("a", &["config", "beads.trackFetch", "true"])
        .ok();
    world.bd_in("a", &["sync"]).ok();
    for round in 0..4 {
        create(&world, "b", &[&format!("From there {round}")]);
        world.bd_in("b", &["sync"]).ok();
        let mut commands = Vec::new();
        for _ in 0..6 {
            commands.push(world.command("a", binary(), &["sync"]));
        }
        let title = format!("From here {round}");
        commands.push(world.command("a", binary(), &["create", "-q", &title]));
        for output in together(commands) {
            assert_eq!(output.code, 0, "{output:?}");
        }
    }
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    for clone in ["a", "b"] {
        assert_eq!(world.bd_in(clone, &["list", "-q"]).ok().lines().count(), 8);
        assert_eq!(refs(&world, clone, "refs/beads-incoming"), "");
        assert!(
            !world
                .path(&format!("{clone}/.git/refs/beads-incoming"))
                .exists()
        );
    }
}

#[test]
fn a_fetch_that_meets_another_one_is_repeated() {
    let world = two_clones();
    create(&world, "b", &["From there"]);
    world.bd_in("b", &["sync"]).ok();
    // As git says it where packs have changed between its look at the refs and at what they lead to.
    let said = "fatal: bad object refs/beads-incoming/01M7WAZ96RK2CJMYNJJYTZ1446/main";
    let fails = |times: usize| {
        let left = world.file("left", "x\n".repeat(times));
        instead_of_git(
            &world,
            &format!(
                "for word; do if [ \"$word\" = fetch ] && [ -s '{left}' ]; then\n  sed -i 1d '{left}'; \
                 echo '{said}' >&2; exit 1\nfi; done\nexec \"$GIT\" \"$@\""
            ),
        );
    };
    fails(2);
    let failed = world.bd_in("a", &["sync"]).fails(5);
    assert!(failed.contains("bad object"), "{failed}");
    fails(1);
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 1);
}

#[test]
fn what_is_rejected_never_reaches_the_tracking_ref() {
    let world = two_clones();
    create(&world, "b", &["One"]);
    world.bd_in("b", &["sync"]).ok();
    world.bd_in("a", &["sync"]).ok();
    let known = refs(&world, "a", "refs/beads-remotes");
    assert!(known.contains(&hub_tip(&world)));
    world
        .git_in(
            "a",
            &[
                "push",
                "--quiet",
                "--force",
                "origin",
                "HEAD:refs/beads/main",
            ],
        )
        .ok();
    let said = world.bd_in("a", &["sync"]);
    assert!(
        said.code != 0 && said.all().contains("rejected"),
        "{said:?}"
    );
    assert_eq!(refs(&world, "a", "refs/beads-remotes"), known);
    assert_eq!(refs(&world, "a", "refs/beads-incoming"), "");
}

/// Leaves what killed fetches leave, of long ago and of a minute from now by the clock of this world; returns the
/// younger one.
fn leave_fetches(world: &World) -> String {
    let tip = hub_tip(world);
    let old = "refs/beads-incoming/00000000000000000000000000/main";
    let young = git_beads::model::Stamp::new(1_795_173_600_000 + 60_000, 1);
    let young = format!("refs/beads-incoming/{young}/main");
    for name in [old, &young] {
        world.git_in("a", &["update-ref", name, &tip]).ok();
        world.file(&format!("a/.git/{name}.lock"), "");
    }
    world
        .git_in("a", &["update-ref", "refs/beads-incoming/odd", &tip])
        .ok();
    world.git_in("a", &["pack-refs", "--all"]).ok();
    world.file(
        "a/.git/refs/beads-incoming/00000000000000000000000001/main.lock",
        "",
    );
    young
}

#[test]
fn what_a_killed_fetch_left_goes_with_the_next_one() {
    let world = two_clones();
    leave_fetches(&world);
    create(&world, "a", &["One"]);
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(refs(&world, "a", "refs/beads-incoming"), "");
    // With a reftable a ref has neither folder nor file; those that were made here are nobody's.
    let has_folders = !world.path("a/.git/reftable").is_dir();
    let folder = world.path("a/.git/refs/beads-incoming");
    assert!(!has_folders || !folder.exists());
}

#[test]
fn beside_a_fetch_that_runs_only_what_is_a_day_old_goes() {
    let world = two_clones();
    let young = leave_fetches(&world);
    create(&world, "a", &["One"]);
    let lock = std::fs::File::create(world.path("a/.git/beads/fetch-lock")).unwrap();
    lock.lock_shared().unwrap();
    world.bd_in("a", &["sync"]).ok();
    let left = refs(&world, "a", "refs/beads-incoming");
    assert_eq!(left.lines().count(), 1, "{left}");
    assert!(left.contains(&young), "{left}");
    let lock = "a/.git/refs/beads-incoming/00000000000000000000000001/main.lock";
    assert!(!world.path(lock).exists());
}

#[test]
fn a_fetch_that_fails_leaves_no_ref() {
    let world = two_clones();
    create(&world, "b", &["From there"]);
    world.bd_in("b", &["sync"]).ok();
    // It brings the ref, and then says that it failed.
    instead_of_git(
        &world,
        "\"$GIT\" \"$@\" || exit\nfor word; do [ \"$word\" = fetch ] && exit 1; done\nexit 0",
    );
    world.bd_in("a", &["sync"]).fails(5);
    assert_eq!(refs(&world, "a", "refs/beads-incoming"), "");
}

#[test]
fn what_git_can_not_forget_now_stops_no_sync() {
    let world = two_clones();
    world.git_in("a", &["pack-refs", "--all"]).ok();
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.file("a/.git/packed-refs.lock", "");
    create(&world, "a", &["One"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.contains("sent"), "{said}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 1);
}

#[test]
fn a_big_import_needs_no_lock_of_packed_refs() {
    let world = World::with_store();
    world.git(&["pack-refs", "--all"]).ok();
    world.file("repo/.git/packed-refs.lock", "");
    let lines: String = (0..300)
        .map(|n| format!("{{\"id\":\"x-{n}\",\"title\":\"t\"}}\n"))
        .collect();
    let file = world.file("many.jsonl", lines);
    world.bd(&["import", &file]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 300);
    let refs = world.git(&["for-each-ref", "--format=%(refname)"]).ok();
    assert_eq!(refs.lines().collect::<Vec<_>>(), ["refs/beads/main"]);
}
