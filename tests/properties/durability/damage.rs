//! What is broken is named, is never taken for empty, and everything else works on.

use crate::support::plumbing::{
    REF, blob, drop_index, forget, git, lines, loose, object, path, path_of, put, sound, tip, uid,
};
use crate::support::{World, files_refs_only};

/// Verbs that read and verbs that write.
fn all_verbs(id: &str) -> Vec<Vec<String>> {
    let verbs = [
        "list", "ready", "blocked", "status", "log", "export", "init", "create x", "search x",
    ];
    let of_one =
        ["show ID", "done ID", "delete ID", "note ID text"].map(|line| line.replace("ID", id));
    let lines = verbs.iter().map(ToString::to_string).chain(of_one);
    lines
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect()
}

/// Whatever the ref holds that is no commit id, every verb refuses and leaves it.
#[track_caller]
fn refuses(content: &str) {
    let _files = files_refs_only();
    let world = World::with_store_made_here();
    let id = world.create(&["Kept"]);
    let file = world.path("repo/.git/refs/beads/main");
    forget(&world);
    std::fs::write(&file, content).unwrap();
    for args in all_verbs(&id) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = world.bd(&args);
        assert_eq!(output.code, 6, "{args:?} {output:?}");
        assert!(
            output.stderr.contains("error:") && output.stderr.contains("hint:"),
            "{output:?}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), content, "{args:?}");
    }
    let import = world.file("many.jsonl", lines(150));
    let _ = world.bd(&["import", &import]).fails(6);
    let _ = world.bd(&["init", "--import", &import]).fails(6);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&world.bd(&["list", "--json"]).stdout).unwrap()["kind"],
        "error"
    );
}

#[test]
fn a_ref_with_garbage_is_an_error_not_an_empty_store() {
    refuses("garbage\n");
}

#[test]
fn an_empty_ref_is_an_error_not_an_empty_store() {
    refuses("");
}

#[test]
fn a_ref_of_zero_bytes_after_a_power_cut_is_an_error() {
    refuses(&"\0".repeat(41));
}

#[test]
fn a_ref_cut_short_is_an_error() {
    refuses("0123456789abcdef\n");
}

#[test]
fn a_ref_to_a_missing_commit_is_an_error() {
    refuses("0123456789012345678901234567890123456789\n");
}

#[test]
fn a_symbolic_ref_is_an_error() {
    refuses("ref: refs/heads/main\n");
}

#[test]
fn a_ref_to_something_that_is_no_commit_is_an_error() {
    let _files = files_refs_only();
    let world = World::with_store_made_here();
    let text = object(&world, "not a commit");
    let file = world.path("repo/.git/refs/beads/main");
    std::fs::write(&file, format!("{text}\n")).unwrap();
    for args in [&["list"][..], &["create", "x"], &["init"]] {
        let _ = world.bd(args).fails(6);
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{text}\n"));
}

#[test]
fn packed_refs_are_read_and_damaged_ones_are_an_error() {
    let _files = files_refs_only();
    let world = World::with_store_made_here();
    let id = world.create(&["Packed"]);
    git(&world, &["pack-refs", "--all"]);
    assert!(!world.path("repo/.git/refs/beads/main").exists());
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    world.bd(&["update", &id, "--title", "Loose again"]).ok();
    git(&world, &["pack-refs", "--all"]);
    std::fs::write(world.path("repo/.git/packed-refs"), "garbage all over\n").unwrap();
    let _ = world.bd(&["list"]).fails(6);
    let _ = world.bd(&["create", "x"]).fails(6);
    let _ = world.bd(&["init"]).fails(6);
}

#[test]
fn garbage_collection_loses_nothing() {
    let world = World::with_store_made_here();
    let id = world.create(&["Kept"]);
    git(&world, &["gc", "--quiet", "--prune=now", "--aggressive"]);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    world.bd(&["done", &id]).ok();
    sound(&world);
}

/// A world with a good issue, and one whose blob is `bytes`.
fn with_blob(bytes: &str) -> (World, String, String) {
    let world = World::with_store_made_here();
    let (good, bad) = (world.create(&["Good"]), world.create(&["Bad"]));
    let (place, name) = (path(&world, &bad), uid(&world, &bad));
    put(&world, &place, bytes);
    (world, good, name)
}

#[test]
fn a_corrupt_issue_is_shown_as_unreadable_and_refused() {
    for bytes in [
        "not json\n",
        "{\"v\":1\n",
        "[]\n",
        "",
        "{}\n",
        "{\"v\":1,\"v\":1,\"min_reader\":1}\n",
    ] {
        let (world, good, bad) = with_blob(bytes);
        let list = world.bd(&["list"]).ok();
        assert!(
            list.contains("unreadable") && list.contains("Good"),
            "{bytes:?}: {list}"
        );
        let status = world.bd(&["status"]).ok();
        assert!(
            status.contains(&format!("{bad}/issue.json")),
            "{bytes:?}: {status}"
        );
        let before = tip(&world);
        for args in [
            &["update", &bad, "--title", "x"][..],
            &["done", &bad],
            &["delete", &bad],
            &["note", &bad, "x"],
            &["done", &good, &bad],
            &["create", "--parent", &bad, "x"],
        ] {
            let output = world.bd(args);
            assert_eq!(output.code, 6, "{bytes:?} {args:?} {output:?}");
            assert_eq!(tip(&world), before, "{args:?}");
        }
        assert!(world.bd(&["show", &bad]).fails(6).contains("can't be read"));
    }
}

#[test]
fn everything_else_works_beside_a_corrupt_issue() {
    let (world, good, bad) = with_blob("not json\n");
    let bytes = blob(&world, &path_of(&bad, "issue"));
    assert_eq!(
        world.bd(&["ready", "-q"]).ok().trim(),
        good,
        "what can't be read is not ready"
    );
    world.bd(&["update", &good, "--title", "Better"]).ok();
    world.bd(&["note", &good, "--finding", "f"]).ok();
    world.bd(&["done", &good]).ok();
    let other = world.create(&["Another"]);
    world.bd(&["search", "another", "-q"]).ok();
    let file = world.file("many.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    assert_eq!(
        world.bd(&["ready", "-q", "-n", "0"]).ok().lines().count(),
        151,
        "{other}"
    );
    world.bd(&["export"]).ok();
    world.bd(&["log"]).ok();
    assert_eq!(
        blob(&world, &path_of(&bad, "issue")),
        bytes,
        "carried byte for byte"
    );
    sound(&world);
}

#[test]
fn a_corrupt_issue_that_is_mended_is_shown_again() {
    let world = World::with_store_made_here();
    let id = world.create(&["Mended"]);
    let place = path(&world, &id);
    let good = blob(&world, &place);
    put(&world, &place, "broken");
    assert!(world.bd(&["list"]).ok().contains("unreadable"));
    put(&world, &place, &good);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    assert!(!world.bd(&["status"]).ok().contains("issue.json"));
    world.bd(&["done", &id]).ok();
}

#[test]
fn a_corrupt_memory_entry_hides_only_itself() {
    let world = World::with_store_made_here();
    let id = world.create(&["Issue"]);
    world.bd(&["note", &id, "--finding", "good finding"]).ok();
    let place = path_of(&uid(&world, &id), "01J00000000000000000000001");
    put(&world, &place, "not json");
    let shown = world.bd(&["show", &id]);
    assert!(
        shown.stdout.contains("good finding") && shown.stderr.contains("can't be read"),
        "{shown:?}"
    );
    assert!(
        world
            .bd(&["status"])
            .ok()
            .contains("01J00000000000000000000001")
    );
    world.bd(&["note", &id, "--finding", "another"]).ok();
    world.bd(&["done", &id]).ok();
    assert_eq!(blob(&world, &place), "not json");
}

#[test]
fn paths_of_nobody_are_carried_along_and_named() {
    let world = World::with_store_made_here();
    let id = world.create(&["Issue"]);
    put(&world, "issues/stray.txt", "stray");
    put(&world, "later/version/of/this.json", "{}");
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    world.bd(&["update", &id, "--title", "New"]).ok();
    let file = world.file("many.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    assert_eq!(blob(&world, "issues/stray.txt"), "stray");
    assert_eq!(blob(&world, "later/version/of/this.json"), "{}");
    assert!(world.bd(&["status"]).ok().contains("issues/stray.txt"));
}

#[test]
fn a_missing_blob_is_never_a_silent_gap() {
    let world = World::with_store_made_here();
    let (good, bad) = (world.create(&["Good"]), world.create(&["Bad"]));
    let place = path(&world, &bad);
    let gone = git(&world, &["rev-parse", &format!("{REF}:{place}")]);
    forget(&world);
    std::fs::remove_file(loose(&world, &gone)).unwrap();
    assert!(
        world
            .bd(&["update", &bad, "--title", "x"])
            .fails(6)
            .contains(&gone)
    );
    drop_index(&world);
    let list = world.bd(&["list"]);
    assert!(
        list.all().contains(&gone) || list.stdout.contains("unreadable"),
        "{list:?}"
    );
    assert!(list.code == 6 || list.stdout.contains("Good"), "{list:?}");
    assert_eq!(world.bd(&["show", &good]).code, list.code);
}

#[test]
fn a_missing_tree_is_an_error() {
    let world = World::with_store_made_here();
    world.create(&["x"]);
    let gone = git(&world, &["rev-parse", &format!("{REF}:issues")]);
    forget(&world);
    std::fs::remove_file(loose(&world, &gone)).unwrap();
    drop_index(&world);
    let text = world.bd(&["list"]).fails(6);
    assert!(text.contains("hint:"), "{text}");
    let before = tip(&world);
    let _ = world.bd(&["create", "y"]).fails(6);
    assert_eq!(tip(&world), before);
}

#[test]
fn an_empty_object_left_by_a_crash_is_written_again() {
    let world = World::with_store_made_here();
    let create = || {
        let mut command = world.command(
            "repo",
            env!("CARGO_BIN_EXE_git-beads"),
            &["create", "-q", "Same again"],
        );
        command
            .env("GIT_BEADS_NOW", "1795180000000")
            .env("GIT_BEADS_SEED", "crash");
        world.run(command, None).ok()
    };
    let before = tip(&world);
    let first = create();
    let place = path(&world, first.trim());
    let object = git(&world, &["rev-parse", &format!("{REF}:{place}")]);
    git(&world, &["update-ref", REF, &before]);
    let file = loose(&world, &object);
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    std::fs::write(&file, "").unwrap();
    drop_index(&world);
    assert_eq!(create(), first);
    sound(&world);
    world.bd(&["show", first.trim()]).ok();
}

#[test]
fn damaged_registers_of_the_store_are_never_replaced_by_defaults() {
    let world = World::new();
    world.bd(&["init", "--prefix", "acme"]).ok();
    let id = world.create(&["First"]);
    assert!(id.starts_with("acme-"));
    put(&world, "meta.json", "not json");
    world.bd(&["list"]).ok();
    let output = world.bd(&["create", "Second"]);
    assert_eq!(
        output.code, 6,
        "an id with another prefix would be made: {output:?}"
    );
    assert!(output.stderr.contains("meta.json"), "{output:?}");
}

#[test]
fn damaged_registers_of_the_store_are_named() {
    let world = World::with_store_made_here();
    put(&world, "meta.json", "not json");
    assert!(world.bd(&["status"]).ok().contains("meta.json"));
}

#[test]
fn init_does_not_make_a_damaged_store_new() {
    let world = World::with_store_made_here();
    let id = world.create(&["Kept"]);
    put(&world, "meta.json", "not json");
    let before = tip(&world);
    let _ = world.bd(&["init", "--prefix", "other"]);
    assert_eq!(blob(&world, "meta.json"), "not json");
    assert_eq!(tip(&world), before);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
}
