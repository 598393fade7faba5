//! Fish with its own completion of git.

use super::{assert_completed, assert_exact, hostile};
use crate::support::World;

const SHELL: [&str; 2] = ["fish", "-i"];

/// A shell that has the script in a folder of its configuration.
fn set_up(folder: &str) -> Option<World> {
    let world = hostile();
    if !world.lend("fish") {
        return None;
    }
    world.file(
        &format!("home/.config/fish/{folder}/git-beads.fish"),
        world.bd(&["completion", "fish"]).ok(),
    );
    world.file(
        "home/.config/fish/config.fish",
        "set fish_greeting\nfunction fish_prompt; echo -n 'READY> '; end\n\
         bind \\ct 'commandline >> ~/line'\n",
    );
    Some(world)
}

fn answers(world: &World, folder: &str, line: &str) -> Vec<String> {
    let mut command = world.command(folder, "fish", &["-c", "complete -C $LINE"]);
    command.env("LINE", line);
    world
        .run(command, None)
        .ok()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn fish_shows_verbs_values_and_ids_with_titles() {
    // As the script says, and as packages do.
    for folder in ["conf.d", "completions"] {
        let Some(world) = set_up(folder) else { return };
        // Fish 3.6.0 asks by a wrong name; others do this.
        world.file(
            "home/.config/fish/conf.d/git.fish",
            "complete -c git -f -n '__fish_git_using_command beads' -a '(__fish_git_complete_custom_command beads)'\n",
        );
        let title = "a: \\u{1b}[31m $(touch pwned) `touch pwned` '\"";
        for (line, expected) in [
            ("git-beads rest", "restore\tRestore deleted issues"),
            ("git beads rest", "restore\tRestore deleted issues"),
            (
                "git beads decom",
                "decompose\tSplit an epic into children; a single one is started (split)",
            ),
            ("git beads list --status=de", "--status=deferred"),
            ("git-beads show it", &format!("it's\t{title}")),
            (
                "git beads show 'bd:",
                &format!("bd:x$(touch${{IFS}}pwned)\t{title}"),
            ),
            (
                "git-beads sync --ad",
                "--adopt\tJoin a store that was created separately",
            ),
        ] {
            assert_eq!(
                answers(&world, "repo", line),
                [expected],
                "{folder}: {line}"
            );
        }
        assert_eq!(answers(&world, "repo", "git beads __c"), [""; 0]);
    }
}

#[test]
fn fish_follows_git_into_another_repository() {
    let Some(world) = set_up("conf.d") else {
        return;
    };
    assert_eq!(answers(&world, "home", "git beads show it"), [""; 0]);
    assert_eq!(
        answers(&world, "home", "git -C ../repo beads show it").len(),
        1
    );
    // Another store in the current directory has no say.
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    world.bd_in("other", &["init", "--prefix", "it"]).ok();
    world.bd_in("other", &["create", "T"]).ok();
    let found = answers(&world, "other", "git -C ../repo beads show it");
    assert!(
        found.len() == 1 && found[0].starts_with("it's\t"),
        "{found:?}"
    );
}

#[test]
fn fish_completes_hostile_ids_exactly_and_runs_nothing() {
    let Some(world) = set_up("conf.d") else {
        return;
    };
    assert_exact(&world, &SHELL, &["fish", "-c"], &["", "'", "\""]);
    assert_completed(
        &world,
        "repo",
        &SHELL,
        &[("git beads rest", "git beads restore ")],
    );
}
