//! The documents are executed: every `console` block runs, and the reference of verbs is what the binary prints.
//!
//! `UPDATE_DOCS=1 cargo test docs` writes what the binary answers into the documents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{World, binary, tools};

pub fn root() -> &'static Path {
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
    for name in ["gh.json", "jira.csv"] {
        let source = root().join("tests/verbs/import/files").join(name);
        world.file(&format!("repo/{name}"), std::fs::read(source).unwrap());
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

/// A way to install the program: a line of `.ci/packaging/channels`.
struct Channel {
    name: String,
    /// From what `.ci/release` made here.
    here: String,
    /// By the name that is ours.
    there: String,
    tried: String,
    is_published: bool,
}

/// The channels, and which of them `.ci/release` calls published.
fn channels() -> Vec<Channel> {
    let script = std::fs::read_to_string(root().join(".ci/release")).unwrap();
    let mut lines = script.lines();
    let published = lines.find_map(|line| line.strip_prefix("published=\"")?.strip_suffix('"'));
    let published: Vec<&str> = published.expect("the switch").split(' ').collect();
    let text = std::fs::read_to_string(root().join(".ci/packaging/channels")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let channels: Vec<Channel> = lines
        .map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            let mut field = || fields.next().expect("four fields");
            let name = field();
            Channel {
                is_published: published.contains(&name.as_str()),
                name,
                here: field(),
                there: field(),
                tried: field(),
            }
        })
        .collect();
    let known = |name: &&str| name.is_empty() || channels.iter().any(|it| it.name == *name);
    assert!(published.iter().all(known), "{published:?}");
    channels
}

/// Returns a text without the commands that install what we publish.
pub fn without_published(text: &str) -> String {
    let published = channels().into_iter().filter(|it| it.is_published);
    published.fold(text.to_owned(), |text, it| text.replace(&it.there, ""))
}

/// A command by a name that is not ours yet would run what its first owner has there.
#[test]
fn the_commands_to_install_it_are_those_that_work() {
    let path = root().join("docs/install.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let head = "| channel | command | tried |\n|---|---|---|\n";
    let (before, after) = text.split_once(head).expect("the table");
    let (_, after) = after.split_once("\n\n").expect("the end of the table");
    let mut table = String::new();
    for it in channels() {
        let command = if it.is_published { it.there } else { it.here };
        if command != "-" {
            writeln!(table, "| {} | `{command}` | {} |", it.name, it.tried).unwrap();
        }
    }
    assert!(table.lines().count() > 8);
    settle(&path, &format!("{before}{head}{table}\n{after}"));
}

/// The pages of a folder, with what they say.
fn pages(folder: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut pages: Vec<_> = pages
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect();
    pages.sort();
    assert!(!pages.is_empty());
    pages
}

/// The pages for those who look inside: `docs/design.md` and what it leads to.
fn internals() -> Vec<(PathBuf, String)> {
    let mut all = pages("docs/internals");
    all.extend(
        pages("docs")
            .into_iter()
            .filter(|(path, _)| path.ends_with("design.md")),
    );
    all
}

/// What people read of a page: without its drawings and examples.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[test]
fn the_list_of_documents_names_them_all() {
    let list = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    for (path, _) in pages("docs").into_iter().chain(pages("docs/internals")) {
        let name = path.strip_prefix(root().join("docs")).unwrap().display();
        let is_named = list.contains(&format!("({name})"));
        assert!(path.ends_with("docs/README.md") || is_named, "{name}");
    }
}

/// The anchor that a heading gets on a page.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut seen = 0;
    let all = ["", "docs", "docs/internals", "benches", "tests"].map(pages);
    for (path, text) in all.into_iter().flatten() {
        let prose = prose(&text);
        for link in prose.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            seen += 1;
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let to = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(to.exists(), "{}: {link}", path.display());
            if !part.is_empty() {
                let text = std::fs::read_to_string(&to).unwrap();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                assert!(
                    headings.any(|heading| anchor(heading) == part),
                    "{}: {link}",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn every_file_that_an_inner_page_names_is_there() {
    let mut seen = 0;
    let others = ["contributing.md", "reliability.md"];
    let others = pages("docs")
        .into_iter()
        .filter(|(path, _)| others.iter().any(|name| path.ends_with(name)));
    for (path, text) in internals().into_iter().chain(others) {
        for name in prose(&text).split('`').skip(1).step_by(2) {
            let is_file = name.contains('/')
                && [".rs", ".sh", ".txt", ".scenes"]
                    .iter()
                    .any(|ending| name.ends_with(ending))
                && !name.contains("/x.rs");
            if is_file {
                seen += 1;
                let found = root().join(name).exists() || root().join("src").join(name).exists();
                assert!(found, "{}: {name}", path.display());
            }
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn every_test_that_the_list_of_properties_names_is_there() {
    let text = std::fs::read_to_string(root().join("tests/README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let mut seen = 0;
    for name in rows.flat_map(|row| row.split('`').skip(1).step_by(2)) {
        seen += 1;
        let place = match name.contains('/') {
            true => root().join(name),
            false => root().join("tests").join(name.replace("::", "/")),
        };
        let found = place.exists() || place.with_extension("rs").exists();
        assert!(found, "tests/README.md: {name}");
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn the_design_is_one_page_and_inner_pages_have_short_paragraphs() {
    for (path, text) in internals() {
        let words = text.split_whitespace().count();
        assert!(
            !path.ends_with("design.md") || words <= 700,
            "{words} words"
        );
        let prose = prose(&text);
        let blocks = prose.split("\n\n").filter(|block| !block.starts_with('|'));
        for block in blocks {
            assert!(
                block.split_whitespace().count() <= 100,
                "{}: {block}",
                path.display()
            );
        }
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
        .skip_while(|line| !line.starts_with("Everyday:"))
        .take_while(|line| !line.starts_with("Without a verb"));
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

/// Returns the help of a verb without the options that every verb takes, which are once at the top.
fn without_globals(text: &str) -> String {
    let (mut parts, mut is_global): (Vec<String>, bool) = (Vec::new(), false);
    for part in text.split("\n\n") {
        // Of a verb with longer help each option is a part, and these are the last ones before the examples.
        if part.starts_with("Global options:") {
            is_global = true;
        }
        is_global &= !part.starts_with("Examples:");
        let is_help = part.starts_with("  -h, --help\n");
        let own: Vec<&str> = part
            .lines()
            .filter(|line| !line.starts_with("  -h, --help"))
            .collect();
        if !is_global && !is_help && own != ["Options:"] {
            parts.push(own.join("\n"));
        }
    }
    parts.join("\n\n").trim_end().to_owned()
}

#[test]
fn the_readme_names_the_version() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let named = format!("This is version {} ", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&named), "{named}");
}
