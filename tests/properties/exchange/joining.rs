//! How clones come to share a store: `init`, `clone`, and stores that were begun apart.

use crate::support::World;
use crate::support::clones::{bare_clones, create, failed, hub_tip, state, sync, tip, two_clones};

/// The ids of the stores a clone keeps.
fn stores(world: &World, clone: &str) -> Vec<String> {
    let text = world
        .git_in(clone, &["show", "refs/beads/main:meta.json"])
        .ok();
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap();
    meta["set:stores"]
        .as_object()
        .unwrap_or_else(|| panic!("{text}"))
        .keys()
        .cloned()
        .collect()
}

#[test]
fn init_in_a_fresh_clone_joins_what_the_remote_has() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init", "--prefix", "team"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    let joined = world.bd_in("b", &["init", "--json"]).json();
    assert_eq!(
        (&joined["joined"], &joined["prefix"]),
        (&"origin".into(), &"team".into())
    );
    assert_eq!(state(&world, "b"), state(&world, "a"));
    assert!(x.starts_with("team-"));
    assert!(create(&world, "b", &["y"]).starts_with("team-"));
}

#[test]
fn init_joins_what_a_clone_brought_along_as_a_branch() {
    let world = bare_clones(&["a"]);
    world
        .git_in("a", &["config", "beads.remoteRef", "refs/heads/beads"])
        .ok();
    world.bd_in("a", &["init", "--prefix", "team"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    for (name, away) in [("found", false), ("offline", true), ("named", false)] {
        world
            .git_in(".", &["clone", "--quiet", "hub.git", name])
            .ok();
        if name == "named" {
            let own = ["refs/remotes/origin/beads", "refs/remotes/origin/issues"];
            world
                .git_in("hub.git", &["branch", "-m", "beads", "issues"])
                .ok();
            world.git_in(name, &["update-ref", own[1], own[0]]).ok();
            world.git_in(name, &["update-ref", "-d", own[0]]).ok();
            world
                .git_in(name, &["config", "beads.remoteRef", "refs/heads/issues"])
                .ok();
        }
        if away {
            std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
        }
        let joined = world.bd_in(name, &["init", "--json"]).json();
        if away {
            std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
        }
        assert_eq!(joined["joined"], "origin", "{name}");
        assert_eq!(state(&world, name), state(&world, "a"), "{name}");
        assert!(world.bd_in(name, &["list", "-q"]).ok().contains(&x));
        create(&world, name, &["y"]);
        if name != "named" {
            sync(&world, &[name, "a"]);
            assert_eq!(state(&world, name), state(&world, "a"), "{name}");
        }
    }
}

#[test]
fn a_branch_called_beads_that_holds_no_store_is_nobody_s_store() {
    let world = bare_clones(&["a"]);
    world
        .git_in("a", &["push", "--quiet", "origin", "HEAD:refs/heads/beads"])
        .ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "b"])
        .ok();
    let begun = world.bd_in("b", &["init", "--json"]).json();
    assert_eq!(begun["joined"], serde_json::Value::Null);
    create(&world, "b", &["x"]);
    sync(&world, &["b"]);
}

#[test]
fn init_twice_is_harmless() {
    let world = bare_clones(&["a"]);
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["x"]);
    let before = state(&world, "a");
    assert_eq!(
        world.bd_in("a", &["init", "--json"]).json()["existing"],
        true
    );
    assert_eq!(state(&world, "a"), before);
}

#[test]
fn an_empty_store_begun_offline_gives_way_silently() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
    let error = failed(world.bd_in("b", &["init", "--json"]), 5);
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("git beads init --new"),
        "{error}"
    );
    let begun = world.bd_in("b", &["init", "--new"]);
    assert!(begun.stderr.contains("git beads sync"), "{begun:?}");
    begun.ok();
    std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
    sync(&world, &["b", "a"]);
    assert_eq!(state(&world, "b"), (hub_tip(&world), format!("{x}\n")));
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

#[test]
fn an_empty_store_on_the_remote_gives_way_silently() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    world.bd_in("b", &["init"]).ok();
    let x = create(&world, "b", &["x"]);
    sync(&world, &["a", "b", "a"]);
    assert_eq!(state(&world, "a"), (hub_tip(&world), format!("{x}\n")));
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

/// Clones `a` and `b` that each began a store and made an issue; `a` has sent its own.
fn apart(more: &[&str]) -> (World, String, String) {
    let world = bare_clones(&[&["a", "b"], more].concat());
    world.bd_in("a", &["init"]).ok();
    world.bd_in("b", &["init"]).ok();
    let (x, y) = (
        create(&world, "a", &["from a"]),
        create(&world, "b", &["from b"]),
    );
    sync(&world, &["a"]);
    (world, x, y)
}

#[test]
fn stores_begun_apart_are_refused_with_both_ids_and_the_way_to_join_them() {
    let (world, _, _) = apart(&[]);
    let before = (state(&world, "b"), hub_tip(&world));
    for verb in ["sync", "pull", "push"] {
        let error = failed(world.bd_in("b", &[verb, "--json"]), 3);
        assert_eq!(error["code"], "store_mismatch", "{verb}");
        let message = error["message"].as_str().unwrap();
        for id in stores(&world, "a").iter().chain(&stores(&world, "b")) {
            assert!(message.contains(id.as_str()), "{message} lacks {id}");
        }
        assert!(
            error["hint"]
                .as_str()
                .unwrap()
                .contains("git beads sync --adopt"),
            "{error}"
        );
        assert_eq!((state(&world, "b"), hub_tip(&world)), before, "{verb}");
    }
    world.bd_in("b", &["fetch"]).ok();
    assert_eq!((state(&world, "b"), hub_tip(&world)), before);
}

#[test]
fn adopting_loses_nothing_and_brings_all_clones_in_step() {
    let (world, x, y) = apart(&["c", "d"]);
    world
        .bd_in("b", &["update", &y, "-d", "text of b", "--add-label", "l"])
        .ok();
    world
        .bd_in("b", &["note", &y, "--finding", "seen by b"])
        .ok();
    world.bd_in("b", &["sync", "--adopt"]).ok();
    world.bd_in("c", &["init"]).ok();
    sync(&world, &["a", "b", "c"]);
    for clone in ["a", "b", "c"] {
        let list = state(&world, clone).1;
        assert!(list.contains(&x) && list.contains(&y), "{clone}: {list}");
        assert_eq!(tip(&world, clone), hub_tip(&world), "{clone}");
        assert_eq!(stores(&world, clone).len(), 2);
        let shown = world.bd_in(clone, &["show", &y]).ok();
        assert!(
            shown.contains("text of b") && shown.contains("seen by b"),
            "{shown}"
        );
    }
    let z = create(&world, "c", &["from c"]);
    sync(&world, &["c", "a", "b"]);
    assert!(
        ["a", "b"]
            .iter()
            .all(|clone| state(&world, clone).1.contains(&z))
    );
}

#[test]
fn a_third_store_is_joined_in_the_same_way() {
    let (world, x, y) = apart(&["c"]);
    std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
    let begun = world.bd_in("c", &["init", "--new"]);
    assert_eq!(begun.code, 0, "{begun:?}");
    let z = create(&world, "c", &["from c"]);
    std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
    world.bd_in("b", &["sync", "--adopt"]).ok();
    assert_eq!(
        failed(world.bd_in("c", &["sync", "--json"]), 3)["code"],
        "store_mismatch"
    );
    world.bd_in("c", &["sync", "--adopt"]).ok();
    sync(&world, &["a", "b", "c"]);
    for clone in ["a", "b", "c"] {
        let list = state(&world, clone).1;
        assert!(
            [&x, &y, &z].iter().all(|id| list.contains(id.as_str())),
            "{clone}: {list}"
        );
        assert_eq!(
            (tip(&world, clone), stores(&world, clone).len()),
            (hub_tip(&world), 3)
        );
    }
}

#[test]
fn adopt_dry_run_changes_nothing() {
    let (world, _, _) = apart(&[]);
    let before = (state(&world, "b"), hub_tip(&world));
    world.bd_in("b", &["sync", "--adopt", "--dry-run"]).ok();
    assert_eq!((state(&world, "b"), hub_tip(&world)), before);
}

#[test]
fn clone_brings_the_issues_along() {
    let world = bare_clones(&["a"]);
    world.bd_in("a", &["init"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    std::fs::create_dir(world.path("work")).unwrap();
    for (args, folder) in [
        (vec!["clone", "../hub.git"], "work/hub"),
        (vec!["clone", "../hub.git", "named"], "work/named"),
        (vec!["clone", "../hub.git/", "deep/er"], "work/deep/er"),
    ] {
        assert!(
            world
                .bd_in("work", &args)
                .ok()
                .contains("joined from origin")
        );
        assert_eq!(state(&world, folder), (hub_tip(&world), format!("{x}\n")));
    }
    let y = create(&world, "work/named", &["y"]);
    sync(&world, &["work/named", "a"]);
    assert!(state(&world, "a").1.contains(&y));
}

#[test]
fn a_clone_that_fails_is_a_remote_error_and_leaves_nothing() {
    let world = bare_clones(&["a"]);
    for url in [
        "nowhere.git",
        "--upload-pack=touch pwned",
        "ext::touch pwned",
    ] {
        let _ = failed(world.bd_in(".", &["clone", "--json", "--", url, "new"]), 5);
        assert!(!world.path("new").exists(), "{url}");
    }
    assert!(!world.path("pwned").exists());
    world.file("full/file", "kept");
    let _ = failed(world.bd_in(".", &["clone", "--json", "hub.git", "full"]), 5);
    assert_eq!(std::fs::read(world.path("full/file")).unwrap(), b"kept");
}

fn sha256_hub(world: &World) {
    let format = "--object-format=sha256";
    let args = ["init", "--quiet", "--bare", format, "hub.git"];
    world.git_in(".", &args).ok();
}

#[test]
fn a_clone_of_an_empty_hub_has_its_object_format_or_no_store() {
    let world = World::empty();
    sha256_hub(&world);
    // As an older git clones it.
    world.git_in(".", &["init", "--quiet", "old"]).ok();
    let url = world.path("hub.git").display().to_string();
    world.git_in("old", &["remote", "add", "origin", &url]).ok();
    let error = failed(world.bd_in("old", &["init", "--json"]), 5);
    assert!(
        error["message"].as_str().unwrap().contains("sha256"),
        "{error}"
    );
    let _ = world.bd_in("old", &["list"]).fails(4);
    let cloned = world.bd_in(".", &["clone", "hub.git", "new"]);
    let format = world
        .git_in("new", &["rev-parse", "--show-object-format"])
        .ok();
    assert_eq!(cloned.code == 0, format == "sha256\n", "{cloned:?}");
}

#[test]
fn a_remote_that_was_made_anew_in_another_format_is_named_as_that() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    std::fs::remove_dir_all(world.path("hub.git")).unwrap();
    sha256_hub(&world);
    world
        .git_in(".", &["init", "--quiet", "--object-format=sha256", "c"])
        .ok();
    let hub = world.path("hub.git").display().to_string();
    world.git_in("c", &["remote", "add", "origin", &hub]).ok();
    let remedy = "here git beads export issues.jsonl; there git beads import issues.jsonl";
    // An empty one refuses a push, one with issues is refused by the fetch.
    let said = world.bd_in("a", &["sync"]).fails(5);
    assert!(said.contains(remedy), "{said}");
    world.bd_in("c", &["init"]).ok();
    create(&world, "c", &["y"]);
    sync(&world, &["c"]);
    for verb in ["sync", "fetch", "pull", "push"] {
        let said = world.bd_in("a", &[verb]).fails(5);
        assert!(said.contains(remedy), "{verb}: {said}");
    }
    assert!(world.bd_in("a", &["list"]).ok().contains(" x"));
}

#[test]
fn a_remote_whose_history_is_cut_is_not_taken_for_empty() {
    let world = two_clones();
    for title in ["x", "y", "z"] {
        create(&world, "a", &[title]);
    }
    sync(&world, &["a"]);
    let hub = format!("file://{}", world.path("hub.git").display());
    world
        .git_in(
            ".",
            &[
                "clone", "--quiet", "--bare", "--depth", "1", &hub, "cut.git",
            ],
        )
        .ok();
    world
        .git_in(
            "cut.git",
            &[
                "fetch",
                "--quiet",
                "--depth",
                "1",
                &hub,
                "refs/beads/main:refs/beads/main",
            ],
        )
        .ok();
    world
        .git_in(".", &["clone", "--quiet", "cut.git", "d"])
        .ok();
    let said = world.bd_in("d", &["init"]).fails(5);
    assert!(
        said.contains("its history of refs/beads/main is cut"),
        "{said}"
    );
    assert!(said.contains("git fetch --unshallow"), "{said}");
    world.bd_in("d", &["list"]).fails(4);
    let cut = format!("file://{}", world.path("cut.git").display());
    let said = world.bd_in(".", &["clone", &cut, "e"]).fails(5);
    assert!(
        said.contains("its history of refs/beads/main is cut"),
        "{said}"
    );
}
