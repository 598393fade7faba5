//! Whatever lies where the cache should be: never an error, and the right answers.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::properties::faults::is_tried;
use crate::properties::index::{everything, files, has_python, newest, python, rows};
use crate::support::World;

/// A store with something of everything, its answers, and the file of its rows.
fn with_index() -> (World, Vec<String>, PathBuf) {
    let world = World::with_store();
    let epic = world.create(&["Epic alpha", "-t", "epic", "-l", "red"]);
    let plan = world.file(
        "plan.json",
        r#"[{"title":"left alpha"},{"title":"right","depends_on":[0]}]"#,
    );
    world.bd(&["split", &epic, "-F", &plan]).ok();
    let file = world.file("many.jsonl", crate::support::plumbing::lines(200));
    world.bd(&["import", &file]).ok();
    world.bd(&["done", "imp-0001", "-r", "because"]).ok();
    let answers = everything(&world);
    let file = rows(&world);
    (world, answers, file)
}

/// A file of the cache: that of the rows, or the one of the operations and the full text.
const ROWS: usize = 0;
const LATE: usize = 1;

/// Damages each file of the cache.
#[track_caller]
fn survives(damage: impl Fn(&World, &Path)) {
    let (world, mut answers, _) = with_index();
    for which in [ROWS, LATE] {
        answers = survives_in(&world, &answers, which, &damage);
    }
}

/// Damages a file of the cache, then reads, then damages it again and writes; returns the answers after that.
#[track_caller]
fn survives_in(
    world: &World,
    answers: &[String],
    which: usize,
    damage: &impl Fn(&World, &Path),
) -> Vec<String> {
    let file = newest(world)[which].clone().unwrap();
    damage(world, &file);
    assert_eq!(everything(world), answers);
    damage(world, newest(world)[which].as_ref().unwrap_or(&file));
    let id = world.create(&["Written over the damage alpha"]);
    world.bd(&["done", &id, "-r", "because"]).ok();
    let now = everything(world);
    crate::properties::index::drop_index(world);
    assert_eq!(everything(world), now);
    assert!(now[0].contains(&id));
    now
}

fn overwrite(file: &Path, from: usize, with: &[u8]) {
    let mut bytes = std::fs::read(file).unwrap();
    for (i, byte) in bytes.iter_mut().enumerate().skip(from) {
        *byte = with[i % with.len()];
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn garbage_is_built_again() {
    survives(|_, file| overwrite(file, 0, b"garbage "));
}

#[test]
fn zeros_after_a_power_cut_are_built_again() {
    survives(|_, file| overwrite(file, 0, b"\0"));
}

#[test]
fn an_empty_file_is_built_again() {
    survives(|_, file| std::fs::write(file, "").unwrap());
}

#[test]
fn a_file_cut_short_is_built_again() {
    survives(|_, file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    });
}

#[test]
fn a_file_of_one_page_is_built_again() {
    survives(|_, file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..4096]).unwrap();
    });
}

#[test]
fn garbage_behind_a_good_stamp_is_no_error() {
    survives(|_, file| overwrite(file, 3 * 4096, b"garbage "));
}

#[test]
fn zeros_behind_a_good_stamp_are_no_error() {
    survives(|_, file| overwrite(file, 3 * 4096, b"\0"));
}

#[test]
fn a_named_pipe_in_its_place_stops_nobody() {
    survives(|_, file| {
        let _ = std::fs::remove_file(file);
        rustix::fs::mkfifoat(rustix::fs::CWD, file, rustix::fs::Mode::RUSR).unwrap();
    });
}

#[test]
fn a_folder_in_its_place_is_no_error() {
    survives(|_, file| {
        if file.is_file() {
            std::fs::remove_file(file).unwrap();
        }
        std::fs::create_dir_all(file).unwrap();
    });
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let (world, answers, file) = with_index();
    let target = world.file("precious.db", "precious");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&target, &file).unwrap();
    assert_eq!(everything(&world), answers);
    assert_eq!(std::fs::read_to_string(target).unwrap(), "precious");
}

#[test]
fn a_stray_rollback_journal_is_no_error() {
    survives(|_, file| {
        std::fs::write(
            format!("{}-journal", file.display()),
            "garbage ".repeat(1000),
        )
        .unwrap();
    });
}

/// Runs SQL on a database file; false where this machine has no Python with SQLite.
fn sql(file: &Path, script: &str) -> bool {
    let program = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])\nc.commit()";
    python(program)
        .arg(file)
        .arg(script)
        .status()
        .is_ok_and(|status| status.success())
}

/// Damages a file by SQL, reads, and does so again and writes; with each of the scripts.
#[track_caller]
fn survives_sql(scripts: &[(usize, &str)]) {
    let (world, mut answers, _) = with_index();
    // In a plain run the first of few, and one in three of many.
    let tried = scripts.iter().enumerate();
    for (_, (which, script)) in tried.filter(|(n, _)| is_tried(*n, 3.min(scripts.len()))) {
        answers = survives_in(&world, &answers, *which, &|_: &World, file: &Path| {
            assert!(sql(file, script), "{script}");
        });
    }
}

#[test]
fn a_foreign_database_is_left_and_another_built() {
    if !has_python() {
        return;
    }
    survives(|_, file| {
        std::fs::remove_file(file).unwrap();
        sql(
            file,
            "CREATE TABLE theirs (a); INSERT INTO theirs VALUES ('precious')",
        );
    });
    survives(|_, file| {
        std::fs::remove_file(file).unwrap();
        sql(
            file,
            "CREATE TABLE stamp (version, commit_id, tree, boot); INSERT INTO stamp VALUES ('x', 1, NULL, x'00')",
        );
    });
}

#[test]
fn the_index_of_another_store_is_not_believed() {
    let world = World::empty();
    for name in ["repo", "other"] {
        world.git_in(".", &["init", "--quiet", name]).ok();
        world.bd_in(name, &["init"]).ok();
        world.bd_in(name, &["create", &format!("In {name}")]).ok();
    }
    let ours = rows(&world);
    let theirs = world
        .path("other/.git/beads")
        .join(ours.file_name().unwrap());
    std::fs::write(&ours, std::fs::read(theirs).unwrap()).unwrap();
    let list = world.bd(&["list"]).ok();
    assert!(
        list.contains("In repo") && !list.contains("In other"),
        "{list}"
    );
}

#[test]
fn a_newer_version_is_built_again() {
    if !has_python() {
        return;
    }
    let newer = "UPDATE stamp SET version = 999; ALTER TABLE issue RENAME TO issue_of_later";
    survives_sql(&[(ROWS, newer)]);
}

#[test]
fn a_stamp_that_is_missing_or_doubled_is_no_error() {
    if !has_python() {
        return;
    }
    survives_sql(&[(ROWS, "DELETE FROM stamp"), (ROWS, "DROP TABLE stamp")]);
}

#[test]
fn a_stamp_of_a_commit_that_is_gone_is_no_error() {
    if !has_python() {
        return;
    }
    let gone = "0123456789012345678901234567890123456789";
    let gone = format!("UPDATE stamp SET commit_id = '{gone}', tree = '{gone}'");
    let nonsense = "UPDATE stamp SET commit_id = 'nonsense', tree = 'nonsense'";
    survives_sql(&[(ROWS, &gone), (ROWS, nonsense)]);
}

#[test]
fn another_boot_means_built_again() {
    if !has_python() {
        return;
    }
    let (world, answers, file) = with_index();
    assert!(sql(
        &file,
        "UPDATE issue SET title = 'torn page'; UPDATE counter SET n = 7000; UPDATE stamp SET boot = 'another boot'"
    ));
    assert_eq!(everything(&world), answers);
    world.bd(&["doctor"]).ok();
}

#[test]
fn doctor_finds_what_anybody_else_has_edited() {
    if !has_python() {
        return;
    }
    for (which, edit) in [
        (ROWS, "UPDATE issue SET title = 'edited'"),
        (ROWS, "UPDATE counter SET n = 7000"),
        (ROWS, "DELETE FROM issue WHERE num % 2"),
        (ROWS, "DELETE FROM edge; DELETE FROM memory"),
        (LATE, "UPDATE oplog SET subject = 'edited'"),
        (LATE, "DELETE FROM oplog_issue"),
    ] {
        let (world, answers, _) = with_index();
        assert!(sql(newest(&world)[which].as_ref().unwrap(), edit), "{edit}");
        let said = world.bd(&["doctor"]);
        assert!(
            said.stdout
                .contains("the index does not say what the repository says"),
            "{edit}: {said:?}"
        );
        let _ = said.fails(1);
        world.bd(&["doctor", "--fix"]).ok();
        assert_eq!(everything(&world), answers, "{edit}");
        world.bd(&["doctor"]).ok();
    }
}

#[test]
fn what_belongs_to_other_rows_is_not_believed() {
    if !has_python() {
        return;
    }
    survives_sql(&[
        (LATE, "UPDATE owner SET key = 'of another'"),
        (LATE, "DELETE FROM owner"),
    ]);
    // The rows are made anew, under the same name and with other numbers, beside what belonged to the old ones.
    let (world, answers, file) = with_index();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(everything(&world), answers);
    // The same with more of them, and a command that writes.
    let late = newest(&world)[1].clone().unwrap();
    let name = |path: &Path, n: &str| PathBuf::from(path.to_str().unwrap().replacen("-2.", n, 1));
    for n in ["-1.", "-3.", "-4."] {
        std::fs::copy(&late, name(&late, n)).unwrap();
    }
    std::fs::remove_file(rows(&world)).unwrap();
    world.bd(&["undo"]).ok();
}

#[test]
fn operations_and_texts_that_are_gone_are_filled_again() {
    let (world, answers, _) = with_index();
    std::fs::remove_file(newest(&world)[1].as_ref().unwrap()).unwrap();
    assert_eq!(everything(&world), answers);
    assert_eq!(files(&world).len(), 2, "{:?}", files(&world));
}

#[test]
fn a_copy_is_not_believed() {
    let (world, answers, file) = with_index();
    let bytes = std::fs::read(&file).unwrap();
    world.create(&["After the copy"]);
    let now = everything(&world);
    assert_ne!(now, answers);
    // A copy of another moment under the next name: the file is another one.
    let name = file.file_name().unwrap().to_str().unwrap();
    let numbered = |n| file.with_file_name(name.replace("-1.db", n));
    let copy = numbered("-99.db");
    assert_ne!(copy, file);
    std::fs::write(&copy, bytes).unwrap();
    assert_eq!(everything(&world), now);
    assert!(
        numbered("-100.db").exists(),
        "it was made anew, beside the copy"
    );
}

#[test]
fn files_of_which_one_alone_was_changed_are_built_again() {
    if !has_python() {
        return;
    }
    // A process was killed between the commits of a transaction over both.
    survives_sql(&[
        (
            ROWS,
            "UPDATE stamp SET turn = turn + 1; DELETE FROM unsearched",
        ),
        (LATE, "UPDATE owner SET turn = turn + 1; DELETE FROM oplog"),
    ]);
}

#[test]
fn missing_tables_behind_a_good_stamp_are_no_error() {
    if !has_python() {
        return;
    }
    // Not `DROP TABLE`: a SQLite that is older than ours can't take the text index apart.
    let missing = |table| {
        format!("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE tbl_name = '{table}'")
    };
    let rows = [
        "issue",
        "edge",
        "label",
        "memory",
        "counter",
        "landed",
        "unsearched",
        "broken",
    ];
    let late = ["owner", "oplog", "oplog_issue", "fts", "fts_data"];
    let all = rows.map(|table| (ROWS, missing(table))).into_iter();
    let all = all.chain(late.map(|table| (LATE, missing(table))));
    let all: Vec<_> = all.collect();
    let scripts: Vec<_> = all
        .iter()
        .map(|(which, it)| (*which, it.as_str()))
        .collect();
    survives_sql(&scripts);
}

#[test]
fn a_rebuild_never_renames_or_removes_an_open_file() {
    let (world, answers, file) = with_index();
    overwrite(&file, 0, b"garbage ");
    let open = std::fs::File::open(&file).unwrap();
    let before = (
        open.metadata().unwrap().ino(),
        std::fs::read(&file).unwrap(),
    );
    assert_eq!(everything(&world), answers);
    let now = std::fs::metadata(&file).unwrap();
    assert_eq!((now.ino(), std::fs::read(&file).unwrap()), before);
    assert_eq!(
        open.metadata().unwrap().nlink(),
        1,
        "still there under its name"
    );
    let made = rows(&world);
    assert_ne!(made, file);
    assert_eq!(everything(&world), answers);
    assert_eq!(
        rows(&world),
        made,
        "the new one is used, not built again each time"
    );
}

#[test]
fn without_a_folder_it_lives_in_memory() {
    let (world, answers, _) = with_index();
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    world.file("repo/.git/beads", "a file in the way");
    assert_eq!(everything(&world), answers);
    assert!(!world.path("home/.cache/git-beads").exists());
    assert!(
        world.bd(&["create", "x"]).fails(6).contains("error:"),
        "a writer needs its lock"
    );
}
