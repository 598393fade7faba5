//! Files that can't be read, may not be written, or lie elsewhere.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::{AGENTS, exists, files, read, write};
use crate::support::World;

#[test]
fn a_broken_file_stays_as_it_is_and_nothing_else_is_written() {
    let world = World::new();
    for agent in &AGENTS {
        for (name, container) in agent.files {
            let broken: &[&str] = match *container {
                "" => &["a = 1\n[x\n", "a = 1\na = 2\n", "mcp_servers = {}\n"],
                _ => &[
                    "{\n  \"a\": 1\n  \"b\": 2\n}",
                    "{\n",
                    "{'a': 1}",
                    "{} {}",
                    "[]",
                    "{\"a\": 1} x",
                ],
            };
            for text in broken {
                write(&world, name, text);
                let before = files(&world);
                let said = world.bd(&["setup", agent.name, "--write"]).fails(1);
                assert!(
                    said.starts_with(&format!("error: {name}: "))
                        && said.contains("nothing was written"),
                    "{said}"
                );
                assert!(
                    said.contains("hint: fix it, or edit it by hand; it should contain:\n"),
                    "{said}"
                );
                assert!(said.contains("git-beads"), "{said}");
                assert_eq!(files(&world), before);
                assert!(
                    world
                        .bd(&["setup", agent.name])
                        .ok()
                        .contains(&format!("{name}: unreadable ("))
                );
                assert_eq!(world.bd(&["setup", agent.name, "--check"]).code, 1);
                world.bd(&["setup"]).ok();
            }
            std::fs::remove_file(world.path(&format!("repo/{name}"))).unwrap();
        }
    }
    write(&world, ".mcp.json", "{\n  \"a\": 1\n  \"b\": 2\n}");
    assert!(
        world
            .bd(&["setup", "claude", "--write"])
            .fails(1)
            .contains(".mcp.json: line 2: ")
    );
    write(&world, ".codex/config.toml", "a = 1\n[x\n");
    assert!(
        world
            .bd(&["setup", "codex", "--write"])
            .fails(1)
            .contains(".codex/config.toml: line 2: ")
    );
}

#[test]
fn what_is_in_the_place_of_a_container_stays() {
    let world = World::new();
    for (text, why) in [
        ("{\"mcpServers\": null}", "`mcpServers` is not an object"),
        (
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "`mcpServers` is there twice",
        ),
        (
            "{\"mcpServers\": {\"beads\": {}, \"beads\": {}}}",
            "`beads` is there twice",
        ),
        ("7", "it is not an object"),
    ] {
        write(&world, ".cursor/mcp.json", text);
        let said = world.bd(&["setup", "cursor", "--write"]).fails(1);
        assert!(said.contains(why), "{said}");
        assert_eq!(
            files(&world),
            [(".cursor/mcp.json".to_owned(), text.to_owned())]
        );
    }
}

#[test]
fn bytes_that_are_no_text_and_folders_are_refused() {
    let world = World::new();
    world.file("repo/.mcp.json", b"\xff\xfe{\x00}\x00");
    assert!(
        world
            .bd(&["setup", "claude", "--write"])
            .fails(6)
            .contains(".mcp.json is not UTF-8")
    );
    std::fs::create_dir_all(world.path("repo/.cursor/mcp.json")).unwrap();
    assert!(
        world
            .bd(&["setup", "cursor", "--write"])
            .fails(6)
            .contains("is no small plain file")
    );
    write(&world, ".vscode", "a file");
    assert!(
        world
            .bd(&["setup", "vscode", "--write"])
            .fails(6)
            .contains(".vscode/mcp.json")
    );
}

#[test]
fn read_only_files_and_folders_are_respected() {
    let world = World::new();
    write(&world, ".mcp.json", "{}");
    let mode = |name: &str, mode| {
        std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("repo/.mcp.json", 0o444);
    let said = world.bd(&["setup", "claude", "--write"]).fails(6);
    assert!(
        said.contains("can't write .mcp.json: permission denied")
            && said.contains("hint: make it writable"),
        "{said}"
    );
    assert_eq!(read(&world, ".mcp.json"), "{}");
    std::fs::create_dir(world.path("repo/.cursor")).unwrap();
    mode("repo/.cursor", 0o555);
    assert!(
        world
            .bd(&["setup", "cursor", "--write"])
            .fails(6)
            .contains("can't write .cursor/mcp.json")
    );
    assert!(!exists(&world, ".cursor/mcp.json"));
    mode("repo/.cursor", 0o755);
}

#[test]
fn a_last_file_that_may_not_be_written_stops_the_first_one() {
    let world = World::new();
    write(&world, "AGENTS.md", "# Rules\n");
    let path = world.path("repo/AGENTS.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert!(
        world
            .bd(&["setup", "claude", "--write"])
            .fails(6)
            .contains("can't write AGENTS.md")
    );
    assert_eq!(
        files(&world),
        [("AGENTS.md".to_owned(), "# Rules\n".to_owned())]
    );
}

#[test]
fn the_mode_of_a_file_stays() {
    let world = World::new();
    write(&world, ".mcp.json", "{}");
    let path = world.path("repo/.mcp.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    world.bd(&["setup", "claude", "--write"]).ok();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let made = std::fs::metadata(world.path("repo/AGENTS.md"))
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    let plain = std::fs::metadata(world.path("home/.gitconfig"))
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    assert_eq!(
        made, plain,
        "a new file has the mode that the user's new files have"
    );
}

#[test]
fn a_link_within_the_work_tree_is_written_through() {
    let world = World::new();
    write(&world, "CLAUDE.md", "# Rules\n");
    symlink("CLAUDE.md", world.path("repo/AGENTS.md")).unwrap();
    world.bd(&["setup", "agents-md", "--write"]).ok();
    assert!(read(&world, "CLAUDE.md").starts_with("# Rules\n\n<!-- git-beads v2 -->\n"));
    assert!(
        std::fs::symlink_metadata(world.path("repo/AGENTS.md"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        !world
            .bd(&["setup", "claude", "--write"])
            .ok()
            .contains("@AGENTS.md")
    );
    world.bd(&["setup", "claude", "--remove"]).ok();
    world.bd(&["setup", "agents-md", "--remove"]).ok();
    assert_eq!(read(&world, "CLAUDE.md"), "# Rules\n");
    assert!(
        std::fs::symlink_metadata(world.path("repo/AGENTS.md"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn a_folder_that_is_a_link_within_the_work_tree_stays() {
    let world = World::new();
    std::fs::create_dir_all(world.path("repo/tools/cursor")).unwrap();
    symlink("tools/cursor", world.path("repo/.cursor")).unwrap();
    world.bd(&["setup", "cursor", "--write"]).ok();
    assert!(exists(&world, "tools/cursor/mcp.json"));
    world.bd(&["setup", "cursor", "--remove"]).ok();
    assert_eq!(files(&world), []);
    assert!(world.path("repo/.cursor").is_dir());
}

#[test]
fn a_link_out_of_the_work_tree_is_refused() {
    let world = World::new();
    world.file("home/settings.json", "{}");
    symlink(
        world.path("home/settings.json"),
        world.path("repo/.mcp.json"),
    )
    .unwrap();
    symlink(world.path("home"), world.path("repo/.cursor")).unwrap();
    symlink(world.path("repo/.git"), world.path("repo/.vscode")).unwrap();
    symlink("nowhere", world.path("repo/opencode.json")).unwrap();
    for (agent, why) in [
        ("claude", ".mcp.json is a link out of the work tree"),
        ("cursor", ".cursor/mcp.json is a link out of the work tree"),
        ("vscode", ".vscode/mcp.json is a link out of the work tree"),
        ("opencode", "opencode.json is a link to nothing"),
    ] {
        let said = world.bd(&["setup", agent, "--write"]).fails(6);
        assert!(
            said.contains(why) && said.contains("hint: check what it is: ls -ld "),
            "{said}"
        );
        assert!(!exists(&world, "AGENTS.md"));
    }
    assert_eq!(
        std::fs::read_to_string(world.path("home/settings.json")).unwrap(),
        "{}"
    );
    assert!(!world.path("home/mcp.json").exists() && !world.path("repo/.git/mcp.json").exists());
}

#[test]
fn a_file_with_comments_in_its_name_is_taken_where_it_is_there() {
    let world = World::new();
    write(
        &world,
        "opencode.jsonc",
        "{\n  // theme\n  \"theme\": \"x\"\n}\n",
    );
    world.bd(&["setup", "opencode", "--write"]).ok();
    assert!(!exists(&world, "opencode.json"));
    insta::assert_snapshot!(read(&world, "opencode.jsonc"), @r#"
    {
      // theme
      "theme": "x",
      "mcp": {
        "beads": { "type": "local", "command": ["git-beads", "mcp"] }
      }
    }
    "#);
}

#[test]
fn an_entry_is_found_in_the_second_of_two_files() {
    let world = World::new();
    for (agent, first, second) in [
        ("opencode", "opencode.json", "opencode.jsonc"),
        ("amp", ".amp/settings.json", ".amp/settings.jsonc"),
    ] {
        write(&world, second, "{\n}\n");
        world.bd(&["setup", agent, "--write"]).ok();
        for text in ["{\n}\n", "{ broken"] {
            write(&world, first, text);
            world.bd(&["setup", agent, "--check"]).ok();
            assert!(
                world
                    .bd(&["setup"])
                    .ok()
                    .contains(&format!("{agent}: installed"))
            );
            assert_eq!(world.bd(&["setup", agent, "--write", "-q"]).ok(), "");
            let said = world.bd(&["setup", "claude", "--remove"]).ok();
            assert!(
                said.contains(&format!("AGENTS.md: kept (needed by {agent})")),
                "{said}"
            );
            let said = world.bd(&["setup", agent, "--remove"]).ok();
            assert!(
                said.contains(&format!("{second}: edited")) && !said.contains(&format!("{first}:")),
                "{said}"
            );
            assert_eq!(
                (read(&world, first).as_str(), read(&world, second).as_str()),
                (text, "{\n}\n")
            );
            std::fs::remove_file(world.path(&format!("repo/{first}"))).unwrap();
            world.bd(&["setup", agent, "--write"]).ok();
        }
        // Both.
        let both = read(&world, second);
        write(&world, first, &both);
        assert!(
            world
                .bd(&["uninstall"])
                .ok()
                .contains(&format!("removed agents: {second}"))
        );
        assert_eq!(
            (read(&world, first).as_str(), read(&world, second).as_str()),
            ("{\n}\n", "{\n}\n")
        );
    }
}

#[test]
fn a_reason_names_its_own_file_and_names_it_once() {
    let world = World::new();
    write(&world, "opencode.jsonc", "{ \"git-beads");
    write(&world, "AGENTS.md", "<!-- git-beads v2 -->\nx\n");
    symlink(world.path("home"), world.path("repo/.cursor")).unwrap();
    world.bd(&["setup", "gemini"]).ok();
    let said = world.bd(&["setup", "opencode"]).ok();
    assert!(
        said.contains("opencode.jsonc: unreadable (line 1: "),
        "{said}"
    );
    assert!(
        said.contains("AGENTS.md: unreadable (the block has no end: <!-- /git-beads -->)"),
        "{said}"
    );
    let said = world.bd(&["setup", "cursor"]).ok();
    assert!(
        said.contains(".cursor/mcp.json: unreadable (is a link out of the work tree)"),
        "{said}"
    );
    let said = world.bd(&["uninstall"]).ok();
    assert!(
        said.contains("remains: AGENTS.md: the block has no end: <!-- /git-beads -->\n"),
        "{said}"
    );
    assert!(
        said.contains("remains: opencode.jsonc: line 1: ") && !said.contains("nothing was"),
        "{said}"
    );
}

#[test]
fn what_a_killed_writer_has_left_goes_after_an_hour() {
    let world = World::new();
    let aged = |name: &str, hours: u64| {
        let path = world.file(&format!("repo/{name}"), "half");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let then = file.metadata().unwrap().modified().unwrap()
            - std::time::Duration::from_secs(hours * 3600 + 60);
        file.set_modified(then).unwrap();
    };
    let old = [
        ".git-beads-scratch-aB3xY9",
        ".cursor/.git-beads-scratch-aB3xY9",
    ];
    for option in ["--write", "--remove"] {
        old.iter().for_each(|name| aged(name, 1));
        aged(".git-beads-scratch-zzzzzz", 0);
        aged(".git-beads-config", 9);
        world.bd(&["setup", "cursor", option]).ok();
        assert!(!old.iter().any(|name| exists(&world, name)), "{option}");
        assert!(
            exists(&world, ".git-beads-scratch-zzzzzz") && exists(&world, ".git-beads-config"),
            "{option}"
        );
    }
    assert!(!exists(&world, ".cursor"));
}

#[test]
fn the_top_of_the_work_tree_is_meant_wherever_one_stands() {
    let world = World::new();
    std::fs::create_dir_all(world.path("repo/a/b")).unwrap();
    world
        .bd_in("repo/a/b", &["setup", "cursor", "--write"])
        .ok();
    assert!(exists(&world, ".cursor/mcp.json") && exists(&world, "AGENTS.md"));
    world
        .git(&["commit", "-q", "--allow-empty", "-m", "x"])
        .ok();
    world.git(&["worktree", "add", "-q", "../other"]).ok();
    world.bd_in("other", &["setup", "vscode", "--write"]).ok();
    assert!(world.path("other/.vscode/mcp.json").exists() && !exists(&world, ".vscode"));
}

#[test]
fn a_bare_repository_has_no_such_files() {
    let world = World::empty();
    world.git(&["init", "-q", "--bare", "hub.git"]).ok();
    for args in [
        &["setup"][..],
        &["setup", "claude"],
        &["setup", "claude", "--write"],
    ] {
        let said = world.bd_in("hub.git", args).fails(1);
        assert!(
            said.contains("a bare repository has no work tree") && said.contains("hint: "),
            "{said}"
        );
    }
    assert!(
        world
            .bd_in("home", &["setup"])
            .fails(128)
            .contains("not a git repository")
    );
}
