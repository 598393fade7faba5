//! Remotes that misbehave: local work stays whole, the error says what to do, the next sync repairs.

use serde_json::Value;

use crate::support::clones::{
    create, failed, hub_tip, noise, script, state, sync, tip, two_clones,
};
use crate::support::plumbing::sound_in;
use crate::support::{Output, World, skipped, tools};

/// The remarks of a sync that worked, as one text.
#[track_caller]
pub(super) fn remarks(output: Output) -> String {
    output.json()["remarks"]
        .as_array()
        .map(|all| all.iter().map(Value::to_string).collect())
        .unwrap_or_default()
}

/// Asserts that both clones and the hub hold the same commit, in which all these issues are.
#[track_caller]
pub(super) fn in_step(world: &World, ids: &[&str]) {
    for clone in ["a", "b"] {
        let (here, list) = state(world, clone);
        assert_eq!(here, hub_tip(world), "{clone}");
        assert!(
            ids.iter().all(|id| list.contains(*id)),
            "{clone}: {list}, not all of {ids:?}"
        );
    }
}

/// A clone whose sync must fail with a remedy and lose nothing.
#[track_caller]
pub(super) fn fails_and_keeps(world: &World, clone: &str, code: i32) -> Value {
    let before = state(world, clone);
    let error = failed(world.bd_in(clone, &["sync", "--json"]), code);
    assert_eq!(state(world, clone), before);
    error
}

#[test]
fn an_unreachable_remote_costs_nothing() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    std::fs::rename(world.path("hub.git"), world.path("away")).unwrap();
    let error = fails_and_keeps(&world, "a", 5);
    assert!(
        error["message"].as_str().unwrap().contains("origin"),
        "{error}"
    );
    for verb in ["fetch", "pull", "push"] {
        let _ = failed(world.bd_in("a", &[verb, "--json"]), 5);
    }
    std::fs::rename(world.path("away"), world.path("hub.git")).unwrap();
    sync(&world, &["a", "b"]);
    in_step(&world, &[&x]);
}

#[test]
fn a_host_that_refuses_the_ref_is_answered_with_another_ref() {
    let world = two_clones();
    let mut ids = Vec::new();
    for refusal in ["hook", "receive.hideRefs"] {
        ids.push(create(&world, "a", &[refusal]));
        let hook = world.path("hub.git/hooks/pre-receive");
        match refusal {
            "hook" => {
                script(
                    &world,
                    "hub.git/hooks/pre-receive",
                    "cat >/dev/null; echo 'policy: no such refs' >&2; exit 1",
                );
            }
            key => {
                world.git_in("hub.git", &["config", key, "refs/beads"]).ok();
            }
        }
        let before = hub_tip(&world);
        let error = fails_and_keeps(&world, "a", 5);
        assert!(
            error["hint"]
                .as_str()
                .unwrap()
                .contains("the right to push"),
            "{refusal}: {error}"
        );
        assert_eq!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("policy: no such refs"),
            refusal == "hook"
        );
        assert_eq!(hub_tip(&world), before);
        match refusal {
            "hook" => std::fs::remove_file(hook).unwrap(),
            key => {
                world.git_in("hub.git", &["config", "--unset", key]).ok();
            }
        }
        sync(&world, &["a", "b"]);
        in_step(&world, &ids.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn what_the_remote_reports_reaches_the_user() {
    let world = two_clones();
    script(
        &world,
        "hub.git/hooks/post-receive",
        "cat >/dev/null; echo 'open a merge request at example.org'",
    );
    create(&world, "a", &["x"]);
    let said = remarks(world.bd_in("a", &["sync", "--json"]));
    assert!(
        said.contains("open a merge request at example.org"),
        "{said}"
    );
    create(&world, "a", &["y"]);
    assert!(
        world
            .bd_in("a", &["sync"])
            .ok()
            .contains("open a merge request")
    );
}

#[test]
fn nothing_is_ever_forced_or_deleted() {
    let world = two_clones();
    world
        .git_in(
            "hub.git",
            &["config", "receive.denyNonFastForwards", "true"],
        )
        .ok();
    world
        .git_in("hub.git", &["config", "receive.denyDeletes", "true"])
        .ok();
    let mut ids = Vec::new();
    for round in 0..3 {
        ids.extend(["a", "b"].map(|clone| create(&world, clone, &[&format!("{clone}{round}")])));
        sync(&world, &["b", "a", "b"]);
    }
    in_step(&world, &ids.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_sync_that_another_one_overtakes_takes_no_remote_for_set_back() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    // While the fetch of the first is under way, the remote moves and a second one in the same clone sees it.
    let wrapper = script(
        &world,
        "overtaken",
        &format!(
            "git-upload-pack \"$@\" || exit 1
[ -z \"$INSIDE\" ] || exit 0
INSIDE=1; export INSIDE
cd '{}' && git-beads create y >&2 && git-beads sync >&2
cd '{}' && git-beads pull >&2",
            world.path("b").display(),
            world.path("a").display()
        ),
    );
    world
        .git_in("a", &["config", "remote.origin.uploadpack", &wrapper])
        .ok();
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(!said.contains("set back"), "{said}");
    let listed = world.bd_in("a", &["list", "-q"]).ok();
    assert_eq!(listed.lines().count(), 2, "the other one was there");
    sync(&world, &["b"]);
    in_step(&world, &[&x]);
}

#[test]
fn a_fetch_cut_in_the_middle_takes_nothing_and_is_repeated() {
    let world = two_clones();
    let (x, y) = (
        create(&world, "b", &["x", "-d", &noise(12_000)]),
        create(&world, "a", &["y"]),
    );
    sync(&world, &["b"]);
    for bytes in [0, 30, 900, 3000, 8000] {
        let wrapper = script(
            &world,
            "cut",
            &format!(
                "git-upload-pack \"$@\" | {{ dd bs=1 count={bytes} status=none; kill -9 $$; }}"
            ),
        );
        world
            .git_in("a", &["config", "remote.origin.uploadpack", &wrapper])
            .ok();
        let _ = fails_and_keeps(&world, "a", 5);
    }
    let wrapper = script(&world, "cut", "kill -9 $$");
    world
        .git_in("a", &["config", "remote.origin.uploadpack", &wrapper])
        .ok();
    let _ = fails_and_keeps(&world, "a", 5);
    world
        .git_in("a", &["config", "--unset", "remote.origin.uploadpack"])
        .ok();
    sync(&world, &["a", "b"]);
    in_step(&world, &[&x, &y]);
    sound_in(&world, "a");
}

#[test]
fn a_push_cut_in_the_middle_is_repeated() {
    let world = two_clones();
    let x = create(&world, "a", &["x", "-d", &noise(12_000)]);
    let before = hub_tip(&world);
    let wrapper = script(
        &world,
        "cut",
        "{ dd bs=1 count=3000 status=none; kill -9 $$; } | git-receive-pack \"$@\"",
    );
    world
        .git_in("a", &["config", "remote.origin.receivepack", &wrapper])
        .ok();
    let _ = fails_and_keeps(&world, "a", 5);
    assert_eq!(hub_tip(&world), before);
    world
        .git_in("a", &["config", "--unset", "remote.origin.receivepack"])
        .ok();
    sync(&world, &["a", "b"]);
    in_step(&world, &[&x]);
}

#[test]
fn a_push_whose_answer_was_lost_is_in_step_afterwards() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    let lines = "n=$(git-receive-pack --advertise-refs \"$@\" | wc -c)\ngit-receive-pack \"$@\" | { dd bs=1 count=$n status=none; cat >/dev/null; }";
    let wrapper = script(&world, "cut", lines);
    world
        .git_in("a", &["config", "remote.origin.receivepack", &wrapper])
        .ok();
    let _ = fails_and_keeps(&world, "a", 5);
    assert_eq!(hub_tip(&world), tip(&world, "a"), "the push itself arrived");
    world
        .git_in("a", &["config", "--unset", "remote.origin.receivepack"])
        .ok();
    assert_eq!(world.bd_in("a", &["sync", "--json"]).json()["sent"], 0);
    sync(&world, &["b"]);
    in_step(&world, &[&x]);
}

/// A file system in memory, gone with this value.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(world: &World, folder: &str) -> Option<Self> {
        let path = world.path(folder);
        std::fs::create_dir(&path).unwrap();
        let options = [
            "-t",
            "tmpfs",
            "-o",
            "size=1m",
            "tmpfs",
            path.to_str().unwrap(),
        ];
        if world.run(world.command(".", "mount", &options), None).code == 0 {
            return Some(Self(path));
        }
        skipped("can't mount a small disk here; run this test as root");
        None
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new(tools::base().join("umount"))
            .arg("-l")
            .arg(&self.0)
            .status();
    }
}

#[test]
fn a_full_disk_on_the_server_costs_nothing() {
    let world = two_clones();
    let Some(_disk) = Disk::mount(&world, "disk") else {
        return;
    };
    world
        .git_in(
            ".",
            &["clone", "--quiet", "--bare", "hub.git", "disk/hub.git"],
        )
        .ok();
    world
        .git_in(
            "disk/hub.git",
            &[
                "fetch",
                "--quiet",
                "../../hub.git",
                "refs/beads/*:refs/beads/*",
            ],
        )
        .ok();
    let url = world.path("disk/hub.git").display().to_string();
    for clone in ["a", "b"] {
        world
            .git_in(clone, &["remote", "set-url", "origin", &url])
            .ok();
    }
    let x = create(&world, "a", &["x", "-d", &noise(12_000)]);
    let fill = world.path("disk/fill");
    assert!(std::fs::write(&fill, vec![1; 2 << 20]).is_err());
    let _ = fails_and_keeps(&world, "a", 5);
    std::fs::remove_file(fill).unwrap();
    sync(&world, &["a", "b"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    assert!(world.bd_in("b", &["list", "-q"]).ok().contains(&x));
}
