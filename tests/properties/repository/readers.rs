//! Those who only read in the repository of another user leave nothing there, and the owner can write afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::clients::mcp::Agent;
use crate::properties::faults::is_tried;
use crate::support::day::verbs;
use crate::support::plumbing::{able, hub, is_root, quiet, system, tip};
use crate::support::{Output, World, binary, files_refs_only};

const ROOT: u32 = 0;
const ANN: u32 = 65_534;
const BEN: u32 = 65_533;

/// The verbs that change something, or need no repository; all others have to be in `reading`.
const OTHERS: [&str; 51] = [
    "accept",
    "init",
    "create",
    "start",
    "note",
    "done",
    "sync",
    "q",
    "update",
    "edit",
    "redact",
    "ask",
    "answer",
    "stop",
    "reopen",
    "block",
    "unblock",
    "defer",
    "delete",
    "restore",
    "rename",
    "rename-prefix",
    "link",
    "split",
    "label",
    "assign",
    "priority",
    "push",
    "fetch",
    "pull",
    "clone",
    "collect",
    "resolve",
    "import",
    "setup",
    "mcp",
    "completion",
    "man",
    "demo",
    "schema",
    "settings",
    "queries",
    "version",
    // On a terminal, and until it is ended.
    "ui",
    "serve",
    // Those with a form that only reads are in `reading` with it.
    "dep",
    "hooks",
    "undo",
    "purge",
    "carry",
    "uninstall",
];

/// Every verb that reads, in each form that does.
fn reading(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec![],
        vec!["status"],
        vec!["list"],
        vec!["list", "--all", "--json"],
        vec!["ready"],
        vec!["ready", "--explain"],
        vec!["blocked"],
        vec!["show", id],
        vec!["search", "One"],
        vec!["board"],
        vec!["inbox"],
        vec!["watch", "--since", "2020-01-01", "-n", "1"],
        vec!["wait", id, "--until", "ready"],
        vec!["context"],
        vec!["prime"],
        vec!["commit-msg", id],
        vec!["log"],
        vec!["whats-new"],
        vec!["graph"],
        vec!["stats"],
        vec!["labels"],
        vec!["types"],
        vec!["people"],
        vec!["blame", id],
        vec!["diff", "@~1"],
        vec!["conflicts"],
        vec!["export"],
        vec!["export", "--html"],
        vec!["carry", "--full"],
        vec!["doctor"],
        vec!["where"],
        vec!["dep", "tree", id],
        vec!["dep", "cycles"],
        vec!["hooks", "status"],
        vec!["purge", id, "--dry-run"],
        vec!["uninstall", "--dry-run"],
        vec!["carry", "--stdout"],
        vec!["__complete", "--", "git", "beads", "show", ""],
        vec!["__complete", "--", "git", "beads", "list", "--label", ""],
        vec!["__complete", "--", "git", "beads", "sync", "--remote", ""],
    ]
}

fn give(path: &Path, user: u32) {
    let owner = format!("{user}:{user}");
    assert!(system("chown", &["-R", &owner, path.to_str().unwrap()]));
}

/// Runs the program in `repo` as a user.
fn bd_as(world: &World, user: u32, args: &[&str]) -> Output {
    if user == ROOT {
        return world.bd(args);
    }
    let id = user.to_string();
    let mut all = vec!["--reuid", &id, "--regid", &id, "--clear-groups", binary()];
    all.extend(args);
    let mut command = world.command("repo", "setpriv", &all);
    command.env("HOME", world.path(&format!("home-{user}")));
    world.run(command, None)
}

/// A repository of Ann with one issue; none where we can't be her.
fn of_ann() -> Option<(World, String)> {
    let world = World::with_store();
    let id = world.create(&["One", "-l", "red"]);
    hub(&world);
    world.bd(&["note", &id, "not sent"]).ok();
    std::fs::set_permissions(world.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let config = "[user]\n\tname = u\n\temail = u@example.org\n[safe]\n\tdirectory = *\n";
    world.file("home/.gitconfig", config);
    for user in [ANN, BEN] {
        world.file(&format!("home-{user}/.gitconfig"), config);
        if is_root() {
            give(&world.path(&format!("home-{user}")), user);
        }
    }
    let possible = is_root() && world.lend("setpriv") && {
        give(&world.path("repo"), ANN);
        bd_as(&world, ANN, &["version"]).code == 0
    };
    able(
        possible,
        "needs root, setpriv, and a target folder that others may enter",
    )
    .then_some((world, id))
}

/// All that is in the repository: owner, mode, size and time of each path.
fn paths(world: &World) -> BTreeMap<PathBuf, (u32, u32, u64, i64, i64)> {
    let mut found = BTreeMap::new();
    let mut left = vec![world.path("repo")];
    while let Some(path) = left.pop() {
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        }
        let state = (
            meta.uid(),
            meta.mode(),
            meta.len(),
            meta.mtime(),
            meta.mtime_nsec(),
        );
        found.insert(path, state);
    }
    found
}

/// What in the repository is not Ann's.
fn of_others(world: &World) -> Vec<PathBuf> {
    let found = paths(world).into_iter();
    let others = found.filter(|(_, (owner, ..))| *owner != ANN);
    others.map(|(path, _)| path).collect()
}

/// The ways in which the first command finds something to do.
#[derive(Clone, Copy, Debug)]
enum Scene {
    Reboot,
    Copy,
    Missing,
}

impl Scene {
    fn begin(self, world: &mut World) {
        match self {
            Self::Reboot => _ = world.set("GIT_BEADS_BOOT", "another"),
            Self::Copy => {
                let [from, to] = ["repo", "copy"].map(|it| world.path(it).display().to_string());
                assert!(system("cp", &["-a", &from, &to]));
                std::fs::remove_dir_all(&from).unwrap();
                std::fs::rename(to, from).unwrap();
            }
            Self::Missing => std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap(),
        }
    }
}

#[test]
fn every_verb_is_known_here() {
    let verbs = verbs();
    let names: BTreeSet<&str> = verbs.iter().map(String::as_str).collect();
    let reading = reading("x");
    let mut known: BTreeSet<&str> = OTHERS.into_iter().collect();
    known.extend(reading.iter().filter_map(|args| args.first()).copied());
    known.remove("__complete");
    assert_eq!(names, known);
}

#[test]
fn those_who_read_leave_nothing() {
    let scenes = [Scene::Reboot, Scene::Copy, Scene::Missing];
    for (n, scene) in scenes.into_iter().enumerate() {
        for (m, reader) in [ROOT, BEN].into_iter().enumerate() {
            if !is_tried(n + m, 3) {
                continue;
            }
            let Some((mut world, id)) = of_ann() else {
                return;
            };
            scene.begin(&mut world);
            if reader == BEN {
                // He could leave something: only the rule keeps him from it.
                let folder = world.path("repo/.git").display().to_string();
                assert!(system("chmod", &["-R", "a+rwX", &folder]));
            }
            let before = paths(&world);
            for args in reading(&id) {
                let output = bd_as(&world, reader, &args);
                let is_fine = output.code == 0 || args == ["doctor"];
                assert!(is_fine, "{scene:?} {reader} {args:?}: {output:?}");
                assert_eq!(paths(&world), before, "{scene:?} {reader} {args:?}");
            }
            assert!(bd_as(&world, reader, &["list"]).ok().contains("One"));
            bd_as(&world, ANN, &["create", "Two", "-q"]).ok();
            let list = bd_as(&world, ANN, &["list"]).ok();
            assert!(list.contains("One") && list.contains("Two"), "{list}");
            assert_eq!(
                bd_as(&world, reader, &["list", "-q"]).ok().lines().count(),
                2
            );
        }
    }
}

#[test]
fn a_server_of_root_leaves_nothing_by_reading_and_what_it_writes_is_the_owners() {
    let _files = files_refs_only();
    let Some((mut world, id)) = of_ann() else {
        return;
    };
    Scene::Reboot.begin(&mut world);
    let before = paths(&world);
    let mut agent = Agent::with(&world, &["--agent", "helper"]);
    for (tool, arguments) in [
        ("task_status", json!({"id": id})),
        ("task_status", json!({})),
        ("task_list", json!({})),
    ] {
        let (text, is_error) = agent.raw(tool, &arguments);
        assert!(!is_error, "{text}");
        assert_eq!(paths(&world), before, "{tool}");
    }
    let (text, is_error) = agent.raw("task_start", &json!({"id": id}));
    assert!(!is_error, "{text}");
    drop(agent);
    quiet(&world);
    assert_eq!(of_others(&world), Vec::<PathBuf>::new());
    bd_as(&world, ANN, &["create", "Two", "-q"]).ok();
}

#[test]
fn what_root_writes_belongs_to_the_owner() {
    // The tables of a reftable are git's.
    let _files = files_refs_only();
    let scenes = [Scene::Reboot, Scene::Copy, Scene::Missing];
    for (n, scene) in scenes.into_iter().enumerate() {
        if !is_tried(n, 3) {
            continue;
        }
        let Some((mut world, id)) = of_ann() else {
            return;
        };
        scene.begin(&mut world);
        for n in 0..40 {
            world.create(&[&format!("of root {n}")]);
        }
        world.bd(&["start", &id]).ok();
        // These fill the second file of the index.
        world.bd(&["search", "root"]).ok();
        world.bd(&["undo"]).ok();
        quiet(&world);
        assert_eq!(of_others(&world), Vec::<PathBuf>::new(), "{scene:?}");
        for n in 0..40 {
            bd_as(&world, ANN, &["create", "-q", &format!("of Ann {n}")]).ok();
        }
        let said = bd_as(&world, ANN, &["doctor"]).ok();
        assert!(said.contains("no problems"), "{said}");
        quiet(&world);
        assert_eq!(of_others(&world), Vec::<PathBuf>::new(), "{scene:?}");
    }
}

#[test]
fn what_root_writes_into_the_work_tree_belongs_to_the_owner() {
    let Some((world, id)) = of_ann() else {
        return;
    };
    world.bd(&["carry"]).ok();
    world.bd(&["setup", "claude", "--write"]).ok();
    quiet(&world);
    assert_eq!(of_others(&world), Vec::<PathBuf>::new());
    bd_as(&world, ANN, &["note", &id, "more"]).ok();
    bd_as(&world, ANN, &["carry"]).ok();
}

/// A link in the repository may lead to a folder of somebody else, where root makes files that stay its own.
#[test]
fn what_root_writes_through_a_link_is_given_to_no_one() {
    let _files = files_refs_only();
    let Some((world, _)) = of_ann() else {
        return;
    };
    let folder = world.path("of-root");
    std::fs::create_dir(&folder).unwrap();
    world.git(&["pack-refs", "--all"]).ok();
    let refs = world.path("repo/.git/refs/beads");
    std::fs::remove_dir_all(&refs).unwrap();
    std::os::unix::fs::symlink(&folder, &refs).unwrap();
    let _ = world.bd(&["create", "Two"]);
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().uid(), ROOT);
    }
}

#[test]
fn the_home_of_the_owner_gets_no_cache_of_root() {
    let Some((mut world, _)) = of_ann() else {
        return;
    };
    // As `sudo` leaves it in some configurations.
    world.set(
        "HOME",
        &world.path(&format!("home-{ANN}")).display().to_string(),
    );
    Scene::Reboot.begin(&mut world);
    assert!(world.bd(&["list"]).ok().contains("One"));
    assert!(!world.path(&format!("home-{ANN}/.cache")).exists());
}

#[test]
fn doctor_names_what_root_has_left_with_the_command_that_helps() {
    let Some((world, _)) = of_ann() else {
        return;
    };
    let journal = world.path("repo/.git/beads/journal");
    let objects = world.path("repo/.git/objects/00");
    std::fs::create_dir_all(&objects).unwrap();
    // What a mask has opened to a group is no fault.
    give(&objects, ROOT);
    std::fs::set_permissions(&objects, PermissionsExt::from_mode(0o775)).unwrap();
    let said = bd_as(&world, ANN, &["doctor"]).ok();
    assert!(said.contains("no problems"), "{said}");
    std::fs::set_permissions(&objects, PermissionsExt::from_mode(0o755)).unwrap();
    give(&journal, ROOT);
    let text = bd_as(&world, ANN, &["create", "Two"]).fails(6);
    assert!(text.contains("git beads doctor"), "{text}");
    let said = bd_as(&world, ANN, &["doctor", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let said: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let findings = said["findings"].as_array().unwrap();
    let [own] = &findings[..] else {
        panic!("what can't be opened for that is no problem of its own: {said}");
    };
    assert_eq!(own["code"], "owner");
    let remedy = own["remedy"].as_str().unwrap();
    let expected =
        format!("sudo chown -R {ANN}:{ANN} WORLD/repo/.git/beads WORLD/repo/.git/objects");
    assert_eq!(remedy, expected);
    let root = world.path("").display().to_string();
    let remedy = remedy.replace("WORLD", root.trim_end_matches('/'));
    let words: Vec<&str> = remedy.split(' ').collect();
    assert!(system(words[1], &words[2..]));
    bd_as(&world, ANN, &["create", "Two"]).ok();
    assert!(bd_as(&world, ANN, &["doctor"]).ok().contains("no problems"));
}

/// A power cut took the move of the ref that the second issue was answered for; returns the state that the journal ends
/// with, and the id of that issue.
fn cut(world: &mut World) -> [String; 2] {
    let at = world.path("repo/.git/refs/beads/main");
    let before = std::fs::read(&at).unwrap();
    let id = bd_as(world, ANN, &["create", "-q", "Answered"]).ok();
    let newest = tip(world);
    std::fs::write(&at, before).unwrap();
    world.set("GIT_BEADS_BOOT", "after the cut");
    [newest, id.trim().to_owned()]
}

#[test]
fn a_reader_answers_from_the_journal_what_only_the_owner_can_apply() {
    let _files = files_refs_only();
    for shared in [false, true] {
        let Some((mut world, _)) = of_ann() else {
            return;
        };
        let mut reader = ROOT;
        if shared {
            // He may read all of it, the journal too, and write nothing.
            reader = BEN;
            world.git(&["config", "core.sharedRepository", "all"]).ok();
            let folder = world.path("repo/.git").display().to_string();
            assert!(system("chmod", &["-R", "a+rX", &folder]));
            give(&world.path("repo"), ANN);
        }
        let [newest, answered] = cut(&mut world);
        for _ in 0..2 {
            let list = bd_as(&world, reader, &["list", "--json"]);
            let warning = list.stderr.clone();
            for part in [
                "answered from the journal, as the ref lags behind it since a power cut",
                "this repository can't be written; as its owner: git -C WORLD/repo beads status",
            ] {
                assert!(warning.contains(part), "{part}: {warning}");
            }
            let text = list.ok();
            assert!(text.contains("One") && text.contains("Answered"), "{text}");
        }
        for args in [
            &["log"][..],
            &["log", "-p"],
            &["search", "Answered"],
            &["list", "--at", "@"],
            &["status"],
            &["show", "--json", &answered],
        ] {
            let said = bd_as(&world, reader, args);
            assert_eq!(said.code, 0, "{args:?} {said:?}");
            assert!(said.stdout.contains("Answered"), "{args:?} {said:?}");
        }
        if reader == ROOT {
            let mut agent = Agent::new(&world);
            let (text, _) = agent.raw("task_list", &json!({}));
            assert!(text.contains("Answered"), "{text}");
        }
        // The owner has it with the command that is named, and then no one is warned.
        bd_as(&world, ANN, &["status"]).ok();
        assert_eq!(tip(&world), newest);
        let list = bd_as(&world, reader, &["list"]);
        assert_eq!(list.stderr, "");
        assert!(list.ok().contains("Answered"));
    }
}

#[test]
fn a_repository_that_no_one_may_write_is_answered_of_too() {
    let _files = files_refs_only();
    let Some((mut world, _)) = of_ann() else {
        return;
    };
    let [newest, _] = cut(&mut world);
    let folder = world.path("repo/.git").display().to_string();
    assert!(system("chmod", &["-R", "a-w", &folder]));
    let list = bd_as(&world, ANN, &["list"]);
    assert!(system("chmod", &["-R", "u+w", &folder]));
    assert!(
        list.stderr.contains("answered from the journal"),
        "{list:?}"
    );
    assert!(list.ok().contains("Answered"));
    bd_as(&world, ANN, &["status"]).ok();
    assert_eq!(tip(&world), newest);
}
