//! Manual pages with a real `man`, `mandoc` and `git help`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::properties::faults::is_tried;
use crate::support::look::named;
use crate::support::tools::copy_program;
use crate::support::{Output, World, binary};

/// A world whose pages are in `share/man`, which MANPATH names.
fn world() -> World {
    let mut world = World::with_store();
    let share = world.path("share/man").display().to_string();
    world
        .set("MANPATH", &share)
        .set("MANPAGER", "cat")
        .set("MANWIDTH", "100");
    world.bd(&["man", &share]).ok();
    world
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    pages
}

/// A copy of the program in `opt/bin`, which the search path names.
fn installed(world: &World) -> impl Fn(&str, &[&str]) -> Output {
    let program = world.path("opt/bin/git-beads");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    copy_program(binary(), &program);
    let path = format!(
        "{}:{}",
        world.path("opt/bin").display(),
        world.search_path(false)
    );
    move |name, args| {
        let mut command: Command = world.command("repo", name, args);
        command.env("PATH", &path).env("MANPAGER", "cat");
        world.run(command, None)
    }
}

#[test]
fn git_shows_the_pages_of_the_program_and_of_each_verb() {
    let world = world();
    if !world.lend("man") {
        return;
    }
    for args in [&["beads", "--help"][..], &["help", "beads"]] {
        let shown = world.git(args).ok();
        for part in [
            "git-beads - Track issues inside your git repository",
            "git beads [OPTIONS] [VERB]",
            "--json",
            "git-beads-create(1)",
            "EXIT CODES",
            "GIT_BEADS_ACTOR",
            "beads.prefix",
            "$(git beads",
        ] {
            assert_eq!(
                shown.contains(part),
                !part.starts_with('$'),
                "{args:?}: {part}: {shown}"
            );
        }
    }
    let help = world.bd(&["help"]).ok();
    let verbs = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    for verb in verbs
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|verb| *verb != "help")
    {
        let page = world.path(&format!("share/man/man1/git-beads-{verb}.1"));
        assert!(page.exists(), "{verb}");
    }
    let page = world.git(&["help", "beads-create"]).ok();
    for part in [
        "git-beads-create - Create an issue",
        "git beads create [OPTIONS]",
        "--parent <ID>",
        "git beads new",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(world.git(&["help", "beads-new"]).ok(), page);
    assert!(
        world
            .git(&["help", "beads-dep"])
            .ok()
            .contains("git beads dep add [OPTIONS] <ID> [ON]")
    );
}

#[test]
fn man_finds_the_pages_beside_the_program_without_being_told() {
    let world = World::new();
    if !world.lend("man") {
        return;
    }
    let run = installed(&world);
    let said = run("git", &["beads", "man"]).ok();
    assert!(
        said.contains(" pages in WORLD/opt/share/man/man1\nnext: git beads --help\n"),
        "{said}"
    );
    assert!(
        run("git", &["beads", "--help"])
            .ok()
            .contains("git-beads - Track issues")
    );
    assert_eq!(
        run("man", &["-w", "git-beads-done"]).ok().trim(),
        "WORLD/opt/share/man/man1/git-beads-done.1"
    );
    assert!(
        run("git", &["beads", "man", "--remove"])
            .ok()
            .contains("pages removed from WORLD/opt/share/man/man1")
    );
    assert!(run("man", &["-w", "git-beads"]).code != 0);
    assert_eq!(
        run("git", &["beads", "man", "--remove"]).ok(),
        "no pages to remove\n"
    );
}

#[test]
fn without_a_place_beside_the_program_they_are_the_users() {
    let mut world = World::new();
    let program = world.path("hidden/git-beads").display().to_string();
    std::fs::create_dir(world.path("hidden")).unwrap();
    copy_program(binary(), &program);
    let man = |world: &World, args: &[&str], path: &str| {
        let mut command = world.command("repo", &program, args);
        command.env("PATH", path);
        world.run(command, None).ok()
    };
    let others = world.search_path(false);
    let said = man(&world, &["man"], &others);
    assert!(
        said.ends_with("  export MANPATH=WORLD/home/.local/share/man:\n"),
        "{said}"
    );
    let local = format!("{}:{others}", world.path("home/.local/bin").display());
    std::fs::create_dir_all(world.path("home/.local/bin")).unwrap();
    assert!(man(&world, &["man"], &local).ends_with("next: git beads --help\n"));
    assert_eq!(
        man(&world, &["man", "-q"], &local),
        "WORLD/home/.local/share/man/man1\n"
    );
    world.set("MANPATH", "/elsewhere");
    assert!(man(&world, &["man"], &local).contains("export MANPATH="));
    let own = format!(
        "/elsewhere:{}",
        world.path("home/.local/share/man").display()
    );
    world.set("MANPATH", &own);
    assert!(!man(&world, &["man"], &others).contains("export MANPATH="));
}

#[test]
fn the_pages_are_clean() {
    let world = world();
    let names: Vec<String> = pages(&world.path("share/man/man1"))
        .iter()
        .map(|page| format!("man1/{}", page.file_name().unwrap().to_str().unwrap()))
        .collect();
    assert!(names.len() > 80);
    let known = [
        "\\\"", "TH", "SH", "SS", "TP", "PP", "RS", "RE", "EX", "EE", "so", "ie", "el", "br",
    ];
    for name in &names {
        let text = std::fs::read_to_string(world.path("share/man").join(name)).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix('.')) {
            assert!(
                known.contains(&line.split(' ').next().unwrap()),
                "{name}: .{line}"
            );
        }
    }
    if world.lend("man") {
        // A process each, of which `mandoc` needs one for all.
        for (_, name) in names.iter().enumerate().filter(|(n, _)| is_tried(*n, 8)) {
            let shown = world.run(
                world.command("share/man", "man", &["--warnings", "-l", name]),
                None,
            );
            assert_eq!((shown.stderr.as_str(), shown.code), ("", 0), "{name}");
        }
    }
    if world.lend("mandoc") {
        let args: Vec<&str> = ["-Tlint"]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .collect();
        let lint = world.run(world.command("share/man", "mandoc", &args), None);
        // A date would be that of the build; the aliases are one line each.
        let minor = ["missing date", ".so is fragile", "longer than 80 bytes"];
        let found: Vec<&str> = lint
            .stdout
            .lines()
            .filter(|line| !minor.iter().any(|known| line.contains(known)))
            .collect();
        assert_eq!(found, [""; 0]);
    }
    if world.lend("lexgrog") {
        let name = world
            .run(
                world.command("share/man", "lexgrog", &["man1/git-beads-done.1"]),
                None,
            )
            .ok();
        assert_eq!(
            name,
            "man1/git-beads-done.1: \"git-beads-done - Close issues and show what is ready next\"\n"
        );
    }
}

#[test]
fn writing_twice_changes_nothing_and_removing_leaves_what_is_not_ours() {
    let world = world();
    let folder = world.path("share/man/man1");
    let state = || -> Vec<_> {
        let stamp = |page: &PathBuf| (page.clone(), page.metadata().unwrap().modified().unwrap());
        pages(&folder).iter().map(stamp).collect()
    };
    let before = state();
    let answer = world.bd(&["man", "../share/man", "--json"]).json();
    assert_eq!(state(), before);
    assert_eq!(
        (&answer["kind"], &answer["pages"]),
        (&"report".into(), &before.len().into())
    );
    assert_eq!(
        (&answer["folder"], &answer["removed"]),
        (&"WORLD/repo/../share/man/man1".into(), &false.into())
    );
    world.file("share/man/man1/git-beads-own.1", ".TH MINE 1\n");
    world.file(
        "share/man/man1/git-beads-old.1",
        ".\\\" Written by git beads man.\n",
    );
    world.bd(&["man", "../share/man"]).ok();
    assert_eq!(pages(&folder).len(), before.len() + 1);
    let answer = world
        .bd(&["man", "--remove", "../share/man", "--json"])
        .json();
    assert_eq!(
        (&answer["pages"], &answer["removed"]),
        (&before.len().into(), &true.into())
    );
    assert_eq!(pages(&folder), [folder.join("git-beads-own.1")]);
}

#[test]
fn folders_that_were_made_for_the_pages_go_with_them() {
    let world = World::new();
    std::fs::create_dir(world.path("share")).unwrap();
    world.bd(&["man", "../share/man"]).ok();
    world.bd(&["man", "--remove", "../share/man"]).ok();
    assert!(world.path("share").exists() && !world.path("share/man").exists());
    world.bd(&["man", "../share/man"]).ok();
    world.file("share/man/mine", "");
    world.bd(&["man", "--remove", "../share/man"]).ok();
    assert!(world.path("share/man/mine").exists() && !world.path("share/man/man1").exists());
}

#[test]
fn a_page_of_somebody_else_is_never_replaced() {
    let world = World::new();
    world.file("share/man1/git-beads-done.1", ".TH MINE 1\n");
    let error = world.bd(&["man", "../share"]).fails(3);
    assert!(
        error.contains("git-beads-done.1 was not written by git beads"),
        "{error}"
    );
    assert_eq!(pages(&world.path("share/man1")).len(), 1);
    world.file("file", "");
    assert!(
        world
            .bd(&["man", "../file"])
            .fails(6)
            .contains("hint: git beads man")
    );
}

#[test]
fn a_linked_page_is_written_where_it_is() {
    let world = world();
    let (page, kept) = (
        world.path("share/man/man1/git-beads.1"),
        world.path("kept.1"),
    );
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::rename(&page, &kept).unwrap();
    std::fs::write(&kept, text.lines().next().unwrap().to_owned() + "\nold\n").unwrap();
    std::os::unix::fs::symlink(&kept, &page).unwrap();
    world.bd(&["man", "../share/man"]).ok();
    assert!(page.is_symlink());
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text);
}

fn source(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/cli/man")
            .join(name),
    )
    .unwrap()
}

/// The commands of a text, or of the texts within a source file.
fn commands(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
    lines.map(str::to_owned).collect()
}

fn are_true(commands: &[String]) {
    let mut world = World::with_store();
    world.set("GIT_BEADS_ACTOR", "ann");
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub"]).ok();
    for id in ["bd-a1b2", "bd-c3d4", "bd-free"] {
        named(&world, id, &["Uploads time out"]);
    }
    let github = include_str!("import/files/gh.json");
    world.file("repo/gh.json", github);
    world.file(
        "repo/issues.csv",
        "Key,Summary,State\nT-1,Order paper,open\n",
    );
    // Something to send, and something to carry.
    world.bd(&["sync"]).ok();
    world.create(&["Downloads time out"]);
    for command in commands {
        let needs_more = [
            "example.com",
            "beads edit",
            "beads redact",
            "beads ui",
            "beads serve",
            "beads resolve",
            "gh issue list",
        ];
        let is_missing = command.contains("| dot ") && !world.lend("dot");
        if is_missing || needs_more.iter().any(|word| command.contains(word)) {
            continue;
        }
        let output = world.run(world.command("repo", "bash", &["-c", command]), None);
        // There is work here that nobody has sent yet, which `doctor` says.
        let code = if command.starts_with("git beads doctor") {
            output.code.min(1)
        } else {
            0
        };
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (code, ""),
            "{command}: {}",
            output.stdout
        );
    }
}

#[test]
fn the_examples_are_true() {
    are_true(&commands(&source("main.txt")));
    let verbs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/verbs");
    let mut count = 0;
    // A verb of several files has its examples in the one of its name.
    let entries = verbs.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    for (n, path) in paths.iter().enumerate() {
        let of_verb = commands(&std::fs::read_to_string(path).unwrap());
        count += of_verb.len();
        if !of_verb.is_empty() && is_tried(n, 5) {
            are_true(&of_verb);
        }
    }
    assert!(count > 100, "{count}");
}

/// The words in quotes that begin so, in all sources.
fn quoted(folder: &Path, beginning: &str, found: &mut BTreeSet<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            quoted(&path, beginning, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let words = code
                .split('"')
                .filter_map(|word| word.strip_prefix(beginning).map(|rest| (word, rest)));
            let name = |rest: &str| rest.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
            found.extend(
                words
                    .filter(|(_, rest)| name(rest))
                    .map(|(word, _)| word.to_owned()),
            );
        }
    }
}

#[test]
fn every_key_and_every_variable_of_the_program_is_on_the_page() {
    let page = source("main.txt");
    let named: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| Some(line.split_once(":: ")?.0))
        .collect();
    // Tests alone set these variables.
    let ours = [
        "GIT_BEADS_NOW",
        "GIT_BEADS_SEED",
        "GIT_BEADS_BOOT",
        "GIT_BEADS_CASES",
        "GIT_BEADS_CASES_SEED",
        // `ui` sets them for commands of the user.
        "BEADS_ID",
        "BEADS_BRANCH",
        "BEADS_AGENT",
        // And this one for the verbs in its pane.
        "GIT_BEADS_PANE",
        // Those of a build.
        "GIT_BEADS_COMMIT",
        "GIT_BEADS_TARGET",
        // Files of bd.
        "beads.db",
        "beads.jsonl",
        // A setting of earlier versions.
        "beads.claimsRef",
    ];
    for beginning in ["GIT_BEADS_", "BEADS_", "beads."] {
        let mut found = BTreeSet::new();
        quoted(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            beginning,
            &mut found,
        );
        found.retain(|word| !ours.contains(&word.as_str()));
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let named: BTreeSet<&str> = named
            .iter()
            .copied()
            .filter(|word| word.starts_with(beginning))
            .collect();
        assert_eq!(named, found, "src/cli/man/main.txt");
    }
}
