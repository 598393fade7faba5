//! The log of the program's own work: off unless it is asked for, and without a text of anybody's.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::World;
use crate::support::clones::two_clones;

/// Asks for a log in a file, and returns the file.
fn logged(world: &mut World, level: &str) -> std::path::PathBuf {
    let file = world.path("log");
    world.set("GIT_BEADS_LOG", level);
    world.set("GIT_BEADS_LOG_FILE", file.to_str().unwrap());
    file
}

#[track_caller]
fn holds(log: &str, words: &[&str]) {
    for word in words {
        assert!(log.contains(word), "{word}: {log}");
    }
}

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    let mut world = World::with_store();
    assert_eq!(world.bd(&["ready"]).stderr, "");
    world.set("GIT_BEADS_LOG", "");
    assert_eq!(world.bd(&["ready"]).stderr, "");
    world.set("GIT_BEADS_LOG", "debug");
    let output = world.bd(&["ready"]);
    holds(&output.stderr, &["verb{name=\"ready\"", "read", "exit=0"]);
    assert!(!output.stdout.contains("verb{"), "{output:?}");
}

#[test]
fn a_part_is_logged_alone() {
    let mut world = World::with_store();
    for wanted in ["store=trace", "git_beads::store=trace"] {
        world.set("GIT_BEADS_LOG", wanted);
        let said = world.bd(&["create", "One"]).stderr;
        assert!(said.contains("git_beads::store"), "{said}");
        let mut lines = said.lines();
        assert!(lines.all(|line| line.contains("git_beads::store")));
    }
}

#[test]
fn a_log_goes_to_a_file_that_is_closed_to_others() {
    let mut world = World::with_store();
    let file = logged(&mut world, "trace");
    assert_eq!(world.bd(&["create", "One"]).stderr, "");
    let before = fs::read_to_string(&file).unwrap();
    holds(
        &before,
        &[
            "verb{name=\"create\"",
            "write",
            "holds the lock",
            "appended to the journal",
            "moves a ref name=\"refs/beads/main\" new=",
            "the index caught up",
        ],
    );
    world.bd(&["ready"]).ok();
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_log_that_can_not_be_written_is_a_warning() {
    let mut world = World::with_store();
    let plain = world.bd(&["ready"]).ok();
    let unknown = world.bd(&["show", "none-such"]);
    let folder = world.path("folder");
    fs::create_dir(&folder).unwrap();
    let missing = world.path("missing/log");
    let as_text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    for (level, file, said) in [
        ("gix=loud", String::new(), "`gix=loud`"),
        ("store", String::new(), "store=trace"),
        ("debug", "log".to_owned(), "absolute"),
        ("debug", as_text(&folder), "not a file"),
        ("debug", as_text(&missing), "can't log to"),
    ] {
        world.set("GIT_BEADS_LOG", level);
        world.set("GIT_BEADS_LOG_FILE", &file);
        let output = world.bd(&["ready"]);
        assert_eq!((output.code, &output.stdout), (0, &plain), "{output:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
        assert!(output.stderr.starts_with("warning: "), "{output:?}");
        assert!(output.stderr.contains(said), "{output:?}");
        // The exit code of a failure stays what it was.
        assert_eq!(world.bd(&["show", "none-such"]).code, unknown.code);
    }
}

#[test]
fn a_wrong_log_stops_no_hook_and_no_command_without_standard_error() {
    let mut world = World::with_store();
    for level in ["trace", "loud"] {
        world.set("GIT_BEADS_LOG", level);
        for redirected in ["2>&-", "2>/dev/full"] {
            if redirected.contains("full") && !std::path::Path::new("/dev/full").exists() {
                continue;
            }
            for verb in ["ready", "create Two", "hook post-commit"] {
                let line = format!("git-beads {verb} {redirected}");
                let output = world.run(world.command("repo", "sh", &["-c", &line]), None);
                assert_eq!(output.code, 0, "{level} {line}: {output:?}");
            }
        }
    }
}

#[test]
fn no_text_of_anybody_is_in_a_log() {
    let mut world = two_clones();
    let file = logged(&mut world, "trace");
    let id = world.bd_in("a", &["create", "-q", "SECRET title", "-d", "SECRET text"]);
    let id = id.ok().trim().to_owned();
    world.bd_in("a", &["note", &id, "SECRET note"]).ok();
    let changes = ["--title", "Another SECRET", "--add-label", "SECRET"];
    let line = [&["update", id.as_str()], &changes[..]].concat();
    world.bd_in("a", &line).ok();
    world.bd_in("a", &["search", "SECRET"]).ok();
    assert_ne!(world.bd_in("a", &["show", "SECRET"]).code, 0);
    world.bd_in("a", &["done", &id, "-r", "SECRET reason"]).ok();
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    let url = "https://me:SECRET@127.0.0.1:9/none.git";
    world.git_in("a", &["remote", "add", "far", url]).ok();
    for remote in ["far", url] {
        let failed = world.bd_in("a", &["sync", remote]);
        assert_ne!(failed.code, 0, "{failed:?}");
    }
    assert_ne!(world.bd_in("a", &["clone", url, "SECRET"]).code, 0);
    let log = fs::read_to_string(&file).unwrap();
    holds(
        &log,
        &[
            "ran git verb=\"fetch\"",
            "code=0",
            "ms=",
            "exchanged received=",
            "failed exit=",
        ],
    );
    assert!(!log.contains("SECRET"), "{log}");
    let folder = world.path("a");
    assert!(!log.contains(folder.to_str().unwrap()), "{log}");
}

#[test]
fn a_tool_is_logged_with_its_times_and_without_its_arguments() {
    let mut world = World::with_store();
    let file = logged(&mut world, "trace");
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "SECRET", "version": "1"}});
    let call = json!({"name": "task_create", "arguments": {"title": "SECRET", "workspace_root": "SECRET"}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call});
    let input = format!("{begin}\n{begun}\n{call}\n");
    world.bd_with(input, &["mcp"]).ok();
    let log = fs::read_to_string(&file).unwrap();
    let parts = [
        "tool{name=task_create}",
        "time.busy=",
        "waited in the queue writes=true ms=",
    ];
    holds(&log, &parts);
    assert!(!log.contains("SECRET"), "{log}");
}

#[test]
fn waiting_and_replaying_are_logged() {
    let mut world = World::with_store();
    world.create(&["One"]);
    let file = logged(&mut world, "debug");
    // Another boot: the journal is replayed, and the index is built anew.
    world.set("GIT_BEADS_BOOT", "another");
    world.bd(&["create", "Two"]).ok();
    let log = fs::read_to_string(&file).unwrap();
    holds(
        &log,
        &[
            "replays the journal",
            "replay: readable, stays",
            "replayed objects=",
        ],
    );
    holds(&log, &["built the index to="]);
}
