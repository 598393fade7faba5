//! Every agent with every kind of document: put in, put in again, taken out.

use serde_json::Value;

use super::{AGENTS, documents, exists, files, read, write};
use crate::support::World;

#[test]
fn every_document_of_every_agent_comes_back_to_the_byte() {
    let world = World::new();
    for agent in &AGENTS {
        let per_file: Vec<_> = agent
            .files
            .iter()
            .map(|(_, container)| documents(container))
            .collect();
        for round in 0..per_file.iter().map(Vec::len).max().unwrap() {
            for ((name, _), documents) in agent.files.iter().zip(&per_file) {
                write(&world, name, &documents[round % documents.len()].1);
            }
            let ending = ["", "# Rules\r\n", "# Rules", "# Rules\n\n"][round % 4];
            write(&world, "AGENTS.md", ending);
            let before = files(&world);
            world.bd(&["setup", agent.name, "--write"]).ok();
            let written = files(&world);
            let changed = before
                .iter()
                .zip(&written)
                .filter(|(before, after)| before != after)
                .count();
            assert_eq!(
                changed,
                agent.files.len() + 1,
                "{}: {written:?}",
                agent.name
            );
            world.bd(&["setup", agent.name, "--check"]).ok();
            assert_eq!(world.bd(&["setup", agent.name, "--write", "-q"]).ok(), "");
            assert_eq!(files(&world), written, "{} again", agent.name);
            world.bd(&["setup", agent.name, "--remove"]).ok();
            assert_eq!(files(&world), before, "{}, round {round}", agent.name);
        }
        for name in agent
            .files
            .iter()
            .map(|(name, _)| *name)
            .chain(["AGENTS.md"])
        {
            std::fs::remove_file(world.path(&format!("repo/{name}"))).unwrap();
        }
    }
}

#[test]
fn files_that_were_made_for_it_go_with_it() {
    let world = World::new();
    for agent in &AGENTS {
        world.bd(&["setup", agent.name, "--write"]).ok();
        assert!(agent.files.iter().all(|(name, _)| exists(&world, name)));
        world.bd(&["setup", agent.name, "--remove"]).ok();
        let left: Vec<_> = std::fs::read_dir(world.path("repo"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, [".git"], "{}", agent.name);
        world.bd(&["setup", agent.name, "--remove"]).ok();
    }
}

#[test]
fn what_others_put_in_since_stays() {
    let world = World::new();
    world.bd(&["setup", "cursor", "--write"]).ok();
    let ours = read(&world, ".cursor/mcp.json");
    let theirs = ours
        .replacen(
            "    \"beads\"",
            "    \"first\": {}, // one\n    \"beads\"",
            1,
        )
        .replacen("}\n  }", "},\n    \"after\": {}\n  }", 1);
    write(&world, ".cursor/mcp.json", &theirs);
    world.bd(&["setup", "cursor", "--check"]).ok();
    world.bd(&["setup", "cursor", "--remove"]).ok();
    insta::assert_snapshot!(read(&world, ".cursor/mcp.json"), @r#"
    {
      "mcpServers": {
        "first": {}, // one
        "after": {}
      }
    }
    "#);
}

#[test]
fn a_formatter_does_not_make_it_somebody_elses() {
    let world = World::new();
    write(&world, ".mcp.json", "{\n  \"a\": 1\n}\n");
    world.bd(&["setup", "claude", "--write"]).ok();
    let formatted = serde_json::from_str::<serde_json::Value>(&read(&world, ".mcp.json")).unwrap();
    write(&world, ".mcp.json", &format!("{formatted:#}\n"));
    world.bd(&["setup", "claude", "--check"]).ok();
    world.bd(&["setup", "claude", "--remove"]).ok();
    assert_eq!(read(&world, ".mcp.json"), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_table_after_ours_stays() {
    let world = World::new();
    write(&world, ".codex/config.toml", "model = 'x'\n");
    world.bd(&["setup", "codex", "--write"]).ok();
    let ours = read(&world, ".codex/config.toml");
    assert_eq!(
        ours,
        "model = 'x'\n\n[mcp_servers.beads]\ncommand = \"git-beads\"\nargs = [\"mcp\"]\n"
    );
    write(
        &world,
        ".codex/config.toml",
        &format!("{ours}\n[tools]\nweb = true\n"),
    );
    world.bd(&["setup", "codex", "--remove"]).ok();
    assert_eq!(
        read(&world, ".codex/config.toml"),
        "model = 'x'\n\n[tools]\nweb = true\n"
    );
}

#[test]
fn what_somebody_has_changed_is_kept_and_said() {
    let world = World::new();
    for (agent, file, from, to) in [
        (
            "cursor",
            ".cursor/mcp.json",
            "[\"mcp\"]",
            "[\"mcp\", \"--profile\", \"read\"]",
        ),
        (
            "vscode",
            ".vscode/mcp.json",
            "\"args\"",
            "\"env\": {}, \"args\"",
        ),
        (
            "amp",
            ".amp/settings.json",
            "\"args\"",
            "/* why */ \"args\"",
        ),
        (
            "claude",
            ".claude/settings.json",
            "startup|resume",
            "startup",
        ),
        ("gemini", ".gemini/settings.json", "|| true", "|| false"),
        (
            "codex",
            ".codex/config.toml",
            "[\"mcp\"]",
            "[\"mcp\"] # mine",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[\"mcp\"]",
            "[\"mcp\"]\nenabled = false",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[\"mcp\"]",
            "[\"mcp\"]\n[mcp_servers.beads.env]",
        ),
        ("agents-md", "AGENTS.md", "when finished", "when tested"),
    ] {
        world.bd(&["setup", agent, "--write"]).ok();
        write(&world, file, &read(&world, file).replacen(from, to, 1));
        let before = files(&world);
        let said = world.bd(&["setup", agent, "--write"]).ok();
        assert!(
            said.contains(&format!(
                "{file}: kept (the part that git-beads wrote was changed)"
            )),
            "{said}"
        );
        let checked = world.bd(&["setup", agent, "--check"]);
        assert_eq!(checked.code, 1, "{checked:?}");
        assert!(
            checked.stdout.contains(&format!("{file}: changed by hand")),
            "{checked:?}"
        );
        let next = format!("hint: to renew it in {file}, take it out by hand first");
        assert!(
            said.contains(&next) && checked.stdout.contains(&next),
            "{said}"
        );
        assert_eq!(files(&world), before);
        let removed = world.bd(&["setup", agent, "--remove"]);
        assert_eq!((removed.code, removed.stderr.as_str()), (3, ""));
        let kept = format!("{file}: kept (the part that git-beads wrote was changed)");
        let hint = format!("hint: take it out of {file} by hand");
        assert!(
            removed.stdout.contains(&kept) && removed.stdout.contains(&hint),
            "{removed:?}"
        );
        let theirs: Vec<_> = before
            .into_iter()
            .filter(|(name, _)| name == file)
            .collect();
        assert_eq!(files(&world), theirs);
        write(&world, file, &read(&world, file).replacen(to, from, 1));
        world.bd(&["setup", agent, "--remove"]).ok();
        assert_eq!(files(&world), []);
    }
}

#[test]
fn half_of_it_is_made_whole() {
    let world = World::new();
    world.bd(&["setup", "gemini", "--write"]).ok();
    let hook = read(&world, ".gemini/settings.json").replacen(
        "\"beads\": { \"command\": \"git-beads\", \"args\": [\"mcp\"] }",
        "",
        1,
    );
    write(&world, ".gemini/settings.json", &hook);
    assert_eq!(world.bd(&["setup", "gemini", "--check"]).code, 1);
    world.bd(&["setup", "gemini", "--write"]).ok();
    world.bd(&["setup", "gemini", "--check"]).ok();
    assert_eq!(
        read(&world, ".gemini/settings.json")
            .matches("git-beads prime")
            .count(),
        1
    );
}

#[test]
fn another_clone_takes_it_out_to_the_byte() {
    let world = World::new();
    write(&world, ".mcp.json", "{\n\t\"mcpServers\": {}, // none\n}");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-q", "-m", "before"]).ok();
    world.bd(&["setup", "claude", "--write"]).ok();
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-q", "-m", "after"]).ok();
    world.git_in(".", &["clone", "-q", "repo", "clone"]).ok();
    world.bd_in("clone", &["setup", "claude", "--check"]).ok();
    world.bd_in("clone", &["setup", "claude", "--remove"]).ok();
    world.git_in("clone", &["add", "-A"]).ok();
    assert_eq!(
        world
            .git_in("clone", &["diff", "--cached", "--stat", "HEAD~1"])
            .ok(),
        ""
    );
}

#[test]
fn a_hook_of_an_earlier_version_is_renewed_and_taken_out() {
    for (agent, tools) in [
        ("claude", "--hook-json --mcp"),
        ("codex", "--hook-json=codex --mcp"),
        ("gemini", "--hook-json=gemini --mcp"),
    ] {
        let world = World::new();
        world.bd(&["setup", agent, "--write"]).ok();
        let new = files(&world);
        let old = |(name, text): &(String, String)| {
            write(&world, name, &text.replace(tools, "--hook-json"));
        };
        assert!(new.iter().any(|(_, text)| text.contains(tools)), "{agent}");
        new.iter().for_each(old);
        let said = world.bd(&["setup", agent, "--check"]);
        assert!(
            said.code == 1 && said.stdout.contains(": to be updated"),
            "{said:?}"
        );
        world.bd(&["setup", agent, "--write"]).ok();
        assert_eq!(files(&world), new, "{agent}");
        new.iter().for_each(old);
        world.bd(&["setup", agent, "--remove"]).ok();
        assert_eq!(files(&world), [], "{agent}");
    }
}

#[test]
fn tools_of_a_plugin_are_added_to_a_hook() {
    let world = World::new();
    world.bd(&["setup", "claude", "--write"]).ok();
    let name = ".claude/settings.json";
    let hooks = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let new = read(&world, name);
    let old = new.replace("(plugin_git-beads_)?", "");
    assert_ne!(old, new);
    write(&world, name, &old);
    let said = world.bd(&["setup", "claude", "--check"]);
    assert!(
        said.stdout.contains(&format!("{name}: to be updated")),
        "{said:?}"
    );
    world.bd(&["setup", "claude", "--write"]).ok();
    assert_eq!(hooks(&read(&world, name)), hooks(&new));
    world.bd(&["setup", "claude", "--check"]).ok();
}

#[test]
fn a_file_that_is_ours_alone_is_kept_where_somebody_has_changed_it() {
    for (agent, name) in [
        ("claude", ".claude/skills/git-beads/SKILL.md"),
        ("codex", ".agents/skills/git-beads/SKILL.md"),
        ("copilot", ".github/hooks/git-beads.json"),
    ] {
        let world = World::new();
        world.bd(&["setup", agent, "--write"]).ok();
        let written = read(&world, name);
        write(&world, name, &written.replace('\n', "\r\n"));
        let said = world.bd(&["setup", agent, "--check"]).ok();
        assert!(said.contains(&format!("{name}: installed")), "{said}");
        let mine = format!("{written}\nmine\n");
        write(&world, name, &mine);
        for action in ["--write", "--remove"] {
            let said = world.bd(&["setup", agent, action]).all();
            assert!(said.contains(&format!("{name}: kept")), "{said}");
            assert_eq!(read(&world, name), mine);
        }
        assert_eq!(files(&world), [(name.to_owned(), mine)]);
    }
}

#[test]
fn a_file_of_hooks_that_was_there_keeps_its_version() {
    let world = World::new();
    world.bd(&["setup", "cursor", "--write"]).ok();
    assert!(read(&world, ".cursor/hooks.json").contains("\"version\": 1"));
    world.bd(&["setup", "cursor", "--remove"]).ok();
    assert_eq!(files(&world), []);
    let theirs = "{ \"version\": 1, \"hooks\": { \"stop\": [] } }\n";
    write(&world, ".cursor/hooks.json", theirs);
    world.bd(&["setup", "cursor", "--write"]).ok();
    assert!(read(&world, ".cursor/hooks.json").contains("--hook-json=cursor"));
    world.bd(&["setup", "cursor", "--remove"]).ok();
    assert_eq!(read(&world, ".cursor/hooks.json"), theirs);
}
