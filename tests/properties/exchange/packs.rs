//! Objects of an exchange: packs where they are many, and none left unfinished.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::support::clones::{create, script, sync, tip, two_clones};
use crate::support::plumbing::sound_in;
use crate::support::{World, tools};

/// Two clones that have each changed `n` issues of the other's, which both have.
fn apart(n: usize) -> World {
    let world = two_clones();
    let lines: String = (0..2 * n)
        .map(|i| format!("{{\"id\":\"bd-{i}\",\"title\":\"t\"}}\n"))
        .collect();
    let file = world.file("many.jsonl", &lines);
    world.bd_in("a", &["import", &file]).ok();
    sync(&world, &["a", "b"]);
    for (clone, first) in [("a", 0), ("b", n)] {
        let ids: Vec<String> = (first..first + n).map(|i| format!("bd-{i}")).collect();
        let all: Vec<&str> = ["update", "--add-label", clone]
            .into_iter()
            .chain(ids.iter().map(String::as_str))
            .collect();
        world.bd_in(clone, &all).ok();
    }
    sync(&world, &["a"]);
    world
}

#[test]
fn a_merge_of_many_changes_leaves_a_pack_and_not_a_file_for_each_tree() {
    let world = apart(200);
    let loose = || world.git_in("b", &["count-objects"]).ok();
    let ours = || -> BTreeSet<PathBuf> {
        let packs = std::fs::read_dir(world.path("b/.git/objects/pack")).unwrap();
        packs
            .map(|pack| pack.unwrap().path())
            .filter(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.starts_with("beads-") && name.ends_with(".idx")
            })
            .collect()
    };
    // What was fetched, a pack of its own, is not what was made.
    let theirs = tip(&world, "a");
    let is_made = |index: &PathBuf| {
        let show = format!("git show-index <{}", index.display());
        let output = world.command("b", "sh", &["-c", &show]).output().unwrap();
        !String::from_utf8(output.stdout).unwrap().contains(&theirs)
    };
    let before = (loose(), ours());
    assert_eq!(world.bd_in("b", &["pull", "--json"]).json()["received"], 1);
    assert_eq!(before.0, loose());
    let mut made = &ours() - &before.1;
    made.retain(is_made);
    assert_eq!(made.len(), 1);
    sound_in(&world, "b");
    let labels = || {
        ["a", "b"].map(|label| {
            world
                .bd_in("b", &["list", "-l", label, "--all", "-n", "0", "-q"])
                .ok()
        })
    };
    let merged = labels();
    assert_eq!(merged.each_ref().map(|ids| ids.lines().count()), [200, 200]);
    // The journal has them too.
    for index in made {
        for ending in ["idx", "rev", "pack"] {
            let _ = std::fs::remove_file(index.with_extension(ending));
        }
    }
    world.bd_in("b", &["doctor", "--fix"]).ok();
    assert_eq!(labels(), merged);
    sound_in(&world, "b");
}

#[test]
fn a_pack_that_is_not_finished_is_in_nobodys_way() {
    let mut world = apart(100);
    let path = world.search_path(true);
    let git = tools::base().join("git");
    let git = git.display();
    let lines = format!(
        "for last; do :; done\ncase \" $* \" in *\" index-pack \"*) head -c 4000 >\"$last\"; kill -9 $$;; esac\nexec {git} \"$@\""
    );
    script(&world, "short/git", &lines);
    world.set("PATH", &format!("{}:{path}", world.path("short").display()));
    world.bd_in("b", &["pull"]).fails(6);
    world.set("PATH", &path);
    world.bd_in("b", &["pull"]).ok();
    assert_eq!(
        world
            .bd_in("b", &["list", "-l", "a", "-n", "0", "-q"])
            .ok()
            .lines()
            .count(),
        100
    );
    sound_in(&world, "b");
}

#[test]
fn a_torn_object_in_the_way_of_a_pack_is_mended() {
    let world = apart(100);
    let dry = world
        .command(".", "cp", &["-r", "b", "c"])
        .status()
        .unwrap();
    assert!(dry.success());
    world.bd_in("c", &["pull"]).ok();
    let tree = world
        .git_in("c", &["rev-parse", "refs/beads/main^{tree}"])
        .ok();
    world.file(
        &format!("b/.git/objects/{}/{}", &tree[..2], tree[2..].trim()),
        "",
    );
    world.bd_in("b", &["pull"]).ok();
    sound_in(&world, "b");
}

#[test]
fn nobody_walks_twice_through_what_waits_to_be_pushed() {
    let world = two_clones();
    world
        .git_in("a", &["config", "beads.durability", "git"])
        .ok();
    for title in ["one", "two", "three"] {
        create(&world, "a", &[title]);
    }
    let object = world.git_in("a", &["rev-parse", "refs/beads/main~1"]).ok();
    let file = world
        .path("a/.git/objects")
        .join(&object[..2])
        .join(object[2..].trim());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "nobody reads this").unwrap();
    create(&world, "a", &["four"]);
    assert_eq!(
        world.bd_in("a", &["status", "--json"]).json()["remotes"][0]["ahead"],
        4
    );
    // A state that does not follow the one before knows nothing of it, and walks.
    let tip = tip(&world, "a");
    let tree = format!("{tip}^{{tree}}");
    let apart = world
        .git_in("a", &["commit-tree", "-m", "apart", &tree])
        .ok();
    world
        .git_in("a", &["update-ref", "refs/beads/main", apart.trim()])
        .ok();
    world
        .git_in("a", &["update-ref", "refs/beads-remotes/origin/main", &tip])
        .ok();
    let status = world.bd_in("a", &["status"]);
    assert!(
        status
            .stderr
            .contains("how far ahead or behind origin is can't be determined"),
        "{status:?}"
    );
    assert!(status.ok().contains("four"));
    create(&world, "a", &["five"]);
}
