//! `status`, `log`, `where`, `completion`, `schema`, `help`, `version`.

use std::process::Command;

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{ids, named};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-base", &["Base", "-p", "1"]);
    named(&world, "bd-waits", &["Waits", "--on", "bd-base"]);
    named(&world, "bd-mine", &["Mine", "--start"]);
    named(&world, "bd-done", &["Done"]);
    world.bd(&["done", "bd-done"]).ok();
    world
}

#[test]
fn status_says_where_things_stand() {
    let world = world();
    assert_snapshot!(world.bd(&["status"]).all(), @"
    WORLD/repo: 1 closed, 1 in_progress, 2 open
    1 ready, 1 blocked

    in progress 1
    bd-mine P2 @Ann now Mine

    ready 1
    bd-base P1 Base

    blocked 1
    bd-waits Waits
    ");
    assert_eq!(world.bd(&[]).ok(), world.bd(&["status"]).ok());
}

#[test]
fn status_of_nothing_is_no_failure() {
    let world = World::with_store();
    assert_snapshot!(world.bd(&[]).all(), @"
    WORLD/repo: no issues yet
    0 ready, 0 blocked
    ");
}

#[test]
fn status_in_json_has_counts_and_lists() {
    let status = world().bd(&["status", "--json"]).json();
    assert_eq!(
        (&status["v"], &status["kind"]),
        (&1.into(), &"report".into())
    );
    assert_eq!(
        status["counts"],
        serde_json::json!({"closed": 1, "in_progress": 1, "open": 2})
    );
    assert_eq!(
        (&status["ready_count"], &status["blocked_count"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (ids(&status["ready"]), ids(&status["blocked"])),
        (vec!["bd-base"], vec!["bd-waits"])
    );
    let active = &status["in_progress"][0];
    assert_eq!(
        (&active["id"], &active["assignee"]),
        (&"bd-mine".into(), &"Ann".into())
    );
    assert!(active["since"].is_string());
}

#[test]
fn status_counts_deleted_issues_as_tombstones() {
    let world = world();
    world.bd(&["delete", "bd-base"]).ok();
    let status = world.bd(&["status", "--json"]).json();
    assert_eq!(
        (&status["counts"]["tombstone"], &status["counts"]["open"]),
        (&1.into(), &1.into())
    );
    assert_eq!(ids(&status["ready"]), ["bd-waits"]);
}

#[test]
fn log_tells_what_was_done_newest_first() {
    let world = world();
    let log = world.bd(&["log", "--json"]).json();
    let subjects: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects[0], "done bd-done");
    assert_eq!(subjects[subjects.len() - 1], "init");
    assert_eq!(log["operations"][0]["actor"], "Ann");
    assert_eq!(world.bd(&["log"]).ok().lines().count(), subjects.len());
}

#[test]
fn log_of_an_issue_is_about_it_alone() {
    let world = world();
    let log = world.bd(&["log", "bd-done", "--json"]).json();
    let subjects: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects.len(), 3, "{subjects:?}");
    assert_eq!(subjects[0], "done bd-done");
    assert!(subjects[2].starts_with("create ") && subjects[2].ends_with(": Done"));
    assert!(world.bd(&["log", "bd-zzzz"]).fails(1).contains("not found"));
}

#[test]
fn log_knows_who_and_how_many() {
    let world = world();
    world
        .bd_as("Bob", &["note", "bd-base", "--finding", "f"])
        .ok();
    let text = world.bd(&["log", "-n", "1"]).ok();
    assert!(
        text.lines().count() == 1 && text.contains(" Bob note bd-base"),
        "{text}"
    );
    assert!(world.bd(&["log", "-n", "0"]).ok().lines().count() > 5);
}

#[test]
fn a_commit_of_the_log_is_one_of_git() {
    let world = world();
    let commit = world.bd(&["log", "-n", "1", "-q"]).ok();
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), commit);
}

#[test]
fn a_log_of_an_issue_names_its_closing_epic() {
    let world = world();
    let epic = world.create(&["E", "-t", "epic"]);
    let child = world.create(&["C", "--parent", &epic]);
    world.bd(&["done", &child]).ok();
    assert!(
        world
            .bd(&["log", &epic])
            .ok()
            .contains(&format!("done {child}"))
    );
}

#[test]
fn where_says_what_answers_here() {
    let world = world();
    std::fs::create_dir_all(world.path("repo/deep/down")).unwrap();
    let place = world.bd_in("repo/deep/down", &["where", "--json"]).json();
    for (field, value) in [
        ("repo", "WORLD/repo"),
        ("common_dir", "WORLD/repo/.git"),
        ("index", "WORLD/repo/.git/beads"),
        ("actor", "Ann"),
        ("prefix", "bd"),
    ] {
        assert_eq!(place[field], value, "{field} of {place}");
    }
    assert!(place.to_string().contains("refs/beads/main"));
    let head = world.git(&["rev-parse", "refs/beads/main"]).ok();
    assert_eq!(place["commit"], head.trim());
}

#[test]
fn where_answers_also_without_a_store() {
    let world = World::new();
    let text = world.bd(&["where"]).ok();
    assert!(text.contains("commit: none yet (git beads init)"), "{text}");
    assert!(
        World::empty()
            .bd_in("home", &["where"])
            .fails(128)
            .contains("not a git repository")
    );
}

#[test]
fn where_names_remotes() {
    let world = world();
    world
        .git(&["remote", "add", "origin", "https://example.org/x.git"])
        .ok();
    assert!(world.bd(&["where"]).ok().contains("remotes: origin"));
}

#[test]
fn completions_need_no_repository() {
    let world = World::empty();
    for args in [
        &["completion", "fish"][..],
        &["schema"],
        &["version"],
        &["help"],
        &["--version"],
    ] {
        assert!(!world.bd_in("home", args).ok().is_empty());
    }
}

#[test]
fn schema_knows_every_verb_that_answers() {
    let world = World::new();
    let all = world.bd(&["schema"]).json();
    for verb in [
        "create", "list", "ready", "show", "done", "status", "log", "where", "split", "note",
        "redact",
    ] {
        let one = world.bd(&["schema", verb]).json();
        assert!(
            one.is_object() && one.to_string().contains("properties"),
            "{verb}: {one}"
        );
        assert!(all.to_string().contains(verb), "{verb}");
    }
    assert!(
        world
            .bd(&["schema", "lsit"])
            .fails(1)
            .contains("hint: git beads schema")
    );
}

#[test]
fn schema_takes_aliases() {
    let world = World::new();
    for (alias, verb) in [
        ("ls", "list"),
        ("claim", "start"),
        ("close", "done"),
        ("decompose", "split"),
    ] {
        assert_eq!(
            world.bd(&["schema", alias]).ok(),
            world.bd(&["schema", verb]).ok(),
            "{alias}"
        );
    }
}

#[test]
fn version_is_that_of_the_package() {
    let world = World::new();
    let version = format!("git-beads {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.bd(&["version"]).ok(), version);
    assert_eq!(world.bd(&["--version"]).ok(), version);
    assert_eq!(world.bd(&["-V"]).ok(), version);
}

#[test]
fn json_is_json_for_version_too() {
    let answer = World::new().bd(&["version", "--json"]).json();
    assert_eq!(answer["v"], 1);
}

#[test]
fn help_names_every_verb_and_explains_each() {
    let world = World::new();
    let all = world.bd(&["help"]).ok();
    assert_eq!(world.bd(&["--help"]).ok(), all);
    for verb in [
        "create",
        "list",
        "ready",
        "dep",
        "split",
        "done",
        "where",
        "completion",
    ] {
        assert!(all.contains(&format!("\n  {verb} ")), "{verb}");
        let help = world.bd(&["help", verb]).ok();
        assert!(help.contains("Usage: git beads "), "{verb}: {help}");
    }
}

#[test]
fn an_unknown_verb_or_option_is_a_usage_error() {
    let world = World::with_store();
    assert!(world.bd(&["lsit"]).fails(2).contains("unknown verb `lsit`"));
    assert!(
        world
            .bd(&["list", "--staus", "open"])
            .fails(2)
            .contains("--status")
    );
    let json = world.bd(&["lsit", "--json"]);
    assert_eq!(json.code, 2);
    let error: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&error["kind"], &error["v"]), (&"error".into(), &1.into()));
}

#[test]
fn git_runs_it_as_a_verb_of_its_own() {
    let world = world();
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
    let world = world();
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
fn json_is_one_line_and_pretty_for_people() {
    let world = world();
    assert_eq!(world.bd(&["list", "--json"]).ok().lines().count(), 1);
    let pretty = world.bd(&["list", "--json=pretty"]);
    assert!(pretty.stdout.lines().count() > 10);
    assert_eq!(pretty.json()["total_count"], 3);
}

#[test]
fn a_reader_that_leaves_early_does_no_harm() {
    let world = world();
    let script = "git-beads list | head -1; exit ${PIPESTATUS[0]}";
    let command: Command = world.command("repo", "bash", &["-c", script]);
    let output = world.run(command, None);
    assert!(!output.stderr.contains("panic"), "{output:?}");
}

#[test]
fn a_mistyped_verb_leads_to_the_one_meant() {
    let world = World::with_store();
    for (typed, meant) in [
        ("lsit", "list"),
        ("raedy", "ready"),
        ("shwo", "show"),
        ("creat", "create"),
        ("don", "done"),
    ] {
        let error = world.bd(&[typed]).fails(2);
        assert!(
            error.contains(&format!("hint: git beads {meant}")),
            "{error}"
        );
    }
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
