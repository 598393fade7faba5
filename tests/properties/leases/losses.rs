//! What can be lost while a claim is held: the book of the clone, an answer, the name of the remote, its refs. Never the
//! claim itself without a word.

use serde_json::json;

use super::{claim, claims, run, started, status, two};
use crate::support::clones::{create, tip};
use crate::support::events::{Events, until};
use crate::support::plumbing::instead_of_git;
use crate::support::{World, binary};

const BOOK: &str = "a/.git/beads/agents/claims.leases";

/// Two clones; `a` holds the issue, `b` has seen that.
fn held() -> (World, Events, String) {
    let (mut world, id) = two("strict");
    let events = world.events();
    started(&run(&world, "a", &["start", &id, "--json"]));
    world.bd_in("b", &["sync"]).ok();
    (world, events, id)
}

/// Like [`held`], and `b` has taken the issue over without the knowledge of `a`.
fn replaced() -> (World, String) {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    world.bd_in("b", &["sync"]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    (world, id)
}

/// Works on an issue for longer than a lease, so that beats are due.
fn work(world: &World, events: &Events, id: &str) {
    for n in 0..4 {
        world.pass_minutes(11);
        run(world, "a", &["note", id, &format!("part {n}")]).ok();
        // The beat goes on in the background.
        events.settle();
    }
    world.pass_minutes(5);
}

fn real_git(world: &World) {
    std::fs::remove_file(world.path("tools/git")).unwrap();
}

#[test]
fn a_lost_book_is_found_again_at_the_remote() {
    for how in ["emptied", "removed", "old"] {
        let (world, events, id) = held();
        run(&world, "b", &["start", &id]).fails(3);
        match how {
            "emptied" => std::fs::write(world.path(BOOK), "").unwrap(),
            "removed" => std::fs::remove_file(world.path(BOOK)).unwrap(),
            _ => {
                let agents = world.path("a/.git/beads/agents");
                for entry in std::fs::read_dir(agents).unwrap() {
                    let day = std::time::Duration::from_secs(24 * 3600);
                    let file = std::fs::File::open(entry.unwrap().path()).unwrap();
                    file.set_modified(std::time::SystemTime::now() - 15 * day)
                        .unwrap();
                }
            }
        }
        work(&world, &events, &id);
        let refused = run(&world, "b", &["start", &id]);
        assert_eq!(refused.code, 3, "{how}: {refused:?}");
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        assert_eq!(claims(&world), [] as [String; 0], "{how}");
    }
}

#[test]
fn a_claim_is_given_back_where_what_came_before_it_cannot_be_fetched() {
    for policy in ["strict", "remote"] {
        let (world, id) = two("strict");
        run(&world, "a", &["start", &id]).ok();
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        world.git_in("b", &["config", "beads.claims", policy]).ok();
        instead_of_git(
            &world,
            "case \" $* \" in *' fetch '*) exit 128;; esac; exec \"$GIT\" \"$@\"",
        );
        let started = run(&world, "b", &["start", &id]);
        real_git(&world);
        match policy {
            "strict" => assert!(started.fails(5).contains("nothing was started")),
            _ => assert!(
                started.all().contains("the claim is tentative"),
                "{started:?}"
            ),
        }
        assert_eq!(claims(&world), [] as [String; 0], "{policy}");
        let synced = world.bd_in("b", &["sync"]).all();
        assert_eq!(status(&world, "b", &id), "closed", "{policy}: {synced}");
    }
}

#[test]
fn a_replaced_holder_ends_nothing_after_a_sync_that_failed() {
    let (world, id) = replaced();
    instead_of_git(
        &world,
        "case \" $* \" in *' fetch '*refs/beads/main*) exit 128;; esac; exec \"$GIT\" \"$@\"",
    );
    run(&world, "a", &["sync"]).fails(5);
    real_git(&world);
    run(&world, "a", &["done", &id, "-r", "x"]).fails(3);
    assert_eq!(status(&world, "a", &id), "in_progress");
    assert_eq!(claim(&world)["agent"], "b-agent");
}

#[test]
fn a_replaced_holder_hears_of_it_though_another_agent_has_synced() {
    let (world, id) = replaced();
    let script = format!(
        "case \" $* \" in *' push '*claims*) [ -e {0} ] || {{ touch {0}; \
         ({1} -C {2} --actor eve --agent e1 hook pull origin >&2 </dev/null); }};; esac; exec \"$GIT\" \"$@\"",
        world.path("synced").display(),
        binary(),
        world.path("a").display(),
    );
    instead_of_git(&world, &script);
    let refused = run(&world, "a", &["done", &id, "-r", "x"]);
    assert!(world.path("synced").exists());
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(status(&world, "a", &id), "in_progress");
}

#[test]
fn what_another_agent_has_lost_is_not_said_of_ones_own_end() {
    let (world, id) = two("strict");
    let other = create(&world, "a", &["Port readers"]);
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    let eve = |args: &[&str]| {
        let mut all = vec!["--actor", "eve", "--agent", "e1"];
        all.extend(args);
        world.bd_in("a", &all)
    };
    run(&world, "a", &["start", &id]).ok();
    eve(&["start", &other]).ok();
    world.bd_in("b", &["sync"]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
    run(&world, "a", &["done", &id, "-r", "x"]).fails(5);
    std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
    run(&world, "b", &["start", &id, "--force"]).ok();
    let ended = eve(&["done", &other, "-r", "ok"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("its done not applied"), "{ended:?}");
    assert_eq!(status(&world, "a", &other), "closed");
    assert_eq!(status(&world, "a", &id), "in_progress");
}

#[test]
fn a_claim_that_was_replaced_is_not_confirmed() {
    let (world, id) = replaced();
    let refused = run(&world, "a", &["start", &id]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.stderr.contains("by b-person/b-agent"),
        "{refused:?}"
    );
}

#[test]
fn two_clones_in_one_name_never_hold_the_same() {
    let (world, id) = two("strict");
    let ci = |clone: &str, args: &[&str]| {
        let mut all = vec!["--actor", "ci"];
        all.extend(args);
        world.bd_in(clone, &all)
    };
    ci("a", &["start", &id]).ok();
    ci("b", &["start", &id]).fails(3);
    // Also where the store says whose it is.
    world.bd_in("b", &["sync"]).ok();
    ci("b", &["start", &id]).fails(3);
    ci("b", &["start", &id, "--force"]).ok();
    ci("a", &["done", &id, "-r", "in a"]).fails(3);
    ci("b", &["done", &id, "-r", "in b"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_remote_that_is_renamed_keeps_the_claim() {
    let (world, events, id) = held();
    world
        .git_in("a", &["remote", "rename", "origin", "hub"])
        .ok();
    work(&world, &events, &id);
    run(&world, "b", &["start", &id]).fails(3);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    assert_eq!(status(&world, "hub.git", &id), "closed");
}

#[test]
fn an_end_is_refused_that_another_command_has_let_give_way() {
    let (world, id) = replaced();
    run(&world, "b", &["done", &id, "-r", "by b"]).ok();
    // What runs in the background hears of it first, as the end is sent.
    let script = format!(
        r#"case " $* " in *' push '*)
          if [ ! -e '{top}/once' ]; then
            touch '{top}/once'
            '{program}' -C '{top}/a' hook pull origin > '{top}/said' 2>&1
          fi;;
        esac
        exec "$GIT" "$@""#,
        top = world.path("").display(),
        program = binary(),
    );
    instead_of_git(&world, &script);
    let text = run(&world, "a", &["done", &id, "-r", "by a"]).fails(3);
    assert!(text.contains("your change is not applied"), "{text}");
    real_git(&world);
    let shown = world.bd_in("a", &["show", &id]).ok();
    let comment = "done by a-person/a-agent: by a (not applied: closed by b-person/b-agent)";
    assert!(
        shown.contains("reason: by b") && shown.contains(comment),
        "{shown}"
    );
}

#[test]
fn a_claim_is_given_back_to_the_remote_that_has_it() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    world
        .git_in(".", &["clone", "--quiet", "--bare", "hub.git", "fork.git"])
        .ok();
    let fork = world.path("fork.git").display().to_string();
    world.git_in("a", &["remote", "add", "fork", &fork]).ok();
    world.git_in("a", &["config", "beads.remote", "fork"]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    assert_eq!(status(&world, "hub.git", &id), "closed");
}

#[test]
fn claims_that_the_remote_has_lost_are_said_and_asked_for_again() {
    let (world, _, id) = held();
    for name in claims(&world) {
        world.git_in("hub.git", &["update-ref", "-d", &name]).ok();
    }
    let synced = run(&world, "a", &["sync"]).ok();
    assert!(
        synced.contains(&format!(
            "{id}: origin has lost the claim of a-person/a-agent"
        )),
        "{synced}"
    );
    let again = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(again["claim"]["fence"], 2, "{again}");
    assert_eq!(claim(&world)["agent"], "a-agent");
    world.bd_in("b", &["sync"]).ok();
    run(&world, "b", &["start", &id]).fails(3);
}

#[test]
fn a_beat_whose_answer_was_lost_loses_no_claim() {
    let (world, _, id) = held();
    world.pass_minutes(11);
    // It arrives, and its sender is killed.
    instead_of_git(
        &world,
        "case \" $* \" in *' push '*claims*) \"$GIT\" \"$@\"; kill -9 $PPID; exit 1;; esac; exec \"$GIT\" \"$@\"",
    );
    let _ = world.bd_in("a", &["hook", "claims", "a-person/a-agent"]);
    real_git(&world);
    assert_eq!(claim(&world)["beat"], json!(1));
    run(&world, "a", &["sync"]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn an_end_beside_a_beat_gives_the_claim_back() {
    for _ in 0..3 {
        let (world, _, id) = held();
        world.pass_minutes(11);
        // Its beat is sent in the background.
        run(&world, "a", &["note", &id, "x"]).ok();
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn after_a_reboot_a_lease_begins_again() {
    let (mut world, id) = two("strict");
    run(&world, "a", &["start", &id, "--lease", "30m"]).ok();
    world.set("GIT_BEADS_BOOT", "first");
    world.bd_in("b", &["sync"]).ok();
    run(&world, "b", &["start", &id]).fails(3);
    world.set("GIT_BEADS_BOOT", "second");
    run(&world, "b", &["start", &id]).fails(3);
    world.pass_minutes(31);
    run(&world, "b", &["start", &id]).ok();
}

#[test]
fn a_claim_made_without_the_remote_gives_way_to_the_one_that_it_keeps() {
    for ended in [false, true] {
        let (world, id) = two("strict");
        world
            .git_in("b", &["config", "beads.claims", "remote"])
            .ok();
        // The tip moves, so only the ref of the claim is sent.
        create(&world, "b", &["Port readers"]);
        run(&world, "b", &["sync"]).ok();
        run(&world, "a", &["start", &id]).ok();
        std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
        let tentative = started(&run(&world, "b", &["start", &id, "--json"]));
        assert_eq!(tentative["claim"]["tentative"], true);
        if ended {
            run(&world, "b", &["done", &id, "-r", "ported"]).ok();
        }
        std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
        let synced = run(&world, "b", &["--json", "sync"]).json();
        assert_eq!(
            synced["claims_lost"][0]["by"], "a-person/a-agent",
            "{synced}"
        );
        assert_eq!(claim(&world)["agent"], "a-agent");
        run(&world, "a", &["done", &id, "-r", "shipped"]).ok();
        run(&world, "b", &["sync"]).ok();
        for clone in ["a", "b"] {
            assert_eq!(status(&world, clone, &id), "closed");
            let shown = world.bd_in(clone, &["show", &id]).ok();
            assert!(shown.contains("shipped"), "{shown}");
            assert_eq!(
                shown.contains("done by b-person/b-agent: ported (not applied"),
                ended
            );
        }
    }
}

#[test]
fn the_holder_of_a_claim_at_the_remote_prevails_over_what_its_store_says() {
    let (world, id) = two("strict");
    create(&world, "b", &["Port readers"]);
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["start", &id]).ok();
    // A program that knows nothing of claims at the remote.
    run(&world, "b", &["start", &id, "--local"]).ok();
    world.git_in("b", &["config", "beads.claims", "local"]).ok();
    let _ = std::fs::remove_dir_all(world.path("b/.git/beads/agents"));
    run(&world, "b", &["sync"]).ok();
    let shipped = run(&world, "a", &["done", &id, "-r", "shipped"]);
    assert_eq!(shipped.code, 0, "{shipped:?}");
    assert_eq!(claims(&world), [] as [String; 0]);
    let told = run(&world, "b", &["sync"]).ok();
    assert!(told.contains("your claim is released"), "{told}");
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn an_exchange_beside_a_start_gives_back_no_claim() {
    let (world, id) = two("strict");
    // Ends also where the test fails, or is killed.
    let script = format!(
        "n=0; while [ -e ../a -a ! -e stop -a $n -lt 5000 ]; do n=$((n + 1)); {} push -q; echo >>pushed; done",
        binary()
    );
    let pushed = || std::fs::read(world.path("a/pushed")).map_or(0, |marks| marks.len());
    let mut pushes = world.command("a", "sh", &["-c", &script]).spawn().unwrap();
    for _ in 0..12 {
        // Who loses each race with the pushes has started nothing.
        if run(&world, "a", &["start", &id]).code == 0 {
            // One that has begun with the claim.
            let before = pushed();
            until("a push", || pushed() >= before + 2);
            assert_eq!(claims(&world).len(), 1);
        }
        let _ = run(&world, "a", &["stop", &id]);
    }
    world.file("a/stop", "");
    pushes.wait().unwrap();
}

#[test]
fn a_copy_of_a_clone_holds_nothing_and_a_moved_one_all() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    let (from, copy) = (world.path("a"), world.path("copy"));
    let cp = world.command(".", "cp", &["-r", "a", "copy"]);
    world.run(cp, None).ok();
    let as_a = |clone: &str, args: &[&str]| {
        let mut all = vec!["--actor", "a-person", "--agent", "a-agent"];
        all.extend(args);
        world.bd_in(clone, &all)
    };
    as_a("copy", &["start", &id]).fails(3);
    std::fs::remove_dir_all(&copy).unwrap();
    std::fs::rename(&from, &copy).unwrap();
    as_a("copy", &["start", &id]).ok();
    as_a("copy", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn an_edit_of_what_was_yielded_before_is_applied() {
    let (world, id) = two("remote");
    let other = create(&world, "b", &["Port readers"]);
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--local"]).ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(claim(&world)["agent"], "a-agent");
    run(&world, "b", &["start", &other]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
    run(&world, "b", &["done", &other, "-r", "x"]).ok();
    std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
    let book = world.path("b/.git/beads/agents/claims.leases");
    let text = std::fs::read_to_string(&book).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    // As after a minute.
    value["unreachable"] = json!(null);
    std::fs::write(&book, value.to_string()).unwrap();
    run(&world, "b", &["update", &id, "--priority", "0"]).ok();
    assert_eq!(claims(&world).len(), 1);
}

#[test]
fn an_uninstall_names_the_claims_that_a_remote_keeps() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    for args in [&["uninstall", "--dry-run"][..], &["uninstall", "--yes"]] {
        let said = world.bd_in("a", args).ok();
        let line = "remains: a claim of a-person/a-agent at origin, until its lease of 30m is over";
        assert!(said.contains(line), "{args:?}: {said}");
    }
}

#[test]
fn a_lease_is_over_after_two_looks_and_not_by_the_time_since_one() {
    let (world, events, id) = held();
    work(&world, &events, &id);
    // Its only look is older than the lease, and the beats since have come.
    run(&world, "b", &["stop", &id]).fails(3);
    run(&world, "b", &["start", &id]).fails(3);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_claim_is_renewed_at_the_remote_that_has_it() {
    let (world, events, id) = held();
    world
        .git_in(".", &["clone", "--quiet", "--bare", "hub.git", "fork.git"])
        .ok();
    world
        .git_in("a", &["remote", "add", "fork", "../fork.git"])
        .ok();
    world.git_in("a", &["config", "beads.remote", "fork"]).ok();
    work(&world, &events, &id);
    assert_ne!(claim(&world)["beat"], json!(0));
}

#[test]
fn a_claim_that_was_made_again_since_a_look_is_kept() {
    let (world, id) = two("strict");
    let book = || {
        let text = std::fs::read_to_string(world.path(BOOK)).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    run(&world, "a", &["start", &id]).ok();
    let first = book()["held"].clone();
    run(&world, "a", &["stop", &id]).ok();
    let stopped = tip(&world, "a");
    run(&world, "a", &["start", &id]).ok();
    // What the push knows of the remote is of before it.
    for name in [
        "refs/beads-remotes/origin/main",
        "refs/beads-seen/origin/main",
    ] {
        world.git_in("a", &["update-ref", name, &stopped]).ok();
    }
    // As where a push beside the stop has seen its ref gone, and goes on after the second start.
    let mut stale = book();
    for (uid, held) in first.as_object().unwrap() {
        stale["replaced"][uid] = json!({"held": held, "by": null});
    }
    std::fs::write(world.path(BOOK), stale.to_string()).unwrap();
    world.bd_in("a", &["push"]).ok();
    assert_eq!(status(&world, "a", &id), "in_progress");
    assert_eq!(claims(&world).len(), 1);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}
