//! Files, folders and names that strangers have written: none changes an issue, a file elsewhere, or a terminal.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::export;
use super::{FOLDER, carry, commit, enter, git, lead_and_agent};
use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::hand::{REF, blob, commit as made, feed, put, uid};

/// Packs what the clone `forge` has beyond its remote, with the options given.
const FORGE: &str = "tip=$(git rev-parse refs/beads/main)
base=$(git rev-parse refs/beads-remotes/origin/main)
{
printf '# v2 git bundle\\n-%s\\n%s refs/beads/main\\n\\n' $base $tip
printf '%s\\n^%s\\n^%s\\n' $tip $base $(git rev-parse refs/remotes/origin/main) | git pack-objects --revs --stdout --quiet \"$@\"
} >../forged
printf 'Base: %s\\nTip: %s\\n' $base $tip";

/// Makes a file of what another clone of the same issues does by hand.
fn forged(world: &World, options: &[&str], act: impl Fn(&str)) -> Vec<u8> {
    git(world, ".", &["clone", "--quiet", "hub.git", "forge"]);
    world.bd_in("forge", &["init"]).ok();
    act("forge");
    let script = world.file("forge.sh", FORGE);
    let args = [&[script.as_str()][..], options].concat();
    let header = world.run(world.command("forge", "sh", &args), None).ok();
    std::fs::remove_dir_all(world.path("forge")).unwrap();
    let bundle = STANDARD.encode(std::fs::read(world.path("forged")).unwrap());
    format!("git-beads bundle 1\n{header}Ops: 1\n  x\n\n{bundle}\n").into()
}

/// Returns a file with another bundle, which is made of its own.
fn with_bundle(text: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let (header, armour) = text.split_once("\n\n").unwrap();
    let bundle = STANDARD.decode(armour.replace('\n', "")).unwrap();
    format!("{header}\n\n{}\n", STANDARD.encode(change(bundle))).into()
}

/// Returns a file with another line in the place of one.
fn with_line(text: &str, from: &str, to: &str) -> Vec<u8> {
    let line = text.lines().find(|line| line.starts_with(from)).unwrap();
    text.replacen(line, to, 1).into()
}

#[test]
fn a_file_that_does_not_pass_is_left_alone_and_the_rest_goes_on() {
    let (world, issues) = lead_and_agent();
    let path = carry(&world, "b");
    let real = std::fs::read_to_string(world.path(&format!("b/{path}"))).unwrap();
    let folder = |clone: &str| {
        let uid = uid(&world, clone, &issues[0]);
        let tree = ["ls-tree", "-r", "--name-only", "refs/beads/main"];
        let listed = git(&world, clone, &tree);
        let found = listed.lines().find(|path| path.contains(&uid)).unwrap();
        found.rsplit_once('/').unwrap().0.to_owned()
    };
    let purged = |clone: &str| {
        let path = format!("{}/issue.json", folder(clone));
        let mut blob: serde_json::Value =
            serde_json::from_str(&blob(&world, clone, &path)).unwrap();
        blob["purged"] = blob["at"]["*"].clone();
        put(&world, clone, &path, format!("{blob}\n"));
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "edited",
            with_bundle(&real, |mut it| {
                let at = it.len() - 30;
                it[at] ^= 1;
                it
            }),
            "edited after it was written",
        ),
        (
            "tip",
            with_line(&real, "Tip: ", &format!("Tip: {}", "1".repeat(40))),
            "edited after it was written",
        ),
        (
            "letters",
            real.replace("PACK", "pack")
                .replacen("\n\n", "\n\n!", 1)
                .into(),
            "edited after it was written",
        ),
        (
            "base",
            with_bundle(&real, |it| {
                let at = it.iter().position(|byte| *byte == b'-').unwrap();
                [&it[..=at], "1".repeat(40).as_bytes(), &it[at + 41..]].concat()
            }),
            "its base has not arrived",
        ),
        (
            "newer",
            real.replacen("bundle 1", "bundle 2", 1).into(),
            "newer git-beads",
        ),
        (
            "none",
            with_bundle(&real, |_| b"PACK".to_vec()),
            "no bundle for a repository with such ids",
        ),
        (
            "cut",
            with_bundle(&real, |mut it| {
                it.truncate(it.len() / 2);
                it
            }),
            "edited after it was written",
        ),
        (
            "other-ids",
            with_bundle(&real, |it| {
                let start = b"# v3 git bundle\n@object-format=sha256\n".to_vec();
                [start, it[16..].to_vec()].concat()
            }),
            "no bundle for a repository with such ids",
        ),
        (
            "filter",
            with_bundle(&real, |it| {
                let start = b"# v3 git bundle\n@filter=blob:none\n".to_vec();
                [start, it[16..].to_vec()].concat()
            }),
            "no bundle for a repository with such ids",
        ),
        (
            "thin",
            forged(&world, &["--thin"], |clone| {
                let long = format!("{} end", "a word that is long ".repeat(400));
                world
                    .bd_in(clone, &["update", &issues[1], "-d", &long])
                    .ok();
                sync_as_lead(&world, clone);
                world
                    .bd_in(clone, &["update", &issues[1], "-d", &format!("{long}.")])
                    .ok();
            }),
            "its bundle can't be read",
        ),
        (
            "code",
            forged(&world, &[], |clone| {
                put(&world, clone, "src/main.rs", "code\n");
            }),
            "src/main.rs: no path of an issue",
        ),
        (
            "purge",
            forged(&world, &[], purged),
            "texts are removed by those who may push alone",
        ),
        (
            "hole",
            forged(&world, &["--filter=blob:none"], |clone| {
                world.bd_in(clone, &["create", "x"]).ok();
            }),
            "can't be read",
        ),
        (
            "bomb",
            forged(&world, &[], |clone| {
                _ = put(&world, clone, "meta.json", vec![b' '; 70 << 20]);
            }),
            "its bundle can't be read",
        ),
        (
            "code-history",
            forged(&world, &[], |clone| {
                let tree = format!("{REF}^{{tree}}");
                let tree = git(&world, clone, &["rev-parse", &tree]);
                let parents = [REF, "refs/remotes/origin/main"];
                let made = made(&world, clone, tree.trim(), &parents);
                git(&world, clone, &["update-ref", REF, &made]);
            }),
            "it builds on a commit that is none of these issues",
        ),
        (
            "hidden",
            forged(&world, &[], |clone| {
                let before = git(&world, clone, &["rev-parse", REF]);
                put(&world, clone, "src/main.rs", "code\n");
                let tree = format!("{}^{{tree}}", before.trim());
                let tree = git(&world, clone, &["rev-parse", &tree]);
                let made = made(&world, clone, tree.trim(), &[REF]);
                git(&world, clone, &["update-ref", REF, &made]);
            }),
            "src/main.rs: no path of an issue",
        ),
        (
            "time",
            forged(&world, &[], |clone| {
                let text = git(&world, clone, &["cat-file", "commit", REF]);
                let parent = git(&world, clone, &["rev-parse", REF]);
                let tree = text.lines().next().unwrap();
                let by = "A <a@b> 99999999999999999999 +0000";
                let text = format!(
                    "{tree}\nparent {}\nauthor {by}\ncommitter {by}\n\nx\n",
                    parent.trim()
                );
                let args = [
                    "hash-object",
                    "-w",
                    "-t",
                    "commit",
                    "--literally",
                    "--stdin",
                ];
                let made = feed(&world, clone, &args, text.as_bytes());
                git(&world, clone, &["update-ref", REF, &made]);
            }),
            "can't be read",
        ),
        (
            "long-tip",
            with_line(&real, "Tip: ", &format!("Tip: {}", "1".repeat(64))),
            "edited after it was written",
        ),
        ("large", vec![b'x'; 17 << 20], "the limit is 16777216"),
    ];
    git(&world, "a", &["checkout", "--quiet", "-b", "hostile"]);
    for (name, text, _) in &cases {
        world.file(&format!("a/{FOLDER}/{name}.bundle.txt"), text);
    }
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "hostile"]);
    create(&world, "a", &["Goes on"]);
    sync_as_lead(&world, "a");
    let before = export(&world, "a");
    create(&world, "a", &["More"]);
    let said = world.bd_in("a", &["collect", "--json"]).json();
    assert_eq!(said["sent"], 1, "{said}");
    let left = said["left"].as_array().unwrap();
    assert_eq!(left.len(), cases.len(), "{said}");
    for (name, _, why) in &cases {
        let from = format!("hostile:{FOLDER}/{name}.bundle.txt");
        let left = left
            .iter()
            .find(|left| left["from"] == from.as_str())
            .unwrap();
        assert!(left["why"].as_str().unwrap().contains(why), "{left}");
    }
    assert_eq!(
        export(&world, "a").lines().count(),
        before.lines().count() + 1
    );
    git(&world, "a", &["fsck", "--strict"]);
    // Ends of lines and white space are what a checkout changes: such a file is the same.
    let crlf = real.replace('\n', " \r\n");
    let file = world.file("crlf.txt", format!("\u{feff}{crlf}\r\n"));
    let said = world.bd_in("a", &["collect", "--file", &file]).ok();
    assert!(said.contains("4 changes collected from "), "{said}");
    let before = tip(&world, "a");
    world.bd_in("a", &["collect", "--file", &file]).ok();
    assert_eq!(tip(&world, "a"), before);
}

/// Exchanges in a clone, without a look at what is carried.
fn sync_as_lead(world: &World, clone: &str) {
    world.bd_in(clone, &["push"]).ok();
}

#[test]
fn a_pack_with_more_than_the_commits_lead_to_is_left_alone_and_holds_up_no_honest_file() {
    let (world, _) = lead_and_agent();
    carry(&world, "b");
    // A stranger's store that has the commit of the agent too, as a loose part.
    let honest = git(&world, "b", &["rev-parse", REF]);
    let text = forged(&world, &[], |clone| {
        git(&world, clone, &["fetch", "--quiet", "../b", REF]);
        world.bd_in(clone, &["create", "x"]).ok();
        let packed = format!(
            "tip=$(git rev-parse {REF}); printf '%s\\n%s\\n' $tip {} | git pack-objects --revs --stdout -q >../more",
            honest.trim()
        );
        let script = world.file("more.sh", packed);
        world.run(world.command(clone, "sh", &[&script]), None).ok();
    });
    let more = std::fs::read(world.path("more")).unwrap();
    let text = with_bundle(std::str::from_utf8(&text).unwrap(), |it| {
        let at = it.windows(4).position(|it| it == b"PACK").unwrap();
        [&it[..at], &more].concat()
    });
    git(&world, "a", &["checkout", "--quiet", "-b", "aa-hostile"]);
    world.file(&format!("a/{FOLDER}/evil.bundle.txt"), text);
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "aa-hostile"]);
    let refspec = "work:refs/heads/work";
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.contains("4 changes collected from work:"), "{said}");
    assert!(said.contains("part of no commit"), "{said}");
    git(&world, "a", &["gc", "--quiet", "--prune=now"]);
}

#[test]
fn a_file_that_names_an_older_base_than_it_has_deletes_no_more_for_that() {
    let world = two_clones();
    let first = tip(&world, "a");
    for n in 0..21 {
        create(&world, "a", &[&format!("Issue {n}")]);
    }
    sync(&world, &["a", "b"]);
    enter(&world, "b");
    let ids = world.bd_in("b", &["list", "-q"]).ok();
    let delete: Vec<&str> = ["delete"].into_iter().chain(ids.lines()).collect();
    world.bd_in("b", &delete).ok();
    let path = carry(&world, "b");
    let text = std::fs::read_to_string(world.path(&format!("b/{path}"))).unwrap();
    let text = with_line(&text, "Base: ", &format!("Base: {first}"));
    let file = world.file("older.txt", text);
    let said = world
        .bd_in("a", &["collect", "--file", &file, "--json"])
        .json();
    assert_eq!(said["left"][0]["code"], "held", "{said}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok(), ids);
}

#[test]
fn a_large_file_waits_for_the_word_of_a_person() {
    let world = two_clones();
    let lines: String = (0..201).map(|n| format!("{{\"id\":\"im-{n}\",\"title\":\"Issue {n}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n")).collect();
    let file = world.file("many.jsonl", lines);
    enter(&world, "b");
    world.bd_in("b", &["import", &file]).ok();
    let path = carry(&world, "b");
    // Who names the branch says nothing to the shell of who follows the hint.
    let strange = "work:refs/heads/$(x)";
    git(&world, "b", &["push", "--quiet", "../hub.git", strange]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["left"][0]["code"], "held", "{said}");
    let why = said["left"][0]["why"].as_str().unwrap();
    let hint = "git beads collect --branch '$(x)' --large";
    assert!(why.contains(hint), "{said}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok(), "");
    let path = world.path(&format!("b/{path}")).display().to_string();
    world
        .bd_in("a", &["collect", "--file", &path, "--large"])
        .ok();
    assert_eq!(export(&world, "a"), export(&world, "b"));
    assert!(!world.bd_in("a", &["sync"]).ok().contains("left alone"));
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused() {
    let (world, _) = lead_and_agent();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    let link = std::os::unix::fs::symlink(world.path("elsewhere"), world.path("b/.git-beads"));
    link.unwrap();
    let said = world.bd_in("b", &["carry"]).fails(6);
    assert!(said.contains("is not a folder"), "{said}");
    assert_eq!(
        std::fs::read_dir(world.path("elsewhere")).unwrap().count(),
        0
    );
}

#[test]
fn a_name_that_a_stranger_has_chosen_is_in_no_command() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    let name = path.rsplit('/').next().unwrap();
    let (_, sum) = name.rsplit_once('-').unwrap();
    let text = std::fs::read(world.path(&format!("b/{path}"))).unwrap();
    let strange = format!("x;touch owned;\u{1b}[31m-{sum}");
    for name in [name, &strange] {
        world.file(&format!("a/{FOLDER}/{name}"), &text);
    }
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "main"]);
    world.bd_in("a", &["collect", "--head"]).ok();
    let said = world.bd_in("a", &["carry", "--clean", "--dry-run"]).ok();
    assert_eq!(said, format!("git rm -- {path}\n"));
    let said = world.bd_in("a", &["carry", "--clean"]).ok();
    assert_eq!(said, format!("{path} removed\nnext: git commit\n"));
    // Nor is it named as the file that holds what is here.
    git(&world, "b", &["mv", &path, &format!("{FOLDER}/{strange}")]);
    git(&world, "b", &["commit", "--quiet", "-m", "renamed"]);
    let said = world.bd_in("b", &["carry"]).ok();
    assert!(said.contains(&path) && !said.contains("touch"), "{said}");
}

#[test]
fn a_copy_under_a_bad_name_stands_for_no_file() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    let text = std::fs::read(world.path(&format!("b/{path}"))).unwrap();
    // The branch that is looked at first has the copy alone.
    git(&world, "a", &["checkout", "--quiet", "-b", "aa-other"]);
    world.file(&format!("a/{FOLDER}/a copy.jsonl"), &text);
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "aa-other"]);
    let refspec = "work:refs/heads/zz-agent";
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(
        said.contains("4 changes collected from zz-agent:"),
        "{said}"
    );
    assert!(
        said.contains("a copy.jsonl left alone: a bad name"),
        "{said}"
    );
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let (world, _) = lead_and_agent();
    let name = world.bd_in("b", &["carry", "--dry-run", "-q"]).ok();
    std::fs::create_dir_all(world.path(&format!("b/{FOLDER}"))).unwrap();
    world.file("elsewhere", "mine");
    let place = world.path(&format!("b/{}", name.trim()));
    std::os::unix::fs::symlink(world.path("elsewhere"), place).unwrap();
    let said = world.bd_in("b", &["carry"]).fails(6);
    assert!(said.contains("is not a file"), "{said}");
    let text = std::fs::read_to_string(world.path("elsewhere"));
    assert_eq!(text.unwrap(), "mine");
}

#[test]
fn what_is_left_alone_is_named_once_unless_it_is_asked_for() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    world.file(&format!("b/{path}"), "no carry file\n");
    commit(&world, "b");
    let refspec = "work:refs/heads/work";
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let left = |args: &[&str]| {
        let said = world.bd_in("a", args).json();
        said["left"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(left(&["sync", "--dry-run", "--json"]), 1);
    assert_eq!(left(&["sync", "--json"]), 1);
    assert_eq!(left(&["sync", "--json"]), 0);
    assert_eq!(left(&["collect", "--json"]), 1);
    // The branch moves on, and the file with it.
    git(
        &world,
        "b",
        &["commit", "--quiet", "--allow-empty", "-m", "more"],
    );
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    assert_eq!(left(&["sync", "--json"]), 0);
    // Another one is named.
    world.file(&format!("b/{path}"), "none either\n");
    commit(&world, "b");
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    assert_eq!(left(&["sync", "--json"]), 1);
}
