//! Where it listens, who is told so, and how it ends.

use std::os::unix::fs::PermissionsExt;

use super::Serving;
use super::gate::Request;
use crate::support::{World, missing, samples};

/// A world with a folder for the files of a session.
fn world() -> World {
    let mut world = samples::one();
    std::fs::create_dir(world.path("run")).unwrap();
    let run = world.path("run").display().to_string();
    world.set("XDG_RUNTIME_DIR", &run);
    world
}

#[test]
fn a_second_one_prints_the_address_of_the_first() {
    let world = world();
    let serving = Serving::start(&world, "repo", &[]);
    let folder = world.path("run/git-beads/serve");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&folder) & 0o777, 0o700);
    assert_eq!(mode(&folder.join(serving.port.to_string())) & 0o777, 0o600);
    assert_eq!(world.bd(&["serve"]).ok().trim_end(), serving.address);
    // One that serves another repository takes another port.
    world.git_in(".", &["init", "-q", "other"]).ok();
    let other = Serving::start(&world, "other", &[]);
    assert_ne!(other.port, serving.port);
    assert_ne!(other.key, serving.key);
    drop(other);
    let port = serving.port.to_string();
    let key = serving.key.clone();
    drop(serving);
    // The key is another one at each start, at the same port too; what those have left that were killed is removed.
    let again = Serving::start(&world, "repo", &["--port", &port]);
    assert_eq!(again.port.to_string(), port);
    assert_ne!(again.key, key);
    let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    left.retain(|entry| entry.as_ref().unwrap().file_name() != "turn");
    assert_eq!(left.len(), 1, "{left:?}");
    world.git(&["-C", "../other", "config", "x.y", "z"]).ok();
    let error = world.bd_in("other", &["serve", "--port", &port]).fails(3);
    assert!(error.contains("is taken"), "{error}");
}

#[test]
fn it_ends_by_signals_and_when_no_page_is_there() {
    let world = world();
    for signal in ["TERM", "INT", "HUP"] {
        let serving = Serving::start(&world, "repo", &[]);
        let file = world
            .path("run/git-beads/serve")
            .join(serving.port.to_string());
        serving.signal(&world, signal);
        assert_eq!(serving.ended(), Some(0), "{signal}");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "", "no key is left");
    }
    for (time, code, said) in [("soon", 2, "as in 30s, 10m"), ("0m", 1, "needs some time")] {
        let error = world.bd(&["serve", "--idle", time]).fails(code);
        assert!(error.contains(said), "{error}");
    }
    assert!(
        world
            .bd_in(".", &["serve"])
            .fails(1)
            .contains("beads.repository")
    );
}

#[test]
fn a_folder_that_others_can_use_is_not_used() {
    let world = world();
    let folder = world.path("run/git-beads/serve");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = world.bd(&["serve"]).code;
    assert_ne!(error, 0);
    std::fs::remove_dir(&folder).unwrap();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere"), &folder).unwrap();
    assert_ne!(world.bd(&["serve"]).code, 0);
}

#[test]
fn another_user_reads_nothing() {
    let world = world();
    let serving = Serving::start(&world, "repo", &["--open"]);
    let id = world.run(world.command(".", "id", &["-u"]), None).ok();
    if id.trim() != "0" || !world.lend("setpriv") || !world.lend("cat") || !world.lend("ps") {
        missing("the superuser, setpriv, cat and ps");
        return;
    }
    let as_other = |args: &[&str]| {
        let who = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        world.run(world.command(".", "setpriv", &[&who, args].concat()), None)
    };
    let place = world.path("run/git-beads/serve");
    for file in [serving.port.to_string(), serving.opener()] {
        let file = place.join(file);
        assert!(file.exists(), "{}", file.display());
        assert_ne!(as_other(&["cat", file.to_str().unwrap()]).code, 0);
    }
    let lines = as_other(&["ps", "axww", "-o", "args"]).ok();
    assert!(!lines.contains(&serving.key), "no command line has the key");
}

#[test]
fn the_browser_is_opened_by_a_file_that_leads_there() {
    let world = world();
    let set = |key: &str, value: &str| world.git(&["config", "--global", key, value]).ok();
    set("web.browser", "test");
    set(
        "browser.test.cmd",
        &format!("cp -t {} ", world.path(".").display()),
    );
    let serving = Serving::start(&world, "repo", &["--open"]);
    // The second one leads to the first.
    let again = Serving::start(&world, "repo", &["--open"]);
    assert_eq!(again.address, serving.address);
    for one in [&serving, &again] {
        let name = one.opener();
        // Whole: the copy is there before all of it is.
        let leads = format!("url={}", serving.address);
        crate::support::events::until("the browser has it", || {
            std::fs::read_to_string(world.path(&name)).is_ok_and(|page| page.contains(&leads))
        });
        let file = world.path("run/git-beads/serve").join(&name);
        crate::support::events::until("the file is gone", || !file.exists());
    }
    assert_eq!(again.ended(), Some(0));
}

#[test]
fn it_begins_where_that_is_asked_for() {
    let world = world();
    let serving = Serving::start(&world, "repo", &[]);
    for (asked, shown) in [
        ("app-7c2d", "/repo/app-7c2d"),
        ("list?q=\"<é&x=1", "/repo/list?q=%22%3C%C3%A9&x=1"),
        ("//inbox", "//inbox"),
    ] {
        let said = world.bd(&["serve", "--show", asked]).ok();
        let whole = format!("{}{shown}", serving.address);
        assert_eq!(said.trim_end(), whole);
    }
}

#[test]
fn an_exchange_ends_with_it_and_is_not_tried_again() {
    let mut world = world();
    let log = world.path("ssh.log").display().to_string();
    std::fs::write(&log, "").unwrap();
    let script = world.file(
        "ssh.sh",
        format!("echo $$ >>'{log}'; exec tail -f /dev/null\n"),
    );
    world.set("GIT_SSH_COMMAND", &format!("sh '{script}'"));
    let remote = ["remote", "add", "origin", "ssh://x@host.invalid/r"];
    world.git(&remote).ok();
    let serving = Serving::start(&world, "repo", &[]);
    let begun = || std::fs::read_to_string(&log).unwrap().lines().count();
    std::thread::scope(|scope| {
        scope.spawn(|| serving.send_json("/api/act", r#"{"act":"sync","repo":"repo"}"#));
        crate::support::events::until("it is on its way", || begun() == 1);
        serving.signal(&world, "TERM");
    });
    assert_eq!(serving.ended(), Some(0));
    assert_eq!(begun(), 1);
    let pid = std::fs::read_to_string(&log).unwrap().trim().to_owned();
    let is_gone = || !std::path::Path::new("/proc").join(&pid).exists();
    crate::support::events::until("what it began is gone", is_gone);
}

#[test]
fn what_a_commit_changed_is_named_where_its_contents_are_not_here() {
    let world = world();
    let id = world.create(&["Cart"]);
    for name in ["one", "two"] {
        std::fs::write(world.path("repo").join(name), format!("{name}\n")).unwrap();
    }
    world.git(&["add", "one", "two"]).ok();
    let message = format!("Two\n\nCloses: {id}");
    world.git(&["commit", "-qm", &message]).ok();
    let serving = Serving::start(&world, "repo", &[]);
    let change = || {
        let asked = serde_json::json!({"scene": "change", "repo": "repo", "id": id});
        let said = serving.post("/api/scene", &asked.to_string()).body;
        serde_json::from_str::<serde_json::Value>(&said).unwrap()
    };
    let whole = change();
    assert_eq!(whole["is_partial"], false, "{whole}");
    assert!(whole["patch"].as_str().unwrap().contains("+two"), "{whole}");
    let blob = world.git(&["rev-parse", "HEAD:two"]).ok();
    let (folder, file) = blob.trim().split_at(2);
    std::fs::remove_file(world.path("repo/.git/objects").join(folder).join(file)).unwrap();
    let partial = change();
    assert_eq!(partial["is_partial"], true, "{partial}");
    assert_eq!(
        (&partial["message"], &partial["patch"]),
        (&whole["message"], &"".into())
    );
    let paths: Vec<_> = partial["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["path"])
        .collect();
    assert_eq!(paths, ["one", "two"]);
}

#[test]
fn a_name_with_a_line_break_names_no_other_repository() {
    let world = world();
    let second = world.path("repo").display().to_string();
    let first = format!("first\n{second}");
    std::fs::create_dir_all(world.path(&first)).unwrap();
    world.git_in(&first, &["init", "-q"]).ok();
    let serving = Serving::start(&world, &first, &[]);
    assert_eq!(
        world.bd_in(&first, &["serve"]).ok().trim_end(),
        serving.address
    );
    let other = Serving::start(&world, "repo", &[]);
    assert_ne!(other.address, serving.address);
}

#[test]
fn a_repository_that_goes_away_is_a_row_that_says_so() {
    let world = world();
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    let path = world.path("other").display().to_string();
    world
        .git(&["config", "--global", "beads.repository", &path])
        .ok();
    let serving = Serving::start(&world, "repo", &[]);
    let asked = Request::good(&serving);
    crate::support::events::until("both are there", || {
        let inbox = asked.gets(&serving, 200).body;
        inbox.contains("other") && !inbox.contains("error")
    });
    std::fs::remove_dir_all(world.path("other")).unwrap();
    crate::support::events::until("one has gone", || {
        asked
            .gets(&serving, 200)
            .body
            .contains("no folder is there")
    });
}
