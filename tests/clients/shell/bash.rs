//! Bash, alone, with bash-completion, and with git's own completion.

use super::{assert_completed, assert_exact, hostile, typed};
use crate::support::look::named;
use crate::support::{World, missing};

const GIT: &str = "/usr/share/bash-completion/completions/git";
const BASH_COMPLETION: &str = "/usr/share/bash-completion/bash_completion";
const SHELL: [&str; 5] = ["bash", "--noprofile", "--rcfile", "../home/rc", "-i"];

/// Sets a shell up: `before` runs first.
fn rc(world: &World, before: &str) {
    let rest = "PS1='READY> '\nbind 'set bell-style none'\nbind -x '\"\\C-t\": printf \"%s\\n\" \"$READLINE_LINE\" >> ~/line'\n";
    world.file("home/rc", format!("{before}\n{rest}"));
}

/// Loads the script as its first line says.
fn eval(world: &World) -> String {
    let script = world.bd(&["completion", "bash"]).ok();
    let command = script
        .lines()
        .next()
        .unwrap()
        .split_once("~/.bashrc: ")
        .unwrap()
        .1;
    assert_eq!(command, "eval \"$(git beads completion bash)\"");
    command.to_owned()
}

#[test]
fn bash_completes_verbs_options_values_and_ids() {
    let world = hostile();
    named(&world, "bd-a1b2", &["Plain", "-l", "web,ui", "-a", "ann"]);
    world
        .git(&["remote", "add", "upstream", "../elsewhere"])
        .ok();
    world.file("repo/notes.txt", "");
    rc(&world, &eval(&world));
    assert_completed(
        &world,
        "repo",
        &SHELL,
        &[
            ("git-beads rest", "git-beads restore "),
            ("git-beads clo", "git-beads clo"),
            ("git-beads decom", "git-beads decompose "),
            ("git-beads help prio", "git-beads help priority "),
            ("git-beads dep cyc", "git-beads dep cycles "),
            ("git-beads list --stat", "git-beads list --status "),
            (
                "git-beads list --status=op",
                "git-beads list --status=open ",
            ),
            (
                "git-beads list -s open,clo",
                "git-beads list -s open,closed ",
            ),
            ("git-beads list --sort up", "git-beads list --sort updated "),
            (
                "git-beads create x --type feat",
                "git-beads create x --type feature ",
            ),
            (
                "git-beads link bd-a1 --type disc",
                "git-beads link bd-a1 --type discovered-from ",
            ),
            ("git-beads list -l we", "git-beads list -l web "),
            ("git-beads list -l web,u", "git-beads list -l web,ui "),
            (
                "git-beads assign bd-a1b2 an",
                "git-beads assign bd-a1b2 ann ",
            ),
            (
                "git-beads sync --remote up",
                "git-beads sync --remote upstream ",
            ),
            ("git-beads export no", "git-beads export notes.txt "),
            ("git-beads show bd-", "git-beads show bd-a1b2 "),
            (
                "git-beads create x --on bd-",
                "git-beads create x --on bd-a1b2 ",
            ),
            (
                "git-beads create x --parent=bd-",
                "git-beads create x --parent=bd-a1b2 ",
            ),
            (
                "git-beads --color always done bd-",
                "git-beads --color always done bd-a1b2 ",
            ),
            (
                "LC_ALL=C git-beads done bd-",
                "LC_ALL=C git-beads done bd-a1b2 ",
            ),
            ("true; git-beads done bd-", "true; git-beads done bd-a1b2 "),
            ("git-beads __com", "git-beads __com"),
            ("git-beads hoo", "git-beads hooks "),
        ],
    );
}

#[test]
fn bash_completes_hostile_ids_exactly_and_runs_nothing() {
    let world = hostile();
    rc(&world, &eval(&world));
    assert_exact(&world, &SHELL, &["bash", "-c"], &["", "'", "\""]);
}

#[test]
fn a_script_that_is_loaded_on_demand_serves_git_beads() {
    if ![GIT, BASH_COMPLETION]
        .iter()
        .all(|file| std::path::Path::new(file).exists() || missing(file))
    {
        return;
    }
    let world = hostile();
    world.file(
        "home/.local/share/bash-completion/completions/git-beads",
        world.bd(&["completion", "bash"]).ok(),
    );
    rc(&world, &format!(". {BASH_COMPLETION}"));
    assert_completed(&world, "repo", &SHELL, &OF_GIT);
    let outside = [(
        "git -C ../repo beads show it",
        "git -C ../repo beads show it\\'s ",
    )];
    assert_completed(
        &world,
        "home",
        &["bash", "--noprofile", "--rcfile", "rc", "-i"],
        &outside,
    );
}

#[test]
fn git_completion_alone_serves_git_beads() {
    if !std::path::Path::new(GIT).exists() && !missing(GIT) {
        return;
    }
    let world = hostile();
    world.git(&["config", "alias.bd", "beads"]).ok();
    rc(&world, &format!(". {GIT}\n{}", eval(&world)));
    assert_completed(&world, "repo", &SHELL, &OF_GIT);
    assert_completed(
        &world,
        "repo",
        &SHELL,
        &[("git bd rest", "git bd restore ")],
    );
}

const OF_GIT: [(&str, &str); 6] = [
    ("git bead", "git beads "),
    ("git beads rest", "git beads restore "),
    (
        "git beads show bd:",
        "git beads show bd:x\\$\\(touch\\$\\{IFS\\}pwned\\) ",
    ),
    (
        "git -C ../repo beads show 'it",
        "git -C ../repo beads show 'it'\\''s' ",
    ),
    (
        "git --no-pager beads list --status=de",
        "git --no-pager beads list --status=deferred ",
    ),
    (
        "git beads export plainly-not",
        "git beads export plainly-not",
    ),
];

#[test]
fn bash_lists_what_can_follow() {
    let world = hostile();
    rc(&world, &eval(&world));
    let Some(screen) = typed(&world, "repo", &SHELL, "git-beads clo\t\t\u{15}exit\r") else {
        return;
    };
    assert!(
        screen.contains("clone") && screen.contains("close"),
        "{screen}"
    );
}
