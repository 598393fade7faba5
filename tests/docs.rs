//! The documents are executed: every `console` block runs, and the reference of verbs is what the binary prints.
//!
//! `UPDATE_DOCS=1 cargo test docs` writes what the binary answers into the documents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{World, binary, tools};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a document with what it should be, or writes it.
#[track_caller]
pub fn settle(path: &Path, new: &str) {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    if old != new && std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, new).unwrap();
        return;
    }
    assert_eq!(
        old,
        new,
        "{} is not what the binary says; UPDATE_DOCS=1 cargo test docs",
        path.display()
    );
}

/// Runs the commands of a block (`$ ...`) and returns the block with their answers.
fn run_block(world: &World, block: &str) -> String {
    let mut out = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let answer = world.run(world.command("repo", "sh", &["-c", &line[2..]]), None);
        writeln!(out, "{line}").unwrap();
        out.push_str(&format!("{}{}", answer.stdout, answer.stderr).replace("WORLD", "~"));
    }
    out
}

fn run_document(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut world = World::new();
    world.set("GIT_BEADS_ACTOR", "ann");
    for name in ["issues.jsonl", "plan.md"] {
        let source = if name == "plan.md" {
            name
        } else {
            "sample.jsonl"
        };
        world.file(
            &format!("repo/{name}"),
            std::fs::read(root().join("src/cli/demo").join(source)).unwrap(),
        );
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("```console\n") {
        let (block, next) = after.split_once("```").expect("a block ends");
        write!(out, "{before}```console\n{}```", run_block(&world, block)).unwrap();
        rest = next;
    }
    out.push_str(rest);
    settle(path, &out);
}

#[test]
fn the_examples_of_all_documents_are_true() {
    let mut paths = vec![root().join("README.md")];
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let markdown = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    paths.extend(docs.map(|entry| entry.unwrap().path()).filter(markdown));
    paths.sort();
    assert!(paths.len() >= 3);
    for path in paths {
        run_document(&path);
    }
}

#[test]
fn the_list_of_documents_names_them_all() {
    let list = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_page = name.ends_with(".md") && name != "README.md";
        assert!(!is_page || list.contains(&format!("({name})")), "{name}");
    }
}

#[test]
fn the_reference_of_verbs_is_what_the_binary_prints() {
    let world = World::new();
    let help = world.bd(&["help"]).ok();
    let mut out = String::from(
        "# Verbs and options\n\nGenerated from the binary by a test; do not edit.\n\n",
    );
    writeln!(out, "```text\n{}\n```", help.trim_end()).unwrap();
    let verbs = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty());
    for verb in verbs
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|verb| *verb != "help")
    {
        let text = world.bd(&["help", verb]).ok();
        write!(
            out,
            "\n## {verb}\n\n```text\n{}\n```\n",
            without_globals(&text)
        )
        .unwrap();
        let below: &[&str] = match verb {
            "dep" => &["add", "rm", "tree", "cycles"],
            "hooks" => &["install", "uninstall", "status"],
            _ => &[],
        };
        for below in below {
            let text = world.bd(&["help", verb, below]).ok();
            write!(
                out,
                "\n### {verb} {below}\n\n```text\n{}\n```\n",
                without_globals(&text)
            )
            .unwrap();
        }
    }
    settle(&root().join("docs/cli.md"), &out);
}

#[test]
fn the_picture_of_a_session_is_what_the_program_shows() {
    let Some(python) = tools::python() else {
        return;
    };
    let mut world = World::empty();
    world.set("GIT_BEADS_BINARY", binary());
    let (make, to) = (root().join("docs/pictures/make"), world.path("home"));
    let args = [
        make.to_str().unwrap(),
        "session",
        "--to",
        to.to_str().unwrap(),
    ];
    world
        .run(world.command("home", python.to_str().unwrap(), &args), None)
        .ok();
    settle(
        &root().join("docs/pictures/session.svg"),
        &std::fs::read_to_string(to.join("session.svg")).unwrap(),
    );
}

/// The options that every verb takes stand once, at the top.
fn without_globals(text: &str) -> String {
    let global = [
        "  -C <DIR>",
        "      --json[",
        "  -q, --quiet",
        "      --actor",
        "      --color",
        "      --no-pager",
        "  -h, --help",
    ];
    let lines = text
        .lines()
        .filter(|line| !global.iter().any(|option| line.starts_with(option)));
    let wanted = lines.collect::<Vec<_>>().join("\n");
    wanted
        .trim_end()
        .trim_end_matches("Options:")
        .trim_end()
        .to_owned()
}
