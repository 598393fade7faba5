//! The inbox over many repositories against that of one.

use std::process::Command;

use crate::kit::{self, BINARY, World, done, median, millis, quiet, ratio, timed};

/// Issues of each repository.
const ISSUES: usize = 300;

/// Asks one repository and so many in turn.
pub(crate) fn measure(count: usize) {
    let worlds: Vec<World> = (0..count).map(|_| World::with_issues(ISSUES).0).collect();
    let config = worlds[0].folder.path().join("config");
    let listed = |args: &[&str]| -> Command {
        let mut command = quiet(worlds[0].folder.path(), BINARY, args);
        command.env("GIT_CONFIG_GLOBAL", &config);
        command
    };
    for world in &worlds {
        let mut add = kit::git(
            &world.repo,
            &[
                "config",
                "--global",
                "--add",
                "beads.repository",
                world.repo.to_str().unwrap(),
            ],
        );
        done(add.env("GIT_CONFIG_GLOBAL", &config));
    }
    println!(
        "\n| {count} repositories of {ISSUES} issues | one | all | ratio | target |\n|---|---|---|---|---|"
    );
    for json in [false, true] {
        let args = |all: bool| {
            let mut args = vec!["inbox"];
            args.extend(all.then_some("--repos"));
            args.extend(json.then_some("--json"));
            args
        };
        // What the first command of each has to build is in none of the times.
        done(&mut listed(&args(true)));
        let (mut one, mut all) = (Vec::new(), Vec::new());
        for _ in 0..kit::rounds(40) {
            one.push(timed(&mut worlds[0].beads(&args(false))));
            all.push(timed(&mut listed(&args(true))));
        }
        let (one, all) = (median(one), median(all));
        println!(
            "| {} | {:.2} ms | {:.2} ms | {:.1} | 100 ms for 50 |",
            if json { "JSON" } else { "text" },
            millis(one),
            millis(all),
            ratio(all, one)
        );
    }
}
