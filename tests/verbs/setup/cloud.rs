//! What agents need for their sessions in the cloud.

use serde_json::Value;

use super::ci::of_page;
use super::{documents, files, read, write};
use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};

const LINE: &str =
    "- At the end: `git beads sync`; if it names a file, commit it with your work.\n";

#[test]
fn the_files_of_claude_are_made_for_both_and_go_again() {
    let world = World::new();
    world.bd(&["setup", "claude", "--write"]).ok();
    let said = world.bd(&["setup", "claude", "--cloud"]).ok();
    assert!(said.contains(".claude/settings.json: missing\n"), "{said}");
    assert!(said.contains("hint: git beads setup claude --cloud --write\n"));
    let said = world.bd(&["setup", "claude", "--cloud", "--write"]).ok();
    for part in [
        ".claude/settings.json: edited\n",
        ".git-beads/README.md: created\n",
        "AGENTS.md: edited\n",
        "hint: the set-up script of the environment is in docs/cloud.md",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let written = files(&world);
    // Neither this nor the same without the option changes anything again.
    for args in [
        &["claude", "--cloud", "--write"][..],
        &["claude", "--write"],
    ] {
        assert_eq!(world.bd(&[&["setup", "-q"], args].concat()).ok(), "");
        assert_eq!(files(&world), written);
    }
    world.bd(&["setup", "claude", "--check"]).ok();
    assert!(world.bd(&["setup"]).ok().contains("claude: installed\n"));
    let settings: Value = serde_json::from_str(&read(&world, ".claude/settings.json")).unwrap();
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2);
    assert_eq!(
        settings["hooks"]["SessionStart"].as_array().unwrap().len(),
        1
    );
    world.bd(&["setup", "claude", "--remove"]).ok();
    assert_eq!(files(&world), []);
    world.bd(&["setup", "claude", "--cloud", "--write"]).ok();
    let fresh: Value = serde_json::from_str(&read(&world, ".claude/settings.json")).unwrap();
    assert_eq!(fresh, settings);
    world.bd(&["setup", "claude", "--remove"]).ok();
    assert_eq!(files(&world), []);
}

#[test]
fn every_document_comes_back_to_the_byte() {
    let world = World::new();
    for (kind, text) in documents("hooks") {
        write(&world, ".claude/settings.json", &text);
        for args in [
            &["claude", "--write"][..],
            &["claude", "--cloud", "--write"],
        ] {
            world.bd(&[&["setup"], args].concat()).ok();
            world.bd(&["setup", "claude", "--check"]).ok();
        }
        world.bd(&["setup", "claude", "--remove"]).ok();
        assert_eq!(read(&world, ".claude/settings.json"), text, "{kind}");
    }
}

#[test]
fn the_line_and_the_opt_in_go_with_the_last_agent_in_the_cloud() {
    let world = World::new();
    let opt_in = include_str!("../../../hooks/cloud/README.md");
    for agent in ["claude", "codex", "copilot"] {
        world.bd(&["setup", agent, "--cloud", "--write"]).ok();
        assert!(read(&world, "AGENTS.md").contains(LINE), "{agent}");
        assert_eq!(read(&world, ".git-beads/README.md"), opt_in);
    }
    world.bd(&["setup", "cursor", "--write"]).ok();
    assert!(read(&world, "AGENTS.md").contains(LINE));
    for (agent, others) in [("claude", "codex, copilot"), ("copilot", "codex")] {
        let said = world.bd(&["setup", agent, "--remove"]).ok();
        let kept = format!(".git-beads/README.md: kept (needed by {others})\n");
        assert!(said.contains(&kept), "{said}");
        assert!(read(&world, "AGENTS.md").contains(LINE));
    }
    world.bd(&["setup", "codex", "--remove"]).ok();
    let left = read(&world, "AGENTS.md");
    assert!(left.contains("## Tasks") && !left.contains(LINE), "{left}");
    world.bd(&["setup", "cursor", "--remove"]).ok();
    assert_eq!(files(&world), []);
}

#[test]
fn the_word_of_the_team_is_never_edited() {
    let world = World::new();
    write(&world, ".git-beads/README.md", "Ours.\n");
    let said = world.bd(&["setup", "codex", "--cloud", "--write"]).ok();
    assert!(
        said.contains(".git-beads/README.md: already installed\n"),
        "{said}"
    );
    world.bd(&["setup", "codex", "--check"]).ok();
    world.bd(&["setup", "codex", "--remove"]).ok();
    let left = [(".git-beads/README.md".to_owned(), "Ours.\n".to_owned())];
    assert_eq!(files(&world), left);
}

#[test]
fn the_steps_of_copilot_that_an_earlier_version_wrote_go_with_it() {
    let world = World::new();
    let name = ".github/workflows/copilot-setup-steps.yml";
    let former = of_page("# What the sandbox of Copilot's coding agent needs.");
    let theirs = "jobs:\n  copilot-setup-steps:\n    steps:\n    - run: make\n";
    for (text, left) in [(&*former, false), (theirs, true)] {
        world.bd(&["setup", "copilot", "--cloud", "--write"]).ok();
        write(&world, name, text);
        world.bd(&["setup", "copilot", "--remove"]).ok();
        let found: Vec<String> = files(&world).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, [name][..usize::from(left)]);
    }
    // What a person has changed is named.
    world.bd(&["setup", "copilot", "--cloud", "--write"]).ok();
    write(&world, name, &format!("{former}# ours\n"));
    let said = world.bd(&["setup", "copilot", "--remove"]);
    let hint = format!("hint: take it out of {name} by hand\n");
    assert!(said.stdout.contains(&hint), "{said:?}");
    let _ = said.fails(3);
}

#[test]
fn an_agent_without_a_cloud_is_refused() {
    let world = World::new();
    for name in ["cursor", "agents-md"] {
        let said = world.bd(&["setup", name, "--cloud", "--write"]).fails(1);
        assert!(
            said.contains("only of those of claude, codex, copilot"),
            "{said}"
        );
        assert!(
            said.contains(&format!("hint: git beads setup {name}\n")),
            "{said}"
        );
    }
    world.bd(&["setup", "--cloud"]).fails(2);
    world
        .bd(&["setup", "claude", "--cloud", "--remove"])
        .fails(2);
    assert_eq!(files(&world), []);
}

/// The command of a hook of Claude Code for the cloud.
fn hook(world: &World, event: &str, at: usize) -> String {
    world
        .bd_in("a", &["setup", "claude", "--cloud", "--write"])
        .ok();
    let text = std::fs::read_to_string(world.path("a/.claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let command = &settings["hooks"][event][at]["hooks"][0]["command"];
    command.as_str().unwrap().to_owned()
}

#[test]
fn the_hooks_of_claude_find_the_issues_and_send_them() {
    let world = two_clones();
    let id = create(&world, "a", &["Left by another"]);
    sync(&world, &["a"]);
    let (start, stop) = (hook(&world, "SessionStart", 0), hook(&world, "Stop", 1));
    let args = ["clone", "-q", "--depth=1", "--single-branch"];
    let hub = format!("file://{}", world.path("hub.git").display());
    world.git_in(".", &[&args[..], &[&hub, "c"]].concat()).ok();
    let run = |hook: &str, input: Option<&[u8]>, variables: &[(&str, &str)]| {
        let mut command = world.command("c", "sh", &["-c", hook]);
        command.envs(variables.iter().copied());
        let said = world.run(command, input);
        assert_eq!(said.code, 0, "{said:?}");
        said
    };
    let said: Value =
        serde_json::from_str(&run(&start, Some(b"{\"session_id\":\"s\"}"), &[]).stdout).unwrap();
    let text = said["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(text.contains(&id) && text.contains("Commands: "), "{text}");
    create(&world, "c", &["Made in the cloud"]);
    let before = tip(&world, "hub.git");
    for elsewhere in [&[][..], &[("CLAUDE_CODE_REMOTE", "false")]] {
        assert_eq!(run(&stop, None, elsewhere).all(), "");
        assert_eq!(tip(&world, "hub.git"), before);
    }
    // What it says is not for the client, which takes standard output for an answer.
    assert_eq!(
        run(&stop, None, &[("CLAUDE_CODE_REMOTE", "true")]).stdout,
        ""
    );
    assert_eq!(tip(&world, "hub.git"), tip(&world, "c"));
    // Where the program is missing, neither says anything.
    for hook in [start, stop] {
        let mut command = world.command("c", "/bin/sh", &["-c", &hook]);
        command
            .env("PATH", world.path("home"))
            .env("CLAUDE_CODE_REMOTE", "true");
        let said = world.run(command, None);
        assert_eq!((said.code, said.all()), (0, String::new()));
    }
}

#[test]
fn an_uninstall_takes_all_of_it_out() {
    let world = World::with_store();
    for args in [
        ["claude", "--cloud"],
        ["codex", "--cloud"],
        ["copilot", "--cloud"],
    ] {
        world.bd(&[&["setup", "--write"], &args[..]].concat()).ok();
    }
    let former = of_page("# Collects changes that agents left in mailboxes and carry files. CI/CD");
    write(&world, ".gitlab/git-beads.yml", &former);
    write(
        &world,
        ".forgejo/workflows/git-beads.yml",
        "on: push # git-beads\n",
    );
    let before = files(&world);
    let dry = world.bd(&["uninstall", "--dry-run"]).ok();
    for name in [".git-beads/README.md", ".gitlab/git-beads.yml"] {
        let line = format!("would remove agents: {name}\n");
        assert_eq!(dry.matches(&line).count(), 1, "{dry}");
    }
    assert_eq!(files(&world), before);
    let said = world.bd(&["uninstall"]).ok();
    assert!(
        said.contains("remains: .forgejo/workflows/git-beads.yml: the part that git-beads wrote"),
        "{said}"
    );
    let left: Vec<String> = files(&world).into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, [".forgejo/workflows/git-beads.yml"]);
}
