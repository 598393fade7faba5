//! Repositories and disks that we must not or can't write to: a clear refusal, and the store as before.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::plumbing::{REF, able, git, is_root, lines, sound, system, tip};
use crate::support::{Output, World};

/// The one that owns nothing.
const NOBODY: u32 = 65_534;

fn give_to_nobody(path: &Path) {
    assert!(system(
        "chown",
        &["-R", &format!("{NOBODY}:{NOBODY}"), path.to_str().unwrap()]
    ));
}

/// Runs the program as a user without rights.
fn as_nobody(world: &World, args: &[&str]) -> Output {
    let id = NOBODY.to_string();
    let mut all = vec![
        "--reuid",
        &id,
        "--regid",
        &id,
        "--clear-groups",
        env!("CARGO_BIN_EXE_git-beads"),
    ];
    all.extend(args);
    world.run(world.command("repo", "setpriv", &all), None)
}

/// A store that a user without rights owns, with one issue; none where we can't make it.
fn of_nobody() -> Option<(World, String)> {
    let world = World::with_store();
    let id = world.create(&["Theirs"]);
    std::fs::set_permissions(world.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    give_to_nobody(&world.path("repo"));
    give_to_nobody(&world.path("home"));
    let possible = is_root() && world.lend("setpriv") && as_nobody(&world, &["version"]).code == 0;
    able(
        possible,
        "needs root, setpriv, and a target folder that others may enter",
    )
    .then_some((world, id))
}

/// Takes away the right to write, and gives it back at the end.
struct ReadOnly(std::path::PathBuf);

impl ReadOnly {
    fn new(path: std::path::PathBuf) -> Self {
        assert!(system("chmod", &["-R", "a-w", path.to_str().unwrap()]));
        Self(path)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        system("chmod", &["-R", "u+w", self.0.to_str().unwrap()]);
    }
}

#[test]
fn a_repository_of_another_user_is_refused_until_it_is_trusted() {
    if !able(is_root(), "needs root to give a repository away") {
        return;
    }
    let world = World::with_store();
    let id = world.create(&["Theirs"]);
    give_to_nobody(&world.path("repo"));
    for args in [&["list"][..], &["create", "x"], &["init"]] {
        let text = world.bd(args).fails(6);
        assert!(
            text.contains("another user") && text.contains("safe.directory"),
            "{text}"
        );
    }
    let repo = world.path("repo").display().to_string();
    assert!(
        world
            .bd_in("home", &["-C", &repo, "list"])
            .fails(6)
            .contains("another user")
    );
    world
        .git_in(
            "home",
            &["config", "--global", "--add", "safe.directory", &repo],
        )
        .ok();
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    assert_eq!(
        world
            .bd_in("home", &["-C", &repo, "list", "-q"])
            .ok()
            .trim(),
        id
    );
    world.create(&["allowed now"]);
}

#[test]
fn every_directory_can_be_trusted_at_once() {
    if !able(is_root(), "needs root to give a repository away") {
        return;
    }
    let world = World::with_store();
    give_to_nobody(&world.path("repo"));
    world
        .git_in("home", &["config", "--global", "safe.directory", "*"])
        .ok();
    world.create(&["allowed"]);
}

#[test]
fn the_repository_itself_cannot_claim_to_be_safe() {
    if !able(is_root(), "needs root to give a repository away") {
        return;
    }
    let world = World::with_store();
    git(&world, &["config", "safe.directory", "*"]);
    give_to_nobody(&world.path("repo"));
    let _ = world.bd(&["list"]).fails(6);
}

#[test]
fn a_read_only_repository_can_be_read() {
    let Some((world, id)) = of_nobody() else {
        return;
    };
    as_nobody(&world, &["list"]).ok();
    let before = tip_of_nobody(&world);
    let _held = ReadOnly::new(world.path("repo/.git"));
    assert_eq!(as_nobody(&world, &["list", "-q"]).ok().trim(), id);
    assert_eq!(
        as_nobody(&world, &["search", "theirs", "-q"]).ok().trim(),
        id
    );
    as_nobody(&world, &["show", &id]).ok();
    as_nobody(&world, &["status"]).ok();
    as_nobody(&world, &["log"]).ok();
    for args in [
        &["create", "x"][..],
        &["update", &id, "--title", "x"],
        &["done", &id],
        &["note", &id, "x"],
    ] {
        let text = as_nobody(&world, args).fails(6);
        assert!(
            text.contains("error:") && text.contains("hint: make the git directory writable"),
            "{text}"
        );
        assert!(
            text.contains("sandbox_workspace_write.writable_roots"),
            "{text}"
        );
    }
    assert_eq!(tip_of_nobody(&world), before);
    let found = as_nobody(&world, &["doctor", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let remedy = found["findings"][0]["remedy"].as_str().unwrap();
    assert_eq!(found["findings"][0]["code"], "read_only", "{found}");
    assert!(
        remedy.contains("sandbox_workspace_write.writable_roots"),
        "{found}"
    );
}

fn tip_of_nobody(world: &World) -> String {
    let trusted = ["-c", "safe.directory=*", "rev-parse", "--verify", REF];
    git(world, &trusted)
}

#[test]
fn without_an_index_a_read_only_repository_answers_from_memory() {
    let Some((world, id)) = of_nobody() else {
        return;
    };
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    let _repo = ReadOnly::new(world.path("repo/.git"));
    let _home = ReadOnly::new(world.path("home"));
    assert_eq!(as_nobody(&world, &["list", "-q"]).ok().trim(), id);
    assert_eq!(
        as_nobody(&world, &["search", "theirs", "-q"]).ok().trim(),
        id
    );
}

#[test]
fn a_reader_without_rights_to_objects_is_told_so() {
    let Some((world, id)) = of_nobody() else {
        return;
    };
    let objects = world.path("repo/.git/objects");
    assert!(system("chmod", &["-R", "a-w", objects.to_str().unwrap()]));
    let _held = ReadOnly::new(objects);
    let text = as_nobody(&world, &["create", "x"]).fails(6);
    assert!(
        text.contains("hint: make the git directory writable"),
        "{text}"
    );
    assert_eq!(as_nobody(&world, &["list", "-q"]).ok().trim(), id);
}

/// A small file system that ends with the test.
struct Disk(String);

impl Drop for Disk {
    fn drop(&mut self) {
        system("umount", &["--lazy", &self.0]);
    }
}

/// A store on a disk of two megabytes with one issue; none where we can't mount.
fn on_a_small_disk() -> Option<(World, Disk, String)> {
    let world = World::empty();
    std::fs::create_dir(world.path("repo")).unwrap();
    let place = world.path("repo").display().to_string();
    let mounted = is_root() && system("mount", &["-t", "tmpfs", "-o", "size=2m", "tmpfs", &place]);
    if !able(mounted, "needs root and a right to mount") {
        return None;
    }
    let disk = Disk(place);
    world.git(&["init", "--quiet"]).ok();
    world.bd(&["init"]).ok();
    let id = world.create(&["Before"]);
    Some((world, disk, id))
}

fn fill(world: &World) {
    use std::io::Write;
    let mut file = std::fs::File::create(world.path("repo/filler")).unwrap();
    while file.write_all(&[7; 4096]).is_ok() {}
    while file.write_all(&[7]).is_ok() {}
}

#[test]
fn without_space_a_write_fails_and_the_store_stays() {
    let Some((world, _disk, id)) = on_a_small_disk() else {
        return;
    };
    let before = tip(&world);
    fill(&world);
    for args in [
        &["create", "x"][..],
        &["update", &id, "--title", "x"],
        &["note", &id, "--finding", "x"],
    ] {
        let text = world.bd(args).fails(6);
        assert!(text.contains("hint: free some space"), "{text}");
    }
    assert_eq!(tip(&world), before);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    std::fs::remove_file(world.path("repo/filler")).unwrap();
    world.bd(&["update", &id, "--title", "After"]).ok();
    sound(&world);
}

#[test]
fn without_space_a_bulk_import_fails_and_the_store_stays() {
    let Some((world, _disk, id)) = on_a_small_disk() else {
        return;
    };
    let before = tip(&world);
    fill(&world);
    let file = world.file("many.jsonl", lines(300));
    let text = world.bd(&["import", &file]).fails(6);
    assert_eq!(tip(&world), before);
    std::fs::remove_file(world.path("repo/filler")).unwrap();
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    world.bd(&["import", &file]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 301);
    sound(&world);
    let left = std::fs::read_dir(world.path("repo/.git")).unwrap();
    let mut left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        !left.any(|name| name.starts_with("fast_import_crash")),
        "git's crash report with our texts in it is left"
    );
    assert!(text.contains("hint: free some space"), "{text}");
}

#[test]
fn without_space_a_missing_index_is_no_error() {
    let Some((world, _disk, id)) = on_a_small_disk() else {
        return;
    };
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    fill(&world);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["search", "before", "-q"]).ok().trim(), id);
}

#[test]
fn without_a_thread_left_it_is_an_error_and_no_panic() {
    let Some((world, _)) = of_nobody() else {
        return;
    };
    if !world.lend("prlimit") {
        return;
    }
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    let config = world.path("repo/.git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    let remote = "[remote \"origin\"]\n\turl = ../hub.git\n";
    std::fs::write(&config, text + remote).unwrap();
    give_to_nobody(&world.path("hub.git"));
    let id = NOBODY.to_string();
    let user = ["--reuid", &id, "--regid", &id, "--clear-groups", "prlimit"];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string() + "\n";
    for most in 1..=8 {
        let limit = format!("--nproc={most}");
        for args in [&["sync"][..], &["mcp"], &["create", "One"]] {
            let program = [&limit, env!("CARGO_BIN_EXE_git-beads")];
            let all = [&user[..], &program, args].concat();
            let command = world.command("repo", "setpriv", &all);
            let said = world.run(command, Some(call.as_bytes()));
            let is_panic = said.stderr.contains("panicked") || said.code > 128 || said.code < 0;
            assert!(!is_panic, "{most} {args:?}: {said:?}");
        }
    }
    let shown = as_nobody(&world, &["list", "-q"]).ok();
    assert!(!shown.is_empty(), "nothing is lost");
}
