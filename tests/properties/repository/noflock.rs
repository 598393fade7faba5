//! File systems that know no `flock`: they are read, and nothing is written.

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

#[test]
fn nothing_is_written_without_flock_and_all_is_read() {
    let Some(world) = world() else { return };
    let id = world.create(&["With locks"]);
    for error in ["ENOLCK", "ENOSYS", "EOPNOTSUPP"] {
        let text = without(error, &world, &["create", "-q", error]).fails(6);
        assert!(text.contains("knows no file locks (flock)"), "{text}");
        // The mount is named.
        let mount = text
            .split(" at ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        assert!(world.path("repo").starts_with(mount), "{text}");
        let listed = without(error, &world, &["list", "-q"]).ok();
        assert_eq!(listed.trim(), id, "{error}");
    }
    let found = without("ENOLCK", &world, &["doctor"]);
    assert!(found.stdout.contains("no_flock: "), "{found:?}");
    let _ = found.fails(1);
    assert!(!world.bd(&["doctor"]).ok().contains("flock"));
    sound(&world);
}
