//! What counts as delivered: only what others have, or a file that is whole.

use super::{FOLDER, carry, commit, export, git, lead_and_agent};
use crate::support::World;
use crate::support::clones::{create, failed, sync, two_clones};

fn carried(world: &World, clone: &str) -> String {
    let said = world.bd_in(clone, &["carry", "--json"]).json();
    said["file"]
        .as_str()
        .unwrap_or_else(|| panic!("{said}"))
        .to_owned()
}

#[test]
fn a_file_that_was_damaged_in_a_branch_does_not_count() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    let whole = std::fs::read_to_string(world.path(&format!("b/{path}"))).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let cut = lines[..lines.len() - 2].join("\n");
    for damaged in [whole.replacen("Tip: ", "Tip: 0", 1), cut] {
        world.file(&format!("b/{path}"), damaged);
        commit(&world, "b");
        let other = carry(&world, "b");
        assert_ne!(other, path);
        assert_eq!(
            std::fs::read_to_string(world.path(&format!("b/{other}"))).unwrap(),
            whole
        );
        git(&world, "b", &["rm", "--quiet", &other]);
        git(&world, "b", &["commit", "--quiet", "-m", "back"]);
    }
}

#[test]
fn a_file_of_ones_own_is_no_delivery() {
    let (world, _) = lead_and_agent();
    let waits = || world.bd_in("b", &["carry", "--dry-run", "--json"]).json()["changes"].clone();
    for option in ["--full", "--stdout"] {
        let text = world.bd_in("b", &["carry", option]).ok();
        let file = world.file("own.txt", text);
        world.bd_in("b", &["init", "--from", &file]).ok();
        assert_eq!(waits(), 4, "{option}");
    }
}

#[test]
fn what_begins_from_a_file_carries_what_its_maker_had_not_sent() {
    let (world, _) = lead_and_agent();
    let text = world.bd_in("b", &["carry", "--full"]).ok();
    assert!(text.contains("\nKnown: "), "{text:.300}");
    let file = world.file("full.txt", text);
    git(&world, ".", &["init", "--quiet", "c"]);
    world.bd_in("c", &["init", "--from", &file]).ok();
    assert_eq!(export(&world, "c"), export(&world, "b"));
    create(&world, "c", &["by c"]);
    let path = carried(&world, "c");
    let path = world.path(&format!("c/{path}")).display().to_string();
    let said = world.bd_in("a", &["collect", "--file", &path]).ok();
    assert!(said.contains("5 changes collected from"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "c"));
    // One that has only what is new begins nothing.
    let text = world.bd_in("c", &["carry", "--stdout"]).ok();
    let file = world.file("new.txt", text);
    git(&world, ".", &["init", "--quiet", "d"]);
    let error = failed(world.bd_in("d", &["init", "--from", &file, "--json"]), 1);
    let said = error["message"].as_str().unwrap();
    assert!(said.contains("only what is new"), "{error}");
    assert!(
        error["hint"].as_str().unwrap().contains("carry --full"),
        "{error}"
    );
}

#[test]
fn a_purge_of_what_was_never_sent_is_carried_and_one_of_what_was_is_not() {
    let (world, issues) = lead_and_agent();
    let own = create(&world, "b", &["a secret"]);
    carry(&world, "b");
    world.bd_in("b", &["purge", &own, "--yes"]).ok();
    let path = carry(&world, "b");
    let path = world.path(&format!("b/{path}")).display().to_string();
    let said = world.bd_in("a", &["collect", "--file", &path]).ok();
    assert!(said.contains("changes collected from"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
    world.bd_in("b", &["purge", &issues[0], "--yes"]).ok();
    let error = failed(world.bd_in("b", &["carry", "--json"]), 1);
    let said = error["message"].as_str().unwrap();
    assert!(
        said.contains("texts are removed by those who may push"),
        "{error}"
    );
}

#[test]
fn what_was_printed_has_left_the_clone() {
    let (world, _) = lead_and_agent();
    let id = create(&world, "b", &["a secret"]);
    world.bd_in("b", &["carry", "--full"]).ok();
    let said = world.bd_in("b", &["purge", &id, "--yes"]).ok();
    assert!(
        said.contains("which has left this clone or may have"),
        "{said}"
    );
}

#[test]
fn what_a_slower_command_made_of_an_older_state_replaces_nothing() {
    let (world, _) = lead_and_agent();
    let old = carried(&world, "b");
    let text = std::fs::read(world.path(&format!("b/{old}"))).unwrap();
    create(&world, "b", &["later"]);
    let new = carried(&world, "b");
    assert!(!world.path(&format!("b/{old}")).exists());
    // As if the first command had come to its end only now: the next one replaces that, and not the other way round.
    world.file(&format!("b/{old}"), text);
    create(&world, "b", &["last"]);
    let last = carried(&world, "b");
    let names: Vec<String> = std::fs::read_dir(world.path(&format!("b/{FOLDER}")))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(last.ends_with(&names[0]) && last != new, "{names:?}");
}

#[test]
fn a_file_whose_changes_were_sent_otherwise_waits_no_more() {
    let world = two_clones();
    create(&world, "b", &["x"]);
    let path = carried(&world, "b");
    let waiting = || {
        let said = world.bd_in("b", &["status", "--json"]).json();
        said["uncommitted_count"].as_u64().unwrap_or_default()
    };
    assert_eq!(waiting(), 1);
    sync(&world, &["b"]);
    assert_eq!(waiting(), 0);
    // Committed it is no news, and is taken out.
    commit(&world, "b");
    git(&world, "b", &["push", "--quiet", "origin", "main"]);
    git(&world, "a", &["pull", "--quiet"]);
    sync(&world, &["a"]);
    let said = world.bd_in("a", &["collect", "--head"]).ok();
    assert!(!said.contains("collected"), "{said}");
    let said = world.bd_in("b", &["carry", "--clean"]).ok();
    assert_eq!(said, format!("{path} removed\nnext: git commit\n"));
}
