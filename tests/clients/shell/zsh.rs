//! Zsh with its own completion of git.

use super::{assert_completed, assert_exact, hostile, typed};
use crate::support::World;
use crate::support::look::named;

const SHELL: [&str; 2] = ["zsh", "-i"];

/// A shell that finds the script where its first lines say.
fn set_up() -> Option<World> {
    let mut world = hostile();
    if !world.lend("zsh") {
        return None;
    }
    let home = world.path("home").display().to_string();
    world.set("ZDOTDIR", &home);
    world.file(
        "home/functions/_git-beads",
        world.bd(&["completion", "zsh"]).ok(),
    );
    world.file(
        "home/.zshrc",
        "PS1='READY> '\nfpath=(~/functions $fpath)\nautoload -U compinit; compinit -u -D\n\
         dump() { print -r -- \"$BUFFER\" >> ~/line }\nzle -N dump; bindkey '^T' dump\n",
    );
    Some(world)
}

#[test]
fn zsh_completes_verbs_options_values_and_ids() {
    let Some(world) = set_up() else { return };
    named(&world, "bd-a1b2", &["Plain", "-l", "web,ui", "-a", "ann"]);
    world.git(&["config", "alias.bd", "beads"]).ok();
    world.file("repo/notes.txt", "");
    assert_completed(
        &world,
        "repo",
        &SHELL,
        &[
            ("git-beads rest", "git-beads restore "),
            ("git-beads decom", "git-beads decompose "),
            ("git-beads list --stat", "git-beads list --status "),
            (
                "git-beads list --status=op",
                "git-beads list --status=open ",
            ),
            ("git-beads list -l web,u", "git-beads list -l web,ui "),
            (
                "git-beads assign bd-a1b2 an",
                "git-beads assign bd-a1b2 ann ",
            ),
            ("git-beads export no", "git-beads export notes.txt "),
            (
                "git-beads create x --on bd-",
                "git-beads create x --on bd-a1b2 ",
            ),
            ("git bead", "git beads "),
            ("git beads rest", "git beads restore "),
            ("git bd rest", "git bd restore "),
            ("git beads show it", "git beads show it\\'s "),
        ],
    );
    let outside = [(
        "git -C ../repo beads show it",
        "git -C ../repo beads show it\\'s ",
    )];
    assert_completed(&world, "home", &SHELL, &outside);
}

#[test]
fn zsh_completes_hostile_ids_exactly_and_runs_nothing() {
    let Some(world) = set_up() else { return };
    assert_exact(&world, &SHELL, &["zsh", "-fc"], &["", "'", "\""]);
}

#[test]
fn zsh_shows_titles_that_can_steer_nothing() {
    let Some(world) = set_up() else { return };
    let Some(screen) = typed(&world, "repo", &SHELL, "git beads show \t\u{15}exit\r") else {
        return;
    };
    assert!(screen.contains("it's"), "{screen}");
    assert!(
        screen.contains("-- a: \\u{1b}[31m $(touch pwned) `touch pwned` '\""),
        "{screen}"
    );
}
