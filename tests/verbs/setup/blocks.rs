//! The block in AGENTS.md, which all agents share.

use super::{AGENTS, exists, files, read, write};
use crate::support::World;

const SHORT: &str = "sessions begin with `git beads prime`";
const FULL: &str = "## Tasks: git beads";

#[test]
fn it_is_as_long_as_the_agents_need_it_and_goes_with_the_last_one() {
    let world = World::new();
    world.bd(&["setup", "claude", "--write"]).ok();
    assert!(read(&world, "AGENTS.md").contains(SHORT));
    world.bd(&["setup", "cursor", "--write"]).ok();
    assert!(read(&world, "AGENTS.md").contains(FULL));
    world.bd(&["setup", "claude", "--check"]).ok();
    assert!(
        world
            .bd(&["setup", "claude", "--write"])
            .ok()
            .contains("AGENTS.md: already installed")
    );
    let said = world.bd(&["setup", "claude", "--remove"]).ok();
    assert!(
        said.contains("AGENTS.md: kept (needed by cursor)"),
        "{said}"
    );
    world.bd(&["setup", "codex", "--write"]).ok();
    world.bd(&["setup", "cursor", "--remove"]).ok();
    assert!(read(&world, "AGENTS.md").contains(SHORT));
    world.bd(&["setup", "codex", "--remove"]).ok();
    assert_eq!(files(&world), []);
}

#[test]
fn the_block_of_agents_md_outlives_agents_that_need_a_sentence() {
    let world = World::new();
    world.bd(&["setup", "agents-md", "--write"]).ok();
    for agent in ["claude", "codex"] {
        world.bd(&["setup", agent, "--write"]).ok();
        let said = world.bd(&["setup", agent, "--remove"]).ok();
        assert!(
            said.contains("AGENTS.md: kept (needed by agents-md)"),
            "{said}"
        );
        assert!(read(&world, "AGENTS.md").contains(FULL));
    }
    world.bd(&["setup", "agents-md", "--remove"]).ok();
    assert_eq!(files(&world), []);
}

#[test]
fn a_quoted_block_is_a_quotation() {
    let world = World::new();
    let block = "<!-- git-beads v2 -->\nx\n<!-- /git-beads -->\n";
    for text in [
        format!("# A\n\n```md\n{block}```\n"),
        format!("# A\n\n~~~~\n```\n{block}~~~~\n"),
        format!("- a\n\n      ```\n{block}      ```\r\n\r\n1. ```\n{block}   ```"),
        "```\n<!-- git-beads v2 -->\n```\nis not closed".to_owned(),
        format!("```\n{block}```\n\n```\nopen"),
    ] {
        write(&world, "AGENTS.md", &text);
        assert!(
            world
                .bd(&["setup", "agents-md", "--remove"])
                .ok()
                .contains("nothing of git-beads"),
            "{text}"
        );
        world.bd(&["setup", "agents-md", "--write"]).ok();
        world.bd(&["setup", "agents-md", "--check"]).ok();
        assert!(
            read(&world, "AGENTS.md").starts_with(&text)
                && read(&world, "AGENTS.md").contains(FULL)
        );
        world.bd(&["setup", "agents-md", "--remove"]).ok();
        assert_eq!(read(&world, "AGENTS.md"), text);
    }
}

#[test]
fn what_only_looks_like_a_fence_quotes_nothing() {
    let world = World::new();
    for before in [
        "``` a `b` c\n",
        "```\nnever closed\n\n",
        "``\n",
        "```\n~~~\n```\n",
    ] {
        write(&world, "AGENTS.md", before);
        world.bd(&["setup", "agents-md", "--write"]).ok();
        let more = read(&world, "AGENTS.md") + "``\n";
        write(&world, "AGENTS.md", &more);
        world.bd(&["setup", "agents-md", "--remove"]).ok();
        assert_eq!(read(&world, "AGENTS.md"), format!("{before}``\n"));
    }
}

#[test]
fn a_file_of_another_agent_that_cannot_be_read_does_not_hold_it() {
    let world = World::new();
    write(&world, ".cursor/mcp.json", "{ broken");
    std::os::unix::fs::symlink(world.path("home"), world.path("repo/.vscode")).unwrap();
    world.bd(&["setup", "claude", "--write"]).ok();
    assert!(read(&world, "AGENTS.md").contains(SHORT));
    world.bd(&["setup", "claude", "--remove"]).ok();
    assert!(!exists(&world, "AGENTS.md"));
    // With our name in it, it may well be set up.
    write(&world, ".cursor/mcp.json", "{ broken: git-beads");
    world.bd(&["setup", "claude", "--write"]).ok();
    assert!(
        world
            .bd(&["setup", "claude", "--remove"])
            .ok()
            .contains("AGENTS.md: kept (needed by cursor)")
    );
}

#[test]
fn an_older_one_is_renewed_in_its_place() {
    let world = World::new();
    let old = first(&world, "agents-md");
    let old = format!("# A\n\n{old}\n# B\n").replace('\n', "\r\n");
    write(&world, "AGENTS.md", &old);
    assert!(
        world
            .bd(&["setup", "agents-md", "--check"])
            .stdout
            .contains("AGENTS.md: to be updated")
    );
    world.bd(&["setup", "agents-md", "--write"]).ok();
    let new = read(&world, "AGENTS.md");
    assert!(
        new.starts_with("# A\r\n\r\n<!-- git-beads v2 -->\r\n")
            && new.ends_with("-->\r\n\r\n# B\r\n"),
        "{new}"
    );
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
    world.bd(&["setup", "agents-md", "--check"]).ok();
    world.bd(&["setup", "agents-md", "--remove"]).ok();
    assert_eq!(read(&world, "AGENTS.md"), "# A\r\n\r\n# B\r\n");
}

#[test]
fn no_file_names_a_package_and_a_block_that_did_is_renewed() {
    let world = World::new();
    write(&world, "AGENTS.md", &first(&world, "agents-md"));
    for agent in AGENTS.map(|agent| agent.name) {
        world.bd(&["setup", agent, "--write"]).ok();
    }
    let written = files(&world);
    assert!(written.len() > AGENTS.len());
    for (name, text) in written {
        assert!(!text.contains("cargo install"), "{name}: {text}");
    }
}

/// Returns the block of an agent as the first version wrote it.
fn first(world: &World, agent: &str) -> String {
    world.bd(&["setup", agent, "--write"]).ok();
    let text = read(world, "AGENTS.md");
    world.bd(&["setup", agent, "--remove"]).ok();
    text.replace("git-beads v2", "git-beads v1").replace(
        "installing git-beads from its own repository",
        "`cargo install --locked git-beads`",
    )
}

#[test]
fn a_block_of_the_first_version_that_somebody_changed_is_kept() {
    for (agent, from, to) in [
        ("agents-md", "when finished", "when tested"),
        ("claude", "work without it.", "ask Ann."),
        ("claude", "<!-- /git-beads", "Ours.\n<!-- /git-beads"),
    ] {
        let world = World::new();
        let old = first(&world, agent);
        let theirs = old.replacen(from, to, 1);
        assert_ne!(theirs, old);
        write(&world, "AGENTS.md", &theirs);
        for action in ["--write", "--remove"] {
            let said = world.bd(&["setup", agent, action]).all();
            assert!(
                said.contains("AGENTS.md: kept (the part that git-beads wrote"),
                "{said}"
            );
            assert_eq!(read(&world, "AGENTS.md"), theirs);
        }
        write(&world, "AGENTS.md", &old.replace('\n', "\r\n"));
        let said = world.bd(&["setup", agent, "--check"]).all();
        assert!(said.contains("AGENTS.md: to be updated"), "{said}");
        world.bd(&["setup", agent, "--write"]).ok();
        assert!(read(&world, "AGENTS.md").contains("git-beads v2"));
        world.bd(&["setup", agent, "--remove"]).ok();
        assert_eq!(files(&world), []);
    }
}

#[test]
fn a_newer_one_is_left_to_the_newer_version() {
    let world = World::new();
    let newer = "<!-- git-beads v3 -->\nnew\n<!-- /git-beads -->\n";
    write(&world, "AGENTS.md", newer);
    assert!(
        world
            .bd(&["setup", "agents-md", "--write"])
            .ok()
            .contains("AGENTS.md: kept")
    );
    assert_eq!(read(&world, "AGENTS.md"), newer);
}

#[test]
fn one_without_an_end_and_a_second_one_are_refused() {
    let world = World::new();
    let block = "<!-- git-beads v2 -->\nx\n<!-- /git-beads -->\n";
    let torn = "<!-- git-beads v2 -->\nx\n";
    for (text, why) in [
        (torn.to_owned(), "the block has no end: <!-- /git-beads -->"),
        (format!("{torn}{block}"), "the block has no end"),
        (format!("{block}{block}"), "it holds the block twice"),
    ] {
        write(&world, "AGENTS.md", &text);
        for option in ["--write", "--remove"] {
            let said = world.bd(&["setup", "agents-md", option]).fails(1);
            assert!(said.contains(why), "{said}");
        }
        assert_eq!(read(&world, "AGENTS.md"), text);
    }
}

#[test]
fn the_block_of_bd_is_left_alone_and_named() {
    let world = World::new();
    let theirs =
        "# A\n<!-- BEGIN BEADS INTEGRATION v:1 -->\nuse bd\n<!-- END BEADS INTEGRATION -->\n";
    write(&world, "AGENTS.md", theirs);
    let said = world.bd(&["setup", "agents-md", "--write"]).ok();
    assert!(
        said.contains("AGENTS.md also holds the block of bd, which is left alone"),
        "{said}"
    );
    assert!(read(&world, "AGENTS.md").starts_with(theirs));
    world.bd(&["setup", "agents-md", "--remove"]).ok();
    assert_eq!(read(&world, "AGENTS.md"), theirs);
}

#[test]
fn claude_md_is_its_users_and_gets_a_hint_alone() {
    let world = World::new();
    let hint = "the line @AGENTS.md in it";
    world.bd(&["setup", "claude", "--write"]).ok();
    assert!(!exists(&world, "CLAUDE.md"));
    write(&world, "CLAUDE.md", "# Rules\n");
    assert!(
        world
            .bd(&["setup", "claude", "--write"])
            .ok()
            .contains(hint)
    );
    write(&world, "CLAUDE.md", "See @AGENTS.md\n");
    assert!(
        !world
            .bd(&["setup", "claude", "--write"])
            .ok()
            .contains(hint)
    );
    assert_eq!(read(&world, "CLAUDE.md"), "See @AGENTS.md\n");
}
