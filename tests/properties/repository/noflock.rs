//! File systems that know no `flock`: a file takes its place.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::plumbing::{able, git, sound};
use crate::support::{Output, World, binary};

/// Runs the program where each `flock` fails.
fn without(error: &str, world: &World, args: &[&str]) -> Output {
    world.run(command(error, world, args), None)
}

fn command(error: &str, world: &World, args: &[&str]) -> std::process::Command {
    let inject = format!("inject=flock:error={error}");
    let trace = [
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=flock",
        "-e",
        &inject,
        binary(),
    ];
    world.command("repo", "strace", &[&trace, args].concat())
}

/// A store, where calls can be made to fail.
fn world() -> Option<World> {
    let world = World::with_store();
    let possible = world.lend("strace") && without("ENOLCK", &world, &["version"]).code == 0;
    able(possible, "needs strace that works").then_some(world)
}

/// A holder on this host, as the program writes it.
fn holder(process: u32, boot: &str) -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let container = std::fs::read_link("/proc/self/ns/pid").unwrap();
    format!(
        "{process} 1 {boot} {} {}\n",
        name.trim(),
        container.display()
    )
}

#[test]
fn writes_go_on_without_flock() {
    let Some(mut world) = world() else { return };
    world.set("GIT_BEADS_BOOT", "one");
    let lock = world.path("repo/.git/beads/lock-holder");
    for error in ["ENOLCK", "ENOSYS", "EOPNOTSUPP"] {
        without(error, &world, &["create", "-q", error]).ok();
        assert!(!lock.exists(), "{error}");
    }
    without("ENOLCK", &world, &["hook", "fold"]).ok();
    let beside = |n: usize| {
        let mut create = command("ENOLCK", &world, &["create", &format!("beside {n}")]);
        create.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let others: Vec<_> = (0..6).map(beside).collect();
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 9);
    // That is so and no fault.
    let found = without("ENOLCK", &world, &["doctor"]).ok();
    assert!(
        found.contains("note: ")
            && found.contains("knows no flock")
            && found.contains("no problems"),
        "{found}"
    );
    assert!(!world.bd(&["doctor"]).ok().contains("flock"));
    sound(&world);
}

#[test]
fn a_holder_that_is_gone_is_replaced_and_one_elsewhere_is_named() {
    let Some(mut world) = world() else { return };
    world.set("GIT_BEADS_BOOT", "one");
    git(&world, &["config", "beads.lockTimeout", "1"]);
    world.file("repo/.git/beads/lock-holder", holder(4_194_303, "one"));
    without("ENOLCK", &world, &["create", "-q", "after a kill"]).ok();
    world.file("repo/.git/beads/lock-holder", "7 1 one far pid:[1]\n");
    let found = without("ENOLCK", &world, &["doctor"]);
    assert!(
        found.stdout.contains("held by process 7 on host far"),
        "{found:?}"
    );
    let text = without("ENOLCK", &world, &["create", "refused"]).fails(3);
    assert!(text.contains("process 7 on host far"), "{text}");
    // Where there is a flock nobody looks at the file.
    world.create(&["with flock"]);
}

#[test]
fn a_lock_of_a_host_that_died_is_put_aside_after_ten_minutes() {
    let Some(world) = world() else { return };
    git(&world, &["config", "beads.lockTimeout", "1"]);
    let left = "7 1 one far pid:[1]\n";
    let lock = world.file("repo/.git/beads/lock-holder", left);
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&lock, closed).unwrap();
    // It may be working.
    for args in [&["doctor"][..], &["doctor", "--fix"]] {
        let said = without("ENOLCK", &world, args).ok();
        assert!(
            said.contains("after ten minutes: git beads doctor --fix"),
            "{said}"
        );
    }
    let text = without("ENOLCK", &world, &["create", "refused"]).fails(3);
    assert!(text.contains("git beads doctor"), "{text}");
    let died = SystemTime::now() - Duration::from_secs(601);
    let file = File::options().write(true).open(&lock).unwrap();
    file.set_modified(died).unwrap();
    let found = without("ENOLCK", &world, &["doctor"]);
    assert!(
        found.stdout.contains("lock: ") && found.stdout.contains("process 7 on host far"),
        "{found:?}"
    );
    let _ = found.fails(1);
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), left);
    let said = without("ENOLCK", &world, &["doctor", "--fix"]).ok();
    assert!(said.contains("all fixed"), "{said}");
    let mut kept = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
    let kept = kept.find_map(|entry| {
        let path = entry.unwrap().path();
        path.display()
            .to_string()
            .contains("aside-lock-holder-")
            .then_some(path)
    });
    assert_eq!(std::fs::read_to_string(kept.unwrap()).unwrap(), left);
    without("ENOLCK", &world, &["create", "-q", "after it"]).ok();
    sound(&world);
}
