//! What git is started with: a remote is a configured name and nothing else, and neither the environment
//! nor the configuration can make an exchange run a command or lead it elsewhere.

use serde_json::json;

use crate::clients::mcp::Agent;
use crate::support::clones::{create, failed, hub_tip, script, sync, tip, two_clones};
use crate::support::{World, tools};

/// What every attack here tries to do.
fn pwn(world: &World) -> String {
    format!("touch {}", world.path("pwned").display())
}

#[track_caller]
fn unharmed(world: &World, what: &str) {
    assert!(!world.path("pwned").exists(), "{what}: it ran");
}

/// Names that no remote here has.
fn no_remotes(world: &World) -> Vec<String> {
    let (touch, hub) = (pwn(world), world.path("hub.git").display().to_string());
    let mut all: Vec<String> = [
        "",
        " ",
        ".",
        "..",
        "-",
        "--",
        "--all",
        "--multiple",
        "../hub.git",
        "origin\n",
        "origin ",
        "Origin",
        "origin/main",
        "origin::x",
        "refs/heads/main",
        "git@localhost:hub.git",
        "https://localhost:1/hub.git",
    ]
    .map(str::to_owned)
    .into();
    all.extend([format!("file://{hub}"), hub]);
    all.extend(
        [
            "--upload-pack=",
            "--receive-pack=",
            "--exec=",
            "ext::",
            "ext::sh -c ",
            "fd::17/",
        ]
        .map(|start| format!("{start}{touch}")),
    );
    all
}

#[test]
fn only_the_name_of_a_remote_is_one() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    let before = hub_tip(&world);
    for name in no_remotes(&world) {
        for verb in ["sync", "fetch", "pull", "push"] {
            let error = failed(
                world.bd_in("a", &[verb, "--json", &format!("--remote={name}")]),
                1,
            );
            assert_eq!(error["code"], "not_found", "{verb} {name:?}: {error}");
        }
        world.git_in("a", &["config", "beads.remote", &name]).ok();
        let error = failed(world.bd_in("a", &["sync", "--json"]), 1);
        assert_eq!(error["code"], "not_found", "{name:?}: {error}");
        world.bd_in("a", &["list"]).ok();
    }
    unharmed(&world, "a name");
    assert_eq!(hub_tip(&world), before);
    world
        .git_in("a", &["config", "--unset", "beads.remote"])
        .ok();
    sync(&world, &["a"]);
}

#[test]
fn an_agent_can_name_nothing_else_either() {
    let world = two_clones();
    let mut agent = Agent::in_folder(&world, "a", &["--profile", "full"]);
    for name in no_remotes(&world) {
        let said = agent.message("sync", json!({"remote": name}));
        assert!(said.contains("is not a remote"), "{name:?}: {said}");
    }
    unharmed(&world, "an agent's name");
}

/// Names that only a hand in the configuration can give: whatever comes of them, nothing runs, nothing moves
/// but refs of our own, and all else works.
#[test]
fn remotes_with_odd_names_harm_nobody() {
    let world = two_clones();
    let touch = pwn(&world);
    let names = [
        "..",
        "../../heads/main",
        "a..b",
        "a b",
        "a\tb",
        "a:b",
        "x:refs/heads/main",
        "*",
        "x/*:refs/heads/*",
        "\u{1b}[31m",
        ".hidden",
        "x.lock",
        "@{-1}",
        "--all",
        "",
        "+origin",
        "^origin",
        &format!("--upload-pack={touch}"),
        &format!("ext::{touch}"),
    ];
    let refs = |world: &World| {
        world
            .git_in(
                "a",
                &["for-each-ref", "refs/heads", "refs/remotes", "refs/tags"],
            )
            .ok()
    };
    let (before, sound) = (refs(&world), world.git_in("a", &["config", "--list"]).ok());
    for name in names {
        let config = std::fs::read_to_string(world.path("a/.git/config")).unwrap();
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        // What git's own commands refuse, an editor writes.
        let section =
            format!("[remote \"{quoted}\"]\n\turl = ../hub.git\n\tpushurl = ../hub.git\n");
        std::fs::write(world.path("a/.git/config"), format!("{config}{section}")).unwrap();
        for verb in ["sync", "fetch", "push"] {
            let output = world.bd_in("a", &[verb, "--json", &format!("--remote={name}")]);
            assert!(
                [0, 1, 5, 6].contains(&output.code) && !output.all().contains("panicked"),
                "{name:?}: {output:?}"
            );
            assert!(
                !output.stdout.chars().any(|c| c.is_control() && c != '\n'),
                "{name:?}: {output:?}"
            );
        }
        let id = create(&world, "a", &["made beside an odd remote"]);
        assert!(
            world.bd_in("a", &["list", "-q"]).ok().contains(&id),
            "{name:?}"
        );
        world.bd_in("a", &["status"]).ok();
        sync(&world, &["a"]);
        assert_eq!(refs(&world), before, "{name:?}");
        std::fs::write(world.path("a/.git/config"), config).unwrap();
    }
    unharmed(&world, "an odd name");
    assert_eq!(world.git_in("a", &["config", "--list"]).ok(), sound);
}

#[test]
fn helpers_that_run_commands_never_run() {
    let mut world = two_clones();
    let wrapper = script(&world, "wrapper", &pwn(&world));
    for allowed in ["protocol.ext.allow", "protocol.fd.allow", "protocol.allow"] {
        world
            .git_in(".", &["config", "--global", allowed, "always"])
            .ok();
        world.git_in("a", &["config", allowed, "always"]).ok();
    }
    let ext = format!("ext::{wrapper}");
    let cases = [
        ("url", ext.as_str()),
        ("url", "fd::17"),
        ("url", "EXT::x"),
        ("vcs", "ext"),
        ("vcs", "fd"),
        ("pushurl", &ext),
    ];
    for environment in [None, Some("ext"), Some("file:ext:fd"), Some("ext:")] {
        if let Some(list) = environment {
            world.set("GIT_ALLOW_PROTOCOL", list);
        }
        for (key, value) in cases {
            let _ = world.git_in("a", &["config", "--remove-section", "remote.odd"]);
            world
                .git_in("a", &["config", "remote.odd.url", "../hub.git"])
                .ok();
            world
                .git_in("a", &["config", &format!("remote.odd.{key}"), value])
                .ok();
            create(&world, "a", &["to send"]);
            let _ = failed(world.bd_in("a", &["push", "--json", "--remote", "odd"]), 5);
            let _ = world.bd_in("a", &["sync", "--json", "--remote", "odd"]);
            unharmed(&world, &format!("{key} {value} under {environment:?}"));
        }
        let _ = world.bd_in(".", &["clone", &ext, "taken"]).fails(5);
        unharmed(&world, "a clone");
    }
}

#[test]
fn an_address_that_is_rewritten_to_a_command_never_runs() {
    let world = two_clones();
    let wrapper = script(&world, "wrapper", &pwn(&world));
    world
        .git_in(".", &["config", "--global", "protocol.ext.allow", "always"])
        .ok();
    world
        .git_in(
            "a",
            &["config", &format!("url.ext::{wrapper} .insteadOf"), "safe:"],
        )
        .ok();
    world
        .git_in("a", &["config", "remote.odd.url", "safe:hub.git"])
        .ok();
    let _ = failed(world.bd_in("a", &["sync", "--json", "--remote", "odd"]), 5);
    unharmed(&world, "insteadOf");
}

/// A helper of the user's own, as there are for hosted services.
#[test]
fn other_helpers_keep_working_and_so_does_the_users_own_list() {
    let mut world = two_clones();
    let lines = "read -r capabilities; printf 'connect\\n\\n'\nread -r connect service; printf '\\n'\nexec \"$service\" \"$2\"";
    script(&world, "bin/git-remote-own", lines);
    let path = format!(
        "{}:{}",
        world.path("bin").display(),
        world.search_path(true)
    );
    world.set("PATH", &path);
    let url = format!("own::{}", world.path("hub.git").display());
    world
        .git_in("a", &["remote", "set-url", "origin", &url])
        .ok();
    create(&world, "a", &["through a helper"]);
    sync(&world, &["a"]);
    assert_eq!(tip(&world, "a"), hub_tip(&world));
    world.set("GIT_ALLOW_PROTOCOL", "own:ext");
    create(&world, "a", &["through a helper that is on the list"]);
    sync(&world, &["a"]);
    world.set("GIT_ALLOW_PROTOCOL", "https:ext");
    create(&world, "a", &["not on the list"]);
    let _ = failed(world.bd_in("a", &["sync", "--json"]), 5);
}

/// Puts a `git` before the real one that writes down what it is started with.
fn watched(world: &mut World) {
    let real = tools::base().join("git");
    let log = world.path("log").display().to_string();
    script(
        world,
        "bin/git",
        &format!(
            "{{ echo \"ARGS $*\"; env; }} >>{log}\nexec {} \"$@\"",
            real.display()
        ),
    );
    let path = format!(
        "{}:{}",
        world.path("bin").display(),
        world.search_path(true)
    );
    world.set("PATH", &path);
}

#[test]
fn no_variable_that_leads_git_elsewhere_reaches_it() {
    let mut world = two_clones();
    create(&world, "a", &["x"]);
    let listed = world.git_in(".", &["rev-parse", "--local-env-vars"]).ok();
    let mut names: Vec<&str> = listed.lines().collect();
    names.extend([
        "GIT_NAMESPACE",
        "GIT_QUARANTINE_PATH",
        "GIT_PROTOCOL",
        "GIT_REF_PARANOIA",
        "GIT_ATTR_SOURCE",
    ]);
    names.extend([
        "GIT_EXTERNAL_DIFF",
        "GIT_REFERENCE_BACKEND",
        "GIT_INTERNAL_SUPER_PREFIX",
    ]);
    watched(&mut world);
    let junk = world.path("junk").display().to_string();
    let mut command = world.command(
        ".",
        env!("CARGO_BIN_EXE_git-beads"),
        &["-C", "a", "sync", "--json"],
    );
    // Git's own way to pass options on is read for ours, so it has to be well-formed.
    let form = |name: &str| match name {
        "GIT_CONFIG_PARAMETERS" => "'remote.origin.mirror'='true'".to_owned(),
        "GIT_CONFIG_COUNT" => "1".to_owned(),
        "GIT_WORK_TREE" => world.path("home").display().to_string(),
        _ => junk.clone(),
    };
    command.envs(
        names
            .iter()
            .filter(|name| !GIX.contains(name))
            .map(|name| (*name, form(name))),
    );
    command
        .env("GIT_CONFIG_KEY_0", "user.name")
        .env("GIT_CONFIG_VALUE_0", "for this command");
    let answer = world.run(command, None).json();
    assert_eq!(answer["sent"], 1);
    unharmed(&world, "an option from the environment");
    let log = std::fs::read_to_string(world.path("log")).unwrap();
    let ours: Vec<&str> = log
        .split("ARGS ")
        .filter(|run| run.contains("--git-dir"))
        .collect();
    assert!(ours.len() >= 2, "{log}");
    for run in ours {
        // What the user has configured for this command comes first, so that our own values win.
        let counted = [
            "GIT_CONFIG_COUNT=",
            "GIT_CONFIG_KEY_0=user.name",
            "GIT_CONFIG_KEY_1=remote.origin.mirror",
        ];
        let passed_on = |line: &&str| {
            let named = |name: &&str| line.starts_with(&format!("{name}="));
            // Of these two the value is ours.
            let is_ours = line.starts_with(counted[0]) || *line == "GIT_NO_REPLACE_OBJECTS=1";
            names.iter().any(named) && !is_ours
        };
        assert_eq!(run.lines().find(passed_on), None);
        assert!(counted.iter().all(|line| run.contains(line)), "{run}");
        if run.contains("GIT_CONFIG_COUNT=7") {
            assert!(
                run.contains("GIT_CONFIG_KEY_2=remote.origin.mirror"),
                "{run}"
            );
            assert!(run.contains("GIT_CONFIG_VALUE_2=false"), "{run}");
        }
        for option in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "protocol.ext.allow=never",
        ] {
            assert!(
                run.lines().next().unwrap().contains(option),
                "no {option}: {run}"
            );
        }
    }
    assert_eq!(tip(&world, "a"), hub_tip(&world));
}

/// Variables that the library we read objects with obeys too, for which there are other tests.
const GIX: [&str; 2] = ["GIT_OBJECT_DIRECTORY", "GIT_REPLACE_REF_BASE"];

#[test]
fn an_exchange_runs_no_hook_and_no_monitor_of_the_repository() {
    let world = two_clones();
    let monitor = script(&world, "monitor", &pwn(&world));
    let hooks = [
        "pre-push",
        "reference-transaction",
        "post-merge",
        "post-checkout",
        "pre-auto-gc",
        "post-rewrite",
    ];
    for hook in hooks {
        script(&world, &format!("a/.git/hooks/{hook}"), &pwn(&world));
        script(&world, &format!("own/{hook}"), &pwn(&world));
    }
    world
        .git_in("a", &["config", "core.fsmonitor", &monitor])
        .ok();
    let lines: String = (0..300)
        .map(|n| format!("{{\"id\":\"x-{n}\",\"title\":\"t\"}}\n"))
        .collect();
    let file = world.file("many.jsonl", lines);
    create(&world, "b", &["theirs"]);
    sync(&world, &["b"]);
    world.bd_in("a", &["import", &file]).ok();
    sync(&world, &["a"]);
    unharmed(&world, "a hook");
    world
        .git_in(
            "a",
            &[
                "config",
                "core.hooksPath",
                &world.path("own").display().to_string(),
            ],
        )
        .ok();
    create(&world, "a", &["with hooks elsewhere"]);
    sync(&world, &["a", "b"]);
    unharmed(&world, "a hook elsewhere");
    assert_eq!(tip(&world, "b"), hub_tip(&world));
}

#[test]
fn a_name_or_address_that_looks_like_an_option_runs_nothing() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    let touch = format!("touch {}", world.path("pwned").display());
    let key = |name: &str| format!("remote.{name}.url");
    let names = [
        format!("--upload-pack={touch}"),
        format!("--receive-pack={touch}"),
        "--all".to_owned(),
    ];
    for name in &names {
        world
            .git_in("a", &["config", &key(name), "../hub.git"])
            .ok();
        let _ = world.bd_in("a", &["sync", &format!("--remote={name}")]);
    }
    for url in [
        format!("--upload-pack={touch}"),
        format!("ext::{touch}"),
        format!("-o ProxyCommand={touch}"),
    ] {
        world.git_in("a", &["config", &key("odd"), &url]).ok();
        let _ = failed(world.bd_in("a", &["sync", "--json", "--remote", "odd"]), 5);
    }
    assert!(!world.path("pwned").exists());
    world.bd_in("a", &["sync", "--remote", "origin"]).ok();
}
