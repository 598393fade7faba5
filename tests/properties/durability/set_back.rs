//! A ref that was set back: what it lacks is named until it is there again.

use serde_json::json;

use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::plumbing::forget;
use crate::support::plumbing::{REF, drop_index, git, hub, sound, tip};

fn titles(world: &World) -> usize {
    world.bd(&["list", "-q"]).ok().lines().count()
}

fn remove(world: &World, object: &str) {
    let (folder, name) = object.split_at(2);
    std::fs::remove_file(world.path(&format!("repo/.git/objects/{folder}/{name}"))).unwrap();
}

/// A store that was set back by two changes, of which git has removed the first.
fn with_a_hole(knows: bool) -> (World, String) {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    world.create(&["Three"]);
    let newest = tip(&world);
    let lost = git(&world, &["rev-parse", &format!("{REF}~1")]);
    if knows {
        assert_eq!(titles(&world), 3);
    }
    git(&world, &["update-ref", REF, &older]);
    forget(&world);
    remove(&world, &lost);
    (world, newest)
}

#[test]
fn what_was_set_back_is_named_where_parts_of_it_are_gone() {
    let (world, newest) = with_a_hole(true);
    for args in [&["list"][..], &["status"], &["create", "Four"], &["list"]] {
        let said = world.bd(args);
        assert_eq!(said.code, 0, "{args:?} {said:?}");
        assert!(
            said.stderr.contains(&format!("lacks what {newest} has"))
                && said.stderr.contains("git has removed parts of it")
                && said.stderr.contains("git beads doctor"),
            "{args:?} {said:?}"
        );
    }
    for args in [&["doctor"][..], &["doctor", "--fix"]] {
        let said = world.bd(args);
        assert!(
            said.stdout.contains("git has removed parts of it")
                && said.stdout.contains("git beads sync"),
            "{said:?}"
        );
        let _ = said.fails(1);
    }
    assert_eq!(titles(&world), 2);
}

#[test]
fn a_sync_brings_back_what_another_clone_has_whole() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    world.create(&["Three"]);
    hub(&world);
    let lost = git(&world, &["rev-parse", &format!("{REF}~1")]);
    git(&world, &["update-ref", REF, &older]);
    for name in [
        "refs/beads-seen/origin/main",
        "refs/beads-remotes/origin/main",
    ] {
        git(&world, &["update-ref", "-d", name]);
    }
    forget(&world);
    remove(&world, &lost);
    let said = world.bd(&["list"]);
    assert!(said.stderr.contains("removed parts of it"), "{said:?}");
    world.bd(&["sync"]).ok();
    assert_eq!(titles(&world), 3);
    let said = world.bd(&["list"]);
    assert_eq!(said.stderr, "");
    sound(&world);
}

#[test]
fn who_brings_it_back_does_not_say_that_it_is_gone() {
    for verb in ["sync", "pull"] {
        let world = World::with_store_made_here();
        world.create(&["One"]);
        let older = tip(&world);
        world.create(&["Two"]);
        hub(&world);
        git(&world, &["update-ref", REF, &older]);
        assert!(world.bd(&["list"]).stderr.contains("were set back"));
        let said = world.bd(&[verb]);
        assert!(!said.all().contains("set back"), "{said:?}");
        assert_eq!(titles(&world), 2);
    }
}

/// As after a journal was packed, and the pack pruned: the newest record alone is left.
#[test]
fn a_journal_that_holds_a_part_of_what_was_set_back_names_it() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    for _ in 0..2 {
        world.bd(&["hook", "fold"]).ok();
    }
    world.create(&["Three"]);
    let newest = tip(&world);
    let journal = std::fs::read(world.path("repo/.git/beads/journal")).unwrap();
    git(&world, &["update-ref", REF, &older]);
    git(&world, &["reflog", "expire", "--expire=now", "--all"]);
    git(&world, &["gc", "--quiet", "--prune=now"]);
    let starts: Vec<usize> = journal
        .windows(4)
        .enumerate()
        .filter(|(_, start)| start == b"\nbj1")
        .map(|(at, _)| at)
        .collect();
    // The header, and the newest record.
    let cut = [&journal[..starts[0]], &journal[*starts.last().unwrap()..]].concat();
    std::fs::write(world.path("repo/.git/beads/journal"), cut).unwrap();
    let said = world.bd(&["list"]);
    assert!(
        said.stderr.contains(&newest) && said.stderr.contains("git has removed parts of it"),
        "{said:?}"
    );
    let said = world.bd(&["doctor"]);
    assert!(
        said.stdout.contains("git has removed parts of it"),
        "{said:?}"
    );
}
/// A journal that was put aside holds the last copy of what somebody set back.
#[test]
fn a_purge_waits_until_what_was_set_back_is_there_again() {
    let mut world = World::new();
    world.set("GIT_BEADS_BOOT", "1");
    world.bd(&["init"]).ok();
    let id = world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    git(&world, &["update-ref", REF, &older]);
    world.set("GIT_BEADS_BOOT", "2");
    world.create(&["Three"]);
    let aside = |world: &World| {
        let names = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("aside-journal-"))
            .count()
    };
    assert!(aside(&world) > 0);
    let before = tip(&world);
    for args in [&["purge", &id, "--yes"][..], &["purge", &id, "--dry-run"]] {
        let said = world.bd(args);
        assert_eq!(said.code, 3, "{args:?} {said:?}");
        assert!(
            said.stderr.contains("hint: git beads doctor --fix"),
            "{said:?}"
        );
    }
    assert!(aside(&world) > 0);
    assert_eq!(tip(&world), before, "what is refused changes nothing");
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(titles(&world), 3);
    world.bd(&["purge", &id, "--yes"]).ok();
    assert_eq!((titles(&world), aside(&world)), (2, 0));
    sound(&world);
}

/// What can't be merged stops no purge: its text has to go.
#[test]
fn a_purge_does_not_wait_for_another_history() {
    let mut world = World::new();
    world.set("GIT_BEADS_BOOT", "1");
    world.bd(&["init"]).ok();
    let id = world.create(&["One"]);
    let own = git(
        &world,
        &["commit-tree", &format!("{REF}^{{tree}}"), "-m", "squashed"],
    );
    git(&world, &["update-ref", REF, &own]);
    world.set("GIT_BEADS_BOOT", "2");
    world.create(&["Two"]);
    world.bd(&["purge", &id, "--yes"]).ok();
    assert_eq!(titles(&world), 1);
}

#[test]
fn answers_to_agents_that_are_lists_or_texts_name_it_too() {
    let (world, newest) = with_a_hole(true);
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    for tool in ["ready", "list", "session_context", "task_list"] {
        let answer = agent.rpc("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        let said = answer["result"]["content"].to_string();
        assert!(
            said.contains(&format!("lacks what {newest} has")),
            "{tool}: {answer}"
        );
    }
}

#[test]
fn what_is_not_to_come_back_is_named_no_more() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    let newest = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    let said = world.bd(&["list"]);
    assert!(
        said.stderr.contains("git beads doctor --forget"),
        "{said:?}"
    );
    let said = world.bd(&["doctor", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let found: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let remedy = found["findings"][0]["remedy"].as_str().unwrap();
    for part in [
        "what a rewrite removed",
        "git beads doctor --forget",
        "git beads purge",
    ] {
        assert!(remedy.contains(part), "{remedy}");
    }
    let found = world.bd(&["doctor", "--forget", "--json"]).json();
    assert!(
        found["notes"][0].as_str().unwrap().contains(&newest),
        "{found}"
    );
    for args in [
        &["list"][..],
        &["create", "Three"],
        &["doctor"],
        &["doctor", "--fix"],
        &["sync"],
    ] {
        let said = world.bd(args);
        assert!(!said.all().contains(&newest), "{args:?} {said:?}");
    }
    // Neither a new index nor a new boot finds it again.
    drop_index(&world);
    assert_eq!(world.bd(&["list"]).stderr, "");
    assert_eq!(titles(&world), 2);
    // What is set back later is named.
    let three = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    let said = world.bd(&["list"]);
    assert!(said.stderr.contains(&three), "{said:?}");
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(titles(&world), 2);
}

/// The entry of the reflog is too far back to be looked at by then.
#[test]
fn what_a_person_took_back_stays_away_after_many_changes() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    hub(&world);
    world.bd(&["sync"]).ok();
    let older = tip(&world);
    world.create(&["Two"]);
    let newest = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    for n in 0..70 {
        world.create(&[&format!("Later {n}")]);
    }
    world.bd(&["sync"]).ok();
    for _ in 0..2 {
        let said = world.bd(&["list", "-q", "-n", "0"]);
        assert!(
            said.stderr.contains(&format!("lacks what {newest} has")),
            "{said:?}"
        );
        assert_eq!(said.stdout.lines().count(), 71);
    }
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(
        world.bd(&["list", "-q", "-n", "0"]).ok().lines().count(),
        72
    );
}
