//! The scripts that install the program where a session runs, and find its issues: run as docs/cloud.md has them.

use std::process::Command;

use super::ci::of_page;
use crate::properties::exchange::transports::http_for;
use crate::support::clones::{create, script, sync, two_clones};
use crate::support::{Output, World, binary, tools};

/// The script that is pasted for an agent.
fn pasted(agent: &str) -> String {
    of_page(match agent {
        "claude" => "# git-beads for Claude Code on the web.",
        _ => "# git-beads for Codex in the cloud.",
    })
}

/// A world whose script finds no program yet, with the tools that it needs; none where these are missing.
fn sandbox() -> Option<World> {
    let world = two_clones();
    let lent = world.lend("curl") && world.lend("sha256sum");
    world.git_in(".", &["init", "-q", "c"]).ok();
    lent.then_some(world)
}

fn without_ours(world: &World, text: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = world.command("c", "sh", &["-c", text]);
    command
        .env("PATH", world.search_path(false))
        .env("GIT_BEADS_BIN", world.path("bin"))
        .envs(variables.iter().copied());
    world.run(command, None)
}

/// The address of the program under test, and its SHA-256.
fn binary_of(world: &World) -> (String, String) {
    let program = std::fs::canonicalize(binary()).unwrap();
    let program = program.to_str().unwrap();
    let sum = world
        .run(world.command(".", "sha256sum", &[program]), None)
        .ok();
    let sum = sum.split(' ').next().unwrap().to_owned();
    (format!("file://{program}"), sum)
}

#[test]
fn a_binary_is_installed_by_its_address_and_sum_alone() {
    let Some(world) = sandbox() else { return };
    let (url, sum) = binary_of(&world);
    let wrong = "0".repeat(64);
    for agent in ["claude", "codex"] {
        let text = pasted(agent);
        world
            .run(world.command(".", "sh", &["-n", "-c", &text]), None)
            .ok();
        let said = without_ours(&world, &text, &[]);
        let hint = "set GIT_BEADS_URL and GIT_BEADS_SHA256, or GIT_BEADS_SOURCE";
        assert!(said.stderr.contains(hint) && said.code == 0, "{said:?}");
        for sum in [&[][..], &[("GIT_BEADS_SHA256", wrong.as_str())]] {
            let variables = [&[("GIT_BEADS_URL", url.as_str())], sum].concat();
            let said = without_ours(&world, &text, &variables);
            assert!(
                said.stderr.contains("no binary with that SHA-256"),
                "{said:?}"
            );
            assert_eq!(said.code, 0, "a session begins without it");
            assert!(!world.path("bin").exists());
        }
        let variables = [("GIT_BEADS_URL", url.as_str()), ("GIT_BEADS_SHA256", &sum)];
        without_ours(&world, &text, &variables).ok();
        let installed = world.path("bin/git-beads").display().to_string();
        let said = world
            .run(world.command("c", &installed, &["version"]), None)
            .ok();
        assert!(said.starts_with("git-beads "), "{said}");
        // Again: it is there.
        assert_eq!(
            without_ours(&world, &text, &[("GIT_BEADS_URL", "file:///gone")]).code,
            0
        );
        std::fs::remove_dir_all(world.path("bin")).unwrap();
    }
}

#[test]
fn a_source_is_built_outside_of_the_checkout() {
    let Some(world) = sandbox() else { return };
    let log = world.path("log").display().to_string();
    let program = binary();
    let cargo = format!(
        "echo \"$PWD $*\" >> {log}\nwhile [ $# -gt 0 ]; do [ \"$1\" != --root ] || root=$2; shift; done\n\
         mkdir -p \"$root/bin\" && cp {program} \"$root/bin/git-beads\""
    );
    script(&world, "tools/cargo", &cargo);
    let text = pasted("claude");
    let source = [("GIT_BEADS_SOURCE", "https://example.org/x y.git")];
    without_ours(&world, &text, &source).ok();
    let ran = std::fs::read_to_string(&log).unwrap();
    assert!(
        ran.starts_with("/ install --quiet --locked --root /"),
        "{ran}"
    );
    assert!(
        ran.ends_with(" --git https://example.org/x y.git\n"),
        "{ran}"
    );
    assert!(world.path("bin/git-beads").exists());
    std::fs::remove_dir_all(world.path("bin")).unwrap();
    let at = [source[0], ("GIT_BEADS_REV", "v1")];
    without_ours(&world, &text, &at).ok();
    let ran = std::fs::read_to_string(&log).unwrap();
    assert!(ran.ends_with(" --rev v1\n"), "{ran}");
}

/// Runs the script of Codex in a repository without a remote.
fn codex(world: &World, variables: &[(&str, &str)]) -> Output {
    let text = pasted("codex");
    let mut command: Command = world.command("c", "sh", &["-c", &text]);
    command
        .env("GIT_BEADS_BIN", tools::ours())
        .envs(variables.iter().copied());
    world.run(command, None)
}

#[test]
fn codex_finds_the_issues_before_its_network_goes() {
    let world = two_clones();
    let id = create(&world, "a", &["To do"]);
    sync(&world, &["a"]);
    world.git_in(".", &["init", "-q", "c"]).ok();
    let said = codex(&world, &[]);
    assert!(
        said.stderr.contains("set BEADS_URL to the address"),
        "{said:?}"
    );
    let url = format!("file://{}", world.path("hub.git").display());
    codex(&world, &[("BEADS_URL", &url)]).ok();
    let carry = world.git_in("c", &["config", "beads.carry"]).ok();
    assert_eq!(carry, "true\n");
    assert_eq!(world.git_in("c", &["remote"]).ok(), "");
    assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&id));
    // Its last command has a file for the branch, and the next start of the container what is new.
    create(&world, "c", &["Made in the sandbox"]);
    let said = world.bd_in("c", &["sync"]).ok();
    assert!(said.contains(" in .git-beads/carry/"), "{said}");
    let other = create(&world, "a", &["Meanwhile"]);
    sync(&world, &["a"]);
    codex(&world, &[("BEADS_URL", &url)]).ok();
    assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&other));
    // A dead address keeps no session from beginning.
    codex(&world, &[("BEADS_URL", "file:///gone")]).ok();
}

#[test]
fn the_password_of_codex_is_in_no_file_and_no_argument() {
    let world = two_clones();
    let id = create(&world, "a", &["To do"]);
    sync(&world, &["a"]);
    world.git_in(".", &["init", "-q", "c"]).ok();
    let Some((_server, url)) = http_for(&world, ["x-access-token", "s3cret-word"]) else {
        return;
    };
    // A helper of the machine would keep what it hears.
    let kept = world.path("kept").display().to_string();
    let helper = script(&world, "keeper", &format!("cat >> {kept}"));
    world
        .git_in(".", &["config", "--global", "credential.helper", &helper])
        .ok();
    // Every program that git starts is noted with its arguments.
    let trace = world.path("trace").display().to_string();
    let url = format!("{url}/hub.git");
    let variables = [
        ("BEADS_URL", url.as_str()),
        ("BEADS_TOKEN", "s3cret-word"),
        ("GIT_TRACE", &trace),
    ];
    let said = codex(&world, &variables);
    assert!(!said.all().contains("s3cret-word"), "{said:?}");
    assert!(
        world.bd_in("c", &["list", "-q"]).ok().contains(&id),
        "{said:?}"
    );
    let ran = std::fs::read_to_string(&trace).unwrap();
    assert!(
        ran.contains("remote-http") && !ran.contains("s3cret-word"),
        "{ran}"
    );
    assert!(!world.path("kept").exists());
    let found = world.run(
        world.command("c", "grep", &["-rl", "s3cret-word", "."]),
        None,
    );
    assert_eq!(found.stdout, "");
    // Without the secret it is said, and the session begins.
    codex(&world, &variables[..1]).ok();
}
