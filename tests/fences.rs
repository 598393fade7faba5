//! The layers of `docs/design.md`: who may name what.

use std::fs;
use std::path::{Path, PathBuf};

/// A word, and the only places that may hold it.
const FENCES: [(&str, &[&str]); 15] = [
    ("gix::", &["src/store/"]),
    ("clap::", &["src/cli/"]),
    ("clap_mangen::", &["src/cli/"]),
    ("rusqlite::", &["src/index/"]),
    ("rmcp::", &["src/mcp/"]),
    ("tokio::", &["src/mcp/"]),
    ("jsonc_parser::", &["src/setup/"]),
    ("toml_edit::", &["src/setup/"]),
    ("signal_hook::", &["src/cli/follow.rs"]),
    ("Command::new(", &["src/store/git.rs", "src/cli/ui.rs"]),
    (
        "std::env::",
        &["src/env.rs", "src/model/join/tests/topology.rs"],
    ),
    ("SystemTime", &["src/env.rs"]),
    ("stdout()", &["src/cli/ui.rs"]),
    ("stderr()", &["src/cli/ui.rs", "src/env.rs"]),
    ("println!", &["src/model/join/tests/topology.rs"]),
];

/// A layer, and the layers that it may use.
const LAYERS: [(&str, &[&str]); 8] = [
    ("model", &[]),
    ("store", &["model", "env"]),
    ("index", &["store", "model", "env"]),
    ("ops", &["index", "store", "model", "env"]),
    ("mcp", &["ops", "index", "store", "model", "env"]),
    ("hooks", &["ops", "store", "model", "env", "files"]),
    ("setup", &["ops", "store", "model", "env", "files"]),
    (
        "cli",
        &[
            "mcp", "hooks", "setup", "ops", "store", "model", "env", "files",
        ],
    ),
];

fn every_file(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut all = Vec::new();
    every_file(folder, &mut all);
    all.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    found.extend(all);
}

fn each_source(mut check: impl FnMut(&str, &str)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    assert!(found.len() > 30);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        // Comments may speak of what the code may not name.
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .fold(String::new(), |all, line| all + line + "\n");
        check(path.strip_prefix(root).unwrap().to_str().unwrap(), &code);
    }
}

#[test]
fn every_library_stays_in_its_layer() {
    each_source(|path, code| {
        for (word, places) in FENCES {
            let allowed = places.iter().any(|place| path.starts_with(place));
            assert!(allowed || !code.contains(word), "{path} names {word}");
        }
    });
}

#[test]
fn layers_use_only_what_lies_below() {
    each_source(|path, code| {
        for (layer, below) in LAYERS {
            if !path.starts_with(&format!("src/{layer}/")) {
                continue;
            }
            for (i, _) in code.match_indices("crate::") {
                let used: String = code[i + 7..]
                    .chars()
                    .take_while(char::is_ascii_alphanumeric)
                    .collect();
                assert!(
                    used == layer || below.contains(&used.as_str()),
                    "{path} uses crate::{used}"
                );
            }
        }
    });
}

/// Commands that fetch a package by its name and run it.
const INSTALLERS: [&str; 9] = [
    "cargo install ",
    "cargo binstall ",
    "npm install ",
    "npm i ",
    "npx ",
    "pip install ",
    "pipx install ",
    "uvx ",
    "brew install ",
];

/// The package that the rest of a command line names: its first word that is no option.
fn package(rest: &str) -> &str {
    let word = rest.split_whitespace().find(|word| !word.starts_with('-'));
    word.unwrap_or_default()
        .trim_matches(|c: char| !c.is_ascii_alphanumeric())
}

/// Nothing of this name is published, so the first to register it would be run by everybody who follows such a text.
#[test]
fn no_text_names_a_package_that_is_not_ours() {
    assert_eq!(package("--locked git-beads`, and"), "git-beads");
    assert_eq!(package("--locked --path . && git beads demo"), "");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("README.md")];
    for folder in ["src", "docs", "hooks", "benches"] {
        every_file(&root.join(folder), &mut found);
    }
    assert!(found.len() > 100);
    for path in found {
        let bytes = fs::read(&path).unwrap();
        // A string of the source may go on in the next line.
        let text = String::from_utf8_lossy(&bytes).replace("\\\n", "");
        for command in INSTALLERS {
            for (i, _) in text.match_indices(command) {
                let named = package(&text[i + command.len()..]);
                assert_ne!(named, env!("CARGO_PKG_NAME"), "{}", path.display());
            }
        }
    }
}

/// The variables that tests may read of their environment; the code that they share may read more.
const OUTSIDE: [&str; 3] = ["GIT_BEADS_", "UPDATE_DOCS", "CI"];

#[test]
fn tests_see_nothing_of_the_machine_but_what_they_borrow() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("tests"), &mut found);
    for path in found {
        let path = path.strip_prefix(root).unwrap();
        if path.starts_with("tests/fuzz") || path.starts_with("tests/support") {
            continue;
        }
        let text = fs::read_to_string(root.join(path)).unwrap();
        for call in ["env::var(", "env::var_os("] {
            for (i, _) in text.match_indices(call) {
                let name = text[i + call.len()..].trim_start_matches('"');
                assert!(
                    text[..i].ends_with('"') || OUTSIDE.iter().any(|known| name.starts_with(known)),
                    "{}: {name:.20}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn files_stay_readable() {
    each_source(|path, code| assert!(code.lines().count() <= 710, "{path} has over 710 lines"));
}
