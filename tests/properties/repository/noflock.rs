//! File systems that know no `flock`: a file takes its place.

use crate::support::plumbing::{able, sound};
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
    let found = without("ENOLCK", &world, &["doctor"]);
    assert!(
        found.code == 1 && found.stdout.contains("no_flock"),
        "{found:?}"
    );
    world.bd(&["doctor"]).ok();
    sound(&world);
}

#[test]
fn a_holder_that_is_gone_is_replaced_and_one_elsewhere_is_named() {
    let Some(mut world) = world() else { return };
    world.set("GIT_BEADS_BOOT", "one");
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
