//! The layers of `docs/design.md`: which may name what.

#[path = "fences/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The only place that knows the operating system.
const PLATFORM: &[&str] = &["src/platform/"];

/// A word, and the only places that may hold it.
const FENCES: [(&str, &[&str]); 32] = [
    ("gix::", &["src/store/"]),
    ("clap::", &["src/cli/"]),
    ("clap_mangen::", &["src/cli/"]),
    ("rusqlite::", &["src/index/"]),
    ("rmcp::", &["src/mcp/"]),
    ("tokio::", &["src/mcp/", "src/serve/"]),
    ("hyper::", &["src/serve/", "src/mcp/http.rs"]),
    ("TcpListener", &["src/serve/", "src/mcp/http.rs"]),
    ("ratatui::", &["src/ui/"]),
    ("crossterm::", &["src/ui/"]),
    ("jsonc_parser::", &["src/setup/"]),
    ("toml_edit::", &["src/setup/"]),
    (
        "signal_hook::",
        &[
            "src/platform/unix_wake.rs",
            "src/platform/windows_wake.rs",
            "src/store/child.rs",
        ],
    ),
    ("std::os::", PLATFORM),
    ("rustix::", PLATFORM),
    ("winapi_util::", PLATFORM),
    ("windows_registry::", PLATFORM),
    ("sysctl::", PLATFORM),
    ("dunce::", PLATFORM),
    // What Windows adds to a path, other programs can't read.
    (".canonicalize()", PLATFORM),
    ("cfg(unix)", PLATFORM),
    ("cfg(windows)", PLATFORM),
    ("target_os", PLATFORM),
    ("/proc/", PLATFORM),
    ("/dev/tty", PLATFORM),
    ("Command::new(", &["src/env.rs"]),
    // Each run of git leaves a line in the log; `git.rs` and `child.rs` start this program itself.
    (
        ".spawn()",
        &[
            "src/store/run.rs",
            "src/store/git.rs",
            "src/cli/ui/",
            "src/ui/child.rs",
        ],
    ),
    (
        "std::env::",
        &[
            "src/env.rs",
            "src/main.rs",
            "src/model/join/tests/topology.rs",
        ],
    ),
    ("SystemTime", &["src/env.rs"]),
    (
        "stdout()",
        &[
            "src/cli/ui/pager.rs",
            "src/env/streams.rs",
            "src/platform/unix_wake.rs",
            "src/platform/windows.rs",
        ],
    ),
    ("stderr()", &["src/env/streams.rs"]),
    ("println!", &["src/model/join/tests/topology.rs"]),
];

/// A layer, the layers that it may name, and the libraries; `std`, serde and schemars are for all.
const LAYERS: [(&str, &[&str], &[&str]); 17] = [
    ("main", &[], &["git_beads"]),
    (
        "platform",
        &[],
        &[
            "dunce",
            "jiff",
            "rustix",
            "signal_hook",
            "sysctl",
            "tempfile",
            "winapi_util",
            "windows_registry",
        ],
    ),
    (
        "model",
        &[],
        &["csv", "jiff", "pulldown_cmark", "sha2", "ulid"],
    ),
    ("env", &["platform"], &["jiff", "sha2", "ulid"]),
    ("files", &["env", "platform"], &["tempfile"]),
    (
        "store",
        &["model", "files", "env", "platform"],
        &[
            "base64",
            "gix",
            "sha2",
            "signal_hook",
            "tempfile",
            "tracing",
        ],
    ),
    (
        "index",
        &["store", "model", "env", "platform"],
        &["rusqlite", "sha2", "strsim", "tempfile", "tracing"],
    ),
    (
        "ops",
        &["index", "store", "model", "files", "env", "platform"],
        &["sha2", "strsim", "tempfile", "tracing"],
    ),
    (
        "hooks",
        &["ops", "store", "model", "files", "env", "platform"],
        &[],
    ),
    (
        "setup",
        &["ops", "store", "model", "files", "env", "platform"],
        &["jsonc_parser", "toml_edit"],
    ),
    (
        "mcp",
        &["ops", "model", "env"],
        &["hyper", "hyper_util", "rmcp", "strsim", "tokio", "tracing"],
    ),
    ("desk", &["ops", "files", "env", "platform"], &["tracing"]),
    ("page", &["ops", "index", "model"], &["sha2"]),
    ("text", &["model"], &["anstyle", "unicode_width"]),
    (
        "ui",
        &["desk", "text", "ops", "model", "env", "platform"],
        &["anstyle", "base64", "crossterm", "ratatui", "unicode_width"],
    ),
    (
        "serve",
        &[
            "text", "desk", "page", "ops", "model", "files", "env", "platform",
        ],
        &["hyper", "hyper_util", "sha2", "tokio"],
    ),
    (
        "cli",
        &[
            "ui", "serve", "text", "desk", "mcp", "hooks", "setup", "page", "ops", "model",
            "files", "env", "platform",
        ],
        &[
            "anstyle",
            "clap",
            "clap_mangen",
            "similar",
            "strsim",
            "tempfile",
            "terminal_size",
            "tracing",
            "tracing_subscriber",
            "unicode_width",
        ],
    ),
];

/// Libraries that every layer may name.
const FOR_ALL: [&str; 4] = ["schemars", "serde", "serde_json", "thiserror"];

/// What goes against the table today: a file, the layer or library that it names, and why it still does. A line that
/// no longer occurs fails, so that the list only gets shorter.
const AGAINST_LAYERS: [(&str, &str, &str); 0] = [];

/// The sets of files that name each other today, and why they still do. One that has changed fails.
const CIRCLES: [(&str, &str); 0] = [];

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
fn the_store_creates_files_in_one_place() {
    let words = [
        "File::create",
        "create_dir",
        "DirBuilder",
        ".create(true)",
        "tempfile::",
        "fs::write(",
    ];
    let of_store = source::sources()
        .into_iter()
        .filter(|source| source.layer() == "store");
    for source in of_store.filter(|source| source.path != "store/permissions.rs") {
        for word in words {
            assert!(
                !source.code.contains(word),
                "{} creates: {word}",
                source.path
            );
        }
    }
}

/// Holds what is found against what is known, each way.
#[track_caller]
fn compare(what: &str, found: &BTreeSet<String>, known: impl Iterator<Item = String>) {
    let known: BTreeSet<String> = known.collect();
    let new: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(found).collect();
    assert!(new.is_empty(), "{what} that may not be: {new:#?}");
    assert!(
        gone.is_empty(),
        "{what} that no longer are: take them out of the table: {gone:#?}"
    );
}

#[test]
fn layers_use_only_what_lies_below() {
    let libraries: Vec<&str> = LAYERS
        .iter()
        .flat_map(|(_, _, names)| *names)
        .copied()
        .collect();
    let mut found = BTreeSet::new();
    for source in source::sources() {
        let layer = source.layer();
        if layer == "lib" {
            continue;
        }
        let Some((_, below, own)) = LAYERS.iter().find(|(name, ..)| *name == layer) else {
            found.insert(format!("{} ", source.path));
            continue;
        };
        let layers = source.layers().into_iter();
        let layers = layers.filter(|used| used != layer && !below.contains(&used.as_str()));
        let libraries = libraries
            .iter()
            .filter(|name| !own.contains(name) && source.names(name));
        let faults = layers.chain(libraries.map(|name| (*name).to_owned()));
        found.extend(faults.map(|used| format!("{} {used}", source.path)));
    }
    let known = AGAINST_LAYERS
        .iter()
        .map(|(path, used, _)| format!("{path} {used}"));
    compare("names of a layer or library", &found, known);
}

#[test]
fn every_library_has_a_layer() {
    let manifest = include_str!("../Cargo.toml");
    let sections = manifest.split("\n[").filter(|part| {
        let header = part.lines().next().unwrap_or_default();
        header.ends_with("dependencies]") && header != "dev-dependencies]"
    });
    for line in sections.flat_map(|part| part.lines().skip(1)) {
        let Some((name, _)) = line.split_once(" = ") else {
            continue;
        };
        let name = name.replace('-', "_");
        let known = LAYERS
            .iter()
            .any(|(_, _, names)| names.contains(&name.as_str()));
        assert!(
            known || FOR_ALL.contains(&name.as_str()),
            "{name} is in no layer"
        );
    }
}

#[test]
fn no_verb_names_a_verb() {
    let verb = |module: &[String]| match module {
        [ops, verbs, name, ..] if ops == "ops" && verbs == "verbs" => Some(name.clone()),
        _ => None,
    };
    let mut found = BTreeSet::new();
    for (module, others) in source::graph(&source::sources()) {
        let Some(from) = verb(&module) else { continue };
        let others = others.iter().filter_map(|other| verb(other));
        found.extend(
            others
                .filter(|to| *to != from)
                .map(|to| format!("{from} {to}")),
        );
    }
    compare("verbs that name a verb", &found, std::iter::empty());
}

/// Literals that are the name of a tool all the same: a file, and the word.
const NAMED_TOOLS: [(&str, &str); 7] = [
    // Arguments of other trackers.
    ("mcp/alias.rs", "comment"),
    ("mcp/alias.rs", "note"),
    // An argument of the two tools.
    ("mcp/context_argument.rs", "context"),
    // Domains.
    ("mcp/facts.rs", "context"),
    ("mcp/facts.rs", "sync"),
    // The summary of a session, which hooks print where no server runs.
    ("ops/shared/session.rs", "task_list"),
    ("ops/shared/session.rs", "task_status"),
];

/// What the server has to know of a tool is a member of its entry, so that a new tool is everywhere at once.
#[test]
fn only_the_list_of_tools_names_a_tool() {
    let reference = include_str!("../docs/mcp.md");
    let (_, reference) = reference.split_once("\n## Tools\n").unwrap();
    let tools = reference
        .lines()
        .filter_map(|line| line.strip_prefix("### "));
    let tools: Vec<&str> = tools.collect();
    assert!(tools.len() > 30 && tools.contains(&"task_start"));
    let mut found = BTreeSet::new();
    for source in source::sources() {
        if source.path.starts_with("mcp/tools/") {
            continue;
        }
        let is_server = source.layer() == "mcp";
        for literal in &source.literals {
            let text = literal.trim_matches('"');
            let name = text.split('(').next().unwrap();
            // Other layers use the simple words for verbs and fields.
            let is_word = name.chars().all(|c| c.is_ascii_lowercase());
            if tools.contains(&name) && (is_server || !is_word) {
                found.insert(format!("{} {name}", source.path));
            }
        }
    }
    let known = NAMED_TOOLS
        .iter()
        .map(|(path, word)| format!("{path} {word}"));
    compare("names of tools", &found, known);
}

#[test]
fn no_files_name_each_other_in_a_circle() {
    let circles = source::circles(&source::graph(&source::sources()));
    let found = circles
        .iter()
        .map(|circle| circle.iter().cloned().collect::<Vec<_>>().join(" "))
        .collect();
    compare(
        "circles",
        &found,
        CIRCLES.iter().map(|(files, _)| (*files).to_owned()),
    );
}

/// Beginnings of the commands that texts name.
const COMMANDS: [&str; 26] = [
    "git -C ",
    "git add ",
    "git beads ",
    "git branch ",
    "git checkout ",
    "git clone ",
    "git commit ",
    "git config ",
    "git fetch ",
    "git for-each-ref ",
    "git log ",
    "git ls-remote ",
    "git merge ",
    "git push ",
    "git remote ",
    "git rm ",
    "git show ",
    "git show-ref ",
    "git switch ",
    "git update-ref ",
    "chmod ",
    "export ",
    "ls -",
    "mkdir ",
    "mv ",
    "rm ",
];

/// Returns the command of a literal into which a value is put as it is.
fn filled(literal: &str) -> Option<&str> {
    COMMANDS.iter().find_map(|command| {
        literal.match_indices(command).find_map(|(at, _)| {
            let is_word =
                !literal[..at].ends_with(|c: char| c.is_alphanumeric() || "-`".contains(c));
            let line = &literal[at..];
            // There the sentence goes on.
            let end = line.find([';', ')', '`', '\n']).unwrap_or(line.len());
            let line = line[..end].split(": ").next().unwrap();
            (is_word && line.contains('{')).then_some(line)
        })
    })
}

/// A value within a command would be read by the shell that runs it: `model/command.rs` makes all such lines, and quotes.
#[test]
fn no_text_puts_a_value_into_a_command() {
    for bad in [
        "\"{a}: git beads show {id}\"",
        "\"git fetch {remote}\"",
        "\"rm {0}\"",
        "\"next: git beads done {} -r\"",
    ] {
        assert!(filled(bad).is_some(), "{bad}");
    }
    for good in [
        "\"{n} more (git beads log)\"",
        "\"git beads sync; {n} wait\"",
        "\"git clone failed: {other}\"",
    ] {
        assert_eq!(filled(good), None);
    }
    let mut found = Vec::new();
    for source in source::sources() {
        for literal in &source.literals {
            // A string of the source may go on in the next line; two braces are one.
            let text = literal.replace("\\\n", "").replace("{{", "");
            found.extend(filled(&text).map(|line| format!("{}: {line}", source.path)));
        }
    }
    assert!(found.is_empty(), "build these as a Command: {found:#?}");
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

/// Where a name is not published, the first to register it would be run by everybody who follows such a text.
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
        let text = crate::docs::without_published(&text);
        for command in INSTALLERS {
            for (i, _) in text.match_indices(command) {
                let named = package(&text[i + command.len()..]);
                assert_ne!(named, env!("CARGO_PKG_NAME"), "{}", path.display());
            }
        }
    }
}

/// The drawing of the layers in `docs/layers.txt`, which the library's documentation includes.
const DRAWING: &str = include_str!("../docs/layers.txt");

#[test]
fn the_page_on_design_has_the_drawing_of_the_library() {
    let page = include_str!("../docs/design.md");
    assert!(page.contains(&format!("```text\n{DRAWING}```\n")));
}

#[test]
fn the_drawing_of_the_layers_is_the_table() {
    let lines = DRAWING.lines().filter(|line| line.contains("->"));
    let mut drawn: BTreeSet<(&str, BTreeSet<&str>)> = BTreeSet::new();
    for line in lines {
        // The first line begins with `main`, which names the library alone.
        let (from, to) = line
            .trim_start_matches("main  ->")
            .split_once("->")
            .unwrap();
        let to = to.trim_start().split("  ").next().unwrap();
        let to = to.split(", ").filter(|name| !name.contains(' '));
        drawn.insert((from.trim(), to.collect()));
    }
    let for_many = ["model", "files", "env", "platform"];
    let layers = LAYERS
        .iter()
        .filter(|(name, ..)| !for_many.contains(name) && *name != "main");
    let known = layers.map(|(name, below, _)| {
        let below = below.iter().filter(|name| !for_many.contains(name));
        (*name, below.copied().collect())
    });
    assert_eq!(drawn, known.collect());
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
        let shared = ["tests/fuzz", "tests/support", "tests/everywhere/mod.rs"];
        if shared.iter().any(|shared| path.starts_with(shared)) {
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
