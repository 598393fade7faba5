//! Mailboxes in odd states: clones that lack a part, races, outages, other remotes, and rights that come and go.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::mailboxes::{lead, lead_and_session};
use super::{export, hub_refs};
use crate::support::clones::{bare_clones, create, script, state, sync};
use crate::support::{World, binary};

const CLAUDE: &str = "refs/heads/claude/*";

/// What the configuration of a clone says of a key of origin.
fn key(world: &World, clone: &str, name: &str) -> String {
    let key = format!("remote.origin.{name}");
    let value = world.git_in(clone, &["config", &key]).stdout;
    value.trim().to_owned()
}

#[test]
fn a_session_goes_on_in_a_new_clone_that_lacks_a_part() {
    for options in [
        &["--filter=blob:none"][..],
        &["--depth", "1", "--no-single-branch"],
    ] {
        let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
        world
            .git_in("hub.git", &["config", "uploadpack.allowFilter", "true"])
            .ok();
        world
            .git_in("session", &["push", "--quiet", "origin", "HEAD"])
            .ok();
        world.bd_in("session", &["note", &issues[0], "first"]).ok();
        sync(&world, &["session"]);
        let url = format!("file://{}", world.path("hub.git").display());
        let mut clone = vec!["clone", "--quiet"];
        clone.extend(options);
        clone.extend([&*url, "again"]);
        world.git_in(".", &clone).ok();
        world
            .git_in("again", &["checkout", "--quiet", "claude/fix-1"])
            .ok();
        world.bd_in("again", &["init"]).ok();
        world.bd_in("again", &["note", &issues[0], "second"]).ok();
        let said = world.bd_in("again", &["sync"]).ok();
        assert!(
            said.contains("1 change sent to the mailbox"),
            "{options:?}: {said}"
        );
        lead(&world, "lead", &["sync"]);
        let shown = world.bd_in("lead", &["show", &issues[0]]).ok();
        assert!(
            shown.contains("first") && shown.contains("second"),
            "{options:?}: {shown}"
        );
    }
}

#[test]
fn a_collector_that_was_overtaken_deletes_the_mailbox_too() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "other"])
        .ok();
    world.bd_in("other", &["init"]).ok();
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    sync(&world, &["session"]);
    let wrapper = script(
        &world,
        "overtaken",
        &format!(
            "git-upload-pack \"$@\" || exit 1\n[ -z \"$INSIDE\" ] || exit 0\nINSIDE=1; export INSIDE\n\
             cd '{}' && git-beads create -q y >&2 && git-beads sync >&2",
            world.path("other").display()
        ),
    );
    world
        .git_in("lead", &["config", "remote.origin.uploadpack", &wrapper])
        .ok();
    let said = lead(&world, "lead", &["sync"]);
    assert!(!said.contains("may not be deleted"), "{said}");
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn an_outage_is_no_refusal_to_delete() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    sync(&world, &["session"]);
    let fails = script(
        &world,
        "fails",
        &format!(
            "[ -e '{0}' ] && exit 1; touch '{0}'; exec git-receive-pack \"$@\"",
            world.path("once").display()
        ),
    );
    world
        .git_in("lead", &["config", "remote.origin.receivepack", &fails])
        .ok();
    let said = lead(&world, "lead", &["sync"]);
    assert!(!said.contains("may not be deleted"), "{said}");
    world
        .git_in("lead", &["config", "--unset", "remote.origin.receivepack"])
        .ok();
    lead(&world, "lead", &["sync"]);
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn one_that_is_protected_keeps_no_other_from_being_deleted() {
    let (world, issues) = lead_and_session("claude/one-1", CLAUDE);
    for branch in ["claude/one-1", "claude/two-2"] {
        let name = branch.trim_start_matches("claude/");
        world.bd_in("session", &["note", &issues[0], name]).ok();
        let to = format!("refs/beads/main:refs/heads/claude/git-beads-{name}");
        world
            .git_in("session", &["push", "--quiet", "origin", &to])
            .ok();
    }
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "gone=$(printf '%040d' 0)\n\
         while read old new name; do case \"$new $name\" in \"$gone refs/heads/claude/git-beads-one-1\") exit 1;; esac; done",
    );
    lead(&world, "lead", &["sync"]);
    assert_eq!(
        hub_refs(&world),
        [
            "refs/beads/main",
            "refs/heads/claude/git-beads-one-1",
            "refs/heads/main"
        ]
    );
}

#[test]
fn a_right_that_comes_back_is_used_within_an_hour() {
    let (world, issues) = lead_and_session("feature/login", "refs/heads/*");
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    sync(&world, &["session"]);
    assert_eq!(
        key(&world, "session", "beadsPush"),
        "refs/heads/feature/git-beads-login"
    );
    std::fs::remove_file(world.path("hub.git/hooks/update")).unwrap();
    world.bd_in("session", &["note", &issues[0], "y"]).ok();
    world.pass(3700);
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(said.starts_with("origin: 2 changes sent, 0"), "{said}");
    assert_eq!(key(&world, "session", "beadsPush"), "");
    // The mailbox is merged by that, and gone.
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn a_mailbox_is_remembered_until_another_way_was_taken() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    sync(&world, &["session"]);
    let known = key(&world, "session", "beadsPush");
    world
        .git_in("session", &["checkout", "--quiet", "main"])
        .ok();
    // For a while nothing is taken.
    let hook = world.path("hub.git/hooks/pre-receive");
    script(&world, "hub.git/hooks/pre-receive", "exit 1");
    world.bd_in("session", &["note", &issues[0], "y"]).ok();
    assert_eq!(world.bd_in("session", &["sync"]).code, 5);
    std::fs::remove_file(hook).unwrap();
    assert_eq!(key(&world, "session", "beadsPush"), known);
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(
        said.contains("sent to the mailbox claude/git-beads-fix-1"),
        "{said}"
    );
    // A dry run of a probe changes nothing, and a probe finds the same.
    world
        .bd_in("session", &["sync", "--probe", "--dry-run"])
        .ok();
    assert_eq!(key(&world, "session", "beadsPush"), known);
    world.bd_in("session", &["note", &issues[0], "z"]).ok();
    world.bd_in("session", &["sync", "--probe"]).ok();
    assert_eq!(key(&world, "session", "beadsPush"), known);
}

#[test]
fn a_store_that_is_in_a_mailbox_alone_is_joined() {
    let mut world = bare_clones(&["session", "lead"]);
    script(
        &world,
        "hub.git/hooks/update",
        "[ \"$LEAD\" = 1 ] && exit 0; case $1 in refs/heads/claude/*) ;; *) exit 1;; esac",
    );
    world
        .git_in("session", &["checkout", "--quiet", "-b", "claude/fix-1"])
        .ok();
    world.set("GIT_BEADS_SANDBOX", "1");
    world.bd_in("session", &["init"]).ok();
    let x = create(&world, "session", &["x"]);
    sync(&world, &["session"]);
    let said = lead(&world, "lead", &["init"]);
    assert!(said.contains("joined from origin"), "{said}");
    let said = lead(&world, "lead", &["sync"]);
    assert!(!said.contains("lost its issues"), "{said}");
    assert!(world.bd_in("lead", &["list", "-q"]).ok().contains(&x));
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn a_remote_whose_name_is_that_of_the_folder_is_no_mailbox() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world
        .git_in(".", &["init", "--quiet", "--bare", "second.git"])
        .ok();
    world
        .git_in(
            "session",
            &["remote", "add", "origin/mailbox", "../second.git"],
        )
        .ok();
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    world
        .bd_in("session", &["sync", "--remote", "origin/mailbox"])
        .ok();
    let said = world.bd_in("session", &["sync", "--remote", "origin"]).ok();
    assert!(said.contains("1 change sent to the mailbox"), "{said}");
    lead(&world, "lead", &["sync"]);
    let (_, list) = state(&world, "lead");
    assert!(list.contains(&issues[0]));
    assert!(
        world
            .bd_in("lead", &["show", &issues[0]])
            .ok()
            .contains("x")
    );
}

#[test]
fn what_is_to_be_sent_nowhere_waits_and_is_said() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world
        .git_in("session", &["config", "remote.origin.beadsPush", "none"])
        .ok();
    assert_eq!(
        world.bd_in("session", &["sync"]).ok(),
        "origin: 0 changes sent, 0 changes received\n"
    );
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(said.contains("nothing is sent to origin"), "{said}");
    // Where a file is welcome, that takes it.
    world
        .git_in("session", &["config", "beads.carry", "true"])
        .ok();
    let said = world.bd_in("session", &["sync"]).ok();
    let carried = "no remote takes issues here: 1 change of 1 issue is in .git-beads/carry/";
    assert!(said.contains(carried), "{said}");
}

#[test]
fn an_end_that_only_a_mailbox_has_is_said_where_starts_are_strict() {
    let (world, issues) = lead_and_session("claude/fix-1", "refs/heads/*|refs/beads/*");
    world
        .git_in("session", &["config", "beads.claims", "strict"])
        .ok();
    world
        .bd_in("session", &["--agent", "s", "start", &issues[0]])
        .ok();
    script(
        &world,
        "hub.git/hooks/update",
        "[ \"$LEAD\" = 1 ] && exit 0; case $1 in refs/heads/claude/*) ;; *) exit 1;; esac",
    );
    let ended = world.bd_in("session", &["--agent", "s", "done", &issues[0], "-r", "x"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let said = "the remote has not heard of it";
    assert!(ended.stderr.contains(said), "{ended:?}");
    lead(&world, "lead", &["sync"]);
    let shown = world.bd_in("lead", &["show", &issues[0]]).ok();
    assert!(shown.contains("closed"), "{shown}");
}

#[test]
fn a_strict_start_where_only_a_mailbox_is_taken_says_how_it_starts() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    let strict = ["config", "beads.claims", "strict"];
    world.git_in("session", &strict).ok();
    world.bd_in("session", &["note", &issues[1], "x"]).ok();
    world.bd_in("session", &["sync"]).ok();
    let start = ["--agent", "s", "start", &issues[0]];
    let said = world.bd_in("session", &start).fails(5);
    let line = "git config beads.claims remote";
    assert!(said.contains("takes no claims from here"), "{said}");
    assert!(said.contains(line), "{said}");
    let words: Vec<_> = line.split(' ').skip(1).collect();
    world.git_in("session", &words).ok();
    world.bd_in("session", &start).ok();
}

/// The loose objects of a clone.
fn loose(world: &World, clone: &str) -> BTreeSet<PathBuf> {
    let objects = world.path(&format!("{clone}/.git/objects"));
    let folders = std::fs::read_dir(objects).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.file_name().unwrap().len() == 2);
    let files = folders.flat_map(|path| std::fs::read_dir(path).unwrap());
    files.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_a_session_has_sent_survives_two_power_cuts() {
    let (mut world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    for (boot, note) in [("one", "before"), ("two", "between")] {
        world.set("GIT_BEADS_BOOT", boot);
        let durable = loose(&world, "session");
        world.bd_in("session", &["note", &issues[0], note]).ok();
        sync(&world, &["session"]);
        // What nobody made durable is gone.
        for path in loose(&world, "session").difference(&durable) {
            std::fs::remove_file(path).unwrap();
        }
    }
    world.set("GIT_BEADS_BOOT", "three");
    world.bd_in("session", &["note", &issues[0], "after"]).ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(said.contains("1 change sent to the mailbox"), "{said}");
    lead(&world, "lead", &["sync"]);
    let shown = world.bd_in("lead", &["show", &issues[0]]).ok();
    for note in ["before", "between", "after"] {
        assert!(shown.contains(note), "{note}: {shown}");
    }
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn a_collector_without_room_leaves_the_mailbox_until_it_has_some() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    // It can't be compressed to less than the limit.
    let text: String = (0..2000u32)
        .map(|n| format!("{:x}", n.wrapping_mul(2_654_435_761)))
        .collect();
    world.bd_in("session", &["note", &issues[0], &text]).ok();
    sync(&world, &["session"]);
    let script = "ulimit -f 2; trap '' XFSZ; LEAD=1 exec \"$@\"";
    let args = ["-c", script, "-", binary(), "sync"];
    let said = world.run(world.command("lead", "bash", &args), None);
    assert!(said.stdout.contains("could not be had"), "{said:?}");
    assert!(said.stdout.contains("File too large"), "{said:?}");
    assert!(hub_refs(&world).contains(&"refs/heads/claude/git-beads-fix-1".to_owned()));
    lead(&world, "lead", &["sync"]);
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    let shown = world.bd_in("lead", &["show", &issues[0], "--json"]).ok();
    assert!(shown.contains(&text), "{shown}");
    world.bd_in("lead", &["doctor"]).ok();
}

#[test]
fn bare_repositories_send_to_mailboxes_and_collect_them() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    for clone in ["session.git", "lead.git"] {
        let cloned = ["clone", "--quiet", "--bare", "hub.git", clone];
        world.git_in(".", &cloned).ok();
        world.bd_in(clone, &["init"]).ok();
    }
    let head = ["symbolic-ref", "HEAD", "refs/heads/claude/fix-2"];
    world.git_in("session.git", &head).ok();
    world
        .bd_in("session.git", &["note", &issues[0], "bare"])
        .ok();
    let said = world.bd_in("session.git", &["sync"]).ok();
    assert!(
        said.contains("1 change sent to the mailbox claude/git-beads-fix-2"),
        "{said}"
    );
    let said = lead(&world, "lead.git", &["sync"]);
    assert!(said.contains("1 change collected"), "{said}");
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    assert_eq!(export(&world, "lead.git"), export(&world, "session.git"));
}
