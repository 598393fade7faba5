//! git's ways: configuration in all scopes, who acts, git's own dispatch, aliases.

use crate::support::plumbing::sound;
use crate::support::samples::mixed;
use crate::support::{Output, World};

/// Who the last operation says acted.
#[track_caller]
fn actor(world: &World) -> String {
    world.bd(&["log", "-n", "1", "--json"]).json()["operations"][0]["actor"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn git_finds_the_program() {
    let world = World::with_store();
    assert!(
        world
            .git(&["beads", "create", "X"])
            .ok()
            .contains("created: X")
    );
    assert!(world.git(&["beads"]).ok().contains("1 ready"));
    world.git(&["beads", "show", "zzz"]).fails(1);
    world.git(&["beads", "tag", "bd-1", "x"]).fails(2);
}

#[test]
fn the_actor_is_gits_user_unless_named() {
    let world = World::with_store();
    world.create(&["X"]);
    assert_eq!(actor(&world), "Ann");
}

#[test]
fn the_nearest_name_of_the_actor_wins() {
    let mut world = World::with_store();
    world.git(&["config", "beads.actor", "config"]).ok();
    world.create(&["X"]);
    assert_eq!(actor(&world), "config");
    world
        .git(&["-c", "beads.actor=given", "beads", "create", "Y"])
        .ok();
    assert_eq!(actor(&world), "given");
    world.set("GIT_BEADS_ACTOR", "variable");
    world
        .git(&["-c", "beads.actor=given", "beads", "create", "Y"])
        .ok();
    assert_eq!(actor(&world), "variable");
    world.bd(&["create", "Z", "--actor", "option"]).ok();
    assert_eq!(actor(&world), "option");
}

#[test]
fn an_empty_name_is_no_name() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_ACTOR", "");
    world.create(&["X"]);
    assert_eq!(actor(&world), "Ann");
}

#[test]
fn the_actor_of_a_start_is_the_assignee() {
    let world = World::with_store();
    let id = world.create(&["X"]);
    world
        .git(&["-c", "beads.actor=bot", "beads", "start", &id])
        .ok();
    assert_eq!(
        world.bd(&["show", &id, "--json"]).json()["issue"]["assignee"],
        "bot"
    );
    assert_eq!(
        world.bd(&["list", "-a", "me", "--json"]).json()["total_count"],
        0
    );
    assert_eq!(
        world.bd_as("bot", &["list", "-a", "me", "--json"]).json()["total_count"],
        1
    );
}

#[test]
fn configuration_of_all_scopes_counts() {
    let world = World::with_store();
    world
        .git(&["config", "--global", "beads.actor", "everywhere"])
        .ok();
    world.create(&["X"]);
    assert_eq!(actor(&world), "everywhere");
    let file = world.file("more", "[beads]\n\tactor = included\n");
    world.git(&["config", "include.path", &file]).ok();
    world.create(&["Y"]);
    assert_eq!(actor(&world), "included");
}

#[test]
fn configuration_from_variables_counts() {
    let mut world = World::with_store();
    world
        .set("GIT_CONFIG_COUNT", "1")
        .set("GIT_CONFIG_KEY_0", "beads.actor")
        .set("GIT_CONFIG_VALUE_0", "counted");
    world.create(&["X"]);
    assert_eq!(actor(&world), "counted");
}

#[test]
fn the_limit_of_lists_can_be_configured() {
    let world = World::with_store();
    for title in ["A", "B", "C"] {
        world.create(&[title]);
    }
    let count = |output: Output| output.ok().lines().count();
    world.git(&["config", "beads.listLimit", "2"]).ok();
    assert_eq!(count(world.bd(&["list", "-q"])), 2);
    assert_eq!(count(world.bd(&["list", "-q", "-n", "3"])), 3);
    assert_eq!(
        count(world.git(&["-c", "beads.listLimit=1", "beads", "list", "-q"])),
        1
    );
    assert_eq!(
        count(world.git(&["-c", "BEADS.LISTLIMIT=1", "beads", "list", "-q"])),
        1
    );
}

#[test]
fn a_number_that_is_none_is_said() {
    let world = World::with_store();
    for title in ["A", "B", "C"] {
        world.create(&[title]);
    }
    let list = world.git(&["-c", "beads.listLimit=nonsense", "beads", "list"]);
    let said = "beads.listLimit is `nonsense`, so 50 counts: git config beads.listLimit 50";
    assert!(list.stderr.contains(said), "{list:?}");
    assert!(list.ok().contains('C'));
    let status = world.git(&["-c", "beads.stale=abc", "beads", "status"]);
    let said = "beads.stale is `abc`, so 14 counts: git config beads.stale 14";
    assert_eq!(status.stderr.matches(said).count(), 1, "{status:?}");
    status.ok();
}

#[test]
fn the_prefix_can_be_configured() {
    let world = World::new();
    world.git(&["config", "beads.prefix", "proj"]).ok();
    world.bd(&["init"]).ok();
    assert!(world.create(&["X"]).starts_with("proj-"));
}

#[test]
fn the_option_of_the_prefix_wins() {
    let world = World::new();
    world
        .git(&[
            "-c",
            "beads.prefix=proj",
            "beads",
            "init",
            "--prefix",
            "mine",
        ])
        .ok();
    assert!(world.create(&["X"]).starts_with("mine-"));
}

#[test]
fn a_prefix_from_the_configuration_is_checked_too() {
    let world = World::new();
    let stderr = world
        .git(&["-c", "beads.prefix=a b", "beads", "init"])
        .fails(1);
    assert!(
        stderr.contains("a b") && stderr.contains("hint: "),
        "{stderr}"
    );
}

#[test]
fn nobody_gets_a_warning_and_no_failure() {
    let world = World::with_store();
    world.file("home/.gitconfig", "");
    let output = world.bd(&["create", "X"]);
    assert_eq!(output.stderr.matches("warning: ").count(), 1, "{output:?}");
    assert!(output.stderr.contains("git config"), "{output:?}");
    output.ok();
    let output = world.bd(&["list"]);
    assert_eq!(output.stderr, "", "reading needs no name");
    output.ok();
    let output = world.bd_as("bot", &["create", "Y"]);
    assert_eq!(output.stderr, "", "somebody is named");
    output.ok();
    sound(&world);
}

#[test]
fn json_is_not_disturbed_by_a_warning() {
    let world = World::with_store();
    world.file("home/.gitconfig", "");
    assert_eq!(
        world.bd(&["create", "X", "--json"]).json()["kind"],
        "created"
    );
}

#[test]
fn an_alias_stands_where_the_user_stands() {
    let world = World::with_store();
    world.git(&["config", "alias.bd", "!git-beads"]).ok();
    world.file("repo/sub/text.md", "# From a file\n\nwith a text\n");
    world.file(
        "repo/sub/in.jsonl",
        "{\"id\":\"x-1\",\"title\":\"imported\"}\n",
    );
    let output = world.git_in("repo/sub", &["bd", "create", "-F", "text.md"]);
    assert!(output.ok().contains("From a file"));
    assert!(
        world
            .git_in("repo/sub", &["bd", "import", "in.jsonl"])
            .ok()
            .starts_with("1 created")
    );
    world
        .git_in("repo/sub", &["bd", "export", "out.jsonl"])
        .ok();
    assert!(world.path("repo/sub/out.jsonl").exists() && !world.path("repo/out.jsonl").exists());
}

#[test]
fn the_program_stands_where_the_user_stands() {
    let world = World::with_store();
    world.file("repo/sub/text.md", "# From a file\n");
    assert!(
        world
            .git_in("repo/sub", &["beads", "create", "-F", "text.md"])
            .ok()
            .contains("From a file")
    );
    assert!(
        world
            .git_in(".", &["-C", "repo/sub", "beads", "create", "-F", "text.md"])
            .ok()
            .contains("From a file")
    );
}

#[test]
fn minus_c_moves_the_program_and_its_files() {
    let world = World::with_store();
    world.file("repo/sub/text.md", "# From a file\n");
    assert!(
        world
            .bd_in("home", &["-C", "../repo", "list"])
            .ok()
            .starts_with("no issues")
    );
    assert!(
        world
            .bd_in("home", &["-C", "../repo/sub", "create", "-F", "text.md"])
            .ok()
            .contains("From a file")
    );
}

#[test]
fn git_runs_it_as_a_verb_of_its_own() {
    let world = mixed();
    assert_eq!(world.git(&["beads", "ready", "-q"]).ok().trim(), "bd-base");
    assert!(
        world
            .git(&["-c", "beads.actor=Zed", "beads", "where"])
            .ok()
            .contains("actor: Zed")
    );
}

#[test]
fn the_directory_can_be_chosen() {
    let world = mixed();
    assert_eq!(
        world
            .bd_in("home", &["-C", "../repo", "ready", "-q"])
            .ok()
            .trim(),
        "bd-base"
    );
    let _ = world
        .bd_in("home", &["-C", "../nowhere", "ready"])
        .fails(128);
}

#[test]
fn an_actor_is_the_option_the_variable_the_setting_or_gits_name() {
    let mut world = World::with_store();
    let actor = |world: &World| {
        world.bd(&["where", "--json"]).json()["actor"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(actor(&world), "Ann");
    world.git(&["config", "beads.actor", "Set"]).ok();
    assert_eq!(actor(&world), "Set");
    world.set("GIT_BEADS_ACTOR", "Var");
    assert_eq!(actor(&world), "Var");
    assert_eq!(
        world.bd_as("Opt", &["where", "--json"]).json()["actor"],
        "Opt"
    );
}

#[test]
fn without_any_identity_there_is_one_warning_and_no_failure() {
    let world = World::with_store();
    world.file("home/.gitconfig", "");
    let output = world.bd(&["create", "T"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(output.stderr.matches("warning: ").count(), 1, "{output:?}");
}
