//! The index follows the ref wherever others move it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clients::mcp::Agent;
use crate::properties::index::{Holder, drop_index, files, found, has_python, newest, rows};
use crate::support::World;
use crate::support::events::until;
use crate::support::plumbing::{REF, blob, commits, git, path, program, put, tip, together};

fn titles(world: &World) -> Vec<String> {
    let list = world.bd(&["list", "--all", "--json", "-n", "0"]).json();
    list["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_ref_back_and_forward_is_followed() {
    let world = World::with_store();
    let mut states = vec![(tip(&world), titles(&world))];
    for n in 0..5 {
        world.create(&[&format!("Issue {n}"), "-p", &n.to_string()]);
        states.push((tip(&world), titles(&world)));
    }
    for at in [0, 5, 2, 4, 1, 5, 3] {
        let (commit, known) = &states[at];
        git(&world, &["update-ref", REF, commit]);
        assert_eq!(&titles(&world), known, "{at}");
    }
    assert_eq!(files(&world).len(), 1, "without a rebuild");
}

#[test]
fn a_write_after_the_ref_was_set_back_builds_on_what_is_there() {
    let world = World::with_store();
    let base = tip(&world);
    world.create(&["Forgotten"]);
    git(&world, &["update-ref", REF, &base]);
    world.create(&["Kept"]);
    assert_eq!(titles(&world), ["Kept"]);
    assert_eq!(commits(&world), 2);
}

#[test]
fn a_deleted_ref_is_no_old_answer() {
    let world = World::with_store();
    world.create(&["Gone"]);
    git(&world, &["update-ref", "-d", REF]);
    for args in [&["list"][..], &["create", "x"], &["init"]] {
        let said = world.bd(args).fails(6);
        assert!(
            said.contains("it is gone; the journal remembers") && said.contains("doctor --fix"),
            "{said}"
        );
    }
    std::fs::remove_file(world.path("repo/.git/beads/journal")).unwrap();
    let _ = world.bd(&["list"]).fails(4);
    world.bd(&["init"]).ok();
    assert_eq!(titles(&world), Vec::<String>::new());
    world.create(&["New"]);
    assert_eq!(titles(&world), ["New"]);
}

#[test]
fn unrelated_history_at_the_ref_is_followed() {
    let world = World::with_store();
    world.create(&["Old"]);
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    world.bd_in("other", &["create", "Other"]).ok();
    git(
        &world,
        &["fetch", "--quiet", "../other", &format!("+{REF}:{REF}")],
    );
    assert_eq!(titles(&world), ["Other"]);
}

#[test]
fn a_commit_of_another_program_is_seen_at_once() {
    let world = World::with_store();
    let id = world.create(&["Before"]);
    world.bd(&["search", "before"]).ok();
    let place = path(&world, &id);
    let bytes = blob(&world, &place);
    put(&world, &place, &bytes.replace("Before", "After"));
    assert_eq!(titles(&world), ["After"]);
    assert_eq!(world.bd(&["search", "after", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["search", "before", "-q"]).ok().trim(), "");
}

#[test]
fn a_commit_without_a_change_is_followed_too() {
    let world = World::with_store();
    world.create(&["Same"]);
    let empty = git(
        &world,
        &[
            "commit-tree",
            &format!("{REF}^{{tree}}"),
            "-p",
            REF,
            "-m",
            "nothing",
        ],
    );
    git(&world, &["update-ref", REF, &empty]);
    assert_eq!(titles(&world), ["Same"]);
    assert!(world.bd(&["where"]).ok().contains(&empty));
    world.create(&["Next"]);
    assert_eq!(git(&world, &["rev-parse", &format!("{REF}^")]), empty);
}

#[test]
fn the_store_may_move_to_another_place() {
    let world = World::with_store();
    let id = world.create(&["Moves along"]);
    std::fs::rename(world.path("repo"), world.path("elsewhere")).unwrap();
    assert_eq!(world.bd_in("elsewhere", &["list", "-q"]).ok().trim(), id);
    world.bd_in("elsewhere", &["done", &id]).ok();
}

/// Deletes the cache, whatever is being made or removed there.
fn remove_index(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("index-") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[test]
fn an_index_that_somebody_deletes_again_and_again_is_no_error() {
    let mut world = World::with_store();
    for n in 0..5 {
        world.create(&[&format!("Issue {n}")]);
    }
    let events = world.events();
    let commands = (0..16).map(|n| match n % 4 {
        0 => program(&world, &["create", &format!("New {n}")]),
        1 => program(&world, &["search", "issue", "--json"]),
        _ => program(&world, &["list", "-l", "none", "--json"]),
    });
    let commands: Vec<_> = commands.collect();
    drop_index(&world);
    let (mut deleted, ended) = (0, AtomicBool::new(false));
    let folder = world.path("repo/.git/beads");
    std::thread::scope(|scope| {
        let deletes = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                // As soon as another one was built.
                let built = || events.count("built the index");
                until("an index", || {
                    built() > deleted || ended.load(Ordering::Relaxed)
                });
                deleted = built();
                remove_index(&folder);
            }
        });
        let outputs = together(commands);
        ended.store(true, Ordering::Relaxed);
        deletes.join().unwrap();
        outputs.into_iter().for_each(|output| drop(output.ok()));
    });
    assert!(deleted > 2, "{deleted}");
    assert_eq!(titles(&world).len(), 9);
    assert_eq!(
        world.bd(&["search", "issue", "--json"]).json()["total_count"],
        5
    );
}

#[test]
fn an_index_deleted_together_with_its_folder_comes_back() {
    let world = World::with_store();
    let id = world.create(&["Still here"]);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    world.bd(&["done", &id]).ok();
    assert_eq!(files(&world).len(), 1);
}

#[test]
fn several_that_ask_for_texts_and_operations_at_once_make_one_file_of_them() {
    let world = World::with_store();
    let file = world.file("many.jsonl", crate::support::plumbing::lines(300));
    world.bd(&["import", &file]).ok();
    let id = world.create(&["A needle"]);
    let questions: [&[&str]; 3] = [
        &["search", "needle", "-q"],
        &["log", &id, "--json"],
        &["log", "-n", "0", "-q"],
    ];
    let ask = |args: &[&str]| world.bd(args).ok();
    let answers = questions.map(ask);
    for _ in 0..4 {
        std::fs::remove_file(newest(&world)[1].as_ref().unwrap()).unwrap();
        let commands = (0..9).map(|n| program(&world, questions[n % 3])).collect();
        for (n, output) in together(commands).into_iter().enumerate() {
            assert_eq!(output.ok(), answers[n % 3]);
        }
        assert_eq!(files(&world).len(), 2, "{:?}", files(&world));
    }
}

/// Whoever reads the texts holds up only that what is purged goes from them.
#[test]
fn what_was_purged_while_the_texts_were_held_is_forgotten_later() {
    if !has_python() {
        return;
    }
    let world = World::with_store();
    let id = world.create(&["zebraleak", "-d", "quaggaleak"]);
    assert_eq!(found(&world, "zebraleak"), [id.as_str()]);
    world.bd(&["log"]).ok();
    let before = tip(&world);
    world.bd(&["purge", "--yes", &id]).ok();
    let purged = tip(&world);
    git(&world, &["update-ref", REF, &before]);
    drop_index(&world);
    assert_eq!(found(&world, "zebraleak"), [id.as_str()]);
    world.bd(&["log"]).ok();
    let [file, late] = newest(&world).map(Option::unwrap);
    let holder = Holder::new(&late, "BEGIN; SELECT * FROM owner");
    git(&world, &["update-ref", REF, &purged]);
    assert!(
        !world
            .bd(&["list", "--all", "--deleted"])
            .ok()
            .contains("zebraleak")
    );
    holder.end();
    assert_eq!(found(&world, "zebraleak"), Vec::<String>::new());
    assert_eq!(
        newest(&world).map(Option::unwrap),
        [file.clone(), late.clone()],
        "by the same files"
    );
    for file in [file, late] {
        let bytes = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(
            !bytes.contains("ebraleak") && !bytes.contains("uaggaleak"),
            "{}",
            file.display()
        );
    }
}

/// SQLite hands such a name out in one way only.
#[test]
fn a_folder_whose_name_is_no_text_has_both_files() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::empty();
    let folder = world.path(".").join(std::ffi::OsStr::from_bytes(b"c\xffx"));
    std::fs::create_dir(&folder).unwrap();
    let run = |args: &[&str]| {
        let mut command = program(&world, args);
        command.current_dir(&folder);
        world.run(command, None)
    };
    let mut init = world.command(".", "git", &["init", "--quiet"]);
    init.arg(&folder);
    world.run(init, None).ok();
    run(&["init"]).ok();
    run(&["create", "A needle"]).ok();
    let mut server = program(&world, &["mcp"]);
    server.current_dir(&folder);
    let mut agent = Agent::start(server);
    for n in 1..4 {
        let list = agent.call("task_list", serde_json::json!({"query": "needle"}));
        assert_eq!(list["issues"].as_array().unwrap().len(), n);
        run(&["create", "Another needle"]).ok();
        let found = run(&["search", "needle", "--json"]).json();
        assert_eq!(found["total_count"], n + 1);
    }
    let names = std::fs::read_dir(folder.join(".git/beads")).unwrap();
    let late = names.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_str()
            .unwrap()
            .ends_with(".late.db")
    });
    assert_eq!(late.count(), 1);
}

/// A server keeps both files open.
#[test]
fn a_server_goes_on_whatever_becomes_of_the_texts() {
    let world = World::with_store();
    let mut ids = vec![world.create(&["A needle"])];
    let mut agent = Agent::new(&world);
    let mut search = |ids: &[String]| {
        let list = agent.call("task_list", serde_json::json!({"query": "needle"}));
        let found: Vec<&str> = list["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["id"].as_str().unwrap())
            .collect();
        assert_eq!(found, ids);
    };
    search(&ids);
    let [file, late] = newest(&world).map(Option::unwrap);
    let damages: [&dyn Fn(); 3] = [
        &|| std::fs::remove_file(&late).unwrap(),
        &|| std::fs::write(&late, "garbage ".repeat(1000)).unwrap(),
        &|| std::fs::remove_file(&file).unwrap(),
    ];
    for damage in damages {
        damage();
        search(&ids);
        ids.push(world.create(&["Another needle"]));
        search(&ids);
    }
}

/// A reader that fills the text index must not fill it from a state that is older than the index.
#[test]
fn searches_during_writes_leave_no_stale_text() {
    let world = World::with_store();
    let ids: Vec<String> = (0..6)
        .map(|n| world.create(&[&format!("start{n}")]))
        .collect();
    let writer = "for n in 1 2 3 4 5 6 7 8 9 10; do git-beads update $1 --title \"word$n mark\" >/dev/null || exit; done";
    let reader = "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do git-beads search mark >/dev/null || exit; done";
    let mut commands: Vec<_> = ids
        .iter()
        .map(|id| world.command("repo", "sh", &["-c", writer, "sh", id]))
        .collect();
    commands.extend((0..4).map(|_| world.command("repo", "sh", &["-c", reader])));
    for output in together(commands) {
        output.ok();
    }
    assert_eq!(found(&world, "word10").len(), 6);
    assert_eq!(found(&world, "word9"), Vec::<String>::new());
    assert_eq!(found(&world, "start"), Vec::<String>::new());
}

/// Two processes wait for the file: one to fill the text index, one to bring it a newer state.
#[test]
fn a_search_that_waited_for_a_writer_does_not_bring_back_old_text() {
    if !has_python() {
        return;
    }
    let mut world = World::with_store();
    let id = world.create(&["start"]);
    let events = world.events();
    for n in 0..12 {
        world
            .bd(&["update", &id, "--title", &format!("old{n}")])
            .ok();
        let holder = Holder::new(&rows(&world), "BEGIN IMMEDIATE");
        let title = format!("new{n}");
        let mut search = program(&world, &["search", "old"]);
        search.env("GIT_BEADS_LOG", "trace");
        let update = program(&world, &["update", &id, "--title", &title]);
        let opened = events.count("opened the index");
        let moved = events.count("moves a ref");
        let outputs = std::thread::scope(|scope| {
            let outputs = scope.spawn(|| together(vec![search, update]));
            // What comes next needs the file, for both.
            until("both wait", || {
                events.count("opened the index") > opened && events.count("moves a ref") > moved
            });
            holder.end();
            outputs.join().unwrap()
        });
        outputs.into_iter().for_each(|output| drop(output.ok()));
        assert_eq!(found(&world, &title), [id.as_str()], "round {n}");
        assert_eq!(
            found(&world, &format!("old{n}")),
            Vec::<String>::new(),
            "round {n}"
        );
    }
}
