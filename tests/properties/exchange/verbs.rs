//! Which remote is used, what each verb moves, and clones of unusual kinds.

use crate::support::World;
use crate::support::clones::{create, failed, hub_tip, state, sync, tip, two_clones};

/// `two_clones` with a second, empty hub `spare.git` that `a` knows as `spare`.
fn two_hubs() -> World {
    let world = two_clones();
    world
        .git_in(".", &["init", "--quiet", "--bare", "spare.git"])
        .ok();
    world
        .git_in("a", &["remote", "add", "spare", "../spare.git"])
        .ok();
    world
}

fn has_ref(world: &World, folder: &str, name: &str) -> bool {
    world
        .git_in(folder, &["rev-parse", "--verify", "--quiet", name])
        .code
        == 0
}

#[test]
fn fetch_changes_nothing_pull_receives_and_push_sends() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    let y = create(&world, "b", &["y"]);
    let before = (tip(&world, "b"), hub_tip(&world));
    world.bd_in("a", &["push"]).ok();
    assert_eq!(
        (tip(&world, "a"), before.0 == tip(&world, "b")),
        (hub_tip(&world), true)
    );
    let here = state(&world, "b");
    world.bd_in("b", &["fetch"]).ok();
    assert_eq!(state(&world, "b"), here);
    let remote = &world.bd_in("b", &["status", "--json"]).json()["remotes"][0];
    assert_eq!(
        (&remote["ahead"], &remote["behind"]),
        (&1.into(), &1.into())
    );
    let hub = hub_tip(&world);
    let pulled = world.bd_in("b", &["pull", "--json"]).json();
    assert_eq!(
        (&pulled["received"], &pulled["sent"], hub_tip(&world)),
        (&1.into(), &0.into(), hub)
    );
    let list = state(&world, "b").1;
    assert!(list.contains(&x) && list.contains(&y));
    world.bd_in("b", &["push"]).ok();
    assert_eq!(tip(&world, "b"), hub_tip(&world));
}

#[test]
fn a_push_that_is_behind_merges_and_sends() {
    let world = two_clones();
    let (x, y) = (create(&world, "a", &["x"]), create(&world, "b", &["y"]));
    world.bd_in("a", &["push"]).ok();
    world.bd_in("b", &["push"]).ok();
    let (here, list) = state(&world, "b");
    assert!(list.contains(&x) && list.contains(&y));
    assert_eq!(here, hub_tip(&world));
}

#[test]
fn a_dry_run_tells_and_changes_nothing() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    create(&world, "b", &["y"]);
    let before = (state(&world, "b"), hub_tip(&world));
    for verb in ["sync", "pull", "push", "fetch"] {
        let text = world.bd_in("b", &[verb, "--dry-run"]).ok();
        assert!(text.contains("nothing was changed"), "{verb}: {text}");
        assert_eq!((state(&world, "b"), hub_tip(&world)), before, "{verb}");
    }
    let told = world.bd_in("b", &["sync", "--dry-run", "--json"]).json();
    assert_eq!(
        (&told["received"], &told["dry_run"]),
        (&1.into(), &true.into())
    );
    assert!(told["sent"].as_u64().unwrap() >= 1, "{told}");
    assert!(!world.bd_in("b", &["list", "--all"]).ok().contains(" x"));
}

#[test]
fn a_sync_in_step_moves_nothing() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let before = (tip(&world, "a"), hub_tip(&world));
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(
        (&said["sent"], &said["received"], &said["merged"]),
        (&0.into(), &0.into(), &false.into())
    );
    assert_eq!((tip(&world, "a"), hub_tip(&world)), before);
}

#[test]
fn the_remote_is_the_named_one_then_the_configured_then_the_branchs_then_origin() {
    let world = two_hubs();
    create(&world, "a", &["x"]);
    let used = |args: &[&str]| {
        let all: Vec<&str> = ["sync", "--dry-run", "--json"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        world.bd_in("a", &all).json()["remote"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(used(&[]), "origin");
    let _ = world.git_in("a", &["config", "--unset", "branch.main.remote"]);
    assert_eq!(used(&[]), "origin");
    world
        .git_in("a", &["config", "branch.main.remote", "spare"])
        .ok();
    assert_eq!(used(&[]), "spare");
    world
        .git_in("a", &["config", "beads.remote", "origin"])
        .ok();
    assert_eq!(used(&[]), "origin");
    assert_eq!(used(&["--remote", "spare"]), "spare");
    world
        .git_in("a", &["config", "branch.main.remote", "."])
        .ok();
    world
        .git_in("a", &["config", "--unset", "beads.remote"])
        .ok();
    assert_eq!(used(&[]), "origin");
    world.git_in("a", &["remote", "remove", "origin"]).ok();
    assert_eq!(used(&[]), "spare");
}

#[test]
fn work_travels_through_every_remote_it_is_sent_to() {
    let world = two_hubs();
    let x = create(&world, "a", &["x"]);
    world.bd_in("a", &["sync", "--remote", "spare"]).ok();
    assert_eq!(tip(&world, "a"), tip(&world, "spare.git"));
    assert_ne!(tip(&world, "a"), hub_tip(&world));
    world
        .git_in("b", &["remote", "add", "up/spare", "../spare.git"])
        .ok();
    world.bd_in("b", &["sync", "--remote", "up/spare"]).ok();
    sync(&world, &["b", "a"]);
    assert!(state(&world, "b").1.contains(&x));
    assert_eq!(
        (tip(&world, "a"), tip(&world, "b")),
        (hub_tip(&world), hub_tip(&world))
    );
}

#[test]
fn no_remote_or_an_unknown_one_is_a_bad_value_with_a_remedy() {
    let world = two_clones();
    let unknown = failed(world.bd_in("a", &["sync", "--json", "--remote", "nope"]), 1);
    assert!(
        unknown["message"].as_str().unwrap().contains("origin"),
        "{unknown}"
    );
    world.git_in("a", &["remote", "remove", "origin"]).ok();
    let none = failed(world.bd_in("a", &["sync", "--json"]), 1);
    assert!(
        none["hint"].as_str().unwrap().contains("git remote add"),
        "{none}"
    );
}

#[test]
fn init_joins_the_first_remote_that_has_a_store() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    world
        .git_in(".", &["init", "--quiet", "--bare", "empty.git"])
        .ok();
    world.git_in(".", &["init", "--quiet", "c"]).ok();
    for (name, url) in [
        ("origin", "../empty.git"),
        ("away", "../nowhere.git"),
        ("team", "../hub.git"),
    ] {
        world.git_in("c", &["remote", "add", name, url]).ok();
    }
    assert_eq!(
        world.bd_in("c", &["init", "--json"]).json()["joined"],
        "team"
    );
    assert_eq!(state(&world, "c"), (hub_tip(&world), format!("{x}\n")));
}

#[test]
fn another_ref_of_the_remote_works_end_to_end() {
    let world = two_clones();
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world
        .git_in("hub.git", &["config", "transfer.hideRefs", "refs/beads"])
        .ok();
    world
        .git_in(
            "a",
            &["push", "--quiet", "origin", "HEAD:refs/heads/beads-ui"],
        )
        .ok();
    for clone in ["a", "b"] {
        world
            .git_in(clone, &["config", "beads.remoteRef", "refs/heads/beads"])
            .ok();
    }
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    assert!(!has_ref(&world, "hub.git", "refs/beads/main"));
    let setting = [
        "clone",
        "--quiet",
        "-c",
        "beads.remoteRef=refs/heads/beads",
        "hub.git",
        "c",
    ];
    world.git_in(".", &setting).ok();
    assert_eq!(
        world.bd_in("c", &["init", "--json"]).json()["joined"],
        "origin"
    );
    world.bd_in("a", &["update", &x, "-d", "by a"]).ok();
    world.bd_in("c", &["update", &x, "-d", "by c"]).ok();
    sync(&world, &["a", "c", "a", "b"]);
    let hub = world
        .git_in("hub.git", &["rev-parse", "refs/heads/beads"])
        .ok();
    for clone in ["a", "b", "c"] {
        assert_eq!(tip(&world, clone), hub.trim());
        assert_eq!(
            world.bd_in(clone, &["conflicts", "--json"]).json()["conflicts"][0]["value"],
            "by a"
        );
    }
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/heads/beads"])
        .ok();
    sync(&world, &["b"]);
    assert_eq!(
        world
            .git_in("hub.git", &["rev-parse", "refs/heads/beads"])
            .ok(),
        hub
    );
}

#[test]
fn a_remote_ref_that_is_a_branch_of_code_is_left_alone() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    world
        .git_in("a", &["config", "beads.remoteRef", "refs/heads/main"])
        .ok();
    let code = world.git_in("hub.git", &["rev-parse", "main"]).ok();
    let before = state(&world, "a");
    assert_ne!(world.bd_in("a", &["sync"]).code, 0);
    assert_eq!(world.git_in("hub.git", &["rev-parse", "main"]).ok(), code);
    assert_eq!(state(&world, "a"), before);
}

#[test]
fn a_mirror_clone_is_read_and_never_written() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    world
        .git_in(
            ".",
            &["clone", "--quiet", "--mirror", "hub.git", "mirror.git"],
        )
        .ok();
    assert_eq!(world.bd_in("mirror.git", &["list", "-q"]).ok().trim(), x);
    let before = tip(&world, "mirror.git");
    let all: [&[&str]; 4] = [
        &["create", "y"],
        &["update", &x, "-p", "0"],
        &["done", &x],
        &["init"],
    ];
    for args in all {
        let mut args = args.to_vec();
        args.push("--json");
        let error = failed(world.bd_in("mirror.git", &args), 6);
        assert_eq!(error["code"], "mirror", "{args:?}");
        assert!(error["hint"].as_str().unwrap().contains("clone"));
    }
    create(&world, "a", &["z"]);
    sync(&world, &["a"]);
    // Our own fetch must not move the ref either, as the mirror's refspec would.
    let _ = failed(world.bd_in("mirror.git", &["sync", "--json"]), 6);
    assert_eq!(tip(&world, "mirror.git"), before);
    world.git_in("mirror.git", &["fetch", "--quiet"]).ok();
    assert_eq!(
        world
            .bd_in("mirror.git", &["list", "-q"])
            .ok()
            .lines()
            .count(),
        2
    );
}

/// A hub that serves filters, with a few issues; returns its URL.
fn served(world: &World) -> String {
    for title in ["x", "y", "z"] {
        create(world, "a", &[title]);
    }
    sync(world, &["a"]);
    world
        .git_in("hub.git", &["config", "uploadpack.allowFilter", "true"])
        .ok();
    format!("file://{}", world.path("hub.git").display())
}

/// Asserts that a clone has all commits and blobs of the hub's issues.
#[track_caller]
fn whole(world: &World, clone: &str) {
    let all = |folder| {
        let list = [
            "rev-list",
            "--objects",
            "--missing=print",
            "refs/beads/main",
        ];
        let text = world.git_in(folder, &list).ok();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let here = all(clone);
    assert!(
        !here.iter().any(|line| line.starts_with('?')),
        "{clone} lacks {here:?}"
    );
    assert_eq!(here, all("hub.git"), "{clone}");
}

#[test]
fn shallow_and_partial_clones_have_all_of_the_issues() {
    let world = two_clones();
    let url = served(&world);
    for (name, option) in [
        ("shallow", "--depth=1"),
        ("partial", "--filter=blob:none"),
        ("bare", "--filter=tree:0"),
    ] {
        world
            .git_in(".", &["clone", "--quiet", option, &url, name])
            .ok();
        world.bd_in(name, &["init"]).ok();
        whole(&world, name);
        create(&world, "a", &[name]);
        sync(&world, &["a", name]);
        whole(&world, name);
        create(&world, name, &[name]);
        sync(&world, &[name, "a"]);
        assert_eq!(tip(&world, name), tip(&world, "a"));
    }
}

#[test]
fn a_partial_clone_that_a_plain_fetch_left_without_blobs_is_healed_by_sync() {
    let world = two_clones();
    let url = served(&world);
    world
        .git_in(".", &["clone", "--quiet", "--filter=blob:none", &url, "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    create(&world, "a", &["later"]);
    sync(&world, &["a"]);
    world
        .git_in(
            "c",
            &[
                "fetch",
                "--quiet",
                "origin",
                "+refs/beads/*:refs/beads-remotes/origin/*",
            ],
        )
        .ok();
    sync(&world, &["c"]);
    whole(&world, "c");
}

#[test]
fn a_partial_clone_that_a_plain_fetch_left_without_blobs_is_healed_by_init() {
    let world = two_clones();
    let url = served(&world);
    world
        .git_in(".", &["clone", "--quiet", "--filter=blob:none", &url, "c"])
        .ok();
    let plain = [
        "fetch",
        "--quiet",
        "origin",
        "+refs/beads/*:refs/beads-remotes/origin/*",
    ];
    world.git_in("c", &plain).ok();
    world.bd_in("c", &["init"]).ok();
    whole(&world, "c");
}

/// Makes a clone with a filter, into which git's own fetch has brought the ref of the issues.
#[track_caller]
fn fetched_with_filter(world: &World, name: &str, filter: &str, url: &str) {
    let option = format!("--filter={filter}");
    let clone = ["clone", "--quiet", &option, url, name];
    world.git_in(".", &clone).ok();
    let plain = ["fetch", "--quiet", "origin", "refs/beads/*:refs/beads/*"];
    world.git_in(name, &plain).ok();
}

#[test]
fn what_a_filter_left_out_of_a_plain_fetch_is_fetched_by_the_next_command() {
    let world = two_clones();
    let url = served(&world);
    let verbs = [
        &["list"][..],
        &["init"],
        &["sync"],
        &["prime"],
        &["doctor", "--fix"],
    ];
    for filter in ["blob:none", "tree:0"] {
        for (at, verb) in verbs.iter().enumerate() {
            let name = format!("{}-{at}", &filter[..4]);
            fetched_with_filter(&world, &name, filter, &url);
            world.bd_in(&name, verb).ok();
            whole(&world, &name);
            assert_eq!(world.bd_in(&name, &["doctor"]).ok().lines().count(), 1);
        }
    }
}

#[test]
fn a_remote_that_does_not_answer_is_named_with_the_command_that_fetches_what_a_filter_left_out() {
    let world = two_clones();
    let url = served(&world);
    fetched_with_filter(&world, "c", "tree:0", &url);
    let [hub, away] = ["hub.git", "away.git"].map(|name| world.path(name));
    std::fs::rename(&hub, &away).unwrap();
    let error = failed(world.bd_in("c", &["list", "--json"]), 6);
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.ends_with(": git beads fetch"), "{error}");
    std::fs::rename(&away, &hub).unwrap();
    world.bd_in("c", &["fetch"]).ok();
    whole(&world, "c");
}

#[test]
fn a_branch_of_issues_that_came_with_a_filter_is_taken_over() {
    let world = two_clones();
    let url = served(&world);
    let moves = [
        &["update-ref", "refs/heads/beads", "refs/beads/main"][..],
        &["update-ref", "-d", "refs/beads/main"],
    ];
    for args in moves {
        world.git_in("hub.git", args).ok();
    }
    for (name, filter) in [("blobs", "blob:none"), ("trees", "tree:0")] {
        let option = format!("--filter={filter}");
        let clone = ["clone", "--quiet", &option, &url, name];
        world.git_in(".", &clone).ok();
        world.bd_in(name, &["init"]).ok();
        let ids = world.bd_in(name, &["list", "-q"]).ok();
        assert_eq!(ids, world.bd_in("a", &["list", "-q"]).ok());
        assert_eq!(world.bd_in(name, &["doctor"]).ok().lines().count(), 1);
    }
}

#[test]
fn a_shallow_fetch_of_the_issues_is_deepened() {
    let world = two_clones();
    let url = served(&world);
    world
        .git_in(".", &["clone", "--quiet", "--depth=1", &url, "c"])
        .ok();
    world
        .git_in(
            "c",
            &[
                "fetch",
                "--quiet",
                "--depth=1",
                "origin",
                "+refs/beads/*:refs/beads-remotes/origin/*",
            ],
        )
        .ok();
    world.bd_in("c", &["init"]).ok();
    create(&world, "c", &["mine"]);
    sync(&world, &["c", "a"]);
    whole(&world, "c");
    assert_eq!(tip(&world, "c"), tip(&world, "a"));
}

#[test]
fn the_refspec_is_in_the_configuration_only_where_it_is_asked_for() {
    let world = two_clones();
    let refspecs = || {
        world
            .git_in("b", &["config", "--get-all", "remote.origin.fetch"])
            .ok()
    };
    create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    assert!(!refspecs().contains("beads"));
    world.git_in("b", &["fetch", "--quiet"]).ok();
    world
        .git_in("b", &["config", "beads.trackFetch", "true"])
        .ok();
    sync(&world, &["b", "b"]);
    assert_eq!(refspecs().matches("beads").count(), 2, "{}", refspecs());
    world.bd_in("b", &["sync", "--dry-run"]).ok();
}

#[test]
fn prune_rename_and_a_shallow_fetch_are_harmless_with_a_tracked_refspec() {
    let world = two_clones();
    world
        .git_in("b", &["config", "beads.trackFetch", "true"])
        .ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let y = create(&world, "b", &["y"]);
    world.git_in("b", &["fetch", "--quiet", "--prune"]).ok();
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.git_in("b", &["fetch", "--quiet", "--prune"]).ok();
    assert!(state(&world, "b").1.contains(&x) && state(&world, "b").1.contains(&y));
    sync(&world, &["b"]);
    world
        .git_in("b", &["remote", "rename", "origin", "up"])
        .ok();
    let z = create(&world, "a", &["z"]);
    sync(&world, &["a", "b", "a"]);
    assert!([x, y, z].iter().all(|id| state(&world, "b").1.contains(id)));
    assert_eq!(
        (tip(&world, "b"), tip(&world, "a")),
        (hub_tip(&world), hub_tip(&world))
    );
    create(&world, "a", &["later"]);
    sync(&world, &["a"]);
    world.git_in("b", &["fetch", "--quiet"]).ok();
    assert!(world.bd_in("b", &["list"]).ok().contains("later"));
}
